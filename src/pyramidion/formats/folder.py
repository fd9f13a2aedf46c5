"""A corpus as a folder, for people who work with files.

The layout::

    CORPUS/TOPIC/references/A.txt B.txt ...     CORPUS/TOPIC/pyramid.json    (or .pyr)
    CORPUS/TOPIC/peers/SYSTEM.txt ...           CORPUS/TOPIC/annotations/SYSTEM.json ...    (or .pan)
    CORPUS/TOPIC/sources/1.txt ...

Every part is optional, a folder that is itself one topic is read as a corpus of one, and a folder of bare annotations
(as DUC and TAC distributed them, ``.pan`` or named as ``114.D0631.M.250.A.16``) is read as their topics. A topic's id
is its folder's name, a summary's id its file's name without the ending. Where a pyramid or an annotation carries a text
of its own, its offsets point into that, so that text is the one kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from pyramidion.base.choices import check_choices
from pyramidion.base.files import encode, head, readable, squash, write_folder
from pyramidion.base.names import clean, parse_name
from pyramidion.base.unused import entries, files_in, is_file, kind, unused
from pyramidion.errors import FormatError, ModelError, Where
from pyramidion.formats import ducview, native
from pyramidion.formats._differences import find_losses, read_folder
from pyramidion.formats.documents import SUFFIXES as DOCUMENTS
from pyramidion.formats.documents import UNREADABLE
from pyramidion.formats.join import check_ids, join
from pyramidion.formats.texts import texts
from pyramidion.model import Annotation, Pyramid, Source, Summary, Topic, Unread
from pyramidion.notes import note

TITLE = "A corpus folder: TOPIC/references, peers, sources, pyramid, annotations"
SUFFIXES = ()
Files = Literal["json", "ducview"]

PARTS = ("references", "peers", "sources", "annotations")
PYRAMIDS = ("pyramid.json", "pyramid.pyr")


def sniff(path: Path, head: bytes) -> bool:
    """Return whether a folder is a topic, holds topics, or holds DUCView annotations."""
    return path.is_dir() and (
        _is_topic(path)
        or any(_is_topic(child) for child in entries(path))
        or any(_is_annotation(file) for file in entries(path))
    )


def load(path: Path) -> list[Topic]:
    """Return the topics of a folder, by name."""
    topics = list(iterload(path))
    try:
        check_ids(topics)
    except ModelError as error:
        raise error.at(Where(str(path))) from None
    return topics


def iterload(path: Path) -> Iterator[Topic]:
    """Yield the topics of a folder, by name; those of bare annotations come last."""
    with readable(path):
        if not path.is_dir():
            raise NotADirectoryError
    if _is_topic(path):
        yield _load_topic(path)
        return
    empty, bare = True, []
    for entry in entries(path):
        if _is_topic(entry):
            empty = False
            yield _load_topic(entry)
        elif _is_annotation(entry):
            bare.append(entry)
        else:
            unused(entry, _no_topic(entry))
    if empty and not bare:
        raise FormatError(
            "There is no topic in this folder",
            str(path),
            "add a folder for each topic, with references/, peers/, annotations/ or a pyramid file",
        )
    yield from join(topic for file in bare for topic in ducview.load(file))


def _no_topic(entry: Path) -> str:
    """Return the reason why an entry of a corpus is not a topic."""
    what = kind(entry)
    if what != "a folder":
        return f"{what} beside the topics, and no annotation"
    return "a folder that is no topic" if entries(entry) else "an empty folder"


def _is_topic(path: Path) -> bool:
    with readable(path):
        return path.is_dir() and (
            any((path / part).is_dir() for part in PARTS) or any((path / name).is_file() for name in PYRAMIDS)
        )


def _is_annotation(file: Path) -> bool:
    """Return whether this is a ``.pan``, or a file that NIST named and that holds what a ``.pan`` does."""
    if not is_file(file):
        return False
    return file.suffix == ".pan" or (bool(parse_name(file.name).topic) and ducview.is_annotation(head(file)))


def _load_topic(path: Path) -> Topic:
    """Return the topic of its folder; texts that a pyramid or an annotation carries are taken before those of files."""
    for entry in entries(path):
        what = kind(entry)
        wanted = "a folder" if entry.name in PARTS else "a file" if entry.name in PYRAMIDS else ""
        if what != wanted:
            unused(entry, f"{what}, not {wanted}" if wanted else f"{what} that is no part of a topic")
    # resolved, because the path may be ".", which has no name
    id = clean(path.resolve().name)
    models = files_in(path / "references", *DOCUMENTS, also=UNREADABLE)
    references = tuple(Summary(name, text) for name, text in texts(models).items())
    unread: dict[str, str] = {}
    handed_in = texts(files_in(path / "peers", *DOCUMENTS, also=UNREADABLE), unread)
    peers = {name: Summary(name, text, "peer") for name, text in handed_in.items()}
    pyramid = _load_pyramid(path, id, references)
    if pyramid and _same_texts(references, pyramid.references):
        references = pyramid.references
    elif pyramid and references:
        note(f"{path}: The pyramid was made from other references than those in references/")
    annotations = []
    for annotation in _load_annotations(path, pyramid):
        annotations.append(annotation)
        if annotation.summary.role == "peer":
            _warn_of_other_text(path, peers.get(annotation.summary.id), annotation.summary)
            peers[annotation.summary.id] = annotation.summary
    sources = tuple(Source(name, text) for name, text in texts(files_in(path / "sources", *DOCUMENTS)).items())
    try:
        by_name = tuple(peers[name] for name in sorted(peers))
        missing = tuple(Unread(name, why) for name, why in sorted(unread.items()))
        return Topic(id, references, by_name, sources, pyramid, tuple(annotations), unread=missing)
    except ModelError as error:
        raise error.at(Where(str(path))) from None


def _squashed_texts(texts: Iterable[str]) -> set[str]:
    return {squash(text) for text in texts}


def _same_texts(files: Sequence[Summary], references: Sequence[Summary]) -> bool:
    """Return whether every file's text is that of a reference, white space aside."""
    found = _squashed_texts(file.text for file in files)
    return found <= _squashed_texts(reference.text for reference in references)


