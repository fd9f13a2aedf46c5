"""Distributions of other packages, as an installer leaves them: put their folder on the path, and they are there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

MATCHER = '''
from pyramidion import Annotation, Match, Span

def match(pyramid, summary):
    """Find an SCU in every summary of at least {least} characters."""
    if "(fail)" in summary.text:
        raise ZeroDivisionError("no way to read this")
    is_long = len(summary.text) >= {least}
    return Annotation(summary, (Match(pyramid.scus[0].id, (Span(0, len(summary.text)),)),) if is_long else ())
'''
"""A matcher whose scores differ from version to version."""


def install(
    folder: Path,
    name: str,
    version: str,
    points: Mapping[str, Mapping[str, str]],
    modules: Mapping[str, str],
    *,
    installed: bool = True,
) -> Path:
    """Lay a distribution into a folder and return that; one that is not ``installed`` lies there to be edited."""
    about = folder / f"{name.replace('-', '_')}-{version or '0'}.dist-info"
    about.mkdir(parents=True)
    number = f"Version: {version}\n" if version else ""
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\n{number}")
    groups = (
        f"[pyramidion.{group}]\n" + "".join(f"{a} = {b}\n" for a, b in named.items()) for group, named in points.items()
    )
    (about / "entry_points.txt").write_text("".join(groups))
    if installed:
        (about / "RECORD").write_text("".join(f"{module}.py,,\n" for module in modules))
    for module, code in modules.items():
        (folder / f"{module}.py").write_text(code)
    return folder


def install_matcher(folder: Path, version: str, least: int, *, installed: bool = True) -> Path:
    """Lay a version of ``pyramidion-lengths`` into a folder, whose matcher goes by how long a summary is."""
    points = {"matchers": {"lengths": "pyramidion_lengths:match"}}
    modules = {"pyramidion_lengths": MATCHER.format(least=least)}
    return install(folder, "pyramidion-lengths", version, points, modules, installed=installed)
