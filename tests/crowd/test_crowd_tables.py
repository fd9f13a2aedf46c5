"""A crowd evaluation's results as tables, JSON and a picture."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from dataclasses import replace

import pytest

from pyramidion.base.tables import render
from pyramidion.crowd.cost import TopicSize
from pyramidion.crowd.design import Design
from pyramidion.crowd.judging.judgements import Judgements
from pyramidion.crowd.judging.screening import Screening
from pyramidion.crowd.results.curves import CrowdCurves, crowd_curves, rerun_sentence
from pyramidion.crowd.results.plot import draw_curves
from pyramidion.crowd.results.scores import CrowdEvaluation, crowd_scores
from pyramidion.crowd.results.workers import crowd_workers
from pyramidion.crowd.scores.cheapest import designs
from pyramidion.crowd.scores.curves import rerun
from pyramidion.errors import InputWarning
from tests.crowd.ballots import Answers, crowd, votes

SYSTEMS = {"a": 0.2, "b": 0.5, "c": 0.8}


@pytest.fixture(scope="module")
def found() -> CrowdCurves:
    judgements = Judgements(votes(crowd(SYSTEMS, topics=4, workers=3)))
    return crowd_curves(judgements, statements=[4], resamples=5, references=2, want=0.5)


def scored(answers: Answers, *, named: bool = True, drop_topics: float = 0.0, samples: int = 0) -> CrowdEvaluation:
    return crowd_scores(Judgements(votes(answers, named)), drop_topics=drop_topics, samples=samples)


def test_the_table_of_systems_says_how_it_was_made() -> None:
    careless = {("t", name): ["ppppnnnn"] * 4 + ["nnnnpppp"] for name in SYSTEMS}
    scores = scored(careless, samples=20)
    text = str(scores)
    assert text.splitlines()[0].startswith("Share of statements that are present")
    assert "Krippendorff's alpha 1.000; agreement of pairs of workers 1.000, of votes 1.000." in text
    assert "Left out for their agreement: w4 (0.00, answers reversed), of 5 workers, in 1 round." in text
    assert "One topic: intervals are over its statements" in text
    parameters = "aggregation:majority|blank:missing|filter:0.5|agreement:positional|samples:20|seed:0|"
    assert f"method:crowd|{parameters}" in text
    record = json.loads(json.dumps(scores.to_json()))
    assert record["dropped"] == {"topics": [], "workers": [{"worker": "w4", "round": 1, "agreement": 0.0}]}
    assert record["systems"][0]["mean"] == 0.5
    assert len(record["summaries"]) == 3


@pytest.mark.parametrize(
    ("aggregation", "counted"),
    [("majority", "count as they are"), ("dawid-skene", "count the other way round, as Dawid-Skene does")],
)
def test_nobody_is_inverted_without_a_word(aggregation: str, counted: str) -> None:
    """With a filter such a worker is left out, with its statistics; without one, a warning says what becomes of it."""
    given = Judgements(votes({("t", name): ["ppppnnnn"] * 4 + ["nnnnpppp"] for name in SYSTEMS}))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        crowd_scores(given, aggregation=aggregation, samples=0)
    with pytest.warns(InputWarning, match=rf"1 worker with answers reversed .*w4, -1\.00 \(.*their votes {counted}"):
        crowd_scores(given, aggregation=aggregation, screening=Screening(threshold=None), samples=0)


def test_who_was_left_out_in_words() -> None:
    answers = {("t", "s"): ["pp", "pp"]}
    unfiltered = crowd_scores(Judgements(votes(answers)), screening=Screening(threshold=None), samples=0)
    assert unfiltered.dropped_sentence == "No worker was left out: no filter."
    assert scored(answers).dropped_sentence == "No worker was left out (of 2 with a name)."
    assert scored(answers, named=False).dropped_sentence == "Workers have no names: no filter."


def test_undefined_numbers_are_dashes() -> None:
    scores = scored({("t", "s"): ["p?"], ("t", "mute"): ["??"]})
    text = render(scores.table("summaries")) + render(scores.table("topics"))
    assert "nan" not in text.lower()
    assert "alpha undefined" in text
    assert "nan" not in json.dumps(scores.to_json()).lower()


def test_lone_votes_agree_with_nobody() -> None:
    sentence = scored({("t", "s"): ["ppnp"]}).agreement_sentence
    assert sentence == "Krippendorff's alpha undefined; agreement of pairs of votes undefined."


def test_columns_of_workers_in_which_a_zero_is_told_stay() -> None:
    table = crowd_workers(votes({("t", "s"): ["nn", "nn", "nn"]})).table()
    assert table.columns == ("worker", "tasks", "votes", "present", "agree", "trust")
    assert table.rows[0][3] == 0.0
    nobody = crowd_workers(votes({("t", "s"): ["pp", "nn"]}))
    assert "agree" in nobody.table().columns
    assert "the filter drops 2 in 1 round; nobody is left" in nobody.table().caption


def test_topics_left_out_are_marked() -> None:
    agreed = {(f"t{number}", "s"): ["pn", "pn"] for number in range(4)}
    scores = scored({**agreed, ("bad", "s"): ["pn", "pp"]}, drop_topics=0.2)
    rows = {row["topic"]: row["left_out"] for row in scores.rows("topics")}
    assert rows == {"bad": "yes", "t0": "", "t1": "", "t2": "", "t3": ""}
    assert "Topics left out, the least agreed: bad." in scores.table("systems").caption


def test_a_table_of_scores_loads_no_test_of_differences() -> None:
    """Scores that nobody compares need neither Tukey's test nor the power of tests."""
    code = (
        "import sys\n"
        "from pyramidion.crowd.results.scores import crowd_scores\n"
        "from pyramidion.crowd.judging.judgements import Judgements\n"
        "from tests.crowd.ballots import votes\n"
        "str(crowd_scores(Judgements(votes({('t', 's'): ['pn', 'pp']}))))\n"
        "print(sorted(name for name in sys.modules if name.startswith('pyramidion.stats.')))"
    )
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert "pyramidion.stats.bootstrap" in loaded
    assert not {"tukey", "power", "paired"} & {name.strip("' []\n").rpartition(".")[2] for name in loaded.split(",")}


