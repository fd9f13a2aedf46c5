"""``crowd plan``, ``crowd cost`` and ``crowd extend``: what is asked of whom, and what it costs, before it is spent."""

from __future__ import annotations

import warnings
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from pyramidion.cli import _shared
from pyramidion.cli.crowd import _options
from pyramidion.crowd.design import Design
from pyramidion.errors import InputWarning, PyramidionError
from pyramidion.io.files import write_bytes, write_folder
from pyramidion.io.tables import Table, TableFormat, plural, render
from pyramidion.model import Topic
from pyramidion.reading import READING, Reading

if TYPE_CHECKING:
    from pyramidion.crowd.study import Study

PanelOption = Annotated[
    Path | None,
    typer.Option(
        "--panel",
        metavar="FILE",
        readable=False,
        help="Workers who are known, one name a line: panel.csv in the study's folder then says who does which task.",
    ),
]
DistinctOption = Annotated[
    Literal["item", "statement"],
    typer.Option(
        "--distinct", help="With --panel: nobody judges a statement twice on one summary (item), or on any (statement)."
    ),
]


def add_to(group: typer.Typer) -> None:
    """Add the commands."""
    group.command()(plan)
    group.command()(cost)
    group.command()(extend)


@_shared.bundled
def plan(
    context: typer.Context,
    corpus: Annotated[
        Path,
        typer.Argument(readable=False, help="A corpus folder or JSONL file (see docs/formats.md)."),
    ],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="STUDY", help="The new folder for the study.")],
    name: Annotated[str, typer.Option("--name", help="The study's name; the folder's if none.")] = "",
    statements: Annotated[
        Literal["written", "pyramid"],
        typer.Option(
            "--statements",
            help="Let workers write them, or take the SCUs of the corpus's pyramids and go on to judging at once.",
        ),
    ] = "written",
    writers: _options.Writers = None,
    written: _options.Written = None,
    sample: _options.Sample = None,
    per_task: _options.PerTask = None,
    workers: _options.Workers = None,
    writing_reward: _options.WritingReward = None,
    judging_reward: _options.JudgingReward = None,
    platform: _options.PlatformOption = None,
    fee: _options.Fee = None,
    approved: _options.Approved = None,
    approval_rate: _options.ApprovalRate = None,
    checks: _options.Checks = None,
    writing_minutes: _options.WritingMinutes = None,
    judging_minutes: _options.JudgingMinutes = None,
    seed: _options.Seed = None,
    fair_pay: _options.FairPay = None,
    panel: PanelOption = None,
    distinct: DistinctOption = "item",
    reading: Reading = READING,
    format: _shared.AsTable = "text",
    as_json: _shared.AsJson = False,
) -> None:
    """Plan a crowd evaluation of a corpus's peers, and say what it will take before anything is spent.

    Writes a folder with study.json: texts, design, tasks. Workers write statements about the references; 'crowd
    select' chooses those that other workers then look for in the peers (Shapira et al. 2019). The defaults are the
    paper's. Judging tasks that wait for the selection are counted as the design foresees them.

    \b
    Example:
      pyramidion demo --out example && pyramidion crowd plan example -o study
      pyramidion crowd plan corpus/ -o study --platform prolific --writing-reward 160 --judging-reward 80
      pyramidion crowd plan corpus/ -o study --statements pyramid --workers 3 --panel class.txt
    """
    from pyramidion.crowd import panel as panels
    from pyramidion.crowd import study as studies
    from pyramidion.crowd.assignment import assign
    from pyramidion.crowd.plan import plan as planned

    design = Design(**_options.given(context))
    if (out / studies.FILE).exists():
        raise PyramidionError(
            "a study is there already", str(out), "name a new folder; 'crowd extend' adds systems or topics to this one"
        )
    _shared.check_new_folder(out, [corpus])
    names = panels.names(_shared.text(panel), str(panel)) if panel else None
    topics = reading.topics(corpus)
    made = planned(topics, design, name=name or out.resolve().name, statements=statements)
    files = {studies.FILE: studies.dumps(made)}
    given_out: dict[str, tuple[str, ...]] = {}
    if names is not None:
        given_out = assign(made.tasks, names, seed=design.seed, distinct=distinct)
        files[panels.FILE] = panels.dumps(panels.rows(given_out))
    write_folder(out, files)
    _print_plan(made, out, fair_pay, format, as_json)
    _print_panel(given_out, out / panels.FILE, quiet=as_json or format != "text")


