"""The pages: what they show, what they change, and files in and out."""

from __future__ import annotations

import io
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

import pyramidion as pm
from pyramidion.examples import example
from pyramidion.formats import dumps
from pyramidion.model import Summary, Topic
from pyramidion.studio import transfer
from pyramidion.studio.jobs import Job
from pyramidion.studio.log.store import topics_of
from pyramidion.studio.workspace import Workspace
from tests.studio.desk import Visitor, opened

TOPIC = Topic(
    "dam",
    (Summary("A", "The dam broke. Nobody was hurt."), Summary("B", "A dam burst.")),
    (Summary("p", "The dam broke.", "peer"),),
)


@pytest.fixture
def workspace(tmp_path: Path, database: str) -> Iterator[Workspace]:
    made = opened(tmp_path / "workspace", database)
    yield made
    made.close()


@pytest.fixture
def visitor(workspace: Workspace) -> Visitor:
    made = Visitor(workspace)
    made.get("/")
    return made


@pytest.fixture
def topic(workspace: Workspace) -> str:
    return workspace.store.add(workspace.add_project("Class"), TOPIC)


def words(summary: str, start: int, end: int) -> dict[str, Any]:
    return {"summary": summary, "spans": [{"start": start, "end": end}]}


def finished(visitor: Visitor, job: str) -> dict[str, Any]:
    visitor.workspace.jobs._pool.submit(lambda: None).result(120)
    state: dict[str, Any] = visitor.json(f"/jobs/{job}").json()
    assert state["finished"]
    return state


def test_the_first_start_offers_the_example(visitor: Visitor) -> None:
    assert "Try the example" in visitor.get("/").text
    answer = visitor.client.post("/example", data={"token": visitor.token})
    page = visitor.get(answer.headers["location"])
    assert "lake-revival" in page.text
    assert "tidal-lagoon" in page.text
    assert visitor.get("/").text.count('href="/projects/') == 1


def test_an_edit_changes_the_pyramid_and_says_what_changed(visitor: Visitor, topic: str) -> None:
    visitor.get(f"/topics/{topic}")
    first = visitor.edit(topic, "AddSCU", {"words": words("A", 0, 13), "label": "A dam broke"}).json()
    (scu,) = first["pyramid"]["scus"]
    assert (scu["label"], scu["weight"], first["undo"], first["redo"]) == ("A dam broke", 1, True, False)
    visitor.edit(topic, "AddSCU", {"words": words("A", 15, 30)})
    third = visitor.edit(topic, "AddContributor", {"scu": scu["id"], "words": words("B", 0, 11)}).json()
    assert third["pyramid"]["tiers"] == {"2": 1, "1": 1}
    assert [one["id"] for one in third["pyramid"]["scus"]] == [scu["id"]]  # only what is new
    assert len(third["pyramid"]["order"]) == 2
    back = visitor.post(f"/topics/{topic}/undo").json()
    assert back["pyramid"]["tiers"] == {"1": 2}
    assert visitor.post(f"/topics/{topic}/redo").json()["pyramid"]["tiers"] == {"2": 1, "1": 1}


def test_an_edit_asks_the_database_little_however_long_the_log_is(visitor: Visitor, topic: str) -> None:
    made = visitor.edit(topic, "AddSCU", {"words": words("A", 0, 13)}).json()
    asked: list[str] = []
    event.listen(visitor.workspace.engine, "before_cursor_execute", lambda *told: asked.append(told[2].split()[0]))
    for number in range(3):
        body = {"scu": made["pyramid"]["order"][0], "label": f"label {number}"}
        visitor.edit(topic, "SetLabel", body, base=made["version"] + number)
    # who comes, which project it is, and the edit
    assert [word.upper() for word in asked] == ["SELECT", "SELECT", "INSERT"] * 3


