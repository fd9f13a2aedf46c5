"""``bench``: measure methods against public data with human labels."""

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
from pyramidion.formats.read import READING, Reading
from pyramidion.methods import Method
from pyramidion.model import Topic

if TYPE_CHECKING:
    from pyramidion.analyses.accuracy.annotations import AnnotationsStudy
    from pyramidion.analyses.accuracy.builders import BuildersStudy
    from pyramidion.analyses.accuracy.corpus import CorpusStudy
    from pyramidion.analyses.accuracy.language import LanguageStudy
    from pyramidion.analyses.accuracy.minimal import MinimalStudy
    from pyramidion.analyses.accuracy.realsumm import RealsummStudy
    from pyramidion.analyses.accuracy.sts import StsStudy

JudgesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--judge",
        "--matcher",
        metavar="NAME",
        help="A judge or matcher to measure on the given SCUs, with its settings in brackets: soft, unigram, "
        "nli:MODEL, ... NAME stands for the method given+NAME. Repeatable.",
        show_default=False,
    ),
]
MethodsOption = Annotated[
    list[str] | None,
    typer.Option(
        "--method",
        metavar="NAME",
        help="A method to measure. Repeatable. The default is every method that builds pyramids and matches peers.",
        show_default=False,
    ),
]

HandMadeArgument = Annotated[
    Path | None,
    typer.Argument(
        readable=False,
        help="A corpus with pyramids and annotated peers. The default is the bundled examples and three open topics.",
        show_default=False,
    ),
]
SealedOption = Annotated[
    bool,
    typer.Option(
        "--sealed",
        help="Measure on the sealed topics. Their figures are for reporting only: do not choose settings by them.",
    ),
]

DATASET = "realsumm"


class _Datasets(TyperGroup):
    """Lets a folder stand in the place of a command: ``bench DIR`` is ``bench realsumm DIR``."""

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
        help="Measure methods on public data with human labels.\n\n'bench DIR' is short for 'bench realsumm DIR'.\n\n"
        "\b\nExample:\n  pyramidion bench annotations\n  pyramidion bench realsumm realsumm/ --judge soft",
    )


@bench.command()
@emits("embedders")
def sts(
    directory: Annotated[
        Path, typer.Argument(readable=False, help="The folder with the STS sets, one NAME.tsv file each.")
    ],
    embedder: Annotated[
        list[str] | None,
        typer.Option(
            "--embedder", metavar="NAME", help="An embedder to measure: minilm, static, wtmf, sif:FILE, ... Repeatable."
        ),
    ] = None,
) -> StsStudy:
    """Measure embedders on semantic textual similarity (STS-14).

    The table also shows the four figures of Gao et al. 2019, Table 1.

    \b
    Example:
      pyramidion bench sts sts14/ --embedder static --embedder wtmf
    """
    from pyramidion.analyses.accuracy.sts import bench_sts, read

    embedders = embedder or ["minilm", "static", "wtmf"]
    with _shared.progress(len(embedders), "embedding", at_least=1) as advance:
        return bench_sts(embedders, read(directory), progress=advance)


@bench.command()
@emits("treebanks")
def language(
    treebanks: Annotated[list[Path], typer.Argument(readable=False, help="CoNLL-U files, plain or gzipped.")],
) -> LanguageStudy:
    """Measure the embedded language model on treebanks.

    It is measured twice: from raw text, and with the words of the treebank given.

    \b
    Example:
      pyramidion bench language gum-test.conllu.gz ewt-test.conllu.gz
    """
    from pyramidion.analyses.accuracy.language import bench_language, read_treebank

    banks = [read_treebank(path) for path in treebanks]
    with _shared.progress(sum(len(bank.documents) for bank in banks), "parsing", at_least=1) as advance:
        return bench_language(banks, progress=advance)


