r"""The scores of summaries against every sub-pyramid: the pyramids that fewer of the references would have made.

A sub-pyramid needs no annotation of its own (Nenkova et al. 2007 §3): with the incidence matrix M, references x SCUs,
and a row s of bits for a subset of the references, the SCUs weigh w = s M, those of weight 0 vanish, and what matched
them counts as units in no SCU, so that a summary's size X stays. All subsets of one size are the rows of one matrix S,
and W = S M weighs every SCU in every sub-pyramid at once. With N_w SCUs of weight w or more,

.. math:: Max(X) = \sum_{w \ge 1} \min(X, N_w)

is the maximum of §2.2 layer by layer, also for a fractional X. The scores equal those of
:meth:`~pyramidion.model.Pyramid.restricted_to` and :func:`~pyramidion.scoring.scores`.

Subsets of one size are enumerated if there are at most ``samples`` of them; else so many different ones are drawn. A
summary with several annotations counts with the mean of their scores.

Where the settings round X_a, it may be 0 although the sub-pyramid has SCUs. Then there is no coverage
(:func:`~pyramidion.scoring.coverage`): such sub-pyramids are left out, and a warning counts them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from pyramidion.analyses.plots.stability import chosen_summaries, chosen_topic
from pyramidion.analyses.stability.result import Quantity, StabilityStudy, TopicStability, Whose
from pyramidion.base.choices import check_choices
from pyramidion.errors import ModelError, PyramidionError
from pyramidion.evaluation.evaluate import evaluate
from pyramidion.formats.read import how_read
from pyramidion.methods import Method, signed_by_makers
from pyramidion.model import Annotation, Match, Pyramid, Topic
from pyramidion.notes import note
from pyramidion.scoring import DEFAULT, Settings, beliefs, weight_of
from pyramidion.signature import Signature
from pyramidion.stats.ratios import ratios
from pyramidion.stats.stability import (
    ERROR,
    RANKING,
    THRESHOLD,
    mean_divergence,
    need,
    pooled_errors,
    pooled_rankings,
)
from pyramidion.stats.stability import (
    stability as stability_of,
)

Array = NDArray[np.float64]

SAMPLES = 10_000
"""The most sub-pyramids of one size that are tried; up to 15 references, these are all."""
MOST = 1_000_000
"""The most sub-pyramids that are held in memory."""

_ROWS = 1 << 15
"""The number of sub-pyramids that are weighed at once."""

_APPLIED = {"coverage": ("average", "cap", "weights", "presence"), "quality": ("weights",)}
"""The settings that each score depends on, for signatures."""


@check_choices
def stability(
    topics: Iterable[Topic],
    method: Method | str = "manual",
    settings: Settings = DEFAULT,
    *,
    quantity: Quantity = "coverage",
    whose: Whose = "peers",
    threshold: float = THRESHOLD,
    error: float = ERROR,
    ranking: float = RANKING,
    samples: int = SAMPLES,
    seed: int = 0,
    topic: str = "",
    show: Sequence[str] = (),
    progress: Callable[[str], None] = lambda done: None,
) -> StabilityStudy:
    """Return the stability of the scores of every topic's peers or, as in the paper, of its references.

    * ``topics`` have pyramids of two references or more, and two summaries or more.
    * ``method`` gives the pyramids and annotations: people's (``manual``), or a method that makes them.
    * ``settings`` say how the scores are computed where tools of the field differ.
    * ``quantity`` is the score: ``coverage`` or ``quality``.
    * ``whose`` scores are studied: those of the ``peers`` or of the ``references``.
    * ``threshold``: scores that differ by less count as the same.
    * ``error`` and ``ranking`` say when references are enough: the probability of error to stay within, and the mean
      Spearman correlation to reach.
    * ``samples`` sub-pyramids of one size are tried at most, drawn from ``seed``.
    * ``topic`` and ``show`` are the topic and the summaries whose ranges the picture draws.
    * ``progress`` is called with each summary and each topic that is done.

    A reference is scored against the pyramids of the others. Topics that have too few references or summaries are left
    out with a warning.

    >>> import pyramidion as pm
    >>> print(pm.stability(pm.example()).need)
    1 reference is enough for these summaries (probability of error at most 0.1, mean Spearman at least 0.85; ...
    """
    if not 1 <= samples <= MOST:
        raise ModelError(f"The number of sub-pyramids to try is {samples}", do=f"give a number from 1 to {MOST}")
    method = Method.parse(method) if isinstance(method, str) else method
    stabilities: list[TopicStability] = []
    topics = list(topics)
    for pyramid, summaries in _pyramids(topics, method, settings, whose, progress):
        fewest = 3 if whose == "references" else 2
        problem = ""
        if pyramid.size < fewest:
            problem = f"its pyramid has {pyramid.size} reference(s), and {fewest} are needed to leave some out"
        elif len({summary.summary.id for summary in summaries}) < 2:
            problem = "it has one summary, and none to compare it with"
        if problem:
            note(f"Topic {pyramid.topic!r} is left out: {problem}")
            continue
        stable = _topic(pyramid, summaries, settings, quantity, threshold, samples, seed)
        if stable is None:
            why = "it has no coverage, since the mean number of SCUs per reference is rounded to 0"
            note(f"Topic {pyramid.topic!r} is left out: {why}")
            continue
        stabilities.append(stable)
        progress(pyramid.topic)
    if not stabilities:
        raise PyramidionError(
            "No topic's scores can be compared between pyramids of different size",
            do="give topics with two annotated peers or more, and pyramids of two references or more"
            if whose == "peers"
            else "give pyramids of three references or more",
        )
    # raises if the picture asks for a topic or a summary that is not there
    chosen_summaries(chosen_topic(stabilities, topic).stability, show)
    _warn(stabilities)
    alone = [result.stability for result in stabilities]
    errors, rankings = pooled_errors(alone), pooled_rankings(alone)
    divergence, diverging = mean_divergence(pair for scores_of_topic in alone for pair in scores_of_topic.pairs)
    parameters = (
        *((name, value) for name, value in settings.parameters() if name in _APPLIED[quantity]),
        ("score", quantity),
        ("summaries", whose),
        ("threshold", f"{threshold:g}"),
        ("sub-pyramids", f"{samples} a size, seed {seed}" if any(result.sampled for result in stabilities) else "all"),
    )
    name, made_by = signed_by_makers(str(method), method.makers(topics))
    return StabilityStudy(
        Signature(name, (*method.versions, *made_by, *parameters, *how_read(topics))),
        quantity,
        whose,
        threshold,
        tuple(stabilities),
        errors,
        rankings,
        divergence,
        diverging,
        need(errors, rankings, error, ranking),
        topic,
        tuple(show),
    )


def _pyramids(
    topics: Iterable[Topic], method: Method, settings: Settings, whose: Whose, progress: Callable[[str], None]
) -> list[tuple[Pyramid, list[Annotation]]]:
    """Return each topic's pyramid and the annotations to score against its parts, by topic."""
    made: dict[str, tuple[Pyramid, list[Annotation]]] = {}
    if whose == "peers":
        for result in evaluate(topics, method, settings, progress=progress).results:
            if result.annotation.summary.role == "peer" and result.scores.raw is not None:
                made.setdefault(result.pyramid.topic, (result.pyramid, []))[1].append(result.annotation)
    else:
        unread = [replace(topic, peers=(), annotations=()) for topic in topics]
        method.check_language(unread)
        for topic in unread:
            pyramid = method.pyramid(topic)
            made[topic.id] = pyramid, [_own_annotation(pyramid, reference.id) for reference in pyramid.references]
    return [made[topic] for topic in sorted(made)]


def _own_annotation(pyramid: Pyramid, reference: str) -> Annotation:
    """Return the annotation of a reference: its own contributors."""
    matches = tuple(
        Match(scu.id, contributor.spans)
        for scu in pyramid.scus
        for contributor in scu.contributors
        if contributor.summary == reference
    )
    return Annotation(pyramid.reference(reference), matches)


def _topic(
    pyramid: Pyramid,
    annotations: Sequence[Annotation],
    settings: Settings,
    quantity: Quantity,
    threshold: float,
    samples: int,
    seed: int,
) -> TopicStability | None:
    """Return the stability of a topic's scores; None if X_a is rounded to 0 in the whole or in all smaller pyramids."""
    inside = {reference.id for reference in pyramid.references}
    held_out = any(
        annotation.summary.role == "reference" and annotation.summary.id in inside for annotation in annotations
    )
    # a reference is scored against the pyramids of the others, which have one reference less
    largest = pyramid.size - held_out
    names = sorted({annotation.summary.id for annotation in annotations})
    by_size: dict[int, Array] = {}
    sampled, without_coverage = [], 0
    for size in range(1, largest + 1):
        # all of the largest size are needed: the smaller ones are compared with them
        chosen = subsets(pyramid, size, samples if size < largest else pyramid.size, seed)
        if len(chosen) < (there := comb(pyramid.size, size)):
            sampled.append((size, len(chosen), there))
        by_annotation = np.concatenate(
            [
                sub_pyramid_scores(pyramid, annotations, chosen[start : start + _ROWS], settings, quantity)
                for start in range(0, len(chosen), _ROWS)
            ]
        )
        defined = ~np.isnan(by_annotation).all(axis=1)
        without_coverage += int((~defined).sum())
        by_summary = np.stack(
            [
                by_annotation[
                    :, [index for index, annotation in enumerate(annotations) if annotation.summary.id == name]
                ].mean(axis=1)
                for name in names
            ],
            axis=1,
        )
        unseen = [name for name, column in zip(names, by_summary.T, strict=True) if np.isnan(column).all()]
        if unseen and defined.all():
            raise ModelError(
                f"Topic {pyramid.topic!r}: none of the {len(chosen)} sub-pyramids of {size} references that were drawn "
                f"leaves out {unseen[0]!r}",
                do="try more: raise samples",
            )
        if not unseen:
            by_size[size] = by_summary[defined]
    if largest not in by_size or len(by_size) < 2:
        return None
    return TopicStability(
        pyramid.topic, stability_of(by_size, names, threshold), tuple(sampled), without_coverage=without_coverage
    )


def subsets(pyramid: Pyramid, size: int, samples: int = SAMPLES, seed: int = 0) -> NDArray[np.bool_]:
    """Return subsets of that size as rows of bits, a bit for each reference: all, or a sample without repetition.

    What is drawn depends on the references' texts, not on their order.
    """
    references = pyramid.size
    if comb(references, size) <= samples:
        rows = np.array(list(combinations(range(references), size)))
    else:
        order = sorted(
            range(references), key=lambda place: (pyramid.references[place].text, pyramid.references[place].id)
        )
        generator = np.random.default_rng([seed, references, size])
        drawn: dict[tuple[int, ...], None] = {}
        while len(drawn) < samples:  # drawing goes on until so many different subsets are found
            draws = generator.random((samples, references)).argpartition(size - 1, axis=1)[:, :size]
            drawn.update(dict.fromkeys(map(tuple, np.sort(draws, axis=1).tolist())))
        rows = np.array(order)[np.array(list(drawn)[:samples])]
    bits = np.zeros((len(rows), references), dtype=bool)
    np.put_along_axis(bits, rows, True, axis=1)
    return bits


@check_choices
def sub_pyramid_scores(
    pyramid: Pyramid,
    annotations: Sequence[Annotation],
    chosen: NDArray[np.bool_],
    settings: Settings = DEFAULT,
    quantity: Quantity = "coverage",
) -> Array:
    """Return the score of every annotation (columns) against the pyramid of every subset of references (rows).

    NaN where the summary is a reference of that pyramid, and where X_a is rounded to 0. Takes O(subsets x SCUs x
    annotations) in two matrix products.
    """
    for annotation in annotations:
        annotation.check(pyramid)
    place = {reference.id: index for index, reference in enumerate(pyramid.references)}
    column = {scu.id: index for index, scu in enumerate(pyramid.scus)}
    incidence = np.zeros((len(place), len(column)))
    for scu in pyramid.scus:
        for contributor in scu.contributors:
            cell = place[contributor.summary], column[scu.id]
            incidence[cell] = 1 if settings.weights == "references" else incidence[cell] + 1
    weights = chosen.astype(float) @ incidence
    heaviest = max((weight_of(scu, settings) for scu in pyramid.scus), default=0)
    layers = np.stack([(weights >= w).sum(axis=1) for w in range(1, heaviest + 1)], axis=1) if heaviest else None

    def best(x: Array) -> Array:
        """Return Max(x), x being rows x columns."""
        total: Array = np.zeros(np.broadcast_shapes(x.shape, (len(chosen), 1)))
        if layers is not None:
            for layer in layers.T:
                total += np.minimum(x, layer[:, None])
        return total

    expressed = np.zeros((len(annotations), len(column)))
    for row, annotation in enumerate(annotations):
        expressed[row, [column[scu] for scu in annotation.expressed]] = 1
    counted = weights @ expressed.T
    if quantity == "quality":
        top, bottom = counted, best(np.array([[float(annotation.size) for annotation in annotations]]))
    else:
        top = _expected(annotations, settings, column, weights, counted)
        mean = weights.sum(axis=1) / chosen.sum(axis=1)
        rounded = {"exact": mean, "floor": np.floor(mean), "ceil": np.ceil(mean), "round": np.floor(mean + 0.5)}
        bottom = np.broadcast_to(best(rounded[settings.average][:, None]), top.shape)
    scores = ratios(top, bottom, 0.0)
    if quantity == "coverage":
        rounded_away = (bottom == 0) & (weights > 0).any(axis=1, keepdims=True)
        scores = np.where(rounded_away, np.nan, scores)
        scores = np.minimum(scores, 1) if settings.cap else scores
    for number, annotation in enumerate(annotations):
        if annotation.summary.role == "reference" and annotation.summary.id in place:
            scores[chosen[:, place[annotation.summary.id]], number] = np.nan
    return scores


def _expected(
    annotations: Sequence[Annotation], settings: Settings, column: dict[str, int], weights: Array, counted: Array
) -> Array:
    """Return D of every annotation: expected if a judge gives probabilities of SCUs that are left, or else counted."""
    judged = [
        index
        for index, annotation in enumerate(annotations)
        if annotation.probabilities and settings.presence == "expected"
    ]
    expected = counted.copy()
    for index in judged:
        believed = np.zeros(len(column))
        asked = np.zeros(len(column), dtype=bool)
        for scu, probability in beliefs(annotations[index], settings).items():
            believed[column[scu]], asked[column[scu]] = probability, True
        left = (weights[:, asked] > 0).any(axis=1)
        expected[:, index] = np.where(left, weights @ believed, counted[:, index])
    return expected


def _warn(topics: Sequence[TopicStability]) -> None:
    """Warn of sub-pyramids that were not tried or have no coverage, and of topics without a ranking."""
    sampled = [topic for topic in topics if topic.sampled]
    if sampled:
        size, drawn, there = sampled[0].sampled[0]
        note(
            f"{len(sampled)} topic(s) have more sub-pyramids than are tried (the first: topic {sampled[0].topic!r}, "
            f"{drawn} drawn of the {there} of {size} references); ranges and points of divergence are those of the "
            "drawn ones; raise samples to try more"
        )
    rounded = [topic for topic in topics if topic.without_coverage]
    if rounded:
        note(
            f"{sum(topic.without_coverage for topic in rounded)} sub-pyramid(s) of {len(rounded)} topic(s) (the first: "
            f"{rounded[0].topic!r}) give no coverage and are left out: the mean number of SCUs per reference is "
            "rounded to 0; the setting average=exact does not round"
        )
    constant = [topic.topic for topic in topics if len(set(topic.stability.scores)) == 1]
    if constant:
        note(
            f"{len(constant)} topic(s) give all summaries the same score (the first: {constant[0]!r}), so they have no "
            "ranking"
        )
