"""``crowd select`` and ``crowd rehearse``: the statements to judge, and a trial run with simulated workers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pyramidion.base.tables import plural
from pyramidion.cli import _shared
from pyramidion.cli._emit import emits
from pyramidion.cli.crowd import _options
from pyramidion.crowd.study import Phase
from pyramidion.errors import FormatError, PyramidionError
from pyramidion.notes import note

if TYPE_CHECKING:
    from pyramidion.crowd.answers.submission import Submission
    from pyramidion.crowd.results.rehearsal import CrowdRehearsal
    from pyramidion.crowd.results.selection import CrowdSelection, ReviewList
    from pyramidion.crowd.study import Study


def add_to(group: typer.Typer) -> None:
    """Add the commands."""
    group.command()(select)
    group.command()(rehearse)


@_shared.with_bundles
@emits("topics")
def select(
    inputs: Annotated[
        list[Path],
        typer.Argument(
            metavar="STUDY|RESULTS...",
            readable=False,
            help="The study's folder. Without a study, result files of the writing task show what would be selected.",
        ),
    ],
    rules: _options.Changes,
    review: Annotated[
        Path | None,
        typer.Option(
            "--review",
            metavar="FILE",
            help="Write a list of the statements for a person to review, and change nothing.",
        ),
    ] = None,
    reviewed: Annotated[
        Path | None,
        typer.Option("--reviewed", metavar="FILE", help="Select statements by the list that a person has filled in."),
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Repeat the selection for topics that nobody has judged yet.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="STUDY", help="Write the study to this folder, and do not change the old one."
        ),
    ] = None,
) -> tuple[CrowdSelection | ReviewList, str]:
    """Choose the statements to judge from those that writers wrote.

    Statements that are too long or too short are dropped, and so are duplicates within a reference; the study keeps
    them with the reason. From the others the command draws a random sample by the study's seed, the same number from
    each reference (Shapira et al. 2019, section 3). Then it makes the judging tasks.

    \b
    Example:
      pyramidion crowd select study --review review.csv
      pyramidion crowd select study --reviewed review.csv
      pyramidion crowd select DUC2006.batch1.csv --rules litepyramids
    """
    from pyramidion.base.files import read_bytes, write_bytes
    from pyramidion.crowd import study as studies
    from pyramidion.crowd.results.selection import crowd_selection, review_list
    from pyramidion.crowd.statements import review as lists
    from pyramidion.crowd.statements.drafts import rules_of

    if review and reviewed:
        raise PyramidionError("--review and --reviewed exclude each other", do="write the list first, then read it")
    chosen = rules_of(**rules)
    _check_review(review)
    study, submissions, place = _read(inputs)
    if output and studies.path_of(output).exists() and (not place or not _is_same(output, place)):
        raise PyramidionError("A study is there already", str(output), "name a new folder")
    if review:
        proposed = review_list(study, submissions, chosen, again=again, file=str(review))
        write_bytes(review, lists.dumps(proposed.drafts))
        columns = "Fill in the columns decision (keep, drop, edit) and edited"
        return proposed, f"{proposed.summary} {columns}; then: crowd select --reviewed"
    decisions = lists.loads(read_bytes(reviewed), str(reviewed)) if reviewed else None
    place = output or place
    result = crowd_selection(
        study, submissions, chosen, decisions=decisions, again=again, folder=str(place) if place else ""
    )
    selected = result.selection.study
    if place is None:
        return result, f"{result.summary}\nNothing was written: no study (see -o)."
    studies.dump(selected, place)
    return result, f"{result.summary}\n{plural(len(selected.of_phase('judging')), 'judging task')} in {place}."


def _check_review(review: Path | None) -> None:
    """Refuse to write over a file that is, or may be, a list that a person has worked on."""
    from pyramidion.base.files import read_bytes
    from pyramidion.crowd.statements.review import loads

    _shared.check_outputs(review)
    if not review or not review.is_file() or not review.stat().st_size:
        return
    try:
        filled = any(row.decision for row in loads(read_bytes(review), str(review)))
    except FormatError:
        filled = True
    if filled:
        raise PyramidionError(
            "This file may hold a person's decisions, which would be lost",
            str(review),
            "select by it with --reviewed, or name another file",
        )


def _read(inputs: list[Path]) -> tuple[Study, list[Submission], Path | None]:
    """Return a study, its answers and its place; result files alone tell of a study without a place."""
    from pyramidion.crowd import study as studies
    from pyramidion.crowd.answers.collect import read_all
    from pyramidion.crowd.answers.store import Store
    from pyramidion.crowd.statements.select import study_of

    first = inputs[0]
    if first.name != studies.FILE and first.exists() and not (first / studies.FILE).exists():
        submissions = read_all(inputs)
        return study_of(submissions), submissions, None
    if len(inputs) > 1:
        raise PyramidionError("A study is named beside something else", do="collect results into the study first")
    study, store = studies.load(first), Store(studies.path_of(first).parent)
    if store.kind() == "simulated":
        note("The answers are simulated: what is selected is good for a rehearsal")
    return study, store.submissions(), first


def _is_same(folder: Path, second: Path) -> bool:
    from pyramidion.crowd.study import path_of

    return path_of(folder).samefile(path_of(second))


@emits("members")
def rehearse(
    study: Annotated[
        Path, typer.Argument(metavar="STUDY", readable=False, help="The folder of a study without real answers.")
    ],
    phase: Annotated[
        Phase | None,
        typer.Option(
            "--phase", help="The kind of tasks to do. The default is the kind that comes next.", show_default=False
        ),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            metavar="N",
            min=1,
            help="The number of workers. The default is about one for ten tasks, up to 100.",
        ),
    ] = None,
    careless: Annotated[
        float, typer.Option("--careless", metavar="SHARE", min=0, max=1, help="The share of workers who do not read.")
    ] = 0.1,
    accuracy: Annotated[
        float, typer.Option("--accuracy", metavar="A", help="The average share of right answers of the other workers.")
    ] = 0.9,
    bias: Annotated[
        float,
        typer.Option(
            "--bias",
            metavar="B",
            help="Their sensitivity minus their specificity. Above 0, they say present too often.",
        ),
    ] = 0.0,
    judge: Annotated[
        str, typer.Option("--judge", metavar="MATCHER", help="The matcher that decides which answers are right.")
    ] = "unigram",
    seed: _shared.SeedOption = 0,
) -> tuple[CrowdRehearsal, str]:
    """Try a study out with simulated workers before it costs money.

    Simulated workers do the study's open tasks, so that you can try all later commands. Their answers are stored and
    marked as simulated. Then the study accepts no real answers, and this command accepts no study with real answers, so
    rehearse in a copy. Simulated answers are no data. With --json, the right answers are printed, too.

    \b
    Example:
      cp -r study trial
      pyramidion crowd rehearse trial && pyramidion crowd select trial
      pyramidion crowd rehearse trial --careless .2 && pyramidion crowd score trial
    """
    from pyramidion.crowd.answers.store import Store
    from pyramidion.crowd.results.rehearsal import crowd_rehearsal
    from pyramidion.crowd.study import load, path_of

    result = crowd_rehearsal(
        load(study),
        Store(path_of(study).parent),
        phase,
        workers=workers,
        careless=careless,
        accuracy=accuracy,
        bias=bias,
        judge=judge,
        seed=seed,
    )
    note("These answers are simulated: they try out the study and are no data")
    return result, result.summary
