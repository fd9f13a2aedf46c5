"""Crowds for tests: submissions from few words, and simulated workers whose truth is known."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pyramidion.crowd.answers.collect import read_all
from pyramidion.crowd.answers.submission import Asked, Submission
from pyramidion.crowd.judging.votes import Votes
from pyramidion.errors import InputWarning


def judged(worker: str, answers: str, summary: str = "s", topic: str = "t", first: int = 0, **more: Any) -> Submission:
    """Answers to the statements ``first``, ``first`` + 1, ... of a topic."""
    asked = Asked(tuple(f"{number:03}" for number in range(first, first + len(answers))))
    id = more.pop("id", f"{topic}/{summary}/{first}/{worker}")
    return Submission(id, "judging", topic, summary, worker, asked=asked, answers=answers, **more)


def votes_of(*rows: tuple[str, str]) -> Votes:
    """The votes of workers who judged the same statements of one summary."""
    return Votes.of([judged(worker, answers) for worker, answers in rows])


@dataclass(frozen=True)
class Crowd:
    """Simulated votes with the truth."""

    votes: Votes
    truth: NDArray[np.bool_]
    careless: frozenset[str]

    def error(self, present: NDArray[np.bool_]) -> float:
        """The share of items decided wrongly."""
        return float((present != self.truth).mean())


def simulated(seed: int, careless: float, *, workers: int = 20, tasks: int = 60, per_task: int = 5) -> Crowd:
    """Tasks of ten statements, each judged by some of the workers.

    A third of the statements is present. Careful workers are right on 85 to 95 in a hundred of either class; careless
    ones toss a coin of their own, between 30 and 70 in a hundred for present, and never look.
    """
    random = np.random.default_rng(seed)
    names = [f"w{number:02}" for number in range(workers)]
    bad = frozenset(names[: round(careless * workers)])
    skill = {name: random.uniform(0.85, 0.95, 2) for name in names}
    coin = {name: random.uniform(0.3, 0.7) for name in names}
    submissions, truth = [], []
    for task in range(tasks):
        there = random.random(10) < 1 / 3
        truth.append(there)
        for number in random.choice(workers, per_task, replace=False):
            name = names[number]
            yes = np.where(there, skill[name][0], 1 - skill[name][1]) if name not in bad else np.full(10, coin[name])
            answers = "".join("np"[int(one)] for one in random.random(10) < yes)
            submissions.append(judged(name, answers, f"s{task:03}"))
    return Crowd(Votes.of(submissions), np.concatenate(truth), bad)


def shuffled(submissions: Sequence[Submission], seed: int) -> list[Submission]:
    """The same submissions in another order."""
    order = np.random.default_rng(seed).permutation(len(submissions))
    return [submissions[number] for number in order]


@lru_cache(maxsize=2)
def real_votes(folder: Path) -> Votes:
    """The votes in a folder of published results."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)  # REALSumm has two systems of one name
        return Votes.of(read_all([folder]))
