"""Hirao et al. 2018, Automatic Pyramid Evaluation Exploiting EDU-based Extractive Reference Summaries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyramidion.builders.alignment import align
from pyramidion.builders.extractive import Text, edu_align, edu_oracle_rouge
from pyramidion.builders.oracle import Sharing, oracle, sharing
from pyramidion.language.parse.analysis import ROOT, Analysis, Word
from pyramidion.language.parse.basic_elements import basic_elements
from pyramidion.language.parse.discourse import similarity, units_of, words_of
from pyramidion.matchers.edu import THRESHOLD, assign, edu
from pyramidion.matchers.knapsack import knapsack, normalised
from pyramidion.model import Pyramid, Source, Summary, Topic

FIGURE_2 = """
 1 We         2 nsubj 1 | 14 We        17 nsubj 4
 2 need       0 ROOT  1 | 15 do        17 aux   4
 3 a          4 det   1 | 16 not       17 neg   4
 4 computer   2 dobj  1 | 17 need       0 ROOT  4
 5 that       6 nsubj 2 | 18 a         18 det   4
 6 has        4 rcmod 2 | 19 computer  17 dobj  4
 7 an         9 det   2 | 20 that      21 nsubj 5
 8 excellent  9 amod  2 | 21 has       19 rcmod 5
 9 CPU        6 dobj  2 | 22 an        24 det   5
10 to        11 aux   3 | 23 excellent 24 amod  5
11 implement  9 vmod  3 | 24 GPU       21 dobj  5
12 the       13 det   3 |
13 algorithm 11 dobj  3 |
"""
"""As printed: word, "index of dependant" (its head), relation, EDU. The head of word 18 is 19; 18 is a slip."""

UD = {"dobj": "obj", "rcmod": "acl:relcl", "vmod": "acl", "ROOT": "root", "neg": "advmod"}
"""Stanford's relations that Universal Dependencies call otherwise."""


def figure_2() -> Analysis:
    rows = [cell.split() for line in FIGURE_2.strip().splitlines() for cell in line.split("|") if cell.strip()]
    rows.sort(key=lambda row: int(row[0]))
    words, text = [], ""
    for number, form, head, relation, _ in rows:
        start = len(text)
        text += form + " "
        governor = 19 if number == "18" else int(head)
        place = governor - 1 if governor else ROOT
        words.append(Word(start, start + len(form), form, form, head=place, relation=UD.get(relation, relation)))
    edu_of = [int(row[4]) for row in rows]
    starts = [place for place, one in enumerate(edu_of) if place == 0 or edu_of[place - 1] != one]
    edus = tuple(zip(starts, [*starts[1:], len(words)], strict=True))
    return Analysis(text, tuple(words), ((0, 13), (13, 24)), edus)


@pytest.mark.parametrize(
    ("modifier", "head", "v", "left", "right"),
    [
        ("has", "computer", {6, 21}, {6: 1, 21: 4}, {6: 2, 21: 5}),
        ("we", "need", {1, 14}, {1: 1, 14: 4}, {1: 1, 14: 4}),
        ("implement", "cpu", {11}, {11: 2}, {11: 3}),
    ],
)
def test_figure_2(modifier: str, head: str, v: set[int], left: dict[int, int], right: dict[int, int]) -> None:
    """V_10, V_15 and V_20 with left(n) and right(n): n is the place of the modifier, left and right are EDUs."""
    analysis = figure_2()
    text = Text(analysis, units_of(analysis))
    elements = list(basic_elements(analysis))
    found = {}
    for element, (unit, edus) in zip(elements, text.elements(relations=True), strict=True):
        assert unit == (element.head, element.modifier, element.relation)
        if (element.modifier, element.head) == (modifier, head):
            found[element.words[1] + 1] = (edus[0] + 1, edus[-1] + 1)
    assert set(found) == v
    assert found == {n: (left[n], right[n]) for n in v}


def test_the_oracle_takes_both_edus_that_hold_a_triple() -> None:
    """A reference with u_10 (twice) and u_20: EDUs 1-3 and 4-5 hold them; with the room of EDUs 1-3 only, those."""
    analysis = figure_2()
    text = Text(analysis, units_of(analysis))
    lengths = [unit.length for unit in text.units]
    assert lengths == [4, 5, 4, 6, 5]
    wanted = [("computer", "has", "rel"), ("computer", "has", "rel"), ("cpu", "implement", "rel")]
    shared = sharing(lengths, [unit.sentence for unit in text.units], wanted, text.elements(relations=True))
    assert oracle(shared, 24, cost=0.5).edus == (0, 1, 2, 3, 4)
    assert oracle(shared, 13, cost=0.5).edus == (0, 1, 2)
    assert oracle(shared, 24).edus == (0, 1, 2)  # one more triple does not pay for one more sentence
    assert oracle(shared, 24).value == 1


