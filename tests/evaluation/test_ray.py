"""The engine of a Ray cluster: what processes promise, and a node that is lost costs nothing.

One cluster of two nodes serves all tests; they are skipped, with the reason, where Ray is not installed.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace
from typing import Any

import pytest

from pyramidion.cli import main
from pyramidion.errors import MissingPartError, PyramidionError
from pyramidion.evaluation.engines import ray as module
from pyramidion.evaluation.engines.ray import Ray
from pyramidion.evaluation.engines.serial import Serial
from pyramidion.evaluation.work import Outcome, Scoring
from pyramidion.evaluation.worklist import Item, items
from pyramidion.formats import native
from pyramidion.methods import Method
from pyramidion.model import Topic
from pyramidion.notes import Note
from tests.evaluation.poison import DIE, FAIL, HANG, NOTE, ONCE, PART, ThreadsOfProducts, install, topics
from tests.evaluation.test_engines import by_summary, failures
from tests.evaluation.test_reliability import until
from tests.processes import ROOT


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Two nodes with a processor each, connected, on which there is the matcher ``poisoned``."""
    ray = pytest.importorskip("ray", reason="Ray is not installed (make ray)")
    from ray.cluster_utils import Cluster

    # Sockets need a short path; the address of another cluster of this machine, in the usual folder, is left alone.
    with TemporaryDirectory(prefix="pyramidion-ray-") as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_TMPDIR", folder)
        packages = str(install(tmp_path_factory.mktemp("packages")))
        patch.syspath_prepend(packages)
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_worker_niceness", "0")  # beside other tests, its 15 would leave a worker next to nothing
        patch.setenv("PYTHONPATH", os.pathsep.join([packages, str(ROOT)]), prepend=os.pathsep)
        nodes = Cluster()
        try:
            added(nodes, num_cpus=1, include_dashboard=False)
            added(nodes, num_cpus=1)
            ray.init(address=nodes.address, log_to_driver=False, logging_level="ERROR")
            yield nodes
        finally:
            ray.shutdown()
            nodes.shutdown()


def added(nodes: Any, **resources: Any) -> Any:
    """A new node of the cluster."""
    try:
        return nodes.add_node(**resources)
    except Exception as error:  # Ray raises that itself: it gives a node half a minute, whatever else the machine does
        pytest.skip(f"no tests on a cluster: Ray does not start here ({error})")


def undisturbed(given: list[Any]) -> dict[tuple[str, str], float | None]:
    return by_summary(list(Serial().run(Scoring(Method.parse("given+unigram")), items(given))))


@pytest.mark.filterwarnings("ignore")
def test_every_summary_but_the_poisoned_ones_is_scored(cluster: Any, tmp_path: Path) -> None:
    bad = {(0, 1): DIE, (1, 0): FAIL, (1, 2): HANG, (2, 1): f"{ONCE}{tmp_path / 'died'})"}
    given = topics(6, 3, bad)
    steps: list[str] = []
    engine = Ray(patience=6.0)
    outcomes = list(engine.run(Scoring(Method.parse("given+poisoned")), items(given), steps.append))
    lost = {("t00000", "s1"), ("t00001", "s0"), ("t00001", "s2")}
    assert by_summary(outcomes) == {key: value for key, value in undisturbed(given).items() if key not in lost}
    told = failures(outcomes)
    assert told.keys() == lost
    assert told["t00000", "s1"][0] == "crash"
    assert "summary 's0': ZeroDivisionError: no way to read s0 (poison.py:" in told["t00001", "s0"][1]
    assert told["t00001", "s2"] == ("time", "a step took longer than 6 seconds")
    assert len(steps) >= 15


@pytest.mark.filterwarnings("ignore")
def test_a_node_that_is_lost_costs_nothing(cluster: Any, tmp_path: Path) -> None:
    node = added(cluster, num_cpus=1)
    (raylet,) = (one.process.pid for one in node.all_processes["raylet"])
    given = topics(2000, 2, {(number, 0): f"{NOTE}{tmp_path})" for number in range(2000)})
    taken: list[Any] = []
    left = 20

    def listed() -> Iterator[Item]:
        """As many items as it takes until the node works on them, and some more after it is lost."""
        nonlocal left
        for topic, item in zip(given, items(given), strict=True):
            if node is None:
                left -= 1
            if not left:
                return
            taken.append(topic)
            yield item

    outcomes: list[Outcome] = []
    for outcome in Ray().run(Scoring(Method.parse("given+poisoned")), listed()):
        outcomes.append(outcome)
        if node and (tmp_path / str(raylet)).exists():
            cluster.remove_node(node, allow_graceful=False)
            node = None
    assert node is None
    assert by_summary(outcomes) == undisturbed(taken)
    assert failures(outcomes) == {}


def test_items_are_taken_when_somebody_is_free(cluster: Any) -> None:
    taken: list[str] = []

    def listed() -> Iterator[Any]:
        for item in items(topics(200, 1)):
            taken.append(item.topic.id)
            yield item

    outcomes = Ray(jobs=1).run(Scoring(Method.parse("given+unigram")), listed())
    next(outcomes)
    assert len(taken) <= 4
    outcomes.close()


