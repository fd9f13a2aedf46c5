"""The tour is offered to everybody until they ended it, whatever others did; and what the texts of a class tell."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pyramidion.studio import tours
from pyramidion.studio.accounts import LOCAL
from pyramidion.studio.log.store import topics_of
from pyramidion.studio.workspace import Workspace
from tests.studio.desk import PASSWORD, Visitor, opened

OFFER = 'name="tour"'


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    made = opened(tmp_path / "workspace")
    yield made
    made.close()


def test_the_tour_begins_in_the_finished_example_and_is_remembered_as_ended(workspace: Workspace) -> None:
    visitor = Visitor(workspace)
    assert OFFER in visitor.get("/").text
    answer = visitor.post("/example", {"whole": "yes", "tour": "yes"})
    topic, _, hash = answer.headers["location"].partition("#")
    assert hash == "tour"
    assert 'id="tour-offer"' in visitor.get(topic).text
    assert visitor.post("/tour").status_code == visitor.post("/tour").status_code == 200
    assert OFFER not in visitor.get("/").text
    assert 'id="tour-offer"' not in visitor.get(topic).text
    workspace.close()
    again = opened(workspace.folder)
    assert not tours.is_offered(again.engine, LOCAL)
    again.close()


def test_everybody_has_their_own_tour(workspace: Workspace) -> None:
    ann, bob = (workspace.accounts.add(name, PASSWORD, admin=True) for name in ("Ann", "Bob"))
    Visitor(workspace).log_in(ann).post("/tour")
    assert [tours.is_offered(workspace.engine, one) for one in (ann, bob)] == [False, True]


def test_whoever_could_not_be_read_stays_known_until_the_file_comes_again(workspace: Workspace) -> None:
    visitor = Visitor(workspace)
    visitor.get("/")
    project = workspace.add_project("Class")
    files = {"model 1.txt": b"The dam broke.", "ann.txt": b"A dam broke.", "bob.docx": b"no document"}
    answer = visitor.upload(f"/projects/{project}/files", files).json()
    assert answer["feedback"]
    ((id, _),) = topics_of(workspace.engine, project)
    assert "bob</span>: The file is damaged" in visitor.get(f"/topics/{id}").text
    visitor.upload(f"/topics/{id}/files", {"bob.txt": b"The dam is whole."}, role="peers")
    assert workspace.store.state(id).document.topic.unread == ()


def test_files_without_a_model_answer_are_told_in_words_of_the_page(workspace: Workspace) -> None:
    visitor = Visitor(workspace)
    visitor.get("/")
    project = workspace.add_project("Class")
    answer = visitor.upload(f"/projects/{project}/files", {"ann.txt": b"A dam broke.", "bob.txt": b"It rained."}).json()
    assert not answer["feedback"]
    assert "PATTERN" not in " ".join(answer["warnings"])
    assert "drop the model answers there" in " ".join(answer["warnings"])
    refused = visitor.post(f"/projects/{project}/feedback")
    assert (refused.status_code, "no model answer" in refused.json()["error"]) == (422, True)
