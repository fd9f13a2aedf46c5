"""Tables of outputs: what people have who ran models, or collected answers in a form. JSONL, CSV, TSV, XLSX, Parquet.

A row holds an output of a system on a topic, with the topic's references and perhaps its source (*long*), or the
outputs of several systems, one a column (*wide*). Which column is what is said by ``columns``
(``reference=highlights,output=prediction,system=model,topic=id,source=article``) and guessed by its name where that is
unique. Several columns of one kind are named one after the other (``output=bart,output=t5``); numbered ones
(``reference_1``, ``reference_2``) go together; a cell may also be a list.

Rows of one topic are told by the topic's column, or else by equal references. Where no column holds references, all
rows are of one topic, and ``references`` names the files that hold them.

An output of no words is one that says nothing, and scores 0. An output that is not there (None, NaN, NA, a key that a
row lacks, an empty cell of a file) has no score: it is among what could not be read
(:attr:`~pyramidion.model.Topic.unread`), which a warning names. CSV writes an empty text and a missing one alike; as
wherever data are read, the cell is missing. A blank (``" "``) says that the text is empty.
"""

from __future__ import annotations

import csv
import gc
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

from pyramidion.base.csv import header_of
from pyramidion.base.files import MAX_BYTES, decode, read_bytes, readable
from pyramidion.base.names import clean
from pyramidion.errors import FormatError, MissingPartError, Where
from pyramidion.formats.texts import references_at
from pyramidion.model import Source, Summary, Topic, Unread

TITLE = "Tables of outputs, one a row or a column: JSONL, CSV, TSV, XLSX, Parquet"
SUFFIXES = ()

Kind = Literal["topic", "system", "number", "reference", "output", "source"]
"""The content of a column; ``number`` is the writer's id in another system, such as a student number."""

NAMES: dict[Kind, tuple[str, ...]] = {
    "topic": ("topic", "topic_id", "id", "doc_id", "document_id", "example_id", "query_id", "qid", "prompt_id"),
    "system": ("system", "system_id", "model", "model_name", "run_id", "run", "student", "student_name", "name",
               "full_name", "username", "user", "participant"),
    "number": ("student_id", "student_number", "id_number", "matriculation_number", "sis_user_id", "user_id"),
    "reference": ("reference", "references", "reference_summary", "ref", "refs", "highlights", "gold", "target",
                  "gold_summary", "model_answer", "model_answers"),
    "output": ("output", "outputs", "prediction", "predictions", "generated", "generated_summary", "hypothesis",
               "candidate", "response", "answer", "answer_text", "text_of_answer", "essay", "summary", "submission"),
    "source": ("source", "article", "document", "context", "input", "passage", "source_text"),
}  # fmt: skip
"""Names that a column of each kind goes by, in lower case with underscores."""

_WIDE = ("output", "prediction", "generated", "hypothesis", "summary", "response")
_ENDINGS = (".jsonl", ".ndjson", ".csv", ".tsv", ".xlsx", ".parquet")
MOST_ROWS = 10_000_000


def sniff(path: Path, head: bytes) -> bool:
    """Return whether this is a table with a column for outputs, or of a table's own ending; our JSON lines are not."""
    ending = path.suffix.lower()
    if ending in (".parquet", ".xlsx"):
        return path.is_file()
    if ending in (".csv", ".tsv"):
        return _has_outputs(header_of(head if ending == ".csv" else head.replace(b"\t", b",")))
    line = head.lstrip(b"\xef\xbb\xbf \t\r\n").split(b"\n", 1)[0]
    if ending not in (".jsonl", ".ndjson", ".json") or not line.startswith(b"{"):
        return False
    try:
        first = msgspec.json.decode(line)
    except msgspec.DecodeError:  # longer than what is looked at: by the names that can be seen
        first = dict.fromkeys(re.findall(r'"(\w+)"\s*:', line.decode("utf-8", "replace")))
    return isinstance(first, dict) and "topic" not in first and "format" not in first and _has_outputs(list(first))


def _has_outputs(names: Sequence[str]) -> bool:
    plain = {_plain_name(name) for name in names}
    return bool(plain & set(NAMES["output"])) or any(_wide_system(name) for name in names)


def load(path: Path, *, columns: str = "", references: str = "") -> list[Topic]:
    """Return the topics of a table; ``columns`` says what its columns are, ``references`` names files of references."""
    return from_rows(_rows(path), columns, str(path), references)


