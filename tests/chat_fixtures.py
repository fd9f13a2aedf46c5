"""An endpoint for tests that go through methods: the environment names it, and every test has its own cache."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pyramidion.language.llm.chat import client
from tests.chat_server import KEY, ChatServer, serving

__all__ = ["endpoint"]


@pytest.fixture
def endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    client.cache_clear()
    with serving() as server:
        server.key = KEY
        monkeypatch.setenv("PYRAMIDION_LLM_URL", server.url)
        monkeypatch.setenv("PYRAMIDION_LLM_KEY", KEY)
        monkeypatch.setenv("PYRAMIDION_LLM_CACHE", str(tmp_path / "answers.sqlite"))
        monkeypatch.setenv("PYRAMIDION_LLM_BACKOFF", "0.001")
        monkeypatch.setenv("PYRAMIDION_LLM_RETRIES", "2")
        monkeypatch.setenv("PYRAMIDION_LLM_TIMEOUT", "60")
        yield server
    client.cache_clear()
