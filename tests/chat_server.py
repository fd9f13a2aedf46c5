"""A chat endpoint that speaks OpenAI's protocol over real sockets and answers by simple rules.

A statement is in a summary if the summary has its words, in any order. The facts of a text are its sentences. Facts of
the same words are one group. What goes wrong is said in advance: a fault for each request, in turn.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "sk-very-secret-0123456789"

Fault = Callable[["Handler", dict[str, Any]], None]


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.lower()))


def judged(material: dict[str, Any]) -> dict[str, Any]:
    """An answer to the judge's prompt; the quote is the statement itself, or all of the summary."""
    summary = material.get("summary") or material["answer"]
    answers = []
    for one in material["statements"]:
        there = words(one["text"]) <= words(summary)
        quote = (one["text"] if one["text"] in summary else summary) if there else ""
        answers.append({"id": one["id"], "quote": quote, "readers": 90 if there else 10})
    return {"answers": answers}


def facts(material: dict[str, Any]) -> dict[str, Any]:
    sentences = re.findall(r"[^.]+\.", material["text"])
    return {"facts": [{"fact": one.strip(), "quote": one.strip()} for one in sentences]}


def grouped(material: dict[str, Any]) -> dict[str, Any]:
    groups: dict[frozenset[str], dict[str, Any]] = {}
    for text in material["texts"]:
        for one in text:
            key = frozenset(words(one["fact"]))
            groups.setdefault(key, {"label": one["fact"], "facts": []})["facts"].append(one["id"])
    return {"groups": list(groups.values())}


def answer(request: dict[str, Any]) -> dict[str, Any]:
    material = json.loads(request["messages"][1]["content"])
    rule = judged if "statements" in material else grouped if "texts" in material else facts
    return rule(material)


class Handler(BaseHTTPRequestHandler):
    """One request."""

    server: ChatServer
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            self.server.requests.append(body)
            self.server.keys.append(self.headers.get("Authorization", ""))
            self.server.paths.append(self.path)
            self.server.under_way += 1
            self.is_under_way = True
            self.server.most_under_way = max(self.server.most_under_way, self.server.under_way)
            fault = self.server.faults.pop(0) if self.server.faults else self.server.always
        try:
            if self.server.together:  # nobody is answered before so many have asked
                self.server.together.wait(60)
            self.server.over.wait(self.server.slowness)
            if self.server.key and self.headers.get("Authorization") != f"Bearer {self.server.key}":
                sent = self.headers.get("Authorization", "").removeprefix("Bearer ")
                self.reply(401, {"error": {"message": f"Incorrect API key provided: {sent}"}})
            elif fault:
                fault(self, body)
            else:
                self.say(json.dumps(answer(body)))
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True
        finally:
            self.leave()

    def leave(self) -> None:
        """Count as done: before the last byte goes, since then the client may send another request at once."""
        with self.server.lock:
            self.server.under_way -= self.is_under_way
            self.is_under_way = False

    def say(self, content: str | None, finish: str = "stop", usage: Any = None, **more: Any) -> None:
        """A completion."""
        message = {"role": "assistant", "content": content, **more}
        usage = usage or {"prompt_tokens": 1000, "completion_tokens": 100}
        self.reply(200, {"choices": [{"index": 0, "message": message, "finish_reason": finish}], "usage": usage})

    def send(self, data: bytes) -> None:
        """Bytes that need not be HTTP."""
        self.close_connection = True
        self.wfile.write(data)

    def reply(self, status: int, body: Any, headers: dict[str, str] | None = None, cut: int = 0) -> None:
        """A body, without its last ``cut`` bytes."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.leave()
        self.wfile.write(data[: len(data) - cut])
        if cut:
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Nothing: tests are quiet."""


class ChatServer(ThreadingHTTPServer):
    """The endpoint, and what it was asked."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.paths: list[str] = []
        self.faults: list[Fault | None] = []
        self.always: Fault | None = None
        self.key = ""
        self.slowness = 0.0
        self.under_way = 0
        self.most_under_way = 0
        self.lock = threading.Lock()
        self.over = threading.Event()
        self.together: threading.Barrier | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


@contextmanager
def serving() -> Iterator[ChatServer]:
    """A server for as long as a test runs."""
    with ChatServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.over.set()
            server.shutdown()
            thread.join()


def status(code: int, message: str = "", **headers: str) -> Fault:
    """An error of that status."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler, _: handler.reply(code, {"error": {"message": message}}, named)


def content(text: str | None, finish: str = "stop", **more: Any) -> Fault:
    """A completion with that content."""
    return lambda handler, _: handler.say(text, finish, **more)


def hang(handler: Handler, _: dict[str, Any]) -> None:
    """Nothing, for as long as the server runs."""
    handler.server.over.wait()
    handler.close_connection = True


def truncated(handler: Handler, body: dict[str, Any]) -> None:
    """Half a body."""
    completion = {"choices": [{"message": {"content": json.dumps(answer(body))}}]}
    handler.reply(200, completion, cut=20)


def broken(handler: Handler, _: dict[str, Any]) -> None:
    """No answer at all: the connection is closed."""
    handler.close_connection = True


def no_schemas(handler: Handler, body: dict[str, Any]) -> None:
    """An older server, which knows no JSON schemas and talks around the answer."""
    if "response_format" in body:
        handler.reply(400, {"error": {"message": "response_format is not supported"}})
    else:
        handler.say(f"<think>{{hm}}</think>Here you are:\n```json\n{json.dumps(answer(body))}\n```")
