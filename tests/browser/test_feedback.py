"""The student's page in a browser: on a phone, in both schemes, on paper, by links."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from pyramidion.evaluation.evaluate import evaluate
from pyramidion.examples import example
from pyramidion.model import Contradiction
from pyramidion.reports.feedback import feedback
from pyramidion.reports.feedback_pages import page, pages
from tests.browser.axe import violations
from tests.browser.conftest import CONTRAST, Opener
from tests.browser.pictures import picture
from tests.reports.classroom import class_pages, students, thousand
from tests.reports.evaluations import contradicting, crowded, hostile, judged


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
        "Your text",
        "What you got right",
        "What you could still add",
        "What else you wrote",
    ]
    shown.locator(".text mark").get_by_role("link", name="2").click()
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


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_a_students_page_the_list_and_all_pages(open_page: Opener, scheme: str) -> None:
    some = [students()[name] for name in ("chloe", "daniel", "hugo")]
    made = {**class_pages(), "all.html": pages(some)["all.html"].decode()}
    for path in ("chloe.html", "kavya.html", "index.html", "all.html"):
        width = 375 if path == "kavya.html" else 1000
        shown = open_page(made[path], viewport={"width": width, "height": 800}, color_scheme=scheme)
        shown.evaluate("document.querySelectorAll('details').forEach((folded) => { folded.open = true; })")
        assert violations(shown) == [], path
        assert shown.evaluate("document.documentElement.scrollWidth") <= width


def test_the_list_is_sorted_and_searched_by_keyboard(open_page: Opener) -> None:
    shown = open_page(class_pages()["index.html"])

    def names() -> list[str]:
        return [name.strip() for name in shown.locator("tbody tr:visible .name").all_inner_texts()]

    score = shown.get_by_role("columnheader", name="Score")
    assert names()[:2] == ["amelia", "ben"]
    assert shown.get_by_role("columnheader", name="Student").get_attribute("aria-sort") == "ascending"
    shown.get_by_role("searchbox", name="Search").focus()
    shown.keyboard.press("Tab")  # the table, which scrolls where it is too wide
    shown.keyboard.press("Tab")
    shown.keyboard.press("Tab")
    assert shown.evaluate("document.activeElement.textContent") == "Score"
    shown.keyboard.press("Enter")
    assert (names()[:3], names()[-1]) == (["hugo", "grace", "farid"], "ines")  # who has no score comes last
    assert score.get_attribute("aria-sort") == "ascending"
    shown.keyboard.press("Space")
    assert (score.get_attribute("aria-sort"), names()[-2:]) == ("descending", ["hugo", "ines"])
    assert shown.locator("[aria-sort]").count() == 1
    shown.get_by_role("searchbox", name="Search").focus()
    shown.keyboard.type("Copied source")
    assert names() == ["kavya"]
    assert shown.get_by_role("status").inner_text() == "1 of 13"
    shown.keyboard.press("Escape")
    assert len(names()) == 13


def test_without_its_script_the_list_is_a_plain_table(open_page: Opener) -> None:
    shown = open_page(class_pages()["index.html"], java_script_enabled=False)
    assert shown.get_by_role("row").count() == 14
    assert shown.get_by_role("searchbox").count() == 0
    assert shown.get_by_role("button").count() == 0


def test_all_pages_lead_from_one_student_to_the_next_and_each_begins_a_sheet(open_page: Opener) -> None:
    shown = open_page(class_pages()["all.html"])
    shown.get_by_role("link", name="Next: ben").click()
    assert shown.locator(":target h2").inner_text() == "ben"
    shown.locator(":target").get_by_role("link", name="Next: chloe").click()
    shown.locator(":target").get_by_role("link", name="Previous: ben").click()
    assert shown.locator(":target h2").inner_text() == "ben"
    shown.locator(":target .text mark a").first.click()
    assert shown.locator(":target").evaluate("node => node.closest('.sheet').querySelector('h2').innerText") == "ben"
    sheets = len(re.findall(rb"/Type\s*/Page\b", shown.pdf(prefer_css_page_size=True)))
    assert 12 <= sheets <= 24  # one or two for each


def test_copied_and_unclear_words_look_different(open_page: Opener) -> None:
    shown = open_page(class_pages()["kavya.html"])
    copied = shown.locator(".text .copied").first
    assert copied.evaluate("node => getComputedStyle(node).textDecorationStyle") == "dotted"
    unclear = shown.locator(".text mark.doubt").first
    assert unclear.evaluate("node => getComputedStyle(node).borderBottomStyle") == "dashed"
    unclear.get_by_role("link", name="unclear ?").first.click()
    assert shown.get_by_role("region", name="Unclear").locator(":target").count() == 1


def test_a_thousand_students_are_sorted_and_found(open_page: Opener) -> None:
    shown = open_page(thousand()["index.html"].decode())
    shown.get_by_role("button", name="Words").press("Enter")
    shown.get_by_role("button", name="Words").press("Enter")
    assert shown.locator("tbody tr .name").first.inner_text() == "student 0999"
    shown.get_by_role("searchbox", name="Search").fill("0123")
    assert shown.get_by_role("status").inner_text() == "1 of 1000"


@pytest.mark.parametrize(
    ("name", "path", "width", "height", "scheme"),
    [
        ("feedback-student.png", "chloe.html", 800, 1120, "light"),
        ("feedback-student-dark.png", "chloe.html", 800, 1120, "dark"),
        ("feedback-phone.png", "kavya.html", 375, 800, "light"),
        ("feedback-phone-dark.png", "index.html", 375, 800, "dark"),
        ("feedback-index.png", "index.html", 1000, 1000, "light"),
        ("feedback-index-dark.png", "index.html", 1000, 1000, "dark"),
        ("feedback-print.png", "amelia.html", 680, 760, "print"),
    ],
)
def test_pictures_of_the_documentation(
    open_page: Opener, name: str, path: str, width: int, height: int, scheme: str
) -> None:
    paper = scheme == "print"
    viewport = {"width": width, "height": height}
    shown = open_page(class_pages()[path], viewport=viewport, color_scheme="light" if paper else scheme)
    if paper:
        shown.emulate_media(media="print")
    assert shown.get_by_role("heading", level=1).is_visible()
    picture(shown, name)
