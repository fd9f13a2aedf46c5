"""A panel: its names, and the file that says who does which task."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.crowd import panel
from pyramidion.crowd.answers.store import Store
from pyramidion.errors import FormatError, InputWarning
from tests.crowd.making import judged

NAMES = st.text(st.characters(exclude_categories=("C", "Z"), exclude_characters="\ufffd"), min_size=1)


@given(st.lists(st.tuples(NAMES, st.sampled_from(["w-1", "j-2"])), max_size=5))
def test_what_is_written_is_read_again_whatever_the_names(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]]
) -> None:
    path = tmp_path_factory.mktemp("panel") / panel.FILE
    path.write_bytes(panel.dumps(rows))
    assert list(panel.load(path, {"w-1", "j-2"})) == rows


def test_no_name_is_a_formula_and_tasks_that_are_gone_are_told(tmp_path: Path) -> None:
    path = tmp_path / panel.FILE
    path.write_bytes(panel.dumps(panel.rows({"=anna()": ("w-1", "old")})))
    assert b"'=anna()" in path.read_bytes()
    with pytest.warns(InputWarning, match="1 task that the study does not have"):
        assert list(panel.load(path, {"w-1"})) == [("=anna()", "w-1")]
    assert list(panel.load(tmp_path / "none.csv", {"w-1"})) == []


def test_a_panel_without_names_is_refused() -> None:
    with pytest.raises(FormatError, match="No worker is named"):
        panel.names(" \n\n", "class.txt")


def test_only_real_answers_to_tasks_that_were_not_rejected_are_done(tmp_path: Path) -> None:
    given = [
        judged("anna", "p", task="j-1", id="1"),
        judged("ben", "p", task="j-1", id="2", status="rejected"),
        judged("cleo", "p", id="3"),
        judged("", "p", task="j-2", id="4"),
    ]
    store = Store(tmp_path)
    store.add(given, "results")
    assert sorted(panel.done_assignments(store)) == [("#4", "j-2"), ("anna", "j-1")]
    rehearsed = Store(tmp_path / "trial.sqlite")
    rehearsed.add(given, "rehearsal", simulated=True)
    assert list(panel.done_assignments(rehearsed)) == []
