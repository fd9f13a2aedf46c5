"""The embedded model, for every test of the language layer."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pyramidion.language import Analysis
from pyramidion.language import analyse as analyse_text


@pytest.fixture(scope="session")
def analyse() -> Callable[[str], Analysis]:
    return analyse_text
