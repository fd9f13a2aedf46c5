r"""Is this SCU in this summary? By asking a language model behind any OpenAI-compatible chat endpoint.

*Question.* The summary and up to ``batch`` statements, an SCU's label each (its longest wording where it has none), in
alphabetical order and each text once: neither the pyramid's order nor its ids are in the question. The prompt is
``language/llm/prompts/judge.txt``; where the summary answers a question, the model sees that, too, and the prompt is
``answer.txt``. Temperature 0, answers kept on disk (:mod:`pyramidion.language.llm.chat`).

*Degree.* The model says how many of 100 careful readers would find the statement in the summary, and quotes the words.
It matches where their share d reaches the threshold; d is ``Match.score``. As nobody has calibrated it, the
probabilities of the annotation are the decisions, 1 and 0, so that scores count; with ``calibrated`` they are d, for
who has seen that d is right.

*Evidence.* A quote is looked for in the summary (:mod:`pyramidion.language.text.quotes`). Where the model claims an SCU
(d reaches the threshold or one half) and quotes nothing that is there, it has no evidence, and the SCU counts as not
expressed: a model that says yes to everything gives no marks. With ``unsupported="count"`` its word is enough; the
match has no spans, and its reason is the quote. Either way ``Annotation.unsupported`` names these SCUs, and an
evaluation counts them.

*Failures.* An answer that cannot be read, at the second try, either, or that leaves statements out, is no zero. Its
SCUs are unjudged, without a probability, and a comment says why. A share of them above ``failures`` (0, unless said
otherwise) is an error; below it, a warning, for :mod:`pyramidion.scoring` counts an SCU without a probability as not
expressed: the summary's scores are lower bounds.

A summary without words is not asked about; neither is an SCU without any.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar

import msgspec

from pyramidion.base.choices import check_choices
from pyramidion.base.threads import in_parallel
from pyramidion.errors import PyramidionError
from pyramidion.language.llm.chat import AnswerError, Question, client, prompt, structured
from pyramidion.language.llm.endpoint import Endpoint, tokens
from pyramidion.language.text.quotes import Unsupported, located
from pyramidion.matchers.expressions import expressions
from pyramidion.matchers.judged import Verdict, annotate_by_verdicts
from pyramidion.model import NO_ANSWER, SCU, Annotation, Pyramid, Summary
from pyramidion.notes import note

_SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {
            "answers": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "id": {"type": "integer"},
                        "quote": {"type": "string"},
                        "readers": {"type": "integer"},
                    },
                    "required": ["id", "quote", "readers"],
                    "additionalProperties": False,
                },
            }
        },
        "required": ["answers"],
        "additionalProperties": False,
    }
)
_AROUND_AN_ANSWER = 12
"""Tokens of an answer beside its quote."""


class _Answer(msgspec.Struct, frozen=True):
    id: int
    readers: Annotated[float, msgspec.Meta(ge=0, le=100)]
    quote: str | None = None


class _Answers(msgspec.Struct):
    answers: list[Any]


@dataclass(frozen=True, slots=True)
class Ruling:
    """The model's answer about a statement: a degree and a quote, or why there is none."""

    degree: float | None
    quote: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Judge:
    """A matcher that asks a model."""

    model: str
    judge: ClassVar[bool] = True
    english: ClassVar[bool] = False

    @property
    def signature(self) -> tuple[tuple[str, str], ...]:
        """The version of the prompt, which decides the answers besides the settings."""
        return (("prompt", prompt("judge").version),)

    def questions(
        self, pyramid: Pyramid, summary: Summary, batch: int = 40, question: str = ""
    ) -> list[tuple[Question, tuple[str, ...]]]:
        """Return the requests about a summary, which may answer a question, each with its statements."""
        if batch < 1:
            raise PyramidionError(f"The batch has {batch} SCUs", do="give a batch of 1 or more")
        if not any(map(str.isalnum, summary.text)):
            return []
        # Sorted, and each once: neither the pyramid's order nor its ids are in the question, nor in the cache's key.
        texts = sorted({_statement(pyramid, scu) for scu in pyramid.scus} - {""})
        batches = [tuple(texts[first : first + batch]) for first in range(0, len(texts), batch)]
        return [(self._question(summary, statements, question), statements) for statements in batches]

    def _question(self, summary: Summary, statements: Sequence[str], question: str) -> Question:
        numbered = [{"id": number, "text": text} for number, text in enumerate(statements, 1)]
        texts = {"question": question, "answer": summary.text} if question else {"summary": summary.text}
        material = json.dumps({**texts, "statements": numbered}, ensure_ascii=False)
        expected = sum(tokens(text) + _AROUND_AN_ANSWER for text in statements)
        return Question(self.model, prompt("answer" if question else "judge"), material, _SCHEMA, expected)

    def rulings(
        self, pyramid: Pyramid, summary: Summary, question: str = "", *, batch: int = 40, base_url: str = ""
    ) -> Mapping[str, Ruling]:
        """Return what the model says of each statement, for every SCU that has words."""
        asked = self.questions(pyramid, summary, batch, question)
        if not asked:
            return {}
        chat = client(Endpoint.named(base_url))

        def ask(item: tuple[Question, tuple[str, ...]]) -> list[Ruling]:
            question, statements = item
            try:
                return chat.ask(question, lambda content: _read_all(content, len(statements)))
            except AnswerError as error:  # after the second try: what can be read of it counts
                return _read_parts(error.content, len(statements), error.what)

        answers = in_parallel(ask, asked, chat.endpoint.concurrency)
        return {
            statement: ruling
            for (_, statements), rulings in zip(asked, answers, strict=True)
            for statement, ruling in zip(statements, rulings, strict=True)
        }

    @check_choices
    def __call__(
        self,
        pyramid: Pyramid,
        summary: Summary,
        question: str = "",
        *,
        threshold: float = 0.5,
        batch: int = 40,
        failures: float = 0.0,
        calibrated: bool = False,
        unsupported: Unsupported = "drop",
        base_url: str = "",
        analyser: str = "en-minilm",
    ) -> Annotation:
        """Return the SCUs that the model finds in the summary."""
        if not 0 <= failures < 1:
            raise PyramidionError(f"The share of failures is {failures}", do="give a share of at least 0 and below 1")
        counts = unsupported == "count"
        rulings = self.rulings(pyramid, summary, question, batch=batch, base_url=base_url)
        of_scus = [rulings.get(_statement(pyramid, scu), Ruling(0.0)) for scu in pyramid.scus]
        self._check(pyramid, summary, of_scus, failures)
        verdicts = [_verdict(ruling, summary) for ruling in of_scus]
        bare = [is_bare(ruling, summary, threshold) for ruling in of_scus]
        if not counts:
            verdicts = [Verdict(0.0) if is_bare else verdict for verdict, is_bare in zip(verdicts, bare, strict=True)]
        annotation = annotate_by_verdicts(pyramid, summary, verdicts, threshold, analyser)
        asked = [*zip(pyramid.scus, of_scus, verdicts, bare, strict=True)]
        degrees = [(scu.id, verdict.probability) for scu, ruling, verdict, _ in asked if ruling.degree is not None]
        claimed = tuple(scu.id for scu, _, _, is_bare in asked if is_bare)
        return replace(
            annotation,
            comments=tuple(
                (scu.id, ruling.why if ruling.degree is None else _quote(ruling))
                for scu, ruling, _, is_bare in asked
                if ruling.degree is None or (is_bare and not counts)
            ),
            unjudged=tuple((scu.id, NO_ANSWER) for scu, ruling, _, _ in asked if ruling.degree is None),
            probabilities=tuple((id, degree if calibrated else float(degree >= threshold)) for id, degree in degrees),
            unsupported=claimed,
        )

    def _check(self, pyramid: Pyramid, summary: Summary, rulings: Sequence[Ruling], failures: float) -> None:
        """Raise an error, or add a note, if SCUs have no answer."""
        whys = [ruling.why for ruling in rulings if ruling.degree is None]
        if not whys:
            return
        what = (
            f"Topic {pyramid.topic!r}, summary {summary.id!r}: {self.model} gave no usable answer "
            f"for {len(whys)} of {len(rulings)} SCUs ({whys[0]})"
        )
        if len(whys) > failures * len(rulings):
            raise PyramidionError(what, do="run again (answers so far are kept), or allow a share: failures=0.1")
        note(f"{what}; they count as not expressed, so the scores are lower bounds")