def from_rows(
    rows: Iterable[tuple[int, Mapping[str, Any]]], columns: str = "", source: str = "", references: str = ""
) -> list[Topic]:
    """Make topics of numbered rows, in their order; errors name the row and the column."""
    numbered = iter(rows)
    with _no_garbage():
        first = next(numbered, None)
        if first is None:
            raise FormatError("The table has no row.", source, "check that it is the table you meant")
        table = _Table(_Layout.of(list(first[1]), columns, source, bool(references)), source)
        table.add(*first)
        for number, row in numbered:
            table.add(number, row)
        given = tuple(references_at(references, Path(source).parent)) if references else ()
        return table.topics(given)


@contextmanager
def _no_garbage() -> Iterator[None]:
    """Collect no garbage meanwhile: very many objects are made, which all stay, and it took up to half the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@dataclass(frozen=True, slots=True)
class _Layout:
    """The content of the columns, and the system of each column of outputs."""

    kinds: Mapping[Kind, tuple[str, ...]]
    wide: Mapping[str, str]
    columns: tuple[str, ...]

    @classmethod
    def of(cls, names: Sequence[str], columns: str, source: str, has_references: bool) -> _Layout:
        """Return the layout of a table with these columns: as ``columns`` says, the rest guessed by name."""
        named = _named_columns(names, columns, source)
        kinds = {kind: tuple(named.get(kind, ())) or _guess_columns(kind, names, named, source) for kind in NAMES}
        if not kinds["reference"] and "topic" not in named and _plain_name("".join(kinds["topic"])) == "id":
            # A form that one class filled in: the id is the writer's.
            kinds |= {"topic": (), "number": kinds["number"] or kinds["topic"]}
        wide: dict[str, str] = {}
        if len(kinds["output"]) > 1 and not _are_numbered(kinds["output"]):
            wide = {name: _wide_system(name) or name for name in kinds["output"]}
        elif not kinds["output"]:
            wide = {name: system for name in names if (system := _wide_system(name))}
        if not kinds["output"] and not wide:
            raise _unclear("output", names, source)
        if not kinds["reference"] and not has_references:
            raise _unclear("reference", names, source)
        return cls(kinds, wide, tuple(names))

    def column(self, kind: Kind) -> str:
        """Return the first column of a kind, or nothing if there is none."""
        return self.kinds[kind][0] if self.kinds[kind] else ""


def _named_columns(names: Sequence[str], columns: str, source: str) -> dict[Kind, list[str]]:
    """Return the columns of each kind that the setting ``columns`` names: ``KIND=COLUMN``, with commas between them."""
    named: dict[Kind, list[str]] = {}
    for part in filter(None, (part.strip() for part in columns.split(","))):
        kind, equals, name = (piece.strip() for piece in part.partition("="))
        if not equals or kind not in get_args(Kind):
            raise FormatError(
                f"The setting columns has {part!r}.",
                source,
                f"write KIND=COLUMN; the kinds are {', '.join(get_args(Kind))}",
            )
        if name not in names:
            raise FormatError(f"The table has no column {name!r}.", source, f"choose from {_list_names(names)}")
        named.setdefault(kind, []).append(name)  # type: ignore[arg-type]
    return named


def _guess_columns(
    kind: Kind, names: Sequence[str], named: Mapping[Kind, Sequence[str]], source: str
) -> tuple[str, ...]:
    """Return the column of a kind by its likeliest name, or numbered columns together; ``named`` ones are taken."""
    taken = {name for chosen in named.values() for name in chosen}
    free = [name for name in names if name not in taken]
    for likely in NAMES[kind]:
        columns = [name for name in free if _plain_name(name) == likely]
        numbered = [name for name in free if re.fullmatch(rf"{likely}s?_?\d+", _plain_name(name))]
        if len(columns) > 1:
            raise FormatError(
                f"Several columns may be the {kind}: {_list_names(columns)}.", source, f"say which: columns {kind}=NAME"
            )
        if columns or numbered:
            return tuple(columns or numbered)
    return ()


def _unclear(kind: str, names: Sequence[str], source: str) -> FormatError:
    return FormatError(
        f"It is not clear which column holds the {kind}s; the columns are {_list_names(names)}.",
        source,
        f"say which: columns {kind}=NAME" + (", or name files with references" if kind == "reference" else ""),
    )


def _list_names(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:12])) + (", ..." if len(names) > 12 else "")


def _plain_name(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")


def _wide_system(name: str) -> str:
    """Return the system in a column's name: ``bart`` of ``prediction_bart`` and of ``bart.output``."""
    for word in _WIDE:
        match = re.fullmatch(rf"{word}[_\-. :](.+)|(.+)[_\-. :]{word}", name, re.IGNORECASE)
        # a number names no system: such columns are numbered ones of one kind
        if match and not (system := match[1] or match[2]).isdigit() and _plain_name(name) not in NAMES["reference"]:
            return system
    return ""


