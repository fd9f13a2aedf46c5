"""``crowd workers``: who judged how, and whom the filter drops."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pyramidion.cli import _shared
from pyramidion.errors import PyramidionError
from pyramidion.io.tables import render

if TYPE_CHECKING:
    from pyramidion.crowd.answers.submission import Submission
    from pyramidion.crowd.study import Study


def add_to(group: typer.Typer) -> None:
    """Add the commands."""
    group.command()(workers)


def workers(
    paths: Annotated[
        list[Path],
        typer.Argument(
            metavar="STUDY|RESULTS",
            readable=False,
            help="A study's folder, or files and folders of results of the judging task.",
        ),
    ],
    threshold: Annotated[
        float, typer.Option("--threshold", min=0, max=1, help="Drop workers who agree with the others less than this.")
    ] = 0.5,
    agreement: Annotated[
        Literal["positional", "sequence"],
        typer.Option("--agreement", help="Answer by answer, or by the published code's sequence matcher."),
    ] = "positional",
    fastest: Annotated[
        float, typer.Option("--fastest", min=0.1, help="Words a second that can be read; more is flagged.")
    ] = 10.0,
    format: _shared.AsTable = "text",
    as_json: _shared.AsJson = False,
) -> None:
    """Show how each worker judged, the most suspicious first.

    Agreement with the others, trust by Dawid-Skene, attention checks, time, answers left out; and whom the filter
    drops: workers whose agreement is below the threshold (Shapira et al. 2019, section 3), until nobody is.

    \b
    Example:
      pyramidion crowd workers study/
      pyramidion crowd workers results/*.csv --agreement sequence --format csv
    """
    submissions, study = judgements(paths)
    from pyramidion.crowd.judging.votes import Votes
    from pyramidion.crowd.judging.workers import crowd_report
    from pyramidion.studies.crowd import workers_table as report

    votes = Votes.of(submissions)
    found = crowd_report(votes, study=study, threshold=threshold, agreement=agreement, fastest=fastest)
    if as_json:
        _shared.print_json(report.to_json(found))
        return
    if format == "text" and not found.workers:
        typer.echo(report.summary(found))
        return
    typer.echo(render(report.table(found, whole=format != "text"), format), nl=False)


def judgements(paths: Sequence[Path]) -> tuple[list[Submission], Study | None]:
    """The submissions of a study's folder with the study, or those of result files."""
    from pyramidion.crowd import study as studies

    folders = [path for path in paths if path.is_dir() and (path / studies.FILE).exists()]
    if not folders:
        from pyramidion.crowd.answers.collect import read_all

        return read_all(paths), None
    if len(paths) > 1:
        raise PyramidionError(
            "a study is named beside something else",
            str(folders[0]),
            "name one study, or result files; 'pyramidion crowd collect' adds results to a study",
        )
    from pyramidion.crowd.answers.store import Store

    return Store(folders[0]).submissions("judging"), studies.load(folders[0])
