"""Scores of summaries, and what two of them are worth together: methods and metrics of a corpus against human scores.

A score is named ``NAME`` or ``NAME:SCORE``. The name is a method's (``pyramidion``, ``given+soft``,
``edua-p+soft(...)``), whose score is ``coverage`` if none is named: the weight found over the weight that an average
reference could have, which Steinberger et al. 2017 (§4) divide by; or a metric's (``rouge-su4``, ``be-hm``: ``recall``,
``precision`` or ``f``; ``lexical-pyramid``: ``coverage`` and the other scores of a pyramid), whose first one is recall.

Human scores are those of a table (:mod:`pyramidion.studies.scores.human`) or, where there is none, the coverage that
the corpus's own annotations give, the manual pyramid score. The combination itself is in
:mod:`pyramidion.stats.combination`.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import nan

from pyramidion.errors import InputWarning, PyramidionError
from pyramidion.methods import GIVEN, RECIPES, Method, versions_of
from pyramidion.metrics import NAMES, Metric, metric, settings_of
from pyramidion.model import Topic
from pyramidion.reading import how_read
from pyramidion.score import QUANTITIES
from pyramidion.signature import Signature
from pyramidion.stats.combination import BLIND, STEPS, Combination, Scale, combination
from pyramidion.stats.correlation import Statistic
from pyramidion.stats.levels import Level
from pyramidion.studies.evaluate import evaluate
from pyramidion.studies.evaluate.result import Key
from pyramidion.studies.measure.study import measure
from pyramidion.studies.scores.human import Human
from pyramidion.studies.tune.cells import labelled

__all__ = ["ANNOTATED", "Combined", "Score", "annotated", "check", "combine", "matrix", "values_of"]

ANNOTATED = "coverage of the corpus's annotations"
"""Where human scores come from when nobody brings a table."""

_OF_METHODS = (*QUANTITIES, "normalised")
_OF_METRICS = {"rouge": ("recall", "precision", "f"), "lexical": ("coverage", "raw", "quality", "comprehensive")}


@dataclass(frozen=True, slots=True)
class Score:
    """One score of summaries: a method's or a metric's.

    >>> print(Score.parse("rouge-su4"), Score.parse("given+wmin:raw"), Score.parse("rouge-su4:recall"))
    rouge-su4 given+wmin:raw rouge-su4
    """

    of: Method | str
    """A method, or a metric's name."""
    quantity: str
    stem: bool = True
    """Whether ROUGE compares stems."""

    @classmethod
    def parse(cls, text: str, *, stem: bool = True) -> Score:
        """The score that is named ``NAME`` or ``NAME:SCORE``."""
        name, quantity = text.strip(), ""
        if found := re.fullmatch(r"(.*[^:\s])\s*:\s*(\w+)", name, re.DOTALL):
            name, quantity = found[1], found[2].lower()
        of: Method | str
        if name.lower().startswith(("rouge", "be-")) or name.lower() == "lexical-pyramid":
            of = name.lower()
            metric(of)
            known = _OF_METRICS["lexical" if of == "lexical-pyramid" else "rouge"]
        else:
            of, known = _method(name), ("coverage", *_OF_METHODS)
        if quantity and quantity not in known:
            raise PyramidionError(
                f"{name!r} has no score {quantity!r}", do=f"choose one of: {', '.join(dict.fromkeys(known))}"
            )
        return cls(of, quantity or known[0], stem)

    def __str__(self) -> str:
        usual = "recall" if isinstance(self.of, str) and self.of != "lexical-pyramid" else "coverage"
        return str(self.of) if self.quantity == usual else f"{self.of}:{self.quantity}"

    @property
    def made(self) -> Metric:
        """The metric, if it is one."""
        assert isinstance(self.of, str)
        return metric(self.of, **({"stem": self.stem} if "stem" in settings_of(self.of) else {}))


def _method(name: str) -> Method:
    if "+" not in name and name.partition("(")[0].strip() not in {recipe.name for recipe in RECIPES}:
        raise PyramidionError(
            f"there is no score {name!r}",
            do=f"name a method ('pyramidion methods' lists them), BUILDER+MATCHER, or a metric: {', '.join(NAMES)}",
        )
    return Method.parse(name)


@dataclass(frozen=True, slots=True)
class Combined:
    """Two scores of a corpus's summaries, the human ones, and what their combinations are worth."""

    signature: Signature
    first: Score
    second: Score
    human: str
    """Where the human scores come from."""
    peers: tuple[Key, ...]
    """Topic and peer, sorted."""
    values: tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]
    """The first score, the second and the human one of each peer; NaN where a method gives none."""
    found: Combination

    @property
    def name(self) -> str:
        """The two scores' names."""
        return f"{self.first} + {self.second}"


def annotated(topics: Sequence[Topic]) -> Human:
    """The coverage that people's annotations give each peer; of several annotators, the mean."""
    judged = [topic for topic in topics if topic.pyramid and topic.pyramid.scus and topic.annotations]
    if not judged:
        raise PyramidionError(
            "there are no human scores: no topic has a pyramid and annotations",
            do="add a table of scores with --human, or annotate the peers",
        )
    values = _of_method(judged, Score(Method(), "coverage"))
    return Human(ANNOTATED, values, sum(len(topic.peers) for topic in topics) - len(values))


