"""Read and write the field's files. Every format reads into topics and writes from topics; formats never compute.

A format is a module with

* ``TITLE``, one line for people, and ``SUFFIXES``, the file endings that mean it when writing;
* ``sniff(path, head) -> bool``: whether this is such a file (or folder), judged by its first bytes;
* ``load(path, **options)`` and, for single files, ``loads(data, source, **options)``: a list of topics;
* ``iterload(path, **options)``, if topics can be read one at a time: an iterator over them;
* ``dump(topics, path, **options)`` and ``dumps(topics, **options)``, if it can be written;
* ``losses(topics, path, **options) -> list[str]``: what the format cannot hold of these topics, said before it is
  dropped; it takes those options of ``dump`` that matter to it. A format that can be read finds it by writing and
  reading back (:func:`~pyramidion.formats._differences.find_losses`), except our JSON, which loses nothing.

Options are keyword parameters with string or number defaults; ``pyramidion convert --option NAME=VALUE`` passes them.
To add a format, write such a module and add a row below, or contribute it from another package through the entry-point
group ``pyramidion.formats``.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any, Protocol

from pyramidion.base import files as _files
from pyramidion.base.registry import Registry
from pyramidion.base.tables import Table
from pyramidion.errors import FormatError, LossError, PyramidionError
from pyramidion.formats.join import join
from pyramidion.model import Topic
from pyramidion.notes import note

__all__ = [
    "FORMATS",
    "Format",
    "Options",
    "check_losses",
    "dump",
    "dumps",
    "formats_table",
    "iterload",
    "join",
    "load",
    "loads",
    "losses",
    "recognised",
    "sniff",
]

Options = dict[str, str | int | float]


class Format(Protocol):
    """The functions of a format module; the package's description lists the optional ones."""

    TITLE: str
    SUFFIXES: tuple[str, ...]

    def sniff(self, path: Path, head: bytes) -> bool:
        """Return whether this is such a file or folder."""

    def load(self, path: Path) -> list[Topic]:
        """Return the topics in it."""


FORMATS: Registry[Format] = Registry(
    "format",
    "pyramidion.formats",
    {
        "ducview": "pyramidion.formats.ducview",
        "json": "pyramidion.formats.native",
        "folder": "pyramidion.formats.folder",
        "pyreval": "pyramidion.formats.pyreval",
        "pyreval-read": "pyramidion.formats.pyreval_read",
        "pyreval-size": "pyramidion.formats.pyreval_size",
        "litepyramids": "pyramidion.formats.litepyramids",
        "mturk-ratings": "pyramidion.formats.mturk_ratings",
        "lite3pyramid": "pyramidion.formats.lite3pyramid",
        "sacrerouge": "pyramidion.formats.sacrerouge",
        "nuggetizer": "pyramidion.formats.nuggetizer",
        "outputs": "pyramidion.formats.outputs",
        "line-aligned": "pyramidion.formats.line_aligned",
        "submissions": "pyramidion.formats.submissions",
    },
)

AnyPath = str | os.PathLike[str]


def sniff(path: AnyPath) -> str:
    """Return the name of the format that a file or folder is in, by its content."""
    path = Path(path)
    return _sniff(path, _files.head(path))


def _sniff(path: Path, head: bytes) -> str:
    """Return the format of a file with these first bytes. Ours come last: any JSON, any folder may be ours.

    A format with ``loads`` is one of single files, so it is not asked about a folder.
    """
    with _files.readable(path):
        is_folder = path.is_dir()
        if not is_folder and not head.strip():
            raise FormatError("The file is empty", str(path), "write it again or leave it out")
        for name in (*(name for name in FORMATS if name != "json"), "json"):
            format = FORMATS[name]
            with FORMATS.errors_named(name, str(path)):
                if not (is_folder and hasattr(format, "loads")) and format.sniff(path, head):
                    return name
    if is_folder:
        return "folder"
    if b"\0" in head:
        raise FormatError(
            f"This is a binary file (it has a zero byte at {head.index(0)})", str(path), "give a text file"
        )
    raise FormatError("The format is not recognised", str(path), f"name the format: {', '.join(FORMATS)}")


def load(path: AnyPath, format: str = "", **options: str | int | float) -> list[Topic]:
    """The topics of a file or folder, in the named format or the one it is sniffed to be in."""
    return recognised(path, format, **options)[1]


def iterload(path: AnyPath, format: str = "", **options: str | int | float) -> Iterator[Topic]:
    """The topics of a file or folder, one at a time where the format allows that; each comes once."""
    path = Path(path)
    # a pipe can be read only once, so its format is not sniffed here
    name = "" if _files.is_stream(path) else format or sniff(path)
    if not name or not _is_read_by_topic(name, path):
        yield from load(path, format, **options)
        return
    reader = _call(name, "iterload", options)
    seen: set[str] = set()
    for topic in reader(path, **options):
        if topic.id in seen:
            raise FormatError(f"Topic {topic.id!r} occurs twice", str(path), "give each topic its own id")
        seen.add(topic.id)
        yield from _with_options([topic], name, reader, options)


def _is_read_by_topic(name: str, path: Path) -> bool:
    """Return whether topics are read one at a time: where the format can, but not from ``.json``, which has one."""
    return hasattr(FORMATS[name], "iterload") and (name != "json" or path.suffix == ".jsonl")


def recognised(path: AnyPath, format: str = "", **options: str | int | float) -> tuple[str, list[Topic]]:
    """Return the format of a file or folder and its topics. A pipe is read once, for both."""
    path = Path(path)
    if _files.is_stream(path):
        data = _files.read_bytes(path)
        name = format or _sniff(path, _files.head_of(data))
        return name, loads(data, name, str(path), **options)
    name = format or sniff(path)
    reader = _call(name, "load", options)
    return name, _with_options(reader(path, **options), name, reader, options)


