"""The pages of runs: folders that ``evaluate --out`` wrote, listed, shown and compared as ``pyramidion runs`` does.

Runs belong to no project, so that only whoever runs the studio sees them. A run is named by its folder, and only those
that are listed are opened.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlencode

from markupsafe import Markup
from starlette.responses import HTMLResponse, Response

from pyramidion.base.unused import entries
from pyramidion.evaluation.from_run import evaluation_of
from pyramidion.evaluation.record import is_run
from pyramidion.evaluation.run import Run, open_run
from pyramidion.evaluation.run_folders import compare_runs, list_runs, show_run
from pyramidion.notes import Note
from pyramidion.reports.html import report_html
from pyramidion.result import Result
from pyramidion.scoring import QUANTITIES
from pyramidion.studio.accounts import RefusedError
from pyramidion.studio.doors import Visit
from pyramidion.studio.log.store import GoneError
from pyramidion.studio.rendering import page, standalone_headers, with_links
from pyramidion.studio.strings import STRINGS


def folders(visit: Visit) -> dict[str, Path]:
    """Return the folders of runs, by their names."""
    where = visit.workspace.runs
    return {path.name: path for path in entries(where) if is_run(path)} if where.is_dir() else {}


@contextmanager
def _open_runs(visit: Visit, *keys: str) -> Iterator[list[Run]]:
    """Open the runs whose folders the visitor names under these keys."""
    known = folders(visit)
    names = [visit.value(key, 1000) for key in keys]
    if any(name not in known for name in names):
        raise GoneError("There is no such run.")
    with ExitStack() as stack:
        yield [stack.enter_context(open_run(known[name])) for name in names]


def _result_page(visit: Visit, title: str, found: Result, report: str = "", notes: Sequence[Note] = ()) -> Response:
    tables = Markup(found._repr_html_())  # which escapes every cell
    return page(
        visit,
        "runs.html",
        title=title,
        tables=tables,
        report=report,
        names=list(folders(visit)),
        notes=[note.text for note in notes],
    )


def runs(visit: Visit) -> Response:
    """Show the runs, with how far each is."""
    with ExitStack() as stack:
        opened_runs = [stack.enter_context(open_run(path)) for path in folders(visit).values()]
        return _result_page(visit, STRINGS["runs"], list_runs(opened_runs))


def run(visit: Visit) -> Response:
    """Show the scores that a run has so far."""
    name = visit.value("run", 1000)
    with _open_runs(visit, "run") as (found,):
        shown = show_run(found)
        return _result_page(visit, name, shown, f"/runs/report?{urlencode({'run': name})}", shown.notes)


def report(visit: Visit) -> Response:
    """Show the report of a run."""
    name = visit.value("run", 1000)
    with _open_runs(visit, "run") as (found,):
        html = report_html(evaluation_of(found), title=name)
    links = [(f"/runs/shown?{urlencode({'run': name})}", STRINGS["back_to_studio"])]
    return HTMLResponse(with_links(html, links), headers=standalone_headers())


def compare(visit: Visit) -> Response:
    """Show which summaries moved between two runs, and what may be the reason."""
    score = visit.value("score") or "coverage"
    if score not in QUANTITIES:
        raise RefusedError("There is no such score.", do=f"choose one of: {', '.join(QUANTITIES)}")
    with _open_runs(visit, "first", "second") as (first, second):
        title = f"{first.folder.name} → {second.folder.name}"
        return _result_page(visit, title, compare_runs(first, second, score))
