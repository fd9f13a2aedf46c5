"""The submissions of a class: folders of documents, and the zip files that Moodle and Canvas export.

Model answers and submissions are told apart by the names of their folders (``references``, ``models``, ``model
answers``, ...; ``peers``, ``students``, ``submissions``, ...), by the names of their files (``model 1.docx``), or by
the patterns ``references`` and ``peers``. The guess is told. All of it is one topic.

A platform's file names carry the writer. Moodle: ``Ann Lee_1234567_assignsubmission_file_essay.docx``, alone or as a
folder. Canvas: ``leeann_LATE_12345_678901_essay.docx``. The name becomes the summary's id, the number its ``number``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import NamedTuple

from pyramidion.base.files import MAX_BYTES, read_bytes, readable
from pyramidion.base.names import clean
from pyramidion.base.tables import plural
from pyramidion.base.unused import entries, unused
from pyramidion.errors import FormatError
from pyramidion.formats.documents import SUFFIXES as DOCUMENTS
from pyramidion.formats.documents import UNREADABLE, is_unreadable, why_unread
from pyramidion.formats.documents.zipped import member, open_archive
from pyramidion.formats.texts import references_at, text_of
from pyramidion.model import Role, Summary, Topic, Unread
from pyramidion.notes import note

TITLE = "Submissions of a class: a folder of documents, or a zip file of Moodle or Canvas"
SUFFIXES = ()

MODELS = {"references", "reference", "models", "model", "model answers", "model summaries", "solutions", "teacher"}
CLASS = {"peers", "students", "student", "submissions", "summaries", "essays", "answers", "class", "handed in"}
_MODEL_FILE = re.compile(r"(?:model|reference|solution|teacher)\b", re.IGNORECASE)
_MOODLE = re.compile(r"(?P<name>.+?)_(?P<number>\d+)_assignsubmission_(?:file|onlinetext)_?.*", re.DOTALL)
_CANVAS = re.compile(r"(?P<name>[^_\W\d]+)(?:_LATE)?_(?P<number>\d+)_\d+_.+", re.DOTALL)
_TOP = PurePosixPath()
DEEPEST = 4
"""Folders in folders that are looked into."""


class _File(NamedTuple):
    """A document, and where it stands below the folder."""

    path: Path
    inside: PurePosixPath


def sniff(path: Path, head: bytes) -> bool:
    """Return whether this is a folder or a zip file with documents; other formats of folders are asked before."""
    if path.is_dir():
        return any(True for _ in _documents(path))
    return path.suffix.lower() == ".zip" and head.startswith(b"PK")


def load(path: Path, *, references: str = "", peers: str = "") -> list[Topic]:
    """Return the topic of a folder or zip file; ``references`` and ``peers`` are patterns of their files' names."""
    with readable(path):
        if path.is_dir():
            return [_topic(path.resolve().name, list(_documents(path)), path, references, peers)]
    with TemporaryDirectory() as folder:
        _unpack(path, Path(folder))
        return [_topic(path.stem, list(_documents(Path(folder))), path.parent, references, peers)]


def _documents(folder: Path, below: PurePosixPath = _TOP) -> Iterator[_File]:
    for entry in entries(folder):
        if entry.is_dir():
            if len(below.parts) < DEEPEST and entry.name != "__MACOSX":
                yield from _documents(entry, below / entry.name)
        elif entry.suffix.lower() in (*DOCUMENTS, *UNREADABLE) and entry.is_file():
            yield _File(entry, below / entry.name)
        else:
            unused(entry, f"its name does not end in {', '.join(DOCUMENTS)}")


def _unpack(path: Path, folder: Path) -> None:
    """Write an archive's documents below a folder; no name leads out of it, and no archive fills the disk."""
    archive = open_archive(read_bytes(path), str(path))
    size = 0
    for info in archive.infolist():
        parts = [part for part in PurePosixPath(info.filename.replace("\\", "/")).parts if part not in ("/", "..", ".")]
        kind = PurePosixPath(parts[-1]).suffix.lower() if parts else ""
        if info.is_dir() or kind not in (*DOCUMENTS, *UNREADABLE) or "__MACOSX" in parts:
            continue
        data = member(archive, info.filename, str(path))
        # counted as it is unpacked: the sizes that an archive states may be a lie
        size += len(data)
        if size > 8 * MAX_BYTES:
            raise FormatError(f"The archive unpacks to more than {8 * MAX_BYTES >> 20} MiB.", str(path), "split it")
        target = folder.joinpath(*(clean(part)[:150] for part in parts[-DEEPEST:]))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


