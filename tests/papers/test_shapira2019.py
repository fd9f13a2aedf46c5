"""Shapira et al. 2019, Crowdsourcing Lightweight Pyramids: each rule of §3 and figure of §4 that can be checked.

Table 1's correlations of expert responsiveness are in ``tests/cli/test_correlate.py`` (DUC 2005 on the ten topics: .812
and .767; DUC 2006 with -1 taken as a score: .591 and .397). The workers' answers were not published, so neither Table
1's own column nor Figures 1 and 2 can be recomputed; the same curves of REALSumm's votes are in
``tests/crowd/scores/test_curves.py``.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from pyramidion import formats
from pyramidion.crowd.cost import cost_of, dollars
from pyramidion.crowd.design import Design
from pyramidion.crowd.judging.aggregate import majority, mean
from pyramidion.crowd.judging.filtering import filter_workers
from pyramidion.crowd.judging.topic_agreement import TopicAgreement, dropped_topics
from pyramidion.crowd.scores.curves import curves, rerun
from pyramidion.crowd.scores.pyramids import topics
from pyramidion.crowd.scores.resampling import RESAMPLES
from pyramidion.crowd.scores.scoring import score
from tests.crowd.ballots import crowd, votes

PAPER = Design()


# §3 The numbers of the method


def test_each_reference_is_presented_to_two_workers_asking_for_eight_statements() -> None:
    assert PAPER.writers * PAPER.written == 16


def test_32_statements_a_topic_in_two_tasks_of_16_each_by_5_workers() -> None:
    assert (PAPER.sample, PAPER.per_task, PAPER.tasks_per_summary, PAPER.workers) == (32, 16, 2, 5)


def test_workers_have_over_5000_approved_assignments_and_a_99_percent_rate() -> None:
    assert (PAPER.approved, PAPER.approval_rate) == (5000, 99)


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::pyramidion.errors.InputWarning")
def test_13_statements_a_reference_and_51_a_topic_from_four_references(data: Path) -> None:
    """About 13 and 51 by the paper; of the published statements of DUC 2006 there are 12.8 and 51.05."""
    made = formats.load(data / "litepyramids" / "DUC2006.batch1.csv", use="all")
    statements = [scu for topic in made if topic.pyramid for scu in topic.pyramid.scus]
    references = sum(len(topic.references) for topic in made)
    assert (len(made), references) == (20, 80)
    assert len(statements) / len(made) == pytest.approx(51.05)
    assert round(len(statements) / references) == 13


@pytest.mark.data
@pytest.mark.parametrize(("year", "count"), [(2005, 10), (2006, 20)])
@pytest.mark.filterwarnings("ignore::pyramidion.errors.InputWarning")
def test_two_batches_of_16_make_the_32_of_each_topic(data: Path, year: int, count: int) -> None:
    drawn: Counter[str] = Counter()
    for batch in (1, 2):
        for topic in formats.load(data / "litepyramids" / f"DUC{year}.batch{batch}.csv"):
            assert topic.pyramid is not None
            drawn[topic.id] += len(topic.pyramid.scus)
    assert len(drawn) == count
    assert set(drawn.values()) == {PAPER.sample}


# §3 Scoring


def test_the_majority_decides_and_a_tie_is_not_present() -> None:
    given = votes({("t", "s"): ["ppp", "ppn", "pnn", "nnn"]})
    assert majority(given).value.tolist() == [1.0, 0.0, 0.0]  # 3 of 4, 2 of 4, 1 of 4


def test_a_summary_scores_the_share_of_statements_matched_out_of_those_judged() -> None:
    given = votes({("t", "s"): ["p" * 12 + "n" * 20] * 5})
    [one] = score(given, majority(given), samples=0).summaries
    assert (one.score, one.statements) == (12 / 32, 32)


def test_a_systems_final_score_is_its_average_over_all_topics() -> None:
    given = votes({("t1", "s"): ["pppp"] * 5, ("t2", "s"): ["pn"] * 5, ("t3", "s"): ["nnnnnnnn"] * 5})
    [system] = score(given, majority(given), samples=0).systems
    assert system.mean == pytest.approx((1 + 1 / 2 + 0) / 3)  # of topics, not of the 14 statements


def test_footnote_1_the_average_answer_instead() -> None:
    given = votes({("t", "s"): ["pp", "pn", "nn", "nn", "nn"]})
    assert mean(given).value.tolist() == [0.4, 0.2]
    assert majority(given).value.tolist() == [0.0, 0.0]


def test_workers_with_pairwise_agreement_below_one_half_are_filtered_out_before_the_vote() -> None:
    given = votes({("t", f"s{number}"): ["ppnn", "ppnn", "ppnn", "nnpp"] for number in range(3)})
    filtered = filter_workers(given, threshold=0.5)
    assert list(filtered.dropped) == ["w3"]
    assert filtered.agreement["w3"] == 0.0
    assert filtered.agreement["w0"] == 1.0  # once w3 is gone
    half = votes({("t", "s"): ["ppnn", "pnnp"]})  # agree on exactly half: not below
    assert filter_workers(half).dropped == {}


def test_statements_are_not_weighted_and_not_merged() -> None:
    """Statements of different references that say the same stay two."""
    given = votes({("t", "s"): ["ppnn"] * 5})
    [topic] = topics(given, majority(given))
    assert topic.pyramid is not None
    assert [scu.weight for scu in topic.pyramid.scus] == [1, 1, 1, 1]


# §4 Cost


def test_pyramid_creation_costs_4_dollars_80_a_topic() -> None:
    for count, total in ((10, "$48.00"), (20, "$96.00")):
        found = cost_of(PAPER, topics=count, references=4, systems=25)
        assert (dollars(found.per_topic), dollars(found.writing.total)) == ("$4.80", total)


@pytest.mark.parametrize(("count", "systems", "total"), [(10, 25, "$1,350.00"), (20, 22, "$2,376.00")])
def test_evaluation_costs_5_dollars_40_a_system_and_topic(count: int, systems: int, total: str) -> None:
    found = cost_of(PAPER, topics=count, references=4, systems=systems)
    assert (dollars(found.per_system_and_topic), dollars(found.judging.total)) == ("$5.40", total)


def test_a_system_over_all_20_topics_costs_108_dollars() -> None:
    assert dollars(cost_of(PAPER, topics=20, references=4, systems=22).per_system) == "$108.00"


# §4 Stability and cost analysis


def test_stability_is_the_average_relative_change_of_overall_scores() -> None:
    """Eight systems, each 10 % up or down, as in the paper's re-run."""
    first = {f"s{number}": 0.2 + 0.05 * number for number in range(8)}
    second = {name: value * (1.1 if number % 2 else 0.9) for number, (name, value) in enumerate(first.items())}
    assert rerun(first, second).change.mean == pytest.approx(0.10)


