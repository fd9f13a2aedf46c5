"""What readers say of statements that rules or the network doubt: half a minute.

::

    python -m train.clear

Rules over trees say of a statement what they think is open in it, and the network how clear it is. The statements that
were marked (``train/topics/marks``) on the topics that were kept aside when the network was trained tell which of the
two is right. A row has the statements of a kind that the network calls clear with so much, and less than the next row
says, and the shares of them that are clear and right, vague, garbled, and wrong. The last column has those of the ones
read alone that their reader understood. ``builders/stated.py`` calls statements clear by it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from train.topics import LETTERS, Mark, marks, written

from pyramidion.base.tables import Table, render
from pyramidion.builders.assemble import voices_of
from pyramidion.language.entailment.network import clear
from pyramidion.language.statements.rules import statements_of

LEAST = (0.0, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9)
KINDS = ("the rules' own, nothing open", "the rules' own, something open", "another reading of a pronoun")


class Told(NamedTuple):
    """A statement in one reading: what kind it is, how clear by the network, and its mark."""

    kind: str
    clear: float
    mark: Mark


def told() -> Iterator[Told]:
    """The marked statements that rules still write so."""
    for own in written(kept=True):
        marked = marks(own)
        for voice in voices_of(own.topic, "en-minilm") if marked else ():
            known = {mark.statement: mark for _, copy in voice.copies for mark in marked.get(copy.id, ())}
            analysis = voice.segmented.analysis
            readings = [
                (KINDS[2] if place else KINDS[bool(statement.open)], text)
                for statement in statements_of(analysis)
                for place, text in enumerate((statement.text, *statement.readings))
            ]
            (chances,) = clear([(analysis.text, [text for _, text in readings])])
            for (kind, text), chance in zip(readings, chances.tolist(), strict=True):
                if text in known:
                    yield Told(kind, chance, known[text])


def main() -> None:
    """Print the table."""
    every = list(told())
    rows = []
    for kind in KINDS:
        own = [one for one in every if one.kind == kind]
        for low, high in zip(LEAST, (*LEAST[1:], 2.0), strict=True):
            some = [one for one in own if low <= one.clear < high]
            shares = [sum(one.mark.letter == letter for one in some) / max(len(some), 1) for letter in LETTERS]
            alone = [one.mark.alone == "yes" for one in some if one.mark.alone]
            understood = f"{sum(alone) / len(alone):.2f}" if alone else ""
            rows.append((kind, f"{low:g}", str(len(some)), *(f"{share:.2f}" for share in shares), understood))
    names = ("statement", "clear from", "statements", "right", "vague", "garbled", "wrong", "understood alone")
    print(render(Table(names, tuple(rows))))


if __name__ == "__main__":
    main()
