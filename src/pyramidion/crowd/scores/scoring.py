r"""Scores of a crowd evaluation, with intervals (Shapira et al. 2019 §3, *Scoring*).

A summary's score is the share of its judged statements that are present, a system's the mean over topics
(:mod:`~pyramidion.crowd.scores.layout`). A summary without text scores 0; one without a decision has no score.

*Intervals.* Another study would have other topics and, for each, other statements. So each draw takes as many topics as
there are, with replacement, and for every topic taken as many of its statements, with replacement; the interval spans
the central 95 % of the systems' means. All systems share the draws: of two systems, the draws of their difference are
the difference of their draws. The interval is on the safe side, since topics' scores vary with their statements
already: on REALSumm it is a fifth wider than one over topics alone, which a comparison of systems shows. With one topic
only statements are drawn, and the interval does not speak of other topics. From few topics (or statements of one)
nothing is drawn (:data:`~pyramidion.stats.bootstrap.FEWEST`).

*Topic filter* (§4, *Qualitative analysis*): the least agreed share of the topics can be left out of systems' means.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pyramidion.base.choices import check_choices
from pyramidion.crowd.judging.aggregate import Decisions
from pyramidion.crowd.judging.topic_agreement import AlphaOf, WorkersAgreement, agreement_of, dropped_topics
from pyramidion.crowd.judging.votes import Votes
from pyramidion.crowd.scores.layout import Array, Layout, mean_over_topics
from pyramidion.crowd.study import Study
from pyramidion.errors import PyramidionError
from pyramidion.signature import Signature
from pyramidion.stats.bootstrap import Interval, few_note, percentiles
from pyramidion.stats.ratios import ratios

_FEW = 10
"""The number of topics below which a bootstrap's intervals are noticeably too narrow."""
_CELLS = 1 << 22
"""The most statements that one step of a bootstrap draws."""


@dataclass(frozen=True, slots=True)
class SummaryScore:
    """One summary: the share of its judged statements that are present."""

    topic: str
    system: str
    score: float | None
    """The score; None if nothing was decided."""
    statements: int
    """The number of decided statements."""
    undecided: int
    """The number of statements that were asked about but have no vote that counts."""


@dataclass(frozen=True, slots=True)
class SystemScore:
    """One system: the mean over its topics."""

    system: str
    topics: int
    mean: float
    interval: Interval | None


@dataclass(frozen=True)
class CrowdScores:
    """The scores of systems and summaries, and the agreement of workers."""

    signature: Signature
    systems: tuple[SystemScore, ...]
    """The systems, best first."""
    summaries: tuple[SummaryScore, ...]
    """The summaries, by topic and system."""
    agreement: WorkersAgreement
    dropped: tuple[str, ...]
    """The topics that the means leave out, the least agreed first."""
    notes: tuple[str, ...]
    """Notes on what was left out, and on the limits of the numbers."""
    draws: Array = field(repr=False, compare=False)
    """The means of the systems in each draw: draws x systems, in the order of ``systems``."""

    def difference(self, better: str, worse: str) -> Interval | None:
        """Return the 95 % interval of the difference of two systems' means, over the same draws."""
        names = [system.system for system in self.systems]
        for name in (better, worse):
            if name not in names:
                raise PyramidionError(f"There is no system {name!r}", do=f"the systems are {', '.join(names[:10])}")
        if not len(self.draws):
            return None
        first, second = names.index(better), names.index(worse)
        by = self.systems[first].mean - self.systems[second].mean
        return percentiles(by, self.draws[:, first] - self.draws[:, second])


@check_choices
def score(
    votes: Votes,
    decisions: Decisions,
    *,
    study: Study | None = None,
    samples: int = 1000,
    seed: int = 0,
    drop_topics: float = 0.0,
    alpha: AlphaOf = "pooled",
    screening: Sequence[tuple[str, str]] = (),
) -> CrowdScores:
    """Compute scores, intervals from ``samples`` draws, and agreement.

    ``drop_topics`` is the share of topics to leave out, by the ``alpha`` of
    :mod:`~pyramidion.crowd.judging.topic_agreement`. ``screening`` says how the votes were chosen, for the signature.
    """
    layout = Layout.of(votes, study)
    matrix = layout.matrix(decisions.value)
    by_topic = layout.by_topic(matrix)
    agreed = agreement_of(votes, alpha=alpha, samples=samples, seed=seed)
    dropped = dropped_topics(agreed.topics, drop_topics)
    kept = np.array([name not in dropped for name in layout.topics])
    few = few_note(*_sampling_units(layout, kept))
    draws = two_level_draws(layout, matrix, kept, 0 if few else samples, seed)
    means = mean_over_topics(by_topic[kept])
    scored = ~np.isnan(by_topic[kept])
    known = [column for column in range(len(layout.systems)) if not np.isnan(means[column])]
    if not known:
        raise PyramidionError("No statement of any summary is decided", do="collect votes, or filter fewer workers")
    # rounded, so that equal means are ranked by name and not by the order of a sum
    ranked = sorted(known, key=lambda column: (-round(float(means[column]), 12), layout.systems[column]))
    systems = tuple(
        SystemScore(
            layout.systems[column],
            int(scored[:, column].sum()),
            round(float(means[column]), 12),
            percentiles(float(means[column]), draws[:, column]) if len(draws) else None,
        )
        for column in ranked
    )
    summaries = _summaries(layout, matrix, by_topic)
    parameters = (
        ("aggregation", decisions.aggregation),
        *screening,
        *((("drop-topics", f"{drop_topics:g}"), ("alpha", alpha)) if drop_topics else ()),
        ("samples", str(samples)),
        ("seed", str(seed)),
    )
    notes = (*_notes(layout, kept, samples, summaries, systems), *_more_notes(layout, votes))
    return CrowdScores(Signature("crowd", parameters), systems, summaries, agreed, dropped, notes, draws[:, ranked])


