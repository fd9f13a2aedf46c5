"""The assignment of a peer's EDUs, and the score that the knapsack normalises."""

from __future__ import annotations

import numpy as np
import pytest

from pyramidion.builders.extractive import edu_align
from pyramidion.errors import ModelError, PyramidionError
from pyramidion.explanation import explain
from pyramidion.matchers.edu import assign, edu
from pyramidion.matchers.knapsack import knapsack, limit, normalised, optimum
from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Source, Summary, Topic
from pyramidion.scoring import scores

A = "Algae spread in the lake. The council closed the lake to swimmers."
B = "Algae spread in the lake. Fishermen lost their income."
SOURCE = "It was hot. Algae spread in the lake. The council closed the lake to swimmers. Fishermen lost their income."


def pyramid() -> Pyramid:
    """Weights 2 (5 words), 1 (7 words), 1 (4 words); references of 12 and 9 words."""
    topic = Topic("lake", (Summary("A", A), Summary("B", B)), sources=(Source("1", SOURCE),))
    return edu_align(topic, analyser="unicode")


def read(text: str, threshold: float = 0.55) -> Annotation:
    return edu(pyramid(), Summary("p", text, "peer"), threshold=threshold, analyser="unicode")


def test_a_peer_is_scored_by_what_it_says_of_the_best_summary() -> None:
    """L_max is 12: the best summary says 2 + 1, whichever EDU of weight 1; the peer says 2 and something else."""
    annotation = read("Algae spread in the whole lake. It was hot.")
    assert [(match.scu, match.score) for match in annotation.matches] == [("1", 1.0)]
    assert [annotation.summary.quote(unit.spans) for unit in annotation.unmatched] == ["It was hot."]
    assert (limit(pyramid()), optimum(pyramid(), 12)) == (12, 3)
    assert normalised(pyramid(), annotation) == 2 / 3
    usual = scores(pyramid(), annotation)
    assert (usual.raw, usual.quality, usual.coverage) == (2, 2 / 3, 2 / 3)


def test_each_reference_has_its_due() -> None:
    assert normalised(pyramid(), read(A)) == 1
    assert normalised(pyramid(), read(B)) == 1
    assert normalised(pyramid(), read(B), 9) == 1


def test_what_exceeds_the_limit_counts_as_one() -> None:
    everything = read(SOURCE)
    assert scores(pyramid(), everything).raw == 4
    assert normalised(pyramid(), everything) == 1
    assert normalised(pyramid(), everything, 100) == 1


def test_the_threshold_is_met_by_just_as_much() -> None:
    """11 of 20 words are 0.55, 6 of 11 are less."""
    twenty, eleven = " ".join(f"w{n}" for n in range(20)), " ".join(f"v{n}" for n in range(11))
    reference = Summary("A", f"{twenty}. {eleven}.")
    own = Pyramid(
        "t", (reference,), tuple(SCU(str(n), text, (Contributor("A"),)) for n, text in enumerate((twenty, eleven)))
    )
    peer = Summary("p", " ".join(twenty.split()[:11]) + ". " + " ".join(eleven.split()[:6]) + ".", "peer")
    assert [match.scu for match in edu(own, peer, analyser="unicode").matches] == ["0"]


def test_an_edu_of_the_peer_says_one_of_the_pyramid_and_is_said_once() -> None:
    annotation = read("Algae spread in the lake. Algae spread in the lake.")
    assert len(annotation.matches) == len(annotation.unmatched) == 1


def test_of_equal_weights_the_more_similar_is_matched() -> None:
    assert assign(np.array([[0.6, 0.9]]), [1, 1]) == [(0, 1)]
    assert assign(np.array([[0.6, 0.9]]), [2, 1]) == [(0, 0)]
    assert assign(np.zeros((0, 2)), [2, 1]) == []
    assert assign(np.zeros((2, 0)), []) == []


@pytest.mark.parametrize("text", ["", " ", "...", "\u200b", "Слоны танцуют."])
def test_nothing_said_scores_nothing(text: str) -> None:
    annotation = read(text)
    assert annotation.matches == ()
    assert normalised(pyramid(), annotation) == 0


def test_a_pyramid_without_scus_gives_0() -> None:
    empty = Pyramid("t", (Summary("A", A),), ())
    annotation = edu(empty, Summary("p", A, "peer"), analyser="unicode")
    assert (normalised(empty, annotation), len(annotation.unmatched)) == (0.0, 2)


def test_units_without_words_are_never_matched() -> None:
    silent = Pyramid("t", (Summary("A", A),), (SCU("1", "...", (Contributor("A"),)),))
    assert edu(silent, Summary("p", A, "peer"), analyser="unicode").matches == ()


@pytest.mark.parametrize("threshold", [0.0, -1.0, 1.1, float("nan")])
def test_a_threshold_is_a_share(threshold: float) -> None:
    with pytest.raises(PyramidionError, match="above 0, up to 1"):
        read(A, threshold)


def test_bad_limits_and_annotations_are_errors() -> None:
    with pytest.raises(PyramidionError, match="The length of a summary is -1 words"):
        normalised(pyramid(), read(A), -1)
    with pytest.raises(ModelError, match="does not have"):
        normalised(pyramid(), Annotation(Summary("p", A, "peer"), (Match("99"),)))
    assert knapsack([1], [5], 4) == 0
    assert knapsack([1, 2], [0, 5], 4) == 1


def test_an_explanation_names_the_source_sentence_of_what_was_missed() -> None:
    found = explain(pyramid(), read("Algae spread in the lake."))
    assert [(one.label, one.weight) for one in found.missed] == [
        ("The council closed the lake to swimmers.", 1),
        ("Fishermen lost their income.", 1),
    ]
    assert [pyramid().scu(one.scu).sentence for one in found.missed] == [one.label for one in found.missed]
    assert [unit.scu for sentence in found.sentences for unit in sentence.units] == ["1"]


def test_a_peer_in_clauses() -> None:
    """With the embedded model a sentence has several EDUs, and one of them is enough for a match."""
    annotation = edu(pyramid(), Summary("p", "Algae spread in the lake because it was hot.", "peer"))
    assert [annotation.summary.quote(match.spans) for match in annotation.matches] == ["Algae spread in the lake"]
    assert [annotation.summary.quote(unit.spans) for unit in annotation.unmatched] == ["because it was hot."]
    assert [match.segment for match in annotation.matches] == ["1.1.1.0"]
