"""Metrics over a corpus."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pyramidion.analyses.measure import measure
from pyramidion.errors import InputWarning, PyramidionError
from pyramidion.metrics import metric
from pyramidion.model import Summary, Topic
from pyramidion.stats.bootstrap import mean_interval


def topic(id: str, references: list[str], **peers: str) -> Topic:
    return Topic(
        id,
        tuple(Summary(f"r{place}", text, "reference") for place, text in enumerate(references)),
        tuple(Summary(name, text, "peer") for name, text in peers.items()),
    )


TOPICS = [topic("t1", ["a b c", "a b"], x="a b c", y="c"), topic("t2", ["d e"], x="d f", z="e d")]
METRICS = {name: metric(name) for name in ("rouge-1", "lexical-pyramid")}


def test_every_peer_against_its_own_references() -> None:
    measured = measure(TOPICS, METRICS)
    assert measured.peers == (("t1", "x"), ("t1", "y"), ("t2", "x"), ("t2", "z"))
    assert measured.values["rouge-1"]["recall"] == (5 / 5, 1 / 5, 1 / 2, 1)


def test_portions_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    whole = measure(TOPICS, METRICS, lambda: calls.append(1))
    assert len(calls) == 8
    monkeypatch.setattr("pyramidion.analyses.measure.study.PORTION", 1)
    assert measure(TOPICS, METRICS) == whole


def test_systems_have_means_with_intervals_where_there_are_several_topics() -> None:
    measured = measure([replace(topic, id=f"{topic.id}-{n}") for topic in TOPICS for n in range(3)], METRICS)
    x = measured.mean("x", "rouge-1", "recall")
    assert (x.mean, x.interval) == (3 / 4, mean_interval([1, 1 / 2] * 3))
    assert measured.mean("y", "rouge-1", "recall").interval is None
    few = measure(TOPICS, METRICS).table("systems")
    assert (few.rows[0][3:5], few.caption) == ((None, None), "No intervals: it takes 6 topics, and here are 1.")
    table = measured.table("systems")
    assert table.keys[:5] == ("system", "topics", "rouge-1 recall", "rouge-1 recall low", "rouge-1 recall high")
    assert table.keys[5] == "lexical-pyramid coverage"
    assert table.rows[0][:5] == ("x", 6, 3 / 4, *mean_interval([1, 1 / 2] * 3))  # type: ignore[misc]
    assert measure(TOPICS, METRICS, quantity="f").table("systems").keys[5] == "lexical-pyramid comprehensive"


def test_tables_and_json_hold_the_values_and_signatures() -> None:
    measured = measure(TOPICS, METRICS)
    table = measured.table("scores")
    assert table.columns[:5] == ("topic", "peer", "rouge-1 R", "rouge-1 P", "rouge-1 F")
    assert table.rows[1][:3] == ("t1", "y", 1 / 5)
    assert table.signature.split("\n")[0] == str(measured.signatures["rouge-1"])
    assert measure(TOPICS[:1], METRICS).table("scores").columns[0] == "peer"
    found = measured.to_json()
    assert found["scores"][1]["rouge-1"]["recall"] == 1 / 5
    assert found["systems"][0]["rouge-1"]["recall"] == {"mean": 3 / 4, "interval": None}


def test_what_cannot_be_scored_is_named() -> None:
    with pytest.raises(PyramidionError, match="Topic 't1' has no references"):
        measure([topic("t1", [], x="a")], METRICS)
    with pytest.raises(PyramidionError, match="Topic 't1': the reference 'r1' is empty"):
        measure([topic("t1", ["a", " \n."], x="a")], METRICS)
    with pytest.raises(PyramidionError, match=r"There is no summary to score \(peer\)"):
        measure([replace(TOPICS[0], peers=())], METRICS)


def test_a_reference_that_rouge155_cannot_see_is_warned_of() -> None:
    russian = [topic("t1", ["Мама мыла раму"], x="Мама мыла раму")]
    with pytest.warns(InputWarning, match="tokens=unicode"):
        assert measure(russian, METRICS).values["rouge-1"]["f"] == (0,)
    assert measure(russian, {"rouge-1": metric("rouge-1", tokens="unicode")}).values["rouge-1"]["f"] == (1,)
