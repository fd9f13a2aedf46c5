"""Passonneau et al. 2013, 2018: Ratcliff/Obershelp against difflib, its bounds, cosines, allocation, odd input."""

from __future__ import annotations

from collections.abc import Callable
from difflib import SequenceMatcher

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyramidion.errors import PyramidionError
from pyramidion.language.vectors import embedder
from pyramidion.matchers.harnly import harnly
from pyramidion.matchers.passonneau import (
    THRESHOLDS,
    _by_strings,
    cosines,
    passonneau,
    ratcliff_bounds,
    ratio,
    threshold_of,
)
from pyramidion.matchers.sequences import targets_of, words_of
from pyramidion.model import Annotation, Summary
from tests.matchers.test_sequences import pyramid_of
from tests.operations import steps

COMBINE: dict[str, Callable[[list[float]], float]] = {
    "single": max,
    "complete": min,
    "average": lambda own: sum(own) / len(own),
}
STRINGS = st.text("ab c", max_size=25) | st.text(max_size=12)


def peer(text: str) -> Summary:
    return Summary("peer", text, "peer")


def difflib_ratio(a: str, b: str) -> float:
    return SequenceMatcher(None, a, b, autojunk=False).ratio()


@given(STRINGS, STRINGS)
@settings(max_examples=200)
def test_the_ratio_is_that_of_difflib(a: str, b: str) -> None:
    assert ratio(a, b) == difflib_ratio(a, b)


def test_the_ratio_of_long_strings_is_that_of_difflib() -> None:
    letters = np.random.default_rng(1).choice(list("the cat sat on a mat"), (2, 1500))
    a, b = ("".join(own) for own in letters.tolist())
    assert ratio(a, b) == difflib_ratio(a, b)


WORDS = st.lists(st.text("abcde", min_size=1, max_size=9), min_size=1, max_size=9)


@given(WORDS, st.lists(WORDS, min_size=1, max_size=3), st.integers(1, 5), st.sampled_from([0.0, 0.3, 0.6, 1.0]))
def test_bounds_are_never_below_the_ratio(
    said: list[str], wordings: list[list[str]], longest: int, threshold: float
) -> None:
    words = words_of(" ".join(said))
    targets = targets_of(pyramid_of(*([" ".join(own)] for own in wordings)))
    strings = [" ".join(own) for own in targets.forms]
    seen = {}
    for firsts, lasts, table in ratcliff_bounds(words, targets, longest, threshold):
        for first, last, row in zip(firsts.tolist(), lasts.tolist(), table, strict=True):
            seen[first, last] = row
    for first in range(len(said)):
        for last in range(first + 1, min(first + longest, len(said)) + 1):
            exact = [ratio(" ".join(words.forms[first:last]), one) for one in strings]
            if (first, last) in seen:
                assert (seen[first, last] >= np.array(exact) - 1e-12).all()
                assert seen[first, last].max() <= 1
            else:
                assert threshold
                assert max(exact) < threshold


def test_the_bound_is_the_longest_common_subsequence_across_blocks_of_bits() -> None:
    a = " ".join(["abcdefghij"] * 15)
    b = a[:40] + "x" + a[40:100] + "yz" + a[100:]
    bounds = list(ratcliff_bounds(words_of(a), targets_of(pyramid_of([b])), 40))
    assert bounds[0][2].max() == pytest.approx(2 * len(a) / (len(a) + len(b)))


@given(WORDS, st.lists(st.lists(WORDS, min_size=1, max_size=2), min_size=1, max_size=3), st.floats(0.3, 1))
@settings(max_examples=40)
@pytest.mark.parametrize("linkage", ["single", "complete", "average"])
def test_pruning_loses_no_candidate(
    linkage: str, said: list[str], scus: list[list[list[str]]], threshold: float
) -> None:
    words = words_of(" ".join(said))
    targets = targets_of(pyramid_of(*([" ".join(own) for own in scu] for scu in scus)))
    found = {(one.first, one.last): one for one in _by_strings(words, targets, linkage, threshold, 9)}
    combine = COMBINE[linkage]
    ends = [*targets.starts.tolist()[1:], len(targets.forms)]
    for first in range(len(said)):
        for last in range(first + 1, len(said) + 1):
            text = " ".join(words.forms[first:last])
            every = [
                round(combine([difflib_ratio(text, " ".join(own)) for own in targets.forms[a:b]]) * 10**6)
                for a, b in zip(targets.starts.tolist(), ends, strict=True)
            ]
            if max(every) >= round(threshold * 10**6):
                assert found[first, last].similarity == max(every)
                assert found[first, last].scu == every.index(max(every))
            else:
                assert (first, last) not in found


