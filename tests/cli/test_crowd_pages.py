"""``crowd pages`` and ``crowd serve``: the files they write, how serving begins and ends, and what they refuse."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from pyramidion.crowd.study import dump
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
        (["pages", "nowhere", "-o", "x"], 1, "there is no such file or folder"),
        (["pages", "STUDY", "-o", "no/such/folder"], 1, "no such folder"),
        (["pages", "STUDY", "--completion-url", "javascript:1", "-o", "x"], 1, "no address of a web page"),
        (["pages", "STUDY", "--phase", "dancing", "-o", "x"], 2, "dancing"),
        (["serve", "nowhere"], 1, "there is no such file or folder"),
        (["serve", "STUDY", "--host", "no.such.host.invalid"], 1, "choose another --port or --host"),
        (["serve", "STUDY", "--port", "70000"], 2, "65535"),
        (["serve", "STUDY", "--hold", "0"], 2, "--hold"),
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


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_serving_says_where_and_ends_politely(study: Path, as_json: bool) -> None:
    command = [
        sys.executable,
        "-c",
        "from pyramidion.cli import main; main()",
        "crowd",
        "serve",
        str(study),
        "--port",
        "0",
    ]
    command += ["--phase", "writing", *(["--json"] if as_json else [])]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        said = (
            "".join(iter(process.stdout.readline, "}\n")) + "}"
            if as_json
            else process.stdout.readline() + process.stdout.readline()
        )
        url = re.search(r"http://127\.0\.0\.1:\d+/", said)
        assert url
        if as_json:
            about = {
                "phase": "writing",
                "tasks": 2,
                "assignments": 4,
                "done": 0,
                "store": str(study / "answers.sqlite"),
            }
            assert json.loads(said) == {"url": url[0]} | about
        else:
            assert said == f"2 writing tasks, 0 of 4 assignments done\nserving at {url[0]} (Ctrl-C ends)\n"
        with urlopen(f"{url[0]}task?worker=anna", timeout=10) as reply:
            assert b"Write 8 statements about a text" in reply.read()
        process.send_signal(signal.SIGINT)
        printed = process.communicate(timeout=10)
    ended = f"ended: 0 of 4 assignments done; answers are in {study / 'answers.sqlite'}\n"
    assert process.returncode == 0
    assert printed == (("", ended) if as_json else (ended, ""))
