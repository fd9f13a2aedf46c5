"""The studio in a real browser: a pyramid made, peers annotated, scores read, files in and out, in one and in two."""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("starlette", reason="no tests of the studio: its extra is not installed")

from pyramidion.cli import main
from pyramidion.formats import dumps
from pyramidion.model import Summary, Topic
from tests.browser.conftest import CONTRAST, LAID_OUT
from tests.postgres import new_database
from tests.studio.served import served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PICTURES = os.environ.get("PYRAMIDION_PICTURES", "")
"""Where the pictures of docs/studio.md are written, if anywhere."""
Visit = Callable[..., "Page"]


@pytest.fixture(scope="module", params=["sqlite"])
def start(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[str]:
    """The address, with its key, of a studio with an empty workspace: SQLite, unless a test asks for PostgreSQL."""
    where = "workspace" if request.param == "sqlite" else new_database(request.getfixturevalue("postgres"))
    with served(where, cwd=tmp_path_factory.mktemp("studio")) as (_, about):
        yield about["start"]


on_both = pytest.mark.parametrize("start", ["sqlite", "postgresql"], indirect=True)
"""For what depends on the database: what is stored, merged, undone, told to others, and found again."""


@pytest.fixture
def visit(browser: Browser, start: str) -> Iterator[Visit]:
    """Opens a page; at the end, it must have said nothing on the console and asked no other server."""
    url = start.partition("enter")[0]
    complaints: list[str] = []
    asked: set[str] = set()
    contexts = []

    def visit(path: str = "", **options: Any) -> Page:
        options = {
            "viewport": {"width": 1280, "height": 860},
            "reduced_motion": "reduce",
            "accept_downloads": True,
        } | options
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(30_000)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: asked.add("/".join(request.url.split("/")[:3]) + "/"))
        page.goto(start)
        if path:
            page.goto(url + path)
        return page

    yield visit
    for context in contexts:
        context.close()
    refused = ("409", "ERR_FAILED")  # browsers report what a server, or a test, refuses
    assert [one for one in complaints if not any(word in one for word in refused)] == []
    assert asked <= {url, "data:/"}


def picture(page: Page, name: str) -> None:
    """A picture for docs/studio.md, in few colours: the whole page takes less than 100 kB so."""
    if PICTURES:
        from PIL import Image

        drawn = Image.open(io.BytesIO(page.screenshot()))
        drawn.convert("RGB").quantize(96).save(f"{PICTURES}/studio-{name}.png", optimize=True)


def example_topic(page: Page, whole: bool = False, topic: str = "lake-revival") -> None:
    """Makes a project of the example and opens a topic."""
    page.get_by_role("button", name="Open the finished example" if whole else "Try the example").click()
    page.get_by_role("link", name=topic).click()
    page.wait_for_selector(".w")


def new_project(page: Page, name: str) -> None:
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Create").click()
    page.wait_for_url("**/projects/*")


PLACE = """([pane, words]) => {
  const nodes = [...document.querySelectorAll(pane ? `.pane[data-id="${pane}"] .w` : ".pane .w")];
  const wanted = words.split(" ");
  const from = nodes.findIndex((_, n) => wanted.every((word, k) => nodes[n + k]?.textContent === word));
  nodes[from].scrollIntoView({ block: "center" });
  const middle = (node) => { const box = node.getClientRects()[0]; return [box.x + box.width / 2, box.y + box.height / 2]; };
  return [middle(nodes[from]), middle(nodes[from + wanted.length - 1])];
}"""


def select(page: Page, pane: str, words: str, more: bool = False) -> None:
    """Drags over some words of a text."""
    (x, y), (to_x, to_y) = page.evaluate(PLACE, [pane, words])
    if more:
        page.keyboard.down("Control")
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(to_x, to_y, steps=3)
    page.mouse.up()
    if more:
        page.keyboard.up("Control")


def new_scu(page: Page, pane: str, words: str, label: str) -> None:
    select(page, pane, words)
    page.keyboard.press("n")
    page.get_by_role("dialog").get_by_role("textbox").fill(label)
    page.keyboard.press("Enter")
    page.locator(".scu[aria-current]", has_text=label).wait_for()


def count(page: Page, what: str, number: int) -> None:
    """Waits until there are so many."""
    from playwright.sync_api import expect

    expect(page.locator(what)).to_have_count(number)


def labels(page: Page) -> list[str]:
    return page.locator(".scu .label").all_inner_texts()


def weight(page: Page, label: str) -> str:
    return page.locator(".scu", has_text=label).locator(".weight").first.inner_text()


