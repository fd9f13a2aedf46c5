"""A run as a file for others: a table of scores (CSV, Parquet), or topics with pyramids and matches (JSON lines).

It is written a piece at a time, so that a run of any size fits, and stands under its name only once it is whole.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from pyramidion.base.csv import harmless
from pyramidion.base.files import replacing
from pyramidion.errors import MissingPartError, PyramidionError
from pyramidion.evaluation.run import Run, open_run
from pyramidion.evaluation.store import COLUMNS, TEXTS
from pyramidion.formats import native
from pyramidion.model import Topic

if TYPE_CHECKING:
    from pyarrow import RecordBatchReader

BATCH = 10_000
"""Rows of Arrow and Parquet that are handled together."""


def export(run: Run, path: Path) -> int:
    """Write a run's results to a file, as its ending says; return how many summaries, or topics, the file has."""
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
    text.detach()  # else the wrapper closes the file, which is its caller's
    return count


def arrow(folder: Path) -> RecordBatchReader:
    """The scores of a run as a stream of Arrow, a part at a time; the signature is in its metadata."""
    pyarrow = _pyarrow("An Arrow table")
    with open_run(folder) as run:
        schema = _schema(run, pyarrow)

    def batches() -> Iterator[Any]:
        with open_run(folder) as run:
            yield from _record_batches(run, schema, pyarrow)

    reader: RecordBatchReader = pyarrow.RecordBatchReader.from_batches(schema, batches())
    return reader


def _pyarrow(what: str) -> Any:
    try:
        import pyarrow
    except ImportError as error:
        raise MissingPartError(f"{what} needs pyarrow.", do="run: pip install 'pyramidion[data]'") from error
    return pyarrow


def _schema(run: Run, pyarrow: Any) -> Any:
    kinds = [(name, pyarrow.string() if name in TEXTS else pyarrow.float64()) for name in COLUMNS]
    return pyarrow.schema(kinds, metadata={"signature": str(run.signature)})


def _record_batches(run: Run, schema: Any, pyarrow: Any) -> Iterator[Any]:
    for rows in _batches(run.store.scores()):
        columns = [
            pyarrow.array(cells, kind) for cells, kind in zip(zip(*rows, strict=True), schema.types, strict=True)
        ]
        yield pyarrow.RecordBatch.from_arrays(columns, schema=schema)


def _parquet(run: Run, file: BinaryIO) -> int:
    pyarrow = _pyarrow("Writing .parquet")
    from pyarrow import parquet

    schema, count = _schema(run, pyarrow), 0
    with parquet.ParquetWriter(file, schema) as writer:
        for batch in _record_batches(run, schema, pyarrow):
            writer.write_batch(batch)
            count += len(batch)
    return count


def _batches(rows: Iterator[tuple[Any, ...]]) -> Iterator[Sequence[tuple[Any, ...]]]:
    while batch := list(islice(rows, BATCH)):
        yield batch


def _json_lines(run: Run, file: BinaryIO) -> int:
    count = 0
    for pyramid, summaries in run.store.topics():
        annotations = tuple(stored.annotation for stored in summaries)
        peers = {annotation.summary.id: annotation.summary for annotation in annotations}
        topic = Topic(pyramid.topic, pyramid.references, tuple(peers.values()), (), pyramid, annotations)
        file.write(native.line(topic))
        count += 1
    return count


WRITERS: dict[str, Callable[[Run, BinaryIO], int]] = {".csv": _csv, ".jsonl": _json_lines, ".parquet": _parquet}
"""By the ending of a file."""
