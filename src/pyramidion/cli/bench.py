"""``bench``: measurements against public data with human labels."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from pyramidion.cli import _shared
from pyramidion.errors import InputWarning, PyramidionError
from pyramidion.io.tables import Table, render, render_all
from pyramidion.language.models.weights import signed
from pyramidion.methods import GIVEN, RECIPES, Method, versions_of
from pyramidion.model import Topic
from pyramidion.reading import READING, Reading, how_read
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

DATASET = "realsumm"


class _Datasets(TyperGroup):
    """A folder in a command's place is a dataset: ``bench DIR`` is ``bench realsumm DIR``."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args[0] not in self.commands and (os.sep in args[0] or Path(args[0]).exists()):
            args = [DATASET, *args]
        return super().resolve_command(ctx, args)


bench = typer.Typer(
    cls=_Datasets,
    no_args_is_help=True,
    rich_markup_mode=None,
    subcommand_metavar="DIR|COMMAND [ARGS]...",
)


def add_to(app: typer.Typer) -> None:
    """Add the command group."""
    app.add_typer(
        bench,
        name="bench",
        help="Measure against public data with human labels. 'bench DIR' is 'bench realsumm DIR'.",
    )


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
    from pyramidion.language.vectors import embedder as find
    from pyramidion.language.vectors import models_of
    from pyramidion.studies.bench import sts as task

    names = embedder or ["minilm", "static", "wtmf"]
    chosen = [find(name) for name in names]
    sets = task.read(directory)
    with _shared.progress(len(chosen), "embedding", at_least=1) as advance:
        results = []
        for one in chosen:
            results.append(task.measure(one, sets))
            advance()
    models = signed(model for name in names for model in models_of(name))
    signature = str(Signature("bench-sts", (("embedders", ",".join(one.name for one in chosen)), *models)))
    if as_json:
        _shared.print_json({"signature": signature, "results": results, "gao_2019": task.GAO_2019})
    else:
        typer.echo(render(replace(task.table(results), signature=signature), table), nl=False)


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
    from pyramidion.studies.bench.language import COLUMNS, measure

    figures = []
    with _shared.progress(len(treebanks), "parsing", at_least=1) as advance:
        for path in treebanks:
            figures += measure(path)
            advance()
    signature = str(Signature("bench-language", signed(("en-minilm", "lemmas"))))
    if as_json:
        _shared.print_json({"signature": signature, "results": figures})
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
    caption = "Per cent. From raw text: F1 over character offsets. UAS and LAS without punctuation."
    typer.echo(render(Table(columns, rows, "", caption, ("treebank", "given", *COLUMNS), signature), table), nl=False)


@bench.command()
@_shared.bundled
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
    reading: Reading = READING,
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
    from pyramidion.studies.bench import corpus as task
    from pyramidion.studies.scores.human import read_table_of_scores

    topics = reading.topics(corpus)
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
            *versions_of(methods),
            ("rouge", "stem"),
            ("lexical-pyramid", "en"),
            ("interval", "symmetric-angle-95"),
            ("samples", "10000"),
            ("seed", "0"),
            *how_read(topics),
        ),
    )
    if as_json:
        _shared.print_json({"signature": str(signature), **task.to_json(result, paper=paper)})
        return
    tables = [task.correlations_table(result, paper=paper, signature=str(signature))]
    if table != "csv" and (result.pyramids or paper):
        tables.append(task.sizes_table(result, paper=paper, signature=str(signature)))
    typer.echo(render_all(tables, table), nl=False)


