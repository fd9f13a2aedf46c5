"""The scores of metrics for every peer of a corpus, as tables and JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal

from pyramidion.base.tables import Cell, Table
from pyramidion.result import Result
from pyramidion.signature import Signature
from pyramidion.stats.bootstrap import Interval, few_note, mean_interval

Quantity = Literal["recall", "precision", "f"]

_LEXICAL: dict[Quantity, str] = {"recall": "coverage", "precision": "quality", "f": "comprehensive"}
"""The score of the lexical pyramid that is closest to each of these."""
_SHORT = {"recall": "R", "precision": "P", "f": "F"}


@dataclass(frozen=True, slots=True)
class SystemMean:
    """A mean over topics, and its 95 % interval."""

    mean: float
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Measured(Result):
    """The scores of metrics, by name, for every peer: a value for each score of each metric."""

    signature: Signature
    """The signature of all metrics together."""
    signatures: dict[str, Signature]
    """The signature of each metric."""
    peers: tuple[tuple[str, str], ...]
    """The topics and peers, in the order of the corpus."""
    values: dict[str, dict[str, tuple[float, ...]]]
    """The values by metric and score, one for each of ``peers``."""
    quantity: Quantity = "recall"
    """The score whose means the table of systems shows."""

    def by_peer(self, metric: str, score: str) -> dict[tuple[str, str], float]:
        """Return a metric's score of every peer, by topic and peer."""
        return dict(zip(self.peers, self.values[metric][score], strict=True))

    def systems(self) -> dict[str, list[int]]:
        """Return, for each system, the positions of its summaries in ``peers``."""
        places: dict[str, list[int]] = {}
        for place, (_, peer) in enumerate(self.peers):
            places.setdefault(peer, []).append(place)
        return dict(sorted(places.items()))

    def mean(self, system: str, metric: str, score: str) -> SystemMean:
        """Return the mean of a score over a system's topics, with an interval if there are enough of them."""
        values = [self.values[metric][score][place] for place in self.systems()[system]]
        return SystemMean(sum(sorted(values)) / len(values), mean_interval(values))

    def tables(self, *, whole: bool = False) -> dict[str, Table]:
        """Return the scores of every peer, and the mean of one score over topics for every system."""
        return {"scores": _scores_table(self), "systems": _systems_table(self)}

    @property
    def shown(self) -> tuple[str, ...]:
        """Name the scores, and the systems if one has several topics."""
        several = any(len(places) > 1 for places in self.systems().values())
        return ("scores", "systems") if several else ("scores",)

    def to_json(self) -> dict[str, Any]:
        """Return every value, and every mean with its interval."""

        def means(system: str) -> dict[str, Any]:
            return {
                metric: {score: asdict(self.mean(system, metric, score)) for score in scores}
                for metric, scores in self.values.items()
            }

        return {
            "signatures": {name: str(signature) for name, signature in self.signatures.items()},
            "scores": [
                {
                    "topic": topic,
                    "peer": peer,
                    **{
                        metric: {score: values[place] for score, values in scores.items()}
                        for metric, scores in self.values.items()
                    },
                }
                for place, (topic, peer) in enumerate(self.peers)
            ],
            "systems": [
                {"system": system, "topics": len(places), **means(system)} for system, places in self.systems().items()
            ],
        }


def _scores_table(measured: Measured) -> Table:
    """Make a row for each peer, a column for each score."""
    several = len({topic for topic, _ in measured.peers}) > 1
    scores = [(metric, score) for metric, known in measured.values.items() for score in known]
    rows: list[tuple[Cell, ...]] = []
    for place, (topic, peer) in enumerate(measured.peers):
        cells = (measured.values[metric][score][place] for metric, score in scores)
        rows.append((*([topic] if several else []), peer, *cells))
    names = (*(["topic"] if several else []), "peer")
    return Table(
        (*names, *(f"{metric} {_SHORT.get(score, score)}" for metric, score in scores)),
        tuple(rows),
        keys=(*names, *(f"{metric} {score}" for metric, score in scores)),
        signature="\n".join(map(str, measured.signatures.values())),
    )


def _systems_table(measured: Measured) -> Table:
    """Make a row for each system: the mean of one score of each metric over topics, with its 95 % interval."""
    score = measured.quantity
    chosen = {metric: score if score in known else _LEXICAL[score] for metric, known in measured.values.items()}
    rows: list[tuple[Cell, ...]] = []
    for system, places in measured.systems().items():
        means = [measured.mean(system, metric, name) for metric, name in chosen.items()]
        rows.append(
            (system, len(places), *(cell for mean in means for cell in (mean.mean, *(mean.interval or (None, None)))))
        )
    headings = (
        heading for metric, name in chosen.items() for heading in (f"{metric} {_SHORT.get(name, name)}", "low", "high")
    )
    return Table(
        ("system", "topics", *headings),
        tuple(rows),
        "Means over topics, with 95 % bootstrap intervals",
        few_note(min(map(len, measured.systems().values())), "topics"),
        keys=(
            "system",
            "topics",
            *(f"{metric} {name}{end}" for metric, name in chosen.items() for end in ("", " low", " high")),
        ),
        signature="\n".join(map(str, measured.signatures.values())),
    )
