"""The scores of every peer of a corpus by people, methods and metrics.

The *floor* (stemmed ROUGE recall and the lexical pyramid) is always printed beside a method, to show whether the method
is better than counting words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean

from pyramidion.analyses.measure import chosen_metrics, measure
from pyramidion.errors import PyramidionError
from pyramidion.evaluation.evaluation import Evaluation
from pyramidion.language.text.word_forms import split_words
from pyramidion.model import Topic

PEOPLE = "manual"
"""The method that scores people's own pyramids and annotations."""
LEXICAL = "lexical-pyramid"

Key = tuple[str, str]
"""The ids of a topic and of a peer."""


@dataclass(frozen=True, slots=True)
class PeerScores:
    """The scores of every peer by one method or metric."""

    name: str
    scores: dict[str, dict[Key, float]]
    """The values by score and by peer.

    A metric with a single score has it under its own name (``recall``, ``words``).
    """

    def score_name(self, score: str) -> str:
        """Return the name if there is such a score, or else the name of the first score."""
        return score if score in self.scores else next(iter(self.scores))


def floor(topics: Sequence[Topic], metrics: Iterable[str]) -> list[PeerScores]:
    """Compute the recall of these metrics, and the scores of the lexical pyramid."""
    values = _metric_scores(topics, (*metrics, LEXICAL))
    return [
        *(PeerScores(name.upper(), {"recall": scores["recall"]}) for name, scores in values.items() if name != LEXICAL),
        PeerScores(LEXICAL, values[LEXICAL]),
    ]


def lengths(topics: Iterable[Topic]) -> PeerScores:
    """Return the length of every peer in words."""
    words = {(topic.id, peer.id): len(split_words(peer.text, "unicode")) for topic in topics for peer in topic.peers}
    return PeerScores("length in words", {"words": {key: float(count) for key, count in words.items()}})


def method_scores(evaluation: Evaluation, name: str, scores: Iterable[str]) -> PeerScores:
    """Return the scores of a method for every peer; several annotations of a peer are averaged."""
    peers = [result.scores for result in evaluation.results if result.scores.role == "peer"]
    return PeerScores(
        name,
        {
            score: mean_by_peer(name, score, (((peer.topic, peer.summary), getattr(peer, score)) for peer in peers))
            for score in scores
        },
    )


def mean_by_peer(method: str, score: str, values: Iterable[tuple[Key, float | None]]) -> dict[Key, float]:
    """Average the values of each peer, one for each of its annotations."""
    by_peer: dict[Key, list[float]] = {}
    for key, value in values:
        if value is None:
            raise PyramidionError(f"The method {method!r} has no score {score!r}", do="choose another score")
        by_peer.setdefault(key, []).append(float(value))
    return {key: fmean(scores) for key, scores in by_peer.items()}


def _metric_scores(topics: Sequence[Topic], metrics: Iterable[str]) -> dict[str, dict[str, dict[Key, float]]]:
    """Return values by metric, score and peer; ROUGE stems words."""
    measured = measure(topics, chosen_metrics(metrics, stem=True))
    return {
        name: {score: measured.by_peer(name, score) for score in scores} for name, scores in measured.values.items()
    }
