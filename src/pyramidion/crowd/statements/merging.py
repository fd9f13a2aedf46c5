"""Statements of different references that say the same, as one content unit.

The paper avoids this on purpose (Shapira et al. 2019 §3): merging is hard and goes wrong easily, and a repeated fact is
likelier to be among the statements drawn, so it counts more without being merged. Merged, they make a pyramid whose
weights say in how many references a fact is.

Two statements are alike by the cosine of their bags of lemmas (:mod:`~pyramidion.crowd.statements.duplicates`). From
the most alike pair on, groups join while every two of their statements reach the threshold and no reference is in both
(an SCU has one contributor a reference, Nenkova et al. 2007 §2.1). Neither the order of statements, their ids nor the
names of references decide: of pairs that are alike as far, the one whose texts come first in order is first.

Statements that may say different things (*not*, *from* and *to*: :mod:`~pyramidion.crowd.statements.reversal`) are
never joined, however alike they are; :func:`doubtful` lists such pairs, for a person to decide.

The threshold, .75, is below that of duplicates, since other people chose other words; lower ones joined different
things said of one long name. Most repeated facts are said in other words, and stay apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from pyramidion.crowd.statements.duplicates import cosine, lemmas
from pyramidion.crowd.statements.reversal import difference

ALIKE = 0.75
"""From this similarity on, two statements of different references count as the same."""


class ReferenceStatement(NamedTuple):
    """A statement and the reference it is about."""

    reference: str
    text: str
    id: str


def merge_statements(
    statements: Sequence[ReferenceStatement], threshold: float = ALIKE, analyser: str = "en-minilm"
) -> list[list[ReferenceStatement]]:
    """Return groups of statements that say the same, each with its briefest first, in the order of the input.

    >>> statements = [
    ...     ReferenceStatement("A", "The bridge was closed.", "1"),
    ...     ReferenceStatement("B", "They closed the bridge.", "2"),
    ...     ReferenceStatement("B", "A ferry sank.", "3"),
    ... ]
    >>> [[statement.id for statement in group] for group in merge_statements(statements)]
    [['1', '2'], ['3']]
    """
    alike, differing = _similarities(statements, threshold, analyser)
    pairs = sorted(
        (pair for pair in alike if pair not in differing),
        key=lambda pair: (
            -alike[pair],
            sorted(statements[place].text for place in pair),
            sorted(statements[place] for place in pair),
        ),
    )
    joinable = set(pairs)
    group = {place: [place] for place in range(len(statements))}
    for i, j in pairs:
        first, second = group[i], group[j]
        if first is second or not all((min(a, b), max(a, b)) in joinable for a in first for b in second):
            continue
        joined = first + second
        group.update((place, joined) for place in joined)
    # the members of a group share one list
    unique = {id(places): places for places in group.values()}
    briefest_first = [
        sorted((statements[place] for place in places), key=lambda member: (len(member.text), member.text, member))
        for places in unique.values()
    ]
    order = {statement: place for place, statement in enumerate(statements)}
    return sorted(briefest_first, key=lambda members: min(order[member] for member in members))


class Doubt(NamedTuple):
    """Two statements of different references that are alike and may say different things."""

    first: ReferenceStatement
    second: ReferenceStatement
    similarity: float
    difference: str
    """The words by which they differ."""


def doubtful(
    statements: Sequence[ReferenceStatement], threshold: float = ALIKE, analyser: str = "en-minilm"
) -> list[Doubt]:
    """Return the pairs that are alike and are not joined, because they may say different things; the most alike first.

    >>> statements = [
    ...     ReferenceStatement("A", "The mayor did not resign.", "1"),
    ...     ReferenceStatement("B", "The mayor resigned.", "2"),
    ... ]
    >>> [(doubt.first.id, doubt.second.id, doubt.difference) for doubt in doubtful(statements)]
    [('1', '2', 'not')]
    """
    alike, differing = _similarities(statements, threshold, analyser)
    doubts = [Doubt(statements[i], statements[j], alike[i, j], how) for (i, j), how in differing.items()]
    return sorted(doubts, key=lambda doubt: -doubt.similarity)


_Pairs = dict[tuple[int, int], float]


def _similarities(
    statements: Sequence[ReferenceStatement], threshold: float, analyser: str
) -> tuple[_Pairs, dict[tuple[int, int], str]]:
    """Return the similarity of the pairs that reach the threshold, and by what some of them differ."""
    bags = [lemmas(statement.text, analyser) for statement in statements]
    # rounded, so that whether a pair reaches the threshold does not depend on the order of a sum
    alike = {
        (i, j): similarity
        for i, j in combinations(range(len(statements)), 2)
        if statements[i].reference != statements[j].reference
        and (similarity := round(cosine(bags[i], bags[j]), 9)) >= threshold
    }
    differences = {(i, j): difference(statements[i].text, statements[j].text, analyser) for i, j in alike}
    return alike, {pair: how for pair, how in differences.items() if how}
