"""Clauses: PyrEval's decomposition of sentences into segments (Gao et al. 2019, section 4.1), over the UD tree.

*Problem.* An SCU is about as long as a clause, so a sentence is cut into clause-like segments; and since nobody knows
in advance how finely, each sentence gets several segmentations, of which the pyramid later uses one.

*The paper's rule*: every tensed verb phrase starts a segment, its subject is attached, and "words other than those in
the VP and subject are reinserted in their original order". It takes phrase structure and dependencies; we have
dependencies alone:

- A **clause head** is a predicate in a clausal relation that has tense: by itself (VBD VBZ VBP MD), by an auxiliary or
  copula, as an imperative, as a subjunctive (``that he go``), or by an auxiliary that it shares with the predicate it
  is coordinated with.
- A word belongs to the clause of its nearest ancestor that is a clause head. So infinitives, participles and gerunds
  stay with their governor; marks (``that``, ``because``), relative pronouns and punctuation stay with the word they
  hang on; and what is left of the governor keeps its words in their order.
- A relative clause stands as it is, with its pronoun and without its antecedent, like PyrEval's SBARs. Where it has no
  pronoun its antecedent is copied: ``Every move Google makes | Every move helps``, for ``Google makes`` says nothing.
- **Coordination** (the paper's weak spot): a tensed conjunct is a clause. Without a subject of its own it gets that of
  the first conjunct, less the clauses cut out of it; without tense of its own the auxiliaries too, with their negation
  unless ``but`` undoes it. A conjunct with a subject and no tense is gapped (``and Ann silver``) and stays. Conjunction
  and comma go to the governor, as in Figure 3: that of the first conjunct where the conjunct repeats the mark (``that
  ... and that ...``), else the first conjunct itself.

Copied subjects, auxiliaries and antecedents are the only words in several segments.

*Deviations*, each because the literal rule leaves a piece that says nothing: a clause keeps a clausal subject before it
(``What he did was wrong``); clefts (``It was Ann who won``) and comparisons (``more than he had``) stay whole; a free
relative goes with its pronoun (``He knows | what she did``), and ``as soon as he came`` goes whole; ``The problem is |
that it leaks`` is cut though UD makes ``leaks`` the head of both; and a root without tense (``Thanks, I loved it``)
joins the first clause that depends on it.

*Segmentations.* 0 is the sentence. 1 is the finest, its segments in the order in which they end. The others each join
one clause with the clause it depends on, the joined segment first, in the order of 1: Figure 3's order. So every clause
is offered alone and with its governor, and the number of segmentations is linear in that of clauses, where all merges
would be exponential. Past ``MAX_SEGMENTATIONS`` a sentence is a list, whose items are seldom joined in an SCU.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pyramidion.language.parse.analysis import ROOT, Analysis, Word
from pyramidion.language.parse.deptree import DependencyTree
from pyramidion.model import SEGMENT, Span

MAX_SEGMENTATIONS = 8
"""The most segmentations of a sentence: the whole, the finest and six merges."""

_TENSED = {"VBD", "VBZ", "VBP", "MD"}
_CLAUSAL = {"root", "ccomp", "advcl", "csubj", "acl", "parataxis", "conj", "list", "appos", "dislocated", "dep"}
_SUBJECTS = {"nsubj", "csubj", "expl"}
_AUXILIARIES = {"aux", "cop"}
_WITH_FREE_RELATIVE = {"obj", "obl", "nmod", "advmod", "advcl", "ccomp"}
_LICENSED = {"be": {"VBG", "VBN"}, "have": {"VBN"}, "do": {"VB"}}
_INSIDE_NOUN_PHRASE = {"det", "amod", "nummod", "compound", "nmod", "flat", "advmod"}
_SEPARATORS = {",", ";", ":", "-", "--", "\u2013", "\u2014", "...", "\u2026"}


@dataclass(frozen=True, slots=True)
class Segment:
    """A clause-like piece of a sentence: word indices of the analysis and, for the text, the spans that they fill."""

    spans: tuple[Span, ...]
    words: tuple[int, ...]

    def text(self, analysis: Analysis) -> str:
        """Return its words as one would write them, with spaces as in the text, without a leading comma or dash."""
        shown = list(self.words)
        while len(shown) > 1 and analysis.words[shown[0]].form in _SEPARATORS:
            del shown[0]
        written = ""
        for place, index in enumerate(shown):
            word = analysis.words[index]
            after_gap = place > 0 and shown[place - 1] != index - 1
            glued = index > 0 and analysis.words[index - 1].end == word.start
            # Copied words may stand apart in the text: a space goes before them, but not before marks and clitics.
            leans = word.upos == "PUNCT" or word.form.startswith(("'", "\u2019", "n't", "n\u2019t"))
            written += " " * (place > 0 and (not glued or (after_gap and not leans))) + word.form
        return written


Segmentation: TypeAlias = tuple[Segment, ...]


def segmentations(analysis: Analysis) -> tuple[tuple[Segmentation, ...], ...]:
    """Return each sentence's segmentations: the whole, then, if it has two clauses or more, the finest and merges."""
    analysis.needs_parse("clauses")
    return tuple(_of_sentence(analysis, first, last) for first, last in analysis.sentences)


