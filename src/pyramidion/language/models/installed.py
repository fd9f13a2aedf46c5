"""The models that ship with the package: what each is for, its size, its fingerprint, and its card."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyramidion.base.tables import Table
from pyramidion.errors import PyramidionError
from pyramidion.language.models.weights import MODELS, damaged, fingerprint


@dataclass(frozen=True, slots=True)
class Model:
    """A folder under ``language/models``."""

    name: str
    title: str
    size: int
    """The size on disk in bytes."""
    fingerprint: str
    """The SHA-256 of the digests that its files were released with."""
    damaged: tuple[str, ...]
    """Files that are not there or not what was released."""


def models() -> list[Model]:
    """Return every model in this installation, by name."""
    installed = []
    for folder in sorted(path.parent for path in MODELS.glob("*/MODEL.md")):
        title = (folder / "MODEL.md").read_text("utf-8", "replace").partition("\n")[0].partition(": ")[2]
        size = sum(file.stat().st_size for file in folder.iterdir() if file.is_file())
        installed.append(Model(folder.name, title, size, fingerprint(folder.name), tuple(damaged(folder.name))))
    return installed


def models_table(models: Sequence[Model]) -> Table:
    """Return a table of models with size, fingerprint and title, or the note that one is damaged."""
    rows = tuple((model.name, round(model.size / 1e6, 1), model.fingerprint[:8], _state(model)) for model in models)
    return Table(("model", "MB", "SHA-256", "what it is"), rows)


def _state(model: Model) -> str:
    return f"DAMAGED: {', '.join(model.damaged)}; install pyramidion again" if model.damaged else model.title


def card(name: str) -> str:
    """Return a model's card: data, licences, the command that made it, figures."""
    names = [model.name for model in models()]
    if name not in names:
        raise PyramidionError(f"There is no model {name!r}", do=f"choose one of: {', '.join(names)}")
    return (MODELS / name / "MODEL.md").read_bytes().decode("utf-8", "replace")
