r"""Extractive references as oracles (Hirao et al. 2018 §3.2): the EDUs that share most units with a reference.

*Problem.* The units u_i of a reference R are its n-grams (ROUGE-N) or basic elements (BE); N(u_i, R) says how often it
has them. Unit n of the sources is an occurrence of u_i (n in V_i), and lies in the EDUs left(n) and right(n), one or
two. With x_j = 1 if e_j is taken, d_n = 1 if occurrence n is whole, and s_m = 1 if something of sentence m is taken,

.. math:: \max \sum_i z_i - \sum_m s_m : \quad \sum_j \ell(e_j) x_j \le L_{\max}, \qquad z_i \le N(u_i, R), \qquad
          z_i \le \sum_{n \in V_i} d_n, \qquad d_n \le x_{left(n)}, \qquad d_n \le x_{right(n)}, \qquad
          s_{c(j)} \ge x_j, \qquad x_j, d_n, s_m \in \{0, 1\}, \qquad z_i \in \mathbb{Z}_+.

The sentence term makes a fragment of yet another sentence pay for itself: it must add more than one unit.

*As it is solved.* All occurrences in the same EDUs S are whole together, so that they share one variable d_S, which is
x_j where S = {j}; with c_{iS} of them, z_i <= sum_S min(c_{iS}, N(u_i, R)) d_S, since what exceeds N(u_i, R) is cut off
anyway. An S may have more than two EDUs, for long n-grams.

*Pruning.* Left out are (i) EDUs longer than L_max, and with them what they would complete; (ii) sentences whose EDUs
together have no more units of R, each u_i counted N(u_i, R) times at most, than a sentence costs; (iii) EDUs that are
in no S. The optimum stays: (i) they fit in no solution; (ii) f(A) = sum_i min(N_i, count_i(A)) is subadditive over sets
of sentences, as min(N, a + b) <= min(N, a) + min(N, b) and no S crosses sentences, so dropping such a sentence from a
solution loses no more units than the term it saves; (iii) they raise no z_i, and take room. An EDU that shares no unit
with the reference goes by (iii).

*Of equal optima* the one taken is HiGHS's, without the EDUs that could be dropped at no loss (the program does not mind
them, a pyramid would).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pyramidion.builders.program import TIME_LIMIT, Choice, Program

Edus = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Sharing:
    """What sources share with a reference.

    ``lengths`` and ``sentences`` are those of every EDU; ``demand`` is N(u_i, R); ``supply`` is c_{iS}, by the EDUs S
    that hold occurrences whole, then by unit.
    """

    lengths: Sequence[int]
    sentences: Sequence[int]
    demand: Sequence[int]
    supply: Mapping[Edus, Mapping[int, int]]
    beginning: Mapping[int, list[Edus]] = field(init=False, repr=False, compare=False)
    """The keys of ``supply`` by their first EDU."""

    def __post_init__(self) -> None:
        beginning: dict[int, list[Edus]] = {}
        for edus in self.supply:
            beginning.setdefault(edus[0], []).append(edus)
        object.__setattr__(self, "beginning", beginning)

    def value(self, chosen: Iterable[int], cost: float = 1.0) -> float:
        """Return the objective (eq. 9) of some EDUs, where each sentence that they are from costs ``cost``."""
        taken = set(chosen)
        count: Counter[int] = Counter()
        for edus in (edus for j in taken for edus in self.beginning.get(j, ())):
            if taken.issuperset(edus):
                count.update(self.supply[edus])
        return self._capped_count(count) - cost * len({self.sentences[j] for j in taken})

    def _capped_count(self, count: Mapping[int, int]) -> int:
        return sum(min(self.demand[unit], times) for unit, times in count.items())

    def without_useless(self, l_max: int, cost: float = 1.0) -> Sharing:
        """Return the same without what cannot improve a choice: see the module."""
        fitting = {
            edus: {unit: min(times, self.demand[unit]) for unit, times in units.items()}
            for edus, units in self.supply.items()
            if all(self.lengths[j] <= l_max for j in edus)
        }
        by_sentence: dict[int, Counter[int]] = {}
        for edus, units in fitting.items():
            by_sentence.setdefault(self.sentences[edus[0]], Counter()).update(units)
        worth = {sentence for sentence, count in by_sentence.items() if self._capped_count(count) > cost}
        kept = {edus: units for edus, units in fitting.items() if self.sentences[edus[0]] in worth}
        return Sharing(self.lengths, self.sentences, self.demand, kept)


def sharing(
    lengths: Sequence[int],
    sentences: Sequence[int],
    reference: Iterable[str | tuple[str, ...]],
    occurrences: Iterable[tuple[str | tuple[str, ...], Collection[int]]],
) -> Sharing:
    """Return the sharing of a reference's units and those of sources, which come with the EDUs that hold them."""
    demand = Counter(reference)
    number = {unit: i for i, unit in enumerate(sorted(demand))}
    supply: dict[Edus, Counter[int]] = {}
    for unit, where in occurrences:
        if unit in number:
            supply.setdefault(tuple(sorted(set(where))), Counter())[number[unit]] += 1
    return Sharing(lengths, sentences, [demand[unit] for unit in number], dict(sorted(supply.items())))


