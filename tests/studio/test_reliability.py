"""What the server acknowledged is there, however it ended: killed under load, ended by a signal, its disk full."""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

import pyramidion
from pyramidion.model import Span, Summary, Topic
from pyramidion.studio.crowd_studies import Offer
from pyramidion.studio.database import open_database
from pyramidion.studio.log.edits import Words
from pyramidion.studio.log.pyramid_edits import AddSCU
from pyramidion.studio.schema import migrate
from pyramidion.studio.workspace import Workspace
from tests.processes import PATIENCE, running
from tests.studio.crowd_desk import Worker, current, dam, make_study
from tests.studio.desk import Visitor, opened
from tests.studio.served import served

httpx = pytest.importorskip("httpx2", reason="no tests of the studio's server: httpx2 is not installed")
TEXT = " ".join(f"word{number}" for number in range(200))
TOPIC = Topic("t", (Summary("A", TEXT), Summary("B", TEXT)))


def edit_until_it_ends(start: str, topic: str, author: int, acknowledged: list[str]) -> None:
    """Edits, one after the other, until the server is gone; labels that were acknowledged are kept."""
    with httpx.Client(base_url=start.partition("enter")[0]) as client:
        try:
            client.get(start)
            page = client.get(f"/topics/{topic}", headers={"Accept": "text/html"}).text
            token = re.search(r'"token":"([\w-]+)"', page)
            assert token
            for number in range(10_000):
                label = f"{author}-{number}"
                words = {"summary": "A", "spans": [{"start": 0, "end": 5}]}
                body = {"kind": "AddSCU", "operation": {"words": words, "label": label}, "base": 0}
                answer = client.post(f"/topics/{topic}/operations", json=body, headers={"X-Token": token[1]})
                if answer.status_code == 200:
                    acknowledged.append(label)
        except httpx.HTTPError:
            return


@pytest.mark.parametrize("round", range(3))
def test_a_killed_server_loses_nothing_that_it_acknowledged(tmp_path: Path, round: int) -> None:
    workspace = opened(tmp_path)
    topic = workspace.store.add(workspace.add_project("Mine"), TOPIC)
    workspace.close()
    acknowledged: list[str] = []
    with served(tmp_path) as (server, about):
        threads = [
            threading.Thread(target=edit_until_it_ends, args=(about["start"], topic, author, acknowledged))
            for author in range(3)
        ]
        for thread in threads:
            thread.start()
        while len(acknowledged) < 10 + 7 * round and server.poll() is None:
            threads[0].join(0.02)
        server.kill()
        for thread in threads:
            thread.join(PATIENCE)
    again = opened(tmp_path)
    state = again.store.state(topic)
    labels = {scu.label for scu in state.document.pyramid.scus}
    assert set(acknowledged) <= labels
    assert len(labels) - len(acknowledged) <= 3  # stored, but the answer did not arrive
    assert state.version == len(labels)
    again.close()


def judge_until_it_ends(url: str, offer: Offer, workspace: Workspace, name: str, acknowledged: list[str]) -> None:
    """Does tasks, one after the other, until the server is gone; tasks that were acknowledged are kept."""
    worker = Worker(workspace, offer, name)
    with httpx.Client(base_url=url) as client:
        try:
            while (page := client.get(f"{worker.at}/task", params={"worker": name})).status_code == 200:
                record = worker.record(page.text)
                if client.post(f"{worker.at}/answer", json=record).status_code == 200:
                    acknowledged.append(f"{name} {record['task']}")
        except httpx.HTTPError:
            return


def test_a_killed_server_loses_no_answer_of_a_crowd_that_it_acknowledged(tmp_path: Path) -> None:
    workspace = opened(tmp_path)
    project = workspace.add_project("Mine", [dam(40)])
    offer = make_study(Visitor(workspace), project, workers=3)
    acknowledged: list[str] = []
    with served(tmp_path) as (server, about):
        threads = [
            threading.Thread(target=judge_until_it_ends, args=(about["url"], offer, workspace, name, acknowledged))
            for name in ("Anna", "Ben", "Cleo")
        ]
        for thread in threads:
            thread.start()
        while len(acknowledged) < 15 and server.poll() is None:
            threads[0].join(0.02)
        server.kill()
        for thread in threads:
            thread.join(PATIENCE)
    kept = [f"{one.worker} {one.task}" for one in current(workspace, offer).answers.submissions()]
    assert set(acknowledged) <= set(kept)
    assert len(kept) - len(acknowledged) <= 3  # stored, but the answer did not arrive
    assert len(set(kept)) == len(kept)
    workspace.close()


def test_signals_end_the_server_with_status_0(tmp_path: Path) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        with served(tmp_path) as (server, about):
            assert httpx.get(about["start"], headers={"Accept": "text/html"}, follow_redirects=True).status_code == 200
            server.send_signal(number)
            assert server.wait(PATIENCE) == 0


