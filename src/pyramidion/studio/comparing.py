"""Comparisons of a project by the study :mod:`pyramidion.analyses.compare`: systems, two results, or annotators.

Systems are peers of one name over topics. Where two results or the annotators are compared, every summary is what a
topic is to systems: the same thing, scored twice.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import cast, get_args

from pyramidion.analyses.compare import Comparison, compare
from pyramidion.analyses.compare.result import Test
from pyramidion.analyses.scores.table import ScoreTable, from_values
from pyramidion.base.choices import check_choices
from pyramidion.base.tables import plural
from pyramidion.errors import PyramidionError
from pyramidion.evaluation.evaluate import evaluate
from pyramidion.evaluation.evaluation import Evaluation
from pyramidion.model import Topic
from pyramidion.scoring import Quantity
from pyramidion.signature import Signature
from pyramidion.studio.results import annotated_topics

TESTS: tuple[Test, ...] = get_args(Test)
MOST_SYSTEMS = 60
"""Systems of one comparison: all pairs of them are tested while somebody waits."""


@check_choices
@dataclass(frozen=True, slots=True)
class Asked:
    """A comparison that somebody asks for: the score, the test, and the systems."""

    score: Quantity = "coverage"
    test: Test = "wilcoxon"
    systems: tuple[str, ...] = ()
    """The only ones, if any are named."""

    @classmethod
    def of(cls, score: str, test: str, systems: Sequence[str] = ()) -> Asked:
        """Return the values of a form as a request; an unknown score or test is refused."""
        return cls(cast("Quantity", score or "coverage"), cast("Test", test or TESTS[0]), tuple(systems))


def of_results(results: Sequence[tuple[str, Evaluation]], score: Quantity) -> ScoreTable:
    """Return the score of every summary in each of several results, by their names."""
    values = {
        (f"{topic}: {summary}", name): value
        for name, evaluation in results
        for (topic, summary), value in evaluation.values(score).items()
    }
    signatures = tuple(
        (f"result-{number}", str(evaluation.signature)) for number, (_, evaluation) in enumerate(results, 1)
    )
    return from_values(values, score, Signature("results", signatures))


def of_annotators(topics: Sequence[Topic], score: str) -> ScoreTable:
    """Return the score of every summary by each of its annotators."""
    ready = annotated_topics(topics)
    if not ready:
        raise PyramidionError("Nothing is annotated yet.", do="open a peer and mark what it says")
    evaluation = evaluate(ready, "manual")
    values = {
        (f"{scores.topic}: {scores.summary}", scores.annotator or "unnamed"): getattr(scores, score)
        for scores in (result.scores for result in evaluation.results)
        if scores.role == "peer"
    }
    return from_values(values, score, evaluation.signature)


def comparison(scores: ScoreTable, asked: Asked) -> Comparison:
    """Return the comparison that was asked for; too many systems are refused."""
    if len(asked.systems or scores.systems) > MOST_SYSTEMS:
        raise PyramidionError(
            f"There are {plural(len(scores.systems), 'system')}.", do=f"choose {MOST_SYSTEMS} of them or fewer"
        )
    return compare(scores, asked.test, systems=asked.systems)


def picture_url(comparison: Comparison) -> str:
    """Return the picture as a ``data:`` URL; nothing where pictures cannot be drawn, for want of matplotlib."""
    if find_spec("matplotlib") is None:
        return ""
    return f"data:image/png;base64,{b64encode(comparison.draw('png')).decode('ascii')}"