def make(model: str) -> Judge:
    """Return the judge that asks the model of that name; nobody is asked yet."""
    if not model:
        raise PyramidionError("No model is named", do="name a model that the endpoint serves: llm:MODEL")
    return Judge(model)


def _statement(pyramid: Pyramid, scu: SCU) -> str:
    """Return an SCU's label, or its longest wording without one; empty if that has neither letter nor digit."""
    label = " ".join(scu.label.split())
    statement = label or max(expressions(pyramid, scu), key=lambda text: (len(text), text))
    return statement if any(map(str.isalnum, statement)) else ""


def is_bare(ruling: Ruling, summary: Summary, threshold: float = 0.5) -> bool:
    """Return whether the model claims a statement, but quotes nothing that the summary has."""
    is_claimed = ruling.degree is not None and ruling.degree >= min(threshold, 0.5)
    return is_claimed and not located(ruling.quote, summary.text)


def _verdict(ruling: Ruling, summary: Summary) -> Verdict:
    if ruling.degree is None:
        return Verdict(0.0)
    spans = located(ruling.quote, summary.text)
    return Verdict(ruling.degree, spans, reason="" if spans else _quote(ruling), supported=bool(spans))


def _quote(ruling: Ruling) -> str:
    return " ".join(ruling.quote.split())


def _read_all(content: str, count: int) -> list[Ruling]:
    """Return the rulings of an answer that leaves nothing out; any other is an error."""
    rulings = _read_parts(content, count)
    if missing := [ruling for ruling in rulings if ruling.degree is None]:
        raise AnswerError(missing[0].why, content=content)
    return rulings


def _read_parts(content: str, count: int, why: str = "") -> list[Ruling]:
    """Return what an answer says of each statement, as far as it can be read; ``why`` is the known reason if not."""
    try:
        answers = structured(content, _Answers).answers
    except AnswerError as error:
        return [Ruling(None, why=why or error.what)] * count
    rulings: dict[int, Ruling] = {}
    for item in answers:
        try:
            answer = msgspec.convert(item, _Answer, strict=False)
        except (msgspec.MsgspecError, RecursionError, ArithmeticError, ValueError):
            continue
        if not answer.readers.is_integer():
            continue  # a share of 1 where a number of 100 was asked for, perhaps
        ruling = Ruling(answer.readers / 100, answer.quote or "")
        contradicted = answer.id in rulings and rulings[answer.id] != ruling
        rulings[answer.id] = Ruling(None, why="two answers") if contradicted else ruling
    missing = Ruling(None, why=why or "the answer leaves it out or gives no whole number from 0 to 100")
    return [rulings.get(number, missing) for number in range(1, count + 1)]
