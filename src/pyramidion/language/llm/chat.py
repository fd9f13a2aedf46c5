r"""Questions to a chat endpoint that speaks OpenAI's protocol: kept answers, patience, and a purse.

*One answer.* Temperature 0, always. The answer's JSON schema goes with the question; an endpoint that refuses it (400,
404, 422) is asked without, since the prompt shows the form, too. What comes back must be read by the caller's
``read``; if that fails, the question is put once more, and then it is an :class:`AnswerError`: never a guess.

*Room.* A request says how many tokens the answer may have: as many as the expected one has bytes, and some more; four
times that after an answer that was cut off. The limit is called ``max_completion_tokens`` by OpenAI and ``max_tokens``
by the others; one who refuses the one gets the other. It decides no answer, since none that was cut off is used.

*Patience.* Lost requests (429, 5xx, a time-out, a broken connection, half a body) are sent again up to ``retries``
times, after

.. math:: wait_n = \max(\text{Retry-After}, \; b \, 2^n \, u), \quad u \in [0.5, 1],

b the back-off, at most :data:`LONGEST_BACKOFF` seconds, and u from a generator that the question seeds. Then, and at
once where waiting helps nothing (a wrong key, an unknown model, an empty account, a host that was never reached), it is
an :class:`EndpointError`. Answers that have come are kept (:mod:`~pyramidion.language.llm.answer_cache`): the next run
goes on from there. Threads that ask the same at once, as two summaries of one text do, wait for one answer.

*Purse.* Before a request is sent, the most that it may cost is put aside (:mod:`~pyramidion.language.llm.purse`): a
token for each byte of the question, and all of the answer's room. What would pass ``max_cost`` is not sent: it is a
:class:`MaxCostError`. What was spent is by the endpoint's own count of tokens, or by our estimate, a quarter of the
characters.

Redirections are not followed, so that the key goes nowhere else; it is cut out of whatever the endpoint says.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from random import Random
from threading import BoundedSemaphore, Lock
from typing import Any, TypeVar

import msgspec

from pyramidion.base.json import decoder
from pyramidion.errors import PyramidionError
from pyramidion.language.llm._transport import EndpointError, LostRequestError, Reply, message, post
from pyramidion.language.llm.answer_cache import AnswerCache, Bill, CachedAnswer, amount
from pyramidion.language.llm.endpoint import CHARACTERS_PER_TOKEN, Endpoint, most_tokens, tokens
from pyramidion.language.llm.purse import ClosedPurseError, Purse

__all__ = [
    "LONGEST_BACKOFF",
    "LONGEST_WAIT",
    "AnswerError",
    "Client",
    "EndpointError",
    "MaxCostError",
    "Prompt",
    "Question",
    "Spent",
    "client",
    "json_of",
    "prompt",
    "structured",
]

LONGEST_BACKOFF = 60.0
"""The most seconds that we wait before a retry."""
LONGEST_WAIT = 300.0
"""The most seconds that an endpoint may ask us to wait; if it asks for more, the run stops."""
TEMPERATURE = 0
ROOM = 256
"""Tokens that any answer may have beyond the expected ones."""
AROUND = 100
"""Tokens that an endpoint may put around a question: roles, separators, words about the schema."""

_LIMITS = ("max_tokens", "max_completion_tokens")
_LOST = {408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529}
_REFUSES_FORM = {400, 404, 422}

T = TypeVar("T")


class MaxCostError(EndpointError):
    """Another request might cost more than may be spent."""


class AnswerError(PyramidionError):
    """An answer came and cannot be used."""

    def __init__(self, what: str, where: str = "", do: str = "", content: str = "") -> None:
        super().__init__(what, where, do)
        self.content = content
        """The text that the model wrote."""


class CutOffError(AnswerError):
    """An answer that had no room."""


@dataclass(frozen=True, slots=True)
class Form:
    """The form of a request, as far as endpoints differ."""

    with_schema: bool
    limit: str
    """The name of the limit on the answer's tokens; empty where the endpoint takes none."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """The instructions for a model: a file under ``prompts/``, whose first line names its version."""

    version: str
    text: str


