"""mmt: exact, whatever the graphs."""

from __future__ import annotations

import random
from collections.abc import Iterable
from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyramidion.language.graphs.meaning import INSTANCE, MeaningGraph, Triple
from pyramidion.matchers import _mapping
from pyramidion.matchers.triples import Alignment, Triples, mmt, most
from pyramidion.model import Span


def graph(*triples: str) -> MeaningGraph:
    """From ``ARG0(a, b)`` and the like."""
    split = (triple.rstrip(")").replace("(", ", ").split(", ") for triple in triples)
    return MeaningGraph(tuple(Triple(one, two, three) for one, two, three in split), Span(0, 1))


@st.composite
def small_graphs(draw: st.DrawFn) -> MeaningGraph:
    """Few labels, so that much is ambiguous; loops, cycles, re-entrance and parts without connection."""
    variables = [f"v{number}" for number in range(draw(st.integers(0, 4)))]
    triples = [Triple(INSTANCE, variable, draw(st.sampled_from(["x", "y", "z"]))) for variable in variables]
    if variables:
        names = st.sampled_from(variables)
        relations = st.builds(Triple, st.sampled_from(["ARG0", "ARG1", "mod"]), names, names)
        attributes = st.builds(Triple, st.sampled_from(["quant", "mod"]), names, st.sampled_from(["1", "2"]))
        triples += draw(st.lists(relations | attributes, max_size=8))
    return MeaningGraph(tuple(triples), Span(0, 1))


def images(triples: Iterable[Triple], mapping: dict[str, str]) -> set[Triple]:
    """What triples become by a mapping; those with a variable that it lacks are lost."""
    return {
        Triple(one.relation, mapping[one.source], mapping.get(one.target, one.target))
        for one in triples
        if one.source in mapping and (one.target in mapping or not one.target.startswith("v"))
    }


def brute_force(one: MeaningGraph, other: MeaningGraph) -> int:
    few, many = sorted((one, other), key=lambda graph: len(graph.variables))
    return max(
        len(images(few.triples, dict(zip(few.variables, chosen, strict=True))) & set(many.triples))
        for chosen in permutations(many.variables, len(few.variables))
    )


def check(one: MeaningGraph, other: MeaningGraph, found: Alignment) -> None:
    """The triples match by the mapping, which is one to one, and nothing is counted twice."""
    mapping = dict(found.mapping)
    assert len(mapping) == len(set(mapping.values())) == len(found.mapping)
    for left, right in found.matched:
        assert left in one.triples
        assert right in other.triples
        edge = left.relation != INSTANCE and left.target in one.concepts
        target = mapping[left.target] if edge else left.target
        assert Triple(left.relation, mapping[left.source], target) == right
    assert len({left for left, _ in found.matched}) == len({right for _, right in found.matched}) == found.count
    assert found.count <= found.bound


@settings(max_examples=150)
@given(small_graphs(), small_graphs())
def test_the_count_is_that_of_the_best_of_all_mappings(one: MeaningGraph, other: MeaningGraph) -> None:
    found = mmt(one, other)
    check(one, other, found)
    assert found.proved
    assert found.count == brute_force(one, other) == mmt(other, one).count
    assert found.count <= most(Triples.of(one), Triples.of(other))
    assert found == mmt(one, other)


@settings(max_examples=60)
@given(small_graphs(), small_graphs())
def test_the_integer_program_finds_the_same(one: MeaningGraph, other: MeaningGraph) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_mapping._Search, "run", lambda search: _mapping.Solution(search.x, 0, 99))
        found = mmt(one, other)
    check(one, other, found)
    assert found.proved
    assert found.count == brute_force(one, other)


@settings(max_examples=100)
@given(small_graphs(), small_graphs(), st.integers(0, 20))
def test_least_decides_and_no_more(one: MeaningGraph, other: MeaningGraph, least: int) -> None:
    found = mmt(one, other, least=least)
    assert (found.count >= least) == (brute_force(one, other) >= least)
    assert (found.bound >= least) == (brute_force(one, other) >= least)


def test_no_program_is_made_where_bounds_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*given: object) -> _mapping.Solution:
        raise AssertionError("a program was made")

    monkeypatch.setattr(_mapping, "_program", none)
    rng = random.Random(0)
    for _ in range(30):
        one, other = (tangle(rng, 14) for _ in range(2))
        found = mmt(Triples.of(one), Triples.of(other), least=5)  # easily reached, far from the maximum
        assert found.count >= 5
        assert mmt(one, other, least=26).bound < 26


