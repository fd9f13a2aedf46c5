"""``crowd``: lightweight pyramids, from plan to scores."""

from __future__ import annotations

import typer

from pyramidion.cli.crowd import collecting, curving, pages, planning, scoring, selecting


def add_to(app: typer.Typer) -> None:
    """Add the group of commands."""
    group = typer.Typer(
        no_args_is_help=True,
        rich_markup_mode=None,
        help="Run a crowd evaluation: plan, task pages, results, selection, votes, scores (Shapira et al. 2019).",
    )
    for part in (planning, pages, collecting, selecting, scoring, curving):
        part.add_to(group)
    app.add_typer(group, name="crowd")
