"""A crowd study in the studio, in real browsers: an owner makes it, a worker fills in a task, the owner sees it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

pytest.importorskip("starlette", reason="no tests of the studio: its extra is not installed")

from tests.browser.conftest import CONTRAST, LAID_OUT
from tests.browser.test_studio import picture
from tests.studio.served import served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    with served(tmp_path) as (_, about):
        yield about["start"]


def opened(browser: Browser, address: str, complaints: list[str], **options: str) -> Page:
    context = browser.new_context(viewport={"width": 1280, "height": 860}, reduced_motion="reduce", **options)  # type: ignore[arg-type]
    page = context.new_page()
    page.set_default_timeout(30_000)
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(address)
    return page


def answer(page: Page, present: int) -> int:
    """Answers all statements of a task with the keyboard, the first ones with "present"; returns how many."""
    items = page.locator(".item").all()
    for number, item in enumerate(items):
        item.get_by_role("radio").first.focus()
        page.keyboard.press("Space" if number < present else "ArrowDown")
    page.get_by_role("button", name="Send").focus()
    page.keyboard.press("Enter")
    return len(items)


def test_a_worker_with_a_link_fills_in_a_task_and_the_owner_sees_it(browser: Browser, url: str) -> None:
    complaints: list[str] = []
    owner = opened(browser, url, complaints)
    owner.get_by_role("button", name="Open the finished example").click()
    owner.get_by_role("link", name="Crowd studies").click()
    owner.get_by_label("Name of the study").fill("Lakes and lagoons")
    owner.get_by_label("People who judge each statement on each summary").fill("1")
    owner.get_by_text("More settings").click()
    owner.get_by_label("Statements in one task").fill("4")
    owner.get_by_label("Statements of a topic that are judged").fill("4")
    assert owner.evaluate(CONTRAST) == []
    owner.get_by_role("button", name="Make the study").click()
    owner.get_by_text("0 of 10 answers are in; 0 of 10 tasks are complete.").wait_for()
    link = owner.get_by_label("Link for everybody").input_value()
    assert re.fullmatch(rf"{url.partition('enter')[0]}crowd/[\w-]{{20,}}/", link)
    owner.get_by_text("Links with names").click()
    owner.get_by_label("Write one name a line.").fill("Anna Berg\nBen")
    owner.get_by_role("button", name="Make links").click()
    owner.locator("#links:focus").wait_for()
    assert owner.locator("#links").input_value().splitlines()[1] == f"Ben: {link}?worker=Ben"

    worker = opened(browser, link, complaints, color_scheme="dark")
    worker.get_by_label("Your name").fill("Walt")
    worker.keyboard.press("Enter")
    worker.get_by_role("heading", name="Does the summary say this?").wait_for()
    assert worker.context.cookies() == []
    first = worker.locator("#task").get_attribute("data-task")
    with worker.expect_response("**/answer") as sent:
        asked = answer(worker, 3)
    assert sent.value.ok
    assert asked == 5  # four statements and an attention check
    worker.wait_for_function("before => document.querySelector('#task')?.dataset.task !== before", arg=first)
    assert answer(worker, 2) == 5
    worker.wait_for_load_state("networkidle")

    assert owner.get_by_text("0 of 10 answers are in").count() == 1
    owner.evaluate("dispatchEvent(new Event('focus'))")  # somebody comes back to the page
    owner.get_by_text("2 of 10 answers are in; 2 of 10 tasks are complete.").wait_for()
    assert owner.locator("tr", has_text="Walt").count() == 1
    owner.get_by_role("heading", name="Scores so far").wait_for()
    assert owner.get_by_text("Nobody is paid; about").count() == 1
    owner.locator("details.more summary", has_text="lake-revival").click()
    assert owner.locator("details[open] tbody tr").count() >= 4
    owner.evaluate("scrollTo(0, 0)")
    picture(owner, "crowd")
    for scheme in ("light", "dark"):
        owner.emulate_media(color_scheme=scheme)
        assert owner.evaluate(CONTRAST) == []
    owner.set_viewport_size({"width": 768, "height": 1024})
    owner.evaluate(LAID_OUT)
    assert owner.evaluate(OVERFLOW) <= 0
    with owner.expect_download() as file:
        owner.locator("summary", has_text="Download").click()
        owner.get_by_role("link", name="Answers (.csv)").click()
    assert Path(file.value.path()).read_text(encoding="utf-8").count("Walt") == 2
    owner.get_by_role("button", name="Close the study").click()
    owner.get_by_role("button", name="Open the study again").wait_for()
    worker.goto(f"{link}?worker=Wilma")
    worker.get_by_role("heading", name="No task").wait_for()
    owner.get_by_role("link", name="Whole report").click()
    owner.get_by_role("heading", name="Lakes and lagoons").wait_for()
    assert complaints == []
    for page in (owner, worker):
        page.context.close()
