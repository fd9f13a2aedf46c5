"""What an installed distribution calls itself, in words that a signature repeats: ``pyramidion-overlap 0.1.1``.

A version stands for one code only where it was released. A distribution that is edited where it lies, or was installed
from a folder, keeps its version while its code changes, and some have none; a digest of the source files tells their
states apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.metadata import Distribution


def release(distribution: Distribution | None, module: str) -> str:
    """Return the name and version of a distribution, and a digest of the package of ``module`` if it needs one."""
    name, version = name_of(distribution), _metadata(distribution, "Version")
    shown = f"{name or 'unknown'} {version or 'unknown'}"
    is_enough = distribution and name and version and _is_released(distribution)
    return shown if is_enough else f"{shown} (source {_source_of(module)})"


def name_of(distribution: Distribution | None) -> str:
    """Return the name of a distribution, or nothing where it has none."""
    return _metadata(distribution, "Name")


def _metadata(distribution: Distribution | None, field: str) -> str:
    try:
        return str(distribution.metadata[field] or "") if distribution else ""
    except (TypeError, KeyError, ImportError):  # no METADATA, as the versions of Python tell it
        return ""


def _is_released(distribution: Distribution) -> bool:
    """Return whether an installer took it from an index, not from a folder, a file or a repository."""
    # PEP 610: what was not installed from an index has a direct_url.json
    return distribution.read_text("RECORD") is not None and distribution.read_text("direct_url.json") is None


def _source_of(module: str) -> str:
    """Return a digest of the source files of the package that a module is in."""
    try:
        spec = find_spec(module.partition(".")[0])
    except (ImportError, ValueError):
        spec = None
    if not spec:
        return "missing"
    endings = (*SOURCE_SUFFIXES, *EXTENSION_SUFFIXES)
    folders = [Path(folder) for folder in spec.submodule_search_locations or ()]
    if not folders and spec.origin:
        return digest_of(Path(spec.origin).parent, [Path(spec.origin)])
    return " ".join(
        digest_of(folder, (file for file in folder.rglob("*") if file.name.endswith(endings) and file.is_file()))
        for folder in folders
    )


def digest_of(folder: Path, files: Iterable[Path]) -> str:
    """Return a short digest of files in a folder and of their names there."""
    digest = blake2b(digest_size=4)
    for path in sorted(files):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()
