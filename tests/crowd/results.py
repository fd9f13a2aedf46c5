"""Result files as platforms write them, for a small study."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Any

from pyramidion.crowd.design import Design
from pyramidion.crowd.study import Check, Statement, Study, Task
from pyramidion.model import Summary, Topic

WORDS = {"7": "Rents rise.", "8": "Wages, too; much.", "9": "=Nobody moves."}
PLATFORM = {
    "HITId": "3HIT",
    "Title": "Judge, please",
    "AssignmentStatus": "Submitted",
    "AcceptTime": "Tue Nov 13 09:00:11 PST 2018",
    "SubmitTime": "Tue Nov 13 09:10:11 PST 2018",
    "ApprovalTime": "",
    "RejectionTime": "",
    "WorkTimeInSeconds": "600",
    "LifetimeApprovalRate": "100% (5/5)",
}


def study() -> Study:
    """One topic, a reference that two write about, two systems that two judge, by one task each."""
    peers = tuple(Summary(name, f"What {name} says.", "peer") for name in ("sys", "other"))
    topic = Topic("d1", (Summary("A", "Rents rise, and more.", "reference"),), peers)
    statements = tuple(Statement(id, "d1", "A", words) for id, words in WORDS.items())
    tasks = [Task("w1", "writing", "d1", "A", 2)]
    for peer in peers:
        check = Check(f"c-{peer.id}", "The moon is cheese.", "n")
        tasks.append(Task(f"j-{peer.id}", "judging", "d1", peer.id, 2, tuple(WORDS), (check,)))
    return Study(
        "small", Design(writers=2, written=3, sample=3, per_task=3, workers=2), (topic,), statements, tuple(tasks)
    )


def judging(worker: str, answers: str, summary: str = "sys", **more: str) -> dict[str, str]:
    """A row of the judging task: a letter for each statement's answer, ``-`` for none, and padding behind them."""
    row = PLATFORM | {"AssignmentId": f"a-{worker}-{summary}", "WorkerId": worker}
    row |= {"Input.eventId": "d1", "Input.summaryId": summary, "Input.qIdList": str(list(WORDS))}
    row |= {"Input.summary_text": f"What {summary} says.", "Input.taskId": f"j-{summary}"}
    row |= {"Input.checkIdList": str([f"c-{summary}"]), "Input.check_1": "The moon is cheese.", "Answer.C1Answer": "n"}
    for number in range(1, 6):
        words = list(WORDS.values())[number - 1] if number <= len(WORDS) else "BLANK"
        row[f"Input.statement_{number}"] = f" {words}" if words[0] == "=" else words
        row[f"Answer.S{number}Answer"] = answers[number - 1].strip("-") if number <= len(answers) else ""
    return row | more


def writing(worker: str, *written: str, **more: str) -> dict[str, str]:
    """A row of the writing task."""
    row = PLATFORM | {"AssignmentId": f"a-{worker}", "WorkerId": worker, "Input.taskId": "w1"}
    row |= {"Input.eventId": "d1", "Input.summId": "A", "Input.summary_text": "Rents rise, and more."}
    return row | {f"Answer.s{n}": text for n, text in enumerate([*written, *[""] * (3 - len(written))], start=1)} | more


def bare(*rows: Mapping[str, str], also: Iterable[str] = ()) -> list[dict[str, str]]:
    """The rows as REALSumm published them: what was shown and answered, and nothing of who and when."""
    names = ("Input.eventId", "Input.summaryId", "Input.qIdList", "Input.summary_text", *also)
    return [
        {name: cell for name, cell in row.items() if name in names or name.startswith(("Input.statement", "Answer.S"))}
        for row in rows
    ]


def table(*rows: Mapping[str, str], separator: str = ",") -> str:
    """The rows as CSV, all cells quoted, the answers in the order of their names, as Mechanical Turk writes them."""
    names = dict.fromkeys(name for row in rows for name in row)
    header = [*(n for n in names if not n.startswith("Answer.")), *sorted(n for n in names if n.startswith("Answer."))]
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, header, restval="", quoting=csv.QUOTE_ALL, delimiter=separator)
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def page(task: str = "j-sys", worker: str = "W1", **more: Any) -> dict[str, Any]:
    """What the page of a task sends."""
    record: dict[str, Any] = {"pyramidion": "submission-1", "study": "small", "task": task, "worker": worker}
    record |= {"phase": "judging", "answers": {"7": "p", "8": "n", "9": "?"}, "checks": {f"c-{task[2:]}": "n"}}
    if task.startswith("w"):
        record |= {"phase": "writing", "answers": {}, "checks": {}, "written": ["One.", "Two.", "Three."]}
    record |= {"session": f"s-{worker}", "started": "2024-05-01T10:00:00.000Z", "submitted": "2024-05-01T10:02:00.500Z"}
    return record | {"seconds": 117} | more