@dataclass(frozen=True, slots=True)
class NamedSegment:
    """A segment with its id and its words."""

    id: str
    spans: tuple[Span, ...]
    text: str


def named_segments(analysis: Analysis, summary: int = 0) -> list[NamedSegment]:
    """Return the segments of every segmentation of every sentence; ``summary`` is the text's number in ids."""
    return [
        NamedSegment(segment_id(summary, sentence, way, number), segment.spans, segment.text(analysis))
        for sentence, ways in enumerate(segmentations(analysis))
        for way, segments in enumerate(ways)
        for number, segment in enumerate(segments)
    ]


def segment_id(summary: int, sentence: int, segmentation: int, segment: int) -> str:
    """Return the paper's name for a segment from four indices: two are written from 1 on, two from 0 on.

    >>> segment_id(0, 5, 1, 0)
    '1.6.1.0'
    """
    return f"{summary + 1}.{sentence + 1}.{segmentation}.{segment}"


def parse_segment_id(text: str) -> tuple[int, int, int, int] | None:
    """Return the four indices of :func:`segment_id`, or ``None`` where the text is no segment's name.

    >>> parse_segment_id("1.6.1.0"), parse_segment_id("a remark")
    ((0, 5, 1, 0), None)
    """
    match = SEGMENT.fullmatch(text)
    if not match:
        return None
    summary, sentence, segmentation, segment = map(int, match.groups())
    return summary - 1, sentence - 1, segmentation, segment


def clause_f1(gold: Iterable[Analysis], predicted: Iterable[Analysis]) -> float:
    """Return the F1 of predicted finest segments against those of gold analyses; segments match if their spans do."""
    matched = total = 0
    for expected, actual in zip(gold, predicted, strict=True):
        segments = [
            {segment.spans for sentence in segmentations(analysis) for segment in sentence[:2][-1]}
            for analysis in (expected, actual)
        ]
        matched += len(segments[0] & segments[1])
        total += len(segments[0]) + len(segments[1])
    return 2 * matched / total if total else 1.0


def _of_sentence(analysis: Analysis, first: int, last: int) -> tuple[Segmentation, ...]:
    """Return a sentence's segmentations: the whole, the finest, and one for each clause joined with its governor."""

    def segment(words: Iterable[int]) -> Segment:
        places = tuple(sorted(first + word for word in words))
        return Segment(spans_of(analysis, places), places)

    whole = (segment(range(last - first)),)
    clauses = _clauses(_Sentence(analysis.words[first:last], first))
    # A single clause offers nothing to choose from.
    if len(clauses) < 2:
        return (whole,)
    offered = [whole, tuple(segment(clause.words) for clause in clauses)]
    place = {clause.head: index for index, clause in enumerate(clauses)}
    for index, clause in enumerate(clauses):
        # Of two clauses, the only merge is the whole sentence, which is offered already.
        if len(clauses) == 2 or len(offered) == MAX_SEGMENTATIONS:
            break
        if clause.governor is not None:
            governor = place[clause.governor]
            joined = segment(clause.words | clauses[governor].words)
            offered.append((joined, *(single for at, single in enumerate(offered[1]) if at not in (index, governor))))
    return tuple(offered)


