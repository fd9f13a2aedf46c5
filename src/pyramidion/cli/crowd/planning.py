"""``crowd plan``, ``crowd cost`` and ``crowd extend``: what is asked of whom, and what it costs, before it is spent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pyramidion.base.files import write_bytes, write_folder
from pyramidion.base.tables import plural
from pyramidion.cli import _shared
from pyramidion.cli._emit import emits
from pyramidion.cli.crowd import _options
from pyramidion.crowd.design import Design
from pyramidion.crowd.plan import Origin
from pyramidion.errors import PyramidionError
from pyramidion.formats.read import READING, Reading
from pyramidion.notes import note

if TYPE_CHECKING:
    from pyramidion.crowd.cost import Cost
    from pyramidion.crowd.results.cost import CrowdCost, CrowdExtension, CrowdPlan


def add_to(group: typer.Typer) -> None:
    """Add the commands."""
    group.command()(plan)
    group.command()(cost)
    group.command()(extend)


@_shared.with_bundles
@emits("cost")
def plan(
    corpus: Annotated[
        Path,
        typer.Argument(readable=False, help="A corpus folder or JSONL file (see docs/formats.md)."),
    ],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="STUDY", help="The new folder for the study.")],
    design: _options.Changes,
    name: Annotated[str, typer.Option("--name", help="The study's name. The default is the folder's name.")] = "",
    statements: Annotated[
        Origin,
        typer.Option(
            "--statements",
            help="Let workers write the statements (written), or take the content units (SCUs) of the corpus's "
            "pyramids, so that judging can begin at once (pyramid).",
        ),
    ] = "written",
    fair_pay: _options.FairPayOption = None,
    panel: _options.PanelOption = None,
    distinct: _options.DistinctOption = "item",
    reading: Reading = READING,
) -> tuple[CrowdPlan, str]:
    """Plan a crowd evaluation, and show what it will cost.

    The command writes a folder with study.json, which holds the texts, the design and the tasks. Workers write
    statements about the references. 'crowd select' then chooses statements, which other workers look for in the
    summaries to score (Shapira et al. 2019). The defaults are the paper's. Until statements are selected, the number of
    judging tasks is an estimate.

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
    from pyramidion.crowd.results.cost import crowd_plan

    chosen = Design(**design)
    if (out / studies.FILE).exists():
        raise PyramidionError(
            "A study is there already", str(out), "name a new folder; 'crowd extend' adds systems or topics to this one"
        )
    _shared.check_new_folder(out, [corpus])
    names = _names(panel)
    study = planned(reading.topics(corpus), chosen, name=name or out.resolve().name, statements=statements)
    files = {studies.FILE: studies.dumps(study)}
    assigned = assign(study.tasks, names, seed=chosen.seed, distinct=distinct) if names else {}
    if names:
        files[panels.FILE] = panels.dumps(panels.rows(assigned))
    write_folder(out, files)
    result = crowd_plan(study, str(out))
    _warn_of_pay(result.cost, chosen, fair_pay)
    return result, "\n".join([_next_step(result), *_assignment_lines(assigned, out / panels.FILE)])


@_shared.with_bundles
@emits("cost")
def cost(
    study: Annotated[
        Path | None,
        typer.Argument(readable=False, help="The folder of a planned study. You can give numbers instead."),
    ] = None,
    topics: _options.count("--topics", "The number of topics.") = None,  # type: ignore[valid-type]
    systems: _options.count("--systems", "The number of systems. Each is judged on every topic.") = None,  # type: ignore[valid-type]
    references: _options.count("--references", "The number of references per topic. [4]") = None,  # type: ignore[valid-type]
    prices: _options.Changes = _options.DEFAULTS,
    fair_pay: _options.FairPayOption = None,
) -> CrowdCost:
    """Show what a crowd evaluation costs, in money and hours.

    Name a planned study, or give the numbers of topics and systems.
    The defaults are those of Shapira et al. 2019, section 4: $4.80 per topic, $5.40 per system and topic.

    \b
    Example:
      pyramidion crowd cost --topics 20 --systems 25
      pyramidion crowd cost --topics 20 --systems 5 --workers 3 --platform prolific --judging-reward 80
      pyramidion crowd cost study/ --json
    """
    from pyramidion.crowd.results.cost import crowd_cost, planned_cost
    from pyramidion.crowd.study import load

    if study is not None:
        counts = {"topics": topics, "systems": systems, "references": references}
        given = [name for name, count in counts.items() if count is not None] + list(prices)
        if given:
            flag = given[0].replace("_", "-")
            raise PyramidionError(
                f"The study has its own {flag}", str(study), f"leave out --{flag}, or give numbers without a study"
            )
        result = planned_cost(load(study))
    elif topics is None or systems is None:
        raise PyramidionError("There is nothing to price", do="give --topics and --systems, or a study's folder")
    else:
        result = crowd_cost(
            Design(**prices), topics=topics, systems=systems, references=4 if references is None else references
        )
    _warn_of_pay(result.cost, result.design, fair_pay)
    return result


