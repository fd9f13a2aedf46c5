"""The models that ship with the package: what each is for, its size, and its card."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import as_file, files

from pyramidion.errors import PyramidionError

__all__ = ["Model", "card", "models"]


@dataclass(frozen=True, slots=True)
class Model:
    """A folder under ``language/models``."""

    name: str
    title: str
    size: int
    """Bytes on disk."""


def models() -> list[Model]:
    """Every model in this installation, by name."""
    found = []
    with as_file(files("pyramidion.language.models")) as root:
        for folder in sorted(path.parent for path in root.glob("*/MODEL.md")):
            title = (folder / "MODEL.md").read_text("utf-8", "replace").partition("\n")[0].partition(": ")[2]
            found.append(
                Model(folder.name, title, sum(file.stat().st_size for file in folder.iterdir() if file.is_file()))
            )
    return found


def card(name: str) -> str:
    """A model's card: data, licences, the command that made it, figures."""
    known = [model.name for model in models()]
    if name not in known:
        raise PyramidionError(f"there is no model {name!r}", do=f"choose one of: {', '.join(known)}")
    return (files("pyramidion.language.models") / name / "MODEL.md").read_bytes().decode("utf-8", "replace")
