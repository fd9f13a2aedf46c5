"""Task pages in a browser: filled by mouse and keyboard, checked, kept, sent; on a phone, in both schemes."""

from __future__ import annotations

import csv
import io
import json
import re
import threading
import unicodedata
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import pytest

from pyramidion.crowd.answers.collect import read, submission_from_page
from pyramidion.crowd.answers.store import Store
from pyramidion.crowd.desk import Desk
from pyramidion.crowd.page.task import slots, task_page
from pyramidion.crowd.pages import pages
from pyramidion.crowd.server import TaskServer
from pyramidion.crowd.statements.length import UNSPACED, count_words
from pyramidion.crowd.study import Study, Task
from tests.browser.conftest import CONTRAST, Opener
from tests.crowd.hostile import LAKE, small
from tests.crowd.statements.test_length import CASES

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

DRAFTS = "Object.keys(localStorage).filter((one) => !one.startsWith('pyramidion:guide:'))"
"""What the browser still keeps of answers."""

COUNT = """
(texts) => texts.map((text) => {
  const field = document.querySelector("#s1 textarea");
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  return document.querySelector("#s1-count").textContent.split(":")[0];
})
"""
"""What the page's counter says of each text."""

FACTS = [f"{one.rstrip('.')}." for one in LAKE.split(". ")]


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[Opener]:
    """Opens a page from disk with parameters in its address; it must not complain and ask for no other file."""
    complaints: list[str] = []
    asked: set[str] = set()
    contexts = []
    path = tmp_path / "page.html"

    def open_page(html: str, query: str = "", **options: Any) -> Page:
        path.write_text(html, encoding="utf-8")
        options = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce"} | options
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: asked.add(re.split("[?#]", request.url)[0]))
        page.goto(path.as_uri() + query)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
    assert {one for one in asked if not one.startswith("blob:")} <= {path.as_uri()}


@pytest.fixture(scope="module")
def study() -> Study:
    return small()


def task_of(study: Study, phase: str, topic: str = "lake") -> Task:
    return next(task for task in study.tasks if (task.phase, task.topic) == (phase, topic))


@pytest.fixture
def writing(study: Study) -> str:
    return task_page(study, task_of(study, "writing")).html


@pytest.fixture
def judging(study: Study) -> str:
    return task_page(study, task_of(study, "judging")).html


def problems(page: Page) -> list[str]:
    return page.locator("#problems li").all_inner_texts()


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.id"))


# Judging


def test_judged_by_keyboard_and_downloaded(open_page: Opener, judging: str, study: Study, tmp_path: Path) -> None:
    page = open_page(judging)
    page.get_by_label("Your name, or the code you were given").focus()
    page.keyboard.type("Zoë")
    page.keyboard.press("Tab")  # the summary's heading, then its text
    page.keyboard.press("Tab")
    for key in ("Tab", "Tab", "Tab", "Tab"):  # into each group; the arrows choose
        page.keyboard.press(key)
        page.keyboard.press("Space")
        page.keyboard.press("ArrowRight")
    assert page.locator("#progress").inner_text() == "4 of 4 answered"
    page.keyboard.press("Tab")
    assert focused(page) == "send"
    with page.expect_download() as started:
        page.keyboard.press("Enter")
    path = tmp_path / started.value.suggested_filename
    started.value.save_as(path)
    assert path.name == f"{task_of(study, 'judging').id}-Zoë.json"
    record = json.loads(path.read_text(encoding="utf-8"))
    task = task_of(study, "judging")
    assert record["answers"] == dict.fromkeys(task.statements, "n")
    assert record["checks"] == {task.checks[0].id: "n"}
    assert (record["worker"], record["phase"], record["pyramidion"]) == ("Zoë", "judging", "submission-1")
    assert submission_from_page(record, study).answers == "nnn"
    assert read(path, study).submissions[0].task == task.id
    assert focused(page) == "finished"
    assert page.get_by_role("heading", level=2).inner_text() == "Thank you: this task is done"
    with page.expect_download() as again:
        page.get_by_role("button", name="Download it again").click()
    assert Path(again.value.path()).read_bytes() == path.read_bytes()
    page.get_by_text("There is no such file?").click()
    copied = page.get_by_label("Copy all of this").input_value()
    assert json.loads(copied) == record
    page.reload()
    assert page.evaluate(DRAFTS) == []


