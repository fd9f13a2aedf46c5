"""The pages that workers see: a task as one HTML file that needs no other, and the folders of them a lab hands out.

What is asked follows Shapira et al. 2019 §3. *Writing*: eight statements, each brief and about one fact, important,
from the text alone, able to stand alone, from different places; copied, pasted and edited. *Judging*: whether each
statement can be inferred from the summary, without general knowledge and ignoring minor differences. Ours are "cannot
tell", the worked examples, drafts kept in the browser, and the checks before sending.

The page refuses what :mod:`~pyramidion.crowd.statements.select` would drop anyway, or what is no answer: statements
missing, twice the same, or too long. That two statements seem to come from one sentence, that one seems not to come
from the text or to be two sentences, are guesses of a program, and a long sentence may hold two facts: these are hints,
which a worker reads and may overrule, because nobody who is paid for a task must get stuck in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from pyramidion.crowd._keys import key
from pyramidion.crowd.design import PlatformName
from pyramidion.crowd.page import Page, render, render_text
from pyramidion.crowd.study import Phase, Study, Task
from pyramidion.errors import PyramidionError
from pyramidion.io.files import encode

__all__ = ["LEAST_WORDS", "MOST_WORDS", "Slot", "completion_code", "order_of", "pages", "slots", "task_page"]

LEAST_WORDS, MOST_WORDS = 2, 20
"""The length of a statement; the same as what selection keeps."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One thing that a page asks: a statement to judge or to write, or an attention check among them."""

    slot: str
    """``S3`` the task's third statement, ``C1`` its first check, ``s3`` the third to write."""
    name: str
    """Of the form's field."""
    text: str = ""
    statement: str = ""
    check: str = ""


def order_of(task: Task) -> tuple[str, ...]:
    """In which order a judging task is shown: its statements in their order, the checks at random places among them.

    The first is never a check. The same task always has the same order.
    """
    order = [f"S{number}" for number in range(1, len(task.statements) + 1)]
    for number, check in enumerate(task.checks, 1):
        place = 1 + int(key(task.id, check.id), 16) % max(1, len(order)) if order else 0
        order.insert(place, f"C{number}")
    return tuple(order)


def slots(study: Study, task: Task) -> list[Slot]:
    """What a task asks, in the order shown."""
    if task.phase == "writing":
        return [Slot(f"s{number}", f"s{number}") for number in range(1, study.design.written + 1)]
    texts = {one.id: one.text for one in study.statements if one.topic == task.topic}
    asked = {f"S{number}": Slot(f"S{number}", "", texts[id], id) for number, id in enumerate(task.statements, 1)}
    asked |= {f"C{number}": Slot(f"C{number}", "", one.text, "", one.id) for number, one in enumerate(task.checks, 1)}
    shown = [asked[slot] for slot in order_of(task)]
    return [Slot(one.slot, f"q{at}", one.text, one.statement, one.check) for at, one in enumerate(shown, 1)]


def task_page(
    study: Study,
    task: Task,
    *,
    worker: str = "",
    session: str = "",
    post: str = "",
    ticket: str = "",
    completion: str = "",
) -> Page:
    """The page of a task.

    With ``post``, answers are sent there as JSON, with the ``ticket`` that says for whom the task is; without, the
    worker downloads them as a file. Without ``worker``, the page takes the name from its address (``worker``,
    ``PROLIFIC_PID``) or asks for it.
    """
    return render(
        "own.html",
        mode="own",
        phase=task.phase,
        study=study.name,
        task=task.id,
        worker=worker,
        session=session,
        post=post,
        ticket=ticket,
        completion=completion,
        order="",
        text=study.text_of(task).text,
        slots=slots(study, task),
        most=MOST_WORDS,
        least=LEAST_WORDS,
    )


def completion_code(url: str) -> str:
    """The code in a completion address of Prolific, which is checked; empty where there is none.

    >>> completion_code("https://app.prolific.com/submissions/complete?cc=C1A2B3")
    'C1A2B3'
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise PyramidionError(f"{url!r} is no address of a web page", do="give one that begins with https://")
    found = re.search(r"(?:^|&)cc=([\w-]+)", parts.query)
    return found[1] if found else ""


def pages(study: Study, phase: Phase, platform: PlatformName, *, completion: str = "") -> dict[str, bytes]:
    """The files of a folder to hand out: by path inside it, their bytes."""
    tasks = study.of_phase(phase)
    if not tasks:
        raise PyramidionError(
            f"study {study.name!r} has no {phase} tasks",
            do="select statements first: pyramidion crowd select" if phase == "judging" else "there is only judging",
        )
    code = completion_code(completion) if completion else ""
    if platform == "mturk":
        from pyramidion.crowd.page.mturk import mturk_files

        return mturk_files(study, phase, tasks)
    names = _file_names(tasks)
    files = {
        names[task.id]: encode(task_page(study, task, completion=completion).html)
        for task in sorted(tasks, key=lambda task: task.id)
    }
    rows = [
        {
            "href": quote(names[task.id]),
            "id": task.id,
            "topic": task.topic,
            "summary": task.summary,
            "asked": len(slots(study, task)),
            "workers": task.workers,
        }
        for task in tasks
    ]
    files["index.html"] = encode(render("index.html", study=study.name, phase=phase, rows=rows).html)
    readme = render_text(
        f"{platform}-readme.md",
        study=study.name,
        phase=phase,
        tasks=len(tasks),
        assignments=sum(task.workers for task in tasks),
        completion=completion,
        code=code,
        **settings(study, phase),
    )
    files["README.md"] = encode(readme)
    return files


def settings(study: Study, phase: Phase) -> dict[str, str | int]:
    """What to enter at a marketplace."""
    design = study.design
    writing = phase == "writing"
    minutes = design.writing_minutes if writing else design.judging_minutes
    asked = design.written if writing else design.per_task + design.checks
    return {
        "title": f"Write {asked} short statements about a text" if writing else "Say which statements a text contains",
        "description": f"Read one text and write down {asked} facts from it, a short sentence each."
        if writing
        else f"Read one short text and decide for about {asked} statements whether the text says them.",
        "keywords": "reading, text, facts, writing" if writing else "reading, text, facts, comparison",
        "reward": f"{(design.writing_reward if writing else design.judging_reward) / 100:.2f}",
        "minutes": f"{minutes:g}",
        "allotted": max(30, round(6 * minutes)),
        "approved": design.approved,
        "rate": design.approval_rate,
    }


def _file_names(tasks: Sequence[Task]) -> dict[str, str]:
    """A file for each task, no two alike where capitals do not count."""
    made: dict[str, str] = {}
    taken: set[str] = set()
    for task in sorted(tasks, key=lambda task: task.id):
        stem = re.sub(r"[^A-Za-z0-9._-]+", "-", task.id).strip("-.")[:60] or "task"
        if stem.casefold() in taken or stem != task.id:
            stem = f"{stem}-{key(task.id)[:8]}"
        taken.add(stem.casefold())
        made[task.id] = f"tasks/{stem}.html"
    return made
