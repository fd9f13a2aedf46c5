"""Stored answers stand in for networks that had not seen a document."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from pyramidion.analyses.accuracy.held_out import held_out
from pyramidion.analyses.accuracy.matching import match_topics
from pyramidion.analyses.accuracy.realsumm import read
from pyramidion.errors import PyramidionError
from pyramidion.language.entailment.held_out_answers import HeldOutAnswers, held_out_answers, key
from pyramidion.language.entailment.network import entailment_network
from pyramidion.methods import Method


def stored(answers: dict[tuple[str, str], tuple[float, float]]) -> HeldOutAnswers:
    network = entailment_network()
    rows = sorted((key(*network.pieces(pair)), row) for pair, row in answers.items())
    file = BytesIO()
    np.savez(
        file, keys=np.array([k for k, _ in rows], np.uint64), answers=np.array([row for _, row in rows], np.float16)
    )
    return HeldOutAnswers(network, file.getvalue())


def test_answers_are_found_by_the_pieces_of_text_and_unit() -> None:
    answers = stored({("The lake froze.", "It froze."): (0.75, 0.125), ("The lake", "froze. It froze."): (0.25, 0.5)})
    assert answers.probabilities("The lake froze.", ["It froze."]).tolist() == [[0.75, 0.125, 0.125]]
    assert answers.probabilities("the  lake", ["froze. it froze."]).tolist() == [[0.25, 0.5, 0.25]]
    ((row,),) = answers.each([("The lake froze.", ["It froze."])])
    assert row.tolist() == [0.75, 0.125, 0.125]


@pytest.mark.parametrize(("text", "unit"), [("The lake thawed.", "It froze."), ("The lake froze.", "It melted.")])
def test_what_was_not_asked_is_an_error(text: str, unit: str) -> None:
    answers = stored({("The lake froze.", "It froze."): (0.75, 0.125)})
    with pytest.raises(PyramidionError, match="The folds have no answer to 'It .* measure REALSumm as published"):
        answers.probabilities(text, [unit])


def test_the_shipped_answers_are_probabilities() -> None:
    answers = held_out_answers()._answers.astype(float)
    assert len(answers) > 50_000
    assert answers.min() >= 0
    assert answers.sum(axis=1).max() < 1.002


@pytest.mark.data
def test_folds_of_realsumm_are_judged_by_networks_that_had_not_seen_them(data: Path) -> None:
    topics = read(data / "realsumm")[:2]
    ((judge, fold),) = held_out(Method.parse("given+entails"), topics, [tuple(topic.id for topic in topics)])
    ours = Method.parse("given+entails")
    differences = []
    for topic in fold:
        assert topic.pyramid is not None
        for peer in topic.peers[:1]:
            apart = dict(judge(topic.pyramid, peer).probabilities)
            seen = dict(ours.match(topic.pyramid, peer).probabilities)
            differences += [abs(apart[scu] - seen[scu]) for scu in seen]
    assert 0.001 < np.mean(differences) < 0.3


@pytest.mark.data
def test_stored_answers_tell_nothing_of_the_speed(data: Path) -> None:
    topics = read(data / "realsumm")[:2]
    answer = match_topics(topics, Method.parse("given+entails"), [tuple(topic.id for topic in topics)])
    assert answer.pairs > 0
    assert answer.pairs_per_second is None
