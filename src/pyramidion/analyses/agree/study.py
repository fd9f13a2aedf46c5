"""The agreement of annotators of the same summaries, and its effect on scores: Nenkova et al. 2007 §4.1.

An annotator decides on every SCU of the pyramid for every summary: how often does the summary express it? (§4.1.1) A
decision is a *unit* of alpha, its value that count; for the distance ``masi`` a unit is a summary and its value the set
of SCUs found. What an annotator was not asked, or did not answer, is missing (see the format ``mturk-ratings``). Units
of one summary are not independent, so intervals come from draws of summaries.

Agreement alone does not show whether another annotator would change results. A *paradigmatic reliability study*
(§4.1.3) of two annotators therefore sets beside alpha (Table III) the correlation of the scores that either annotation
gives (Table IV) and their mean difference (Table V), to be read against .06, below which the paper takes differences
for meaningless.

The paper's alpha of a set is the mean of its summaries' alphas; summaries in which alpha is undefined (nobody found
anything) are left out of it and counted. The alpha of all decisions together stands beside it. Table V's figures are
mean differences, in which overestimates of one summary and underestimates of another cancel; the mean of the absolute
differences, which the text gives over all pairs (.0617 and .0555), is the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import inf
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyramidion.analyses.agree.result import (
    AnnotatorPair,
    PairStudy,
    Reliability,
    ScoreStudy,
    SummaryAgreement,
    TopicAgreement,
)
from pyramidion.base.choices import check_choices
from pyramidion.errors import ModelError, PyramidionError
from pyramidion.formats.join import check_ids
from pyramidion.formats.read import how_read
from pyramidion.methods import Method, signed_by_makers
from pyramidion.model import Annotation, Pyramid, Topic
from pyramidion.scoring import DEFAULT, Settings, scores
from pyramidion.signature import Signature
from pyramidion.stats.agreement import Agreement, cohen_kappa, krippendorff_alpha, leave_one_coder_out, scott_pi
from pyramidion.stats.bootstrap import Interval, mean_interval
from pyramidion.stats.correlation import Correlation, correlation_interval, fisher_interval
from pyramidion.stats.distances import DistanceName

THRESHOLD = 0.06
"""Differences of scores below this are considered meaningless (§3)."""

UNNAMED = "unnamed"
_LISTED = 10


@check_choices
def agree(
    topics: Iterable[Topic],
    distance: DistanceName = "dice",
    settings: Settings = DEFAULT,
    *,
    threshold: float = THRESHOLD,
    samples: int = 1000,
    seed: int = 0,
) -> Reliability:
    """Measure how far annotators agree: alpha by topic and overall, by pair of annotators, and without each annotator.

    Topics in which no summary has two annotations are left out.

    * ``topics`` have annotations by several people.
    * ``distance`` names the distance between two counts of an SCU: ``dice``, ``nominal``, ``interval``, ...
    * ``settings`` say how the scores are computed.
    * ``threshold`` is the size below which differences of scores do not matter.
    * ``samples`` are the draws for intervals, which start from ``seed``.

    >>> from dataclasses import replace
    >>> import pyramidion as pm
    >>> topic = pm.example()[0]
    >>> twice = [replace(annotation, annotator=name) for annotation in topic.annotations for name in ("Ann", "Bo")]
    >>> agreement = pm.agree([replace(topic, annotations=tuple(twice))], samples=100)
    >>> agreement.rows()[0]["alpha"]
    1.0
    """
    terms = _Terms(distance, settings, threshold, samples, seed)
    topics = sorted(topics, key=lambda topic: topic.id)
    check_ids(topics)
    judged = [_Judged.of(topic) for topic in topics if topic.annotations]
    _check_common(judged)
    doubly = [topic for topic in judged if topic.summaries]
    whole = _join_decisions([topic.decisions(distance) for topic in doubly])
    presence = _join_decisions([topic.decisions("nominal") for topic in doubly]).presence()
    pairs = _pairs(doubly)
    per_topic = tuple(
        TopicAgreement(topic.topic, topic.annotators, len(topic.summaries), terms.alpha(topic.decisions(distance)))
        for topic in doubly
    )
    return Reliability(
        Signature(
            "agree",
            (
                ("distance", distance),
                ("intervals", f"{samples} draws of summaries"),
                ("seed", str(seed)),
                ("threshold", f"{threshold:g}"),
                *signed_by_makers("agree", Method().makers(topics))[1],
                *settings.parameters(),
                *how_read(topics),
            ),
        ),
        distance,
        whole.annotators,
        per_topic,
        TopicAgreement("", whole.annotators, sum(len(topic.summaries) for topic in doubly), terms.alpha(whole)),
        tuple(_pair(first, second, common, whole, presence) for (first, second), common in pairs.items()),
        tuple(zip(whole.annotators, leave_one_coder_out(whole.ratings, distance), strict=True))
        if len(whole.annotators) > 2
        else (),
        tuple(agreement for topic in doubly for agreement in _by_summary(topic, distance)),
        tuple(study for first, second in pairs for study in _studies(doubly, first, second, terms)),
    )


@check_choices
def paradigmatic_study(
    topics: Sequence[Topic],
    one: str,
    other: str,
    distance: DistanceName = "dice",
    settings: Settings = DEFAULT,
    *,
    threshold: float = THRESHOLD,
    samples: int = 1000,
    seed: int = 0,
) -> PairStudy:
    """Return the paradigmatic study of two annotators (§4.1.3) over the summaries of all topics that both annotated."""
    terms = _Terms(distance, settings, threshold, samples, seed)
    judged = [_Judged.of(topic) for topic in topics if topic.annotations]
    for name in (one, other):
        if not any(name in topic.annotators for topic in judged):
            known = sorted({name for topic in judged for name in topic.annotators})
            raise ModelError(
                f"No summary is annotated by {name!r}",
                do=f"name one of the annotators: {', '.join(known[:_LISTED]) or 'none'}",
            )
    study = _study(judged, one, other, terms)
    if not study.summaries:
        _check_common([topic.only((one, other)) for topic in judged])
    return study


@dataclass(frozen=True, slots=True)
class _Decisions:
    """Annotators x units, and the summary of each unit."""

    annotators: tuple[str, ...]
    ratings: NDArray[Any]
    groups: tuple[tuple[str, str], ...]
    distance: DistanceName

    def presence(self) -> NDArray[np.float64]:
        """Return 1 for every unit that was found at least once, 0 for the others; NaN stays NaN."""
        return np.where(self.ratings > 0, 1.0, self.ratings)


@dataclass(frozen=True, slots=True)
class _Terms:
    """The settings by which two annotations are compared."""

    distance: DistanceName
    settings: Settings
    threshold: float
    samples: int
    seed: int

    def __post_init__(self) -> None:
        # written so that NaN fails, too
        if not 0 <= self.threshold < inf:
            raise ModelError(f"The threshold is {self.threshold}", do="give a number of at least 0")
        if self.samples < 1:
            raise ModelError(f"{self.samples} draws are too few for an interval", do="give 100 or more")

    def alpha(self, decisions: _Decisions) -> Agreement:
        return krippendorff_alpha(
            decisions.ratings, decisions.distance, groups=decisions.groups, samples=self.samples, seed=self.seed
        )

    def interval(self, values: Sequence[float]) -> Interval | None:
        return mean_interval(values, samples=self.samples, seed=self.seed)


@dataclass(frozen=True, slots=True)
class _Judged:
    """One topic's annotations by summary and annotator."""

    topic: str
    pyramid: Pyramid
    annotations: dict[str, dict[str, Annotation]]

    @classmethod
    def of(cls, topic: Topic) -> _Judged:
        if topic.pyramid is None:
            raise ModelError(f"The annotations of topic {topic.id!r} come without a pyramid", do="add it")
        annotations: dict[str, dict[str, Annotation]] = {}
        for annotation in sorted(
            topic.annotations, key=lambda annotation: (annotation.summary.id, annotation.annotator)
        ):
            annotations.setdefault(annotation.summary.id, {})[annotation.annotator or UNNAMED] = annotation
        return cls(topic.id, topic.pyramid, annotations)

    def only(self, annotators: Sequence[str]) -> _Judged:
        """Return the annotations by these annotators."""
        kept = {
            summary: {name: annotation for name, annotation in by.items() if name in annotators}
            for summary, by in self.annotations.items()
        }
        return _Judged(self.topic, self.pyramid, {summary: by for summary, by in kept.items() if by})

    @property
    def annotators(self) -> tuple[str, ...]:
        return tuple(sorted({name for by in self.annotations.values() for name in by}))

    @property
    def summaries(self) -> dict[str, dict[str, Annotation]]:
        """The summaries with two annotations or more."""
        return {summary: by for summary, by in self.annotations.items() if len(by) > 1}

    def decisions(self, distance: DistanceName) -> _Decisions:
        names, scus = self.annotators, [scu.id for scu in self.pyramid.scus]
        blocks, groups = [], []
        for summary, by in self.summaries.items():
            block = np.full((len(names), len(scus)), np.nan)
            for row, name in enumerate(names):
                if name in by:
                    block[row] = _counts(by[name], scus)
            blocks.append(_as_sets(block, self.topic, scus) if distance == "masi" else block)
            groups += [(self.topic, summary)] * blocks[-1].shape[1]
        empty = np.full((len(names), 0), np.nan)
        return _Decisions(names, np.hstack([empty, *blocks]) if blocks else empty, tuple(groups), distance)


