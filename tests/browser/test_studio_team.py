"""A team in the studio, in real browsers: accounts, an invitation, two blind annotations, their differences settled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("starlette", reason="no tests of the studio: its extra is not installed")

from tests.browser.conftest import CONTRAST
from tests.browser.test_studio import example_topic, new_scu, on_both, select, start

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

__all__ = ["start"]
PASSWORD = "a long enough password"


def opened(browser: Browser, address: str) -> Page:
    page = browser.new_context(viewport={"width": 1280, "height": 860}, reduced_motion="reduce").new_page()
    page.set_default_timeout(30_000)
    page.goto(address)
    return page


def say(page: Page, name: str) -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)


def annotate(page: Page, address: str, words: str) -> None:
    page.goto(f"{address}/peer?peer=copy")
    page.locator(".scu .pick", has_text="Phosphorus killed the lake").click()
    select(page, "", words)
    page.keyboard.press("a")
    page.locator(".scu.said").wait_for()
    page.keyboard.press("f")
    page.locator("#finish", has_text="Open again").wait_for()


@on_both
def test_two_annotators_by_invitation_and_an_owner_who_settles(browser: Browser, start: str) -> None:
    url = start.partition("enter")[0]
    owner = opened(browser, start)
    owner.get_by_role("link", name="Work with others").click()
    say(owner, "Olga")
    owner.get_by_role("button", name="Create").click()
    example_topic(owner)
    topic = owner.url
    new_scu(owner, "A", "Phosphorus had killed the water", "Phosphorus killed the lake")
    new_scu(owner, "A", "composed of reed beds", "Reed beds were planted")
    project = owner.locator(".crumbs a").nth(1).get_attribute("href")
    people = f"{url.rstrip('/')}{project}/people"
    owner.goto(people)
    owner.get_by_role("button", name="Make an invitation").click()
    owner.locator(".outcome", has_text="/invitations/").wait_for()
    link = owner.locator(".outcome").inner_text()
    annotator = opened(browser, link)
    say(annotator, "Ann")
    annotator.get_by_role("button", name="Join the project").click()
    annotator.wait_for_url("**/projects/*")
    owner.reload()
    with owner.expect_response("**/assignments"):
        owner.locator("tr", has_text="copy").first.get_by_label("Ann").check()
    annotate(owner, topic, "Tarrow Mere died of overfeeding")
    # the annotator is asked to annotate the summary, and does not see what the owner found
    annotator.reload()
    annotator.locator(".tag", has_text="1 for you to annotate").wait_for()
    annotator.goto(f"{topic}/peer?peer=copy")
    annotator.wait_for_selector(".scu")
    assert annotator.locator(".scu.said").count() == 0
    annotate(annotator, topic, "phosphorus run down into the water")
    annotator.locator(".scu .pick", has_text="Reed beds were planted").click()
    select(annotator, "", "reeds were planted")
    annotator.keyboard.press("a")
    annotator.locator(".scu.said", has_text="Reed beds").wait_for()
    # the owner sees where the two differ, and decides
    owner.goto(people)
    owner.get_by_role("link", name="Compare").click()
    owner.wait_for_load_state("load")  # only then do the buttons do something
    assert owner.locator("tbody tr").count() == 1
    assert owner.evaluate(CONTRAST) == []
    owner.get_by_role("button", name="Begin with Olga").click()
    settle = owner.locator("tr", has_text="Reed beds were planted").get_by_role("button", name="Says it")
    settle.click()
    owner.locator(".settle[aria-pressed=true]").wait_for()
    owner.get_by_role("link", name="Consensus").click()
    owner.wait_for_selector(".figures")
    assert owner.locator(".scu.said").count() == 2
    owner.goto(f"{url.rstrip('/')}{project}/agreement")
    assert "alpha" in owner.locator("main").inner_text()
    assert "consensus" not in owner.locator("main").inner_text()
    owner.get_by_role("button", name="Log out").click()
    owner.get_by_role("heading", name="Log in").wait_for()
    say(owner, "Olga")
    owner.get_by_role("button", name="Log in").click()
    owner.get_by_role("heading", name="Your projects").wait_for()
    for page in (owner, annotator):
        page.context.close()
