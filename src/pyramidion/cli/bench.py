"""``bench``: measurements against public data with human labels."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from pyramidion.cli import _shared
from pyramidion.report.table import Table, render
from pyramidion.signature import Signature

bench = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


def add_to(app: typer.Typer) -> None:
    """Add the command group."""
    app.add_typer(bench, name="bench", help="Measure against public data with human labels.")


@bench.command()
def sts(
    directory: Annotated[Path, typer.Argument(readable=False, help="The folder of the STS sets, NAME.tsv each.")],
    embedder: Annotated[
        list[str] | None,
        typer.Option("--embedder", metavar="NAME", help="minilm, static, wtmf, sif:FILE, ... Repeatable."),
    ] = None,
    table: _shared.AsTable = "text",
    as_json: _shared.AsJson = False,
) -> None:
    """Measure embedders on semantic textual similarity (STS-14).

    Beside them stand the four figures of Gao et al. 2019, Table 1.

    \b
    Example:
      pyramidion bench sts sts14/ --embedder static --embedder wtmf
    """
    from pyramidion.bench import sts as task
    from pyramidion.language.vectors import embedder as find

    chosen = [find(name) for name in embedder or ("minilm", "static", "wtmf")]
    sets = task.read(directory)
    with _shared.progress(len(chosen), "embedding", at_least=1) as advance:
        results = []
        for one in chosen:
            results.append(task.measure(one, sets))
            advance()
    if as_json:
        _shared.print_json({"results": results, "gao_2019": task.GAO_2019})
    else:
        made = task.table(results)
        signature = Signature("bench-sts", (("embedders", ",".join(one.name for one in chosen)),))
        typer.echo(render(replace(made, caption=f"{made.caption}\n{signature}"), table), nl=False)


@bench.command()
def language(
    treebanks: Annotated[list[Path], typer.Argument(readable=False, help="CoNLL-U files, plain or gzipped.")],
    table: _shared.AsTable = "text",
    as_json: _shared.AsJson = False,
) -> None:
    """Measure the embedded language model on treebanks, from raw text and with gold words.

    \b
    Example:
      pyramidion bench language gum-test.conllu.gz ewt-test.conllu.gz
    """
    from pyramidion.bench.language import COLUMNS, measure

    figures = []
    with _shared.progress(len(treebanks), "parsing", at_least=1) as advance:
        for path in treebanks:
            figures += measure(path)
            advance()
    if as_json:
        _shared.print_json(figures)
        return
    rows = tuple(
        (
            one.treebank,
            one.given,
            *(None if (value := one.values[name]) is None else round(value, 1) for name in COLUMNS),
        )
        for one in figures
    )
    columns = (
        "treebank",
        "given",
        "words",
        "sent.",
        "UPOS",
        "XPOS",
        "lemmas",
        "UAS",
        "LAS",
        "EDUs",
        "inner",
        "clauses",
    )
    caption = "Per cent. From raw text: F1 over character offsets. UAS and LAS without punctuation.\n"
    caption += str(Signature("bench-language", (("model", "en-minilm"),)))
    typer.echo(render(Table(columns, rows, "", caption, ("treebank", "given", *COLUMNS)), table), nl=False)