def _counts(annotation: Annotation, scus: Sequence[str]) -> list[float]:
    """Return how often each SCU was found; NaN if it was not judged. A contradicted SCU was judged and not found."""
    times = dict.fromkeys(scus, 0.0)
    for match in annotation.matches:
        times[match.scu] += 1
    skipped = dict(annotation.unjudged)
    return [float("nan") if scu in skipped else times[scu] for scu in scus]


def _as_sets(block: NDArray[np.float64], topic: str, scus: Sequence[str]) -> NDArray[Any]:
    """Return the set of SCUs that each annotator found; None if an SCU was not judged."""
    sets = np.full((len(block), 1), None, dtype=object)
    for row, times in enumerate(block):
        if not np.isnan(times).any():
            sets[row, 0] = frozenset((topic, scu) for scu, found in zip(scus, times, strict=True) if found)
    return sets


def _join_decisions(decisions: Sequence[_Decisions]) -> _Decisions:
    """Join the decisions of several topics; each annotator has one row."""
    names = tuple(sorted({name for topic in decisions for name in topic.annotators}))
    row = {name: number for number, name in enumerate(names)}
    distance = decisions[0].distance
    width = sum(topic.ratings.shape[1] for topic in decisions)
    ratings: NDArray[Any] = (
        np.full((len(names), width), None, dtype=object) if distance == "masi" else np.full((len(names), width), np.nan)
    )
    start = 0
    for topic in decisions:
        end = start + topic.ratings.shape[1]
        ratings[[row[name] for name in topic.annotators], start:end] = topic.ratings
        start = end
    return _Decisions(names, ratings, tuple(group for topic in decisions for group in topic.groups), distance)


