r"""The cost of a study, in money and in hours, before anything is spent (Shapira et al. 2019 §4).

With r cents for an assignment and the platform's share f of it, an assignment costs r + ceil(f r) cents. Then

.. math:: writing = topics \cdot references \cdot writers \cdot (50 + 10), \quad
          judging = topics \cdot systems \cdot \lceil sample / per\_task \rceil \cdot workers \cdot (45 + 9)

cents with the paper's figures: $4.80 per topic, $5.40 per system and topic. Topics may differ in size
(:class:`TopicSize`), and a summary without text costs nothing, since nobody is asked to read it. Everything is whole
cents; a fee is rounded up for each assignment, so that no plan is too cheap. Mechanical Turk takes a fifth of the
reward, two fifths where a task has ten assignments or more, and at least a cent an assignment; ``Design.fee`` replaces
all of that.

Hours are what workers need by the design's minutes, which are ours: the paper does not tell. Reading instructions,
bonuses and rejected work are not in them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil

from pyramidion.crowd.answers.submission import Submission
from pyramidion.crowd.design import PLATFORMS, Design
from pyramidion.crowd.study import Phase, Study
from pyramidion.errors import ModelError

FAIR_PAY = {"mturk": 725, "prolific": 800, "own": 725}
"""Cents an hour below which a warning is given: the federal minimum wage of the United States, which Mechanical Turk
does not require, and Prolific's minimum (Prolific recommends $12)."""


@dataclass(frozen=True, slots=True)
class PhaseCost:
    """One phase. Money in cents."""

    phase: Phase
    tasks: int
    assignments: int
    rewards: int
    fees: int
    total: int
    hours: float
    """The hours of all workers together."""
    pay_per_hour: float | None
    """The cents that a worker earns in an hour; None if a task takes no time."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Both phases. Money in cents; means over unequal topics or systems may be fractions of one."""

    writing: PhaseCost
    judging: PhaseCost
    per_topic: float
    """The cost of writing; a pyramid is made once, for all systems (§4)."""
    per_system_and_topic: float
    """The cost of judging per system and topic."""
    per_system: float
    """The cost of judging a system over all topics."""
    total: int
    estimated: bool = False
    """Whether judging tasks that a study does not have yet are counted as its design foresees them."""


