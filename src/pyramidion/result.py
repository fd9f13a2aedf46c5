"""The base class of all results: a frozen value with a signature, tables, JSON and a picture.

A study is one function that takes values and returns a :class:`Result`. The result has a signature, tables by name,
rows as dictionaries, a data frame, JSON, and perhaps a picture; printed it is its tables, and so it is in a notebook.
The command line and Python users get the same from it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from pyramidion.base.choices import check_choices
from pyramidion.base.pictures import PictureFormat
from pyramidion.base.tables import Cell, Table, html, render_all
from pyramidion.errors import MissingPartError, PyramidionError
from pyramidion.signature import Signature

if TYPE_CHECKING:
    from pandas import DataFrame
    from pyarrow import Table as ArrowTable


class Result(ABC):
    """The base of every result. A subclass is a frozen dataclass and says what its tables are."""

    __slots__ = ()

    signature: Signature

    @abstractmethod
    def tables(self, *, whole: bool = False) -> Mapping[str, Table]:
        """Every table by its name, the leading one first. ``whole``: with all columns, for programs."""

    @property
    def shown(self) -> tuple[str, ...]:
        """The names of the tables that are printed by default; all of them unless a subclass says otherwise."""
        return tuple(self.tables())

    def table(self, name: str = "", *, whole: bool = False) -> Table:
        """Return the table of this name; the default is the first table."""
        tables = self.tables(whole=whole)
        if name and name not in tables:
            raise PyramidionError(
                f"This result has no table {name!r}.", do=f"choose one of these: {', '.join(tables) or 'none'}"
            )
        return tables[name or next(iter(tables))]

    def rows(self, table: str = "") -> list[dict[str, Cell]]:
        """Return a table's rows as dictionaries, with every column and full precision."""
        chosen = self.table(table, whole=True)
        names = chosen.keys or chosen.columns
        return [dict(zip(names, row, strict=True)) for row in chosen.rows]

    def to_frame(self, table: str = "") -> DataFrame:
        """Return a table as a data frame; the signature is in its ``attrs``."""
        try:
            from pandas import DataFrame
        except ImportError as error:
            raise MissingPartError("A data frame needs pandas.", do="run: pip install 'pyramidion[data]'") from error
        chosen = self.table(table, whole=True)
        frame = DataFrame(self.rows(table), columns=list(chosen.keys or chosen.columns))
        frame.attrs["signature"] = str(self.signature)
        return frame

    def to_arrow(self, table: str = "") -> ArrowTable:
        """A table of Arrow; ``polars.from_arrow`` makes a frame of it. The signature is in its metadata."""
        try:
            import pyarrow
        except ImportError as error:
            raise MissingPartError("An Arrow table needs pyarrow.", do="run: pip install 'pyramidion[data]'") from error
        arrow_table: ArrowTable = pyarrow.Table.from_pylist(self.rows(table))
        return arrow_table.replace_schema_metadata({"signature": str(self.signature)})

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The leading table for whoever reads Arrow's C stream: ``polars.DataFrame(result)``."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_json(self) -> Any:
        """Everything, for programs: the signature, and every table's rows."""
        return {"signature": str(self.signature), **{name: self.rows(name) for name in self.tables()}}

    @property
    def prose(self) -> str:
        """The text that is printed after the tables; empty unless a result says otherwise."""
        return ""

    @property
    def exit_status(self) -> int:
        """The exit status of a command that prints it; 0 unless a result says that something failed."""
        return 0

    @check_choices
    def draw(self, format: PictureFormat, /) -> bytes:
        """The result as a picture."""
        raise PyramidionError("This result has no picture.", do="leave out the picture, or print its tables")

    def __str__(self) -> str:
        return render_all([self.table(name) for name in self.shown]) + self.prose

    def _repr_html_(self) -> str:
        prose = f"<pre>{escape(self.prose)}</pre>" if self.prose else ""
        return "\n".join(html(self.table(name)) for name in self.shown) + prose
