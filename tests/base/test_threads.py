"""Threads: what is done at once, in which order it comes, and that nobody can tell from the result."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier, Event

import pytest

from pyramidion.base import threads
from pyramidion.errors import PyramidionError
from pyramidion.examples import example
from pyramidion.methods import Method


def test_there_are_as_many_as_the_setting_says_or_as_there_are_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYRAMIDION_THREADS", "7")
    assert threads.count() == 7
    monkeypatch.delenv("PYRAMIDION_THREADS")
    assert threads.count() == len(os.sched_getaffinity(0))


@pytest.mark.parametrize("setting", ["0", "1000", "two", "", "1.5"])
def test_a_setting_that_is_no_number_of_threads(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYRAMIDION_THREADS", setting)
    with pytest.raises(PyramidionError, match="PYRAMIDION_THREADS is .*; set it to a number from 1 to 999"):
        threads.count()


def test_results_come_in_order_as_soon_as_all_before_them_are_there() -> None:
    last, first = Event(), Event()

    def work(number: int) -> int:
        if number == 0:
            assert last.wait(60)
        if number == 2:
            last.set()
        if number == 3:
            assert first.wait(60)
        return number

    results = threads.in_order(work, range(4), 3)
    assert next(results) == 0  # number 3 is not over, and nobody waits for it
    first.set()
    assert list(results) == [1, 2, 3]


def test_what_was_before_an_error_still_comes() -> None:
    def work(number: int) -> float:
        return 1 / (number - 2)

    results = threads.in_order(work, range(5), 2)
    assert [next(results), next(results)] == [-0.5, -1.0]
    with pytest.raises(ZeroDivisionError):
        next(results)


def test_an_end_before_its_time_begins_nothing_more() -> None:
    begun: list[int] = []
    going = Event()

    def work(number: int) -> int:
        begun.append(number)
        if number:
            assert going.wait(60)
        return number

    results = threads.in_order(work, range(1000), 2)
    assert next(results) == 0
    results.close()
    going.set()
    assert len(begun) < 1000


def test_a_model_is_loaded_by_one_thread_although_several_ask_at_once() -> None:
    loads: list[str] = []
    both = Barrier(2)

    @threads.Once
    def load(name: str) -> str:
        loads.append(name)
        return name.upper()

    def ask(_: int) -> str:
        both.wait(60)
        return load("model")

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(ask, range(2))) == ["MODEL", "MODEL"]
    assert loads == ["model"]


BLAS = """
import numpy, os, sys
from threadpoolctl import threadpool_info
from pyramidion.base import threads
def now(): return {one["num_threads"] for one in threadpool_info() if one["internal_api"] == "openblas"}
before = now()
with threads.single_blas():
    with threads.single_blas(): pass
    inside = now()
print(before, inside, now() == before)
"""


def blas(**variables: str) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"} | variables
    return subprocess.run(
        [sys.executable, "-c", BLAS], env=environment, capture_output=True, text=True, check=True
    ).stdout.strip()


def test_matrix_products_of_the_library_have_one_thread_and_the_users_have_their_own_again() -> None:
    import numpy as np

    if "openblas" not in str(np.show_config(mode="dicts")):
        pytest.skip("numpy is built without OpenBLAS here")
    assert blas(OPENBLAS_NUM_THREADS="2") == "{2} {2} True"  # whoever sets it has it
    before, inside, restored = blas().rsplit(" ", 2)
    assert (inside, restored) == ("{1}", "True")
    assert before == f"{{{len(os.sched_getaffinity(0))}}}"


def test_a_limit_that_comes_after_numpy_still_holds() -> None:
    import numpy as np

    if "openblas" not in str(np.show_config(mode="dicts")):
        pytest.skip("numpy is built without OpenBLAS here")
    code = (
        "import os, numpy; from threadpoolctl import threadpool_info; from pyramidion.base import threads\n"
        "os.environ['OPENBLAS_NUM_THREADS'] = '1'; threads.limit_loaded_blas()\n"
        "print({one['num_threads'] for one in threadpool_info() if one['internal_api'] == 'openblas'})"
    )
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "2"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "{1}"


def test_the_command_limits_matrix_products_before_numpy_is_there() -> None:
    code = (
        "import sys, os; from pyramidion.cli import main\n"
        "try: main(['--version'])\nexcept SystemExit: print('numpy' in sys.modules, os.environ['OPENBLAS_NUM_THREADS'])"
    )
    environment = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False 1"


def test_annotations_are_the_same_for_any_number_of_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyramidion_entails", reason="pip install ./entails: the weights are not installed")
    topic = example()[0]
    assert topic.pyramid

    pyramid = replace(topic.pyramid, scus=topic.pyramid.scus[:4])
    few = replace(topic, peers=topic.peers[:3], annotations=())
    method = Method.parse("given+entails")
    found = []
    for number in ("1", "3"):
        monkeypatch.setenv("PYRAMIDION_THREADS", number)
        found.append(list(method.annotations(few, pyramid)))
    assert [one.summary for one in found[0]] == list(topic.peers[:3])
    assert found[0] == found[1]
