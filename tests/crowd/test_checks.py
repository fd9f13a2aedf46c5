"""Attention checks: their answers are known, and nobody passes by always saying the same."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.crowd.checks import LONGEST, Foreign, content_words, own_sentences
from pyramidion.crowd.design import Design
from pyramidion.crowd.plan import plan
from pyramidion.crowd.study import Statement, Study
from pyramidion.examples import example
from tests.strategies import TEXTS


@pytest.fixture(scope="module")
def study() -> Study:
    filled = [
        replace(one, annotations=(), peers=tuple(peer for peer in one.peers if peer.text.strip())) for one in example()
    ]
    return plan(filled, Design(checks=2, per_task=8), statements="pyramid")


def squashed(text: str) -> str:
    return " ".join(text.split())


def test_answers_are_known(study: Study) -> None:
    topics_of = {one.text: one.topic for one in study.statements}
    for task in study.tasks:
        text = study.text_of(task).text
        for check in task.checks:
            if check.expected == "p":
                assert check.text.removesuffix(" ...") in squashed(text)
            else:
                assert topics_of[check.text] != task.topic
                assert not content_words(check.text) & content_words(text)


def test_every_task_has_as_many_as_the_design_says_of_both_kinds(study: Study) -> None:
    assert {len(task.checks) for task in study.tasks} == {2}
    assert {"".join(sorted(check.expected for check in task.checks)) for task in study.tasks} == {"np"}
    ids = [check.id for task in study.tasks for check in task.checks]
    assert len(set(ids)) == len(ids)
    assert not set(ids) & {one.id for one in study.statements}


def test_with_one_a_task_the_kinds_take_turns_on_a_summary() -> None:
    filled = [replace(one, peers=one.peers[:1], annotations=()) for one in example()]
    planned = plan(filled, Design(per_task=4), statements="pyramid")
    kinds = "".join(check.expected for task in planned.tasks for check in task.checks)
    assert kinds[: len(kinds) // 2] in ("npnpnp", "pnpnpn")
    assert len(kinds) == 12


def test_a_study_of_one_topic_has_only_sentences_of_the_summary() -> None:
    alone = replace(example()[0], annotations=())
    alone = replace(alone, peers=tuple(peer for peer in alone.peers if peer.text.strip()))
    planned = plan([alone], Design(checks=2), statements="pyramid")
    assert Counter(check.expected for task in planned.tasks for check in task.checks).keys() == {"p"}


def test_none_if_none_are_wanted() -> None:
    alone = replace(example()[0], annotations=(), peers=example()[0].peers[:1])
    assert all(not task.checks for task in plan([alone], Design(checks=0), statements="pyramid").tasks)


def test_long_sentences_are_cut_where_a_clause_ends() -> None:
    long = "The lake of the town died in the hot summer of 1988, when forty thousand fish floated up dead in one night"
    assert own_sentences(long) == ("The lake of the town died in the hot summer of 1988 ...",)
    unbroken = " ".join(f"word{number}" for number in range(40))
    (cut,) = own_sentences(unbroken)
    assert len(cut.removesuffix(" ...").split()) == LONGEST


@given(TEXTS)
def test_any_text_gives_sentences_that_it_says(text: str) -> None:
    for sentence in own_sentences(text):
        assert squashed(sentence.removesuffix(" ...")) in squashed(text)


@given(st.lists(TEXTS, max_size=6), TEXTS, st.integers(0, 4))
def test_any_text_can_be_checked(statements: list[str], text: str, wanted: int) -> None:
    foreign = Foreign([Statement(str(n), "u", "A", one) for n, one in enumerate(statements)], 0)
    made = foreign.checks("j-1", "t", text, wanted, 0)
    assert len(made) <= wanted
    assert len({check.text for check in made if check.expected == "n"}) == sum(one.expected == "n" for one in made)


def test_dropped_statements_and_those_without_content_are_not_used() -> None:
    pool = [
        Statement("1", "u", "A", "Turbines killed many seals", dropped="too long"),
        Statement("2", "u", "A", "So it is"),
    ]
    assert Foreign(pool, 0).checks("j-1", "t", "", 3, 0) == ()


def test_a_statement_of_the_topic_is_no_check_even_if_another_topic_has_it_too() -> None:
    shared = [Statement("1", "t", "A", "mussels filtered water"), Statement("1", "u", "A", "mussels filtered water")]
    for statements in (shared, shared[::-1]):
        (check,) = Foreign(statements, 0).checks("task", "t", "Reeds came back to the shore.", 1, 0)
        assert check.expected == "p"
    foreign = Foreign(shared, 0).checks("task", "v", "Reeds came back to the shore.", 2, 0)
    assert {check.expected for check in foreign} == {"p", "n"}
