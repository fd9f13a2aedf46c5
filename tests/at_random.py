"""The property tests at random, round after round, for as long as asked: what ``make fuzz`` runs.

    python -m tests.at_random [--minutes 10] [--seed N] [TESTS ...]

A round is every property test once, with examples from a fresh seed, file by file in an order of its own. What fails is
printed with its falsifying example and becomes an ``@example`` of its test; ``--seed N`` runs one round again. The exit
status is 1 if anything failed.

This module is a plugin of pytest, too, in every process that runs tests (``-p tests.at_random``).
"""

from __future__ import annotations

import argparse
import json
import random
import re
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "at-random",
    derandomize=False,
    database=None,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--until", type=float, help="begin no test after this time, in seconds since 1970")
    parser.addoption("--round", type=Path, help="the file to write to what the round gave")


def pytest_configure(config: pytest.Config) -> None:
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Round(config.getoption("--round")))


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Files in an order of their own: a round that is cut short leaves out other tests each time."""
    files = list(dict.fromkeys(item.path for item in items))
    random.Random(config.getoption("--hypothesis-seed")).shuffle(files)
    place = {file: number for number, file in enumerate(files)}
    items.sort(key=lambda item: place[item.path])


def pytest_runtest_setup(item: pytest.Item) -> None:
    until = item.config.getoption("--until")
    if until is not None and time.time() > until:
        pytest.skip("the time is up")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    counted = re.findall(r"(\d+) (?:passing|failing)", getattr(item, "hypothesis_statistics", ""))
    report.user_properties.append(("examples", sum(map(int, counted))))
    return report


class Round:
    """What one run of the property tests gave: counts, and what is to be said of each failure."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.tests = self.examples = 0
        self.failures: dict[str, str] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and not report.skipped:
            self.tests += 1
            self.examples += dict(report.user_properties)["examples"]  # type: ignore[operator]
        if report.failed:
            told = [report.longreprtext, *(text for name, text in report.sections if name == "Hypothesis")]
            self.failures[report.nodeid] = "\n".join(told)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.failures[report.nodeid] = report.longreprtext

    def pytest_sessionfinish(self) -> None:
        self.path.write_text(json.dumps([self.tests, self.examples, self.failures]))


def run(tests: list[str], seed: int, until: float | None, workers: str) -> tuple[int, int, dict[str, str]]:
    """One round, in a process of its own: the tests run, the examples tried, and the failures."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "round.json")
        command = [sys.executable, "-m", "pytest", "-p", "tests.at_random", "-m", "hypothesis", "-n", workers]
        command += ["-p", "no:cacheprovider", f"--round={path}"]
        command += ["--hypothesis-profile=at-random", f"--hypothesis-seed={seed}"]
        command += [f"--until={until}"] if until is not None else []
        done = subprocess.run([*command, *tests], stdout=subprocess.PIPE, text=True, check=False)
        if done.returncode not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED):
            sys.exit(f"{done.stdout}\npytest could not run: are there property tests in {' '.join(tests)}?")
        tests_run, examples, failures = json.loads(path.read_text())
        return tests_run, examples, failures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tests", nargs="*", default=["tests"], metavar="TESTS")
    parser.add_argument("--minutes", type=float, default=10.0, help="begin no test after that")
    parser.add_argument("--seed", type=int, help="one whole round from this seed, however long it takes")
    parser.add_argument("-n", "--workers", default="auto", help="how many processes run tests")
    given = parser.parse_args()
    begun = time.time()
    until = begun + 60 * given.minutes if given.seed is None else None
    rounds = tests = examples = 0
    failures: dict[str, str] = {}
    while not rounds or (until is not None and time.time() < until):
        seed = secrets.randbelow(2**32) if given.seed is None else given.seed
        ran, tried, failed = run(given.tests, seed, until, given.workers)
        rounds, tests, examples = rounds + 1, tests + ran, examples + tried
        print(f"round {rounds}: seed {seed}, {ran:,} tests, {tried:,} examples, {len(failed)} failed", flush=True)
        for name in sorted(failed.keys() - failures.keys()):
            failures[name] = failed[name]
            print(f"\nFAILED {name} (seed {seed})\n{failed[name]}\n", flush=True)
    minutes = (time.time() - begun) / 60
    print(f"{rounds} rounds, {tests:,} tests, {examples:,} examples in {minutes:.1f} minutes; ", end="")
    print("nothing failed" if not failures else f"{len(failures)} failed:\n  " + "\n  ".join(failures))
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