def test_every_statement_must_be_answered_and_cannot_tell_is_an_answer(open_page: Opener, judging: str) -> None:
    page = open_page(judging, "?worker=anna")
    assert page.locator("#worker").is_hidden()
    groups = page.locator(".item")
    groups.nth(1).get_by_label("Cannot tell").check()
    page.get_by_role("button", name="Finish").click()
    assert focused(page) == "problems"
    assert problems(page) == [f"Statement {n}: choose an answer." for n in (1, 3, 4)]
    assert page.locator("[aria-invalid=true]").count() == 9
    page.get_by_role("link", name="Statement 3: choose an answer.").click()
    assert page.evaluate("document.activeElement.closest('.item').querySelector('.number').textContent") == "3"
    page.keyboard.press("Space")
    assert problems(page) == [f"Statement {n}: choose an answer." for n in (1, 4)]
    assert page.locator("[aria-invalid=true]").count() == 6
    assert groups.nth(2).locator(".error").inner_text() == ""
    for number in (0, 3):
        groups.nth(number).get_by_label("Not present").check()
    assert page.locator("#problems").is_hidden()
    with page.expect_download() as started:
        page.get_by_role("button", name="Finish").click()
    record = json.loads(Path(started.value.path()).read_text(encoding="utf-8"))
    assert sorted([*record["answers"].values(), *record["checks"].values()]) == ["?", "n", "n", "p"]


def test_a_draft_survives_a_reload_for_its_worker_only(open_page: Opener, judging: str) -> None:
    page = open_page(judging, "?worker=anna")
    page.locator(".item").nth(2).get_by_label("Present", exact=True).check()
    assert page.locator("#saved").inner_text() == "Saved in this browser until you send it."
    page.reload()
    assert page.locator(".item").nth(2).get_by_label("Present", exact=True).is_checked()
    assert page.locator("#saved").inner_text() == "Your answers were brought back from this browser."
    assert page.locator("#progress").inner_text() == "1 of 4 answered"
    page.goto(page.url.replace("anna", "ben"))
    assert page.locator("#progress").inner_text() == "0 of 4 answered"
    page.goto(page.url.replace("?worker=ben", ""))  # who types a name finds what they left, too
    page.locator("#worker").fill("anna")
    page.keyboard.press("Tab")
    assert page.locator("#progress").inner_text() == "1 of 4 answered"
    page.reload()
    assert page.locator("#worker").input_value() == "anna"
    assert page.locator("#progress").inner_text() == "1 of 4 answered"


def test_an_older_tab_that_is_closed_does_not_undo_what_a_newer_one_has_kept(open_page: Opener, judging: str) -> None:
    page = open_page(judging, "?worker=anna")
    page.locator(".item").nth(0).get_by_label("Not present").check()
    older = page.context.new_page()
    older.goto(page.url)
    assert older.locator("#progress").inner_text() == "1 of 4 answered"
    page.locator(".item").nth(1).get_by_label("Not present").check()
    older.goto("about:blank")
    page.reload()
    assert page.locator("#progress").inner_text() == "2 of 4 answered"


def test_only_time_at_work_counts(open_page: Opener, judging: str) -> None:
    page = open_page(judging, "?worker=anna&SESSION_ID=s7")
    page.clock.install()
    page.reload()
    for n in range(4):
        page.locator(".item").nth(n).get_by_label("Not present").check()
    page.clock.run_for(10_000)
    page.mouse.move(5, 5)
    page.clock.run_for(600_000)  # nobody there but for the first half minute
    with page.expect_download() as started:
        page.get_by_role("button", name="Finish").click()
    record = json.loads(Path(started.value.path()).read_text(encoding="utf-8"))
    assert 38 <= record["seconds"] <= 41
    assert record["session"] == "s7"


# Writing


