"""``convert``, ``validate`` and ``formats``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from pyramidion import formats
from pyramidion.base.tables import render
from pyramidion.cli import _shared
from pyramidion.formats import convert as conversion
from pyramidion.formats import native


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(convert)
    app.command()(validate)
    app.command(name="formats")(list_formats)


def convert(
    input: Annotated[Path, typer.Argument(readable=False, metavar="IN", help="The file or folder to read.")],
    output: Annotated[
        Path,
        typer.Argument(
            readable=False, metavar="OUT", help="The file or folder to write. Its name ending selects the format."
        ),
    ],
    source: _shared.FromOption = "",
    target: _shared.ToOption = "",
    option: _shared.OptionOption = None,
    write_option: Annotated[
        list[str] | None,
        typer.Option(
            "--write-option",
            metavar="NAME=VALUE",
            help="An option of the output format, such as dialect=1.4. Repeatable.",
        ),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict", help="Stop if the output format cannot hold everything, or if part of the input is not used."
        ),
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Replace an existing file even if the new one cannot hold everything.")
    ] = False,
    as_json: _shared.AsJson = False,
) -> None:
    """Convert between formats.

    Prints a warning for everything that the output format cannot hold; with --strict, stops instead. An existing file
    is replaced only if the new file holds everything, or with --force. The input is never replaced. Score tables of
    other tools become CSV, or a PyrEval table with --to pyreval-results.

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
        # If the output went to standard output, this line would corrupt it.
        typer.echo(f"{output}: written from {done.content}", err=not (output.is_file() or output.is_dir()))


def validate(
    files: Annotated[list[Path], typer.Argument(readable=False, help="Files or corpus folders in any format.")],
    source: _shared.FromOption = "",
    option: _shared.OptionOption = None,
    strict: Annotated[bool, typer.Option("--strict", help="Treat warnings as errors.")] = False,
    as_json: _shared.AsJson = False,
) -> None:
    """Check files and print what is wrong and where.

    The exit status is 1 if anything is wrong.

    \b
    Example:
      pyramidion validate peers/*.pan
    """
    options = _shared.format_options(option)
    checked = [conversion.check_file(file, source, options) for file in files]
    valid = not any(report.error or (strict and report.warnings) for report in checked)
    if as_json:
        names = ("file", "format", "content", "error", "warnings", "left_out")
        records = [{name: getattr(report, name) for name in names} for report in checked]
        _shared.print_json({"valid": valid, "files": records})
    else:
        for report in checked:
            for warning in report.warnings:
                typer.echo(f"warning: {warning}", err=True)
            if report.error:
                typer.echo(f"error: {report.caret if sys.stderr.isatty() else report.error}", err=True)
            else:
                typer.echo(f"{report.file}: {report.format}, {report.content}")
                for line in report.left_out:
                    typer.echo(f"  {line}")
    if not valid:
        raise typer.Exit(1)


def list_formats(
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the JSON Schema of Pyramidion's own format instead.")
    ] = False,
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
