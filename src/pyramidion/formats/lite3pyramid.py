"""The text folder of Lite2-3Pyramid (Zhang and Bansal 2021), in which REALSumm and PyrXSum are published.

``ids.txt``, ``references.txt``, ``documents.txt`` and ``summaries/<system>.summary`` have one line a document.
``SCUs.txt`` (written by people) or ``STUs.txt`` (automatic) has the document's units, separated by tabs, and
``labels/<system>.label`` a 0 or 1 for each SCU. A topic is a document with one reference; its SCUs are numbered from 1
and all weigh 1. Documents, summaries, units and labels may be missing; what is there must be aligned, line by line and
unit by unit.

Labels judge the SCUs, so they are not read with STUs. A summary may be empty; an empty line among the documents means
that there is none. A folder is written under a temporary name and then renamed, so that a killed run leaves no half of
one; the units are written as ``SCUs.txt``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Literal

from pyramidion.base.choices import check_choices
from pyramidion.base.files import decode, encode, read_bytes, readable, write_folder
from pyramidion.base.limits import check_count
from pyramidion.base.unused import entries, files_in, is_file, kind, unused
from pyramidion.errors import FormatError, Where
from pyramidion.formats._differences import find_losses, read_folder
from pyramidion.formats.join import first_annotations
from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Source, Summary, Topic
from pyramidion.notes import note

TITLE = "Lite2-3Pyramid: a folder of line-aligned texts, units and labels"
SUFFIXES = ()
Units = Literal["SCUs", "STUs"]
REFERENCE = "reference"
DOCUMENT = "document"
PARTS = {
    **dict.fromkeys(("ids.txt", "references.txt", "documents.txt", "SCUs.txt", "STUs.txt"), "a file"),
    **dict.fromkeys(("summaries", "labels", "folds"), "a folder"),
}
"""The parts of such a folder. The folds say which documents go together in an experiment; ``bench`` reads them."""


def sniff(path: Path, head: bytes) -> bool:
    """Return whether this is a folder with ``ids.txt`` and ``references.txt``."""
    return (path / "ids.txt").is_file() and (path / "references.txt").is_file()


@check_choices
def load(path: Path, *, units: Units = "SCUs") -> list[Topic]:
    """Return the topics of a folder; ``units`` is ``SCUs`` (with the labels) or ``STUs``."""
    with readable(path):
        if not path.is_dir():
            raise FormatError(
                "This is not a folder", str(path), "name the folder that holds ids.txt and references.txt"
            )
    _tell_unused(path, units)
    systems = {file.stem: file for file in files_in(path / "summaries", ".summary")}
    labels = {file.stem: file for file in files_in(path / "labels", ".label")} if units == "SCUs" else {}
    ids = _ids(path / "ids.txt")
    folder = _Folder(path, ids, units)
    references = folder.lines(path / "references.txt")
    documents = folder.lines(path / "documents.txt") if is_file(path / "documents.txt") else [""] * len(ids)
    summaries = {system: folder.lines(file) for system, file in systems.items()}
    pyramids = folder.pyramids(references)
    judged = folder.labels(labels, summaries, pyramids)
    topics = []
    for number, id in enumerate(ids):
        peers = {system: Summary(system, lines[number], "peer") for system, lines in summaries.items()}
        topics.append(
            Topic(
                id,
                (Summary(REFERENCE, references[number], "reference"),),
                tuple(peers.values()),
                (Source(DOCUMENT, documents[number]),) if documents[number] else (),
                pyramids[number] if pyramids else None,
                tuple(Annotation(peers[system], matches[number]) for system, matches in judged.items()),
            )
        )
    return topics


def _tell_unused(path: Path, units: Units) -> None:
    """Note what stands beside the files that are read."""
    for entry in entries(path):
        if entry.name in ("SCUs.txt", "STUs.txt") and entry.stem != units:
            unused(entry, f"other units than those that are read ({units})")
        elif entry.name == "labels" and units != "SCUs":
            unused(entry, "labels judge the SCUs, not the STUs")
        elif entry.name not in PARTS:
            unused(entry, f"{kind(entry)} that is no part of this format")
        elif kind(entry) != PARTS[entry.name]:
            unused(entry, f"{kind(entry)}, not {PARTS[entry.name]}")


def _lines(file: Path) -> list[str]:
    """Return the lines of a file; a final line end gives one more, empty line: the published files have none."""
    if file.exists() and not is_file(file):
        raise FormatError(
            f"{kind(file)}, not a file", str(file), "replace it with a file that has one line per document"
        )
    text = decode(read_bytes(file), str(file), may_be_empty=True)
    return text.replace("\r\n", "\n").split("\n")


def _ids(file: Path) -> list[str]:
    """Return the ids, one a line; an empty one or one that comes again is an error."""
    lines = _lines(file)
    # the number of ids decides how many lines the other files have: blank lines at the end do not count
    while lines and not lines[-1].strip():
        lines.pop()
    first: dict[str, int] = {}
    for number, id in enumerate(lines, start=1):
        if not id.strip():
            raise FormatError("The id is empty", Where(str(file), number), "give every document an id")
        if id in first:
            raise FormatError(
                f"The id {id!r} occurs twice, first in line {first[id]}", Where(str(file), number), "give each its own"
            )
        first[id] = number
    if not lines:
        raise FormatError("The file is empty", str(file), "write one id per line")
    return lines


class _Folder:
    """The files beside ``ids.txt``, read in step with it."""

    def __init__(self, path: Path, ids: Sequence[str], units: Units) -> None:
        self.path = path
        self.ids = ids
        self.units = path / f"{units}.txt"

    def lines(self, file: Path) -> list[str]:
        """Return the lines of a file, which must be as many as the ids, a final line end aside."""
        lines = _lines(file)
        if len(lines) == len(self.ids) + 1 and not lines[-1]:
            lines.pop()
        if len(lines) != len(self.ids):
            raise FormatError(
                f"The file has {len(lines)} lines, but ids.txt has {len(self.ids)}",
                Where(str(file), min(len(lines), len(self.ids) + 1)),
                "write one line for each id, in the same order",
            )
        return lines

    def pyramids(self, references: Sequence[str]) -> list[Pyramid]:
        """Return a pyramid for each document, or no pyramid if the file of units is missing."""
        if not is_file(self.units):
            if self.units.stem == "STUs":
                raise FormatError("There is no such file", str(self.units), "read the SCUs instead, or add it")
            return []
        lines = self.lines(self.units)
        check_count(sum(line.count("\t") + 1 for line in lines), "units", str(self.units))
        return [
            Pyramid(
                id,
                (Summary(REFERENCE, reference, "reference"),),
                tuple(
                    SCU(str(number), unit, (Contributor(REFERENCE, label=unit),))
                    for number, unit in enumerate(self.cells(self.units, index, line, _unit), start=1)
                ),
            )
            for index, (id, reference, line) in enumerate(zip(self.ids, references, lines, strict=True))
        ]

    def labels(
        self, labels: dict[str, Path], summaries: dict[str, list[str]], pyramids: Sequence[Pyramid]
    ) -> dict[str, list[tuple[Match, ...]]]:
        """Return the matches of each labelled system in each document."""
        if labels and not pyramids:
            note(f"{self.path}: Labels without {self.units.name} cannot be used and were left out")
            unused(self.path / "labels", f"labels without {self.units.name} say nothing")
            return {}
        judged = {}
        for system, file in labels.items():
            if system not in summaries:
                raise FormatError(
                    f"The system {system!r} has labels but no summaries", str(file), f"add summaries/{system}.summary"
                )
            judged[system] = [
                self.matches(file, index, line, pyramids[index]) for index, line in enumerate(self.lines(file))
            ]
        return judged

    def matches(self, file: Path, index: int, line: str, pyramid: Pyramid) -> tuple[Match, ...]:
        cells = self.cells(file, index, line, _label)
        if len(cells) != len(pyramid.scus):
            raise FormatError(
                f"There are {len(cells)} labels for the {len(pyramid.scus)} units of {self.ids[index]!r}",
                Where(str(file), index + 1),
                f"give one for each unit in {self.units.name}",
            )
        return tuple(Match(scu.id) for scu, label in zip(pyramid.scus, cells, strict=True) if label.strip() == "1")

    def cells(self, file: Path, index: int, line: str, check: Callable[[str], str]) -> list[str]:
        """Return the cells of a line, each checked; an empty line has none."""
        cells = line.split("\t") if line.strip() else []
        for number, cell in enumerate(cells, start=1):
            if wrong := check(cell):
                raise FormatError(wrong, Where(str(file), index + 1, element=f"cell {number}"), "correct the line")
        return cells


def _unit(cell: str) -> str:
    return "" if cell.strip() else "the unit is empty"


def _label(cell: str) -> str:
    return "" if cell.strip() in ("0", "1") else f"the label is {cell[:20]!r}, not 0 or 1"


def losses(topics: Sequence[Topic], path: Path) -> list[str]:
    """List what is lost when the folder is read again."""
    return find_losses(topics, _files, lambda files: read_folder(files, load))


def dump(topics: Sequence[Topic], path: Path) -> None:
    """Write a folder, which must not exist yet or be empty."""
    write_folder(path, _files(topics))


def _files(topics: Sequence[Topic]) -> dict[str, bytes]:
    """Return the content of each file, by its name in the folder."""
    return {name: encode("\n".join(lines) + "\n") for name, lines in _contents(topics).items()}


def _contents(topics: Sequence[Topic]) -> dict[str, list[str]]:
    """Return the lines of each file, by its name in the folder."""
    systems = list(dict.fromkeys(peer.id for topic in topics for peer in topic.peers))
    peers = [{peer.id: peer.text for peer in topic.peers} for topic in topics]
    contents = {
        "ids.txt": _distinct_ids([topic.id for topic in topics]),
        "references.txt": [_flat(next((text.text for text in _references(topic)), "")) for topic in topics],
    }
    if any(topic.sources for topic in topics):
        contents["documents.txt"] = [_flat(next((text.text for text in topic.sources), "")) for topic in topics]
    if any(topic.pyramid for topic in topics):
        contents["SCUs.txt"] = ["\t".join(_units(topic)) for topic in topics]
    for system in systems:
        if not system or system.startswith(".") or set(system) & set("/\\\0\n"):
            raise FormatError(f"The peer's id {system!r} cannot be a file name", do="give it another one")
        contents[f"summaries/{system}.summary"] = [_flat(texts.get(system, "")) for texts in peers]
    annotated = [_by_system(topic) for topic in topics]
    for system in _labelled_systems(topics, systems):
        contents[f"labels/{system}.label"] = [
            _labels(topic.pyramid, annotations.get(system))
            for topic, annotations in zip(topics, annotated, strict=True)
        ]
    return contents


def _flat(text: str) -> str:
    return re.sub(r"\r\n|[\t\r\n]", " ", text)


def _distinct_ids(ids: Sequence[str]) -> list[str]:
    flat = [_flat(id) for id in ids]
    if not flat or len(set(flat)) < len(flat) or not all(id.strip() for id in flat):
        raise FormatError("The topics do not all have distinct ids that are not empty", do="name each topic")
    return flat


def _references(topic: Topic) -> tuple[Summary, ...]:
    return topic.references or (topic.pyramid.references if topic.pyramid else ())


def _units(topic: Topic) -> Iterator[str]:
    for scu in topic.pyramid.scus if topic.pyramid else ():
        if not scu.label.strip():
            raise FormatError(f"Topic {topic.id!r}: SCU {scu.id!r} has no label", do="write one")
        yield _flat(scu.label)


def _by_system(topic: Topic) -> dict[str, Annotation]:
    return {annotation.summary.id: annotation for annotation in first_annotations(topic, "peer")}


def _labelled_systems(topics: Sequence[Topic], systems: Sequence[str]) -> list[str]:
    """Return the systems annotated wherever there are SCUs: zeros for the others would be judgements nobody made."""
    annotated = [set(_by_system(topic)) for topic in topics if topic.pyramid and topic.pyramid.scus]
    return [system for system in systems if annotated and all(system in in_topic for in_topic in annotated)]


def _labels(pyramid: Pyramid | None, annotation: Annotation | None) -> str:
    expressed = {match.scu for match in annotation.matches} if annotation else set()
    return "\t".join("1" if scu.id in expressed else "0" for scu in (pyramid.scus if pyramid else ()))
