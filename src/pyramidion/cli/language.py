"""``parse``, ``clauses``, ``statements``, ``edus`` and ``models``: use the language layer alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from pyramidion.base.tables import render
from pyramidion.cli import _shared

if TYPE_CHECKING:
    from pyramidion.language.parse.analysis import Analysis
    from pyramidion.language.parse.clauses import NamedSegment

Files = Annotated[list[Path], typer.Argument(readable=False, help="Text files; - is standard input.")]
By = Annotated[
    str,
    typer.Option("--analyser", metavar="NAME", help="The analyser: en-minilm, unicode, spacy:PIPELINE or conllu:FILE."),
]


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    for command in (parse, clauses, statements, edus, models):
        app.command()(command)


def _analyses(files: list[Path], by: str) -> list[tuple[str, Analysis]]:
    from pyramidion.language import analyse, analyser

    analyser(by)
    with _shared.progress(len(files), "analysing") as advance:
        analyses = []
        for file in files:
            analyses.append((str(file), analyse(_shared.text(file), by)))
            advance()
        return analyses


def parse(files: Files, by: By = "en-minilm", as_json: _shared.AsJson = False) -> None:
    """Parse texts, and print the analysis as CoNLL-U.

    The output has words, tags, lemmas, dependency trees and discourse units.

    \b
    Example:
      pyramidion parse summary.txt > summary.conllu
    """
    from pyramidion.language.parse import conllu

    analyses = _analyses(files, by)
    if as_json:
        _shared.print_json([{"file": name, "analysis": analysis} for name, analysis in analyses])
        return
    for name, analysis in analyses:
        typer.echo(f"# newdoc id = {name}\n{conllu.dumps(analysis)}", nl=False)


def clauses(files: Files, by: By = "en-minilm", as_json: _shared.AsJson = False) -> None:
    """Cut sentences into clauses, in every way that PyrEval does.

    Each line holds a segment's id (summary.sentence.segmentation.segment, as in Gao et al. 2019) and its words.

    \b
    Example:
      pyramidion clauses reference.txt
    """
    from pyramidion.language.parse.clauses import named_segments

    segments: list[tuple[str, NamedSegment]] = []
    for summary, (name, analysis) in enumerate(_analyses(files, by)):
        with _shared.naming(name):
            segments += ((name, segment) for segment in named_segments(analysis, summary))
    if as_json:
        _shared.print_json(
            [
                {
                    "file": name,
                    "id": segment.id,
                    "spans": [[span.start, span.end] for span in segment.spans],
                    "text": segment.text,
                }
                for name, segment in segments
            ]
        )
    else:
        typer.echo("".join(f"{segment.id}\t{segment.text}\n" for _, segment in segments), nl=False)


def statements(
    files: Files,
    by: By = "en-minilm",
    writer: Annotated[
        Literal["rules", "network"], typer.Option(help="Who writes them: rules, or the network of pyramidion-writes.")
    ] = "rules",
    as_json: _shared.AsJson = False,
) -> None:
    """Print the facts that texts state, each as its own sentence.

    Each line has one statement. If it cannot be understood by itself, the reason follows it. The network writes out
    what rules leave open, and makes other mistakes; the builder meaning lets a second network choose.

    \b
    Example:
      pyramidion statements reference.txt
      pyramidion statements reference.txt --writer network
    """
    from pyramidion.language.statements.written import statements_by

    rows: list[dict[str, Any]] = []
    for name, analysis in _analyses(files, by):
        with _shared.naming(name):
            (statements_found,) = statements_by([analysis], writer)
        for number, statement in enumerate(statements_found, start=1):
            row = {"file": name, "statement": number, "sentence": statement.sentence + 1, "text": statement.text}
            spans = [[span.start, span.end] for span in statement.spans]
            rows.append({**row, "spans": spans, "self_contained": statement.self_contained, "reason": statement.open})
    if as_json:
        _shared.print_json(rows)
        return
    for row in rows:
        reason = f"\t({row['reason']})" if row["reason"] else ""
        typer.echo(f"{row['statement']}\t{row['text']}{reason}")


def edus(files: Files, by: By = "en-minilm", as_json: _shared.AsJson = False) -> None:
    """Cut texts into elementary discourse units.

    Such a unit is a clause or a phrase that says one thing. Each line has its number, its place in the text and its
    words.

    \b
    Example:
      pyramidion edus source.txt
    """
    from pyramidion.language.parse import edus as units

    rows: list[dict[str, Any]] = []
    for name, analysis in _analyses(files, by):
        with _shared.naming(name):
            spans = units.edus(analysis)
        for number, span in enumerate(spans, start=1):
            text = " ".join(span.of(analysis.text).split())
            rows.append({"file": name, "edu": number, "start": span.start, "end": span.end, "text": text})
    if as_json:
        _shared.print_json(rows)
    else:
        typer.echo("".join(f"{row['edu']}\t{row['start']}-{row['end']}\t{row['text']}\n" for row in rows), nl=False)


def models(
    card: Annotated[
        str, typer.Option("--card", metavar="NAME", help="Print the model card of this model instead.")
    ] = "",
    as_json: _shared.AsJson = False,
) -> None:
    """List the models that ship with the package, and check them.

    Their files are checked against the digests of the release.

    \b
    Example:
      pyramidion models --card en-minilm
    """
    from pyramidion.language.models import installed

    if card:
        text = installed.card(card)
        if as_json:
            _shared.print_json({"model": card, "card": text})
        else:
            typer.echo(text, nl=False)
        return
    installed_models = installed.models()
    if as_json:
        _shared.print_json(installed_models)
    else:
        typer.echo(render(installed.models_table(installed_models)), nl=False)
    if any(model.damaged for model in installed_models):
        raise typer.Exit(3)
