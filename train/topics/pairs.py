"""What the invented topics teach a judge: texts, units, and whether a careful reader finds the one in the other.

* *peers*: a peer, and each SCU's label, as marked;
* *references*: a reference, and each SCU's label: said if it contributes, else not;
* *automatic*: a peer, and each sentence and statement of the references, which are the units of pyramids that nobody
  made. Such a unit holds the SCUs whose contributors share half of the shorter's letters with it. It is said if all of
  them are, not said if none is, contradicted if one is and none is said, and else said in part;
* *sentences*: a sentence of one reference, and each statement of another that the builder would compare with it
  (:func:`pyramidion.builders.meaning.candidates`): how many of the statement's SCUs the sentence holds, as above;
* *statements*: a reference, and its marked statements: said if right, clear or vague; not said if wrong;
* *clear*: the same and the garbled ones, clear or not: whether a reader who does not have the text
  understands a statement by itself, and the text says it.

What is said in part comes twice, as said and as not said, and weighs as much as its share.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np
from train.topics import Peer, Written, marks, written

from pyramidion.builders.assemble import voices_of
from pyramidion.builders.meaning import Said, candidates, nearness, stated_units
from pyramidion.language.parse.analysis import Analysis
from pyramidion.model import Pyramid, Span

SAID, CONTRADICTED, NOT_SAID = range(3)
CLEAR, UNCLEAR = 4, 5
"""3 is another's: one of the last two (:mod:`train.entails.prepare`)."""
BY_LETTER = {"c": SAID, "v": SAID, "w": NOT_SAID}
"""What a mark says of whether the text says the statement; of a garbled one nobody knows."""
Pair = tuple[str, str, int, str, float]
"""Text, unit, label, source, weight."""
Answer = tuple[int, float]


def held(pyramid: Pyramid, reference: str, spans: Sequence[Span]) -> frozenset[str]:
    """The SCUs that words of a reference hold."""
    own = {place for span in spans for place in range(span.start, span.end)}
    found = set()
    for scu in pyramid.scus:
        for contributor in scu.contributors:
            if contributor.summary == reference:
                other = {place for span in contributor.spans for place in range(span.start, span.end)}
                if 2 * len(own & other) >= min(len(own), len(other)):
                    found.add(scu.id)
    return frozenset(found)


def answers(
    inside: Collection[str], said: Collection[str], denied: Collection[str], partly: Collection[str] = ()
) -> list[Answer]:
    """The label of a unit that holds these SCUs, or, where it is said in part, both labels with their shares."""
    share = sum(1.0 if one in said else 0.5 if one in partly else 0.0 for one in inside) / len(inside)
    if share == 0 and any(one in denied for one in inside):
        return [(CONTRADICTED, 1.0)]
    return [(label, weight) for label, weight in ((SAID, share), (NOT_SAID, 1 - share)) if weight]


def of_topic(own: Written) -> Iterator[Pair]:
    """The pairs of a topic."""
    for peer in own.peers:
        for scu in own.pyramid.scus:
            yield from _told(peer.text, scu.label, answers([scu.id], peer.said, peer.denied, peer.partly), "peers")
    for reference in own.topic.references:
        for scu in own.pyramid.scus:
            said = any(one.summary == reference.id for one in scu.contributors)
            yield reference.text, scu.label, SAID if said else NOT_SAID, "topics_references", 1.0
    yield from _marked(own)
    voices = voices_of(own.topic, "en-minilm")
    stated = stated_units(voices)
    holds = [held(own.pyramid, one.copies[0], one.statement.spans) for one in stated]
    units = {one.text: inside for one, inside in zip(stated, holds, strict=True)}
    sentences: dict[tuple[int, str], frozenset[str]] = {}
    for number, voice in enumerate(voices):
        for span in _sentences(voice.segmented.analysis):
            text = span.of(voice.segmented.analysis.text)
            sentences[number, text] = held(own.pyramid, voice.copies[0][1].id, [span])
    units |= {text: inside for (_, text), inside in sentences.items()}
    for peer in own.peers:
        yield from _automatic(peer, units)
    yield from _compared(stated, holds, sentences)


def _marked(own: Written) -> Iterator[Pair]:
    texts = {reference.id: reference.text for reference in own.topic.references}
    for id, some in marks(own).items():
        for statement, letter, _ in some:
            yield texts[id], statement, CLEAR if letter == "c" else UNCLEAR, "topics_clear", 1.0
            if letter in BY_LETTER:
                yield texts[id], statement, BY_LETTER[letter], "topics_statements", 1.0


def _sentences(analysis: Analysis) -> Iterator[Span]:
    for first, last in analysis.sentences:
        yield analysis.span(first, last)


def _told(text: str, unit: str, answers: Sequence[Answer], source: str) -> Iterator[Pair]:
    for label, weight in answers:
        yield text, unit, label, f"topics_{source}", weight


def _automatic(peer: Peer, units: dict[str, frozenset[str]]) -> Iterator[Pair]:
    for unit, inside in units.items():
        if inside:
            yield from _told(peer.text, unit, answers(inside, peer.said, peer.denied, peer.partly), "automatic")


def _compared(
    stated: Sequence[Said], holds: Sequence[frozenset[str]], sentences: dict[tuple[int, str], frozenset[str]]
) -> Iterator[Pair]:
    asked: dict[tuple[int, str, str], frozenset[str]] = {}
    for one, other in np.argwhere(candidates(nearness(stated))).tolist():
        if holds[other]:
            asked[stated[one].voice, stated[one].sentence, stated[other].text] = holds[other]
    for (voice, sentence, unit), inside in asked.items():
        yield from _told(sentence, unit, answers(inside, sentences[voice, sentence], ()), "sentences")


def pairs() -> Iterator[Pair]:
    """All pairs of all topics."""
    for own in written():
        yield from of_topic(own)
