"""Invented topics with pyramids and marked peers, written to train on: one JSON file each (README.md).

python -m train.topics            # checks all files, and says how many of what there are

"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from pyramidion.model import SCU, Contributor, Pyramid, Span, Summary, Topic

FOLDER = Path(__file__).parent
LETTERS = ("c", "v", "g", "w")
"""Of a marked statement: clear and right, vague but right, garbled, wrong."""


class WrongFileError(ValueError):
    """What is wrong with a file."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A peer, and by number of the SCUs what a careful reader finds in it; what is in no list is not said."""

    name: str
    text: str
    said: frozenset[str]
    denied: frozenset[str]
    partly: frozenset[str]


@dataclass(frozen=True, slots=True)
class Written:
    """A topic with its pyramid, and its peers."""

    kind: str
    topic: Topic
    peers: tuple[Peer, ...]

    @property
    def pyramid(self) -> Pyramid:
        """The pyramid."""
        assert self.topic.pyramid
        return self.topic.pyramid


def spans(text: str, quoted: list[str], where: str) -> tuple[Span, ...]:
    """The places of quoted words, each after the one before if it can be found there."""
    found, at = [], 0
    for words in quoted:
        place = text.find(words, at)
        if place < 0:
            place = text.find(words)
        if place < 0 or not words.strip():
            raise WrongFileError(f"{where}: {words!r} is not in the text, letter for letter.")
        found.append(Span(place, place + len(words)))
        at = place + len(words)
    found.sort(key=lambda span: span.start)
    if any(first.end > second.start for first, second in pairwise(found)):
        raise WrongFileError(f"{where}: two pieces of {quoted!r} overlap.")
    return tuple(found)


def read(path: Path) -> Written:
    """One file, checked."""
    told = json.loads(path.read_text("utf-8"))
    texts = {id: " ".join(text.split()) for id, text in told["references"].items()}
    references = tuple(Summary(id, text) for id, text in texts.items())
    scus = []
    for number, one in enumerate(told["scus"], 1):
        where = f"{path.name}, SCU {number}"
        if not 4 <= len(one["label"].split()) <= 16:
            raise WrongFileError(f"{where}: the label {one['label']!r} has not 4 to 16 words.")
        if unknown := set(one) - {"label", *texts}:
            raise WrongFileError(f"{where}: {sorted(unknown)} are no references.")
        contributors = tuple(
            Contributor(id, spans(text, one[id], f"{where}, {id}")) for id, text in texts.items() if id in one
        )
        if not contributors:
            raise WrongFileError(f"{where}: nobody contributes.")
        scus.append(SCU(str(number), one["label"], contributors))
    pyramid = Pyramid(told["topic"], references, tuple(scus))
    peers = []
    for name, own in told["peers"].items():
        lists = {key: [str(number) for number in own.get(key, [])] for key in ("said", "denied", "partly")}
        named = [number for some in lists.values() for number in some]
        if len(named) != len(set(named)):
            raise WrongFileError(f"{path.name}, peer {name}: an SCU stands in two lists, or twice in one.")
        if unknown := set(named) - {scu.id for scu in scus}:
            raise WrongFileError(f"{path.name}, peer {name}: there is no SCU {sorted(unknown)}.")
        sets = {key: frozenset(some) for key, some in lists.items()}
        peers.append(Peer(name, " ".join(own["text"].split()), **sets))
    return Written(told["kind"], Topic(told["topic"], references, pyramid=pyramid), tuple(peers))


class Mark(NamedTuple):
    """A statement that rules made of a reference, and what readers say of it."""

    statement: str
    letter: str
    """By whoever read it beside its text: c clear and right, v vague, g garbled, w wrong."""
    alone: str = ""
    """By whoever read it alone: ``yes`` if it can be understood, ``no`` if not; nothing if nobody did."""


def marks(own: Written) -> dict[str, list[Mark]]:
    """By reference the marked statements of a topic; nothing where nobody marked any."""
    path = FOLDER / "marks" / f"{own.topic.id}.json"
    if not path.exists():
        return {}
    told = json.loads(path.read_text("utf-8"))
    if unknown := set(told) - {reference.id for reference in own.topic.references}:
        raise WrongFileError(f"marks/{path.name}: {sorted(unknown)} are no references.")
    found = {id: [Mark(*mark) for mark in some] for id, some in told.items()}
    for id, some in found.items():
        for mark in some:
            if mark.letter not in LETTERS or mark.alone not in ("", "yes", "no") or not mark.statement.strip():
                raise WrongFileError(f"marks/{path.name}, {id}: {mark} is no mark.")
    return found


def aside(path: Path) -> bool:
    """Whether the network is not trained on the topic, so that rules that use its answers can be fitted to it."""
    return sha256(path.stem.encode()).digest()[0] % 5 == 0


def written(kept: bool = False) -> Iterator[Written]:
    """The topics for the network, or those that are kept aside, in the order of their names."""
    for path in sorted(FOLDER.glob("*.json")):
        if aside(path) == kept:
            yield read(path)
