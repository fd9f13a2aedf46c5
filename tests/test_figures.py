"""Every figure in a page was printed by a command, and what made it has not changed since; nothing is run to see that.

``docs/record.py`` keeps what commands print, with digests of what made it; ``docs/marks.py`` puts it into pages.
"""

from __future__ import annotations

import copy
import json
import re
import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
RECORD: dict[str, Any] = runpy.run_path(str(DOCS / "record.py"))
MARKS: dict[str, Any] = runpy.run_path(str(DOCS / "marks.py"))
RECORDS: dict[str, dict[str, Any]] = RECORD["records"]()

GENERATED = ("api.md", "cli.md", "figures.md", "leaderboard.md")
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in (ROOT / "README.md", *sorted(DOCS.glob("*.md")))
    if path.name not in GENERATED
}


@pytest.mark.parametrize("name", RECORDS)
def test_what_made_a_figure_has_not_changed(name: str) -> None:
    if absent := RECORD["missing"](RECORDS[name]):
        print(f"{name}: not checked, since they are not here: {', '.join(absent)}")
    assert RECORD["check"]([name]) == []


@pytest.mark.parametrize("page", PAGES)
def test_pages_say_what_was_recorded(page: str) -> None:
    assert MARKS["filled"](PAGES[page]) == PAGES[page], "run `make docs`"


@pytest.mark.parametrize("page", PAGES)
def test_every_figure_in_a_page_is_marked(page: str) -> None:
    found = [f"{page}:{number}: {figure}" for number, figure in MARKS["unmarked"](PAGES[page])]
    assert found == [], "record it by `python docs/record.py` and mark it (docs/marks.py), or move it to lab/notes"


def test_the_leaderboard_is_made_of_records() -> None:
    parts = ("signature", "metric", "score", "system", "summary", "scu")
    known = [
        [row.get(part) for part in parts]
        for kept in RECORDS.values()
        if "realsumm" in kept["command"] and "--leaderboard" in kept["command"]
        for row in kept["result"].get("results", [kept["result"]])
    ]
    board = json.loads((DOCS / "leaderboard.json").read_text(encoding="utf-8"))
    missing = [row["signature"] for row in board["results"] if [row.get(part) for part in parts] not in known]
    assert missing == [], "measure it by `python docs/record.py NAME TITLE -- pyramidion bench ... --leaderboard ...`"


@pytest.mark.parametrize("page", PAGES)
def test_no_mark_begins_a_line_of_prose(page: str) -> None:
    """It would end the paragraph: a comment at the beginning of a line is a block of its own."""
    assert re.findall(r"^<!-- (?:figure:|quoted:|end -->).*", PAGES[page], re.MULTILINE) == []


def changed(kept: dict[str, Any], *path: str, to: Any) -> list[str]:
    """Return what the check says of a record one of whose values is another, with a digest that fits."""
    other = copy.deepcopy(kept)
    inside = other
    for name in path[:-1]:
        inside = inside[name]
    inside[path[-1]] = to
    found: list[str] = RECORD["changes"](other | {"digest": RECORD["digest"](other)})
    return found


def test_a_record_of_other_weights_settings_version_or_output_is_out_of_date() -> None:
    kept = RECORDS["students"]
    assert changed(kept, "title", to="Another title") == []
    assert changed(kept, "version", to="0.0.1") == ["it is of version 0.0.1"]
    assert changed(kept, "weights", "static", "table.npz", to="0" * 64) == ["other weights: static/table.npz"]
    assert changed(kept, "settings", "builder meaning", "nearest", to=9) == [
        "other settings of the builder meaning: nearest"
    ]
    assert RECORD["changes"](kept | {"result": {}}) == ["the record was edited"]


def test_a_record_of_other_data_is_out_of_date(tmp_path: Path) -> None:
    file = tmp_path / "text.txt"
    file.write_text("One.")
    before = RECORD["content"](tmp_path)
    (tmp_path / "README.md").write_text("About the data.")
    RECORD["content"].cache_clear()
    assert RECORD["content"](tmp_path) == before
    assert changed(RECORDS["students"], "data", to={str(tmp_path): before}) == []
    file.write_text("Two.")
    RECORD["content"].cache_clear()
    assert changed(RECORDS["students"], "data", to={str(tmp_path): before}) == [f"other data: {tmp_path}"]


def test_a_record_without_digests_is_out_of_date() -> None:
    assert RECORD["changes"]({"title": "A title", "command": "ls", "result": {}}) == ["it does not say what made it"]


def test_figures_without_a_mark_are_found() -> None:
    page = """r is .123 (.2 to .95), p < .05, version 0.2.0, .250 s, `.345`.
Another is <!-- quoted: Nenkova et al. 2007 -->.0617<!-- end -->, and <!-- quoted: somebody -->.617<!-- end -->.

| r | at |
|---|---|
| .12 | above .85 |
| `.13` | **+.14** |
"""
    assert list(MARKS["unmarked"](page)) == [(1, ".123"), (2, ".617"), (6, ".12"), (7, ".14")]


def test_a_figure_that_is_typed_into_a_mark_is_found() -> None:
    page = """<!-- figures: students
| | r | paper |
|---|---|---|
| `pyreval` | {correlations/pyreval/raw/pearson} | .812 |
| typed | .738 | {quoted Gao et al. 2019: .812} |
-->

<!-- end of figures -->
"""
    assert list(MARKS["unmarked"](MARKS["filled"](page))) == [(4, ".812"), (5, ".738")]
    assert "| typed | .738 | .812 |" in MARKS["filled"](page)


def test_a_mark_that_leads_nowhere_says_where() -> None:
    with pytest.raises(LookupError, match="Record 'students': correlations/nobody: nothing is called 'nobody'"):
        MARKS["filled"]("<!-- figure: students correlations/nobody -->.1<!-- end -->")
