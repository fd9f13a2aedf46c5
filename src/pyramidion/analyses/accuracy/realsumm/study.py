"""Do methods judge systems, and single summaries, as people did? REALSumm and data published in its layout.

Every method sees the reference alone, its markup (``<t> ... </t>``) turned into one sentence a line; only a method that
asks for the *given* pyramid sees the human SCUs (:mod:`pyramidion.analyses.accuracy.realsumm.data`).

For every method and the floor (recall of ROUGE-1, ROUGE-2, ROUGE-L; the lexical pyramid) Pearson's r, Spearman's rho
and Kendall's tau-b at system and at summary level, with bootstrap intervals over documents
(:mod:`pyramidion.stats.correlation`); with folds (:mod:`pyramidion.analyses.accuracy.held_out`) also their means over
folds, as some papers print them. ROUGE stems words. The difference of a method's Pearson's r at summary level and that
of ROUGE-1 is estimated by drawing documents, both metrics together (:mod:`pyramidion.stats.levels`); p is twice the
smaller share of draws on either side of 0. A method on the given pyramids is also measured judgement by judgement
(:mod:`pyramidion.analyses.accuracy.judgements`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from math import nan
from statistics import fmean
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pyramidion.analyses.accuracy.held_out import Fold, check_unseen
from pyramidion.analyses.accuracy.judgements import judgements
from pyramidion.analyses.accuracy.matching import Matched, match_topics, peak_memory
from pyramidion.analyses.accuracy.peer_scores import Key, PeerScores, floor, mean_by_peer
from pyramidion.analyses.accuracy.realsumm.data import human_scores
from pyramidion.analyses.accuracy.realsumm.result import STATISTICS, AgainstPeople, Lead, Level, RealsummStudy
from pyramidion.base.choices import check_choices
from pyramidion.errors import PyramidionError
from pyramidion.formats.read import how_read
from pyramidion.methods import GIVEN, Method, versions_of
from pyramidion.metrics import metric
from pyramidion.metrics.lexical_pyramid import LexicalPyramid
from pyramidion.model import Topic
from pyramidion.scoring import Quantity, scores
from pyramidion.signature import Signature
from pyramidion.stats.correlation import Correlation, Statistic
from pyramidion.stats.levels import (
    correlation_at,
    correlations_by_draw,
    difference,
    summary_level,
    system_level,
    times_drawn,
)

Array = NDArray[np.float64]
CLOSE = 1e-12
"""Smaller differences count as 0."""
FLOOR = ("rouge-1", "rouge-2", "rouge-l")


@check_choices
def bench_realsumm(
    topics: Sequence[Topic],
    methods: Iterable[Method] = (),
    score: Quantity | Literal["normalised"] = "coverage",
    *,
    metrics: Iterable[str] = (),
    folds: Sequence[Fold] = (),
    known: Sequence[Topic] = (),
    samples: int = 10_000,
    publish: bool = False,
    progress: Callable[[str], None] = lambda summary: None,
) -> RealsummStudy:
    """Match every summary by every method and correlate its scores, and the floor's, with the human scores.

    ``metrics`` names further metrics to measure: other kinds of ROUGE, Basic Elements. ``known`` has the documents that
    judges may learn from if there are folds: all documents of other folds, measured or not. A judge that learnt from
    the documents causes a warning or, if the figures are to be published, an error. ``progress`` is called twice for
    each summary, when it is analysed and when it is matched.
    """
    methods, metrics = tuple(methods), tuple(metrics)
    check_unseen(methods, topics, folds=bool(folds), publish=publish)
    for name in metrics:
        if isinstance(metric(name), LexicalPyramid):
            raise PyramidionError(f"{name!r} is already in the table", do="choose ROUGE or Basic Elements")
    people = _People(topics, folds, samples)
    below = floor(topics, (*FLOOR, *metrics))
    # ROUGE-1 is the first of the floor
    rouge_1 = people.matrix(below[0].scores["recall"])
    common = (
        ("score", score),
        ("documents", str(len(topics))),
        ("folds", "published" if folds else "none"),
        ("rouge", "stem"),
        ("lexical-pyramid", "en"),
        ("interval", "symmetric-angle-95"),
        ("samples", str(samples)),
        ("seed", "0"),
        *how_read(topics),
    )
    measured = []
    for method in methods:
        answer = match_topics(topics, method, folds, known, progress=progress)
        measured.append(
            replace(
                people.against(str(method), score, _scores(answer, method, score), rouge_1),
                signature=Signature("bench-realsumm", (("methods", str(method)), *method.versions, *common)),
                judgements=judgements(topics, answer.topics) if method.builder == GIVEN else None,
                pairs=answer.pairs,
                pairs_per_second=answer.pairs_per_second,
            )
        )
    named = (("methods", ",".join(map(str, methods)) or "none"), *versions_of(methods))
    return RealsummStudy(
        Signature("bench-realsumm", (*named, *common)),
        tuple(measured),
        tuple(people.of_floor(peers, score, None if peers is below[0] else rouge_1) for peers in below),
        len(people.folds),
        peak_memory(),
    )


def _scores(answer: Matched, method: Method, score: str) -> dict[Key, float]:
    """Return a score of every summary; several annotations of a summary are averaged."""
    values = []
    for topic in answer.topics:
        assert topic.pyramid is not None
        for annotation in topic.annotations:
            quantities = scores(topic.pyramid, annotation)
            quantities = replace(quantities, normalised=method.normalised(topic.pyramid, annotation))
            values.append(((topic.id, annotation.summary.id), getattr(quantities, score)))
    return mean_by_peer(str(method), score, values)


class _People:
    """People's scores, which other scores are compared with."""

    def __init__(self, topics: Sequence[Topic], folds: Sequence[Fold], samples: int) -> None:
        values = human_scores(topics)
        self.documents = [topic.id for topic in topics]
        self.systems = sorted({system for _, system in values})
        self.scores = self.matrix(values)
        inside = (np.array([id in fold for id in self.documents]) for fold in folds)
        self.folds = [fold for fold in inside if fold.any()]
        self.samples = samples

    def matrix(self, values: dict[Key, float]) -> Array:
        return np.array([[values.get((id, system), nan) for system in self.systems] for id in self.documents])

    def against(self, name: str, score: str, values: dict[Key, float], rouge_1: Array | None) -> AgainstPeople:
        """Compare the scores of a method or a metric with people's, and with ROUGE-1's if these are given."""
        theirs = self.matrix(values)
        levels: dict[Level, Callable[..., Correlation]] = {"system": system_level, "summary": summary_level}
        return AgainstPeople(
            name,
            score,
            {
                level: {name: correlate(self.scores, theirs, name, samples=self.samples) for name in STATISTICS}
                for level, correlate in levels.items()
            },
            {level: {name: self._over_folds(level, theirs, name) for name in STATISTICS} for level in levels}
            if self.folds
            else {},
            None if rouge_1 is None else self._lead(theirs, rouge_1),
        )

    def of_floor(self, peers: PeerScores, score: str, rouge_1: Array | None) -> AgainstPeople:
        name = peers.score_name(score)
        return self.against(peers.name, name, peers.scores[name], rouge_1)

    def _lead(self, theirs: Array, rouge_1: Array) -> Lead:
        """Return the lead over ROUGE-1 at summary level, with its interval and two-sided p-value."""
        times = times_drawn(len(self.documents), self.samples)
        ours, floor = (
            correlations_by_draw(self.scores, side, times, "summary", "pearson") for side in (theirs, rouge_1)
        )
        lead = difference(ours, floor, "summary")
        drawn = (ours - floor)[1:]  # the first is that of all documents
        drawn = drawn[~np.isnan(drawn)]
        if lead.interval is None:
            return Lead(lead.value, None, None)
        smaller = min((drawn <= CLOSE).sum(), (drawn >= -CLOSE).sum())
        # the observed lead counts as one more draw, so that p is never 0
        return Lead(lead.value, lead.interval, min(1.0, 2 * (1 + int(smaller)) / (1 + len(drawn))))

    def _over_folds(self, level: Level, theirs: Array, statistic: Statistic) -> float | None:
        values = (correlation_at(level, self.scores[fold], theirs[fold], statistic).value for fold in self.folds)
        defined = [value for value in values if value is not None]
        return round(fmean(defined), 12) if defined else None
