"""``bench``: measurements against public data with human labels."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from pyramidion.cli import _shared
from pyramidion.cli._emit import emits
from pyramidion.errors import PyramidionError
from pyramidion.methods import Method
from pyramidion.model import Topic
from pyramidion.reading import READING, Reading

if TYPE_CHECKING:
    from pyramidion.studies.bench.annotations import AnnotationsStudy
    from pyramidion.studies.bench.builders import BuildersStudy
    from pyramidion.studies.bench.corpus import CorpusStudy
    from pyramidion.studies.bench.language import LanguageStudy
    from pyramidion.studies.bench.minimal import MinimalStudy
    from pyramidion.studies.bench.realsumm import RealsummStudy
    from pyramidion.studies.bench.sts import StsStudy

JudgesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--judge",
        "--matcher",
        metavar="NAME",
        help="A judge or matcher of the given SCUs, with settings in brackets: soft, unigram, nli:MODEL, ...; NAME is "
        "the method given+NAME. Repeatable.",
        show_default=False,
    ),
]
MethodsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--method",
        metavar="NAME",
        help="A method to measure. Repeatable. All that build pyramids and match peers, if nothing is named.",
        show_default=False,
    ),
]

HandMadeArgument = Annotated[
    Path | None,
    typer.Argument(
        readable=False,
        help="A corpus with hand-made pyramids and annotated peers; the bundled examples and three open topics if none "
        "is named.",
        show_default=False,
    ),
]
SealedOption = Annotated[
    bool,
    typer.Option(
        "--sealed", help="Measure on what is sealed, whose figures are for reporting: choose nothing by them."
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
@emits("embedders")
def sts(
    directory: Annotated[Path, typer.Argument(readable=False, help="The folder of the STS sets, NAME.tsv each.")],
    embedder: Annotated[
        list[str] | None,
        typer.Option("--embedder", metavar="NAME", help="minilm, static, wtmf, sif:FILE, ... Repeatable."),
    ] = None,
) -> StsStudy:
    """Measure embedders on semantic textual similarity (STS-14).

    Beside them stand the four figures of Gao et al. 2019, Table 1.

    \b
    Example:
      pyramidion bench sts sts14/ --embedder static --embedder wtmf
    """
    from pyramidion.studies.bench.sts import bench_sts, read

    embedders = embedder or ["minilm", "static", "wtmf"]
    with _shared.progress(len(embedders), "embedding", at_least=1) as advance:
        return bench_sts(embedders, read(directory), progress=advance)


@bench.command()
@emits("treebanks")
def language(
    treebanks: Annotated[list[Path], typer.Argument(readable=False, help="CoNLL-U files, plain or gzipped.")],
) -> LanguageStudy:
    """Measure the embedded language model on treebanks, from raw text and with gold words.

    \b
    Example:
      pyramidion bench language gum-test.conllu.gz ewt-test.conllu.gz
    """
    from pyramidion.studies.bench.language import bench_language, read_treebank

    banks = [read_treebank(path) for path in treebanks]
    with _shared.progress(sum(len(bank.documents) for bank in banks), "parsing", at_least=1) as advance:
        return bench_language(banks, progress=advance)


@bench.command()
@_shared.bundled
@emits("correlations", "pyramids")
def corpus(
    corpus: Annotated[
        Path, typer.Argument(readable=False, help="A corpus folder or JSONL file with references and peers.")
    ],
    human: Annotated[
        Path, typer.Option("--human", readable=False, help="A CSV of human scores: a row a peer, named in a column.")
    ],
    column: _shared.ColumnOption = "",
    method: MethodsOption = None,
    score: Annotated[
        Literal["raw", "quality", "coverage", "comprehensive"] | None,
        typer.Option(help="Only this score of ours; otherwise all that have a column, or raw.", show_default=False),
    ] = None,
    paper: Annotated[bool, typer.Option("--paper", help="Add the figures that Gao et al. 2019 print.")] = False,
    reading: Reading = READING,
) -> CorpusStudy:
    """Correlate methods with human scores of a corpus's peers.

    ROUGE-1, ROUGE-2, the lexical pyramid and length in words always stand beside them. A second table counts the SCUs
    of each method's pyramids by weight. If no column is named, each of our scores stands against its own column
    (DUCView's totalWeight, qualityScore, ...), or raw against 'score' or the only column of numbers.

    \b
    Example:
      pyramidion bench corpus students/ --human manual_scores.csv
      pyramidion bench corpus students/ --human grades.csv --column grade --score raw
    """
    from pyramidion.studies.bench.corpus import bench_corpus
    from pyramidion.studies.scores.human import read_table_of_scores

    topics = reading.topics(corpus)
    methods = _methods(method, topics)
    people = read_table_of_scores(human, topics)
    with _shared.progress(len(methods) * _shared.summaries(topics), "scoring", at_least=1) as advance:
        return bench_corpus(
            topics, people, methods, column=column, scores=(score,) if score else (), paper=paper, progress=advance
        )


@bench.command(DATASET)
@emits("correlations", "judgements", plot="Draw how far the judges' probabilities can be relied on")
def realsumm(
    directory: Annotated[
        Path, typer.Argument(readable=False, help="The folder with references.txt, SCUs.txt, summaries/ and labels/.")
    ],
    judge: JudgesOption = None,
    method: MethodsOption = None,
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
    calibrate: _shared.CalibrateOption = None,
    documents: _shared.DocumentsOption = None,
    samples: _shared.SamplesOption = 10_000,
    leaderboard: Annotated[
        Path | None,
        typer.Option(
            "--leaderboard",
            metavar="FILE.md",
            help="Add the results to FILE.json and write the leaderboard of all results in it.",
            show_default=False,
        ),
    ] = None,
) -> RealsummStudy:
    """Measure judges and methods against human SCU judgements of systems' summaries (REALSumm).

    Correlation at system and summary level, the difference to ROUGE-1, single judgements of SCUs, calibration and
    speed. ROUGE and the lexical pyramid always stand beside them.

    \b
    Example:
      pyramidion bench realsumm/ --judge soft --judge unigram --folds published
      pyramidion bench realsumm realsumm/ --method pyramidion --documents 20
    """
    from pyramidion.studies.bench.candidates import judge_methods
    from pyramidion.studies.bench.realsumm import bench_realsumm, read, read_folds
    from pyramidion.studies.bench.realsumm.leaderboard import publish, results_of

    if leaderboard:
        _shared.check_outputs(leaderboard, results_of(leaderboard), inputs=[directory])
    known = read(directory)
    topics = known[:documents]
    judges = judge_methods(judge or ())
    if calibrate:
        labels = READING.topics(calibrate)
        judges = tuple(method.calibrated(labels) for method in judges)
    methods = judges + (_methods(method, topics) if method or not judge else ())
    with _shared.progress(2 * len(methods) * _shared.summaries(topics), "judging", at_least=1) as advance:
        study = bench_realsumm(
            topics,
            methods,
            score,
            metrics=more or (),
            folds=read_folds(directory, known) if folds else (),
            known=known,
            samples=samples,
            publish=leaderboard is not None,
            progress=advance,
        )
    if leaderboard:
        publish(leaderboard, study)
    return study


@bench.command("annotations")
@_shared.bundled
@emits("agreement")
def hand_annotations(
    corpus: HandMadeArgument = None,
    matcher: JudgesOption = None,
    sealed: SealedOption = False,
    reading: Reading = READING,
) -> AnnotationsStudy:
    """Measure how far matchers agree with hand annotations of the same peers and pyramids.

    All that match hand-made pyramids, if none is named. For each topic and over all: accuracy, precision, recall, F1
    and Cohen's kappa of the decisions whether a peer expresses an SCU. Contradicted SCUs are counted: how many people
    marked, how many the matcher named, and how many of those are right. Of right matches: whether the words that are
    shown overlap those that people marked.

    \b
    Example:
      pyramidion bench annotations
      pyramidion bench annotations corpus/ --matcher soft --matcher "ape(tau=0.6)"
    """
    from pyramidion.studies.bench.annotations import bench_annotations
    from pyramidion.studies.bench.candidates import judge_methods, matchers

    topics = _hand_made(corpus, sealed, reading)
    methods = judge_methods(matcher or matchers())
    with _shared.progress(2 * len(methods) * _shared.summaries(topics), "matching", at_least=1) as advance:
        return bench_annotations(topics, methods, progress=advance)


@bench.command()
@_shared.bundled
@emits("grouping", "pyramids", "coverage", "topics", plot="Draw purity, completeness and F1 of every method")
def builders(
    corpus: HandMadeArgument = None,
    method: MethodsOption = None,
    sealed: SealedOption = False,
    samples: _shared.SamplesOption = 10_000,
    seed: _shared.SeedOption = 0,
    reading: Reading = READING,
) -> BuildersStudy:
    """Compare builders with hand-made pyramids of the same references.

    How far contributors, and words, are in one SCU as people would have it: purity, completeness and F1. How many SCUs
    of which weight there are, what share of labels can be read by itself (by a rule), and how far the coverage of peers
    is from people's.

    \b
    Example:
      pyramidion bench builders
      pyramidion bench builders corpus/ --method edua-p+soft --method edua-g+soft --plot builders.svg
    """
    from pyramidion.studies.bench.builders import bench_builders

    topics = _hand_made(corpus, sealed, reading)
    methods = _methods(method, topics)
    with _shared.progress(2 * len(methods) * _shared.summaries(topics), "building", at_least=1) as advance:
        return bench_builders(topics, methods, samples=samples, seed=seed, progress=advance)


@bench.command()
@emits("figures", "sets", "texts")
def minimal(
    judge: JudgesOption = None,
    sealed: SealedOption = False,
    sets: Annotated[
        int | None,
        typer.Option("--sets", min=1, metavar="N", help="Only the first N sets of each genre.", show_default=False),
    ] = None,
    samples: _shared.SamplesOption = 10_000,
) -> MinimalStudy:
    """Measure whether judges read: paraphrases, negations, swapped roles, damaged texts.

    For 104 statements the probability that a passage says it, by what the passage does with it; order and AUC; and what
    texts without meaning, padded or misspelt ones score beside the references that they were made from. ROUGE-1 recall
    always stands beside the judges; these are all that are installed, need nothing else and give probabilities, if none
    is named. CSV has a row for each judge and figure.

    \b
    Example:
      pyramidion bench minimal
      pyramidion bench minimal --judge soft --judge entails --sealed --json
    """
    from pyramidion.examples import example
    from pyramidion.studies.bench.candidates import judge_methods
    from pyramidion.studies.bench.minimal import bench_minimal, judges, load, passages

    half: Literal["development", "sealed"] = "sealed" if sealed else "development"
    chosen, topics = load(half, sets), example()
    methods = judge_methods(judge or judges())
    with _shared.progress(2 * len(methods) * passages(chosen, topics), "judging", at_least=1) as advance:
        return bench_minimal(methods, chosen, topics, half, samples=samples, progress=advance)


def _methods(names: list[str] | None, topics: Sequence[Topic]) -> tuple[Method, ...]:
    """The methods of these names, or all that do everything themselves."""
    from pyramidion.studies.bench.candidates import automatic_methods

    return tuple(map(Method.parse, names)) if names else automatic_methods(all(topic.sources for topic in topics))


def _hand_made(corpus: Path | None, sealed: bool, reading: Reading) -> list[Topic]:
    """The topics of a corpus, or those that the project brings."""
    from pyramidion.studies.bench.hand_made import hand_made

    if corpus and sealed:
        raise PyramidionError("A corpus of your own has no sealed topics.", do="leave out the corpus or --sealed")
    return list(reading.topics(corpus)) if corpus else hand_made("sealed" if sealed else "open")
