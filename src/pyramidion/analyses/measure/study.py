"""Score every peer of a corpus with metrics against its topic's references, and average every system."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from pyramidion.analyses.measure.result import Measured, Quantity
from pyramidion.base.choices import check_choices
from pyramidion.errors import PyramidionError
from pyramidion.formats.read import how_read
from pyramidion.language.models.weights import models_field
from pyramidion.language.parse.analysers import models_of
from pyramidion.language.text.word_forms import raw_words
from pyramidion.metrics import BasicElements, Metric, metric, settings_of
from pyramidion.model import Summary, Topic
from pyramidion.notes import note
from pyramidion.signature import Signature

PORTION = 32
"""The number of peers that are scored between two reports of progress."""


def chosen_metrics(names: Iterable[str], **settings: Any) -> dict[str, Metric]:
    """Return the metrics of these names, each with the settings that it knows.

    >>> print(chosen_metrics(["rouge-1", "be-hm"], stem=True, references="best")["be-hm"])
    be:hm|analyser:en-minilm|references:best|alpha:0.5
    """
    return {
        name: metric(name, **{key: value for key, value in settings.items() if key in settings_of(name)})
        for name in names
    }


@check_choices
def measure(
    topics: Sequence[Topic],
    metrics: Mapping[str, Metric],
    progress: Callable[[], object] = lambda: None,
    *,
    quantity: Quantity = "recall",
) -> Measured:
    """Score every peer of every topic by metrics that need no pyramid: ROUGE, BE, the lexical pyramid.

    * ``topics`` have references and peers.
    * ``metrics`` are names with metrics: ``{"rouge-2": metric("rouge-2")}``.
    * ``progress`` is called for each peer and metric.
    * ``quantity`` is the score whose means the table of systems shows.

    >>> import pyramidion as pm
    >>> from pyramidion.metrics import metric
    >>> peer = pm.Summary("b", "A cat sat.", "peer")
    >>> topic = pm.Topic("t", (pm.Summary("a", "The cat sat."),), (peer,))
    >>> pm.measure([topic], {"rouge-2": metric("rouge-2")}).values
    {'rouge-2': {'recall': (0.5,), 'precision': (0.5,), 'f': (0.5,)}}
    """
    peers, texts, references = [], [], []
    for topic in topics:
        # the references of a topic without peers are not needed, and so not checked
        reference_texts = [reference.text for reference in _references(topic, metrics)] if topic.peers else []
        for peer in topic.peers:
            peers.append((topic.id, peer.id))
            texts.append(peer.text)
            references.append(reference_texts)
    if not peers:
        raise PyramidionError("There is no summary to score (peer)", do="add the summaries to score: peers/*.txt")
    values: dict[str, dict[str, list[float]]] = {name: {} for name in metrics}
    for start in range(0, len(peers), PORTION):
        part = slice(start, start + PORTION)
        for name, chosen in metrics.items():
            for score in chosen.scores(texts[part], references[part]):
                for field, value in score._asdict().items():
                    values[name].setdefault(field, []).append(float(value))
                progress()
    return Measured(
        Signature("metrics", (("metrics", ",".join(metrics)), *how_read(topics))),
        {
            name: Signature(name, (*chosen.parameters, *_models(chosen), *how_read(topics)))
            for name, chosen in metrics.items()
        },
        tuple(peers),
        {name: {score: tuple(row) for score, row in scores.items()} for name, scores in values.items()},
        quantity,
    )


def _models(chosen: Metric) -> tuple[tuple[str, str], ...]:
    """Return the models of a metric that parses, for its signature."""
    return models_field(models_of(chosen.analyser)) if isinstance(chosen, BasicElements) else ()


def _references(topic: Topic, metrics: Mapping[str, Metric]) -> Sequence[Summary]:
    """Return the references of a topic, none of them empty."""
    references = topic.references or (topic.pyramid.references if topic.pyramid else ())
    if not references:
        raise PyramidionError(f"Topic {topic.id!r} has no references", do="add them: references/*.txt")
    for reference in references:
        if not raw_words(reference.text, "unicode"):
            raise PyramidionError(
                f"Topic {topic.id!r}: the reference {reference.id!r} is empty", do="write its text, or leave it out"
            )
        if any(("words", "rouge155") in chosen.parameters for chosen in metrics.values()) and not raw_words(
            reference.text.replace("\n", " "), "rouge155"
        ):
            note(
                f"Topic {topic.id!r}: ROUGE-1.5.5 finds no word in the reference {reference.id!r}, so everything "
                "scores 0; tokens=unicode supports all scripts"
            )
    return references