@lru_cache
def prompt(name: str) -> Prompt:
    """Return the prompt of that name.

    >>> prompt("judge").version
    'judge-1'
    """
    head, _, text = (files("pyramidion.language.llm") / "prompts" / f"{name}.txt").read_text("utf-8").partition("\n")
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

    @property
    def most_tokens(self) -> int:
        """Return the most tokens that the question may have."""
        return most_tokens(self.prompt.text) + most_tokens(self.material) + most_tokens(self.schema) + AROUND

    @property
    def room(self) -> int:
        """Return the most tokens of the answer: four times as many as are expected of English text."""
        bytes_per_token = CHARACTERS_PER_TOKEN * most_tokens(self.material) / max(1, len(self.material))
        return ROOM + round(bytes_per_token * self.expected)

    def key(self, url: str) -> str:
        """Return a hash of all that decides the answer."""
        parts = [url, self.model, self.prompt.version, self.messages, json.loads(self.schema), TEMPERATURE]
        return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()

    def body(self, form: Form, room: int) -> bytes:
        """Return the body of the request, as JSON."""
        request: dict[str, Any] = {"model": self.model, "messages": self.messages, "temperature": TEMPERATURE}
        if form.limit:
            request[form.limit] = room
        if form.with_schema:
            schema = {"name": self.prompt.version, "strict": True, "schema": json.loads(self.schema)}
            request["response_format"] = {"type": "json_schema", "json_schema": schema}
        return json.dumps(request).encode()


def json_of(content: str) -> str:
    r"""Return the JSON object in an answer, without the remarks and fences that some models put around it.

    >>> json_of('Sure:\n```json\n{"a": 1}\n```')
    '{"a": 1}'
    """
    # Models that think aloud may write braces in their thoughts.
    content = content.rpartition("</think>")[2]
    first, last = content.find("{"), content.rfind("}")
    return content[first : last + 1] if 0 <= first < last else content


def structured(content: str, form: type[T]) -> T:
    """Return the JSON object in an answer, if it has that form; any other answer is an :class:`AnswerError`."""
    try:
        return decoder(form).decode(json_of(content))
    except (msgspec.MsgspecError, RecursionError, ArithmeticError, ValueError):
        raise AnswerError("The answer is not the JSON that was asked for", content=content) from None


@dataclass(slots=True)
class Spent:
    """The requests and the cost of a client so far."""

    cached: int = 0
    """Questions answered from the file."""
    answered: int = 0
    """Questions the endpoint answered well."""
    failed: int = 0
    """Questions whose answers could not be used."""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    """The cost by the endpoint's count of tokens, or by our estimate; 0 if prices are not known."""


