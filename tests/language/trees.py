"""Analyses from hand-written trees: a sentence as one reads it, with what depends on a word standing beside it.

``form/XPOS`` is the word that those beside it depend on; ``form/XPOS/relation`` a dependent; ``relation[ ... ]`` a
dependent that has dependents of its own. ``~`` glues a word to the one before. So *She said he left.* is::

    She/PRP/nsubj said/VBD ccomp[ he/PRP/nsubj left/VBD ] ~././punct
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pyramidion.language.parse.analysis import ROOT, Analysis, Word

_UPOS = {"CC": "CCONJ", "IN": "SCONJ", "MD": "AUX", "DT": "DET", "CD": "NUM", "TO": "PART", "JJ": "ADJ", "RB": "ADV"}
_UPOS |= dict.fromkeys(("VB", "VBD", "VBG", "VBN", "VBP", "VBZ"), "VERB") | dict.fromkeys(("PRP", "WP", "WDT"), "PRON")
_LEMMAS = dict.fromkeys(("is", "was", "are", "were", "been", "being", "'s", "am"), "be")
_LEMMAS |= {"has": "have", "had": "have", "does": "do", "did": "do", "n't": "not", "sooner": "soon"}


def parse(*sentences: str) -> Analysis:
    """The analysis of sentences in that notation, one space apart."""
    reader = _Reader()
    ranges = []
    for sentence in sentences:
        first = len(reader.words)
        reader.group(iter(sentence.split()), "root")
        ranges.append((first, len(reader.words)))
    return Analysis(reader.text, tuple(reader.words), tuple(ranges))


class _Reader:
    def __init__(self) -> None:
        self.text = ""
        self.words: list[Word] = []

    def group(self, tokens: Iterator[str], relation: str) -> int:
        """Read up to the closing bracket; the index of the group's own head."""
        heads, dependents = [], []
        for token in tokens:
            if token == "]":
                break
            if token.endswith("["):
                dependents.append(self.group(tokens, token[:-1]))
            elif token.count("/") == 1:
                heads.append(self.word(f"{token}/{relation}"))
            else:
                dependents.append(self.word(token))
        (head,) = heads
        for index in dependents:
            self.words[index] = replace(self.words[index], head=head)
        return head

    def word(self, token: str) -> int:
        form, xpos, relation = token.split("/")
        self.text += "" if not self.text or form.startswith("~") else " "
        form = form.removeprefix("~")
        start, self.text = len(self.text), self.text + form
        upos = (
            "PUNCT"
            if relation == "punct"
            else "AUX"
            if relation.startswith(("aux", "cop"))
            else _UPOS.get(xpos, "NOUN")
        )
        lemma = _LEMMAS.get(form.lower(), form.lower())
        self.words.append(Word(start, len(self.text), form, lemma, upos, xpos, ROOT, relation))
        return len(self.words) - 1
