"""``methods`` and ``doctor``."""

from __future__ import annotations

import typer

from pyramidion.base.tables import render
from pyramidion.builders import BUILDERS
from pyramidion.cli import _shared
from pyramidion.cli._emit import emit
from pyramidion.matchers import MATCHERS
from pyramidion.methods import RECIPES, methods_table


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(methods)
    app.command()(doctor)


def methods(format: _shared.AsTable = "text", as_json: _shared.AsJson = False) -> None:
    """List the methods, and the parts that you can combine.

    A method has two parts: a builder, which makes a pyramid of reference summaries, and a matcher, which finds the
    pyramid's content units in other summaries.

    \b
    Example:
      pyramidion methods
    """
    if as_json:
        _shared.print_json({"methods": RECIPES, "builders": list(BUILDERS), "matchers": list(MATCHERS)})
        return
    typer.echo(render(methods_table(), format), nl=False)
    if format == "text":
        typer.echo(
            "\nAny BUILDER+MATCHER is a method too; 'given' uses what the corpus already has.\n"
            f"Builders: {BUILDERS.listed()}.\nMatchers: {MATCHERS.listed()}."
        )


def doctor(format: _shared.AsTable = "text", as_json: _shared.AsJson = False) -> None:
    """Check what is installed and what is missing.

    Also scores the bundled example and checks that the result is right.

    \b
    Example:
      pyramidion doctor
    """
    from pyramidion.analyses.checkup import checkup

    result = checkup()
    emit(result, format, as_json)
    if not result.healthy:
        raise typer.Exit(3)