def tangle(rng: random.Random, size: int, labels: int = 2, concepts: int = 6) -> MeaningGraph:
    """A graph that is hard to match: two relations, few concepts, many edges."""
    variables = [f"v{number}" for number in range(size)]
    edges = (rng.sample(variables, 2) for _ in range(size))
    return MeaningGraph(
        tuple(Triple(INSTANCE, one, f"c{rng.randrange(concepts)}") for one in variables)
        + tuple(Triple(f"r{rng.randrange(labels)}", source, target) for source, target in edges),
        Span(0, 1),
    )


def test_hard_graphs_are_proved_and_the_renamed_one_is_found() -> None:
    rng = random.Random(3)
    for _ in range(3):
        one, other = tangle(rng, 12), tangle(rng, 12)
        found = mmt(one, other)
        check(one, other, found)
        assert found.proved
        names = dict(zip(one.variables, rng.sample(one.variables, len(one.variables)), strict=True))
        renamed = MeaningGraph(tuple(sorted(images(one.triples, names), key=str)), Span(0, 1))
        assert mmt(renamed, other).count == found.count
        assert mmt(one, renamed).count == len(one.triples)


def test_precision_recall_and_f1() -> None:
    found = mmt(graph("instance(a, boy)", "instance(b, go)"), graph("instance(x, boy)"))
    assert (found.precision, found.recall, found.f1) == (1, 0.5, 2 / 3)


@pytest.mark.parametrize(("one", "other"), [((), ()), ((), ("instance(a, b)",)), (("instance(a, b)",), ())])
def test_empty_graphs(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    found = mmt(graph(*one), graph(*other))
    assert (found.count, found.bound, found.precision, found.recall, found.f1) == (0, 0, 0, 0, 0)


def test_case_and_quotation_marks_do_not_count() -> None:
    found = mmt(graph("instance(a, Name)", 'op1(a, "Tel")'), graph("instance(b, name)", "OP1(b, tel)"))
    assert found.count == 2


def test_triples_that_differ_in_case_alone_are_one() -> None:
    found = mmt(graph("instance(a, x)", "op(a, Tel)", "op(a, tel)"), graph("instance(b, x)", "op(b, tel)"))
    assert (found.count, found.gold) == (2, 2)


def test_a_concept_that_is_spelt_like_a_variable_is_a_concept() -> None:
    found = mmt(graph("instance(a, b)", "instance(b, c)"), graph("instance(x, b)", "instance(b, c)"))
    assert found.mapping == (("a", "x"), ("b", "b"))


def test_a_loop_matches_a_loop_only() -> None:
    loop = graph("instance(a, x)", "ARG0(a, a)")
    assert mmt(loop, graph("instance(a, x)", "instance(b, x)", "ARG0(a, b)")).count == 1
    assert mmt(loop, graph("instance(q, x)", "ARG0(q, q)")).count == 2


def test_a_variable_without_its_instance_is_a_variable() -> None:
    # Of a part of a graph: the places of want and of ARG0 are known, that of boy is not.
    whole = graph("instance(w, want)", "instance(b, boy)", "ARG0(w, b)")
    part = Triples.of(whole, [triple for triple in whole.triples if triple.target != "boy"])
    assert mmt(part, Triples.of(graph("instance(x, want)", "instance(y, girl)", "ARG0(x, y)"))).recall == 1


def test_top_is_the_first_variable_if_asked_for() -> None:
    one, other = graph("instance(a, x)", "instance(b, y)"), graph("instance(a, y)", "instance(b, x)")
    assert (mmt(one, other).count, mmt(one, other, top=True).count, mmt(one, one, top=True).count) == (2, 2, 3)


def test_relations_left_out() -> None:
    whole = graph("instance(a, x)", "op1(a, p)", "op2(a, q)", "mod(a, r)", "ARG0(a, s)")
    for without in (" OP, mod", "mod op", "op;mod;"):
        found = Triples.of(whole, without=without)
        assert sorted(triple.relation for triple in found.loose.values()) == ["ARG0", "instance"]
        assert len(found) == 2


def test_a_thousand_variables_get_a_count_and_a_bound() -> None:
    rng = random.Random(1)
    one, other = (tangle(rng, 1000, 100, 1000) for _ in range(2))
    found = mmt(one, other)
    check(one, other, found)
    assert 500 < found.count <= found.bound <= most(Triples.of(one), Triples.of(other))
    assert mmt(one, one).count == len(one.triples)


def test_all_the_same() -> None:
    # Every mapping is as good as any other: nothing to search for.
    variables = [f"v{number}" for number in range(30)]
    triples = [Triple(INSTANCE, variable, "x") for variable in variables]
    triples += [Triple("mod", one, other) for one, other in product(variables[:5], variables[5:])]
    same = MeaningGraph(tuple(triples), Span(0, 1))
    assert mmt(same, same).count == len(triples)
