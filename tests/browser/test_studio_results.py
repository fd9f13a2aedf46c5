"""What the studio makes of annotations, in a real browser: the tour, a class from files to feedback, comparisons."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("starlette", reason="no tests of the studio: its extra is not installed")

import pyramidion as pm
from tests.browser.axe import violations
from tests.browser.conftest import CONTRAST, LAID_OUT
from tests.browser.test_studio import Visit, new_project, picture
from tests.browser.test_studio import visit as visit
from tests.studio.served import served

if TYPE_CHECKING:
    from playwright.sync_api import Page

MODELS = ("The dam broke on Monday. Nobody was hurt.", "On Monday a dam burst. The town was flooded.")
STUDENTS = {
    "Anna Berg": "A dam broke on Monday, and the town stood under water.",
    "Bo Chen": "Nobody was hurt when the dam burst.",
    "Cem Demir": "It was a dry summer.",
}


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address, with its key, of a studio of this module's own."""
    with served(tmp_path_factory.mktemp("studio") / "workspace") as (_, about):
        yield about["start"]


def step(page: Page, number: int) -> None:
    """Waits for a step of the tour that points at something, and stands in the window."""
    shown = page.get_by_role("dialog").filter(has_text=f"Step {number} of 7")
    shown.wait_for()
    assert page.locator(".toured").count() == 1
    box = shown.bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["y"] >= 0
    assert box["x"] + box["width"] <= page.viewport_size["width"]  # type: ignore[index]
    assert box["y"] + box["height"] <= page.viewport_size["height"]  # type: ignore[index]
    assert shown.evaluate("node => node.contains(document.activeElement)")


def test_the_first_start_offers_a_tour_that_is_gone_through_by_keyboard(visit: Visit) -> None:
    page = visit()
    page.get_by_role("button", name="Two-minute tour").click()
    for number in range(1, 8):
        step(page, number)
        if number in (1, 5):
            assert violations(page) == []
        if number == 3:
            picture(page, "tour")
        if number < 7:
            page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    step(page, 6)
    page.reload()
    step(page, 6)
    page.get_by_role("button", name="Back", exact=True).click()
    step(page, 5)
    page.keyboard.press("ArrowLeft")  # to the page of the pyramid
    step(page, 4)
    with page.expect_response("**/tour"):
        page.keyboard.press("Escape")
    assert page.locator("dialog.tour, .toured").count() == 0
    assert "#" not in page.url
    # seen: it is offered no more, and the help has it
    page.reload()
    page.wait_for_selector(".w")
    assert page.locator("#tour-offer").count() == 0
    page.keyboard.press("?")
    page.get_by_role("dialog").get_by_role("button", name="Two-minute tour").click()
    step(page, 1)
    page.get_by_role("button", name="End the tour").click()
    page.goto(page.url.partition("topics")[0])
    assert page.get_by_role("button", name="Two-minute tour").count() == 0


def test_a_teacher_gets_from_files_to_kept_feedback(visit: Visit, tmp_path: Path) -> None:
    for number, text in enumerate(MODELS, 1):
        (tmp_path / f"model {number}.txt").write_text(text)
    for name, text in STUDENTS.items():
        (tmp_path / f"{name}.txt").write_text(text)
    (tmp_path / "Dana Eriksson.docx").write_bytes(b"not a document")
    page = visit()
    new_project(page, "Class 9b")
    page.locator(".drop input").first.set_input_files(sorted(tmp_path.iterdir()))
    page.locator(".outcome li", has_text="2 as models").wait_for()
    assert page.locator(".outcome li", has_text="Dana Eriksson").count() == 1
    project = page.url
    page.get_by_role("link", name="Go on").click()
    page.wait_for_selector(".w")
    assert page.locator(".error", has_text="Dana Eriksson").is_visible()
    page.get_by_label("Begin with an automatic pyramid").select_option("lite")
    page.get_by_role("button", name="Build").click()
    page.locator(".scu").first.wait_for()
    page.goto(project)
    page.get_by_role("button", name="Make the pages").click()
    page.wait_for_url("**/feedback/index.html", timeout=120_000)
    for name in (*STUDENTS, "Dana Eriksson"):
        assert page.get_by_role("link", name=name).first.is_visible()
    assert violations(page) == []
    page.get_by_role("link", name="Anna Berg").first.click()
    page.get_by_text("Anna Berg").first.wait_for()
    with page.expect_download() as started:
        page.get_by_role("link", name="Gradebook").click()
    assert "Dana Eriksson" in Path(started.value.path()).read_text("utf-8-sig")
    page.get_by_role("link", name="Back to the studio").click()
    page.get_by_role("heading", name="Feedback pages").wait_for()
    page.wait_for_load_state()
    assert page.evaluate(CONTRAST) == []
    assert violations(page) == []
    picture(page, "feedback")
    assert page.locator(".old").count() == 0
    # one idea is renamed: the pages are old, and say so
    page.get_by_role("link", name="Class 9b", exact=True).last.click()
    page.wait_for_selector(".scu")
    page.keyboard.press("j")
    page.keyboard.press("e")
    page.get_by_role("dialog").get_by_role("textbox").fill("Said otherwise")
    page.keyboard.press("Enter")
    page.locator(".scu", has_text="Said otherwise").wait_for()
    page.goto(project)
    page.locator(".old").wait_for()
    page.get_by_role("link", name="Open the pages").click()
    page.get_by_text("before later changes").wait_for()


