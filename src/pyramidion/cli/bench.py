"""``bench``: measurements against public data with human labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Literal

import typer

from pyramidion.cli import _shared
from pyramidion.methods import Method
from pyramidion.model import Topic
from pyramidion.report.table import Table, render
from pyramidion.signature import Signature

MethodOption = Annotated[
    list[str] | None,
    typer.Option(
        "--method",
        metavar="NAME",
        help="A method to measure; all that build pyramids and match peers, if none is named. Repeatable.",
        show_default=False,
    ),
]

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


@bench.command()
def corpus(
    corpus: Annotated[
        Path, typer.Argument(readable=False, help="A corpus folder or JSONL file with references and peers.")
    ],
    human: Annotated[
        Path, typer.Option("--human", readable=False, help="A CSV of human scores: a row a peer, named in a column.")
    ],
    column: Annotated[
        str,
        typer.Option(
            help="The column of human scores. Otherwise each of our scores stands against its own column "
            "(DUCView's totalWeight, qualityScore, ...), or raw against 'score' or the only column of numbers."
        ),
    ] = "",
    method: MethodOption = None,
    score: Annotated[
        Literal["raw", "quality", "coverage", "comprehensive"] | None,
        typer.Option(help="Only this score of ours; otherwise all that have a column, or raw.", show_default=False),
    ] = None,
    paper: Annotated[bool, typer.Option("--paper", help="Add the figures that Gao et al. 2019 print.")] = False,
    source: _shared.FromOption = "",
    option: _shared.OptionOption = None,
    table: _shared.AsTable = "text",
    as_json: _shared.AsJson = False,
) -> None:
    """Correlate methods with human scores of a corpus's peers.

    ROUGE-1, ROUGE-2, the lexical pyramid and length in words always stand beside them. A second table, which CSV leaves
    out, counts the SCUs of each method's pyramids by weight.

    \b
    Example:
      pyramidion bench corpus students/ --human manual_scores.csv
      pyramidion bench corpus students/ --human grades.csv --column grade --score raw
    """
    from pyramidion import formats
    from pyramidion.bench import corpus as task
    from pyramidion.run.human import read_table_of_scores

    topics = formats.load(corpus, source, **_shared.format_options(option))
    methods = _methods(method, topics)
    people = read_table_of_scores(human, topics)
    with _shared.progress(len(methods) * _shared.summaries(topics), "scoring", at_least=1) as advance:
        result = task.measure(
            topics, people, methods, column=column, scores=(score,) if score else (), progress=advance
        )
    signature = Signature(
        "bench-corpus",
        (
            ("methods", ",".join(map(str, methods)) or "none"),
            ("rouge", "stem"),
            ("lexical-pyramid", "en"),
            ("interval", "basic-fisher-95"),
            ("samples", "10000"),
            ("seed", "0"),
        ),
    )
    if as_json:
        _shared.print_json({"signature": str(signature), **task.to_json(result, paper=paper)})
        return
    tables = [task.correlations_table(result, paper=paper, caption=str(signature))]
    if table != "csv" and (result.pyramids or paper):
        tables.append(task.sizes_table(result, paper=paper, caption=str(signature)))
    typer.echo("\n".join(render(one, table) for one in tables), nl=False)


@bench.command()
def realsumm(
    directory: Annotated[
        Path, typer.Argument(readable=False, help="The folder with references.txt, SCUs.txt, summaries/ and labels/.")
    ],
    method: MethodOption = None,
    score: Annotated[
        Literal["raw", "quality", "coverage", "comprehensive", "precision", "recall", "normalised"],
        typer.Option(help="Which score of a method; normalised is that of the edu- methods alone."),
    ] = "coverage",
    more: Annotated[
        list[str] | None,
        typer.Option("--metric", metavar="NAME", help="A metric more: rouge-su4, be-hm, be-hmr, ... Repeatable."),
    ] = None,
    documents: Annotated[
        int | None, typer.Option(min=2, metavar="N", help="Only the first N documents.", show_default=False)
    ] = None,
    table: _shared.AsTable = "text",
    as_json: _shared.AsJson = False,
) -> None:
    """Correlate methods with human SCU judgements of systems' summaries (REALSumm).

    Methods see the references, not the human SCUs, unless they ask for the given pyramids. ROUGE and the lexical
    pyramid always stand beside them.

    \b
    Example:
      pyramidion bench realsumm realsumm/ --documents 20
    """
    from pyramidion.bench import realsumm as task

    topics = task.read(directory, documents)
    methods = _methods(method, topics)
    with _shared.progress(len(methods) * _shared.summaries(topics), "scoring", at_least=1) as advance:
        rows = task.measure(topics, methods, score, more or (), progress=advance)
    signature = Signature(
        "bench-realsumm",
        (
            ("methods", ",".join(map(str, methods)) or "none"),
            ("score", score),
            ("documents", str(len(topics))),
            ("rouge", "stem"),
            ("lexical-pyramid", "en"),
            ("interval", "basic-fisher-95"),
            ("samples", "10000"),
            ("seed", "0"),
        ),
    )
    if as_json:
        _shared.print_json({"signature": str(signature), "correlations": task.to_json(rows)})
    else:
        typer.echo(render(task.table(rows, str(signature)), table), nl=False)


def _methods(names: list[str] | None, topics: Sequence[Topic]) -> tuple[Method, ...]:
    """The methods of these names, or all that do everything themselves."""
    from pyramidion.bench._floor import automatic_methods

    return tuple(map(Method.parse, names)) if names else automatic_methods(all(topic.sources for topic in topics))
