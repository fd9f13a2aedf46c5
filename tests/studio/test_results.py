"""Evaluations and feedback that are kept, what they were made of, their reports, and comparisons."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import pyramidion as pm
from pyramidion.errors import PyramidionError
from pyramidion.evaluation.from_run import evaluation_of
from pyramidion.evaluation.run import open_run
from pyramidion.evaluation.run_folders import compare_runs, list_runs, show_run
from pyramidion.examples import example
from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Span, Summary, Topic
from pyramidion.studio import backup, evaluations, keeping, results
from pyramidion.studio.database import open_database
from pyramidion.studio.jobs import Job
from pyramidion.studio.log.store import topics_of
from pyramidion.studio.workspace import Workspace
from tests.studio.desk import Visitor, opened
from tests.studio.test_access import make_run
from tests.studio.test_web import finished

OLD = 'class="tag old"'


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    made = opened(tmp_path / "workspace")
    yield made
    made.close()


@pytest.fixture
def project(workspace: Workspace) -> str:
    return workspace.add_project("Class", example())


@pytest.fixture
def visitor(workspace: Workspace, project: str) -> Visitor:
    made = Visitor(workspace)
    made.get("/")
    return made


def rename_an_idea(visitor: Visitor, project: str) -> str:
    """Edits the first topic, and returns its id."""
    id = topics_of(visitor.workspace.engine, project)[0][0]
    scu = visitor.workspace.store.state(id).document.pyramid.scus[0].id
    assert visitor.edit(id, "SetLabel", {"scu": scu, "label": "another label"}).status_code == 200
    return id


def evaluated(visitor: Visitor, project: str, method: str) -> str:
    """Evaluates a project and returns the address of the result."""
    answer = visitor.post(f"/projects/{project}/results", {"method": method})
    assert answer.status_code == 200, answer.text
    state = finished(visitor, answer.json()["job"])
    assert state["error"] == ""
    return str(state["link"])


def test_feedback_stays_after_a_restart_and_says_what_it_was_made_of(
    visitor: Visitor, workspace: Workspace, project: str
) -> None:
    state = finished(visitor, visitor.post(f"/projects/{project}/feedback").json()["job"])
    assert state["error"] == ""
    workspace.close()
    again = opened(workspace.folder)
    later = Visitor(again)
    assert "paraphrase-1" in later.get(state["link"]).text
    (kept,) = keeping.kept_of(again.engine, project)
    assert (kept.kind, kept.method, [one.version for one in kept.basis]) == ("feedback", "manual", [0, 0])
    base = f"/projects/{project}/results/{kept.id}"
    page = later.get(base).text
    assert "lake-revival" in page
    assert "read from files" in page
    assert OLD not in page
    student = later.get(f"{base}/pages/lake-revival/copy.html")
    assert "Back to the studio" in student.text
    assert student.headers["content-security-policy"] == "frame-ancestors 'none'"
    archive = zipfile.ZipFile(io.BytesIO(later.client.get(f"{base}/archive").content))
    assert {"index.html", "all.html", "lake-revival/copy.html", "gradebook-1.csv"} <= set(archive.namelist())
    assert "Back to the studio" not in archive.read("lake-revival/copy.html").decode()
    again.close()


def test_what_was_edited_since_makes_a_result_old_and_undoing_makes_it_new(
    visitor: Visitor, workspace: Workspace, project: str
) -> None:
    link = evaluated(visitor, project, "manual")
    paths = (link, f"/projects/{project}/results", f"{link}/report")
    said = (OLD, OLD, "before later changes")
    topic = rename_an_idea(visitor, project)
    assert [word in visitor.get(path).text for path, word in zip(paths, said, strict=True)] == [True] * 3
    assert 'Changed since: <span class="words">lake-revival</span>' in " ".join(visitor.get(link).text.split())
    visitor.post(f"/topics/{topic}/undo")
    assert [word in visitor.get(path).text for path, word in zip(paths, said, strict=True)] == [False] * 3
    workspace.store.add(project, Topic("new", (Summary("A", "It rained."),), (Summary("p", "Rain.", "peer"),)))
    assert 'class="notice"' in visitor.get(link).text


def test_an_evaluation_is_kept_as_a_run_with_the_numbers_of_the_study(
    visitor: Visitor, workspace: Workspace, project: str, tmp_path: Path
) -> None:
    link = evaluated(visitor, project, "given+unigram")
    assert "given+unigram" in visitor.get(f"/projects/{project}/results").text
    data = visitor.client.get(f"{link}/archive").content
    zipfile.ZipFile(io.BytesIO(data)).extractall(tmp_path / "run")
    there = pm.evaluate(example(), "given+unigram")
    with open_run(tmp_path / "run") as run:
        kept = evaluation_of(run)
        assert run.status == "finished"
    assert (str(kept.signature), kept.values()) == (str(there.signature), there.values())
    (listed,) = keeping.kept_of(workspace.engine, project)
    assert listed.signature == str(there.signature)
    assert str(there.signature) in visitor.get(link).text.replace("&#39;", "'")
    report = visitor.get(f"{link}/report")
    assert "paraphrase-1" in report.text
    assert report.headers["content-security-policy"] == "frame-ancestors 'none'"


def test_results_are_in_a_backup(database: str, tmp_path: Path) -> None:
    workspace = opened(tmp_path / "workspace", database)
    project, visitor = workspace.add_project("Class", example()), Visitor(workspace)
    visitor.get("/")
    link = evaluated(visitor, project, "manual")
    finished(visitor, visitor.post(f"/projects/{project}/feedback").json()["job"])
    before = {kept.id: keeping.content(workspace.engine, kept) for kept in keeping.kept_of(workspace.engine, project)}
    assert len(before) == 2
    backup.back_up(workspace.engine, tmp_path / "all.gz")
    workspace.close()
    engine = open_database(tmp_path / "new")
    backup.restore(engine, tmp_path / "all.gz")
    engine.dispose()
    restored = opened(tmp_path / "new")
    assert {
        kept.id: keeping.content(restored.engine, kept) for kept in keeping.kept_of(restored.engine, project)
    } == before
    assert OLD not in Visitor(restored).get(link).text
    restored.close()


def test_a_result_is_deleted_and_belongs_to_its_project_alone(
    visitor: Visitor, workspace: Workspace, project: str
) -> None:
    link = evaluated(visitor, project, "manual")
    other = workspace.add_project("Other")
    wrong = link.replace(project, other)
    for path in (wrong, f"{wrong}/report", f"{wrong}/archive", f"{wrong}/pages/index.html", f"{link}x"):
        assert visitor.get(path).status_code == 404, path
    assert visitor.post(f"{wrong}/delete").status_code == 404
    assert visitor.get(f"{link}/pages/run.json").status_code in (200, 404)
    assert visitor.post(f"{link}/delete").status_code == 303
    assert visitor.get(link).status_code == 404
    assert keeping.kept_of(workspace.engine, project) == []


@pytest.mark.parametrize("method", ["llm:gpt+soft", "nothing", "given+soft(analyser=conllu:/etc/passwd)"])
def test_methods_that_reach_outside_or_do_not_fit_are_refused(visitor: Visitor, project: str, method: str) -> None:
    answer = visitor.post(f"/projects/{project}/results", {"method": method})
    assert answer.status_code == 422


def test_nothing_to_evaluate_is_told(visitor: Visitor, workspace: Workspace) -> None:
    empty = workspace.add_project(
        "Empty", [Topic("t", (Summary("A", "It rained."),), (Summary("p", "Rain.", "peer"),))]
    )
    for method, lacks in (("manual", "annotations"), ("given+unigram", "SCUs")):
        answer = visitor.post(f"/projects/{empty}/results", {"method": method})
        assert (answer.status_code, lacks in answer.json()["error"]) == (422, True)


def test_two_topics_of_one_name_are_told_apart(visitor: Visitor, workspace: Workspace) -> None:
    lake = example()[0]
    twice = workspace.add_project("Twice", [lake, lake])
    assert "lake-revival (2)" in visitor.get(f"{evaluated(visitor, twice, 'manual')}/report").text
    assert [topic.id for topic in evaluations.with_distinct_names([lake, lake, lake])] == [
        "lake-revival",
        "lake-revival (2)",
        "lake-revival (3)",
    ]


WORDS = "The dam broke on Monday. Nobody was hurt."


def class_of(*annotated: str) -> Topic:
    """A topic with three students, some of whom a person annotated."""
    reference = Summary("A", WORDS)
    pyramid = Pyramid("dam", (reference,), (SCU("1", "The dam broke", (Contributor("A", (Span(0, 13),)),)),))
    peers = tuple(Summary(name, WORDS, "peer") for name in ("ann", "bob", "cem"))
    readings = tuple(
        Annotation(peer, (Match("1", (Span(0, 13),)),), comments=(("1", "well said"),))
        for peer in peers
        if peer.id in annotated
    )
    return Topic("dam", (reference,), peers, pyramid=pyramid, annotations=readings)


def test_feedback_takes_people_s_annotations_and_reads_the_rest() -> None:
    made = results.feedback_pages([class_of("ann")], Job("", ""))
    assert made.methods == ("manual", "given+entails")
    assert [re.search(r"method:([\w+]+)", made.files[f"{name}.html"].decode())[1] for name in ("ann", "bob")] == [  # type: ignore[index]
        "manual",
        "given+entails",
    ]
    rows = made.files["gradebook.csv"].decode("utf-8-sig").splitlines()
    assert [row.split(",")[1] for row in rows[1:]] == ["ann", "bob", "cem"]


def test_a_text_that_the_method_cannot_read_does_not_stop_the_class() -> None:
    topic = class_of()
    german = "Der Damm ist am Montag gebrochen, und niemand wurde dabei verletzt, sagte die Polizei in der Stadt."
    foreign = replace(topic, peers=(*topic.peers[:2], Summary("cem", german, "peer")))
    made = results.feedback_pages([foreign], Job("", ""))
    assert "looks like German" in made.files["cem-unread.html"].decode()
    assert "ann.html" in made.files


# Comparisons


def compared(visitor: Visitor, project: str, **asked: Any) -> str:
    answer = visitor.client.get(f"/projects/{project}/compare", params=asked, headers={"Accept": "text/html"})
    assert answer.status_code == 200
    return str(answer.text)


def test_systems_are_compared_by_the_study(visitor: Visitor, project: str) -> None:
    assert "Evaluate the project first" in compared(visitor, workspace_without(visitor))
    first = evaluated(visitor, project, "manual").rpartition("/")[2]
    page = compared(visitor, project)
    there = pm.compare(pm.score_table(pm.evaluate(example(), "manual")))
    assert there._repr_html_() in page
    assert "data:image/png;base64," in page
    two = compared(visitor, project, first=first, score="quality", test="mcnemar", system=["copy", "off-topic"])
    study = pm.compare(
        pm.score_table(pm.evaluate(example(), "manual"), "quality"), "mcnemar", systems=["copy", "off-topic"]
    )
    assert study._repr_html_() in two
    assert "only copy or only off-topic expresses" in two
    for wrong in ({"score": "beauty"}, {"test": "guess"}, {"first": "nothing"}):
        assert 'role="alert"' in compared(visitor, project, **{"first": first, **wrong})


def workspace_without(visitor: Visitor) -> str:
    return visitor.workspace.add_project("Empty")


def test_two_results_are_compared_summary_by_summary(visitor: Visitor, project: str) -> None:
    first, second = (evaluated(visitor, project, one).rpartition("/")[2] for one in ("manual", "given+unigram"))
    page = compared(visitor, project, first=first, second=second)
    assert re.search(r"<td>[\d-]+ [\d:]+ manual</td><td align=\"right\">12</td>", page), "two topics of six summaries"
    assert "in the place of a topic" in page
    assert "10 summaries moved, 2 did not." in page
    assert "the method was &#x27;manual&#x27; and is &#x27;given+unigram&#x27;" in page
    same = compared(visitor, project, first=first, second=first)
    assert "manual (2)" in same


def test_two_annotators_are_compared_by_their_scores(visitor: Visitor, workspace: Workspace) -> None:
    topic = class_of("ann", "bob", "cem")
    readings = tuple(replace(one, annotator="Ann") for one in topic.annotations)
    strict = tuple(Annotation(one.summary, annotator="Bob") for one in topic.annotations)
    project = workspace.add_project("Two", [replace(topic, annotations=readings + strict)])
    page = compared(visitor, project, first="annotators")
    assert re.search(r"<td>Ann</td><td align=\"right\">3</td>", page)
    assert re.search(r"<td>Bob</td><td align=\"right\">3</td>", page)


def test_a_job_that_is_stopped_keeps_nothing(workspace: Workspace, project: str) -> None:
    topics = [workspace.store.state(id).document.topic for id, _ in topics_of(workspace.engine, project)]
    job = Job("", project)
    job.cancelled.set()
    with pytest.raises(PyramidionError, match="stopped"):
        results.feedback_pages(topics, job)
    assert keeping.kept_of(workspace.engine, project) == []


# Runs of the command line


def test_runs_are_listed_shown_and_compared_as_on_the_command_line(
    visitor: Visitor, workspace: Workspace, tmp_path: Path
) -> None:
    assert "There is no run." in visitor.get("/runs").text
    assert 'href="/runs"' not in visitor.get("/").text
    make_run(workspace.runs / "monday")
    make_run(workspace.runs / "tuesday")
    (workspace.runs / "notes").mkdir()
    listed = visitor.get("/runs").text
    with open_run(workspace.runs / "monday") as first, open_run(workspace.runs / "tuesday") as second:
        assert list_runs([first, second])._repr_html_() in listed
        assert show_run(first)._repr_html_() in visitor.get("/runs/shown?run=monday").text
        compared = visitor.get("/runs/compared?first=monday&second=tuesday&score=quality").text
        assert compare_runs(first, second, "quality")._repr_html_() in compared
    assert 'href="/runs"' in visitor.get("/").text
    report = visitor.get("/runs/report?run=monday").text
    assert "lake-revival" in report
    assert "Back to the studio" in report
    make_run(tmp_path / "outside")
    for name in ("notes", "", "../../outside", str(tmp_path / "outside"), ".."):
        assert visitor.get(f"/runs/shown?run={name}").status_code == 404, name
    assert visitor.get("/runs/compared?first=monday&second=tuesday&score=beauty").status_code == 422


def test_runs_can_be_in_a_folder_of_their_own(tmp_path: Path) -> None:
    make_run(tmp_path / "nightly" / "monday")
    workspace = Workspace(tmp_path / "workspace", runs=tmp_path / "nightly")
    assert "monday" in Visitor(workspace).get("/runs").text
    workspace.close()
