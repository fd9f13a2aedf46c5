"""``combine``: two scores together; ``ablate``: a score without one relation. Both against human scores."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pyramidion.cli import _shared
from pyramidion.io.tables import render, render_all
from pyramidion.reading import READING, Reading

if TYPE_CHECKING:
    from pyramidion.model import Topic
    from pyramidion.studies.scores.human import Human

Corpus = Annotated[
    Path, typer.Argument(readable=False, help="A corpus folder or file, or a folder in REALSumm's layout.")
]
HumanOption = Annotated[
    Path | None,
    typer.Option(
        "--human",
        metavar="SCORES.csv",
        help="A table of human scores, one row a peer; without it, the coverage of the corpus's own annotations.",
    ),
]
ColumnOption = Annotated[str, typer.Option("--column", help="The table's column to compare with.")]
DocumentsOption = Annotated[
    int | None,
    typer.Option("--documents", min=1, metavar="N", help="Only the first N topics.", show_default=False),
]
LevelOption = Annotated[
    Literal["global", "summary", "system"],
    typer.Option("--level", help="Correlate all summaries together, those of each topic, or the systems' means."),
]
ByOption = Annotated[
    Literal["pearson", "spearman", "kendall"], typer.Option("--by", help="The statistic to choose or to sort by.")
]


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.command()(combine)
    app.command()(ablate)


@_shared.bundled
def combine(
    corpus: Corpus,
    metric: Annotated[
        list[str],
        typer.Option(
            "--metric",
            metavar="NAME[:SCORE]",
            help="A score: a method (given+soft, pyramidion, ...; coverage) or a metric (rouge-su4, be-hm, "
            "lexical-pyramid; recall). Name two; of more, the last is combined with each of the others.",
        ),
    ],
    human: HumanOption = None,
    column: ColumnOption = "",
    level: LevelOption = "global",
    scale: Annotated[
        Literal["none", "z", "minmax"],
        typer.Option("--scale", help="Combine scores as they are, standardised, or stretched from 0 to 1."),
    ] = "none",
    by: ByOption = "pearson",
    alpha: Annotated[
        float, typer.Option("--alpha", help="The blind alpha, set without looking at human scores.")
    ] = 0.5,
    steps: Annotated[int, typer.Option("--steps", help="Steps of alpha from 0 to 1.")] = 20,
    folds: Annotated[
        int | None,
        typer.Option(
            "--folds",
            metavar="K",
            help="Folds of the cross-validation: of topics, or of peers where there is one topic. By default each is "
            "one, if there are at most 20, else ten are made.",
            show_default=False,
        ),
    ] = None,
    stem: Annotated[bool, typer.Option("--stem/--no-stem", help="ROUGE: compare stems (its -m), or words.")] = True,
    documents: DocumentsOption = None,
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw the curves: .svg, .png or .pdf (needs matplotlib)."),
    ] = None,
    table: Annotated[
        Literal["worth", "gains", "curve"] | None,
        typer.Option(
            "--table",
            help="Print only what scores and combinations are worth, what combining adds, or the curves. The first two "
            "by default; CSV, which holds one table, has the first.",
            show_default=False,
        ),
    ] = None,
    reading: Reading = READING,
    format: _shared.AsTable = "text",
    as_json: _shared.AsJson = False,
) -> None:
    """Combine two scores linearly: alpha * first + (1 - alpha) * second, against human scores.

    Three ways to set alpha stand beside each score alone: .5, without looking; the best on these summaries; and chosen
    on other topics, which is what to expect of it.

    \b
    Example:
      pyramidion combine corpus/ --metric given+soft --metric rouge-su4 --plot curve.svg
      pyramidion combine realsumm/ --metric be-hm --metric rouge-2:f --metric rouge-su4 --level summary
      pyramidion combine class/ --human grades.csv --metric pyramidion --metric lexical-pyramid --scale z
    """
    from pyramidion.io.files import write_bytes
    from pyramidion.io.pictures import check_picture
    from pyramidion.studies.combine.plot import draw_curves
    from pyramidion.studies.combine.study import check
    from pyramidion.studies.combine.study import combine as run
    from pyramidion.studies.combine.tables import curve_table, gains_table, to_json, worth_table

    check(metric, human is not None, alpha, steps)
    picture = check_picture(plot) if plot else None
    _shared.check_outputs(plot, inputs=[corpus, *([human] if human else [])])
    topics, people = _read(corpus, human, column, documents, reading)
    with _shared.progress(len(metric) * _shared.summaries(topics), "scoring") as advance:
        found = run(
            topics,
            metric,
            people,
            level=level,
            scale=scale,
            by=by,
            alpha=alpha,
            steps=steps,
            folds=folds,
            stem=stem,
            progress=advance,
        )
    if as_json:
        _shared.print_json(to_json(found))
    else:
        makers = {"worth": worth_table, "gains": gains_table, "curve": curve_table}
        wanted = [table] if table else ["worth"] if format == "csv" else ["worth", "gains"]
        typer.echo(render_all([makers[one](found) for one in wanted], format), nl=False)
    if plot and picture:
        write_bytes(plot, draw_curves(found, picture))


@_shared.bundled
def ablate(
    corpus: Corpus,
    human: HumanOption = None,
    column: ColumnOption = "",
    method: Annotated[
        str, typer.Option("--method", metavar="NAME[:SCORE]", help="A method that matches meaning graphs.")
    ] = "given+ape",
    level: LevelOption = "global",
    by: ByOption = "pearson",
    documents: DocumentsOption = None,
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

    topics, people = _read(corpus, human, column, documents, reading)
    known = relations(topics, method)
    with _shared.progress(1 + sum(one.in_pyramids > 0 for one in known), "matching", at_least=2) as advance:
        found = run(topics, people, method, level=level, by=by, found=known, progress=advance)
    if as_json:
        _shared.print_json(to_json(found))
    else:
        typer.echo(render(ablation_table(found, every_row=format == "csv"), format), nl=False)


def _read(
    corpus: Path, human: Path | None, column: str, documents: int | None, reading: Reading
) -> tuple[list[Topic], Human | None]:
    """The topics, and the table of human scores if there is one."""
    topics = reading.topics(corpus)[:documents]
    if human is None:
        return topics, None
    from pyramidion.studies.scores.human import read_human

    return topics, read_human(human, topics, column)
