"""What the papers tell of the older matchers (Harnly et al. 2005; Passonneau et al. 2013, 2018), claim by claim."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise, product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyramidion.analyses.accuracy import realsumm
from pyramidion.language.text.porter import stem
from pyramidion.matchers.harnly import harnly
from pyramidion.matchers.passonneau import passonneau
from pyramidion.model import Annotation, Summary
from pyramidion.stats.correlation import pearson
from tests.matchers.test_sequences import pyramid_of

WORDS = st.lists(st.sampled_from(["ship", "sank", "night", "storm", "captain", "the"]), min_size=1, max_size=6)


def cuts(size: int) -> Iterator[list[tuple[int, int]]]:
    """All ways to cut a sentence of so many words into sequences."""
    for ends in product((False, True), repeat=size - 1):
        edges = [0, *(place for place, cut in enumerate(ends, 1) if cut), size]
        yield list(pairwise(edges))


def dice(a: list[str], b: list[str]) -> float:
    one, other = Counter(map(stem, a)), Counter(map(stem, b))
    return 2 * (one & other).total() / (one.total() + other.total())


@given(WORDS, st.lists(WORDS, min_size=1, max_size=3), st.sampled_from([0.3, 0.5, 0.7]))
@settings(max_examples=60)
def test_harnly_finds_the_correspondences_that_maximise_the_sum_of_similarities(
    said: list[str], scus: list[list[str]], threshold: float
) -> None:
    """Hirao et al. 2018 §2: all fragments of a sentence, unigram overlap, and the greatest sum of similarities.

    An SCU counts once (Nenkova et al. 2007 §2). Our programming may miss the optimum where sequences compete for an
    SCU; it never claims more, and has at least the best single correspondence.
    """
    found = harnly(pyramid_of(*([" ".join(own)] for own in scus)), peer(" ".join(said)), threshold=threshold)

    def similarity(first: int, last: int) -> tuple[float, tuple[str, ...]]:
        overlap, scu = min((-dice(said[first:last], own), own) for own in scus)  # of equals, the first by alphabet
        return -overlap, tuple(scu)

    best = 0.0
    for cut in cuts(len(said)):
        sums: dict[tuple[str, ...], float] = {}
        for first, last in cut:
            overlap, scu = similarity(first, last)
            if overlap >= threshold:
                sums[scu] = max(sums.get(scu, 0.0), overlap)
        best = max(best, sum(sums.values()))
    single = max(similarity(a, b)[0] for a in range(len(said)) for b in range(a + 1, len(said) + 1))
    total = sum(one.score for one in found.matches)
    assert total <= best + 1e-5 * len(said)
    if single >= threshold:
        assert total >= single - 1e-5


def peer(text: str) -> Summary:
    return Summary("peer", text, "peer")


def test_the_defaults_are_what_the_papers_found_best() -> None:
    """Steinberger et al. 2017 §2: unigram overlap, single linkage; Gao et al. 2019 §2: cosines of Guo and Diab's."""
    assert inspect.signature(harnly).parameters["linkage"].default == "single"
    settings_of = inspect.signature(passonneau).parameters
    assert [settings_of[name].default for name in ("similarity", "embedder")] == ["cosine", "wtmf"]


def test_latent_vectors_see_what_no_word_says() -> None:
    """Gao et al. 2019 §2: latent vectors in place of unigrams compare what is worded differently."""
    pyramid = pyramid_of(["the vessel sank in the ocean"])
    text = peer("A ship went down at sea.")
    by_words = passonneau(pyramid, text, similarity="unigram", threshold=0.3)
    by_meaning = passonneau(pyramid, text, similarity="cosine", threshold=0.3)
    assert not by_words.matches
    assert by_meaning.expressed == ("1",)


def test_a_script_of_2013_counts_the_weight_of_distinct_scus() -> None:
    """The published script of Passonneau et al. 2013 adds the weight of an SCU once, however often it is said."""
    pyramid = pyramid_of(["the ship sank", "the boat sank"], ["it was a storm"])
    found = passonneau(pyramid, peer("The ship sank. The ship sank. It was a storm."), similarity="unigram")
    assert found.expressed == ("1", "2")
    assert found.size == 3


def test_wmin_takes_each_scu_once_and_no_word_twice() -> None:
    """Passonneau et al. 2018 choose by weighted sets: as here, where one word would serve two SCUs."""
    pyramid = pyramid_of(["ship sank fast", "ship sank"], ["sank at night"])
    found = passonneau(pyramid, peer("The ship sank at night."), similarity="unigram", allocation="wmin", threshold=0.6)
    places = [set(range(one.spans[0].start, one.spans[0].end)) for one in found.matches]
    assert found.expressed
    assert sum(map(len, places)) == len(set().union(*places))


@pytest.mark.data
def test_systems_are_ranked_well_by_scores_that_are_too_low(data: Path) -> None:
    """Gao et al. 2019 §2: absolute scores of Harnly et al. are too low, rankings of systems accurate."""
    human: Counter[str] = Counter()
    machine: Counter[str] = Counter()
    for topic in realsumm.read(data / "realsumm", 12):
        assert topic.pyramid
        found: dict[str, Annotation] = {one.id: harnly(topic.pyramid, one, analyser="unicode") for one in topic.peers}
        for one in topic.annotations:
            human[one.summary.id] += len(one.expressed)
            machine[one.summary.id] += len(found[one.summary.id].expressed)
    names = sorted(human)
    assert machine.total() < human.total()
    r = pearson([human[name] for name in names], [machine[name] for name in names])
    assert r is not None
    assert r > 0.7
