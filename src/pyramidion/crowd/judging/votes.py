"""Votes: all judgements of a study, by worker and statement, as columns ready for arithmetic.

An *item* is a statement on a summary of a topic, on which the crowd decides. An *assignment* is one submission. Rules,
in this order: rejected submissions do not count; ``?`` and ``-`` are missing votes; where a worker judges an item
again, the first vote that was given (by time of submission, then by id) stands. Dropped submissions and votes are
counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain, repeat
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pyramidion.crowd.answers.submission import Asked, Submission
from pyramidion.errors import PyramidionError

PRESENT, NOT_PRESENT, MISSING = 1, 0, -1

Codes = NDArray[np.intp]
Answers = NDArray[np.int8]

# by the letter's byte; every letter but p and n is a missing vote
_CODE = np.full(256, MISSING, dtype=np.int8)
_CODE[ord("p")], _CODE[ord("n")] = PRESENT, NOT_PRESENT


class Item(NamedTuple):
    """A statement on a summary, which workers vote on."""

    topic: str
    summary: str
    statement: str


_item: Callable[[tuple[str, str, str]], Item] = partial(tuple.__new__, Item)
"""``Item._make`` without its detour: there are tens of thousands."""


@dataclass(frozen=True)
class Votes:
    """Votes as parallel columns: ``item``, ``assignment`` and ``answer`` have one entry per vote."""

    items: tuple[Item, ...]
    """The items, in order of topic, summary and statement."""
    workers: tuple[str, ...]
    """The names of workers, in order; each submission without a name gets its own, which begins with ``#``."""
    assignments: tuple[Submission, ...]
    """The submissions that count, by topic, summary, statements, worker."""
    worker: Codes
    """The worker of each assignment."""
    item: Codes
    assignment: Codes
    answer: Answers
    words: dict[tuple[str, str], str]
    """The words of each topic's statements, if the source has them."""
    texts: dict[tuple[str, str], str]
    """The texts of each topic's summaries, if the source has them."""
    rejected: int = 0
    """The number of submissions that do not count."""
    repeated: int = 0
    """The number of votes on an item that their worker had judged before."""

    @property
    def voter(self) -> Codes:
        """The worker of each vote."""
        return self.worker[self.assignment]

    @cached_property
    def named(self) -> NDArray[np.bool_]:
        """For each worker, whether the source names them."""
        named: NDArray[np.bool_] = np.zeros(len(self.workers), dtype=bool)
        named[self.worker[[number for number, submission in enumerate(self.assignments) if submission.worker]]] = True
        return named

    @cached_property
    def task(self) -> Codes:
        """For each assignment, a number that those with the same statements on the same summary share."""
        codes: dict[tuple[str, str, frozenset[str]], int] = {}
        sets: dict[tuple[str, ...], frozenset[str]] = {}
        tasks = []
        for submission in self.assignments:
            ids = sets.get(submission.asked.ids) or sets.setdefault(
                submission.asked.ids, frozenset(submission.asked.ids)
            )
            tasks.append(codes.setdefault((submission.topic, submission.summary, ids), len(codes)))
        return np.array(tasks, dtype=np.intp)

    @cached_property
    def counts(self) -> NDArray[np.intp]:
        """Items x 2: how many votes said not present, and present."""
        answered = self.answer != MISSING
        flat = 2 * self.item[answered] + self.answer[answered]
        return np.bincount(flat, minlength=2 * len(self.items)).reshape(-1, 2)

    @cached_property
    def topics(self) -> tuple[str, ...]:
        """The topics, in order."""
        return tuple(dict.fromkeys(item.topic for item in self.items))

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """The names of the summaries, over all topics."""
        return tuple(sorted({item.summary for item in self.items}))

    def without(self, workers: Iterable[int]) -> Votes:
        """Return the votes of all other workers; undecided items stay, and so do the codes of workers."""
        left_out = np.zeros(len(self.workers), dtype=bool)
        left_out[list(workers)] = True
        return self.where(~left_out[self.voter])

    def where(self, kept: NDArray[np.bool_]) -> Votes:
        """Return only these votes, of the same items, workers and assignments."""
        return replace(self, item=self.item[kept], assignment=self.assignment[kept], answer=self.answer[kept])

    @classmethod
    def of(cls, submissions: Iterable[Submission]) -> Votes:
        """Take the votes in judging submissions; other phases are passed over.

        Summaries of a topic are asked about the same statements, by submissions that share their question. What
        depends only on the questions (the order of statements, their words) is therefore computed once.
        """
        by_summary, rejected = _counting(submissions)
        items: list[Item] = []
        counted: list[Submission] = []
        pieces: list[Codes] = []
        words: dict[tuple[str, str], str] = {}
        texts: dict[tuple[str, str], str] = {}
        starts: list[int] = []
        layouts: dict[tuple[int, ...], _Layout] = {}
        noted: set[tuple[str, tuple[int, ...]]] = set()
        for topic, summary in sorted(by_summary):
            members = by_summary[topic, summary]
            members.sort(key=lambda sent: (sent.asked.ids, sent.worker, sent.submitted, sent.id))
            # few: submissions of one task share it
            shown = {id(submission.asked): submission.asked for submission in members}
            key = tuple(shown)
            layout = layouts.get(key) or layouts.setdefault(key, _Layout.of(shown.values()))
            starts += [len(items)] * len(members)
            items += map(_item, zip(repeat(topic), repeat(summary), layout.ids))
            pieces += [layout.places[id(submission.asked)] for submission in members]
            if (topic, key) not in noted:
                noted.add((topic, key))
                for asked in shown.values():
                    for name, text in zip(asked.ids, asked.words, strict=False):
                        words.setdefault((topic, name), text)
            for submission in members:
                if submission.text:
                    texts[topic, summary] = submission.text
                    break
            counted += members
        answer = _CODE[
            np.frombuffer("".join([submission.answers for submission in counted]).encode("ascii"), dtype=np.uint8)
        ]
        voters = [submission.worker_name for submission in counted]
        names = sorted(set(voters))
        code = dict(zip(names, range(len(names)), strict=True))
        worker = np.array([code[name] for name in voters], dtype=np.intp)
        lengths = [len(submission.answers) for submission in counted]
        assignment = np.repeat(np.arange(len(counted)), lengths)
        item = np.concatenate(pieces) + np.repeat(starts, lengths)
        first = _first_of_each(item, worker[assignment], assignment, answer, counted)
        again = ~first & (answer != MISSING)
        return cls(
            tuple(items),
            tuple(names),
            tuple(counted),
            worker,
            item[first],
            assignment[first],
            answer[first],
            words,
            texts,
            rejected,
            int(again.sum()),
        )


