"""A folder of files that we wrote: it can be written again, and nothing in it is replaced that somebody else wrote.

A hidden list in the folder holds the name and the SHA-256 of every file. What is not on it, or differs from it because
somebody edited it, is not ours.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

import msgspec

from pyramidion.base.files import readable, writable, write_folder
from pyramidion.errors import PyramidionError

LIST = ".pyramidion-files.json"
NAMED = 3
"""The most foreign files that an error names."""


def check_own_folder(path: Path) -> None:
    """Raise unless the folder is new, empty, or holds only what we wrote and nobody changed."""
    foreign = _foreign(path)
    if foreign:
        more = f" and {len(foreign) - NAMED} more" if len(foreign) > NAMED else ""
        raise PyramidionError(
            "The folder cannot be written: it holds files that were not written by this program, or were changed "
            "since: "
            f"{', '.join(foreign[:NAMED])}{more}",
            str(path),
            "name another folder, or move these files away",
        )


def write_own_folder(path: Path, files: Mapping[str, bytes]) -> None:
    """Write the folder, in place of the one that we wrote before; the keys are paths inside it."""
    check_own_folder(path)
    listed = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    content = {**files, LIST: msgspec.json.encode(listed)}
    if not path.exists() or not any(path.iterdir()):
        write_folder(path, content)
        return
    # beside the folder, not in the system's: a rename cannot cross file systems
    with writable(path):
        aside = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name[:40]}.", suffix=".old"))
    write_folder(aside / "new", content)
    with writable(path):
        path.replace(aside / "old")
        try:
            (aside / "new").replace(path)
        except BaseException:  # an interruption, too, leaves the old folder
            (aside / "old").replace(path)
            raise
        finally:
            shutil.rmtree(aside, ignore_errors=True)


def _foreign(path: Path) -> list[str]:
    """Return the files in a folder that are not as we wrote them; the path itself if it is not a folder."""
    with readable(path):
        if not path.exists():
            return []
        if not path.is_dir():
            return [path.name]
        there = sorted(
            file for file in path.rglob("*") if file != path / LIST and (file.is_symlink() or not file.is_dir())
        )
        listed = _read_list(path / LIST)
        return [
            file.relative_to(path).as_posix()
            for file in there
            if not file.is_file()
            or listed.get(file.relative_to(path).as_posix()) != hashlib.sha256(file.read_bytes()).hexdigest()
        ]


def _read_list(file: Path) -> dict[str, str]:
    """Return the hidden list of a folder; none of its files is ours where the list is missing or damaged."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=dict[str, str])
    except (FileNotFoundError, msgspec.MsgspecError, UnicodeDecodeError):
        return {}