@bench.command()
@_shared.with_bundles
@emits("correlations", "pyramids")
def corpus(
    corpus: Annotated[
        Path, typer.Argument(readable=False, help="A corpus folder or JSONL file with references and peers.")
    ],
    human: Annotated[
        Path,
        typer.Option(
            "--human",
            readable=False,
            help="A CSV file of human scores with one row per peer and a column for its name.",
        ),
    ],
    column: _shared.ColumnOption = "",
    method: MethodsOption = None,
    score: Annotated[
        Literal["raw", "quality", "coverage", "comprehensive"] | None,
        typer.Option(
            help="Compare only this score. The default is every score that has a column, or raw if none has.",
            show_default=False,
        ),
    ] = None,
    paper: Annotated[bool, typer.Option("--paper", help="Add the figures printed in Gao et al. 2019.")] = False,
    reading: Reading = READING,
) -> CorpusStudy:
    """Correlate the scores of methods with human scores.

    Both score the same summaries (peers). The table always includes ROUGE-1, ROUGE-2, the lexical pyramid and length in
    words. A second table counts the SCUs of each method's pyramids by weight. If no column is named, each of our scores
    is compared with its own column (DUCView's totalWeight, qualityScore, ...), or raw is compared with 'score' or the
    only column of numbers.

    \b
    Example:
      pyramidion bench corpus students/ --human manual_scores.csv
      pyramidion bench corpus students/ --human grades.csv --column grade --score raw
    """
    from pyramidion.analyses.accuracy.corpus import bench_corpus
    from pyramidion.analyses.scores.human import read_table_of_scores

    topics = reading.topics(corpus)
    methods = _methods(method, topics)
    people = read_table_of_scores(human, topics)
    with _shared.progress(len(methods) * _shared.summaries(topics), "scoring", at_least=1) as advance:
        return bench_corpus(
            topics, people, methods, column=column, scores=(score,) if score else (), paper=paper, progress=advance
        )


@bench.command(DATASET)
@emits("correlations", "judgements", plot="Draw how reliable the judges' probabilities are")
def realsumm(
    directory: Annotated[
        Path,
        typer.Argument(
            readable=False, help="The dataset folder with references.txt, SCUs.txt, summaries/ and labels/."
        ),
    ],
    judge: JudgesOption = None,
    method: MethodsOption = None,
    score: Annotated[
        Literal["raw", "quality", "coverage", "comprehensive", "precision", "recall", "normalised"],
        typer.Option(help="The score of a method to measure. Only lite and the edu- methods have normalised."),
    ] = "coverage",
    more: Annotated[
        list[str] | None,
        typer.Option(
            "--metric", metavar="NAME", help="Also measure this metric: rouge-su4, be-hm, be-hmr, ... Repeatable."
        ),
    ] = None,
    folds: Annotated[
        Literal["published"] | None,
        typer.Option(
            "--folds",
            help="For each fold (DIR/folds/*.id), fit trainable judges on the other documents and measure them on this "
            "fold. Also print the means over folds.",
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
            help="Add the results to FILE.json and write a leaderboard of all its results to FILE.md.",
            show_default=False,
        ),
    ] = None,
) -> RealsummStudy:
    """Measure judges and methods on the REALSumm dataset.

    In this dataset, people judged whether systems' summaries express content units (SCUs). The tables show correlations
    at system and summary level, differences from ROUGE-1, the agreement on single SCUs, calibration and speed. They
    always include ROUGE and the lexical pyramid.

    \b
    Example:
      pyramidion bench realsumm realsumm/ --judge soft --judge unigram --folds published
      pyramidion bench realsumm realsumm/ --method pyramidion --documents 20
    """
    from pyramidion.analyses.accuracy.candidates import judge_methods
    from pyramidion.analyses.accuracy.realsumm import bench_realsumm, read, read_folds
    from pyramidion.analyses.accuracy.realsumm.leaderboard import publish, results_of

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
@_shared.with_bundles
@emits("agreement")
def hand_annotations(
    corpus: HandMadeArgument = None,
    matcher: JudgesOption = None,
    sealed: SealedOption = False,
    reading: Reading = READING,
) -> AnnotationsStudy:
    """Measure how far matchers agree with annotations.

    Both decide whether a summary (peer) expresses a content unit (SCU). For each topic and for all topics, the table
    shows accuracy, precision, recall, F1 and Cohen's kappa of these decisions. It counts contradicted SCUs: how many
    are marked, how many the matcher named, and how many of those are right. For correct matches, it shows how often
    the words found overlap the words that are marked. By default, every matcher that works with given pyramids
    is measured.

    \b
    Example:
      pyramidion bench annotations
      pyramidion bench annotations corpus/ --matcher soft --matcher "ape(tau=0.6)"
    """
    from pyramidion.analyses.accuracy.annotations import bench_annotations
    from pyramidion.analyses.accuracy.candidates import judge_methods, matchers

    topics = _marked_topics(corpus, sealed, reading)
    methods = judge_methods(matcher or matchers())
    with _shared.progress(2 * len(methods) * _shared.summaries(topics), "matching", at_least=1) as advance:
        return bench_annotations(topics, methods, progress=advance)


