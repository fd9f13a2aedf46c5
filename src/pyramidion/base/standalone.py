"""Pages that stand alone: one HTML file with its style and its script inside, and no network.

What makers of pages share: templates that escape, our own files to put inside, and the Content-Security-Policy that
names them by their hashes, so that a browser that obeys it runs and loads nothing else, whatever texts are shown.
"""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment

_CONTROLS = {code: code + 0x2400 for code in range(32) if chr(code) not in "\t\n\r"}
_CONTROLS |= {0x7F: 0x2421} | dict.fromkeys([*range(0x80, 0xA0), *range(0xD800, 0xE000), 0xFFFE, 0xFFFF], 0xFFFD)


def printable(text: str) -> str:
    r"""Return a text as a page can hold it: control characters as their pictures, non-characters as U+FFFD.

    >>> print(ascii(printable("a\x00b\ud800")))
    'a\u2400b\ufffd'
    """
    return text.translate(_CONTROLS)


@cache
def environment(package: str, *, escaped: bool = True, last_newline: bool = False) -> Environment:
    """Return the templates of a package: values are escaped unless ``escaped`` is false, and every name must exist."""
    from jinja2 import Environment, PackageLoader, StrictUndefined  # here, because starting needs no pages

    parent, _, folder = package.rpartition(".")
    templates = Environment(
        loader=PackageLoader(parent, folder),
        autoescape=escaped,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=last_newline,
    )
    templates.filters["shown"] = printable
    return templates


@cache
def own_file(package: str, name: str) -> str:
    """Return a style sheet or script of a package, which is ours and so is not escaped."""
    return files(package).joinpath(name).read_text(encoding="utf-8").strip()


def policy(style: str, script: str, *more: str) -> str:
    """Return the policy of a page with that style and script and no other; ``more`` are further rules."""
    rules = ("default-src 'none'", f"style-src {_hash(style)}", f"script-src {_hash(script)}", "base-uri 'none'", *more)
    return "; ".join(rules)


def _hash(source: str) -> str:
    return f"'sha256-{b64encode(sha256(source.encode()).digest()).decode()}'"