def test_curves_as_table_and_json(found: CrowdCurves) -> None:
    table = found.table("curves")
    assert len(table.rows) == sum(map(len, found.curves.curves.values()))
    assert len(table.columns) == len(table.keys) == len(table.rows[0])
    text = render(table)
    assert "Whole: up to 3 votes an item, 8 statements a topic, 4 topics. Means over 5 resamples" in text
    assert "between two halves of 1 worker an item" in text
    record = json.loads(json.dumps(found.to_json()))
    assert record["most"]["pearson"]["mean"] == 1.0
    assert found.cheapest is not None
    assert record["cheapest"] == json.loads(json.dumps(found.cheapest.to_json()))
    assert record["cheapest"] in record["designs"]


def test_the_sentence_on_a_second_run() -> None:
    sentence = rerun_sentence(rerun({"a": 0.5, "b": 0.0}, {"a": 0.55, "b": 0.1}))
    assert sentence == (
        "Scores change by 10.0% on average to the second votes, over 1 system; 1 system of score 0 left out."
    )


def test_designs_and_the_cheapest_in_words(found: CrowdCurves) -> None:
    sentence = found.cheapest_sentence
    assert sentence.startswith("The cheapest design with a pearson of 0.5 or more: 1 worker a statement, ")
    assert sentence.endswith("for 3, 8 and 4, the most that was collected of each).")
    none = replace(found, wanted="intervals of +- 0.001 or less", cheapest=None)
    assert none.cheapest_sentence.startswith(
        "No design within what was collected has intervals of +- 0.001 or less; all of it has a p"
    )
    assert replace(found, wanted="", cheapest=None).cheapest_sentence == ""
    table = found.table("designs", whole=True)
    assert len(table.columns) == len(table.keys) == len(table.rows[0])
    assert len(table.rows) == len(found.designs)
    assert table.rows[0][3] == f"${found.designs[0].cents / 100:,.2f}"


def test_a_picture_is_the_same_every_time_and_has_every_panel(found: CrowdCurves) -> None:
    pytest.importorskip("matplotlib")
    drawn, again = (found.draw() for _ in range(2))
    assert drawn == again
    text = drawn.decode()
    for words in ("workers per item", "statements per topic", "fewer topics", "cost, dollars", "cheapest", "Spearman"):
        assert words in text
    assert "mathdefault" not in text


def test_a_picture_of_work_that_costs_nothing(found: CrowdCurves) -> None:
    pytest.importorskip("matplotlib")
    free = Design(platform="own", writing_reward=0, judging_reward=0)
    priced = designs(found.curves.points, free, [TopicSize(2, 3)] * 4)
    assert "cost, dollars" in draw_curves(found.curves, priced, cheapest=priced[0]).decode()
