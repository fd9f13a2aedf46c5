"""What people, metrics and methods say of every peer of a corpus, as columns to correlate.

People: ``manual``, the score of the corpus's own pyramids and annotations, where it has any. A metric gives its recall
(the lexical pyramid its coverage), stemmed where it is ROUGE.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyramidion.errors import PyramidionError
from pyramidion.methods import Method, versions_of
from pyramidion.metrics import metric, settings_of
from pyramidion.model import Topic
from pyramidion.reading import how_read
from pyramidion.studies.bench.floor import of_evaluation
from pyramidion.studies.evaluate import evaluate
from pyramidion.studies.measure.study import measure
from pyramidion.studies.scores.columns import ScoreSource

__all__ = ["PEOPLE", "corpus_columns"]

PEOPLE = "manual"


def corpus_columns(
    name: str,
    topics: Sequence[Topic],
    metrics: Sequence[str],
    methods: Sequence[str] = (),
    score: str = "coverage",
    *,
    progress: Callable[..., None] = lambda *_: None,
) -> ScoreSource:
    """The columns of a corpus: people's, where it is annotated, then those of the metrics and the methods."""
    columns: dict[str, dict[tuple[str, str], float | None]] = {}
    annotated = [topic for topic in topics if topic.annotations and topic.pyramid and topic.pyramid.scus]
    recipes = [Method.parse(method) for method in methods]
    if annotated:
        found = of_evaluation(evaluate(annotated, PEOPLE, progress=progress), PEOPLE, [score])
        columns[PEOPLE] = dict(found.scores[score])
    chosen = {one: metric(one, **({"stem": True} if "stem" in settings_of(one) else {})) for one in metrics}
    if chosen:
        measured = measure(topics, chosen, progress)
        for one, values in measured.values.items():
            kept = values.get("recall") or values["coverage"]
            columns[one] = dict(zip(measured.peers, kept, strict=True))
    for recipe in recipes:
        if str(recipe) not in columns:
            found = of_evaluation(evaluate(topics, recipe, progress=progress), str(recipe), [score])
            columns[str(recipe)] = dict(found.scores[score])
    if not any(columns.values()):
        raise PyramidionError("no peer of the corpus has a score", name, "add annotations, or name a --metric")
    return ScoreSource(name, columns, (*versions_of(recipes), *how_read(topics)))
