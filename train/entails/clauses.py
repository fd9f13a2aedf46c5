"""Who did what to whom, from gold trees: clauses that can be said again in other forms.

A clause here is a finite verb in a main clause, without auxiliaries, with a subject and an object. Its forms are
active, passive, denied, and the same with the roles exchanged; irregular verbs are inflected as the treebanks do.
"""

from __future__ import annotations

import gzip
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Clause", "Forms", "Sentence", "clauses", "coordinated", "sentences"]

OBJECTIVE = {"i": "me", "he": "him", "she": "her", "we": "us", "they": "them"}
SUBJECTIVE = {"me": "I", "him": "he", "her": "she", "us": "we", "them": "they"}
SYMMETRIC = frozenset(
    """
    have be get become want need mean include contain lack resemble marry meet equal match join seem like let make take
    do cost weigh fit suit feature involve enter leave reach
    """.split()  # noqa: SIM905
)
"""Verbs whose roles can be exchanged with no great change, or whose passive nobody says."""


@dataclass(frozen=True)
class Token:
    """A row of a treebank."""

    form: str
    lemma: str
    upos: str
    xpos: str
    head: int
    relation: str
    spaced: bool
    """White space follows."""


@dataclass(frozen=True)
class Sentence:
    """A sentence with its gold tree; heads count from 0, -1 is the root's."""

    text: str
    tokens: tuple[Token, ...]

    def children(self, head: int) -> list[int]:
        """The dependents of a token."""
        return [index for index, token in enumerate(self.tokens) if token.head == head]

    def subtree(self, head: int) -> list[int]:
        """A token and all under it, in order."""
        found = [head]
        for index in found:
            found += self.children(index)
        return sorted(found)

    def surface(self, indices: list[int]) -> str:
        """The words as they were written."""
        return "".join(self.tokens[i].form + (" " if self.tokens[i].spaced else "") for i in indices).strip()


