"""What is noted of somebody's files and pyramids: they see it, each time, and nobody else does."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Event
from types import ModuleType
from typing import Any

import pytest

from pyramidion.builders import BUILDERS
from pyramidion.formats import FORMATS
from pyramidion.methods import Method
from pyramidion.model import Pyramid, Summary, Topic
from pyramidion.notes import note
from pyramidion.studio.log.store import topics_of
from pyramidion.studio.workspace import Workspace
from tests.studio.desk import Visitor, opened

PATIENCE = 60
TOPIC = Topic("CONFIDENTIAL-merger-2", (Summary("A", "The dam broke. Nobody was hurt."), Summary("B", "A dam burst.")))


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    made = opened(tmp_path / "workspace")
    yield made
    made.close()


@pytest.fixture
def meeting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], None]], None]:
    """A format of another package, ``.meeting``, whose reader does as it is told before and after its note."""
    about = tmp_path / "packages" / "meeting-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: meeting\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[pyramidion.formats]\nmeeting = meeting\n")
    monkeypatch.syspath_prepend(str(about.parent))
    module: Any = ModuleType("meeting")
    module.TITLE, module.SUFFIXES = "Meeting (.meeting)", (".meeting",)
    module.sniff = lambda path, head: path.suffix == ".meeting"
    monkeypatch.setitem(FORMATS._loaded, "meeting", module)

    def meets(meet: Callable[[], None]) -> None:
        def load(path: Path) -> list[Topic]:
            meet()
            note(f"{path}: The file is of {path.stem}")
            meet()
            return [Topic(path.stem, TOPIC.references)]

        module.load = load

    return meets


def uploaded(workspace: Workspace, name: str) -> list[str]:
    """What a visitor is told who drops a file onto a project of their own."""
    visitor = Visitor(workspace)
    visitor.get("/")
    project = workspace.add_project(name)
    answer = visitor.upload(f"/projects/{project}/files", {f"{name}.meeting": b"It rained."})
    assert answer.status_code == 200, answer.text
    told: list[str] = answer.json()["warnings"]
    return told


def built(workspace: Workspace, topic: Topic = TOPIC) -> dict[str, Any]:
    """How the work ends of a visitor who has the pyramid of a topic built in a project of their own."""
    visitor = Visitor(workspace)
    id = workspace.store.add(workspace.add_project(topic.id), topic)
    visitor.get(f"/topics/{id}")
    job = visitor.post(f"/topics/{id}/build", {"method": "pyreval"}).json()["job"]
    workspace.jobs._pool.submit(lambda: None).result(PATIENCE)
    state: dict[str, Any] = visitor.json(f"/jobs/{job}").json()
    assert (state["finished"], state["error"]) == (True, "")
    return state


def test_two_who_drop_files_at_once_are_told_each_of_their_own(
    workspace: Workspace, meeting: Callable[[Callable[[], None]], None]
) -> None:
    """Both are read at the same time: neither waits for the other, and neither hears of the other."""
    both = Barrier(2)
    meeting(lambda: both.wait(PATIENCE) and None)
    before = warnings.filters[:], warnings.showwarning
    with ThreadPoolExecutor(2) as people:
        first, second = people.map(uploaded, [workspace] * 2, ["anna", "bert"])
    assert (first, second) == (
        ["anna.meeting: The file is of anna"],
        ["bert.meeting: The file is of bert"],
    )
    assert (warnings.filters[:], warnings.showwarning) == before


def test_a_build_beside_an_upload_tells_each_its_own_and_leaves_nothing_changed(
    workspace: Workspace,
    meeting: Callable[[Callable[[], None]], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The build begins first and ends last: in between somebody else drops a file."""
    started, is_read = Event(), Event()

    def hasty(topic: Topic) -> Pyramid:
        started.set()
        assert is_read.wait(PATIENCE)
        note(f"The groups of topic {topic.id!r} are at most 3.0% below the best")
        return Method.parse("lite+soft").pyramid(topic)

    monkeypatch.setitem(BUILDERS._loaded, "edua-g", hasty)
    meeting(lambda: None)
    before = warnings.filters[:], warnings.showwarning
    with ThreadPoolExecutor(1) as people:
        building = people.submit(built, workspace)
        assert started.wait(PATIENCE)
        told = uploaded(workspace, "bert")
        is_read.set()
        state = building.result(PATIENCE)
    assert told == ["bert.meeting: The file is of bert"]
    assert state["warnings"] == ["The groups of topic 'CONFIDENTIAL-merger-2' are at most 3.0% below the best"]
    assert (warnings.filters[:], warnings.showwarning) == before


def test_whoever_builds_a_pyramid_that_is_kept_is_told_of_its_flaw(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PYRAMIDION_CACHE", str(tmp_path / "cache"))
    made: list[str] = []

    def hasty(topic: Topic) -> Pyramid:
        made.append(topic.id)
        note("EDUA-G gave up")
        return Method.parse("lite+soft").pyramid(topic)

    monkeypatch.setitem(BUILDERS._loaded, "edua-g", hasty)
    assert [built(workspace)["warnings"] for _ in range(3)] == [["EDUA-G gave up"]] * 3
    assert made == [TOPIC.id]


def test_an_evaluation_that_is_kept_shows_its_notes(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def hasty(topic: Topic) -> Pyramid:
        note("EDUA-G gave up <soon>")
        return Method.parse("lite+soft").pyramid(topic)

    monkeypatch.setitem(BUILDERS._loaded, "edua-g", hasty)
    visitor = Visitor(workspace)
    visitor.get("/")
    project = workspace.add_project("Class", [Topic("dam", TOPIC.references, (Summary("p", "A dam broke.", "peer"),))])
    visitor.get(f"/topics/{topics_of(workspace.engine, project)[0][0]}")
    job = visitor.post(f"/projects/{project}/results", {"method": "pyreval"}).json()["job"]
    workspace.jobs._pool.submit(lambda: None).result(PATIENCE)
    state = visitor.json(f"/jobs/{job}").json()
    assert (state["error"], state["warnings"]) == ("", ["EDUA-G gave up <soon>"])
    for _ in range(2):
        assert "EDUA-G gave up &lt;soon&gt;</li>" in visitor.get(state["link"]).text
