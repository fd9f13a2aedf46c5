"""Who does which task: nobody twice, loads even, and what is needed said when it cannot be done."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.crowd.answers.store import Store
from pyramidion.crowd.assignment import Distinct, assign, classes, least_workers, next_task, own_tasks, workers_needed
from pyramidion.crowd.design import Design
from pyramidion.crowd.desk import Desk
from pyramidion.crowd.plan import judging_tasks, plan
from pyramidion.crowd.study import Statement, Study, Task
from pyramidion.errors import PyramidionError
from pyramidion.model import Summary, Topic

DISTINCT: st.SearchStrategy[Distinct] = st.sampled_from(["item", "statement"])


def judged(topics: int = 2, systems: int = 3, groups: int = 2, workers: int = 2) -> list[Task]:
    """Judging tasks as a plan makes them: each system of a topic is asked the same groups."""
    return [
        Task(f"j-{t}-{s}-{g}", "judging", f"t{t}", f"s{s}", workers, tuple(f"q{2 * g + n}" for n in range(2)))
        for t in range(topics)
        for s in range(systems)
        for g in range(groups)
    ]


TASKS = st.builds(judged, st.integers(1, 3), st.integers(1, 4), st.integers(1, 3), st.integers(1, 4))


def met(task: Task, distinct: Distinct) -> list[tuple[str, ...]]:
    return [(task.topic, id) if distinct == "statement" else (task.topic, task.summary, id) for id in task.statements]


@given(TASKS, st.integers(0, 5), DISTINCT, st.integers(0, 3))
def test_every_task_has_its_workers_and_loads_differ_by_at_most_one(
    tasks: list[Task], spare: int, distinct: Distinct, seed: int
) -> None:
    panel = [f"w{number}" for number in range(least_workers(tasks, distinct) + spare)]
    made = assign(tasks, panel, seed=seed, distinct=distinct)
    assert set(made) == set(panel)
    assert Counter(id for held in made.values() for id in held) == Counter({task.id: task.workers for task in tasks})
    by_id = {task.id: task for task in tasks}
    for held in made.values():
        things = [thing for id in held for thing in met(by_id[id], distinct)]
        assert len(set(things)) == len(things)
    loads = [len(held) for held in made.values()]
    assert max(loads) - min(loads) <= 1
    assert assign(tasks[::-1], panel[::-1], seed=seed, distinct=distinct) == made


@given(TASKS, DISTINCT)
def test_one_worker_less_than_needed_is_too_few(tasks: list[Task], distinct: Distinct) -> None:
    least = least_workers(tasks, distinct)
    if least > 1:
        with pytest.raises(PyramidionError, match=f"too few: .* needs {least}; name {least} or more"):
            assign(tasks, [f"w{number}" for number in range(least - 1)], distinct=distinct)


def test_a_worker_meets_all_systems_alike() -> None:
    tasks = judged(topics=10, systems=5, groups=2, workers=3)
    by_id = {task.id: task for task in tasks}
    made = assign(tasks, [f"w{number}" for number in range(10)])
    for held in made.values():
        met_systems = Counter(by_id[id].summary for id in held)
        assert len(held) == 30
        assert set(met_systems) == {f"s{number}" for number in range(5)}
        assert max(met_systems.values()) - min(met_systems.values()) <= 3  # 6 each would be even


def test_the_seed_decides_who() -> None:
    panel = ["anna", "ben", "cora", "dan"]
    assert assign(judged(), panel, seed=0) != assign(judged(), panel, seed=1)


@given(TASKS, st.integers(1, 9), DISTINCT)
def test_what_was_given_out_stays(tasks: list[Task], cut: int, distinct: Distinct) -> None:
    """Half of the tasks first, then all: the first half is not given out again, and nobody meets a thing twice."""
    panel = [f"w{number}" for number in range(least_workers(tasks, distinct))]
    first = assign(tasks[:cut], panel, distinct=distinct)
    second = assign(tasks, panel, distinct=distinct, held=first)
    held = {worker: [*first[worker], *second[worker]] for worker in panel}
    assert Counter(id for ids in held.values() for id in ids) == Counter({task.id: task.workers for task in tasks})
    by_id = {task.id: task for task in tasks}
    for ids in held.values():
        things = [thing for id in ids for thing in met(by_id[id], distinct)]
        assert len(set(things)) == len(things)


def test_who_had_much_before_gets_less_now() -> None:
    before, now = judged(topics=4), [replace(task, id=f"n{task.id}", topic=f"n{task.topic}") for task in judged()]
    made = assign([*before, *now], ["anna", "ben", "cora"], held={"anna": [task.id for task in before]})
    assert len(made["anna"]) < min(len(made["ben"]), len(made["cora"]))


def test_classes_join_tasks_that_share_a_statement_through_others() -> None:
    chain = [Task(str(n), "judging", "t", f"s{n}", 1, (f"q{n}", f"q{n + 1}")) for n in range(3)]
    assert [len(one) for one in classes(chain, "statement")] == [3]
    assert [len(one) for one in classes(chain, "item")] == [1, 1, 1]
    writing = [Task(f"w{n}", "writing", "t", f"r{n}", 2) for n in range(3)]
    assert least_workers(writing, "statement") == 2
    assert least_workers([]) == 0


@pytest.mark.parametrize(
    ("panel", "message"),
    [
        ([], "The panel has no worker"),
        (["anna", "ben", "anna"], "The panel names the worker 'anna' twice"),
        (["anna"], "1 worker is too few: summary 's0' of topic 't0' needs 2"),
    ],
)
def test_panels_that_cannot_do_it(panel: list[str], message: str) -> None:
    with pytest.raises(PyramidionError, match=message):
        assign(judged(topics=1, systems=1, groups=1), panel)


def test_a_panel_may_be_a_mapping() -> None:
    assert assign(judged(), {"anna": 3, "ben": 0}) == assign(judged(), ["anna", "ben"])


@given(TASKS, DISTINCT, st.integers(0, 3))
def test_own_statements_go_to_others_as_long_as_there_are_others(
    tasks: list[Task], distinct: Distinct, seed: int
) -> None:
    least = least_workers(tasks, distinct)
    wrote = {"anna": {task.id for task in tasks}}
    panel = ["anna", *(f"w{number}" for number in range(least))]
    made = assign(tasks, panel, seed=seed, distinct=distinct, wrote=wrote)
    assert made["anna"] == ()
    assert sum(map(len, made.values())) == sum(task.workers for task in tasks)
    too_small = assign(tasks, panel[:-1] if least > 1 else ["anna"], seed=seed, distinct=distinct, wrote=wrote)
    assert too_small["anna"]
    assert sum(map(len, too_small.values())) == sum(task.workers for task in tasks)


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(PyramidionError, match="choose one of: item, statement"):
        assign(judged(), ["anna", "ben"], distinct="topic")  # type: ignore[arg-type]


# One at a time


@given(TASKS, st.integers(0, 4), DISTINCT, st.randoms(use_true_random=False))
def test_workers_who_come_one_at_a_time_finish_the_study(
    tasks: list[Task], spare: int, distinct: Distinct, random: object
) -> None:
    answered: dict[str, set[str]] = {}
    panel = [f"w{number}" for number in range(least_workers(tasks, distinct) + spare)]
    by_id = {task.id: task for task in tasks}
    idle: set[str] = set()
    while len(idle) < len(panel):
        worker = random.choice(sorted(set(panel) - idle))  # type: ignore[attr-defined]
        task = next_task(tasks, answered, worker, distinct=distinct)
        if task is None:
            idle.add(worker)
            continue
        had = {thing for id, who in answered.items() if worker in who for thing in met(by_id[id], distinct)}
        assert not had & set(met(task, distinct))
        counts = [len(answered.get(one.id, ())) for one in tasks if not had & set(met(one, distinct))]
        assert len(answered.get(task.id, ())) == min(counts)
        answered.setdefault(task.id, set()).add(worker)
        assert len(answered[task.id]) <= task.workers
    assert all(len(answered[task.id]) == task.workers for task in tasks)


def test_a_full_study_has_nothing_left() -> None:
    (task,) = judged(1, 1, 1, 1)
    assert next_task([task], {}, "anna") == task
    assert next_task([task], {task.id: {"ben"}}, "anna") is None
    assert next_task([], {}, "anna") is None


def test_tasks_with_statements_of_their_own_come_last() -> None:
    first, second, *_ = judged()
    for own, other in ((first, second), (second, first)):
        assert next_task([first, second], {other.id: {"ben"}}, "anna", wrote={own.id}) == other
        assert next_task([own], {}, "anna", wrote={own.id}) == own


# Of a study


def planned(peers: int) -> Study:
    texts = tuple(Summary(f"s{n}", f"Fish number {n} died.", "peer") for n in range(peers))
    return plan([Topic("t", (Summary("A", "Fish died."),), texts)], Design(writers=3, workers=4))


def test_needed_before_and_after_selection() -> None:
    before = planned(5)
    assert workers_needed(before, "writing") == 3
    assert workers_needed(before, "judging") == 4
    assert workers_needed(before, "judging", "statement") == 20
    after = judging_tasks(before, [Statement(str(n), "t", "A", f"fact {n}") for n in range(40)])
    assert workers_needed(after, "judging") == 4
    assert workers_needed(after, "judging", "statement") == 20


def test_own_tasks_are_those_with_ones_statements_or_what_they_duplicate() -> None:
    statements = [
        Statement("1", "t", "A", "fact 1", "anna"),
        Statement("2", "t", "A", "fact 2", "ben"),
        Statement("3", "t", "A", "fact 2!", "cora", False, "duplicate of 2: 1.00"),
        Statement("4", "t", "A", "x", "dan", False, "too short: 1 words, at least 2"),
        Statement("5", "t", "A", "fact 5"),
    ]
    study = plan([Topic("t", (Summary("A", "Fish died."),), (Summary("s", "Fish.", "peer"),))], Design(per_task=1))
    study = judging_tasks(study, statements)
    asking = {id: task.id for task in study.of_phase("judging") for id in task.statements}
    assert own_tasks(study) == {"anna": {asking["1"]}, "ben": {asking["2"]}, "cora": {asking["2"]}}


def test_the_server_gives_writers_other_tasks_first(tmp_path: Path) -> None:
    study = plan([Topic("t", (Summary("A", "Fish died."),), (Summary("s", "Fish.", "peer"),))], Design(per_task=1))
    study = judging_tasks(study, [Statement(str(n), "t", "A", f"fact {n}", "anna" if n else "ben") for n in range(4)])
    desk = Desk(study, Store(tmp_path), "judging")
    first = {worker: desk.next_task(worker) for worker in ("anna", "ben")}
    assert first["anna"] is not None
    assert first["anna"].statements == ("0",)
    assert first["ben"] is not None
    assert first["ben"].statements != ("0",)