TEN = [
    ("A", "forty thousand fish died in Tarrow Mere", "Forty thousand fish died"),
    ("A", "Phosphorus had killed the water", "Phosphorus killed the lake"),
    ("A", "drained off the surrounding farms", "Farms were a source"),
    ("A", "out of a laundry works", "A laundry was a source"),
    ("A", "pumps that blew in oxygen, achieved nothing".replace(",", ""), "Oxygen pumps failed"),
    ("A", "composed of reed beds", "Reed beds were planted"),
    ("A", "freshwater mussels laid on the lake floor", "Mussels were used"),
    ("A", "The mere is alive again", "The lake is alive again"),
    ("A", "since 2019 people have been swimming in it", "People swim again"),
    ("A", "shut off pollution at the source", "Stop pollution at its source"),
]  # fmt: skip


def download(page: Page, name: str, to: Path) -> Path:
    page.locator(".menu summary").click()
    with page.expect_download() as started:
        page.get_by_role("link", name=name).click()
    page.locator(".menu summary").click()
    path = to / started.value.suggested_filename
    started.value.save_as(path)
    return path


def scored(path: Path, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    with pytest.raises(SystemExit) as ended:
        main(["score", str(path), "--json"])
    assert ended.value.code == 0
    printed = json.loads(capsys.readouterr().out)
    rows = printed["scores"] if isinstance(printed, dict) else printed
    found: dict[str, Any] = rows[0]
    return found


@on_both
def test_from_the_example_to_scores_that_the_command_line_reads_back(
    visit: Visit, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = visit()
    picture(page, "start")
    example_topic(page)
    for pane, words, label in TEN:
        new_scu(page, pane, words, label)
    page.locator(".scu .pick", has_text="Phosphorus killed the lake").click()
    select(page, "B", "Tarrow Mere died of overfeeding")
    select(page, "B", "phosphorus", more=True)
    page.keyboard.press("a")
    page.locator(".scu[aria-current] .contributors li", has_text="overfeeding … phosphorus").wait_for()
    assert weight(page, "Phosphorus killed the lake") == "2"
    picture(page, "pyramid")
    # merge, undo, and a reload in between
    page.locator(".scu .pick", has_text="A laundry was a source").click()
    page.keyboard.press("m")
    page.get_by_role("dialog").get_by_role("combobox").fill("farms")
    page.keyboard.press("Enter")
    page.locator(".warning", has_text="Two contributors").wait_for()
    assert "A laundry was a source" not in labels(page)
    page.reload()
    page.wait_for_selector(".scu")
    assert len(labels(page)) == 9
    page.keyboard.press("z")
    page.locator(".scu", has_text="A laundry was a source").wait_for()
    page.keyboard.press("Shift+Z")
    page.locator(".scu", has_text="A laundry was a source").wait_for(state="detached")
    page.get_by_role("button", name="Undo").click()
    page.locator(".scu", has_text="A laundry was a source").wait_for()
    # split
    page.locator(".scu .pick", has_text="Phosphorus killed the lake").click()
    page.locator(".scu[aria-current] .contributors input").nth(1).check()
    page.keyboard.press("s")
    page.get_by_role("dialog").get_by_role("textbox").fill("Too much food")
    page.keyboard.press("Enter")
    page.locator(".scu", has_text="Too much food").wait_for()
    assert weight(page, "Phosphorus killed the lake") == "1"
    page.keyboard.press("Control+z")
    page.locator(".scu", has_text="Too much food").wait_for(state="detached")
    pyramid = download(page, "Pyramid for DUCView", tmp_path)
    # two peers
    topic = page.url
    found = {}
    for peer, marks in {
        "copy": [
            ("Tarrow Mere died of overfeeding", "Phosphorus killed the lake"),
            ("reeds were planted", "Reed beds were planted"),
        ],
        "paraphrase-1": [("Loaded with phosphorus", "Phosphorus killed the lake")],
    }.items():
        page.goto(topic)
        page.get_by_role("link", name=peer, exact=True).click()
        page.wait_for_selector(".w")
        for words, label in marks:
            page.locator(".scu .pick", has_text=label).click()
            select(page, "", words)
            page.keyboard.press("a")
            page.locator(".scu.said", has_text=label).wait_for()
        select(page, "", "Mere")
        page.keyboard.press("0")
        page.locator("#scores", has_text="in no SCU: 1").wait_for()
        shown = {
            name: float(page.locator(f"#score-{name}").inner_text())
            for name in ("coverage", "quality", "comprehensive", "raw")
        }
        pan = download(page, "Annotation for DUCView", tmp_path)
        read = scored(pan, capsys)
        assert {name: round(read[name], 3) for name in shown} == shown
        found[peer] = shown
    assert (found["copy"]["raw"], found["paraphrase-1"]["raw"]) == (3, 2)
    assert "<pyramid>" in pyramid.read_text()


@on_both
def test_two_people_in_one_pyramid_see_each_other_and_nothing_is_lost(visit: Visit) -> None:
    one = visit()
    example_topic(one)
    other = visit(one.url.removeprefix(re.match(r"https?://[^/]+/", one.url)[0]))  # type: ignore[index]
    other.wait_for_selector(".w")
    new_scu(one, "A", "forty thousand fish died in Tarrow Mere", "Fish died")
    other.locator(".scu", has_text="Fish died").wait_for()
    # the second page does not hear of a change before it makes its own: it is told, and sees what is there
    other.route("**/document*", lambda route: route.abort())
    other.locator(".scu .pick").click()
    other.keyboard.press("e")
    dialog = other.get_by_role("dialog").get_by_role("textbox")
    dialog.fill("Mine")
    one.keyboard.press("e")
    one.get_by_role("dialog").get_by_role("textbox").fill("Theirs")
    one.keyboard.press("Enter")
    one.locator(".scu", has_text="Theirs").wait_for()
    other.keyboard.press("Enter")
    other.locator(".toast", has_text="meanwhile changed").wait_for()
    other.unroute("**/document*")
    new_scu(other, "B", "Hallowby first tried bubbling oxygen", "Oxygen")
    other.locator(".scu", has_text="Theirs").wait_for()
    one.locator(".scu", has_text="Oxygen").wait_for()
    assert sorted(labels(one)) == sorted(labels(other)) == ["Oxygen", "Theirs"]


def test_everything_by_keyboard_alone(visit: Visit) -> None:
    page = visit()
    press = page.keyboard.press
    example_topic(page, topic="tidal-lagoon")
    press("]")  # into the next text: B
    for _ in range(3):
        press("ArrowRight")
    for _ in range(4):
        press("Shift+ArrowRight")
    press("Space")
    press("ArrowDown")
    press("Shift+ArrowRight")
    assert "…" in page.locator("#selected").inner_text()
    press("n")
    page.keyboard.type("By keyboard")
    press("Enter")
    page.locator(".scu", has_text="By keyboard").wait_for()
    press("[")
    press("Shift+ArrowRight")
    press("a")
    page.locator(".scu", has_text="By keyboard").locator(".weight", has_text="2").wait_for()
    press("c")
    page.keyboard.type("A remark")
    press("Control+Enter")
    page.locator(".comment", has_text="A remark").wait_for()
    press("/")
    page.keyboard.type("nothing like it")
    assert labels(page) == []
    press("Escape")
    assert labels(page) == ["By keyboard"]
    press("e")
    press("Control+a")
    page.keyboard.type("Renamed")
    press("Enter")
    page.locator(".scu", has_text="Renamed").wait_for()
    press("u")
    assert page.locator("#unannotated").get_attribute("aria-pressed") == "true"
    press("t")
    assert page.locator(".pane:visible").count() == 1
    press("t")
    press("?")
    assert page.get_by_role("dialog").get_by_text("undo", exact=True).is_visible()
    press("Escape")
    page.get_by_role("dialog").wait_for(state="hidden")  # keys before that are the dialog's
    press("j")
    page.locator(".scu[aria-current=true]").wait_for()
    press("d")
    page.locator(".scu").wait_for(state="detached")
    press("z")
    page.locator(".scu", has_text="Renamed").wait_for()


@on_both
def test_suggestions_are_accepted_and_refused_by_one_key_each(visit: Visit) -> None:
    page = visit()
    example_topic(page)
    page.get_by_label("Begin with an automatic pyramid").select_option("lite")
    page.get_by_role("button", name="Build").click()
    page.locator(".scu").first.wait_for()
    page.get_by_role("link", name="copy", exact=True).click()
    page.wait_for_selector(".w")
    page.get_by_label("Suggest", exact=True).select_option("unigram")
    page.locator("#suggest").click()
    page.locator("#suggestions li[aria-current]").wait_for()
    waiting = page.locator("#suggestions > li:not(.empty)").count()
    assert waiting > 1
    before = page.locator(".scu.said").count()
    page.locator("#texts .text").focus()
    page.keyboard.press("w")
    count(page, "#suggestions > li:not(.empty)", waiting - 1)
    assert page.locator(".scu.said").count() == before
    page.keyboard.press("y")
    count(page, ".scu.said", before + 1)
    picture(page, "peer")
    page.reload()
    page.wait_for_selector("#suggestions")
    assert page.locator("#suggestions > li:not(.empty)").count() == waiting - 2
    page.keyboard.press("z")
    count(page, ".scu.said", before)


EVIL = "<img src=x onerror=\"document.title='owned'\"> <script>document.title='owned'</script> {{7*7}} words"


def test_markup_is_shown_as_text_and_files_are_dropped(visit: Visit, tmp_path: Path) -> None:
    page = visit()
    new_project(page, EVIL)
    file = tmp_path / "evil.json"
    file.write_bytes(dumps([Topic(EVIL, (Summary(EVIL, EVIL),), (Summary("p", EVIL, "peer"),))], "json"))
    page.locator(".drop input").first.set_input_files(file)
    page.wait_for_url("**/topics/*")
    page.wait_for_selector(".w")
    assert page.locator(".text").first.inner_text() == EVIL
    page.locator(".text").first.focus()
    page.keyboard.press("Shift+End")
    page.keyboard.press("n")
    page.get_by_role("dialog").get_by_role("textbox").fill(EVIL)
    page.keyboard.press("Enter")
    page.locator(".scu").wait_for()
    assert labels(page) == [EVIL]
    page.get_by_role("link", name="p", exact=True).click()
    page.wait_for_selector(".scu")
    assert labels(page) == [EVIL]
    assert "owned" not in page.title().partition("<img")[0]
    assert page.locator("img[src=x]").count() == 0


def test_right_to_left_and_unspaced_texts(visit: Visit, tmp_path: Path) -> None:
    page = visit()
    new_project(page, "Scripts")
    topic = Topic(
        "scripts",
        (Summary("he", "הסכר נפרץ ביום שני. איש לא נפגע."), Summary("zh", "大坝决堤了。没有人受伤。😀后来下雨。")),
    )
    file = tmp_path / "scripts.json"
    file.write_bytes(dumps([topic], "json"))
    page.locator(".drop input").first.set_input_files(file)
    page.wait_for_selector(".w")
    assert page.locator('.pane[data-id="he"] .text').evaluate("node => getComputedStyle(node).direction") == "rtl"
    page.locator('.pane[data-id="he"] .text').focus()
    page.keyboard.press("Home")
    page.keyboard.press("Shift+ArrowLeft")  # onwards, in Hebrew
    assert "הסכר נפרץ" in page.locator("#selected").inner_text()
    new_scu(page, "zh", "后 来 下 雨", "It rained")
    assert page.locator(".scu[aria-current] .contributors .words").inner_text() == "后来下雨"
    assert page.locator('.pane[data-id="zh"] .w.chosen').all_inner_texts() == ["后", "来", "下", "雨"]


def test_a_finger_taps_the_first_and_the_last_word(visit: Visit) -> None:
    page = visit(has_touch=True, viewport={"width": 820, "height": 1100})
    example_topic(page)
    for place in page.evaluate(PLACE, ["A", "Phosphorus had killed the water"]):
        page.touchscreen.tap(*place)
    assert page.locator("#selected").inner_text() == "“Phosphorus had killed the water”"
    page.get_by_role("button", name="New SCU").tap()
    page.get_by_role("dialog").get_by_role("textbox").fill("Tapped")
    page.get_by_role("dialog").get_by_role("button", name="Save").tap()
    page.locator(".scu", has_text="Tapped").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_contrast_is_enough_and_nothing_is_cut_off(visit: Visit, scheme: str) -> None:
    page = visit(color_scheme=scheme)
    assert page.evaluate(CONTRAST) == []
    example_topic(page, whole=True)
    page.keyboard.press("j")
    page.wait_for_selector(".details")
    assert page.evaluate(CONTRAST) == []
    if scheme == "dark":
        picture(page, "dark")
    page.get_by_role("link", name="paraphrase-1").click()
    page.wait_for_selector(".figures")
    page.keyboard.press("j")
    page.wait_for_selector(".details")
    assert page.evaluate(CONTRAST) == []
    for width in (1280, 820):
        page.set_viewport_size({"width": width, "height": 900})
        page.evaluate(LAID_OUT)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.keyboard.press("?")
    assert page.evaluate(CONTRAST) == []


def test_every_control_has_a_name(visit: Visit) -> None:
    page = visit()
    example_topic(page, whole=True)
    page.keyboard.press("j")
    page.wait_for_selector(".details")
    nameless = """() => [...document.querySelectorAll("button, a, input, select, [tabindex='0']")].filter((node) => {
      const label = node.getAttribute("aria-label") || node.textContent.trim() || node.closest("label")?.textContent.trim();
      return node.getClientRects().length && !label;
    }).map((node) => node.outerHTML.slice(0, 80))"""
    assert page.evaluate(nameless) == []
    page.get_by_role("link", name="copy", exact=True).click()
    page.wait_for_selector(".figures")
    assert page.evaluate(nameless) == []
