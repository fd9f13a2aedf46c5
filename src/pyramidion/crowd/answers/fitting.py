"""Whether answers belong to a study: its topics, summaries, tasks and statements, in the words that it asks.

What fits gets the study's own texts and, where the source does not name it, its task. What does not is an error that
says what is wrong, because answers to other statements under the same ids would be counted without a trace.
"""

from __future__ import annotations

import html
import re
from collections import defaultdict
from dataclasses import replace

from pyramidion.crowd.answers.submission import NOTHING, Asked, Submission
from pyramidion.crowd.study import Phase, Statement, Study, Task
from pyramidion.errors import FormatError, Where

__all__ = ["Fit", "StrayError", "same"]

ELSEWHERE = "collect it into the study it belongs to, or pass such answers over with --skip-unknown"
"""What to do about it."""

_TAG = re.compile(r"<[^<>]*>")


class StrayError(FormatError):
    """Answers to something that the study does not ask."""

    def __init__(self, what: str, where: Where | str = "", do: str = ELSEWHERE) -> None:
        super().__init__(what, where, do)


class Fit:
    """A study, ready to be asked whether a submission is one of its own."""

    def __init__(self, study: Study) -> None:
        self.study = study
        self.tasks = {task.id: task for task in study.tasks}
        self.statements: defaultdict[str, dict[str, Statement]] = defaultdict(dict)
        for one in study.statements:
            self.statements[one.topic][one.id] = one
        self.texts: dict[tuple[Phase, str, str], str] = {}
        for topic in study.topics:
            self.texts |= {("writing", topic.id, one.id): one.text for one in topic.references}
            self.texts |= {("judging", topic.id, one.id): one.text for one in topic.peers}
        self.topics = {topic.id for topic in study.topics}
        self.about: defaultdict[tuple[Phase, str, str], list[Task]] = defaultdict(list)
        for task in study.tasks:
            self.about[task.phase, task.topic, task.summary].append(task)
        self._asked: dict[tuple[str, Asked], Asked] = {}
        self._answers: dict[tuple[object, ...], tuple[str, Asked, str]] = {}

    def __call__(self, one: Submission) -> Submission:
        """The submission with the study's task and texts; an error without a place where it does not fit."""
        checks = tuple([id for id, _ in one.checks])
        question = (one.phase, one.topic, one.summary, one.task, one.asked, one.text, checks)
        answer = self._answers.get(question)
        if answer is None:
            answer = self._answers[question] = self.answer(one, checks)
        task, asked, text = answer
        if task == one.task and asked is one.asked and text is one.text:
            return one
        return replace(one, task=task, asked=asked, text=text)

    def answer(self, one: Submission, checks: tuple[str, ...]) -> tuple[str, Asked, str]:
        """The task, the statements and the text of a submission, which depend only on what was asked."""
        text = self.text(one)
        asked = self.asked(one.topic, one.asked) if one.asked.ids else NOTHING
        task = self.named(one) if one.task else self.found(one)
        if task is not None and not set(checks) <= {check.id for check in task.checks}:
            raise StrayError(f"task {task.id!r} has other attention checks")
        return (
            task.id if task else "",
            one.asked if asked == one.asked else asked,
            one.text if text == one.text else text,
        )

    def task(self, id: str) -> Task:
        """The task of that id."""
        if id not in self.tasks:
            raise StrayError(f"study {self.study.name!r} has no task {id[:80]!r}")
        return self.tasks[id]

    def text(self, one: Submission) -> str:
        """The study's text that the submission is about."""
        if one.topic not in self.topics:
            raise StrayError(f"study {self.study.name!r} has no topic {one.topic[:80]!r}")
        text = self.texts.get((one.phase, one.topic, one.summary))
        if text is None:
            kind = "reference" if one.phase == "writing" else "system"
            raise StrayError(f"topic {one.topic!r} has no {kind} {one.summary[:80]!r}")
        if one.text and not same(one.text, text):
            raise StrayError(
                f"the text of {one.summary!r} on topic {one.topic!r} is not the study's: {one.text[:40]!r}",
                do=ELSEWHERE,
            )
        return text

    def asked(self, topic: str, asked: Asked) -> Asked:
        """The statements in the study's words."""
        known = self._asked.get((topic, asked))
        if known is None:
            mine = self.statements[topic]
            for id in asked.ids:
                if id not in mine:
                    raise StrayError(f"topic {topic!r} has no statement {id[:80]!r}")
            for id, words in zip(asked.ids, asked.words, strict=False):
                if not same(words, mine[id].text):
                    raise StrayError(
                        f"statement {id!r} of topic {topic!r} is not the study's: {words[:60]!r}", do=ELSEWHERE
                    )
            known = self._asked[topic, asked] = Asked(asked.ids, tuple(mine[id].text for id in asked.ids))
        return known

    def named(self, one: Submission) -> Task:
        """The task that the submission names, which must be about the same."""
        task = self.task(one.task)
        if (task.phase, task.topic, task.summary) != (one.phase, one.topic, one.summary):
            raise StrayError(
                f"task {task.id!r} is {task.phase} on {task.summary!r} of topic {task.topic!r}, but the answers are "
                f"{one.phase} on {one.summary!r} of topic {one.topic!r}",
                do="check that no batches are mixed up",
            )
        if not set(one.asked.ids) <= set(task.statements):
            raise StrayError(f"task {task.id!r} does not ask all of these statements")
        return task

    def found(self, one: Submission) -> Task | None:
        """The only task that asks this, if there is one."""
        asked = set(one.asked.ids)
        fitting = [task for task in self.about[one.phase, one.topic, one.summary] if asked <= set(task.statements)]
        return fitting[0] if len(fitting) == 1 else None


def same(one: str, other: str) -> bool:
    """Whether two texts are the same but for markup, white space, quotes and what a wrong encoding damages.

    It damages what is not ASCII; where that is most of a text, every letter counts.
    """
    if one == other:
        return True
    bare, wanted = (_bare(html.unescape(text)) for text in (one, other))
    return bare == wanted or _bare(html.unescape(_TAG.sub(" ", one))) == wanted


def _bare(text: str) -> str:
    every = "".join(text.split())
    plain = "".join(letter for letter in every if letter.isascii() and letter.isalnum())
    return plain if 2 * len(plain) >= len(every) else every