def _sampling_units(layout: Layout, kept: NDArray[np.bool_]) -> tuple[int, str]:
    """Return the number and the kind of the units that are drawn: topics, or the statements of a single topic."""
    if kept.sum() != 1:
        return int(kept.sum()), "topics"
    return int(np.diff(np.append(layout.first, len(layout.topic)))[kept][0]), "statements"


def two_level_draws(layout: Layout, matrix: Array, kept: NDArray[np.bool_], samples: int, seed: int = 0) -> Array:
    """Return, draws x systems, means over topics drawn with replacement, each of statements drawn with replacement."""
    random = np.random.default_rng(seed)
    ends = np.append(layout.first, len(matrix))
    blocks = [matrix[ends[topic] : ends[topic + 1]] for topic in np.flatnonzero(kept)]
    # in steps, because all draws of a large study at once do not fit into memory
    step = max(1, _CELLS // max(len(matrix), 1))
    parts = [_draws(blocks, min(step, samples - start), random) for start in range(0, samples, step)]
    return np.concatenate([np.empty((0, matrix.shape[1])), *parts])


def _draws(blocks: Sequence[Array], samples: int, random: np.random.Generator) -> Array:
    """Return draws from topics, each of which is a matrix of statements x systems."""
    systems = blocks[0].shape[1]
    sums, counts = np.zeros((samples, systems)), np.zeros((samples, systems))
    chosen = random.integers(0, len(blocks), size=(samples, len(blocks)))
    for number, block in enumerate(blocks):
        judged = ~np.isnan(block)
        draw = np.repeat(np.arange(samples), (chosen == number).sum(axis=1))
        # drawing n of n statements with replacement is drawing how often each is taken
        times = random.multinomial(len(block), np.full(len(block), 1 / len(block)), size=len(draw)).astype(float)
        decided = times @ judged
        known = decided > 0
        scores = ratios(times @ np.where(judged, block, 0.0), decided, 0.0, known)
        np.add.at(sums, draw, scores)
        np.add.at(counts, draw, known)
    return ratios(sums, counts)


def _summaries(layout: Layout, matrix: Array, by_topic: Array) -> tuple[SummaryScore, ...]:
    """Return the scores of the summaries that were asked about, by topic and system."""
    asked = np.zeros(matrix.shape, dtype=bool)
    asked[layout.row, layout.column] = True
    decided = ~np.isnan(matrix)
    counts = np.add.reduceat(decided.astype(int), layout.first).tolist()
    undecided = np.add.reduceat((asked & ~decided).astype(int), layout.first).tolist()
    scores = by_topic.round(12).tolist()
    return tuple(
        SummaryScore(topic, system, score if count else None, count, open_count)
        for topic, *row in zip(layout.topics, scores, counts, undecided, strict=True)
        for system, score, count, open_count in zip(layout.systems, *row, strict=True)
        if count or open_count
    )


def _notes(
    layout: Layout,
    kept: NDArray[np.bool_],
    samples: int,
    summaries: Sequence[SummaryScore],
    systems: Sequence[SystemScore],
) -> list[str]:
    """Say what the scores leave out, and where intervals are missing or too narrow."""
    notes = []
    if few := few_note(*_sampling_units(layout, kept)):
        notes += [few] if samples else []
    elif kept.sum() == 1:
        notes.append("One topic: intervals are over its statements and do not speak of other topics.")
    elif kept.sum() < _FEW and samples:
        notes.append(f"{int(kept.sum())} topics: intervals over so few are too narrow.")
    undecided = sum(summary.undecided for summary in summaries)
    if undecided:
        items = undecided + sum(summary.statements for summary in summaries)
        notes.append(f"{undecided} of {items} statements on summaries have no vote that counts; they are left out.")
    unscored = sum(summary.score is None for summary in summaries)
    if unscored:
        notes.append(f"{unscored} of {len(summaries)} summaries have no decided statement, and no score.")
    fewer = [system.system for system in systems if system.topics < kept.sum()]
    if fewer:
        shown = ", ".join(fewer[:10]) + (f" and {len(fewer) - 10} more" if len(fewer) > 10 else "")
        notes.append(f"Judged on fewer than the {int(kept.sum())} topics: {shown}.")
    without_score = len(layout.systems) - len(systems)
    if without_score:
        notes.append(f"{without_score} of {len(layout.systems)} systems have no score.")
    return notes


def _more_notes(layout: Layout, votes: Votes) -> list[str]:
    counts = (
        (int(layout.blank.sum()), "summaries have no text and score 0."),
        (votes.rejected, "submissions were rejected and do not count."),
        (votes.repeated, "votes are a worker's second or later on the same item and do not count."),
    )
    return [f"{count} {what}" for count, what in counts if count]
