"""A run keeps what an evaluation in memory has, goes on where it stopped, and refuses to become another run."""

from __future__ import annotations

import errno
import os
import signal
import sqlite3
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec.structs import replace as replace_struct

from pyramidion.errors import FormatError, PyramidionError
from pyramidion.evaluation.engines.processes import Processes
from pyramidion.evaluation.engines.serial import Serial
from pyramidion.evaluation.evaluate import evaluate
from pyramidion.evaluation.from_run import evaluation_of
from pyramidion.evaluation.lock import is_locked, lock_run
from pyramidion.evaluation.record import Record, changes, digests, record_of
from pyramidion.evaluation.run import drive_run, open_run
from pyramidion.evaluation.run_folders import compare_runs, list_runs, show_run
from pyramidion.evaluation.store import FILE, Store
from pyramidion.evaluation.work import Failure, Scoring
from pyramidion.evaluation.worklist import items
from pyramidion.examples import example
from pyramidion.methods import Method
from pyramidion.model import Topic, Unread
from pyramidion.scoring import LIKE, Settings
from tests.evaluation.poison import DIE, FAIL, topics
from tests.processes import PATIENCE, ROOT, running

WORDS = Scoring(Method.parse("given+unigram"))


def record(work: Scoring = WORDS, **inputs: str) -> Record:
    return record_of(work, inputs, {})


def finished(folder: Path, given: list[Topic], work: Scoring = WORDS) -> Path:
    with drive_run(folder, record(work)) as driver:
        assert driver.go(work, given, Serial())
    return folder


@pytest.mark.parametrize("leave_one_out", [False, True])
@pytest.mark.parametrize("method", ["given+unigram", "manual"])
def test_a_run_has_what_an_evaluation_in_memory_has(tmp_path: Path, method: str, leave_one_out: bool) -> None:
    given = [replace(topic, reading=(("markup", "off"),), unread=(Unread("Ben", "empty"),)) for topic in example()]
    work = Scoring(Method.parse(method), leave_one_out=leave_one_out)
    in_memory = evaluate(given, method, leave_one_out=leave_one_out)
    with open_run(finished(tmp_path / "run", given, work)) as run:
        assert evaluation_of(run) == in_memory
        shown = show_run(run, scores=True)
    assert shown.systems == in_memory.systems
    assert shown.signature == in_memory.signature
    rows = {(row["topic"], row["summary"]): row for row in shown.rows("scores")}
    for one in in_memory.results:
        row = rows[one.scores.topic, one.scores.summary]
        assert (row["coverage"], row["percent"], row["scus"]) == (one.scores.coverage, one.percent, one.scores.scus)


def test_scores_with_other_settings_are_those_of_an_evaluation_with_them(tmp_path: Path) -> None:
    old = finished(tmp_path / "old", example())
    work = replace(WORDS, settings=LIKE["ducview"])
    direct = evaluate(example(), "given+unigram", LIKE["ducview"])
    with open_run(old) as source:
        with drive_run(tmp_path / "new", record_of(work, {}, {}, rescored="old")) as driver:
            assert driver.take(source, work)
        assert evaluation_of(source, LIKE["ducview"]) == direct
    with open_run(old) as first, open_run(tmp_path / "new") as second:
        assert evaluation_of(second) == direct
        comparison = compare_runs(first, second)
        before = {(one.scores.topic, one.scores.summary): one.scores.coverage for one in evaluation_of(first).results}
    after = {(one.scores.topic, one.scores.summary): one.scores.coverage for one in direct.results}
    differences = [abs(one.difference or 0.0) for one in comparison.moved]
    assert {(one.topic, one.summary) for one in comparison.moved} == {
        key for key in before if before[key] != after[key]
    }
    assert all(
        (one.first, one.second) == (before[one.topic, one.summary], after[one.topic, one.summary])
        for one in comparison.moved
    )
    assert differences == sorted(differences, reverse=True)
    assert comparison.same + len(comparison.moved) == len(before)
    assert "the setting average was exact and is floor" in comparison.reasons


def test_runs_of_different_summaries_are_compared_where_both_have_one(tmp_path: Path) -> None:
    given = topics(3, 3)
    less = [given[0], replace(given[1], peers=given[1].peers[1:])]
    with open_run(finished(tmp_path / "a", given)) as first, open_run(finished(tmp_path / "b", less)) as second:
        there, back = compare_runs(first, second), compare_runs(second, first)
    assert (there.same, there.moved, there.only_first, there.only_second) == (5, (), 4, 0)
    assert (back.same, back.only_first, back.only_second) == (5, 0, 4)
    assert "0 summaries moved, 5 did not.\n4 summaries only in a.\n" in str(there)
    assert "difference" not in str(there)  # there is no table where nothing moved
    assert there.reasons == ()


