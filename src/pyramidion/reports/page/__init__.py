"""Pages that stand alone: one HTML file with its styles, its script and its data, and no network.

A template extends ``base.html`` and fills its blocks ``title``, ``head``, ``header``, ``main`` and ``footer``.
:func:`page` puts the style sheets and the scripts inside it, and states their hashes in the page's
Content-Security-Policy: a browser that obeys it runs and loads nothing else, whatever the texts shown contain.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Sequence
from gzip import compress
from typing import Any

from markupsafe import Markup

from pyramidion.base.standalone import environment, own_file, policy

__all__ = ["embedded", "packed", "page"]

_IMPORT_OR_EXPORT = re.compile(r"^import .*;\n|^export (?=const|let|function|async|class)", re.MULTILINE)

_UNSAFE_IN_SCRIPT = re.compile("[<>&\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]")


def embedded(data: object) -> Markup:
    r"""Return data as JSON for a ``<script type="application/json">``, which no text in it can close.

    >>> print(embedded({"text": "</script><!--"}))
    {"text":"\u003c/script\u003e\u003c!--"}
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(_UNSAFE_IN_SCRIPT.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def packed(data: object) -> Markup:
    """Return data as gzipped JSON in base64, for a ``<script type="application/gzip">``: a tenth of the size or so."""
    text = json.dumps(data, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return Markup(b64encode(compress(text.encode("ascii"), mtime=0)).decode("ascii"))


def _bundle(scripts: Sequence[str]) -> str:
    """Return ECMAScript modules as one script; its names are not seen outside.

    A module stands after those it imports from, and no two have a name in common, so that they can share one scope.
    """
    if not scripts:
        return ""
    modules = (_IMPORT_OR_EXPORT.sub("", own_file(__name__, name)) for name in scripts)
    return "\n".join(("(() => {", '"use strict";', *modules, "})();"))


def page(template: str, *, styles: Sequence[str] = (), scripts: Sequence[str] = (), **context: Any) -> str:
    """Return the page that a template makes, with ``base.css`` and the files named, in that order, inside it."""
    style = "\n".join(own_file(__name__, name) for name in ("base.css", *styles))
    script = _bundle(scripts)
    rules = policy(style, script, "form-action 'none'")
    found = environment(__name__).get_template(template)
    return found.render(style=Markup(style), script=Markup(script), policy=rules, **context)
