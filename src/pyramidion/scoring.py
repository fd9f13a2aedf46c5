r"""Annotation and pyramid in, scores out: every formula of Nenkova et al. 2007 §2.2-2.3 and Gao et al. 2019 §4.6.

Notation of the papers. A pyramid has tiers T_n ... T_1; SCUs of tier T_i weigh i. Of the SCUs a summary expresses, D_i
are in T_i, and D_0 of its units are in no SCU. Then

================  ====================================  =======================================================
raw               D = sum of i D_i                      each SCU counted once, however often it is said
quality           D / Max(X)                            "original" score; X = all units of the summary
coverage          D / Max(X_a)                          "modified" score; X_a = mean number of SCUs per reference
comprehensive     harmonic mean of the two              Gao et al. 2019 §4.6
precision         sum_{i>=1} D_i / sum_{i>=0} D_i       unweighted, eq. 2
recall            sum_{i>=1} D_i / sum_{i>=1} |T_i|     unweighted, eq. 1
================  ====================================  =======================================================

Where a judge gives probabilities, D_i in raw, coverage and recall is its *expectation*: the sum of P(expressed) over
T_i. A person's annotation has P = 1 for what is matched and 0 for the rest, so that both are one formula (``presence``
of :class:`Settings` says otherwise). Quality and precision are shares of the summary's own units, which are matched or
not: there D_i is a count in either case.

An SCU that the summary contradicts earns nothing: it is no match, so no D_i counts it, and an expectation takes the
judge's P(said) of it, never that of the contradiction. The words that contradict are units of the summary in no SCU.

A ratio whose denominator is 0 (an empty summary, a pyramid without SCUs) is 0; but where X_a is rounded to 0, there is
no coverage, and where nobody annotated a summary, there are no scores (None). X counts repetitions and unmatched
units, as DUCView does: saying a thing twice takes room. X_a is rarely whole, and the field has rounded it in every
way; the default keeps the fraction, since Max is linear between whole numbers (see :class:`Settings`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from math import ceil, comb, floor, fsum, sqrt
from statistics import fmean
from typing import Any, Literal, get_args

from pyramidion.base.choices import check_choices
from pyramidion.errors import ModelError
from pyramidion.model import SCU, Annotation, Match, Pyramid, Role, max_weight

Average = Literal["exact", "floor", "ceil", "round"]
Mean = Literal["harmonic", "arithmetic"]
Weights = Literal["references", "contributors"]
Presence = Literal["expected", "counted"]
Quantity = Literal["raw", "quality", "coverage", "comprehensive", "precision", "recall"]


@check_choices
@dataclass(frozen=True, slots=True)
class Settings:
    """Where tools of the field differ; :data:`LIKE` has those of a tool together.

    * ``average``: X_a as it is (``exact``), or rounded: ``floor`` (DUCView), ``ceil`` (SacreROUGE), ``round`` (half
      up).
    * ``cap``: coverage above 1 counts as 1 (DUCView 1.5, PyrEval).
    * ``mean``: comprehensive as the ``harmonic`` mean (the paper) or the ``arithmetic`` one (PyrEval's published code).
    * ``weights``: an SCU weighs its distinct ``references`` (the papers), or all its ``contributors`` (DUCView), which
      differs only when one reference contributes twice.
    * ``presence``: a judge's probabilities are ``expected`` values, or its matches are ``counted``. A sum of
      calibrated probabilities errs less than a count of those above a half; without probabilities it is the same.
    """

    average: Average = "exact"
    cap: bool = False
    mean: Mean = "harmonic"
    weights: Weights = "references"
    presence: Presence = "expected"

    def parameters(self) -> tuple[tuple[str, str], ...]:
        """Name and value of each setting, for a :class:`~pyramidion.signature.Signature`."""
        return tuple(
            (name, ("yes" if value else "no") if isinstance(value, bool) else value)
            for name, value in asdict(self).items()
        )


DEFAULT = Settings()

LIKE: dict[str, Settings] = {"ducview": Settings("floor", True, "harmonic", "contributors", "counted")}
"""The settings that give a tool's own numbers, as far as settings can: DUCView is DUCView 1.5."""

QUANTITIES: tuple[Quantity, ...] = get_args(Quantity)
"""The scores of :class:`Scores`."""
Averaged = Literal[
    Quantity, "counted", "scus", "repeated", "contradicted", "unmatched", "size", "max_for_size", "average_scus",
    "max_for_average",
]  # fmt: skip
AVERAGED: tuple[Averaged, ...] = get_args(Averaged)
"""The quantities of :class:`Scores` that can be averaged."""


@check_choices
@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of one summary, and everything they were made of."""

    topic: str
    summary: str
    raw: float | None
    """D, or its expectation where a judge gives probabilities.

    None, like every score below but ``counted``, where nobody annotated the summary (:func:`is_annotated`).
    """
    counted: float
    """The weight of what is matched: raw, unless a judge gives probabilities."""
    quality: float | None
    coverage: float | None
    """None, like ``comprehensive``, where X_a was rounded to 0, too."""
    comprehensive: float | None
    precision: float | None
    recall: float | None
    scus: float
    """Distinct SCUs of the pyramid that the summary expresses: the sum of D_i, i >= 1."""
    repeated: float
    """Further expressions of SCUs already counted."""
    unmatched: float
    """D_0: units of the summary that are in no SCU."""
    size: float
    """X: ``scus + repeated + unmatched``."""
    max_for_size: float
    """Max(X), the denominator of quality."""
    average_scus: float
    """X_a as it was used, rounded if the settings say so."""
    max_for_average: float
    """Max(X_a), the denominator of coverage."""
    tiers: dict[int, tuple[int, int]]
    """Weight -> (D_i, number of SCUs in T_i), heaviest tier first."""
    annotator: str = ""
    role: Role = "peer"
    settings: Settings = DEFAULT
    normalised: float | None = None
    """What is matched, as the method normalises it in its own way (Hirao et al. 2018 §3.4; the builder ``lite``)."""
    pyramids: int = 1
    """How many pyramids the numbers are means over: more than one where they are jackknifed."""
    contradicted: float = 0
    """SCUs of the pyramid that the summary contradicts; none of them is credited."""


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def weight_of(scu: SCU, settings: Settings = DEFAULT) -> int:
    """Return the weight of an SCU: its distinct references, or all its contributors if the settings say so (§2.1)."""
    return scu.weight if settings.weights == "references" else len(scu.contributors)


def tier_sizes(pyramid: Pyramid, settings: Settings = DEFAULT) -> dict[int, int]:
    """Weight -> number of SCUs in that tier, heaviest tier first."""
    sizes = Counter(weight_of(scu, settings) for scu in pyramid.scus)
    return {weight: sizes[weight] for weight in sorted(sizes, reverse=True)}


def tier_counts(pyramid: Pyramid, annotation: Annotation, settings: Settings = DEFAULT) -> dict[int, int]:
    """Weight -> D_i for every tier of the pyramid, heaviest first; and 0 -> D_0 (Nenkova et al. 2007 §2.2-2.3)."""
    expressed = set(annotation.expressed)
    counts = dict.fromkeys(tier_sizes(pyramid, settings), 0)
    for scu in pyramid.scus:
        if scu.id in expressed:
            counts[weight_of(scu, settings)] += 1
    return counts | {0: len(annotation.unmatched)}


def presence(pyramid: Pyramid, annotation: Annotation) -> tuple[int, ...]:
    """The binary vector S of §2.3: S[k] = 1 if the summary expresses the pyramid's k-th SCU.

    Paired tests between two summaries take one such vector each. An SCU that is contradicted is not expressed: 0.
    """
    expressed = set(annotation.expressed)
    return tuple(int(scu.id in expressed) for scu in pyramid.scus)


def beliefs(annotation: Annotation, settings: Settings = DEFAULT) -> Mapping[str, float]:
    """SCU -> P(the summary expresses it): the judge's, or 1 for what is matched; what is not there is 0."""
    if annotation.probabilities and settings.presence == "expected":
        return dict(annotation.probabilities)
    return dict.fromkeys(annotation.expressed, 1)


def raw(pyramid: Pyramid, annotation: Annotation, settings: Settings = DEFAULT) -> float:
    """D, the total weight of the distinct SCUs expressed (Nenkova et al. 2007 §2.2), or its expectation."""
    believed = beliefs(annotation, settings)
    return _sum(weight_of(scu, settings) * believed.get(scu.id, 0) for scu in pyramid.scus)


def _sum(terms: Iterable[float]) -> float:
    """Sum terms, with the same result in any order; a whole number if all terms are."""
    terms = list(terms)
    return fsum(terms) if any(isinstance(term, float) for term in terms) else sum(terms)


def quality(pyramid: Pyramid, annotation: Annotation, settings: Settings = DEFAULT) -> float:
    """D / Max(X), the original pyramid score (Nenkova et al. 2007 §2.2; "quality" in Gao et al. 2019 §4.6)."""
    counted = _weight(tier_counts(pyramid, annotation, settings))
    return _ratio(counted, max_weight(tier_sizes(pyramid, settings), annotation.size))


def _weight(counts: Mapping[int, int]) -> int:
    return sum(weight * count for weight, count in counts.items())


def average_scus(pyramid: Pyramid, settings: Settings = DEFAULT) -> float:
    """X_a: how many SCUs a reference expresses on average (Nenkova et al. 2007 §2.3), rounded as the settings say."""
    total = sum(weight_of(scu, settings) for scu in pyramid.scus)
    mean = _ratio(total, pyramid.size)
    match settings.average:
        case "exact":
            return mean
        case "floor":
            return floor(mean)
        case "ceil":
            return ceil(mean)
        case "round":
            return floor(mean + 0.5)  # round() would take a half to the even number


def coverage(pyramid: Pyramid, annotation: Annotation, settings: Settings = DEFAULT) -> float | None:
    """D / Max(X_a), the modified pyramid score (Nenkova et al. 2007 §2.3; "coverage" in Gao et al. 2019 §4.6).

    Above 1 for a summary that expresses more than an average reference could at best; ``cap`` cuts that off. Nothing
    where a pyramid has SCUs, but ``average`` rounds X_a to 0: there is no best to compare with.
    """
    best = max_weight(tier_sizes(pyramid, settings), average_scus(pyramid, settings))
    return _coverage(raw(pyramid, annotation, settings), best, pyramid, settings)


def _coverage(weight: float, best: float, pyramid: Pyramid, settings: Settings) -> float | None:
    if pyramid.scus and not best:
        return None
    modified = _ratio(weight, best)
    return min(modified, 1.0) if settings.cap else modified


def uncertainty(pyramid: Pyramid, annotation: Annotation, settings: Settings = DEFAULT) -> float | None:
    """The standard deviation of coverage under the judge's own probabilities; None if there are no probabilities.

    Coverage is sum of w_k S_k over Max(X_a), where S_k is 1 with probability p_k. If the S_k are independent, their
    weighted sum has the variance sum of w_k^2 p_k (1 - p_k). This is the judge's own doubt, as good as its calibration.
    """
    best = max_weight(tier_sizes(pyramid, settings), average_scus(pyramid, settings))
    if not (annotation.probabilities and settings.presence == "expected" and best):
        return None
    believed = beliefs(annotation, settings)
    doubts = ((weight_of(scu, settings) ** 2, believed.get(scu.id, 0.0)) for scu in pyramid.scus)
    return sqrt(fsum(square * p * (1 - p) for square, p in doubts)) / best


@check_choices
def comprehensive(quality: float, coverage: float, mean: Mean = "harmonic") -> float:
    """The mean of quality and coverage (Gao et al. 2019 §4.6): an F-score analogue.

    >>> round(comprehensive(16 / 23, 16 / 53), 3)
    0.421
    """
    if mean == "arithmetic":
        return (quality + coverage) / 2
    return _ratio(2 * quality * coverage, quality + coverage)


def precision(annotation: Annotation) -> float:
    """The share of a summary's distinct units that the pyramid has (Nenkova et al. 2007 §2.3, eq. 2)."""
    matched = len(annotation.expressed)
    return _ratio(matched, matched + len(annotation.unmatched))


def recall(pyramid: Pyramid, annotation: Annotation, settings: Settings = DEFAULT) -> float:
    """The share of the pyramid's SCUs that the summary expresses (Nenkova et al. 2007 §2.3, eq. 1)."""
    return _ratio(_sum(beliefs(annotation, settings).values()), len(pyramid.scus))


def is_annotated(pyramid: Pyramid, annotation: Annotation) -> bool:
    """Return whether anybody read the summary: something in it is matched or unmatched, or an SCU was judged."""
    unjudged = {scu for scu, _ in annotation.unjudged}
    return bool(annotation.size or not pyramid.scus) or any(scu.id not in unjudged for scu in pyramid.scus)


def scores(pyramid: Pyramid, annotation: Annotation, settings: Settings = DEFAULT) -> Scores:
    """Every score of one annotated summary.

    * ``pyramid`` is what the summary was compared with.
    * ``annotation`` says what the summary expresses of it.
    * ``settings`` say how the scores are computed where tools of the field differ.

    >>> import pyramidion as pm
    >>> topic = pm.example()[0]
    >>> paraphrase = next(a for a in topic.annotations if a.summary.id == "paraphrase-1")
    >>> round(pm.score(topic.pyramid, paraphrase).coverage, 2)
    0.86
    """
    annotation.check(pyramid)
    sizes = tier_sizes(pyramid, settings)
    counts = tier_counts(pyramid, annotation, settings)
    distinct = len(annotation.expressed)
    x_a = average_scus(pyramid, settings)
    weight, counted = raw(pyramid, annotation, settings), _weight(counts)
    best, best_on_average = max_weight(sizes, annotation.size), max_weight(sizes, x_a)
    original, modified = _ratio(counted, best), _coverage(weight, best_on_average, pyramid, settings)
    mean_score = None if modified is None else comprehensive(original, modified, settings.mean)
    summary_scores = Scores(
        topic=pyramid.topic,
        summary=annotation.summary.id,
        raw=weight,
        counted=counted,
        quality=original,
        coverage=modified,
        comprehensive=mean_score,
        precision=precision(annotation),
        recall=recall(pyramid, annotation, settings),
        scus=distinct,
        repeated=len(annotation.matches) - distinct,
        unmatched=len(annotation.unmatched),
        size=annotation.size,
        max_for_size=best,
        average_scus=x_a,
        max_for_average=best_on_average,
        tiers={tier: (counts[tier], size) for tier, size in sizes.items()},
        annotator=annotation.annotator,
        role=annotation.summary.role,
        settings=settings,
        contradicted=len(annotation.contradicted),
    )
    missing: dict[str, Any] = {} if is_annotated(pyramid, annotation) else dict.fromkeys(QUANTITIES)
    return replace(summary_scores, **missing) if missing else summary_scores


def _lowest_tier(pyramid: Pyramid, x: int, settings: Settings) -> tuple[list[SCU], list[SCU], int]:
    """The SCUs every optimal summary of x units has, the tier T_j it chooses the rest from, and how many of those."""
    if not 0 <= x <= len(pyramid.scus):
        raise ModelError(
            f"Pyramid {pyramid.topic!r} has {len(pyramid.scus)} SCUs: no summary of {x} can be made of them"
        )
    ranked = sorted(pyramid.scus, key=lambda scu: -weight_of(scu, settings))
    j = weight_of(ranked[x - 1], settings) if x else 0
    sure = [scu for scu in ranked if weight_of(scu, settings) > j] if x else []
    return sure, [scu for scu in ranked if weight_of(scu, settings) == j], x - len(sure)


def count_optimal_summaries(pyramid: Pyramid, x: int, settings: Settings = DEFAULT) -> int:
    """Return the number of sets of ``x`` SCUs that reach Max(x) (Nenkova et al. 2007 §2.2; Figure 1 has six)."""
    _, tier, rest = _lowest_tier(pyramid, x, settings)
    return comb(len(tier), rest)


def optimal_summaries(pyramid: Pyramid, x: int, settings: Settings = DEFAULT) -> Iterator[tuple[SCU, ...]]:
    """Each set of ``x`` SCUs that reaches Max(x), one at a time: all of the tiers above T_j and a choice from T_j."""
    sure, tier, rest = _lowest_tier(pyramid, x, settings)
    for choice in combinations(tier, rest):
        yield (*sure, *choice)


def jackknife(pyramid: Pyramid, annotation: Annotation, settings: Settings = DEFAULT) -> tuple[Scores, ...]:
    """A peer's scores against each pyramid that leaves one reference out.

    Matches of SCUs that a smaller pyramid lacks count as unmatched units there.
    """
    return tuple(scores(smaller, annotation.against(smaller), settings) for _, smaller in pyramid.leave_one_out())


def jackknifed(pyramid: Pyramid, annotation: Annotation, settings: Settings = DEFAULT) -> Scores:
    """A peer's jackknifed scores: the mean of each quantity over the pyramids that leave one reference out.

    A reference can only be scored against the others (:func:`reference_annotation`), with one reference fewer than a
    peer would have. Averaging a peer over the same smaller pyramids makes people and systems comparable, as in TAC.
    ``tiers`` stays that of the whole pyramid, and ``pyramids`` says over how many the mean was taken.
    """
    all_scores = jackknife(pyramid, annotation, settings)
    if len(all_scores) < 2:
        raise ModelError(
            f"Pyramid {pyramid.topic!r} has {len(all_scores)} reference(s); leaving one out needs at least two",
            do="do not jackknife it",
        )
    means: dict[str, Any] = {
        name: _mean([getattr(summary_scores, name) for summary_scores in all_scores]) for name in AVERAGED
    }
    return replace(scores(pyramid, annotation, settings), **means, pyramids=len(all_scores))


def _mean(values: Sequence[float | None]) -> float | None:
    """The mean; nothing where one value is missing, since the others are not all of them."""
    return None if None in values else fmean(value for value in values if value is not None)


def reference_annotation(pyramid: Pyramid, reference: str) -> tuple[Pyramid, Annotation]:
    """The pyramid of all other references, and what this one expresses of it.

    Its own contributors are its annotation: those to SCUs that others share are matches, the rest unmatched units.
    """
    rest = pyramid.restricted_to([summary.id for summary in pyramid.references if summary.id != reference])
    contributions = [
        (scu.id, contributor)
        for scu in pyramid.scus
        for contributor in scu.contributors
        if contributor.summary == reference
    ]
    matches = tuple(Match(scu, contributor.spans) for scu, contributor in contributions)
    return rest, Annotation(pyramid.reference(reference), matches).against(rest)
