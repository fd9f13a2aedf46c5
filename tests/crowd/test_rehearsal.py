"""Simulated workers: what they send in, and that it is what was asked for."""

from __future__ import annotations

import statistics
import warnings
from collections import Counter

import numpy as np
import pytest

from pyramidion.crowd.design import Design
from pyramidion.crowd.judging.aggregate import AGGREGATIONS
from pyramidion.crowd.judging.votes import Item, Votes
from pyramidion.crowd.plan import plan
from pyramidion.crowd.rehearsal import CARELESS, Member, Rehearsal, next_phase, rehearse, truth_of
from pyramidion.crowd.statements.select import select
from pyramidion.crowd.study import Study
from pyramidion.errors import InputWarning, PyramidionError
from pyramidion.examples import example


@pytest.fixture(scope="module")
def planned() -> Study:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)  # the example has an empty summary
        return plan(example(), Design(), name="example")


@pytest.fixture(scope="module")
def written(planned: Study) -> Rehearsal:
    return rehearse(planned, workers=6, careless=0.0)


@pytest.fixture(scope="module")
def study(planned: Study, written: Rehearsal) -> Study:
    return select(planned, written.submissions).study


def habits(made: Rehearsal) -> dict[str, Member]:
    return {member.name: member for member in made.members}


def test_the_phase_is_the_one_that_comes_next(planned: Study, study: Study) -> None:
    assert (next_phase(planned), next_phase(study)) == ("writing", "judging")


def test_writers_do_every_task_in_words_of_the_reference(planned: Study, written: Rehearsal) -> None:
    done = Counter(one.task for one in written.submissions)
    assert done == {task.id: task.workers for task in planned.of_phase("writing")}
    assert {len(one.written) for one in written.submissions} == {8}
    by_id = {task.id: task for task in planned.tasks}
    copied = [
        text.strip(" .") in " ".join(planned.text_of(by_id[one.task]).text.split())
        for one in written.submissions
        for text in one.written
    ]
    assert 0.7 < statistics.mean(copied) < 1  # the others run on
    assert not written.truth


def test_selection_has_something_to_do(planned: Study, written: Rehearsal) -> None:
    dropped: Counter[str] = Counter()
    for one in select(planned, written.submissions).counts:
        dropped.update(one.dropped)
    assert {"duplicate", "too long"} <= set(dropped)
    careless = rehearse(planned, workers=8, careless=1.0)
    assert {member.habit for member in careless.members} == set(CARELESS)
    assert any(len(set(one.written)) == 1 for one in careless.submissions)


def test_judges_do_every_task_and_nobody_an_item_twice(study: Study) -> None:
    made = rehearse(study)
    assert Counter(one.task for one in made.submissions) == {
        task.id: task.workers for task in study.of_phase("judging")
    }
    votes = Votes.of(made.submissions)
    assert votes.repeated == 0
    assert set(votes.items) == set(made.truth)
    assert (votes.counts.sum(axis=1) <= 5).all()
    assert {one.worker for one in made.submissions} <= set(habits(made))
    assert all(one.seconds and one.submitted.startswith("2000-") for one in made.submissions)


def test_rates_are_those_that_the_members_have(study: Study) -> None:
    labels = {item: number % 2 == 0 for number, item in enumerate(sorted(truth_of(study)))}
    made = rehearse(
        study, workers=10, careless=0.0, accuracy=0.8, bias=0.3, blank=0.0, unsure=0.0, seed=2, labels=labels
    )
    right: dict[tuple[str, bool], list[bool]] = {}
    for one in made.submissions:
        for id, answer in zip(one.asked.ids, one.answers, strict=True):
            present = made.truth[Item(one.topic, one.summary, id)]
            right.setdefault((one.worker, present), []).append((answer == "p") == present)
    for name, member in habits(made).items():
        for present, expected in ((True, member.sensitivity), (False, member.specificity)):
            error = (expected * (1 - expected) / len(right[name, present])) ** 0.5
            assert statistics.mean(right[name, present]) == pytest.approx(expected, abs=4 * error)
    assert statistics.mean(member.accuracy for member in made.members) == pytest.approx(0.8, abs=0.06)
    gaps = [member.sensitivity - member.specificity for member in made.members]
    assert statistics.mean(gaps) == pytest.approx(0.3, abs=0.05)  # less where a rate would be above 1


