r"""Is this SCU in this summary? An additive model of what is there and what is not, fitted to people's judgements.

*Model.* With the features x_f of :mod:`~pyramidion.match.features`, each between 0 and 1,

.. math:: P = \sigma\Big(b + \sum_f g_f(x_f)\Big), \qquad g_f(x) = \sum_k c_{fk} \,
          \mathrm{clip}\Big(\frac{x - t_{fk}}{t_{f,k+1} - t_{fk}}, 0, 1\Big), \quad c_{fk} \ge 0,

so that every feature has a curve g_f of straight pieces, from 0 at x = 0, that never falls: more of an SCU's words
never lowers P; a name or a number missing, a negation, an opposite or a role turned round never raises it. The rises c
are what maximises the likelihood of the shares of workers who found the SCU, less half of ``RIDGE`` times their sum of
squares; the knots t are quantiles of the training data. Such a sum explains itself: a feature gave g_f(x) points (of
log odds) of the g_f(1) that it had to give.

*Conflicts* weigh more than the data ask for. REALSumm's systems copy well: a negation or another number beside an
SCU's words tells nothing there that the words do not (both are fitted to 0), and where the order is turned, people find
80 % of the SCUs, mostly paraphrases. A judge that follows this would not mind *is not safe* for *is safe*. So no
conflict's curve may be flatter than ``AT_LEAST``, set by hand with the folds and the minimal pairs of docs/learned.md
in view; agreement with REALSumm is lower for it, as that page shows.

*Two rules beside the model.* A wording that stands in the summary word for word is expressed: P = 1. A summary that
has no word like any of the wording's expresses nothing of it: P = 0. An SCU's P is that of its most probable wording.

The weights that ship are fitted to all of REALSumm (Bhandari et al. 2020); ``train/learned.py`` made them and prints
what the published folds say of documents that the model has not seen.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyramidion.errors import FormatError, PyramidionError
from pyramidion.language.models.weights import MODELS, read
from pyramidion.match.features import FEATURES, Features, features
from pyramidion.match.judged import Verdict, judged, units
from pyramidion.model import Annotation, Pyramid, Summary, Topic
from pyramidion.parts import declare

__all__ = [
    "AT_LEAST",
    "TRAINED_ON",
    "Curve",
    "Learned",
    "Reason",
    "explanation",
    "fit",
    "learned",
    "load",
    "maximum_likelihood",
    "verdicts",
]

Numbers = NDArray[np.float64]
Places = NDArray[np.intp]
Key = tuple[str, str, str]
"""A topic, a summary, an SCU."""

TRAINED_ON = ("realsumm",)
RIDGE = 10.0
KNOTS = 10
"""Pieces of a curve, before knots that coincide are dropped."""
AT_LEAST: Mapping[str, float] = {
    "right way round": 2.0,
    "same polarity": 1.0,
    "no opposite": 1.5,
    "no other number": 0.5,
}
"""Points that the whole of a conflict takes off, whatever the data say."""
STEPS = 5000


@dataclass(frozen=True, slots=True)
class Curve:
    """g of one feature: from 0 at the first knot, up by ``rises[k]`` from knot k to knot k + 1."""

    feature: str
    knots: tuple[float, ...]
    rises: tuple[float, ...]

    @property
    def most(self) -> float:
        """g(1)."""
        return sum(self.rises)


def _pieces(x: Numbers, knots: Sequence[float]) -> Numbers:
    """Values x pieces: how much of each piece lies below the value."""
    return np.stack([np.clip((x - low) / (high - low), 0.0, 1.0) for low, high in pairwise(knots)], axis=-1)


@dataclass(frozen=True, slots=True)
class Reason:
    """What a feature did to an SCU's log odds: ``points``, of ``most``."""

    feature: str
    value: float
    points: float
    most: float

    def __str__(self) -> str:
        return f"{self.feature} {self.value:.2f}: {self.points:+.2f} of {self.most:.2f}"