def test_a_conflict_is_refused_with_409_and_a_wrong_edit_with_422(visitor: Visitor, topic: str) -> None:
    made = visitor.edit(topic, "AddSCU", {"words": words("A", 0, 13)}).json()
    scu = made["pyramid"]["order"][0]
    visitor.edit(topic, "SetLabel", {"scu": scu, "label": "new"})
    late = visitor.edit(topic, "SetLabel", {"scu": scu, "label": "late"}, base=made["version"])
    assert (late.status_code, "meanwhile" in late.json()["error"]) == (409, True)
    for kind, operation in (
        ("SetLabel", {"scu": "none", "label": "x"}),
        ("AddSCU", {}),
        ("Undo", {"entry": 1}),
        ("No", {}),
        ("AddSCU", None),
    ):
        assert visitor.edit(topic, kind, operation).status_code == 422
    assert visitor.post(f"/topics/{topic}/operations", {"kind": "SetLabel", "base": "x"}).status_code == 422
    assert (
        visitor.client.post(
            f"/topics/{topic}/undo",
            content=b"{",
            headers={"X-Token": visitor.token, "Content-Type": "application/json"},
        ).status_code
        == 422
    )


def test_annotating_a_peer_gives_scores_at_once(visitor: Visitor, topic: str) -> None:
    made = visitor.edit(topic, "AddSCU", {"words": words("A", 0, 13)}).json()
    reader = {"peer": "p", "annotator": ""}
    body = {
        "kind": "AddMatch",
        "operation": {"reader": reader, "scu": made["pyramid"]["order"][0], "spans": [{"start": 0, "end": 13}]},
    }
    view = visitor.post(f"/topics/{topic}/operations", {**body, "base": made["version"], **reader}).json()
    assert view["reading"]["scores"]["coverage"] == 2.0  # one SCU, of which a reference has half on average
    assert "data" in visitor.get(f"/topics/{topic}/peer?peer=p").text
    assert visitor.get(f"/topics/{topic}/peer?peer=q").status_code == 404


def test_suggestions_come_from_a_matcher_and_a_refusal_is_remembered(visitor: Visitor, topic: str) -> None:
    nothing = visitor.post(f"/topics/{topic}/suggest", {"peer": "p", "matcher": "soft"})
    assert nothing.status_code == 422
    made = visitor.edit(topic, "AddSCU", {"words": words("A", 0, 13)}).json()
    job = visitor.post(f"/topics/{topic}/suggest", {"peer": "p", "matcher": "soft"}).json()["job"]
    assert finished(visitor, job)["error"] == ""
    view = visitor.json(f"/topics/{topic}/document?peer=p").json()
    assert [(one["kind"], one["scu"]) for one in view["suggestions"]] == [("said", made["pyramid"]["order"][0])]
    visitor.edit(
        topic, "RefuseSuggestion", {"reader": {"peer": "p", "annotator": ""}, "scu": view["suggestions"][0]["scu"]}
    )
    assert visitor.json(f"/topics/{topic}/document?peer=p").json()["reading"]["refused"] == made["pyramid"]["order"]


@pytest.mark.parametrize("matcher", ["llm:gpt", "nli:some/model", "nothing", "soft(analyser=conllu:/etc/passwd)"])
def test_matchers_that_reach_outside_are_not_offered(visitor: Visitor, topic: str, matcher: str) -> None:
    visitor.edit(topic, "AddSCU", {"words": words("A", 0, 13)})
    assert visitor.post(f"/topics/{topic}/suggest", {"peer": "p", "matcher": matcher}).status_code == 422


def test_a_pyramid_can_begin_with_an_automatic_one(visitor: Visitor, topic: str) -> None:
    job = visitor.post(f"/topics/{topic}/build", {"method": "lite"}).json()["job"]
    assert finished(visitor, job)["link"] == f"/topics/{topic}"
    view = visitor.json(f"/topics/{topic}/document").json()
    assert len(view["pyramid"]["order"]) == 3
    assert visitor.post(f"/topics/{topic}/undo").json()["pyramid"]["order"] == []


