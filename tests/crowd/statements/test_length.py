"""The words of a statement, by the cases that the writing page counts, too (tests/browser/test_crowd.py)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pyramidion.crowd.statements.drafts import drafts
from pyramidion.crowd.statements.length import LONGEST, SHORTEST, count_words
from tests.crowd.statements.test_select import studied, wrote

CASES: list[tuple[str, int]] = [
    (text, count) for text, count in json.loads(Path(__file__).with_name("word_counts.json").read_text("utf-8"))
]
TWENTY = (
    "The town's mayor didn't say that the U.S. couldn't help St. Mary's school, whose teachers' pay wasn't the town "
    "council's."
)
"""Eleven of its words were two for the parser."""


@pytest.mark.parametrize(("text", "count"), CASES)
def test_words_are_what_a_person_counts(text: str, count: int) -> None:
    assert count_words(text) == count


def test_a_statement_of_the_length_that_was_asked_for_is_kept() -> None:
    longer = (
        "The dean's students can't read the laws, and she'll not teach them at school what they didn't learn at home."
    )
    found = drafts(studied(), [wrote("A", TWENTY, longer)], "paper")
    assert (SHORTEST, LONGEST) == (2, 20)
    assert (count_words(TWENTY), count_words(longer)) == (20, 20)
    assert [one.statement.dropped for one in found] == ["", ""]
    (draft,) = drafts(studied(), [wrote("A", f"Now {longer}")], "paper")
    assert draft.statement.dropped == "too long: 21 words, at most 20"
