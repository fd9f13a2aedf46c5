"""Score texts without a corpus: one summary with its references (:func:`lite`), or many (:class:`Metric`).

:class:`Metric` is in the manner of Hugging Face's ``evaluate``, which need not be installed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from pyramidion.errors import PyramidionError
from pyramidion.explanation import Explanation, explain
from pyramidion.methods import GIVEN, Method
from pyramidion.model import Pyramid, Summary, Topic
from pyramidion.scoring import DEFAULT, Scores, Settings, scores
from pyramidion.signature import Signature

References = Sequence[str | Sequence[str]]
"""The reference of each prediction, or all its references."""

QUANTITIES = ("quality", "coverage", "comprehensive", "precision", "recall")
"""The scores that are computed beside ``score``, the method's own."""


@dataclass(frozen=True, slots=True)
class Lite:
    """A summary's score, what it was computed from, and its signature."""

    score: float
    """The mean probability of all units if the method does not merge them (``recall``), or else ``coverage``."""
    scores: Scores
    explanation: Explanation
    signature: Signature


def lite(
    summary: str, references: str | Sequence[str], *, method: Method | str = "lite", settings: Settings = DEFAULT
) -> Lite:
    """Measure how much of its references a summary says.

    The references' statements are the units, and a judge gives the probability that the summary expresses each; the
    score is the mean (:mod:`pyramidion.builders.lite`).

    * ``summary`` is the text to score.
    * ``references`` is the reference's text, or the texts of several.
    * ``method`` may be any that builds pyramids from references.
    * ``settings`` say how the scores are computed where tools of the field differ.

    >>> import pyramidion as pm
    >>> reference = "The dam broke after heavy rain. Nobody was hurt."
    >>> scored = pm.lite("The dam burst after it had rained heavily.", reference)
    >>> round(scored.score, 2), [missed.label for missed in scored.explanation.missed]
    (0.36, ['Nobody was hurt.'])
    """
    chosen = _building_method(method)
    chosen.check_language([_topic(_texts(references, "reference"), "reference", summary, "summary")])
    return _score_summary(
        summary, _pyramid(_texts(references, "reference"), chosen, "reference"), chosen, settings, "summary"
    )


class Metric:
    """A method with ``compute``, ``add`` and ``add_batch``, as an ``evaluate.EvaluationModule`` has them.

    >>> import pyramidion as pm
    >>> said = ["The dam burst after it had rained heavily."]
    >>> scores = pm.Metric().compute(predictions=said, references=["The dam broke after heavy rain."])
    >>> round(scores["score"], 2), scores["each"]["quality"]
    (0.68, [1.0])
    """

    def __init__(self, method: Method | str = "lite", settings: Settings = DEFAULT) -> None:
        self.method = _building_method(method)
        self.settings = settings
        self._predictions: list[str] = []
        self._references: list[str | Sequence[str]] = []

    @property
    def name(self) -> str:
        """The method's name."""
        return self.method.name

    def add(self, *, prediction: str, reference: str | Sequence[str]) -> None:
        """Remember a prediction and its reference or references, for :meth:`compute`."""
        self.add_batch(predictions=[prediction], references=[reference])

    def add_batch(self, *, predictions: Sequence[str], references: References) -> None:
        """Remember predictions and their references, for :meth:`compute`."""
        _check(predictions, references)
        self._predictions += predictions
        self._references += references

    def compute(
        self,
        *,
        predictions: Sequence[str] | None = None,
        references: References | None = None,
        method: Method | str | None = None,
    ) -> dict[str, Any]:
        """Return the means of all scores by name, the scores themselves in ``each``, and the signature.

        Without predictions and references, it uses those that were added, and forgets them. ``score`` is that of
        :class:`Lite`.
        """
        chosen = self.method if method is None else _building_method(method)
        if predictions is None and references is None:
            predictions, self._predictions = self._predictions, []
            references, self._references = self._references, []
        if predictions is None or references is None:
            raise PyramidionError("Predictions or references are missing", do="give both, or add both first")
        predictions, references = _as_list(predictions), _as_list(references)
        _check(predictions, references)
        if not len(predictions):
            raise PyramidionError("There is no prediction to score", do="give one or more, or add them first")
        chosen.check_language(
            _topic(_texts(of, f"reference of prediction {number}"), "predictions", prediction, f"prediction {number}")
            for number, (prediction, of) in enumerate(zip(predictions, references, strict=True))
        )
        pyramids: dict[tuple[str, ...], Pyramid] = {}
        results = []
        for number, (prediction, of) in enumerate(zip(predictions, references, strict=True)):
            name = f"reference of prediction {number}"
            # predictions with the same references share a pyramid, which is built once
            if (texts := _texts(of, name)) not in pyramids:
                pyramids[texts] = _pyramid(texts, chosen, name)
            results.append(_score_summary(prediction, pyramids[texts], chosen, self.settings, f"prediction {number}"))
        by_name = {"score": [result.score for result in results]}
        by_name |= {name: [float(getattr(result.scores, name)) for result in results] for name in QUANTITIES}
        means = {name: fmean(values) for name, values in by_name.items()}
        return {**means, "each": by_name, "signature": str(results[0].signature)}


