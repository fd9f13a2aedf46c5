"""Whatever is given: one clear line, the right exit status, and existing outputs untouched."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pyramidion.examples import example
from pyramidion.formats import ducview, native
from pyramidion.model import Topic
from tests.cli.conftest import Run
from tests.processes import PATIENCE, running

PYR = ducview.dumps([Topic("lake-revival", example()[0].references, pyramid=example()[0].pyramid)])

BAD: dict[str, tuple[bytes, str]] = {
    "empty.pyr": (b"", "The file is empty"),
    "blank.json": (b" \n\n", "The file is empty"),
    "binary.pan": (b"\x7fELF\0\0\0\1\2\3", "a binary file"),
    "words.txt": (b"Just some words.\n", "The format is not recognised"),
    "truncated.pyr": (PYR[:3000], r":\d+:\d+: The XML is not well-formed"),
    "truncated.json": (native.dumps(example()[:1])[:3000], r":\d+:\d+: The JSON ends too early"),
    "bomb.pyr": (b'<!DOCTYPE pyramid [<!ENTITY a "b">]><pyramid><text/></pyramid>', "refused; nothing was expanded"),
    "offsets.pyr": (
        re.sub(rb'start="\d+" end="\d+"', b'start="8" end="999999"', PYR, count=1),
        r"<part>: .*beyond the text",
    ),
    "lonely.pyr": (
        PYR.replace(b"</pyramid>", b'<scu uid="99" label="x"></scu></pyramid>'),
        r":\d+:\d+: <scu>: SCU 99 has no contributor",
    ),
    "twice.pyr": (PYR.replace(b'uid="2"', b'uid="1"'), r"<scu>: The uid 1 is used twice"),
    "utf16.json": ('{"topic": "t"}'.encode("utf-16")[:-1], "not valid UTF-16"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_files_give_one_line_and_leave_outputs_alone(run: Run, tmp_path: Path, name: str) -> None:
    content, message = BAD[name]
    path, output = tmp_path / name, tmp_path / "out.json"
    path.write_bytes(content)
    output.write_text("precious")
    outcome = run("convert", path, output)
    assert outcome.status == 1
    assert re.fullmatch(rf"error: {re.escape(str(path))}.*{message}.*; .*\n", outcome.err), outcome.err
    assert output.read_text() == "precious"
    assert [one.name for one in tmp_path.iterdir() if one.name.startswith(".")] == []
    assert run("validate", path).status == 1


@pytest.mark.parametrize("command", ["score", "evaluate", "validate"])
def test_paths_that_are_not_there_or_not_files(run: Run, tmp_path: Path, command: str) -> None:
    missing = run(command, tmp_path / "nothing.pan")
    assert missing.status == 1
    assert "There is no such file or folder" in missing.err
    folder = run(command, tmp_path)
    assert folder.status == 1
    assert "There is no topic in this folder; add a folder for each topic, with references/" in folder.err


def test_a_folder_where_a_file_was_meant(run: Run, tmp_path: Path) -> None:
    assert "This is a folder, not a file" in run("score", tmp_path, "--from", "ducview").err
    assert "cannot be written" in run("convert", _json(tmp_path), tmp_path, "--to", "json").err


def _json(tmp_path: Path) -> Path:
    path = tmp_path / "t.json"
    native.dump(example()[:1], path)
    return path


def test_a_200_mb_file_is_refused_unread(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "huge.pyr"
    with path.open("wb") as file:
        file.write(b"<pyramid>")
        file.truncate(200 * 2**20)
    outcome = run("validate", path)
    assert outcome.status == 1
    assert "200 MiB, more than the 64 MiB that a document may have" in outcome.err


def test_outputs_that_cannot_be_written(run: Run, tmp_path: Path) -> None:
    outcome = run("convert", _json(tmp_path), tmp_path / "no" / "such" / "folder.json")
    assert (outcome.status, "cannot be written: no such folder" in outcome.err) == (1, True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything")
def test_permissions(run: Run, tmp_path: Path) -> None:
    path = _json(tmp_path)
    path.chmod(0)
    assert "permission denied" in run("validate", path).err
    path.chmod(0o600)
    tmp_path.chmod(0o500)
    assert "cannot be written" in run("convert", path, tmp_path / "x.json").err
    tmp_path.chmod(0o700)


def test_permissions_hold_for_ordinary_users(tmp_path: Path) -> None:
    """The same as root, by a child process that gives up its rights."""
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody else; the test above covers ordinary users")
    path = tmp_path / "secret.json"
    path.write_bytes(native.dumps(example()[:1]))
    path.chmod(0)
    fine = tmp_path / "fine.json"
    fine.write_bytes(native.dumps(example()[:1]))
    code = (
        "import contextlib, os, sys; from pyramidion.cli import main\n"
        "with contextlib.suppress(SystemExit): main(['validate', sys.argv[1]])\n"
        "os.setuid(65534); main(['validate', sys.argv[2]])"
    )
    for parent in [*path.parents][:4]:
        parent.chmod(parent.stat().st_mode | 0o055)
    done = subprocess.run(
        [sys.executable, "-c", code, str(fine), str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    assert "This cannot be read: permission denied; change its permissions" in done.stderr


def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    path = _json(tmp_path)
    code = f"import sys; sys.argv = ['pyramidion', 'evaluate', {str(path)!r}, '--method', 'manual', '--json', '--explain'] ; from pyramidion.cli import main; main()"
    with running(["-c", code]) as (child,):
        assert child.stdout is not None
        child.stdout.close()
        child.stdout = None
        assert "Traceback" not in child.communicate(timeout=PATIENCE)[1]


CLI = "import sys; from pyramidion.cli import main; main(sys.argv[1:])"


@pytest.mark.parametrize("options", [["--json"], ["--explain"], ["--json", "--explain"], []])
def test_a_closed_pipe_leaves_with_0(tmp_path: Path, options: list[str]) -> None:
    command = [sys.executable, "-c", CLI, "evaluate", str(_json(tmp_path)), "--method", "manual", *options]
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("options", [["--json"], ["--explain"], []])
def test_a_full_disk_is_one_line(tmp_path: Path, options: list[str]) -> None:
    command = [sys.executable, "-c", CLI, "evaluate", str(_json(tmp_path)), "--method", "manual", *options]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert done.stderr == (
        b"error: cannot write to standard output: No space left on device; free some disk space or check the path\n"
    )


def test_input_and_output_through_pipes(tmp_path: Path) -> None:
    command = [sys.executable, "-c", CLI]
    data = _json(tmp_path).read_bytes()
    scored = subprocess.run([*command, "score", "/dev/stdin", "--json"], input=data, capture_output=True, check=True)
    assert json.loads(scored.stdout)["scores"][0]["summary"] == "copy"
    checked = subprocess.run([*command, "validate", "/dev/stdin"], input=data, capture_output=True, check=True)
    assert checked.stdout.startswith(b"/dev/stdin: json, 1 topic")
    converted = [*command, "convert", "/dev/stdin", "/dev/stdout", "--to", "json"]
    assert subprocess.run(converted, input=data, capture_output=True, check=True).stdout == data


def test_paths_that_are_no_text_in_json(run: Run, tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"caf\xe9.json")
    path.write_bytes(native.dumps(example()[:1]))
    (report,) = run("validate", path, "--json").json["files"]
    assert report["file"] == str(tmp_path / "caf\ufffd.json")


def test_json_on_a_terminal_without_unicode(tmp_path: Path) -> None:
    path = tmp_path / "t.json"
    path.write_text('{"topic": "caf\u00e9", "references": {"A": "x"}, "peers": {"p": ""}, "pyramid": {"scus": []}}')
    command = [sys.executable, "-c", CLI, "evaluate", str(path), "--method", "manual", "--json"]
    done = subprocess.run(command, env=os.environ | {"PYTHONIOENCODING": "ascii"}, capture_output=True, check=True)
    assert json.loads(done.stdout)["scores"][0]["topic"] == "caf\u00e9"
