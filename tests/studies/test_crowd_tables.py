"""A crowd evaluation as tables, JSON and a picture."""

from __future__ import annotations

import json

import pytest

from pyramidion.crowd.design import Design
from pyramidion.crowd.judging.aggregate import majority
from pyramidion.crowd.judging.filtering import filter_workers
from pyramidion.crowd.judging.workers import crowd_report
from pyramidion.crowd.scores.cheapest import cheapest, designs
from pyramidion.crowd.scores.curves import Curves, curves, rerun
from pyramidion.crowd.scores.scoring import score
from pyramidion.io.tables import render
from pyramidion.studies.crowd import tables as report
from pyramidion.studies.crowd.plot import draw_curves
from pyramidion.studies.crowd.workers_table import summary
from pyramidion.studies.crowd.workers_table import table as workers_table
from tests.crowd.ballots import crowd, votes

SYSTEMS = {"a": 0.2, "b": 0.5, "c": 0.8}


@pytest.fixture(scope="module")
def found() -> Curves:
    return curves(votes(crowd(SYSTEMS, topics=4, workers=3)), statements=[4], resamples=5)


def test_the_table_of_systems_says_how_it_was_made() -> None:
    careless = {("t", name): ["ppppnnnn"] * 4 + ["nnnnpppp"] for name in SYSTEMS}
    filtered = filter_workers(votes(careless))
    scores = score(filtered.votes, majority(filtered.votes), samples=20, made=[("filter", "0.5")])
    text = render(report.systems_table(scores, filtered))
    assert text.splitlines()[0].startswith("Share of statements that are present")
    assert "Krippendorff's alpha 1.000; agreement of pairs of workers 1.000, of votes 1.000." in text
    assert "Left out for their agreement: w4 (0.00), of 5 workers, in 1 round." in text
    assert "One topic: intervals are over its statements" in text
    assert "method:crowd|aggregation:majority|filter:0.5|samples:20|seed:0|" in text
    record = json.loads(json.dumps(report.scores_json(scores, filtered)))
    assert record["dropped"] == {"topics": [], "workers": [{"worker": "w4", "round": 1, "agreement": 0.0}]}
    assert record["systems"][0]["mean"] == 0.5
    assert len(record["summaries"]) == 3


def test_who_was_left_out_in_words() -> None:
    given = votes({("t", "s"): ["pp", "pp"]})
    nameless = votes({("t", "s"): ["pp", "pp"]}, named=False)
    assert report.dropped_sentence(None) == "No worker was left out: no filter."
    assert report.dropped_sentence(filter_workers(given)) == "No worker was left out (of 2 with a name)."
    assert report.dropped_sentence(filter_workers(nameless)) == "Workers have no names: no filter."


def test_undefined_numbers_are_dashes() -> None:
    given = votes({("t", "s"): ["p?"], ("t", "mute"): ["??"]})
    scores = score(given, majority(given), samples=0)
    text = render(report.summaries_table(scores)) + render(report.topics_table(scores))
    assert "nan" not in text.lower()
    assert "alpha undefined" in text
    assert "nan" not in json.dumps(report.scores_json(scores)).lower()


def test_lone_votes_agree_with_nobody() -> None:
    scores = score(given := votes({("t", "s"): ["ppnp"]}), majority(given), samples=0)
    assert report.agreement_sentence(scores) == "Krippendorff's alpha undefined; agreement of pairs of votes undefined."


def test_columns_of_workers_in_which_a_zero_is_told_stay() -> None:
    found = crowd_report(votes({("t", "s"): ["nn", "nn", "nn"]}))
    table = workers_table(found, whole=False)
    assert table.columns == ("worker", "tasks", "votes", "present", "agree", "trust")
    assert table.rows[0][3] == 0.0
    nobody = crowd_report(votes({("t", "s"): ["pp", "nn"]}))
    assert "agree" in workers_table(nobody, whole=False).columns
    assert "the filter drops 2 in 1 round; nobody is left" in summary(nobody)


def test_topics_left_out_are_marked() -> None:
    agreed = {(f"t{number}", "s"): ["pn", "pn"] for number in range(4)}
    given = votes({**agreed, ("bad", "s"): ["pn", "pp"]})
    scores = score(given, majority(given), drop_topics=0.2, samples=0)
    rows = {row[0]: row[4] for row in report.topics_table(scores).rows}
    assert rows == {"bad": "yes", "t0": "", "t1": "", "t2": "", "t3": ""}
    assert "Topics left out, the least agreed: bad." in report.systems_table(scores).caption


def test_curves_as_table_and_json(found: Curves) -> None:
    table = report.curves_table(found)
    assert len(table.rows) == sum(map(len, found.curves.values()))
    assert len(table.columns) == len(table.keys) == len(table.rows[0])
    text = render(table)
    assert "Whole: up to 3 votes an item, 8 statements a topic, 4 topics. Means over 5 resamples" in text
    assert "between two halves of 1 worker an item" in text
    record = json.loads(json.dumps(report.curves_json(found)))
    assert record["most"]["pearson"]["mean"] == 1.0
    assert record["cheapest"] is None


def test_the_sentence_on_a_second_run() -> None:
    found = report.rerun_sentence(rerun({"a": 0.5, "b": 0.0}, {"a": 0.55, "b": 0.1}))
    assert (
        found == "Scores change by 10.0% on average to the second votes, over 1 system; 1 system of score 0 left out."
    )


def test_designs_and_the_cheapest_in_words(found: Curves) -> None:
    priced = designs(found.points, Design(), references=2, systems=3)
    most = next(one for one in priced if one.point == found.most)
    best = cheapest(priced, want=0.5)
    assert best is not None
    sentence = report.cheapest_sentence(best, most, "a pearson of 0.5 or more")
    assert sentence.startswith("The cheapest design with a pearson of 0.5 or more: 1 worker a statement, ")
    assert sentence.endswith("for 3, 8 and 4, the most that was collected of each).")
    none = report.cheapest_sentence(None, most, "intervals of +- 0.001 or less")
    assert none.startswith("No design within what was collected has intervals of +- 0.001 or less; all of it has a p")
    table = report.designs_table(priced)
    assert len(table.columns) == len(table.keys) == len(table.rows[0])
    assert table.rows[0][3] == "$" + f"{priced[0].cents / 100:,.2f}"


def test_a_picture_is_the_same_every_time_and_has_every_panel(found: Curves) -> None:
    pytest.importorskip("matplotlib")
    priced = designs(found.points, Design(), references=2, systems=3)
    one, same = (draw_curves(found, priced, found=priced[-1]) for _ in range(2))
    assert one == same
    text = one.decode()
    for words in ("workers per item", "statements per topic", "fewer topics", "cost, dollars", "cheapest", "Spearman"):
        assert words in text
    assert "mathdefault" not in text


def test_a_picture_of_work_that_costs_nothing(found: Curves) -> None:
    pytest.importorskip("matplotlib")
    free = Design(platform="own", writing_reward=0, judging_reward=0)
    priced = designs(found.points, free, references=2, systems=3)
    assert "cost, dollars" in draw_curves(found, priced, found=priced[0]).decode()