@_shared.with_bundles
@emits("cost")
def extend(
    study: _options.StudyArgument,
    corpus: Annotated[
        Path | None,
        typer.Argument(
            readable=False, help="A corpus with new systems or topics. Leave it out to assign tasks to a panel only."
        ),
    ] = None,
    statements: Annotated[
        Origin | None,
        typer.Option(
            "--statements",
            help="The source of the statements of new topics. The default is that of the study.",
            show_default=False,
        ),
    ] = None,
    fair_pay: _options.FairPayOption = None,
    panel: _options.PanelOption = None,
    distinct: _options.DistinctOption = "item",
    reading: Reading = READING,
) -> tuple[CrowdExtension, str]:
    """Add systems or topics to a study.

    Nothing in the study changes, so collected answers stay valid. New systems are judged on the old statements. New
    topics get writing tasks. It is an error if a summary of the study has a different text in the corpus. With --panel,
    tasks that have too few workers are assigned to members of the panel; earlier assignments stay. Workers are not
    asked about statements that they wrote themselves, if there are enough others.

    \b
    Example:
      pyramidion crowd extend study/ corpus-with-new-system/
      pyramidion crowd extend study/ --panel class.txt
    """
    from pyramidion.crowd import panel as panels
    from pyramidion.crowd import study as studies
    from pyramidion.crowd.answers.store import Store
    from pyramidion.crowd.plan import extend as extended
    from pyramidion.crowd.results.cost import crowd_extension

    if corpus is None and panel is None:
        raise PyramidionError("There is nothing to add", do="name a corpus, or a panel with --panel")
    before = after = studies.load(study)
    names = _names(panel)
    if corpus is not None:
        after = extended(before, reading.topics(corpus), statements=statements)
    file = studies.path_of(study).parent / panels.FILE
    rows = list(panels.load(file, {task.id for task in after.tasks}))
    assigned: dict[str, tuple[str, ...]] = {}
    if names:
        assigned, own_statements = panels.assign_open(after, names, rows, Store(file.parent), distinct)
        if own_statements:
            note(
                f"{plural(own_statements, 'assignment')} ask workers about statements of their own: others are too few"
            )
    elif rows and len(after.tasks) > len(before.tasks):
        note(f"{file} lacks the new tasks: give them out with --panel")
    if after != before:
        studies.dump(after, study)
    if names:
        write_bytes(file, panels.dumps([*rows, *panels.rows(assigned)]))
    result = crowd_extension(before, after)
    if corpus is not None:
        _warn_of_pay(result.cost, after.design, fair_pay)
    nothing = ["Nothing was added: the study has these topics and systems already."]
    return result, "\n".join([*(nothing if corpus and after == before else []), *_assignment_lines(assigned, file)])


def _names(panel: Path | None) -> Sequence[str]:
    from pyramidion.crowd.panel import names

    return names(_shared.text(panel), str(panel)) if panel else ()


def _warn_of_pay(cost: Cost, design: Design, fair_pay: int | None) -> None:
    """Warn of each phase whose pay is below what is fair."""
    from pyramidion.crowd.cost import FAIR_PAY, dollars, underpaid

    least = FAIR_PAY[design.platform] if fair_pay is None else fair_pay
    for phase in underpaid(cost, least):
        minutes = design.writing_minutes if phase.phase == "writing" else design.judging_minutes
        note(
            f"{phase.phase} pays {dollars(phase.pay_per_hour or 0)} an hour if a task takes {minutes:g} minutes, less "
            f"than {dollars(least)} (--fair-pay); "
            f"--{phase.phase}-reward {-(-least * minutes // 60):.0f} would reach it"
        )


def _next_step(result: CrowdPlan) -> str:
    workers = result.workers_needed
    writing = f"{workers['writing']} for writing, " if workers["writing"] else ""
    return (
        f"\nWorkers at least: {writing}{workers['judging']} for judging "
        f"({workers['judging_distinct_statements']} if nobody may meet a statement on two summaries).\n"
        f"Nothing is spent yet. Next: pyramidion crowd pages {result.folder} "
        f"--phase {'writing' if writing else 'judging'} -o pages"
    )


def _assignment_lines(assigned: Mapping[str, Sequence[str]], file: Path) -> list[str]:
    if not assigned:
        return []
    loads = [len(tasks) for tasks in assigned.values()]
    load = f"{min(loads)}" if min(loads) == max(loads) else f"{min(loads)} to {max(loads)}"
    return [f"{file}: {plural(sum(loads), 'assignment')} for {plural(len(loads), 'worker')}, {load} each."]