@dataclass(frozen=True, slots=True)
class TopicSize:
    """The amount of work in a topic."""

    references: int
    """The references that workers write about; 0 where the statements were there already."""
    summaries: int
    """The summaries to judge, which are those with a text."""
    statements: int | None = None
    """The statements that were selected; None where the design's sample is expected."""

    def judging_tasks(self, design: Design) -> int:
        """Return the number of judging tasks, of as many statements as there are, up to the design's sample."""
        count = design.sample if self.statements is None else min(self.statements, design.sample)
        return self.summaries * -(-count // design.per_task)


def fee_of(design: Design, reward: int, workers: int) -> int:
    """Return the platform's fee in cents for one assignment of a task that this number of workers do.

    >>> fee_of(Design(), 45, 5), fee_of(Design(), 45, 10), fee_of(Design(), 2, 5), fee_of(Design(fee=0.1), 45, 10)
    (9, 18, 1, 5)
    """
    platform = PLATFORMS[design.platform]
    if design.fee is not None:
        return ceil(reward * _share(design.fee))
    share = _share(platform.fee) + (_share(platform.large_fee) if workers >= platform.large_from else 0)
    return max(ceil(reward * share), platform.least)


def _share(fee: float) -> Fraction:
    """Return a share as an exact fraction: 0.2 is a fifth, 1 / 3 a third."""
    return Fraction(fee).limit_denominator(1_000_000)


def cost_of(design: Design, *, topics: int, references: int, systems: int) -> Cost:
    """Return the cost of evaluating a number of systems on a number of topics, each with a number of references.

    >>> cost = cost_of(Design(), topics=20, references=4, systems=25)
    >>> dollars(cost.per_topic), dollars(cost.per_system_and_topic), dollars(cost.per_system)
    ('$4.80', '$5.40', '$108.00')
    """
    for name, count in (("topics", topics), ("references", references), ("systems", systems)):
        if count < 0:
            raise ModelError(f"The study has {count} {name}", do="give a number that is not negative")
    return cost_of_topics(design, (TopicSize(references, systems),) * topics, systems=systems)


def cost_of_topics(design: Design, topics: Sequence[TopicSize], *, systems: int) -> Cost:
    """Return the cost of a design on topics of these sizes.

    >>> dollars(cost_of_topics(Design(), [TopicSize(5, 6), TopicSize(5, 4)], systems=6).total)
    '$66.00'
    """
    writing = _phase("writing", design, {design.writers: sum(topic.references for topic in topics)})
    judging = _phase("judging", design, {design.workers: sum(topic.judging_tasks(design) for topic in topics)})
    return _cost(writing, judging, len(topics), systems, sum(topic.summaries for topic in topics), estimated=False)


def topic_sizes(study: Study, topics: Collection[str] | None = None) -> tuple[TopicSize, ...]:
    """Return the sizes of a study's topics, or of some of them."""
    written = Counter(task.topic for task in study.of_phase("writing"))
    selected = Counter(statement.topic for statement in study.statements if statement.sampled)
    return tuple(
        TopicSize(written[topic.id], sum(bool(peer.text.strip()) for peer in topic.peers), selected.get(topic.id))
        for topic in study.topics
        if topics is None or topic.id in topics
    )


def study_cost(study: Study) -> Cost:
    """Return the cost of a study's tasks; topics whose statements are not selected yet count as the design foresees."""
    design = study.design
    selected = {statement.topic for statement in study.statements}
    judged = [(topic.id, peer.id) for topic in study.topics for peer in topic.peers if peer.text.strip()]
    expected = sum(topic not in selected for topic, _ in judged) * design.tasks_per_summary
    # tasks that are there count with their own number of workers, those that are expected with the design's
    judging = Counter(task.workers for task in study.of_phase("judging"))
    judging[design.workers] += expected
    return _cost(
        _phase("writing", design, Counter(task.workers for task in study.of_phase("writing"))),
        _phase("judging", design, judging),
        len({task.topic for task in study.of_phase("writing")}),
        len({system for _, system in judged}),
        len(judged),
        estimated=expected > 0,
    )


def cost_so_far(study: Study, submissions: Iterable[Submission]) -> int:
    """Return the cents that the work which came in costs, with fees; rejected work is not paid."""
    wanted = {task.id: task.workers for task in study.tasks}
    cents = 0
    for submission in submissions:
        design, phase = study.design, submission.phase
        if submission.status != "rejected":
            reward = design.writing_reward if phase == "writing" else design.judging_reward
            usual = design.writers if phase == "writing" else design.workers
            cents += reward + fee_of(design, reward, wanted.get(submission.task, usual))
    return cents


def underpaid(cost: Cost, least: float) -> list[PhaseCost]:
    """Return the phases that pay something, but less than this number of cents an hour."""
    return [
        phase
        for phase in (cost.writing, cost.judging)
        if phase.rewards and phase.pay_per_hour is not None and phase.pay_per_hour < least
    ]


def dollars(cents: float) -> str:
    """Write cents as dollars.

    >>> dollars(480), dollars(237600), dollars(100 / 3)
    ('$4.80', '$2,376.00', '$0.33')
    """
    return f"${cents / 100:,.2f}"


def added_cost(before: PhaseCost, after: PhaseCost) -> PhaseCost:
    """Return the cost that an extension adds to a phase."""
    counts = ("tasks", "assignments", "rewards", "fees", "total", "hours")
    # hours are floats: rounding takes away what their subtraction leaves in the last digits
    return replace(after, **{name: round(getattr(after, name) - getattr(before, name), 6) for name in counts})


def _phase(phase: Phase, design: Design, tasks: Mapping[int, int]) -> PhaseCost:
    """Return the cost of a phase; ``tasks`` has the number of tasks for each number of workers per task."""
    writing = phase == "writing"
    reward = design.writing_reward if writing else design.judging_reward
    minutes = design.writing_minutes if writing else design.judging_minutes
    assignments = sum(workers * count for workers, count in tasks.items())
    rewards = assignments * reward
    fees = sum(workers * count * fee_of(design, reward, workers) for workers, count in tasks.items())
    hours = round(assignments * minutes / 60, 6)
    pay = reward * 60 / minutes if minutes else None
    return PhaseCost(phase, sum(tasks.values()), assignments, rewards, fees, rewards + fees, hours, pay)


def _cost(
    writing: PhaseCost, judging: PhaseCost, topics: int, systems: int, summaries: int, *, estimated: bool
) -> Cost:
    """Put the two phases together, with their means; a mean of whole cents stays a whole number."""

    def mean(total: int, count: int) -> float:
        return total // count if count and not total % count else total / max(count, 1)

    return Cost(
        writing,
        judging,
        mean(writing.total, topics),
        mean(judging.total, summaries),
        mean(judging.total, systems),
        writing.total + judging.total,
        estimated,
    )
