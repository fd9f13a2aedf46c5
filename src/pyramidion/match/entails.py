r"""Does this summary say this SCU, contradict it, or neither? By a network that reads both.

Judges that count words reward copying: a text that negates every claim keeps its words, and one that says all of it in
its own words loses them. The network of ``pyramidion-entails`` (:mod:`pyramidion.language.judges.entailment_network`)
was trained on entailment: whether a text says a statement, contradicts it, or does neither.

*What is asked.* An SCU's label, which is a statement, or, where it has none, its contributors' words. A summary is read
once for all SCUs. What the whole text may say or contradict is then looked for in the sentences nearest to it (cosine
of static vectors), each read by itself, because a sentence often says plainly what a text says among much else. With w
the whole text and s these sentences,

.. math:: P(said) = \max(P_w(said), \max_s P_s(said)), \qquad
          P(contradicted) = \min(P_w(contradicted), \max_s P_s(contradicted)).

A contradiction must be seen twice, and with the probability :data:`DENIED`: entailment data call two unlike scenes a
contradiction, and a student who is told to check a sentence that is right loses trust. The number was chosen among .5,
.7, .8, .9 and .95 on half of the development sets of ``pyramidion bench minimal``: of the variants that say their
statement .01 are called contradicted there, of those that negate it .58.

*Evidence.* Of these sentences the one that says the SCU most surely, or contradicts it; in it the smallest clause that
still does so by itself; else the sentence. An SCU that only the whole text says has the nearest sentence as its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pyramidion.errors import PyramidionError
from pyramidion.language.judges.entailment_network import probabilities
from pyramidion.language.vectors import embedder
from pyramidion.match.expressions import expressions
from pyramidion.match.judged import Denial, Unit, Verdict, judged, units
from pyramidion.model import SCU, Annotation, Pyramid, Span, Summary
from pyramidion.parts import declare

__all__ = ["TRAINED_ON", "entails", "statement", "verdicts"]

TRAINED_ON = ("realsumm",)
"""Data whose figures flatter this judge."""
NEAREST = 3
"""Sentences that are read by themselves for an SCU."""
DOUBT = 0.05
"""What the whole text neither says nor contradicts with this probability is not looked for in its sentences."""
SURE = 0.5
"""From here on a sentence or a clause carries a verdict by itself."""
DENIED = 0.9
"""The probability from which on an SCU is contradicted."""
SAID, CONTRADICTED = 0, 1
"""Columns of the network's answers; the third is the rest."""

Row = NDArray[np.float64]
Place = tuple[tuple[Span, ...], str]
"""Words of a summary, and the name of the segment that they are."""


def statement(pyramid: Pyramid, scu: SCU) -> str:
    """What is asked of an SCU: its label, or, where it has none, the longest of its contributors' words."""
    return " ".join(scu.label.split()) or max(expressions(pyramid, scu), key=lambda words: (len(words), words))


class _Sentence:
    """A sentence of a summary with its clauses, the shortest first."""

    def __init__(self, text: str, clauses: Sequence[Unit]) -> None:
        self.clauses = sorted(clauses, key=lambda clause: sum(span.end - span.start for span in clause.spans))
        self.spans = (Span(clauses[0].spans[0].start, max(clause.spans[-1].end for clause in clauses)),)
        self.text = self.spans[0].of(text)


