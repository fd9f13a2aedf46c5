"""The record of everything that decides a run's results: ``run.json``, written once, before anything is done.

A run that is resumed must be the same run: the same method, settings, inputs and versions. :func:`changes` says what is
not.
"""

from __future__ import annotations

import hashlib
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from pyramidion.base.files import read_bytes, readable, write_bytes
from pyramidion.base.json import decode_json
from pyramidion.base.libraries import source, versions
from pyramidion.base.unused import entries
from pyramidion.errors import FormatError
from pyramidion.evaluation.work import Scoring
from pyramidion.formats import native
from pyramidion.model import Topic
from pyramidion.signature import Signature

FILE = "run.json"
BLOCK = 2**20


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Everything that decides the results of a run, and how much there is to do."""

    signature: str
    """The signature of its scores, without what reading decides."""
    method: str
    settings: dict[str, str]
    """The settings of the scores, and ``jackknife``."""
    models: dict[str, str]
    """The models that the method uses, and the packages that contribute a part of it, as signatures name them."""
    inputs: dict[str, str]
    """A digest of every input by its name; of a folder, one of each thing in it."""
    reading: dict[str, str]
    """The format, the markup and the options by which the inputs are read."""
    versions: dict[str, str]
    created: str
    topics: int | None = None
    summaries: int | None = None
    """The numbers of topics and summaries, if they were known when the run began."""
    rescored: str = ""
    """The name of the run that the matches were taken from, if they were."""
    pyramidion: int = 1
    """The version of this format."""


def record_of(
    work: Scoring,
    inputs: Mapping[str, str],
    reading: Mapping[str, str],
    *,
    topics: int | None = None,
    summaries: int | None = None,
    rescored: str = "",
    models: Mapping[str, str] | None = None,
) -> Record:
    """The record of a run that begins now; ``models`` are those of the run that its matches are taken from."""
    used = dict(work.method.versions if models is None else models)
    jackknife = {"jackknife": "yes" if work.leave_one_out else "no"}
    settings = {**dict(work.settings.parameters()), **jackknife}
    return Record(
        signature=str(Signature(str(work.method), (*used.items(), *settings.items()))),
        method=str(work.method),
        settings=settings,
        models=used,
        inputs=dict(inputs),
        reading=dict(reading),
        versions={**versions(), "source files": source()},
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        topics=topics,
        summaries=summaries,
        rescored=rescored,
    )


def changes(old: Record, new: Record) -> list[str]:
    """Return what differs between two runs and may change a number, a sentence each."""
    found = [] if old.method == new.method else [f"the method was {old.method!r} and is {new.method!r}"]
    for kind in ("settings", "models", "reading", "versions"):
        before, after = getattr(old, kind), getattr(new, kind)
        noun = {"settings": "setting ", "models": "", "reading": "way of reading ", "versions": "version of "}[kind]
        for name in _differing(before, after):
            # what another package contributes is called ``format NAME``, which says enough
            noun = "" if name.startswith("format ") else noun
            found.append(f"the {noun}{name} was {before.get(name, 'not recorded')} and is {after.get(name, 'gone')}")
    return found + [f"the input {name!r} {how}" for name, how in _changed_inputs(old.inputs, new.inputs)]


def pins(old: Record, new: Record) -> list[str]:
    """Return the requirements for pip that bring back the versions of a run; none if more than versions has changed."""
    before, after = {**old.models, **old.reading}, {**new.models, **new.reading}
    packages = [(name, old.versions.get(name, "")) for name in _differing(old.versions, new.versions)]
    packages += [before.get(name, "").rpartition(" ")[::2] for name in _differing(before, after)]
    can_be_pinned = all(name not in ("", "python") and " " not in name and version for name, version in packages)
    # more changes than packages: settings or inputs differ, too, which pip cannot bring back
    if not can_be_pinned or len(packages) < len(changes(old, new)):
        return []
    return list(dict.fromkeys(f"{name}=={version}" for name, version in packages))


def _differing(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    return [name for name in sorted({*before, *after}) if before.get(name) != after.get(name)]


def _changed_inputs(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for name in _differing(old, new):
        yield name, "is new" if name not in old else "is gone" if name not in new else "has changed"


def load(folder: Path) -> Record:
    """The record of a run's folder."""
    path = folder / FILE
    text = read_bytes(path).decode("utf-8", "replace")
    record = decode_json(text, Record, str(path))
    if record.pyramidion > 1:
        raise FormatError(f"The run was made by a later version ({record.pyramidion}).", str(path), "update pyramidion")
    return record


def save(folder: Path, record: Record) -> None:
    """Write the record, whole or not at all."""
    write_bytes(folder / FILE, msgspec.json.format(msgspec.json.encode(record), indent=1) + b"\n")


def is_run(folder: Path) -> bool:
    """Return whether a folder holds a run."""
    return (folder / FILE).is_file()


def digests(paths: Iterable[Path]) -> dict[str, str]:
    """A digest of each file by its name, and of each thing in a folder; what is no file has none.

    A second input of the same name, from another folder, has a number behind its name.
    """
    by_name: dict[str, str] = {}
    names: Counter[str] = Counter()
    for path in dict.fromkeys(path.resolve() for path in paths):
        with readable(path):
            names[path.name] += 1
            name = path.name if names[path.name] == 1 else f"{path.name} ({names[path.name]})"
            if path.is_file():
                by_name[name] = _digest(path)
            for entry in entries(path):
                by_name[f"{name}/{entry.name}"] = _digest(entry)
    return by_name


def digest_of(topic: Topic) -> str:
    """A digest of all that a topic holds."""
    return hashlib.blake2b(msgspec.json.encode(native.to_record(topic)), digest_size=16).hexdigest()


def _digest(path: Path) -> str:
    """Digest a file's bytes; of a folder, the names and digests of its files, so that it matters where each ends."""
    digest = hashlib.blake2b(digest_size=16)
    if not path.is_file():
        for file in _files(path):
            digest.update(os.fsencode(file.relative_to(path)) + b"\0" + _digest(file).encode())
        return digest.hexdigest()
    with path.open("rb") as stream:
        while block := stream.read(BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _files(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
        return
    for entry in entries(path):
        yield from _files(entry)
