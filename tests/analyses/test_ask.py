"""Asking ahead: what it comes to, what it does, and that nothing is asked twice."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from pyramidion.analyses.ask import ask_ahead, estimate
from pyramidion.builders import BUILDERS
from pyramidion.errors import PyramidionError
from pyramidion.evaluation.evaluate import evaluate
from pyramidion.language.llm.chat import client
from pyramidion.matchers import MATCHERS
from pyramidion.methods import Method
from pyramidion.model import SCU, Contributor, Pyramid, Summary, Topic
from tests.chat_fixtures import endpoint
from tests.chat_server import ChatServer, answer, content, status

__all__ = ["endpoint"]

REFERENCES = (Summary("A", "The lake died. Fish came back."), Summary("B", "The lake died. The city paid."))
PEERS = tuple(Summary(f"p{number}", f"The lake died. It is number {number}.", "peer") for number in range(4))
SCUS = (
    SCU("1", "The lake died", (Contributor("A"), Contributor("B"))),
    SCU("2", "Fish came back", (Contributor("A"),)),
)
TOPICS = [Topic("lake", REFERENCES, PEERS, pyramid=Pyramid("lake", REFERENCES, SCUS))]
QUESTIONS = len(PEERS)


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(BUILDERS._builtin, "llm:", "pyramidion.builders.llm:make")
    monkeypatch.setitem(MATCHERS._builtin, "llm:", "pyramidion.matchers.llm:make")


def test_an_estimate_asks_nobody(endpoint: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYRAMIDION_LLM_PRICE_IN", "2.5")
    monkeypatch.setenv("PYRAMIDION_LLM_PRICE_OUT", "10")
    found = estimate(TOPICS, Method.parse("given+llm:m"))
    assert (found.questions, found.known, found.guess) == (QUESTIONS, 0, False)
    assert found.cost == pytest.approx((found.tokens_in * 2.5 + found.tokens_out * 10) / 1e6)
    monkeypatch.setenv("PYRAMIDION_LLM_MAX_TOKENS", "1000000")
    assert estimate(TOPICS, Method.parse("given+llm:m")).at_most == pytest.approx(QUESTIONS * 10, rel=0.01)
    assert endpoint.requests == []


def test_asked_ahead_evaluate_needs_no_endpoint(endpoint: ChatServer) -> None:
    method = Method.parse("given+llm:m")
    told: list[int] = []
    asked = ask_ahead(TOPICS, method, lambda: told.append(1))
    assert (asked.answered, asked.known, asked.failures, asked.unsupported) == (QUESTIONS, 0, (), 0)
    assert (asked.tokens_in, asked.tokens_out, asked.cost) == (4000, 400, None)
    assert len(told) == 1 + QUESTIONS
    assert endpoint.most_under_way <= 4
    assert (estimate(TOPICS, method).questions, estimate(TOPICS, method).known) == (0, QUESTIONS)
    endpoint.always = status(500)
    client.cache_clear()
    found = evaluate(TOPICS, method)
    assert {one.scores.raw for one in found.results} == {2}
    assert found.signature.method == "given+llm:m"
    assert len(endpoint.requests) == QUESTIONS


def test_pyramids_by_a_model_are_guessed_then_known(endpoint: ChatServer) -> None:
    method = Method.parse("llm:m+llm:m(batch=1)")
    before = estimate(TOPICS, method)
    assert before.guess
    assert before.questions == 2 + 1 + 2 * QUESTIONS  # facts, groups, and one SCU for so short a reference
    ask_ahead(TOPICS, method)
    after = estimate(TOPICS, method)
    assert (after.questions, after.guess) == (0, False)
    count = len(endpoint.requests)
    found = evaluate(TOPICS, method)
    assert [scu.weight for scu in found.results[0].pyramid.scus] == [2, 1, 1]
    assert len(endpoint.requests) == count


def test_a_highest_cost_is_kept_before_anything_is_asked(endpoint: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"PRICE_IN": "2.5", "PRICE_OUT": "10", "MAX_COST": "0.0001"}.items():
        monkeypatch.setenv(f"PYRAMIDION_LLM_{name}", value)
    with pytest.raises(PyramidionError, match=r"may cost 0.00\d\d, more than 0.0001; nothing was asked"):
        ask_ahead(TOPICS, Method.parse("given+llm:m"))
    assert endpoint.requests == []


def test_failures_are_counted_and_the_rest_is_kept(endpoint: ChatServer) -> None:
    def picky(handler: Any, body: dict[str, Any]) -> None:
        bad = "number 2" in body["messages"][1]["content"]
        handler.say("no idea" if bad else json.dumps(answer(body)))

    endpoint.always = picky
    asked = ask_ahead(TOPICS, Method.parse("given+llm:m"))
    (only,) = asked.failures
    assert (only.topic, only.summary, only.scus) == ("lake", "p2", 2)
    assert asked.answered == QUESTIONS - 1
    endpoint.always = None
    again = ask_ahead(TOPICS, Method.parse("given+llm:m"))
    assert (again.answered, again.known, again.failures) == (1, QUESTIONS - 1, ())


def test_unsupported_quotes_are_counted(endpoint: ChatServer) -> None:
    endpoint.always = content(
        json.dumps({"answers": [{"id": 1, "quote": "The pond", "readers": 90}, {"id": 2, "quote": "", "readers": 0}]})
    )
    assert ask_ahead(TOPICS, Method.parse("given+llm:m")).unsupported == QUESTIONS


def test_a_rerun_says_what_the_answers_cost_when_first_asked(
    endpoint: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    method = Method.parse("llm:m+llm:m")
    for name, value in {"PRICE_IN": "2.5", "PRICE_OUT": "10"}.items():
        monkeypatch.setenv(f"PYRAMIDION_LLM_{name}", value)
    first = ask_ahead(TOPICS, method)
    asked = len(endpoint.requests)
    assert first.cost == first.originally.cost == pytest.approx(asked * (1000 * 2.5 + 100 * 10) / 1e6)
    client.cache_clear()
    again = ask_ahead(TOPICS, method)
    assert (again.cost, again.answered, len(endpoint.requests)) == (0.0, 0, asked)
    assert replace(again.originally, seconds=0) == replace(first.originally, seconds=0)
    assert again.originally.seconds == pytest.approx(first.originally.seconds)
    assert (again.originally.answers, again.originally.tokens_in) == (asked, asked * 1000)
    monkeypatch.delenv("PYRAMIDION_LLM_PRICE_IN")
    assert estimate(TOPICS, method).originally == again.originally


def test_a_highest_cost_that_turns_out_to_be_too_low_ends_the_run(
    endpoint: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {"PRICE_IN": "2.5", "PRICE_OUT": "10", "MAX_COST": "0.015"}.items():
        monkeypatch.setenv(f"PYRAMIDION_LLM_{name}", value)
    method = Method.parse("given+llm:m")
    assert (estimate(TOPICS, method).cost or 1) < 0.015 < (estimate(TOPICS, method).at_most or 0)
    asked = ask_ahead(TOPICS, method)
    assert "the next question may cost up to" in asked.stopped
    assert asked.stopped.endswith("answers so far are kept.")
    assert 0 < asked.answered < QUESTIONS
    assert asked.cost == asked.at_most == pytest.approx(asked.answered * 0.0035)
    assert asked.answered == len(endpoint.requests)
    monkeypatch.setenv("PYRAMIDION_LLM_MAX_COST", "0.03")
    again = ask_ahead(TOPICS, method)
    assert (again.stopped, again.answered, again.known) == ("", QUESTIONS - asked.answered, asked.answered)


def test_a_broken_endpoint_ends_it(endpoint: ChatServer) -> None:
    endpoint.always = status(503)
    with pytest.raises(PyramidionError, match="No answer after 3 tries"):
        ask_ahead(TOPICS, Method.parse("given+llm:m"))


def test_a_method_that_asks_nobody() -> None:
    with pytest.raises(PyramidionError, match="does not ask a language model"):
        estimate(TOPICS, Method.parse("given+soft"))


def test_the_order_of_topics_changes_no_estimate(endpoint: ChatServer) -> None:
    topics = [*TOPICS, replace(TOPICS[0], id="other", pyramid=replace(TOPICS[0].pyramid, topic="other"))]  # type: ignore[type-var]
    method = Method.parse("given+llm:m")
    assert estimate(topics, method) == estimate(topics[::-1], method)
    assert estimate(topics, method).questions == QUESTIONS  # the same questions, asked once
