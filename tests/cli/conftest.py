"""The command line, run as a person would, inside this process."""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass
from typing import Any, Protocol

import pytest

from pyramidion.cli import main


@dataclass
class Outcome:
    """What a command printed and how it left."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.status == 0, self.err
        return json.loads(self.out)


class Run(Protocol):
    def __call__(self, *arguments: object) -> Outcome: ...


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*arguments: object) -> Outcome:
        capsys.readouterr()
        with warnings.catch_warnings(), pytest.raises(SystemExit) as left:
            main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return Outcome(int(left.value.code or 0), printed.out, printed.err)

    return run
