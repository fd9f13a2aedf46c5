"""``ablate``: a score without one relation of the meaning graphs, against human scores."""

from __future__ import annotations

from typing import Annotated

import typer

from pyramidion.cli import _shared
from pyramidion.io.tables import render
from pyramidion.reading import READING, Reading


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(ablate)


@_shared.bundled
def ablate(
    corpus: _shared.CorpusArgument,
    human: _shared.HumanOption = None,
    column: _shared.ColumnOption = "",
    method: Annotated[
        str, typer.Option("--method", metavar="NAME[:SCORE]", help="A method that matches meaning graphs.")
    ] = "given+ape",
    level: _shared.LevelOption = "global",
    by: _shared.ByOption = "pearson",
    documents: _shared.DocumentsOption = None,
    reading: Reading = READING,
    format: _shared.AsTable = "text",
    as_json: _shared.AsJson = False,
) -> None:
    """Leave out one relation of the meaning graphs at a time: which of them help to score summaries?

    A negative difference of correlation says that the relation helps. op1, op2, ... are one relation.

    \b
    Example:
      pyramidion ablate corpus/
      pyramidion ablate realsumm/ --documents 10 --format csv > relations.csv
    """
    from pyramidion.studies.ablate.study import ablate as run
    from pyramidion.studies.ablate.study import relations
    from pyramidion.studies.ablate.tables import ablation_table, to_json

    topics, people = _shared.with_human_scores(corpus, human, column, documents, reading)
    known = relations(topics, method)
    with _shared.progress(1 + sum(one.in_pyramids > 0 for one in known), "matching", at_least=2) as advance:
        found = run(topics, people, method, level=level, by=by, found=known, progress=advance)
    if as_json:
        _shared.print_json(to_json(found))
    else:
        typer.echo(render(ablation_table(found, every_row=format == "csv"), format), nl=False)