def _check_common(judged: Sequence[_Judged]) -> None:
    """Raise unless some summary has two annotations."""
    by: dict[str, list[str]] = {}
    for topic in judged:
        for summary, made in topic.annotations.items():
            for name in made:
                by.setdefault(name, []).append(f"{topic.topic}/{summary}")
    if not by:
        raise PyramidionError("There is no annotation", do="give annotations of the same summaries by two annotators")
    if len(by) == 1:
        (name, summaries), *_ = by.items()
        raise PyramidionError(
            f"All {len(summaries)} annotation(s) are by one annotator ({name})",
            do="add annotations of the same summaries by another annotator, or name annotators by their folders",
        )
    if not any(topic.summaries for topic in judged):
        shown = "; ".join(f"{name}: {_first(ids)}" for name, ids in sorted(by.items())[:_LISTED])
        raise PyramidionError(
            f"No summary is annotated by two of the {len(by)} annotators ({shown})",
            do="check that topics and summaries have the same ids",
        )


def _first(ids: Sequence[str]) -> str:
    return ", ".join(ids[:_LISTED]) + (f" and {len(ids) - _LISTED} more" if len(ids) > _LISTED else "")


def _pairs(judged: Sequence[_Judged]) -> dict[tuple[str, str], int]:
    """Return the pairs of annotators with common summaries, and their number; the largest number comes first."""
    common: dict[tuple[str, str], int] = {}
    for topic in judged:
        for by in topic.summaries.values():
            for pair in combinations(sorted(by), 2):
                common[pair] = common.get(pair, 0) + 1
    return dict(sorted(common.items(), key=lambda item: (-item[1], item[0])))


