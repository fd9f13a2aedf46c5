"""In which order the cells of a grid are searched; what they give is tested with the search."""

from __future__ import annotations

from itertools import groupby

import pytest

from pyramidion.analyses.tune import GridCell
from pyramidion.analyses.tune.cells import keep_scored, rows, scores_of
from pyramidion.builders import BUILDERS
from pyramidion.examples import example
from pyramidion.methods import Method
from pyramidion.model import Pyramid, Topic
from tests.analyses.test_tune import people, register


def test_cells_of_one_graph_come_one_after_the_other_and_rows_in_the_grids_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    register(monkeypatch)
    seen: list[float] = []

    def noting(topic: Topic, *, alpha: float = 1, percentile: float = 83, beta: float = 1) -> Pyramid:
        seen.append(percentile)
        assert topic.pyramid
        kept = tuple(scu for scu in topic.pyramid.scus if scu.weight >= beta)
        return Pyramid(topic.id, topic.pyramid.references, kept)

    monkeypatch.setitem(BUILDERS._loaded, "noting", noting)
    topics, human = example(), people(example())
    kept = keep_scored(topics, human.by_peer())
    peers = sorted(human.by_peer())
    grid = (("alpha", (1, 2)), ("percentile", (70, 83)), ("beta", (1, 2)))
    found = rows(kept, Method.parse("noting+toy"), grid, "raw", peers, lambda: None)
    assert [percentile for percentile, _ in groupby(seen)] == [70, 83]
    for index, cell in enumerate((a, p, b) for a in (1, 2) for p in (70, 83) for b in (1, 2)):
        own = Method.parse("noting+toy(alpha={},percentile={},beta={})".format(*cell))
        assert found[index] == (scores_of(kept, own, "raw", peers), "")
    assert len({scores for scores, _ in found}) > 1


def test_only_labelled_peers_and_their_topics_are_kept() -> None:
    lake, lagoon = example()
    (kept,) = keep_scored([lake, lagoon], {(lagoon.id, "copy"): 1.0, (lake.id, "nobody"): 2.0})
    assert kept.id == lagoon.id
    assert [peer.id for peer in kept.peers] == ["copy"]
    assert {one.summary.id for one in kept.annotations} == {"copy"}


def test_a_cell_is_named_by_its_values() -> None:
    assert str(GridCell((("beta", 2.5), ("backtrack", False)), (), None)) == "beta=2.5 backtrack=false"
    assert str(GridCell((), (), None)) == "the method as it is"
