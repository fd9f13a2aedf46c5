r"""The figures of a judge on minimal sets and damaged texts.

With :math:`p_{sk}` the judge's P(said) for the variant of kind k in set s:

===================  ==============================================================================================
mean by kind         :math:`\bar p_k` over the sets that have the kind
order                the share of sets in which every said variant has a higher p than every unsaid one
auc                  the probability that a said variant has a higher p than an unsaid one, each drawn from all
                     sets; a tie counts half. 1 is perfect, .5 a coin, and 0 a judge that is always wrong
true against false   the same for light and heavy paraphrases against negated and swapped statements: who counts
                     words is below .5 here
===================  ==============================================================================================

Intervals (95 %) are of seeded draws of whole sets, because the variants of one set stand and fall together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from pyramidion.analyses.accuracy.candidates import judge_name, matchers
from pyramidion.analyses.accuracy.matching import match_topics
from pyramidion.analyses.accuracy.minimal.damage import ROWS, shares, with_damaged
from pyramidion.analyses.accuracy.minimal.result import Figure, JudgeFigures, MinimalStudy
from pyramidion.analyses.accuracy.minimal.sets import (
    CONTRADICTED,
    GENRES,
    KINDS,
    NOT_SAID,
    SAID,
    Half,
    MinimalSet,
    as_topic,
    fingerprint,
)
from pyramidion.base.choices import check_choices
from pyramidion.errors import MissingPartError
from pyramidion.matchers.expressions import expressions
from pyramidion.methods import GIVEN, Method, versions_of
from pyramidion.metrics.rouge import Rouge
from pyramidion.model import Annotation, Pyramid, Summary, Topic
from pyramidion.signature import Signature
from pyramidion.stats.bootstrap import FEWEST, mean_interval, percentiles

FLOOR = "ROUGE-1 recall"
SAMPLES = 10_000
SEED = 0
UNSAID = (*CONTRADICTED, *NOT_SAID)
TRUE, FALSE = ("light", "heavy"), ("negation", "swapped")

Degrees = dict[str, float]
"""P(said) of the variants of one set, by kind."""


def p_said(annotation: Annotation, scu: str) -> float | None:
    """Return the probability that the summary says the SCU, by a judge's annotation.

    For a matcher without probabilities, it is the score of its match, or 0 without a match. It is None if the judge did
    not answer.
    """
    if scu in dict(annotation.unjudged):
        return None
    if annotation.probabilities:
        return dict(annotation.probabilities).get(scu)
    return max((match.score for match in annotation.matches if match.scu == scu), default=0.0)


def rouge_1(pyramid: Pyramid, summary: Summary) -> Annotation:
    """Judge by ROUGE-1 recall, stemmed, of an SCU's best wording against the summary. This is the floor."""
    wordings = [expressions(pyramid, scu) for scu in pyramid.scus]
    references = [[wording] for of_scu in wordings for wording in of_scu]
    recalls = iter(Rouge("1", stem=True).scores([summary.text] * len(references), references))
    best = (max(next(recalls).recall for _ in of_scu) for of_scu in wordings)
    return Annotation(summary, probabilities=tuple((scu.id, p) for scu, p in zip(pyramid.scus, best, strict=True)))


def judges() -> list[str]:
    """Return the installed matchers that need no set-up and give probabilities; each is tried on a sentence."""
    topic = as_topic(MinimalSet("It rained.", "It was May.", "We went home.", {"verbatim": "It rained."}), "first")
    names = []
    for name in matchers():
        method = Method(GIVEN, name)
        try:
            annotation = method.match(method.pyramid(topic), topic.peers[0])
        except MissingPartError:
            continue
        if annotation.probabilities:
            names.append(name)
    return names


def passages(sets: Iterable[MinimalSet], example: Iterable[Topic]) -> int:
    """Return the number of texts that a judge reads in :func:`bench_minimal`."""
    return sum(len(item.variants) for item in sets) + sum(len(topic.references) * (1 + len(ROWS)) for topic in example)


@check_choices
def bench_minimal(
    methods: Iterable[Method],
    sets: Sequence[MinimalSet],
    example: Iterable[Topic],
    half: Half = "development",
    *,
    samples: int = SAMPLES,
    progress: Callable[[str], None] = lambda summary: None,
) -> MinimalStudy:
    """Compute the figures of every matcher on the sets and on the damaged texts; those of the floor come last.

    ``half`` names the half of the sets. ``progress`` is called twice for each text, when it is analysed and when it is
    judged.
    """
    methods = tuple(method.with_degrees() for method in methods)
    topics = [as_topic(item, str(number)) for number, item in enumerate(sets, start=1)]
    texts = [with_damaged(topic) for topic in example]
    judged = [
        (judge_name(method), match_topics([*topics, *texts], method, progress=progress).topics) for method in methods
    ]
    judged.append((FLOOR, tuple(annotated(topic, rouge_1) for topic in (*topics, *texts))))
    signature = Signature(
        "bench-minimal",
        (
            ("judges", ",".join(map(str, methods))),
            *versions_of(methods),
            ("half", half),
            ("sets", f"{len(sets)}-{fingerprint(sets)}"),
            ("rouge", "stem"),
            ("samples", str(samples)),
            ("seed", str(SEED)),
        ),
    )
    judges = tuple(
        figures(name, sets, answers[: len(topics)], answers[len(topics) :], samples=samples) for name, answers in judged
    )
    return MinimalStudy(signature, half, len(sets), judges)


