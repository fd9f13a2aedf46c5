"""All pages of a phase as the files of a folder: for Mechanical Turk, for Prolific, or for workers of one's own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from urllib.parse import quote, urlsplit

from pyramidion.base.files import encode
from pyramidion.crowd.design import PlatformName
from pyramidion.crowd.keys import key
from pyramidion.crowd.page import render, render_text
from pyramidion.crowd.page.mturk import mturk_files
from pyramidion.crowd.page.task import settings, slots, task_page
from pyramidion.crowd.study import Phase, Study, Task
from pyramidion.errors import PyramidionError


def completion_code(url: str) -> str:
    """Return the code in a completion address of Prolific; empty if there is none. A malformed address is an error.

    >>> completion_code("https://app.prolific.com/submissions/complete?cc=C1A2B3")
    'C1A2B3'
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")  # has no scheme, which is the error below
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise PyramidionError(f"{url!r} is no address of a web page", do="give one that begins with https://")
    code = re.search(r"(?:^|&)cc=([\w-]+)", parts.query)
    return code[1] if code else ""


def pages(study: Study, phase: Phase, platform: PlatformName, *, completion: str = "") -> dict[str, bytes]:
    """Return the files of a folder to hand out: their bytes by their path inside it."""
    tasks = study.of_phase(phase)
    if not tasks:
        raise PyramidionError(
            f"Study {study.name!r} has no {phase} tasks",
            do="select statements first: pyramidion crowd select" if phase == "judging" else "there is only judging",
        )
    code = completion_code(completion) if completion else ""
    if platform == "mturk":
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


def _file_names(tasks: Sequence[Task]) -> dict[str, str]:
    """Name a file for each task; no two names are alike on file systems that ignore capitals."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    for task in sorted(tasks, key=lambda task: task.id):
        stem = re.sub(r"[^A-Za-z0-9._-]+", "-", task.id).strip("-.")[:60] or "task"
        if stem.casefold() in taken or stem != task.id:
            stem = f"{stem}-{key(task.id)[:8]}"
        taken.add(stem.casefold())
        names[task.id] = f"tasks/{stem}.html"
    return names