def test_written_statements_are_counted_marked_and_downloaded(open_page: Opener, writing: str) -> None:
    page = open_page(writing, "?PROLIFIC_PID=p1&SESSION_ID=s1")
    for number, fact in enumerate(FACTS[:8], 1):
        page.get_by_label(f"Statement {number}", exact=True).fill(f"  {fact}\n")
    assert page.locator("#s1-count").inner_text() == "11 of 20 words"
    assert page.locator("#progress").inner_text() == "8 of 8 written"
    assert page.locator("#text .used").all_inner_texts() == FACTS[:8]
    assert page.locator("#text").inner_text() == LAKE
    page.reload()
    assert page.get_by_label("Statement 8", exact=True).input_value().strip() == FACTS[7]
    with page.expect_download() as started:
        page.get_by_role("button", name="Finish").click()
    record = json.loads(Path(started.value.path()).read_text(encoding="utf-8"))
    assert record["written"] == FACTS[:8]
    assert (record["worker"], record["session"], record["answers"]) == ("p1", "s1", {})


def test_the_page_counts_words_as_selection_does(open_page: Opener, writing: str) -> None:
    page = open_page(writing, "?worker=anna")
    counted = page.evaluate(COUNT, [text for text, _ in CASES])
    assert [(text, f"{count} of 20 words") for text, count in CASES] == [
        (text, shown) for (text, _), shown in zip(CASES, counted, strict=True)
    ]


def test_every_white_space_and_the_edges_of_every_script_count_alike(open_page: Opener, writing: str) -> None:
    """What parts words, for Python and for the browser; and of each block of letters, what is in it and beside it."""
    blanks = [chr(code) for code in range(0x10000) if unicodedata.category(chr(code)) in ("Cc", "Cf", "Zs", "Zl", "Zp")]
    edges = [chr(ord(sign) + step) for sign in re.findall(r"[^-\[\]]", UNSPACED.pattern) for step in (-1, 0, 1)]
    known = [sign for sign in edges if unicodedata.category(sign) != "Cn"]  # browser and Python differ in Unicode's age
    texts = [f"a{sign}b" for sign in blanks if sign != "\0"] + [sign * 4 for sign in known]
    page = open_page(writing, "?worker=anna")
    assert page.evaluate(COUNT, texts) == [f"{count_words(text)} of 20 words" for text in texts]


def test_what_is_missing_doubled_or_too_long_must_be_mended(open_page: Opener, writing: str) -> None:
    page = open_page(writing, "?worker=anna")
    fields = page.locator("textarea")
    for number, text in enumerate(
        [*FACTS[:4], "phosphorus from farms, had POISONED the water", "Word", " ".join(["word"] * 21), " "]
    ):
        fields.nth(number).fill(text)
    assert page.locator("#s7-count").inner_text() == "21 of 20 words: please shorten it"
    page.get_by_role("button", name="Finish").click()
    assert problems(page) == [
        "Statement 5: the same as statement 2; write another fact.",
        "Statement 6: too short for a sentence; write at least 2 words.",
        "Statement 7: 21 words; shorten it to 20 at most.",
        "Statement 8: write a statement.",
    ]
    assert focused(page) == "problems"
    assert page.locator("#s5-error").inner_text() == "The same as statement 2; write another fact."
    for number in (4, 5, 6, 7):
        fields.nth(number).fill(FACTS[number])
    assert page.locator("#problems").is_hidden()
    with page.expect_download():
        page.get_by_role("button", name="Finish").click()


def test_hints_can_be_overruled_but_only_as_they_stand(open_page: Opener, writing: str) -> None:
    page = open_page(writing, "?worker=anna")
    fields = page.locator("textarea")
    for number, text in enumerate(
        [
            *FACTS[:5],
            "Farms had poisoned the water.",
            "Dr. Lee of the U.S. Army likes cheese.",
            "Swimmers came back. Engineers did not.",
        ]
    ):
        fields.nth(number).fill(text)
    page.get_by_role("button", name="Finish").click()
    assert page.get_by_role("heading", name="Please look at this again").is_visible()
    assert problems(page) == [
        "Statement 7: this does not seem to come from the text.",
        "Statement 8: this looks like two sentences; one fact is enough.",
        "Statement 6: this seems to come from the same sentence as statement 2; choose another place.",
    ]
    page.get_by_role("button", name="Finish").click()  # without the tick nothing is sent
    assert page.get_by_role("heading", name="Please look at this again").is_visible()
    fields.nth(6).fill("Other towns sent engineers.")
    page.get_by_label("I have looked, and want to send it as it is.").check()
    with page.expect_download():
        page.get_by_role("button", name="Finish").click()


