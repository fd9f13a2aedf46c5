"""Small crowds for the tests: votes written as letters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from pyramidion.crowd.answers.submission import Asked, Submission
from pyramidion.crowd.design import Design
from pyramidion.crowd.judging.votes import Votes
from pyramidion.crowd.study import Statement, Study
from pyramidion.model import Summary, Topic

Answers = Mapping[tuple[str, str], Sequence[str]]
"""By topic and system, each worker's letters, one a statement."""


def submissions(answers: Answers, named: bool = True) -> list[Submission]:
    """A submission for each row; worker w0 gives the first of each summary, w1 the second."""
    made = []
    for (topic, system), rows in answers.items():
        for number, letters in enumerate(rows):
            asked = Asked(
                tuple(str(place) for place in range(len(letters))),
                tuple(f"{topic} has fact {place}." for place in range(len(letters))),
            )
            worker = f"w{number}" if named else ""
            made.append(
                Submission(
                    f"{topic}-{system}-{number}",
                    "judging",
                    topic,
                    system,
                    worker=worker,
                    asked=asked,
                    answers=letters,
                    text=f"What {system} says of {topic}.",
                )
            )
    return made


def votes(answers: Answers, named: bool = True) -> Votes:
    return Votes.of(submissions(answers, named))


def crowd(
    systems: Mapping[str, float],
    topics: int = 12,
    statements: int = 8,
    workers: int = 5,
    error: float = 0.1,
    seed: int = 0,
) -> dict[tuple[str, str], list[str]]:
    """Systems that say each statement with a probability; workers who are wrong with another."""
    random = np.random.default_rng(seed)
    made: dict[tuple[str, str], list[str]] = {}
    for topic in range(topics):
        ease = random.normal(0, 0.1)
        for system, quality in systems.items():
            truth = random.random(statements) < quality + ease
            wrong = random.random((workers, statements)) < error
            made[f"t{topic:02}", system] = ["".join("np"[int(one)] for one in truth ^ row) for row in wrong]
    return made


def study(topics: Sequence[str] = ("a",), systems: Mapping[str, str] | None = None, statements: int = 4) -> Study:
    """A study with two references a topic; statements with odd ids are the second's."""
    texts = {"s": "Says something.", "mute": " "} if systems is None else systems
    return Study(
        "study",
        Design(),
        tuple(
            Topic(
                topic,
                (Summary("r1", "Reference one."), Summary("r2", "Reference two.")),
                tuple(Summary(name, text, "peer") for name, text in texts.items()),
            )
            for topic in topics
        ),
        tuple(
            Statement(str(place), topic, f"r{1 + place % 2}", f"{topic} has fact {place}.")
            for topic in topics
            for place in range(statements)
        ),
    )
