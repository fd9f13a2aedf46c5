"""Check whether answers belong to a study: its topics, summaries, tasks and statements.

An answer that fits gets the study's own texts and, if the source does not name it, its task. An answer that does not
fit is an error, because answers to other statements with the same ids would be counted unnoticed.
"""

from __future__ import annotations

import html
import re
from collections import defaultdict
from dataclasses import replace

from pyramidion.crowd.answers.submission import NOTHING, Asked, Submission
from pyramidion.crowd.study import Phase, Statement, Study, Task
from pyramidion.errors import FormatError, Where

ELSEWHERE = "collect it into the study that it belongs to, or skip unknown answers"
"""The advice in errors."""

_TAG = re.compile(r"<[^<>]*>")


class StrayError(FormatError):
    """Answers to something that the study does not ask."""

    def __init__(self, what: str, where: Where | str = "", do: str = ELSEWHERE) -> None:
        super().__init__(what, where, do)


class Fit:
    """Checks that submissions belong to a study, and gives them its tasks and texts."""

    def __init__(self, study: Study) -> None:
        """Index the study's tasks, statements and texts by id."""
        self.study = study
        self.tasks = {task.id: task for task in study.tasks}
        self.statements: defaultdict[str, dict[str, Statement]] = defaultdict(dict)
        for statement in study.statements:
            self.statements[statement.topic][statement.id] = statement
        self.texts: dict[tuple[Phase, str, str], str] = {}
        for topic in study.topics:
            self.texts |= {("writing", topic.id, statement.id): statement.text for statement in topic.references}
            self.texts |= {("judging", topic.id, statement.id): statement.text for statement in topic.peers}
        self.topics = {topic.id for topic in study.topics}
        self.about: defaultdict[tuple[Phase, str, str], list[Task]] = defaultdict(list)
        for task in study.tasks:
            self.about[task.phase, task.topic, task.summary].append(task)
        self._asked: dict[tuple[str, Asked], Asked] = {}
        # Many submissions answer the same question, and what fits it is found once.
        self._answers: dict[tuple[object, ...], tuple[str, Asked, str]] = {}

    def __call__(self, submission: Submission) -> Submission:
        """Return the submission with the study's task and texts; if it does not fit, raise an error without a place."""
        checks = tuple([id for id, _ in submission.checks])
        question = (
            submission.phase,
            submission.topic,
            submission.summary,
            submission.task,
            submission.asked,
            submission.text,
            checks,
        )
        answer = self._answers.get(question)
        if answer is None:
            answer = self._answers[question] = self.answer(submission, checks)
        task, asked, text = answer
        if task == submission.task and asked is submission.asked and text is submission.text:
            return submission
        return replace(submission, task=task, asked=asked, text=text)

    def answer(self, submission: Submission, checks: tuple[str, ...]) -> tuple[str, Asked, str]:
        """Return the task, the statements and the text of a submission, which depend only on what was asked."""
        text = self.text(submission)
        asked = self.in_study_words(submission.topic, submission.asked) if submission.asked.ids else NOTHING
        task = self.task_named_by(submission) if submission.task else self.only_task_asking(submission)
        if task is not None and not set(checks) <= {check.id for check in task.checks}:
            raise StrayError(f"Task {task.id!r} has other attention checks")
        return (
            task.id if task else "",
            submission.asked if asked == submission.asked else asked,
            submission.text if text == submission.text else text,
        )

    def task(self, id: str) -> Task:
        """Return the task of that id."""
        if id not in self.tasks:
            raise StrayError(f"Study {self.study.name!r} has no task {id[:80]!r}")
        return self.tasks[id]

    def text(self, submission: Submission) -> str:
        """Return the study's text that the submission is about."""
        if submission.topic not in self.topics:
            raise StrayError(f"Study {self.study.name!r} has no topic {submission.topic[:80]!r}")
        text = self.texts.get((submission.phase, submission.topic, submission.summary))
        if text is None:
            kind = "reference" if submission.phase == "writing" else "system"
            raise StrayError(f"Topic {submission.topic!r} has no {kind} {submission.summary[:80]!r}")
        if submission.text and not same(submission.text, text):
            raise StrayError(
                f"The text of {submission.summary!r} on topic {submission.topic!r} is not the study's: "
                f"{submission.text[:40]!r}",
                do=ELSEWHERE,
            )
        return text

    def in_study_words(self, topic: str, asked: Asked) -> Asked:
        """Return the statements in the study's words."""
        known = self._asked.get((topic, asked))
        if known is None:
            statements = self.statements[topic]
            for id in asked.ids:
                if id not in statements:
                    raise StrayError(f"Topic {topic!r} has no statement {id[:80]!r}")
            for id, words in zip(asked.ids, asked.words, strict=False):
                if not same(words, statements[id].text):
                    raise StrayError(
                        f"Statement {id!r} of topic {topic!r} is not the study's: {words[:60]!r}", do=ELSEWHERE
                    )
            known = self._asked[topic, asked] = Asked(asked.ids, tuple(statements[id].text for id in asked.ids))
        return known

    def task_named_by(self, submission: Submission) -> Task:
        """Return the task that the submission names; it must be about the same summary and statements."""
        task = self.task(submission.task)
        if (task.phase, task.topic, task.summary) != (submission.phase, submission.topic, submission.summary):
            raise StrayError(
                f"Task {task.id!r} is {task.phase} on {task.summary!r} of topic {task.topic!r}, but the answers are "
                f"{submission.phase} on {submission.summary!r} of topic {submission.topic!r}",
                do="check that no batches are mixed up",
            )
        if not set(submission.asked.ids) <= set(task.statements):
            raise StrayError(f"Task {task.id!r} does not ask all of these statements")
        return task

    def only_task_asking(self, submission: Submission) -> Task | None:
        """Return the only task that asks these statements; None if no task or several tasks do."""
        asked = set(submission.asked.ids)
        fitting = [
            task
            for task in self.about[submission.phase, submission.topic, submission.summary]
            if asked <= set(task.statements)
        ]
        return fitting[0] if len(fitting) == 1 else None


def same(left: str, right: str) -> bool:
    """Return whether two texts are the same but for markup, white space, quotes and what a wrong encoding damages.

    An encoding damages letters beyond ASCII; if these are most of a text, every letter counts.
    """
    if left == right:
        return True
    bare, wanted = (_bare(html.unescape(text)) for text in (left, right))
    return bare == wanted or _bare(html.unescape(_TAG.sub(" ", left))) == wanted


def _bare(text: str) -> str:
    unspaced = "".join(text.split())
    plain = "".join(letter for letter in unspaced if letter.isascii() and letter.isalnum())
    return plain if 2 * len(plain) >= len(unspaced) else unspaced
