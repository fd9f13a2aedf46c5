"""Builders beside given pyramids: what both put together, and what peers score by both.

A method builds a pyramid of each topic's references, without seeing the given one, and matches the peers with it. What
its SCUs put together is compared with the given SCUs (:mod:`~pyramidion.analyses.accuracy.builders.grouping`). Its
labels are read by a rule (:mod:`~pyramidion.analyses.accuracy.builders.labels`). The coverage of every annotated peer
is compared with the coverage by the given pyramid and annotation.

Intervals are percentiles of draws in two stages: topics with replacement and, in each topic drawn, its SCUs (or its
peers) with replacement. With one topic only the second stage is left. The intervals say how much the figures would move
with other topics of the same kind, not with other kinds of text; from few topics there are none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyramidion.analyses.accuracy.builders.grouping import Grouping, f1, grouping, share
from pyramidion.analyses.accuracy.builders.labels import self_contained
from pyramidion.analyses.accuracy.builders.result import ALL, BuilderFigures, BuildersStudy, Figure, PyramidFigures
from pyramidion.analyses.accuracy.matching import match_topics
from pyramidion.errors import PyramidionError
from pyramidion.formats.read import how_read
from pyramidion.methods import Method, versions_of
from pyramidion.model import Pyramid, Topic
from pyramidion.scoring import scores
from pyramidion.signature import Signature
from pyramidion.stats.bootstrap import FEWEST, Interval, percentiles
from pyramidion.stats.correlation import pearson
from pyramidion.stats.ratios import ratios

SAMPLES = 10_000

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Compared:
    """One topic, scored by a method and by the given annotation."""

    topic: str
    pyramid: Pyramid
    contributors: Grouping
    words: Grouping
    labels: tuple[bool, ...]
    coverage: tuple[tuple[float, float], ...]
    """The coverage of each annotated peer: by the method and by the given annotation."""


def bench_builders(
    topics: Iterable[Topic],
    methods: Sequence[Method],
    *,
    samples: int = SAMPLES,
    seed: int = 0,
    progress: Callable[[str], None] = lambda summary: None,
) -> BuildersStudy:
    """Compare methods that build pyramids with the given pyramids and annotations of the same topics.

    ``progress`` is told of each summary twice, when it is analysed and when it is matched.
    """
    topics = list(topics)
    with_pyramid = [topic for topic in topics if topic.pyramid]
    if not with_pyramid:
        raise PyramidionError("No topic has a pyramid.", do="add given pyramids, or take the bundled examples")
    figures = []
    for method in methods:
        answers = match_topics(with_pyramid, method, progress=progress).topics
        compared = [
            _compare_topic(topic, topic.pyramid, answer, answer.pyramid)
            for topic, answer in zip(with_pyramid, answers, strict=True)
            if topic.pyramid and answer.pyramid
        ]
        figures += [_figures(str(method), comparison.topic, [comparison], samples, seed) for comparison in compared]
        if len(compared) > 1:
            figures.append(_figures(str(method), ALL, compared, samples, seed))
    given = [(topic.pyramid, _readable(topic.pyramid)) for topic in with_pyramid if topic.pyramid]
    fields = (
        ("methods", ",".join(map(str, methods))),
        *versions_of(methods),
        ("topics", ",".join(topic.id for topic in with_pyramid)),
        ("interval", "percentile-95"),
        ("samples", str(samples)),
        ("seed", str(seed)),
        *how_read(topics),
    )
    given_figures = PyramidFigures("given", ALL, *_pyramids(given, samples, seed))
    return BuildersStudy(Signature("bench-builders", fields), tuple(figures), given_figures)


def _compare_topic(topic: Topic, given: Pyramid, answer: Topic, built: Pyramid) -> _Compared:
    ours = {annotation.summary.id: scores(built, annotation).coverage for annotation in answer.annotations}
    pairs = ((ours.get(annotation.summary.id), scores(given, annotation).coverage) for annotation in topic.annotations)
    return _Compared(
        topic.id,
        built,
        grouping(given, built),
        grouping(given, built, "words"),
        _readable(built),
        tuple((mine, theirs) for mine, theirs in pairs if mine is not None and theirs is not None),
    )


def _readable(pyramid: Pyramid) -> tuple[bool, ...]:
    return tuple(self_contained(scu.label) for scu in pyramid.scus)


def _figures(method: str, topic: str, compared: Sequence[_Compared], samples: int, seed: int) -> BuilderFigures:
    """Compute a method's figures on one topic, or on several together."""
    generator = np.random.default_rng([seed, len(compared)])
    drawn = generator.integers(0, len(compared), size=(samples, len(compared)))
    coverage = [pair for comparison in compared for pair in comparison.coverage]
    return BuilderFigures(
        method,
        topic,
        *_pyramids([(comparison.pyramid, comparison.labels) for comparison in compared], samples, seed),
        *_agreement([comparison.contributors for comparison in compared], drawn, generator),
        *_agreement([comparison.words for comparison in compared], drawn, generator),
        _mean(
            [[abs(mine - theirs) for mine, theirs in comparison.coverage] for comparison in compared], drawn, generator
        ),
        # two points always lie on a line
        pearson(*zip(*coverage, strict=True)) if len(coverage) > 2 else None,
        len(coverage),
    )


