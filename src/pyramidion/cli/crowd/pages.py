"""``crowd pages`` and ``crowd serve``: what workers see."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pyramidion.base.files import write_folder
from pyramidion.cli import _shared
from pyramidion.cli.crowd import _options
from pyramidion.crowd.design import PlatformName
from pyramidion.crowd.study import load

CompletionOption = Annotated[
    str,
    typer.Option(
        "--completion-url",
        metavar="URL",
        help="The address that workers are sent to at the end, such as Prolific's with its completion code.",
    ),
]


def add_to(group: typer.Typer) -> None:
    """Add the commands."""
    group.command()(pages)
    group.command()(serve)


def pages(
    study: _options.StudyArgument,
    output: Annotated[Path, typer.Option("--output", "-o", help="The new folder to write.")],
    phase: _options.PhaseOption = None,
    platform: Annotated[
        PlatformName | None,
        typer.Option("--platform", help="The platform of the workers. The default is the study's platform."),
    ] = None,
    completion_url: CompletionOption = "",
    as_json: _shared.AsJson = False,
) -> None:
    """Write the task pages that workers fill in.

    For Mechanical Turk, the folder gets a layout and tables (CSV) to upload. For other platforms, it gets one HTML file
    per task, which works without a server. README.md in the folder says how to go on.

    \b
    Example:
      pyramidion crowd pages STUDY --phase writing -o pages/
      pyramidion crowd pages STUDY --phase judging --platform own -o pages/
    """
    from pyramidion.crowd.pages import pages as files_of

    _shared.check_new_folder(output)
    planned = load(study)
    chosen = phase or planned.phase
    files = files_of(planned, chosen, platform or planned.design.platform, completion=completion_url)
    write_folder(output, files)
    if as_json:
        tasks = planned.of_phase(chosen)
        _shared.print_json(
            {
                "folder": str(output),
                "phase": chosen,
                "platform": platform or planned.design.platform,
                "tasks": len(tasks),
                "assignments": sum(task.workers for task in tasks),
                "files": sorted(files),
            }
        )
        return
    tables = sum(name.endswith(".csv") for name in files)
    written = (
        f"layout.html and {_shared.plural(tables, 'CSV')} for {_shared.plural(len(planned.of_phase(chosen)), 'task')}"
        if tables
        else f"a page for each of {_shared.plural(len(planned.of_phase(chosen)), 'task')}"
    )
    typer.echo(f"{output}: {written} ({chosen}); {output / 'README.md'} says how to go on")


def serve(
    study: _options.StudyArgument,
    phase: _options.PhaseOption = None,
    host: _shared.HostOption = "127.0.0.1",
    port: _shared.PortOption = 8000,
    completion_url: CompletionOption = "",
    each: Annotated[
        int | None,
        typer.Option(
            "--each",
            min=0,
            help="The largest number of tasks for one worker; 0 sets no limit. The default is 1 with --completion-url, "
            "or else 0.",
            show_default=False,
        ),
    ] = None,
    hold: Annotated[float, typer.Option("--hold", min=1, help="The minutes that a task is kept for a worker.")] = 30,
    distinct: _options.DistinctOption = "item",
    allow_host: _shared.AllowHostOption = None,
    deadline: Annotated[
        float, typer.Option("--deadline", min=1, max=3600, help="The seconds that a client has to send a request.")
    ] = 30,
    as_json: _shared.AsJson = False,
) -> None:
    """Serve the task pages to workers, and store their answers.

    Each answer is stored in the study's answers.sqlite as soon as it is sent. Ctrl-C or SIGTERM stops the server with
    status 0, after it has finished its open requests. You can start it again at any time. With --json, the address and
    the tasks are printed as JSON at the start.

    \b
    Example:
      pyramidion crowd serve STUDY
      pyramidion crowd serve STUDY --host 0.0.0.0 --port 8080 --completion-url URL
    """
    from pyramidion.crowd.answers.store import Store
    from pyramidion.crowd.desk import Desk
    from pyramidion.crowd.server import TaskServer
    from pyramidion.crowd.server import serve as run

    planned = load(study)
    chosen = phase or planned.phase
    desk = Desk(
        planned,
        Store(study if study.is_dir() else study.parent),
        chosen,
        each=(1 if completion_url else 0) if each is None else each,
        hold=hold * 60,
        distinct=distinct,
        completion=completion_url,
    )
    server = TaskServer(
        (host, port),
        desk,
        said=lambda line: typer.echo(line, err=True),
        names=allow_host or (),
        deadline=deadline,
    )
    had, wanted = desk.progress()

    def began() -> None:
        if as_json:
            about = {"url": server.url, "phase": chosen, "tasks": len(desk.tasks), "assignments": wanted, "done": had}
            _shared.print_json(about | {"store": str(desk.store)})
        else:
            typer.echo(f"{_shared.plural(len(desk.tasks), f'{chosen} task')}, {had} of {wanted} assignments done")
            typer.echo(f"serving at {server.url} (Ctrl-C ends)")

    run(server, began)
    done, _ = desk.progress()
    refused = f"; {_shared.plural(desk.refused, 'submission')} refused" if desk.refused else ""
    typer.echo(f"ended: {done} of {wanted} assignments done{refused}; answers are in {desk.store}", err=as_json)