def oracle(
    shared: Sharing,
    l_max: int,
    *,
    cost: float = 1.0,
    time_limit: float = TIME_LIMIT,
    prune: bool = True,
) -> Choice:
    """Return the EDUs of the highest objective (eq. 9-18); ``cost`` is that of a sentence."""
    small = shared.without_useless(l_max, cost) if prune else shared
    program = Program()
    edus = range(len(shared.lengths)) if not prune else sorted({j for holders in small.supply for j in holders})
    x = {j: program.variable() for j in edus if shared.lengths[j] <= l_max}
    s = {m: program.variable(-cost) for m in sorted({shared.sentences[j] for j in x})}
    program.at_most(l_max, list(x.values()), [float(shared.lengths[j]) for j in x])
    for j, variable in x.items():
        program.at_most(0, [variable, s[shared.sentences[j]]], [1.0, -1.0])
    offers: dict[int, list[tuple[int, int]]] = {}
    # A unit that crosses EDUs counts if all of them are chosen: a variable that is at most each of theirs says so.
    for holders, units in small.supply.items():
        if any(j not in x for j in holders):
            continue
        whole = x[holders[0]] if len(holders) == 1 else program.variable()
        if len(holders) > 1:
            for j in holders:
                program.at_most(0, [whole, x[j]], [1.0, -1.0])
        for unit, times in units.items():
            offers.setdefault(unit, []).append((whole, min(times, shared.demand[unit])))
    for unit, offered in sorted(offers.items()):
        z = program.variable(1.0, shared.demand[unit])
        program.at_most(0, [z, *(whole for whole, _ in offered)], [1.0, *(-float(times) for _, times in offered)])
    best = _greedy(small, l_max, cost)
    chosen, bound = program.solve(time_limit, small.value(best, cost))
    if chosen is not None:
        best = max([j for j in x if chosen[x[j]]], best, key=lambda edus: small.value(edus, cost))
    best = _without_idle(small, best, cost)
    value = small.value(best, cost)
    return Choice(tuple(best), value, max(value, bound))


def _by_sentence(shared: Sharing, edus: Iterable[int]) -> list[list[int]]:
    sentences: dict[int, list[int]] = {}
    for j in edus:
        sentences.setdefault(shared.sentences[j], []).append(j)
    return list(sentences.values())


def _greedy(shared: Sharing, l_max: int, cost: float) -> list[int]:
    """Choose greedily, by falling worth for each word, among whole sentences and sets of EDUs that complete a unit.

    The solver searches for something better than this choice; if it finds nothing in its time, this choice is used.
    """
    length = {j: shared.lengths[j] for edus in shared.supply for j in edus if shared.lengths[j] <= l_max}
    groups = [*(edus for edus in map(list, shared.supply) if set(edus) <= set(length)), *_by_sentence(shared, length)]
    worth = [-shared.value(group, cost) / sum(length[j] for j in group) for group in groups]
    taken: list[int] = []
    for _, group in sorted(zip(worth, groups, strict=True)):
        more = sorted({*taken, *group})
        if sum(length[j] for j in more) <= l_max and shared.value(more, cost) > shared.value(taken, cost):
            taken = more
    return taken


def _without_idle(shared: Sharing, chosen: list[int], cost: float) -> list[int]:
    """Drop whole sentences, then EDUs, wherever that loses nothing; the last ones first."""
    kept = chosen
    for idle in (*reversed(_by_sentence(shared, chosen)), *([j] for j in reversed(chosen))):
        rest = [j for j in kept if j not in idle]
        if shared.value(rest, cost) >= shared.value(kept, cost):
            kept = rest
    return kept
