"""A crowd evaluation as one HTML page: scores, agreement, workers, and every statement with its votes on every summary.

No script: the tables are in the page as such, topics fold. The page is complete in itself and says how it was made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyramidion.crowd.judging.aggregate import Decisions
from pyramidion.crowd.judging.filtering import Filtered
from pyramidion.crowd.judging.votes import Item, Votes
from pyramidion.crowd.judging.workers import CrowdReport
from pyramidion.crowd.scores.pyramids import topics as made_topics
from pyramidion.crowd.scores.scoring import CrowdScores
from pyramidion.crowd.study import Study
from pyramidion.model import Topic
from pyramidion.report import crowd, crowd_workers
from pyramidion.report.page import page
from pyramidion.report.table import Table

__all__ = ["crowd_html"]

_STEPS = 5
"""Of the colours between no vote and all votes for present."""


@dataclass(frozen=True, slots=True)
class _Cell:
    """The votes on a statement in one summary."""

    votes: str
    """Votes for present of all that count; empty where nobody was asked."""
    step: int
    present: bool


@dataclass(frozen=True, slots=True)
class _Row:
    """A statement, whose it is, and the votes on each system's summary."""

    text: str
    reference: str
    cells: tuple[_Cell, ...]
    said_by: int


@dataclass(frozen=True, slots=True)
class _Block:
    """A topic."""

    id: str
    systems: tuple[str, ...]
    scores: tuple[str, ...]
    rows: tuple[_Row, ...]
    texts: tuple[tuple[str, str], ...]
    alpha: str


@dataclass(frozen=True, slots=True)
class _Bar:
    """A system's score and interval, as places on an axis of 0 to 100."""

    system: str
    topics: int
    score: str
    interval: str
    places: tuple[float, float, float]


def crowd_html(
    votes: Votes,
    decisions: Decisions,
    scores: CrowdScores,
    workers: CrowdReport,
    *,
    filtered: Filtered | None = None,
    study: Study | None = None,
    title: str = "What the crowd found",
) -> str:
    """The page, the same bytes for the same study."""
    corpus = made_topics(votes, decisions, study)
    return page(
        "crowd.html",
        styles=["crowd.css"],
        title=title,
        signature=str(scores.signature),
        simulated=("answers", "simulated") in scores.signature.parameters,
        counts={
            "topic": len(corpus),
            "system": len(scores.systems),
            "statement": sum(len(topic.pyramid.scus) for topic in corpus if topic.pyramid),
            "vote": int(votes.counts.sum()),
            "worker": len({*votes.worker.tolist()}),
        },
        bars=[_bar(one.system, one.topics, one.mean, one.interval) for one in scores.systems],
        notes=[crowd.agreement_sentence(scores, filtered), crowd.dropped_sentence(filtered), *scores.notes],
        agreement=crowd.topics_table(scores),
        workers=crowd_workers.table(workers, whole=False) if workers.workers else Table((), ()),
        unnamed=crowd_workers.summary(workers).splitlines()[:-1],
        blocks=[_block(topic, votes, decisions, scores) for topic in corpus],
    )


def _bar(system: str, topics: int, mean: float, interval: Sequence[float] | None) -> _Bar:
    low, high = interval or (mean, mean)
    shown = f"{low:.3f}\N{EN DASH}{high:.3f}" if interval else ""
    return _Bar(system, topics, f"{mean:.3f}", shown, (round(100 * low, 2), round(100 * mean, 2), round(100 * high, 2)))


def _block(topic: Topic, votes: Votes, decisions: Decisions, scores: CrowdScores) -> _Block:
    places = {item: number for number, item in enumerate(votes.items)}
    counts, present = votes.counts, decisions.present
    systems = tuple(sorted(one.summary.id for one in topic.annotations))
    own = {one.system: one.score for one in scores.summaries if one.topic == topic.id}

    def cell(system: str, statement: str) -> _Cell:
        place = places.get(Item(topic.id, system, statement))
        if place is None or not counts[place].sum():
            return _Cell("", 0, False)
        yes, total = int(counts[place, 1]), int(counts[place].sum())
        return _Cell(f"{yes}/{total}", round(_STEPS * yes / total), bool(present[place]))

    rows = []
    for scu in topic.pyramid.scus if topic.pyramid else ():
        cells = tuple(cell(system, scu.id) for system in systems)
        rows.append(_Row(scu.label, scu.contributors[0].summary, cells, sum(one.present for one in cells)))
    alpha = next((one.alpha for one in scores.agreement.topics if one.topic == topic.id), None)
    return _Block(
        topic.id,
        systems,
        tuple("-" if own.get(system) is None else f"{own[system]:.3f}" for system in systems),
        tuple(sorted(rows, key=lambda row: (-row.said_by, row.text))),
        tuple((peer.id, peer.text) for peer in topic.peers),
        "undefined" if alpha is None else f"{alpha:.3f}",
    )
