r"""Units of :mod:`~pyramidion.builders.meaning`: what each reference states, in the words that readers understand best.

Three work together. *Rules* over trees cut a sentence into statements, and give several readings where a pronoun may
stand for several things (:mod:`pyramidion.language.statements.rules`). The *reader*, the network of
``pyramidion-entails``, tells of each how *clear* it is: how probable it is that somebody understands it who does not
have the text, and that the text says so. The rules' own reading is used if it is clear; if not, the clearest one, if
that is clearer by :data:`RATHER`. Where a group of statements has none that is clear, the *writer*, the network of
``pyramidion-writes``, writes what their sentences state anew, in the light of the whole text
(:mod:`pyramidion.language.statements.written`). Of what it writes, a sentence that the reader calls clear takes the
statement's place, if the one comes from words of the other and has a good part of them: with w and v the words of the
text that the two come from,

.. math:: |w \cap v| \ge .6 \min(|w|, |v|), \qquad |w \cap v| \ge .35 \max(|w|, |v|).

Rules never invent, and go wrong where trees do; the writer writes good sentences, and at times says what the text does
not. So rules cut, the writer writes out, and the reader decides what is clear: where rules doubt a statement and the
reader does not, the reader is mostly right (``python -m train.clear`` compares them). A reading of a pronoun that is
not the rules' own is unclear all the same, since one in five of these is wrong: it serves to compare, and is no label.
What is grouped stays as fine as rules cut it: units cut by the writer, which are finer, were grouped less well
(``docs/building.md``).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from pyramidion.base.threads import count, in_parallel
from pyramidion.builders.assemble import Voice
from pyramidion.language.entailment.network import clear
from pyramidion.language.parse.analysis import Analysis
from pyramidion.language.statements.rules import Statement, statements_of
from pyramidion.language.statements.writing_network import parts
from pyramidion.language.statements.written import written_statements
from pyramidion.model import Contributor

CLEAR, RATHER = 0.65, 0.1
"""The probability from which a statement is clear, and by how much another reading must be clearer to be taken."""
TOGETHER = 300
"""Words and marks of a text in whose light statements are read at once: what the reader takes in without windows."""
SHORTER, LONGER = 0.6, 0.35
"""The shares of words that two statements have in common, of the shorter and of the longer, if they are of the same."""
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
        """The statement as a sentence."""
        return self.statement.text

    @property
    def unclear(self) -> str:
        """The reason why it is no label; empty if it can be one."""
        return self.statement.open or ("" if self.clear >= CLEAR else _UNCLEAR)

    def words(self, analysis: Analysis) -> set[int]:
        """Return the numbers of the words that it comes from."""
        first, last = analysis.sentences[self.statement.sentence]
        held = ((number, analysis.words[number]) for number in range(first, last))
        return {number for number, word in held
                if any(span.start <= word.start and word.end <= span.end for span in self.statement.spans)}  # fmt: skip

    def contributors(self) -> list[Contributor]:
        """Return a contributor for every copy of its text; ``reason`` holds the statement."""
        return [Contributor(id, self.statement.spans, reason=self.text) for id in self.copies]


def stated_units(voices: Sequence[Voice]) -> list[Said]:
    """Return the statements of each text, in its order, as rules cut them and in the reading that is clearest."""
    stated = [(number, voice, statements_of(voice.segmented.analysis)) for number, voice in enumerate(voices)]
    return [unit for units in in_parallel(lambda given: _clearest_readings(*given), stated, count()) for unit in units]


def write_out(units: Sequence[Said], voices: Sequence[Voice], which: Collection[int]) -> list[Said]:
    """Return the units; of those in ``which``, the unclear ones have the writer's words instead if these are clear.

    Texts are worked on in parallel, so that one is read while the writer writes, or is loaded, for another.
    """
    rewritten = list(units)
    by_voice: dict[int, list[int]] = {}
    for number in sorted(which):
        if units[number].unclear:
            by_voice.setdefault(units[number].voice, []).append(number)

    def write(voice: int) -> None:
        analysis = voices[voice].segmented.analysis
        numbers = by_voice[voice]
        (written,) = written_statements([analysis], [{units[number].statement.sentence for number in numbers}])
        offered = _clearest_readings(voice, voices[voice], written)
        taken = {unit.text for unit in units if unit.voice == voice and not unit.unclear}
        for number in numbers:
            untaken = [unit for unit in offered if unit.text not in taken]  # no two labels of a text are the same
            rewritten[number] = _rewrite(units[number], untaken, analysis)
            taken.add(rewritten[number].text)

    in_parallel(write, list(by_voice), count())
    return rewritten


def _clearest_readings(number: int, voice: Voice, stated: Sequence[Statement]) -> list[Said]:
    """Return the statements of a text, each in the reading that the network finds clearest in the light of the text."""
    asked = [
        (text, [reading for statement in stated if first <= statement.sentence < last
                for reading in (statement.text, *statement.readings)])
        for text, first, last in _read_together(voice.segmented.analysis)
    ]  # fmt: skip
    answers = iter([chance for found in clear(asked) for chance in found.tolist()])
    copies = tuple(reference.id for _, reference in voice.copies)
    units: list[Said] = []
    for statement in stated:
        chance, *alternatives = (next(answers) for _ in (statement.text, *statement.readings))
        best = max(alternatives, default=0.0)
        if chance >= CLEAR:  # where rules doubt a statement and the reader does not, the reader is mostly right
            statement = replace(statement, open="")
        elif best >= chance + RATHER:
            text = statement.readings[alternatives.index(best)]
            statement = replace(statement, text=text, open=_why_unclear(statement.open, text), readings=())
            chance = best
        units.append(Said(number, statement, _sentence(voice, statement), copies, chance))
    return units


def _read_together(analysis: Analysis) -> Iterator[tuple[str, int, int]]:
    """Yield parts of a text, and the range of sentences whose statements are read with each; a short text is one."""
    places = list(analysis.sentence_spans())
    for before, first, last in parts([end - start for start, end in analysis.sentences], TOGETHER):
        whole = last - before == len(places)
        yield analysis.text if whole else analysis.text[places[before].start : places[last - 1].end], first, last


def _why_unclear(by_rules: str, text: str) -> str:
    r"""Return why another reading is unclear: the rules' reason, if the text still has the words that it is about.

    >>> _why_unclear("nobody can tell what 'it' is", "The seal was never mended.")
    'it is not certain what it speaks of'
    >>> _why_unclear("'the next' points at something said before", "The council built the next one.")
    "'the next' points at something said before"
    >>> _why_unclear('nobody can tell what "they\'re" is', "Prices rise.")
    'it is not certain what it speaks of'
    """
    named = re.findall(r"""(["'])(.+?)\1""", by_rules)
    stands = all(re.search(rf"\b{re.escape(words)}\b", text) for _, words in named)
    return by_rules if by_rules and stands else _UNSURE


def _rewrite(unit: Said, offered: Iterable[Said], analysis: Analysis) -> Said:
    """Return the statement, in the clearest of the clear sentences written of the same words, if there is one."""
    words = unit.words(analysis)
    alternatives = [
        written for written in offered
        if written.statement.sentence == unit.statement.sentence and not written.unclear
        and _overlap(words, written.words(analysis))
    ]  # fmt: skip
    best = max(alternatives, key=lambda written: written.clear, default=unit)
    return replace(unit, statement=replace(unit.statement, text=best.text, open=best.statement.open), clear=best.clear)


def _overlap(first: set[int], second: set[int]) -> bool:
    """Return whether two sets share most words of the smaller one and a good part of the larger one (see the module).

    >>> _overlap({1, 2, 3, 4, 5}, {3, 4}), _overlap({1, 2, 3, 4, 5, 6}, {5, 6}), _overlap({1, 2, 3}, {3, 4, 5})
    (True, False, False)
    """
    shorter, longer = sorted((len(first), len(second)))
    return len(first & second) >= max(SHORTER * shorter, LONGER * longer)


def _sentence(voice: Voice, statement: Statement) -> str:
    analysis = voice.segmented.analysis
    return analysis.span(*analysis.sentences[statement.sentence]).of(analysis.text)
