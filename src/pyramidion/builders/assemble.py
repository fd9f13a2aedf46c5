"""From a topic's references to its pyramid, by any search over the segment graph.

*Order and names.* References are put in order by their text, then by id, before anything is computed: renaming or
reordering them changes the ids shown and nothing else.

*Copies.* References of the same text are one voice while the pyramid is built, and all of them contribute to every SCU
that this voice expresses: the same words say the same thing. So copies neither shift t_edge nor multiply candidates,
and twenty identical references give each sentence the weight 20.

*Length.* Past :data:`MAX_SEGMENTS` sentences keep two segmentations, the whole and the finest, then the whole alone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pyramidion.builders._labels import label as label_of
from pyramidion.builders._labels import most_readable, unclear
from pyramidion.builders.cliques import Candidates, quiet_candidates, warn_if_incomplete
from pyramidion.builders.edua import Clique, Solution, attraction
from pyramidion.builders.graph import SegmentGraph
from pyramidion.builders.prepared import Prepared, prepared
from pyramidion.errors import PyramidionError
from pyramidion.language.parse.clauses import Segment, segment_id
from pyramidion.language.parse.segmented import Segmented, remembering, segmented
from pyramidion.model import SCU, Contributor, Pyramid, Summary, Topic
from pyramidion.notes import note

MAX_SEGMENTS = 6000
"""The most segments of all references of a topic; a matrix of their cosines has 288 MB."""

LOW_EDGE = 0.15
"""Below this cosine segments have hardly anything in common."""

FEW_PAIRS = 30
"""Of fewer pairs the 83rd percentile leaves five or fewer above it, so that one pair more or less moves it much."""


def assemble_pyramid(
    topic: Topic,
    solve: Callable[[SegmentGraph, Candidates], Solution],
    *,
    percentile: float,
    t_edge: float,
    embedder: str,
    analyser: str,
    limit: int,
    beyond: bool = False,
) -> Pyramid:
    """Return the pyramid that a search finds in the graph of a topic's references.

    ``beyond`` says that the search also finds cliques that are not among the candidates: then a cut list of candidates
    loses nothing and is no reason for a warning.
    """
    voices = voices_of(topic, analyser)
    most = _segmentations_to_keep(topic, voices)
    units: list[_Unit] = []
    layout: list[list[list[list[int]]]] = []
    for voice in voices:
        layout.append([])
        for sentence, alternatives in enumerate(voice.segmented.sentences):
            # A clause that stands in several segmentations of its sentence is one segment of the graph.
            numbers: dict[Segment, int] = {}
            for segment in (segment for segments in alternatives[:most] for segment in segments):
                if segment not in numbers:
                    numbers[segment] = len(units)
                    units.append(_Unit(voice, sentence, segment))
            layout[-1].append([[numbers[segment] for segment in segments] for segments in alternatives[:most]])

    def make() -> Prepared:
        vectors = remembering(embedder)([unit.text for unit in units])
        graph = SegmentGraph.of(layout, vectors, percentile, t_edge)
        return Prepared(graph, quiet_candidates(graph, limit))

    texts = tuple(voice.segmented.analysis.text for voice in voices)
    graph, cliques = prepared((texts, most, percentile, t_edge, embedder, analyser, limit), make)
    if not beyond:
        warn_if_incomplete(graph, cliques, limit)
    if doubt := _doubt(graph):
        note(f"Topic {topic.id!r}: {doubt}")
    solution = solve(graph, cliques)
    scus = [*solution.scus, *((single,) for single in solution.singles)]
    scus.sort(key=lambda scu: (-sum(len(units[member].voice.copies) for member in scu), -attraction(graph, scu), scu))
    labelled = []
    for number, scu in enumerate(scus, 1):
        contributors = [
            contributor
            for member in scu
            for contributor in units[member].contributors(solution.chosen[int(graph.sentence[member])])
        ]
        label, why = _label(graph, [units[member] for member in scu], scu)
        labelled.append(SCU(str(number), label, tuple(contributors), unclear=why))
    references = (reference for voice in voices for _, reference in voice.copies)
    built = {"t_edge": graph.t_edge, "pairs": graph.pairs}
    return Pyramid(topic.id, tuple(references), tuple(labelled), built=built)


def _doubt(graph: SegmentGraph) -> str:
    """Return why a t_edge that is a percentile is a poor guide here, if it is."""
    found = f"t_edge, the cosine above which segments may be one SCU, is {graph.t_edge:.2f}, a percentile of"
    do = "give t_edge in the method's brackets, such as t_edge=0.4"
    if 0 < graph.pairs < FEW_PAIRS:
        return f"{found} so few pairs of segments ({graph.pairs}) that it does not tell what is alike; {do}"
    if graph.pairs and graph.t_edge < LOW_EDGE:
        return f"{found} {graph.pairs:,} pairs: segments that have hardly anything in common may be one SCU; {do}"
    return ""


@dataclass(frozen=True, slots=True)
class Voice:
    """A text and the references that consist of it, numbered among all references."""

    segmented: Segmented
    copies: tuple[tuple[int, Summary], ...]


@dataclass(frozen=True, slots=True)
class _Unit:
    """A segment of a sentence, which may stand in several of its segmentations."""

    voice: Voice
    sentence: int
    segment: Segment

    @property
    def text(self) -> str:
        return self.voice.segmented.text(self.segment)

    def contributors(self, segmentation: int) -> list[Contributor]:
        """Return a contributor for every copy of its text, named by its place in a segmentation."""
        place = self.voice.segmented.sentences[self.sentence][segmentation].index(self.segment)
        return [
            Contributor(
                reference.id,
                self.segment.spans,
                segment=segment_id(number, self.sentence, segmentation, place),
            )
            for number, reference in self.voice.copies
        ]


def voices_of(topic: Topic, analyser: str) -> list[Voice]:
    """Return the distinct texts among a topic's references, in alphabetical order, without those that say nothing."""
    references = references_of(topic, lambda text: bool(segmented(text, analyser).sentences))
    copies: dict[str, list[tuple[int, Summary]]] = {}
    for number, reference in enumerate(references):
        copies.setdefault(reference.text, []).append((number, reference))
    return [Voice(segmented(text, analyser), tuple(numbered)) for text, numbered in copies.items()]


