"""Metrics over a corpus: every peer of every topic against the topic's references, and the mean of every system."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pyramidion.errors import InputWarning, PyramidionError
from pyramidion.language.models.weights import signed
from pyramidion.language.parse.analysers import models_of
from pyramidion.language.text.word_forms import raw_words
from pyramidion.metrics import BasicElements, Metric
from pyramidion.model import Summary, Topic
from pyramidion.reading import how_read
from pyramidion.signature import Signature
from pyramidion.stats.bootstrap import Interval, mean_interval

__all__ = ["Measured", "SystemMean", "measure"]

PORTION = 32
"""So many peers are scored between two reports of progress."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What the metrics, by name, say of every peer: a value for each score of each metric."""

    signatures: dict[str, Signature]
    peers: tuple[tuple[str, str], ...]
    """Topic and peer, in the order of the corpus."""
    values: dict[str, dict[str, tuple[float, ...]]]
    """By metric and score, one for each of ``peers``."""

    def systems(self) -> dict[str, list[int]]:
        """For each system the places of its summaries among ``peers``."""
        found: dict[str, list[int]] = {}
        for place, (_, peer) in enumerate(self.peers):
            found.setdefault(peer, []).append(place)
        return dict(sorted(found.items()))

    def mean(self, system: str, metric: str, score: str) -> SystemMean:
        """The mean of a score over a system's topics, with its interval where there are several."""
        values = [self.values[metric][score][place] for place in self.systems()[system]]
        return SystemMean(sum(sorted(values)) / len(values), mean_interval(values), len(values))


@dataclass(frozen=True, slots=True)
class SystemMean:
    """A mean over topics, its 95 % interval, and how many topics there are."""

    mean: float
    interval: Interval | None
    topics: int


def measure(
    topics: Sequence[Topic], metrics: Mapping[str, Metric], progress: Callable[[], object] = lambda: None
) -> Measured:
    """Score every peer of every topic by every metric; ``progress`` is called for each of them.

    >>> from pyramidion.metrics import metric
    >>> topic = Topic("t", (Summary("a", "The cat sat.", "reference"),), (Summary("b", "A cat sat.", "peer"),))
    >>> measure([topic], {"rouge-2": metric("rouge-2")}).values
    {'rouge-2': {'recall': (0.5,), 'precision': (0.5,), 'f': (0.5,)}}
    """
    peers, texts, references = [], [], []
    for topic in topics:
        own = [reference.text for reference in _references(topic, metrics)] if topic.peers else []
        for peer in topic.peers:
            peers.append((topic.id, peer.id))
            texts.append(peer.text)
            references.append(own)
    if not peers:
        raise PyramidionError("there is no peer to score", do="add the summaries to score: peers/*.txt")
    values: dict[str, dict[str, list[float]]] = {name: {} for name in metrics}
    for start in range(0, len(peers), PORTION):
        part = slice(start, start + PORTION)
        for name, metric in metrics.items():
            for score in metric.scores(texts[part], references[part]):
                for field, value in score._asdict().items():
                    values[name].setdefault(field, []).append(float(value))
                progress()
    return Measured(
        {
            name: Signature(name, (*metric.parameters, *_models(metric), *how_read(topics)))
            for name, metric in metrics.items()
        },
        tuple(peers),
        {name: {score: tuple(row) for score, row in found.items()} for name, found in values.items()},
    )


def _models(metric: Metric) -> tuple[tuple[str, str], ...]:
    """The models of a metric that parses, for its signature."""
    return signed(models_of(metric.analyser)) if isinstance(metric, BasicElements) else ()


def _references(topic: Topic, metrics: Mapping[str, Metric]) -> Sequence[Summary]:
    """The references of a topic, none of them empty."""
    references = topic.references or (topic.pyramid.references if topic.pyramid else ())
    if not references:
        raise PyramidionError(
            f"topic {topic.id!r} has no references", do="add them: references/*.txt, or --references FILE..."
        )
    for reference in references:
        if not raw_words(reference.text, "unicode"):
            raise PyramidionError(
                f"topic {topic.id!r}: the reference {reference.id!r} is empty", do="write its text, or leave it out"
            )
        if any(("words", "rouge155") in metric.parameters for metric in metrics.values()) and not raw_words(
            reference.text.replace("\n", " "), "rouge155"
        ):
            warnings.warn(
                f"topic {topic.id!r}: ROUGE-1.5.5 sees no word in the reference {reference.id!r}, "
                "so that everything scores 0; --tokens unicode sees all scripts",
                InputWarning,
                stacklevel=3,
            )
    return references
