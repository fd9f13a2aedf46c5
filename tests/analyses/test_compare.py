"""Systems compared: from scores and annotations to letters, with what is missing named."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from pyramidion.analyses.compare import Comparison, compare
from pyramidion.analyses.compare.result import Test
from pyramidion.analyses.measure import measure
from pyramidion.analyses.scores.table import (
    ScoreTable,
    from_evaluation,
    from_measured,
    from_rows,
    from_values,
    suspected_placeholders,
)
from pyramidion.errors import InputWarning, PyramidionError
from pyramidion.evaluation.evaluate import evaluate
from pyramidion.examples import example
from pyramidion.formats.score_tables import load_scores
from pyramidion.metrics import metric
from pyramidion.signature import Signature

SIGNATURE = Signature("table")
OVER_TOPICS: tuple[Test, ...] = ("wilcoxon", "bootstrap", "randomisation", "tukey")
EVERY: tuple[Test, ...] = (*OVER_TOPICS, "mcnemar", "permutation")


def scores_of(columns: Mapping[str, list[float]] | NDArray[np.float64]) -> ScoreTable:
    if isinstance(columns, np.ndarray):
        columns = {f"s{number}": column.tolist() for number, column in enumerate(columns.T)}
    values: dict[tuple[str, str], float | None] = {
        (f"t{topic:03}", system): value for system, column in columns.items() for topic, value in enumerate(column)
    }
    return from_values(values, "score", SIGNATURE)


@pytest.fixture(scope="module")
def random_scores() -> NDArray[np.float64]:
    generator = np.random.default_rng(0)
    found: NDArray[np.float64] = generator.normal([0.5, 0.5, 0.55, 0.8], 0.1, (30, 4)) + generator.normal(
        0, 0.2, (30, 1)
    )
    return found


@pytest.fixture(scope="module")
def annotated() -> ScoreTable:
    return from_evaluation(evaluate(example(), "manual"))


def no_nan(found: Comparison) -> None:
    assert "nan" not in repr(found).lower()


@pytest.mark.parametrize("test", OVER_TOPICS)
def test_the_best_comes_first_and_letters_follow_the_p_values(test: Test, random_scores: NDArray[np.float64]) -> None:
    found = compare(scores_of(random_scores), test)
    means = [one.mean for one in found.systems]
    assert means == sorted(means, reverse=True)
    assert found.systems[0].system == "s3"
    letters = {one.system: set(one.letters) for one in found.systems}
    assert len(found.pairs) == 6
    for pair in found.pairs:
        assert pair.significant == (pair.adjusted <= 0.05) == (not letters[pair.better] & letters[pair.worse])
        assert pair.adjusted >= pair.p
        assert pair.difference is not None
        assert pair.difference >= 0
        assert pair.interval is not None
        assert pair.interval.low < pair.difference < pair.interval.high
    assert all(pair.significant for pair in found.pairs if pair.better == "s3")
    assert dict(found.signature.parameters)["test"] == test
    no_nan(found)


def test_p_values_are_those_of_scipy(random_scores: NDArray[np.float64]) -> None:
    found = compare(scores_of(random_scores), correction="none")
    for pair in found.pairs:
        one, other = (random_scores[:, int(name[1])] for name in (pair.better, pair.worse))
        assert pair.p == pytest.approx(stats.wilcoxon(one - other, method="asymptotic").pvalue, abs=1e-11)
        assert pair.adjusted == pair.p
        assert pair.d == pytest.approx((one - other).mean() / (one - other).std(ddof=1))


@pytest.mark.parametrize("test", EVERY)
def test_neither_order_nor_names_change_anything(test: Test, annotated: ScoreTable) -> None:
    found = compare(annotated, test, samples=500)
    assert annotated.scus is not None
    turned = replace(
        annotated,
        topics=tuple(f"x{topic}" for topic in reversed(annotated.topics)),
        columns={annotated.score: annotated.values[::-1]},
    ).only(annotated.systems[::-1])
    again = compare(turned, test, samples=500)
    assert again.systems == found.systems
    assert again.pairs == found.pairs


def test_missing_cells_are_deleted_in_pairs_and_counted() -> None:
    generator = np.random.default_rng(1)
    matrix = generator.normal(0.5, 0.1, (12, 3))
    matrix[:2, 0] = np.nan
    with pytest.warns(InputWarning, match="2 of 36 scores are missing: t000/s0, t001/s0"):
        found = compare(scores_of(matrix))
    assert {(pair.better, pair.worse): pair.n for pair in found.pairs if "s0" in (pair.better, pair.worse)}
    for pair in found.pairs:
        assert pair.n == (10 if "s0" in (pair.better, pair.worse) else 12)
    assert "2 of 36 scores are missing: each pair is compared on the topics that both have." in found.notes
    no_nan(found)
    with pytest.warns(InputWarning, match="missing"):
        honest = compare(scores_of(matrix), "tukey")
    assert "2 of 36 scores are missing: 2 of 12 topics lack a score and are left out of the test." in honest.notes


def test_a_pair_without_a_common_topic_is_not_told_apart() -> None:
    nan = float("nan")
    scores = scores_of({"a": [0.1, 0.2, 0.3, nan, nan, nan], "b": [nan, nan, nan, 0.9, 0.8, 0.7], "c": [0.5] * 6})
    with pytest.warns(InputWarning, match="missing"):
        found = compare(scores)
    pair = next(pair for pair in found.pairs if {pair.better, pair.worse} == {"a", "b"})
    assert (pair.n, pair.difference, pair.interval, pair.p, pair.d) == (0, None, None, 1.0, None)
    assert "1 pair(s) have no topic in common: nothing tells them apart." in found.notes
    no_nan(found)


def test_mismatched_ids_are_listed() -> None:
    values: dict[tuple[str, str], float | None] = {(f"D{n}", "a"): 0.5 for n in range(12)}
    values |= {(f"d{n}.txt", "b"): 0.5 for n in range(12)}
    with pytest.raises(PyramidionError, match=r"No two systems have a topic in common \(a: D0, .* and 2 more; b: d0"):
        compare(from_values(values, "score", SIGNATURE))


@pytest.mark.parametrize("value", [-1.0, -99.0, 999.0])
def test_placeholders_are_suspected_and_can_be_left_out(value: float) -> None:
    scores = scores_of({"a": [0.1, 0.2, value, 0.4], "b": [0.2, 0.3, 0.4, value]})
    with pytest.warns(InputWarning, match=rf"2 score value\(s\) are {value:g} where .*: t002/a, t003/b; no_score"):
        compare(scores)
    assert suspected_placeholders(scores.without(value).values) == []
    with pytest.warns(InputWarning, match="2 of 8 scores are missing"):
        found = compare(scores, no_score=value)
    assert found.pairs[0].n == 2
    assert ("missing", f"{value:g}") in found.signature.parameters


def test_honest_negative_scores_are_not_suspected() -> None:
    assert suspected_placeholders(scores_of({"a": [-1, -0.5, 0.2], "b": [0.1, 0.2, 0.3]}).values) == []
    assert suspected_placeholders(scores_of({"a": [99, 98, 97], "b": [1, 2, 3]}).values) == []


@pytest.mark.parametrize("test", OVER_TOPICS)
def test_constant_scores_are_all_alike(test: Test) -> None:
    found = compare(scores_of({"a": [0.5] * 8, "b": [0.5] * 8, "c": [0.5] * 8}), test)
    assert {one.letters for one in found.systems} == {"a"}
    assert all(pair.p == 1 for pair in found.pairs)
    assert "All systems have the same score on every topic: nothing tells them apart." in found.notes
    no_nan(found)


def test_a_constant_difference_is_found_by_signs_and_not_by_draws() -> None:
    scores = scores_of({"a": [0.5] * 10, "b": [0.4] * 10})
    assert compare(scores, "randomisation").pairs[0].p == 2 / 2**10
    assert compare(scores, "wilcoxon").pairs[0].p == 2 / 2**10
    assert compare(scores, "bootstrap").pairs[0].p == 1
    with pytest.raises(PyramidionError, match="the error cannot be estimated"):
        compare(scores, "tukey")


def test_two_topics_cannot_show_anything() -> None:
    found = compare(scores_of({"a": [0.9, 0.8], "b": [0.1, 0.2]}))
    assert found.pairs[0].p == 0.5
    assert found.notes == (
        "With 2 topics no p-value is below 0.5: nothing can be significant at 0.05.",
        "No intervals: it takes 6 topics, and here are 2.",
    )
    three = scores_of({"a": [0.9] * 6, "b": [0.1] * 6, "c": [0.5] * 6})
    said = (
        "With 6 topics no p-value is below 0.031, 0.094 once adjusted for 3 pairs: nothing can be significant at 0.05."
    )
    assert compare(three).notes == (said,)
    assert compare(three, correction="bh").notes == ()
    assert all(pair.significant for pair in compare(three, correction="bh").pairs)


@pytest.mark.parametrize("test", ["wilcoxon", "bootstrap", "tukey"])
def test_from_five_topics_there_is_no_interval_of_any_kind(test: Test) -> None:
    scores = np.random.default_rng(0).normal(size=(6, 3)).tolist()
    few, enough = (compare(scores_of(np.array(scores[:count])), test, samples=500) for count in (5, 6))
    for found, has in ((few, False), (enough, True)):
        intervals = [system.interval for system in found.systems]
        intervals += [one for pair in found.pairs for one in (pair.interval, pair.d_interval)]
        assert {interval is not None for interval in intervals} == {has}
    assert all(pair.d is not None for pair in few.pairs)


def test_too_few_draws_are_said() -> None:
    scores = scores_of(np.random.default_rng(0).normal(size=(30, 5)))
    assert "draw more samples" in compare(scores, "bootstrap", samples=150).notes[0]
    assert compare(scores, "bootstrap", samples=250).notes == ()


def test_one_system_one_topic_and_unknown_names() -> None:
    with pytest.raises(PyramidionError, match=r"one system \(a\)"):
        compare(scores_of({"a": [1, 2]}))
    with pytest.raises(PyramidionError, match="two topics in common.*test mcnemar"):
        compare(scores_of({"a": [1], "b": [2]}))
    with pytest.raises(PyramidionError, match="no system 'z'; choose from the systems: a, b"):
        compare(scores_of({"a": [1, 2], "b": [2, 1]}), systems=["a", "z"])
    with pytest.raises(PyramidionError, match="twice"):
        compare(scores_of({"a": [1, 2], "b": [2, 1]}), systems=["a", "a"])
    with pytest.raises(PyramidionError, match="which these scores do not have"):
        compare(scores_of({"a": [1, 2], "b": [2, 1]}), "mcnemar")
    with pytest.raises(PyramidionError, match="level of significance is 0"):
        compare(scores_of({"a": [1, 2], "b": [2, 1]}), alpha=0)
    with pytest.raises(PyramidionError, match="infinite"):
        scores_of({"a": [1, float("inf")]})
    with pytest.raises(PyramidionError, match="No summary has a score"):
        scores_of({"a": [float("nan")]})
    gaps = scores_of({"a": [1, 2, 3], "b": [1, float("nan"), float("nan")], "c": [1, 3, 2]})
    with pytest.raises(PyramidionError, match="Fewer than two topics have a score of every system; b lack some"):
        compare(gaps, "tukey")


# SCUs


def test_two_summaries_of_one_topic_are_compared_by_their_scus() -> None:
    """§2.3: the original scores of one topic allow no conclusion, the vectors of SCUs do."""
    one_topic = from_evaluation(evaluate(example()[:1], "manual"))
    with pytest.raises(PyramidionError, match="two topics"):
        compare(one_topic, systems=["copy", "off-topic"])
    found = compare(one_topic, "mcnemar", systems=["copy", "off-topic"])
    assert found.scus is not None
    test = found.scus.mcnemar
    assert (test.only_second, found.scus.only_other) == (0, ())
    assert test.only_first == len(found.scus.only_one) == found.pairs[0].only_better
    assert found.pairs[0].p == test.p == 2 / 2**test.only_first
    weights = [scu.weight for scu in found.scus.only_one]
    assert weights == sorted(weights, reverse=True)
    no_nan(found)


def test_scus_add_up_to_coverage(annotated: ScoreTable) -> None:
    assert annotated.scus is not None
    for column, system in enumerate(annotated.systems):
        for row, topic in enumerate(annotated.topics):
            own = [place for place, scu in enumerate(annotated.scus.scus) if scu.topic == topic]
            total = (annotated.scus.presence[own, column] * annotated.scus.values[own]).sum()
            assert total == pytest.approx(annotated.values[row, column]), system


def test_more_data_than_topics_give(annotated: ScoreTable) -> None:
    over_topics, over_scus = compare(annotated), compare(annotated, "permutation")
    assert not any(pair.significant for pair in over_topics.pairs)
    assert any(pair.significant for pair in over_scus.pairs)
    assert "A test over SCUs speaks of these summaries, not of other topics." in over_scus.notes


# Power


def test_power_of_a_typical_pair(random_scores: NDArray[np.float64]) -> None:
    found = compare(scores_of(random_scores), power=0.05).power
    assert found is not None
    assert found.topics == 30
    assert found.deviation == pytest.approx(0.14, abs=0.03)
    assert found.needed is not None
    assert found.needed_wilcoxon is not None
    assert found.detectable is not None
    assert found.needed == pytest.approx((2.8 * found.deviation / 0.05) ** 2, rel=0.1)
    assert found.needed_wilcoxon == pytest.approx(found.needed, rel=0.5)
    with pytest.raises(PyramidionError, match="The differences between systems do not vary over topics"):
        compare(scores_of({"a": [1, 2], "b": [2, 3]}), power=0.1)
    with pytest.raises(PyramidionError, match="not a difference to find"):
        compare(scores_of({"a": [1, 2], "b": [2, 1]}), power=0)


# Where scores come from


def test_columns_of_a_table(tmp_path: Path) -> None:
    table = tmp_path / "scores.csv"

    def read(text: str, score: str = "") -> ScoreTable:
        table.write_text(text, "utf-8")
        return from_rows(load_scores(table), str(table)).column(score)

    whole = "topic,system,f,Score\nx,a,1,2\nx,b,1,2\ny,a,1,\ny,b,1,\n,a,1,2\nx,,1,2\n"
    found = read(whole)
    assert (found.score, found.topics, found.systems) == ("Score", ("x",), ("a", "b"))
    assert read(whole, "F").topics == ("x", "y")
    with pytest.raises(PyramidionError, match="no column 'g'.*the columns are: f, Score"):
        read(whole, "g")
    with pytest.raises(PyramidionError, match="Two rows name 'a' on topic 'x'"):
        read(whole + "x,a,1,2\n", "f")
    with pytest.raises(PyramidionError, match="one score per system"):
        compare(read("system,f\na,1\nb,2\n", "f"))
    with pytest.raises(PyramidionError, match="not clear which column"):
        read("topic,system,f,g\nx,a,1,1\n")
    with pytest.raises(PyramidionError, match="too large for a score"):
        read("topic,system,f\nx,a,1e200\n")


def test_rows_by_several_annotators_are_averaged(tmp_path: Path) -> None:
    table = tmp_path / "scores.csv"
    table.write_text("topic,peer,annotator,f\nx,a,Anna,1\nx,a,Ben,2\nx,a,Eve,\nx,b,Anna,\ny,b,Ben,4\n", "utf-8")
    found = from_rows(load_scores(table), str(table)).column()
    assert np.array_equal(found.values, [[1.5, np.nan], [np.nan, 4]], equal_nan=True)


def test_a_metric_s_scores() -> None:
    measured = measure(example(), {"rouge-1": metric("rouge-1")})
    found = from_measured(measured, "rouge-1")
    assert (found.score, found.values.shape) == ("recall", (2, 6))
    assert from_measured(measured, "rouge-1", "f").score == "f"
    with pytest.raises(PyramidionError, match="no score 'g'; choose from: recall, precision, f"):
        from_measured(measured, "rouge-1", "g")


def test_several_annotations_of_a_summary_are_averaged_and_outvoted() -> None:
    topic = example()[0]
    copy = next(one for one in topic.annotations if one.summary.id == "copy")
    empty = replace(copy, matches=(), annotator="b", probabilities=())
    both = replace(topic, annotations=(*(one for one in topic.annotations if one is not copy), copy, empty))
    with pytest.warns(InputWarning, match="several annotations"):
        found = from_evaluation(evaluate([both], "manual"))
    alone = from_evaluation(evaluate([topic], "manual"))
    place = found.systems.index("copy")
    assert found.values[0, place] == pytest.approx(alone.values[0, place] / 2)
    assert found.scus is not None
    assert found.scus.presence[:, place].sum() == 0  # one of two is no majority


def test_ranks_against_the_mean_are_said() -> None:
    """One system is a little better on 19 topics and far worse on one: the mean and the signed ranks disagree."""
    columns = {"a": [0.5 + 0.01 * topic for topic in range(20)], "b": [0.49 + 0.01 * topic for topic in range(20)]}
    columns["b"][3] = 3.0
    found = compare(scores_of(columns))
    [pair] = found.pairs
    assert (pair.better, pair.significant) == ("b", True)
    assert pair.rank_biserial < 0
    assert "The test finds a over b: on most topics better, though lower in the mean." in found.notes
