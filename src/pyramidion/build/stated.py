r"""What each reference states, in the words that a reader understands best: units for :mod:`pyramidion.build.meaning`.

Three work together. *Rules* over trees cut a sentence into statements, and give several readings where a pronoun may
stand for several things (:mod:`pyramidion.language.parse.statements`). The *reader*, the network of
``pyramidion-entails``, tells of each how *clear* it is: how probable it is that somebody understands it who does not
have the text, and that the text says so. The clearest reading is used, another than the rules' own if it is clearer by
:data:`RATHER`. Where that leaves a statement unclear, the *writer*, the network of ``pyramidion-writes``, writes what
its sentence states anew, in the light of the whole text (:mod:`pyramidion.language.writer.statements`). Of what it
writes, a sentence that comes from the same words takes the statement's place, if the reader calls it clear: w and v the
words of the text that the two come from,

.. math:: |w \cap v| \ge .6 \max(|w|, |v|).

Rules never invent, and go wrong where trees do; the writer writes good sentences, and at times says what the text does
not. So rules cut, the writer writes out, and the reader decides whether that is clear. A reading of a pronoun that is
not the rules' own is unclear by itself: it serves to compare, and is no label. What is grouped stays as fine as rules
cut it: units cut by the writer, which are finer, were grouped less well (``docs/building.md``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from pyramidion.build.assemble import Voice
from pyramidion.language.judges.entailment_network import clear
from pyramidion.language.parse.analysis import Analysis
from pyramidion.language.parse.statements import Statement, statements_of
from pyramidion.language.writer.statements import known, written_statements
from pyramidion.model import Contributor
from pyramidion.threads import count, in_parallel

CLEAR, RATHER = 0.5, 0.1
"""The probability from which a statement is clear, and by how much another reading must be clearer to be taken."""
SAME = 0.6
"""The share of words from which on two statements are of the same words."""
_UNCLEAR = "a reader may not understand this without its text, or its text does not say so"
_UNSURE = "it is not certain what it speaks of"


@dataclass(frozen=True, slots=True)
class Said:
    """A statement of a reference, or of several references of the same text."""

    voice: int
    statement: Statement
    sentence: str
    """What it was taken from, as it stands in the text."""
    copies: tuple[str, ...]
    """The ids of the references."""
    clear: float = 1.0
    """The probability that a reader understands it by itself, and that its text says so."""

    @property
    def text(self) -> str:
        """The sentence."""
        return self.statement.text

    @property
    def unclear(self) -> str:
        """The reason why it is no label; empty if it can be one."""
        return self.statement.open or ("" if self.clear >= CLEAR else _UNCLEAR)

    def words(self, analysis: Analysis) -> set[int]:
        """The numbers of the words that it comes from."""
        first, last = analysis.sentences[self.statement.sentence]
        held = ((number, analysis.words[number]) for number in range(first, last))
        return {number for number, word in held
                if any(span.start <= word.start and word.end <= span.end for span in self.statement.spans)}  # fmt: skip

    def contributors(self) -> list[Contributor]:
        """Its words in every copy of its text; ``reason`` holds the sentence."""
        return [Contributor(id, self.statement.spans, reason=self.text) for id in self.copies]


def said_by_each(voices: Sequence[Voice], writer: str = "network") -> list[Said]:
    """The statements of each text, in its order; by rules alone, or with the network where these are unclear.

    Texts go their way side by side, so that one is read while the writer writes, or is loaded, for another.
    """
    said = partial(_said, writing=known(writer) == "network")
    return [unit for own in in_parallel(said, list(enumerate(voices)), count()) for unit in own]


def _said(numbered: tuple[int, Voice], *, writing: bool) -> list[Said]:
    """The statements of a text."""
    number, voice = numbered
    analysis = voice.segmented.analysis
    ruled = _clearest(number, voice, statements_of(analysis))
    unclear = {unit.statement.sentence for unit in ruled if unit.unclear}
    if not writing or not unclear:
        return ruled
    (written,) = written_statements([analysis], [unclear])
    offered = _clearest(number, voice, written)
    taken = {unit.text for unit in ruled if not unit.unclear}
    found: list[Said] = []
    for unit in ruled:
        if unit.unclear:
            unit = _written_out(unit, [one for one in offered if one.text not in taken], analysis)
            taken.add(unit.text)
        found.append(unit)
    return found


def _clearest(number: int, voice: Voice, stated: Sequence[Statement]) -> list[Said]:
    """The statements of a text in the reading that is clearest, by the network, in the light of the text."""
    asked = [one for statement in stated for one in (statement.text, *statement.readings)]
    (found,) = clear([(voice.segmented.analysis.text, asked)])
    answers = iter(found.tolist())
    copies = tuple(reference.id for _, reference in voice.copies)
    made: list[Said] = []
    for statement in stated:
        chance, *others = (next(answers) for _ in (statement.text, *statement.readings))
        best = max(others, default=0.0)
        if best >= chance + RATHER:
            text = statement.readings[others.index(best)]
            statement = replace(statement, text=text, open=_why_open(statement.open, text), readings=())
            chance = best
        made.append(Said(number, statement, _sentence(voice, statement), copies, chance))
    return made


def _why_open(by_rules: str, text: str) -> str:
    """Why another reading is unclear: for the rules' reason, if the text still has the words that this is about.

    >>> _why_open("nobody can tell what 'it' is", "The seal was never mended.")
    'it is not certain what it speaks of'
    >>> _why_open("'the next' points at something said before", "The council built the next one.")
    "'the next' points at something said before"
    """
    named = re.findall(r"'([^']+)'", by_rules)
    stands = all(re.search(rf"\b{re.escape(words)}\b", text) for words in named)
    return by_rules if by_rules and stands else _UNSURE


def _written_out(unit: Said, offered: Iterable[Said], analysis: Analysis) -> Said:
    """The statement, or the clearest that was written of the same words, if it is clear."""
    words = unit.words(analysis)
    same = [one for one in offered if one.statement.sentence == unit.statement.sentence and not one.unclear
            and len(words & (others := one.words(analysis))) >= SAME * max(len(words), len(others))]  # fmt: skip
    best = max(same, key=lambda one: one.clear, default=unit)
    return replace(unit, statement=replace(unit.statement, text=best.text, open=best.statement.open), clear=best.clear)


def _sentence(voice: Voice, statement: Statement) -> str:
    analysis = voice.segmented.analysis
    return analysis.span(*analysis.sentences[statement.sentence]).of(analysis.text)