def test_careless_workers_do_not_read(study: Study) -> None:
    made = rehearse(study, workers=12, careless=0.5)
    kinds = habits(made)
    assert Counter(member.habit != "careful" for member in made.members) == {True: 6, False: 6}
    answers = {
        habit: {one.answers for one in made.submissions if kinds[one.worker].habit == habit} for habit in CARELESS
    }
    assert all(set(one) == {"p"} for one in answers["present"])
    assert all(set(one) == {"n"} for one in answers["absent"])
    assert all(one == ("pn" * 16)[: len(one)] for one in answers["pattern"])
    assert all("?" not in one and "-" not in one for one in set[str]().union(*answers.values()))
    expected = {check.id: check.expected for task in study.tasks for check in task.checks}
    failed, seconds = Counter[bool](), {True: [0.0], False: [0.0]}
    total = Counter[bool]()
    for one in made.submissions:
        careless = kinds[one.worker].habit != "careful"
        for id, answer in one.checks:
            total[careless] += 1
            failed[careless] += answer != expected[id]
        seconds[careless].append(one.seconds or 0)
    assert failed[True] / total[True] > 0.25 > 0.1 > failed[False] / total[False]
    assert statistics.median(seconds[True]) < statistics.median(seconds[False]) / 2


def test_blanks_and_doubts_are_as_frequent_as_asked(study: Study) -> None:
    made = rehearse(study, careless=0.0, blank=0.1, unsure=0.2)
    letters = Counter("".join(one.answers for one in made.submissions))
    assert letters["-"] / letters.total() == pytest.approx(0.1, abs=0.03)
    assert letters["?"] / letters.total() == pytest.approx(0.2, abs=0.04)


def test_the_truth_comes_back_from_careful_workers_and_from_trust(study: Study) -> None:
    def recovered(name: str, careless: float) -> float:
        made = rehearse(study, workers=12, careless=careless, seed=1)
        votes = Votes.of(made.submissions)
        truth = np.array([made.truth[item] for item in votes.items])
        return float((AGGREGATIONS[name](votes).present == truth).mean())

    assert recovered("majority", 0.0) > 0.97
    assert recovered("majority", 0.5) < recovered("dawid-skene", 0.5)


def test_given_labels_are_the_truth(study: Study) -> None:
    labels = {item: number % 2 == 0 for number, item in enumerate(sorted(truth_of(study)))}
    made = rehearse(study, labels=labels)
    assert made.truth == {item: labels[item] for item in made.truth}
    with pytest.raises(PyramidionError, match="The labels say nothing of statement"):
        rehearse(study, labels={})


def test_any_matcher_can_be_the_judge(study: Study) -> None:
    for judge in ("unigram", "soft"):
        share = statistics.mean(truth_of(study, judge).values())
        assert 0.02 < share < 0.9
    with pytest.raises(PyramidionError, match="There is no matcher 'oracle'"):
        rehearse(study, judge="oracle")


def test_the_same_seed_makes_the_same_crowd(study: Study) -> None:
    assert rehearse(study, seed=3) == rehearse(study, seed=3)
    assert rehearse(study, seed=3).submissions != rehearse(study, seed=4).submissions


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"careless": 1.5}, "careless is 1.5; give a number from 0 to 1"),
        ({"accuracy": 1.0}, "Accuracy is 1.0; give a number between 0 and 1"),
        ({"bias": -2.0}, "bias is -2.0; give a number from -1 to 1"),
        ({"blank": 0.9}, "blank is 0.9; give a number from 0 to 0.5"),
        ({"workers": 2}, "2 workers are too few"),
    ],
)
def test_a_crowd_that_cannot_be(study: Study, settings: dict[str, float], said: str) -> None:
    with pytest.raises(PyramidionError, match=said):
        rehearse(study, **settings)  # type: ignore[arg-type]


def test_nothing_to_judge_yet(planned: Study) -> None:
    with pytest.raises(PyramidionError, match="has no judging task to rehearse; select statements first"):
        rehearse(planned, "judging")


def test_a_large_study_has_no_crowd_of_thousands(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(rehearse(study).members) == 12
    monkeypatch.setattr("pyramidion.crowd.rehearsal._MOST_WORKERS", 7)
    assert len(rehearse(study).members) == 7
    monkeypatch.setattr("pyramidion.crowd.rehearsal._MOST_WORKERS", 1)
    assert len(rehearse(study).members) == 5  # what the tasks need
