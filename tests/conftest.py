"""Fixtures for all tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from tests.postgres import postgres

__all__ = ["postgres"]

# The same examples everywhere, and none kept: a run fails for what changed. `make fuzz` draws others (at_random.py).
# A loaded machine is slow, not wrong.
settings.register_profile(
    "same", derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("quick", settings.get_profile("same"), max_examples=10)
settings.load_profile("same")

# What one test computes is nothing to another that does not ask for it, nor to the user's own cache.
os.environ["PYRAMIDION_CACHE"] = "off"


@pytest.hookimpl(trylast=True)  # after the profile that the command line names is loaded
def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--quick"):
        settings.load_profile("quick")
    elif settings.get_current_profile_name() == "same":
        # Hypothesis also draws constants of those modules of ours that happen to be imported: others in each order of
        # tests. It has no setting for this; tests/test_profile.py fails if a later version does it elsewhere.
        providers._get_local_constants = lambda: providers._local_constants


LONG = ("test_generated_pages_and_shown_outputs", "test_demo_shows_scores", "tests/evaluation/")
"""Tests that take long and come first, so that no worker is left alone with one at the end."""
SLOW = (
    *LONG[:2],
    "tests/browser/",
    "tests/base/test_limits",
    "tests/cli/test_bad_input",
    "tests/cli/test_crowd_pages",
    "tests/crowd/test_server",
    "tests/evaluation/test_engines",
    "tests/evaluation/test_make",
    "tests/evaluation/test_ray",
    "tests/evaluation/test_reliability",
    "tests/formats/test_losses",
    "tests/papers/test_nenkova2007_stability",
    "tests/studio/test_access",
    "tests/studio/test_reliability",
    "tests/test_profile",
    "tests/test_site",
    "tests/test_topics",
    "test_a_build_that_comes_late",
    "test_a_teacher_gets_from_files",
    "[postgresql]",
)
"""What `make check` leaves out, beside real data: browsers, servers, killed processes, jobs that read."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option of `make check`."""
    quick = "leave out what takes long, opens a browser or reads with a network: make check"
    parser.addoption("--quick", action="store_true", help=quick)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Long tests come first. Published folders hold more than is read, and REALSumm's sentences stand in tags: tests
    with real data are told so every time."""
    if config.getoption("--quick"):
        slow = {item for item in items if item.get_closest_marker("data") or any(n in item.nodeid for n in SLOW)}
        config.hook.pytest_deselected(items=list(slow))
        items[:] = [item for item in items if item not in slow]
    items.sort(key=lambda item: not any(name in item.nodeid for name in LONG))
    for item in items:
        if item.get_closest_marker("data"):
            item.add_marker(pytest.mark.filterwarnings("ignore:.*(not used|<t> )"))


@pytest.fixture(scope="session", autouse=True)
def no_network(pytestconfig: pytest.Config) -> Iterator[None]:
    """In `make check`, a test that would read with a network is skipped where it loads one."""
    with pytest.MonkeyPatch.context() as patch:
        if pytestconfig.getoption("--quick"):
            os.environ["ORT_DISABLE_TELEMETRY"] = "1"  # as the package does before it imports onnxruntime
            patch.setattr(
                "onnxruntime.InferenceSession", lambda *_, **__: pytest.skip("reads with a network: make test")
            )
        yield


@pytest.fixture
def shared_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests that show the bundled example by the default method: what one of them reads, the others find."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:  # each worker has a folder of its own, in that of the run
        folder = folder.parent
    monkeypatch.setenv("PYRAMIDION_CACHE", str(folder / "cache"))


@pytest.fixture(scope="session")
def data() -> Path:
    """The real data, which is not part of the project."""
    folder = Path(os.environ.get("PYRAMIDION_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no real data at {folder}: set PYRAMIDION_DATA to the folder that holds it")
    return folder
