"""Money: whatever happens on the way, and however many ask at once, no more is billed than may be spent."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyramidion.base.threads import in_parallel
from pyramidion.language.llm.chat import AnswerError, Client, MaxCostError, Prompt, Question
from pyramidion.language.llm.endpoint import Endpoint
from pyramidion.language.llm.purse import ClosedPurseError, Purse
from tests.chat_server import ChatServer, answer, content, serving

QUESTIONS = [
    Question("m", Prompt("test-1", "List the facts."), json.dumps({"text": f"Lake {number} is blue."}), "{}", 50)
    for number in range(40)
]
PRICES = {"price_in": 1000.0, "price_out": 2000.0}
"""Of a million tokens."""


def most(question: Question) -> float:
    """The most that a question costs: a token for each byte, and all of the answer's room."""
    return (question.most_tokens * 1000 + question.room * 2000) / 1e6


def read(text: str) -> str:
    try:
        return str(json.loads(text)["facts"][0]["fact"])
    except (ValueError, LookupError, TypeError):
        raise AnswerError("not what was asked for", content=text) from None


class Till:
    """An endpoint's own book: what it billed, whether its reply arrived or not."""

    def __init__(self, dear: bool, outcomes: list[str], seed: int = 0) -> None:
        self.billed: list[float] = []
        self.dear = dear
        self.outcomes = outcomes
        self.draw = Random(seed)
        self.lock = threading.Lock()

    def __call__(self, handler: Any, body: dict[str, Any]) -> None:
        told = "".join(one["content"] for one in body["messages"])
        used = {"prompt_tokens": len(told.encode()) + 50, "completion_tokens": body["max_tokens"]}
        if not self.dear:
            used = {name: count // 8 for name, count in used.items()}
        with self.lock:
            outcome = self.draw.choice(self.outcomes)
            if outcome != "busy":
                self.billed.append((used["prompt_tokens"] * 1000 + used["completion_tokens"] * 2000) / 1e6)
        if outcome == "busy":
            handler.reply(429, {})
        elif outcome == "error":
            handler.reply(500, {})
        elif outcome == "broken":
            handler.close_connection = True
        elif outcome == "half":
            handler.reply(200, b'{"choices": [')
        elif outcome == "uncounted":
            whole = {"choices": [{"message": {"content": json.dumps(answer(body))}}], "usage": {"prompt_tokens": -1}}
            handler.reply(200, whole)
        elif outcome == "unreadable":
            handler.say("no idea", usage=used)
        else:
            handler.say(json.dumps(answer(body)), usage=used)


def connect(server: ChatServer, cache: Path | None = None, **more: Any) -> Client:
    plain = Endpoint(server.url, cache=cache, timeout=20.0, retries=100, **PRICES)
    return Client(replace(plain, **more), sleep=lambda seconds: None)


def ask_all(client: Client) -> list[str]:
    def ask(question: Question) -> str:
        try:
            return client.ask(question, read)
        except AnswerError:
            return ""

    return in_parallel(ask, QUESTIONS, client.endpoint.concurrency)


STORM = ["fine", "fine", "busy", "error", "broken", "half", "uncounted", "unreadable"]


@pytest.mark.parametrize("concurrency", [1, 8])
@pytest.mark.parametrize("outcomes", [["fine"], STORM])
@pytest.mark.parametrize("dear", [True, False])
def test_no_more_is_billed_than_may_be_spent(concurrency: int, outcomes: list[str], dear: bool) -> None:
    for seed in range(3):
        till = Till(dear, outcomes, seed)
        with serving() as server:
            server.always = till
            client = connect(server, concurrency=concurrency, max_cost=5 * most(QUESTIONS[0]))
            with pytest.raises(MaxCostError, match=r"\d of [\d.]+ is spent.*run again with a higher limit"):
                ask_all(client)
            sent = len(server.requests)
            with pytest.raises(MaxCostError):
                client.ask(QUESTIONS[-1], read)
            assert len(server.requests) == sent
        assert client.spent.cost <= client.billed <= client.endpoint.max_cost
        assert sum(till.billed) <= client.billed * (1 + 1e-9)
        assert till.billed


@pytest.mark.parametrize("concurrency", [1, 8])
def test_dear_requests_are_counted_to_the_last(concurrency: int) -> None:
    with serving() as server:
        till = Till(True, ["fine"])
        server.always = till
        cost = most(QUESTIONS[0]) - 0.052  # the schema and half of what an endpoint may put around are not billed
        client = connect(server, concurrency=concurrency, max_cost=3 * cost + 0.06)
        with pytest.raises(MaxCostError):
            ask_all(client)
    assert len(server.requests) == 3
    assert client.spent.cost == pytest.approx(3 * cost)


def test_requests_wait_for_what_others_do_not_use() -> None:
    """Two at once fit, all eight do not; still all are asked, since each costs an eighth of what is put aside."""
    with serving() as server:
        server.always = Till(False, ["fine"])
        client = connect(server, concurrency=8, max_cost=len(QUESTIONS) / 8 * most(QUESTIONS[0]) + most(QUESTIONS[0]))
        assert len(ask_all(client)) == len(server.requests) == len(QUESTIONS)
    assert server.most_under_way <= 6
    assert client.spent.cost <= client.endpoint.max_cost


@pytest.mark.parametrize("outcome", ["error", "broken", "half"])
def test_a_lost_request_may_have_been_billed(outcome: str) -> None:
    with serving() as server:
        server.always = Till(True, [outcome])
        client = connect(server, max_cost=2.5 * most(QUESTIONS[0]))
        with pytest.raises(MaxCostError, match=r"0\.0000 of .* is spent \(up to \d\.\d+ more, if what was lost"):
            client.ask(QUESTIONS[0], read)
    assert len(server.requests) == 2
    assert client.billed == pytest.approx(2 * most(QUESTIONS[0]))


def test_what_is_refused_costs_nothing() -> None:
    with serving() as server:
        server.faults = [Till(True, ["busy"])] * 3
        server.always = Till(True, ["fine"])
        client = connect(server, max_cost=1.5 * most(QUESTIONS[0]))
        client.ask(QUESTIONS[0], read)
    assert len(server.requests) == 4
    assert client.billed == pytest.approx(client.spent.cost)


def test_a_reply_that_costs_more_than_was_put_aside_is_counted_and_ends_the_run(tmp_path: Path) -> None:
    cache = tmp_path / "answers.sqlite"
    with serving() as server:
        server.always = lambda handler, body: handler.say(
            json.dumps(answer(body)), usage={"prompt_tokens": 10, "completion_tokens": 5000}
        )
        client = connect(server, cache, max_cost=100.0)
        with pytest.raises(MaxCostError, match=r"cost 10\.0100 by the endpoint's count, and 10\.0100 of 100 is spent"):
            client.ask(QUESTIONS[0], read)
        with pytest.raises(MaxCostError, match="run again without a limit, if you trust its count.*are kept"):
            client.ask(QUESTIONS[1], read)
        assert len(server.requests) == 1
        again = connect(server, cache, max_cost=100.0)
        assert again.ask(QUESTIONS[0], read) == "Lake 0 is blue."  # it is paid for
        assert (len(server.requests), again.spent.cost) == (1, 0)
        assert connect(server).ask(QUESTIONS[0], read)  # where nothing is limited, nothing is broken


def test_an_unusable_count_is_no_count() -> None:
    for count in (10**400, -1, True, 3.5, "7", None, 10**9 + 1):
        with serving() as server:
            server.always = content(json.dumps({"facts": [{"fact": "x"}]}), usage={"prompt_tokens": count})
            client = connect(server, max_cost=10.0)
            client.ask(QUESTIONS[0], read)
        assert client.spent.tokens_in == QUESTIONS[0].tokens
        assert client.billed == pytest.approx(most(QUESTIONS[0]))


@given(st.lists(st.tuples(st.floats(0, 10), st.floats(0, 1)), max_size=30), st.floats(0, 50))
@settings(max_examples=200)
def test_a_purse_cannot_be_overdrawn(requests: list[tuple[float, float]], limit: float) -> None:
    purse = Purse(limit)
    for price, share in requests:
        try:
            purse.reserve(price)
        except ClosedPurseError:
            break
        assert purse.billed + purse.reserved <= limit
        purse.settle(price, price * share)
        purse.leave()
        assert (purse.reserved, purse.billed <= limit) == (0.0, True)
