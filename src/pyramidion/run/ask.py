"""A corpus's questions to a language model, priced before they are asked, and asked ahead, many at a time.

``evaluate`` goes through a corpus one summary after the other and asks as it goes. Asked ahead, the answers are in the
cache when it comes, and it needs no endpoint. What the references of a topic state decides what is asked about its
peers: where a model builds the pyramids, all of them are built first. Until then the questions about the peers can only
be guessed: as if every :data:`STATEMENT` characters of a reference were an SCU of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pyramidion.build import BUILDERS
from pyramidion.build.llm import Builder
from pyramidion.errors import PyramidionError
from pyramidion.language.chat import Client, Question, client
from pyramidion.language.endpoint import Endpoint
from pyramidion.language.parallel import in_parallel
from pyramidion.language.quotes import located
from pyramidion.match import MATCHERS
from pyramidion.match.llm import Judge, Ruling
from pyramidion.methods import GIVEN, Method
from pyramidion.model import SCU, Contributor, Pyramid, Summary, Topic

__all__ = ["STATEMENT", "Asked", "Estimate", "Failure", "ask_ahead", "estimate"]

STATEMENT = 60
"""Characters of a statement, for the guess."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What is still to be asked, and what that comes to: a quarter of the characters in tokens."""

    questions: int
    known: int
    """Questions whose answers are kept already."""
    tokens_in: int
    tokens_out: int
    cost: float | None
    """None where the prices are not known."""
    guess: bool
    """Whether it is a guess, because pyramids are still to be built by a model."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What came of asking ahead."""

    answered: int
    known: int
    """Answers that were kept already."""
    tokens_in: int
    tokens_out: int
    cost: float | None
    """None where the prices are not known."""
    unsupported: int
    """Quotes that are not in their summary."""
    failures: tuple[Failure, ...]


@dataclass(frozen=True, slots=True)
class Failure:
    """A summary with SCUs that have no answer, and why the first of them has none."""

    topic: str
    summary: str
    scus: int
    why: str


def estimate(topics: Iterable[Topic], method: Method) -> Estimate:
    """What asking about a corpus comes to; nobody is asked."""
    builder, judge = _askers(method)
    who = _client(method)
    guess = False
    questions: dict[Question, bool] = {}
    for topic in topics:
        pyramid = None
        if builder:
            some = builder.questions(topic, **_settings(method, "analyser"))
            questions |= {question: who.knows(question) for question in some}
            pyramid = builder.kept(topic, who, **_settings(method, "analyser"))
            guess |= pyramid is None
            known = pyramid is not None
            pyramid = pyramid or _stand_in(topic)
            if len(some) > 1:
                texts = [[scu.label for scu in pyramid.scus if _writer(scu) == one.id] for one in pyramid.references]
                questions[builder.grouping(texts)] = known
        if judge:
            pyramid = pyramid or method.pyramid(topic)
            for peer in topic.peers:
                asked = judge.questions(pyramid, peer, **_settings(method, "batch"))
                questions |= {question: who.knows(question) for question, _ in asked}
    todo = [question for question, known in questions.items() if not known]
    put, expected = sum(one.tokens for one in todo), sum(one.expected for one in todo)
    cost = who.endpoint.cost(put, expected)
    return Estimate(len(todo), len(questions) - len(todo), put, expected, cost, guess)


def ask_ahead(topics: Sequence[Topic], method: Method, progress: Callable[[], None] = lambda: None) -> Asked:
    """Ask all that the method will want to know of a corpus; ``progress`` is told of each topic and each summary.

    If it may cost more than the endpoint's highest cost, nobody is asked.
    """
    builder, judge = _askers(method)
    method.check_language(topics)
    who = _client(method)
    price = estimate(topics, method).cost
    if price is not None and price > who.endpoint.max_cost:
        raise PyramidionError(
            f"the questions may cost {price:.4f}, more than {who.endpoint.max_cost:g}; nothing was asked",
            do="allow more with --max-cost, or ask about less",
        )
    before = replace(who.spent)
    workers = who.endpoint.concurrency if builder else 1
    pyramids = in_parallel(method.pyramid, topics, workers, progress)
    pairs = [(pyramid, peer) for topic, pyramid in zip(topics, pyramids, strict=True) for peer in topic.peers]
    unsupported = 0
    failures = []
    if judge:

        def ask(pair: tuple[Pyramid, Summary]) -> Collection[Ruling]:
            return judge.rulings(*pair, **_settings(method, "batch", "base_url")).values()

        found = in_parallel(ask, pairs, who.endpoint.concurrency, progress)
        for (pyramid, peer), rulings in zip(pairs, found, strict=True):
            unsupported += sum(bool(one.quote) and not located(one.quote, peer.text) for one in rulings)
            whys = [one.why for one in rulings if one.degree is None]
            if whys:
                failures.append(Failure(pyramid.topic, peer.id, len(whys), whys[0]))
    now = who.spent
    return Asked(
        now.answered - before.answered,
        now.cached - before.cached,
        now.tokens_in - before.tokens_in,
        now.tokens_out - before.tokens_out,
        now.cost - before.cost if who.endpoint.cost(0, 0) is not None else None,
        unsupported,
        tuple(failures),
    )


def _askers(method: Method) -> tuple[Builder | None, Judge | None]:
    """The parts of a method that ask a model."""
    builder = BUILDERS[method.builder] if method.builder != GIVEN else None
    judge = MATCHERS[method.matcher] if method.matcher != GIVEN else None
    found = (builder if isinstance(builder, Builder) else None, judge if isinstance(judge, Judge) else None)
    if not any(found):
        raise PyramidionError(f"the method {method.name!r} asks nobody", do="name a model: given+llm:MODEL, say")
    return found


def _settings(method: Method, *names: str) -> dict[str, Any]:
    return {name: value for name, value in method.parameters if name in names}


def _client(method: Method) -> Client:
    return client(Endpoint.named(**_settings(method, "base_url")))


def _writer(scu: SCU) -> str:
    return scu.contributors[0].summary


def _stand_in(topic: Topic) -> Pyramid:
    """A pyramid as a model might make of the references, if no two of them agreed."""
    scus = []
    for reference in topic.references:
        for start in range(0, len(reference.text), STATEMENT):
            text = reference.text[start : start + STATEMENT]
            scus.append(SCU(f"{reference.id} {start}", text, (Contributor(reference.id),)))
    return Pyramid(topic.id, topic.references, tuple(scus))
