r"""Questions to a chat endpoint that speaks OpenAI's protocol: kept answers, patience, and a purse.

*One answer.* Temperature 0, always. The answer's JSON schema goes with the question; an endpoint that refuses it (400,
404, 422) is asked without, since the prompt shows the form, too. What comes back must be read by the caller's
``read``; if that fails, the question is put once more, and then it is an :class:`AnswerError`: never a guess.

*Patience.* Lost requests (429, 5xx, a time-out, a broken connection, half a body) are sent again up to ``retries``
times, after

.. math:: wait_n = \max(\text{Retry-After}, \; b \, 2^n \, u), \quad u \in [0.5, 1],

b the back-off, at most :data:`LONGEST_BACKOFF` seconds, and u from a generator that the question seeds. Then, and at
once where waiting helps nothing (a wrong key, an unknown model, an empty account, a host that was never reached), it is
an :class:`EndpointError`. Answers that have come are kept (:mod:`~pyramidion.language.answer_cache`): the next run goes
on from there. Threads that ask the same at once, as two summaries of one text do, wait for one answer.

*Purse.* Before a question is sent, its tokens (a quarter of its characters) and those expected of the answer are
priced; with what was spent, by the endpoint's own count of tokens where it gives one, they must not pass ``max_cost``.

Redirections are not followed, so that the key goes nowhere else; it is cut out of whatever the endpoint says.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from random import Random
from threading import BoundedSemaphore, Lock
from typing import Any, TypeVar

from pyramidion.errors import PyramidionError
from pyramidion.language._transport import EndpointError, LostRequestError, Reply, message, post
from pyramidion.language.answer_cache import AnswerCache
from pyramidion.language.endpoint import Endpoint, tokens

__all__ = [
    "LONGEST_BACKOFF",
    "LONGEST_WAIT",
    "AnswerError",
    "Client",
    "EndpointError",
    "Prompt",
    "Question",
    "Spent",
    "client",
    "json_of",
    "prompt",
]

LONGEST_BACKOFF = 60.0
"""Seconds that we wait by ourselves."""
LONGEST_WAIT = 300.0
"""Seconds that an endpoint may ask us to wait; beyond, the run ends, to be taken up later."""
TEMPERATURE = 0

_LOST = {408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529}
_REFUSES_SCHEMA = {400, 404, 422}

T = TypeVar("T")


class AnswerError(PyramidionError):
    """An answer came and cannot be used."""

    def __init__(self, what: str, where: str = "", do: str = "", content: str = "") -> None:
        super().__init__(what, where, do)
        self.content = content
        """What the model wrote."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a model is told to do: a file under ``prompts/``, whose first line names its version."""

    version: str
    text: str


@lru_cache
def prompt(name: str) -> Prompt:
    """The prompt of that name.

    >>> prompt("judge").version
    'judge-1'
    """
    head, _, text = (files("pyramidion.language") / "prompts" / f"{name}.txt").read_text("utf-8").partition("\n")
    return Prompt(head.partition(":")[2].strip(), text.strip())


@dataclass(frozen=True, slots=True)
class Question:
    """A prompt about some material, which the model gets as JSON, and the JSON schema of the answer."""

    model: str
    prompt: Prompt
    material: str
    schema: str
    expected: int
    """About how many tokens the answer has."""

    @property
    def messages(self) -> list[dict[str, str]]:
        """The conversation so far."""
        return [{"role": "system", "content": self.prompt.text}, {"role": "user", "content": self.material}]

    @property
    def tokens(self) -> int:
        """About how many tokens the question has."""
        return tokens(self.prompt.text) + tokens(self.material) + tokens(self.schema)

    def key(self, url: str) -> str:
        """A hash of all that decides the answer."""
        parts = [url, self.model, self.prompt.version, self.messages, json.loads(self.schema), TEMPERATURE]
        return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    def body(self, with_schema: bool) -> bytes:
        """The request."""
        asked: dict[str, Any] = {"model": self.model, "messages": self.messages, "temperature": TEMPERATURE}
        if with_schema:
            schema = {"name": self.prompt.version, "strict": True, "schema": json.loads(self.schema)}
            asked["response_format"] = {"type": "json_schema", "json_schema": schema}
        return json.dumps(asked).encode()