def _as_list(given: Any) -> Any:
    """Return an iterable as a list, so that it has a length; a text stays a text, which is refused later."""
    return list(given) if isinstance(given, Iterator) else given


def _building_method(method: Method | str) -> Method:
    """Return the method, if it needs no more than references and a summary."""
    chosen = Method.parse(method) if isinstance(method, str) else method
    if GIVEN in (chosen.builder, chosen.matcher):
        raise PyramidionError(
            f"The method {chosen.name!r} needs a pyramid or annotations made by people",
            do="choose one that builds and matches: lite, pyramidion, ...",
        )
    return chosen


def _texts(given: object, name: str) -> tuple[str, ...]:
    """Return the texts, or raise an error if one is not a text or has no words."""
    texts = (given,) if isinstance(given, str) or not isinstance(given, Iterable) else tuple(given)
    if not all(isinstance(text, str) for text in texts):
        raise PyramidionError(f"The {name} is not a text", do="give a text, or a list of texts")
    if not any(char.isalnum() for text in texts for char in text):
        raise PyramidionError(f"The {name} has no words", do="give a text with at least one word, or a list of them")
    return texts


def _pyramid(texts: Sequence[str], method: Method, name: str) -> Pyramid:
    """Return the pyramid that a method builds from texts with the ids 1, 2, ..."""
    return method.pyramid(_topic(texts, name))


def _topic(texts: Sequence[str], name: str, summary: object = None, id: str = "") -> Topic:
    """Return a topic with texts as references (ids 1, 2, ...), and with the summary if there is one."""
    made = (Summary(str(number), text) for number, text in enumerate(texts, 1))
    return Topic(name, tuple(made), (Summary(id, summary, "peer"),) if isinstance(summary, str) else ())


def _score_summary(summary: str, pyramid: Pyramid, method: Method, settings: Settings, id: str) -> Lite:
    """Match a summary with a pyramid, and score it."""
    if not isinstance(summary, str):
        raise PyramidionError(f"The {id} is not a text", do="give a text, which may be empty")
    annotation = method.match(pyramid, Summary(id, summary, "peer"))
    summary_scores = scores(pyramid, annotation, settings)
    score = summary_scores.recall if method.builder == "lite" else summary_scores.coverage
    if score is None:
        raise PyramidionError("The mean number of SCUs per reference is rounded to 0", do="set average='exact'")
    return Lite(
        score,
        summary_scores,
        explain(pyramid, annotation, settings),
        Signature(str(method), (*method.versions, *settings.parameters())),
    )


def _check(predictions: Sequence[str], references: References) -> None:
    for name, given in (("predictions", predictions), ("references", references)):
        if isinstance(given, str):
            raise PyramidionError(f"The {name} are a single text", do=f"give a list of {name}")
    if len(predictions) != len(references):
        raise PyramidionError(
            f"There are {len(predictions)} predictions and {len(references)} references",
            do="give each prediction its reference, or a list of its references",
        )
