"""What our pages send: everything checked, because anybody can send anything."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.crowd.answers.collect import read, submission_from_page
from pyramidion.crowd.answers.submission import Asked, Submission
from pyramidion.errors import FormatError
from tests.crowd.results import WORDS, page, study
from tests.fuzz import only_our_errors


def test_a_judging_page() -> None:
    assert submission_from_page(page(more="kept", list=[1]), study()) == Submission(
        "s-W1",
        "judging",
        "d1",
        "sys",
        "W1",
        "j-sys",
        Asked(tuple(WORDS), tuple(WORDS.values())),
        "pn?",
        checks=(("c-sys", "n"),),
        seconds=117,
        submitted="2024-05-01T10:02:00Z",
        text="What sys says.",
        extra=(("started", "2024-05-01T10:00:00Z"), ("list", "[1]"), ("more", "kept")),
    )


def test_a_writing_page() -> None:
    found = submission_from_page(page("w1", written=[" One. ", "", "Two."]), study())
    assert (found.phase, found.summary, found.written, found.answers) == ("writing", "A", ("One.", "Two."), "")


def test_what_is_left_out_is_missing() -> None:
    found = submission_from_page(page(answers={"8": ""}, checks={}), study())
    assert (found.answers, found.checks) == ("---", (("c-sys", "-"),))


def test_without_a_session_the_id_is_made_from_the_content() -> None:
    one, again, other = (page(session="", answers=answers) for answers in ({"7": "p"}, {"7": "p"}, {"7": "n"}))
    ids = [submission_from_page(record, study()).id for record in (one, again, other)]
    assert ids[0] == ids[1] != ids[2]


@pytest.mark.parametrize(
    ("record", "says"),
    [
        (None, "This is a NoneType, not an object"),
        ([], "This is a list, not an object"),
        ({}, "missing required field"),
        (page(pyramidion="2"), "Invalid enum value '2'"),
        (page(study="big"), "These are answers for the study 'big', not 'small'"),
        (page(task="j-none"), "no task 'j-none'"),
        (page(phase="writing"), "is judging, but the answers are writing"),
        (page(phase="reading"), "Invalid enum value 'reading'"),
        (page(written=["x"]), "answers of the other kind"),
        (page("w1", answers={"7": "p"}), "answers of the other kind"),
        (page("w1", written=["x"] * 4), "4 statements are written, but the task asks for 3"),
        (page("w1", written=["x" * 3000]), "length <= 2000"),
        (page("w1", written="abc"), "Expected 'array', got 'str'"),
        (page(answers={"77": "p"}), "no statement '77'"),
        (page(answers={"7": "yes"}), "The answer to statement '7' is 'yes'"),
        (page(answers={"7": 1}), "Expected 'str', got 'int'"),
        (page(checks={"x": "p"}), "no check 'x'"),
        (page(worker="x" * 300), "length <= 200"),
        (page() | {"worker": 7}, "Expected 'str', got 'int'"),
        (page(seconds=-1), "Expected 'float' >= 0"),
        (page(seconds="fast"), "got 'str'"),
        (page(worker="\ud800"), "The answers cannot be read as JSON"),
        (page(junk="x" * 20_000), "more than 10000 characters"),
    ],
)
def test_what_is_wrong_is_said(record: Any, says: str) -> None:
    with pytest.raises(FormatError) as error:
        submission_from_page(record, study())
    assert says in str(error.value)
    assert error.value.do


VALUE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from(["p", "7", "j-sys"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from([*page(), "new"]), VALUE, max_size=4), VALUE)
def test_anything_is_taken_or_refused(changed: dict[str, Any], other: Any) -> None:
    only_our_errors(lambda: submission_from_page(page() | changed, study()))
    only_our_errors(lambda: submission_from_page(other, study()))


@pytest.mark.parametrize("layout", ["object", "list", "lines", "indented"])
def test_files_of_pages(tmp_path: Path, layout: str) -> None:
    records = [page(), page(worker="W2"), page("w1", worker="W3")]
    if layout in ("object", "indented"):
        records = records[:1]
    path = tmp_path / "p.json"
    path.write_text(
        "\n".join(map(json.dumps, records)) + "\n"
        if layout in ("object", "lines")
        else json.dumps(records if layout == "list" else records[0], indent=1)
    )
    collected = read(path, study())
    assert collected.format == "page"
    assert collected.submissions == [submission_from_page(record, study()) for record in records]


def test_in_a_file_the_line_is_named_and_strays_can_be_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text("\n".join(map(json.dumps, [page(), page(task="j-none")])) + "\n")
    with pytest.raises(FormatError, match=r"p\.jsonl:2: .*no task 'j-none'"):
        read(path, study())
    assert read(path, study(), skip_unknown=True).unknown == 1
    path.write_text("\n".join(map(json.dumps, [page(), page(seconds=-1)])) + "\n")
    with pytest.raises(FormatError, match=r"p\.jsonl:2: \$\.seconds: "):
        read(path, study(), skip_unknown=True)


def test_another_summary_of_the_study_has_its_own_text() -> None:
    found = submission_from_page(page("j-other"), study())
    assert found == replace(
        submission_from_page(page(), study()),
        summary="other",
        task="j-other",
        text="What other says.",
        checks=(("c-other", "n"),),
    )
