"""What axe-core finds on our pages: nothing, in light and in dark, whatever is open. And what stands on paper."""

from __future__ import annotations

import io
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pyramidion.evaluation.evaluate import evaluate
from pyramidion.reports.html import report_html
from tests.browser.axe import violations
from tests.browser.conftest import Opener
from tests.crowd.ballots import votes
from tests.reports.evaluations import crowded, school
from tests.reports.test_crowd_page import html as crowd_page

if TYPE_CHECKING:
    from playwright.sync_api import Page

PHONE = {"width": 375, "height": 700}
SHOTS = os.environ.get("PYRAMIDION_SCREENSHOTS", "")
"""A folder for pictures of the pages, such as docs/: the documentation shows them."""


@pytest.fixture(scope="module")
def html() -> str:
    return report_html(evaluate([school()], "manual"), title="The bridge")


def shoot(page: Page, name: str) -> None:
    if SHOTS:
        from PIL import Image

        seen = Image.open(io.BytesIO(page.screenshot()))
        seen.convert("RGB").quantize(96).save(Path(SHOTS, f"report-{name}.png"), optimize=True)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_the_report(open_page: Opener, html: str, scheme: str) -> None:
    page = open_page(html, color_scheme=scheme)
    shoot(page, scheme)
    page.locator("#pyramid-heading").evaluate("node => node.scrollIntoView()")
    shoot(page, f"ideas-{scheme}")
    page.locator("#correct").click()
    page.get_by_label("Summary", exact=True).select_option(label="Cem")
    page.locator("#texts .actions button", has_text="Accept").first.click()
    page.locator("#pyramid button").nth(1).click()
    page.locator("#researchers > summary").click()
    assert violations(page) == []
    page.locator("#summaries").evaluate("node => node.scrollIntoView()")
    shoot(page, f"corrections-{scheme}")


def test_axe_finds_nothing_on_a_phone_and_names_and_coverage_are_in_view(open_page: Opener, html: str) -> None:
    page = open_page(html, viewport=PHONE)
    assert violations(page) == []
    shoot(page, "phone")
    page.locator("#scores").evaluate("node => node.scrollIntoView()")
    for cell in ("#class-table tbody th", "#class-table tbody td.lead .number"):
        box = page.locator(cell).first.bounding_box()
        assert box
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE["width"]
    page.locator("#scores .scroll").evaluate("node => { node.scrollLeft = 400; }")
    name = page.locator("#class-table tbody th").first.bounding_box()
    assert name
    assert 0 <= name["x"] < 40, "the name stays when the rest is scrolled"
    label = page.locator("#pyramid .label").first
    assert label.is_visible()
    assert label.evaluate("node => node.getBoundingClientRect().width") > 150


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_on_the_crowd_s_page(open_page: Opener, scheme: str) -> None:
    given = votes({("lake", "good"): ["ppn", "ppn", "pnn"], ("lake", "poor"): ["nnn", "nnp", "nnn"]})
    page = open_page(crowd_page(given), color_scheme=scheme)
    for node in page.locator("details").all():
        node.evaluate("node => { node.open = true; }")
    assert violations(page) == []


def test_paper_has_every_text_and_no_page_ends_with_a_heading(open_page: Opener, html: str) -> None:
    pypdf = pytest.importorskip("pypdf")
    page = open_page(report_html(crowded(30, 9)), color_scheme="dark")
    headings = {text.strip() for text in page.locator("h1, h2, h3, h4, h5").all_inner_texts()}
    printed = page.pdf(format="A4", print_background=True)
    sheets = [sheet.extract_text() for sheet in pypdf.PdfReader(io.BytesIO(printed)).pages]
    whole = "\n".join(sheets)
    for number in range(9):
        assert f"a-pupil-with-a-long-name-{number:03}" in whole
    assert whole.count("ideas found") == 9
    for sheet in sheets:
        lines = [line.strip() for line in sheet.splitlines() if line.strip()]
        assert lines
        assert lines[-1] not in headings
        assert not lines[-1].endswith(("ideas found", "missing, most important first"))
    assert page.locator("#texts article").count() == 1, "after printing, the page is as it was"
    if SHOTS:
        page = open_page(html, "#summary-0-2", viewport={"width": 800, "height": 1130})
        page.emulate_media(media="print")
        shoot(page, "print")
