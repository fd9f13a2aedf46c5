"""Task pages: what is in them, in which order, and that no text in them is ever more than text."""

from __future__ import annotations

import csv
import html
import io
import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.base.csv import RUN
from pyramidion.base.standalone import printable
from pyramidion.crowd.answers import collect
from pyramidion.crowd.page import mturk
from pyramidion.crowd.page.task import order_of, slots, task_page
from pyramidion.crowd.pages import completion_code, pages
from pyramidion.crowd.study import Check, Study, Task
from pyramidion.errors import InputWarning, PyramidionError
from tests.crowd.hostile import HOSTILE, small


class Parsed(HTMLParser):
    """The elements of a page, and the text in one of them."""

    def __init__(self, page: str, inside: str = "text") -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.inside, self.open, self.text = inside, False, ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.open = dict(attrs).get("id") == self.inside

    def handle_endtag(self, tag: str) -> None:
        self.open = False

    def handle_data(self, data: str) -> None:
        if self.open:
            self.text += data

    def of(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def study() -> Study:
    return small()


def hostile_tasks(study: Study) -> list[Task]:
    return [task for task in study.tasks if task.topic == "<b>bad"]


@given(st.integers(0, 20), st.integers(0, 4), st.text(max_size=6))
def test_checks_stand_among_the_statements_which_keep_their_order(statements: int, checks: int, id: str) -> None:
    asked = tuple(f"s{n}" for n in range(statements))
    task = Task(id, "judging", "t", "s", 5, asked, tuple(Check(f"c{n}", "words", "n") for n in range(checks)))
    order = order_of(task)
    assert sorted(order) == sorted([f"S{n + 1}" for n in range(statements)] + [f"C{n + 1}" for n in range(checks)])
    assert [slot for slot in order if slot[0] == "S"] == [f"S{n + 1}" for n in range(statements)]
    assert not statements or order[0] == "S1"
    assert order == order_of(task)


def test_checks_of_different_tasks_stand_at_different_places() -> None:
    asked = tuple(f"s{n}" for n in range(16))
    places = {
        order_of(Task(f"j-{n}", "judging", "t", "s", 5, asked, (Check("c", "w", "n"),))).index("C1") for n in range(200)
    }
    assert places == set(range(1, 17))


def test_a_page_asks_what_the_task_asks(study: Study) -> None:
    writing, judging = study.of_phase("writing")[0], study.of_phase("judging")[0]
    assert [one.name for one in slots(study, writing)] == [f"s{n}" for n in range(1, 9)]
    asked = slots(study, judging)
    assert [one.statement for one in asked if one.statement] == list(judging.statements)
    assert [one.check for one in asked if one.check] == [check.id for check in judging.checks]
    page = Parsed(task_page(study, judging).html)
    radios = [one for one in page.of("input") if one.get("type") == "radio"]
    assert [one["value"] for one in radios] == ["p", "n", "?"] * len(asked)
    looks = [{name for name in one if not name.startswith("data-")} for one in page.of("fieldset")]
    assert all(look == looks[0] for look in looks)


def test_a_hostile_text_is_text(study: Study) -> None:
    for task in hostile_tasks(study):
        made = task_page(study, task, worker='"><script>1</script>', session="${x}").html
        page = Parsed(made)
        assert page.text == study.text_of(task).text
        assert len(page.of("script")) == 1
        assert not page.of("img")
        assert page.of("main")[0]["data-worker"] == '"><script>1</script>'


def test_a_page_needs_no_other_file_and_states_what_may_run(study: Study) -> None:
    for task in (study.tasks[0], study.of_phase("judging")[0]):
        made, policy = task_page(study, task)
        for _, attributes in Parsed(made).elements:
            assert not [name for name in attributes if name in ("src", "action", "style") or name.startswith("on")]
            assert (attributes.get("href") or "#").startswith("#")
        script = re.search(r"<script>(.*?)</script>", made, re.DOTALL)
        assert script
        digest = b64encode(sha256(script[1].encode()).digest()).decode()
        assert f"script-src 'sha256-{digest}'" in policy
        assert html.escape(policy, quote=True).replace("&#x27;", "&#39;") in made
        assert "unsafe" not in policy


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_cell_is_markup_for_its_text_in_three_bytes_a_character(text: str) -> None:
    made = mturk.cell(text)
    assert not set(made) & set("<>\"'`$\r\n\t\\")
    assert all(ord(c) < 0x10000 for c in made)
    assert not made or made[0] not in RUN
    plain = printable(text.replace("\r\n", "\n").replace("\r", "\n"))
    astral_nonsense = re.compile(
        "[" + "".join(chr(plane * 0x10000 + 0xFFFE) + chr(plane * 0x10000 + 0xFFFF) for plane in range(1, 17)) + "]"
    )
    assert html.unescape(made) == astral_nonsense.sub("\ufffd", plain)


def rows_of(files: dict[str, bytes], name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(files[name].decode(), newline="")))