def test_what_is_done_is_not_done_again(tmp_path: Path) -> None:
    given, asked = topics(6, 2), []
    folder = tmp_path / "run"

    class Asking(Serial):
        def run(self, work, items, tick=None):  # type: ignore[no-untyped-def]
            def listed() -> Iterator[object]:
                for item in items:
                    asked.extend((item.topic.id, peer.id) for peer in item.peers)
                    yield item

            return super().run(work, listed(), lambda step: None)

    def stopping() -> Iterator[Topic]:
        yield from given[:3]
        driver._stopped = True  # as a first interrupt does
        yield given[3]

    with drive_run(folder, record()) as driver:
        assert not driver.go(WORDS, stopping(), Asking())
    with open_run(folder) as run:
        assert (run.status, run.store.counts().summaries) == ("unfinished", 6)
    more = replace(given[2], peers=(*given[2].peers, replace(given[2].peers[0], id="late")))
    with drive_run(folder, record(), resume=True) as driver:
        assert driver.go(WORDS, given, Asking())
    assert sorted(asked) == sorted((topic.id, peer.id) for topic in given for peer in topic.peers)
    with open_run(folder) as run:
        assert run.status == "finished"
        assert evaluation_of(run) == evaluate(given, "given+unigram")
    with (
        drive_run(folder, record(), resume=True) as driver,
        pytest.raises(PyramidionError, match="The topic 't00002' has changed since the run began"),
    ):
        driver.go(WORDS, [more], Serial())


def test_failures_are_kept_and_tried_again_when_the_run_is_resumed(tmp_path: Path, poison: str) -> None:
    given = topics(3, 3, {(0, 1): DIE, (2, 0): FAIL})
    work, folder = Scoring(Method.parse(poison)), tmp_path / "run"
    for resume in (False, True):
        with drive_run(folder, record(work), resume=resume) as driver:
            assert driver.go(work, given, Processes(1))
        with open_run(folder) as run:
            shown = show_run(run)
        assert [(one.topic, one.summary, one.kind) for one in shown.failures] == [
            ("t00000", "s1", "crash"),
            ("t00002", "s0", "error"),
        ]
        assert (shown.counts.summaries, shown.counts.failed, shown.exit_status) == (7, 2, 1)
        assert "Summaries that could not be scored" in str(shown)
    assert (folder / "log.txt").read_text().count("ZeroDivisionError: no way to read s0 (poison.py:") == 2


