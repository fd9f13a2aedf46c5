"""The bundled example is what it says it is."""

from __future__ import annotations

import pytest

from pyramidion.evaluation.evaluate import evaluate
from pyramidion.examples import example
from pyramidion.model import Topic

TOPICS = {topic.id: topic for topic in example()}
PEERS = ["copy", "empty", "off-topic", "padded", "paraphrase-1", "paraphrase-2"]


@pytest.mark.parametrize("topic", TOPICS.values(), ids=TOPICS)
def test_the_promised_parts(topic: Topic) -> None:
    assert [peer.id for peer in topic.peers] == PEERS
    assert len(topic.references) == 5
    assert all(85 <= len(reference.text.split()) <= 120 for reference in topic.references)
    assert len(topic.sources) == 3
    assert all(200 <= len(source.text.split()) <= 300 for source in topic.sources)
    assert [annotation.summary.id for annotation in topic.annotations] == PEERS


@pytest.mark.parametrize("topic", TOPICS.values(), ids=TOPICS)
def test_the_pyramid_has_every_tier_and_looks_like_one(topic: Topic) -> None:
    assert topic.pyramid is not None
    sizes = [len(tier) for tier in topic.pyramid.tiers.values()]
    assert list(topic.pyramid.tiers) == [5, 4, 3, 2, 1]
    assert sizes == sorted(sizes)
    contributors = [contributor for scu in topic.pyramid.scus for contributor in scu.contributors]
    assert sum(len(contributor.spans) > 1 for contributor in contributors) >= 5


@pytest.mark.parametrize("topic", TOPICS.values(), ids=TOPICS)
def test_every_span_is_whole_words_without_loose_punctuation(topic: Topic) -> None:
    assert topic.pyramid is not None
    located = [
        (topic.pyramid.reference(contributor.summary).text, span)
        for scu in topic.pyramid.scus
        for contributor in scu.contributors
        for span in contributor.spans
    ]
    located += [
        (annotation.summary.text, span)
        for annotation in topic.annotations
        for unit in (*annotation.matches, *annotation.unmatched)
        for span in unit.spans
    ]
    for text, span in located:
        words = span.of(text)
        assert words[0].isalnum(), words
        assert words[-1].isalnum(), words
        assert not text[max(0, span.start - 1) : span.start].isalnum(), words
        assert not text[span.end : span.end + 1].isalnum(), words


def test_quality_of_the_peers_is_clearly_different() -> None:
    means = {system.system: system.means["coverage"] for system in evaluate(example(), "manual").systems}
    assert means["copy"] > means["paraphrase-1"] > means["paraphrase-2"] + 0.2
    assert means["paraphrase-2"] > means["padded"] + 0.1
    assert means["off-topic"] == means["empty"] == 0


def test_repetitions_and_foreign_units_occur() -> None:
    repeated = [one.scores.repeated for one in evaluate(example(), "manual").results]
    unmatched = [one.scores.unmatched for one in evaluate(example(), "manual").results]
    assert max(repeated) >= 2
    assert max(unmatched) >= 9