@bench.command()
@_shared.with_bundles
@emits("grouping", "pyramids", "coverage", "topics", plot="Draw purity, completeness and F1 of every method")
def builders(
    corpus: HandMadeArgument = None,
    method: MethodsOption = None,
    sealed: SealedOption = False,
    samples: _shared.SamplesOption = 10_000,
    seed: _shared.SeedOption = 0,
    reading: Reading = READING,
) -> BuildersStudy:
    """Compare builders with given pyramids.

    The tables show how well builders group the wordings of the references into content units (SCUs), compared with the
    given pyramids: purity, completeness and F1. They also count SCUs by weight, and show the share of labels that can
    be understood by themselves (decided by a rule) and how far the peers' coverage differs from that by the given
    pyramids and annotations.

    \b
    Example:
      pyramidion bench builders
      pyramidion bench builders corpus/ --method edua-p+soft --method edua-g+soft --plot builders.svg
    """
    from pyramidion.analyses.accuracy.builders import bench_builders

    topics = _marked_topics(corpus, sealed, reading)
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
        typer.Option("--sets", min=1, metavar="N", help="Use only the first N sets of each genre.", show_default=False),
    ] = None,
    samples: _shared.SamplesOption = 10_000,
) -> MinimalStudy:
    """Test whether judges understand paraphrases and negations.

    Each of 104 statements has passages that paraphrase it, negate it, swap its roles and so on. The tables show the
    probability that a passage of each kind expresses its statement, and how well a judge orders the passages (AUC).
    They also show the scores of meaningless, padded and misspelt versions of references. ROUGE-1 recall is always
    included. By default, every installed judge that gives probabilities and needs no further set-up is tested. CSV
    output has one row per judge and figure.

    \b
    Example:
      pyramidion bench minimal
      pyramidion bench minimal --judge soft --judge entails --sealed --json
    """
    from pyramidion.analyses.accuracy.candidates import judge_methods
    from pyramidion.analyses.accuracy.minimal import bench_minimal, judges, load, passages
    from pyramidion.examples import example

    half: Literal["development", "sealed"] = "sealed" if sealed else "development"
    chosen, topics = load(half, sets), example()
    methods = judge_methods(judge or judges())
    with _shared.progress(2 * len(methods) * passages(chosen, topics), "judging", at_least=1) as advance:
        return bench_minimal(methods, chosen, topics, half, samples=samples, progress=advance)


def _methods(names: list[str] | None, topics: Sequence[Topic]) -> tuple[Method, ...]:
    """Return the methods of these names, or all fully automatic methods."""
    from pyramidion.analyses.accuracy.candidates import automatic_methods

    return tuple(map(Method.parse, names)) if names else automatic_methods(all(topic.sources for topic in topics))


def _marked_topics(corpus: Path | None, sealed: bool, reading: Reading) -> list[Topic]:
    """Return the topics of a corpus, or the bundled topics."""
    from pyramidion.analyses.accuracy.marked_topics import marked_topics

    if corpus and sealed:
        raise PyramidionError("Only the bundled topics can be sealed", do="leave out the corpus or --sealed")
    return list(reading.topics(corpus)) if corpus else marked_topics("sealed" if sealed else "open")
