"""Crowd studies in the studio: made of a project, done by whoever has the link, seen and taken home by the owner."""

from __future__ import annotations

import csv
import io
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

import pyramidion as pm
from pyramidion.cli import main
from pyramidion.crowd.answers.page_answers import submission_from_page
from pyramidion.crowd.answers.submission import Submission
from pyramidion.model import Summary
from pyramidion.studio.crowd_answers import StudyAnswers
from pyramidion.studio.log.pyramid_edits import AddTexts
from pyramidion.studio.log.store import ConflictError, topics_of
from pyramidion.studio.workspace import Workspace
from tests.studio.crowd_desk import FACTS, Worker, current, dam, made_by_form, make_study
from tests.studio.desk import Visitor, opened

ANYWHERE = pytest.mark.usefixtures("database")
"""For tests that run on every database; the others say nothing of one."""


@pytest.fixture
def workspace(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Workspace]:
    anywhere = "database" in request.fixturenames
    made = opened(tmp_path / "workspace", request.getfixturevalue("database") if anywhere else "")
    yield made
    made.close()


@pytest.fixture
def project(workspace: Workspace) -> str:
    return workspace.add_project("Class", [dam()])


@pytest.fixture
def owner(workspace: Workspace) -> Visitor:
    return Visitor(workspace)


def scores_of(rows: str) -> dict[str, float]:
    return {row["system"]: float(row["score"]) for row in csv.DictReader(io.StringIO(rows))}


