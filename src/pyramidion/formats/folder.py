"""A corpus as a folder, for people who work with files.

The layout::

    CORPUS/TOPIC/references/A.txt B.txt ...     CORPUS/TOPIC/pyramid.json    (or .pyr)
    CORPUS/TOPIC/peers/SYSTEM.txt ...           CORPUS/TOPIC/annotations/SYSTEM.json ...    (or .pan)
    CORPUS/TOPIC/sources/1.txt ...

Every part is optional, a folder that is itself one topic is read as a corpus of one, and a folder of bare ``.pan``
files (as DUC and TAC distributed them) is read as their topics. A topic's id is its folder's name, a summary's id its
file's name without the ending. Where a pyramid or an annotation carries a text of its own, its offsets point into
that, so that text is the one kept.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from pyramidion.errors import FormatError, InputWarning, ModelError, Where
from pyramidion.formats import ducview, native
from pyramidion.formats._files import encode, read_text, readable, squash, write_folder
from pyramidion.model import Annotation, Pyramid, Source, Summary, Topic

TITLE = "A corpus folder: TOPIC/references, peers, sources, pyramid, annotations"
SUFFIXES = ()

PARTS = ("references", "peers", "sources", "annotations")
PYRAMIDS = ("pyramid.json", "pyramid.pyr")
READERS = {".json": native, ".pyr": ducview, ".pan": ducview}


def sniff(path: Path, head: bytes) -> bool:
    """A folder that is a topic, holds topics, or holds DUCView annotations."""
    return path.is_dir() and (_is_topic(path) or any(_is_topic(child) for child in path.iterdir()) or bool(_bare(path)))


def load(path: Path) -> list[Topic]:
    """The topics of a folder, by name."""
    with readable(path):
        if not path.is_dir():
            raise NotADirectoryError
        if _is_topic(path):
            return [_load_topic(path)]
        topics = [_load_topic(child) for child in sorted(path.iterdir()) if _is_topic(child)]
        bare = _bare(path)
    if not topics and not bare:
        raise FormatError(
            "no topic in this folder",
            str(path),
            "a topic is a folder with references/, peers/, annotations/ or a pyramid file",
        )
    return topics + join(topic for file in bare for topic in ducview.load(file))


def _is_topic(path: Path) -> bool:
    return path.is_dir() and (
        any((path / part).is_dir() for part in PARTS) or any((path / name).is_file() for name in PYRAMIDS)
    )


def _bare(path: Path) -> list[Path]:
    return sorted(file for file in path.iterdir() if file.suffix == ".pan" and file.is_file())


def join(topics: Iterable[Topic]) -> list[Topic]:
    """Topics of the same id and pyramid made one, as when each peer came in a file of its own."""
    joined: dict[str, Topic] = {}
    for topic in topics:
        first = joined.setdefault(topic.id, topic)
        if first is topic:
            continue
        if first.pyramid != topic.pyramid:
            raise ModelError(
                f"topic {topic.id!r} comes with two different pyramids "
                f"(the second with {topic.annotations[0].summary.id!r})",
                do="put them into topics of their own, or score the files one by one",
            )
        known = {peer.id for peer in first.peers}
        joined[topic.id] = replace(
            first,
            peers=first.peers + tuple(peer for peer in topic.peers if peer.id not in known),
            annotations=first.annotations + topic.annotations,
        )
    return list(joined.values())


def _texts(folder: Path) -> dict[str, str]:
    """The plain texts in a folder by name."""
    if not folder.is_dir():
        return {}
    return {file.stem: read_text(file) for file in sorted(folder.iterdir()) if file.suffix == ".txt" and file.is_file()}


def _load_topic(path: Path) -> Topic:
    id = path.resolve().name
    references = tuple(Summary(name, text, "reference") for name, text in _texts(path / "references").items())
    peers = {name: Summary(name, text, "peer") for name, text in _texts(path / "peers").items()}
    pyramid = _load_pyramid(path, id, references)
    if pyramid and _same_texts(references, pyramid.references):
        references = pyramid.references
    elif pyramid and references:
        warnings.warn(
            f"{path}: the pyramid was made of other references than those in references/", InputWarning, stacklevel=2
        )
    annotations = []
    for annotation in _load_annotations(path, pyramid):
        annotations.append(annotation)
        if annotation.summary.role == "peer":
            _warn_of_other_text(path, peers.get(annotation.summary.id), annotation.summary)
            peers[annotation.summary.id] = annotation.summary
    sources = tuple(Source(name, text) for name, text in _texts(path / "sources").items())
    try:
        return Topic(id, references, tuple(peers[name] for name in sorted(peers)), sources, pyramid, tuple(annotations))
    except ModelError as error:
        raise error.at(Where(str(path))) from None


def _squashed(texts: Iterable[str]) -> set[str]:
    return {squash(text) for text in texts}


def _same_texts(files: Sequence[Summary], own: Sequence[Summary]) -> bool:
    return _squashed(summary.text for summary in files) <= _squashed(summary.text for summary in own)


def _warn_of_other_text(path: Path, file: Summary | None, annotated: Summary) -> None:
    if file and _squashed([file.text]) != _squashed([annotated.text]):
        warnings.warn(
            f"{path}: the annotation of {annotated.id!r} was made on another text than peers/{annotated.id}.txt; "
            "kept the annotated one",
            InputWarning,
            stacklevel=3,
        )


def _one_topic(file: Path) -> Topic:
    topics: list[Topic] = READERS[file.suffix].load(file)
    if len(topics) != 1:
        raise FormatError(f"{len(topics)} topics in one file", str(file), "one topic a folder, please")
    return topics[0]


def _load_pyramid(path: Path, id: str, references: tuple[Summary, ...]) -> Pyramid | None:
    files = [path / name for name in PYRAMIDS if (path / name).is_file()]
    if len(files) > 1:
        raise FormatError("two pyramids: pyramid.json and pyramid.pyr", str(path), "delete or rename one")
    if not files:
        return None
    pyramid = _one_topic(files[0]).pyramid
    if pyramid is None:
        raise FormatError("no pyramid in this file", str(files[0]), "write the pyramid of the topic here")
    return replace(pyramid, topic=id)


def _load_annotations(path: Path, pyramid: Pyramid | None) -> Iterable[Annotation]:
    folder = path / "annotations"
    for file in sorted(folder.iterdir()) if folder.is_dir() else ():
        if file.suffix not in (".json", ".pan"):
            continue
        topic = _one_topic(file)
        for annotation in topic.annotations:
            if pyramid and topic.pyramid and file.suffix == ".pan" and topic.pyramid.scus != pyramid.scus:
                raise FormatError(
                    "annotated with another pyramid than the topic's", str(file), "use the same pyramid for both"
                )
            if pyramid:
                try:
                    annotation.check(pyramid)
                except ModelError as error:
                    raise error.at(Where(str(file))) from None
            yield annotation


def losses(topics: Sequence[Topic], path: Path) -> list[str]:
    """What a folder cannot hold: nothing."""
    return []


def dump(topics: Sequence[Topic], path: Path, *, files: str = "json") -> None:
    """Write a new folder; ``files`` says how pyramids and annotations are written: ``json`` or ``ducview``."""
    if files not in ("json", "ducview"):
        raise FormatError(f"pyramids and annotations cannot be written as {files!r}", do="choose json or ducview")
    content: dict[str, bytes] = {}
    for topic in topics:
        for name, data in _topic_files(topic, files).items():
            content[f"{_file_name(topic.id)}/{name}"] = data
    write_folder(path, content)


def _file_name(id: str) -> str:
    if (
        not id
        or id != id.strip()
        or id.startswith(".")
        or set(id) & set('/\\:*?"<>|\0\n\r\t')
        or len(id.encode()) > 200
    ):
        raise FormatError(f"the id {id!r} cannot be a file's name", do="rename it, or write JSON instead")
    return id


def _topic_files(topic: Topic, files: str) -> dict[str, bytes]:
    made = {f"references/{_file_name(reference.id)}.txt": encode(reference.text) for reference in topic.references}
    made |= {f"peers/{_file_name(peer.id)}.txt": encode(peer.text) for peer in topic.peers}
    made |= {f"sources/{_file_name(source.id)}.txt": encode(source.text) for source in topic.sources}
    if topic.pyramid:
        bare = Topic(topic.id, topic.pyramid.references, pyramid=topic.pyramid)
        name = "pyramid.pyr" if files == "ducview" else "pyramid.json"
        made[name] = ducview.dumps([bare]) if files == "ducview" else native.dumps([bare])
    for annotation in topic.annotations:
        summary = annotation.summary
        peers = (summary,) if summary.role == "peer" else ()
        name = _file_name(f"{annotation.annotator}.{summary.id}" if annotation.annotator else summary.id)
        if files == "ducview":
            one = replace(topic, references=(), peers=peers, sources=(), annotations=(annotation,))
            made[f"annotations/{name}.pan"] = ducview.dumps([one])
        else:
            made[f"annotations/{name}.json"] = native.dumps([Topic(topic.id, peers=peers, annotations=(annotation,))])
    return made
