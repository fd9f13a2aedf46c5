"""Do matchers find what a person marked by hand? Agreement on every SCU and peer of annotated topics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pyramidion.errors import PyramidionError
from pyramidion.io.tables import Cell, Table
from pyramidion.match import MATCHERS
from pyramidion.methods import Method
from pyramidion.model import Topic
from pyramidion.studies.bench.judgements import Judgements, judgements
from pyramidion.studies.bench.matching import matched

__all__ = ["Agreed", "matchers", "measure", "table"]

ALL = "all"
FIGURES = ("accuracy", "precision", "recall", "f1", "kappa")


@dataclass(frozen=True, slots=True)
class Agreed:
    """A matcher and a person on one topic, or on all."""

    matcher: str
    topic: str
    judgements: Judgements


def matchers() -> list[str]:
    """Those that match any pyramid: ``edu`` knows its own only, and a family (``nli:``) wants a model."""
    named = (name for name in MATCHERS if name != "edu" and not name.endswith(":"))
    return [name for name in named if getattr(MATCHERS[name], "installed", True)]


def measure(
    topics: Iterable[Topic], methods: Sequence[Method], *, progress: Callable[[str], None] = lambda summary: None
) -> list[Agreed]:
    """Match the annotated topics by each method on their own pyramids; a row for each topic, then one for all."""
    human = [topic for topic in topics if topic.pyramid and topic.annotations]
    if not human:
        raise PyramidionError("no topic has a pyramid and annotations", do="add them, or leave out the corpus")
    rows = []
    for method in methods:
        answers = matched(human, method, progress=progress).topics
        name = str(method).removeprefix("given+")
        rows += [
            Agreed(name, topic.id, judgements([topic], [answer])) for topic, answer in zip(human, answers, strict=True)
        ]
        if len(human) > 1:
            rows.append(Agreed(name, ALL, judgements(human, answers)))
    return rows


def table(rows: Iterable[Agreed], signature: str = "") -> Table:
    """A row for each matcher and topic."""
    cells: list[tuple[Cell, ...]] = [
        (one.matcher, one.topic, one.judgements.pairs, *(getattr(one.judgements, name) for name in FIGURES))
        for one in rows
    ]
    return Table(
        ("matcher", "topic", "pairs", "accuracy", "precision", "recall", "F1", "kappa"),
        tuple(cells),
        "Agreement of matchers with hand annotations: does a peer express an SCU?",
        keys=("matcher", "topic", "pairs", *FIGURES),
        signature=signature,
    )
