"""A crowd study in a studio without a network: its owner's form, and workers who do tasks."""

from __future__ import annotations

import re
from html import unescape
from typing import Any
from urllib.parse import quote

from pyramidion.model import SCU, Contributor, Pyramid, Span, Summary, Topic
from pyramidion.studio.crowd_studies import Offer, Open
from pyramidion.studio.log.store import topics_of
from pyramidion.studio.workspace import Workspace
from tests.studio.desk import Visitor

FACTS = ("The dam broke at dawn.", "Ten farms were flooded.", "Nobody was hurt.", "The mayor resigned.")
NUMBERS = {"workers": 3, "per_task": 2, "sample": 32, "checks": 1, "writers": 1, "written": 4, "each": 0}


def dam(peers: int = 2, name: str = "dam") -> Topic:
    """A topic whose pyramid has four SCUs, and whose n-th peer says the first n of them."""
    text = " ".join(FACTS)
    reference = Summary("A", text)
    starts = [text.index(fact) for fact in FACTS]
    scus = tuple(
        SCU(str(number), fact, (Contributor("A", (Span(start, start + len(fact)),)),))
        for number, (fact, start) in enumerate(zip(FACTS, starts, strict=True), start=1)
    )
    summaries = tuple(Summary(f"sys{n}", " ".join(FACTS[:n]), "peer") for n in range(1, peers + 1))
    return Topic(name, (reference,), summaries, pyramid=Pyramid(name, (reference,), scus))


def made_by_form(owner: Visitor, project: str, statements: str = "scus", **changes: Any) -> Any:
    """The reply to the owner's form."""
    owner.get(f"/projects/{project}/crowd")
    values = {name: str(value) for name, value in NUMBERS.items()}
    values |= {"token": owner.token, "name": "Votes", "from": statements, "completion": ""}
    values |= {"judging_reward": "45", "writing_reward": "50"}
    values |= {f"topic-{id}": "yes" for id, _ in topics_of(owner.workspace.engine, project)}
    return owner.client.post(
        f"/projects/{project}/crowd", data=values | {name: str(value) for name, value in changes.items()}
    )


def make_study(owner: Visitor, project: str, statements: str = "scus", **changes: Any) -> Offer:
    """A study of all topics of a project, made with the owner's form."""
    reply = made_by_form(owner, project, statements, **changes)
    assert reply.status_code == 303, reply.text
    offer = owner.workspace.crowd.get(reply.headers["location"].rpartition("/")[2])
    assert offer
    return offer


def current(workspace: Workspace, offer: Offer) -> Open:
    """The study as it is now."""
    now = workspace.crowd.get(offer.id)
    assert now
    return workspace.crowd.open_study(now)


class Worker:
    """Somebody with a link: reads the page of a task and sends what it would send."""

    def __init__(self, workspace: Workspace, offer: Offer, name: str) -> None:
        self.workspace, self.offer, self.name = workspace, offer, name
        self.browser = Visitor(workspace, key=False)
        self.at = f"/crowd/{offer.link}"

    def page(self) -> Any:
        return self.browser.get(f"{self.at}/task?worker={quote(self.name)}")

    def record(self, page: str, letters: str = "") -> dict[str, Any]:
        """The answers to a page: the truth, or these letters for the statements in turn."""
        said = {name: unescape(value) for name, value in re.findall(r'data-(task|phase|study|ticket)="([^"]*)"', page)}
        now = current(self.workspace, self.offer)
        task = next(task for task in now.study.tasks if task.id == said["task"])
        text = now.study.text_of(task).text
        words = {one.id: one.text for one in now.study.statements if one.topic == task.topic}
        truth = {id: "p" if words[id] in text else "n" for id in task.statements}
        answers = {id: letters[place % len(letters)] if letters else truth[id] for place, id in enumerate(truth)}
        return {
            "pyramidion": "submission-1",
            **said,
            "worker": self.name,
            "session": f"{self.name}-{task.id}",
            "answers": answers,
            "checks": {check.id: check.expected for check in task.checks},
            "written": list(FACTS) if task.phase == "writing" else [],
            "submitted": "2026-11-16T10:04:00.000Z",
            "seconds": 60,
        }

    def send(self, record: dict[str, Any], **headers: str) -> Any:
        return self.browser.client.post(f"{self.at}/answer", json=record, headers=headers)

    def work(self, letters: str = "", most: int = 100) -> int:
        """Do tasks until there is none, or enough; return how many."""
        for done in range(most):
            page = self.page()
            if page.status_code == 303:
                return done
            reply = self.send(self.record(page.text, letters))
            assert reply.status_code == 200, reply.text
        return most
