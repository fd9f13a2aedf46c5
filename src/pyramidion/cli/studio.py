"""``studio``: the web app."""

from __future__ import annotations

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
    as_json: _shared.AsJson = False,
) -> None:
    """Make pyramids, annotate summaries and read results in the browser.

    Every edit is stored before it is acknowledged. On this machine one person needs no login; anybody else gets in by
    an account. Ctrl-C ends. --json says at the beginning where it serves what.

    \b
    Example:
      pyramidion studio
      pyramidion studio class-2026/ --port 8080
      pyramidion studio postgresql://studio@db.example.org/studio --host 0.0.0.0 --allow-host studio.example.org
    """
    try:
        from pyramidion.studio import account_pages, serving
        from pyramidion.studio.database import is_url
        from pyramidion.studio.workspace import Workspace
    except ImportError as error:
        raise MissingPartError(
            f"The studio needs {error.name or 'a part'}, which is not installed.",
            do="run: pip install 'pyramidion[studio]'",
        ) from None
    listening = serving.listen(host, port)
    folder = Path("pyramidion-studio") if is_url(workspace) else Path(workspace)
    opened = Workspace(folder, workspace if is_url(workspace) else "", local=serving.is_loopback(host))
    url = serving.url_of(listening)
    start = url
    if not opened.local and not opened.accounts.any():
        start = f"{url}setup?key={account_pages.setup_key(opened)}"

    def began() -> None:
        if as_json:
            _shared.print_json(
                {"url": url, "start": start, "workspace": workspace if not is_url(workspace) else "database"}
            )
        else:
            typer.echo(f"The studio is at {start} (Ctrl-C ends).")

    serving.serve(opened, listening, host, allow_host or (), began)
