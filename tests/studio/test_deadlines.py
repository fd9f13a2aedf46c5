"""A client that says nothing, or sends byte after byte, does not keep a connection."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest
import uvicorn
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send
from uvicorn.server import ServerState

from pyramidion.crowd.hosts import Names
from pyramidion.studio.deadlines import TimedProtocol
from pyramidion.studio.guard import Guard
from tests.processes import PATIENCE

HEADER = b"POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\n"


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    body = await Request(scope, receive).body()
    await PlainTextResponse(body)(scope, receive, send)


async def said(parts: list[bytes], **late: float) -> bytes:
    """What a server of our protocol says to these parts of a request, before it ends the connection.

    Before an empty part, something is heard.
    """
    protocol: Any = type("Hurried", (TimedProtocol,), {"deadline": late.get("header", PATIENCE)})
    app = Guard(echo, Names.of("localhost"), late.get("body", PATIENCE))
    config = uvicorn.Config(app, lifespan="off", timeout_keep_alive=int(PATIENCE), log_config=None)
    config.load()
    loop = asyncio.get_running_loop()
    here, there = socket.socketpair()
    there.setblocking(False)
    try:
        transport, _ = await loop.create_connection(lambda: protocol(config, ServerState(), {}), sock=here)
        try:
            heard = b""
            for part in parts:
                await loop.sock_sendall(there, part)
                heard += await asyncio.wait_for(loop.sock_recv(there, 65536), PATIENCE) if not part else b""
            while data := await asyncio.wait_for(loop.sock_recv(there, 65536), PATIENCE):
                heard += data
            return heard
        finally:
            transport.close()
            await asyncio.sleep(0)
    finally:
        there.close()


@pytest.mark.parametrize("parts", [[], [HEADER[:30]], [HEADER[:5], HEADER[5:20]]])
def test_a_connection_without_a_whole_header_is_ended(parts: list[bytes]) -> None:
    assert asyncio.run(said(parts, header=0.05)) == b""


def test_a_header_that_begins_after_an_answer_must_be_whole_in_time_too() -> None:
    heard = asyncio.run(said([HEADER, b"abcd", b"", HEADER[:30]], header=0.05))
    assert heard.count(b"HTTP/1.1 200") == 1


@pytest.mark.parametrize("parts", [[HEADER], [HEADER, b"ab"]])
def test_a_body_that_does_not_come_is_refused(parts: list[bytes]) -> None:
    heard = asyncio.run(said(parts, body=0.05))
    assert heard.startswith(b"HTTP/1.1 408")
    assert b"x-frame-options: DENY" in heard


def test_a_request_in_time_is_answered() -> None:
    closing = HEADER.replace(b"Host", b"Connection: close\r\nHost")
    heard = asyncio.run(said([closing[:20], closing[20:], b"ab", b"cd"]))
    assert heard.startswith(b"HTTP/1.1 200")
    assert heard.endswith(b"abcd")
