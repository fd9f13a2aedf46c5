"""``crowd collect``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pyramidion.crowd.answers.store import Store
from pyramidion.crowd.study import dump
from tests.cli.conftest import Run
from tests.crowd.results import judging, page, study, table, writing


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    dump(study(), tmp_path / "s")
    return tmp_path / "s"


def results(folder: Path, *rows: dict[str, str], name: str = "r.csv") -> Path:
    path = folder.parent / name
    path.write_text(table(*rows))
    return path


def test_a_file_is_collected_and_the_progress_told(run: Run, folder: Path) -> None:
    path = results(folder, judging("W1", "p-n"), judging("W2", "ppp", AssignmentStatus="Rejected"))
    found = run("crowd", "collect", folder, path, "--json").json
    assert found["files"] == [
        {
            "file": str(path),
            "format": "mturk",
            "rows": 2,
            "new": 2,
            "known": 0,
            "conflicting": 0,
            "rejected": 1,
            "partial": 1,
            "late": 0,
            "unknown": 0,
            "problems": [],
        }
    ]
    judged = next(one for one in found["progress"] if one["phase"] == "judging")
    assert (judged["tasks"], judged["complete"], judged["wanted"], judged["missing"]) == (2, 0, 4, 3)
    assert run("crowd", "collect", folder, path, "--json").json["files"][0]["known"] == 2
    assert len(Store(folder).submissions()) == 2


def test_what_a_person_reads(run: Run, folder: Path) -> None:
    first = run("crowd", "collect", folder, results(folder, writing("W1", "One.", "Two.", "Three.")))
    assert first.status == 0, first.err
    assert "Still to come: 1 submission of writing tasks, 4 submissions of judging tasks." in first.out
    run("crowd", "collect", folder, results(folder, writing("W2", "One.")))
    rows = [judging(worker, "ppp", system) for worker in ("W1", "W2") for system in ("sys", "other")]
    last = run("crowd", "collect", folder, results(folder, *rows))
    assert "Every task has its workers." in last.out


def test_other_answers_of_a_known_id_are_told(run: Run, folder: Path) -> None:
    run("crowd", "collect", folder, results(folder, judging("W1", "ppp")))
    found = run("crowd", "collect", folder, results(folder, judging("W1", "nnn"))).out
    assert "what was there stands; the first: 'a-W1-sys'" in " ".join(found.split())


def test_a_rehearsal_of_collecting_stores_nothing(run: Run, folder: Path) -> None:
    found = run("crowd", "collect", folder, results(folder, judging("W1", "ppp")), "--dry-run", "--json").json
    assert (found["files"][0]["new"], found["progress"][1]["missing"]) == (1, 3)
    assert not (folder / "answers.sqlite").exists()


def test_if_one_file_is_wrong_nothing_is_stored(run: Run, folder: Path) -> None:
    good, bad = results(folder, judging("W1", "ppp")), results(folder, judging("W1", "pxp"), name="bad.csv")
    found = run("crowd", "collect", folder, good, bad)
    assert found.status == 1
    assert "bad.csv:2: The answer to statement '8' is 'x'" in found.err
    assert not (folder / "answers.sqlite").exists()


def test_strays_stop_or_are_counted(run: Run, folder: Path) -> None:
    path = results(folder, judging("W1", "ppp"), judging("W2", "ppp", **{"Input.eventId": "d9"}))
    stopped = run("crowd", "collect", folder, path)
    assert (stopped.status, "skip unknown answers" in stopped.err) == (1, True)
    found = run("crowd", "collect", folder, path, "--skip-unknown", "--until", "2018-11-13", "--json").json["files"][0]
    assert (found["rows"], found["new"], found["unknown"]) == (2, 1, 1)


def test_pages_and_prolific_together_from_a_folder(run: Run, folder: Path) -> None:
    inside = folder.parent / "in"
    inside.mkdir()
    (inside / "a.jsonl").write_text("\n".join(json.dumps(page(worker=name)) for name in ("W1", "W2")) + "\n")
    (inside / "export.csv").write_text("Submission id,Status\ns-W1,REJECTED\ns-W9,APPROVED\n")
    found = run("crowd", "collect", folder, inside, "--json").json
    assert [(one["format"], one["new"]) for one in found["files"]] == [("page", 2), ("prolific", 0)]
    assert found["files"][1]["problems"] == ["1 of which there are no answers so far"]
    assert [one.status for one in Store(folder).submissions()] == ["rejected", ""]


def test_csv_has_one_table(run: Run, folder: Path) -> None:
    found = run("crowd", "collect", folder, results(folder, judging("W1", "ppp")), "--format", "csv").out
    assert found.splitlines()[0].startswith("file,format,rows,new,known")
    assert len(found.splitlines()) == 2


@pytest.mark.parametrize("arguments", [["none", "r.csv"], ["s", "none.csv"], ["s", "r.csv", "--until", "soon"]])
def test_what_is_not_there_is_said_in_one_line(run: Run, folder: Path, arguments: list[str]) -> None:
    results(folder, judging("W1", "ppp"))
    named = [str(folder.parent / one) if not one.startswith("-") and one != "soon" else one for one in arguments]
    found = run("crowd", "collect", *named)
    assert found.status == 1
    assert len(found.err.strip().splitlines()) == 1