def references_of(topic: Topic, says_anything: Callable[[str], bool]) -> list[Summary]:
    """Return the references that say something, in the order of their texts; a note names those left out."""
    references = sorted(
        (reference for reference in topic.references if says_anything(reference.text)),
        key=lambda reference: (reference.text, reference.id),
    )
    if not references:
        raise PyramidionError(
            f"Topic {topic.id!r} has no reference with any words",
            do="add references: texts with at least one word each",
        )
    if blank := sorted(reference.id for reference in topic.references if reference not in references):
        note(f"Topic {topic.id!r}: {', '.join(map(repr, blank))} say(s) nothing and is left out of the pyramid")
    return references


def _segmentations_to_keep(topic: Topic, voices: list[Voice]) -> int | None:
    """Return the number of segmentations of each sentence to keep; texts of ordinary length keep all."""
    sentences = [alternatives for voice in voices for alternatives in voice.segmented.sentences]
    for most, kept in ((None, ""), (2, "its whole and its finest segmentation"), (1, "one segment, the whole")):
        total = sum(len(segments) for alternatives in sentences for segments in alternatives[:most])
        if total <= MAX_SEGMENTS:
            if kept:
                note(f"Topic {topic.id!r} has references of {len(sentences):,} sentences: each keeps only {kept}")
            return most
    raise PyramidionError(
        f"The references of topic {topic.id!r} have {len(sentences):,} sentences, which are too many to compare",
        do=f"give fewer or shorter references, with at most {MAX_SEGMENTS:,} sentences in total",
    )


def _label(graph: SegmentGraph, units: list[_Unit], scu: Clique) -> tuple[str, str]:
    """Return the label of an SCU, and the reason why it is unclear by itself; empty if it is clear."""
    segments = [(unit.voice.segmented.analysis, unit.segment) for unit in units]
    best = segments[most_readable(segments, graph.cosine[np.ix_(scu, scu)])]
    return label_of(*best), unclear(*best)
