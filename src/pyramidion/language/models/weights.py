"""Weights as they were released: each file has a SHA-256, which is checked when it is loaded and stands in signatures.

``models/SHA256SUMS`` has the digest of every file that ships; ``train/fingerprints.py`` writes it, and ``sha256sum -c``
reads it. :func:`read` takes a file's bytes once, hashes them and gives them to whoever loads them: what is checked
is what is used. A model's *fingerprint* is the SHA-256 of its lines in that file. Weights that people bring, a file or
a folder, are hashed by content: about a second a gigabyte, once a process as long as sizes and times stay the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from hashlib import file_digest, sha256
from importlib import import_module
from pathlib import Path

from pyramidion.errors import MissingPartError

MODELS = Path(__file__).parent
"""The folder of the weights that ship; each model has a folder with its card."""
MANIFEST = MODELS / "SHA256SUMS"
BORROWED = {"static": "en-minilm/tokenizer.json"}
"""Models that do not work without another's file."""
DIGITS = 8
"""The number of digits of a fingerprint in a signature."""
REINSTALL = "install pyramidion again: pip install --force-reinstall --no-deps pyramidion"
_NOT_READ = (".md", ".pyc", ".h5", ".msgpack", ".ot")
"""Files in the folder of a model that decide nothing: cards, and the same weights for other libraries."""
_UNREADABLE = re.compile(r"[^\w.+-]")
"""Characters that would be escaped in a signature, or taken for the end of a name."""


@cache
def _recorded() -> dict[str, str]:
    """Return the digest of every file that ships, by ``MODEL/FILE``."""
    return digests(MANIFEST, REINSTALL)


def digests(manifest: Path, do: str) -> dict[str, str]:
    """Return the digests of a distribution's files, by name; ``do`` says how to install it again."""
    try:
        lines = manifest.read_text("ascii").splitlines()
    except (OSError, ValueError) as error:
        raise MissingPartError(f"The digests of the models cannot be read ({error})", str(manifest), do) from None
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines)}


def read_checked(path: Path, digest: str | None, model: str, do: str) -> bytes:
    """Return the bytes of a model's file, if they are those that were released."""
    try:
        data = path.read_bytes()
        why = "" if sha256(data).hexdigest() == digest else "its content is not what was released"
    except OSError as error:
        why = error.strerror or str(error)
    if why:
        raise MissingPartError(f"The model {model!r} is missing or damaged ({path.name}: {why})", str(path), do)
    return data


def weight_files(folder: Path) -> list[Path]:
    """Return the files that decide a model's answers, by name: not its card, hidden files and others' formats."""
    inside = (path.relative_to(folder) for path in folder.rglob("*"))
    named = (
        path for path in inside if path.suffix not in _NOT_READ and not any(part[0] in "._" for part in path.parts)
    )
    return sorted((folder / path for path in named if (folder / path).is_file()), key=lambda path: path.as_posix())


def read(path: Path) -> bytes:
    """Return the bytes of a file of weights; of one that ships, only if they are those that were released."""
    if MODELS not in path.parents:
        return path.read_bytes()
    digest = _recorded().get(path.relative_to(MODELS).as_posix())
    return read_checked(path, digest, path.parent.name, REINSTALL)


def damaged(model: str) -> list[str]:
    """Return the files of a model that ships which are not there or not what was released."""
    wrong = []
    for name, digest in _lines(model):
        try:
            read_checked(MODELS / name, digest, model, REINSTALL)
        except MissingPartError:
            wrong.append(name)
    return wrong


def _lines(model: str) -> Iterator[tuple[str, str]]:
    """Yield the names and digests of the files of a model that ships."""
    return (
        (name, digest)
        for name, digest in sorted(_recorded().items())
        if name.startswith(f"{model}/") or name == BORROWED.get(model)
    )


def fingerprint(model: str | Path) -> str:
    """Return the SHA-256 of a model: one that ships, by its name; or a file or a folder. Empty where there is none.

    >>> len(fingerprint("static")), fingerprint("nothing of that name")
    (64, '')
    """
    if lines := list(_lines(str(model))):
        return combined_digest(lines)
    path = Path(model).expanduser()
    if path.is_file():
        return _digest(path, *_state(path))
    files = weight_files(path) if path.is_dir() else []
    if not files:
        return ""
    return combined_digest((file.relative_to(path).as_posix(), _digest(file, *_state(file))) for file in files)


def combined_digest(lines: Iterable[tuple[str, str]]) -> str:
    """Return the fingerprint of files, from their names and digests."""
    return sha256("".join(f"{digest}  {name}\n" for name, digest in lines).encode("utf-8", "replace")).hexdigest()


def _state(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_size, status.st_mtime_ns


@lru_cache(maxsize=1024)
def _digest(path: Path, _size: int, _modified: int) -> str:
    with path.open("rb") as file:
        # Size and time are in the arguments for the cache alone: a changed file is hashed again.
        return file_digest(file, "sha256").hexdigest()


def label(model: str | Path) -> str:
    """Return a model's name with the first digits of its fingerprint, for signatures; empty if it is not there.

    >>> label("wtmf").rpartition("-")[0]
    'wtmf'
    """
    digits = fingerprint(model)[:DIGITS]
    return f"{_UNREADABLE.sub('_', Path(model).expanduser().name)}-{digits}" if digits else ""


def models_field(models: Iterable[str | Path]) -> tuple[tuple[str, str], ...]:
    """Return a signature's field that names models, each once and in alphabetical order; none without models."""
    named = ",".join(sorted(filter(None, {label(model) for model in models})))
    return (("models", named),) if named else ()


def on_this_machine(name: str) -> Path | None:
    """Return the folder of a model of Hugging Face's: the one named, or that of the hub's name in the local cache."""
    folder = Path(name).expanduser()
    if folder.is_dir():
        return folder
    # Given its name the libraries ask the network, even told not to.
    try:
        file = import_module("huggingface_hub").try_to_load_from_cache(name, "config.json")
    except (ImportError, ValueError):
        return None
    return Path(file).parent if isinstance(file, str) else None
