r"""mmt: the maximum number of matching triples of two meaning graphs (Steinberger et al. 2017 §3, eq. 2), exactly.

.. math:: mmt(A, B) = \max_m | \{ (t, u) \in A \times B \mid m(t) = u \} |

over all one-to-one mappings m of the variables of A to those of B, of which some may have no counterpart. From it,

.. math:: P = mmt / |B|, \qquad R = mmt / |A|, \qquad F_1 = 2 P R / (P + R),

the Smatch score (Cai and Knight 2013). Figure 1: of the six triples of *The boy wants to go* four are in *The boy wants
the football*'s five, so that R = 4/6, P = 4/5 and F1 = .73.

Relations, concepts and constants are the same if they are so in lower case, without quotation marks, as in the
``smatch`` package (1.0.4); triples that differ in these alone are one. So are ``domain(a, b)`` and ``mod(b, a)``, as
there: AMR has two names for one relation, one for each direction. That package also counts which variable is the top:
``top=True`` does, for the first variable. It climbs hills from five mappings, four of them random, and may miss the
maximum; this search proves it (:mod:`pyramidion.matchers._mapping`), or says by how much it may be missed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from pyramidion.language.graphs.meaning import INSTANCE, MeaningGraph, Triple
from pyramidion.matchers._mapping import Places, Problem, solve

TOP, LOOP, EDGE = "\0top", "\0loop", "\0edge"
"""In the place of relations and values; no concept is written so."""


@dataclass(frozen=True, slots=True, eq=False)
class Triples:
    """Some triples of a graph, made ready to be matched with many others.

    Variables are numbers here. *Loose* triples have one variable: instances, attributes and loops; *edges* two.
    """

    variables: tuple[str, ...]
    loose: Mapping[tuple[str, str, int], Triple] = field(repr=False)
    """The triples with a value, by relation, value and variable."""
    edges: Mapping[tuple[str, int, int], Triple] = field(repr=False)
    """The triples between variables, by relation, source and target."""
    places: Places = field(repr=False)
    """The variables of the loose ones; the sources of edges; their targets."""
    crowds: Places = field(repr=False)
    """For each edge, how many of its relation leave its source; then, how many reach its target."""
    kinds: Counter[tuple[str, str]] = field(repr=False)
    """How many loose triples there are of each relation and value, and how many edges of each relation."""

    @classmethod
    def of(
        cls, graph: MeaningGraph, triples: Iterable[Triple] | None = None, *, without: str = "", top: bool = False
    ) -> Triples:
        """Return the triples of a graph, or the given ones of these, without the relations that ``without`` names.

        ``without`` are names with spaces, commas or semicolons between, such as ``mod name op``; op stands for op1,
        op2, ... too. A relation is left out by the name that the graph has for it: ``mod`` leaves ``domain``.
        """
        variables = graph.variables
        numbers = {variable: number for number, variable in enumerate(variables)}
        left_out = set(without.lower().replace(",", " ").replace(";", " ").split())
        loose: dict[tuple[str, str, int], Triple] = {}
        edges: dict[tuple[str, int, int], Triple] = {}
        for triple in graph.triples if triples is None else triples:
            relation, source = triple.relation.lower(), numbers[triple.source]
            if left_out and not left_out.isdisjoint((relation, relation.rstrip("0123456789"))):
                continue
            target = numbers.get(triple.target) if triple.relation != INSTANCE else None
            if relation == "domain" and target is not None:
                relation, source, target = "mod", target, source  # AMR's name for the other direction
            if target is None:
                loose.setdefault((relation, triple.target.lower().strip('"'), source), triple)
            elif target == source:  # meets loops only
                loose.setdefault((relation, LOOP, source), triple)
            else:
                edges.setdefault((relation, source, target), triple)
        if top and variables:
            loose[TOP, TOP, 0] = Triple(TOP, variables[0], TOP)
        leaving = [(relation, source) for relation, source, _ in edges]
        reaching = [(relation, target) for relation, _, target in edges]
        out, into = Counter(leaving), Counter(reaching)
        return cls(
            variables,
            loose,
            edges,
            np.array([v for *_, v in loose] + [v for _, v in leaving] + [v for _, v in reaching], np.intp),
            np.array([out[end] for end in leaving] + [into[end] for end in reaching], np.intp),
            Counter([(relation, value) for relation, value, _ in loose] + [(relation, EDGE) for relation, *_ in edges]),
        )

    def __len__(self) -> int:
        return len(self.loose) + len(self.edges)


@dataclass(frozen=True, slots=True)
class Alignment:
    """The best mapping of variables, the triples that match by it, and how many can at most."""

    mapping: tuple[tuple[str, str], ...]
    """Pairs of variables, gold and peer; those that help to match a triple."""
    matched: tuple[tuple[Triple, Triple], ...]
    """Pairs of triples, in the order of the gold ones."""
    gold: int
    """The number of triples to be matched."""
    peer: int
    """The number of triples in the other graph."""
    bound: int
    """An upper bound of the matches of all mappings; it equals the count if that is proved to be the maximum."""

    @property
    def count(self) -> int:
        """Return the number of triples that match; this is mmt if it is proved."""
        return len(self.matched)

    @property
    def proved(self) -> bool:
        """No mapping matches more."""
        return self.count == self.bound

    @property
    def precision(self) -> float:
        """The share of the peer's triples that match."""
        return self.count / self.peer if self.peer else 0.0

    @property
    def recall(self) -> float:
        """The share of the gold triples that match."""
        return self.count / self.gold if self.gold else 0.0

    @property
    def f1(self) -> float:
        """The Smatch score: the harmonic mean of precision and recall."""
        return 2 * self.count / (self.gold + self.peer) if self.gold + self.peer else 0.0