def cost(
    context: typer.Context,
    study: Annotated[
        Path | None,
        typer.Argument(readable=False, help="A planned study's folder; or give numbers instead."),
    ] = None,
    topics: Annotated[int | None, _options.number("--topics", "How many topics.")] = None,
    systems: Annotated[
        int | None, _options.number("--systems", "How many systems, each judged on every topic.")
    ] = None,
    references: Annotated[int | None, _options.number("--references", "References per topic. [4]")] = None,
    writers: _options.Writers = None,
    written: _options.Written = None,
    sample: _options.Sample = None,
    per_task: _options.PerTask = None,
    workers: _options.Workers = None,
    writing_reward: _options.WritingReward = None,
    judging_reward: _options.JudgingReward = None,
    platform: _options.PlatformOption = None,
    fee: _options.Fee = None,
    checks: _options.Checks = None,
    writing_minutes: _options.WritingMinutes = None,
    judging_minutes: _options.JudgingMinutes = None,
    fair_pay: _options.FairPay = None,
    format: _shared.AsTable = "text",
    as_json: _shared.AsJson = False,
) -> None:
    """Say what a crowd evaluation costs, in money and hours: a planned one, or one of so many topics and systems.

    The defaults are those of Shapira et al. 2019, section 4: $4.80 per topic, $5.40 per system and topic.

    \b
    Example:
      pyramidion crowd cost --topics 20 --systems 25
      pyramidion crowd cost --topics 20 --systems 5 --workers 3 --platform prolific --judging-reward 80
      pyramidion crowd cost study/ --json
    """
    from pyramidion.cli.crowd._costs import cost_json, cost_table, money, warn_of_pay
    from pyramidion.crowd import study as studies
    from pyramidion.crowd.cost import cost_of, study_cost

    if study is not None:
        counts = {"topics": topics, "systems": systems, "references": references}
        said = [name for name, count in counts.items() if count is not None] + list(_options.given(context))
        if said:
            flag = said[0].replace("_", "-")
            raise PyramidionError(
                f"the study has its own {flag}", str(study), f"leave out --{flag}, or give numbers without a study"
            )
        planned = studies.load(study)
        design, found = planned.design, study_cost(planned)
    elif topics is None or systems is None:
        raise PyramidionError("the cost of what?", do="give --topics and --systems, or a study's folder")
    else:
        design = Design(**_options.given(context))
        found = cost_of(design, topics=topics, references=4 if references is None else references, systems=systems)
    warn_of_pay(found, design, fair_pay)
    if as_json:
        _shared.print_json(cost_json(found, design))
    else:
        typer.echo(render(money(cost_table(found, design, "What it costs"), format), format), nl=False)


@_shared.bundled
def extend(
    study: Annotated[Path, typer.Argument(readable=False, help="The study's folder.")],
    corpus: Annotated[
        Path | None,
        typer.Argument(readable=False, help="New systems or topics; none to give out tasks to a panel only."),
    ] = None,
    statements: Annotated[
        Literal["written", "pyramid"] | None,
        typer.Option(
            "--statements",
            help="Where those of new topics come from; as in the study if not given.",
            show_default=False,
        ),
    ] = None,
    fair_pay: _options.FairPay = None,
    panel: PanelOption = None,
    distinct: DistinctOption = "item",
    reading: Reading = READING,
    format: _shared.AsTable = "text",
    as_json: _shared.AsJson = False,
) -> None:
    """Add systems or topics to a study; nothing that is there changes, so answers that came in stay good.

    New systems are asked the old statements. New topics get writing tasks. A known summary with another text is an
    error. With --panel, tasks that have too few workers are given out; those given out or done before stay with whom
    they are. Nobody is asked about statements of their own, if there are enough others.

    \b
    Example:
      pyramidion crowd extend study/ corpus-with-new-system/
      pyramidion crowd extend study/ --panel class.txt
    """
    from pyramidion.crowd import panel as panels
    from pyramidion.crowd import study as studies
    from pyramidion.crowd.answers.store import Store
    from pyramidion.crowd.assignment import assign, own_tasks
    from pyramidion.crowd.plan import extend as extended

    if corpus is None and panel is None:
        raise PyramidionError("there is nothing to add", do="name a corpus, or a panel with --panel")
    before = after = studies.load(study)
    names = panels.names(_shared.text(panel), str(panel)) if panel else None
    if corpus is not None:
        topics: list[Topic] = reading.topics(corpus)
        after = extended(before, topics, statements=statements)
    list_of_panel = studies.path_of(study).parent / panels.FILE
    rows = list(panels.load(list_of_panel, {task.id for task in after.tasks}))
    given_out: dict[str, tuple[str, ...]] = {}
    if names is not None:
        given: dict[str, list[str]] = {}
        for worker, task in (*rows, *panels.done(Store(list_of_panel.parent))):
            given.setdefault(worker, []).append(task)
        wrote = own_tasks(after)
        given_out = assign(after.tasks, names, seed=after.design.seed, distinct=distinct, given=given, wrote=wrote)
        rows += panels.rows(given_out)
        _warn_of_own(given_out, wrote)
    elif rows and len(after.tasks) > len(before.tasks):
        warnings.warn(f"{list_of_panel} lacks the new tasks: give them out with --panel", InputWarning, stacklevel=2)
    if after != before:
        studies.dump(after, study)
    if names is not None:
        write_bytes(list_of_panel, panels.dumps(rows))
    if corpus is not None or as_json:
        _print_extension(before, after, fair_pay, format, as_json)
    _print_panel(given_out, list_of_panel, quiet=as_json or format != "text")