def spans_of(analysis: Analysis, words: Sequence[int]) -> tuple[Span, ...]:
    """Return the spans of words, in order; neighbours share a span."""
    starts = [place for place, word in enumerate(words) if not place or words[place - 1] != word - 1]
    ends = [*starts[1:], len(words)]
    return tuple(analysis.span(words[start], words[end - 1] + 1) for start, end in zip(starts, ends, strict=True))


@dataclass(frozen=True, slots=True)
class _Clause:
    head: int
    governor: int | None
    """The head of the clause that it depends on."""
    words: set[int]
    end: int
    """The last word that is not copied and, if there are others, is no punctuation."""


def _clauses(tree: _Sentence) -> list[_Clause]:
    """Return the clauses of a sentence, in the order in which they end; none or one if there is nothing to cut."""
    heads, copied = _find_heads(tree)
    tree.link()
    owner: dict[int, int] = {}
    for word in tree.order:
        owner[word] = word if word in heads or word == tree.root else owner[tree.heads[word]]
    words: dict[int, set[int]] = {}
    for word, clause in owner.items():
        words.setdefault(clause, set()).add(word)
    ends = {
        clause: max((w for w in members if tree.words[w].upos != "PUNCT"), default=max(members))
        for clause, members in words.items()
    }
    governors = {clause: owner[tree.heads[clause]] for clause in words if clause != tree.root}
    for clause, members in words.items():
        shared = [word for top in copied.get(clause, []) for word in tree.phrase(top, owner)]
        members.update(shared, tree.antecedent(clause, members, owner))
    if tree.root not in heads and governors:
        _join_root(tree.root, words, ends, governors)
    clauses = [_Clause(clause, governors.get(clause), words[clause], ends[clause]) for clause in words]
    return sorted(clauses, key=lambda clause: (clause.end, clause.head))


def _join_root(root: int, words: dict[int, set[int]], ends: dict[int, int], governors: dict[int, int]) -> None:
    """Join a root that is no clause with the first clause that depends on it."""
    first = min((clause for clause, governor in governors.items() if governor == root), key=lambda clause: ends[clause])
    words[root] |= words.pop(first)
    ends[root] = max(ends[root], ends.pop(first))
    del governors[first]
    for clause, governor in governors.items():
        if governor == first:
            governors[clause] = root


def _find_heads(tree: _Sentence) -> tuple[set[int], dict[int, list[int]]]:
    """Find the heads of clauses, and for conjuncts the words whose phrases they share; move conjuncts in the tree.

    Governors come before their dependents, so that what a conjunct shares is known when its turn comes.
    """
    tree.lift_copulas()
    # What conjuncts inherit, by predicate; governors come before their dependents in ``tree.order``.
    subjects: dict[int, list[int]] = {}
    groups: dict[int, list[int]] = {}
    cuts: dict[int, int] = {}  # predicate -> head of its clause: the pronoun of a free relative, else itself
    copied: dict[int, list[int]] = {}
    places: dict[int, int] = {}
    for word in tree.order:
        relation, governor, own_subjects = tree.types[word], tree.heads[word], tree.subjects(word)
        inherited = subjects.get(governor, []) if relation in ("conj", "xcomp") else []
        subjects[word], groups[word] = own_subjects or inherited, tree.verbal_group(word)
        tensed = relation in _CLAUSAL and tree.is_tensed(word)
        if relation == "conj" and not own_subjects and not tensed and governor in cuts and tree.has_content(word):
            shared = tree.shared_auxiliaries(word, groups[governor])
            tensed = bool(shared) or (tree.is_imperative(word) and tree.is_imperative(governor))
            groups[word] = [*shared, *groups[word]]
            inherited = [*inherited, *shared, *tree.shared_negation(word, governor, shared)]
        clause = tree.cut(word) if tensed else None
        if clause is not None:
            cuts[word] = clause
        if clause is not None and relation == "conj":
            copied[clause] = [] if own_subjects else inherited
            # A conjunct that repeats the mark (*that ... and that ...*) hangs where the first conjunct does.
            above = places.get(governor, tree.heads[cuts[governor]]) if governor in cuts else ROOT
            places[word] = above if above != ROOT and tree.is_introduced(word) else governor
    for word, place in places.items():
        tree.hang(word, place)
    return set(cuts.values()), copied


