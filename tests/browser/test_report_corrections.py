"""What a teacher does with the report: sees who needs a look, corrects verdicts and ideas, saves, scores again."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pyramidion.cli import main
from pyramidion.corrections import loads
from pyramidion.evaluation.evaluate import evaluate
from pyramidion.evaluation.evaluation import Evaluation
from pyramidion.examples import example
from pyramidion.formats import dump
from pyramidion.reports.html import report_html
from pyramidion.scoring import Settings
from tests.browser.conftest import Opener
from tests.reports.evaluations import school

if TYPE_CHECKING:
    from playwright.sync_api import Page


@pytest.fixture(scope="module")
def html() -> str:
    return report_html(evaluate([school()], "manual"), title="The bridge")


def numbers(page: Page) -> dict[str, tuple[str, ...]]:
    """What the table for readers shows of each summary."""
    rows = page.locator("#class-table tbody tr").all()
    return {
        row.locator("th").inner_text(): tuple(re.sub(r"\s+", " ", cell) for cell in row.locator("td").all_inner_texts())
        for row in rows
    }


def expected(evaluation: Evaluation) -> dict[str, tuple[str, ...]]:
    """The same of an evaluation; for what is unclear and copied, see the tests of the page."""
    return {
        one.scores.summary: (
            f"{one.percent:.2f} %" + ("" if one.margin is None else f" ± {one.margin:.0f}"),
            str(len(one.annotation.expressed)),
            str(one.missing),
            str(len(one.annotation.contradicted)),
        )
        for one in evaluation.results
    }


def told(page: Page) -> dict[str, tuple[str, ...]]:
    shown = numbers(page)
    headings = page.locator("#class-table thead th").all_inner_texts()[1:]
    kept = [headings.index(name) for name in ("coverage", "found", "missing", "contradicted")]
    return {name: tuple(cells[at] for at in kept) for name, cells in shown.items()}


def saved(page: Page) -> bytes:
    with page.expect_download() as download:
        page.locator("#save").click()
    return Path(download.value.path()).read_bytes()


def correct(page: Page, summary: str, label: str, action: str) -> None:
    if page.locator("#correct").get_attribute("aria-pressed") == "false":
        page.locator("#correct").click()
    page.get_by_label("Summary", exact=True).select_option(label=summary)
    page.locator("#texts").get_by_role("button", name=f"{action} : {label}").click()


def check_scores(page: Page, evaluation: Evaluation) -> None:
    """The table for researchers has the evaluation's scores, to the last digit or so."""
    columns = [cell.get_attribute("data-key") for cell in page.locator("#scores-table thead th").all()]
    names = [name for name in columns if name in ("raw", "quality", "coverage", "comprehensive", "precision", "recall")]
    assert len(names) == 6
    for row, one in zip(page.locator("#scores-table tbody tr").all(), evaluation.results, strict=True):
        cells = row.locator("> *").all()
        for name in names:
            value = float(cells[columns.index(name)].get_attribute("data-v") or "nan")
            assert value == pytest.approx(getattr(one.scores, name), abs=1e-12), (one.scores.summary, name)


def test_the_first_screen_tells_who_did_how_well_what_was_missed_and_whom_to_look_at(
    open_page: Opener, html: str
) -> None:
    page = open_page(html)
    chips = page.locator("#strip .chip")
    assert sorted(chips.locator("bdi").all_inner_texts()) == ["Ada", "Ben", "Cem", "Dee", "Eli", "Fay", "Gus"]
    chips.first.focus()
    assert page.locator("#strip-told").inner_text().startswith("Dee: ")
    page.keyboard.press("End")
    assert page.locator("#strip-told").inner_text().startswith("Ben: 100.00")
    missed = page.locator("#missed-most li").first.inner_text()
    assert missed.split()[:2] == ["importance", "2"]
    assert "5 of 7 missed it" in missed
    page.locator("#missed-most .link").first.click()
    assert page.locator("#card h3").inner_text() == "Buses now take a detour of nine miles"
    assert page.locator("#card .who .link").all_inner_texts() == ["Cem", "Dee", "Eli", "Fay", "Gus"]
    look = page.locator("#look-at li").all_inner_texts()
    reasons = {text.split()[0]: text.splitlines()[-1] for text in look}
    assert reasons["Ben"].startswith("pasted from reference")
    assert "very short: 4 words" in reasons["Dee"]
    assert "looks like German" in reasons["Fay"]
    contradicted = page.locator("#contradicted-list li").inner_text()
    assert "Cem" in contradicted
    assert "“Engineers found no cracks at all”" in contradicted
    page.locator("#contradicted-list .link").click()
    assert page.locator("#texts h4").inner_text() == "Cem"


