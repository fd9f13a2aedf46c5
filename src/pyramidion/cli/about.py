"""``methods`` and ``doctor``."""

from __future__ import annotations

from typing import Any

import typer

from pyramidion.build import BUILDERS
from pyramidion.cli import _shared
from pyramidion.io.tables import Table, render
from pyramidion.match import MATCHERS
from pyramidion.methods import RECIPES
from pyramidion.registry import Registry


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(methods)
    app.command()(doctor)


def methods(table: _shared.AsTable = "text", as_json: _shared.AsJson = False) -> None:
    """List the methods, and the builders and matchers to combine.

    \b
    Example:
      pyramidion methods
    """
    if as_json:
        _shared.print_json(
            {"methods": RECIPES, "builders": list(BUILDERS), "matchers": list(MATCHERS)},
        )
        return
    rows = tuple((recipe.name, recipe.builder, recipe.matcher, recipe.title, recipe.cite) for recipe in RECIPES)
    typer.echo(render(Table(("method", "builder", "matcher", "what it does", "source"), rows), table), nl=False)
    if table != "text":
        return
    typer.echo(
        "\nAny BUILDER+MATCHER is a method too; 'given' is what the corpus brings.\n"
        f"Builders: {_names(BUILDERS)}.\nMatchers: {_names(MATCHERS)}."
    )


def _names(registry: Registry[Any]) -> str:
    """The registered names, with whoever contributed one."""
    shown = (f"{name}MODEL" if name.endswith(":") else name for name in registry)
    owners = (registry.origin(name) for name in registry)
    return ", ".join(
        name if owner == "pyramidion" else f"{name} ({owner})" for name, owner in zip(shown, owners, strict=True)
    )


def doctor(table: _shared.AsTable = "text", as_json: _shared.AsJson = False) -> None:
    """Say what is installed and what is missing.

    Also scores the bundled example, to see that it gives what it should.

    \b
    Example:
      pyramidion doctor
    """
    from pyramidion.studies.checkup import checkup

    findings = checkup()
    healthy = all(finding.fine for finding in findings)
    if as_json:
        _shared.print_json({"healthy": healthy, "findings": findings})
    else:
        rows = tuple(
            (finding.what, "fine" if finding.fine else "WRONG", finding.found, finding.do) for finding in findings
        )
        keys = ("part", "state", "found", "do")
        typer.echo(render(Table(("part", "", "found", "what to do"), rows, keys=keys), table), nl=False)
    if not healthy:
        raise typer.Exit(3)
