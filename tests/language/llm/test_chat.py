"""Questions to a real HTTP server: what goes wrong on the way, and what never may."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from email.utils import formatdate
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from pyramidion.base.threads import in_parallel
from pyramidion.errors import PyramidionError
from pyramidion.language.llm.chat import AnswerError, Client, EndpointError, Prompt, Question, json_of, prompt
from pyramidion.language.llm.endpoint import OPENAI, Endpoint, tokens
from tests.chat_server import (
    KEY,
    ChatServer,
    answer,
    broken,
    content,
    hang,
    no_schemas,
    serving,
    status,
    truncated,
)

PROMPT = Prompt("test-1", "List the facts.")
SCHEMA = json.dumps({"type": "object"})


def question(text: str = "The lake is blue. It is deep.") -> Question:
    return Question("m", PROMPT, json.dumps({"text": text}), SCHEMA, expected=50)


def read(text: str) -> list[str]:
    try:
        return [one["fact"] for one in json.loads(json_of(text))["facts"]]
    except (ValueError, LookupError, TypeError):
        raise AnswerError("not what was asked for", content=text) from None


FACTS = ["The lake is blue.", "It is deep."]


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with serving() as running:
        yield running


class Patience:
    """Waits that are counted, not waited."""

    def __init__(self) -> None:
        self.waits: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.waits.append(seconds)


@pytest.fixture
def patience() -> Patience:
    return Patience()


@pytest.fixture
def connect(server: ChatServer, tmp_path: Path, patience: Patience) -> Callable[..., Client]:
    def connect(**more: object) -> Client:
        plain = Endpoint(server.url, cache=tmp_path / "answers.sqlite", timeout=60.0)
        return Client(replace(plain, **more), patience)  # type: ignore[arg-type]

    return connect


Connect = Callable[..., Client]


def test_an_answer_in_the_form_asked_for(server: ChatServer, connect: Connect) -> None:
    server.key = KEY
    client = connect(key=KEY)
    assert client.ask(question(), read) == FACTS
    (asked,) = server.requests
    assert asked["model"] == "m"
    assert asked["temperature"] == 0
    assert asked["messages"][0] == {"role": "system", "content": "List the facts."}
    assert asked["response_format"]["type"] == "json_schema"
    assert asked["response_format"]["json_schema"]["schema"] == {"type": "object"}
    assert server.paths == ["/v1/chat/completions"]
    assert (client.spent.answered, client.spent.cached, client.spent.failed) == (1, 0, 0)
    assert (client.spent.tokens_in, client.spent.tokens_out) == (1000, 100)


def test_a_question_is_asked_once_ever(server: ChatServer, connect: Connect) -> None:
    first, again = connect(), connect()
    assert not first.knows(question())
    assert first.ask(question(), read) == again.ask(question(), read) == FACTS
    assert len(server.requests) == 1
    assert again.knows(question())
    assert again.spent.cached == 1


def test_an_answer_is_kept_with_all_that_it_took(server: ChatServer, connect: Connect) -> None:
    server.faults = [content("no idea"), status(500)]
    client = connect(price_in=1.0, price_out=10.0)
    with client.ledger() as first:
        client.ask(question(), read)
    with connect().ledger() as other:
        pass
    again = connect()
    with again.ledger() as second:
        again.ask(question(), read)
        again.ask(question(), read)
    ((key, bill),) = first.items()
    assert bill is not None
    assert (bill.tokens_in, bill.tokens_out) == (2000, 200)  # the answer that could not be read was paid for, too
    assert bill.cost == pytest.approx(client.spent.cost) == pytest.approx(0.004)
    assert bill.seconds > 0
    assert (second, other) == ({key: bill}, {})
    assert again.spent.cost == 0


def test_threads_that_ask_the_same_at_once_pay_for_one_answer(server: ChatServer, connect: Connect) -> None:
    server.slowness = 0.05
    client = connect(concurrency=4)
    assert in_parallel(lambda one: client.ask(one, read), [question()] * 4, 4) == [FACTS] * 4
    assert (len(server.requests), client.spent.answered, client.spent.cached) == (1, 1, 3)


def test_all_that_matters_is_in_the_key() -> None:
    one = question()
    others = [
        replace(one, model="n"),
        replace(one, prompt=Prompt("test-2", PROMPT.text)),
        replace(one, prompt=Prompt("test-1", "List them.")),
        replace(one, material="{}"),
        replace(one, schema="{}"),
    ]
    keys = {one.key("u"), one.key("v"), *(other.key("u") for other in others)}
    assert len(keys) == 7
    assert replace(one, expected=1).key("u") == one.key("u")


def test_the_key_and_the_url_are_nowhere_on_disk(connect: Connect, tmp_path: Path) -> None:
    client = connect(key=KEY)
    client.ask(question(), read)
    for file in tmp_path.iterdir():
        assert KEY.encode() not in file.read_bytes()
        assert b"127.0.0.1" not in file.read_bytes()
    assert KEY not in repr(client.endpoint)


@pytest.mark.parametrize("fault", [status(429), status(500), status(503), truncated, broken])
def test_a_lost_request_is_sent_again(
    server: ChatServer, connect: Connect, patience: Patience, fault: Callable[..., None]
) -> None:
    server.faults = [fault, fault]
    assert connect().ask(question(), read) == FACTS
    assert len(server.requests) == 3
    assert 0.5 <= patience.waits[0] <= 1.0 <= patience.waits[1] <= 2.0


def test_the_jitter_is_seeded(server: ChatServer, connect: Connect, patience: Patience) -> None:
    for _ in range(2):
        server.faults = [status(500)] * 3
        connect(cache=None).ask(question(), read)
    assert patience.waits[:3] == patience.waits[3:]


def test_retry_after_is_honoured(server: ChatServer, connect: Connect, patience: Patience) -> None:
    soon = formatdate(time.time() + 40, usegmt=True)
    server.faults = [status(429, Retry_After="17"), status(503, Retry_After=soon), status(429, Retry_After="soon")]
    assert connect().ask(question(), read) == FACTS
    assert patience.waits[0] == 17
    assert 35 < patience.waits[1] <= 40
    assert patience.waits[2] <= 4


def test_nobody_waits_for_an_hour(server: ChatServer, connect: Connect, patience: Patience) -> None:
    server.faults = [status(429, "daily limit", Retry_After="3600")]
    with pytest.raises(EndpointError, match=r"wait 3600 seconds.*daily limit"):
        connect().ask(question(), read)
    assert patience.waits == []


def test_a_hanging_server_is_given_up(server: ChatServer, connect: Connect, patience: Patience) -> None:
    server.always = hang
    with pytest.raises(EndpointError, match=r"No answer after 3 tries: nothing whole came within 0.1 seconds"):
        connect(timeout=0.1, retries=2).ask(question(), read)
    assert len(patience.waits) == 2


def test_a_server_that_trickles_is_given_up(server: ChatServer, connect: Connect) -> None:
    def trickle(handler: object, _: object) -> None:
        handler.send_response(200)  # type: ignore[attr-defined]
        handler.send_header("Content-Length", "1000000000")  # type: ignore[attr-defined]
        handler.end_headers()  # type: ignore[attr-defined]
        while not server.over.wait(0.02):
            handler.wfile.write(b" ")  # type: ignore[attr-defined]

    server.always = trickle
    with pytest.raises(EndpointError, match="nothing whole came"):
        connect(timeout=0.1, retries=0).ask(question(), read)


def test_a_server_that_stays_broken_is_given_up(server: ChatServer, connect: Connect, patience: Patience) -> None:
    server.always = status(500, "out of memory")
    with pytest.raises(EndpointError, match=r"No answer after 6 tries: status 500 \(out of memory\)"):
        connect().ask(question(), read)
    assert len(patience.waits) == 5


@pytest.mark.parametrize(
    "fault",
    [
        content("I would rather not."),
        content('{"facts": [{"fact": "The lake'),
        content('{"wrong": []}'),
        content('{"facts": NaN}'),
        content(None, refusal="no"),
        content("", "content_filter"),
        content('{"facts": [', "length"),
        lambda handler, _: handler.reply(200, {"choices": []}),
        lambda handler, _: handler.reply(200, []),
        lambda handler, _: handler.reply(200, {"choices": ["x"]}),
    ],
)
def test_an_answer_that_cannot_be_read_is_asked_for_once_more_and_then_a_failure(
    server: ChatServer, connect: Connect, fault: Callable[..., None]
) -> None:
    server.faults = [fault]
    assert connect(cache=None).ask(question(), read) == FACTS
    server.always = fault
    client = connect()
    with pytest.raises(AnswerError):
        client.ask(question(), read)
    assert client.spent.failed == 1
    assert len(server.requests) == 4
    assert not client.knows(question())
    server.always = None
    assert connect().ask(question(), read) == FACTS


def test_half_a_surrogate_pair_is_kept_as_a_question_mark(server: ChatServer, connect: Connect) -> None:
    server.faults = [content('{"facts": [{"fact": "\ud800"}]}')]
    assert connect().ask(question(), read) == ["?"]
    assert connect().ask(question(), read) == ["?"]


def test_an_endpoint_without_schemas_is_asked_without(server: ChatServer, connect: Connect) -> None:
    server.always = no_schemas
    client = connect()
    assert client.ask(question(), read) == FACTS
    assert client.ask(question("It rains."), read) == ["It rains."]
    assert ["response_format" in one for one in server.requests] == [True, False, False]


def test_a_question_refused_in_any_form_is_an_error(server: ChatServer, connect: Connect) -> None:
    server.always = status(400, "maximum context length is 8192 tokens")
    with pytest.raises(EndpointError, match=r"status 400 \(maximum context length is 8192 tokens\).*too long"):
        connect().ask(question(), read)
    assert len(server.requests) == 2


@pytest.mark.parametrize("code", [401, 403])
def test_a_wrong_key_is_one_line_without_the_key(server: ChatServer, connect: Connect, code: int) -> None:
    server.always = status(code, f"Incorrect API key provided: {KEY}\nsee your account")
    with pytest.raises(EndpointError) as caught:
        connect(key=KEY).ask(question(), read)
    line = str(caught.value)
    assert "refuses the key (Incorrect API key provided: *** see your account)" in line
    assert "PYRAMIDION_LLM_KEY" in line
    assert KEY not in line
    assert "\n" not in line
    assert len(server.requests) == 1


def test_an_empty_account_is_not_waited_for(server: ChatServer, connect: Connect, patience: Patience) -> None:
    server.always = lambda handler, _: handler.reply(
        429, {"error": {"message": "You exceeded your quota", "code": "insufficient_quota"}}
    )
    with pytest.raises(EndpointError, match="The account is empty"):
        connect().ask(question(), read)
    assert patience.waits == []


def test_an_unknown_model(server: ChatServer, connect: Connect) -> None:
    server.always = status(404, "The model `m` does not exist")
    with pytest.raises(EndpointError, match="The model `m` does not exist.*check the model's name"):
        connect().ask(question(), read)


@pytest.mark.parametrize("code", [302, 307])
def test_no_redirection_takes_the_key_elsewhere(server: ChatServer, connect: Connect, code: int) -> None:
    with serving() as other:
        server.always = status(code, Location=f"{other.url}/chat/completions")
        with pytest.raises(EndpointError, match=f"status {code}"):
            connect(key=KEY).ask(question(), read)
        assert other.requests == []


def closed_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def test_no_network_is_said_at_once(connect: Connect, patience: Patience) -> None:
    for url in (f"http://127.0.0.1:{closed_port()}/v1", "http://no-such-host.invalid/v1"):
        with pytest.raises(EndpointError, match="cannot be reached.*check the network"):
            connect(url=url).ask(question(), read)
    assert patience.waits == []


def test_requests_at_once_are_limited(server: ChatServer, connect: Connect) -> None:
    server.together, server.slowness = threading.Barrier(3), 0.02
    client = connect(concurrency=3, cache=None)
    texts = [f"Lake {number} is blue." for number in range(12)]
    found = in_parallel(lambda text: client.ask(question(text), read), texts, 12)
    assert found == [[text] for text in texts]
    assert server.most_under_way == 3


def test_the_first_error_ends_parallel_work() -> None:
    begun: list[int] = []
    over = threading.Event()

    def work(number: int) -> int:
        begun.append(number)
        if number == 3:
            raise PyramidionError("no")
        if number > 3:
            over.wait(60)
        return number

    before = threading.enumerate()
    with pytest.raises(PyramidionError, match="no"):
        in_parallel(work, range(200), 2)
    over.set()
    for thread in threading.enumerate():
        if thread not in before:
            thread.join(60)
    assert len(begun) <= 6  # to the error, and what the two threads had in hand when it came


@pytest.mark.parametrize("limit", ["max_tokens", "max_completion_tokens"])
def test_an_answer_has_room_by_whatever_name(server: ChatServer, connect: Connect, limit: str) -> None:
    def strict(handler: Any, body: dict[str, Any]) -> None:
        if any(name.startswith("max_") and name != limit for name in body):
            handler.reply(
                400, {"error": {"message": f"Unsupported parameter. Use {limit!r} (not max_tokens) instead."}}
            )
        else:
            handler.say(json.dumps(answer(body)))

    server.always = strict
    client = connect()
    assert client.ask(question(), read) == FACTS
    assert client.ask(question("It rains."), read) == ["It rains."]
    assert server.requests[-1][limit] == question("It rains.").room == 256 + 4 * 50
    assert len(server.requests) == (2 if limit == "max_tokens" else 3)  # the name is learnt once


def test_room_is_measured_in_bytes() -> None:
    letters, lakes = (replace(question(), material=char * 1000) for char in ("x", "\u6e56"))
    assert (letters.room, lakes.room) == (256 + 4 * 50, 256 + 3 * 4 * 50)
    assert Endpoint(OPENAI).limit == "max_completion_tokens"
    assert Endpoint("http://x/v1").limit == "max_tokens"


def test_an_endpoint_that_takes_no_limit_is_asked_without_unless_money_is_limited(
    server: ChatServer, connect: Connect
) -> None:
    def unlimited(handler: Any, body: dict[str, Any]) -> None:
        if any(name.startswith("max_") for name in body):
            handler.reply(400, {"error": {"message": "'max_tokens' or 'max_completion_tokens' is too large: 456"}})
        else:
            handler.say(json.dumps(answer(body)))

    server.always = unlimited
    assert connect().ask(question(), read) == FACTS
    with pytest.raises(EndpointError, match="is too large"):
        connect(cache=None, price_in=1.0, price_out=1.0, max_cost=1.0).ask(question(), read)
    assert all("max_tokens" in one or "max_completion_tokens" in one for one in server.requests[3:])


def test_an_answer_that_was_cut_off_gets_more_room(server: ChatServer, connect: Connect) -> None:
    server.faults = [content('{"facts": [', "length")]
    assert connect().ask(question(), read) == FACTS
    assert [one["max_tokens"] for one in server.requests] == [456, 4 * 456]
    server.always = content('{"facts": [', "length")
    with pytest.raises(AnswerError, match="PYRAMIDION_LLM_MAX_TOKENS"):
        connect(cache=None, max_tokens=9000).ask(question(), read)
    assert [one["max_tokens"] for one in server.requests[2:]] == [9000, 9000]


def test_tokens_are_estimated_where_nobody_counts(server: ChatServer, connect: Connect) -> None:
    text = '{"facts": [{"fact": "It rains."}]}'
    server.always = lambda handler, _: handler.reply(200, {"choices": [{"message": {"content": text}}]})
    client = connect()
    client.ask(question(), read)
    assert client.spent.tokens_in == question().tokens
    assert client.spent.tokens_out == tokens(text)


PROMPTS = {
    "judge-1": "60d505fdc1d3478a",
    "answer-1": "c5dbd08995f6e26a",
    "units-1": "17d473d1b341b9dd",
    "groups-1": "8f926f07c13573a2",
}


@pytest.mark.parametrize("name", ["judge", "answer", "units", "groups"])
def test_a_prompt_that_changes_gets_a_new_version(name: str) -> None:
    found = prompt(name)
    assert PROMPTS[found.version] == sha256(found.text.encode()).hexdigest()[:16], "give it a new version"
    assert "JSON" in found.text


# --- the environment


def test_no_endpoint_is_guessed() -> None:
    with pytest.raises(PyramidionError, match="No chat endpoint is named.*PYRAMIDION_LLM_URL"):
        Endpoint.named(environment={"PYRAMIDION_LLM_KEY": KEY})


def test_whose_key_goes_where() -> None:
    keys = {"OPENAI_API_KEY": "sk-openai"}
    assert Endpoint.named(environment=keys).url == OPENAI
    assert Endpoint.named(environment=keys).key == "sk-openai"
    assert Endpoint.named(f"{OPENAI}/", environment=keys).key == "sk-openai"
    assert Endpoint.named("http://localhost:8000/v1", environment=keys).key == ""
    assert Endpoint.named("http://localhost:1/v1", {**keys, "PYRAMIDION_LLM_KEY": "mine"}).key == "mine"
    ours = {**keys, "OPENAI_BASE_URL": "https://proxy.example/v1"}
    assert Endpoint.named(environment=ours).url == "https://proxy.example/v1"
    assert Endpoint.named(environment=ours).key == "sk-openai"
    assert Endpoint.named("https://other.example/v1", environment=ours).key == ""


def test_where_questions_go() -> None:
    assert Endpoint("http://x/v1/").completions == "http://x/v1/chat/completions"
    assert Endpoint("http://x/a/v1?api-version=1").completions == "http://x/a/v1/chat/completions?api-version=1"


@pytest.mark.parametrize("url", ["file:///etc/passwd", "localhost:8000", "http://", "http://x:port/v1", "http://[x/v1"])
def test_what_is_no_url(url: str) -> None:
    with pytest.raises(PyramidionError, match="The URL of the chat endpoint"):
        Endpoint.named(url, {})


def test_secrets_do_not_leak_from_bad_settings() -> None:
    with pytest.raises(PyramidionError) as caught:
        Endpoint(f"http://me:{KEY}@x/v1")
    assert KEY not in str(caught.value)
    with pytest.raises(PyramidionError) as caught:
        Endpoint("http://x/v1", key=f"{KEY}\r\nX: y")
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [("RETRIES", "-1"), ("RETRIES", "1.5"), ("TIMEOUT", "nan"), ("TIMEOUT", "0"), ("CONCURRENCY", "many")],
)
def test_bad_numbers_in_the_environment_are_named(name: str, value: str) -> None:
    with pytest.raises(PyramidionError, match=f"PYRAMIDION_LLM_{name} is '{value}'"):
        Endpoint.named("http://x/v1", {f"PYRAMIDION_LLM_{name}": value})


def test_a_highest_cost_needs_prices() -> None:
    with pytest.raises(PyramidionError, match="A maximum cost is set without prices"):
        Endpoint.named("http://x/v1", {"PYRAMIDION_LLM_MAX_COST": "5"})


def test_where_answers_are_kept() -> None:
    assert Endpoint.named("http://x/v1", {"PYRAMIDION_LLM_CACHE": "off"}).cache is None
    assert Endpoint.named("http://x/v1", {"PYRAMIDION_LLM_CACHE": "a.sqlite"}).cache == Path("a.sqlite")
    assert Endpoint.named("http://x/v1", {"XDG_CACHE_HOME": "/c"}).cache == Path("/c/pyramidion/answers.sqlite")
