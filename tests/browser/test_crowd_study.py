"""A whole crowd evaluation of the bundled example: planned, its pages filled in a browser, collected, scored, reported.

The workers are simulated and their truth is known, so that the scores can be compared with it; but every answer goes
through the page, its download and ``crowd collect``, as a person's would.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pyramidion.cli import main
from pyramidion.crowd.answers.store import Store
from pyramidion.crowd.judging.aggregate import AGGREGATIONS
from pyramidion.crowd.judging.votes import Item, Votes
from pyramidion.crowd.rehearsal import rehearse
from pyramidion.crowd.study import Study, load
from pyramidion.examples import example
from tests.browser.conftest import CONTRAST

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

ANSWERS = {"p": "Present", "n": "Not present", "?": "Cannot tell"}
SYSTEMS = ("copy", "off-topic", "paraphrase-1")
WRITTEN = 4

Run = Callable[..., Any]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """A command in an empty folder; what it prints, as JSON if it was asked for."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Any:
        with pytest.raises(SystemExit) as ended:
            main(list(arguments))
        printed = capsys.readouterr()
        assert ended.value.code == 0, printed.err
        return json.loads(printed.out) if "--json" in arguments else printed.out

    return run


def small_corpus(folder: Path) -> None:
    """Two references and three peers of each bundled topic."""
    for topic in example():
        for part, summaries in (("references", topic.references[:2]), ("peers", topic.peers)):
            (folder / topic.id / part).mkdir(parents=True)
            for one in summaries:
                if part == "references" or one.id in SYSTEMS:
                    (folder / topic.id / part / f"{one.id}.txt").write_text(one.text, encoding="utf-8")


def facts(text: str) -> list[str]:
    """So many statements from different sentences, brief enough for the page."""
    sentences = [one.strip() for one in text.replace("\n", " ").split(". ") if one.strip()]
    return [" ".join(one.split()[:15]).rstrip(".,;:") for one in sentences[:WRITTEN]]


def download(page: Page, folder: Path) -> None:
    with page.expect_download() as started:
        page.get_by_role("button", name="Finish").click()
    started.value.save_as(folder / started.value.suggested_filename)


def fill_writing(page: Page, study: Study, pages: Path, downloads: Path) -> int:
    tasks = study.of_phase("writing")
    for number, task in enumerate(tasks):
        page.goto((pages / "tasks" / f"{task.id}.html").as_uri() + f"?worker=writer-{number}")
        for place, fact in enumerate(facts(study.text_of(task).text), 1):
            page.get_by_label(f"Statement {place}", exact=True).fill(fact)
        download(page, downloads)
    return len(tasks)


def fill_judging(page: Page, study: Study, pages: Path, downloads: Path, sent: Iterable[Any]) -> None:
    for one in sent:
        page.goto((pages / "tasks" / f"{one.task}.html").as_uri() + f"?worker={one.worker}")
        given = dict(zip(one.asked.ids, one.answers, strict=True)) | dict(one.checks)
        texts = {s.text: given[s.id] for s in study.statements if s.topic == one.topic and s.id in given}
        task = next(task for task in study.tasks if task.id == one.task)
        texts |= {check.text: given[check.id] for check in task.checks}
        groups = page.locator(".item").all()
        assert len(groups) == len(task.statements) + len(task.checks)
        for group in groups:
            said = next(letter for text, letter in texts.items() if text in group.inner_text())
            group.get_by_label(ANSWERS[said], exact=True).check()
        download(page, downloads)


def right(votes: Votes, aggregation: str, truth: dict[Item, bool]) -> float:
    decided = AGGREGATIONS[aggregation](votes).present
    return float(np.mean([present == truth[item] for present, item in zip(decided, votes.items, strict=True)]))


def test_from_texts_to_scores_through_a_browser(browser: Browser, tmp_path: Path, run: Run) -> None:
    small_corpus(tmp_path / "corpus")
    planned = run(
        *("crowd", "plan", "corpus", "-o", "study", "--platform", "own", "--writers", "1", "--written", str(WRITTEN)),
        *("--sample", "8", "--per-task", "8", "--workers", "5", "--fair-pay", "0", "--json"),
    )
    assert planned["cost"]["total"] > 0
    context = browser.new_context(accept_downloads=True, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(60_000)
    complaints: list[str] = []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    (tmp_path / "written").mkdir()
    (tmp_path / "judged").mkdir()

    run("crowd", "pages", "study", "--phase", "writing", "-o", "writing-pages")
    filled = fill_writing(page, load(tmp_path / "study"), tmp_path / "writing-pages", tmp_path / "written")
    assert filled == 4
    run("crowd", "collect", "study", "written")
    run("crowd", "select", "study")
    study = load(tmp_path / "study")
    assert {topic.id: len(study.sampled(topic.id)) for topic in study.topics} == {"lake-revival": 8, "tidal-lagoon": 8}

    asked = sorted(Item(task.topic, task.summary, id) for task in study.of_phase("judging") for id in task.statements)
    chance = Random(9)
    truth = {
        item: chance.random() < {"copy": 0.8, "off-topic": 0.1, "paraphrase-1": 0.45}[item.summary] for item in asked
    }
    crowd = rehearse(study, "judging", labels=truth, workers=12, careless=0.25, blank=0, seed=1)
    run("crowd", "pages", "study", "--phase", "judging", "-o", "judging-pages")
    fill_judging(page, study, tmp_path / "judging-pages", tmp_path / "judged", crowd.submissions)
    assert complaints == []
    run("crowd", "collect", "study", "judged")
    stored = Store(tmp_path / "study").submissions("judging")
    run("crowd", "collect", "study", "judged")
    assert Store(tmp_path / "study").submissions("judging") == stored  # nothing new, nothing counted twice
    answers = {(one.worker, one.task): dict(zip(one.asked.ids, one.answers, strict=True)) for one in stored}
    assert answers == {
        (one.worker, one.task): dict(zip(one.asked.ids, one.answers, strict=True)) for one in crowd.submissions
    }

    votes = Votes.of(stored)
    careless = {member.name for member in crowd.members if member.habit != "careful"}
    workers = run("crowd", "workers", "study", "--json")
    suspicious = {one["worker"] for one in workers["workers"] if one["flags"]}
    assert careless <= suspicious
    recovered = {name: right(votes, name, truth) for name in ("majority", "dawid-skene", "mace")}
    assert recovered["majority"] >= 0.85
    assert min(recovered["dawid-skene"], recovered["mace"]) >= recovered["majority"]

    scores = run("crowd", "score", "study", "--report", "report.html", "--topics", "crowd.jsonl", "--json")
    found = {one["system"]: one["mean"] for one in scores["systems"]}
    by_topic = {
        name: np.mean([np.mean([truth[i] for i in asked if i[:2] == (t.id, name)]) for t in study.topics])
        for name in SYSTEMS
    }
    assert found == pytest.approx(by_topic, abs=0.13)
    assert sorted(found, key=found.__getitem__, reverse=True) == ["copy", "paraphrase-1", "off-topic"]

    again = run("evaluate", "crowd.jsonl", "--method", "manual", "--json")
    assert {one["summary"]: one["recall"] for one in again["systems"]} == pytest.approx(found)

    page.goto((tmp_path / "report.html").as_uri())
    assert page.evaluate(CONTRAST) == []
    for name in SYSTEMS:
        assert name in page.locator("main").inner_text()
    context.close()
    assert complaints == []