def _pair(name: str, other_name: str, common: int, whole: _Decisions, presence: NDArray[np.float64]) -> AnnotatorPair:
    """Return the agreement of two annotators on everything that both judged."""
    rows = [whole.annotators.index(name), whole.annotators.index(other_name)]
    first, second = presence[rows]
    judged = ~(np.isnan(first) | np.isnan(second))
    return AnnotatorPair(
        name,
        other_name,
        common,
        krippendorff_alpha(whole.ratings[rows], whole.distance),
        round(float((first[judged] == second[judged]).mean()), 12) if judged.any() else None,
        cohen_kappa(first, second),
        scott_pi(first, second),
    )


def _own_alphas(topic: _Judged, distance: DistanceName) -> dict[str, Agreement]:
    """Return alpha of the decisions on each summary."""
    alphas = {}
    for summary, by in topic.summaries.items():
        alone = _Judged(topic.topic, topic.pyramid, {summary: by})
        # a summary's set is a single unit, which has no alpha
        counts = alone.decisions("dice" if distance == "masi" else distance)
        alphas[summary] = krippendorff_alpha(counts.ratings, counts.distance)
    return alphas


def _by_summary(topic: _Judged, distance: DistanceName) -> Iterable[SummaryAgreement]:
    decisions = topic.decisions(distance)
    for summary, alpha in _own_alphas(topic, distance).items():
        elsewhere = np.asarray([group[1] != summary for group in decisions.groups], dtype=bool)
        yield SummaryAgreement(
            topic.topic, summary, alpha, krippendorff_alpha(decisions.ratings[:, elsewhere], distance)
        )


def _studies(judged: Sequence[_Judged], first: str, second: str, terms: _Terms) -> Iterable[PairStudy]:
    """Yield the study of all topics together, if there are several, and of each topic with two common summaries."""
    shared = [topic for topic in judged if topic.only((first, second)).summaries]
    if len(shared) > 1:
        yield _study(shared, first, second, terms)
    for topic in shared:
        if len(shared) > 1 and len(topic.only((first, second)).summaries) < 2:
            continue  # one summary has no correlation, and counts above
        yield _study([topic], first, second, terms)


def _study(judged: Sequence[_Judged], first: str, second: str, terms: _Terms) -> PairStudy:
    """Return the paradigmatic study of two annotators over all these topics together."""
    ours = [topic.only((first, second)) for topic in judged]
    ours = [topic for topic in ours if topic.summaries]
    decisions = _join_decisions([topic.decisions(terms.distance) for topic in ours]) if ours else None
    alphas = [alpha.value for topic in ours for alpha in _own_alphas(topic, terms.distance).values()]
    defined = sorted(value for value in alphas if value is not None)
    pairs = [(topic.pyramid, by[first], by[second]) for topic in ours for by in topic.summaries.values()]
    # who judged a summary only in part gives it no score that compares
    whole = [pair for pair in pairs if not (pair[1].unjudged or pair[2].unjudged)]
    scored = [(scores(pyramid, a, terms.settings), scores(pyramid, b, terms.settings)) for pyramid, a, b in whole]
    qualities, coverages = (
        [(getattr(a, name), getattr(b, name)) for a, b in scored] for name in ("quality", "coverage")
    )
    return PairStudy(
        ours[0].topic if len(ours) == 1 else "",
        first,
        second,
        len(pairs),
        len(pairs) - len(whole),
        terms.alpha(decisions) if decisions else Agreement(None, "no common summary"),
        round(fmean(defined), 12) if defined else None,
        terms.interval(defined),
        len(alphas) - len(defined),
        _score_study([pair for pair in qualities if None not in pair], terms),
        _score_study([pair for pair in coverages if None not in pair], terms),
    )


def _score_study(pairs: Sequence[tuple[float, float]], terms: _Terms) -> ScoreStudy:
    """Compare the scores that two annotators give the same summaries."""
    if not pairs:
        return ScoreStudy(Correlation(None, None, 0), None, None, None, None, None)
    first, second = zip(*pairs, strict=True)
    correlation = correlation_interval(first, second, samples=terms.samples, seed=terms.seed)
    differences = sorted(ours - theirs for ours, theirs in pairs)
    mean = round(fmean(differences), 12)
    return ScoreStudy(
        correlation,
        fisher_interval(correlation.value, correlation.n),
        mean,
        terms.interval(differences),
        round(fmean(abs(difference) for difference in differences), 12),
        abs(mean) < terms.threshold,
    )
