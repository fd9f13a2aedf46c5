"""``crowd score`` and ``crowd workers``: what the crowd found, and how each worker judged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pyramidion import formats
from pyramidion.base.files import write_bytes
from pyramidion.cli import _shared
from pyramidion.cli._emit import emits
from pyramidion.cli.crowd import _options
from pyramidion.crowd.judging.screening import SCREENING, Screening
from pyramidion.notes import note

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyramidion.crowd.judging.judgements import Judgements
    from pyramidion.crowd.results.scores import CrowdEvaluation
    from pyramidion.crowd.results.workers import CrowdWorkers
    from pyramidion.model import Topic


def add_to(group: typer.Typer) -> None:
    """Add the commands."""
    group.command()(workers)
    group.command()(score)


@emits("workers")
def workers(
    paths: _options.JudgementsArgument,
    threshold: Annotated[
        float, typer.Option("--threshold", min=0, max=1, help="Drop workers who agree with the others less than this.")
    ] = 0.5,
    agreement: _options.AgreementOption = "positional",
    fastest: Annotated[
        float, typer.Option("--fastest", min=0.1, help="Mark workers who read more words per second than this.")
    ] = 10.0,
) -> CrowdWorkers:
    """Show how each worker judged, the most suspicious first.

    The table shows each worker's agreement with the others, trust by the model of Dawid and Skene, attention checks,
    time and blank answers. It also marks the workers whom the filter drops: it drops those whose agreement is below the
    threshold, and repeats this until nobody's is (Shapira et al. 2019, section 3).

    \b
    Example:
      pyramidion crowd workers study/
      pyramidion crowd workers results/*.csv --agreement sequence --format csv
    """
    from pyramidion.crowd.judging.judgements import read_judgements
    from pyramidion.crowd.results.workers import crowd_workers

    judgements = read_judgements(paths)
    return crowd_workers(
        judgements.votes, study=judgements.study, threshold=threshold, agreement=agreement, fastest=fastest
    )


COMPARED = ("compare", "--compare")


@_shared.with_bundles
@emits("systems", "summaries", "topics", "groups", "pairs", needs={"groups": COMPARED, "pairs": COMPARED})
def score(
    paths: _options.JudgementsArgument,
    aggregation: _options.AggregationOption = "majority",
    screening: Screening = SCREENING,
    at_most: Annotated[
        int | None,
        typer.Option(
            "--at-most",
            metavar="N",
            min=1,
            help="Decide by at most N random votes on each item, and average the scores of 70 such draws (the "
            "published code: 5).",
        ),
    ] = None,
    drop_topics: Annotated[
        float,
        typer.Option(
            "--drop-topics",
            metavar="SHARE",
            help="Leave out this share of the topics: those on which workers agree least. An example is .2.",
        ),
    ] = 0.0,
    topic_alpha: Annotated[
        Literal["pooled", "tasks"],
        typer.Option(
            "--topic-alpha",
            help="Measure the agreement on a topic over all its items (pooled), or as the mean over its tasks (tasks).",
        ),
    ] = "pooled",
    compare: Annotated[
        bool,
        typer.Option(
            "--compare",
            help="Test which systems differ (see 'pyramidion compare'). CSV output then has the pairs of systems.",
        ),
    ] = False,
    merge: Annotated[
        bool,
        typer.Option(
            "--merge",
            help="In the output of --topics, make one content unit (SCU) of statements of different references that "
            "say the same.",
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
            help="Write a page with scores, agreement, workers, and the votes on every statement.",
        ),
    ] = None,
    samples: Annotated[
        int,
        typer.Option(
            "--samples",
            metavar="N",
            min=0,
            max=1_000_000,
            help="The number of random draws for intervals; 0 for no intervals.",
        ),
    ] = 1000,
    seed: _shared.SeedOption = 0,
) -> CrowdEvaluation:
    """Score summaries and systems from a crowd's votes.

    A summary's score is the share of its judged statements that are present by majority; a tie is "not present". A
    system's score is the mean over topics (Shapira et al. 2019, section 3). Intervals are drawn over topics and
    statements.

    \b
    Example:
      pyramidion crowd score study/ --report report.html
      pyramidion crowd score results/*.csv --aggregation dawid-skene --drop-topics .2
      pyramidion crowd score study/ --topics crowd.jsonl && pyramidion evaluate crowd.jsonl --method manual
    """
    from pyramidion.crowd.judging.judgements import files_of
    from pyramidion.crowd.results.scores import crowd_scores

    _shared.check_outputs(report, topics if topics and topics.suffix else None, inputs=files_of(paths))
    result = crowd_scores(
        judgements_in(paths),
        aggregation=aggregation,
        screening=screening,
        at_most=at_most,
        drop_topics=drop_topics,
        alpha=topic_alpha,
        compare=compare,
        samples=samples,
        seed=seed,
    )
    corpus = result.topics(merge=merge) if topics or merge else []
    if topics:
        formats.dump(corpus, topics)
        typer.echo(f"{topics}: pyramids and annotations; {_recall(corpus, result)}", err=True)
    if report:
        from pyramidion.reports.crowd_page import crowd_html

        write_bytes(report, crowd_html(result).encode("utf-8", "replace"))
        typer.echo(f"{report}: the report; open it in a browser", err=True)
    return result


def judgements_in(paths: Sequence[Path]) -> Judgements:
    """Return the judgements in these paths, and warn if a rehearsal made them up."""
    from pyramidion.crowd.judging.judgements import read_judgements

    judgements = read_judgements(paths)
    if judgements.simulated:
        note("These answers are simulated: they try out the study and are no data")
    return judgements


def _recall(corpus: Sequence[Topic], result: CrowdEvaluation) -> str:
    """Return a sentence: for how many summaries recall by the pyramids differs from the crowd's scores."""
    from pyramidion.crowd.scores.pyramids import unlike

    summaries = result.scores.summaries
    differing = unlike(corpus, summaries)
    if differing:
        return f"recall is not the crowd's score for {differing} of {len(summaries)} summaries"
    left_out = ", topics that are left out above are in it" if result.scores.dropped else ""
    return f"recall is the crowd's score{left_out}"