@pytest.mark.skipif(os.name == "nt", reason="a browser that is a shell script")
def test_the_browser_opens_inside_and_no_command_line_shows_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser, told = tmp_path / "browser", tmp_path / "told"
    browser.write_text(f'#!/bin/sh\necho "$@" > {told}.part && mv {told}.part {told}\n')
    browser.chmod(0o755)
    monkeypatch.setenv("BROWSER", str(browser))
    with served(tmp_path / "workspace", "--browser") as (server, about):
        key = about["start"].partition("key=")[2]
        until = time.monotonic() + PATIENCE
        while not told.exists() and time.monotonic() < until:
            time.sleep(0.02)
        opened_page = told.read_text().strip()
        page = tmp_path / "workspace" / "open.html"
        assert len(key) == 43
        assert opened_page == page.as_uri()
        assert about["start"] in page.read_text()
        assert page.stat().st_mode & 0o777 == 0o600
        assert httpx.get(about["start"]).headers["location"] == "/"  # it runs, so that signals reach it
        server.terminate()
        assert server.wait(PATIENCE) == 0
    assert not page.exists()


@pytest.mark.parametrize("arguments", [("--host", "0.0.0.0"), ("--allow-host", "studio.example.org")])
def test_a_server_for_others_prints_where_the_first_account_is_made(tmp_path: Path, arguments: tuple[str, str]) -> None:
    with served(tmp_path / "workspace", *arguments) as (_, about):
        assert (tmp_path / "workspace").stat().st_mode & 0o077 == 0
        port = about["url"].rstrip("/").rpartition(":")[2]
        path = about["start"].partition("/setup")[2]
        assert httpx.get(f"http://127.0.0.1:{port}/setup{path}", headers={"Accept": "text/html"}).status_code == 200
        assert httpx.get(f"http://127.0.0.1:{port}/", headers={"Accept": "text/html"}).headers["location"] == "/login"


def test_a_full_disk_refuses_edits_and_leaves_everything_to_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace = opened(tmp_path)
    topic = workspace.store.add(workspace.add_project("Mine"), TOPIC)
    visitor = Visitor(workspace)
    visitor.get(f"/topics/{topic}")
    workspace.store.edit(topic, AddSCU(Words("A", (Span(0, 5),)), "kept"), "", 0)
    connection = workspace.engine.raw_connection()
    pages = connection.cursor().execute("pragma page_count").fetchone()[0]
    connection.close()

    def full(dbapi: Any, record: object) -> None:
        dbapi.execute(f"pragma max_page_count = {pages}")

    event.listen(workspace.engine, "connect", full)
    workspace.engine.dispose()
    words = {"summary": "A", "spans": [{"start": 0, "end": 5}]}
    answers = [visitor.edit(topic, "AddSCU", {"words": words, "label": "x" * 15_000}) for _ in range(3)]
    assert answers[-1].status_code == 503
    assert "full" in answers[-1].json()["error"]
    stored = [one for one in answers if one.status_code == 200]
    view = visitor.json(f"/topics/{topic}/document").json()
    assert len(view["pyramid"]["order"]) == 1 + len(stored)
    assert "kept" in visitor.get(f"/topics/{topic}").text
    workspace.close()


@pytest.mark.skipif(os.name == "nt", reason="no limits of files")
def test_a_server_whose_disk_is_full_begins_reads_and_acknowledges_nothing_that_is_lost(tmp_path: Path) -> None:
    import resource

    workspace = opened(tmp_path)
    topic = workspace.store.add(workspace.add_project("Mine"), TOPIC)
    workspace.store.edit(topic, AddSCU(Words("A", (Span(0, 5),)), "before"), "", 0)
    workspace.close()
    most = (tmp_path / "studio.sqlite").stat().st_size  # no file may grow longer than this one
    limited = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))}
    kept = []
    with served(tmp_path, **limited) as (_, about), httpx.Client(base_url=about["url"]) as client:
        client.get(about["start"])
        page = client.get(f"/topics/{topic}", headers={"Accept": "text/html"}).text
        token = re.search(r'"token":"([\w-]+)"', page)
        assert token
        assert "before" in page
        for number in range(100):
            words = {"summary": "A", "spans": [{"start": 0, "end": 5}]}
            body = {"kind": "AddSCU", "operation": {"words": words, "label": f"{number} " + "x" * 9000}, "base": 0}
            answer = client.post(f"/topics/{topic}/operations", json=body, headers={"X-Token": token[1]})
            if answer.status_code != 200:
                break
            kept.append(str(number))
        assert answer.status_code == 503
        assert answer.json()["error"].startswith("The workspace cannot be used: ")
        assert "before" in client.get(f"/topics/{topic}/export/json").text
        assert "before" in client.get(f"/topics/{topic}", headers={"Accept": "text/html"}).text
    again = opened(tmp_path)
    labels = [scu.label.split()[0] for scu in again.store.state(topic).document.pyramid.scus]
    assert labels == ["before", *kept]
    again.close()


