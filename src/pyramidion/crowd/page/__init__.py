"""Templates, style and script of the task pages, and how a page is made of them: one file that needs no other."""

from __future__ import annotations

from typing import Any, NamedTuple

from markupsafe import Markup

from pyramidion.base.standalone import environment, own_file, policy

__all__ = ["Page", "render", "render_text"]


class Page(NamedTuple):
    """A page, and the Content-Security-Policy that it states: a server sends it as a header, too."""

    html: str
    policy: str


def render(template: str, **context: Any) -> Page:
    """Return the page that a template makes, with the style and the script inside it."""
    style, script = own_file(__name__, "task.css"), own_file(__name__, "task.js")
    rules = policy(style, script, "connect-src 'self'", "form-action 'self'")
    html = environment(__name__, last_newline=True).get_template(template)
    return Page(html.render(style=Markup(style), script=Markup(script), policy=rules, **context), rules)


def render_text(template: str, **context: Any) -> str:
    """Return the plain text that a template makes."""
    return environment(__name__, escaped=False, last_newline=True).get_template(template).render(**context)