def test_a_build_that_comes_late_leaves_what_was_done_meanwhile(visitor: Visitor, topic: str) -> None:
    visitor.get(f"/topics/{topic}")
    begun, go_on = threading.Event(), threading.Event()

    def wait(job: Job) -> str:
        begun.set()
        go_on.wait(60)
        return ""

    visitor.workspace.jobs.start("", 1, wait)  # one job runs at a time: the build waits behind this one
    assert begun.wait(60)
    job = visitor.post(f"/topics/{topic}/build", {"method": "edua-p+soft"}).json()["job"]
    visitor.edit(topic, "AddSCU", {"words": words("A", 0, 13), "label": "By hand"})
    go_on.set()
    state = finished(visitor, job)
    assert "Somebody edited the topic while its pyramid was built" in state["error"]
    assert [scu.label for scu in visitor.workspace.store.state(topic).document.pyramid.scus] == ["By hand"]


def test_exports_are_read_back_to_the_same_scores(visitor: Visitor, workspace: Workspace, tmp_path: Path) -> None:
    project = workspace.add_project("Example", example())
    for id, name in topics_of(workspace.engine, project):
        seen = visitor.json(f"/topics/{id}/document?peer=paraphrase-1").json()["reading"]["scores"]
        (tmp_path / f"{name}.pan").write_bytes(visitor.client.get(f"/topics/{id}/export/pan?peer=paraphrase-1").content)
        (tmp_path / f"{name}.pyr").write_bytes(visitor.client.get(f"/topics/{id}/export/pyr").content)
        (tmp_path / f"{name}.json").write_bytes(visitor.client.get(f"/topics/{id}/export/json").content)
        (read,) = pm.read(tmp_path / f"{name}.pan")
        assert read.pyramid is not None
        found = pm.score(read.pyramid, read.annotations[0])
        assert {key: getattr(found, key) for key in seen} == seen
        assert len(pm.read(tmp_path / f"{name}.pyr")[0].pyramid.scus) == 23  # type: ignore[union-attr]
        assert len(pm.read(tmp_path / f"{name}.json")[0].annotations) == 6
    (tmp_path / "all.jsonl").write_bytes(visitor.client.get(f"/projects/{project}/export/jsonl").content)
    assert [one.id for one in pm.read(tmp_path / "all.jsonl")] == ["lake-revival", "tidal-lagoon"]
    alone = workspace.add_project("One", [Topic("one", (Summary("A", "It rained."),))])
    (tmp_path / "one.jsonl").write_bytes(visitor.client.get(f"/projects/{alone}/export/jsonl").content)
    assert [one.id for one in pm.read(tmp_path / "one.jsonl")] == ["one"]
    archive = zipfile.ZipFile(io.BytesIO(visitor.client.get(f"/projects/{project}/export/zip").content))
    assert "ducview/lake-revival/paraphrase-1.pan" in archive.namelist()
    assert "corpus/lake-revival/references/A.txt" in archive.namelist()


def test_the_report_shows_what_is_annotated(visitor: Visitor, workspace: Workspace, topic: str) -> None:
    project = workspace.add_project("Example", example())
    page = visitor.get(f"/projects/{project}/report")
    assert page.status_code == 200
    assert "paraphrase-1" in page.text
    assert page.headers["content-security-policy"] == "frame-ancestors 'none'"


def upload(visitor: Visitor, project: str, files: dict[str, bytes]) -> Any:
    return visitor.upload(f"/projects/{project}/files", files)


