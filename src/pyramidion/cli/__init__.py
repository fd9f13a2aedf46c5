"""The command line. It parses and prints; it never computes.

Commands import their studies when they run, so that help and errors of usage come before anything large is loaded.

``main`` is the one place where errors become a line on standard error and an exit status: 0 for success, 1 for wrong
input, 2 for wrong usage, 3 for a part that is not installed.
"""

from __future__ import annotations

import io
import os
import sys
import warnings

import typer

from pyramidion.base.cache import use_by_default
from pyramidion.base.threads import limit_blas
from pyramidion.cli._panels import Panels
from pyramidion.errors import PyramidionError
from pyramidion.notes import send_notes
from pyramidion.version import __version__

__all__ = ["app", "main"]

app = typer.Typer(
    name="pyramidion",
    cls=Panels,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"pyramidion {__version__}")
        raise typer.Exit


@app.callback()
def _pyramidion(
    version: bool = typer.Option(
        False, "--version", help="Print the version and stop.", callback=_print_version, is_eager=True
    ),
) -> None:
    """Find out what content a summary got right.

    The Pyramid Method compares summaries with several reference summaries of the same topic. Content that more
    references express weighs more. Every score comes with the words that explain it.

    \b
    Example:
      pyramidion demo --report demo.html
      pyramidion evaluate corpus/ --report report.html
      pyramidion feedback class/ -o pages/ --gradebook grades.csv
      pyramidion score peers/*.pan --average floor --cap
    """


class _Warnings:
    """Prints notes, and warnings of libraries and plug-ins, on standard error, each line once."""

    def __init__(self) -> None:
        self.shown: set[str] = set()

    def __call__(self, message: object, *_: object, **__: object) -> None:
        line = f"warning: {' '.join(str(message).split())}"
        if line not in self.shown:
            self.shown.add(line)
            print(line, file=sys.stderr)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit status."""
    limit_blas()
    use_by_default()
    warnings.showwarning = printed = _Warnings()
    if isinstance(sys.stdout, io.TextIOWrapper):
        # a terminal that lacks a character gets an escape in its place, not an error
        sys.stdout.reconfigure(errors="backslashreplace")
    output = sys.stdout
    try:
        with send_notes(printed):
            status = _run_command(arguments)
        if output:
            output.flush()
    except BrokenPipeError:
        status = _without_output(0)
    except OSError as error:
        where = error.filename or "cannot write to standard output"
        print(f"error: {where}: {error.strerror or error}; free some disk space or check the path", file=sys.stderr)
        status = _without_output(1)
    sys.exit(status)


def _run_command(arguments: list[str] | None) -> int:
    """Run the command, print its error if it fails, and return the exit status."""
    try:
        app(arguments, prog_name="pyramidion")
    except SystemExit as left:
        # typer treats a closed pipe as a failure; for us it is a normal end.
        if isinstance(left.__context__, BrokenPipeError):
            raise left.__context__ from None
        if left.code == 130:  # typer's answer to an interrupt, without a word
            return _report_interrupt()
        return left.code if isinstance(left.code, int) else 0
    except PyramidionError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_status
    except KeyboardInterrupt:
        return _report_interrupt()
    return 0


def _report_interrupt() -> int:
    print("interrupted; no incomplete file was written", file=sys.stderr)
    return 130


def _without_output(status: int) -> int:
    """Close standard output for good, so that Python does not try to write its rest at the end; return the status."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return status