def test_similarity_is_the_share_of_the_second_unit() -> None:
    """Eq. 6: LCS = "the lake closed"."""
    long, short = words_of("The lake was closed on Monday."), words_of("The lake closed early,")
    assert similarity(long, short) == 3 / 4
    assert similarity(short, long) == 3 / 6


Words = tuple[str, ...]
edus_of_few_words = st.lists(st.text("abcd", min_size=1, max_size=5).map(tuple), max_size=6)


def longest_common_subsequence(a: Words, b: Words) -> int:
    return max(
        size
        for size in range(len(b) + 1)
        for some in combinations(b, size)
        if some in set(combinations(a, size)) or not size
    )


@given(st.text("abc", max_size=6).map(tuple), st.text("abc", min_size=1, max_size=6).map(tuple))
def test_similarity_is_that_of_all_subsequences(e: Words, m: Words) -> None:
    assert similarity(e, m) == longest_common_subsequence(e, m) / len(m)


def alignments(edus: Sequence[Words], reference: Sequence[Words], l_max: int) -> Iterator[float]:
    """Eqs. 1-5, every a: each EDU of the reference with none or another of the sources."""
    for chosen in product([None, *range(len(edus))], repeat=len(reference)):
        pairs = [(j, k) for k, j in enumerate(chosen) if j is not None]
        if len({j for j, _ in pairs}) == len(pairs) and sum(len(edus[j]) for j, _ in pairs) <= l_max:
            yield sum(similarity(edus[j], reference[k]) for j, k in pairs)


@settings(max_examples=60)
@given(edus_of_few_words, edus_of_few_words.map(lambda some: some[:3]), st.integers(0, 14))
def test_the_alignment_is_the_best_of_all(edus: list[Words], reference: list[Words], l_max: int) -> None:
    found = align(edus, reference, l_max)
    assert found.value == pytest.approx(max(alignments(edus, reference, l_max)))
    assert found.proved
    assert found.value == pytest.approx(
        sum(similarity(edus[j], reference[k]) for j, k in zip(found.edus, found.aligned, strict=True))
    )
    assert sum(len(edus[j]) for j in found.edus) <= l_max
    assert len(set(found.edus)) == len(found.edus)
    assert len(set(found.aligned)) == len(found.aligned)


@st.composite
def oracles(draw: st.DrawFn) -> tuple[Sharing, list[tuple[str, tuple[int, ...]]], Counter[str]]:
    """EDUs of a few sentences; a reference's units; occurrences of these and other units in an EDU or two."""
    lengths = draw(st.lists(st.integers(1, 5), min_size=1, max_size=7))
    sentences = sorted(draw(st.integers(0, 2)) for _ in lengths)
    reference = draw(st.lists(st.sampled_from("abcd"), max_size=7))
    sides = [(a, b) for a in range(len(lengths)) for b in range(a, len(lengths)) if sentences[a] == sentences[b]]
    occurrences = draw(st.lists(st.tuples(st.sampled_from("abcdxy"), st.sampled_from(sides)), max_size=14))
    return sharing(lengths, sentences, reference, occurrences), occurrences, Counter(reference)


def best_oracle(
    instance: tuple[Sharing, list[tuple[str, tuple[int, ...]]], Counter[str]], l_max: int, cost: float
) -> float:
    """Eqs. 9-18, every x."""
    shared, occurrences, demand = instance
    values = []
    for size in range(len(shared.lengths) + 1):
        for chosen in combinations(range(len(shared.lengths)), size):
            if sum(shared.lengths[j] for j in chosen) <= l_max:
                d = Counter(unit for unit, (left, right) in occurrences if left in chosen and right in chosen)
                z = sum(min(demand[unit], times) for unit, times in d.items())
                values.append(z - cost * len({shared.sentences[j] for j in chosen}))
    return max(values)


