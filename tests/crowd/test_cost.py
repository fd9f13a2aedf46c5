"""What a study costs: the figures of Shapira et al. 2019 §4, fees, hours."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.crowd.answers.submission import Submission
from pyramidion.crowd.cost import FAIR_PAY, added_cost, cost_of, cost_so_far, dollars, fee_of, study_cost, underpaid
from pyramidion.crowd.design import Design
from pyramidion.crowd.plan import judging_tasks, plan
from pyramidion.crowd.study import Statement
from pyramidion.errors import ModelError
from pyramidion.model import Summary, Topic
from tests.crowd.hostile import small

COUNTS = st.integers(0, 60)


def test_the_papers_figures_of_2005() -> None:
    cost = cost_of(Design(), topics=10, references=4, systems=25)
    assert cost.writing.total == 10 * 4 * 2 * (50 + 10) == 4800
    assert cost.per_topic == 480
    assert cost.judging.total == 25 * 10 * 2 * 5 * (45 + 9) == 135_000
    assert cost.per_system_and_topic == 2 * 5 * (45 + 9) == 540


def test_the_papers_figures_of_2006() -> None:
    cost = cost_of(Design(), topics=20, references=4, systems=22)
    assert dollars(cost.writing.total) == "$96.00"
    assert dollars(cost.judging.total) == "$2,376.00"
    assert dollars(cost.per_system) == "$108.00"
    assert cost.total == cost.writing.total + cost.judging.total


def test_work_that_came_in_costs_what_its_tasks_cost_until_all_of_it_is_there() -> None:
    study = small(workers=10)  # so that Mechanical Turk takes two fifths of a judging task
    done = [
        Submission(f"{task.id}-{n}", task.phase, task.topic, task.summary, f"w{n}", task.id)
        for task in study.tasks
        for n in range(task.workers)
    ]
    assert cost_so_far(study, []) == 0
    assert cost_so_far(study, [one for one in done if one.phase == "judging"][:2]) == 2 * (45 + 18)
    assert cost_so_far(study, done) == study_cost(study).total
    assert cost_so_far(study, [replace(one, status="rejected") for one in done]) == 0


def test_mechanical_turk_takes_twice_as_much_from_ten_assignments_on() -> None:
    few = cost_of(Design(workers=9), topics=1, references=0, systems=1)
    many = cost_of(Design(workers=10), topics=1, references=0, systems=1)
    assert few.judging.fees == 2 * 9 * 9
    assert many.judging.fees == 2 * 10 * 18


def test_a_fee_is_at_least_a_cent_and_rounded_up() -> None:
    assert fee_of(Design(), 1, 5) == 1
    assert fee_of(Design(), 33, 5) == 7  # 6.6
    assert fee_of(Design(), 0, 5) == 1
    assert fee_of(Design(platform="own"), 0, 5) == 0


def test_prolific_takes_a_third_exactly() -> None:
    assert fee_of(Design(platform="prolific"), 45, 5) == 15
    assert fee_of(Design(platform="prolific"), 90, 50) == 30


def test_a_given_fee_replaces_all_others() -> None:
    assert fee_of(Design(fee=0.0), 45, 20) == 0
    assert fee_of(Design(fee=0.428, platform="prolific"), 100, 5) == 43


@given(COUNTS, COUNTS, COUNTS, st.integers(1, 12), st.integers(0, 200))
def test_everything_is_whole_cents_and_adds_up(
    topics: int, references: int, systems: int, workers: int, reward: int
) -> None:
    design = Design(workers=workers, judging_reward=reward)
    cost = cost_of(design, topics=topics, references=references, systems=systems)
    for phase in (cost.writing, cost.judging):
        assert all(type(one) is int for one in (phase.rewards, phase.fees, phase.total))
        assert phase.total == phase.rewards + phase.fees
    assert cost.judging.assignments == cost.judging.tasks * workers
    assert cost.per_system_and_topic * topics * systems == cost.judging.total
    assert cost.per_topic * topics == cost.writing.total
    if topics:
        assert cost.per_system * systems == cost.judging.total


def test_hours_and_pay_follow_from_minutes() -> None:
    cost = cost_of(Design(judging_minutes=3), topics=1, references=1, systems=2)
    assert cost.judging.hours == 2 * 2 * 5 * 3 / 60
    assert cost.judging.pay_per_hour == 45 * 20
    assert cost_of(Design(judging_minutes=0), topics=1, references=1, systems=1).judging.pay_per_hour is None


def test_phases_that_pay_too_little_are_named() -> None:
    cost = cost_of(Design(writing_reward=100), topics=1, references=1, systems=1)
    assert [one.phase for one in underpaid(cost, FAIR_PAY["mturk"])] == ["judging"]
    volunteers = Design(platform="own", writing_reward=0, judging_reward=0)
    assert underpaid(cost_of(volunteers, topics=1, references=1, systems=1), 725) == []


def test_negative_counts_are_refused() -> None:
    with pytest.raises(ModelError, match="The study has -1 topics"):
        cost_of(Design(), topics=-1, references=4, systems=1)


def corpus(topics: int, references: int, systems: int) -> list[Topic]:
    return [
        Topic(
            f"t{topic}",
            tuple(Summary(f"r{one}", f"reference {one} of {topic}") for one in range(references)),
            tuple(Summary(f"s{one}", f"summary {one} of {topic}", "peer") for one in range(systems)),
        )
        for topic in range(topics)
    ]


@given(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3))
def test_a_planned_study_costs_what_its_numbers_cost(topics: int, references: int, systems: int) -> None:
    design = Design(sample=5, per_task=2)
    found = study_cost(plan(corpus(topics, references, systems), design))
    assert found.estimated
    assert replace(found, estimated=False) == cost_of(design, topics=topics, references=references, systems=systems)


def test_after_selection_only_the_tasks_count() -> None:
    study = plan(corpus(2, 1, 3), Design(sample=6, per_task=3))
    some = judging_tasks(study, [Statement(f"{n}", "t0", "r0", f"statement {n}") for n in range(3)])
    cost = study_cost(some)
    assert cost.estimated  # t1 waits
    assert cost.judging.tasks == 3 * 1 + 3 * 2
    both = study_cost(judging_tasks(some, [Statement("1", "t1", "r0", "another statement")]))
    assert not both.estimated
    assert both.judging.tasks == 3 + 3
    assert added_cost(cost.judging, both.judging).tasks == -3


def test_empty_summaries_cost_nothing() -> None:
    topic = corpus(1, 1, 2)[0]
    with pytest.warns(UserWarning, match="1 summary without text"):
        study = plan([replace(topic, peers=(*topic.peers, Summary("empty", " ", "peer")))])
    assert study_cost(study).judging.tasks == 2 * 2
