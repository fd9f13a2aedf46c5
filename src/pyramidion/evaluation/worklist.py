"""The work list: the topics of a corpus, cut into items that can be done by themselves, in any order.

An item is a topic with all its peers, for its pyramid is built once for all of them. A topic with very many peers, such
as a class, becomes several items, so that several workers can share it; a worker that gets two of them in a row builds
the pyramid once. No score depends on how topics are cut: a peer is matched by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import accumulate, groupby
from math import ceil

from pyramidion.methods import GIVEN, Method
from pyramidion.model import Summary, Topic

MOST_PEERS = 64
MOST_CHARACTERS = 200_000
"""A topic with more peers, or more characters in them, is cut."""

Key = tuple[str, int]
"""A topic's id, and which of its items this is, counted from 0."""


@dataclass(frozen=True, slots=True)
class Item:
    """A topic with those of its peers that are matched together."""

    topic: Topic
    """The topic; its peers are those of this item alone."""
    part: int = 0
    first: bool = True
    """True for the item that has what is done once a topic, too, such as scoring its references."""
    alone: bool = False
    """True if this was part of an item that failed, and is done again by itself."""
    careful: bool = False
    """True if a worker waits after each step until the driver knows of it, so that a crash tells where it was."""

    @property
    def key(self) -> Key:
        """The topic's id and the number of the part, unique in the work list."""
        return self.topic.id, self.part

    @property
    def peers(self) -> tuple[Summary, ...]:
        """The summaries to match."""
        return self.topic.peers

    def of(self, peers: Iterable[Summary], **changes: bool) -> Item:
        """The item with these of its peers."""
        return replace(self, topic=replace(self.topic, peers=tuple(peers)), **changes)

    def after_failure(self, place: int | None) -> tuple[Item, ...]:
        """Return the items to do instead, after a failure at the peer of that place, or at the pyramid (None).

        That peer is tried again alone, and the others without it. An item that was alone already is not tried again.
        """
        if self.alone:
            return ()
        if place is None or len(self.peers) < 2:
            return (replace(self, alone=True),)
        remaining = self.peers[:place] + self.peers[place + 1 :]
        return self.of(remaining), self.of([self.peers[place]], alone=True, first=False)


@dataclass(frozen=True, slots=True)
class Plan:
    """The amount of work in a corpus."""

    topics: int
    summaries: int
    annotated: bool
    """True if people annotated some of it."""


def plan_work(topics: Iterable[Topic], method: Method, *, leave_one_out: bool = False) -> Plan:
    """Look at every topic once, and refuse what the method cannot do before anything is done."""
    number = summaries = 0
    annotated = False
    for topic in topics:
        number += 1
        if topic.peers or topic.annotations or leave_one_out:
            method.check_language([topic])
        summaries += max(len(topic.annotations), len(topic.peers)) if method.matcher == GIVEN else len(topic.peers)
        annotated = annotated or bool(topic.annotations)
    return Plan(number, summaries, annotated)


def items(topics: Iterable[Topic], *, annotated: bool = False) -> Iterator[Item]:
    """The items of topics, in their order; ``annotated`` ones bring what is scored, and are not cut."""
    for topic in topics:
        if annotated:
            yield Item(topic)
            continue
        for part, peers in enumerate(_parts(topic.peers)):
            yield Item(replace(topic, peers=peers, annotations=()), part, first=not part)


def _parts(peers: tuple[Summary, ...]) -> Iterator[tuple[Summary, ...]]:
    """Cut peers into runs of about equal length; yield one empty run if there is no peer."""
    if not peers:
        yield ()
        return
    # an empty text counts, too, so that the sum is never 0
    lengths = [len(peer.text) + 1 for peer in peers]
    number = max(ceil(len(peers) / MOST_PEERS), ceil(sum(lengths) / MOST_CHARACTERS))
    runs = [start * number // sum(lengths) for start in accumulate(lengths[:-1], initial=0)]
    for _, run in groupby(zip(runs, peers, strict=True), key=lambda pair: pair[0]):
        yield tuple(peer for _, peer in run)
