"""Templates, style and script of the task pages, and how a page is made of them: one file that needs no other.

Every text is escaped. The style and the script are inside the page and named by their hashes in its
Content-Security-Policy: a browser that obeys it runs nothing else, whatever the texts shown contain.
"""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

__all__ = ["Page", "render", "render_text", "shown"]

_CONTROLS = {code: code + 0x2400 for code in range(32) if chr(code) not in "\t\n\r"}
_CONTROLS |= {0x7F: 0x2421} | dict.fromkeys([*range(0x80, 0xA0), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF], 0xFFFD)


class Page(NamedTuple):
    """A page, and the Content-Security-Policy that it states: a server sends it as a header, too."""

    html: str
    policy: str


def shown(text: str) -> str:
    r"""A text as a page can hold it: control characters as their pictures, what is no character as the sign for that.

    >>> print(ascii(shown("a\x00b\ud800")))
    'a\u2400b\ufffd'
    """
    return text.translate(_CONTROLS)


def render(template: str, **context: Any) -> Page:
    """The page that a template makes, with the style and the script inside it."""
    style, script = _file("task.css"), _file("task.js")
    policy = "; ".join(
        [
            "default-src 'none'",
            f"style-src {_hash(style)}",
            f"script-src {_hash(script)}",
            "connect-src 'self'",
            "form-action 'self'",
            "base-uri 'none'",
        ]
    )
    html = _environment(True).get_template(template)
    return Page(html.render(style=Markup(style), script=Markup(script), policy=policy, **context), policy)


def render_text(template: str, **context: Any) -> str:
    """The plain text that a template makes."""
    return _environment(False).get_template(template).render(**context)


@cache
def _environment(escaped: bool) -> Environment:
    made = Environment(
        loader=PackageLoader("pyramidion.crowd", "page"),
        autoescape=escaped,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters["shown"] = shown
    return made


@cache
def _file(name: str) -> str:
    """The style sheet or script of this folder: our own words, so they are not escaped."""
    return files(__name__).joinpath(name).read_text(encoding="utf-8").strip()


def _hash(source: str) -> str:
    return f"'sha256-{b64encode(sha256(source.encode()).digest()).decode()}'"
