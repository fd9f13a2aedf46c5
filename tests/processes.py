"""Child processes that are over when their test is, whatever happens in it and whoever runs it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PATIENCE = 60.0
"""Seconds after which a child that should be over is taken to hang."""


@contextmanager
def running(*arguments: Sequence[object], **options: Any) -> Iterator[list[subprocess.Popen[str]]]:
    """Pythons with these arguments, their standard streams as pipes; those that still run at the end are killed."""
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    children: list[subprocess.Popen[str]] = []
    try:
        for given in arguments:
            command = [sys.executable, *map(str, given)]
            children.append(subprocess.Popen(command, text=True, **({"cwd": ROOT} | pipes | options)))
        yield children
    finally:
        for child in children:
            child.kill()
        for child in children:
            child.wait(PATIENCE)
            for pipe in (child.stdin, child.stdout, child.stderr):
                if pipe:
                    pipe.close()