def test_curves_are_averages_over_70_resampled_iterations() -> None:
    assert RESAMPLES == 70
    given = votes(crowd({"a": 0.2, "b": 0.5, "c": 0.8}, topics=3, workers=2))
    assert curves(given, statements=[8], topics=[3]).resamples == 70


def test_correlation_falls_with_fewer_workers_statements_and_topics() -> None:
    """The shape of Figures 1 and 2 and of the paragraph on workers, on simulated workers with a known truth."""
    truth = {f"s{number}": 0.3 + 0.03 * number for number in range(12)}
    given = votes(crowd(truth, topics=20, statements=16, workers=5, error=0.3))
    found = curves(given, against=truth, workers=[1, 3], statements=[4], topics=[5], resamples=20)
    for resource in ("workers", "statements", "topics"):
        means = [one.pearson.mean for one in found.curves[resource] if one.pearson]
        assert means == sorted(means)
        assert means[0] < means[-1] - 0.01


# §4 Qualitative analysis


def test_the_20_percent_of_topics_with_the_lowest_agreement_are_4_of_20() -> None:
    agreed = tuple(TopicAgreement(f"t{number}", 704, 0.3 + 0.01 * number, 0.8) for number in range(20))
    assert dropped_topics(agreed, 0.2) == ("t0", "t1", "t2", "t3")


def test_the_topics_on_which_workers_guess_are_those_with_the_lowest_agreement() -> None:
    truth = {f"s{number}": 0.3 + 0.04 * number for number in range(8)}
    sound = crowd(truth, topics=20, statements=8, workers=3, error=0.1)
    guessed = crowd(truth, topics=4, statements=8, workers=3, error=0.5, seed=1)
    given = votes({**sound, **guessed})
    found = score(given, majority(given), drop_topics=0.2, samples=0)
    assert sorted(found.dropped) == ["t00", "t01", "t02", "t03"]
    assert {one.topics for one in found.systems} == {16}
