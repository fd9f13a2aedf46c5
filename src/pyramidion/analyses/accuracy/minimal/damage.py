"""Damaged texts, made from the references of the bundled example; some should score like a reference, some not.

Each reference of both topics is scored against its topic's own pyramid, and so is every damaged version:

=============  =========================================================================================
shuffled       all its words in random order: says nothing
keywords       its content words alone, in alphabetical order: says nothing
padded         with the topic's off-topic text after it: says what the reference says
misspelt       a slip in one word of eight: says what the reference says
four times     pasted four times: says what the reference says
off topic      the topic's off-topic text, in which no SCU is marked
empty          nothing
=============  =========================================================================================

A row's figure is its coverage as a share of the reference's own, so that 1 is as good as the reference.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import pairwise
from random import Random

from pyramidion.errors import PyramidionError
from pyramidion.language.text.word_forms import split_words
from pyramidion.metrics.lexical_pyramid import STOP_WORDS
from pyramidion.model import Summary, Topic
from pyramidion.scoring import coverage

ROWS = {
    "shuffled": "says nothing",
    "keywords": "says nothing",
    "padded": "says all",
    "misspelt": "says all",
    "four times": "says all",
    "off topic": "says nothing",
    "empty": "says nothing",
}
"""The kinds of damaged texts, and whether they say what the reference says."""
OFF_TOPIC = "off-topic"
"""The peer of an example topic that expresses no SCU of its pyramid."""
WHOLE = "reference"
ONE_IN = 8
SHORTEST = 4
"""The shortest word, in letters, that can have a slip: its first and its last letter stay."""
SEED = 0


def damaged_texts(text: str, off_topic: str) -> dict[str, str]:
    """Return the damaged versions of a text, by row."""
    words = text.split()
    shuffled = words.copy()
    Random(SEED).shuffle(shuffled)
    return {
        "shuffled": " ".join(shuffled),
        "keywords": " ".join(sorted(split_words(text, "unicode", stop_words=STOP_WORDS))),
        "padded": f"{text.strip()} {off_topic.strip()}",
        "misspelt": " ".join(_misspell(words)),
        "four times": " ".join([text.strip()] * 4),
        "off topic": off_topic,
        "empty": "",
    }


def _misspell(words: list[str]) -> Iterator[str]:
    """Return the words, one in eight with a slip of the pen."""
    random = Random(SEED)
    long = [place for place, word in enumerate(words) if sum(map(str.isalpha, word)) >= SHORTEST]
    chosen = set(random.sample(long, min(len(long), round(len(words) / ONE_IN))))
    for place, word in enumerate(words):
        yield _slip(word, random) if place in chosen else word


def _slip(word: str, random: Random) -> str:
    """Exchange two neighbouring letters inside a word or, if all are the same, drop one of them."""
    # the first and the last letter stay
    letters = [place for place, char in enumerate(word) if char.isalpha()][1:-1]
    pairs = [(left, right) for left, right in pairwise(letters) if word[left] != word[right]]
    if not pairs:
        return word[: letters[0]] + word[letters[0] + 1 :]
    left, right = random.choice(pairs)
    return word[:left] + word[right] + word[left + 1 : right] + word[left] + word[right + 1 :]


def with_damaged(topic: Topic) -> Topic:
    """Return the topic with its references and their damaged versions as peers, named REFERENCE/ROW."""
    off_topic = next((peer.text for peer in topic.peers if peer.id == OFF_TOPIC), None)
    if topic.pyramid is None or off_topic is None:
        raise PyramidionError(
            f"Topic {topic.id!r} has no pyramid or no peer {OFF_TOPIC!r}", do="take the bundled example"
        )
    peers = [
        Summary(f"{reference.id}/{row}", text, "peer")
        for reference in topic.references
        for row, text in {WHOLE: reference.text, **damaged_texts(reference.text, off_topic)}.items()
    ]
    return replace(topic, peers=tuple(peers), annotations=())


def shares(topics: Iterable[Topic]) -> dict[str, list[float]]:
    """Return, for each row, its share of the reference's coverage, from annotations of :func:`with_damaged` topics.

    A reference in which a judge finds nothing has no shares.
    """
    left: dict[str, list[float]] = {row: [] for row in ROWS}
    for topic in topics:
        assert topic.pyramid is not None
        covered = {
            annotation.summary.id: coverage(topic.pyramid, annotation) or 0.0 for annotation in topic.annotations
        }
        for reference in topic.references:
            if whole := covered[f"{reference.id}/{WHOLE}"]:
                for row, values in left.items():
                    values.append(covered[f"{reference.id}/{row}"] / whole)
    return left
