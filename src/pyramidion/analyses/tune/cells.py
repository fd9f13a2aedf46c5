"""Every cell of a grid on the peers that people scored, with nothing computed twice.

A pyramid is built once for all the cells that differ in the matcher only, and cells that build equal pyramids are
matched once. Cells whose builder searches the same segment graph come one after the other, so that it is remembered
(:mod:`pyramidion.builders.prepared`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import ParamSpec, TypeVar

from pyramidion.analyses.tune.grid import Grid, Parameters, cells_of
from pyramidion.base.choices import check_choices
from pyramidion.builders.prepared import PARAMETERS
from pyramidion.errors import MissingPartError, PyramidionError
from pyramidion.evaluation.evaluate import evaluate
from pyramidion.evaluation.evaluation import Key
from pyramidion.methods import GIVEN, Method
from pyramidion.model import Pyramid, Topic
from pyramidion.scoring import Quantity

P = ParamSpec("P")
T = TypeVar("T")

Row = tuple[tuple[float, ...], str]
"""The scores of a cell, or the reason why there are none."""


def keep_scored(topics: Iterable[Topic], human: Mapping[Key, float]) -> list[Topic]:
    """Return the topics with only the peers that people scored."""
    kept = []
    for topic in topics:
        peers = tuple(peer for peer in topic.peers if (topic.id, peer.id) in human)
        ids = {peer.id for peer in peers}
        annotations = tuple(
            annotation
            for annotation in topic.annotations
            if annotation.summary.role == "peer" and annotation.summary.id in ids
        )
        if peers:
            kept.append(replace(topic, peers=peers, annotations=annotations))
    return kept


@check_choices
def scores_of(topics: Sequence[Topic], method: Method, quantity: Quantity, peers: Sequence[Key]) -> tuple[float, ...]:
    """Return each peer's score by a method; several annotations are averaged."""
    return _peer_scores(_build_pyramids(topics, method), _matcher_of(method), quantity, peers)


@check_choices
def rows(
    topics: Sequence[Topic],
    method: Method,
    grid: Grid,
    quantity: Quantity,
    peers: Sequence[Key],
    done: Callable[[], None],
) -> list[Row]:
    """Return the scores of each cell, in the grid's order; a cell that fails does not stop the search."""
    # cells that differ in the matcher only share their pyramids
    of_builder = Method(method.builder, GIVEN).settings
    cells = list(cells_of(grid))
    alike: dict[Parameters, list[int]] = {}
    for index, cell in enumerate(cells):
        alike.setdefault(tuple(pair for pair in cell if pair[0] in of_builder), []).append(index)
    row_of: dict[int, Row] = {}
    known: dict[tuple[tuple[Pyramid | None, ...], Method], Row] = {}
    for building in sorted(alike, key=_graph_key):
        built, problem = _or_why_not(_build_pyramids, topics, _with_parameters(method, building))
        pyramids = tuple(topic.pyramid for topic in built or ())
        for index in alike[building]:
            matching = _matcher_of(_with_parameters(method, cells[index]))
            if built is None:
                row_of[index] = ((), problem)
            elif (pyramids, matching) in known:  # equal pyramids are matched once
                row_of[index] = known[pyramids, matching]
            else:
                scores, problem = _or_why_not(_peer_scores, built, matching, quantity, peers)
                row_of[index] = known[pyramids, matching] = (scores or (), problem)
            done()
    return [row_of[index] for index in range(len(cells))]


def _graph_key(building: Parameters) -> list[str]:
    """Return a key that is the same for cells that search the same segment graph."""
    given = dict(building)
    return [str(given.get(name)) for name in PARAMETERS]


def _or_why_not(do: Callable[P, T], *values: P.args, **settings: P.kwargs) -> tuple[T | None, str]:
    """Return a function's result, or the error in its input; a part that is not installed stops the search."""
    try:
        return do(*values, **settings), ""
    except MissingPartError:
        raise
    except PyramidionError as error:
        return None, str(error)


def _build_pyramids(topics: Iterable[Topic], method: Method) -> list[Topic]:
    """Return the topics with built pyramids, ready for the matcher."""
    given = method.matcher == GIVEN
    return [
        replace(topic, pyramid=method.pyramid(topic), annotations=topic.annotations if given else ())
        for topic in topics
    ]


def _peer_scores(
    topics: Sequence[Topic], method: Method, quantity: Quantity, peers: Sequence[Key]
) -> tuple[float, ...]:
    values = evaluate(topics, method).values(quantity)
    for topic, peer in peers:
        if (topic, peer) not in values:
            raise PyramidionError(
                f"Peer {peer!r} of topic {topic!r} has a human score, but the method gives it none",
                do="annotate it, take it out of the table, or choose a method that matches peers itself",
            )
    return tuple(values[peer] for peer in peers)


def _with_parameters(method: Method, parameters: Parameters) -> Method:
    return Method(method.builder, method.matcher, (*method.parameters, *parameters))


def _matcher_of(method: Method) -> Method:
    """Return the method's matcher alone, for built pyramids."""
    known = Method(GIVEN, method.matcher).settings
    return Method(GIVEN, method.matcher, tuple(pair for pair in method.parameters if pair[0] in known))
