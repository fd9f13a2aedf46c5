"""A run as a file for others: a table of scores (CSV, Parquet), or topics with pyramids and matches (JSON lines).

It is written a piece at a time, so that a run of any size fits, and stands under its name only once it is whole.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from pyramidion.errors import MissingPartError, PyramidionError
from pyramidion.formats import native
from pyramidion.io.csv import harmless
from pyramidion.io.files import replacing
from pyramidion.model import Topic
from pyramidion.runs.run import Run
from pyramidion.runs.store import COLUMNS, TEXTS

BATCH = 10_000
"""Rows of Parquet that are written together."""


def export(run: Run, path: Path) -> int:
    """Write a run's results to a file, as its ending says; how many summaries, or topics, it has."""
    if path.suffix not in WRITERS:
        raise PyramidionError(
            f"A run cannot be written as {path.suffix or 'a file without an ending'}.",
            str(path),
            f"choose one of these endings: {', '.join(WRITERS)}",
        )
    with replacing(path) as file:
        return WRITERS[path.suffix](run, file)


def _csv(run: Run, file: BinaryIO) -> int:
    signature = str(run.signature)
    text = io.TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*COLUMNS, "signature"])
    count = 0
    for row in run.store.scores():
        writer.writerow([*(harmless(cell) if isinstance(cell, str) else cell for cell in row), signature])
        count += 1
    text.detach()
    return count


def _parquet(run: Run, file: BinaryIO) -> int:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingPartError("Writing .parquet needs pyarrow.", do="run: pip install 'pyramidion[data]'") from error
    kinds = [(name, pyarrow.string() if name in TEXTS else pyarrow.float64()) for name in COLUMNS]
    schema = pyarrow.schema(kinds, metadata={"signature": str(run.signature)})
    count = 0
    with parquet.ParquetWriter(file, schema) as writer:
        for rows in _batches(run.store.scores()):
            columns = [
                pyarrow.array(cells, kind) for cells, (_, kind) in zip(zip(*rows, strict=True), kinds, strict=True)
            ]
            writer.write_table(pyarrow.Table.from_arrays(columns, schema=schema))
            count += len(rows)
    return count


def _batches(rows: Iterator[tuple[Any, ...]]) -> Iterator[Sequence[tuple[Any, ...]]]:
    while batch := list(islice(rows, BATCH)):
        yield batch


def _json_lines(run: Run, file: BinaryIO) -> int:
    count = 0
    for pyramid, kept in run.store.topics():
        annotations = tuple(one.annotation for one in kept)
        peers = {one.summary.id: one.summary for one in annotations}
        topic = Topic(pyramid.topic, pyramid.references, tuple(peers.values()), (), pyramid, annotations)
        file.write(native.line(topic))
        count += 1
    return count


WRITERS: dict[str, Callable[[Run, BinaryIO], int]] = {".csv": _csv, ".jsonl": _json_lines, ".parquet": _parquet}
"""By the ending of a file."""
