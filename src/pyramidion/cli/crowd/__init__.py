"""``crowd``: lightweight pyramids, from plan to scores."""

from __future__ import annotations

import typer

from pyramidion.cli.crowd import collecting, curving, pages, planning, scoring, selecting


def add_to(app: typer.Typer) -> None:
    """Add the group of commands."""
    group = typer.Typer(
        no_args_is_help=True,
        rich_markup_mode=None,
        help="Run a crowd evaluation, from the plan to the scores.\n\nWorkers write statements about the references; "
        "other workers look for them in the summaries (Shapira et al. 2019).\n\n\b\nExample:\n"
        "  pyramidion crowd plan corpus/ -o study\n  pyramidion crowd pages study --phase writing -o pages/",
    )
    for part in (planning, pages, collecting, selecting, scoring, curving):
        part.add_to(group)
    app.add_typer(group, name="crowd")
