"""Votes: what counts, and as what."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.crowd.answers.submission import Asked, Submission
from pyramidion.crowd.judging.votes import MISSING, Item, Votes
from pyramidion.errors import PyramidionError
from tests.crowd.making import judged, shuffled, votes_of


def table(votes: Votes) -> set[tuple[str, Item, int]]:
    return {
        (votes.workers[worker], votes.items[item], int(answer))
        for worker, item, answer in zip(votes.voter, votes.item, votes.answer, strict=True)
    }


def test_letters_become_votes_and_what_was_not_said_is_missing() -> None:
    votes = votes_of(("anna", "pn?-"), ("ben", "pppp"))
    assert votes.items == tuple(Item("t", "s", f"00{number}") for number in range(4))
    assert votes.counts.tolist() == [[0, 2], [1, 1], [0, 1], [0, 1]]
    assert (votes.answer == MISSING).sum() == 2


def test_rejected_submissions_and_other_phases_do_not_count() -> None:
    written = Submission("x", "writing", "t", "s", "cleo", written=("a",))
    votes = Votes.of([judged("anna", "p"), judged("ben", "n", status="rejected"), written])
    assert votes.counts.tolist() == [[0, 1]]
    assert votes.rejected == 1
    assert votes.workers == ("anna",)


def test_of_two_judgements_by_one_worker_the_earlier_stands() -> None:
    later = judged("anna", "nn", id="a", submitted="2024-01-02T00:00:00")
    earlier = judged("anna", "pp", id="b", submitted="2024-01-01T00:00:00")
    elsewhere = judged("anna", "n", "other")
    votes = Votes.of([later, earlier, elsewhere])
    assert table(votes) == {
        ("anna", Item("t", "s", "000"), 1),
        ("anna", Item("t", "s", "001"), 1),
        ("anna", Item("t", "other", "000"), 0),
    }
    assert votes.repeated == 2


def test_a_blank_does_not_stand_in_the_way_of_a_later_answer() -> None:
    blank = judged("anna", "-p", id="a", submitted="2024-01-01T00:00:00")
    later = judged("anna", "nn", id="b", submitted="2024-01-02T00:00:00")
    votes = Votes.of([blank, later])
    assert table(votes) == {("anna", Item("t", "s", "000"), 0), ("anna", Item("t", "s", "001"), 1)}
    assert votes.repeated == 1


def test_overlapping_tasks_share_items() -> None:
    votes = Votes.of([judged("anna", "pp", first=0), judged("ben", "nn", first=1)])
    assert votes.counts.tolist() == [[0, 1], [1, 1], [1, 0]]


def test_workers_without_a_name_are_each_their_own() -> None:
    votes = Votes.of([judged("", "p", id="1"), judged("", "n", id="2"), judged("anna", "n")])
    assert votes.workers == ("#1", "#2", "anna")
    assert votes.named.tolist() == [False, False, True]
    assert votes.repeated == 0


def test_a_name_that_begins_with_a_hash_is_a_name() -> None:
    votes = Votes.of([judged("#7", "pp"), judged("", "nn", id="1")])
    assert dict(zip(votes.workers, votes.named.tolist(), strict=True)) == {"#1": False, "#7": True}


def test_without_workers_items_stay() -> None:
    votes = votes_of(("anna", "pp"), ("ben", "nn"))
    left = votes.without([1])
    assert left.items == votes.items
    assert left.counts.tolist() == [[0, 1], [0, 1]]
    assert votes.without([0, 1]).counts.sum() == 0


def test_texts_are_kept_where_told() -> None:
    one = replace(judged("anna", "p", text="A text."), asked=Asked(("000",), ("A statement.",)))
    votes = Votes.of([judged("ben", "p"), one])
    assert votes.words == {("t", "000"): "A statement."}
    assert votes.texts == {("t", "s"): "A text."}


def test_nothing_to_count_is_said() -> None:
    with pytest.raises(PyramidionError, match="There is no judgement to count; collect results"):
        Votes.of([])
    with pytest.raises(PyramidionError, match="all 1 are rejected"):
        Votes.of([judged("anna", "p", status="rejected")])


rows = st.lists(
    st.tuples(
        st.sampled_from(["", "anna", "ben", "cleo"]),
        st.text("pn?-", min_size=1, max_size=4),
        st.sampled_from("st"),
        st.integers(0, 2),
        st.sampled_from(["", "2020", "2021"]),
    ),
    min_size=1,
    max_size=12,
)


@given(rows, st.integers(0, 99))
def test_the_order_of_submissions_changes_nothing(made: list[tuple[str, str, str, int, str]], seed: int) -> None:
    submissions = [
        judged(worker, answers, summary, first=first, id=str(number), submitted=when)
        for number, (worker, answers, summary, first, when) in enumerate(made)
    ]
    one, other = Votes.of(submissions), Votes.of(shuffled(submissions, seed))
    assert one.assignments == other.assignments
    for column in ("worker", "item", "assignment", "answer"):
        assert np.array_equal(getattr(one, column), getattr(other, column))


@given(rows)
def test_a_worker_votes_on_an_item_once_and_first(made: list[tuple[str, str, str, int, str]]) -> None:
    submissions = [
        judged(worker, answers, summary, first=first, id=str(number), submitted=when)
        for number, (worker, answers, summary, first, when) in enumerate(made)
    ]
    expected: dict[tuple[str, Item], int] = {}
    again = 0
    for one in sorted(submissions, key=lambda one: (one.submitted, one.id)):
        for id, letter in zip(one.asked.ids, one.answers, strict=True):
            key = one.worker or f"#{one.id}", Item(one.topic, one.summary, id)
            again += expected.get(key, MISSING) != MISSING and letter in "pn"
            if expected.get(key, MISSING) == MISSING:
                expected[key] = {"p": 1, "n": 0}.get(letter, MISSING)
    votes = Votes.of(submissions)
    assert table(votes) == {(worker, item, answer) for (worker, item), answer in expected.items()}
    assert votes.repeated == again
