"""A corpus through a method: what is scored, what is averaged, what is never built."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pyramidion.analyses.scores.table import from_evaluation
from pyramidion.builders import BUILDERS
from pyramidion.errors import InputWarning
from pyramidion.evaluation.evaluate import evaluate
from pyramidion.examples import example
from pyramidion.matchers import MATCHERS
from pyramidion.model import Annotation, Match, Pyramid, Summary, Topic
from pyramidion.scoring import LIKE, QUANTITIES
from tests.papers.test_nenkova2007 import peer, pyramid_of

BUILT: list[str] = []


@pytest.fixture(autouse=True)
def _toys(monkeypatch: pytest.MonkeyPatch) -> None:
    def own(topic: Topic) -> Pyramid:
        BUILT.append(topic.id)
        assert topic.pyramid
        return topic.pyramid

    def first(pyramid: Pyramid, summary: Summary) -> Annotation:
        return Annotation(summary, (Match(pyramid.scus[0].id),) if summary.text.strip() and pyramid.scus else ())

    monkeypatch.setitem(BUILDERS._loaded, "toy", own)
    monkeypatch.setitem(MATCHERS._loaded, "toy", first)
    BUILT.clear()


def test_a_pyramid_is_built_once_a_topic_and_only_where_there_is_something_to_score() -> None:
    lake, lagoon = example()
    bare = replace(lagoon, peers=(), annotations=())
    found = evaluate([lake, bare], "toy+toy")
    assert len(BUILT) == 1
    assert BUILT[0] == lake.id
    assert {one.scores.topic for one in found.results} == {lake.id}
    assert len(found.results) == len(lake.peers)
    assert not evaluate([bare], "toy+toy").results


def test_every_system_is_averaged_over_its_topics() -> None:
    found = evaluate([again(topic, number) for topic in example() for number in range(3)], "manual")
    for system in found.systems:
        own = [one.scores for one in found.results if one.scores.summary == system.system]
        assert system.n == len({one.topic for one in own}) == 6
        assert system.means["quality"] == pytest.approx(sum(one.quality for one in own) / 6)
        interval = system.intervals["quality"]
        assert interval
        assert interval.low <= system.means["quality"] <= interval.high
    coverages = [system.means["coverage"] for system in found.systems]
    assert coverages == sorted(coverages, reverse=True)


def test_two_topics_have_means_and_no_interval() -> None:
    """Draws of two topics span these two, whatever a third would have: the interval was (topic 1, topic 2)."""
    found = evaluate(example(), "manual")
    assert all(interval is None for system in found.systems for interval in system.intervals.values())
    table = found.table("systems")
    assert {row[-2:] for row in table.rows} == {(None, None)}
    assert table.caption == "No intervals: it takes 6 topics, and here are 2."


def test_a_pyramid_without_scus_scores_0_and_the_topic_is_named() -> None:
    lake = example()[0]
    assert lake.pyramid is not None
    bare = Topic("bare", lake.references, lake.peers, (), replace(lake.pyramid, topic="bare", scus=()))
    with pytest.warns(InputWarning, match=r"1 topic with a pyramid without SCUs \('bare'\): there is nothing to find"):
        found = evaluate([lake, bare], "given+toy")
    assert {one.scores.coverage for one in found.results if one.scores.topic == "bare"} == {0}
    assert found.systems[0].n == 2


def again(topic: Topic, number: int) -> Topic:
    """Return the topic under another id."""
    assert topic.pyramid is not None
    return replace(topic, id=f"{topic.id}-{number}", pyramid=replace(topic.pyramid, topic=f"{topic.id}-{number}"))


def test_means_leave_out_what_nobody_annotated_and_say_how_many() -> None:
    lake, lagoon = example()
    assert lagoon.pyramid is not None
    nobody = tuple((scu.id, "not asked") for scu in lagoon.pyramid.scus)
    copy = next(one for one in lagoon.annotations if one.summary.id == "copy")
    unread = Annotation(copy.summary, unjudged=nobody)
    annotations = tuple(unread if one is copy else one for one in lagoon.annotations)
    with pytest.warns(InputWarning, match=r"1 summary in which nothing is marked .*'tidal-lagoon', summary 'copy'"):
        found = evaluate([lake, replace(lagoon, annotations=annotations)], "manual")
    system = next(one for one in found.systems if one.system == "copy")
    known = next(one.scores for one in found.results if one.scores.summary == "copy" and one.scores.topic == lake.id)
    assert (system.n, system.left_out) == (1, 1)
    assert system.means == {name: getattr(known, name) for name in QUANTITIES}
    assert from_evaluation(found).values[1, 0] != from_evaluation(found).values[1, 0]  # NaN
    with pytest.warns(InputWarning, match="nothing is marked"):
        alone = evaluate([replace(lagoon, annotations=(unread,), peers=(copy.summary,))], "manual")
    assert alone.systems[0].means == dict.fromkeys(QUANTITIES)


def test_a_mean_that_is_rounded_to_0_is_told() -> None:
    pyramid = pyramid_of(1, 1, references=3)
    one = peer(1)
    topic = Topic(pyramid.topic, pyramid.references, (one.summary,), (), pyramid, (one,))
    with pytest.warns(InputWarning, match=r"1 summary without coverage .*average=exact does not round"):
        found = evaluate([topic], "manual", LIKE["ducview"])
    assert (found.systems[0].means["coverage"], found.systems[0].means["quality"]) == (None, 1)


def test_order_of_topics_and_peers_changes_nothing_and_progress_hears_of_each_peer() -> None:
    told: list[str] = []
    found = evaluate(example(), "toy+toy", progress=told.append)
    turned = [replace(topic, peers=topic.peers[::-1], annotations=topic.annotations[::-1]) for topic in example()][::-1]
    again = evaluate(turned, "toy+toy")
    assert [one.scores for one in again.results] == [one.scores for one in found.results]
    assert again.systems == found.systems
    assert sorted(told) == sorted(one.scores.summary for one in found.results)


def test_peers_that_nobody_annotated_are_named_and_blank_ones_score_nothing() -> None:
    lake = example()[0]
    some = replace(lake, annotations=tuple(one for one in lake.annotations if one.summary.id == "copy"))
    with pytest.warns(InputWarning, match=r"no annotation of off-topic, padded, paraphrase-1, paraphrase-2; left out"):
        found = evaluate([some], "manual")
    assert {one.scores.summary: one.scores.raw > 0 for one in found.results} == {"copy": True, "empty": False}
