"""The assignment of tasks to workers: for a panel that is known beforehand, and for workers who come one at a time.

*Classes*. With ``distinct="item"`` nobody judges a statement twice on one summary (§4: each by distinct workers); with
``"statement"`` nobody meets a statement twice at all, not even on another system's summary. Tasks that share an item
(a statement), directly or through others, are one class, of which a worker may have one task. A class c whose tasks
want K_c workers in all needs K_c different ones: max K_c workers are needed at least, and they are enough.

*Balance*. Class by class, the K_c workers with the fewest tasks so far are taken. If loads differ by at most one
before, they do after; so loads always differ by at most one, unless work was given out before (``held``). Among
equally loaded workers those come first that have judged this system least: a severe worker then lowers all systems
alike, where staying with one topic or system would be quicker but mixes the judge's severity with the system's merit.
Then chance decides, by the seed.

*Writers as judges*. Who wrote a statement knows what it was meant to say. Tasks that ask workers about statements of
their own (:func:`own_tasks`, given as ``wrote``) go to others as long as there are others, which comes before balance;
a panel too small for that gets them nevertheless, because else its study could not be finished.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from typing import Literal

from pyramidion.base.choices import check_choices
from pyramidion.crowd.keys import key
from pyramidion.crowd.study import Phase, Study, Task
from pyramidion.errors import PyramidionError

Distinct = Literal["item", "statement"]


@check_choices
def assign(
    tasks: Iterable[Task],
    workers: Iterable[str],
    *,
    seed: int = 0,
    distinct: Distinct = "item",
    held: Mapping[str, Collection[str]] | None = None,
    wrote: Mapping[str, Collection[str]] | None = None,
) -> dict[str, tuple[str, ...]]:
    """Return the tasks of each worker, in the order in which to do them; every task gets as many workers as it wants.

    ``held`` are tasks that workers have already: they count as done, stay with their workers, and are not returned.
    ``wrote`` are the tasks by worker that ask about their own statements: they go to other workers if possible.
    """
    wrote = wrote or {}
    panel = _panel(workers)
    tasks = list(tasks)
    by_id = {task.id: task for task in tasks}
    holders: dict[str, set[str]] = {id: set() for id in by_id}
    load, judged = dict.fromkeys(panel, 0), Counter[tuple[str, str, str]]()
    for worker, tasks_held in (held or {}).items():
        load[worker] = len(set(tasks_held))
        for task in (by_id[id] for id in set(tasks_held) if id in by_id):
            holders[task.id].add(worker)
            judged[worker, task.phase, task.summary] += 1
    assigned: dict[str, list[str]] = {worker: [] for worker in panel}
    for members in sorted(classes(tasks, distinct), key=lambda members: key(seed, members[0].id)):
        wanted = {task.id: max(0, task.workers - len(holders[task.id])) for task in members}
        # whoever holds a task of the class cannot have another
        busy = set[str]().union(*(holders[task.id] for task in members))
        slots = sum(wanted.values())
        free = sorted(
            (
                min(judged[worker, task.phase, task.summary] for task in members),
                key(seed, members[0].id, worker),
                worker,
            )
            for worker in panel
            if worker not in busy
        )
        if slots > len(free):
            raise PyramidionError(
                f"{len(panel)} worker{' is' if len(panel) == 1 else 's are'} too few: "
                f"{_describe_class(members[0], distinct)} needs {slots + len(panel) - len(free)}",
                do=f"name {least_workers(tasks, distinct)} or more, or ask for fewer workers a task",
            )
        ids = {task.id for task in members}
        writers = {worker for worker in panel if not ids.isdisjoint(wrote.get(worker, ()))}
        # a stable sort: of workers alike in this, those come first who judged the system least, then by the seed
        chosen = sorted((worker for _, _, worker in free), key=lambda worker: (worker in writers, load[worker]))[:slots]
        for task in members:
            ranked = sorted(
                (judged[worker, task.phase, task.summary], key(seed, task.id, worker), worker) for worker in chosen
            )
            for _, _, worker in ranked[: wanted[task.id]]:
                assigned[worker].append(task.id)
                load[worker] += 1
                judged[worker, task.phase, task.summary] += 1
                chosen.remove(worker)
    return {worker: tuple(sorted(ids, key=lambda id: key(seed, id))) for worker, ids in assigned.items()}


def _panel(workers: Iterable[str]) -> list[str]:
    names = Counter(list(workers))
    if not names:
        raise PyramidionError("The panel has no worker", do="name one per line")
    twice = next((name for name, count in names.items() if count > 1), None)
    if twice is not None:
        raise PyramidionError(f"The panel names the worker {twice!r} twice", do="name each once")
    return sorted(names)


@check_choices
def next_task(
    tasks: Iterable[Task],
    answered: Mapping[str, Collection[str]],
    worker: str,
    *,
    distinct: Distinct = "item",
    seed: int = 0,
    wrote: Collection[str] = (),
) -> Task | None:
    """Return the task to give to a worker who asks for one; None if no task is left for them.

    ``answered`` has, by task id, the workers who have it or have done it. Tasks with fewest answers come first, so that
    the study is even whenever it is stopped. A task with enough answers is not given out, and neither is one that, by
    ``distinct``, directly shares an item or a statement with a task the worker had. The ids in ``wrote`` come last.
    """
    tasks = list(tasks)
    items_had = {item for task in tasks if worker in answered.get(task.id, ()) for item in _items(task, distinct)}
    open_for = [
        task
        for task in tasks
        if len(answered.get(task.id, ())) < task.workers and items_had.isdisjoint(_items(task, distinct))
    ]

    def place(task: Task) -> tuple[bool, int, str, str]:
        return task.id in wrote, len(answered.get(task.id, ())), key(seed, worker, task.id), task.id

    return min(open_for, key=place, default=None)


def own_tasks(study: Study) -> dict[str, set[str]]:
    """Return by writer the judging tasks that hold one of their statements, or the statement that theirs duplicated."""
    writers: dict[tuple[str, str], set[str]] = {}
    for statement in study.statements:
        if statement.author:
            # "duplicate of ID: SIMILARITY" is how the selection writes the reason (statements/drafts.py)
            kept = (
                statement.dropped.removeprefix("duplicate of ").partition(":")[0] if statement.dropped else statement.id
            )
            writers.setdefault((statement.topic, kept), set()).add(statement.author)
    by_writer: dict[str, set[str]] = {}
    for task in study.of_phase("judging"):
        for id in task.statements:
            for writer in writers.get((task.topic, id), ()):
                by_writer.setdefault(writer, set()).add(task.id)
    return by_writer


@check_choices
def least_workers(tasks: Iterable[Task], distinct: Distinct = "item") -> int:
    """Return the fewest workers that can do all tasks: the most that any class of tasks wants."""
    return max((sum(task.workers for task in members) for members in classes(tasks, distinct)), default=0)


@check_choices
def workers_needed(study: Study, phase: Phase, distinct: Distinct = "item") -> int:
    """Return the fewest workers of a phase; topics without judging tasks yet count as the design foresees."""
    needs = least_workers(study.of_phase(phase), distinct)
    if phase == "writing":
        return needs
    selected = {statement.topic for statement in study.statements}
    waiting = [
        sum(bool(peer.text.strip()) for peer in topic.peers) for topic in study.topics if topic.id not in selected
    ]
    # a class will be one task or, with distinct statements, that task on all summaries of its topic
    at_once = max(waiting, default=0)
    return max(needs, study.design.workers * (at_once if distinct == "statement" else min(at_once, 1)))


@check_choices
def classes(tasks: Iterable[Task], distinct: Distinct = "item") -> list[list[Task]]:
    """Return the classes of tasks of which a worker may have only one; each class is in order of ids."""
    tasks = sorted(tasks, key=lambda task: task.id)
    leader = list(range(len(tasks)))

    def find(number: int) -> int:  # union-find with path halving
        while leader[number] != number:
            leader[number] = leader[leader[number]]
            number = leader[number]
        return number

    first: dict[tuple[str, ...], int] = {}
    for number, task in enumerate(tasks):
        for item in _items(task, distinct):
            leader[find(number)] = find(first.setdefault(item, number))
    members: dict[int, list[Task]] = {}
    for number, task in enumerate(tasks):
        members.setdefault(find(number), []).append(task)
    return list(members.values())


def _items(task: Task, distinct: Distinct) -> list[tuple[str, ...]]:
    """Return the items or statements that nobody should meet twice; of a writing task, its reference."""
    if not task.statements:
        return [(task.phase, task.topic, task.summary)]
    summary = task.summary if distinct == "item" else ""
    return [(task.phase, task.topic, summary, id) for id in task.statements]


def _describe_class(task: Task, distinct: Distinct) -> str:
    if task.phase == "writing":
        return f"reference {task.summary!r} of topic {task.topic!r}"
    if distinct == "item":
        return f"summary {task.summary!r} of topic {task.topic!r}"
    return f"topic {task.topic!r}, where nobody may meet a statement twice,"
