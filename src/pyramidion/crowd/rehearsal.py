r"""A rehearsal: simulated workers whose truth is known, so that a study can be tried before it costs money.

*Writing*: a writer takes sentences and clauses of the reference; two writers often take the same, and some statements
run on for several sentences. A careless one pastes the first sentence again and again, or a word.

*Judging*: every item (a statement on a summary) has a truth *z*, from labels that are given or from one of our
matchers. A careful worker *w* answers present with probability

.. math:: P(p \mid z = 1) = \text{sensitivity}_w, \qquad P(p \mid z = 0) = 1 - \text{specificity}_w,

the two-coin model that Dawid and Skene (1979) assume, with an accuracy :math:`a_w \sim \text{Beta}(30 a, 30 (1 - a))`
about the one asked for, and :math:`a_w \pm b / 2` as sensitivity and specificity: a positive bias *b* says present too
often. A careless worker does not read: a coin, always present, always not present, or a pattern (p n p n ...), by
turns; fast, and attention checks go the same way. Careful workers leave some answers out and cannot tell some.

This is no data. It shows that a pipeline works and what an aggregation can recover from workers like these; people are
not like these: their errors fall on the same hard items, which these workers' do not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from random import Random
from typing import Literal

from pyramidion.base.choices import check_choices
from pyramidion.crowd.answers.submission import Asked, Submission
from pyramidion.crowd.assignment import assign, least_workers
from pyramidion.crowd.judging.votes import Item
from pyramidion.crowd.study import Phase, Study, Task
from pyramidion.errors import PyramidionError
from pyramidion.language.parse.analysers import analysed
from pyramidion.matchers import MATCHERS
from pyramidion.model import SCU, Contributor, Pyramid

Habit = Literal["careful", "coin", "present", "absent", "pattern"]
CARELESS: tuple[Habit, ...] = ("coin", "present", "absent", "pattern")
"""How a careless worker answers; careless workers have these by turns."""

_SPREAD = 30.0
"""The sum of the parameters of the Beta distribution of accuracies: the larger, the more alike are the workers."""
_MOST_WORKERS = 100
"""The most workers by default."""
_START = datetime(2000, 1, 1, 9)
"""A day on which nobody was asked."""


@dataclass(frozen=True, slots=True)
class Member:
    """A simulated worker, with the rates that a model of workers should find."""

    name: str
    habit: Habit
    sensitivity: float
    """The share of present statements that are judged present."""
    specificity: float
    """The share of absent statements that are judged not present."""

    @property
    def accuracy(self) -> float:
        """The share of right answers if present and absent statements are equally frequent."""
        return (self.sensitivity + self.specificity) / 2


@dataclass(frozen=True, slots=True)
class Rehearsal:
    """The answers of the simulated crowd, its members, and the right answers."""

    phase: Phase
    submissions: tuple[Submission, ...]
    members: tuple[Member, ...]
    truth: Mapping[Item, bool]
    """The right answer for every item that was judged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Crowd:
    workers: int
    careless: float
    accuracy: float
    bias: float
    seed: int

    def __post_init__(self) -> None:
        for name, value, least in (("careless", self.careless, 0.0), ("bias", self.bias, -1.0)):
            if not least <= value <= 1:
                raise PyramidionError(f"{name} is {value}", do=f"give a number from {least:g} to 1")
        if not 0 < self.accuracy < 1:
            raise PyramidionError(f"Accuracy is {self.accuracy}", do="give a number between 0 and 1")

    def members(self) -> tuple[Member, ...]:
        careless = round(self.careless * self.workers)
        return tuple(
            self._member(number, CARELESS[number % len(CARELESS)] if number < careless else "careful")
            for number in range(self.workers)
        )

    def _member(self, number: int, habit: Habit) -> Member:
        # each member has random numbers of their own, however many members there are
        chance = Random(f"{self.seed}:member:{number}")
        if habit == "careful":
            accuracy = chance.betavariate(_SPREAD * self.accuracy, _SPREAD * (1 - self.accuracy))
            rates = (_rate(accuracy + self.bias / 2), _rate(accuracy - self.bias / 2))
        else:
            rates = {"present": (1.0, 0.0), "absent": (0.0, 1.0)}.get(habit, (0.5, 0.5))
        return Member(f"simulated-{number + 1:03d}", habit, *rates)