# All pages


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("phase", ["writing", "judging"])
def test_every_word_stands_out_at_any_width(open_page: Opener, study: Study, phase: str, scheme: str) -> None:
    # a small phone; a laptop at 200 %; a laptop
    shapes = (
        [("<b>bad", 360, 640), ("lake", 640, 450)] if scheme == "light" else [("<b>bad", 1280, 900), ("lake", 360, 640)]
    )
    for topic, width, height in shapes:
        page = open_page(
            task_page(study, task_of(study, phase, topic)).html,
            viewport={"width": width, "height": height},
            color_scheme=scheme,
        )
        if phase == "judging":
            page.locator(".item").first.get_by_label("Present", exact=True).check()
        else:
            page.locator("textarea").first.fill("word " * 25)
        page.get_by_role("button", name="Finish").click()
        assert page.locator("#problems li").count() > 3
        assert page.evaluate("document.documentElement.scrollWidth") == width
        assert page.evaluate(CONTRAST) == []
        # what is focused is not hidden under the text or the bar
        box = page.locator("#problems").bounding_box()
        assert box is not None
        assert page.evaluate(
            "([x, y]) => document.elementFromPoint(x, y).closest('#problems') !== null", [box["x"] + 20, box["y"] + 12]
        )


def test_the_summary_stays_in_sight_and_can_be_folded(open_page: Opener, judging: str) -> None:
    for width in (1280, 390):
        page = open_page(judging, viewport={"width": width, "height": 450})
        page.locator("fieldset").last.scroll_into_view_if_needed()
        page.mouse.wheel(0, 5000)
        top = page.locator("#text").evaluate("node => node.getBoundingClientRect().top")
        assert 0 <= top < 120
        page.locator("details.text > summary").click()
        assert page.locator("#text").is_hidden()


def test_everything_can_be_reached_by_name(open_page: Opener, judging: str, writing: str) -> None:
    page = open_page(judging)
    assert page.get_by_role("radio").count() == 12
    assert page.get_by_role("radio", name=re.compile("^(Present|Not present|Cannot tell)$")).count() == 12
    names = page.locator(".item").evaluate_all(
        "nodes => nodes.map(one => one.querySelector('legend').innerText.trim())"
    )
    assert all(re.match(r"\d+\s+\S", name) for name in names)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the statements"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.type") == "radio"
    page = open_page(writing)
    assert page.get_by_role("textbox", name=re.compile(r"^Statement \d$")).count() == 8
    assert page.get_by_role("status").count() == 1
    assert page.get_by_role("region", name="The text").get_attribute("tabindex") == "0"


@pytest.mark.parametrize("phase", ["writing", "judging"])
def test_hostile_texts_are_shown_and_never_run(open_page: Opener, study: Study, phase: str) -> None:
    task = task_of(study, phase, "<b>bad")
    page = open_page(task_page(study, task).html, "?worker=%3Cimg%20src%3Dx%20onerror%3Dwindow.ran%3D1%3E")
    assert page.locator("#text").evaluate("node => node.textContent") == study.text_of(task).text
    shown = page.locator(".statement").evaluate_all("nodes => nodes.map(one => one.textContent)")
    assert shown == [one.text for one in slots(study, task) if one.text]
    if phase == "writing":
        for number in range(8):
            page.locator("textarea").nth(number).fill("<img src=x onerror=window.ran=1> <b>bold statement</b> here")
        page.get_by_role("button", name="Finish").click()
        page.reload()
    assert page.locator("img, b.words *, #text b, #problems img").count() == 0
    assert page.evaluate("window.ran") is None


def test_the_index_opens(open_page: Opener, study: Study) -> None:
    page = open_page(pages(study, "judging", "own")["index.html"].decode(), viewport={"width": 360, "height": 640})
    assert page.get_by_role("link").count() == len(study.of_phase("judging"))
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert page.evaluate(CONTRAST) == []


# Mechanical Turk