def substituted(layout: str, row: dict[str, str]) -> str:
    """The layout as MTurk fills it: each cell as it is, once."""
    return re.sub(r"\$\{(\w+)\}", lambda found: row[found[1]], layout)


def test_the_layout_has_only_fields_that_the_table_has(study: Study) -> None:
    for phase, columns in (
        ("writing", ["eventId", "summId", "summary_text", "taskId"]),
        (
            "judging",
            [
                "eventId",
                "summaryId",
                "qIdList",
                "summary_text",
                "statement_1",
                "statement_2",
                "statement_3",
                "taskId",
                "check_1",
                "checkIdList",
                "order",
            ],
        ),
    ):
        files = pages(study, "writing" if phase == "writing" else "judging", "mturk")
        rows = rows_of(files, f"{phase}-1.csv")
        assert list(rows[0]) == columns
        layout = files["layout.html"].decode()
        fields = re.findall(r"\$\{(.*?)\}", layout)
        assert set(fields) == {name for name in columns if "_" in name or name == "order"}
        bad = next(row for row in rows if row["eventId"] == "<b>bad")
        filled = substituted(layout, bad)
        assert Parsed(filled).text == study.text_of(hostile_tasks(study)[0 if phase == "writing" else 1]).text
        assert len(Parsed(filled).of("script")) == 1
        assert not Parsed(filled).of("img")


def test_short_tasks_are_padded_and_every_cell_is_harmless() -> None:
    study = small(per_task=5, checks=2)  # 6 statements: 3 + 3
    short = Study(study.name, study.design, study.topics, study.statements, (study.of_phase("judging")[0],))
    one = Task("j-short", "judging", "lake", "sys0", 2, ("s1",), ())
    files = pages(
        Study(study.name, study.design, study.topics, study.statements, (*short.tasks, one)), "judging", "mturk"
    )
    rows = rows_of(files, "judging-1.csv")
    assert [rows[1][f"statement_{n}"] for n in (1, 2, 3)] == [
        "Phosphorus from farms had poisoned the water",
        "BLANK",
        "BLANK",
    ]
    assert (rows[1]["check_1"], rows[1]["checkIdList"], rows[1]["order"]) == ("BLANK", "[]", "S1")
    every = [cell for row in rows_of(pages(study, "judging", "mturk"), "judging-1.csv") for cell in row.values()]
    assert not [cell for cell in every if cell[:1] in RUN and cell]


def test_tasks_of_another_round_or_size_have_a_table_apart(study: Study, monkeypatch: pytest.MonkeyPatch) -> None:
    first, *_ = study.of_phase("judging")
    tasks = [
        Task(
            f"j-{n}", "judging", first.topic, first.summary, 5 if n else 3, first.statements, first.checks, 1 + (n > 2)
        )
        for n in range(6)
    ]
    monkeypatch.setattr(mturk, "BATCH", 2)
    files = mturk.mturk_files(Study("s", study.design, study.topics, study.statements, tuple(tasks)), "judging", tasks)
    named = {name: [row["taskId"] for row in rows_of(files, name)] for name in sorted(files) if name.endswith("csv")}
    assert named == {
        "judging-1.csv": ["j-0"],
        "judging-2.csv": ["j-1", "j-2"],
        "judging-3.csv": ["j-3", "j-4"],
        "judging-4.csv": ["j-5"],
    }
    assert "| `judging-1.csv` | 1 | 3 | 1 |" in files["README.md"].decode()


