"""Fixtures of runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.evaluation.poison import install


@pytest.fixture
def poison(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of the method that goes by words, and at some summaries dies, hangs or fails."""
    monkeypatch.syspath_prepend(str(install(tmp_path / "packages")))
    return "given+poisoned"