def most(gold: Triples, peer: Triples) -> int:
    """Return a quick upper bound of the matches: the triples with the same relation and value."""
    theirs = peer.kinds
    return sum(min(number, theirs[kind]) for kind, number in gold.kinds.items() if kind in theirs)


def mmt(gold: Triples | MeaningGraph, peer: Triples | MeaningGraph, *, top: bool = False, least: int = 0) -> Alignment:
    """Return the mapping by which most triples match.

    ``least`` is the number of matches that the caller needs: the search ends as soon as a bound says that there are
    fewer, and no solver is asked for a better mapping once one has as many. ``top`` is for graphs.

    >>> from pyramidion.model import Span
    >>> def graph(*triples):
    ...     return MeaningGraph(tuple(Triple(*triple) for triple in triples), Span(0, 1))
    >>> boys = graph(("instance", "a", "want-01"), ("instance", "b", "boy"), ("ARG0", "a", "b"))
    >>> girls = graph(("instance", "x", "want-01"), ("instance", "y", "girl"), ("ARG0", "x", "y"))
    >>> found = mmt(boys, girls)
    >>> found.count, found.mapping, round(found.f1, 2)
    (2, (('a', 'x'), ('b', 'y')), 0.67)
    """
    ours = gold if isinstance(gold, Triples) else Triples.of(gold, top=top)
    theirs = peer if isinstance(peer, Triples) else Triples.of(peer, top=top)
    at_most = most(ours, theirs)
    if not at_most or at_most < least:
        return Alignment((), (), len(ours), len(theirs), at_most)
    problem = _problem(ours, theirs)
    solution = solve(problem, least)
    mapping = dict(divmod(cell, problem.columns) for cell in problem.cells[solution.x > 0].tolist())
    return _alignment(ours, theirs, mapping, min(solution.bound, at_most))


def _equal_places(first: Sequence[object], second: Sequence[object]) -> tuple[Places, Places]:
    """Return the places of equal things: of each equal pair that in ``first`` and that in ``second``."""
    numbers = {thing: number for number, thing in enumerate(first)}
    left = np.array([numbers[thing] for thing in first], np.intp)
    right = np.array([numbers.get(thing, -1) for thing in second], np.intp)
    places, theirs = np.equal.outer(left, right).nonzero()
    return places, theirs


def _problem(ours: Triples, theirs: Triples) -> Problem:
    """Return the problem of matching two graphs, with the pairs of variables that can make a triple match."""
    rows, columns = len(ours.variables), len(theirs.variables)
    loose, their_loose = _equal_places([key[:2] for key in ours.loose], [key[:2] for key in theirs.loose])
    pairs = ours.places[loose] * columns + theirs.places[their_loose]
    edge, their_edge = _equal_places([key[0] for key in ours.edges], [key[0] for key in theirs.edges])
    # The ends of an edge are numbers below the number of edges for its source, above for its target.
    end = np.concatenate((edge, edge + len(ours.edges)))
    their_end = np.concatenate((their_edge, their_edge + len(theirs.edges)))
    ends = ours.places[len(ours.loose) + end] * columns + theirs.places[len(theirs.loose) + their_end]
    by_ours = ends * (2 * len(ours.edges) + 2 * len(theirs.edges)) + end
    by_theirs = by_ours - end + 2 * len(ours.edges) + their_end
    fewer = ours.crowds[end] <= theirs.crowds[their_end]
    worth = np.bincount(pairs, minlength=rows * columns)
    useful = worth > 0
    useful[ends] = True
    numbers = np.cumsum(useful) - 1
    return Problem(
        rows,
        columns,
        np.flatnonzero(useful),
        worth[useful].astype(np.float64),
        numbers[ends[: len(edge)]],
        numbers[ends[len(edge) :]],
        np.where(fewer, by_ours, by_theirs),
        np.where(fewer, by_theirs, by_ours),
    )


def _alignment(ours: Triples, theirs: Triples, mapping: Mapping[int, int], bound: int) -> Alignment:
    """Return the triples that match by a mapping, and the part of the mapping that they need."""
    matched: list[tuple[Triple, Triple]] = []
    needed: set[int] = set()
    for (relation, value, variable), triple in ours.loose.items():
        if variable in mapping and (match := theirs.loose.get((relation, value, mapping[variable]))):
            matched.append((triple, match))
            needed.add(variable)
    for (relation, source, target), triple in ours.edges.items():
        image = relation, mapping.get(source, -1), mapping.get(target, -1)
        if image in theirs.edges:
            matched.append((triple, theirs.edges[image]))
            needed |= {source, target}
    return Alignment(
        tuple((ours.variables[mine], theirs.variables[mapping[mine]]) for mine in sorted(needed)),
        tuple(matched),
        len(ours),
        len(theirs),
        bound,
    )