class _Reader:
    """Reads a summary and its parts for statements, each part once for all statements that are asked of it."""

    def __init__(self, statements: Sequence[str], summary: Summary, analyser: str) -> None:
        self.statements = statements
        self.text = summary.text
        self.sentences = [_Sentence(summary.text, clauses) for clauses in units(summary, analyser)]

    def read(self, text: str, asked: Iterable[int]) -> dict[int, Row]:
        """The three probabilities of each of these statements in a text."""
        numbers = sorted(asked)
        rows = probabilities(text, [self.statements[number] for number in numbers])
        return dict(zip(numbers, rows, strict=True))

    def nearest(self, asked: Sequence[int], most: int) -> dict[int, list[int]]:
        """The sentences nearest to each of these statements, nearest first."""
        if not asked:
            return {}
        static = embedder("static")
        cosines = static([self.statements[number] for number in asked]) @ static([s.text for s in self.sentences]).T
        order = np.argsort(-cosines.round(6), axis=1, kind="stable")[:, :most]
        return dict(zip(asked, order.tolist(), strict=True))

    def in_sentences(self, near: Mapping[int, Sequence[int]]) -> dict[int, dict[int, Row]]:
        """By statement and sentence the probabilities of each statement in the sentences that are near to it."""
        found: dict[int, dict[int, Row]] = {number: {} for number in near}
        for place, sentence in enumerate(self.sentences):
            asked = [number for number in near if place in near[number]]
            for number, row in (self.read(sentence.text, asked) if asked else {}).items():
                found[number][place] = row
        return {number: {place: found[number][place] for place in near[number]} for number in near}

    def places(self, verdicts: Mapping[int, int], rows: Mapping[int, Mapping[int, Row]]) -> dict[int, Place]:
        """Where each verdict stands: in the surest sentence the smallest clause that carries it, or the sentence."""
        sentences = {number: self.sentences[_surest(rows[number], verdict)] for number, verdict in verdicts.items()}
        read: dict[int, dict[int, Row]] = {}
        for sentence in dict.fromkeys(sentences.values()):
            asked = [number for number in verdicts if sentences[number] is sentence]
            for clause in sentence.clauses if len(sentence.clauses) > 1 else ():
                words = " ".join(span.of(self.text) for span in clause.spans)
                read[id(clause)] = self.read(words, asked)
        return {
            number: next(
                (
                    (clause.spans, clause.segment)
                    for clause in sentences[number].clauses
                    if id(clause) not in read or read[id(clause)][number][verdict] >= SURE
                ),
                (sentences[number].spans, ""),
            )
            for number, verdict in verdicts.items()
        }


def _surest(rows: Mapping[int, Row], verdict: int) -> int:
    """The sentence that carries a verdict most surely; the nearest one where none carries it by itself."""
    best = max(rows, key=lambda place: float(rows[place][verdict]))
    return best if rows[best][verdict] >= SURE else next(iter(rows))


def verdicts(pyramid: Pyramid, summary: Summary, analyser: str = "en-minilm", nearest: int = NEAREST) -> list[Verdict]:
    """The probabilities of every SCU, with the words that say it or contradict it."""
    if nearest < 1:
        raise PyramidionError(f"{nearest} sentences cannot be read for an SCU", do="give nearest=1 or more")
    reader = _Reader([statement(pyramid, scu) for scu in pyramid.scus], summary, analyser)
    if not reader.statements or not reader.sentences:
        return [Verdict(0.0)] * len(reader.statements)
    whole = reader.read(summary.text, range(len(reader.statements)))
    in_doubt = [number for number, row in whole.items() if row[: CONTRADICTED + 1].max() >= DOUBT]
    rows = reader.in_sentences(reader.nearest(in_doubt, nearest))
    said, denied = (
        {number: _extreme(verdict, row, rows.get(number, {})) for number, row in whole.items()}
        for verdict in (SAID, CONTRADICTED)
    )
    decided = {
        number: SAID if said[number] >= denied[number] else CONTRADICTED
        for number in rows
        if max(said[number], denied[number]) >= SURE
    }
    places = reader.places(decided, rows)
    return [
        Verdict(
            said[number],
            *(places[number] if decided.get(number) == SAID else ((), "")),
            denial=Denial(denied[number], *(places[number] if decided.get(number) == CONTRADICTED else ((), ""))),
        )
        for number in whole
    ]


def _extreme(verdict: int, whole: Row, rows: Mapping[int, Row]) -> float:
    """P(said): the largest of whole text and sentences. P(contradicted): what both the text and a sentence give."""
    alone = max((float(row[verdict]) for row in rows.values()), default=0.0)
    return max(float(whole[verdict]), alone) if verdict == SAID else min(float(whole[verdict]), alone)


def _weights() -> tuple[str, ...]:
    """The folder of the network, for signatures; nothing where it is not installed."""
    found = find_spec("pyramidion_entails")
    return (str(Path(found.origin).parent),) if found and found.origin else ()


@declare(models=("static", *_weights()), english=True, judge=True, installed=bool(_weights()))
def entails(
    pyramid: Pyramid,
    summary: Summary,
    *,
    threshold: float = SURE,
    contradiction: float = DENIED,
    nearest: int = NEAREST,
    analyser: str = "en-minilm",
) -> Annotation:
    """The SCUs that the summary says and contradicts, and the probability that it says each."""
    found = verdicts(pyramid, summary, analyser, nearest)
    return judged(pyramid, summary, found, threshold, analyser, contradiction=contradiction)