def test_a_project_is_evaluated_and_its_systems_are_compared(visit: Visit) -> None:
    page = visit()
    page.get_by_role("button", name="Open the finished example").click()
    page.get_by_role("link", name="Results").click()
    for method in ("manual", "given+unigram"):
        page.get_by_label("Method").select_option(method)
        page.get_by_role("button", name="Evaluate").click()
        page.get_by_role("heading", name="Evaluation", exact=True).wait_for()
        page.get_by_role("link", name="Results").click()
        page.get_by_role("heading", name="Results").wait_for()
    page.wait_for_load_state()
    assert page.locator("tbody tr").count() == 2
    assert violations(page) == []
    picture(page, "results")
    page.get_by_role("link", name=re.compile(r"^\d{4}-")).last.click()
    page.get_by_role("link", name="Open the report").click()
    page.locator("#strip").wait_for()
    page.wait_for_load_state()
    assert violations(page) == []
    page.get_by_role("link", name="Back to the studio").click()
    page.get_by_role("link", name="Compare systems").click()
    drawn = page.locator(".result img")
    page.wait_for_load_state()
    assert drawn.evaluate("node => node.decode().then(() => node.naturalWidth > 600)")
    assert page.locator(".result td", has_text="paraphrase-1").first.is_visible()
    assert (page.evaluate(CONTRAST), violations(page)) == ([], [])
    picture(page, "compare")
    page.get_by_text("Only some of them").click()
    for name in ("copy", "off-topic"):
        page.get_by_label(name).check()
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_text("SCUs that only copy or only off-topic expresses").wait_for()
    page.get_by_label("With").select_option(index=1)
    page.get_by_role("button", name="Compare", exact=True).click()
    page.get_by_text("in the place of a topic").wait_for()
    for width in (1280, 820):
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(LAID_OUT)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_what_is_noted_of_work_is_read_before_its_result_and_stands_beside_it(visit: Visit, tmp_path: Path) -> None:
    pytest.importorskip("pyramidion_entails", reason="pip install ./entails: the weights are not installed")
    reference = pm.Summary("a", "The dam broke " + "and broke " * 60)
    long = pm.SCU("1", reference.text, (pm.Contributor("a", (pm.Span(0, len(reference.text)),)),))
    pyramid = pm.Pyramid("dam", (reference,), (long,))
    peer = pm.Summary("p", "A dam broke.", "peer")
    pm.write(pm.Topic("dam", (reference,), (peer,), pyramid=pyramid), tmp_path / "dam.json")
    page = visit()
    new_project(page, "Dams")
    page.locator(".drop input").first.set_input_files([tmp_path / "dam.json"])
    page.wait_for_selector(".scu")
    page.get_by_role("link", name="Dams").click()
    page.get_by_role("link", name="Results").click()
    page.get_by_label("Method").select_option("given+entails")
    page.get_by_role("button", name="Evaluate").click()
    page.locator(".outcome li", has_text="the network reads only its first").wait_for()
    assert violations(page) == []
    page.get_by_role("link", name="Go on").click()
    page.get_by_role("heading", name="Please note").wait_for()
    assert page.locator("li", has_text="the network reads only its first").count() == 1
    page.wait_for_load_state()
    assert (page.evaluate(CONTRAST), violations(page)) == ([], [])


def test_dark_pages_have_enough_contrast(visit: Visit) -> None:
    page = visit(color_scheme="dark")
    page.get_by_role("button", name="Open the finished example").click()
    for link in ("Results", "Compare systems"):
        page.get_by_role("link", name=link).click()
        page.get_by_role("heading", name=link).wait_for()
        page.wait_for_load_state()
        assert page.evaluate(CONTRAST) == []
