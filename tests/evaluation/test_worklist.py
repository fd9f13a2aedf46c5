"""Topics become items that can be done in any order, and items that fail become smaller ones."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pyramidion.evaluation.worklist import MOST_CHARACTERS, MOST_PEERS, items
from pyramidion.examples import example
from pyramidion.model import Summary, Topic


def topic_of(lengths: list[int]) -> Topic:
    return Topic("t", peers=tuple(Summary(str(place), "x" * size, "peer") for place, size in enumerate(lengths)))


@given(st.lists(st.sampled_from([0, 1, 50, 3000, MOST_CHARACTERS + 1]), max_size=300))
def test_every_peer_is_in_one_item_and_what_is_done_once_a_topic_in_the_first(lengths: list[int]) -> None:
    topic = topic_of(lengths)
    made = list(items([topic]))
    assert [peer for item in made for peer in item.peers] == list(topic.peers)
    assert [item.first for item in made] == [True] + [False] * (len(made) - 1)
    assert len({item.key for item in made}) == len(made)
    assert all(item.peers for item in made) or not lengths


def test_a_class_is_cut_into_items_about_equally_long() -> None:
    made = list(items([topic_of([1000] * 200)]))
    assert [len(item.peers) for item in made] == [50] * 4
    assert MOST_PEERS >= 200 / 4
    assert len(list(items([topic_of([MOST_CHARACTERS // 2] * 3)]))) == 2


def test_annotated_topics_are_not_cut() -> None:
    topic = example()[0]
    assert [item.topic for item in items([topic], annotated=True)] == [topic]
    assert next(items([topic])).topic.annotations == ()


def test_the_peer_that_an_item_failed_at_is_tried_alone_and_the_others_without_it() -> None:
    (item,) = items([topic_of([1, 1, 1])])
    others, culprit = item.after_failure(1)
    assert [peer.id for peer in others.peers] == ["0", "2"]
    assert [peer.id for peer in culprit.peers] == ["1"]
    assert (others.first, culprit.first) == (True, False)
    assert culprit.after_failure(0) == ()
    assert [peer.id for peer in others.after_failure(0)[0].peers] == ["2"]


def test_an_item_that_failed_at_its_pyramid_is_tried_once_more() -> None:
    (item,) = items([topic_of([1, 1])])
    (again,) = item.after_failure(None)
    assert again.peers == item.peers
    assert again.first
    assert again.after_failure(None) == ()
