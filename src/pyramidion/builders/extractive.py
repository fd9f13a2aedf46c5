r"""Pyramids of the sources' EDUs (Hirao et al. 2018 §3.3): each weighs the extractive references that have it.

Each reference becomes an extractive one, a set of EDUs of the sources no longer than itself: by alignment
(:mod:`~pyramidion.builders.alignment`) or as an oracle (:mod:`~pyramidion.builders.oracle`). The SCUs are the union of
these sets, and w_j = C(p_j), the number of extractive references that contain p_j (eq. 19). All other EDUs of the
sources weigh 0: they are no SCUs, and a peer that says them says something unmatched.

*One EDU, two places.* EDUs of the same words are one SCU: news agencies copy each other, and which of two copies a
program chose must not halve a weight.

*What an SCU shows.* Its label is the EDU, its sentence the source sentence around it. A contributor names a reference
whose extract has the EDU; its place says where in which source; its label repeats the EDU. An alignment knows more: the
words of the reference that the EDU stands for are the contributor's spans.

*Order and names.* Sources are put in order by their text, references too, and copies of a text are analysed and solved
once: renaming or reordering changes the ids shown and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf

from pyramidion.builders.alignment import align
from pyramidion.builders.assemble import references_of
from pyramidion.builders.oracle import oracle, sharing
from pyramidion.builders.program import TIME_LIMIT, Choice
from pyramidion.errors import PyramidionError
from pyramidion.language.parse.analysers import analysed
from pyramidion.language.parse.analysis import Analysis
from pyramidion.language.parse.basic_elements import basic_elements
from pyramidion.language.parse.discourse import Unit, units_of
from pyramidion.model import SCU, Contributor, Place, Pyramid, Source, Span, Summary, Topic
from pyramidion.notes import note

__all__ = [
    "MAX_N",
    "Extract",
    "Extracted",
    "Place",
    "Text",
    "by_alignment",
    "by_basic_elements",
    "by_rouge",
    "edu_align",
    "edu_oracle_be",
    "edu_oracle_rouge",
    "extracts",
]

MAX_N = 4
"""The longest n-grams that ROUGE-N is computed with."""


def edu_align(topic: Topic, *, analyser: str = "en-minilm", time_limit: float = TIME_LIMIT) -> Pyramid:
    """Return the pyramid of extractive references by alignment (eqs. 1-6); ``time_limit``: seconds a reference."""
    return _pyramid(topic, extracts(topic, by_alignment(time_limit), analyser))


def edu_oracle_rouge(
    topic: Topic,
    *,
    n: int = 2,
    sentence_cost: float = 1.0,
    analyser: str = "en-minilm",
    time_limit: float = TIME_LIMIT,
) -> Pyramid:
    """Return the pyramid of oracles for ROUGE-N (eqs. 9-18)."""
    return _pyramid(topic, extracts(topic, by_rouge(n, sentence_cost, time_limit), analyser))


def edu_oracle_be(
    topic: Topic,
    *,
    relations: bool = True,
    sentence_cost: float = 1.0,
    analyser: str = "en-minilm",
    time_limit: float = TIME_LIMIT,
) -> Pyramid:
    """Return the pyramid of oracles for basic elements (eqs. 9-18); without ``relations`` head and modifier suffice."""
    extract = by_basic_elements(relations, sentence_cost, time_limit)
    return _pyramid(topic, extracts(_with_parsed_sources(topic, analyser), extract, analyser))


def _with_parsed_sources(topic: Topic, analyser: str) -> Topic:
    """Return the topic without sources that cannot be parsed; unchanged if none can: then the analysis says why."""
    texts = {source.id: text for source in topic.sources if (text := _text(source.text, analyser)).units}
    unparsed = sorted(id for id, text in texts.items() if not text.parsed)
    if not unparsed or len(unparsed) == len(texts):
        return topic
    note(f"Topic {topic.id!r}: source(s) {', '.join(map(repr, unparsed))} cannot be parsed and have no basic elements")
    return replace(topic, sources=tuple(source for source in topic.sources if source.id not in unparsed))


@dataclass(frozen=True, slots=True)
class Text:
    """An analysed text and its EDUs."""

    analysis: Analysis
    units: tuple[Unit, ...]

    @property
    def parsed(self) -> bool:
        """Every sentence has a tree."""
        return self.analysis.parsed

    @property
    def length(self) -> int:
        """The number of its words."""
        return sum(unit.length for unit in self.units)

    def says(self, unit: Unit) -> str:
        """Return an EDU in one line."""
        return " ".join(unit.span.of(self.analysis.text).split())

    def sentence(self, unit: Unit) -> str:
        """Return the sentence around an EDU, in one line."""
        inside = [edu.span for edu in self.units if edu.sentence == unit.sentence]
        return " ".join(self.analysis.text[inside[0].start : inside[-1].end].split())

    def ngrams(self, n: int) -> Iterator[tuple[Atom, tuple[int, ...]]]:
        """Yield every n-gram of words within a sentence, and the EDUs that it lies in."""
        line: list[tuple[str, int]] = []
        for number, unit in enumerate(self.units):
            if not unit.place:  # the first EDU of a sentence: no n-gram crosses its beginning
                line = []
            for word in unit.words:
                line = [*line[-n + 1 :], (word, number)] if n > 1 else [(word, number)]
                if len(line) == n:
                    yield tuple(gram for gram, _ in line), tuple(sorted({edu for _, edu in line}))

    def elements(self, relations: bool) -> Iterator[tuple[Atom, tuple[int, ...]]]:
        """Yield every basic element, and the one or two EDUs that hold its words."""
        holder = {place: number for number, unit in enumerate(self.units) for place in unit.places}
        for element in basic_elements(self.analysis):
            if all(place in holder for place in element.words):
                unit = (
                    (element.head, element.modifier, element.relation)
                    if relations
                    else (element.head, element.modifier)
                )
                yield unit, tuple(sorted({holder[place] for place in element.words}))


Atom = tuple[str, ...]
"""An atomic unit (section 3.2): an n-gram, or head, modifier and relation."""

Extract = Callable[[Sequence[Text], Sequence[Text]], Iterator[Choice]]
"""From the sources and the references, each text once, to the choice of each reference."""


def by_alignment(time_limit: float = TIME_LIMIT) -> Extract:
    """Return the search for extracts by alignment (section 3.1)."""

    def extract(sources: Sequence[Text], references: Sequence[Text]) -> Iterator[Choice]:
        edus = [unit.words for source in sources for unit in source.units]
        for reference in references:
            yield align(edus, [unit.words for unit in reference.units], reference.length, time_limit=time_limit)

    return extract


def by_rouge(n: int = 2, sentence_cost: float = 1.0, time_limit: float = TIME_LIMIT) -> Extract:
    """Return the search for oracles for ROUGE-N (section 3.2)."""
    if not 1 <= n <= MAX_N:
        raise PyramidionError(f"The setting n is {n}", do=f"give n from 1 to {MAX_N}")
    return _by_oracle(lambda text: text.ngrams(n), sentence_cost, time_limit)


def by_basic_elements(relations: bool = True, sentence_cost: float = 1.0, time_limit: float = TIME_LIMIT) -> Extract:
    """Return the search for oracles for basic elements (section 3.2)."""
    return _by_oracle(lambda text: text.elements(relations), sentence_cost, time_limit)


def _by_oracle(
    units: Callable[[Text], Iterator[tuple[Atom, tuple[int, ...]]]], sentence_cost: float, time_limit: float
) -> Extract:
    """Return the search for oracles, given what the atomic units of a text are and the EDUs that hold them."""
    if not 0 <= sentence_cost < inf:
        raise PyramidionError(f"The cost of a sentence is {sentence_cost:g}", do="give a number of units, 0 or more")

    def extract(sources: Sequence[Text], references: Sequence[Text]) -> Iterator[Choice]:
        """Yield the oracle of each reference; EDUs and sentences are numbered over all sources."""
        wanted = [[unit for unit, _ in units(reference)] for reference in references]
        # Only units of some reference matter, so that occurrences of all others are not even stored.
        known = {unit for reference in wanted for unit in reference}
        lengths: list[int] = []
        sentences: list[int] = []
        occurrences: list[tuple[Atom, list[int]]] = []
        for source in sources:
            first, sentence = len(lengths), sentences[-1] + 1 if sentences else 0
            lengths += (unit.length for unit in source.units)
            sentences += (sentence + unit.sentence for unit in source.units)
            occurrences += ((unit, [first + edu for edu in edus]) for unit, edus in units(source) if unit in known)
        for demand, reference in zip(wanted, references, strict=True):
            shared = sharing(lengths, sentences, demand, occurrences)
            yield oracle(shared, reference.length, cost=sentence_cost, time_limit=time_limit)

    return extract


@dataclass(frozen=True, slots=True)
class Extracted:
    """A reference and its extractive one: EDUs of the sources, each with the source and its text, in order.

    ``aligned`` has, after an alignment, where in the reference each EDU has its counterpart.
    """

    reference: Summary
    choice: Choice
    edus: tuple[tuple[Source, Text, Unit], ...]
    aligned: tuple[Span, ...] = ()


def extracts(topic: Topic, extract: Extract, analyser: str = "en-minilm") -> tuple[Extracted, ...]:
    """Return the extractive reference of each reference that says something, in the order of their texts."""
    sources = _sources(topic, analyser)
    texts = [text for _, text in sources]
    edus = [(source, text, unit) for source, text in sources for unit in text.units]
    references = references_of(topic, lambda text: bool(_text(text, analyser).units))
    voices = list({reference.text: _text(reference.text, analyser) for reference in references}.items())
    choices = dict(zip((text for text, _ in voices), extract(texts, [voice for _, voice in voices]), strict=True))
    extracted = []
    for reference in references:
        choice = choices[reference.text]
        _warn(topic, reference, choice)
        aligned = tuple(dict(voices)[reference.text].units[k].span for k in choice.aligned)
        extracted.append(Extracted(reference, choice, tuple(edus[j] for j in choice.edus), aligned))
    return tuple(extracted)


def _warn(topic: Topic, reference: Summary, choice: Choice) -> None:
    about = f"topic {topic.id!r}, reference {reference.id!r}: "
    if not choice.proved:
        note(
            f"{about}the time was up with an extract that is at most {choice.gap:.1%} below the best; "
            "a higher time_limit may prove more"
        )
    elif not choice.edus:
        note(f"{about}no EDU of the sources is like it enough and short enough; its extract is empty")


@lru_cache(maxsize=64)
def _text(text: str, analyser: str) -> Text:
    analysis = analysed(text, analyser)
    return Text(analysis, units_of(analysis))


def _sources(topic: Topic, analyser: str) -> list[tuple[Source, Text]]:
    """Return the sources that say something, each text once, in the order of the texts; raise an error without one."""
    # Of copies of a text the first by id stands for all, in whatever order the topic has them.
    first: dict[str, Source] = {}
    for source in sorted(topic.sources, key=lambda source: (source.text, source.id)):
        first.setdefault(source.text, source)
    sources = [(source, text) for source in first.values() if (text := _text(source.text, analyser)).units]
    if not sources:
        raise PyramidionError(
            f"Topic {topic.id!r} has no source document{' that says anything' if topic.sources else ''}, "
            "from whose clauses extractive references are made",
            do="add the documents that were summarized as TOPIC/sources/*.txt, or choose a method that needs none",
        )
    return sources


def _pyramid(topic: Topic, extracted: Sequence[Extracted]) -> Pyramid:
    """Return the pyramid of extractive references (§3.3)."""
    contributors: dict[tuple[str, ...], dict[str, Contributor]] = {}
    shown: dict[tuple[str, ...], tuple[tuple[str, int], Text, Unit]] = {}
    for extract in extracted:
        spans: list[tuple[Span, ...]] = [(span,) for span in extract.aligned] or [()] * len(extract.edus)
        for (source, text, unit), where in zip(extract.edus, spans, strict=True):
            of_edu = contributors.setdefault(unit.words, {})
            place, id = Place(source.id, unit.span), extract.reference.id
            of_edu.setdefault(id, Contributor(id, where, text.says(unit), place=place))
            # Of EDUs of the same words the one shown is first by its source's text, which no name or order changes.
            first = ((source.text, unit.span.start), text, unit)
            shown[unit.words] = min(shown.get(unit.words, first), first, key=lambda candidate: candidate[0])
    order = sorted(contributors, key=lambda words: (-len(contributors[words]), shown[words][0]))
    scus = []
    for number, words in enumerate(order, 1):
        _, text, unit = shown[words]
        of_edu = contributors[words]
        scus.append(SCU(str(number), text.says(unit), tuple(of_edu.values()), sentence=text.sentence(unit)))
    return Pyramid(topic.id, tuple(extract.reference for extract in extracted), tuple(scus))
