"""Word sequences: overlaps and the dynamic programming against plain definitions, and what becomes of the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyramidion.errors import PyramidionError
from pyramidion.language.text.porter import stem
from pyramidion.matchers.sequences import (
    SCALE,
    Candidate,
    annotation,
    best_set,
    candidates,
    check,
    link_similarities,
    programmed_set,
    targets_of,
    unigram_overlaps,
    words_of,
)
from pyramidion.model import SCU, Contributor, Pyramid, Span, Summary
from tests.operations import steps


def pyramid_of(*scus: Sequence[str]) -> Pyramid:
    """An SCU for each list of wordings, one from each of as many references."""
    references = tuple(Summary(id, "") for id in "ABCDE")
    made = (
        SCU(str(number), own[0], tuple(Contributor("ABCDE"[place], label=words) for place, words in enumerate(own)))
        for number, own in enumerate(scus, 1)
    )
    return Pyramid("toy", references, tuple(made))


def overlap(some: Iterable[Candidate]) -> bool:
    return any(a.first < b.last and b.first < a.last for a, b in combinations(some, 2))


@st.composite
def offers(draw: st.DrawFn, once: bool) -> tuple[int, list[Candidate], list[int]]:
    """A text of up to seven words, candidates in it, and their SCUs' weights; with ``once``, an SCU for each."""
    size = draw(st.integers(1, 7))
    places = draw(st.lists(st.tuples(st.integers(0, size - 1), st.integers(1, size)), max_size=8, unique=True))
    found = {
        Candidate(first, min(first + length, size), number if once else draw(st.integers(0, 2)), similarity, 0)
        for number, (first, length) in enumerate(places)
        for similarity in [draw(st.integers(1, 9))]
    }
    heavy = draw(st.lists(st.integers(1, 5), min_size=8, max_size=8))
    offered = sorted(found)
    return size, offered, [heavy[one.scu] for one in offered]


Worth = tuple[int, int]


def worth(some: Iterable[Candidate], offered: list[Candidate], weights: list[int]) -> Worth:
    """The sum of weights and that of similarities."""
    by_weight = dict(zip(offered, weights, strict=True))
    chosen = list(some)
    return sum(by_weight[one] for one in chosen), sum(one.similarity for one in chosen)


def sound(chosen: list[Candidate]) -> bool:
    return not overlap(chosen) and chosen == sorted(chosen) and len({one.scu for one in chosen}) == len(chosen)


def all_worths(offered: list[Candidate], weights: list[int]) -> list[Worth]:
    sets = (some for size in range(len(offered) + 1) for some in combinations(offered, size))
    return [worth(some, offered, weights) for some in sets if sound(sorted(some))]


@given(offers(once=True))
def test_without_competition_both_ways_find_the_best_of_all_sets(offer: tuple[int, list[Candidate], list[int]]) -> None:
    size, offered, weights = offer
    for choose in (best_set, programmed_set):
        assert worth(choose(size, offered, weights), offered, weights) == max(all_worths(offered, weights))


@settings(max_examples=300)
@given(offers(once=False))
def test_the_best_set_is_the_best_of_all_sets(offer: tuple[int, list[Candidate], list[int]]) -> None:
    size, offered, weights = offer
    every = all_worths(offered, weights)
    alike, heavy = best_set(size, offered), best_set(size, offered, weights)
    assert sound(alike)
    assert sound(heavy)
    assert worth(alike, offered, weights)[1] == max(similarity for _, similarity in every)
    assert worth(heavy, offered, weights) == max(every)
    programmed = programmed_set(size, offered, weights)
    assert sound(programmed)
    assert worth(programmed, offered, weights) <= max(every)


@given(offers(once=False), st.randoms())
def test_the_best_set_does_not_depend_on_the_order(
    offer: tuple[int, list[Candidate], list[int]], random: Random
) -> None:
    size, offered, weights = offer
    pairs = list(zip(offered, weights, strict=True))
    random.shuffle(pairs)
    turned, own = [one for one, _ in pairs], [weight for _, weight in pairs]
    for choose in (best_set, programmed_set):
        assert choose(size, turned, own) == choose(size, offered, weights)
        assert choose(size, turned) == choose(size, offered)


def test_the_dynamic_programming_stays_below_the_best_set() -> None:
    # From the right, SCU 1 is said best by the last word (6), which leaves the first word nothing to add; but its
    # lesser wording there (4) and SCU 0 in the other two words (4) are worth more.
    early, middle, late = Candidate(0, 1, 1, 4, 0), Candidate(1, 3, 0, 4, 0), Candidate(2, 3, 1, 6, 0)
    assert best_set(3, [early, middle, late]) == [early, middle]
    assert programmed_set(3, [early, middle, late]) == [late]


def test_of_equally_similar_sequences_the_shorter() -> None:
    assert best_set(4, [Candidate(0, 4, 0, 5, 0), Candidate(1, 4, 0, 5, 0)]) == [Candidate(1, 4, 0, 5, 0)]


def test_an_scu_counts_once_and_the_better_sequence_is_kept() -> None:
    for first, second in ((600_000, 900_000), (900_000, 600_000)):
        twice = [Candidate(0, 1, 0, first, 0), Candidate(2, 3, 0, second, 0), Candidate(4, 5, 1, 500_000, 1)]
        for choose in (best_set, programmed_set):
            assert [one.first for one in choose(5, twice)] == [0 if first > second else 2, 4]


