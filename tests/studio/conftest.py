"""The databases that the studio runs on: SQLite, and PostgreSQL where it is installed."""

from __future__ import annotations

import pytest

from tests.postgres import new_database


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> str:
    """The URL of an empty database; of SQLite nothing, for its file is in the workspace."""
    return "" if request.param == "sqlite" else new_database(request.getfixturevalue("postgres"))