def test_a_workspace_that_is_up_to_date_is_opened_without_writing(tmp_path: Path) -> None:
    workspace = opened(tmp_path)
    workspace.close()
    changed: list[str] = []
    engine = open_database(tmp_path)
    event.listen(engine, "before_cursor_execute", lambda *told: changed.append(told[2]))
    migrate(engine)
    engine.dispose()
    assert changed
    assert not [one for one in changed if not one.lower().startswith(("select", "pragma"))]


def test_a_backup_is_restored_with_everything(tmp_path: Path) -> None:
    from pyramidion.errors import PyramidionError
    from pyramidion.studio.backup import back_up, restore

    workspace = opened(tmp_path / "one")
    topic = workspace.store.add(workspace.add_project("Mine"), TOPIC)
    ann = workspace.accounts.add("Ann", "a long enough password", admin=True)
    workspace.store.edit(topic, AddSCU(Words("A", (Span(0, 5),)), "kept"), "Ann", 0)
    workspace.store.undo(topic, "Ann")
    back_up(workspace.engine, tmp_path / "backup.jsonl.gz")
    assert os.name == "nt" or (tmp_path / "backup.jsonl.gz").stat().st_mode & 0o777 == 0o600  # it holds hashes
    workspace.close()
    other = opened(tmp_path / "two")
    restore(other.engine, tmp_path / "backup.jsonl.gz")
    assert other.accounts.get(ann.id) == ann
    assert other.store.redo(topic, "Ann").document.pyramid.scus[0].label == "kept"
    with pytest.raises(PyramidionError, match="not empty"):
        restore(other.engine, tmp_path / "backup.jsonl.gz")
    (tmp_path / "no.gz").write_bytes(b"no backup")
    with pytest.raises(PyramidionError, match="no backup"):
        restore(opened(tmp_path / "three").engine, tmp_path / "no.gz")
    other.close()


def test_a_restored_workspace_has_the_crowds_answers_and_takes_those_to_tasks_handed_out_before(tmp_path: Path) -> None:
    from pyramidion.studio.backup import back_up, restore

    before = opened(tmp_path / "one")
    offer = make_study(Visitor(before), before.add_project("Mine", [dam()]))
    assert Worker(before, offer, "Anna").work() == 4
    ben = Worker(before, offer, "Ben")
    page = ben.page().text
    back_up(before.engine, tmp_path / "backup.gz")
    answers = current(before, offer).answers.submissions()
    before.close()
    after = opened(tmp_path / "two")
    restore(after.engine, tmp_path / "backup.gz")
    assert current(after, offer).answers.submissions() == answers
    again = Worker(after, offer, "Ben")
    assert again.send(again.record(page)).status_code == 200
    after.close()


def test_what_the_database_says_is_told_without_values() -> None:
    from pyramidion.studio.database import UnwritableError, database_errors

    with pytest.raises(UnwritableError) as caught, database_errors():
        raise OperationalError("insert into users values (?)", {"password": "hunter2"}, Exception("disk is full"))
    assert "hunter2" not in str(caught.value)


FIRST = """
import sys, threading
from pyramidion.studio.log import documents, operations
sys.setswitchinterval(1e-6)
topic = '{"id":"t","references":[{"id":"A","text":"one two"}],"pyramid":{"topic":"t","references":[{"id":"A","text":"one two"}]}}'
together = threading.Barrier(16)
def read():
    together.wait()
    documents.decode('{"topic":' + topic + '}')
    operations.decode("SetLabel", '{"scu":"1","label":"x"}')
threads = [threading.Thread(target=read) for _ in range(16)]
for thread in threads: thread.start()
for thread in threads: thread.join()
"""


def test_many_who_come_first_at_once_do_not_end_the_server() -> None:
    """A type that msgspec prepares in two threads at once ends the process, now and then."""
    with running(["-c", FIRST]) as (child,):
        said = child.communicate(timeout=PATIENCE)[1]
        assert child.returncode == 0, said


def test_types_of_ours_are_read_by_decoders_that_are_prepared() -> None:
    """See :func:`pyramidion.base.json.decoder`."""
    read_at_once = re.compile(
        r"msgspec\.(?:json|msgpack)\.decode\([^\n]*type=(?!dict\[str|list\[tuple\[str|tuple\[str)"
    )
    folder = Path(str(pyramidion.__file__)).parent
    assert [str(path) for path in folder.rglob("*.py") if read_at_once.search(path.read_text("utf-8"))] == []