@dataclass(frozen=True)
class Learned:
    """A fitted judge, which is a matcher."""

    bias: float
    curves: tuple[Curve, ...]

    @cached_property
    def _table(self) -> tuple[Places, Numbers, Numbers, Numbers, list[int]]:
        """The pieces of all curves: whose, from which knot on, how long, how much up; where each curve's begin."""
        sizes = [len(curve.rises) for curve in self.curves]
        return (
            np.repeat(np.arange(len(sizes)), sizes),
            np.concatenate([curve.knots[:-1] for curve in self.curves]),
            np.concatenate([np.diff(curve.knots) for curve in self.curves]),
            np.concatenate([curve.rises for curve in self.curves]),
            [0, *accumulate(sizes[:-1])],
        )

    def points(self, values: Numbers) -> Numbers:
        """Wordings x features: the points of each."""
        owners, lows, widths, rises, starts = self._table
        parts = ((values[:, owners] - lows) / widths).clip(0.0, 1.0) * rises
        return np.add.reduceat(parts, starts, axis=1)

    def probabilities(self, found: Features) -> Numbers:
        """P of every wording."""
        odds = self.bias + self.points(found.values).sum(axis=1)
        modelled = np.round(1 / (1 + np.exp(-odds)), 6)
        return np.where(found.verbatim, 1.0, np.where(found.empty, 0.0, modelled))

    def verdicts(self, pyramid: Pyramid, summary: Summary, analyser: str = "en-minilm") -> list[Verdict]:
        """The probability of every SCU, and the best segment of its best wording's sentence."""
        offered = units(summary, analyser)
        found = features(pyramid, summary.text, analyser)
        if not offered:
            return [Verdict(0.0) for _ in pyramid.scus]
        p = self.probabilities(found)
        rows = [first + int(p[first:last].argmax()) for first, last in pairwise(found.bounds)]
        said = [offered[found.sentences[row]][found.segments[row]] for row in rows]
        return [Verdict(float(p[row]), one.spans, one.segment) for row, one in zip(rows, said, strict=True)]

    def explanation(
        self, pyramid: Pyramid, summary: Summary, scu: str, analyser: str = "en-minilm"
    ) -> tuple[Reason, ...]:
        """What each feature did for the SCU's best wording, most points lost first: with the bias, its log odds.

        Where one of the two rules decides, what the model would have said without it.
        """
        names = [one.id for one in pyramid.scus]
        if scu not in names:
            raise PyramidionError(f"the pyramid has no SCU {scu!r}", do=f"choose one of: {', '.join(names)}")
        found = features(pyramid, summary.text, analyser)
        first, last = found.bounds[names.index(scu) :][:2]
        row = first + int(self.probabilities(found)[first:last].argmax())
        values, points = found.values[row].tolist(), self.points(found.values[row : row + 1])[0].tolist()
        reasons = [
            Reason(curve.feature, value, gained, curve.most)
            for curve, value, gained in zip(self.curves, values, points, strict=True)
        ]
        return tuple(sorted(reasons, key=lambda reason: reason.points - reason.most))

    def __call__(
        self, pyramid: Pyramid, summary: Summary, *, threshold: float = 0.5, analyser: str = "en-minilm"
    ) -> Annotation:
        """The SCUs that the summary expresses with at least that probability, and the probability of each."""
        return judged(pyramid, summary, self.verdicts(pyramid, summary, analyser), threshold, analyser)

    def to_json(self) -> dict[str, Any]:
        """What :func:`load` reads."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any], where: str = "") -> Learned:
        """The inverse of :meth:`to_json`."""
        try:
            curves = tuple(
                Curve(str(one["feature"]), tuple(map(float, one["knots"])), tuple(map(float, one["rises"])))
                for one in value["curves"]
            )
            made = cls(float(value["bias"]), curves)
        except (KeyError, TypeError, ValueError) as error:
            raise FormatError(
                f"these are no weights of a learned judge: {error}", where, "make them with train/learned.py"
            ) from error
        if tuple(curve.feature for curve in curves) != FEATURES:
            raise FormatError("the weights are of other features", where, "make them with train/learned.py")
        return made


@cache
def load() -> Learned:
    """The judge that ships; read once a process."""
    path = MODELS / "learned" / "weights.json"
    return Learned.from_json(json.loads(read(path)), str(path))


def fit(topics: Iterable[Topic], shares: Mapping[Key, float] | None = None, *, analyser: str = "unicode") -> Learned:
    """A judge fitted to the annotations of topics, or, where given, to the shares of people who found an SCU.

    Sentences end by rules here, which is fast; the parser ends them elsewhere in 155 of REALSumm's 2,365 texts.
    Every wording of an SCU is held to be there where the SCU is: fit it to topics whose SCUs have one, as REALSumm's.
    """
    measured: list[Numbers] = []
    targets: list[float] = []
    for topic in topics:
        if topic.pyramid is None:
            continue
        for annotation in topic.annotations:
            found = features(topic.pyramid, annotation.summary.text, analyser)
            measured.append(found.values)
            for scu, (first, last) in zip(topic.pyramid.scus, pairwise(found.bounds), strict=True):
                share = (shares or {}).get((topic.id, annotation.summary.id, scu.id))
                targets += [float(scu.id in annotation.expressed) if share is None else share] * (last - first)
    if not 0 < sum(targets) < len(targets):
        raise PyramidionError(
            f"{len(targets)} judgements, all alike, teach nothing", do="give topics with pyramids and annotations"
        )
    return maximum_likelihood(np.concatenate(measured), np.array(targets))


def maximum_likelihood(values: Numbers, targets: Numbers, at_least: Mapping[str, float] = AT_LEAST) -> Learned:
    """The judge that the module's docstring describes, for wordings x features and the shares who found them."""
    from scipy.optimize import minimize

    knots = [_knots(column) for column in values.T]
    owners = np.repeat(np.arange(len(knots)), [len(one) - 1 for one in knots])
    design = np.column_stack(
        [*(_pieces(column, one) for column, one in zip(values.T, knots, strict=True)), np.ones(len(values))]
    )
    least = np.zeros(design.shape[1])
    for place, name in enumerate(FEATURES):
        own = np.flatnonzero(owners == place)
        least[own] = at_least.get(name, 0.0) * np.diff(knots[place])

    def loss(weights: Numbers) -> tuple[float, Numbers]:
        odds = design @ weights
        rises = np.append(weights[:-1], 0.0)
        misfit = np.logaddexp(0.0, odds) - targets * odds
        slope = design.T @ (1 / (1 + np.exp(-odds)) - targets) + RIDGE * rises
        return float(misfit.sum() + RIDGE * (rises @ rises) / 2), slope

    bounds = [*((low, None) for low in least[:-1]), (None, None)]
    found = minimize(
        loss,
        least,
        jac=True,
        bounds=bounds,
        method="L-BFGS-B",
        options={"maxiter": STEPS, "maxfun": STEPS, "ftol": 1e-10},
    ).x
    rises = np.round(found, 4).tolist()
    return Learned(
        rises[-1],
        tuple(
            Curve(name, tuple(knots[place]), tuple(rises[one] for one in np.flatnonzero(owners == place)))
            for place, name in enumerate(FEATURES)
        ),
    )


def _knots(column: Numbers) -> list[float]:
    """Quantiles, and the ends of the scale."""
    inner = np.round(np.quantile(column, np.linspace(0, 1, KNOTS + 1)), 3)
    return [float(one) for one in np.unique([0.0, *inner, 1.0])]


def verdicts(pyramid: Pyramid, summary: Summary, analyser: str = "en-minilm") -> list[Verdict]:
    """What the judge that ships says of every SCU."""
    return load().verdicts(pyramid, summary, analyser)


def explanation(pyramid: Pyramid, summary: Summary, scu: str, analyser: str = "en-minilm") -> tuple[Reason, ...]:
    """Why the judge that ships says so of one SCU."""
    return load().explanation(pyramid, summary, scu, analyser)


@declare(models=("learned", "static"), english=True)
def learned(pyramid: Pyramid, summary: Summary, *, threshold: float = 0.5, analyser: str = "en-minilm") -> Annotation:
    """The SCUs that the summary expresses with at least that probability, and the probability of each."""
    return load()(pyramid, summary, threshold=threshold, analyser=analyser)