def test_cosines_are_those_of_the_words_alone() -> None:
    words = words_of("The ship sank slowly. It burned.")
    targets = targets_of(pyramid_of(["the boat went down"], ["there was a fire"]))
    model = embedder("wtmf")
    table = {
        (int(a), int(b)): row for own in cosines(words, targets, 3, "wtmf") for a, b, row in zip(*own, strict=True)
    }
    assert set(table) == {
        (0, 1),
        (0, 2),
        (0, 3),
        (1, 2),
        (1, 3),
        (1, 4),
        (2, 3),
        (2, 4),
        (3, 4),
        (4, 5),
        (4, 6),
        (5, 6),
    }
    expected = model(["ship sank slowly"]) @ model(targets.wordings).T
    assert table[1, 4] == pytest.approx(expected[0], abs=1e-6)


def test_weights_decide_before_similarities() -> None:
    pyramid = pyramid_of(["alpha beta gamma delta"], ["alpha beta zeta", "omega"])
    text = peer("alpha beta gamma delta")
    # The whole is SCU 1 word for word; its half is .8 of SCU 2, which weighs more; the other half is .67 of SCU 1.
    assert harnly(pyramid, text, threshold=0.7).expressed == ("1",)
    assert passonneau(pyramid, text, similarity="unigram", threshold=0.7).expressed == ("2",)
    assert passonneau(pyramid, text, similarity="unigram", threshold=0.6).expressed == ("2", "1")


def test_wmin_takes_the_best_sequence_of_each_sentence_and_scu() -> None:
    pyramid = pyramid_of(["the ship sank", "the boat sank"], ["the captain was saved"])
    found = passonneau(
        pyramid, peer("The ship sank but the captain was saved."), similarity="unigram", allocation="wmin"
    )
    assert [(one.scu, one.score) for one in found.matches] == [("1", 1.0), ("2", 1.0)]


@pytest.mark.parametrize("similarity", ["unigram", "ratcliff"])
def test_a_sentence_of_a_thousand_words_takes_twice_the_steps_of_half_of_it(similarity: str) -> None:
    rng = np.random.default_rng(0)
    words = [f"word{number}" for number in rng.integers(0, 300, 1000)]
    pyramid = pyramid_of(*([" ".join(words[place : place + 8])] for place in range(0, 1000, 100)))

    def found(sentence: list[str]) -> Annotation:
        return passonneau(pyramid, peer(" ".join(sentence)), similarity=similarity, threshold=0.8)

    assert len(found(words).matches) == 10
    assert steps(lambda: found(words)) < 2.1 * steps(lambda: found(words[:500]))


def test_thresholds() -> None:
    assert threshold_of("cosine", "wtmf") == THRESHOLDS["cosine:wtmf"]
    assert threshold_of("ratcliff", "whatever") == THRESHOLDS["ratcliff"]
    with pytest.raises(PyramidionError, match="No threshold has been calibrated"):
        passonneau(pyramid_of(["a"]), peer("a"), embedder="minilm")


@pytest.mark.parametrize(
    "bad",
    [{"similarity": "jaccard"}, {"allocation": "greedy"}, {"linkage": "ward"}, {"threshold": -0.1}, {"longest": 0}],
)
def test_bad_settings(bad: dict[str, object]) -> None:
    with pytest.raises(PyramidionError) as caught:
        passonneau(pyramid_of(["a"]), peer("a"), **bad)  # type: ignore[arg-type]
    assert str(next(iter(bad.values()))) in str(caught.value)
