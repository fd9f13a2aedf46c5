"""Files that come in and go out: whatever the command line reads, and every format that it writes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import TypeVar

from pyramidion import formats
from pyramidion.base.files import writable
from pyramidion.base.names import clean
from pyramidion.corrections import Corrections, read_corrections
from pyramidion.errors import FormatError, PyramidionError
from pyramidion.formats.documents import SUFFIXES as DOCUMENTS
from pyramidion.formats.read import Reading
from pyramidion.model import Annotation, Summary, Topic
from pyramidion.notes import collect_notes

Uploaded = Sequence[tuple[str, bytes]]
"""Files by their paths, as a browser names them."""

DEEPEST = 6
_STUDIO_WORDS = (("name them with references=PATTERN", "go on, and drop the model answers there"),)
"""Advice that readers give for the command line, each with the same for the studio."""
_Read = TypeVar("_Read")


@dataclass(frozen=True, slots=True)
class Received:
    """The topics of files that came, and what was told while they were read."""

    topics: tuple[Topic, ...]
    warnings: tuple[str, ...] = ()


def topics_of(files: Uploaded, name: str) -> Received:
    """Return the topics in files dropped onto a project: corpora, pyramids, annotations, tables, or a class."""
    read, told = _reading(files, name, _topics)
    for topic in read:
        if not (topic.references or topic.peers or topic.pyramid):
            why = "; ".join(f"{peer.name}: {peer.why}" for peer in topic.unread)
            raise FormatError(why or "The files hold no text.", do="check that these are the files you meant")
    return Received(tuple(read), told)


def texts_of(files: Uploaded, role: str) -> tuple[tuple[Summary, ...], tuple[str, ...]]:
    """Return the texts in files that were dropped as references or peers, and what was told while they were read."""

    def read(folder: Path, paths: list[Path]) -> tuple[Summary, ...]:
        if role == "references":
            return Reading().texts("", references=paths).references
        return Reading().texts("", peers=paths).peers

    return _reading(files, "texts", read)


def corrections_of(files: Uploaded) -> tuple[Corrections, tuple[str, ...]]:
    """Return the corrections in a file that a report saved, and what was told while it was read."""

    def read(folder: Path, paths: list[Path]) -> Corrections:
        if len(paths) > 1:
            raise FormatError("These are several files.", do="choose one file of corrections")
        return read_corrections(paths[0])

    return _reading(files, "corrections", read)


def _reading(files: Uploaded, name: str, read: Callable[[Path, list[Path]], _Read]) -> tuple[_Read, tuple[str, ...]]:
    """Write files into a temporary folder and read them there; return what they hold, and what was told meanwhile."""
    if not files:
        raise FormatError("No file came.", do="choose one or more files")
    with TemporaryDirectory() as temporary, collect_notes() as notes:
        folder = Path(temporary) / (clean(name).replace("/", "-")[:60].strip(". ") or "topic")
        try:
            paths = _write(folder, files)
            result = read(folder, paths)
        except PyramidionError as error:
            raise FormatError(str(error).replace(f"{folder}/", "").replace(str(folder), name)) from None
        lines = dict.fromkeys(" ".join(note.text.split()) for note in notes)
        # messages name the temporary folder, which the sender never saw
        without_folder = (line.replace(f"{folder}/", "").replace(str(folder), name) for line in lines)
        return result, tuple(map(_in_studio_words, without_folder))


def _in_studio_words(line: str) -> str:
    """Return what a reader says for the command line in the words of the studio."""
    for there, here in _STUDIO_WORDS:
        line = line.replace(there, here)
    return line


def _write(folder: Path, files: Uploaded) -> list[Path]:
    """Write the files below a folder; no name leads out of it."""
    paths = []
    for name, data in files:
        # before the dots are looked for: ".\0." is ".." after
        cleaned = clean(name).replace("\0", "").replace("\\", "/")
        parts = [part[:150] for part in PurePosixPath(cleaned).parts if part not in ("/", "//", "..", ".")]
        path = folder.joinpath(*(parts[-DEEPEST:] or ["file"]))
        with writable(path):  # one that is too long, or below another file
            if path.exists():
                raise FormatError(f"Two files have the name {name!r}", do="rename one")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        paths.append(path)
    return paths


def _topics(folder: Path, paths: list[Path]) -> list[Topic]:
    reading = Reading()
    # folders, or nothing but documents, are one corpus or class; other files are topics each by itself
    nested = any(path.parent != folder for path in paths)
    if nested or all(path.suffix.lower() in DOCUMENTS for path in paths):
        entries = list(folder.iterdir())
        return reading.topics(entries[0] if nested and len(entries) == 1 else folder)
    return formats.join(_under_one_name([topic for path in paths for topic in reading.topics(path)]))


def _under_one_name(topics: Sequence[Topic]) -> list[Topic]:
    """Give topics of one pyramid one name: files of DUCView are called after the pyramid or the peer they hold."""
    names: dict[object, str] = {}
    # topics without annotations first: the pyramid's own file gives the name
    for topic in sorted(topics, key=lambda topic: bool(topic.annotations)):
        if topic.pyramid:
            names.setdefault((topic.pyramid.references, topic.pyramid.scus), topic.id)
    renamed = []
    for topic in topics:
        if topic.pyramid:
            id = names[topic.pyramid.references, topic.pyramid.scus]
            topic = replace(topic, id=id, pyramid=replace(topic.pyramid, topic=id))
        renamed.append(topic)
    return renamed


# Out


def topic_file(topic: Topic, kind: str, annotation: Annotation | None = None) -> tuple[str, bytes]:
    """Return a file of a topic: its name and content. ``kind`` is json, pyr, or pan, which needs an annotation."""
    if kind == "json":
        return f"{topic.id}.json", formats.dumps([topic], "json")
    if kind == "pyr":
        alone = replace(topic, annotations=())
        return f"{topic.id}.pyr", formats.dumps([alone], "ducview")
    if kind == "pan" and annotation is not None:
        alone = replace(topic, annotations=(annotation,))
        named = f"{annotation.annotator}." if annotation.annotator else ""
        return f"{named}{annotation.summary.id}.pan", formats.FORMATS["ducview"].dumps([alone], suffix=".pan")  # type: ignore[attr-defined]
    raise FormatError(f"There is no format {kind[:20]!r} here.", do="choose json, pyr, pan, jsonl or zip")


def corpus_archive(topics: Sequence[Topic]) -> bytes:
    """Return the topics' corpus folder, zipped, with a .pyr of each pyramid and a .pan of each annotation beside it."""
    with TemporaryDirectory() as temporary, collect_notes():  # what they lack, the other files have
        folder = Path(temporary) / "corpus"
        formats.dump(topics, folder, "folder")
        stream = io.BytesIO()
        with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(folder.rglob("*")):
                if path.is_file():
                    archive.write(path, path.relative_to(temporary))
            for topic in topics:
                _add_ducview(archive, topic)
    return stream.getvalue()


def _add_ducview(archive: zipfile.ZipFile, topic: Topic) -> None:
    from pyramidion.reports.feedback_pages import file_name

    if topic.pyramid and topic.pyramid.scus:
        archive.writestr(f"ducview/{file_name(topic.id)}/{file_name(topic.id)}.pyr", topic_file(topic, "pyr")[1])
        for annotation in topic.annotations:
            if annotation.summary.role == "peer":
                name, data = topic_file(topic, "pan", annotation)
                archive.writestr(f"ducview/{file_name(topic.id)}/{file_name(name.removesuffix('.pan'))}.pan", data)
