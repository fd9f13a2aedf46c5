"""Pages that stand alone: one HTML file with its styles, its script and its data, and no network.

A template extends ``base.html`` and fills its blocks ``title``, ``head``, ``header``, ``main`` and ``footer``.
:func:`page` puts the style sheets and the script inside it, and states their hashes in the page's
Content-Security-Policy: a browser that obeys it runs and loads nothing else, whatever the texts shown contain.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from pyramidion.io.standalone import environment, own_file, policy

__all__ = ["embedded", "page"]

_UNSAFE_IN_SCRIPT = re.compile("[<>&\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")


def embedded(data: object) -> Markup:
    r"""Data as JSON for a ``<script type="application/json">``, which no text in it can close.

    >>> print(embedded({"text": "</script><!--"}))
    {"text":"\u003c/script\u003e\u003c!--"}
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(_UNSAFE_IN_SCRIPT.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def page(template: str, *, styles: Sequence[str] = (), scripts: Sequence[str] = (), **context: Any) -> str:
    """The page that a template makes, with ``base.css`` and the files named, in that order, inside it."""
    style = "\n".join(own_file(__name__, name) for name in ("base.css", *styles))
    script = "\n".join(own_file(__name__, name) for name in scripts)
    rules = policy(style, script, "form-action 'none'")
    found = environment(__name__).get_template(template)
    return found.render(style=Markup(style), script=Markup(script), policy=rules, **context)
