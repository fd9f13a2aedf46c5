"""The browser of whoever starts the studio, opened with the key in its address.

Everybody on a machine can read everybody's command lines. So the browser is started with the name of a page in the
workspace, which only this user can read and which leads to the address.
"""

from __future__ import annotations

import os
import sys
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from html import escape
from pathlib import Path

PAGE = "open.html"


def has_screen() -> bool:
    """Return whether a person with a screen started this."""
    screen = sys.platform in ("darwin", "win32") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    return sys.stdout.isatty() and bool(screen)


@contextmanager
def open_browser(folder: Path, address: str) -> Iterator[None]:
    """Open a browser at the address; the page that leads it there is deleted at the end."""
    path = (folder / PAGE).resolve()
    path.unlink(missing_ok=True)
    # O_EXCL: a file or a link that somebody else put there meanwhile is not written to
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(f'<!doctype html><meta http-equiv="refresh" content="0;url={escape(address)}"><title>Studio</title>')
    try:
        threading.Thread(target=_open, args=(path.as_uri(),), daemon=True).start()  # some browsers are waited for
        yield
    finally:
        path.unlink(missing_ok=True)


def _open(address: str) -> None:
    with suppress(webbrowser.Error):
        webbrowser.open(address)
