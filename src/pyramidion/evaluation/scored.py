"""One summary's scores with all they come from."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from pyramidion.explanation import explain
from pyramidion.metrics.copying import NOTHING, Copied
from pyramidion.model import Annotation, Pyramid
from pyramidion.scoring import QUANTITIES, Scores, uncertainty

RECORDED = (
    "topic", "summary", *QUANTITIES, "counted", "normalised", "scus", "contradicted", "unmatched", "max_for_size",
    "max_for_average", "average_scus", "repeated", "size", "annotator", "role",
)  # fmt: skip
"""What JSON and the store of a run have of every summary's scores."""


@dataclass(frozen=True, slots=True)
class Scored:
    """One summary's scores with the pyramid and the annotation they come from."""

    scores: Scores
    pyramid: Pyramid
    annotation: Annotation
    copied: Copied = NOTHING
    """What it has, word for word, from the references and the sources."""

    @property
    def percent(self) -> float | None:
        """Coverage for people: :func:`percentage`."""
        return percentage(self.scores, self.copied)

    @property
    def mark(self) -> float | None:
        """The percentage that a student is told, on pages and in gradebooks: never above 100."""
        return mark(self.scores, self.copied)

    @property
    def margin(self) -> float | None:
        """The standard deviation of the percentage by the judge's own doubt; None where there is none."""
        if self.scores.pyramids > 1 or self.scores.coverage is None:
            return None
        deviation = uncertainty(self.pyramid, self.annotation, self.scores.settings)
        return None if deviation is None else round(100 * deviation, 2)

    @property
    def missing(self) -> int:
        """The number of SCUs that the summary neither expresses nor contradicts."""
        mentioned = {*self.annotation.expressed, *(denial.scu for denial in self.annotation.contradicted)}
        return sum(scu.id not in mentioned for scu in self.pyramid.scus)

    def to_json(self, *, explained: bool = False) -> dict[str, Any]:
        """The scores for programs; ``explained`` adds which SCUs are expressed, contradicted and missed."""
        record: dict[str, Any] = {name: getattr(self.scores, name) for name in RECORDED}
        record |= {"percent": self.percent, "uncertainty": self.margin, "copied": asdict(self.copied)}
        if not explained:  # the names of references are printed only with the explanation, which names them, too
            del record["copied"]["origins"]
        if self.scores.pyramids > 1:
            record["pyramids"] = self.scores.pyramids
        else:
            record["tiers"] = [
                {"weight": weight, "expressed": count, "scus": size}
                for weight, (count, size) in self.scores.tiers.items()
            ]
        if self.annotation.unsupported:
            record["unsupported"] = list(self.annotation.unsupported)
        if explained:
            record["explanation"] = asdict(explain(self.pyramid, self.annotation, self.scores.settings))
        return record


def percentage(scores: Scores, copied: Copied) -> float | None:
    """Coverage as a percentage with two decimals, the number that tables, pages and gradebooks print.

    It is 0 or 100 only where coverage is 0 or 1. It can be above 100 unless the setting ``cap`` is on, but a text that
    is pasted has 100 at most: what it holds is not its writer's.
    """
    if scores.coverage is None:
        return None
    exact = 100 * scores.coverage
    shown = min(99.99, max(0.01, round(exact, 2))) if 0 < exact < 100 else round(exact, 2)
    return min(shown, 100.0) if copied.is_pasted else shown


def mark(scores: Scores, copied: Copied) -> float | None:
    """The percentage that a student is told: :func:`percentage`, and 100 for whoever has more."""
    percent = percentage(scores, copied)
    return None if percent is None else min(percent, 100.0)