def test_a_task_that_mturk_would_refuse_is_told_of(study: Study) -> None:
    first = study.topics[0]
    long = replace(first, peers=tuple(replace(one, text="x" * 40_000) for one in first.peers))
    with pytest.warns(InputWarning, match="takes 65,535: plan with fewer statements"):
        pages(replace(study, topics=(long, *study.topics[1:])), "judging", "mturk")


def test_what_comes_back_from_mturk_is_read_as_what_was_asked(study: Study, tmp_path: Path) -> None:
    rows = rows_of(pages(study, "judging", "mturk"), "judging-1.csv")
    path = tmp_path / "results.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        answers = [f"Answer.S{n}Answer" for n in (1, 2, 3)] + ["Answer.C1Answer", "Answer.seconds"]
        writer = csv.writer(file)
        writer.writerow(["AssignmentId", "WorkerId", *(f"Input.{name}" for name in rows[0]), *answers])
        writer.writerows([[f"A{n}", "W", *row.values(), "p", "n", "?", "n", "61"] for n, row in enumerate(rows)])
    found = {one.task: one for one in collect.read(path, study).submissions}
    assert set(found) == {task.id for task in study.of_phase("judging")}
    for task in study.of_phase("judging"):
        one = found[task.id]
        assert (one.asked.ids, one.answers, one.text) == (task.statements, "pn?", study.text_of(task).text)
        assert (one.checks, one.seconds) == (((task.checks[0].id, "n"),), 61)


@pytest.mark.parametrize("platform", ["own", "prolific"])
def test_a_folder_has_a_page_for_each_task_and_a_list(study: Study, platform: str) -> None:
    url = "https://app.prolific.com/submissions/complete?cc=C0DE"
    files = pages(study, "judging", "own" if platform == "own" else "prolific", completion=url)
    tasks = study.of_phase("judging")
    assert set(files) == {"index.html", "README.md", *(f"tasks/{task.id}.html" for task in tasks)}
    links = [one["href"] for one in Parsed(files["index.html"].decode()).of("a")]
    assert links == [f"tasks/{task.id}.html" for task in tasks]
    assert f'data-completion="{url}"' in files[f"tasks/{tasks[0].id}.html"].decode()
    assert ("C0DE" in files["README.md"].decode()) == (platform == "prolific")
    assert files == pages(study, "judging", "own" if platform == "own" else "prolific", completion=url)


def test_ids_become_file_names_that_stay_in_the_folder(study: Study) -> None:
    ids = ["../../etc/passwd", "a b", "A", "a", "ä", "", "x" * 300]
    first = study.of_phase("writing")[0]
    tasks = tuple(Task(id, "writing", first.topic, first.summary, 2) for id in ids)
    names = [name for name in pages(Study("s", study.design, study.topics, (), tasks), "writing", "own") if "/" in name]
    assert len({name.casefold() for name in names}) == len(ids)
    assert all(re.fullmatch(r"tasks/[\w-][\w.-]{0,70}\.html", name, re.ASCII) for name in names)


def test_what_cannot_be_made_is_said(study: Study) -> None:
    with pytest.raises(PyramidionError, match="no judging tasks; select statements first"):
        pages(Study("s", study.design, study.topics, (), study.of_phase("writing")), "judging", "own")
    for bad in ("javascript:alert(1)", "prolific.com", "//x", "https://", "http://[x"):
        with pytest.raises(PyramidionError, match="no address of a web page"):
            completion_code(bad)
    assert completion_code("https://x.org/?a=1&cc=Z9&b=2") == "Z9"
    assert completion_code("https://x.org/done") == ""


def test_hostile_texts_are_all_there() -> None:
    assert all(sign in HOSTILE for sign in ("<script>", "${x}", "{{", "\N{GRINNING FACE}", "\u202e", "\n@"))