class Client:
    """An endpoint, its answers and its bill; threads may share it."""

    def __init__(self, endpoint: Endpoint, sleep: Callable[[float], None] = time.sleep) -> None:
        """``sleep`` waits before a retry; tests give one that returns at once."""
        self.endpoint = endpoint
        self.spent = Spent()
        self._cache = AnswerCache(endpoint.cache) if endpoint.cache else None
        self._sleep = sleep
        self._room = BoundedSemaphore(endpoint.concurrency)
        self._lock = Lock()
        # One lock for each question: threads that ask the same wait for one answer.
        self._turns: defaultdict[str, Lock] = defaultdict(Lock)
        self._form = Form(True, endpoint.limit)
        self._was_reached = False
        self._purse = Purse(endpoint.max_cost)
        self._ledgers: list[dict[str, Bill | None]] = []

    @property
    def billed(self) -> float:
        """Return the most that may have been billed: the cost, and the full price of lost requests."""
        return self._purse.billed

    def knows(self, question: Question, read: Callable[[str], object] = str) -> bool:
        """Return whether the cache has an answer that ``read`` accepts."""
        cached = self.kept(question)
        try:
            return cached is not None and read(cached.answer) is not None
        except AnswerError:
            return False

    def kept(self, question: Question) -> CachedAnswer | None:
        """Return the cached answer with its bill; the endpoint is not asked."""
        return self._cache.entry(question.key(self.endpoint.url)) if self._cache else None

    def room(self, question: Question) -> int:
        """Return the most tokens of the first answer to a question."""
        return self.endpoint.max_tokens or question.room

    @contextmanager
    def ledger(self) -> Iterator[Mapping[str, Bill | None]]:
        """Record the bill of each answer that is used inside the block: its cost when it was first asked for.

        An answer from a cache of an earlier version has no bill (None).
        """
        pages: dict[str, Bill | None] = {}
        self._ledgers.append(pages)
        try:
            yield pages
        finally:
            self._ledgers = [ledger for ledger in self._ledgers if ledger is not pages]

    def _enter(self, key: str, bill: Bill | None) -> None:
        for pages in self._ledgers:
            pages[key] = bill

    def ask(self, question: Question, read: Callable[[str], T]) -> T:
        """Return the answer, as ``read`` reads it; ``read`` raises an :class:`AnswerError` if it cannot."""
        key = question.key(self.endpoint.url)
        with self._lock:
            turn = self._turns[key]
        with turn:
            return self._answer(key, question, read)

    def _answer(self, key: str, question: Question, read: Callable[[str], T]) -> T:
        """Answer from the cache, or ask twice at most: the second time because the first answer was unusable."""
        cached = self._cache.entry(key) if self._cache else None
        if cached is not None:
            try:
                value = read(cached.answer)
            except AnswerError:
                pass  # of an older version, or of another's making: ask again
            else:
                self._count(cached=1)
                self._enter(key, cached.bill)
                return value
        bill = Bill()
        room = self.room(question)
        for last in (False, True):
            reply, took = self._complete(question, room)
            bill += took
            try:
                content = self._content(reply)
                value = read(content)
                self._count(answered=1)
                self._enter(key, bill)
                value = self._keep(key, question, content, bill, value, read, instead=cached is not None)
                break
            except AnswerError as error:
                if last:
                    self._count(failed=1)
                    raise
                if isinstance(error, CutOffError) and not self.endpoint.max_tokens:
                    room *= 4
            finally:
                self._purse.leave()
        if self._purse.closed:
            raise self._is_closed()
        return value

    def _keep(
        self,
        key: str,
        question: Question,
        content: str,
        bill: Bill,
        value: T,
        read: Callable[[str], T],
        *,
        instead: bool,
    ) -> T:
        """Store an answer; if another process stored one first, return that one's value instead."""
        if self._cache is None:
            return value
        first = self._cache.put(key, content, question.model, question.prompt.version, bill, instead=instead)
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

    def _content(self, reply: Reply) -> str:
        """Return the text that the model wrote."""
        choice = _choice(reply.value)
        if choice is None:
            raise AnswerError("The answer is not a chat completion", self.endpoint.host)
        content = _message_text(choice)
        if choice.get("finish_reason") == "length":
            do = "ask for less at once: a smaller batch; or set PYRAMIDION_LLM_MAX_TOKENS, for a model that thinks"
            raise CutOffError("The answer was cut off", do=do, content=content)
        if not content.strip():
            refusal = choice["message"].get("refusal")
            raise AnswerError(f"The model refused: {self._excerpt(str(refusal))}" if refusal else "The answer is empty")
        return content

    def _complete(self, question: Question, room: int) -> tuple[Reply, Bill]:
        """Ask until a reply has status 200; return it with its bill. The caller must leave the purse afterwards."""
        # Seeded by the question, so that threads wait for different times and a run waits the same again.
        jitter = Random(question.key(self.endpoint.url))
        attempt = 0
        form = self._form
        tried = [form]
        refusal: Reply | None = None
        while True:
            try:
                reply, bill = self._send(question, form, room)
                self._was_reached = True
                if reply.status == 200:
                    self._form = form
                    return reply, bill
                untried = next(
                    (candidate for candidate in self._other_forms(form, reply) if candidate not in tried), None
                )
                if untried:
                    form, refusal = untried, refusal or reply
                    tried.append(untried)
                    continue
                self._check(reply if reply.status in _LOST else refusal or reply)
            except LostRequestError as lost:
                if lost.absent and not self._was_reached:
                    raise EndpointError(
                        f"The endpoint cannot be reached ({lost})",
                        self.endpoint.host,
                        "check the network and the base URL",
                    ) from None
                if attempt == self.endpoint.retries:
                    tries = f"{attempt + 1} tries" if attempt else "1 try"
                    raise EndpointError(
                        f"No answer after {tries}: {lost}",
                        self.endpoint.host,
                        "try again later; the answers so far are kept",
                    ) from None
                if lost.wait > LONGEST_WAIT:
                    raise EndpointError(
                        f"The endpoint asks to wait {lost.wait:.0f} seconds ({lost})",
                        self.endpoint.host,
                        "try again after that; the answers so far are kept",
                    ) from None
                backoff = min(LONGEST_BACKOFF, self.endpoint.backoff * 2 ** min(attempt, 30)) * jitter.uniform(0.5, 1.0)
                self._sleep(max(lost.wait, backoff))
                attempt += 1

    def _other_forms(self, form: Form, refusal: Reply) -> Iterator[Form]:
        """Return other forms that an endpoint which refuses a request may accept."""
        if refusal.status not in _REFUSES_FORM:
            return
        if form.limit and any(name in message(refusal.body) for name in _LIMITS):
            yield from (replace(form, limit=name) for name in _LIMITS)
            # Without a limit on its tokens, an answer's cost has no bound.
            if not self._purse.is_limited:
                yield replace(form, limit="")
        elif form.with_schema:
            yield replace(form, with_schema=False)

    def _send(self, question: Question, form: Form, room: int) -> tuple[Reply, Bill]:
        """Send a request and pay for it; while it is under way, the most that it may cost is put aside."""
        price = self.endpoint.cost(question.most_tokens, room) or 0.0
        bill = Bill()
        with self._room:
            try:
                self._purse.reserve(price)
            except ClosedPurseError:
                raise self._is_closed() from None
            billed = price  # a request that is lost may have been billed all the same
            is_answered = False
            started = time.monotonic()
            try:
                reply = post(self.endpoint, question.body(form, room))
                if reply.status == 200:
                    is_answered = True
                    bill, is_counted = self._bill(question, reply, time.monotonic() - started)
                    # An endpoint that does not count may have billed all that was put aside.
                    billed = (bill.cost or 0.0) if is_counted else max(price, bill.cost or 0.0)
                elif reply.status < 500 and reply.status != 408:
                    billed = 0.0
            except LostRequestError as lost:
                # A request that nobody received costs nothing; any other lost one may have been billed.
                billed = 0.0 if lost.absent else price
                raise
            except EndpointError:
                billed = 0.0
                raise
            finally:
                self._purse.settle(price, billed)
                if not is_answered:
                    self._purse.leave()
        return reply, bill

    def _bill(self, question: Question, reply: Reply, seconds: float) -> tuple[Bill, bool]:
        """Return the cost of a reply, and whether it is by the endpoint's count."""
        usage = reply.value.get("usage") if isinstance(reply.value, dict) else None
        usage = usage if isinstance(usage, dict) else {}
        counts = (usage.get("prompt_tokens"), usage.get("completion_tokens"))
        used = [amount(count) if isinstance(count, int) else None for count in counts]
        choice = _choice(reply.value)
        estimates = (question.tokens, tokens(_message_text(choice)) if choice else 0)
        tokens_in, tokens_out = (
            estimate if count is None else int(count) for count, estimate in zip(used, estimates, strict=True)
        )
        bill = Bill(tokens_in, tokens_out, self.endpoint.cost(tokens_in, tokens_out), seconds, time.time())
        self._count(tokens_in=tokens_in, tokens_out=tokens_out, cost=bill.cost or 0.0)
        return bill, None not in used

    def _is_closed(self) -> MaxCostError:
        """Return why nothing more is asked, after all open requests have ended."""
        self._purse.wait()
        spent, end = self.spent, self.endpoint
        unknown = self._purse.billed - spent.cost
        fate = "answers so far are kept" if self._cache else "answers are not kept (PYRAMIDION_LLM_CACHE)"
        how = "without a limit, if you trust its count" if self._purse.is_broken else "with a higher limit"
        return MaxCostError(
            f"{self._purse.closed}, and {spent.cost:.4f} of {end.max_cost:g} is spent"
            + (f" (up to {unknown:.4f} more, if what was lost or not counted was billed)" if unknown > 5e-5 else ""),
            do=f"run again {how} (max_cost, PYRAMIDION_LLM_MAX_COST); {fate}",
        )

    def _check(self, reply: Reply) -> None:
        """Raise what a reply that is no answer means."""
        said = self._excerpt(message(reply.body))
        told = f" ({said})" if said else ""
        host, status = self.endpoint.host, reply.status
        if status == 429 and b"insufficient_quota" in reply.body:
            raise EndpointError(
                f"The account is empty{told}", host, "add credit, then run again; the answers so far are kept"
            )
        if status in _LOST:
            raise LostRequestError(f"status {status}{told}", reply.wait)
        if status in (401, 403):
            raise EndpointError(f"The endpoint refuses the key{told}", host, "set PYRAMIDION_LLM_KEY (OPENAI_API_KEY)")
        if status == 404:
            raise EndpointError(f"Not found{told}", host, "check the model's name and the base URL (it ends in /v1)")
        do = (
            "check the base URL"
            if 300 <= status < 400
            else "check the model's name, and that the texts are not too long"
        )
        raise EndpointError(f"The endpoint refuses the question: status {status}{told}", host, do)

    def _excerpt(self, text: str) -> str:
        """Return the endpoint's words, short, on one line, without the key."""
        if self.endpoint.key:
            text = text.replace(self.endpoint.key, "***")
        text = " ".join("".join(char if char.isprintable() else " " for char in text).split())
        return text if len(text) <= 200 else text[:200] + "..."


def _choice(value: Any) -> dict[str, Any] | None:
    """Return the first choice of a completion, if it has a message."""
    choices = value.get("choices") if isinstance(value, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    return choice if isinstance(choice, dict) and isinstance(choice.get("message"), dict) else None


def _message_text(choice: dict[str, Any]) -> str:
    """Return the words of a choice; half a surrogate pair, which cannot be kept, is a question mark."""
    content = choice["message"].get("content")
    return content.encode("utf-8", "replace").decode() if isinstance(content, str) else ""


@lru_cache(maxsize=8)
def client(endpoint: Endpoint) -> Client:
    """Return the client of an endpoint: one for each in a process."""
    return Client(endpoint)
