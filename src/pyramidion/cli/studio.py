"""``studio``: the web app."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Annotated

import typer

from pyramidion.cli import _shared
from pyramidion.errors import MissingPartError


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(studio)


def studio(
    workspace: Annotated[
        str,
        typer.Argument(
            metavar="[WORKSPACE]",
            help="A folder for the work, made if it is not there; or the URL of a PostgreSQL database.",
        ),
    ] = "pyramidion-studio",
    host: _shared.HostOption = "127.0.0.1",
    port: _shared.PortOption = 8000,
    allow_host: _shared.AllowHostOption = None,
    runs: Annotated[
        Path | None,
        typer.Option(
            "--runs",
            metavar="FOLDER",
            readable=False,
            help="Show the runs of 'evaluate --out' in this folder. The default is the folder runs of the workspace.",
        ),
    ] = None,
    backup: Annotated[
        Path | None, typer.Option("--backup", metavar="FILE", help="Write everything into this file, and stop.")
    ] = None,
    restore: Annotated[
        Path | None, typer.Option("--restore", metavar="FILE", help="Fill a new workspace from a backup, and stop.")
    ] = None,
    browser: Annotated[
        bool | None,
        typer.Option(
            "--browser/--no-browser",
            help="Open the page in a browser. Without the option, it opens where somebody sits at a screen.",
            show_default=False,
        ),
    ] = None,
    as_json: _shared.AsJson = False,
) -> None:
    """Make pyramids and annotate summaries in the browser.

    Every edit is stored before it is acknowledged. Whoever starts it on their own machine needs no login: the address
    that is printed, and that the browser opens, lets them in, and nobody else on the machine. Everyone else needs an
    account. Press Ctrl-C to stop. With --json, the address is printed as JSON at the start.

    \b
    Example:
      pyramidion studio
      pyramidion studio class-2026/ --port 8080
      pyramidion studio postgresql://studio@db.example.org/studio --host 0.0.0.0 --allow-host studio.example.org
    """
    try:
        from pyramidion.studio import opening, serving
        from pyramidion.studio.database import is_url
        from pyramidion.studio.pages import accounts as account_pages
        from pyramidion.studio.workspace import Workspace
    except ImportError as error:
        raise MissingPartError(
            f"The studio needs {error.name or 'a part'}, which is not installed.",
            do="run: pip install 'pyramidion[studio]'",
        ) from None
    url = workspace if is_url(workspace) else ""
    folder = Path("pyramidion-studio") if url else Path(workspace)
    if backup or restore:
        _copy(folder, url, backup, restore, as_json)
        return
    listening = serving.listen(host, port)
    # behind a web server of another name, whoever comes is not on this machine, whatever the address says
    opened = Workspace(folder, url, local=serving.is_loopback(host) and not allow_host, runs=runs)
    address = start = serving.url_of(listening)
    if not opened.accounts.any():
        local = f"enter?key={account_pages.local_key(opened)}"
        start += local if opened.local else f"setup?key={account_pages.setup_key(opened)}"

    def began() -> None:
        if as_json:
            _shared.print_json({"url": address, "start": start, "workspace": "database" if url else workspace})
        else:
            typer.echo(f"The studio is at {start} (Ctrl-C ends).")

    with ExitStack() as ending:
        if opening.has_screen() if browser is None else browser:
            ending.enter_context(opening.open_browser(folder, start))
        serving.serve(opened, listening, host, allow_host or (), began)


def _copy(folder: Path, url: str, backup: Path | None, restore: Path | None, as_json: bool) -> None:
    """Write a backup, or fill a workspace from one."""
    from pyramidion.studio import backup as backups
    from pyramidion.studio.database import open_database

    engine = open_database(folder, url)
    path = backup or restore
    assert path is not None
    rows = backups.back_up(engine, path) if backup else backups.restore(engine, path)
    engine.dispose()
    if as_json:
        _shared.print_json({"file": str(path), "rows": rows})
    else:
        typer.echo(f"{path}: {rows} rows {'written' if backup else 'restored'}")
