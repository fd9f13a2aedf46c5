"""An endpoint that means harm: whatever it sends over a real socket, nothing but our own errors comes out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from math import isfinite
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from pyramidion.builders.llm import make as make_builder
from pyramidion.errors import InputWarning, PyramidionError
from pyramidion.language.llm.chat import AnswerError, Client, Prompt, Question, client, structured
from pyramidion.language.llm.endpoint import Endpoint
from pyramidion.matchers.llm import make as make_judge
from pyramidion.model import SCU, Contributor, Pyramid, Summary, Topic
from tests.chat_server import ChatServer, Fault, serving

REFERENCES = (Summary("A", "The lake died."), Summary("B", "The lake died. It rained."))
PYRAMID = Pyramid("lake", REFERENCES, (SCU("1", "The lake died", (Contributor("A"), Contributor("B"))),))
PEER = Summary("p", "The lake died.", "peer")

HUGE = 10**400
DEEP = [64, 65, 500, 1000, 5000, 200_000]
RETRY_AFTER = [
    "1e400", "-1e400", "nan", "inf", "9" * 5000, "-1", "", " ", "\xff\xfe", "soon", "0x10", "1_0",
    "Fri, 31 Dec 9999 23:59:59 GMT", "Fri, 31 Dec 99999 23:59:59 GMT", "Mon, 01 Jan 0001 00:00:00 +9999",
    "Mon, 01 Jan 2024 00:00:00 +99999999999999999999", "1 Jan", ",", "a" * 60_000,
]  # fmt: skip


def nested(depth: int, around: str = "[]") -> bytes:
    opening, closing = ("[", "]") if around == "[]" else ('{"a":', "}")
    return (opening * depth + "0" + closing * depth).encode()


def completion(content: Any, usage: Any = None, finish: Any = "stop") -> bytes:
    whole = {"choices": [{"message": {"content": content}, "finish_reason": finish}], "usage": usage}
    return json.dumps(whole).encode()


NUMBERS = st.sampled_from([HUGE, -HUGE, 1e308, float("nan"), float("inf"), -1, 0, True, 1.5, 2**63, 10**9 + 1])
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(max_size=20) | st.just("\ud800") | st.just("x" * 100_000),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
USAGES = st.fixed_dictionaries({}, optional={"prompt_tokens": VALUES, "completion_tokens": VALUES}) | VALUES
ANSWERS = st.builds(
    lambda id, readers, quote: {"answers": [{"id": id, "readers": readers, "quote": quote}]}, VALUES, VALUES, VALUES
)
FACTS = st.builds(lambda fact, quote: {"facts": [{"fact": fact, "quote": quote}]}, VALUES, VALUES)
GROUPS = st.builds(lambda label, facts: {"groups": [{"label": label, "facts": facts}]}, VALUES, VALUES)
CONTENTS = (
    st.builds(json.dumps, VALUES | ANSWERS | FACTS | GROUPS)
    | st.builds(lambda depth: '{"answers": ' + nested(depth).decode() + "}", st.sampled_from(DEEP))
    | st.builds(lambda depth: '{"facts": ' + nested(depth, "{}").decode() + "}", st.sampled_from(DEEP))
    | st.sampled_from(
        [
            '{"answers": [{"id": 1, "id": 2, "readers": 0, "readers": 100, "quote": "a", "quote": "b"}]}',
            '{"answers": [{"id": 1, "readers": ' + str(HUGE) + ', "quote": ""}]}',
            '{"answers": [{"id": 1, "readers": 1e999, "quote": ""}]}',
            '{"answers": [{"id": 1, "readers": 90, "quote": "' + "THE ... " * 20_000 + '"}]}',
            '{"answers": [{"id": 1, "readers": 90, "quote": "The' + " " * 50_000 + 'x"}]}',
            '{"facts": [{"fact": "\\ud800", "quote": "\\udfff"}]}',
            '{"groups": [{"label": "x", "facts": [' + str(HUGE) + ", -1, 1]}]}",
            '{"facts": [' + '{"fact": "a", "quote": "b"},' * 1000,
        ]
    )
)
BODIES = (
    st.builds(completion, VALUES | CONTENTS, USAGES, VALUES | st.just("length"))
    | st.builds(lambda value: json.dumps(value).encode(), VALUES)
    | st.builds(nested, st.sampled_from(DEEP), st.sampled_from(["[]", "{}"]))
    | st.builds(lambda body, cut: body[:cut], st.builds(completion, CONTENTS), st.integers(0, 80))
    | st.builds(lambda text, code: text.encode(code), st.text(), st.sampled_from(["utf-16", "utf-32", "utf-7"]))
    | st.builds(lambda refusal: json.dumps({"choices": [{"message": {"refusal": refusal}}]}).encode(), VALUES)
    | st.builds(lambda value: json.dumps({"error": {"message": value}}).encode(), VALUES)
    | st.sampled_from(
        [
            b'{"choices": [], "choices": [{"message": {"content": "a", "content": "b"}}]}',
            b'{"choices": [{"message": {"content": "' + b"x" * (1 << 22) + b'"}}]}',
            b'{"choices": ' + b"9" * 5000 + b"}",
            b"\xef\xbb\xbf{}",
            b"\x1f\x8b\x08\x00",
        ]
    )
    | st.binary(max_size=100)
)
STATUSES = st.sampled_from([200] * 10 + [201, 204, 301, 302, 308, 400, 401, 404, 408, 418, 422, 429, 500, 503, 599])
HEADERS = st.fixed_dictionaries(
    {},
    optional={
        "Retry-After": st.sampled_from(RETRY_AFTER),
        "Location": st.sampled_from(["http://[", "file:///etc/passwd", "\xff", "//", "http://x:port/", "a" * 9000]),
        "Content-Encoding": st.just("gzip"),
        "Transfer-Encoding": st.sampled_from(["chunked", "none"]),
        "Content-Type": st.just("text/html; charset=utf-99"),
    },
)
RAW = [
    b"",
    b"\x00" * 100,
    b"HTTP/1.1 999999 What\r\n\r\n",
    b"HTTP/1.1 -1 What\r\n\r\n",
    b"HTTP/9.9 200 OK\r\n\r\n{}",
    b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{}",
    b"HTTP/1.1 200 OK\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n{}",
    b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n{",
    b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000 + b"\r\n\r\n{}",
    b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 300 + b"\r\n{}",
    b"HTTP/1.1 200 OK\r\n: no name\r\n\x00\xff\r\n\r\n{}",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\n{}\r\n",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"F" * 40 + b"\r\n{}",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{",
    b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 101 Switching\r\n\r\n",
    b"HTTP/1.1 302 Found\r\nLocation: http://[\r\nContent-Length: 0\r\n\r\n",
    b"HTTP/1.1 429 No\r\nRetry-After: 1e400\r\nContent-Length: 5\r\n\r\n[",
]


@pytest.fixture(scope="module")
def server() -> Iterator[ChatServer]:
    with serving() as running:
        yield running


QUESTION = Question("m", Prompt("test-1", "List the facts."), "{}", '{"type": "object"}', expected=50)


def survive(server: ChatServer, fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ask the server by every way there is."""
    server.always = fault
    environment = {"URL": server.url, "CACHE": "off", "RETRIES": "0", "TIMEOUT": "20", "BACKOFF": "0"}
    for name, value in {**environment, "PRICE_IN": "2.5", "PRICE_OUT": "10", "MAX_COST": "1"}.items():
        monkeypatch.setenv(f"PYRAMIDION_LLM_{name}", value)
    endpoint = Endpoint(server.url, timeout=20, retries=2, price_in=2.5, price_out=10.0)
    direct = Client(endpoint, sleep=lambda seconds: None)
    client.cache_clear()
    ways = (
        lambda: direct.ask(QUESTION, lambda content: structured(content, dict[str, Any])),
        lambda: make_judge("m")(PYRAMID, PEER),
        lambda: make_builder("m")(Topic("lake", REFERENCES)),
    )
    for ask in ways:
        try:
            ask()
        except (PyramidionError, InputWarning) as error:
            assert str(error).isprintable()
    assert isfinite(direct.spent.cost)
    assert isfinite(direct.billed)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(status=STATUSES, headers=HEADERS, body=BODIES)
