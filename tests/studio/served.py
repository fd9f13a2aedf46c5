"""A studio's server in a process of its own."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.processes import running

CODE = "from pyramidion.cli import main; main()"


@contextmanager
def served(*arguments: object, **options: Any) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """The server, and what it says of itself at the beginning; killed at the end. Options are those of its process."""
    with running(["-c", CODE, "studio", *arguments, "--port", "0", "--json"], **options) as (server,):
        assert server.stdout
        said = ""
        while line := server.stdout.readline():
            said += line
            try:
                about = json.loads(said)
            except json.JSONDecodeError:
                continue
            yield server, about
            return
        raise AssertionError(server.stderr.read() if server.stderr else "no server")
