"""Pyramids that a model builds, against a server whose facts are sentences and whose groups share their words."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from pyramidion.builders.llm import Builder, make
from pyramidion.errors import InputWarning, PyramidionError
from pyramidion.language.llm.chat import client
from pyramidion.model import Pyramid, Summary, Topic
from tests.chat_fixtures import endpoint
from tests.chat_server import ChatServer, answer, content, status

__all__ = ["endpoint"]

TOPIC = Topic(
    "lake",
    (
        Summary("A", "The lake died. Fish came back. It rained."),
        Summary("B", "Back came fish. The lake died."),
        Summary("C", "The lake died."),
    ),
)


@pytest.fixture
def builder() -> Builder:
    return make("some-model")


def shown(pyramid: Pyramid) -> list[tuple[str, int, list[str]]]:
    return [
        (scu.label, scu.weight, sorted(f"{one.summary}: {pyramid.words(one)}" for one in scu.contributors))
        for scu in pyramid.scus
    ]


def test_facts_of_several_references_become_scus(endpoint: ChatServer, builder: Builder) -> None:
    assert shown(builder(TOPIC)) == [
        ("The lake died.", 3, ["A: The lake died.", "B: The lake died.", "C: The lake died."]),
        ("Back came fish.", 2, ["A: Fish came back.", "B: Back came fish."]),
        ("It rained.", 1, ["A: It rained."]),
    ]
    assert len(endpoint.requests) == 3 + 1
    assert {one["temperature"] for one in endpoint.requests} == {0}


def test_order_and_names_of_references_change_nothing(endpoint: ChatServer, builder: Builder) -> None:
    first = builder(TOPIC)
    names = {"A": "Z", "B": "Y", "C": "X"}
    other = Topic("lake", tuple(replace(one, id=names[one.id]) for one in reversed(TOPIC.references)))
    again = builder(other)
    assert [(scu.id, scu.label, scu.weight) for scu in again.scus] == [
        (scu.id, scu.label, scu.weight) for scu in first.scus
    ]
    assert len(endpoint.requests) == 4


def test_one_reference_needs_no_grouping(endpoint: ChatServer, builder: Builder) -> None:
    found = builder(Topic("lake", TOPIC.references[:1]))
    assert [scu.label for scu in found.scus] == ["The lake died.", "Fish came back.", "It rained."]
    assert len(endpoint.requests) == 1


def test_copies_are_one_voice(endpoint: ChatServer, builder: Builder) -> None:
    found = builder(Topic("lake", tuple(replace(TOPIC.references[2], id=str(number)) for number in range(5))))
    assert [(scu.label, scu.weight) for scu in found.scus] == [("The lake died.", 5)]
    assert len(endpoint.requests) == 1


def test_facts_of_one_reference_in_one_group_are_one_contributor(endpoint: ChatServer, builder: Builder) -> None:
    topic = Topic("lake", (Summary("A", "The lake died. It rained. Died the lake."), TOPIC.references[2]))
    found = builder(topic)
    assert found.repeats == ()
    assert shown(found)[0] == ("The lake died.", 2, ["A: The lake died....Died the lake.", "C: The lake died."])


def inventing(*words: str) -> Any:
    """A model that quotes other words than these."""

    def invents(handler: Any, body: dict[str, Any]) -> None:
        found = answer(body)
        for one in found.get("facts", []):
            if any(some in one["quote"] for some in words):
                one["quote"] = "It poured."
        handler.say(json.dumps(found))

    return invents


def test_a_fact_whose_quote_is_not_there_is_left_out(endpoint: ChatServer, builder: Builder) -> None:
    endpoint.always = inventing("It rained")
    with pytest.warns(
        InputWarning, match="1 of 6 facts quote words that are not in their reference; they are left out"
    ):
        found = builder(TOPIC)
    assert [(scu.label, scu.weight) for scu in found.scus] == [("The lake died.", 3), ("Back came fish.", 2)]
    assert "rained" not in endpoint.requests[-1]["messages"][1]["content"]  # nobody is asked to group it


def test_references_left_without_facts(endpoint: ChatServer, builder: Builder) -> None:
    endpoint.always = inventing("lake")
    topic = Topic("lake", TOPIC.references[::2])  # the second states nothing else
    with pytest.warns(InputWarning, match="2 of 4 facts"):
        found = builder(topic)
    assert [scu.label for scu in found.scus] == ["Fish came back.", "It rained."]
    assert len(endpoint.requests) == 2  # one voice needs no grouping
    endpoint.always = inventing("")
    with pytest.raises(PyramidionError, match=r"4 of 4 facts quote words that are not.*unsupported=count"):
        make("another")(topic)


def test_a_quote_that_is_not_there_has_no_place_where_it_counts(endpoint: ChatServer, builder: Builder) -> None:
    endpoint.always = inventing("It rained")
    with pytest.warns(
        InputWarning, match="1 of 6 facts quote words that are not in their reference; they count by the"
    ):
        found = builder(TOPIC, unsupported="count")
    (only,) = found.scus[2].contributors
    assert (only.spans, only.label, only.supported) == ((), "It rained.", False)


def test_facts_in_no_group_or_several_are_repaired_with_a_warning(endpoint: ChatServer, builder: Builder) -> None:
    def careless(handler: Any, body: dict[str, Any]) -> None:
        found = answer(body)
        if "groups" in found:
            found["groups"] = [{"label": "Lake.", "facts": [1, 3]}, {"label": "Twice.", "facts": [3, 2, 99]}]
        handler.say(json.dumps(found))

    endpoint.always = careless
    with pytest.warns(InputWarning, match="some-model put 5 of 6 facts into no group or into several"):
        found = builder(TOPIC)
    assert len(endpoint.requests) == 5  # asked once more
    assert sum(len(scu.contributors) for scu in found.scus) == 6


@pytest.mark.parametrize("said", ["no", '{"facts": []}', '{"facts": [{"fact": " "}]}', '{"facts": [{}]}', "[]"])
def test_facts_that_cannot_be_read_are_an_error(endpoint: ChatServer, builder: Builder, said: str) -> None:
    endpoint.always = content(said)
    with pytest.raises(PyramidionError, match="Topic 'lake': some-model gave no usable answer"):
        builder(TOPIC)


def test_groups_that_cannot_be_read_are_an_error(endpoint: ChatServer, builder: Builder) -> None:
    def no_groups(handler: Any, body: dict[str, Any]) -> None:
        found = answer(body)
        handler.say(json.dumps(found) if "facts" in found else '{"groups": [{"label": 3}]}')

    endpoint.always = no_groups
    with pytest.raises(PyramidionError, match="not the JSON that was asked for.*answers so far are kept"):
        builder(TOPIC)
    asked = len(endpoint.requests)
    endpoint.always = None
    builder(TOPIC)
    assert len(endpoint.requests) == asked + 1  # the facts were kept


def test_a_second_run_needs_no_endpoint(endpoint: ChatServer, builder: Builder) -> None:
    first = builder(TOPIC)
    client.cache_clear()
    endpoint.always = status(500)
    assert builder(TOPIC) == first


def test_no_reference_is_an_error_before_anything_is_asked(builder: Builder) -> None:
    with pytest.raises(PyramidionError, match="no reference with any words"):
        builder(Topic("lake", (Summary("A", " "),)))
    with pytest.raises(PyramidionError, match="No model is named"):
        make("")


def test_the_prompts_are_in_the_signature(builder: Builder) -> None:
    assert builder.signature == (("prompts", "units-1,groups-1"),)
