"""The floor: what is always printed beside a method, so that nobody has to believe it is better than counting words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from pyramidion.errors import PyramidionError
from pyramidion.language.text.word_forms import split_words
from pyramidion.methods import GIVEN, RECIPES, Method
from pyramidion.metrics.basic_elements import BasicElements
from pyramidion.metrics.lexical_pyramid import LexicalPyramid, LexicalScore
from pyramidion.metrics.rouge import Rouge
from pyramidion.model import Summary, Topic
from pyramidion.studies.evaluate import Evaluation

LEXICAL = "lexical-pyramid"
LENGTH = "length in words"

Key = tuple[str, str]
"""A topic's id and a peer's."""


@dataclass(frozen=True, slots=True)
class Metric:
    """What one metric says of every peer."""

    name: str
    scores: dict[str, dict[Key, float]] = field(default_factory=dict)
    """By score, then by peer. A metric with a single score has it under its own name (``recall``, ``words``)."""


def automatic_methods(sources: bool = False) -> tuple[Method, ...]:
    """The recipes that build pyramids and match peers themselves; those that need sources only if there are any."""
    return tuple(
        Method(recipe.builder, recipe.matcher)
        for recipe in RECIPES
        if GIVEN not in (recipe.builder, recipe.matcher) and (sources or not recipe.sources)
    )


def floor(topics: Iterable[Topic], rouge: Sequence[Rouge | BasicElements], *, length: bool) -> list[Metric]:
    """Recall by ROUGE and the like, the lexical pyramid and, if wanted, the length of every peer."""
    lexical = Metric(LEXICAL, {score: {} for score in LexicalScore._fields})
    recalls = [Metric(_name(one), {"recall": {}}) for one in rouge]
    words = Metric(LENGTH, {"words": {}})
    for topic in topics:
        references = [reference.text for reference in _references(topic)]
        keys, texts = [(topic.id, peer.id) for peer in topic.peers], [peer.text for peer in topic.peers]
        for metric, one in zip(recalls, rouge, strict=True):
            found = one.scores(texts, [references] * len(texts))
            metric.scores["recall"].update(zip(keys, (score.recall for score in found), strict=True))
        stems = LexicalPyramid().scores(texts, [references] * len(texts))
        for name, values in lexical.scores.items():
            values.update(zip(keys, (getattr(score, name) for score in stems), strict=True))
        words.scores["words"].update(zip(keys, (len(split_words(text, "unicode")) for text in texts), strict=True))
    return [*recalls, lexical, *([words] if length else [])]


def _name(one: Rouge | BasicElements) -> str:
    return f"ROUGE-{one.metric}" if isinstance(one, Rouge) else f"BE-{one.matching.upper()}"


def _references(topic: Topic) -> Sequence[Summary]:
    references = topic.references or (topic.pyramid.references if topic.pyramid else ())
    if not references:
        raise PyramidionError(f"topic {topic.id!r} has no references", do="add them: ROUGE needs their texts")
    return references


def of_evaluation(evaluation: Evaluation, name: str, scores: Iterable[str]) -> Metric:
    """What a method says of every peer; several annotations of one count as their mean."""
    metric = Metric(name)
    for score in scores:
        found: dict[Key, list[float]] = {}
        for one in evaluation.results:
            if one.scores.role == "peer":
                value = getattr(one.scores, score)
                if value is None:
                    raise PyramidionError(f"the method {name!r} has no score {score!r}", do="choose another score")
                found.setdefault((one.scores.topic, one.scores.summary), []).append(float(value))
        metric.scores[score] = {key: sum(values) / len(values) for key, values in found.items()}
    return metric
