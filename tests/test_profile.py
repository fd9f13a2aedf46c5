"""How tests are run: the same examples every time, others in each round of ``make fuzz``, and nothing hangs."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).parents[1]


def drawn() -> list[int | str]:
    values: list[int | str] = []

    @given(st.integers() | st.text())
    def draw(value: int | str) -> None:
        values.append(value)

    draw()
    return values


def test_examples_are_the_same_whatever_was_imported_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = drawn()
    assert len(before) == settings.default.max_examples
    assert drawn() == before
    (tmp_path / "unheard_of.py").write_text(f"NUMBERS = {[7**n for n in range(2, 200)]}")
    monkeypatch.syspath_prepend(str(tmp_path))
    import_module("unheard_of")
    assert drawn() == before


def test_no_example_is_kept() -> None:
    assert settings.default.derandomize
    assert settings.default.database is None


PROPERTIES = """
from hypothesis import given, strategies as st

@given(st.integers())
def test_holds(number): assert isinstance(number, int)

@given(st.integers())
def test_fails(number): assert number < 1000

def test_is_no_property(): raise SystemExit("a plain test was run")
"""


def at_random(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.at_random", "--workers", "0", *map(str, arguments)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)


def test_fuzzing_tells_what_failed_and_with_which_example(tmp_path: Path) -> None:
    file = tmp_path / "test_properties.py"
    file.write_text(PROPERTIES)
    done = at_random("--seed", 7, file)
    assert done.returncode == 1, done.stderr
    first, *_, last = done.stdout.splitlines()
    assert first.startswith("round 1: seed 7, 2 tests, ")
    assert first.endswith(" examples, 1 failed")
    assert "number=1000," in done.stdout
    assert "@reproduce_failure(" in done.stdout
    assert "1 rounds, 2 tests, " in done.stdout
    assert last.endswith("test_properties.py::test_fails")  # the folders before it depend on where we are
    again = at_random("--seed", 7, file)
    assert again.stdout.splitlines()[0] == first


def test_fuzzing_stops_when_the_time_is_up_and_finds_nothing_in_what_holds(tmp_path: Path) -> None:
    file = tmp_path / "test_properties.py"
    file.write_text(PROPERTIES)
    done = at_random("--minutes", 0, f"{file}::test_fails")
    assert (done.returncode, done.stdout.splitlines()[0].endswith("0 tests, 0 examples, 0 failed")) == (0, True)
    done = at_random("--minutes", 0.02, f"{file}::test_holds")
    assert done.returncode == 0, done.stdout
    assert done.stdout.endswith("nothing failed\n")


def test_fuzzing_without_property_tests_is_an_error(tmp_path: Path) -> None:
    done = at_random("--seed", 7, tmp_path)
    assert done.returncode == 1
    assert "are there property tests in" in done.stderr


HANGING = """
import hashlib, threading

def test_waits_for_ever(): threading.Event().wait()
def test_never_looks_up(): hashlib.pbkdf2_hmac("sha256", b"", b"", 2_000_000_000)
"""


@pytest.mark.parametrize(
    ("test", "says"), [("waits_for_ever", "Timeout (>0.5"), ("never_looks_up", "Timeout (0:00:02)")]
)
def test_a_test_that_hangs_fails(tmp_path: Path, test: str, says: str) -> None:
    (tmp_path / "test_hanging.py").write_text(HANGING)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-c",
        ROOT / "pyproject.toml",
        "-p",
        "no:cacheprovider",
        "-o",
        "timeout=0.5",
    ]
    command += ["-o", "faulthandler_timeout=2", tmp_path / f"test_hanging.py::test_{test}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 1, done.stderr
    assert says in done.stdout + done.stderr