def json_of(content: str) -> str:
    r"""The JSON object in an answer, without the remarks and fences that some models put around it.

    >>> json_of('Sure:\n```json\n{"a": 1}\n```')
    '{"a": 1}'
    """
    content = content.rpartition("</think>")[2]
    first, last = content.find("{"), content.rfind("}")
    return content[first : last + 1] if 0 <= first < last else content


@dataclass(slots=True)
class Spent:
    """What a client has done so far."""

    cached: int = 0
    """Questions answered from the file."""
    answered: int = 0
    """Questions the endpoint answered well."""
    failed: int = 0
    """Questions whose answers could not be used."""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    """0 where the prices are not known."""
    reserved: float = field(default=0.0, repr=False)


class Client:
    """An endpoint, its answers and its bill; threads may share it."""

    def __init__(self, endpoint: Endpoint, sleep: Callable[[float], None] = time.sleep) -> None:
        self.endpoint = endpoint
        self.spent = Spent()
        self._cache = AnswerCache(endpoint.cache) if endpoint.cache else None
        self._sleep = sleep
        self._room = BoundedSemaphore(endpoint.concurrency)
        self._lock = Lock()
        self._turns: defaultdict[str, Lock] = defaultdict(Lock)
        self._with_schema = True
        self._was_reached = False

    def knows(self, question: Question, read: Callable[[str], object] = str) -> bool:
        """Whether an answer is kept that can be read."""
        kept = self._cache.get(question.key(self.endpoint.url)) if self._cache else None
        try:
            return kept is not None and read(kept) is not None
        except AnswerError:
            return False

    def ask(self, question: Question, read: Callable[[str], T]) -> T:
        """The answer, as ``read`` reads it; ``read`` raises an :class:`AnswerError` if it cannot."""
        key = question.key(self.endpoint.url)
        with self._lock:
            turn = self._turns[key]
        with turn:
            return self._asked(key, question, read)

    def _asked(self, key: str, question: Question, read: Callable[[str], T]) -> T:
        kept = self._cache.get(key) if self._cache else None
        if kept is not None:
            try:
                value = read(kept)
            except AnswerError:
                pass  # of an older version, or of another's making: ask again
            else:
                self._count(cached=1)
                return value
        for last in (False, True):
            try:
                content = self._content(question)
                value = read(content)
            except AnswerError:
                if last:
                    self._count(failed=1)
                    raise
            else:
                self._count(answered=1)
                return self._keep(key, question, content, value, read, instead=kept is not None)
        raise AssertionError("unreachable")

    def _keep(
        self, key: str, question: Question, content: str, value: T, read: Callable[[str], T], *, instead: bool
    ) -> T:
        if self._cache is None:
            return value
        first = self._cache.put(key, content, question.model, question.prompt.version, instead=instead)
        if first == content:
            return value
        try:
            return read(first)
        except AnswerError:
            return value

    def _count(self, **more: float) -> None:
        with self._lock:
            for name, number in more.items():
                setattr(self.spent, name, getattr(self.spent, name) + number)

    def _content(self, question: Question) -> str:
        """What the model writes."""
        with self._paying(question) as pay:
            reply = self._completed(question)
            try:
                found = json.loads(reply)
                choice = found["choices"][0]
                told = choice["message"]
                content = told.get("content")
            except (ValueError, LookupError, TypeError, AttributeError):
                raise AnswerError("the answer is no chat completion", self.endpoint.host) from None
            content = content if isinstance(content, str) else ""
            pay(found.get("usage"), content)
        content = content.encode("utf-8", "replace").decode()  # half a surrogate pair cannot be kept
        if choice.get("finish_reason") == "length":
            raise AnswerError("the answer was cut off", do="ask for less at once: a smaller batch", content=content)
        if not content.strip():
            refusal = told.get("refusal")
            raise AnswerError(f"the model refused: {self._said(str(refusal))}" if refusal else "the answer is empty")
        return content

    @contextmanager
    def _paying(self, question: Question) -> Iterator[Callable[[Any, str], None]]:
        """Put the price of a question aside while it is asked; then pay what it was."""
        end = self.endpoint
        price = end.cost(question.tokens, question.expected) or 0.0
        with self._lock:
            if self.spent.cost + self.spent.reserved + price > end.max_cost:
                raise EndpointError(
                    f"the next question may cost more than is left: {self.spent.cost:.4f} of {end.max_cost:g} is spent",
                    do="raise PYRAMIDION_LLM_MAX_COST; answers so far are kept",
                )
            self.spent.reserved += price

        def pay(usage: Any, content: str) -> None:
            counted = usage if isinstance(usage, Mapping) else {}
            numbers = [counted.get("prompt_tokens"), counted.get("completion_tokens")]
            estimates = [question.tokens, tokens(content)]
            used = [
                number if isinstance(number, int) and number >= 0 else estimate
                for number, estimate in zip(numbers, estimates, strict=True)
            ]
            self._count(tokens_in=used[0], tokens_out=used[1], cost=end.cost(*used) or 0.0)

        try:
            yield pay
        finally:
            self._count(reserved=-price)

    def _completed(self, question: Question) -> bytes:
        """The body of a reply of status 200, however often it takes."""
        jitter = Random(question.key(self.endpoint.url))
        attempt = 0
        while True:
            with_schema = self._with_schema
            try:
                with self._room:
                    reply = post(self.endpoint, question.body(with_schema))
                self._was_reached = True
                if reply.status == 200:
                    return reply.body
                if with_schema and reply.status in _REFUSES_SCHEMA:
                    return self._without_schema(question, reply)
                self._check(reply)
            except LostRequestError as lost:
                if lost.absent and not self._was_reached:
                    raise EndpointError(
                        f"the endpoint cannot be reached ({lost})",
                        self.endpoint.host,
                        "check the network and the base URL",
                    ) from None
                if attempt == self.endpoint.retries:
                    tries = f"{attempt + 1} tries" if attempt else "1 try"
                    raise EndpointError(
                        f"no answer after {tries}: {lost}",
                        self.endpoint.host,
                        "try again later; answers so far are kept",
                    ) from None
                if lost.wait > LONGEST_WAIT:
                    raise EndpointError(
                        f"the endpoint wants us to wait {lost.wait:.0f} seconds ({lost})",
                        self.endpoint.host,
                        "try again then; answers so far are kept",
                    ) from None
                own = min(LONGEST_BACKOFF, self.endpoint.backoff * 2**attempt) * jitter.uniform(0.5, 1.0)
                self._sleep(max(lost.wait, own))
                attempt += 1

    def _without_schema(self, question: Question, refusal: Reply) -> bytes:
        """The same question in plain JSON: if that goes, the schema was what the endpoint did not like."""
        with self._room:
            reply = post(self.endpoint, question.body(False))
        if reply.status == 200:
            self._with_schema = False
            return reply.body
        self._check(reply if reply.status in _LOST else refusal)
        raise AssertionError("unreachable")

    def _check(self, reply: Reply) -> None:
        """Raise what a reply that is no answer means."""
        said = self._said(message(reply.body))
        told = f" ({said})" if said else ""
        host, status = self.endpoint.host, reply.status
        if status == 429 and b"insufficient_quota" in reply.body:
            raise EndpointError(f"the account is empty{told}", host, "pay, then run again; answers so far are kept")
        if status in _LOST:
            raise LostRequestError(f"status {status}{told}", reply.wait)
        if status in (401, 403):
            raise EndpointError(f"the endpoint refuses the key{told}", host, "set PYRAMIDION_LLM_KEY (OPENAI_API_KEY)")
        if status == 404:
            raise EndpointError(f"not found{told}", host, "check the model's name and the base URL (it ends in /v1)")
        do = (
            "check the base URL"
            if 300 <= status < 400
            else "check the model's name, and that the texts are not too long"
        )
        raise EndpointError(f"the endpoint refuses the question: status {status}{told}", host, do)

    def _said(self, text: str) -> str:
        """The endpoint's words, short, on one line, without the key."""
        if self.endpoint.key:
            text = text.replace(self.endpoint.key, "***")
        text = " ".join("".join(char if char.isprintable() else " " for char in text).split())
        return text if len(text) <= 200 else text[:200] + "..."


@lru_cache(maxsize=8)
def client(endpoint: Endpoint) -> Client:
    """One client for each endpoint a process."""
    return Client(endpoint)
