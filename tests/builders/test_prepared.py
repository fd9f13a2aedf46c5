"""What is remembered of graphs and candidates, and that nobody can tell."""

from __future__ import annotations

import pytest

from pyramidion.builders import prepared
from pyramidion.builders.cliques import quiet_candidates
from pyramidion.builders.prepared import PARAMETERS, Prepared
from pyramidion.errors import InputWarning
from pyramidion.methods import Method
from pyramidion.model import Pyramid
from tests.builders.test_assemble import TEXTS, topic
from tests.builders.test_cliques import alike

ALL = ["edua-c", "edua-g", "edua-p"]


@pytest.fixture(autouse=True)
def _nothing_kept() -> None:
    prepared._KEPT.clear()


def built(name: str, *texts: str, **settings: float) -> Pyramid:
    parameters = (("embedder", "static"), *settings.items())
    return Method(name, parameters=parameters).pyramid(topic(*texts or TEXTS))


def test_one_graph_serves_every_search_of_it() -> None:
    for name in ALL:
        built(name)
    built("edua-g", beta=1.0, alpha=50)
    assert len(prepared._KEPT) == 1
    built("edua-g", percentile=60)
    built("edua-g", *TEXTS[:3])
    assert len(prepared._KEPT) == 3


@pytest.mark.parametrize("name", ALL)
def test_what_is_remembered_changes_nothing(name: str) -> None:
    fresh = built(name)
    built("edua-g", percentile=60)
    assert built(name) == fresh


def test_the_graphs_parameters_are_those_that_every_builder_has() -> None:
    for name in ALL:
        assert set(PARAMETERS) <= set(Method(name).settings)


def test_a_warning_is_given_each_time() -> None:
    for _ in range(2):
        with pytest.warns(InputWarning, match="more than 1 candidate SCUs"):
            built("edua-g", limit=1, percentile=60)
    assert len(prepared._KEPT) == 1


def test_the_longest_unused_goes_first_and_nothing_too_large_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = alike(3, 2)
    one = Prepared(graph, quiet_candidates(graph))
    assert one.bytes >= graph.cosine.nbytes
    monkeypatch.setattr(prepared, "MOST_BYTES", 2 * one.bytes)
    made: list[str] = []

    def ask(key: str) -> None:
        def make() -> Prepared:
            made.append(key)
            return one

        assert prepared.prepared(key, make) is one

    for key in "abacb":
        ask(key)
    assert made == ["a", "b", "c", "b"]
    monkeypatch.setattr(prepared, "MOST_BYTES", one.bytes - 1)
    ask("d")
    assert not prepared._KEPT
