r"""Extractive references by alignment (Hirao et al. 2018 §3.1): a linear assignment with a limit of length.

*Problem.* E are the EDUs of the sources, M those of a reference; each pair is worth phi (eq. 6), the share of m_k's
words that a longest common subsequence of e_j and m_k has. With a_{jk} = 1 if e_j stands for m_k,

.. math:: \max \sum_{j,k} \phi(e_j, m_k) a_{jk} : \quad \sum_{j,k} \ell(e_j) a_{jk} \le L_{\max}, \qquad
          \sum_j a_{jk} \le 1 \;\; \forall k, \qquad \sum_k a_{jk} \le 1 \;\; \forall j, \qquad a_{jk} \in \{0, 1\}.

The extractive reference has the EDUs e_j with some a_{jk} = 1. Eqs. 3 and 4 bound both sides: an EDU of the reference
is said once, and an EDU of the sources is taken, and its length paid, once.

*Pruning.* Left out are (i) pairs with phi = 0, (ii) EDUs longer than L_max and (iii) pairs (j, k) with at least |M|
*better* pairs (i, k): phi no lower, e_i no longer, and one of them better or, of equals, i before j. The optimum stays:
(i) such a pair adds nothing and takes room; (ii) such an EDU fits in no solution; (iii) in a solution with a_{jk} = 1
the other |M| - 1 EDUs of the reference take at most |M| - 1 of the |M| better e_i, so one of them is free, and to take
it for e_j lowers nothing and breaks nothing. Each such exchange moves m_k to a better pair of a finite order, so they
end with an optimum that has no pair left out. An EDU that shares no word with the reference goes by (i). What is left
has at most |M| l(m_k) pairs for each k, since phi(., m_k) has l(m_k) values above 0 and |M| shortest EDUs suffice for
each: the size of the program is bounded by the reference alone, however long the sources are.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

from pyramidion.builders.program import TIME_LIMIT, Choice, Program
from pyramidion.language.parse.discourse import common

Words = Sequence[str]
Pair = tuple[int, int, float]


def candidates(edus: Sequence[Words], reference: Sequence[Words], l_max: int, *, prune: bool = True) -> list[Pair]:
    """Return the pairs (j, k, phi) of the program, without those that cannot matter (see the module)."""
    short = [number for number, words in enumerate(edus) if len(words) <= l_max]
    pairs: list[Pair] = []
    for k, target in enumerate(reference):
        lengths = common((edus[j] for j in short), target)
        shared = [(words, j) for j, words in zip(short, lengths, strict=True) if words]
        if prune:
            shared = _best(shared, edus, len(reference))
        pairs += ((j, k, words / len(target)) for words, j in shared)
    return sorted(pairs)


def _best(shared: list[tuple[int, int]], edus: Sequence[Words], enough: int) -> list[tuple[int, int]]:
    """Return the pairs of one EDU of the reference that have fewer than ``enough`` better pairs.

    In the order of falling phi, then length, then number, the pairs better than a pair are those before it whose EDU is
    no longer; ``shortest`` holds the ``enough`` smallest lengths so far.
    """
    kept: list[tuple[int, int]] = []
    shortest: list[int] = []
    for common_words, j in sorted(shared, key=lambda pair: (-pair[0], len(edus[pair[1]]), pair[1])):
        length = len(edus[j])
        if len(shortest) == enough and shortest[-1] <= length:
            continue
        kept.append((common_words, j))
        shortest = sorted([*shortest, length])[:enough]
    return kept


def align(
    edus: Sequence[Words],
    reference: Sequence[Words],
    l_max: int,
    *,
    time_limit: float = TIME_LIMIT,
    prune: bool = True,
) -> Choice:
    """Return the optimal alignment of a reference's EDUs with those of the sources, each given by its words."""
    pairs = candidates(edus, reference, l_max, prune=prune)
    program = Program()
    rows: dict[tuple[str, int], list[int]] = {}
    for j, k, phi in pairs:
        variable = program.variable(phi)
        rows.setdefault(("e", j), []).append(variable)
        rows.setdefault(("m", k), []).append(variable)
    program.at_most(l_max, range(len(pairs)), [float(len(edus[j])) for j, _, _ in pairs])
    for _, variables in sorted(rows.items()):
        if len(variables) > 1:  # a single variable is bounded by 1 anyway
            program.at_most(1, variables, [1.0] * len(variables))
    best = _greedy(pairs, edus, l_max)
    chosen, bound = program.solve(time_limit, _value(best))
    if chosen is not None:
        aligned = [pair for pair, taken in zip(pairs, chosen.tolist(), strict=True) if taken]
        best = max(aligned, best, key=_value)
    value = _value(best)
    return Choice(tuple(j for j, _, _ in best), value, max(value, bound), tuple(k for _, k, _ in best))


def _value(pairs: Sequence[Pair]) -> float:
    return fsum(phi for _, _, phi in pairs)


def _greedy(pairs: Sequence[Pair], edus: Sequence[Words], l_max: int) -> list[Pair]:
    """Choose pairs greedily by their worth for each word; the search looks for something better."""
    taken: list[Pair] = []
    for pair in sorted(pairs, key=lambda pair: (-pair[2] / len(edus[pair[0]]), pair)):
        j, k, _ = pair
        if len(edus[j]) <= l_max and all(j != taken_j and k != taken_k for taken_j, taken_k, _ in taken):
            taken.append(pair)
            l_max -= len(edus[j])
    return sorted(taken)
