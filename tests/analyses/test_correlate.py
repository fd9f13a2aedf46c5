"""Columns of scores joined, correlated, tested; what is left out is said."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pyramidion.analyses.correlate import Sampling, correlate
from pyramidion.analyses.correlate.result import TestName
from pyramidion.analyses.scores.corpus import corpus_table
from pyramidion.analyses.scores.table import TABLE, ScoreTable, from_columns, from_rows, join
from pyramidion.errors import InputWarning, PyramidionError
from pyramidion.examples import example
from pyramidion.formats.score_tables import load_scores, load_topic_ids
from pyramidion.stats.corrections import adjust
from pyramidion.stats.levels import Draws

FEW = Draws("both", 100)


def source(name: str, **columns: str) -> ScoreTable:
    """Columns written as rows of topics, ``1 2 3 | 4 5 6``; a dot is a missing score."""
    made = {}
    for column, text in columns.items():
        rows = [row.split() for row in text.split("|")]
        made[column] = {
            (f"t{i}", f"s{j}"): None if cell == "." else float(cell)
            for i, row in enumerate(rows)
            for j, cell in enumerate(row)
        }
    return from_columns(made, TABLE, name)


def read(path: Path) -> ScoreTable:
    return from_rows(load_scores(path, placeholders=True), str(path))


def table(path: Path, text: str) -> Path:
    path.write_text(text.replace("/", "\n"))
    return path


def test_tables_are_joined_by_topic_and_system(tmp_path: Path) -> None:
    one = read(table(tmp_path / "a.csv", "topic,system,human/x,1,.5/x,2,.6/x,3,.9/y,1,.1/y,2,.2/y,3,/"))
    two = read(table(tmp_path / "b.csv", "system,topic,metric/2,x,6/1,x,5/9,x,1/3,x,7/1,y,3/2,y,4/3,y,5/1,z,0/"))
    found = join([one, two])
    assert (found.topics, found.systems) == (("x", "y"), ("1", "2", "3"))
    np.testing.assert_equal(found.columns["human"], [[0.5, 0.6, 0.9], [0.1, 0.2, np.nan]])
    np.testing.assert_equal(found.columns["metric"], [[5, 6, 7], [3, 4, 5]])
    assert found.notes == (
        "1 topic(s) that not all files have are left out: z.",
        "1 system(s) that not all files have are left out: 9.",
        "Of 6 cells are missing: human 1.",
    )


def test_numbered_systems_come_in_the_order_of_their_numbers() -> None:
    columns = {"c": {("t", name): 1.0 for name in ("10", "9", "b", "a")}}
    assert join([from_columns(columns, TABLE, "x")]).systems == ("9", "10", "a", "b")


def test_the_first_ten_of_mismatched_ids_are_listed() -> None:
    one = from_columns({"a": {("t", f"s{number:02}"): 1.0 for number in range(15)}}, TABLE, "one")
    two = from_columns({"b": {("t", f"S{number:02}"): 1.0 for number in range(15)}}, TABLE, "two")
    with pytest.raises(PyramidionError) as error:
        join([one, two])
    assert "No system is in all files (one: s00, s01, s02, s03, s04, s05, s06, s07, s08, s09 and 5 more; " in str(
        error.value
    )


def test_columns_of_one_name_are_told_apart_by_their_files() -> None:
    found = join([source("mine", f="1 2 3"), source("yours", f="3 2 1")])
    assert list(found.columns) == ["mine: f", "yours: f"]
    with pytest.raises(PyramidionError, match="Two files have a column"):
        join([source("mine", f="1 2 3"), source("mine", f="3 2 1")])


def test_a_table_without_topics_is_one_topic(tmp_path: Path) -> None:
    found = join([read(table(tmp_path / "a.csv", "system,human,metric/a,1,2/b,2,4/c,3,5/"))])
    assert (found.topics, found.systems) == (("",), ("a", "b", "c"))
    assert correlate(found, draws=FEW).correlations[0].by_coefficient["spearman"].value == 1.0


def test_two_rows_of_one_system_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(PyramidionError, match="Two rows name 'a' on topic 'x'"):
        read(table(tmp_path / "a.csv", "topic,system,human/x,a,1/x,a,2/"))


def test_placeholders_are_named_and_left_out_or_kept() -> None:
    given = source("a", human="1 2 -1 | 3 2 1", metric="1 2 3 | -1 0 -.5")
    dropped = join([given])
    assert np.isnan(dropped.columns["human"][0, 2])
    assert dropped.notes[0] == (
        "human: 1 cell(s) of -1 look like 'no score' (t0/s2) and are taken for missing; "
        "placeholders=keep takes them for numbers."
    )
    assert dropped.columns["metric"][1, 0] == -1  # other values are below 0, too
    kept = join([given], placeholders="keep")
    assert kept.columns["human"][0, 2] == -1
    assert "taken for numbers" in kept.notes[0]


def test_people_among_numbered_systems_are_left_out() -> None:
    columns = {"c": {("t", name): float(place) for place, name in enumerate(["1", "2", "3", "A", "B"])}}
    found = join([from_columns(columns, TABLE, "x")])
    assert found.systems == ("1", "2", "3")
    assert found.notes == ("2 people (A, B) are left out; people=keep takes them in.",)
    assert len(join([from_columns(columns, TABLE, "x")], people="keep").systems) == 5
    named = {"c": {("t", name): 1.0 for name in ("1", "A", "bart")}}
    assert len(join([from_columns(named, TABLE, "x")]).systems) == 3


def test_topics_are_chosen_by_a_file(tmp_path: Path) -> None:
    path = table(tmp_path / "topics.txt", "# mine/2005:/t1/t2, t9//2006:/t8/")
    assert load_topic_ids(path) == ("t1", "t2", "t9", "t8")
    given = source("a", human="1 2 | 3 4 | 5 6", metric="1 2 | 3 4 | 5 6")
    found = join([given], topics=("t1", "t2", "t9"))
    assert found.topics == ("t1", "t2")
    assert found.notes == ("2 of 3 topics asked for are there; not t9.",)
    with pytest.raises(
        PyramidionError,
        match="None of the 1 topics asked for is in the scores: x; choose from the topics of the scores: t0",
    ):
        join([given], topics=("x",))
    with pytest.raises(PyramidionError, match="no topic id"):
        load_topic_ids(table(tmp_path / "none.txt", "2005:/"))


def test_columns_are_found_in_any_case_and_by_their_beginning() -> None:
    found = join([source("a", Human="1 2", rouge_1="1 2", rouge_2="2 1")])
    assert (found.column_name("human"), found.column_name("hum")) == ("Human", "Human")
    with pytest.raises(PyramidionError, match="2 columns begin with 'rouge'; name one of: rouge_1, rouge_2"):
        found.column_name("rouge")
    with pytest.raises(PyramidionError, match="There is no column 'bleu'"):
        found.column_name("bleu")
    assert list(found.select(["rouge_2", "human"]).columns) == ["rouge_2", "Human"]


def columns(seed: int = 0, topics: int = 12, systems: int = 10) -> ScoreTable:
    random = np.random.default_rng(seed)
    quality = random.normal(size=systems)
    values = {
        name: quality + error * random.normal(size=(topics, systems))
        for name, error in (("human", 0.5), ("good", 0.5), ("bad", 9.0))
    }
    names = [f"t{i:02}" for i in range(topics)], [f"s{i:02}" for i in range(systems)]
    return ScoreTable(tuple(names[0]), tuple(names[1]), values)


def test_a_study_has_everything() -> None:
    found = correlate(columns(), against="bad", draws=FEW, accuracy=Sampling(samples=5))
    good, bad = found.correlations
    assert (good.column, bad.column, found.gold) == ("good", "bad", "human")
    assert good.by_coefficient["pearson"].interval is not None
    assert good.by_coefficient["kendall"].interval is None
    assert good.fisher is not None
    assert good.substitutability.by_estimate
    [test] = found.tests
    assert (test.column, test.against) == ("good", "bad")
    assert test.williams is not None
    assert test.permutation.difference == test.bootstrap.difference
    assert found.matrix.names == ("human", "good", "bad")
    assert [name for name, _ in found.accuracies] == ["good", "bad"]
    assert found.accuracies[0][1].mean > found.accuracies[1][1].mean
    parameters = dict(found.signature.parameters)
    assert parameters["topics"] == "5 samples of 11 of 12 without replacement"
    assert found == correlate(columns(), against="bad", draws=FEW, accuracy=Sampling(samples=5))


def test_the_gold_column_and_its_level_can_be_chosen() -> None:
    found = correlate(columns(), "good", level="summary", statistic="kendall", draws=FEW)
    assert [row.column for row in found.correlations] == ["human", "bad"]
    assert found.correlations[0].fisher is None
    tested = correlate(columns(), level="summary", against="bad", draws=FEW).tests[0]
    assert tested.williams is None


def test_constant_scores_and_two_systems_are_remarked() -> None:
    found = correlate(join([source("a", human="1 2 | 2 4", flat="1 1 | 1 1", metric="3 1 | 2 1")]), draws=FEW)
    assert "All scores are the same, so that nothing correlates: flat." in found.notes
    assert "There are two systems: any correlation over them is 1 or -1." in found.notes
    flat, metric = found.correlations
    assert (flat.by_coefficient["pearson"].value, flat.substitutability.by_estimate) == (None, None)
    assert metric.by_coefficient["pearson"].value == -1.0


def test_missing_cells_are_stated() -> None:
    given = join([source("a", human="1 2 3 | 2 . 4", metric="3 1 2 | 2 5 1")])
    own, common = correlate(given, draws=FEW), correlate(given, means="common", draws=FEW)
    assert own.notes[-1].startswith("Each column's means are over the cells it has")
    assert common.notes[-1].startswith("A cell that one of two columns lacks counts for neither")
    assert own.correlations[0].by_coefficient["pearson"].value != common.correlations[0].by_coefficient["pearson"].value
    assert own.correlations[0].by_coefficient["pearson"].cells == 5


@pytest.mark.parametrize(
    ("given", "settings", "message"),
    [
        (source("a", human="1 2 3"), {}, "only one column of scores"),
        (source("a", human="1", metric="1"), {}, "There is only one system"),
        (source("a", human="1 2", metric="1 2"), {"gold": "nobody"}, "There is no column 'nobody'"),
        (source("a", human="1 2", metric="1 2"), {"against": "human"}, "Nothing can be tested against 'human'"),
        (source("a", human="1 2", metric="1 2"), {"against": "metric"}, "Nothing can be tested"),
    ],
)
def test_bad_input_is_named(given: ScoreTable, settings: dict[str, str], message: str) -> None:
    with pytest.raises(PyramidionError, match=message):
        correlate(join([given]), **settings)  # type: ignore[arg-type]


def test_one_system_on_several_topics_correlates_globally() -> None:
    found = correlate(join([source("a", human="1 | 2 | 3", metric="1 | 3 | 4")]), level="global", draws=FEW)
    assert found.correlations[0].by_coefficient["spearman"].value == 1.0


def test_columns_without_a_score_are_an_error() -> None:
    with pytest.raises(PyramidionError, match="No column has a score"):
        join([source("a", human=". .")])


def test_a_corpus_has_the_columns_of_people_metrics_and_methods() -> None:
    found = corpus_table("demo", example(), ["rouge-2", "lexical-pyramid"])
    assert list(found.columns) == ["manual", "rouge-2", "lexical-pyramid"]
    assert len(found.topics) == len(example())
    assert ((found.columns["rouge-2"] >= 0) & (found.columns["rouge-2"] <= 1)).all()
    bare = list(example())[:1]
    assert list(corpus_table("demo", bare, [], ["manual"]).columns) == ["manual"]


def test_p_values_are_corrected_for_the_number_of_columns() -> None:
    given = columns()
    more = {
        **given.columns,
        "fair": given.columns["good"] + given.columns["bad"] / 9,
        "worse": given.columns["bad"][:, ::-1],
    }
    study = correlate(replace(given, columns=more), against="bad", draws=FEW)
    names: tuple[TestName, ...] = ("permutation", "bootstrap", "williams")
    for name in names:
        p = [getattr(one, name).p for one in study.tests]
        assert [one.adjusted[name] for one in study.tests] == pytest.approx(adjust(p, "holm").tolist())
    plain = correlate(replace(given, columns=more), against="bad", correction="none", draws=FEW)
    assert [one.adjusted["permutation"] for one in plain.tests] == pytest.approx(
        [one.permutation.p for one in plain.tests]
    )
    assert dict(study.signature.parameters)["correction"] == "holm"


def test_what_draws_from_few_is_not_believed() -> None:
    study = correlate(columns(systems=9), draws=FEW)
    assert (
        "Intervals and tests that draw from 9 systems are not to be believed: nothing is shown by them." in study.notes
    )
    assert {row.substitutability.by_interval for row in study.correlations} == {"open"}
    assert not correlate(columns(), draws=FEW).notes


def test_a_column_without_scores_is_named_with_its_file() -> None:
    notes = join([source("a", x="1 2 3", n=". . ."), source("b", x="2 1 3", n=". . .")]).notes
    assert notes[:2] == ("a: n has no score here and is left out.", "b: n has no score here and is left out.")


def test_rows_without_a_signature_are_not_taken_for_those_of_one(tmp_path: Path) -> None:
    mixed = table(tmp_path / "a.csv", "topic,system,x,signature/t,1,.5,method:lite|version:1/t,2,.6,/u,1,.1,/u,2,.2,/")
    with pytest.warns(
        InputWarning, match="computed in 2 ways, which may not be comparable: method:lite.version:1; unknown"
    ):
        assert [made for _, made in read(mixed).made] == ["method:lite|version:1", "unknown"]