class _Sentence(DependencyTree):
    """One sentence's tree, by indices within it, with one root: further ones hang from the first."""

    def __init__(self, words: Sequence[Word], first: int) -> None:
        super().__init__(words, first)
        root, *further_roots = (word for word, head in enumerate(self.heads) if head == ROOT)
        self.relations[root] = "root"
        for word in further_roots:
            self.heads[word], self.relations[word] = root, "parataxis"
        self.link()

    @property
    def root(self) -> int:
        """The word that all others hang from."""
        return self.order[0]

    def has_content(self, word: int) -> bool:
        """Return whether a word could be a segment by itself: no punctuation and no conjunction."""
        return self.words[word].upos not in ("PUNCT", "CCONJ") and self.types[word] not in ("punct", "cc")

    def phrase(self, top: int, owner: dict[int, int]) -> list[int]:
        """Return a word's phrase, less the clauses cut out of it."""
        phrase = [top]
        for word in phrase:
            phrase.extend(child for child in self.dependents[word] if owner[child] == owner[top])
        return phrase

    def antecedent(self, clause: int, words: Iterable[int], owner: dict[int, int]) -> list[int]:
        """Return the noun phrase before a relative clause without a pronoun, which the clause copies."""
        introduced = any(self.words[w].xpos[:1] == "W" or self.name(w) == "that" for w in words if w < clause)
        noun = self.heads[clause]
        if not self.relations[clause].endswith(":relcl") or introduced or noun == ROOT or noun > clause:
            return []
        inside = [word for word in self.with_type(noun, _INSIDE_NOUN_PHRASE) if owner[word] == owner[noun]]
        return [noun, *(w for top in inside if top < clause for w in self.phrase(top, owner))]

    def subjects(self, word: int) -> list[int]:
        """Return a predicate's expletive, or else its subjects."""
        subjects = self.with_type(word, _SUBJECTS)
        return [child for child in subjects if self.types[child] == "expl"] or subjects

    def lift_copulas(self) -> None:
        """Make ``is`` the head of *The problem is that it leaks*, where UD has one predicate with two subjects."""
        for predicate in self.order:
            copulas = self.with_type(predicate, {"cop"})
            outer = any(self.relations[child].endswith(":outer") for child in self.dependents[predicate])
            if not outer or not copulas or copulas[0] > predicate:
                continue
            copula = copulas[0]
            for child in self.dependents[predicate]:
                ends = child > predicate and self.words[child].form in (".", "?", "!")
                negates = child == copula + 1 and self.types[child] == "advmod"
                if child < copula or ends or negates:
                    self.heads[child] = copula
            self.heads[copula], self.relations[copula] = self.heads[predicate], self.relations[predicate]
            self.heads[predicate], self.relations[predicate] = copula, "ccomp"
        self.link()

    def hang(self, conjunct: int, place: int) -> None:
        """Hang a conjunct under another word, and its conjunctions and the separators before it with it."""
        before = min(w for w in (conjunct, *self.dependents[conjunct]) if self.has_content(w) or w == conjunct)
        for child in self.dependents[conjunct]:
            separates = child < before and self.words[child].form in _SEPARATORS
            if self.relations[child] == "cc" or separates:
                self.heads[child] = place
        self.heads[conjunct] = place

    def verbal_group(self, word: int) -> list[int]:
        """Auxiliaries, copula and verb, in order."""
        verb = [word] if self.words[word].upos in ("VERB", "AUX") or self.words[word].xpos[:2] in ("VB", "MD") else []
        return sorted(self.with_type(word, _AUXILIARIES) + verb)

    def is_tensed(self, word: int) -> bool:
        """Return whether a predicate has tense of its own, or needs none (imperative, subjunctive)."""
        if not self.has_content(word):
            return False
        group = [self.words[member].xpos for member in self.verbal_group(word)]
        subject, marks = self.subjects(word), self.with_type(word, {"mark"})
        if not any(group):
            return bool(group and subject)  # no XPOS in this analysis: a verb with a subject is as near as one gets
        if group == ["VBD"] and not subject and not marks and self.relations[word] in ("acl", "advcl"):
            return False  # a participle that the tagger took for a past tense
        if not _TENSED.isdisjoint(group):
            return True
        if self.types[word] in ("root", "parataxis") or (self.types[word] == "ccomp" and not subject and not marks):
            return self.is_imperative(word)
        return group[0] == "VB" and bool(subject and marks) and not self.has_to(word)

    def is_imperative(self, word: int) -> bool:
        """Return whether a predicate's first verb is in the base form, without ``to``."""
        group = self.verbal_group(word)
        return bool(group) and self.words[group[0]].xpos == "VB" and not self.has_to(word)

    def has_to(self, word: int) -> bool:
        """Return whether a predicate is an infinitive with ``to``."""
        return any(
            self.words[child].xpos == "TO" or self.name(child) == "to" for child in self.with_type(word, {"mark"})
        )

    def is_introduced(self, word: int) -> bool:
        """Return whether a clause has a mark or a wh-word of its own."""
        return any(self.types[c] == "mark" or self.words[c].xpos[:1] == "W" for c in self.dependents[word])

    def shared_auxiliaries(self, conjunct: int, group: Sequence[int]) -> list[int]:
        """Return the first conjunct's auxiliaries that another needs (``has been`` in *has been sold and let*).

        ``group`` is the verbal group of the first conjunct. A conjunct with an auxiliary of its own (*has been sold and
        been let*) takes those before the same one; any other, all up to the last that goes with its form.
        """
        own_group = self.verbal_group(conjunct)
        if not own_group or self.has_to(conjunct):
            return []
        form = self.words[own_group[0]].xpos
        if own_group[0] != conjunct:
            for place, word in enumerate(group):
                if place and self.name(word) == self.name(own_group[0]) and self.words[word].xpos == form:
                    return list(group[:place])
        for place in range(len(group), 0, -1):
            auxiliary = group[place - 1]
            licensed = {"VB"} if self.words[auxiliary].xpos == "MD" else _LICENSED.get(self.name(auxiliary), set())
            if self.types[auxiliary] in _AUXILIARIES and form in licensed:
                return (
                    list(group[:place]) if any(self.words[member].xpos in _TENSED for member in group[:place]) else []
                )
        return []

    def shared_negation(self, conjunct: int, governor: int, auxiliaries: Sequence[int]) -> list[int]:
        """``not`` in *did not eat or drink*; none in *was not fined but warned*."""
        if not auxiliaries or any(self.name(child) == "but" for child in self.with_type(conjunct, {"cc"})):
            return []
        return [
            child
            for child in self.with_type(governor, {"advmod"})
            if auxiliaries[0] < child < governor and self.name(child) in ("not", "n't", "n\u2019t", "never")
        ]

    def cut(self, predicate: int) -> int | None:
        """Return the head of what is cut out with a tensed predicate; none if it stays with its governor."""
        governor = self.heads[predicate]
        if governor == ROOT:
            return predicate
        relation = self.relations[predicate]
        if relation.startswith("csubj"):
            other_subjects = self.with_type(governor, {"expl", "nsubj"})
            return predicate if other_subjects and predicate > governor else None
        if relation.endswith(":relcl"):
            if self.words[governor].xpos[:1] == "W":
                return governor if self.types[governor] in _WITH_FREE_RELATIVE and self.has_content(governor) else None
            is_cleft = self.with_type(governor, {"cop"}) and self.with_type(governor, {"expl"})
            return None if is_cleft else predicate
        if relation == "advcl":
            return self.cut_adverbial(predicate, governor)
        return predicate

    def cut_adverbial(self, predicate: int, governor: int) -> int | None:
        """Return the head of an adverbial clause to cut out; a comparison stays, and ``as soon as`` goes whole."""
        marks = {self.name(child) for child in self.with_type(predicate, {"mark", "case"})}
        correlate = any(self.name(child) in ("as", "so") for child in self.with_type(governor, {"advmod"}))
        if "as" in marks and correlate:
            return governor if self.name(governor) in ("soon", "long", "far") and self.has_content(governor) else None
        return None if "than" in marks else predicate
