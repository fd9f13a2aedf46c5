"""Answers as a table of results: what is read back says the same, whatever texts, names and ids hold."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from pathlib import Path

import pytest

from pyramidion.base.csv import RUN
from pyramidion.crowd.answers.collect import read
from pyramidion.crowd.answers.page_answers import submission_from_page
from pyramidion.crowd.answers.results import results
from pyramidion.crowd.answers.submission import Submission
from pyramidion.crowd.page.task import slots
from pyramidion.crowd.study import Phase, Study
from tests.crowd.hostile import small

STUDY = small(workers=2)
LETTERS = "pn?-"


def answered(study: Study, phase: Phase, worker: str) -> list[Submission]:
    """Every task of a phase, done by a worker."""
    made = []
    for number, task in enumerate(study.of_phase(phase)):
        asked = slots(study, task)
        record = {"pyramidion": "submission-1", "study": study.name, "task": task.id, "phase": phase, "worker": worker}
        record |= {"session": f"=1+{number}", "submitted": "2024-05-01T10:04:00Z", "seconds": 12.5}
        letters = [LETTERS[(number + place) % 4].strip("-") for place in range(len(asked))]
        record["answers"] = {one.statement: said for one, said in zip(asked, letters, strict=True) if one.statement}
        record["checks"] = {one.check: "n" for one in asked if one.check}
        record["written"] = [f'={place} is, "so"\nto speak' for place in range(3)] if phase == "writing" else []
        made.append(submission_from_page(record, study))
    return made


@pytest.mark.parametrize("phase", ["writing", "judging"])
@pytest.mark.parametrize("worker", ["anna", "=cmd|' /C calc'!A0", '-ben, "jr"'])
def test_what_is_read_back_is_what_was_answered(tmp_path: Path, phase: Phase, worker: str) -> None:
    sent = answered(STUDY, phase, worker)
    file = tmp_path / "results.csv"
    file.write_bytes(results(STUDY, phase, sent))
    back = read(file, STUDY).submissions
    assert back == sent
    cells = [cell for row in csv.reader(io.StringIO(file.read_text("utf-8"), newline="")) for cell in row]
    assert [cell for cell in cells if cell[:1] in RUN] == []


def test_the_other_phase_and_unknown_tasks_are_left_out(tmp_path: Path) -> None:
    sent = answered(STUDY, "judging", "anna")
    table = results(STUDY, "judging", [*answered(STUDY, "writing", "ben"), replace(sent[0], task="j-0"), sent[1]])
    assert len(table.decode().split("anna")) == 2