def test_an_idea_whose_label_needs_its_text_is_listed_last_and_says_why_until_somebody_renames_it(
    open_page: Opener,
) -> None:
    topic = school()
    assert topic.pyramid
    scus = [
        replace(scu, unclear="nobody can tell what 'Buses' are") if scu.label.startswith("Buses") else scu
        for scu in topic.pyramid.scus
    ]
    page = open_page(
        report_html(evaluate([replace(topic, pyramid=replace(topic.pyramid, scus=tuple(scus)))], "manual"))
    )
    listed = page.locator("#missed-most li")
    order = [one.locator(".link").inner_text() for one in listed.all()]
    assert [label.startswith("Buses") for label in order] == [False] * (len(order) - 1) + [True]
    assert "Not clear by itself: nobody can tell what 'Buses' are" in listed.last.inner_text()
    assert page.locator("#missed-most").inner_text().count("Not clear") == 1
    listed.last.locator(".link").click()
    assert "Not clear by itself: nobody can tell what 'Buses' are" in page.locator("#card").inner_text()
    page.locator("#card details.correct summary").click()
    page.get_by_label("Call it").fill("Line 7 takes a detour")
    page.locator("#card").get_by_role("button", name="Rename").click()
    assert listed.first.locator(".link").inner_text() == "Line 7 takes a detour"
    assert "Not clear" not in page.locator("main").inner_text()


def test_readers_meet_no_jargon_until_they_ask_for_it(open_page: Opener, html: str) -> None:
    page = open_page(html)
    seen = page.locator("body").inner_text()
    for word in ("SCU", "D0", "Max(", "signature:", "method:manual", "weight", "harmonic"):
        assert word not in seen, word
    page.goto(page.url.partition("#")[0] + "#researchers")
    page.reload()
    seen = page.locator("body").inner_text()
    for word in ("SCU", "D0", "method:manual", "harmonic"):
        assert word in seen, word


def test_copied_words_are_marked_in_the_text(open_page: Opener, html: str) -> None:
    page = open_page(html, "#summary-0-1")
    assert page.locator("#texts h4").inner_text() == "Ben"
    copied = page.locator("#texts .text .copied")
    assert "".join(copied.all_inner_texts()).startswith("The town closed the old bridge in May")
    assert copied.first.evaluate("node => getComputedStyle(node).textDecorationLine") == "overline"
    assert "mostly pasted from reference A" in page.locator("#texts .copying").inner_text()
    page.get_by_label("Summary", exact=True).select_option(label="Ada")
    assert page.locator("#texts .text .copied").count() == 0


def test_page_and_command_give_the_same_numbers_whatever_is_corrected(open_page: Opener, html: str) -> None:
    page = open_page(html)
    assert told(page) == expected(evaluate([school()], "manual"))
    vote, bridge = "The council will vote on a new bridge in autumn", "The town closed the old bridge in May"
    correct(page, "Ada", vote, "Accept")
    correct(page, "Ada", "Buses now take a detour of nine miles", "Strike")
    correct(page, "Cem", "Engineers had found cracks in two of its piers", "Accept")
    correct(page, "Dee", bridge, "Contradicted")
    correct(page, "Eli", vote, "Accept")
    assert page.locator("#corrections-list li").count() == 5
    first = told(page)
    assert first == expected(evaluate([school()], "manual", corrections=loads(saved(page))))

    page.locator("#pyramid button", has_text="The council").click()
    page.locator("#card details.correct").evaluate("node => { node.open = true; }")
    page.get_by_label("The same as").select_option(label=page.locator("#idea-into option").first.inner_text())
    page.get_by_role("button", name="Merge").click()
    assert page.locator("#pyramid button").count() == 3
    page.get_by_label("Call it").fill("The bridge was closed")
    page.get_by_role("button", name="Rename").click()
    assert page.locator("#card h3").inner_text() == "The bridge was closed"
    page.locator("#pyramid button", has_text="Buses").click()
    page.get_by_role("button", name="Drop").click()
    assert page.locator("#pyramid button").count() == 2
    file = saved(page)
    after = evaluate([school()], "manual", corrections=loads(file))
    assert told(page) == expected(after)
    assert told(page) != first
    assert [scu.label for scu in after.results[0].pyramid.scus] == [
        "The bridge was closed",
        "Engineers had found cracks in two of its piers",
    ]

    page.reload()
    assert told(page) == expected(after), "nothing is lost on reload"
    undo = page.locator("#corrections-list button", has_text="Undo")
    assert undo.count() == 8
    undo.nth(7).click()
    undo.nth(5).click()
    assert page.locator("#pyramid button").count() == 4
    page.get_by_role("button", name="Undo all").click()
    assert told(page) == expected(evaluate([school()], "manual"))
    assert page.locator("#corrections-some").is_hidden()
    page.reload()
    assert page.locator("#corrections-some").is_hidden()


