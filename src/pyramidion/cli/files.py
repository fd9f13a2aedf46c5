"""``convert``, ``validate`` and ``formats``."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from pyramidion import formats
from pyramidion.cli import _shared
from pyramidion.errors import PyramidionError
from pyramidion.formats import native, score_tables
from pyramidion.io.tables import Table, render
from pyramidion.model import Topic
from pyramidion.reading import Reading, telling


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
    options, write_options = _shared.format_options(option), _shared.format_options(write_option)
    _shared.check_not_among(output, [input])
    if source in score_tables.KINDS or (not source and score_tables.is_table(input)):
        for name in (*options, *write_options):
            raise PyramidionError(f"tables of scores have no option {name!r}", do="leave it out")
        rows, lost = _convert_table(input, source, output, target, strict, force)
        counted, content = {"rows": rows}, f"{rows} rows of scores"
    else:
        topics = Reading(source, options, "keep", strict).topics(input)
        lost = formats.dump(topics, output, target, strict=strict, force=force, **write_options)
        counted, content = {"topics": len(topics)}, _count(topics)
    if as_json:
        _shared.print_json({"input": str(input), "output": str(output), **counted, "lost": lost})
    else:
        # What was written may be standard output itself, where this line would spoil it.
        typer.echo(f"{output}: written from {content}", err=not (output.is_file() or output.is_dir()))


def _convert_table(
    input: Path, source: str, output: Path, target: str, strict: bool, force: bool
) -> tuple[int, list[str]]:
    """How many rows of scores were written, and what of them was not."""
    kind = target or score_tables.kind_by_suffix(output)
    rows = score_tables.load_scores(input, source)
    lost = [f"the column {column}" for column in score_tables.lost_columns(rows, kind)]
    formats.check_losses(lost, output, kind, strict, force)
    score_tables.dump_scores(rows, output, kind)
    return len(rows), lost


def _count(topics: list[Topic]) -> str:
    counts = {
        "topic": len(topics),
        "reference": sum(len(topic.references) for topic in topics),
        "peer": sum(len(topic.peers) for topic in topics),
        "SCU": sum(len(topic.pyramid.scus) for topic in topics if topic.pyramid),
        "annotation": sum(len(topic.annotations) for topic in topics),
    }
    return ", ".join(f"{count} {name}{'' if count == 1 else 's'}" for name, count in counts.items() if count)


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
    reports = [_check(file, source, option) for file in files]
    wrong = [report for report in reports if report["error"] or (strict and report["warnings"])]
    if as_json:
        _shared.print_json(
            {"valid": not wrong, "files": [{k: v for k, v in report.items() if k != "caret"} for report in reports]}
        )
    else:
        for report in reports:
            for warning in report["warnings"]:
                typer.echo(f"warning: {warning}", err=True)
            if report["error"]:
                typer.echo(f"error: {report['caret' if sys.stderr.isatty() else 'error']}", err=True)
            else:
                typer.echo(f"{report['file']}: {report['format']}, {report['content']}")
    if wrong:
        raise typer.Exit(1)


def _check(file: Path, source: str, option: list[str] | None) -> dict[str, Any]:
    report: dict[str, Any] = {"file": str(file), "format": "", "content": "", "error": "", "caret": "", "warnings": []}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            if source in score_tables.KINDS or (not source and score_tables.is_table(file)):
                report["format"], rows = "score table", score_tables.load_scores(file, source)
                report["content"] = f"{len(rows)} rows of scores"
            else:
                report["format"] = source
                with telling(file):
                    report["format"], topics = formats.recognised(file, source, **_shared.format_options(option))
                report["content"] = _count(topics)
        except PyramidionError as error:
            report["error"], report["caret"] = str(error), error.explain()
    report["warnings"] = list(dict.fromkeys(" ".join(str(warning.message).split()) for warning in caught))
    return report


def list_formats(
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of our own format instead.")] = False,
    table: _shared.AsTable = "text",
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
    rows = []
    for name in formats.FORMATS:
        module = formats.FORMATS[name]
        does = "read, write" if hasattr(module, "dump") else "read"
        rows.append((name, does, " ".join(module.SUFFIXES), module.TITLE))
    if as_json:
        _shared.print_json([dict(zip(("name", "does", "suffixes", "title"), row, strict=True)) for row in rows])
    else:
        typer.echo(render(Table(("format", "does", "endings", "what it is"), tuple(rows)), table), nl=False)
