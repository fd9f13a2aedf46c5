"""The page of one task: an HTML file that needs no other, its questions, and how a marketplace announces it.

The questions follow Shapira et al. 2019 §3. *Writing*: eight statements, each brief and about one fact, important,
from the text alone, able to stand alone, from different places; copied, pasted and edited. *Judging*: whether each
statement can be inferred from the summary, without general knowledge and ignoring minor differences. Ours are "cannot
tell", the worked examples, drafts kept in the browser, and the checks before sending.

The page refuses answers that :mod:`~pyramidion.crowd.statements.select` would drop anyway, or that are none: statements
missing, twice the same, or too long by the same count of words (:mod:`~pyramidion.crowd.statements.length`). That two
statements seem to come from one sentence, that one seems not to come from the text or to be two sentences, are guesses
of a program, and a long sentence may hold two facts: these are hints, which a worker reads and may overrule, because
nobody who is paid for a task must get stuck in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pyramidion.crowd.keys import key
from pyramidion.crowd.page import Page, render
from pyramidion.crowd.statements.length import LONGEST, SHORTEST
from pyramidion.crowd.study import Phase, Study, Task


@dataclass(frozen=True, slots=True)
class Slot:
    """One thing that a page asks: a statement to judge or to write, or an attention check among them."""

    slot: str
    """``S3`` the task's third statement, ``C1`` its first check, ``s3`` the third to write."""
    name: str
    """The name of the form's field."""
    text: str = ""
    statement: str = ""
    check: str = ""


def order_of(task: Task) -> tuple[str, ...]:
    """Return the order in which a judging task is shown: its statements in order, with the checks at random places.

    The first is never a check. The same task always has the same order.
    """
    order = [f"S{number}" for number in range(1, len(task.statements) + 1)]
    for number, check in enumerate(task.checks, 1):
        place = 1 + int(key(task.id, check.id), 16) % max(1, len(order)) if order else 0
        order.insert(place, f"C{number}")
    return tuple(order)


def slots(study: Study, task: Task) -> list[Slot]:
    """Return the questions of a task, in the order shown."""
    if task.phase == "writing":
        return [Slot(f"s{number}", f"s{number}") for number in range(1, study.design.written + 1)]
    texts = {statement.id: statement.text for statement in study.statements if statement.topic == task.topic}
    asked = {f"S{number}": Slot(f"S{number}", "", texts[id], id) for number, id in enumerate(task.statements, 1)}
    asked |= {
        f"C{number}": Slot(f"C{number}", "", check.text, "", check.id) for number, check in enumerate(task.checks, 1)
    }
    shown = [asked[name] for name in order_of(task)]
    return [Slot(slot.slot, f"q{place}", slot.text, slot.statement, slot.check) for place, slot in enumerate(shown, 1)]


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
    """Return the page of a task.

    With ``post``, answers are sent there as JSON, with the ``ticket`` of the worker; without, the
    worker downloads them as a file. Without ``worker``, the page takes the name from its address (``worker``,
    ``PROLIFIC_PID``) or asks for it.
    """
    return form(
        "own",
        task.phase,
        study.text_of(task).text,
        slots(study, task),
        study=study.name,
        task=task.id,
        worker=worker,
        session=session,
        post=post,
        ticket=ticket,
        completion=completion,
    )


def form(mode: Literal["own", "mturk"], phase: Phase, text: str, slots: Sequence[Slot], **fields: str) -> Page:
    """Return the page of a task; only these fields are filled in."""
    names = ("study", "task", "worker", "session", "post", "ticket", "completion", "order")
    values = {**dict.fromkeys(names, ""), **fields}
    return render(
        f"{mode}.html", mode=mode, phase=phase, text=text, slots=slots, most=LONGEST, least=SHORTEST, **values
    )


def settings(study: Study, phase: Phase) -> dict[str, str | int]:
    """Return the settings to enter at a marketplace."""
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
        # six times the usual minutes and half an hour at least, since the marketplace takes the task away after it
        "allotted": max(30, round(6 * minutes)),
        "approved": design.approved,
        "rate": design.approval_rate,
    }