@pytest.mark.parametrize("settings", [("floor", True, "arithmetic", "contributors", "counted"), ("ceil",), ("round",)])
def test_every_setting_of_scores_is_followed(open_page: Opener, settings: tuple[Any, ...]) -> None:
    topics = [*example()[:1], school()]
    page = open_page(report_html(evaluate(topics, "manual", Settings(*settings))), "#researchers")
    page.locator("#correct").click()
    for topic in ("bridge", "lake-revival"):
        page.get_by_label("Topic", exact=True).select_option(label=topic)
        page.get_by_label("Summary", exact=True).select_option(index=2)
        page.locator("#texts .actions button", has_text="Contradicted").first.click()
        page.locator("#pyramid button").nth(1).click()
        page.get_by_role("button", name="Merge").click()
    after = evaluate(topics, "manual", Settings(*settings), corrections=loads(saved(page)))
    check_scores(page, after)


def test_words_that_contradicted_one_idea_are_no_unit_beside_the_idea_it_was_merged_into(
    open_page: Opener, html: str
) -> None:
    page = open_page(html, "#researchers")
    correct(page, "Cem", "The town closed the old bridge in May", "Contradicted")
    page.locator("#pyramid button", has_text="The town closed").click()
    page.locator("#card details.correct").evaluate("node => { node.open = true; }")
    page.get_by_label("The same as").select_option(
        label=page.locator("#idea-into option", has_text="Buses").inner_text()
    )
    page.get_by_role("button", name="Merge").click()
    correct(page, "Cem", "Buses now take a detour of nine miles", "Accept")
    check_scores(page, evaluate([school()], "manual", corrections=loads(saved(page))))


def test_by_keyboard_alone_from_the_weakest_to_the_same_number_in_page_and_command(
    open_page: Opener, html: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = open_page(html)

    def tab_to(what: str, key: str = "Tab") -> None:
        for _ in range(200):
            if page.evaluate(f"document.activeElement.matches({json.dumps(what)})"):
                return
            page.keyboard.press(key)
        raise AssertionError(f"no Tab leads to {what}")

    tab_to("#strip .chip")
    assert "Dee" in page.locator("#strip-told").inner_text(), "the weakest comes first"
    tab_to("#contradicted-list .link")
    page.keyboard.press("Enter")
    assert page.locator("#texts h4").inner_text() == "Cem"
    assert page.locator("#texts mark.on").inner_text() == "Engineers found no cracks at all"
    tab_to("#correct", "Shift+Tab")
    page.keyboard.press("Enter")
    tab_to("#texts .actions button[data-judge='missing']:not([data-number='2'])")
    before = told(page)["Cem"]
    page.keyboard.press("Enter")
    tab_to("#save")
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    file = tmp_path / "corrections.json"
    download.value.save_as(file)
    corpus = tmp_path / "class.jsonl"
    dump([school()], corpus)
    with pytest.raises(SystemExit):
        main(["evaluate", str(corpus), "--method", "manual", "--corrections", str(file), "--json"])
    scored = {one["summary"]: one for one in json.loads(capsys.readouterr().out)["scores"]}
    shown = told(page)["Cem"]
    assert shown != before
    assert shown[0].startswith(f"{scored['Cem']['percent']:.2f} %")
    assert shown[1] == str(scored["Cem"]["scus"])
