"""Engines: the same results from any number of processes, and nothing that happens to an item ends the run."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pyramidion.errors import MissingPartError, PyramidionError
from pyramidion.evaluation.engines import processes
from pyramidion.evaluation.engines.processes import Processes
from pyramidion.evaluation.engines.serial import Serial
from pyramidion.evaluation.evaluate import evaluate
from pyramidion.evaluation.work import STAGES, Failure, Outcome, Scoring
from pyramidion.evaluation.worklist import Item, items
from pyramidion.examples import example
from pyramidion.methods import Method
from tests.evaluation.poison import DIE, FAIL, HANG, ONCE, PART, topics


def by_summary(outcomes: list[Outcome]) -> dict[tuple[str, str], float | None]:
    return {(one.scores.topic, one.scores.summary): one.scores.coverage for o in outcomes for one in o.scored}


def failures(outcomes: list[Outcome]) -> dict[tuple[str, str], tuple[str, str]]:
    return {(one.topic, one.summary): (one.kind, one.error) for o in outcomes for one in o.failures}


def test_two_processes_find_what_one_does() -> None:
    alone, steps = evaluate(example(), "given+unigram"), []
    together = evaluate(example(), "given+unigram", jobs=2, progress=steps.append)
    assert together == alone
    assert sorted(steps) == sorted(one.scores.summary for one in alone.results)


def test_leaving_references_out_is_done_once_a_topic_however_it_is_cut() -> None:
    many = topics(1, 150)
    with pytest.raises(PyramidionError, match="leaving one out needs at least two"):
        evaluate(many, "given+unigram", leave_one_out=True, jobs=2)
    alone = evaluate(example(), "given+unigram", leave_one_out=True)
    assert evaluate(example(), "given+unigram", leave_one_out=True, jobs=2) == alone


def test_every_summary_but_the_poisoned_ones_is_scored(poison: str, tmp_path: Path) -> None:
    bad = {(0, 1): DIE, (1, 0): FAIL, (1, 2): HANG, (2, 1): f"{ONCE}{tmp_path / 'died'})"}
    given = topics(4, 3, bad)
    work = Scoring(Method.parse(poison))
    outcomes = list(Processes(2, patience=5.0).run(work, items(given)))
    healthy = {
        key: value
        for key, value in by_summary(list(Serial().run(Scoring(Method.parse("given+unigram")), items(given)))).items()
        if key not in {("t00000", "s1"), ("t00001", "s0"), ("t00001", "s2")}
    }
    assert by_summary(outcomes) == healthy
    assert (tmp_path / "died").exists()
    told = failures(outcomes)
    assert told.keys() == {("t00000", "s1"), ("t00001", "s0"), ("t00001", "s2")}
    kind, error = told["t00000", "s1"]
    assert (kind, error.partition(",")[0]) == ("crash", "the worker was ended by signal 9 (SIGKILL)")
    kind, error = told["t00001", "s0"]
    assert kind == "error"
    assert error.startswith("The matcher 'poisoned' of poisoned 1.0 (source ")
    assert " failed at topic 't00001', summary 's0': ZeroDivisionError: no way to read s0 (poison.py:" in error
    assert told["t00001", "s2"] == ("time", "a step took longer than 5 seconds")


def test_an_item_at_which_a_worker_died_unheard_is_done_again_with_care(
    poison: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker of a cluster may die before its latest steps are heard; here they are known, and not believed."""
    monkeypatch.setattr(processes._Process, "is_exact", property(lambda worker: worker.items[0].careful))
    given = topics(2, 3, {(0, 1): DIE})
    outcomes = list(Processes(1).run(Scoring(Method.parse(poison)), items(given)))
    assert {key: kind for key, (kind, _) in failures(outcomes).items()} == {("t00000", "s1"): "crash"}
    assert len(by_summary(outcomes)) == 5


