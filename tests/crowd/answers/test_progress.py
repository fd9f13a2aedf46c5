"""How far a study is."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pyramidion.crowd.answers.collect import submission_from_page
from pyramidion.crowd.answers.progress import Progress, progress
from pyramidion.crowd.answers.submission import Submission
from tests.crowd.results import page, study


def sent(page_of: str, worker: str, **more: Any) -> Submission:
    """What a worker sent in for a task, with changes."""
    return replace(submission_from_page(page(page_of, worker), study()), **more)


def test_nothing_was_sent() -> None:
    assert progress(study(), []) == [
        Progress("writing", 1, 0, 2, 2, 0, 0, 0, 0, 0),
        Progress("judging", 2, 0, 4, 4, 0, 0, 0, 0, 0),
    ]


def test_workers_are_counted_once_and_the_rejected_not() -> None:
    submissions = [
        sent("j-sys", "a"),
        sent("j-sys", "a", id="again", submitted="later"),
        sent("j-sys", "b"),
        sent("j-sys", "c"),
        sent("j-other", "a", answers="p--"),
        sent("j-other", "b", status="rejected"),
        sent("j-other", "d", task=""),
        sent("w1", "e"),
        sent("w1", "f", written=("One.",)),
    ]
    writing, judging = progress(study(), submissions)
    assert writing == Progress("writing", 1, 1, 2, 0, 1, 0, 0, 0, 0)
    assert judging == Progress("judging", 2, 1, 4, 1, partial=1, rejected=1, repeated=1, surplus=1, without_task=1)


def test_workers_without_a_name_count_each() -> None:
    assert progress(study(), [sent("w1", "", id=id) for id in "ab"])[0].complete == 1