def test_whatever_the_command_line_reads_can_be_dropped(visitor: Visitor, workspace: Workspace) -> None:
    project = workspace.add_project("Drop")
    lake, lagoon = example()
    only_pan = pm.Topic(lake.id, lake.references, lake.peers, (), lake.pyramid, lake.annotations[:1])
    pan = dumps([only_pan], "ducview")
    answers = [
        upload(visitor, project, {"lake.json": dumps([lake], "json")}),
        upload(visitor, project, {"corpus.jsonl": dumps([lake, lagoon], "json")}),
        upload(
            visitor,
            project,
            {"lake.pyr": dumps([pm.Topic(lake.id, lake.references, (), (), lake.pyramid)], "ducview"), "copy.pan": pan},
        ),
        upload(
            visitor,
            project,
            {"c/t1/references/A.txt": b"One.", "c/t1/peers/x.txt": b"Two.", "c/t2/references/A.txt": b"Three."},
        ),
        upload(visitor, project, {"model 1.txt": b"It rained.", "ann.txt": b"Rain fell.", "bob.txt": b"It was dry."}),
        upload(visitor, project, {"outputs.csv": b"id,reference,prediction,model\n1,It rained.,Rain.,t5\n"}),
    ]
    assert [answer.status_code for answer in answers] == [200] * 6, [answer.text for answer in answers]
    assert "taken as summaries" in " ".join(answers[4].json()["warnings"])
    rows = topics_of(workspace.engine, project)
    assert len(rows) == 8
    documents = [workspace.store.state(id).document.topic for id, _ in rows]
    assert sorted((len(one.references), len(one.peers), len(one.annotations)) for one in documents) == [
        (1, 0, 0), (1, 1, 0), (1, 1, 0), (1, 2, 0), (5, 1, 1), (5, 6, 6), (5, 6, 6), (5, 6, 6),
    ]  # fmt: skip


def test_texts_are_dropped_as_references_or_peers(visitor: Visitor, topic: str) -> None:
    path = f"/topics/{topic}/files"
    assert visitor.upload(path, {"C.txt": b"Water came."}, role="references").status_code == 200
    assert visitor.upload(path, {"q.txt": b"Water.", "r.txt": b"Sand."}, role="peers").status_code == 200
    assert visitor.upload(path, {"A.txt": b"again"}, role="references").status_code == 422
    assert visitor.upload(path, {"z.txt": b"again"}, role="sources").status_code == 422
    found = visitor.workspace.store.state(topic).document.topic
    assert ([one.id for one in found.references], [one.id for one in found.peers]) == (["A", "B", "C"], ["p", "q", "r"])


@pytest.mark.parametrize(
    "files",
    [{}, {"x.pyr": b"<not a pyramid"}, {"x.bin": b"\0\1\2"}, {"x.json": b"[1, 2]"}, {"x.docx": b"PK\3\4 no"}],
    ids=["none", "pyr", "binary", "json", "docx"],
)
def test_files_that_cannot_be_read_are_told_without_a_place_on_this_machine(
    visitor: Visitor, workspace: Workspace, files: dict[str, bytes]
) -> None:
    answer = upload(visitor, workspace.add_project("Drop"), files)
    assert answer.status_code == 422
    assert "/tmp" not in answer.json()["error"]


def test_no_name_of_a_file_leads_out_of_its_folder(visitor: Visitor, workspace: Workspace, tmp_path: Path) -> None:
    project = workspace.add_project("Drop")
    upload(visitor, project, {"../../../../../../../../evil.txt": b"It rained.", "/etc/evil2.txt": b"It rained."})
    assert not list(tmp_path.rglob("evil*"))
    assert not Path("/evil.txt").exists()


