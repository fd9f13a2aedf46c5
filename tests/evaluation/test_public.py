"""``pm.run``, ``pm.rescore`` and ``pm.read_run``: all that the command does with runs, from Python."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

import pyramidion as pm
from pyramidion.evaluation.engines.serial import Serial
from pyramidion.evaluation.work import Outcome
from pyramidion.formats import native
from tests.evaluation.poison import DIE, topics
from tests.evaluation.test_stream import METHOD, ROWS

WORDS = "given+unigram"
FLOOR = pm.Settings(average="floor")


def test_a_run_has_what_an_evaluation_has_and_hands_it_over_as_one_likes(tmp_path: Path) -> None:
    given = topics(3, 2)
    expected = pm.evaluate(given, WORDS)
    seen: list[tuple[int, int]] = []
    result = pm.run(given, tmp_path / "run", WORDS, progress=lambda done, of: seen.append((done, of)))
    assert seen == [(done, 6) for done in range(7)]
    assert (result.status, result.name, result.failures) == ("finished", "run", ())
    assert result.systems == expected.systems
    assert result.evaluation() == expected
    assert list(result.stream()) == list(expected.results)
    assert result.export(tmp_path / "scores.csv") == 6
    assert pm.read_run(tmp_path / "run") == result
    assert result.evaluation(FLOOR) == pm.evaluate(given, WORDS, FLOOR)


def test_tables_go_in_and_come_out(tmp_path: Path) -> None:
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    expected = {(row["topic"], row["summary"]): row["coverage"] for row in pm.evaluate(ROWS, METHOD).rows("full")}
    tables = {"rows": ROWS, "frame": pandas.DataFrame(ROWS), "arrow": pyarrow.Table.from_pylist(ROWS)}
    for name, table in tables.items():
        result = pm.run(table, tmp_path / name, METHOD, engine=Serial())
        frame = result.to_frame("scores")
        assert dict(zip(zip(frame["topic"], frame["summary"], strict=True), frame["coverage"], strict=True)) == expected
        for arrow in (result.to_arrow("scores"), pyarrow.table(result)):
            assert arrow.to_pylist() == frame.astype(object).where(frame.notna(), None).to_dict(orient="records")
            assert arrow.schema.metadata[b"signature"].decode() == str(result.signature)
        assert result.to_arrow("systems").to_pylist() == result.rows("systems")


def test_an_arrow_stream_of_a_run_comes_a_part_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    monkeypatch.setattr("pyramidion.evaluation.export.BATCH", 4)
    result = pm.run(topics(5, 2), tmp_path / "run", WORDS, engine=Serial())
    reader = pyarrow.RecordBatchReader.from_stream(result)
    assert [len(batch) for batch in reader] == [4, 4, 2]


def test_an_interrupt_keeps_what_is_finished_and_the_run_goes_on(tmp_path: Path) -> None:
    given = topics(6, 2)

    def interrupting(done: int, of: int) -> None:
        if done == 5:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt, match=r"of 12 summaries are scored and kept in .*resume=True"):
        pm.run(given, tmp_path / "run", WORDS, engine=Serial(), progress=interrupting)
    stopped = pm.read_run(tmp_path / "run")
    assert stopped.status == "unfinished"
    assert 5 <= stopped.counts.summaries < 12
    again: list[int] = []
    result = pm.run(
        given, tmp_path / "run", WORDS, engine=Serial(), resume=True, progress=lambda done, of: again.append(done)
    )
    assert again == list(range(stopped.counts.summaries, 13))
    assert result.evaluation() == pm.evaluate(given, WORDS)


def test_a_table_that_changed_is_refused_with_the_topic(tmp_path: Path) -> None:
    pm.run(ROWS, tmp_path / "run", METHOD, engine=Serial())
    changed = [*ROWS[:3], {**ROWS[3], "prediction": "It snowed."}]
    with pytest.raises(pm.PyramidionError, match="the input 'topics/b' has changed"):
        pm.run(changed, tmp_path / "run", METHOD, engine=Serial(), resume=True)
    with pytest.raises(pm.PyramidionError, match="the input 'topics/b' is gone"):
        pm.run(ROWS[:2], tmp_path / "run", METHOD, engine=Serial(), resume=True)


def test_what_cannot_be_scored_is_carried_into_a_run_with_other_settings(tmp_path: Path, poison: str) -> None:
    given = topics(2, 3, {(1, 2): DIE})
    old = pm.run(given, tmp_path / "old", poison)
    assert [(one.topic, one.summary, one.kind) for one in old.failures] == [("t00001", "s2", "crash")]
    for resume in (False, True):  # a second time changes nothing
        new = pm.rescore(tmp_path / "old", tmp_path / "new", FLOOR, resume=resume)
        assert (new.failures, new.counts, new.exit_status) == (old.failures, old.counts, 1)
    in_memory = old.evaluation(FLOOR)
    assert (in_memory, in_memory.failures, in_memory.exit_status) == (new.evaluation(), old.failures, 1)
    assert "Not scored: topic 't00001', summary 's2': the worker was ended" in str(in_memory)
    assert [row["summary"] for row in in_memory.to_json()["failed"]] == ["s2"]


def test_human_annotations_that_a_method_ignores_are_told(tmp_path: Path) -> None:
    class Nothing(Serial):
        def run(self, work: Any, items: Any, tick: Any = None) -> Any:
            yield from (Outcome(item.key, None) for item in items)

    with pytest.warns(pm.InputWarning, match="ignores; the method 'manual' scores them"):
        pm.run(pm.example(), tmp_path / "run", engine=Nothing())


def test_a_run_inside_its_corpus_and_a_corpus_without_summaries_are_refused(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    native.dump(topics(1, 1), tmp_path / "corpus" / "topics.jsonl")
    with pytest.raises(pm.PyramidionError, match="This path is inside the input"):
        pm.run(tmp_path / "corpus", tmp_path / "corpus" / "run", WORDS)
    with pytest.raises(pm.FormatError, match="There is no summary to score"):
        pm.run(topics(1, 0), tmp_path / "run", WORDS)
    assert not (tmp_path / "run").exists()