def test_a_part_that_is_not_installed_ends_the_run(cluster: Any) -> None:
    with pytest.raises(MissingPartError, match="the model is not here; get it"):
        list(Ray(jobs=1).run(Scoring(Method.parse("given+poisoned")), items(topics(2, 1, {(1, 0): PART}))))


def test_a_share_of_a_gpu_that_the_cluster_does_not_have(cluster: Any) -> None:
    with pytest.raises(PyramidionError, match=r"The cluster has no GPU for a worker; leave out"):
        list(Ray(gpus=0.5).run(Scoring(Method.parse("given+unigram")), items(topics(1, 1))))


def test_workers_with_a_share_of_a_gpu_are_where_it_is_and_see_it_alone(cluster: Any, tmp_path: Path) -> None:
    """The GPU is one that Ray counts, whether the machine has it or not: nothing is computed on it."""
    node = added(cluster, num_cpus=3, num_gpus=1)
    try:
        (raylet,) = (one.process.pid for one in node.all_processes["raylet"])
        given = topics(8, 1, {(number, 0): f"{NOTE}{tmp_path})" for number in range(8)})
        crew = module._Actors(module._ray(), Ray(gpus=0.5), Scoring(Method.parse("given+poisoned")))
        until(lambda: crew.size == 2, "two halves of a GPU, although there are five processors")
        outcomes = list(Ray(gpus=0.5).run(Scoring(Method.parse("given+poisoned")), items(given)))
        assert by_summary(outcomes) == undisturbed(given)
        assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {str(raylet): "0"}
    finally:
        cluster.remove_node(node)


def test_a_worker_has_one_thread_for_products(cluster: Any) -> None:
    (outcome,) = Ray(jobs=1).run(ThreadsOfProducts(), [Item(Topic("t"))])
    assert outcome.notes == (Note("[1]"),)


def test_without_ray_an_error_gives_the_pip_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(MissingPartError, match=r"pip install 'pyramidion\[ray\]'"):
        next(Ray().run(Scoring(Method.parse("given+unigram")), []))


@pytest.mark.parametrize(("address", "where"), [("", "local cluster"), ("10.0.0.1:6379", "cluster at '10.0.0.1:6379'")])
def test_a_cluster_that_does_not_start_is_an_error_that_says_why(
    address: str, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def init(**_: Any) -> None:
        raise Exception("The current node timed out during startup.\nSee the logs.")  # as Ray does

    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(is_initialized=lambda: False, init=init))
    with pytest.raises(PyramidionError, match=rf"^The {where} cannot be used \(The current node timed out") as told:
        next(Ray(address).run(Scoring(Method.parse("given+unigram")), []))
    assert "logs" not in str(told.value)


@pytest.mark.parametrize("wrong", [{"jobs": -1}, {"gpus": 1.5}, {"gpus": -0.1}, {"patience": -1.0}])
def test_settings_that_mean_nothing_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(PyramidionError, match="jobs|share of a GPU|time-out"):
        Ray(**wrong)


def test_a_worker_of_the_cluster_keeps_results_in_a_home_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYRAMIDION_CACHE", str(module.cache.user_folder()))
    monkeypatch.setenv("PYRAMIDION_THREADS", "3")
    assert "PYRAMIDION_CACHE" not in module._surroundings()
    assert module._surroundings()["PYRAMIDION_THREADS"] == "3"
    monkeypatch.setenv("PYRAMIDION_CACHE", "/shared/folder")
    assert module._surroundings()["PYRAMIDION_CACHE"] == "/shared/folder"
    monkeypatch.delenv("PYRAMIDION_CACHE")
    assert module._surroundings()["PYRAMIDION_CACHE"] == "off"


def test_the_command_gives_the_same_run_by_either_engine(
    cluster: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYRAMIDION_CACHE", str(tmp_path / "cache"))
    corpus = tmp_path / "corpus.jsonl"
    native.dump(topics(3, 2), corpus)
    printed = []
    for number, more in enumerate((["--engine", "ray", "--address", cluster.address], ["--jobs", "1"])):
        command = ["evaluate", str(corpus), "--method", "given+soft", "--out", str(tmp_path / f"run{number}"), *more]
        with pytest.raises(SystemExit) as left:
            main([*command, "--table", "scores", "--format", "csv"])
        assert left.value.code == 0
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    assert printed[0].count("\n") == 7
    assert "found in the cache: parses" in (tmp_path / "run0" / "log.txt").read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--engine", "ray"], "--engine ray keeps its results in a run"),
        (["--out", "RUN", "--address", "auto"], "add --engine ray"),
        (["--out", "RUN", "--gpus", "0.5"], "add --engine ray"),
    ],
)
def test_options_of_an_engine_that_would_do_nothing(
    options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    native.dump(topics(1, 1), tmp_path / "corpus.jsonl")
    with pytest.raises(SystemExit) as left:
        main(["evaluate", str(tmp_path / "corpus.jsonl"), *options])
    assert left.value.code == 2
    assert message in " ".join(capsys.readouterr().err.split())