@example(status=200, headers={}, body=completion('{"answers": ' + nested(1000).decode() + "}"))
@example(status=200, headers={}, body=nested(200_000))
@example(status=400, headers={}, body=nested(200_000, "{}")[:60_000])
@example(status=200, headers={}, body=completion("{}", {"prompt_tokens": HUGE, "completion_tokens": HUGE}))
@example(status=429, headers={"Retry-After": "1e400"}, body=b"")
@example(status=503, headers={"Retry-After": "Mon, 01 Jan 2024 00:00:00 +99999999999999999999"}, body=b"")
@example(status=302, headers={"Location": "http://["}, body=b"")
def test_any_reply(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch, status: int, headers: dict[str, str], body: bytes
) -> None:
    survive(server, lambda handler, _: handler.reply(status, body, headers), monkeypatch)


@pytest.mark.parametrize("data", RAW, ids=range(len(RAW)))
def test_what_is_no_http(server: ChatServer, monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    survive(server, lambda handler, _: handler.send(data), monkeypatch)


@given(content=CONTENTS | st.text())
@settings(max_examples=60, deadline=None)
def test_a_content_is_read_or_refused(content: str) -> None:
    for form in (dict[str, Any], list[int]):
        try:
            structured(content, form)
        except AnswerError as error:
            assert error.content == content