def loads(data: bytes | str, format: str, source: str = "<string>", **options: str | int | float) -> list[Topic]:
    """Return the topics of a document in memory."""
    reader = _call(format, "loads", options)
    return _with_options(reader(data, source, **options), format, reader, options)


def _with_options(topics: list[Topic], name: str, reader: Callable[..., Any], options: Options) -> list[Topic]:
    """Return the topics, each with the options that are not the format's defaults and the package that read it."""
    defaults = inspect.signature(reader).parameters
    # compared as texts: the command passes every value as one
    chosen = (
        (f"{name}.{option}", str(value))
        for option, value in sorted(options.items())
        if str(value) != str(defaults[option].default)
    )
    reading = (*FORMATS.signed(name), *chosen)
    return [replace(topic, reading=reading) for topic in topics] if reading else topics


def losses(topics: Sequence[Topic], path: AnyPath, format: str = "", **options: str | int | float) -> list[str]:
    """List what would be lost by writing the topics to this path with these options."""
    path = Path(path)
    function = _call(format or _by_suffix(path), "losses", {})
    lost: list[str] = function(
        topics, path, **{name: value for name, value in options.items() if name in _options(function)}
    )
    return lost


def dump(
    topics: Sequence[Topic],
    path: AnyPath,
    format: str = "",
    *,
    strict: bool = False,
    force: bool = True,
    **options: str | int | float,
) -> list[str]:
    """Write the topics; what the format cannot hold is warned of, or refused if ``strict``, and returned.

    Without ``force`` it is refused, too, where a file is there already, which may hold what the new one would not.
    """
    path = Path(path)
    name = format or _by_suffix(path)
    write = _call(name, "dump", options)
    lost = losses(topics, path, name, **options)
    check_losses(lost, path, name, strict, force)
    for loss in lost:
        note(f"{path}: Not written: {loss}")
    write(topics, path, **options)
    return lost


def check_losses(lost: Sequence[str], path: Path, format: str, strict: bool, force: bool) -> None:
    """Raise an error for a loss that must not be: any if ``strict``, or in place of a file without ``force``."""
    if not lost:
        return
    would = f"format {format!r} would lose {'; '.join(lost)}"
    if strict:
        raise LossError(f"The {would}", str(path), "write JSON, or write without strict")
    if not force and path.is_file():
        raise LossError(
            f"This file already exists, and the {would}", str(path), "name a new file, or replace it with force"
        )


def dumps(topics: Sequence[Topic], format: str, **options: str | int | float) -> bytes:
    """Return the topics as a document in memory."""
    data: bytes = _call(format, "dumps", options)(topics, **options)
    return data


def _by_suffix(path: Path) -> str:
    with _files.writable(path):
        if path.is_dir() or not path.suffix:
            return "folder"
    for name in FORMATS:
        if path.suffix in FORMATS[name].SUFFIXES:
            return name
    raise FormatError(
        f"The ending {path.suffix!r} does not belong to a known format",
        str(path),
        f"name the format: {', '.join(FORMATS)}",
    )


def formats_table() -> Table:
    """Return a table of all formats: whether they can be written, their endings, and what they are."""
    modules = ((name, FORMATS[name]) for name in FORMATS)
    rows = tuple(
        (name, "read, write" if hasattr(module, "dump") else "read", " ".join(module.SUFFIXES), module.TITLE)
        for name, module in modules
    )
    return Table(("format", "does", "endings", "what it is"), rows)


def _call(name: str, function: str, options: Options) -> Callable[..., Any]:
    """Return a function of a format; a missing function or an unknown option is an error."""
    implementation: Callable[..., Any] | None = getattr(FORMATS[name], function, None)
    if implementation is None:
        doing = "read" if function.startswith("load") else "written"
        raise PyramidionError(
            f"The format {name!r} cannot be {doing} this way", do="see 'pyramidion formats' for what can"
        )
    known = _options(implementation)
    for option in options:
        if option not in known:
            raise PyramidionError(
                f"The format {name!r} has no option {option!r}",
                do=f"it has {', '.join(known)}" if known else "it has none",
            )
    return _with_named_errors(name, function, implementation) if FORMATS.release(name) else implementation


def _with_named_errors(name: str, function: str, implementation: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of a contributed format, with errors that name the format and the file."""
    # the position of the path, or the source, among the function's arguments
    place = {"load": 0, "iterload": 0, "loads": 1, "dump": 1, "losses": 1}

    @wraps(implementation)
    def call(*given: Any, **options: Any) -> Any:
        at = str(given[place[function]]) if function in place else "these topics"
        with FORMATS.errors_named(name, at):
            result = implementation(*given, **options)
            return list(_topics(name, result, at)) if function in ("load", "loads") else result

    @wraps(implementation)
    def iterate(path: Path, **options: Any) -> Iterator[Topic]:
        with FORMATS.errors_named(name, str(path)):
            yield from _topics(name, implementation(path, **options), str(path))

    return iterate if function == "iterload" else call


def _topics(name: str, result: Iterable[Any], at: str) -> Iterator[Topic]:
    return (FORMATS.checked_result(name, topic, Topic, at) for topic in result)


def _options(function: Callable[..., Any]) -> list[str]:
    """Return the names of a function's options: its keyword-only parameters."""
    return [
        parameter.name
        for parameter in inspect.signature(function).parameters.values()
        if parameter.kind is parameter.KEYWORD_ONLY
    ]