@pytest.mark.parametrize(
    "name", [".\0./.\0./evil.txt", "\0../..\0/evil.txt", ".\0.\\evil.txt", "//evil.txt", "///..//evil.txt"]
)
def test_no_character_that_is_taken_out_of_a_name_makes_it_lead_out(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "a" / "b" / "c"
    (path,) = transfer._write(folder, [(name, b"It rained.")])
    assert path == folder / "evil.txt"
    assert [one for one in tmp_path.rglob("*") if one.is_file()] == [path]


@pytest.mark.parametrize(
    "files",
    [{"a": b"It rained.", "a/b.txt": b"It rained."}, {"\U0001f600" * 140: b"It rained."}],
    ids=["below", "long"],
)
def test_names_that_no_folder_can_hold_are_told(
    visitor: Visitor, workspace: Workspace, files: dict[str, bytes]
) -> None:
    answer = upload(visitor, workspace.add_project("Drop"), files)
    assert answer.status_code == 422
    assert "/tmp" not in answer.json()["error"]


def test_a_teacher_gets_from_files_to_feedback_pages(visitor: Visitor, workspace: Workspace) -> None:
    project = workspace.add_project("Class")
    files = {
        "models/m.txt": b"The dam broke on Monday.",
        "students/ann.txt": b"A dam broke.",
        "students/bob.txt": b"It rained.",
    }
    assert upload(visitor, project, files).status_code == 200
    ((id, _),) = topics_of(workspace.engine, project)
    finished(visitor, visitor.post(f"/topics/{id}/build", {"method": "lite"}).json()["job"])
    state = finished(visitor, visitor.post(f"/projects/{project}/feedback").json()["job"])
    assert (state["error"], state["link"]) == ("", f"/projects/{project}/feedback/index.html")
    assert "ann" in visitor.get(state["link"]).text
    assert visitor.get(f"/projects/{project}/feedback/ann.html").status_code == 200
    archive = zipfile.ZipFile(io.BytesIO(visitor.client.get(f"/projects/{project}/feedback/feedback.zip").content))
    assert {"index.html", "ann.html", "gradebook.csv"} <= set(archive.namelist())
    assert visitor.get(f"/projects/{project}/feedback/../../etc/passwd").status_code == 404


def test_the_history_says_who_did_what_and_what_was_undone(visitor: Visitor, topic: str) -> None:
    visitor.edit(topic, "AddSCU", {"words": words("A", 0, 13), "label": "A dam broke"})
    visitor.post(f"/topics/{topic}/undo")
    page = visitor.get(f"/topics/{topic}/log").text
    assert "AddSCU" in page
    assert "A dam broke" in page
    assert page.count('<span class="tag">undone') == 1


def test_odd_addresses_and_values_are_no_errors_of_the_server(visitor: Visitor, topic: str) -> None:
    for path in ("/topics/%00", "/projects/%00/people", "/topics/%ED%A0%80", "/topics/" + "x" * 5000, "/jobs/%00"):
        assert visitor.get(path).status_code == 404, path
    made = visitor.edit(topic, "AddSCU", {"words": words("A", 0, 13), "label": "\0 \u202e \U0001f600"}).json()
    scu = made["pyramid"]["scus"][0]
    assert scu["label"] == "\0 \u202e \U0001f600"
    for base in (-5, 10**30):
        late = visitor.edit(topic, "SetLabel", {"scu": scu["id"], "label": "x"}, base=base)
        assert late.status_code in (200, 409)
    for operation in ({"scu": scu["id"], "label": 1}, {"scu": [], "label": "x"}, [], "x", {"scu": scu["id"] * 10_000}):
        assert visitor.edit(topic, "SetLabel", operation).status_code == 422
    path, kind = f"/topics/{topic}/operations", {"Content-Type": "application/json", "X-Token": visitor.token}
    for body in (b"[" * 100_000, b'{"kind": "\\ud800"}', b"\xff\xfe", b'{"a": 1e999}', b"null"):
        assert visitor.client.post(path, content=body, headers=kind).status_code == 422, body[:20]
    assert visitor.edit(topic, "SetLabel", {"scu": scu["id"], "label": "y" * 20_001}).status_code == 422
    assert visitor.get(f"/topics/{topic}/peer?peer=%00").status_code == 404
    visitor.get("/login")
    login = {"name": "\0", "password": "\0", "token": visitor.token}
    assert visitor.client.post("/login", data=login).status_code == 403


def test_scripts_and_styles_are_served_and_nothing_else(visitor: Visitor) -> None:
    for name, kind in (
        ("base.css", "text/css"),
        ("studio.css", "text/css"),
        ("editor.js", "text/javascript"),
        ("icon.svg", "image/svg+xml"),
    ):
        answer = visitor.client.get(f"/static/{name}")
        assert (answer.status_code, answer.headers["content-type"].partition(";")[0]) == (200, kind)
    for name in ("editor.html", "..%2fapp.py", "nothing.js", "__init__.py"):
        assert visitor.client.get(f"/static/{name}").status_code == 404