def _are_numbered(names: Sequence[str]) -> bool:
    return len({re.sub(r"_?\d+$", "", _plain_name(name)) for name in names}) == 1


@dataclass(slots=True)
class _Collected:
    """A topic while its rows are read."""

    row: int
    references: tuple[str, ...]
    sources: tuple[str, ...]
    outputs: dict[str, tuple[int, str | None, str]] = field(default_factory=dict)
    """The row, the text (None if it is missing) and the writer's number, by system."""


class _Table:
    def __init__(self, layout: _Layout, source: str) -> None:
        self._layout = layout
        self._source = source
        self._topic, self._output = layout.column("topic"), layout.column("output")
        self._system, self._number = layout.column("system"), layout.column("number")
        self._names: dict[str, str] = {}
        self._topics: dict[str | tuple[str, ...], _Collected] = {}

    def add(self, number: int, row: Mapping[str, Any]) -> None:
        """Add a row to its topic, which is that of its topic column or else of its references."""
        layout = self._layout
        references = self._texts("reference", number, row)
        sources = self._texts("source", number, row)
        key = self._name(row.get(self._topic), number, self._topic) if self._topic else references
        topic = self._topics.get(key)
        if topic is None:
            topic = self._topics[key] = _Collected(number, references, sources)
        elif topic.references != references:
            raise self._error(
                f"The topic {key!r} has other references than in row {topic.row}.", number, layout.column("reference")
            )
        for system, text, code in self._outputs(number, row):
            if system in topic.outputs:
                raise self._error(
                    f"The output of {system!r} on this topic is already in row {topic.outputs[system][0]}.",
                    number,
                    layout.column("system"),
                    "name the column that tells systems or topics apart",
                )
            topic.outputs[system] = number, text, code

    def topics(self, references: Sequence[Summary] = ()) -> list[Topic]:
        """Return the topics; those without references in the table get the given ones."""
        topics = []
        for place, (key, rows) in enumerate(self._topics.items(), start=1):
            id = key if isinstance(key, str) else str(place) if len(self._topics) > 1 or rows.references else "topic"
            in_rows = [Summary(str(n), text) for n, text in enumerate(rows.references, start=1)]
            peers, missing = [], []
            for name, (row, text, code) in rows.outputs.items():
                if text is None:
                    missing.append(Unread(name, f"Row {row} has no output.", code))
                else:
                    peers.append(Summary(name, text, "peer", number=code))
            sources = [Source(str(n), text) for n, text in enumerate(rows.sources, start=1)]
            models = tuple(in_rows or references)
            topics.append(Topic(id, models, tuple(peers), tuple(sources), unread=tuple(missing)))
        return topics

    def _outputs(self, number: int, row: Mapping[str, Any]) -> list[tuple[str, str | None, str]]:
        """Return the system, the text (None if it is missing) and the writer's number of each output in a row."""
        if self._layout.wide:
            return [
                (system, self._output_text(row.get(column), number, column), "")
                for column, system in self._layout.wide.items()
            ]
        column, named, coded = self._output, self._system, self._number
        system = self._name(row.get(named), number, named) if named else column
        code = self._name(row.get(coded), number, coded) if coded else ""
        return [(system, self._output_text(row.get(column), number, column), code)]

    def _texts(self, kind: Kind, number: int, row: Mapping[str, Any]) -> tuple[str, ...]:
        columns = self._layout.kinds[kind]
        if not columns:
            return ()
        texts: list[str] = []
        for column in columns:
            value = row.get(column)
            if isinstance(value, (list, tuple)):
                texts += (self._text(text, number, column) for text in value)
            elif len(columns) == 1 or not _is_nothing(value):  # of numbered ones some may be empty
                texts.append(self._text(value, number, column))
        return tuple(texts)

    def _output_text(self, value: Any, number: int, column: str) -> str | None:
        if isinstance(value, str):
            return value
        return None if _is_missing(value) else self._text(value, number, column)

    def _text(self, value: Any, number: int, column: str) -> str:
        if isinstance(value, str) and value and not value.isspace():
            return value
        what = "is empty" if _is_nothing(value) else f"holds {_kind(value)}, not a text"
        raise self._error(f"The cell {what}.", number, column)

    def _name(self, value: Any, number: int, column: str) -> str:
        # many rows have one name: it is checked and kept once
        if isinstance(value, str) and value in self._names:
            return self._names[value]
        if isinstance(value, (str, int)) and not isinstance(value, bool) and (plain := str(value).strip()):
            return self._names.setdefault(str(value), clean(plain))
        what = "is empty" if _is_nothing(value) else f"holds {_kind(value)}, not a name"
        raise self._error(f"The cell {what}.", number, column)

    def _error(self, what: str, number: int, column: str, do: str = "correct the table") -> FormatError:
        return FormatError(what, Where(self._source, number, element=f"column {column!r}" if column else ""), do)


