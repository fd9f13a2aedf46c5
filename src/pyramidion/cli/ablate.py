"""``ablate``: how well a score agrees with people when one relation of the meaning graphs is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pyramidion.cli import _shared
from pyramidion.cli._emit import emits
from pyramidion.formats.read import READING, Reading

if TYPE_CHECKING:
    from pyramidion.analyses.ablate import Ablation


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(ablate)


@_shared.with_bundles
@emits("effects")
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
) -> Ablation:
    """Find out which relations of meaning graphs help the scores.

    The command leaves out one relation at a time and correlates the scores with human scores. A negative difference
    means that the relation helps. op1, op2, ... count as one relation.

    \b
    Example:
      pyramidion ablate corpus/
      pyramidion ablate realsumm/ --documents 10 --format csv > relations.csv
    """
    from pyramidion.analyses.ablate import ablate as study
    from pyramidion.analyses.ablate import relations

    topics, people = _shared.with_human_scores(corpus, human, column, documents, reading)
    known = relations(topics, method)
    with _shared.progress(1 + sum(relation.in_pyramids > 0 for relation in known), "matching", at_least=2) as advance:
        return study(topics, people, method, level=level, by=by, known=known, progress=advance)
