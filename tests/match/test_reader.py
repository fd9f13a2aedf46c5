"""The judge that reads: bounds, invariances, and what it finds in the examples."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pyramidion.errors import PyramidionError
from pyramidion.examples import example
from pyramidion.match import MATCHERS
from pyramidion.match.reader import WINDOW, reader, verdicts, windows
from pyramidion.model import SCU, Contributor, Pyramid, Span, Summary

REFERENCE = Summary("r", "The council closed the bridge on Friday. Engineers found cracks in two pillars.", "reference")


def pyramid() -> Pyramid:
    sentences = (Span(0, 40), Span(41, len(REFERENCE.text)))
    scus = tuple(SCU(f"s{n}", "", (Contributor("r", (span,)),)) for n, span in enumerate(sentences))
    return Pyramid("t", (REFERENCE,), scus)


def test_what_stands_word_for_word_is_there() -> None:
    annotation = reader(pyramid(), Summary("p", f"Yes: {REFERENCE.text.upper()}", "peer"))
    assert dict(annotation.probabilities) == {"s0": 1.0, "s1": 1.0}
    assert dict(reader(pyramid(), replace(REFERENCE, role="peer")).probabilities) == {"s0": 1.0, "s1": 1.0}


@pytest.mark.parametrize("text", ["", " \n", "...!"])
def test_a_summary_without_words_expresses_nothing(text: str) -> None:
    annotation = reader(pyramid(), Summary("p", text, "peer"))
    assert dict(annotation.probabilities) == {"s0": 0.0, "s1": 0.0}
    assert not annotation.matches
    assert not annotation.unmatched


def test_what_is_said_is_more_probable_than_what_is_not() -> None:
    peer = Summary("p", "The bridge was shut by the town after cracks had been discovered in its columns.", "peer")
    other = Summary("q", "The choir sang three songs and the audience clapped for a long time.", "peer")
    says, says_not = (dict(reader(pyramid(), one).probabilities) for one in (peer, other))
    assert all(says[scu] > 2 * says_not[scu] for scu in says)


def test_order_of_scus_and_references_changes_nothing() -> None:
    topic = example()[0]
    assert topic.pyramid is not None
    turned = Pyramid(topic.id, topic.pyramid.references[::-1], topic.pyramid.scus[::-1])
    peer = topic.peers[0]
    assert dict(reader(turned, peer).probabilities) == pytest.approx(
        dict(reader(topic.pyramid, peer).probabilities), abs=2e-4
    )


def test_a_match_is_a_probability_at_the_threshold() -> None:
    topic = example()[0]
    assert topic.pyramid is not None
    for peer in topic.peers:
        found = verdicts(topic.pyramid, peer)
        annotation = MATCHERS["reader"](topic.pyramid, peer)
        expected = {scu.id for scu, one in zip(topic.pyramid.scus, found, strict=True) if one.probability >= 0.5}
        assert set(annotation.expressed) == expected


def test_thresholds_are_probabilities() -> None:
    with pytest.raises(PyramidionError, match="threshold"):
        reader(pyramid(), REFERENCE, threshold=0.0)


def test_windows_hold_every_sentence_and_overlap_by_one() -> None:
    sentences = [f"Sentence number {n} says that the {n}th bridge was closed by the council in May." for n in range(40)]
    found = windows(" ".join(sentences))
    assert len(found) > 1
    assert all(len(one.split()) <= WINDOW for one in found)
    assert all(any(sentence in one for one in found) for sentence in sentences)
    last = [sentence for sentence in sentences if sentence in found[0]][-1]
    assert found[1].startswith(last)
    assert windows("One sentence.") == ["One sentence."]
    assert windows("") == []
