"""Ask a language model all questions about a corpus in advance and in parallel, after estimating their price.

``evaluate`` takes one summary after the other and asks as it goes. If the questions were asked in advance, it finds the
answers in the cache and needs no endpoint. The pyramid of a topic decides what is asked about its peers, so if a model
builds the pyramids, all of them are built first. Until then the questions about the peers are estimated, as if every
:data:`STATEMENT` characters of a reference were an SCU.

The cost of a run is two numbers: its cost now, and the cost of its answers when they were first asked for, which the
cache keeps. If the cost limit stops a run, its results so far are returned.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from pyramidion.base.tables import plural
from pyramidion.base.threads import in_parallel
from pyramidion.builders import BUILDERS
from pyramidion.builders.llm import Builder
from pyramidion.errors import PyramidionError
from pyramidion.language.llm.answer_cache import Bill
from pyramidion.language.llm.chat import Client, MaxCostError, Question, client
from pyramidion.language.llm.endpoint import Endpoint
from pyramidion.matchers import MATCHERS
from pyramidion.matchers.llm import Judge, Ruling, is_bare
from pyramidion.methods import GIVEN, Method
from pyramidion.model import SCU, Contributor, Pyramid, Summary, Topic

STATEMENT = 60
"""The assumed length of a statement in characters."""


@dataclass(frozen=True, slots=True)
class Originally:
    """The cost of answers when they were first asked for, now or earlier."""

    answers: int = 0
    unrecorded: int = 0
    """The number of answers from the cache of an earlier version, which did not record costs."""
    tokens_in: int = 0
    tokens_out: int = 0
    seconds: float = 0.0
    """The sum of the waiting times for replies."""
    cost: float | None = None
    """None where no prices were known."""
    unpriced: int = 0
    """The number of recorded answers that were asked for without prices."""

    @classmethod
    def of(cls, bills: Collection[Bill | None]) -> Originally:
        """Return the sums of the recorded usage."""
        known = [bill for bill in bills if bill]
        prices = [bill.cost for bill in known if bill.cost is not None]
        return cls(
            len(bills),
            len(bills) - len(known),
            sum(bill.tokens_in for bill in known),
            sum(bill.tokens_out for bill in known),
            sum(bill.seconds for bill in known),
            sum(prices) if prices else None,
            len(known) - len(prices),
        )

    def describe(self, known: int) -> str:
        """Describe what the answers cost when they were first asked for, if ``known`` of them were kept."""
        if not known or self.unrecorded == self.answers:
            return ""
        price = "at an unknown price" if self.cost is None else f"for {self.cost:.4f}"
        gaps = [
            f"{count} {why}"
            for count, why in ((self.unrecorded, "without a record"), (self.unpriced, "without prices"))
            if count and self.cost is not None
        ]
        return (
            f"\nfirst asked {price}: {plural(self.answers, 'answer')}, {self.tokens_in:,} tokens in, "
            f"{self.tokens_out:,} out, {self.seconds:.1f} seconds" + (f" ({', '.join(gaps)})" if gaps else "")
        )


@dataclass(frozen=True, slots=True)
class CostEstimate:
    """The questions still to ask and their estimated cost; a token is taken to be four characters."""

    questions: int
    known: int
    """The number of questions whose answers are in the cache."""
    tokens_in: int
    tokens_out: int
    cost: float | None
    """None where the prices are not known."""
    guess: bool
    """True if this is a rough estimate, because a model has yet to build the pyramids."""
    at_most: float | None = None
    """The cost if every request used all the tokens reserved for it, and none was sent twice."""
    originally: Originally = Originally()
    """The original cost of the answers in the cache."""

    def __str__(self) -> str:
        return (
            f"{'perhaps ' if self.guess else ''}{plural(self.questions, 'question')} to ask, "
            f"{self.known} already answered\n"
            f"about {self.tokens_in:,} tokens in, {self.tokens_out:,} out (a quarter of the characters)\n"
            f"{_price(self.cost, self.at_most)}{self.originally.describe(self.known)}"
        )


@dataclass(frozen=True, slots=True)
class Asked:
    """The outcome of asking in advance."""

    answered: int
    known: int
    """The number of answers that were in the cache."""
    tokens_in: int
    tokens_out: int
    cost: float | None
    """None where the prices are not known."""
    unsupported: int
    """The number of SCUs for which the model quotes words that are not in the summary."""
    failures: tuple[Failure, ...]
    at_most: float | None = None
    """The cost if lost and uncounted requests were billed in full."""
    originally: Originally = Originally()
    """The original cost of all these answers, including those from the cache."""
    stopped: str = ""
    """The reason why not all questions were asked, if the cost limit stopped the run."""

    def __str__(self) -> str:
        return (
            f"{plural(self.answered, 'answer')}, {self.known} already known, "
            f"{len(self.failures)} failed, {plural(self.unsupported, 'unsupported quote')}\n"
            f"{self.tokens_in:,} tokens in, {self.tokens_out:,} out\n"
            f"{_price(self.cost, self.at_most)}{self.originally.describe(self.known)}"
        )

    def check(self) -> None:
        """Raise an error if a question was not answered."""
        if self.stopped:
            raise PyramidionError(self.stopped)
        if self.failures:
            first = self.failures[0]
            raise PyramidionError(
                f"{plural(len(self.failures), 'summary')} did not get all answers (the first: {first.summary!r} of "
                f"topic {first.topic!r}, {first.why})",
                do="run it again; the answers so far are kept",
            )


@dataclass(frozen=True, slots=True)
class Failure:
    """A summary with unanswered SCUs, and the reason for the first of them."""

    topic: str
    summary: str
    scus: int
    why: str


def _price(cost: float | None, at_most: float | None) -> str:
    if cost is None:
        return "price unknown: set the prices of a million tokens in and out"
    # a smaller difference does not show in four decimals
    return f"cost: {cost:.4f}" + (f", at most {at_most:.4f}" if at_most is not None and at_most - cost > 5e-5 else "")


@contextmanager
def limits(
    *,
    max_cost: float | None = None,
    price_in: float | None = None,
    price_out: float | None = None,
    concurrency: int | None = None,
) -> Iterator[None]:
    """Use these limits for a while, instead of those in the environment (:mod:`~pyramidion.language.llm.endpoint`)."""
    chosen = {"MAX_COST": max_cost, "PRICE_IN": price_in, "PRICE_OUT": price_out, "CONCURRENCY": concurrency}
    variables = {f"PYRAMIDION_LLM_{name}": str(value) for name, value in chosen.items() if value is not None}
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def estimate(topics: Iterable[Topic], method: Method) -> CostEstimate:
    """Estimate what asking about a corpus would cost; nothing is asked."""
    builder, judge = _askers(method)
    model = _client(method)
    guess = False
    questions: dict[Question, bool] = {}
    bills: dict[str, Bill | None] = {}
    for topic in topics:
        pyramid = None
        if builder:
            asking = builder.questions(topic, **_settings(method, "analyser"))
            questions |= {question: model.knows(question) for question in asking}
            with model.ledger() as used:
                pyramid = builder.kept(topic, model, **_settings(method, "unsupported", "analyser"))
            bills |= used
            guess |= pyramid is None
            known = pyramid is not None
            pyramid = pyramid or _stand_in(topic)
            if len(asking) > 1:
                texts = [
                    [scu.label for scu in pyramid.scus if scu.contributors[0].summary == reference.id]
                    for reference in pyramid.references
                ]
                questions[builder.grouping(texts)] = known
        if judge:
            pyramid = pyramid or method.pyramid(topic)
            for peer in topic.peers:
                asked = judge.questions(pyramid, peer, **_settings(method, "batch"))
                questions |= {question: model.knows(question) for question, _ in asked}
    todo = [question for question, known in questions.items() if not known]
    put, expected = sum(question.tokens for question in todo), sum(question.expected for question in todo)
    cost = model.endpoint.cost(put, expected)
    at_most = model.endpoint.cost(sum(question.most_tokens for question in todo), sum(map(model.room, todo)))
    # the cache knows what an answer cost when it was first asked for
    for question, known in questions.items():
        if known and (kept := model.kept(question)):
            bills[question.key(model.endpoint.url)] = kept.bill
    originally = Originally.of(bills.values())
    return CostEstimate(len(todo), len(questions) - len(todo), put, expected, cost, guess, at_most, originally)


def ask_ahead(topics: Sequence[Topic], method: Method, progress: Callable[[], None] = lambda: None) -> Asked:
    """Ask all questions that the method has about a corpus; ``progress`` is called for each topic and each summary.

    If the estimate exceeds the endpoint's cost limit, nothing is asked. If the real cost would exceed it, the run
    stops.
    """
    builder, judge = _askers(method)
    method.check_language(topics)
    model = _client(method)
    price = estimate(topics, method).cost
    if price is not None and price > model.endpoint.max_cost:
        raise PyramidionError(
            f"The questions may cost {price:.4f}, more than {model.endpoint.max_cost:g}; nothing was asked",
            do="allow a higher cost, or ask about less",
        )
    before, billed = replace(model.spent), model.billed
    # a builder that asks a model waits for its answers, others compute
    workers = model.endpoint.concurrency if builder else 1
    threshold = _settings(method, "threshold").get("threshold", 0.5)
    read: list[tuple[Pyramid, Summary, Collection[Ruling]]] = []
    stopped = ""

    def ask(pair: tuple[Pyramid, Summary]) -> None:
        if judge:
            read.append((*pair, judge.rulings(*pair, **_settings(method, "batch", "base_url")).values()))

    with model.ledger() as bills:
        try:
            # all pyramids first: they decide what is asked about the peers
            pyramids = in_parallel(method.pyramid, topics, workers, progress)
            pairs = [(pyramid, peer) for topic, pyramid in zip(topics, pyramids, strict=True) for peer in topic.peers]
            in_parallel(ask, pairs, model.endpoint.concurrency, progress)
        except MaxCostError as error:
            # the answers so far are kept, and returned
            stopped = str(error)
    now = model.spent
    is_priced = model.endpoint.cost(0, 0) is not None
    return Asked(
        now.answered - before.answered,
        now.cached - before.cached,
        now.tokens_in - before.tokens_in,
        now.tokens_out - before.tokens_out,
        now.cost - before.cost if is_priced else None,
        sum(is_bare(ruling, peer, threshold) for _, peer, rulings in read for ruling in rulings),
        _failures(read),
        model.billed - billed if is_priced else None,
        Originally.of(bills.values()),
        stopped,
    )


def _failures(read: Iterable[tuple[Pyramid, Summary, Collection[Ruling]]]) -> tuple[Failure, ...]:
    """Return the summaries with SCUs for which the model gave no usable answer."""
    failures = []
    for pyramid, peer, rulings in read:
        whys = [ruling.why for ruling in rulings if ruling.degree is None]
        if whys:
            failures.append(Failure(pyramid.topic, peer.id, len(whys), whys[0]))
    return tuple(sorted(failures, key=lambda failure: (failure.topic, failure.summary)))


def _askers(method: Method) -> tuple[Builder | None, Judge | None]:
    """Return the parts of a method that ask a model."""
    builder = BUILDERS[method.builder] if method.builder != GIVEN else None
    judge = MATCHERS[method.matcher] if method.matcher != GIVEN else None
    askers = (builder if isinstance(builder, Builder) else None, judge if isinstance(judge, Judge) else None)
    if not any(askers):
        raise PyramidionError(
            f"The method {method.name!r} does not ask a language model",
            do="choose a method that does, such as given+llm:MODEL",
        )
    return askers


def _settings(method: Method, *names: str) -> dict[str, Any]:
    return {name: value for name, value in method.parameters if name in names}


def _client(method: Method) -> Client:
    return client(Endpoint.named(**_settings(method, "base_url")))


def _stand_in(topic: Topic) -> Pyramid:
    """Return a pyramid like one that a model might build if no two references agreed."""
    scus = []
    for reference in topic.references:
        for start in range(0, len(reference.text), STATEMENT):
            text = reference.text[start : start + STATEMENT]
            scus.append(SCU(f"{reference.id} {start}", text, (Contributor(reference.id),)))
    return Pyramid(topic.id, topic.references, tuple(scus))
