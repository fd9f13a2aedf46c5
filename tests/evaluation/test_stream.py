"""Results one at a time, and tables of other libraries in and out."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import pyramidion as pm
from tests.evaluation.poison import topics

ROWS = [
    {"id": topic, "highlights": "The mayor resigned in May.", "prediction": said, "model": model}
    for topic in ("a", "b")
    for model, said in (("one", "The mayor resigned."), ("two", "It rained."))
]
METHOD = "lite+unigram(analyser=unicode)"


def test_summaries_are_handed_over_before_the_next_topic_is_read() -> None:
    read: list[str] = []

    def reading() -> Iterator[pm.Topic]:
        for topic in topics(5, 2):
            read.append(topic.id)
            yield topic

    scored = pm.stream(reading(), "given+unigram")
    first = next(scored)
    assert (first.scores.topic, first.scores.summary) == ("t00000", "s0")
    assert read == ["t00000"]
    rest = [one.scores for one in scored]
    assert [first.scores, *rest] == [one.scores for one in pm.evaluate(topics(5, 2), "given+unigram").results]


def test_several_processes_stream_the_same_summaries() -> None:
    given = topics(6, 2)
    found = {(one.scores.topic, one.scores.summary): one.scores for one in pm.stream(given, "given+unigram", jobs=2)}
    assert found == {(one.scores.topic, one.scores.summary): one.scores for one in pm.stream(given, "given+unigram")}


def test_tables_are_evaluated_as_the_topics_they_hold() -> None:
    pandas, pyarrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    expected = pm.evaluate(pm.read(ROWS), METHOD)

    class Other:
        """A table of a library that only speaks Arrow."""

        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return pyarrow.Table.from_pylist(ROWS).__arrow_c_stream__(requested_schema)

    for table in (ROWS, iter(ROWS), pandas.DataFrame(ROWS), pyarrow.Table.from_pylist(ROWS), Other()):
        assert pm.evaluate(table, METHOD) == expected
    assert [one.scores for one in pm.stream(ROWS, METHOD)] == [one.scores for one in expected.results]


def test_a_result_is_a_table_of_arrow() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    result = pm.evaluate(ROWS, METHOD)
    table = result.to_arrow("systems")
    assert table.to_pylist() == result.rows("systems")
    assert table.schema.metadata[b"signature"].decode() == str(result.signature)
    assert pyarrow.table(result).to_pylist() == result.rows()


def test_nothing_is_evaluated_to_nothing() -> None:
    assert pm.evaluate([], METHOD).results == ()
    assert list(pm.stream(iter(()), METHOD)) == []
