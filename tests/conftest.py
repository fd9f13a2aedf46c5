"""Fixtures for all tests."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A loaded machine is slow, not wrong; and CI tries the same cases every time, so that it fails for what changed.
settings.register_profile(
    "pyramidion", deadline=None, derandomize=bool(os.environ.get("CI")), suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("pyramidion")


@pytest.fixture(scope="session")
def data() -> Path:
    """The real data, which is not part of the project."""
    folder = Path(os.environ.get("PYRAMIDION_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder}: set PYRAMIDION_DATA to the folder that holds it")
    return folder