def test_a_folder_has_one_driver_at_a_time(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with drive_run(folder, record()):
        assert is_locked(folder)
        with (
            pytest.raises(PyramidionError, match=r"Another process \(\d+\) works on this run"),
            drive_run(folder, record()),
        ):
            pass
    assert not is_locked(folder)


def test_a_run_is_begun_in_a_new_folder_or_resumed(tmp_path: Path) -> None:
    folder = finished(tmp_path / "run", topics(1, 1))
    with pytest.raises(PyramidionError, match="already holds a run; resume it"), drive_run(folder, record()):
        pass
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("x")
    with pytest.raises(PyramidionError, match="not empty, and holds no run"), drive_run(tmp_path / "mine", record()):
        pass
    with pytest.raises(FormatError, match="This folder holds no run"), open_run(tmp_path / "mine"):
        pass


def test_a_start_that_was_killed_leaves_nothing_in_the_way(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; from pathlib import Path; from pyramidion.evaluation.run import drive_run; "
        "from tests.evaluation.test_run import record\n"
        "os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
        "with drive_run(Path(sys.argv[1]), record()): pass"
    )
    with running(["-c", code, tmp_path / "run"], env=os.environ | {"PYTHONPATH": str(ROOT)}) as (child,):
        child.communicate(timeout=PATIENCE)
        assert child.returncode == -signal.SIGKILL
    assert sorted(entry.suffix for entry in (tmp_path / "run").iterdir()) == ["", ".part"]
    finished(tmp_path / "run", topics(1, 1))
    assert sorted(entry.name for entry in (tmp_path / "run").iterdir()) == [
        "lock", "log.txt", "results.sqlite", "run.json"
    ]  # fmt: skip


def test_a_run_that_has_become_another_is_refused_with_what_changed(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    with drive_run(folder, record(corpus="1", gone="2")):
        pass
    other = replace(WORDS, settings=Settings("floor"), method=Method.parse("given+soft"))
    with pytest.raises(PyramidionError) as refused, drive_run(folder, record(other, corpus="3", new="4"), resume=True):
        pass
    for part in (
        "the method was 'given+unigram' and is 'given+soft'",
        "the setting average was exact and is floor",
        "the input 'corpus' has changed",
        "the input 'gone' is gone",
        "the input 'new' is new",
    ):
        assert part in str(refused.value)
    assert changes(record(), record()) == []


def test_a_run_is_not_resumed_by_other_code_of_the_same_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = record()
    assert before == replace_struct(record(), created=before.created)
    monkeypatch.setattr("pyramidion.evaluation.record.source", lambda: "0000")
    (told,) = changes(before, record())
    assert told == f"the version of source files was {before.versions['source files']} and is 0000"


def test_two_inputs_of_one_name_are_both_watched(tmp_path: Path) -> None:
    paths = [tmp_path / "first" / "data.csv", tmp_path / "second" / "data.csv"]
    for path in paths:
        path.parent.mkdir()
        path.write_text("a")
    before = digests(paths)
    assert digests([*paths, paths[0]]) == before  # an input that is named twice is one
    for path in paths:
        path.write_text("b")
        assert digests(paths) != before
        path.write_text("a")


def test_a_line_that_moves_to_the_next_file_of_a_topic_is_a_change(tmp_path: Path) -> None:
    topic = tmp_path / "corpus" / "t"
    topic.mkdir(parents=True)
    (topic / "a").write_bytes(b"xb\0y")
    before = digests([tmp_path / "corpus"])
    (topic / "a").write_bytes(b"x")
    (topic / "b").write_bytes(b"y")
    assert digests([tmp_path / "corpus"]) != before


def test_whoever_only_looks_does_not_keep_a_driver_out(tmp_path: Path) -> None:
    fcntl = pytest.importorskip("fcntl")
    (tmp_path / "lock").touch()
    with (tmp_path / "lock").open("r+b") as looking:
        fcntl.flock(looking, fcntl.LOCK_EX)
        glance = threading.Timer(0.1, fcntl.flock, (looking, fcntl.LOCK_UN))
        glance.start()
        try:
            with lock_run(tmp_path):
                assert is_locked(tmp_path)
        finally:
            glance.join()


def test_a_disk_without_locks_is_not_somebody_at_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fcntl = pytest.importorskip("fcntl")

    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(PyramidionError, match="No locks available"), lock_run(tmp_path):
        raise AssertionError


def test_windows_locks_the_same_byte_for_everybody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    places = []
    locking = SimpleNamespace(LK_NBLCK=2, locking=lambda file, *_: places.append(os.lseek(file, 0, os.SEEK_CUR)))
    monkeypatch.setitem(sys.modules, "msvcrt", locking)
    monkeypatch.setattr("pyramidion.evaluation.lock.os", SimpleNamespace(name="nt", getpid=os.getpid))
    for _ in range(2):  # the second driver finds what the first wrote
        with lock_run(tmp_path):
            pass
    assert places == [0, 0]


def test_a_folder_s_digests_say_which_of_its_topics_changed(tmp_path: Path) -> None:
    for name in ("a/peers", "b/peers"):
        (tmp_path / "corpus" / name).mkdir(parents=True)
        (tmp_path / "corpus" / name / "1.txt").write_text("x")
    before = digests([tmp_path / "corpus"])
    (tmp_path / "corpus/b/peers/1.txt").rename(tmp_path / "corpus/b/peers/2.txt")
    after = digests([tmp_path / "corpus"])
    assert before.keys() == {"corpus/a", "corpus/b"}
    assert before["corpus/a"] == after["corpus/a"]
    assert before["corpus/b"] != after["corpus/b"]
    (tmp_path / "one.jsonl").write_text("{}")
    assert digests([tmp_path / "one.jsonl"]).keys() == {"one.jsonl"}


def test_an_item_that_cannot_be_kept_leaves_nothing_of_it(tmp_path: Path) -> None:
    (first, second) = WORDS.each(items(topics(2, 2)))
    failure = Failure("t00001", "s1", "error", object())  # type: ignore[arg-type]
    with Store(tmp_path, writing=True) as store:
        store.add(first)
        with pytest.raises(PyramidionError):
            store.add(replace(second, failures=(failure,)))
        assert store.scored_summaries("t00000") == {"s0", "s1"}
        assert store.scored_summaries("t00001") == set()
    with Store(tmp_path) as store:
        assert store.counts().summaries == 2


def test_what_is_no_store_or_a_damaged_one_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(PyramidionError, match="results of this run are missing"):
        Store(tmp_path)
    (tmp_path / FILE).write_bytes(b"not a database, but longer than a header of one" * 50)
    with pytest.raises(PyramidionError, match="The store is damaged"):
        Store(tmp_path, writing=True)
    (tmp_path / FILE).unlink()
    sqlite3.connect(tmp_path / FILE).execute("create table other (x)").connection.close()
    with pytest.raises(PyramidionError, match="a database of another program .*, not the results of a run"):
        Store(tmp_path, writing=True)


def test_a_damaged_page_is_found_before_a_run_goes_on(tmp_path: Path) -> None:
    folder = finished(tmp_path / "run", topics(60, 5))
    data = bytearray((folder / FILE).read_bytes())
    data[-8192:] = b"\xff" * 8192
    (folder / FILE).write_bytes(data)
    with pytest.raises(PyramidionError, match="The store is damaged"), drive_run(folder, record(), resume=True):
        pass


def test_runs_are_listed_with_how_far_they_are(tmp_path: Path) -> None:
    with open_run(finished(tmp_path / "a", topics(2, 2))) as run:
        (row,) = list_runs([run]).rows()
    assert (row["run"], row["status"], row["scored"], row["failed"]) == ("a", "finished", 4, 0)