def _rate(value: float) -> float:
    return min(max(value, 0.01), 0.99)


def next_phase(study: Study) -> Phase:
    """Return the phase that a study is in: judging once there is something to judge."""
    return "judging" if study.of_phase("judging") else "writing"


@check_choices
def rehearse(
    study: Study,
    phase: Phase | None = None,
    *,
    workers: int | None = None,
    careless: float = 0.1,
    accuracy: float = 0.9,
    bias: float = 0.0,
    blank: float = 0.01,
    unsure: float = 0.02,
    seed: int = 0,
    judge: str = "unigram",
    labels: Mapping[Item, bool] | None = None,
) -> Rehearsal:
    """Have simulated workers do all tasks of a phase, by default the one that the study is in.

    ``careless`` is the share of workers who do not read; ``blank`` and ``unsure`` are the shares of careful answers
    that are left out or "cannot tell"; ``labels`` are the truth where it is known, else the ``judge`` says. Without
    ``workers`` there are as many as give each about ten tasks, up to a hundred, and never fewer than the tasks need.
    """
    phase = phase or next_phase(study)
    tasks = study.of_phase(phase)
    if not tasks:
        raise PyramidionError(
            f"Study {study.name!r} has no {phase} task to rehearse",
            do="select statements first" if phase == "judging" else "plan a study whose statements are written",
        )
    for name, value in (("blank", blank), ("unsure", unsure)):
        if not 0 <= value <= 0.5:
            raise PyramidionError(f"{name} is {value}", do="give a number from 0 to 0.5")
    if workers is None:
        workers = max(least_workers(tasks), min(_MOST_WORKERS, 2 + sum(task.workers for task in tasks) // 10))
    members = _Crowd(workers=workers, careless=careless, accuracy=accuracy, bias=bias, seed=seed).members()
    asked = {Item(task.topic, task.summary, id) for task in tasks for id in task.statements}
    truth = _complete(truth_of(study, judge) if labels is None and asked else labels or {}, asked)
    by_id, by_name = {task.id: task for task in tasks}, {member.name: member for member in members}
    submissions: list[Submission] = []
    for name, held in sorted(assign(tasks, list(by_name), seed=seed).items()):
        clock = _START  # each worker does one task after the other
        for id in held:
            task, member, chance = by_id[id], by_name[name], Random(f"{seed}:{id}:{name}")
            if phase == "writing":
                sent = _simulate_writing(study, task, member, chance)
            else:
                sent = _simulate_judging(study, task, member, chance, truth, blank, unsure)
            minutes = study.design.writing_minutes if phase == "writing" else study.design.judging_minutes
            seconds = _seconds(minutes, member, chance)
            clock += timedelta(seconds=seconds)
            submissions.append(replace(sent, seconds=float(seconds), submitted=clock.isoformat()))
    return Rehearsal(phase, tuple(submissions), members, truth)


def _complete(truth: Mapping[Item, bool], asked: Iterable[Item]) -> dict[Item, bool]:
    complete = {}
    for item in sorted(asked):
        if item not in truth:
            raise PyramidionError(
                f"The labels say nothing of statement {item.statement!r} on {item.summary!r} of topic {item.topic!r}",
                do="give a label for every item that is judged",
            )
        complete[item] = truth[item]
    return complete


def _seconds(minutes: float, member: Member, chance: Random) -> int:
    usual = 60 * minutes * (1.0 if member.habit == "careful" else 0.2)
    return max(1, round(usual * chance.lognormvariate(0, 0.4)))


# Writing


def _simulate_writing(study: Study, task: Task, member: Member, chance: Random) -> Submission:
    """Return what a member writes: careful ones take parts of the reference, others paste or praise."""
    reference = study.text_of(task)
    sentences, clauses = _parts(reference.text)
    wanted = study.design.written
    if member.habit == "careful":
        pool = sorted({*sentences, *clauses})
        texts = chance.sample(pool, min(wanted, len(pool)))
        # one statement in ten runs on
        texts = [_run_on(text, sentences, chance) if chance.random() < 0.1 else text for text in texts]
    elif member.habit in ("coin", "pattern"):
        texts = [chance.choice(("good", "very nice", sentences[0])) for _ in range(wanted)]
    else:
        texts = [sentences[0]] * wanted
    return Submission(
        _id(task, member), "writing", task.topic, task.summary, member.name, task.id, written=tuple(texts)
    )


def _parts(text: str) -> tuple[list[str], list[str]]:
    """Return the sentences of a text, and its clauses of three words or more."""
    analysis = analysed(text, "en-minilm")
    sentences = [" ".join(text[span.start : span.end].split()) for span in analysis.sentence_spans()]
    clauses = [text[span.start : span.end].strip(" ,;:") for span in analysis.edu_spans()]
    return sentences or [text.strip()], [" ".join(clause.split()) for clause in clauses if len(clause.split()) > 2]


def _run_on(text: str, sentences: Sequence[str], chance: Random) -> str:
    """Return the statement with a sentence after it: too long, or several."""
    return f"{text.rstrip('.')}{chance.choice((', and ', '. '))}{chance.choice(sentences)}"


# Judging


def truth_of(study: Study, judge: str = "unigram") -> dict[Item, bool]:
    """Return whether each summary expresses each sampled statement, by the matcher of that name as it is set."""
    match = MATCHERS[judge]
    truth: dict[Item, bool] = {}
    for topic in study.topics:
        statements = sorted(study.sampled(topic.id), key=lambda statement: statement.id)
        scus = tuple(
            SCU(statement.id, statement.text, (Contributor(statement.reference, label=statement.text),))
            for statement in statements
        )
        pyramid = Pyramid(topic.id, topic.references, scus)
        for peer in topic.peers:
            matched = {found.scu for found in match(pyramid, peer).matches} if scus and peer.text.strip() else set()
            truth.update((Item(topic.id, peer.id, scu.id), scu.id in matched) for scu in scus)
    return truth


def _simulate_judging(
    study: Study, task: Task, member: Member, chance: Random, truth: Mapping[Item, bool], blank: float, unsure: float
) -> Submission:
    """Return the answers of a member to the statements of a task and its attention checks."""
    present = [truth[Item(task.topic, task.summary, id)] for id in task.statements]
    if member.habit == "careful":
        letters = [_careful(answer, member, chance) for answer in present]
        letters = [_missing(letter, blank, unsure, chance) for letter in letters]
        # An attention check is easy: a careful worker fails one in fifty.
        letters += ["p" if (check.expected == "p") == (chance.random() >= 0.02) else "n" for check in task.checks]
    else:
        letters = [_careless(place, member, chance) for place in range(len(present) + len(task.checks))]
    words = {statement.id: statement.text for statement in study.sampled(task.topic)}
    asked = Asked(task.statements, tuple(words[id] for id in task.statements))
    checks = tuple(zip((check.id for check in task.checks), letters[len(present) :], strict=True))
    return Submission(
        _id(task, member),
        "judging",
        task.topic,
        task.summary,
        member.name,
        task.id,
        asked,
        "".join(letters[: len(present)]),
        checks=checks,
        text=study.text_of(task).text,
    )


def _careful(present: bool, member: Member, chance: Random) -> str:
    right = chance.random() < (member.sensitivity if present else member.specificity)
    return "p" if right == present else "n"


def _missing(letter: str, blank: float, unsure: float, chance: Random) -> str:
    drawn = chance.random()
    return "-" if drawn < blank else "?" if drawn < blank + unsure else letter


def _careless(place: int, member: Member, chance: Random) -> str:
    match member.habit:
        case "present":
            return "p"
        case "absent":
            return "n"
        case "pattern":
            return "pn"[place % 2]
    return chance.choice("pn")


def _id(task: Task, member: Member) -> str:
    return f"{member.name}:{task.id}"