def values_of(topics: Sequence[Topic], score: Score, progress: Callable[[], object] = lambda: None) -> dict[Key, float]:
    """A score of every peer; ``progress`` is called for each."""
    if isinstance(score.of, Method):
        return _of_method(topics, score, progress)
    measured = measure(topics, {score.of: score.made}, progress)
    return dict(zip(measured.peers, measured.values[score.of][score.quantity], strict=True))


def _of_method(
    topics: Sequence[Topic], score: Score, progress: Callable[[], object] = lambda: None
) -> dict[Key, float]:
    """A method's score of every peer; of several annotations, the mean."""
    assert isinstance(score.of, Method)

    def done(summary: str) -> None:
        progress()

    found = evaluate(topics, score.of, progress=done).values(score.quantity)
    if not found:
        raise PyramidionError(f"the method {score.of} has no score {score.quantity!r}", do="choose another score")
    return found


def matrix(values: dict[Key, float], peers: Sequence[Key]) -> list[list[float]]:
    """Topics x systems, both sorted, NaN where there is no value.

    >>> matrix({("t", "a"): 0.5}, [("t", "a"), ("u", "a")])
    [[0.5], [nan]]
    """
    topics, systems = sorted({topic for topic, _ in peers}), sorted({system for _, system in peers})
    return [[values.get((topic, system), nan) for system in systems] for topic in topics]


def combine(
    topics: Sequence[Topic],
    names: Sequence[str],
    human: Human | None = None,
    *,
    level: Level = "global",
    scale: Scale = "none",
    by: Statistic = "pearson",
    alpha: float = BLIND,
    steps: int = STEPS,
    folds: int | None = None,
    samples: int = 2_000,
    stem: bool = True,
    progress: Callable[[], object] = lambda: None,
) -> list[Combined]:
    """Combine the last of the named scores with each of the others.

    Without ``human``, people's scores are those of the corpus's annotations. Each score is computed once;
    ``progress`` is called for every summary that it is computed for.
    """
    check(names, human is not None, alpha, steps)
    scores = [Score.parse(name, stem=stem) for name in names]
    people = human or annotated(topics)
    kept = labelled(topics, people.values)
    peers = tuple(sorted((topic.id, peer.id) for topic in kept for peer in topic.peers))
    found = {score: values_of(kept, score, progress) for score in scores}
    for score, values in found.items():
        if len(set(values.values())) == 1:
            warnings.warn(
                f"{score} gives every summary {next(iter(values.values())):g}: it can add nothing",
                InputWarning,
                stacklevel=2,
            )
    *firsts, second = scores
    made = []
    for first in firsts:
        three = (found[first], found[second], people.values)
        result = combination(
            *(matrix(values, peers) for values in three),
            level=level,
            scale=scale,
            by=by,
            alpha=alpha,
            steps=steps,
            folds=folds,
            samples=samples,
        )
        one, other, own = (tuple(values.get(peer, nan) for peer in peers) for values in three)
        signature = _signature(first, second, people.column, result, steps, samples, how_read(topics))
        made.append(Combined(signature, first, second, people.column, peers, (one, other, own), result))
    return made


def check(names: Sequence[str], table: bool, alpha: float = BLIND, steps: int = STEPS) -> None:
    """Say now, not after long work, what cannot be combined; ``table``: whether human scores come from one."""
    scores = [Score.parse(name) for name in names]
    if len(scores) < 2:
        raise PyramidionError(f"{len(scores)} score makes no combination", do="name two: --metric A --metric B")
    twice = next((score for score in scores if scores.count(score) > 1), None)
    if twice:
        raise PyramidionError(f"{twice} is named twice, and combined with itself stays itself", do="name another score")
    if not 0 <= alpha <= 1:
        raise PyramidionError(f"alpha cannot be {alpha:g}", do="use a number from 0 to 1")
    if steps < 1:
        raise PyramidionError(f"a curve of {steps} steps has no points", do="ask for 1 step or more, e.g. 20")
    for score in scores:
        if not table and score.of == Method(GIVEN, GIVEN):
            raise PyramidionError(
                f"{score} is what people said, which the others are compared with",
                do="name another score, or bring human scores with --human",
            )


def _signature(
    first: Score,
    second: Score,
    human: str,
    found: Combination,
    steps: int,
    samples: int,
    read: Sequence[tuple[str, str]],
) -> Signature:
    stems = [score.stem for score in (first, second) if isinstance(score.of, str) and score.of.startswith("rouge")]
    return Signature(
        "combine",
        (
            ("first", str(first)),
            ("second", str(second)),
            *versions_of(score.of for score in (first, second) if isinstance(score.of, Method)),
            *((("stem", "yes" if stems[0] else "no"),) if stems else ()),
            ("human", human),
            ("level", found.level),
            ("scale", found.scale),
            ("by", found.by),
            ("steps", str(steps)),
            ("folds", f"{len(found.chosen)} by {found.units}"),
            ("samples", str(samples)),
            ("seed", "0"),
            *read,
        ),
    )