@settings(max_examples=60)
@given(oracles(), st.integers(0, 20), st.sampled_from([0.0, 0.5, 1.0, 2.0]))
def test_the_oracle_is_the_best_of_all(
    instance: tuple[Sharing, list[tuple[str, tuple[int, ...]]], Counter[str]], l_max: int, cost: float
) -> None:
    found = oracle(instance[0], l_max, cost=cost)
    assert found.value == pytest.approx(best_oracle(instance, l_max, cost))
    assert found.value == pytest.approx(instance[0].value(found.edus, cost))
    assert found.proved
    assert sum(instance[0].lengths[j] for j in found.edus) <= l_max


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(0, 8)), max_size=8), st.integers(0, 25))
def test_the_knapsack_is_the_best_of_all(items: list[tuple[int, int]], l_max: int) -> None:
    """Eqs. 25-27."""
    best = max(
        sum(weight for weight, _ in some)
        for size in range(len(items) + 1)
        for some in combinations(items, size)
        if sum(length for _, length in some) <= l_max
    )
    assert knapsack([weight for weight, _ in items], [length for _, length in items], l_max) == best


@settings(max_examples=60)
@given(st.data(), st.integers(1, 4), st.integers(1, 4))
def test_the_assignment_is_the_best_of_all(data: st.DataObject, rows: int, columns: int) -> None:
    """Eqs. 20-24."""
    cells = st.lists(st.sampled_from([0.0, 0.3, 0.5, 0.55, 0.8, 1.0]), min_size=columns, max_size=columns)
    phi = np.array(data.draw(st.lists(cells, min_size=rows, max_size=rows)))
    w = data.draw(st.lists(st.integers(1, 4), min_size=columns, max_size=columns))
    wide = [*range(columns), *([None] * rows)]
    best = (0, 0.0)
    for chosen in set(permutations(wide, rows)):
        pairs = [(i, j) for i, j in enumerate(chosen) if j is not None and phi[i, j] >= 0.55]
        best = max(best, (sum(w[j] for _, j in pairs), round(sum(phi[i, j] for i, j in pairs), 9)))
    found = assign(phi, w)
    assert (sum(w[j] for _, j in found), round(sum(phi[i, j] for i, j in found), 9)) == best
    assert all(phi[i, j] >= THRESHOLD for i, j in found)
    assert len({i for i, _ in found}) == len({j for _, j in found}) == len(found)


sentences = st.lists(
    st.lists(st.sampled_from(["lake", "algae", "fish", "closed", "spread", "council", "died", "slowly"]), min_size=1, max_size=5)
    .map(" ".join)
    .map("{}.".format),
    min_size=1,
    max_size=5,
).map(" ".join)  # fmt: skip


def built(references: Sequence[str], sources: Sequence[str], align: bool) -> Pyramid:
    topic = Topic(
        "t",
        tuple(Summary(f"r{number}", text) for number, text in enumerate(references)),
        sources=tuple(Source(f"s{number}", text) for number, text in enumerate(sources)),
    )
    if align:
        return edu_align(topic, analyser="unicode")
    return edu_oracle_rouge(topic, n=1, sentence_cost=0.5, analyser="unicode")


@pytest.mark.filterwarnings("ignore::pyramidion.errors.InputWarning")
@settings(max_examples=30)
@given(
    st.lists(sentences, min_size=1, max_size=4), st.lists(sentences, min_size=1, max_size=3), sentences, st.booleans()
)
def test_scores_lie_between_0_and_1(references: list[str], sources: list[str], peer: str, align: bool) -> None:
    pyramid = built(references, sources, align)
    assert all(1 <= scu.weight <= len(references) for scu in pyramid.scus)
    for text in (peer, "", *references, *sources):
        annotation = edu(pyramid, Summary("p", text, "peer"), analyser="unicode")
        assert 0 <= normalised(pyramid, annotation) <= 1
    best = edu(pyramid, Summary("p", "", "peer"), analyser="unicode")
    assert normalised(pyramid, best) == 0


@pytest.mark.filterwarnings("ignore::pyramidion.errors.InputWarning")
@settings(max_examples=30)
@given(
    st.lists(sentences, min_size=1, max_size=3), st.lists(sentences, min_size=1, max_size=3), sentences, st.booleans()
)
def test_order_changes_nothing(references: list[str], sources: list[str], peer: str, align: bool) -> None:
    def shown(pyramid: Pyramid) -> tuple[object, ...]:
        annotation = edu(pyramid, Summary("p", peer, "peer"), analyser="unicode")
        scus = [
            (scu.label, scu.weight, scu.sentence, Counter(map(pyramid.words, scu.contributors))) for scu in pyramid.scus
        ]
        return scus, annotation, normalised(pyramid, annotation)

    assert shown(built(references, sources, align)) == shown(built(references[::-1], sources[::-1], align))