def test_words_that_a_lesser_sequence_of_an_scu_had_are_given_out_again() -> None:
    ship, the, captain, the_captain = (
        Candidate(0, 3, 0, 10, 0), Candidate(4, 5, 0, 5, 0), Candidate(5, 8, 1, 8, 1), Candidate(4, 8, 1, 10, 1),
    )  # fmt: skip
    # From the right, "the" for SCU 0 and "captain was saved" seem better (13) than "the captain was saved" alone (10).
    for choose in (best_set, programmed_set):
        assert choose(8, [ship, the, captain, the_captain]) == [ship, the_captain]


WORDS = st.lists(st.sampled_from(["fire", "fires", "ship", "the", "sank", "burning", "корабль"]), max_size=9)


@given(WORDS, st.lists(WORDS.filter(bool), min_size=1, max_size=4), st.integers(1, 9))
def test_overlaps_are_those_of_the_definition(peer: list[str], wordings: list[list[str]], longest: int) -> None:
    words = words_of(" ".join(peer))
    targets = targets_of(pyramid_of(*([" ".join(own)] for own in wordings)))
    seen = set()
    for firsts, lasts, table in unigram_overlaps(words, targets, longest):
        for first, last, row in zip(firsts.tolist(), lasts.tolist(), table, strict=True):
            seen.add((first, last))
            a = Counter(map(stem, peer[first:last]))
            for b, found in zip((Counter(map(stem, own)) for own in targets.forms), row, strict=True):
                assert found == 2 * (a & b).total() / (a.total() + b.total())
    n = len(peer)
    assert seen == {(a, b) for a in range(n) for b in range(a + 1, n + 1) if b - a <= longest}


def test_linkages_by_hand() -> None:
    similarities = np.array([[0.2, 0.5, 0.8, 0.4]])
    starts = np.array([0, 3])
    assert link_similarities(similarities, starts, "single").tolist() == [[800_000, 400_000]]
    assert link_similarities(similarities, starts, "complete").tolist() == [[200_000, 400_000]]
    assert link_similarities(similarities, starts, "average").tolist() == [[500_000, 400_000]]


@pytest.mark.parametrize(
    ("linkage", "overlap", "wording"), [("single", 1.0, 0), ("complete", 0.5, 1), ("average", 0.75, 0)]
)
def test_a_candidate_is_linked_by_the_wording_that_decides(linkage: str, overlap: float, wording: int) -> None:
    targets = targets_of(pyramid_of(["dogs bark", "cats and dogs sleep bark dogs"]))
    # "dogs bark": 2 * 2 / 4 with the first wording (in alphabetical order the second), 2 * 2 / 8 with the other
    found = candidates(unigram_overlaps(words_of("dogs bark"), targets, 9), targets, linkage, 0.1)
    whole = next(one for one in found if (one.first, one.last) == (0, 2))
    assert whole.similarity == overlap * SCALE
    assert targets.wordings[whole.wording] == ["dogs bark", "cats and dogs sleep bark dogs"][wording]


def test_sequences_stay_inside_sentences() -> None:
    words = words_of("The ship sank. It burned!")
    assert words.forms == ("the", "ship", "sank", "it", "burned")
    assert list(words.sentences()) == [(0, 3), (3, 5)]
    assert words.reach(2).tolist() == [2, 2, 1, 2, 1]


def test_what_is_left_are_the_clauses_that_no_sequence_touches() -> None:
    text = "The ship sank because the crew slept. Then it rained. No."
    targets = targets_of(pyramid_of(["the ship sank"]))
    found = annotation(Summary("p", text, "peer"), words_of(text), targets, [Candidate(0, 3, 0, SCALE, 0)], "en-minilm")
    assert [match.spans for match in found.matches] == [(Span(0, 13),)]
    said = [unit.spans[0].of(text) for unit in found.unmatched]
    assert said == ["because the crew slept", "Then it rained.", "No."]


def test_the_order_of_targets_depends_on_nothing_but_themselves() -> None:
    one = pyramid_of(["b", "c"], ["a"], ["d", "a"])
    other = Pyramid(
        "toy", one.references[::-1], tuple(SCU(s.id, s.label, s.contributors[::-1]) for s in one.scus[::-1])
    )
    assert targets_of(one).scus[0].id == targets_of(other).scus[0].id == "3"
    assert targets_of(one).wordings == targets_of(other).wordings == ("a", "d", "b", "c", "a")


def test_a_sentence_of_five_hundred_words_takes_twice_the_steps_of_half_of_it() -> None:
    rng = np.random.default_rng(0)
    forms = [f"word{number}" for number in rng.integers(0, 60, 1000)]
    targets = targets_of(pyramid_of(*([" ".join(forms[place : place + 8])] for place in range(0, 1000, 20))))

    def chosen(sentence: list[str]) -> Sequence[int]:
        words = words_of(" ".join(sentence))
        offered = candidates(unigram_overlaps(words, targets, 40), targets, "single", 0.3)
        return programmed_set(len(words.forms), offered)

    assert len(chosen(forms)) > 40
    assert steps(lambda: chosen(forms[:500])) < 2.1 * steps(lambda: chosen(forms[:250]))


@pytest.mark.parametrize(
    ("threshold", "longest"),
    [(0.0, 9), (1.1, 9), (float("nan"), 9), (0.5, 0)],
)
def test_settings_that_make_no_sense(threshold: float, longest: int) -> None:
    check(0.5, 9)
    with pytest.raises(PyramidionError):
        check(threshold, longest)
