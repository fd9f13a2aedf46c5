"""``pyramidion ask``."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from pyramidion.cli import ask
from pyramidion.errors import PyramidionError
from pyramidion.matchers import MATCHERS
from tests.chat_fixtures import endpoint
from tests.chat_server import KEY, ChatServer, answer, content

__all__ = ["endpoint"]

APP = typer.Typer()
ask.add_to(APP)


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setitem(MATCHERS._builtin, "llm:", "pyramidion.matchers.llm:make")
    topic = tmp_path / "corpus" / "lake"
    for name, text in {"references/A": "The lake died.", "peers/p": "The lake died.", "peers/q": "It rained."}.items():
        path = topic / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "corpus"


def run(*arguments: object) -> str:
    return CliRunner().invoke(APP, [str(one) for one in arguments], catch_exceptions=False).stdout


METHOD = "edua-p+llm:m"
PRICES = ("--price-in", 2.5, "--price-out", 10)


def test_a_dry_run_prices_and_asks_nobody(corpus: Path, endpoint: ChatServer) -> None:
    printed = run(corpus, "--method", METHOD, "--dry-run", *PRICES)
    assert "2 questions to ask, 0 already answered" in printed
    assert "cost: 0.00" in printed
    assert "price unknown" in run(corpus, "--method", METHOD, "--dry-run")
    found = json.loads(run(corpus, "--method", METHOD, "--dry-run", "--json", *PRICES))
    assert found["questions"] == 2
    assert found["cost"] > 0
    assert endpoint.requests == []
    assert "PYRAMIDION_LLM_PRICE_IN" not in os.environ


def test_asking(corpus: Path, endpoint: ChatServer) -> None:
    printed = run(corpus, "--method", METHOD, "--concurrency", 1, *PRICES, "--max-cost", 1)
    assert "2 answers, 0 already known, 0 failed, 0 unsupported quotes" in printed
    assert "2,000 tokens in, 200 out\ncost: 0.0070" in printed
    again = json.loads(run(corpus, "--method", METHOD, "--json"))
    assert (again["answered"], again["known"], again["failures"]) == (0, 2, [])
    assert KEY not in printed


def test_another_endpoint(corpus: Path, endpoint: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    url = endpoint.url
    monkeypatch.delenv("PYRAMIDION_LLM_URL")
    assert "2 answers" in run(corpus, "--method", METHOD, "--base-url", url)


def test_failures_end_in_an_error(corpus: Path, endpoint: ChatServer) -> None:
    endpoint.always = content("no idea")
    with pytest.raises(PyramidionError, match=r"2 summaries did not get all answers \(the first: 'p' of topic 'lake'"):
        run(corpus, "--method", METHOD)


def test_a_rerun_says_what_it_cost(corpus: Path, endpoint: ChatServer) -> None:
    run(corpus, "--method", METHOD, *PRICES)
    again = run(corpus, "--method", METHOD, *PRICES)
    assert "2 already known" in again
    assert "cost: 0.0000\nfirst asked for 0.0070: 2 answers, 2,000 tokens in, 200 out, " in again
    assert "first asked for 0.0070: 2 answers" in run(corpus, "--method", METHOD, "--dry-run")


def test_a_limit_that_is_reached_is_an_error_after_the_sums(corpus: Path, endpoint: ChatServer) -> None:
    used = {"prompt_tokens": 1000, "completion_tokens": 1_000_000}  # whatever limit the request gives
    endpoint.always = lambda handler, body: handler.say(json.dumps(answer(body)), usage=used)
    invoked = CliRunner().invoke(
        APP, [str(corpus), "--method", METHOD, *map(str, PRICES), "--max-cost", "0.1", "--json"]
    )
    assert isinstance(invoked.exception, PyramidionError)
    assert invoked.exception.exit_status == 1
    found = json.loads(invoked.stdout)
    assert found["cost"] == pytest.approx(10.0025 * len(endpoint.requests))
    assert f"{found['cost']:.4f} of 0.1 is spent" in str(invoked.exception) == found["stopped"]


def test_too_dear(corpus: Path, endpoint: ChatServer) -> None:
    with pytest.raises(PyramidionError, match="nothing was asked"):
        run(corpus, "--method", METHOD, *PRICES, "--max-cost", 0)
    assert endpoint.requests == []
