"""What computes: the versions of this program and of the libraries that its numbers come from.

A network or a linear program may give other last digits with another version of its library. So a run names them in its
record, and what one version computed is not taken from a cache by another.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from pyramidion.version import __version__

PACKAGES = (
    "numpy",
    "scipy",
    "onnxruntime",
    "highspy",
    "pyramidion-entails",
    "pyramidion-words",
    "pyramidion-writes",
    "spacy",
    "sentence-transformers",
    "transformers",
    "torch",
)
"""Packages whose version may change a number in its last digits."""


@cache
def versions() -> Mapping[str, str]:
    """Return the versions of the installed libraries by name, and those of this package and of Python."""
    from importlib.metadata import PackageNotFoundError, version  # here, because it is slow to import

    found = {"pyramidion": __version__, "python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


@cache
def source() -> str:
    """Return a digest of this package's source files: a checkout changes without its version."""
    from pyramidion.base.distributions import digest_of  # here, because help does without

    package = Path(__file__).parents[1]
    return digest_of(package, package.rglob("*.py"))