class Recorder(ThreadingHTTPServer):
    """Serves one page at any address and keeps what is posted, as MTurk would."""

    def __init__(self) -> None:
        self.page = ""
        self.posted: list[tuple[str, dict[str, list[str]]]] = []
        super().__init__(("127.0.0.1", 0), _Recording)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Recording(BaseHTTPRequestHandler):
    server: Recorder

    def do_GET(self) -> None:
        self._reply(self.server.page)

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self.server.posted.append((self.path, parse_qs(body, keep_blank_values=True)))
        self._reply("<!doctype html><title>sent</title><p>sent</p>")

    def _reply(self, text: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    with Recorder() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def new_page(browser: Browser) -> Iterator[Page]:
    """A page of its own; it must not complain."""
    complaints: list[str] = []
    context = browser.new_context(viewport={"width": 1000, "height": 800}, reduced_motion="reduce")
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    yield page
    context.close()
    assert complaints == []


def mturk(study: Study, phase: str, topic: str, *, wrapped: bool) -> tuple[str, dict[str, str]]:
    """A layout as MTurk fills it, in the form that its site puts around it, and the row it was filled with."""
    files = pages(study, "writing" if phase == "writing" else "judging", "mturk")
    rows = csv.DictReader(io.StringIO(files[f"{phase}-1.csv"].decode(), newline=""))
    row = next(row for row in rows if row["eventId"] == topic)
    filled = re.sub(r"\$\{(\w+)\}", lambda found: row[found[1]], files["layout.html"].decode())
    if wrapped:
        filled = (
            '<form name="mturk_form" method="post" id="mturk_form" action="/mturk/externalSubmit">'
            f'<input type="hidden" value="A1" name="assignmentId">{filled}'
            '<p><input type="submit" id="submitButton" value="Submit"></p></form>'
        )
    return f'<!doctype html><html><head><meta charset="utf-8"></head><body>{filled}</body></html>', row


@pytest.mark.parametrize("wrapped", [True, False])
def test_an_mturk_judging_layout_posts_the_fields_of_the_contract(
    new_page: Page, recorder: Recorder, study: Study, wrapped: bool
) -> None:
    recorder.page, row = mturk(study, "judging", "lake", wrapped=wrapped)
    new_page.goto(f"{recorder.url}/task?assignmentId=A1&hitId=H&workerId=W&turkSubmitTo={recorder.url}")
    statements = new_page.locator(".statement").all_inner_texts()
    names = {"S": "statement_", "C": "check_"}
    assert statements == [row[names[slot[0]] + slot[1:]] for slot in row["order"].split()]
    button = new_page.locator("#send")
    assert new_page.locator("#submitButton").is_hidden()
    button.click()
    assert recorder.posted == []
    assert len(problems(new_page)) == 4
    for number, words in enumerate(("Present", "Not present", "Cannot tell", "Not present")):
        new_page.locator(".item").nth(number).get_by_label(words, exact=True).check()
    new_page.reload()  # drafts are kept per assignment
    assert new_page.locator("#progress").inner_text() == "4 of 4 answered"
    button.click()
    new_page.wait_for_selector("text=sent")
    ((path, fields),) = recorder.posted
    expected = dict(zip(row["order"].split(), "pn?n", strict=True))
    assert path == "/mturk/externalSubmit"
    assert {name: value for name, (value,) in fields.items() if name != "seconds"} == {
        "assignmentId": "A1",
        **{f"{slot}Answer": letter for slot, letter in expected.items()},
    }
    assert fields["seconds"][0].isdigit()


def test_an_mturk_writing_layout_posts_eight_statements(new_page: Page, recorder: Recorder, study: Study) -> None:
    recorder.page, _ = mturk(study, "writing", "lake", wrapped=True)
    new_page.goto(f"{recorder.url}/task?assignmentId=A1&hitId=H&workerId=W")
    for number, fact in enumerate(FACTS[:8]):
        new_page.locator("textarea").nth(number).fill(f"{fact} ")
    new_page.locator("#send").click()
    new_page.wait_for_selector("text=sent")
    fields = recorder.posted[0][1]
    assert [fields[f"s{n}"] for n in range(1, 9)] == [[fact] for fact in FACTS[:8]]


def test_what_mturk_did_not_receive_is_kept_until_the_next_task(
    new_page: Page, recorder: Recorder, study: Study
) -> None:
    recorder.page, _ = mturk(study, "writing", "lake", wrapped=True)
    new_page.goto(f"{recorder.url}/task?assignmentId=A1")
    for number, fact in enumerate(FACTS[:8]):
        new_page.locator("textarea").nth(number).fill(fact)
    new_page.route("**/mturk/externalSubmit", lambda route: route.fulfill(status=503, body="down"))
    new_page.locator("#send").click()
    new_page.wait_for_selector("text=down")
    new_page.goto(f"{recorder.url}/task?assignmentId=A1")
    assert new_page.locator("#progress").inner_text() == "8 of 8 written"
    new_page.goto(f"{recorder.url}/task?assignmentId=A2")
    assert new_page.locator("#progress").inner_text() == "0 of 8 written"
    assert [one for one in new_page.evaluate(DRAFTS) if "A1" in one or "sent" in one] == []


def test_a_layout_that_is_only_looked_at_keeps_nothing(new_page: Page, recorder: Recorder, study: Study) -> None:
    recorder.page, _ = mturk(study, "judging", "lake", wrapped=True)
    new_page.goto(f"{recorder.url}/task")
    new_page.locator(".item").nth(0).get_by_label("Not present").check()
    new_page.reload()
    assert new_page.locator("#progress").inner_text() == "0 of 4 answered"
    assert new_page.evaluate(DRAFTS) == []


def test_an_mturk_preview_cannot_be_filled(new_page: Page, recorder: Recorder, study: Study) -> None:
    recorder.page, _ = mturk(study, "judging", "lake", wrapped=False)
    new_page.goto(f"{recorder.url}/task?assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE")
    assert new_page.get_by_text("This is a preview.").is_visible()
    assert new_page.locator("#send").is_disabled()
    assert new_page.locator("input[type=radio]:not([disabled])").count() == 0


def test_a_browser_that_keeps_nothing_says_so_and_still_sends(new_page: Page, recorder: Recorder, study: Study) -> None:
    recorder.page, _ = mturk(study, "judging", "lake", wrapped=True)
    for store in ("localStorage", "sessionStorage"):  # as in a frame of another site, where MTurk shows the task
        new_page.add_init_script(
            f"Object.defineProperty(window, '{store}', {{ get() {{ throw new DOMException('no'); }} }})"
        )
    new_page.goto(f"{recorder.url}/task?assignmentId=A1")
    for item in new_page.locator(".item").all():
        item.get_by_label("Not present").check()
    assert "do not close the page" in new_page.locator("#saved").inner_text()
    new_page.locator("#send").click()
    new_page.wait_for_selector("text=sent")
    assert len(recorder.posted) == 1


def test_hostile_texts_in_an_mturk_layout_are_shown_and_never_run(
    new_page: Page, recorder: Recorder, study: Study
) -> None:
    for phase in ("writing", "judging"):
        recorder.page, _ = mturk(study, phase, "<b>bad", wrapped=True)
        new_page.goto(f"{recorder.url}/{phase}?assignmentId=A1&turkSubmitTo=javascript:window.ran=1")
        task = task_of(study, phase, "<b>bad")
        assert new_page.locator("#text").evaluate("node => node.textContent") == study.text_of(task).text
        shown = new_page.locator(".statement").evaluate_all("nodes => nodes.map(one => one.textContent)")
        assert shown == [one.text for one in slots(study, task) if one.text]
        assert new_page.locator("img").count() == 0
        assert new_page.evaluate("window.ran") is None


def test_padding_is_not_shown(new_page: Page, recorder: Recorder) -> None:
    study = small(per_task=5)  # 6 statements of each topic: 3 + 3, and one task of one
    short = Task("j-short", "judging", "lake", "sys0", 2, ("s1",))
    longer = next(task for task in study.of_phase("judging") if task.topic != "lake")
    one = Study(study.name, study.design, study.topics, study.statements, (short, longer))
    recorder.page, row = mturk(one, "judging", "lake", wrapped=True)
    assert row["statement_2"] == row["check_1"] == "BLANK"
    new_page.goto(f"{recorder.url}/task?assignmentId=A1")
    assert new_page.locator(".item").count() == 1
    new_page.get_by_label("Present", exact=True).check()
    assert new_page.locator("#progress").inner_text() == "1 of 1 answered"
    new_page.locator("#send").click()
    new_page.wait_for_selector("text=sent")
    assert set(recorder.posted[0][1]) == {"assignmentId", "S1Answer", "seconds"}


# Served


def test_two_workers_from_the_start_page_to_the_store(browser: Browser, tmp_path: Path) -> None:
    study = small(workers=2, systems=1, per_task=6)
    desk = Desk(study, Store(tmp_path), "judging", completion="https://example.invalid/complete?cc=C0DE")
    server = TaskServer(("127.0.0.1", 0), desk)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        for worker, words in (("Anna", "Present"), ("Bünyamin 2", "Not present")):
            context = browser.new_context(viewport={"width": 390, "height": 800})
            page = context.new_page()
            page.set_default_timeout(60_000)
            complaints: list[str] = []
            page.on(
                "console",
                lambda message, said=complaints: said.append(message.text) if message.type == "error" else None,
            )
            page.on("pageerror", lambda error, said=complaints: said.append(str(error)))
            page.goto(server.url)
            assert page.evaluate(CONTRAST) == []
            page.get_by_label("Your name, or the code you were given").fill(worker)
            page.get_by_role("button", name="Begin").click()
            for number in range(2):
                page.wait_for_selector("text=Does the summary say this?")
                for group in page.locator(".item").all():
                    group.get_by_label(words, exact=True).check()
                with page.expect_response("**/answer") as sent:
                    page.get_by_role("button", name="Send").click()
                assert sent.value.status == 200
                page.wait_for_function(
                    "n => document.title !== 'Judge statements' || document.querySelector('#progress').textContent.startsWith('0')",
                    arg=number,
                )
            page.wait_for_selector("text=Completion code: C0DE")
            assert page.get_by_role("link", name="Return and finish").get_attribute("href") == desk.completion
            assert page.evaluate(DRAFTS) == []
            context.close()
            assert [line for line in complaints if "favicon" not in line and "404" not in line] == []
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    stored = Store(tmp_path).submissions("judging")
    assert (
        sorted((one.worker, one.answers) for one in stored) == [("Anna", "pppppp")] * 2 + [("Bünyamin 2", "nnnnnn")] * 2
    )
    assert len({one.task for one in stored}) == 2


def test_when_the_server_is_gone_nothing_is_lost(browser: Browser, tmp_path: Path) -> None:
    desk = Desk(small(), Store(tmp_path), "judging")
    server = TaskServer(("127.0.0.1", 0), desk)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(60_000)
    try:
        page.goto(f"{server.url}task?worker=anna")
        for group in page.locator(".item").all():
            group.get_by_label("Not present").check()
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
    page.get_by_role("button", name="Send").click()
    page.wait_for_selector("text=The server does not answer. They are still here: please try again.")
    assert focused(page) == "problems"
    assert page.locator("#progress").inner_text() == "4 of 4 answered"
    assert page.get_by_role("button", name="Send").is_enabled()
    context.close()


def test_a_second_tab_with_other_answers_is_told_that_the_first_stand(browser: Browser, tmp_path: Path) -> None:
    desk = Desk(small(), Store(tmp_path), "judging")
    server = TaskServer(("127.0.0.1", 0), desk)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    context = browser.new_context()
    try:
        tabs = [context.new_page(), context.new_page()]
        for page in tabs:
            page.set_default_timeout(5_000)
            page.goto(f"{server.url}task?worker=anna")
        for page, words in zip(tabs, ("Present", "Not present"), strict=True):
            for group in page.locator(".item").all():
                group.get_by_label(words, exact=True).check()
            page.get_by_role("button", name="Send").click()
            if page is tabs[0]:
                page.wait_for_url("**/task?worker=anna")
                page.wait_for_selector("text=0 of 4 answered")
        late = tabs[1]
        late.wait_for_selector("text=You have answered this task before")
        assert focused(late) == "problems"
        assert late.evaluate(CONTRAST) == []
        late.get_by_role("link", name="Go on with the next task").click()
        late.wait_for_selector("text=0 of 4 answered")
    finally:
        context.close()
        server.shutdown()
        server.server_close()
        thread.join()
    assert [one.answers for one in Store(tmp_path).submissions()] == ["ppp"]