def command(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    said = capsys.readouterr()
    assert ended.value.code == 0, said.err
    return said.out


@ANYWHERE
def test_from_scus_to_scores_that_the_command_line_repeats(
    workspace: Workspace, project: str, owner: Visitor, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    offer = make_study(owner, project)
    assert [len(task.statements) for task in current(workspace, offer).study.tasks] == [2, 2, 2, 2]
    before = owner.get(f"/studies/{offer.id}").text
    assert "0 of 12 answers are in; 0 of 4 tasks are complete." in before
    assert "Different people that are needed: 3 or more." in before
    for name in ("Anna", "Ben", "Cleo"):
        assert Worker(workspace, offer, name).work() == 4
    page = owner.get(f"/studies/{offer.id}").text
    assert "12 of 12 answers are in; 4 of 4 tasks are complete." in page
    assert "$5.40 so far, $5.40 in all" in page  # 12 times 45 cents, without a fee
    assert "No worker was left out (of 3 with a name)." in page
    assert page.count(">Anna<") == 1
    export = f"/studies/{offer.id}/export/"
    found = scores_of(owner.get(f"{export}systems").text)
    assert found == {"sys1": 0.25, "sys2": 0.5}
    # the study's folder, and the table of answers alone, say the same to the command line
    with zipfile.ZipFile(io.BytesIO(owner.get(f"{export}zip").content)) as archive:
        archive.extractall(tmp_path)
    (tmp_path / "answers.csv").write_bytes(owner.get(f"{export}answers").content)
    for source in ("study", "answers.csv"):
        told = command(capsys, "crowd", "score", str(tmp_path / source), "--format", "csv")
        assert scores_of(told) == found
    (tmp_path / "crowd.jsonl").write_bytes(owner.get(f"{export}topics").content)
    (topic,) = pm.read(tmp_path / "crowd.jsonl")
    assert {one.summary.id: len(one.matches) for one in topic.annotations} == {"sys1": 1, "sys2": 2}
    assert FACTS[0] in owner.get(f"/studies/{offer.id}/report").text
    assert owner.get(f"{export}workers").text.count("\n") == 4
    assert owner.get(f"{export}nothing").status_code == 422


def test_votes_are_counted_by_statement_and_who_disagrees_is_left_out(
    workspace: Workspace, project: str, owner: Visitor
) -> None:
    offer = make_study(owner, project, workers=4, per_task=4)
    for name in ("Anna", "Ben", "Cleo"):
        Worker(workspace, offer, name).work()
    now = current(workspace, offer)
    for task in now.study.tasks:  # one who answers the opposite of what is so
        worker = Worker(workspace, offer, "Zed")
        record = worker.record(worker.page().text)
        record["answers"] = {id: "np"[letter == "n"] for id, letter in record["answers"].items()}
        assert worker.send(record).status_code == 200, task
    page = owner.get(f"/studies/{offer.id}").text
    assert "Left out for their agreement: Zed (0.00), of 4 workers, in 1 round." in page
    row = page.partition(FACTS[1])[2].partition("</tr>")[0]  # said by one of two summaries, by three of four people
    assert [cell.partition("<")[0] for cell in row.split('class="number">')[1:]] == ["4", "4", "0", "8 of 8"]
    assert scores_of(owner.get(f"/studies/{offer.id}/export/systems").text) == {"sys1": 0.25, "sys2": 0.5}


def test_workers_see_what_crowd_serve_shows_below_the_studys_own_address(
    workspace: Workspace, project: str, owner: Visitor
) -> None:
    offer = make_study(owner, project, workers=1, per_task=4)
    worker = Worker(workspace, offer, "Anna")
    assert f'action="/crowd/{offer.link}/task"' in worker.browser.get(worker.at + "/").text
    assert worker.browser.get(f"{worker.at}/?worker=Anna").headers["location"] == f"{worker.at}/task?worker=Anna"
    page = worker.page()
    assert "set-cookie" not in page.headers
    assert "script-src 'sha256-" in page.headers["content-security-policy"]
    assert worker.page().text == page.text  # a reload brings the same task
    record = worker.record(page.text)
    reply = worker.send(record)
    assert (reply.status_code, reply.json()) == (200, {"ok": True, "next": f"{worker.at}/task?worker=Anna"})
    assert worker.send(record).status_code == 200  # the same again: perhaps the reply was lost
    other = record | {"answers": dict.fromkeys(record["answers"], "?")}
    assert worker.send(other).status_code == 409  # the first answers stand
    assert worker.send(record | {"worker": "Ben"}).status_code == 403  # a ticket is of one worker
    assert worker.send({key: value for key, value in record.items() if key != "ticket"}).status_code == 403
    assert worker.send(record | {"answers": {}}).status_code == 400
    assert worker.send(record, Origin="http://evil.example").status_code == 403
    assert worker.work() == 1
    assert worker.page().headers["location"] == f"{worker.at}/done?worker=Anna"
    assert "Your answers have arrived" in worker.browser.get(f"{worker.at}/done?worker=Anna").text
    assert len(current(workspace, offer).answers.submissions()) == 2


@ANYWHERE
def test_two_workers_with_one_session_both_count_and_codes_are_shown_to_those_who_answered(
    workspace: Workspace, project: str, owner: Visitor
) -> None:
    code = "https://app.prolific.com/submissions/complete?cc=C0DE"
    offer = make_study(owner, project, workers=2, per_task=4, completion=code)
    assert "PROLIFIC_PID={{%PROLIFIC_PID%}}" in owner.get(f"/studies/{offer.id}").text
    for name in ("Anna", "Ben"):
        worker = Worker(workspace, offer, name)
        assert "C0DE" not in worker.browser.get(f"{worker.at}/done?worker={name}").text
        record = worker.record(worker.page().text) | {"session": "one\0session"}
        assert worker.send(record).status_code == 200
        assert worker.page().status_code == 303  # one task each
        assert "Completion code: C0DE" in worker.browser.get(f"{worker.at}/done?worker={name}").text
    kept = current(workspace, offer).answers
    assert len({(one.id, one.task) for one in kept.submissions()}) == 2
    assert {one.worker for one in kept.submissions("judging")} == {"Anna", "Ben"}


@ANYWHERE
@pytest.mark.parametrize("first", ["Anna", "Ben"])
def test_of_two_studios_on_one_database_one_waits_for_the_other(
    workspace: Workspace, project: str, owner: Visitor, monkeypatch: pytest.MonkeyPatch, first: str
) -> None:
    """Between looking and keeping, the other studio keeps the same answers, or another's with the same session."""
    offer = make_study(owner, project, workers=2, per_task=4)
    worker = Worker(workspace, offer, "Anna")
    record = worker.record(worker.page().text)
    here, row = current(workspace, offer), StudyAnswers._row
    there = StudyAnswers(workspace.engine, offer.id, here.study, here.answers.secret().hex())
    coming = [submission_from_page(record | {"worker": first}, here.study)]

    def meanwhile(self: StudyAnswers, submission: Submission) -> dict[str, str]:
        while coming:
            assert there.add_first(coming.pop(), "") == "new"
        return row(self, submission)

    monkeypatch.setattr(StudyAnswers, "_row", meanwhile)
    assert worker.send(record).status_code == 200
    assert {one.worker for one in here.answers.submissions()} == {"Anna", first}
    assert here.answers.mark() == len({"Anna", first})


@ANYWHERE
def test_a_closed_study_gives_out_nothing_and_takes_what_it_gave_out(
    workspace: Workspace, project: str, owner: Visitor
) -> None:
    offer = make_study(owner, project)
    early, late = Worker(workspace, offer, "Early"), Worker(workspace, offer, "Late")
    record = early.record(early.page().text)
    assert owner.post(f"/studies/{offer.id}/offer", {"wish": "close"}).status_code == 303
    assert "There is no task for you" in late.page().text
    assert "There is no task for you" in late.browser.get(late.at + "/").text
    assert early.send(record).status_code == 200
    assert "closed" in owner.get(f"/projects/{project}/crowd").text
    owner.post(f"/studies/{offer.id}/offer", {"wish": "open"})
    assert late.work(most=1) == 1
    assert owner.post(f"/studies/{offer.id}/offer", {"wish": "remove"}).status_code == 409  # it has answers
    owner.post(f"/studies/{offer.id}/offer", {"wish": "link"})
    assert late.page().status_code == 404
    renewed = workspace.crowd.get(offer.id)
    assert renewed
    assert Worker(workspace, renewed, "Late").work(most=1) == 1
    assert owner.post(f"/studies/{offer.id}/offer", {"wish": "sell"}).status_code == 422


@ANYWHERE
def test_a_study_without_answers_can_be_deleted(workspace: Workspace, project: str, owner: Visitor) -> None:
    offer = make_study(owner, project)
    assert owner.post(f"/studies/{offer.id}/offer", {"wish": "remove"}).status_code == 303
    assert owner.get(f"/studies/{offer.id}").status_code == 404
    assert workspace.crowd.of(project) == []


def test_people_write_then_statements_are_chosen_then_people_judge(
    workspace: Workspace, project: str, owner: Visitor
) -> None:
    offer = make_study(owner, project, "people", workers=1, per_task=4)
    page = owner.get(f"/studies/{offer.id}").text
    assert "People write statements: 0 of 1 answers are in" in page

    def choose() -> dict[str, Any]:
        job = owner.post(f"/studies/{offer.id}/statements", {"language": "other"}).json()["job"]
        while not (state := owner.json(f"/jobs/{job}").json())["finished"]:
            time.sleep(0.02)
        return dict(state)

    assert "nobody wrote any" in choose()["error"]
    assert Worker(workspace, offer, "Anna").work() == 1
    assert "Anna" in owner.get(f"/studies/{offer.id}").text
    answers = owner.get(f"/studies/{offer.id}/export/answers").text
    assert FACTS[0] in answers
    assert choose() == {
        "total": 1,
        "done": 0,
        "link": f"/studies/{offer.id}",
        "error": "",
        "warnings": ["1 topic(s) have fewer statements than the sample: dam 4 of 32"],
        "finished": True,
    }
    now = current(workspace, offer)
    assert sorted(one.text for one in now.study.sampled("dam")) == sorted(FACTS)
    assert Worker(workspace, offer, "Ben").work() == 2
    assert scores_of(owner.get(f"/studies/{offer.id}/export/systems").text) == {"sys1": 0.25, "sys2": 0.5}


def test_summaries_that_come_later_get_tasks_and_nothing_else_changes(
    workspace: Workspace, project: str, owner: Visitor
) -> None:
    offer = make_study(owner, project)
    assert owner.post(f"/studies/{offer.id}/summaries").status_code == 422  # there are none
    Worker(workspace, offer, "Anna").work()
    ((topic, _),) = topics_of(workspace.engine, project)
    later = Summary("sys3", " ".join(FACTS[1:]), "peer")
    workspace.store.edit(topic, AddTexts(peers=(later,)), "", workspace.store.version(topic))
    before = current(workspace, offer).study
    assert owner.post(f"/studies/{offer.id}/summaries").status_code == 303
    after = current(workspace, offer).study
    assert after.tasks[: len(before.tasks)] == before.tasks
    assert Worker(workspace, offer, "Anna").work() == 2
    assert scores_of(owner.get(f"/studies/{offer.id}/export/summaries").text)["sys3"] == 0.75


def test_of_two_who_change_a_study_at_once_the_second_is_told(
    workspace: Workspace, project: str, owner: Visitor
) -> None:
    offer = make_study(owner, project)
    study = current(workspace, offer).study
    workspace.crowd.grow(offer, study)
    with pytest.raises(ConflictError, match="meanwhile"):
        workspace.crowd.grow(offer, study)


def test_a_database_that_cannot_be_written_refuses_answers_and_says_so(
    workspace: Workspace, project: str, owner: Visitor
) -> None:
    offer = make_study(owner, project)
    worker = Worker(workspace, offer, "Anna")
    record = worker.record(worker.page().text)

    def full(dbapi: Any, record: object) -> None:
        dbapi.execute("pragma query_only = on")

    event.listen(workspace.engine, "connect", full)
    workspace.engine.dispose()
    reply = worker.send(record)
    assert (reply.status_code, reply.json()) == (503, {"error": "The answers could not be stored."})
    assert worker.page().status_code == 200
    event.remove(workspace.engine, "connect", full)
    workspace.engine.dispose()
    assert worker.send(record).status_code == 200


def test_names_become_links_that_nobody_need_write_a_name_for(
    workspace: Workspace, project: str, owner: Visitor
) -> None:
    offer = make_study(owner, project)
    reply = owner.post(f"/studies/{offer.id}/links", {"names": "Anna  Berg\n\nBen & Co\n"}).json()["links"]
    assert [name for name, _ in reply] == ["Anna Berg", "Ben & Co"]
    page = owner.get(reply[1][1].removeprefix("http://127.0.0.1:8000"))
    assert page.headers["location"] == f"/crowd/{offer.link}/task?worker=Ben+%26+Co"
    for bad, words in (
        (" ", "No name is written"),
        ("Anna\nx\u202ey", "cannot be used"),
        ("x" * 101, "cannot be used"),
    ):
        refused = owner.post(f"/studies/{offer.id}/links", {"names": bad})
        assert (refused.status_code, words in refused.json()["error"]) == (422, True)


def test_a_form_that_is_filled_in_wrongly_says_what_is_wrong(
    workspace: Workspace, project: str, owner: Visitor
) -> None:
    for changes, words in (
        ({"workers": "many"}, "People who judge each statement on each summary"),
        ({"workers": "0"}, "The design sets workers to 0"),
        ({"per_task": "0" * 9 + "9" * 30}, "Statements in one task"),
        ({"completion": "nowhere"}, "no address of a web page"),
        ({f"topic-{topics_of(workspace.engine, project)[0][0]}": "no"}, "No topic is chosen"),
    ):
        reply = made_by_form(owner, project, **changes)
        assert (reply.status_code, words in reply.text) == (422, True), reply.text
    empty = workspace.add_project("Empty")
    assert "no topic yet" in owner.get(f"/projects/{empty}/crowd").text
    assert workspace.crowd.of(project) == []