def _is_nothing(value: Any) -> bool:
    return not value.strip() if isinstance(value, str) else _is_missing(value)


def _is_missing(value: Any) -> bool:
    """Return whether a value is None, NaN, NaT or pandas' NA, whose comparisons are NA and not True."""
    if value is None or type(value).__name__ == "NAType":
        return True
    return not isinstance(value, Collection) and value != value


def _kind(value: Any) -> str:
    return {"bool": "true or false", "int": "a number", "float": "a number", "dict": "an object"}.get(
        type(value).__name__, f"a {type(value).__name__}"
    )


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the rows of a file with their numbers: the lines of JSON and CSV, the rows of a sheet from 1 on."""
    ending = path.suffix.lower()
    if ending == ".xlsx":
        return _sheet(path)
    if ending == ".parquet":
        return _parquet(path)
    return _separated(path, "\t" if ending == ".tsv" else ",") if ending in (".csv", ".tsv") else _json_lines(path)


def _json_lines(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the objects of a file of JSON lines; line by line, so that a file may be larger than a document."""
    decoder = msgspec.json.Decoder(dict[str, Any])
    with readable(path), path.open("rb") as file:
        number = 0
        while line := file.readline(MAX_BYTES + 1):
            number += 1
            if len(line) > MAX_BYTES or number > MOST_ROWS:
                raise FormatError("The table is too long.", Where(str(path), number), "split it")
            if line.isspace():
                continue
            try:
                yield number, decoder.decode(line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line)
            except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
                raise FormatError(
                    f"The line is not a JSON object ({error}).", Where(str(path), number), "write one object per line"
                ) from None


def _separated(path: Path, mark: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the rows of a CSV file with ``mark`` between cells; an empty cell is a missing one."""
    reader = csv.DictReader(StringIO(decode(read_bytes(path), str(path)), newline=""), delimiter=mark, strict=True)
    try:
        names = reader.fieldnames or []
        if repeated := [name for name in names if names.count(name) > 1]:
            raise FormatError(f"The header has the column {repeated[0]!r} twice.", Where(str(path), 1), "rename one")
        for row in reader:
            # csv.DictReader puts cells beyond the header under None, and None into cells that are missing
            if None in row or None in row.values():
                raise FormatError(
                    f"The row does not have as many cells as the header, which has {len(names)}.",
                    Where(str(path), reader.line_num),
                    "quote cells with commas or quotes",
                )
            yield reader.line_num, {name: cell or None for name, cell in row.items()}
    except csv.Error as error:
        raise FormatError(
            f"The file is not valid CSV ({error}).",
            Where(str(path), reader.line_num),
            "quote cells with commas or quotes",
        ) from None


def _sheet(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the rows of a workbook's first sheet, below its header."""
    from io import BytesIO

    from pyramidion.formats.documents.zipped import member, open_archive

    try:
        from openpyxl import load_workbook
    except ImportError as error:
        raise MissingPartError(
            "Reading .xlsx needs openpyxl.", str(path), "run: pip install 'pyramidion[documents]'"
        ) from error
    data = read_bytes(path)
    archive = open_archive(data, str(path))
    for name in archive.namelist():
        member(archive, name, str(path))  # within bounds, before anything is unpacked by somebody else
    try:
        sheet = load_workbook(BytesIO(data), read_only=True, data_only=True).worksheets[0]
        rows = sheet.iter_rows(values_only=True)
        header = [str(name).strip() if name is not None else "" for name in next(rows, ())]
        for number, cells in enumerate(rows, start=2):
            if any(cell is not None for cell in cells):
                yield number, {name: cell for name, cell in zip(header, cells, strict=False) if name}
    except FormatError:
        raise
    except Exception as error:  # a parser of other people's files, which promises no kind of error
        raise FormatError(f"The workbook is damaged ({error}).", str(path), "save it again") from None


def _parquet(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the rows of a Parquet file."""
    try:
        from pyarrow import ArrowException, parquet
    except ImportError as error:
        raise MissingPartError(
            "Reading .parquet needs pyarrow.", str(path), "run: pip install 'pyramidion[data]'"
        ) from error
    try:
        with readable(path):
            rows = parquet.read_table(path).to_pylist()
    except (ArrowException, ValueError) as error:
        raise FormatError(f"The file is not a Parquet table ({error}).", str(path), "write it again") from None
    yield from enumerate(rows, start=1)
