"""What people, methods and metrics say of every peer of a corpus.

The *floor* is always printed beside a method, so that nobody has to believe that it is better than counting words:
recall by ROUGE, stemmed, and the lexical pyramid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from pyramidion.errors import PyramidionError
from pyramidion.language.text.word_forms import split_words
from pyramidion.model import Topic
from pyramidion.studies.evaluate import Evaluation
from pyramidion.studies.measure import chosen_metrics, measure

PEOPLE = "manual"
"""The method that scores people's own pyramids and annotations."""
LEXICAL = "lexical-pyramid"

Key = tuple[str, str]
"""A topic's id and a peer's."""


@dataclass(frozen=True, slots=True)
class PeerScores:
    """What one method or metric says of every peer."""

    name: str
    scores: dict[str, dict[Key, float]]
    """By score, then by peer. A metric with a single score has it under its own name (``recall``, ``words``)."""

    def named(self, score: str) -> str:
        """The score of that name, or the first where there is none."""
        return score if score in self.scores else next(iter(self.scores))


def floor(topics: Sequence[Topic], metrics: Iterable[str]) -> list[PeerScores]:
    """Recall by the metrics of these names, and the scores of the lexical pyramid."""
    values = _measured(topics, (*metrics, LEXICAL))
    return [
        *(PeerScores(name.upper(), {"recall": scores["recall"]}) for name, scores in values.items() if name != LEXICAL),
        PeerScores(LEXICAL, values[LEXICAL]),
    ]


def lengths(topics: Iterable[Topic]) -> PeerScores:
    """The length of every peer in words."""
    words = {(topic.id, peer.id): len(split_words(peer.text, "unicode")) for topic in topics for peer in topic.peers}
    return PeerScores("length in words", {"words": {key: float(count) for key, count in words.items()}})


def evaluated(evaluation: Evaluation, name: str, scores: Iterable[str]) -> PeerScores:
    """What a method says of every peer; several annotations of one count as their mean."""
    peers = [result.scores for result in evaluation.results if result.scores.role == "peer"]
    return PeerScores(
        name,
        {
            score: mean_by_peer(name, score, (((peer.topic, peer.summary), getattr(peer, score)) for peer in peers))
            for score in scores
        },
    )


def mean_by_peer(method: str, score: str, values: Iterable[tuple[Key, float | None]]) -> dict[Key, float]:
    """The mean of each peer's values: one for each annotation of it."""
    by_peer: dict[Key, list[float]] = {}
    for key, value in values:
        if value is None:
            raise PyramidionError(f"The method {method!r} has no score {score!r}", do="choose another score")
        by_peer.setdefault(key, []).append(float(value))
    return {key: fmean(each) for key, each in by_peer.items()}


def _measured(
    topics: Sequence[Topic], metrics: Iterable[str], progress: Callable[..., Any] = lambda *_: None
) -> dict[str, dict[str, dict[Key, float]]]:
    """By metric, score and peer; ROUGE stems words."""
    measured = measure(topics, chosen_metrics(metrics, stem=True), progress)
    return {
        name: {score: measured.by_peer(name, score) for score in scores} for name, scores in measured.values.items()
    }
