"""The command line: parses and prints, never computes.

``main`` is the one place where errors become a line on standard error and an exit status: 0 fine, 1 the input is
wrong, 2 usage, 3 a part is not installed.
"""

from __future__ import annotations

import os
import sys
import warnings

import typer

from pyramidion.cli import about, demo, files, scoring
from pyramidion.errors import InputWarning, PyramidionError
from pyramidion.version import __version__

__all__ = ["app", "main"]

app = typer.Typer(
    name="pyramidion",
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
    """What content did a summary get right? The Pyramid Method, from annotation to scores.

    \b
    Example:
      pyramidion demo
      pyramidion score peers/*.pan --average floor --cap
    """


scoring.add_to(app)
files.add_to(app)
about.add_to(app)
demo.add_to(app)


def _show_warning(message: Warning | str, category: type[Warning], *_: object, **__: object) -> None:
    print(f"warning: {' '.join(str(message).split())}", file=sys.stderr)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit status."""
    warnings.showwarning = _show_warning
    warnings.simplefilter("always", InputWarning)
    try:
        app(arguments, prog_name="pyramidion")
    except PyramidionError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(error.exit_status)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
