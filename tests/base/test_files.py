"""Paths of every kind: links, pipes, devices, folders without permission, names that are no text."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from pyramidion import formats
from pyramidion.base import files as _files
from pyramidion.errors import FormatError, PyramidionError
from pyramidion.examples import example
from pyramidion.formats import ducview, folder, native
from pyramidion.model import Topic

TOPIC = native.dumps(example()[:1])


def test_a_link_stays_and_its_target_is_replaced(tmp_path: Path) -> None:
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    target.write_text("old")
    link.symlink_to("target.json")
    _files.write_bytes(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[tuple[str, str]]:
    """What the system is asked to bring to the disk and to rename, in order; it does both."""
    asked: list[tuple[str, str]] = []
    fsync, replace = os.fsync, os.replace

    def recorded_fsync(descriptor: int) -> None:
        asked.append(("fsync", os.path.relpath(Path(f"/proc/self/fd/{descriptor}").readlink(), tmp_path)))
        fsync(descriptor)

    def recorded_replace(source: Path, target: Path) -> None:
        asked.append(("replace", os.path.relpath(target, tmp_path)))
        replace(source, target)

    monkeypatch.setattr(os, "fsync", recorded_fsync)
    monkeypatch.setattr(os, "replace", recorded_replace)
    return asked


def test_a_file_is_on_the_disk_before_it_has_its_name(tmp_path: Path, calls: list[tuple[str, str]]) -> None:
    _files.write_bytes(tmp_path / "new.json", b"new")
    (first, part), renamed, (last, parent) = calls
    assert (first, part.startswith(".new.json."), renamed) == ("fsync", True, ("replace", "new.json"))
    assert (last, parent) == ("fsync", ".")


def test_a_folder_is_on_the_disk_before_it_has_its_name(tmp_path: Path, calls: list[tuple[str, str]]) -> None:
    _files.write_folder(tmp_path / "new", {"t/peers/a.txt": b"a", "t/b.txt": b"b"})
    *before, renamed, last = calls
    inside = {Path(*Path(name).parts[1:]).as_posix() for what, name in before if what == "fsync"}
    assert inside == {"t/peers/a.txt", "t/b.txt", "t/peers", "t", "."}
    assert (renamed, last) == (("replace", "new"), ("fsync", "."))


def test_a_full_disk_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.json").write_text("old")

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(PyramidionError, match="No space left"):
        _files.write_bytes(tmp_path / "a.json", b"new")
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a.json", "old")]


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()), daemon=True)
    reader.start()
    _files.write_bytes(pipe, b"new")
    reader.join(10)
    assert (read, pipe.is_fifo()) == ([b"new"], True)


def test_a_name_as_long_as_names_may_be_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / ("a" * 255)
    _files.write_bytes(path, b"new")
    assert path.read_bytes() == b"new"


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    threading.Thread(target=lambda: pipe.write_bytes(TOPIC), daemon=True).start()
    assert formats.load(pipe) == example()[:1]


def test_an_endless_device_is_too_large() -> None:
    with pytest.raises(FormatError, match=r"/dev/zero: The file has more than the 64 MiB that a document may have"):
        formats.load("/dev/zero")


def _as_nobody(code: str, *arguments: Path) -> str:
    """What a child process without root's rights prints."""
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody else")
    for parent in arguments[0].parents:
        if parent in (Path(tempfile.gettempdir()), Path(parent.anchor)):
            break
        parent.chmod(parent.stat().st_mode | 0o055)
    # Nobody may import from root's home: what is needed later is used before.
    ready = "from pyramidion import example, formats\nexample(); [formats.FORMATS[name] for name in formats.FORMATS]"
    code = f"import os, sys\n{ready}\nos.setuid(65534)\n{code}"
    command = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def test_a_read_only_file_in_a_folder_that_cannot_be_listed_is_replaced(tmp_path: Path) -> None:
    inside = tmp_path / "dropbox"
    inside.mkdir()
    inside.chmod(0o333)
    (inside / "a.json").write_text("old")
    (inside / "a.json").chmod(0o444)
    printed = _as_nobody(
        "formats._files.write_bytes(__import__('pathlib').Path(sys.argv[1]), b'new')", inside / "a.json"
    )
    assert (printed, (inside / "a.json").read_text()) == ("", "new")


@pytest.mark.parametrize("inside", ["", "lake-revival", "lake-revival/peers"])
def test_an_unreadable_folder_is_named(tmp_path: Path, inside: str) -> None:
    corpus = tmp_path / "corpus"
    folder.dump(example()[:1], corpus)
    (corpus / inside).chmod(0)
    code = """
try:
    formats.load(sys.argv[1])
except formats.FormatError as error:
    print(error)
"""
    try:
        printed = _as_nobody(code, corpus)
    finally:
        (corpus / inside).chmod(0o755)
    assert printed == f"{corpus / inside}: This cannot be read: permission denied; change its permissions.\n"


def test_names_that_are_no_text_become_ids_that_are(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9")
    topic = example()[0]
    annotation = topic.annotations[0]
    one = Topic(topic.id, topic.references, (annotation.summary,), (), topic.pyramid, (annotation,))
    (tmp_path / name).mkdir()
    (tmp_path / name / f"{name}.pan").write_bytes(ducview.dumps([one]))
    (read,) = formats.load(tmp_path / name / f"{name}.pan")
    assert (read.id, read.peers[0].id) == ("caf\ufffd", "caf\ufffd")
    assert "caf\ufffd".encode() in native.dumps([read])
    (tmp_path / name / "peers").mkdir()
    (tmp_path / name / "peers" / f"{name}.txt").write_text("Cats.")
    (read,) = formats.load(tmp_path / name)
    assert (read.id, read.peers[0].id) == ("caf\ufffd", "caf\ufffd")
    (tmp_path / name / "peers" / (os.fsdecode(b"caf\xea") + ".txt")).write_text("Dogs.")
    with pytest.raises(FormatError, match="Two files have the name 'caf\ufffd'"):
        formats.load(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "content", "format"),
    [
        ("a.txt", b'{"annotations": [], "topic": "t"}', "json"),
        ("a.json", b'{"references": {"A": "' + b"x" * 2**17 + b'"}, "topic": "t"}', "json"),
        ("b.txt", b'{"peers": {"A": "' + b"x" * 2**17 + b'"}, "topic": "t"}', "json"),
        ("c.jsonl", b'{"qid": "1", "topic": "x", "nuggets": [{"text": "a", "importance": "vital"}]}', "nuggetizer"),
        ("d.json", b'{"topic": "t", "peers": {"p": "see <pyramid> and <peerAnnotation>"}}', "json"),
        ("e.xml", b"\xef\xbb\xbf\n <!-- <x> --><!DOCTYPE pyramid [<!ELEMENT pyramid ANY>]><pyramid/>", "ducview"),
    ],
)
def test_formats_are_recognised_by_how_they_begin(tmp_path: Path, name: str, content: bytes, format: str) -> None:
    (tmp_path / name).write_bytes(content)
    assert formats.sniff(tmp_path / name) == format


@pytest.mark.parametrize("content", [b"See <pyramid> there.", b"<html><pyramid></html>"])
def test_what_only_speaks_of_a_pyramid_is_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "x.txt").write_bytes(content)
    with pytest.raises(PyramidionError, match="The format is not recognised"):
        formats.sniff(tmp_path / "x.txt")