def annotated(topic: Topic, judge: Callable[[Pyramid, Summary], Annotation]) -> Topic:
    """Return the topic with the judge's annotations of all its peers."""
    assert topic.pyramid is not None
    return replace(topic, annotations=tuple(judge(topic.pyramid, peer) for peer in topic.peers))


def figures(
    judge: str,
    sets: Sequence[MinimalSet],
    answers: Sequence[Topic],
    texts: Sequence[Topic] = (),
    *,
    samples: int = SAMPLES,
) -> JudgeFigures:
    """Compute a judge's figures from its annotations of the sets' topics, in order, and of the damaged texts."""
    degrees = [_degrees(topic) for topic in answers]
    by_genre: dict[str, list[Degrees]] = {}
    for item, of_set in zip(sets, degrees, strict=True):
        by_genre.setdefault(item.genre, []).append(of_set)
    return JudgeFigures(
        judge,
        {kind: _mean([of_set[kind] for of_set in degrees if kind in of_set], samples) for kind in KINDS},
        _mean([float(_are_in_order(of_set)) for of_set in degrees], samples),
        auc(degrees, SAID, UNSAID, samples=samples),
        auc(degrees, TRUE, FALSE, samples=samples),
        {genre: auc(by_genre[genre], SAID, UNSAID, samples=samples) for genre in GENRES if genre in by_genre},
        {row: _mean(values, samples) for row, values in shares(texts).items()},
    )


def _degrees(topic: Topic) -> Degrees:
    assert topic.pyramid is not None
    scu = topic.pyramid.scus[0].id
    answered = {annotation.summary.id: p_said(annotation, scu) for annotation in topic.annotations}
    return {kind: p for kind, p in answered.items() if p is not None}


def _mean(values: Sequence[float], samples: int) -> Figure:
    value = round(sum(values) / len(values), 12) if values else None
    return Figure(value, mean_interval(values, samples=samples, seed=SEED), len(values))


def _are_in_order(degrees: Degrees) -> bool:
    """Return whether every said variant has a higher probability than every unsaid one."""
    said = (degrees[kind] for kind in SAID if kind in degrees)
    return min(said, default=0.0) > max((degrees[kind] for kind in UNSAID if kind in degrees), default=0.0)


def auc(
    degrees: Sequence[Degrees], above: Sequence[str], below: Sequence[str], *, samples: int = SAMPLES, seed: int = SEED
) -> Figure:
    r"""Return the probability that a variant of a kind ``above`` has a higher degree than one of a kind ``below``.

    With :math:`w_{st}` the pairs that set s wins against set t (ties count half) and :math:`m_{st}` all their pairs,
    a draw in which set s stands c_s times has :math:`\sum_{st} c_s c_t w_{st} / \sum_{st} c_s c_t m_{st}`; the figure
    itself is that of c = 1.

    >>> sets = [{"light": 0.9, "negation": 0.4}, {"light": 0.3, "negation": 0.4}]
    >>> auc(sets, ["light"], ["negation"]).value                       # .9 > .4 twice, .3 > .4 never: 2 of 4
    0.5
    """
    high, winners = _flatten(degrees, above)
    low, losers = _flatten(degrees, below)
    compared = (high[:, None] > low) + 0.5 * (high[:, None] == low)
    identity = np.eye(len(degrees))
    # identity[winners] marks the set of each variant: the products sum over the variants of a set
    wins = identity[winners].T @ compared @ identity[losers]
    pairs = np.outer(identity[winners].sum(axis=0), identity[losers].sum(axis=0))
    if not pairs.sum():
        return Figure(None, None, len(degrees))
    value = round(float(wins.sum() / pairs.sum()), 12)
    counts = np.random.default_rng(seed).multinomial(len(degrees), [1 / len(degrees)] * len(degrees), size=samples)
    of_pairs = ((counts @ pairs) * counts).sum(axis=1)
    with np.errstate(invalid="ignore"):  # a draw without a pair has no figure
        drawn = ((counts @ wins) * counts).sum(axis=1) / of_pairs
    return Figure(value, percentiles(value, drawn) if len(degrees) >= FEWEST else None, len(degrees))


def _flatten(degrees: Sequence[Degrees], kinds: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return the degrees of these kinds in all sets, and the set of each degree."""
    flat = [(of_set[kind], place) for place, of_set in enumerate(degrees) for kind in kinds if kind in of_set]
    return np.array([p for p, _ in flat], float), np.array([place for _, place in flat], int)
