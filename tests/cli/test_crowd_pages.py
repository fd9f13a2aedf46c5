"""``crowd pages`` and ``crowd serve``: the files they write, how serving begins and ends, and what they refuse."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import socket
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from subprocess import PIPE, Popen, TimeoutExpired
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from pyramidion.crowd.answers.store import Store
from pyramidion.crowd.desk import Desk
from pyramidion.crowd.study import dump, load
from tests.cli.conftest import Run
from tests.crowd.hostile import small


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "study"
    dump(small(), path)
    return path


def test_pages_for_mturk_are_a_layout_tables_and_a_readme(run: Run, study: Path, tmp_path: Path) -> None:
    outcome = run("crowd", "pages", study, "--phase", "writing", "-o", tmp_path / "w")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out == (
        f"{tmp_path / 'w'}: layout.html and 1 CSV for 2 tasks (writing); {tmp_path / 'w' / 'README.md'} says how to go on\n"
    )
    assert sorted(one.name for one in (tmp_path / "w").iterdir()) == ["README.md", "layout.html", "writing-1.csv"]
    readme = (tmp_path / "w" / "README.md").read_text(encoding="utf-8")
    assert "| Reward per response | $0.50 |" in readme
    assert "| Number of HITs approved | greater than 5000 |" in readme
    rows = list(csv.reader(io.StringIO((tmp_path / "w" / "writing-1.csv").read_text(encoding="utf-8"), newline="")))
    assert rows[0] == ["eventId", "summId", "summary_text", "taskId"]


def test_pages_to_hand_out_are_those_of_judging_once_there_are_some(run: Run, study: Path, tmp_path: Path) -> None:
    made = run("crowd", "pages", study, "--platform", "own", "-o", tmp_path / "j", "--json").json
    assert (made["phase"], made["platform"], made["tasks"], made["assignments"]) == ("judging", "own", 8, 16)
    assert len(made["files"]) == 10
    assert all((tmp_path / "j" / name).is_file() for name in made["files"])
    again = run("crowd", "pages", study, "--platform", "own", "-o", tmp_path / "j")
    assert (again.status, "not an empty folder" in again.err) == (1, True)


def test_prolific_pages_know_where_to_return_to(run: Run, study: Path, tmp_path: Path) -> None:
    url = "https://app.prolific.com/submissions/complete?cc=C0DE"
    outcome = run("crowd", "pages", study, "--platform", "prolific", "--completion-url", url, "-o", tmp_path / "p")
    assert outcome.out.startswith(f"{tmp_path / 'p'}: a page for each of 8 tasks (judging)")
    readme = (tmp_path / "p" / "README.md").read_text(encoding="utf-8")
    assert "PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}" in readme
    assert f"--completion-url {url}" in readme


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["pages", "nowhere", "-o", "x"], 1, "There is no such file or folder"),
        (["pages", "STUDY", "-o", "no/such/folder"], 1, "no such folder"),
        (["pages", "STUDY", "--completion-url", "javascript:1", "-o", "x"], 1, "no address of a web page"),
        (["pages", "STUDY", "--phase", "dancing", "-o", "x"], 2, "dancing"),
        (["serve", "nowhere"], 1, "There is no such file or folder"),
        (["serve", "STUDY", "--host", "no.such.host.invalid"], 1, "choose another port or host"),
        (["serve", "STUDY", "--port", "70000"], 2, "65535"),
        (["serve", "STUDY", "--hold", "0"], 2, "--hold"),
        (["serve", "STUDY", "--deadline", "0"], 2, "--deadline"),
        (["serve", "STUDY", "--allow-host", "https://x.org"], 1, "is not a host name; give only the name"),
    ],
)
def test_what_cannot_be_done_is_one_line(
    run: Run,
    study: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    status: int,
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = run("crowd", *(str(study) if one == "STUDY" else one for one in arguments))
    assert (outcome.status, words in outcome.err) == (status, True), outcome
    assert [one.name for one in tmp_path.iterdir()] == ["study"]


@contextmanager
def serving(study: Path, *options: str, ignoring: tuple[int, ...] = (), files: int = 0) -> Iterator[Popen[str]]:
    """``crowd serve`` in a process of its own, started by a parent that ignores signals; it never outlives the test."""

    def prepare() -> None:
        for number in ignoring:
            signal.signal(number, signal.SIG_IGN)
        if files:
            import resource

            resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

    command = [sys.executable, "-c", "from pyramidion.cli import main; main()", "crowd", "serve", str(study)]
    command += ["--port", "0", "--phase", "writing", *options]
    process = Popen(command, stdout=PIPE, stderr=PIPE, text=True, preexec_fn=prepare)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.communicate(timeout=20)
        except TimeoutExpired:
            process.kill()
            process.communicate()


def said_first(process: Popen[str], *, as_json: bool = False) -> tuple[str, str]:
    """What it says at the beginning, and the address in it."""
    assert process.stdout
    lines = iter(process.stdout.readline, "}\n" if as_json else "")
    said = "".join(lines) + "}\n" if as_json else next(lines) + next(lines)
    url = re.search(r"http://127\.0\.0\.1:\d+/", said)
    assert url, said
    return said, url[0]


@pytest.mark.parametrize("ended_by", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_serving_says_where_and_ends_politely(study: Path, as_json: bool, ended_by: int) -> None:
    with serving(study, *(["--json"] if as_json else [])) as process:
        said, url = said_first(process, as_json=as_json)
        if as_json:
            about = {
                "phase": "writing",
                "tasks": 2,
                "assignments": 4,
                "done": 0,
                "store": str(study / "answers.sqlite"),
            }
            assert json.loads(said) == {"url": url} | about
        else:
            assert said == f"2 writing tasks, 0 of 4 assignments done\nserving at {url} (Ctrl-C ends)\n"
        with urlopen(f"{url}task?worker=anna", timeout=10) as reply:
            assert b"Write 8 statements about a text" in reply.read()
        process.send_signal(ended_by)
        printed = process.communicate(timeout=20)
    ended = f"ended: 0 of 4 assignments done; answers are in {study / 'answers.sqlite'}\n"
    assert process.returncode == 0
    assert printed == (("", ended) if as_json else (ended, ""))


@pytest.mark.parametrize("ended_by", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_parent_that_ignores_signals_does_not_keep_it_alive(study: Path, ended_by: int) -> None:
    """``make test &``: a shell has its background jobs ignore SIGINT, and whom they start inherits that."""
    with serving(study, ignoring=(signal.SIGINT, signal.SIGTERM)) as process:
        said_first(process)
        process.send_signal(ended_by)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (0, "")
    assert out.startswith("ended: 0 of 4 assignments done")


def posted(url: str, record: dict[str, Any]) -> int:
    request = Request(f"{url}answer", json.dumps(record).encode(), {"Content-Type": "application/json"})
    try:
        with urlopen(request, timeout=30) as reply:
            return int(reply.status)
    except HTTPError as refused:
        refused.close()
        return refused.code


def written(study: Path, worker: str) -> dict[str, Any]:
    """What the page of a writing task sends."""
    desk = Desk(load(study), Store(study), "writing")
    task = next(iter(desk.tasks.values()))
    return {
        "pyramidion": "submission-1",
        "study": desk.study.name,
        "task": task.id,
        "phase": "writing",
        "worker": worker,
        "written": [f"Statement number {number} of it." for number in range(8)],
        "ticket": desk.ticket(task, worker),
    }


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_it_says_at_the_end_how_many_were_refused(study: Path) -> None:
    with serving(study) as process:
        _, url = said_first(process)
        record = written(study, "anna")
        sent = [record, record | {"written": []}, record | {"worker": "ben"}, record]
        assert [posted(url, one) for one in sent] == [200, 400, 403, 200]
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=20)
    assert out == (
        f"ended: 1 of 4 assignments done; 2 submissions refused; answers are in {study / 'answers.sqlite'}\n"
    )
    assert "refused: This task was not handed out to 'ben'" in err


@pytest.mark.skipif(os.name == "nt", reason="limits of open files")
def test_more_connections_than_open_files_lose_no_answer(study: Path) -> None:
    with serving(study, files=100) as process, ExitStack() as idle:
        _, url = said_first(process)
        host, port = url.removeprefix("http://").rstrip("/").split(":")
        for _ in range(100):
            idle.enter_context(socket.create_connection((host, int(port)), timeout=30))
        with ThreadPoolExecutor(20) as pool:
            sent = list(pool.map(lambda number: posted(url, written(study, f"w{number}")), range(40)))
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=20)
    assert (sent, "error" in err) == ([200] * 40, False)
    assert len(Store(study).submissions()) == 40
