r"""APE: which SCUs a peer has, by the meaning graphs of their mentions and its sentences (Steinberger et al. 2017 §4).

*Algorithm 1.* A_d are the gold triples of a mention d of an SCU, A_p the triples of a peer's sentence p. The SCU is
covered if for any of its mentions and any sentence

.. math:: mmt(A_d, A_p) / |A_d| > \tau.

The paper's tau is .75, the best of all levels in steps of .05 for the AMR graphs of JAMR (section 5). Other graphs want
another: each source has its own (:func:`~pyramidion.language.graphs.sources.tau_of`), which holds unless a tau is
given. ``ape(tau=0.75)`` is the paper's on any graphs.

The paper's score, the weight covered over that of an ideal summary of average length, is the modified pyramid score:
:func:`pyramidion.scoring.coverage`.

*Gold triples.* Of the graphs of the reference's sentences, the triples whose constituents lie inside the contributor's
spans. Pieces of a contributor with nothing but white space and punctuation between them are one. If a sentence is
inside but for its punctuation, all its triples are gold, also those of which nobody knows the place. A mention without
spans is in the words of its label, which is parsed instead; where no mention of an SCU has words, the SCU's label is.
A mention without gold triples covers nothing; one whose only triple is an instance is covered by that concept.

*More than one sentence.* In the paper a mention is part of a sentence. One that crosses their ends has gold triples in
several graphs, and a peer may say in two sentences what the reference said in two: for each part its best sentence is
taken, and the fraction is that of all gold triples together.

*More than tau.* "A larger percentage ... than a threshold" and Algorithm 1 agree on >; the remark that "3/4 of the
triples has to match" (§5) reads as if .75 itself were enough. The definition counts: of four triples three do not
suffice, of eight seven do.

*Ours.* Algorithm 1 stops at the first sentence that suffices; here the one with most of the gold triples is shown, so
that the order of contributors changes nothing. A match has the words of the triples that matched in the peer, the
fraction as its score, and the triples as its reason, of which ``want`` is an instance. The exact mmt is asked for only
where a bound leaves the threshold open (:mod:`pyramidion.matchers.triples`). Units of the peer that have no word of a
match are unmatched (:func:`pyramidion.matchers.judged.unmatched`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from pyramidion.errors import PyramidionError
from pyramidion.language.graphs.meaning import INSTANCE, MeaningGraph, Triple
from pyramidion.language.graphs.sources import GraphParser, tau_of
from pyramidion.language.graphs.sources import graphs as parsed
from pyramidion.matchers.judged import unmatched
from pyramidion.matchers.triples import Alignment, Triples, mmt, most
from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Span, Summary

OF_GRAPHS = -1.0
"""The tau that stands for that of the graphs' source."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The gold triples of a mention in one sentence, and the concepts of their variables."""

    graph: MeaningGraph
    triples: Triples

    def says(self, triple: Triple) -> str:
        """Return a triple in concepts, not in variables: ``ARG0(want-01, boy)``; an instance is its concept."""
        concepts = self.graph.concepts
        if triple.relation == INSTANCE:
            return triple.target
        target = concepts.get(triple.target, triple.target)
        return f"{triple.relation}({concepts[triple.source]}, {target})"


