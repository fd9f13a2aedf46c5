r"""The four scores of nuggetizer (Pradeep et al. 2024, arXiv:2411.09607; ``core/metrics.py``), and their means.

For the nuggets of one answer, s_i = 1 where nugget i is supported, ½ where it is partially supported, else 0, and the
strict s'_i = 1 where it is supported, else 0. Over all nuggets A and the vital ones V,

.. math:: All = \frac{1}{|A|} \sum_{i \in A} s_i, \quad Strict\ All = \frac{1}{|A|} \sum_{i \in A} s'_i, \quad
          Vital = \frac{1}{|V|} \sum_{i \in V} s_i, \quad Strict\ Vital = \frac{1}{|V|} \sum_{i \in V} s'_i,

and 0 where there is no nugget to divide by. A nugget whose assignment or importance failed is one of A and supports
nothing. The score of a run is the mean over its answers. The digits are nuggetizer's to the last: sums of halves are
exact, each score is one division, and the mean is the exactly rounded one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from statistics import mean
from typing import Literal, get_args

from pyramidion.formats.nuggetizer import NuggetRecord

Score = Literal["strict_vital_score", "strict_all_score", "vital_score", "all_score"]
SCORES: tuple[Score, ...] = get_args(Score)
"""The scores under nuggetizer's names, in its order."""
PARTIAL = 0.5


@dataclass(frozen=True, slots=True)
class NuggetScores:
    """The four scores of an answer, or their means."""

    strict_vital_score: float
    strict_all_score: float
    vital_score: float
    all_score: float


def nugget_scores(nuggets: Sequence[NuggetRecord]) -> NuggetScores:
    """Return the scores of one answer by its assigned nuggets.

    Of three nuggets the vital ones are supported and partially supported, the okay one is not supported:

    >>> labels = (("vital", "support"), ("vital", "partial_support"), ("okay", "not_support"))
    >>> scores = nugget_scores([NuggetRecord("x", importance, label) for importance, label in labels])
    >>> scores.strict_vital_score, scores.vital_score         # 1 / 2, (1 + .5) / 2
    (0.5, 0.75)
    >>> scores.strict_all_score, scores.all_score             # 1 / 3, (1 + .5) / 3
    (0.3333333333333333, 0.5)
    """
    vital = [nugget for nugget in nuggets if nugget.importance == "vital"]
    return NuggetScores(_share(vital, 0), _share(nuggets, 0), _share(vital, PARTIAL), _share(nuggets, PARTIAL))


def _share(nuggets: Sequence[NuggetRecord], partial: float) -> float:
    credit = {"support": 1, "partial_support": partial}
    return sum(credit.get(nugget.assignment or "", 0) for nugget in nuggets) / len(nuggets) if nuggets else 0.0


def mean_scores(answers: Iterable[NuggetScores]) -> NuggetScores:
    """Return the means over answers."""
    records = [asdict(scores) for scores in answers]
    # not fmean: the mean is exactly rounded, as nuggetizer's is
    return NuggetScores(*(mean(scores[name] for scores in records) for name in SCORES))
