"""How near the rules' statements come to reference statements of the same sentences: half a minute.

::

    python -m train.topics.agreement

Language models wrote the reference statements, by instruction (README.md). Of each sentence of the invented texts that
states something (:mod:`train.topics.statements`) the statements of both are paired one to one, so that what pairs have
in common is largest: twice the words in common over all words, by stems and without words that say little. Its sum,
divided by the number of the rules' statements, is the *precision*; by that of the reference statements, the *recall*.
*Alike* are pairs that have :data:`ALIKE` in common. Intervals are over topics.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment
from train.topics import FOLDER
from train.topics.statements import of_topic

from pyramidion.base.tables import Table, render
from pyramidion.language.parse.analysers import analysed
from pyramidion.language.statements.rules import statements_of
from pyramidion.language.text.word_forms import split_words
from pyramidion.language.text.word_lists import words

ALIKE = 0.8
DRAWS = 2000


class Counted(NamedTuple):
    """Of a sentence or topic: its sentences, the statements of both, what pairs have in common, and like pairs."""

    sentences: int
    rules: int
    reference: int
    common: float
    alike: int


def _bag(statement: str) -> Counter[str]:
    return Counter(stem for stem in split_words(statement, "unicode", True) if stem not in words("says nothing new"))


def compared(rules: Sequence[str], reference: Sequence[str]) -> Counted:
    """One sentence."""
    bags = [[_bag(one) for one in own] for own in (rules, reference)]
    common = np.array([
        [2 * (one & other).total() / max(1, (one + other).total()) for other in bags[1]] for one in bags[0]
    ]).reshape(len(rules), len(reference))  # fmt: skip
    paired = common[linear_sum_assignment(-common)]
    return Counted(1, len(rules), len(reference), float(paired.sum()), int((paired >= ALIKE).sum()))


def topics() -> Iterator[Counted]:
    """The counts of each topic."""
    for path in sorted((FOLDER / "statements").glob("*.tsv")):
        found = []
        for text in of_topic(path):
            made: dict[int, list[str]] = {}
            for one in statements_of(analysed(text.text, "en-minilm")):
                made.setdefault(one.sentence, []).append(one.text)
            found += [compared(made.get(number, []), own) for number, (_, own) in enumerate(text.sentences) if own]
        yield Counted(*map(sum, zip(*found, strict=True)))


def figures(counted: np.ndarray) -> np.ndarray:
    """Statements a sentence, of rules and of the reference; precision, recall, F1; the same of like pairs."""
    sentences, rules, reference, *common = counted.sum(0)
    shares = [(one / rules, one / reference, 2 * one / (rules + reference)) for one in common]
    return np.array([rules / sentences, reference / sentences, *(share for own in shares for share in own)])


def main() -> None:
    """Print the table."""
    counted = np.array(list(topics()))
    chance = np.random.default_rng(0)
    drawn = np.array([figures(chance.choice(counted, len(counted))) for _ in range(DRAWS)])
    names = ("by rules", "reference", "precision", "recall", "F1", "alike: precision", "recall", "F1")
    low, high = np.quantile(drawn, (0.025, 0.975), axis=0)
    numbers = np.array([figures(counted), low, high]).T
    rows = ((name, *(f"{number:.3f}" for number in own)) for name, own in zip(names, numbers, strict=True))
    print(render(Table(("statements a sentence", "", "from", "to"), tuple(rows))))


if __name__ == "__main__":
    main()
