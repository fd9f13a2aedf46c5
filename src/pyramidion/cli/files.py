"""``convert``, ``validate`` and ``formats``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from pyramidion import conversion, formats
from pyramidion.cli import _shared
from pyramidion.formats import native
from pyramidion.io.tables import render


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(convert)
    app.command()(validate)
    app.command(name="formats")(list_formats)


def convert(
    input: Annotated[Path, typer.Argument(readable=False, metavar="IN", help="The file or folder to read.")],
    output: Annotated[
        Path,
        typer.Argument(readable=False, metavar="OUT", help="The file or folder to write; its ending says the format."),
    ],
    source: _shared.FromOption = "",
    target: _shared.ToOption = "",
    option: _shared.OptionOption = None,
    write_option: Annotated[
        list[str] | None,
        typer.Option(
            "--write-option",
            metavar="NAME=VALUE",
            help="An option of the output's format, e.g. dialect=1.4. Repeatable.",
        ),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Refuse if the output cannot hold everything, or something is not read."),
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace an existing file even if the new one cannot hold everything.")
    ] = False,
    as_json: _shared.AsJson = False,
) -> None:
    """Turn any format into any other that can hold it.

    What the other cannot hold is listed before it is dropped; --strict refuses instead. An existing file is replaced
    only by one that holds everything, unless --force is given, and the input never. Tables of scores that other
    tools made become CSV, or PyrEval's table with --to pyreval-results.

    \b
    Example:
      pyramidion convert D0701.pyr D0701.json
      pyramidion convert corpus/ corpus.jsonl --strict
    """
    _shared.check_not_among(output, [input])
    done = conversion.convert(
        input,
        output,
        source,
        target,
        options=_shared.format_options(option),
        write_options=_shared.format_options(write_option),
        strict=strict,
        force=force,
    )
    if as_json:
        _shared.print_json({"input": str(input), "output": str(output), done.unit: done.count, "lost": done.lost})
    else:
        # What was written may be standard output itself, where this line would spoil it.
        typer.echo(f"{output}: written from {done.content}", err=not (output.is_file() or output.is_dir()))


def validate(
    files: Annotated[list[Path], typer.Argument(readable=False, help="Files or corpus folders of any format.")],
    source: _shared.FromOption = "",
    option: _shared.OptionOption = None,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings count as errors.")] = False,
    as_json: _shared.AsJson = False,
) -> None:
    """Check files and say what is wrong where.

    The exit status is 1 if anything is wrong.

    \b
    Example:
      pyramidion validate peers/*.pan
    """
    options = _shared.format_options(option)
    checked = [conversion.check_file(file, source, options) for file in files]
    valid = not any(one.error or (strict and one.warnings) for one in checked)
    if as_json:
        names = ("file", "format", "content", "error", "warnings", "left_out")
        records = [{name: getattr(one, name) for name in names} for one in checked]
        _shared.print_json({"valid": valid, "files": records})
    else:
        for one in checked:
            for warning in one.warnings:
                typer.echo(f"warning: {warning}", err=True)
            if one.error:
                typer.echo(f"error: {one.caret if sys.stderr.isatty() else one.error}", err=True)
            else:
                typer.echo(f"{one.file}: {one.format}, {one.content}")
                for line in one.left_out:
                    typer.echo(f"  {line}")
    if not valid:
        raise typer.Exit(1)


def list_formats(
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of our own format instead.")] = False,
    format: _shared.AsTable = "text",
    as_json: _shared.AsJson = False,
) -> None:
    """List the formats that can be read and written.

    \b
    Example:
      pyramidion formats --schema > topic.schema.json
    """
    if schema:
        _shared.print_json(native.schema())
        return
    table = formats.formats_table()
    if as_json:
        _shared.print_json([dict(zip(("name", "does", "suffixes", "title"), row, strict=True)) for row in table.rows])
    else:
        typer.echo(render(table, format), nl=False)
