"""Pages that stand alone: one HTML file with its styles, its script and its data, and no network.

A template extends ``base.html`` and fills its blocks ``title``, ``head``, ``header``, ``main`` and ``footer``.
:func:`page` puts the style sheets and the script inside it, and states their hashes in the page's
Content-Security-Policy: a browser that obeys it runs and loads nothing else, whatever the texts shown contain.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

__all__ = ["embedded", "environment", "page", "shown"]

_CONTROLS = {code: code + 0x2400 for code in range(32) if chr(code) not in "\t\n\r"}
_CONTROLS |= {0x7F: 0x2421} | dict.fromkeys([*range(0x80, 0xA0), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF], 0xFFFD)

_UNSAFE_IN_SCRIPT = re.compile("[<>&\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")


def shown(text: str) -> str:
    r"""A text as a page can hold it: control characters as their pictures, what is no character as the sign for that.

    >>> print(ascii(shown("a\x00b\ud800")))
    'a\u2400b\ufffd'
    """
    return text.translate(_CONTROLS)


def embedded(data: object) -> Markup:
    r"""Data as JSON for a ``<script type="application/json">``, which no text in it can close.

    >>> print(embedded({"text": "</script><!--"}))
    {"text":"\u003c/script\u003e\u003c!--"}
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(_UNSAFE_IN_SCRIPT.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


@cache
def environment() -> Environment:
    """The templates of this folder; what they show is escaped, and what they name must exist."""
    made = Environment(
        loader=PackageLoader("pyramidion.report", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["shown"] = shown
    return made


def page(template: str, *, styles: Sequence[str] = (), scripts: Sequence[str] = (), **context: Any) -> str:
    """The page that a template makes, with ``base.css`` and the files named, in that order, inside it."""
    style = "\n".join(_file(name) for name in ("base.css", *styles))
    script = "\n".join(_file(name) for name in scripts)
    policy = "; ".join(
        [
            "default-src 'none'",
            f"style-src {_hash(style)}",
            f"script-src {_hash(script)}",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    return (
        environment()
        .get_template(template)
        .render(style=Markup(style), script=Markup(script), policy=policy, **context)
    )


@cache
def _file(name: str) -> str:
    """A style sheet or script of this folder: our own words, so they are not escaped."""
    return files(__name__).joinpath(name).read_text(encoding="utf-8").strip()


def _hash(source: str) -> str:
    return f"'sha256-{b64encode(sha256(source.encode()).digest()).decode()}'"