def _warn_of_own(given_out: dict[str, tuple[str, ...]], wrote: dict[str, set[str]]) -> None:
    own = sum(task in wrote.get(worker, ()) for worker, tasks in given_out.items() for task in tasks)
    if own:
        warnings.warn(
            f"{plural(own, 'assignment')} ask workers about statements of their own: others are too few",
            InputWarning,
            stacklevel=2,
        )


# What is printed


def _print_plan(study: Study, out: Path, fair_pay: int | None, format: TableFormat, as_json: bool) -> None:
    from pyramidion.cli.crowd._costs import cost_json, cost_table, money, warn_of_pay
    from pyramidion.crowd.assignment import needed
    from pyramidion.crowd.cost import study_cost

    found = study_cost(study)
    warn_of_pay(found, study.design, fair_pay)
    peers = [peer for topic in study.topics for peer in topic.peers]
    references = sum(len(topic.references) for topic in study.topics)
    writers, judges = needed(study, "writing"), needed(study, "judging")
    apart = needed(study, "judging", "statement")
    if as_json:
        told: dict[str, Any] = {
            "study": study.name,
            "folder": str(out),
            "topics": len(study.topics),
            "references": references,
            "systems": study.systems,
            "summaries": len(peers),
            "empty": sum(not peer.text.strip() for peer in peers),
            "statements": sum(one.sampled for one in study.statements),
            "workers_at_least": {"writing": writers, "judging": judges, "judging_distinct_statements": apart},
            "cost": cost_json(found, study.design),
        }
        _shared.print_json(told)
        return
    title = (
        f"Study {study.name!r} in {out}: {plural(len(study.topics), 'topic')}, {plural(references, 'reference')}, "
        f"{plural(len(study.systems), 'system')}"
    )
    typer.echo(render(money(cost_table(found, study.design, title), format), format), nl=False)
    if format == "text":
        phase = "writing" if writers else "judging"
        typer.echo(
            f"\nWorkers at least: {f'{writers} for writing, ' if writers else ''}{judges} for judging "
            f"({apart} if nobody may meet a statement on two summaries).\n"
            f"Nothing is spent yet. Next: pyramidion crowd pages {out} --phase {phase} -o pages"
        )


def _print_panel(given_out: dict[str, tuple[str, ...]], path: Path, *, quiet: bool) -> None:
    if given_out and not quiet:
        loads = [len(tasks) for tasks in given_out.values()]
        each = f"{min(loads)}" if min(loads) == max(loads) else f"{min(loads)} to {max(loads)}"
        typer.echo(f"{path}: {plural(sum(loads), 'assignment')} for {plural(len(loads), 'worker')}, {each} each.")


def _print_extension(before: Study, after: Study, fair_pay: int | None, format: TableFormat, as_json: bool) -> None:
    from pyramidion.cli.crowd._costs import COLUMNS, KEYS, cost_json, estimate, money, phase_row, sum_row, warn_of_pay
    from pyramidion.crowd.cost import dollars, more, study_cost

    was, now = study_cost(before), study_cost(after)
    warn_of_pay(now, after.design, fair_pay)
    added = [more(was.writing, now.writing), more(was.judging, now.judging)]
    systems = sorted(set(after.systems) - set(before.systems))
    topics = [topic.id for topic in after.topics[len(before.topics) :]]
    if as_json:
        told: dict[str, Any] = {
            "study": after.name,
            "systems": systems,
            "topics": topics,
            "tasks": [task.id for task in after.tasks[len(before.tasks) :]],
            "added": {one.phase: asdict(one) for one in added},
            "cost": cost_json(now, after.design),
        }
        _shared.print_json(told)
        return
    new = [*(f"topic {one!r}" for one in topics), *(f"system {one!r}" for one in systems)]
    title = f"Study {after.name!r}: new " + (", ".join(new) or "are no topics and no systems")
    rows = (*(phase_row(one, one.phase) for one in added), sum_row(added, "all that is added"))
    caption = f"The whole study now costs {dollars(now.total)}.{estimate(now)}"
    typer.echo(render(money(Table(COLUMNS, rows, title, caption, KEYS), format), format), nl=False)