def sentences(path: Path) -> Iterator[Sentence]:
    """The sentences of a gzipped CoNLL-U file."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for block in file.read().split("\n\n"):
            text, rows = "", []
            for line in block.splitlines():
                if line.startswith("# text = "):
                    text = line[9:]
                elif line and line[0].isdigit():
                    cells = line.split("\t")
                    if cells[0].isdigit():
                        rows.append(cells)
            if rows:
                yield Sentence(
                    text,
                    tuple(
                        Token(c[1], c[2], c[3], c[4], int(c[6]) - 1, c[7], "SpaceAfter=No" not in c[9]) for c in rows
                    ),
                )


class Forms:
    """Forms of verbs as the treebanks inflect them."""

    def __init__(self, treebank: list[Sentence]) -> None:
        counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
        for sentence in treebank:
            for token in sentence.tokens:
                if token.upos == "VERB" and token.form.isalpha():
                    counts[token.lemma.lower(), token.xpos].update([token.form.lower()])
        self._forms = {key: found.most_common(1)[0][0] for key, found in counts.items()}

    def __call__(self, lemma: str, tag: str) -> str | None:
        """The form of a verb with that tag; none where no treebank has it and no rule is safe."""
        if tag == "VB":
            return lemma
        known = self._forms.get((lemma, tag))
        if known is None and tag == "VBN":
            known = self._forms.get((lemma, "VBD"))
            known = known if known and known.endswith("ed") else None
        if known is None and tag == "VBZ" and lemma[-1] not in "sxzhyo":
            known = lemma + "s"
        return known


@dataclass(frozen=True)
class Clause:
    """Subject, verb and object."""

    subject: str
    object: str
    lemma: str
    tag: str
    """VBD, VBZ or VBP."""
    particle: str
    many: tuple[bool, bool]
    """Whether the subject and the object are plural."""
    sentence: str
    main: bool
    """Whether the sentence asserts the clause."""

    def said(self, forms: Forms, passive: bool = False, swapped: bool = False, denied: bool = False) -> str | None:
        """The clause in one of its forms."""
        agent, patient = (self.object, self.subject) if swapped else (self.subject, self.object)
        many_agent, many_patient = self.many[::-1] if swapped else self.many
        past = self.tag == "VBD"
        no = "not " if denied else ""
        if passive:
            verb = forms(self.lemma, "VBN")
            first, last, many = _as(patient, SUBJECTIVE), "by " + _as(agent, OBJECTIVE), many_patient
            be = ("were" if many else "was") if past else ("are" if many else "is")
            if first == "I":
                be = "was" if past else "am"
            head = f"{be} {no}{verb}" if verb else None
        else:
            first, last, many = _as(agent, SUBJECTIVE), _as(patient, OBJECTIVE), many_agent or agent.lower() in "i me"
            tag = "VBD" if past else ("VBP" if many else "VBZ")
            verb = self.lemma if tag == "VBP" else forms(self.lemma, tag)
            if denied:
                head = f"{'did' if past else 'do' if many else 'does'} not {self.lemma}"
            else:
                head = verb
        if head is None:
            return None
        made = " ".join(f"{first} {head} {self.particle} {last}".split())
        return made[0].upper() + made[1:] + "."


def _as(phrase: str, case: dict[str, str]) -> str:
    """A phrase in a case: pronouns change, articles at its head lose their capital."""
    if phrase.lower() in case:
        return case[phrase.lower()]
    first, space, rest = phrase.partition(" ")
    lowered = first.lower()
    if lowered in (
        "the",
        "a",
        "an",
        "this",
        "these",
        "some",
        "many",
        "his",
        "her",
        "their",
        "its",
        "our",
        "my",
        "most",
        "all",
        "it",
        "you",
        "he",
        "she",
        "we",
        "they",
        "two",
        "three",
        "several",
        "one",
        "another",
        "no",
    ):
        first = lowered
    return first + space + rest


def _phrase(sentence: Sentence, head: int, case: str) -> tuple[str, bool] | None:
    """A noun phrase that can stand elsewhere, and whether it is plural."""
    token = sentence.tokens[head]
    indices = sentence.subtree(head)
    while indices and sentence.tokens[indices[-1]].upos == "PUNCT":
        indices.pop()
    if not indices or indices[-1] - indices[0] + 1 != len(indices) or len(indices) > 9:
        return None
    if any(sentence.tokens[i].xpos[:1] == "W" or sentence.tokens[i].relation.startswith("acl") for i in indices):
        return None
    if token.upos == "PRON":
        if token.form.lower() not in {*OBJECTIVE, *SUBJECTIVE, "you", "it"}:
            return None
    elif token.upos not in ("NOUN", "PROPN"):
        return None
    conjoined = any(sentence.tokens[i].relation == "conj" for i in sentence.children(head))
    many = conjoined or token.xpos in ("NNS", "NNPS") or token.form.lower() in ("they", "them", "we", "us", "you")
    return sentence.surface(indices), many


def clauses(sentence: Sentence) -> Iterator[Clause]:
    """The clauses of a sentence whose roles can be told apart."""
    for index, token in enumerate(sentence.tokens):
        if token.upos != "VERB" or token.xpos not in ("VBD", "VBZ", "VBP") or token.lemma.lower() in SYMMETRIC:
            continue
        children = sentence.children(index)
        by = defaultdict(list)
        for child in children:
            by[sentence.tokens[child].relation].append(child)
        if len(by["nsubj"]) != 1 or len(by["obj"]) != 1 or len(by["compound:prt"]) > 1:
            continue
        if any(by[name] for name in ("aux", "iobj", "xcomp", "ccomp", "expl", "cop")):
            continue
        if any(
            sentence.tokens[child].lemma in ("not", "never", "no", "hardly")
            for child in sentence.subtree(index)
            if sentence.tokens[child].head == index or sentence.tokens[child].relation == "det"
        ):
            continue
        subject = _phrase(sentence, by["nsubj"][0], "subject")
        object = _phrase(sentence, by["obj"][0], "object")
        if not subject or not object or by["nsubj"][0] > index or by["obj"][0] < index:
            continue
        asserted = token.relation in ("root", "parataxis") or (
            token.relation == "conj" and sentence.tokens[token.head].relation == "root"
        )
        asserted = asserted and not by["mark"] and "?" not in sentence.text and " if " not in sentence.text.lower()
        particle = sentence.tokens[by["compound:prt"][0]].form if by["compound:prt"] else ""
        yield Clause(
            subject[0],
            object[0],
            token.lemma.lower(),
            token.xpos,
            particle,
            (subject[1], object[1]),
            sentence.text,
            asserted,
        )


def coordinated(sentence: Sentence) -> tuple[str, str] | None:
    """A sentence of two coordinated predicates with one subject, as two sentences."""
    for index, token in enumerate(sentence.tokens):
        if token.relation != "root" or token.upos != "VERB":
            continue
        children = sentence.children(index)
        second = [c for c in children if sentence.tokens[c].relation == "conj" and sentence.tokens[c].upos == "VERB"]
        subject = [c for c in children if sentence.tokens[c].relation.startswith("nsubj")]
        if len(second) != 1 or len(subject) != 1 or sentence.tokens[second[0]].xpos != token.xpos:
            continue
        own = sentence.children(second[0])
        if any(sentence.tokens[c].relation.startswith(("nsubj", "aux")) for c in own):
            continue
        after = [
            i
            for i in sentence.subtree(second[0])
            if i >= second[0] - 2 and (sentence.tokens[i].relation != "cc" or sentence.tokens[i].head != second[0])
        ]
        while after and sentence.tokens[after[0]].upos == "PUNCT":
            after.pop(0)
        before = [i for i in sentence.subtree(index) if i < sentence.subtree(second[0])[0]]
        tail = [i for i in sentence.subtree(index) if i > after[-1] and sentence.tokens[i].upos != "PUNCT"]
        phrase = _phrase(sentence, subject[0], "subject")
        if (
            tail
            or not after
            or not before
            or not phrase
            or "(" in phrase[0]
            or before[-1] < index
            or "?" in sentence.text
            or subject[0] > index
        ):
            continue
        while before and sentence.tokens[before[-1]].upos == "PUNCT":
            before.pop()
        while after and sentence.tokens[after[-1]].upos == "PUNCT":
            after.pop()
        name = _as(phrase[0], SUBJECTIVE)
        return sentence.surface(before) + ".", f"{name[0].upper()}{name[1:]} {sentence.surface(after)}."
    return None
