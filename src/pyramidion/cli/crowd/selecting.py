"""``crowd select`` and ``crowd rehearse``: statements to judge, and a trial run with made-up workers."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from pyramidion.cli import _shared
from pyramidion.errors import FormatError, InputWarning, PyramidionError
from pyramidion.io.tables import Cell, Table, TableFormat, plural, render

if TYPE_CHECKING:
    from pyramidion.crowd.answers.submission import Submission
    from pyramidion.crowd.rehearsal import Rehearsal
    from pyramidion.crowd.statements.drafts import Rules
    from pyramidion.crowd.statements.select import Selection
    from pyramidion.crowd.study import Study


def add_to(group: typer.Typer) -> None:
    """Add the commands."""
    group.command()(select)
    group.command()(rehearse)


def select(
    inputs: Annotated[
        list[Path],
        typer.Argument(
            metavar="STUDY|RESULTS...",
            readable=False,
            help="A study's folder; or, to look without one, result files of the writing task.",
        ),
    ],
    rules: Annotated[
        Literal["paper", "litepyramids"],
        typer.Option(
            "--rules", help="The paper's rules, or those of its published code; the options below change them."
        ),
    ] = "paper",
    several: Annotated[
        Literal["split", "drop"] | None,
        typer.Option("--several", help="A field with several sentences: make statements of them, or drop it."),
    ] = None,
    shortest: Annotated[
        int | None, typer.Option("--shortest", metavar="WORDS", help="The least a statement has.")
    ] = None,
    longest: Annotated[int | None, typer.Option("--longest", metavar="WORDS", help="The most a statement has.")] = None,
    duplicates: Annotated[
        Literal["cosine", "overlap"] | None,
        typer.Option("--duplicates", help="By the cosine of bags of lemmas, or by the overlap of sets of lemmas."),
    ] = None,
    threshold: Annotated[
        float | None, typer.Option("--threshold", help="More alike than this are duplicates (cosine .85, overlap .95).")
    ] = None,
    per_reference: Annotated[
        int | None,
        typer.Option(
            "--per-reference", metavar="N", help="Sample so many of each reference, not the design's sample per topic."
        ),
    ] = None,
    analyser: Annotated[
        str | None, typer.Option("--analyser", help="What finds words, sentences and lemmas; 'unicode' needs no model.")
    ] = None,
    review: Annotated[
        Path | None,
        typer.Option("--review", metavar="FILE", help="Write the list for a person to review, and change nothing."),
    ] = None,
    reviewed: Annotated[
        Path | None, typer.Option("--reviewed", metavar="FILE", help="Select by the list that comes back.")
    ] = None,
    again: Annotated[
        bool, typer.Option("--again", help="Select anew what was selected, where nothing is judged yet.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="STUDY", help="Write the study there, not in its place.")
    ] = None,
    format: _shared.AsTable = "text",
    as_json: _shared.AsJson = False,
) -> None:
    """Choose the statements that will be judged from what writers wrote, and make the judging tasks.

    Statements that are too long or short and duplicates within a reference are dropped, with the reason; of the others
    a sample is drawn, equally many of each reference, by the study's seed (Shapira et al. 2019, section 3).

    \b
    Example:
      pyramidion crowd select study --review review.csv
      pyramidion crowd select study --reviewed review.csv
      pyramidion crowd select DUC2006.batch1.csv --rules litepyramids
    """
    from pyramidion.crowd import study as studies
    from pyramidion.crowd.statements import review as lists
    from pyramidion.crowd.statements.select import propose
    from pyramidion.crowd.statements.select import select as choose
    from pyramidion.io.files import read_bytes, write_bytes

    if review and reviewed:
        raise PyramidionError("--review and --reviewed exclude each other", do="write the list first, then read it")
    changes = {
        "several": several,
        "shortest": shortest,
        "longest": longest,
        "duplicates": duplicates,
        "threshold": threshold,
        "per_reference": per_reference,
        "analyser": analyser,
    }
    wanted = _rules(rules, {name: value for name, value in changes.items() if value is not None})
    _shared.check_outputs(review)
    if review and review.is_file() and review.stat().st_size and _is_filled(review):
        raise PyramidionError(
            "a file that is no untouched review list: decisions would be lost",
            str(review),
            "select by it with --reviewed, or name another file",
        )
    study, submissions, place = _read(inputs)
    if output and studies.path_of(output).exists() and (not place or not _is_same(output, place)):
        raise PyramidionError("a study is there already", str(output), "name a new folder")
    if review:
        _, drafts = propose(study, submissions, wanted, again=again)
        write_bytes(review, lists.dumps(drafts))
        dropped = sum(bool(draft.statement.dropped) for draft in drafts)
        if as_json:
            _shared.print_json({"review": str(review), "statements": len(drafts), "dropped": dropped})
        else:
            typer.echo(
                f"{plural(len(drafts), 'statement')}, {dropped} of them to be dropped, in {review}. "
                "Fill the columns decision (keep, drop, edit) and edited; then: crowd select --reviewed"
            )
        return
    decisions = lists.loads(read_bytes(reviewed), str(reviewed)) if reviewed else None
    selection = choose(study, submissions, wanted, decisions=decisions, again=again)
    place = output or place
    if place:
        studies.dump(selection.study, place)
    if as_json:
        _shared.print_json(_selection_record(selection, place))
    else:
        typer.echo(_told(selection, format))
        if format == "text":
            typer.echo(_summed(selection, place))


def _is_filled(review: Path) -> bool:
    """Whether a file is, or may be, a list that a person has worked on."""
    from pyramidion.crowd.statements.review import loads
    from pyramidion.io.files import read_bytes

    try:
        return any(row.decision for row in loads(read_bytes(review), str(review)))
    except FormatError:
        return True


def _rules(name: str, changes: dict[str, Any]) -> Rules:
    from dataclasses import replace

    from pyramidion.crowd.statements.drafts import rules_of

    given = rules_of(name)
    if changes.get("duplicates", given.duplicates) != given.duplicates:
        changes.setdefault("threshold", None)
    return replace(given, **changes)


def _read(inputs: list[Path]) -> tuple[Study, list[Submission], Path | None]:
    """A study, its answers and its place; or what result files tell of one, which has no place."""
    from pyramidion.crowd import study as studies
    from pyramidion.crowd.answers.store import Store
    from pyramidion.crowd.statements.select import study_of

    first = inputs[0]
    if first.name == studies.FILE or (first / studies.FILE).exists() or not first.exists():
        if len(inputs) > 1:
            raise PyramidionError("a study and something else", do="collect results into the study first")
        study, store = studies.load(first), Store(studies.path_of(first).parent)
        if store.kind() == "simulated":
            warnings.warn("the answers are simulated: what is selected is good for a rehearsal", InputWarning, 3)
        return study, store.submissions(), first
    from pyramidion.crowd.answers.collect import read_all

    submissions = read_all(inputs)
    return study_of(submissions), submissions, None


def _is_same(one: Path, other: Path) -> bool:
    from pyramidion.crowd.study import path_of

    return path_of(one).samefile(path_of(other))


def _told(selection: Selection, format: TableFormat) -> str:
    reasons = sorted({reason for one in selection.counts for reason in one.dropped})
    rows: list[tuple[Cell, ...]] = []
    for topic in dict.fromkeys(one.topic for one in selection.counts):
        own = [one for one in selection.counts if one.topic == topic]
        dropped = [sum(one.dropped.get(reason, 0) for one in own) for reason in reasons]
        total = [sum(one.written for one in own), *dropped, sum(one.kept for one in own)]
        rows.append((topic, len(own), *total, sum(one.sampled for one in own)))
    return render(Table(("topic", "references", "written", *reasons, "kept", "sampled"), tuple(rows)), format)


def _summed(selection: Selection, place: Path | None) -> str:
    kept, sampled = (sum(one.kept for one in selection.counts), sum(one.sampled for one in selection.counts))
    topics = len({one.topic for one in selection.counts})
    tasks = len(selection.study.of_phase("judging"))
    return (
        f"{kept} of {plural(sum(one.written for one in selection.counts), 'statement')} kept: "
        f"{kept / len(selection.counts):.1f} a reference, {kept / topics:.1f} a topic; {sampled} sampled.\n"
        + (f"{plural(tasks, 'judging task')} in {place}." if place else "Nothing was written: no study (see -o).")
    )


def _selection_record(selection: Selection, place: Path | None) -> dict[str, Any]:
    from pyramidion.crowd.statements.drafts import open_topics

    return {
        "study": str(place) if place else None,
        "rules": selection.rules,
        "seed": selection.study.design.seed,
        "counts": selection.counts,
        "judging_tasks": len(selection.study.of_phase("judging")),
        "waiting": [topic.id for topic in open_topics(selection.study)],
    }


def rehearse(
    study: Annotated[
        Path, typer.Argument(metavar="STUDY", readable=False, help="A study's folder, without real answers.")
    ],
    phase: Annotated[
        Literal["writing", "judging"] | None,
        typer.Option("--phase", help="Which tasks to do; those that come next if not given.", show_default=False),
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option("--workers", metavar="N", min=1, help="How many; about ten tasks each, up to 100, if not given."),
    ] = None,
    careless: Annotated[
        float, typer.Option("--careless", metavar="SHARE", min=0, max=1, help="Share of workers who do not read.")
    ] = 0.1,
    accuracy: Annotated[
        float, typer.Option("--accuracy", metavar="A", help="How often the others are right, on average.")
    ] = 0.9,
    bias: Annotated[
        float, typer.Option("--bias", metavar="B", help="Sensitivity less specificity: above 0, 'present' too often.")
    ] = 0.0,
    judge: Annotated[
        str, typer.Option("--judge", metavar="MATCHER", help="Who says what is true: any matcher.")
    ] = "unigram",
    seed: Annotated[int, typer.Option("--seed", metavar="S", min=0, help="For everything that is drawn.")] = 0,
    as_json: _shared.AsJson = False,
) -> None:
    """Have simulated workers do a study's open tasks, to try out everything that follows before it costs money.

    The answers go into the study's store, marked as simulated, which refuses real ones from then on (and this command
    refuses a study with real ones): rehearse in a copy. They are no data. --json tells the truth behind them.

    \b
    Example:
      cp -r study trial
      pyramidion crowd rehearse trial && pyramidion crowd select trial
      pyramidion crowd rehearse trial --careless .2 && pyramidion crowd score trial
    """
    from dataclasses import replace

    from pyramidion.crowd.answers.store import Store
    from pyramidion.crowd.rehearsal import next_phase
    from pyramidion.crowd.rehearsal import rehearse as simulate
    from pyramidion.crowd.study import load, path_of

    given = load(study)
    store = Store(path_of(study).parent)
    if store.kind() == "real":
        raise PyramidionError(
            "the study has real answers, beside which none are made up",
            str(store.path),
            f"rehearse in a copy of the study without {store.path.name}",
        )
    done = {one.task for one in store.submissions()}
    left = tuple(task for task in given.tasks if task.id not in done)
    phase = phase or next_phase(replace(given, tasks=left or given.tasks))
    if given.of_phase(phase) and not any(task.phase == phase for task in left):
        following = "crowd select" if phase == "writing" else "crowd score"
        raise PyramidionError(
            f"all {phase} tasks are rehearsed already",
            str(store.path),
            f"go on with {following}, or remove the file to begin again",
        )
    made = simulate(
        replace(given, tasks=left),
        phase,
        workers=workers,
        careless=careless,
        accuracy=accuracy,
        bias=bias,
        seed=seed,
        judge=judge,
    )
    store.add(made.submissions, f"rehearsal, seed {seed}", simulated=True)
    warnings.warn("these answers are simulated: they try out the study and are no data", InputWarning, stacklevel=2)
    if as_json:
        _shared.print_json(_rehearsal_record(made, store.path))
    else:
        typer.echo(_rehearsed(made, judge, store.path))


def _rehearsed(made: Rehearsal, judge: str, path: Path) -> str:
    careless = [member.habit for member in made.members if member.habit != "careful"]
    tasks = len({one.task for one in made.submissions})
    lines = [
        f"{plural(len(made.members), 'simulated worker')} did {plural(tasks, made.phase + ' task')}: "
        f"{plural(len(made.submissions), 'submission')} in {path}.",
        f"{len(careless)} of them careless" + (f": {', '.join(careless)}." if careless else "."),
    ]
    if made.truth:
        present = sum(made.truth.values())
        lines.append(f"The truth ({judge}): {present} of {len(made.truth)} items are present.")
    else:
        lines.append(f"{sum(len(one.written) for one in made.submissions)} statements were written.")
    return "\n".join(lines)


def _rehearsal_record(made: Rehearsal, path: Path) -> dict[str, Any]:
    return {
        "simulated": True,
        "store": str(path),
        "phase": made.phase,
        "submissions": len(made.submissions),
        "members": made.members,
        "truth": [{**item._asdict(), "present": present} for item, present in made.truth.items()],
    }