class _Layout(NamedTuple):
    """The statements asked about a summary, in order, and where those of each question stand among them."""

    ids: list[str]
    places: dict[int, Codes]

    @classmethod
    def of(cls, asked: Iterable[Asked]) -> _Layout:
        questions = list(asked)
        ids = sorted(set(chain.from_iterable(question.ids for question in questions)))
        place = dict(zip(ids, range(len(ids)), strict=True))
        return cls(
            ids,
            {id(question): np.array([place[name] for name in question.ids], dtype=np.intp) for question in questions},
        )


def _counting(submissions: Iterable[Submission]) -> tuple[dict[tuple[str, str], list[Submission]], int]:
    """Return the judging submissions that count, by topic and summary, and the number of those that do not."""
    counting: dict[tuple[str, str], list[Submission]] = {}
    rejected = 0
    for submission in submissions:
        if submission.phase != "judging":
            continue
        if submission.status == "rejected":
            rejected += 1
        else:
            counting.setdefault((submission.topic, submission.summary), []).append(submission)
    if not counting:
        raise PyramidionError(
            "There is no judgement to count" + (f": all {rejected} are rejected" if rejected else ""),
            do="collect results of the judging task first",
        )
    return counting, rejected


def _first_of_each(
    item: Codes, voter: Codes, assignment: Codes, answer: Answers, submissions: Sequence[Submission]
) -> NDArray[np.bool_]:
    """Return whether each vote is its worker's first on the item: answers before missing ones, then by time and id."""
    key = item * (int(voter.max(initial=0)) + 1) + voter
    ordered = np.sort(key)
    if not (ordered[1:] == ordered[:-1]).any():
        return np.ones(len(item), dtype=bool)  # nobody judged an item twice
    by_time = sorted(
        range(len(submissions)), key=lambda number: (submissions[number].submitted, submissions[number].id)
    )
    turn = np.empty(len(submissions), dtype=np.intp)
    turn[by_time] = np.arange(len(submissions))
    order = np.lexsort((turn[assignment], answer == MISSING))
    first = np.zeros(len(item), dtype=bool)
    first[order[np.unique(key[order], return_index=True)[1]]] = True
    return first
