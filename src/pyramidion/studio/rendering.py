"""Pages: templates that escape whatever they show, with the strings of :mod:`~pyramidion.studio.strings`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from jinja2 import Environment
from markupsafe import Markup
from starlette.responses import HTMLResponse, JSONResponse, Response

from pyramidion.base.standalone import environment, own_file
from pyramidion.reports.page import embedded
from pyramidion.studio.strings import STRINGS
from pyramidion.version import __version__

if TYPE_CHECKING:
    from pyramidion.studio.doors import Visit

KINDS = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


@cache
def _templates() -> Environment:
    return environment("pyramidion.studio.page")


def page(visit: Visit | None, template: str, status: int = 200, data: Any = None, **context: Any) -> Response:
    """Return a page; ``data`` is what its script finds in it."""
    known = visit is not None
    html = (
        _templates()
        .get_template(template)
        .render(
            t=STRINGS,
            version=__version__,
            visit=visit,
            account=visit.account if visit is not None else None,
            accounts=known and bool(visit and visit.account.id),
            token=visit.token if visit is not None else "",
            data=embedded({"strings": STRINGS, "token": visit.token if visit else "", **(data or {})}),
            **context,
        )
    )
    return HTMLResponse(html, status)


def standalone_headers() -> dict[str, str]:
    """Return the headers of a page that stands alone and states in itself what it may load."""
    return {"Content-Security-Policy": "frame-ancestors 'none'"}


def with_links(html: str, links: Sequence[tuple[str, str]], note: str = "") -> str:
    """Return a page that stands alone, with links back into the studio above it, and a note; they are not printed."""
    anchors = Markup(" · ").join(Markup('<a href="{}">{}</a>').format(*link) for link in links)
    said = Markup(" <strong>{}</strong>").format(note) if note else ""
    bar = Markup('<nav class="wrap small screen ways-back" aria-label="{}"><p>{}{}</p></nav>')
    first = "Skip to the content</a>"  # which stays the first thing that Tab comes to
    return html.replace(first, f"{first}\n{bar.format(STRINGS['studio'], anchors, said)}", 1)


def problem(visit: Visit | None, status: int, words: str) -> Response:
    """Return what went wrong, as a page for people and as JSON for scripts. ``words`` may be the key of a string."""
    said = STRINGS.get(words, words)
    if visit is not None and "text/html" in visit.request.headers.get("accept", ""):
        return page(visit, "problem.html", status, words=said)
    return JSONResponse({"error": said}, status)


@cache
def asset(name: str) -> tuple[bytes, str] | None:
    """Return a style sheet, script or picture of ours, and its type; nothing else has an address."""
    if name == "base.css":
        return own_file("pyramidion.reports.page", name).encode(), KINDS[".css"]
    known = {entry.name for entry in files("pyramidion.studio.page").iterdir()}
    suffix = name[name.rfind(".") :]
    if name not in known or suffix not in KINDS:
        return None
    return own_file("pyramidion.studio.page", name).encode(), KINDS[suffix]