def _topic(id: str, files: Sequence[_File], folder: Path, references: str, peers: str) -> Topic:
    """Return the topic of documents; documents that cannot be read are its unread summaries, if they are peers."""
    roles, why = _roles(files, references, peers)
    models = [file for file in files if roles[file] == "reference"]
    handed_in = [file for file in files if roles[file] == "peer"]
    if not handed_in:
        raise FormatError("There is no summary to score here.", str(folder), "name them: peers=PATTERN")
    if why:
        count = f"{plural(len(handed_in), 'file')} taken as summaries to score, {len(models)} as models"
        note(f"{folder}: {count}, because {why}")
    model_texts = tuple(_summaries(models, "reference", None))
    if not model_texts and references:  # the pattern names files elsewhere
        model_texts = tuple(references_at(references, folder))
    unread: dict[tuple[str, str], str] = {}
    peers_read = tuple(_summaries(handed_in, "peer", unread))
    damaged = tuple(Unread(name, why, number) for (name, number), why in sorted(unread.items()))
    return Topic(clean(id), model_texts, peers_read, unread=damaged)


def _roles(files: Sequence[_File], references: str, peers: str) -> tuple[dict[_File, Role | None], str]:
    """Return the role of each file, and the reason if it is a guess."""
    if references or peers:
        return {file: _by_pattern(file, references, peers) for file in files}, ""
    by_folder = {file: _by_folder(file) for file in files}
    if any(by_folder.values()):
        named = sorted({part for file in files for part in file.inside.parts[:-1] if _role_of(part)})
        if "peer" not in by_folder.values():
            by_folder = {file: role or "peer" for file, role in by_folder.items()}
        return by_folder, f"the folders are called {', '.join(map(repr, named))}"
    by_file: dict[_File, Role | None] = {
        file: "reference" if _MODEL_FILE.match(file.path.stem) else "peer" for file in files
    }
    if "reference" in by_file.values():
        return by_file, "the names of the models begin with 'model', 'reference', 'solution' or 'teacher'"
    return by_file, "nothing in their names tells which are models; name them with references=PATTERN"


def _by_pattern(file: _File, references: str, peers: str) -> Role | None:
    name = str(file.inside)
    if references and (fnmatch(name, references) or fnmatch(file.inside.name, references)):
        return "reference"
    if peers:
        return "peer" if fnmatch(name, peers) or fnmatch(file.inside.name, peers) else None
    return "peer"


def _by_folder(file: _File) -> Role | None:
    return next(filter(None, map(_role_of, file.inside.parts[:-1])), None)


def _role_of(folder: str) -> Role | None:
    plain = re.sub(r"[\s_-]+", " ", folder).strip().lower()
    return "reference" if plain in MODELS else "peer" if plain in CLASS else None


def _summaries(files: Sequence[_File], role: Role, unread: dict[tuple[str, str], str] | None) -> Iterator[Summary]:
    """Yield one summary for each writer, joined from several files; ``unread`` takes those that cannot be read.

    A document of a kind that nothing reads is passed over if its writer has others.
    """
    written: dict[tuple[str, str], list[str]] = {}
    # readable kinds first, so that it is known by then whether a writer has another document
    for file in sorted(files, key=lambda file: is_unreadable(file.path)):
        writer = _writer(file)
        try:
            text = text_of(file.path)
        except FormatError as error:
            if is_unreadable(file.path) and (writer in written or (unread and writer in unread)):
                unused(Path(file.inside), f"{writer[0]} has another document")
                continue
            if unread is None:
                raise
            unread[writer] = why_unread(error)
            continue
        written.setdefault(writer, []).append(text)
    names = [name for name, _ in written]
    for (name, number), texts in written.items():
        id = f"{name} ({number})" if names.count(name) > 1 and number else name
        if len(texts) > 1:
            note(f"{id}: {len(texts)} files by the same writer were joined")
        yield Summary(id, "\n".join(texts), role, number=number)


def _writer(file: _File) -> tuple[str, str]:
    """Return the name and number of a file's writer, by a platform's naming scheme or by the file's name.

    >>> _writer(_File(Path(), PurePosixPath("Ann Lee_1234567_assignsubmission_file_/essay.docx")))
    ('Ann Lee', '1234567')
    >>> _writer(_File(Path(), PurePosixPath("leeann_LATE_12345_678901_essay.docx")))
    ('leeann', '12345')
    """
    for part in file.inside.parts:
        if match := _MOODLE.fullmatch(part) or _CANVAS.fullmatch(part):
            return clean(match["name"]).strip(), match["number"]
    return clean(file.inside.stem), ""
