"""Scores by name, human scores, and combinations of a corpus's scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isnan
from pathlib import Path
from typing import Any

import pytest

from pyramidion.analyses.combine import Combinations, Combined
from pyramidion.analyses.combine import combine as study
from pyramidion.analyses.scores.corpus import ANNOTATED, Score, annotated, values_of
from pyramidion.analyses.scores.table import TABLE, ScoreTable, from_values
from pyramidion.errors import InputWarning, ModelError, PyramidionError
from pyramidion.evaluation.evaluate import evaluate
from pyramidion.examples import example
from pyramidion.metrics import metric
from pyramidion.model import Topic
from pyramidion.stats.correlation import pearson
from tests.analyses.test_tune import register


@pytest.fixture(autouse=True)
def _toys(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch)


PAIR = ("given+toy", "rouge-su4")


def combine(
    topics: list[Topic], names: Sequence[str], human: ScoreTable | None = None, **settings: Any
) -> tuple[Combined, ...]:
    return study(topics, names, human, **settings).combinations


@pytest.mark.parametrize(
    ("name", "of", "quantity", "printed"),
    [
        ("rouge-su4", "rouge-su4", "recall", "rouge-su4"),
        (" ROUGE-SU4 : F ", "rouge-su4", "f", "rouge-su4:f"),
        ("be-hm:precision", "be-hm", "precision", "be-hm:precision"),
        ("lexical-pyramid", "lexical-pyramid", "coverage", "lexical-pyramid"),
        ("lexical-pyramid:raw", "lexical-pyramid", "raw", "lexical-pyramid:raw"),
        ("meaning+entails", "pyramidion", "coverage", "pyramidion"),
        ("given+wmin(analyser=conllu:FILE)", "given+wmin(analyser=conllu:FILE)", "coverage", None),
        ("given+toy(threshold=0.3):raw", "given+toy(threshold=0.3)", "raw", None),
    ],
)
def test_a_score_prints_as_it_parses(name: str, of: str, quantity: str, printed: str | None) -> None:
    score = Score.parse(name)
    assert (str(score.of), score.quantity, str(score)) == (of, quantity, printed or name)
    assert Score.parse(str(score)) == score


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("rouge-su4:coverage", "'rouge-su4' has no score 'coverage'; choose one of: recall, precision, f"),
        ("given+toy:recal", "'given.toy' has no score 'recal'; choose one of: coverage, raw"),
        ("rouge-x", "There is no metric 'rouge-x'"),
        ("bleu", "There is no score 'bleu'; name a method .*rouge-su4"),
        ("", "There is no score ''"),
        ("given+magic", "There is no matcher 'magic'"),
        ("given+toy(thresh=1)", "has no parameter 'thresh'"),
    ],
)
def test_a_name_that_is_no_score_is_said(name: str, message: str) -> None:
    with pytest.raises(PyramidionError, match=message):
        Score.parse(name)


def test_values_are_those_of_evaluate_and_of_the_metrics() -> None:
    topics = example()
    calls: list[int] = []
    found = values_of(topics, Score.parse("given+toy:quality"), lambda: calls.append(1))
    assert len(calls) == len(found) == 12
    own = {(one.scores.topic, one.scores.summary): one.scores.quality for one in evaluate(topics, "given+toy").results}
    assert found == own
    for stem in (True, False):
        rouge = values_of(topics, Score.parse("rouge-2:f", stem=stem))
        texts = [reference.text for reference in topics[0].references]
        peer = topics[0].peers[0]
        assert rouge[topics[0].id, peer.id] == metric("rouge-2", stem=stem).score(peer.text, texts)[2]


def test_people_are_the_corpus_s_annotations_if_nobody_brings_a_table() -> None:
    topics = example()
    human = annotated(topics)
    manual = evaluate(topics, "manual").results
    assert human.by_peer() == {(one.scores.topic, one.scores.summary): one.scores.coverage for one in manual}
    assert human.score == ANNOTATED
    found = combine(topics, PAIR, samples=20)[0]
    assert found == combine(topics, PAIR, human, samples=20)[0]
    assert found.combination.worth["first"]["pearson"].value == pytest.approx(pearson(found.values[0], found.values[2]))
    assert f"|human:{ANNOTATED}|" in str(found.signature)


def test_the_last_is_combined_with_each_of_the_others_and_computed_once() -> None:
    calls: list[int] = []
    found = combine(
        example(), ["given+toy", "lexical-pyramid", "rouge-2"], samples=10, progress=lambda: calls.append(1)
    )
    assert [one.name for one in found] == ["given+toy + rouge-2", "lexical-pyramid + rouge-2"]
    assert found[0].values[1] == found[1].values[1]
    assert len(calls) == 3 * 12


def test_the_order_of_topics_and_peers_changes_nothing() -> None:
    turned = [replace(topic, peers=topic.peers[::-1], references=topic.references[::-1]) for topic in example()[::-1]]
    assert combine(turned, PAIR, samples=50) == combine(example(), PAIR, samples=50)


def table(topics: list[Topic]) -> dict[tuple[str, str], float]:
    peers = [(topic.id, peer.id) for topic in topics for peer in topic.peers]
    return {peer: float(place % 5) for place, peer in enumerate(peers)}


def test_peers_without_a_human_score_are_left_out() -> None:
    topics = example()
    values = table(topics)
    del values[topics[0].id, topics[0].peers[0].id]
    found = combine(topics, PAIR, from_values(values, "judged", TABLE), samples=10)[0]
    assert len(found.peers) == found.combination.summaries == 11
    assert not any(isnan(value) for row in found.values for value in row)


def test_a_peer_that_a_method_cannot_score_counts_nowhere() -> None:
    topics = example()
    first = replace(topics[0], annotations=topics[0].annotations[1:])
    with pytest.warns(InputWarning, match="no annotation of"):
        found = combine(
            [first, topics[1]], ["manual", "rouge-2"], from_values(table(topics), "judged", TABLE), samples=10
        )[0]
    assert found.combination.summaries == 11
    assert sum(isnan(value) for value in found.values[0]) == 1
    assert sum(row["first"] is None for row in found.to_json()["scores"]) == 1


def test_one_topic_is_cross_validated_over_peers() -> None:
    found = combine(example()[:1], PAIR, samples=20)[0]
    assert (found.combination.units, len(found.combination.chosen)) == ("peer", 6)
    assert "6 by peer" in str(found.signature)
    assert "all of one topic; intervals over peers" in Combinations(found.signature, (found,)).table("worth").title


def few(topics: list[Topic], peers: int) -> list[Topic]:
    return [replace(topic, peers=topic.peers[:peers], annotations=()) for topic in topics]


def test_two_peers_are_too_few_and_two_of_each_of_two_topics_are_not() -> None:
    human = from_values(table(example()), "judged", TABLE)
    with pytest.raises(ModelError, match="Only 2 summaries have all three scores; give 4 or more"):
        combine(few(example()[:1], 2), PAIR, human)
    assert combine(few(example(), 2), PAIR, human, samples=10)[0].combination.summaries == 4


def test_a_constant_score_is_warned_of_and_two_are_an_error() -> None:
    with pytest.warns(InputWarning, match=r"given\+toy\(threshold=2.0\) gives every summary 0: it cannot add anything"):
        found = combine(example(), ["given+toy(threshold=2.0)", "rouge-2"], samples=10)[0].combination
    assert found.curve["pearson"][-1] is None
    assert found.worth["held out"]["pearson"].value == pytest.approx(found.worth["second"]["pearson"].value)
    with (
        pytest.raises(ModelError, match="Both scores are the same for every summary"),
        pytest.warns(InputWarning, match="it cannot add anything"),
    ):
        combine(example(), ["given+toy(threshold=2.0)", "given+toy(threshold=3.0)"])


@pytest.mark.parametrize(
    ("names", "settings", "message"),
    [
        (["rouge-2"], {}, "1 score cannot be combined; name two"),
        (["rouge-2", "ROUGE-2:recall"], {}, "rouge-2 is named twice, but a score cannot be combined with itself"),
        (["manual", "rouge-2"], {}, "manual is the human score that the others are compared with"),
        (PAIR, {"alpha": 1.5}, "Alpha cannot be 1.5; use a number from 0 to 1"),
        (PAIR, {"steps": 0}, "A curve of 0 steps has no points"),
        (PAIR, {"folds": 7}, "7 folds cannot be made of 2 topics"),
        (["given+toy:normalised", "rouge-2"], {}, "has no score 'normalised'"),
    ],
)
def test_bad_requests_are_said(names: list[str], settings: dict[str, float], message: str) -> None:
    with pytest.raises(PyramidionError, match=message):
        combine(example(), names, **settings)  # type: ignore[arg-type]


def test_missing_human_scores_are_said() -> None:
    with pytest.raises(PyramidionError, match="There are no human scores: no topic has a pyramid and annotations"):
        combine([replace(topic, annotations=()) for topic in example()], PAIR)
    with pytest.raises(ModelError, match="Every summary has the human score 1"):
        combine(example(), PAIR, from_values(dict.fromkeys(table(example()), 1.0), "flat", TABLE))


def test_tables_hold_table_1_the_gains_and_figure_2() -> None:
    found = study(example(), ["given+toy", "lexical-pyramid", "rouge-2"], steps=4, samples=20)
    worth = found.table("worth")
    assert [row[:2] for row in worth.rows] == [
        ("given+toy", "alone"),
        ("lexical-pyramid", "alone"),
        ("rouge-2", "alone"),
        *(("given+toy + rouge-2", way) for way in ("blind", "best", "held out")),
        *(("lexical-pyramid + rouge-2", way) for way in ("blind", "best", "held out")),
    ]
    assert len(worth.columns) == len(worth.keys) == len(set(worth.keys)) == 12
    assert "No intervals: it takes 6 topics, and here are 2." in worth.caption
    assert {row[4:6] for row in worth.rows} == {(None, None)}
    gains = found.table("gains")
    assert len(gains.rows) == 8
    blind, alone = worth.rows[3][3], worth.rows[2][3]
    assert gains.rows[1][3] == pytest.approx(blind - alone)  # type: ignore[operator]
    curve = found.table("curve")
    assert [row[1] for row in curve.rows] == [0, 0.25, 0.5, 0.75, 1] * 2
    assert curve.rows[0][2] == pytest.approx(alone)


@pytest.mark.data
def test_annotations_of_realsumm_are_its_human_scores(data: Path) -> None:
    from pyramidion.analyses.accuracy.realsumm import human_scores, read

    topics = read(data / "realsumm", 4)
    assert annotated(topics).by_peer() == pytest.approx(human_scores(topics))
    found = combine(topics, ["rouge-1", "rouge-su4"], samples=100)[0].combination
    assert (found.summaries, found.units, len(found.chosen)) == (100, "topic", 4)
    assert 0.3 < (found.worth["second"]["pearson"].value or 0) < 0.9