Mention = tuple[Part, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Coverage:
    """How a peer covers an SCU: the best mention's parts, each with its best sentence and what matches there."""

    scu: str
    contributor: str
    """The reference that the mention is from."""
    parts: tuple[tuple[Part, MeaningGraph, Alignment], ...]

    @property
    def count(self) -> int:
        """The number of gold triples that match."""
        return sum(alignment.count for _, _, alignment in self.parts)

    @property
    def gold(self) -> int:
        """|A_d|, the number of gold triples."""
        return sum(alignment.gold for _, _, alignment in self.parts)

    @property
    def fraction(self) -> float:
        """The share of gold triples that match."""
        return self.count / self.gold

    @property
    def spans(self) -> tuple[Span, ...]:
        """The words of the peer in the triples that match; a whole sentence if nobody knows where they are."""
        spans: list[Span] = []
        for _, sentence, alignment in self.parts:
            if alignment.matched:
                words = [span for _, triple in alignment.matched for span in triple.spans]
                spans += words or [sentence.sentence]
        return tuple(spans)

    def __str__(self) -> str:
        matched = [part.says(gold) for part, _, alignment in self.parts for gold, _ in alignment.matched]
        return f"{self.count} of {self.gold} triples: {', '.join(matched)}"


def ape(
    pyramid: Pyramid,
    summary: Summary,
    *,
    tau: float = OF_GRAPHS,
    graphs: str | GraphParser = "depgraph",
    analyser: str = "en-minilm",
    without: str = "",
) -> Annotation:
    """Return the SCUs that a summary covers (Algorithm 1), each once.

    ``tau`` is the share of gold triples that more than must match; -1 stands for that of the graphs. ``graphs`` names
    who makes meaning graphs (:func:`pyramidion.language.graphs.sources.graphs`), or is a callable that does.
    ``without`` are relations left out on both sides, with spaces, commas or semicolons between: ``mod name``.
    """
    covered = coverages(pyramid, summary, tau=tau, graphs=graphs, analyser=analyser, without=without)
    matches = [
        Match(coverage.scu, _join_spans(summary.text, coverage.spans), coverage.fraction, reason=str(coverage))
        for coverage in covered
    ]
    return Annotation(
        summary, tuple(sorted(matches, key=lambda match: match.spans)), unmatched(summary, matches, analyser)
    )


def coverages(
    pyramid: Pyramid,
    summary: Summary,
    *,
    tau: float = OF_GRAPHS,
    graphs: str | GraphParser = "depgraph",
    analyser: str = "en-minilm",
    without: str = "",
) -> tuple[Coverage, ...]:
    """Return the SCUs that a summary covers, in the pyramid's order, with the mention and the triples that show it."""
    tau = tau_of(graphs) if tau == OF_GRAPHS else tau
    if not 0 <= tau < 1:
        raise PyramidionError(
            f"tau, the share of matching triples to exceed, is {tau}",
            do="give a number of at least 0 and below 1, or -1 for that of the graphs",
        )
    sentences = _sentences(summary.text, graphs, analyser, without)
    if not sentences:
        return ()
    mentions = _mentions(pyramid, graphs, analyser, without)
    coverages = (_best(scu.id, of_scu, sentences, tau) for scu, of_scu in zip(pyramid.scus, mentions, strict=True))
    return tuple(coverage for coverage in coverages if coverage is not None)


def _best(
    scu: str,
    mentions: Iterable[tuple[str, Mention]],
    sentences: tuple[tuple[MeaningGraph, Triples], ...],
    tau: float,
) -> Coverage | None:
    """Return the covered mention with the greatest share of its triples, then with most triples; None without one."""
    best: Coverage | None = None
    for reference, mention in mentions:
        covered = _best_parts(mention, sentences, tau)
        if covered is None:
            continue
        coverage = Coverage(scu, reference, covered)
        if best is None or (coverage.fraction, coverage.count) > (best.fraction, best.count):
            best = coverage
    return best


def _best_parts(
    mention: Mention, sentences: tuple[tuple[MeaningGraph, Triples], ...], tau: float
) -> tuple[tuple[Part, MeaningGraph, Alignment], ...] | None:
    """Return each part of a mention with its best sentence, of equals the most promising; None if that is too little.

    ``needed`` triples must still match, and at most ``hoped`` can in the parts after this one: a sentence whose bound
    is below the difference cannot help.
    """
    total = sum(len(part.triples) for part in mention)
    needed = next((count for count in range(int(tau * total), total + 1) if count / total > tau), total + 1)
    bounds = [[most(part.triples, theirs) for _, theirs in sentences] for part in mention]
    hoped = sum(map(max, bounds))
    parts = []
    for part, most_in in zip(mention, bounds, strict=True):
        hoped -= max(most_in)
        chosen: tuple[Part, MeaningGraph, Alignment] | None = None
        for bound, (sentence, theirs) in sorted(zip(most_in, sentences, strict=True), key=lambda pair: -pair[0]):
            least = max(needed - hoped, chosen[2].count + 1 if chosen else 0)
            if bound < least:
                break
            alignment = mmt(part.triples, theirs, least=least if len(mention) == 1 else 0)  # one part decides alone
            if alignment.count >= least:
                chosen = part, sentence, alignment
        if chosen is None:
            return None
        parts.append(chosen)
        needed -= chosen[2].count
    return tuple(parts)


@lru_cache(maxsize=4096)
def _sentences(
    text: str, graphs: str | GraphParser, analyser: str, without: str
) -> tuple[tuple[MeaningGraph, Triples], ...]:
    """Return the graphs and the triples of the sentences of a text that say something."""
    if not any(map(str.isalnum, text)):
        return ()
    return tuple(
        (graph, Triples.of(graph, without=without))
        for graph in parsed(text, graphs, analyser)
        if any(map(str.isalnum, graph.sentence.of(text)))
    )


@lru_cache(maxsize=16)
def _mentions(
    pyramid: Pyramid, graphs: str | GraphParser, analyser: str, without: str
) -> tuple[tuple[tuple[str, Mention], ...], ...]:
    """Return the mentions of each SCU that have gold triples, with their references, in the order of their words."""

    def of_words(words: str) -> Mention:
        return tuple(
            Part(graph, triples) for graph, triples in _sentences(words, graphs, analyser, without) if len(triples)
        )

    def of(contributor: Contributor) -> Mention:
        if not contributor.spans:
            return of_words(contributor.label)
        text = pyramid.reference(contributor.summary).text
        spans = _join_spans(text, contributor.spans)
        parts = []
        for graph, _ in _sentences(text, graphs, analyser, without):
            first, last = graph.sentence.start, graph.sentence.end
            if touching := [span for span in spans if span.start < last and first < span.end]:
                inside = graph.triples if _is_within(text, graph.sentence, touching) else graph.inside(touching)
                parts.append(Part(graph, Triples.of(graph, inside, without=without)))
        return tuple(part for part in parts if len(part.triples))

    def of_scu(scu: SCU) -> Iterator[tuple[str, Mention]]:
        silent = not any(contributor.spans or contributor.label.strip() for contributor in scu.contributors)
        # Equally good mentions are decided by their words: the order of contributors changes nothing.
        by_words = sorted(scu.contributors, key=lambda mention: (pyramid.words(mention), mention.summary))
        for contributor in by_words[:1] if silent else by_words:
            mention = of_words(scu.label) if silent else of(contributor)
            if mention:
                yield contributor.summary, mention

    return tuple(tuple(of_scu(scu)) for scu in pyramid.scus)


def _is_within(text: str, sentence: Span, spans: Iterable[Span]) -> bool:
    """Return whether one of the spans has every letter and figure of a sentence."""
    start, end = sentence.start, sentence.end
    while start < end and not text[start].isalnum():
        start += 1
    while start < end and not text[end - 1].isalnum():
        end -= 1
    return start < end and any(span.start <= start and end <= span.end for span in spans)


def _join_spans(text: str, spans: Iterable[Span]) -> tuple[Span, ...]:
    """Return the spans, those joined that overlap or have neither letter nor figure between them."""
    joined: list[Span] = []
    for span in sorted(spans):
        if joined and not any(map(str.isalnum, text[joined[-1].end : span.start])):
            joined[-1] = Span(joined[-1].start, max(joined[-1].end, span.end))
        else:
            joined.append(span)
    return tuple(joined)
