"""REALSumm and data published in its layout: the documents that people judged, their scores, and folds.

REALSumm (Bhandari et al. 2020; in the layout of :mod:`pyramidion.formats.lite3pyramid`): 100 documents with one
reference each, the summaries of 25 systems, and for every SCU of a reference whether a summary has it. The human score
is the share of SCUs present.

A dataset may publish *folds*, disjoint sets of its documents: ``folds/NAME.id``, an id a line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from pyramidion.analyses.accuracy.held_out import Fold
from pyramidion.analyses.accuracy.peer_scores import Key
from pyramidion.base.files import decode, read_bytes
from pyramidion.errors import FormatError
from pyramidion.formats.read import READING, Reading
from pyramidion.model import Topic


def read(directory: str | Path, documents: int | None = None, reading: Reading = READING) -> list[Topic]:
    """Read the documents that people judged, or the first few of them."""
    topics = reading.topics(directory)
    judged = [topic for topic in topics if topic.pyramid and topic.pyramid.scus and topic.annotations]
    if not judged:
        raise FormatError(
            "No summary in this folder has SCU labels", str(directory), "name a folder with SCUs.txt and labels/*.label"
        )
    return judged[:documents]


def human_scores(topics: Iterable[Topic]) -> dict[Key, float]:
    """Return the share of SCUs that each labelled summary expresses, by document and system."""
    return {
        (topic.id, annotation.summary.id): len(annotation.expressed) / len(topic.pyramid.scus)
        for topic in topics
        if topic.pyramid and topic.pyramid.scus
        for annotation in topic.annotations
    }


def read_folds(directory: str | Path, topics: Sequence[Topic]) -> tuple[Fold, ...]:
    """Return the published folds, restricted to these documents; each document must be in exactly one fold."""
    folder = Path(directory) / "folds"
    files = sorted(folder.glob("*.id")) if folder.is_dir() else []
    if not files:
        raise FormatError(
            "This folder has no published folds", str(folder), "add files folds/NAME.id with one id per line"
        )
    wanted = {topic.id for topic in topics}
    home: dict[str, Path] = {}
    folds = []
    for file in files:
        fold = [id for id in decode(read_bytes(file), str(file), may_be_empty=True).split() if id in wanted]
        for id in fold:
            if id in home:
                raise FormatError(f"{id!r} is in this fold and in {home[id].name}", str(file), "keep it in one of them")
            home[id] = file
        folds.append(tuple(fold))
    missing = [topic.id for topic in topics if topic.id not in home]
    if missing:
        raise FormatError(f"{missing[0]!r} is in no fold", str(folder), "add it to one of the fold files")
    return tuple(filter(None, folds))
