"""A workspace in one file, and back: every table, row by row, the same for SQLite and PostgreSQL.

The file is gzip of JSON lines: first the schema's version, then ``[table, {column: value}]``. So a workspace can also
move from one database to the other. A file of an older schema is read as well, since every step so far only adds
tables; a step that changes one has to change its rows here, too.
"""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Engine, func, insert, select

from pyramidion.base.files import read_bytes, writable, write_bytes
from pyramidion.errors import FormatError, PyramidionError
from pyramidion.studio import schema
from pyramidion.studio.database import database_errors

MARK = "pyramidion-studio"


def back_up(engine: Engine, path: Path) -> int:
    """Write everything into a file, as it is at one moment; return how many rows there are."""
    stream = io.BytesIO()
    rows = 0
    with gzip.GzipFile(fileobj=stream, mode="wb", mtime=0) as file, database_errors(), engine.connect() as reading:
        if engine.dialect.name == "postgresql":
            # one snapshot for all tables: otherwise each would be read as it is when its turn comes
            reading.execution_options(isolation_level="REPEATABLE READ")
        else:
            reading.exec_driver_sql("begin")  # which SQLite's driver leaves out before reading
        version = reading.execute(select(schema.version_table.c.version)).scalar_one()
        file.write(msgspec.json.encode({MARK: version}) + b"\n")
        for table in schema.DATA:
            for row in reading.execute(select(table)):
                values = {f"{name}": value for name, value in row._mapping.items()}
                file.write(msgspec.json.encode([f"{table.name}", values]) + b"\n")
                rows += 1
    with writable(path):
        path.touch(0o600)  # it holds everybody's texts and hashes of passwords; write_bytes keeps the mode
    write_bytes(path, stream.getvalue())
    return rows


def restore(engine: Engine, path: Path) -> int:
    """Fill an empty workspace from a file, wholly or not at all; return how many rows there are."""
    try:
        first, *lines = gzip.decompress(read_bytes(path)).splitlines()
        about = msgspec.json.decode(first, type=dict[str, int])
        rows = [msgspec.json.decode(line, type=tuple[str, dict[str, Any]]) for line in lines]
        version = about[MARK]
    except (OSError, EOFError, ValueError, KeyError, msgspec.MsgspecError):
        raise FormatError("This is no backup of a studio.", str(path), "name the file that a backup wrote") from None
    if version > len(schema.STEPS):
        raise PyramidionError(f"The backup was written by a newer Pyramidion (schema {version}).", do="update this one")
    tables = {table.name: table for table in schema.DATA}
    with database_errors(), engine.begin() as connection:
        if any(connection.execute(select(func.count()).select_from(table)).scalar() for table in schema.DATA):
            raise PyramidionError("The workspace is not empty.", do="restore into a new one")
        # in this order, since rows refer to rows of earlier tables
        for table in schema.DATA:
            table_rows = [values for name, values in rows if name == table.name]
            if table_rows:
                connection.execute(insert(tables[table.name]), table_rows)
    return len(rows)
