"""``crowd score``, and what it shares with ``crowd curves``."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import typer

from pyramidion import formats
from pyramidion.cli import _shared
from pyramidion.cli.compare import SHOWN
from pyramidion.cli.crowd.judging import judgements
from pyramidion.errors import InputWarning, PyramidionError
from pyramidion.io.files import write_bytes
from pyramidion.io.tables import TableFormat, render_all
from pyramidion.signature import Signature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyramidion.crowd.judging.filtering import Filtered
    from pyramidion.crowd.judging.votes import Votes
    from pyramidion.crowd.scores.scoring import CrowdScores
    from pyramidion.crowd.study import Study
    from pyramidion.model import Topic
    from pyramidion.studies.compare.study import Comparison

Paths = Annotated[
    list[Path],
    typer.Argument(
        metavar="STUDY|RESULTS",
        readable=False,
        help="A study's folder, or files and folders of results of the judging task.",
    ),
]
AggregationOption = Annotated[
    str, typer.Option("--aggregation", help="From votes to decisions: majority, mean, dawid-skene, mace.")
]
FilterOption = Annotated[
    str,
    typer.Option("--filter", metavar="SHARE|none", help="Leave out workers who agree with the others less than this."),
]
AgreementOption = Annotated[
    Literal["positional", "sequence"],
    typer.Option("--agreement", help="Of workers: answer by answer, or by the published code's sequence matcher."),
]
RoundsOption = Annotated[
    int | None,
    typer.Option(
        "--rounds",
        metavar="N",
        min=0,
        help="Filter so many times (the published code: 1); until nobody goes if not given.",
    ),
]
BlankOption = Annotated[
    Literal["missing", "present"],
    typer.Option("--blank", help="An answer left out: no vote, or a vote for present (the published code)."),
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Where random draws start.")]


def add_to(group: typer.Typer) -> None:
    """Add the commands."""
    group.command()(score)


def score(
    paths: Paths,
    aggregation: AggregationOption = "majority",
    filter: FilterOption = "0.5",
    agreement: AgreementOption = "positional",
    rounds: RoundsOption = None,
    blank: BlankOption = "missing",
    at_most: Annotated[
        int | None,
        typer.Option(
            "--at-most",
            metavar="N",
            min=1,
            help="Draw at most N answers of an item, decide, and average 70 such draws (the published code: 5).",
        ),
    ] = None,
    drop_topics: Annotated[
        float,
        typer.Option("--drop-topics", metavar="SHARE", help="Leave out the least agreed share of topics, e.g. .2."),
    ] = 0.0,
    topic_alpha: Annotated[
        Literal["pooled", "tasks"],
        typer.Option("--topic-alpha", help="Agreement on a topic: over all its items, or the mean over its tasks."),
    ] = "pooled",
    compare: Annotated[
        bool, typer.Option("--compare", help="Test which systems differ (see 'pyramidion compare').")
    ] = False,
    merge: Annotated[
        bool,
        typer.Option(
            "--merge",
            help="In --topics: statements of different references that say the same are one SCU.",
        ),
    ] = False,
    topics: Annotated[
        Path | None,
        typer.Option(
            "--topics", metavar="FILE", help="Write pyramids and annotations: .json, .jsonl or a corpus folder."
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            metavar="FILE.html",
            help="Write a page: scores, agreement, workers, and the votes on every statement.",
        ),
    ] = None,
    samples: Annotated[
        int, typer.Option("--samples", metavar="N", min=0, max=1_000_000, help="Draws for intervals; 0 for none.")
    ] = 1000,
    seed: SeedOption = 0,
    table: Annotated[
        Literal["systems", "summaries", "topics"] | None,
        typer.Option(
            "--table",
            help="Print only systems' scores, every summary's, or agreement by topic. Systems by default.",
            show_default=False,
        ),
    ] = None,
    format: _shared.AsTable = "text",
    as_json: _shared.AsJson = False,
) -> None:
    """Score summaries and systems from a crowd's votes.

    A summary's score is the share of its judged statements that are present by majority, a tie being "not present"; a
    system's is the mean over topics (Shapira et al. 2019, section 3). Intervals are drawn over topics and statements.

    \b
    Example:
      pyramidion crowd score study/ --report report.html
      pyramidion crowd score results/*.csv --aggregation dawid-skene --drop-topics .2
      pyramidion crowd score study/ --topics crowd.jsonl && pyramidion evaluate crowd.jsonl --method manual
    """
    _shared.check_outputs(report, topics if topics and topics.suffix else None, inputs=read_from(paths))
    from pyramidion.crowd.judging.aggregate import AGGREGATIONS
    from pyramidion.crowd.scores.pyramids import topics as made_topics
    from pyramidion.crowd.scores.resampling import at_most as drawn
    from pyramidion.crowd.scores.scoring import score as scored

    decide = AGGREGATIONS[aggregation]
    cast = counted(paths, filter, agreement, rounds, blank)
    votes, study, filtered = cast.votes, cast.study, cast.filtered
    decisions = decide(votes) if at_most is None else drawn(votes, decide, at_most, seed=seed)
    found = scored(
        votes,
        decisions,
        study=study,
        samples=samples,
        seed=seed,
        drop_topics=drop_topics,
        alpha=topic_alpha,
        made=cast.made,
    )
    comparison = _compared(found, seed) if compare else None
    corpus = made_topics(votes, decisions, study, merge=merge) if topics or merge else []
    _print_scores(found, filtered, comparison, table, format, as_json)
    if topics:
        formats.dump(corpus, topics)
        typer.echo(f"{topics}: pyramids and annotations; {_recall(corpus, found)}", err=True)
    if report:
        from pyramidion.crowd.judging.workers import crowd_report
        from pyramidion.report.crowd_page import crowd_html

        workers = crowd_report(cast.everybody, study=study, agreement=agreement, threshold=_threshold(filter) or 0.0)
        html = crowd_html(votes, decisions, found, workers, filtered=filtered, study=study)
        write_bytes(report, html.encode("utf-8", "replace"))
        typer.echo(f"{report}: the report; open it in a browser", err=True)


def _recall(corpus: Sequence[Topic], found: CrowdScores) -> str:
    """Whether recall by the pyramids says the same as the crowd's scores."""
    from pyramidion.crowd.scores.pyramids import unlike

    others = unlike(corpus, found.summaries)
    if others:
        return f"recall is not the crowd's score for {others} of {len(found.summaries)} summaries"
    return "recall is the crowd's score" + (", topics that are left out above are in it" if found.dropped else "")


def read_from(paths: Sequence[Path]) -> list[Path]:
    """What is read of these inputs: of a study its file and its answers, for its folder may hold reports, too."""
    from pyramidion.crowd.answers.store import Store
    from pyramidion.crowd.study import path_of

    studies = {path: [path_of(path), Store(path).path] for path in paths if path_of(path).is_file()}
    return [file for path in paths for file in studies.get(path, [path])]


class Counted(NamedTuple):
    """The votes that count, all votes, the study they are of, who was left out, and how to say so in a signature."""

    votes: Votes
    everybody: Votes
    study: Study | None
    filtered: Filtered | None
    made: list[tuple[str, str]]


def counted(
    paths: Sequence[Path], filter: str, agreement: Literal["positional", "sequence"], rounds: int | None, blank: str
) -> Counted:
    """The votes of a study or of result files, less those of workers whom the filter leaves out."""
    threshold = _threshold(filter)
    submissions, study = judgements(paths)
    from pyramidion.crowd.answers.store import Store
    from pyramidion.crowd.judging.filtering import blanks_present, filter_workers
    from pyramidion.crowd.judging.votes import Votes

    votes = Votes.of(submissions)
    made = [("blank", blank)]
    if study and Store(paths[0]).kind() == "simulated":
        made.append(("answers", "simulated"))
        warnings.warn("these answers are simulated: they try out the study and are no data", InputWarning, stacklevel=2)
    if blank == "present":
        votes = blanks_present(votes)
    if threshold is None:
        return Counted(votes, votes, study, None, [*made, ("filter", "none")])
    filtered = filter_workers(votes, threshold=threshold, agreement=agreement, rounds=rounds)
    made += [("filter", f"{threshold:g}"), ("agreement", agreement)]
    made += [] if rounds is None else [("rounds", str(rounds))]
    return Counted(filtered.votes, votes, study, filtered, made)


def _threshold(given: str) -> float | None:
    if given.strip().lower() == "none":
        return None
    try:
        return float(given)
    except ValueError:
        raise PyramidionError(f"--filter {given!r} is no share", do="give a number such as .5, or none") from None


def _compared(found: CrowdScores, seed: int) -> Comparison:
    from pyramidion.studies.compare.study import compare
    from pyramidion.studies.scores.systems import from_values

    values = {(one.topic, one.system): one.score for one in found.summaries if one.topic not in found.dropped}
    drawn = ("samples", "seed")  # the comparison has its own
    made = Signature(found.signature.method, tuple(one for one in found.signature.parameters if one[0] not in drawn))
    return compare(from_values(values, "score", made), seed=seed)


def _print_scores(
    found: CrowdScores,
    filtered: Filtered | None,
    comparison: Comparison | None,
    table: str | None,
    format: TableFormat,
    as_json: bool,
) -> None:
    from pyramidion.studies.compare import tables as compared
    from pyramidion.studies.crowd import tables as report

    if as_json:
        extra = {"comparison": compared.to_json(comparison)} if comparison else {}
        _shared.print_json({**report.scores_json(found, filtered), **extra})
        return
    every = {
        "systems": lambda: report.systems_table(found, filtered),
        "summaries": lambda: report.summaries_table(found),
        "topics": lambda: report.topics_table(found),
    }
    tables = [every[table or "systems"]()]
    if comparison and not table and format != "csv":
        tables.append(compared.systems_table(comparison))
        if len(comparison.pairs) <= SHOWN:
            tables.append(compared.pairs_table(comparison))
    elif comparison and not table:
        tables = [compared.pairs_table(comparison, whole=True)]
    typer.echo(render_all(tables, format), nl=False)
