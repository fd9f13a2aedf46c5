"""A tree that ``penman`` has parsed, as triples and the tokens where each stands.

Two numberings name the nodes of a tree. ISI's counts every edge below a node from 1 up (``1.2`` is the root's second);
JAMR's counts from 0 up and passes over variables that are mentioned again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any, NamedTuple

from penman.exceptions import SurfaceError
from penman.models.amr import model as amr
from penman.surface import Alignment

from pyramidion.errors import FormatError, Where
from pyramidion.language.graphs.meaning import INSTANCE


class TokenTriple(NamedTuple):
    """A triple and the tokens that it stands at, by their numbers."""

    relation: str
    source: str
    target: str
    tokens: tuple[int, ...]


class _Edge(NamedTuple):
    """An edge as it is written, from a node to another node or to a constant."""

    node: str
    role: str
    value: str
    to_node: bool


class PenmanTree:
    """The nodes and edges of one tree; a node is known by its variable, a constant or mention by its edge's number."""

    def __init__(self, node: Any, variables: frozenset[str]) -> None:
        self._variables = variables
        self._concepts: dict[str, str] = {}
        self._edges: list[_Edge] = []
        self._tokens: dict[str | int, set[int]] = {}
        self._addresses: dict[str, str | int] = {}
        self._read(node, "1", "0")

    @property
    def is_aligned(self) -> bool:
        """True if any concept or constant has tokens."""
        return bool(self._tokens)

    def align(self, tokens: Mapping[str, set[int]]) -> list[str]:
        """Give nodes the tokens of their addresses; what remains are the addresses of no node."""
        for address, numbers in tokens.items():
            if address in self._addresses:
                self._tokens.setdefault(self._addresses[address], set()).update(numbers)
        return [address for address in tokens if address not in self._addresses]

    def triples(self) -> Iterator[TokenTriple]:
        """Yield the triples: every node's instance, then the edges in the order in which they are written."""
        names, places = self._names(), self._places()
        for variable, concept in self._concepts.items():
            yield TokenTriple(INSTANCE, names[variable], concept, tuple(sorted(places[variable])))
        for number, (node, role, value, to_node) in enumerate(self._edges):
            here, there = places[node], self._tokens.get(number, set())
            if to_node:
                source, role, target = amr.deinvert((names[node], role, names[value]))
                there = there or places[value]
                is_placed = bool(here and there)
            else:
                source, target, is_placed = names[node], value, True
            yield TokenTriple(role[1:], source, target, tuple(sorted(here | there)) if is_placed else ())

    def _read(self, node: Any, address: str, jamr: str) -> None:
        """Record a node, its edges and their addresses in both numberings, then the nodes below it."""
        variable, written = node
        if variable is None:
            raise _fail("A node is empty", "")
        concepts = [value for role, value in written if _name(role) in ("/", ":instance")]
        if len(concepts) != 1 or concepts[0] is None or not isinstance(concepts[0], str):
            raise _fail(f"The node {variable!r} has {'two concepts' if len(concepts) > 1 else 'no concept'}", variable)
        concept, _, tokens = _atom(concepts[0], variable)
        if self._concepts.setdefault(variable, concept) != concept:
            raise _fail(f"The variable {variable!r} has two concepts", variable)
        self._set(variable, tokens)
        self._addresses[address] = self._addresses[jamr] = variable
        edges = [(_name(role), value) for role, value in written if _name(role) not in ("/", ":instance")]
        children = count()
        for place, (role, value) in enumerate(edges, start=1):
            if role in (":", ":instance-of"):
                raise _fail(f"The node {variable!r} has a role {role!r}, which means nothing", variable)
            if value is None:
                raise _fail(f"The role {role!r} of {variable!r} has no value", variable)
            number = len(self._edges)
            if not isinstance(value, str):
                self._edges.append(_Edge(variable, role, value[0], True))
                self._read(value, f"{address}.{place}", f"{jamr}.{next(children)}")
                continue
            atom, quoted, tokens = _atom(value, variable)
            mention = not quoted and atom in self._variables
            self._edges.append(_Edge(variable, role, atom, mention))
            self._set(number, tokens)
            self._addresses[f"{address}.{place}"] = number
            if not mention:
                self._addresses[f"{jamr}.{next(children)}"] = number

    def _set(self, key: str | int, tokens: tuple[int, ...]) -> None:
        if tokens:
            self._tokens.setdefault(key, set()).update(tokens)

    def _places(self) -> dict[str, set[int]]:
        """Return every node's own tokens, else those of the nearest nodes below it that have some; circles end."""
        places = {variable: set(self._tokens.get(variable, ())) for variable in self._concepts}
        implied = {variable for variable, tokens in places.items() if not tokens}
        above: dict[str, list[str]] = {variable: [] for variable in places}
        for number, edge in enumerate(self._edges):
            if edge.node in implied and number in self._tokens:
                places[edge.node] |= self._tokens[number]
            elif edge.node in implied and edge.to_node:
                above[edge.value].append(edge.node)
        agenda = [variable for variable, tokens in places.items() if tokens]
        while agenda:
            variable = agenda.pop()
            for node in above[variable]:
                if not places[variable] <= places[node]:
                    places[node] |= places[variable]
                    agenda.append(node)
        return places

    def _names(self) -> dict[str, str]:
        """Return the variables' names: their own, with a stroke behind where a quoted constant reads the same."""
        constants = {edge.value for edge in self._edges if not edge.to_node}
        taken = constants | self._variables
        names = {}
        for variable in self._concepts:
            name = variable
            while name in constants or (name != variable and name in taken):
                name += "'"
            taken.add(name)
            names[variable] = name
        return names


def _name(role: str) -> str:
    """Return a role without its alignment."""
    return role.partition("~")[0]


def _atom(value: str, variable: str) -> tuple[str, bool, tuple[int, ...]]:
    """Return a concept or constant without quotes, whether it had some, and its tokens."""
    end = value.rindex('"') + 1 if value.startswith('"') else len(value.partition("~")[0])
    try:
        tokens = Alignment.from_string(value[end:]).indices if end < len(value) else ()
    except SurfaceError:
        raise _fail(f"The alignment {value[end : end + 40]!r} is not the number of a token", variable) from None
    if value.startswith('"'):
        return re.sub(r"\\(.)", r"\1", value[1 : end - 1]), True, tokens
    return value[:end], False, tokens


def _fail(what: str, variable: str) -> FormatError:
    return FormatError(what, Where(element=variable), "write a node as (VARIABLE / CONCEPT :ROLE VALUE ...)")