def _pyramids(
    made: Sequence[tuple[Pyramid, tuple[bool, ...]]], samples: int, seed: int
) -> tuple[int, dict[int, int], Figure]:
    """Return the number of SCUs, the number of each weight, and the share of readable labels."""
    generator = np.random.default_rng([seed, len(made)])
    drawn = generator.integers(0, len(made), size=(samples, len(made)))
    weights = Counter(scu.weight for pyramid, _ in made for scu in pyramid.scus)
    labels = _mean([labels for _, labels in made], drawn, generator)
    return weights.total(), dict(sorted(weights.items(), reverse=True)), labels


def _agreement(
    groupings: Sequence[Grouping], drawn: NDArray[np.int64], generator: np.random.Generator
) -> tuple[Figure, Figure, Figure]:
    """Return purity, completeness and F1 over all topics, with intervals."""
    built, given = [topic.built for topic in groupings], [topic.given for topic in groupings]
    purity, completeness = (share(counts for topic in side for counts in topic) for side in (built, given))
    p, r = (_ratios([np.array(topic, float) for topic in side], drawn, generator) for side in (built, given))
    total = p + r
    # 0 where both are 0, undefined where one of them is
    harmonic = np.divide(2 * p * r, total, out=np.where(np.isnan(total), np.nan, 0.0), where=total > 0)
    f1_of_all = f1(purity, completeness)
    return (
        Figure(purity, _interval(purity, p, built)),
        Figure(completeness, _interval(completeness, r, given)),
        Figure(f1_of_all, _interval(f1_of_all, harmonic, given)),
    )


def _mean(values: Sequence[Sequence[float]], drawn: NDArray[np.int64], generator: np.random.Generator) -> Figure:
    """Return the mean of all values (those of a topic together), with an interval."""
    pooled = [value for topic in values for value in topic]
    if not pooled:
        return Figure(None)
    value = float(np.mean(pooled))
    rows = [np.array([(number, 1.0) for number in topic]) for topic in values]
    return Figure(value, _interval(value, _ratios(rows, drawn, generator), rows))


def _interval(value: float | None, drawn: Array, rows: Sequence[Sequence[Any] | Array]) -> Interval | None:
    """Return the interval over topics or, of a single topic, over what is drawn in it; None if these are too few."""
    units = len(rows) if len(rows) > 1 else len(rows[0])
    return percentiles(value, drawn) if units >= FEWEST else None


def _ratios(rows: Sequence[Array], drawn: NDArray[np.int64], generator: np.random.Generator) -> Array:
    """Return, for each draw, the sum of numerators over that of denominators; rows are drawn within topics."""
    sums = np.zeros((len(drawn), 2))
    for slot in drawn.T:
        for topic, table in enumerate(rows):
            (chosen,) = (slot == topic).nonzero()
            if len(table) and len(chosen):
                # how often each row is drawn says all that a sum needs
                times = generator.multinomial(len(table), np.full(len(table), 1 / len(table)), size=len(chosen))
                sums[chosen] += times @ table
    return ratios(sums[:, 0], sums[:, 1])
