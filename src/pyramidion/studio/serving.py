"""The studio's server: uvicorn at one address, until a signal ends it."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from ipaddress import ip_address

import uvicorn

from pyramidion.crowd.hosts import LOOPBACK, Names
from pyramidion.errors import PyramidionError
from pyramidion.studio.app import make_app
from pyramidion.studio.deadlines import TimedProtocol
from pyramidion.studio.workspace import Workspace

GRACE = 3
"""Seconds that requests in flight have when the server ends."""


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches an address."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host.lower() in LOOPBACK


class _Server(uvicorn.Server):
    """A server that ends with status 0 on SIGINT and SIGTERM, whatever handlers were inherited."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():  # only it can have handlers
            yield
            return
        before = {number: signal.signal(number, self._end) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, signal.SIG_DFL if handler is None else handler)

    def _end(self, number: int, frame: object) -> None:
        # the first signal waits for requests in flight, the second does not
        self.force_exit = self.should_exit
        self.should_exit = True


def listen(host: str, port: int) -> socket.socket:
    """Return a socket at the address."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        listening = socket.socket(family, socket.SOCK_STREAM)
        # so that a studio can start again at once at the port that it has just left
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(1024)
    except (OSError, OverflowError) as error:
        raise PyramidionError(
            f"The studio cannot listen at {host} port {port}: {getattr(error, 'strerror', '') or error}.",
            do="choose another port or host",
        ) from None
    return listening


def url_of(listening: socket.socket) -> str:
    """Return the address of the start page."""
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def serve(
    workspace: Workspace,
    listening: socket.socket,
    host: str,
    names: Sequence[str] = (),
    began: Callable[[], None] = lambda: None,
) -> None:
    """Serve a workspace until SIGINT (Ctrl-C) or SIGTERM. ``names`` are further host names of the server."""
    application = make_app(workspace, Names.of(host, names))
    config = uvicorn.Config(
        application,
        http=TimedProtocol,
        log_level="error",
        access_log=False,  # addresses name what people work on
        server_header=False,
        timeout_graceful_shutdown=GRACE,
        timeout_keep_alive=20,
        limit_concurrency=1000,
        h11_max_incomplete_event_size=64 * 1024,
        lifespan="off",
    )
    server = _Server(config)
    try:
        began()
        server.run([listening])
    finally:
        workspace.close()
