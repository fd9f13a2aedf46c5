"""Line-aligned text files, as machine translation has them: line n of every file belongs to segment n.

The file itself holds the references; ``outputs`` names the systems' files, with commas between them, and
``references`` further files of references. Every line is a topic, called by its number.
"""

from __future__ import annotations

from pathlib import Path

from pyramidion.base.files import read_text
from pyramidion.base.names import clean
from pyramidion.errors import FormatError, Where
from pyramidion.model import Summary, Topic

TITLE = "Line-aligned texts: a file of references, and a file of outputs for each system"
SUFFIXES = ()


def sniff(path: Path, head: bytes) -> bool:
    """Return False: no file looks like this format; it is chosen by naming outputs."""
    return False


def load(path: Path, *, outputs: str = "", references: str = "") -> list[Topic]:
    """Return a topic for each line; ``outputs`` and ``references`` name further files, with commas between them."""
    if not outputs:
        raise FormatError(
            "This is one text; its lines could be references, but no outputs are named.",
            str(path),
            "name the systems' files (outputs), or put the texts into folders: references/ and peers/",
        )
    models = [_lines(path), *map(_lines, _files(references))]
    systems: dict[str, list[str]] = {}
    for file in _files(outputs):
        if (name := clean(file.stem)) in systems:
            raise FormatError(f"Two files of outputs have the name {name!r}.", str(file), "rename one")
        systems[name] = _lines(file)
    # the first file of references, by which the others are measured, is left out
    for file, lines in zip([*_files(references), *_files(outputs)], [*models[1:], *systems.values()], strict=True):
        if len(lines) != len(models[0]):
            raise FormatError(
                f"The file has {len(lines)} lines, but {path} has {len(models[0])}.",
                str(file),
                "give files in which line n belongs to line n",
            )
    topics = []
    for place in range(len(models[0])):
        texts = [lines[place] for lines in models]
        if not any(text.strip() for text in texts):
            raise FormatError(
                "The line has no reference.", Where(str(path), place + 1), "write one, or delete the line"
            )
        models_here = (Summary(str(number), text) for number, text in enumerate(texts, start=1) if text.strip())
        peers = (Summary(name, lines[place], "peer") for name, lines in systems.items())
        topics.append(Topic(str(place + 1), tuple(models_here), tuple(peers)))
    return topics


def _files(names: str) -> list[Path]:
    return [Path(name.strip()) for name in names.split(",") if name.strip()]


def _lines(path: Path) -> list[str]:
    return read_text(path).removesuffix("\n").split("\n")