def _warn_of_other_text(path: Path, file: Summary | None, annotated: Summary) -> None:
    if file and _squashed_texts([file.text]) != _squashed_texts([annotated.text]):
        note(
            f"{path}: The annotation of {annotated.id!r} was made on another text than peers/{annotated.id}.txt; the "
            "annotated text is used"
        )


def _one_topic(file: Path) -> Topic:
    topics = native.load(file) if file.suffix == ".json" else ducview.load(file)
    if len(topics) != 1:
        raise FormatError(f"The file holds {len(topics)} topics", str(file), "give each topic its own folder")
    return topics[0]


def _load_pyramid(path: Path, id: str, references: tuple[Summary, ...]) -> Pyramid | None:
    with readable(path):
        files = [path / name for name in PYRAMIDS if (path / name).is_file()]
    if len(files) > 1:
        raise FormatError("There are two pyramids, pyramid.json and pyramid.pyr", str(path), "delete or rename one")
    if not files:
        return None
    pyramid = _one_topic(files[0]).pyramid
    if pyramid is None:
        raise FormatError("There is no pyramid in this file", str(files[0]), "write the pyramid of the topic here")
    return replace(pyramid, topic=id)


def _load_annotations(path: Path, pyramid: Pyramid | None) -> Iterable[Annotation]:
    """Yield the annotations of a topic's folder, checked against its pyramid."""
    folder = path / "annotations"
    inside = entries(folder)
    if not inside and folder.is_dir():
        unused(folder, "an empty folder")
    for file in inside:
        if not (file.suffix == ".json" and is_file(file)) and not _is_annotation(file):
            unused(file, f"{kind(file)} that is no annotation (.json or .pan)")
            continue
        topic = _one_topic(file)
        if not topic.annotations:
            unused(file, "it holds no annotation")
        for annotation in topic.annotations:
            if pyramid and topic.pyramid and file.suffix != ".json" and topic.pyramid.scus != pyramid.scus:
                raise FormatError(
                    "The summary is annotated with a pyramid that is not the topic's",
                    str(file),
                    "use the same pyramid for both",
                )
            if pyramid:
                try:
                    annotation.check(pyramid)
                except ModelError as error:
                    raise error.at(Where(str(file))) from None
            yield annotation


@check_choices
def losses(topics: Sequence[Topic], path: Path, *, files: Files = "json") -> list[str]:
    """List what is lost when the folder is read again."""
    return find_losses(topics, lambda chosen: _corpus_files(chosen, files), lambda content: read_folder(content, load))


@check_choices
def dump(topics: Sequence[Topic], path: Path, *, files: Files = "json") -> None:
    """Write a new folder; ``files`` says how pyramids and annotations are written: ``json`` or ``ducview``."""
    check_ids(topics)
    write_folder(path, _corpus_files(topics, files))


def _corpus_files(topics: Sequence[Topic], files: Files) -> dict[str, bytes]:
    """Return the content of every file, by its path in the corpus."""
    return {name: data for topic in topics for name, data in _topic_files(topic, files).items()}


def _file_name(id: str) -> str:
    if (
        not id
        or id != id.strip()
        or id.startswith(".")
        # what the file systems of Windows, macOS or Linux forbid in names
        or set(id) & set('/\\:*?"<>|\0\n\r\t')
        or len(id.encode("utf-8", "replace")) > 200
    ):
        raise FormatError(f"The id {id!r} cannot be a file's name", do="rename it, or write JSON instead")
    return id


def _topic_files(topic: Topic, files: Files) -> dict[str, bytes]:
    """Return the content of every file of a topic, by its path in the corpus."""
    content: dict[str, bytes] = {}
    for name, data in _contents(topic, files):
        file = f"{_file_name(topic.id)}/{name}"
        if file in content:
            raise FormatError(f"Two annotations would be the file {file!r}", do="rename a summary or an annotator")
        content[file] = data
    return content


def _contents(topic: Topic, files: Files) -> Iterator[tuple[str, bytes]]:
    """Yield the content of every file of a topic, by its path in the topic's folder."""
    for part, inside in (("references", topic.references), ("peers", topic.peers), ("sources", topic.sources)):
        for text in inside:
            yield f"{part}/{_file_name(text.id)}.txt", encode(text.text)
    if topic.pyramid:
        bare = Topic(topic.id, topic.pyramid.references, pyramid=topic.pyramid)
        if files == "ducview":
            yield "pyramid.pyr", ducview.dumps([bare])
        else:
            yield "pyramid.json", native.dumps([bare])
    for annotation in topic.annotations:
        summary = annotation.summary
        peers = (summary,) if summary.role == "peer" else ()
        name = _file_name(f"{annotation.annotator}.{summary.id}" if annotation.annotator else summary.id)
        if files == "ducview":
            alone = replace(topic, references=(), peers=peers, sources=(), annotations=(annotation,))
            yield f"annotations/{name}.pan", ducview.dumps([alone])
        else:
            alone = Topic(topic.id, peers=peers, annotations=(annotation,))
            yield f"annotations/{name}.json", native.dumps([alone])
