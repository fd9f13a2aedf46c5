"""A crowd evaluation as one HTML page: scores, agreement, workers, and every statement with its votes on every summary.

No script: the tables are in the page as such, topics fold. The page is complete in itself and says how it was made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyramidion.crowd.judging.votes import Item
from pyramidion.crowd.results.scores import CrowdEvaluation
from pyramidion.crowd.scores.scoring import SystemScore
from pyramidion.model import Topic
from pyramidion.reports.page import page

_STEPS = 5
"""The number of steps in colour from no vote to all votes for present."""


@dataclass(frozen=True, slots=True)
class _Cell:
    """The votes on a statement in one summary."""

    votes: str
    """Votes for present of all that count; empty where nobody was asked."""
    step: int
    present: bool


_NOT_ASKED = _Cell("", 0, False)


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


def crowd_html(evaluation: CrowdEvaluation, title: str = "What the crowd found") -> str:
    """Return the page, the same bytes for the same evaluation."""
    corpus, scores, votes = evaluation.topics(), evaluation.scores, evaluation.screened.votes
    workers = evaluation.workers()
    counts = {
        "topic": len(corpus),
        "system": len(scores.systems),
        "statement": sum(len(topic.pyramid.scus) for topic in corpus if topic.pyramid),
        "vote": int(votes.counts.sum()),
        "submission": len({*votes.assignment.tolist()}),
        "worker": int(votes.named[sorted({*votes.voter.tolist()})].sum()),
    }
    # answers without names: nobody knows of how many workers
    if not counts["worker"]:
        del counts["worker"]
    return page(
        "crowd.html",
        styles=["crowd.css"],
        title=title,
        signature=str(evaluation.signature),
        simulated=("answers", "simulated") in evaluation.signature.parameters,
        counts=counts,
        bars=[_bar(system) for system in scores.systems],
        notes=[evaluation.agreement_sentence, evaluation.dropped_sentence, *scores.notes],
        agreement=evaluation.table("topics"),
        workers=workers.table(),
        unnamed=workers.summary,
        blocks=_blocks(corpus, evaluation),
    )


def _bar(system: SystemScore) -> _Bar:
    mean = system.mean
    low, high = system.interval or (mean, mean)
    shown = f"{low:.3f}\N{EN DASH}{high:.3f}" if system.interval else ""
    places = (round(100 * low, 2), round(100 * mean, 2), round(100 * high, 2))
    return _Bar(system.system, system.topics, f"{mean:.3f}", shown, places)


def _blocks(corpus: Sequence[Topic], evaluation: CrowdEvaluation) -> list[_Block]:
    """Return the parts of the page, one for each topic."""
    votes, scores = evaluation.screened.votes, evaluation.scores
    counts, present = votes.counts.tolist(), evaluation.decisions.present.tolist()
    cells = {
        item: _Cell(f"{yes}/{no + yes}", round(_STEPS * yes / (no + yes)), decided)
        for item, (no, yes), decided in zip(votes.items, counts, present, strict=True)
        if no + yes
    }
    shown = {
        (summary.topic, summary.system): "-" if summary.score is None else f"{summary.score:.3f}"
        for summary in scores.summaries
    }
    alphas = {
        topic.topic: "undefined" if topic.alpha is None else f"{topic.alpha:.3f}" for topic in scores.agreement.topics
    }
    return [_block(topic, cells, shown, alphas[topic.id]) for topic in corpus]


def _block(topic: Topic, cells: Mapping[Item, _Cell], scores: Mapping[tuple[str, str], str], alpha: str) -> _Block:
    """Return a topic's part of the page: its systems in the order of their names, its statements by how often said."""
    systems = tuple(sorted(annotation.summary.id for annotation in topic.annotations))
    rows = []
    for scu in topic.pyramid.scus if topic.pyramid else ():
        row = tuple(cells.get(Item(topic.id, system, scu.id), _NOT_ASKED) for system in systems)
        rows.append(_Row(scu.label, scu.contributors[0].summary, row, sum(cell.present for cell in row)))
    return _Block(
        topic.id,
        systems,
        tuple(scores.get((topic.id, system), "-") for system in systems),
        # what most systems say comes first
        tuple(sorted(rows, key=lambda row: (-row.said_by, row.text))),
        tuple((peer.id, peer.text) for peer in topic.peers),
        alpha,
    )
