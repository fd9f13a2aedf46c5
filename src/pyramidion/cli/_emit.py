"""Print the tables or the JSON of a study's result, and draw its picture.

A command parses, calls one study and returns its result; :func:`emits` adds the options ``--table``, ``--plot``,
``--format`` and ``--json``, which are the same for every command, and handles them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Literal, get_type_hints

import typer

from pyramidion.base.files import write_bytes
from pyramidion.base.pictures import check_picture
from pyramidion.base.tables import TableFormat, render_all
from pyramidion.cli import _shared
from pyramidion.notes import note
from pyramidion.result import Result


def emits(
    *tables: str,
    plot: str = "",
    needs: Mapping[str, tuple[str, str]] = MappingProxyType({}),
    reads: Callable[[Iterable[Path]], Iterable[Path]] = list,
) -> Callable[[Callable[..., Result | tuple[Result, str]]], Callable[..., None]]:
    """Print the result of a command; add ``--table`` if it has several tables and ``--plot`` if it has a picture.

    ``plot`` says what is drawn: "Draw the curves". Not every result has every table: ``needs`` maps such a table to the
    parameter that it needs and to what users write for it. Without the parameter, the table is refused before the work.
    ``reads`` turns the paths among the arguments into the files that are read; the picture must not overwrite any of
    them. A command may return a hint with its result that says what to do next; it is printed only with text output.
    """

    def decorate(command: Callable[..., Result | tuple[Result, str]]) -> Callable[..., None]:
        """Return the command with the options added; it prints its result instead of returning it."""
        added = _options(tables, plot)
        command.__annotations__.pop("return", None)  # named for type checkers alone: importing it takes time
        hints = get_type_hints(command, include_extras=True)
        own_parameters = [
            parameter.replace(annotation=hints[name]) for name, parameter in signature(command).parameters.items()
        ]
        parameters = [
            *own_parameters,
            *(
                Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=annotation)
                for name, (annotation, default) in added.items()
            ),
        ]

        @wraps(command)
        def run(**arguments: Any) -> None:
            chosen = {name: arguments.pop(name) for name in added}
            parameter, what = needs.get(chosen.get("table") or "", ("", ""))
            if parameter and not arguments[parameter]:
                raise typer.BadParameter(f"The table {chosen['table']!r} needs {what}.")
            # the picture is checked before the command's work, which may be long
            picture = chosen.get("plot")
            drawn_as = check_picture(picture) if picture else None
            _shared.check_outputs(picture, inputs=list(reads(_paths(arguments.values()))) if picture else [])
            returned = command(**arguments)
            result, hint = returned if isinstance(returned, tuple) else (returned, "")
            emit(result, chosen["format"], chosen["as_json"], chosen.get("table"))
            if hint and chosen["format"] == "text" and not chosen["as_json"]:
                typer.echo(hint)
            if picture and drawn_as:
                write_bytes(picture, result.draw(drawn_as))
            if result.exit_status:
                raise typer.Exit(result.exit_status)

        run.__signature__ = Signature(parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
        del run.__wrapped__
        return run

    return decorate


def emit(result: Result, format: TableFormat = "text", as_json: bool = False, table: str | None = None) -> None:
    """Print a result: as JSON, as one table, or as all its tables. CSV holds one table; it is the first by default."""
    if as_json:
        _shared.print_json(result.to_json())
    elif table or format == "csv":
        chosen = result.table(table or "", whole=format == "csv")
        for text in chosen.notes if format == "csv" else ():
            note(text)
        typer.echo(render_all([chosen], format), nl=False)
    else:
        typer.echo(render_all([result.table(name) for name in result.shown], format), nl=False)
    if format == "text" and not as_json:
        typer.echo(result.prose, nl=False)


def _options(tables: Sequence[str], plot: str) -> dict[str, tuple[Any, Any]]:
    options: dict[str, tuple[Any, Any]] = {}
    if plot:
        about = f"{plot}: .svg, .png or .pdf (needs matplotlib)."
        options["plot"] = (Annotated[Path | None, typer.Option("--plot", metavar="FILE", help=about)], None)
    if len(tables) > 1:
        about = "Print only this table. CSV output holds one table: the first of these by default."
        named = Literal[*tables]  # type: ignore[valid-type]
        options["table"] = (Annotated[named | None, typer.Option("--table", help=about, show_default=False)], None)
    return {**options, "format": (_shared.AsTable, "text"), "as_json": (_shared.AsJson, False)}


def _paths(values: Any) -> Iterator[Path]:
    for value in values:
        if isinstance(value, Path):
            yield value
        elif isinstance(value, list | tuple):
            yield from _paths(value)
