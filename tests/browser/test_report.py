"""The report in a browser: what a reader with a mouse, a keyboard, a phone or a printer can do with it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pyramidion.evaluation.evaluate import evaluate
from pyramidion.examples import example
from pyramidion.model import Annotation, Summary
from pyramidion.reports.html import report_html
from pyramidion.scoring import scores
from tests.browser.conftest import CONTRAST, Opener
from tests.reports.evaluations import ATTACK, contradicting, crowded, hostile, judged, segmented, unread

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page


@pytest.fixture(scope="module")
def html() -> str:
    return report_html(evaluate(example(), "manual"))


def column(page: Page, number: int) -> list[str]:
    return page.locator(f"#scores-table tbody tr:visible > :nth-child({number})").all_inner_texts()


def heading(page: Page, name: str) -> Locator:
    return page.locator("#scores-table").get_by_role("columnheader", name=name, exact=True)


def chosen(page: Page) -> str:
    return page.locator("#card h3").inner_text()


def researched(page: Page) -> str:
    """The figures of a text that are for researchers."""
    page.locator("#texts details.research").first.locator("summary").click()
    return re.sub(r"\s+", " ", page.locator("#texts details.research .figures").inner_text())


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.textContent"))


def test_its_parts_can_be_found_by_role_and_name(open_page: Opener, html: str) -> None:
    page = open_page(html)
    for role in ("banner", "main", "contentinfo", "navigation"):
        assert page.get_by_role(role).count() == 1, role
    headings = page.get_by_role("heading").all_inner_texts()
    assert headings[:2] == ["What the summaries say", "Who did how well over all topics"]
    assert headings[2:6] == ["What was missed most", "Whom to look at", "Systems", "All summaries"]
    assert headings[6:9] == ["Topic: lake-revival", "The ideas, by importance", "Which summary has which idea"]
    assert [headings[9], *headings[-2:]] == ["The texts", "Corrections", "For researchers"]
    for role, name in (("searchbox", "Filter"), ("combobox", "Topic"), ("combobox", "Summary")):
        assert page.get_by_role(role, name=name, exact=True).count() == 1, name
    nameless = "[...document.querySelectorAll('button, a, select, input')].filter(e => !(e.ariaLabel || e.labels?.[0] || e.textContent).toString().trim()).length"
    assert page.evaluate(nameless) == 0
    page.keyboard.press("Tab")
    assert focused(page) == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.get_by_role("link", name="For researchers").first.click()
    page.get_by_role("button", name="Copy", exact=True).wait_for()


def test_headings_sort_by_click_and_by_keyboard_and_the_filter_keeps_rows_that_say_so(
    open_page: Opener, html: str
) -> None:
    page = open_page(html, "#researchers")
    button = heading(page, "coverage").get_by_role("button")
    button.click()
    assert heading(page, "coverage").get_attribute("aria-sort") == "descending"
    values = [float(value) for value in column(page, 8)]
    assert values == sorted(values, reverse=True)
    assert values[0] > values[-1]
    button.click()
    assert heading(page, "coverage").get_attribute("aria-sort") == "ascending"
    assert [float(value) for value in column(page, 8)] == values[::-1]

    heading(page, "Summary").get_by_role("button").focus()
    page.keyboard.press("Enter")
    assert heading(page, "Summary").get_attribute("aria-sort") == "ascending"
    page.keyboard.press("Space")
    assert heading(page, "Summary").get_attribute("aria-sort") == "descending"
    names = column(page, 2)
    assert names == sorted(names, reverse=True)

    page.get_by_role("searchbox", name="Filter").fill("PADDED")
    assert column(page, 2) == ["padded", "padded"]
    assert page.locator("#filtered").inner_text() == "2 of 12"


@pytest.mark.parametrize(("table", "fragment"), [("#class-table", ""), ("#scores-table", "#researchers")])
def test_a_row_leads_to_its_text(open_page: Opener, html: str, table: str, fragment: str) -> None:
    page = open_page(html, fragment)
    page.locator(f"{table} tbody tr", has_text="tidal-lagoon").get_by_role("link", name="paraphrase-2").click()
    page.locator("#topic-heading", has_text=re.compile("^Topic: tidal-lagoon$")).wait_for()
    assert page.locator("#texts h4").all_inner_texts() == ["paraphrase-2"]
    assert focused(page) == "paraphrase-2"


def test_from_an_idea_to_its_words_in_a_text(open_page: Opener, html: str) -> None:
    page = open_page(html)
    page.locator("#pyramid").get_by_role("button", name="Freshwater mussels").click()
    card = page.get_by_role("region", name="The chosen idea")
    assert chosen(page) == "Freshwater mussels were used as part of the remedy"
    assert card.locator("dt").all_inner_texts() == ["A", "B", "C", "E"]
    card.get_by_role("button", name="paraphrase-1").click()
    assert page.locator("#texts h4").inner_text() == "paraphrase-1"
    assert page.locator("#texts mark.on").all_inner_texts() == ["freshwater mussels were released to sieve the lake"]
    assert page.evaluate("document.activeElement.className") == "note on"


def test_from_words_to_their_scu_by_click_or_by_keyboard_and_back(open_page: Opener, html: str) -> None:
    page = open_page(html, "#summary-0-4")
    page.locator("#texts mark", has_text="freshwater mussels").click()
    assert chosen(page) == "Freshwater mussels were used as part of the remedy"
    pressed = page.locator("#pyramid button[aria-pressed=true]")
    assert pressed.count() == 1
    assert "Freshwater mussels" in pressed.inner_text()

    note = page.locator("#texts .text").get_by_role("button", name="Freshwater mussels")
    note.focus()
    page.keyboard.press("Enter")
    assert focused(page) == chosen(page) == "Freshwater mussels were used as part of the remedy"
    assert "Freshwater mussels" in page.locator("#told").inner_text()
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.textContent") == note.inner_text()
    assert page.locator("#card h3").count() == 0


def test_a_further_click_on_shared_words_shows_the_next_scu(open_page: Opener, html: str) -> None:
    page = open_page(html, "#summary-0-4")
    shared = page.locator("#texts mark.several").first
    assert shared.inner_text() == "phosphorus"
    found = []
    for _ in range(3):
        shared.click()
        found.append(chosen(page))
    assert found == [
        "Farms were a source of the phosphorus",
        "A laundry works was a source of the phosphorus",
        "Phosphorus killed Tarrow Mere",
    ]


def test_arrow_keys_move_in_the_pyramid(open_page: Opener, html: str) -> None:
    page = open_page(html)
    cells = page.locator("#pyramid button")
    cells.first.focus()
    assert cells.evaluate_all("all => all.filter(one => one.tabIndex === 0).length") == 1
    page.keyboard.press("ArrowRight")
    assert page.evaluate("document.activeElement.dataset.scu") == "2"
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.closest('ul').ariaLabel") == "Importance 4: 3 ideas"
    page.keyboard.press("End")
    assert page.evaluate("document.activeElement.dataset.scu") == "23"


def test_the_map_is_a_table_with_its_values_as_text(open_page: Opener, html: str) -> None:
    page = open_page(html)
    row = page.locator("#map").get_by_role("row", name=re.compile("^padded"))
    assert row.locator("td.cell").all_text_contents().count("yes") == 3
    assert page.locator("#map").get_by_role("columnheader", name="idea 1, importance 5").count() == 1
    row.locator("td.hit").nth(2).click()
    assert page.locator("#texts h4").inner_text() == "padded"
    assert page.locator("#texts mark.on").count() > 0


def test_a_text_tells_what_it_says_and_what_it_misses(open_page: Opener, html: str) -> None:
    page = open_page(html, "#summary-0-4")
    lists = page.locator("#texts .lists > div")
    assert lists.locator("h5").all_inner_texts() == ["9 ideas found", "14 ideas missing, most important first"]
    weights = [int(text.removeprefix("importance ")) for text in lists.nth(1).locator(".weight").all_text_contents()]
    assert weights == sorted(weights, reverse=True)
    assert page.locator("#texts .d0").all_inner_texts() == [
        "the machines ended up as scrap",
        "a special boat has been bought to deal with it",
    ]
    page.get_by_label("Summary", exact=True).select_option("all")
    assert page.locator("#texts h4").count() == 6


def test_similarities_and_segmentations_are_shown(open_page: Opener) -> None:
    page = open_page(report_html(segmented()))
    assert "similarity 0.87" in page.locator("#texts .lists").inner_text()
    page.get_by_text("Sentence by sentence").click()
    units = page.locator(".sentences ol li").all_inner_texts()
    assert [re.sub(r"\s+", " ", unit) for unit in units] == [
        "The fish died idea 1, similarity 0.87",
        "a boat sank in no idea",
    ]


def test_the_reason_of_a_match_is_shown_in_the_text_s_list_and_on_the_card(open_page: Opener) -> None:
    page = open_page(report_html(hostile()))
    assert page.locator("#texts .units").get_by_text("why: r").count() == 1
    page.locator("#pyramid button").first.click()
    assert page.locator("#card").get_by_text("why: r").inner_text() == f"why: r{ATTACK}".strip()


def test_a_summary_that_nobody_annotated_is_drawn_without_scores(open_page: Opener) -> None:
    page = open_page(report_html(unread()))
    assert page.locator("#map td.total").all_text_contents() == ["100.00\u00a0%", "-"]
    page.locator("#class-table tbody a").get_by_text("ben").click()
    page.locator("#texts .figures").get_by_text("-", exact=True).first.wait_for()
    figures = researched(page)
    assert "coverage - quality - comprehensive -" in figures


def test_probabilities_are_shown_for_every_scu(open_page: Opener) -> None:
    page = open_page(report_html(judged()))
    cells = page.locator("#map td.cell")
    assert cells.all_text_contents() == ["0.88, found", "0.38", ""]
    assert [cell.evaluate("node => getComputedStyle(node, '::before').width") != "auto" for cell in cells.all()] == [
        True,
        False,
        False,
    ]
    assert "cells with a dot are found" in page.locator("#map-note").inner_text()
    figures = researched(page)
    assert "coverage 0.563 = 2.53 expected / 4.5 quality 0.500 = 2 counted / 4" in figures
    lists = page.locator("#texts .lists > div")
    assert "probability 0.88" in lists.nth(0).inner_text()
    assert lists.nth(1).locator("li").all_inner_texts()[0].splitlines()[-2] == "probability 0.38"
    assert "probability" not in lists.nth(1).locator("li").nth(1).inner_text()
    assert page.locator("#texts .extra li").first.inner_text() == "“and a farmer came.”"
    page.locator("#pyramid").get_by_role("button", name="Farms").click()
    assert "Missing in 1\n\np\u00a0(0.38). The brackets give the probability" in page.locator("#card").inner_text()
    assert "similarity" not in page.locator("#topic").evaluate("node => node.textContent")


def test_contradictions_have_their_own_mark_everywhere(open_page: Opener) -> None:
    page = open_page(report_html(contradicting()))
    brick = page.locator("#pyramid").get_by_role("button", name="Farms")
    assert "Found in 0 of 1 summary, contradicted by 1" in (brick.text_content() or "")
    assert brick.locator(".no").inner_text() == "\u27151"
    assert "contradicted by so many" in page.locator("#pyramid-legend").inner_text()
    assert "\u2715 the summary contradicts the idea" in page.locator("#map-note").inner_text()
    cells = page.locator("#map td.cell")
    assert cells.all_text_contents() == ["0.88, found", "\u2715contradicted, probability 0.75", ""]
    grounds = [cell.evaluate("node => getComputedStyle(node).backgroundColor") for cell in cells.all()]
    assert len(set(grounds)) == 3
    mark = page.locator("#texts mark.against")
    assert mark.inner_text() == "the farms kept their phosphorus out of it"
    assert mark.evaluate("node => getComputedStyle(node).textDecorationStyle") == "wavy"
    assert page.locator("#texts .lists h5").all_inner_texts() == [
        "1 idea found",
        "\u2715 1 idea contradicted",
        "1 idea missing, most important first",
    ]
    assert page.locator("#texts .extra li").first.inner_text() == "“A boat sank”"
    figures = re.sub(r"\s+", " ", page.locator("#texts .leading").inner_text())
    assert "contradicted 1" in figures
    page.get_by_text("Sentence by sentence").click()
    assert "contradicts idea 2, probability 0.75" in page.locator(".sentences").inner_text()
    cells.nth(1).click()
    card = page.locator("#card").inner_text()
    assert "Contradicted by 1 summary" in card
    assert "“the farms kept their phosphorus out of it”" in card
    assert "[object" not in card
    assert "contradicted by 1." in page.locator("#told").inner_text()
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("contradicts idea 2")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_contradicted_stands_out_in_both_schemes(open_page: Opener, scheme: str) -> None:
    page = open_page(report_html(contradicting()), color_scheme=scheme)
    assert page.evaluate(CONTRAST) == []
    page.locator("#texts .note.no").click()
    assert page.evaluate(CONTRAST) == []


def test_hostile_words_that_contradict_are_shown_and_not_run(open_page: Opener) -> None:
    page = open_page(report_html(hostile()))
    assert ATTACK.strip() in page.locator("#texts .denied").inner_text()
    page.locator("#texts .note.no").click()
    assert ATTACK.strip() in page.locator("#card").inner_text()
    assert page.evaluate("window.attacked") is None


def test_references_that_were_scored_stand_beside_the_peers(open_page: Opener) -> None:
    page = open_page(report_html(evaluate(example()[:1], "manual", leave_one_out=True)), "#summary-0-6")
    assert page.locator("#map tbody tr").count() == 11
    assert page.get_by_text("Scored against the ideas of the other references.").is_visible()
    assert "of 6 summaries" in (page.locator("#pyramid button").first.text_content() or "")


def test_a_large_class_is_shown_in_part_and_on_request_in_whole(open_page: Opener) -> None:
    page = open_page(report_html(crowded(101, 205)))
    seen = "[...document.querySelectorAll('#class-table tbody tr')].filter(row => row.getClientRects().length).length"
    assert page.evaluate(seen) == 200
    page.get_by_role("button", name="Show all 205 rows").click()
    assert page.evaluate(seen) == 205
    assert page.locator("#map tbody tr").count() == 60
    assert page.locator("#map tbody tr").first.locator("td.cell").count() == 100
    more = page.locator("#texts details.rest").last
    assert more.locator("li").first.is_hidden()
    more.locator("summary").first.click()
    assert more.locator("li").first.is_visible()
    page.get_by_role("button", name="Show all", exact=True).click()
    assert page.locator("#map tbody tr").count() == 205


def test_many_rows_are_packed_and_those_for_researchers_are_drawn_when_asked_for(open_page: Opener) -> None:
    html = report_html(crowded(30, 501))
    assert '<script type="application/gzip" id="data">' in html
    page = open_page(html)
    page.wait_for_selector("html[data-ready]")
    assert page.locator("#scores-table tbody tr").count() == 0
    page.get_by_role("link", name="For researchers").first.click()
    rows = page.locator("#scores-table tbody tr")
    rows.first.wait_for()
    assert rows.count() == 501
    assert rows.first.locator("td").first.inner_text() == page.locator("#class-table td[data-v]").nth(1).inner_text()
    heading(page, "coverage").get_by_role("button").click()
    values = [float(value) for value in column(page, 7)]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize("which", ["hostile", "crowded"])
def test_a_phone_never_scrolls_sideways(open_page: Opener, which: str) -> None:
    made = report_html(hostile(), title=ATTACK) if which == "hostile" else report_html(crowded())
    page = open_page(made, viewport={"width": 375, "height": 700})
    assert page.evaluate("document.documentElement.scrollWidth") == 375
    page.locator("#pyramid button").first.click()
    assert page.evaluate("document.documentElement.scrollWidth") == 375
    page.get_by_role("button", name="Close the card").click()
    assert page.locator("#card").is_hidden()


def test_a_long_name_leaves_room_for_scores_on_a_phone(open_page: Opener) -> None:
    first = judged()
    one = first.results[0]
    blank = Annotation(Summary("n" * 120, "Word.", "peer"))
    long = replace(one, annotation=blank, scores=scores(one.pyramid, blank))
    page = open_page(report_html(replace(first, results=(long,))), viewport={"width": 375, "height": 700})
    assert page.locator("#class-table tbody th").evaluate("node => node.getBoundingClientRect().width") < 200


def test_hostile_texts_are_shown_never_run_and_marked_by_characters_not_code_units(open_page: Opener) -> None:
    page = open_page(report_html(hostile(), title=ATTACK))
    for node in page.locator("#pyramid button").all():
        node.click()
    assert page.evaluate("window.attacked") is None
    assert page.locator("h1 *, #texts .text img, #texts .text script, #card img").count() == 0
    assert ATTACK in page.locator("#texts .text").evaluate("node => node.textContent")
    assert "After\u2400\u2407 all\nso." in page.locator("#texts .text").evaluate("node => node.textContent")

    assert page.locator("#texts mark").all_text_contents() == [
        *("The ", "lake", " \u0633\u0644\u0627\u0645", "died"),
        ATTACK,
    ]
    assert page.locator("#texts .text").evaluate("node => getComputedStyle(node).direction") == "ltr"
    assert page.locator("#pyramid .label").nth(1).evaluate("node => getComputedStyle(node).direction") == "rtl"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_word_stands_out_from_its_ground(open_page: Opener, html: str, scheme: str) -> None:
    page = open_page(html, "#summary-0-4", color_scheme=scheme)
    page.locator("#texts mark").nth(3).click()
    dark = page.evaluate("parseInt(getComputedStyle(document.body).backgroundColor.match(/\\d+/)[0]) < 128")
    assert dark == (scheme == "dark")
    assert page.evaluate(CONTRAST) == []


def test_paper_gets_no_controls_and_no_darkness(open_page: Opener, html: str) -> None:
    page = open_page(html, color_scheme="dark")
    page.emulate_media(media="print")
    assert page.get_by_label("Filter").is_hidden()
    assert page.locator("nav").is_hidden()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.locator("#pyramid").is_visible()
    assert page.locator("#texts .text").is_visible()


def test_without_scripts_the_scores_can_be_read(open_page: Opener, html: str) -> None:
    page = open_page(html, java_script_enabled=False)
    assert page.get_by_role("row").filter(has_text="paraphrase-1").count() == 3
    page.locator("#researchers > summary").click()
    assert page.locator("#scores-table").get_by_role("row").filter(has_text="paraphrase-1").count() == 2
    assert page.get_by_text("A script draws").is_visible()
    assert page.get_by_label("Filter").is_hidden()
    assert page.locator("#topic").is_hidden()


def test_the_signature_can_be_copied(open_page: Opener, html: str) -> None:
    page = open_page(html, "#researchers")
    page.get_by_role("button", name="Copy", exact=True).click()
    page.wait_for_function("document.getElementById('copied').textContent")
    assert page.evaluate("getSelection().toString()") == page.locator("#signature").inner_text()
