"""The student's page in a browser: on a phone, in both schemes, on paper, by links."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from pyramidion.examples import example
from pyramidion.model import Contradiction
from pyramidion.report.feedback import feedback, page, pages
from pyramidion.studies.evaluate import evaluate
from tests.browser.conftest import CONTRAST, Opener
from tests.report.evaluations import contradicting, crowded, hostile, judged


@pytest.fixture(scope="module")
def padded() -> str:
    return page(next(one for one in feedback(evaluate(example()[:1], "manual")) if one.student == "padded"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_word_stands_out_on_a_phone_that_never_scrolls_sideways(
    open_page: Opener, padded: str, scheme: str
) -> None:
    for html in (
        padded,
        *(page(feedback(one())[0]) for one in (judged if scheme == "light" else hostile, contradicting)),
    ):
        shown = open_page(html, viewport={"width": 375, "height": 700}, color_scheme=scheme)
        assert shown.evaluate("document.documentElement.scrollWidth") == 375
        assert shown.evaluate(CONTRAST) == []


def test_a_number_in_the_text_leads_to_its_idea(open_page: Opener, padded: str) -> None:
    shown = open_page(padded)
    assert shown.get_by_role("heading", level=2).all_inner_texts() == [
        "What you got right",
        "What you could still add",
        "What else you wrote",
        "Your text",
    ]
    shown.locator("#main mark").get_by_role("link", name="2").click()
    assert shown.locator(":target b").inner_text() == "Reed beds were planted as part of the remedy"
    folded = shown.locator("details", has_text="more ideas")
    assert folded.locator("li").first.is_hidden()
    folded.locator("summary").click()
    assert folded.locator("li").first.is_visible()


def test_what_is_near_has_a_place_of_its_own(open_page: Opener) -> None:
    shown = open_page(page(feedback(judged())[0]))
    assert shown.get_by_role("region", name="What you may have meant").get_by_role("listitem").count() == 1
    assert shown.get_by_role("region", name="What you could still add").get_by_role("listitem").count() == 1


def test_words_to_check_are_marked_and_lead_to_what_the_models_say(open_page: Opener) -> None:
    shown = open_page(page(feedback(contradicting())[0]))
    region = shown.get_by_role("region", name="Check this")
    assert region.get_by_role("listitem").count() == 1
    mark = shown.locator(".text mark.against")
    assert mark.inner_text().startswith("the farms kept their phosphorus out of it")
    assert mark.evaluate("node => getComputedStyle(node).textDecorationStyle") == "wavy"
    mark.get_by_role("link", name="check \u27152").click()
    assert shown.locator(":target b").inner_text() == "Farms fed it phosphorus"


def test_a_text_that_contradicts_everything_still_fits_two_sheets(open_page: Opener) -> None:
    topic = example()[0]
    (copy,) = (one for one in topic.annotations if one.summary.id == "copy")
    denied = tuple(Contradiction(match.scu, match.spans, 0.75) for match in copy.matches)
    against = replace(copy, matches=(), contradicted=denied, matcher="a judge")
    (one,) = feedback(evaluate([replace(topic, peers=(copy.summary,), annotations=(against,))], "manual"))
    shown = open_page(page(one))
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", shown.pdf(prefer_css_page_size=True))) <= 2
    shown.locator(".text mark.against").last.get_by_role("link").last.click()
    assert shown.locator(":target b").is_visible()


def test_hostile_words_to_check_are_shown_and_not_run(open_page: Opener) -> None:
    shown = open_page(page(feedback(hostile())[0]))
    assert "onload" in shown.get_by_role("region", name="Check this").inner_text()
    assert shown.evaluate("window.attacked") is None


def test_on_paper_a_page_is_two_sheets_at_most(open_page: Opener, padded: str) -> None:
    shown = open_page(padded, color_scheme="dark")
    sheets = shown.pdf(prefer_css_page_size=True)
    assert 1 <= len(re.findall(rb"/Type\s*/Page\b", sheets)) <= 2
    shown.emulate_media(media="print")
    assert shown.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


def test_the_list_of_a_class_fits_a_phone(open_page: Opener) -> None:
    index = pages(feedback(crowded(20, 10)))["index.html"].decode()
    shown = open_page(index, viewport={"width": 375, "height": 700})
    assert shown.evaluate("document.documentElement.scrollWidth") == 375
    assert shown.get_by_role("row").count() == 11
    for cell in ("td.idea", "th.name"):
        assert min(one.bounding_box()["width"] for one in shown.locator(cell).all()) > 100