def test_without_a_run_the_first_summary_that_cannot_be_scored_is_an_error(poison: str) -> None:
    with pytest.raises(PyramidionError, match=r"^The summary 's1' of topic 't00000' cannot be scored: the worker was"):
        evaluate(topics(1, 3, {(0, 1): DIE}), poison, jobs=2)


def test_a_failure_of_the_pyramid_fails_all_its_peers() -> None:
    (lake, lagoon) = topics(2, 2)
    without = Item(lake.__class__(lake.id, lake.references, lake.peers))
    outcomes = list(Processes(1).run(Scoring(Method.parse("given+unigram")), [without, *items([lagoon])]))
    assert {key: kind for key, (kind, _) in failures(outcomes).items()} == {
        (lake.id, "s0"): "error",
        (lake.id, "s1"): "error",
    }
    assert all("has no pyramid" in error for _, error in failures(outcomes).values())
    assert {topic for topic, _ in by_summary(outcomes)} == {lagoon.id}


def test_items_are_taken_when_somebody_is_free_and_ending_early_ends_the_workers() -> None:
    taken: list[str] = []

    def listed() -> Iterator[Item]:
        for item in items(topics(200, 1)):
            taken.append(item.topic.id)
            yield item

    outcomes = Processes(2).run(Scoring(Method.parse("given+unigram")), listed())
    first = next(outcomes)
    assert isinstance(first, Outcome)
    assert set(first.seconds) == set(STAGES)
    assert len(taken) <= 5
    outcomes.close()


@pytest.mark.parametrize(("quick", "expected"), [(0.0, 2), (float("inf"), 3)])
def test_only_a_worker_that_is_quick_is_handed_an_item_ahead(
    quick: float, expected: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pyramidion.evaluation.engines.pool.QUICK", quick)
    taken: list[str] = []

    def listed() -> Iterator[Item]:
        for item in items(topics(9, 1)):
            taken.append(item.topic.id)
            yield item

    outcomes = Processes(1).run(Scoring(Method.parse("given+unigram")), listed())
    assert [next(outcomes).key[0], next(outcomes).key[0]] == ["t00000", "t00001"]
    assert len(taken) == expected
    outcomes.close()


def test_a_part_that_is_not_installed_ends_the_run(poison: str) -> None:
    with pytest.raises(MissingPartError, match="the model is not here; get it"):
        list(Processes(1).run(Scoring(Method.parse(poison)), items(topics(3, 1, {(1, 0): PART}))))


@pytest.mark.parametrize(("jobs", "patience"), [(0, 1.0), (1, -1.0), (1, float("nan"))])
def test_settings_that_mean_nothing_are_refused(jobs: int, patience: float) -> None:
    with pytest.raises(PyramidionError, match="jobs|time-out"):
        Processes(jobs, patience)


def test_a_failure_keeps_our_own_errors() -> None:
    failure = Failure("t", "s", "error", "x", PyramidionError("x"))
    assert failure == Failure("t", "s", "error", "x")


THREADS = """
import os, sys
from pyramidion.model import Topic
from pyramidion.evaluation.engines import processes
from pyramidion.evaluation.engines.processes import Processes
from pyramidion.evaluation.worklist import Item
from tests.evaluation.poison import ThreadsOfProducts
(outcome,) = Processes(1).run(ThreadsOfProducts(), [Item(Topic("t"))])
print(*outcome.notes)
"""


@pytest.mark.parametrize(("setting", "expected"), [({}, "[1]"), ({"OPENBLAS_NUM_THREADS": "2"}, "[2]")])
def test_workers_of_a_program_have_one_thread_for_products_unless_it_says_otherwise(
    setting: dict[str, str], expected: str
) -> None:
    import numpy as np

    if "openblas" not in str(np.show_config(mode="dicts")):
        pytest.skip("numpy is built without OpenBLAS here")
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"} | setting
    done = subprocess.run(
        [sys.executable, "-c", THREADS],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[2],
    )
    assert done.stdout.strip() == expected
