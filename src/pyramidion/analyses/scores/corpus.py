"""Scores of a corpus's peers by methods, metrics and people.

A score is named ``NAME`` or ``NAME:SCORE``. The name is a method's (``pyramidion``, ``given+soft``,
``edua-p+soft(...)``), whose score is ``coverage`` if none is named: the weight found over the weight that an average
reference could have, which Steinberger et al. 2017 (§4) divide by; or a metric's (``rouge-su4``, ``be-hm``: ``recall``,
``precision`` or ``f``; ``lexical-pyramid``: ``coverage`` and the other scores of a pyramid), whose first one is recall.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, cast

from pyramidion.analyses.measure import chosen_metrics, measure
from pyramidion.analyses.scores.table import Key, ScoreTable, from_columns, from_evaluation, from_measured, from_values
from pyramidion.base.choices import check_choices
from pyramidion.errors import PyramidionError
from pyramidion.evaluation.evaluate import evaluate
from pyramidion.formats.read import how_read
from pyramidion.methods import RECIPES, Method, signed_by_makers, versions_of
from pyramidion.metrics import NAMES, metric
from pyramidion.model import Topic
from pyramidion.scoring import DEFAULT, QUANTITIES, Averaged, Quantity, Settings
from pyramidion.signature import Signature

ANNOTATED = "coverage of the corpus's annotations"
"""The source of human scores if no table is given."""
PEOPLE = "manual"
"""The name of the human column, and of the method that scores it."""

_OF_METHODS = ("coverage", *(quantity for quantity in QUANTITIES if quantity != "coverage"), "normalised")
_OF_METRICS = {"rouge": ("recall", "precision", "f"), "lexical": ("coverage", "raw", "quality", "comprehensive")}


@dataclass(frozen=True, slots=True)
class Score:
    """A score of summaries by a method or a metric.

    >>> print(Score.parse("rouge-su4"), Score.parse("given+wmin:raw"), Score.parse("rouge-su4:recall"))
    rouge-su4 given+wmin:raw rouge-su4
    """

    of: Method | str
    """A method, or a metric's name."""
    quantity: str
    stem: bool = True
    """True if ROUGE compares stems."""

    @classmethod
    def parse(cls, text: str, *, stem: bool = True) -> Score:
        """Return the score with the name ``NAME`` or ``NAME:SCORE``."""
        name, quantity = text.strip(), ""
        if parts := re.fullmatch(r"(.*[^:\s])\s*:\s*(\w+)", name, re.DOTALL):
            name, quantity = parts[1], parts[2].lower()
        of: Method | str
        if name.lower().startswith(("rouge", "be-")) or name.lower() == "lexical-pyramid":
            of = name.lower()
            # raises if there is no such metric
            metric(of)
            known = _OF_METRICS["lexical" if of == "lexical-pyramid" else "rouge"]
        else:
            of, known = _method(name), _OF_METHODS
        if quantity and quantity not in known:
            raise PyramidionError(f"{name!r} has no score {quantity!r}", do=f"choose one of: {', '.join(known)}")
        return cls(of, quantity or known[0], stem)

    def __str__(self) -> str:
        usual = "recall" if isinstance(self.of, str) and self.of != "lexical-pyramid" else "coverage"
        return str(self.of) if self.quantity == usual else f"{self.of}:{self.quantity}"


def _method(name: str) -> Method:
    if "+" not in name and name.partition("(")[0].strip() not in {recipe.name for recipe in RECIPES}:
        raise PyramidionError(
            f"There is no score {name!r}",
            do=f"name a method ('pyramidion methods' lists them), BUILDER+MATCHER, or a metric: {', '.join(NAMES)}",
        )
    return Method.parse(name)


def values_of(topics: Sequence[Topic], score: Score, progress: Callable[[], object] = lambda: None) -> dict[Key, float]:
    """Return the score of every peer that has one; ``progress`` is called for each summary."""
    if isinstance(score.of, Method):
        return _of_method(topics, score.of, score.quantity, progress)
    return measure(topics, chosen_metrics([score.of], stem=score.stem), progress).by_peer(score.of, score.quantity)


def _of_method(
    topics: Sequence[Topic], method: Method, quantity: str, progress: Callable[[], object] = lambda: None
) -> dict[Key, float]:
    def count_summary(summary: str) -> None:
        progress()

    known = evaluate(topics, method, progress=count_summary).values(cast("Averaged", quantity))  # which checks it
    if not known:
        raise PyramidionError(f"The method {method} has no score {quantity!r}", do="choose another score")
    return known


def annotated(topics: Sequence[Topic]) -> ScoreTable:
    """Return the coverage of each peer by people's annotations; several annotators are averaged."""
    judged = _annotated_topics(topics)
    if not judged:
        raise PyramidionError(
            "There are no human scores: no topic has a pyramid and annotations",
            do="give a table of human scores, or annotate the peers",
        )
    name, made_by = signed_by_makers(PEOPLE, Method().makers(judged))
    signature = Signature(name, (*made_by, *how_read(topics)))
    return from_values(_of_method(judged, Method(), "coverage"), ANNOTATED, signature)


def _annotated_topics(topics: Sequence[Topic]) -> list[Topic]:
    return [topic for topic in topics if topic.annotations and topic.pyramid and topic.pyramid.scus]


@check_choices
def by_method(
    topics: Sequence[Topic],
    method: Method,
    score: Quantity = "coverage",
    settings: Settings = DEFAULT,
    *,
    progress: Callable[..., None] = lambda *_: None,
) -> ScoreTable:
    """Return one score of a method for every peer, with the vectors of SCUs."""
    return from_evaluation(evaluate(topics, method, settings, progress=progress), score)


def by_metric(
    topics: Sequence[Topic], name: str, score: str = "", *, progress: Callable[..., object] = lambda *_: None
) -> ScoreTable:
    """Return one score of a metric for every peer; the default is recall. ROUGE compares stems."""
    name = name.strip().lower()
    return from_measured(measure(topics, chosen_metrics([name], stem=True), progress), name, score)


@check_choices
def corpus_table(
    name: str,
    topics: Sequence[Topic],
    metrics: Sequence[str],
    methods: Sequence[str] = (),
    score: Averaged | Literal["normalised"] = "coverage",
    *,
    progress: Callable[..., object] = lambda *_: None,
) -> ScoreTable:
    """Return a column for people (if the corpus is annotated), for each metric and for each method.

    People's column is ``manual``, the score of the corpus's own pyramids and annotations. A metric gives its recall
    (the lexical pyramid its coverage), stemmed where it is ROUGE.
    """
    recipes = [Method.parse(method) for method in methods]
    columns: dict[str, dict[Key, float]] = {}
    if judged := _annotated_topics(topics):
        columns[PEOPLE] = _of_method(judged, Method.parse(PEOPLE), score, progress)
    if metrics:
        measured = measure(topics, chosen_metrics(metrics, stem=True), progress)
        for metric, scores in measured.values.items():
            columns[metric] = measured.by_peer(metric, "recall" if "recall" in scores else "coverage")
    for recipe in recipes:
        if str(recipe) not in columns:
            columns[str(recipe)] = _of_method(topics, recipe, score, progress)
    if not any(columns.values()):
        raise PyramidionError("No peer of the corpus has a score", name, "add annotations, or name a metric")
    made_by = signed_by_makers(PEOPLE, Method().makers(judged))[1]
    stems = (("rouge", "stem"),) if any(metric.startswith("rouge") for metric in columns) else ()
    made = (("score", score), *stems, *versions_of(recipes), *made_by, *how_read(topics))
    return from_columns(columns, Signature("scores", made), name, made)