@bench.command(DATASET)
def realsumm(
    directory: Annotated[
        Path, typer.Argument(readable=False, help="The folder with references.txt, SCUs.txt, summaries/ and labels/.")
    ],
    judge: Annotated[
        list[str] | None,
        typer.Option(
            "--judge",
            metavar="NAME",
            help="A judge or matcher of the human SCUs: soft, unigram, nli:MODEL, ...; NAME is the method given+NAME. "
            "Repeatable.",
            show_default=False,
        ),
    ] = None,
    method: Annotated[
        list[str] | None,
        typer.Option(
            "--method",
            metavar="NAME",
            help="A method, which sees the references only. Repeatable. All that build pyramids and match peers, if "
            "neither a judge nor a method is named.",
            show_default=False,
        ),
    ] = None,
    score: Annotated[
        Literal["raw", "quality", "coverage", "comprehensive", "precision", "recall", "normalised"],
        typer.Option(help="Which score of a method; normalised is that of the edu- methods alone."),
    ] = "coverage",
    more: Annotated[
        list[str] | None,
        typer.Option("--metric", metavar="NAME", help="A metric more: rouge-su4, be-hm, be-hmr, ... Repeatable."),
    ] = None,
    folds: Annotated[
        Literal["published"] | None,
        typer.Option(
            "--folds",
            help="Fit judges that learn anew without the documents of each fold (DIR/folds/*.id), measure them on "
            "those, and print the means over folds too.",
            show_default=False,
        ),
    ] = None,
    documents: Annotated[
        int | None, typer.Option(min=2, metavar="N", help="Only the first N documents.", show_default=False)
    ] = None,
    samples: Annotated[
        int, typer.Option("--samples", min=100, max=1_000_000, help="Draws for each interval.")
    ] = 10_000,
    leaderboard: Annotated[
        Path | None,
        typer.Option(
            "--leaderboard",
            metavar="FILE.md",
            help="Add the results to FILE.json and write the leaderboard of all results in it.",
            show_default=False,
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(
            "--plot",
            metavar="FILE",
            help="Draw how far the judges' probabilities can be relied on: .svg, .png or .pdf (needs matplotlib).",
            show_default=False,
        ),
    ] = None,
    table: _shared.AsTable = "text",
    as_json: _shared.AsJson = False,
) -> None:
    """Measure judges and methods against human SCU judgements of systems' summaries (REALSumm).

    Correlation at system and summary level, the difference to ROUGE-1, single judgements of SCUs, calibration and
    speed. ROUGE and the lexical pyramid always stand beside them. CSV, which holds one table, has the correlations.

    \b
    Example:
      pyramidion bench realsumm/ --judge soft --judge unigram --folds published
      pyramidion bench realsumm realsumm/ --method pyramidion --documents 20
    """
    from pyramidion.io.pictures import check_picture
    from pyramidion.studies.bench import leaderboard as board
    from pyramidion.studies.bench import realsumm as task
    from pyramidion.studies.bench.folds import read_folds

    picture = check_picture(plot) if plot else None
    _shared.check_outputs(plot, inputs=[directory])
    if leaderboard:
        _shared.check_outputs(leaderboard, board.results_of(leaderboard), inputs=[directory])
    every = task.read(directory)
    topics = every[:documents]
    methods = _judges(judge or ()) + (_methods(method, topics) if method or not judge else ())
    parts = read_folds(directory, every) if folds else ()
    if not parts:
        _check_seen_documents(methods, topics, leaderboard is not None)
    with _shared.progress(2 * len(methods) * _shared.summaries(topics), "judging", at_least=1) as advance:
        study = task.measure(topics, methods, score, more or (), parts, every, samples=samples, progress=advance)
    common = (
        ("score", score),
        ("documents", str(len(topics))),
        ("folds", folds or "none"),
        ("rouge", "stem"),
        ("lexical-pyramid", "en"),
        ("interval", "symmetric-angle-95"),
        ("samples", str(samples)),
        ("seed", "0"),
        *how_read(topics),
    )
    results = [
        {
            "signature": str(Signature("bench-realsumm", (("methods", one.metric), *method.versions, *common))),
            **task.to_json(one),
            "peak_memory_mb": _peak_memory(),
        }
        for method, one in zip(methods, study.methods, strict=True)
    ]
    floor = [task.to_json(one) for one in study.floor]
    if leaderboard:
        board.add(leaderboard, results, floor)
    named = (("methods", ",".join(map(str, methods)) or "none"), *versions_of(methods))
    signature = Signature("bench-realsumm", (*named, *common))
    if plot and picture:
        from pyramidion.io.files import write_bytes
        from pyramidion.studies.bench.plot import draw_reliability

        judges = {one.metric: one.judgements.reliability for one in study.methods if one.judgements}
        write_bytes(plot, draw_reliability(judges, picture, str(signature)))
    if as_json:
        several = {"signature": str(signature), "results": results}
        _shared.print_json({**(results[0] if len(results) == 1 else several), "floor": floor})
        return
    shown = [task.correlations_table(study, str(signature))]
    if table != "csv" and study.methods:
        memory = f"The process held {_peak_memory():.0f} MB at most."
        shown.append(task.judgements_table(study, memory, str(signature)))
    typer.echo(render_all(shown, table), nl=False)


@bench.command("annotations")
@_shared.bundled
def hand_annotations(
    corpus: Annotated[
        Path | None,
        typer.Argument(
            readable=False,
            help="A corpus with pyramids and hand annotations of peers; the bundled examples if none is named.",
            show_default=False,
        ),
    ] = None,
    matcher: Annotated[
        list[str] | None,
        typer.Option(
            "--matcher",
            metavar="NAME",
            help="A matcher, with settings in brackets; all that match hand-made pyramids, if none is named. "
            "Repeatable.",
            show_default=False,
        ),
    ] = None,
    reading: Reading = READING,
    table: _shared.AsTable = "text",
    as_json: _shared.AsJson = False,
) -> None:
    """Measure how far matchers agree with hand annotations of the same peers and pyramids.

    For each topic and over all: accuracy, precision, recall, F1 and Cohen's kappa of the decisions whether a peer
    expresses an SCU.

    \b
    Example:
      pyramidion bench annotations
      pyramidion bench annotations corpus/ --matcher soft --matcher "ape(tau=0.6)"
    """
    from pyramidion.examples import example
    from pyramidion.studies.bench import annotations as task

    topics = reading.topics(corpus) if corpus else example()
    methods = _judges(matcher or task.matchers())
    with _shared.progress(2 * len(methods) * _shared.summaries(topics), "matching", at_least=1) as advance:
        rows = task.measure(topics, methods, progress=advance)
    named = (("matchers", ",".join(map(str, methods))), *versions_of(methods))
    signature = Signature("bench-annotations", (*named, *how_read(topics)))
    if as_json:
        _shared.print_json({"signature": str(signature), "agreement": rows})
    else:
        typer.echo(render(task.table(rows, str(signature)), table), nl=False)


@bench.command()
def minimal(
    judge: Annotated[
        list[str] | None,
        typer.Option(
            "--judge",
            metavar="NAME",
            help="A judge or matcher: soft, unigram, nli:MODEL, ...; all that are installed, need nothing else and "
            "give probabilities, if none is named. Repeatable.",
            show_default=False,
        ),
    ] = None,
    sealed: Annotated[
        bool,
        typer.Option(
            "--sealed",
            help="Measure on the sealed half, whose figures are for reporting: choose nothing by them.",
        ),
    ] = False,
    sets: Annotated[
        int | None,
        typer.Option("--sets", min=1, metavar="N", help="Only the first N sets of each genre.", show_default=False),
    ] = None,
    samples: Annotated[
        int, typer.Option("--samples", min=100, max=1_000_000, help="Draws for each interval.")
    ] = 10_000,
    table: _shared.AsTable = "text",
    as_json: _shared.AsJson = False,
) -> None:
    """Measure whether judges read: paraphrases, negations, swapped roles, damaged texts.

    For 104 statements the probability that a passage says it, by what the passage does with it; order and AUC; and what
    texts without meaning, padded or misspelt ones score beside the references that they were made from. ROUGE-1 recall
    always stands beside the judges. CSV has a row for each judge and figure.

    \b
    Example:
      pyramidion bench minimal
      pyramidion bench minimal --judge soft --judge reader --sealed --json
    """
    from pyramidion.examples import example
    from pyramidion.studies.bench.minimal import sets as files
    from pyramidion.studies.bench.minimal import study as task
    from pyramidion.studies.bench.minimal import tables

    half: files.Half = "sealed" if sealed else "development"
    chosen = files.load(half, sets)
    methods = _judges(judge or task.judges())
    topics = example()
    with _shared.progress(2 * len(methods) * task.passages(chosen, topics), "judging", at_least=1) as advance:
        study = task.measure(methods, chosen, topics, samples=samples, progress=advance)
    signature = Signature(
        "bench-minimal",
        (
            ("judges", ",".join(map(str, methods))),
            *versions_of(methods),
            ("half", half),
            ("sets", f"{len(chosen)}-{files.fingerprint(chosen)}"),
            ("rouge", "stem"),
            ("samples", str(samples)),
            ("seed", str(task.SEED)),
        ),
    )
    if as_json:
        _shared.print_json({"signature": str(signature), "half": half, "sets": len(chosen), "judges": study})
    elif table == "csv":
        typer.echo(render(tables.long_table(study, str(signature)), table), nl=False)
    else:
        typer.echo(render_all(tables.tables(study, str(signature)), table), nl=False)


def _peak_memory() -> float | None:
    """What the process held at most, in MB; None where the system does not say (Windows)."""
    try:
        import resource
    except ImportError:
        return None
    import sys

    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(most / (1e6 if sys.platform == "darwin" else 1e3), 1)


def _judges(names: Sequence[str]) -> tuple[Method, ...]:
    """The methods of judges' names on the given pyramids; a recipe that is no matcher keeps its name (``lite``)."""
    from pyramidion.match import MATCHERS

    recipes = {recipe.name for recipe in RECIPES} - {*MATCHERS}
    return tuple(
        Method.parse(name if name.partition("(")[0].strip() in recipes else f"{GIVEN}+{name}") for name in names
    )


def _check_seen_documents(methods: Sequence[Method], topics: Sequence[Topic], published: bool) -> None:
    """Warn of judges that learnt from these documents; figures that are to be published must not be theirs."""
    from pyramidion.studies.bench.folds import can_be_fitted, dataset, has_seen

    for method in methods:
        if has_seen(method, dataset(topics)):
            what = f"{method.matcher!r} learnt from these very documents, so that its figures are too good"
            how = (
                "--folds published measures it on documents that it has not seen"
                if can_be_fitted(method)
                else "its MODEL.md has its held-out figures"
            )
            if published:
                raise PyramidionError(f"{what} for the leaderboard", do=how)
            warnings.warn(f"{what}; {how}", InputWarning, stacklevel=2)


def _methods(names: list[str] | None, topics: Sequence[Topic]) -> tuple[Method, ...]:
    """The methods of these names, or all that do everything themselves."""
    from pyramidion.studies.bench.floor import automatic_methods

    return tuple(map(Method.parse, names)) if names else automatic_methods(all(topic.sources for topic in topics))
