"""Writing and reading finds what a format cannot hold: nothing is lost that is not said, and nothing said is kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, assume, given, settings

from pyramidion.errors import LossError, PyramidionError
from pyramidion.examples import example
from pyramidion.formats import FORMATS, dump, dumps, load, loads, losses
from pyramidion.model import SCU, Contradiction, Contributor, Pyramid, Source, Summary, Topic
from tests.strategies import topics

NAMES = {
    "ducview": ("t.pyr", "t.pan"),
    "json": ("t.json", "t.jsonl"),
    "folder": ("t",),
    "pyreval-size": ("t.size",),
    "sacrerouge": ("x.pyramids.jsonl", "x.pyramid-annotations.jsonl"),
}
WRITTEN = [
    (format, name) for format in FORMATS if hasattr(FORMATS[format], "dump") for name in NAMES.get(format, ("t",))
]


def content(topic: Topic) -> tuple[object, ...]:
    """Everything that a topic says, without what says nothing: the order of most things, words that are a label."""
    pyramid = topic.pyramid
    return (
        topic.id,
        {*topic.references, *(pyramid.references if pyramid else ())},
        set(topic.peers),
        set(topic.sources),
        pyramid
        and [replace(scu, contributors=tuple(worded(scu, each) for each in scu.contributors)) for scu in pyramid.scus],
        sorted(
            (
                repr(
                    replace(
                        annotation,
                        matches=tuple(sorted(annotation.matches, key=repr)),
                        comments=tuple(sorted(annotation.comments)),
                        probabilities=tuple(sorted(annotation.probabilities)),
                    )
                )
                for annotation in topic.annotations
            ),
        ),
    )


def worded(scu: SCU, contributor: Contributor) -> Contributor:
    return contributor if contributor.spans or contributor.label else replace(contributor, label=scu.label)


def contents(topics: Sequence[Topic]) -> dict[str, tuple[object, ...]]:
    return {topic.id: content(topic) for topic in topics}


@pytest.mark.parametrize(("format", "name"), WRITTEN)
@given(topic=topics())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow], max_examples=40)
@pytest.mark.filterwarnings("ignore")
def test_losses_are_said_if_and_only_if_something_does_not_come_back(
    format: str, name: str, topic: Topic, tmp_path_factory: pytest.TempPathFactory
) -> None:
    for some in (topic, simplest(topic), replace(topic, annotations=topic.annotations[:1])):
        path = tmp_path_factory.mktemp("written") / name
        try:
            FORMATS[format].dump([some], path)  # type: ignore[attr-defined]
        except PyramidionError:
            continue
        try:
            back = contents(load(path, format))
        except PyramidionError:
            back = {}
        assert (losses([some], path, format) == []) == (back == contents([some]))


def simplest(topic: Topic) -> Topic:
    """A topic so plain that most formats hold it: texts away, statements that one made reference expresses."""
    made = Summary("reference", "", "reference")
    scus = topic.pyramid.scus if topic.pyramid else ()
    bare = [(str(n), scu.label) for n, scu in enumerate((scu for scu in scus if scu.label.split()), start=1)]
    labelled = tuple(SCU(id, label, (Contributor(made.id, label=label),)) for id, label in bare)
    return Topic("t", (made,), pyramid=Pyramid("t", (made,), labelled))


@pytest.mark.parametrize("format", ["litepyramids", "lite3pyramid", "sacrerouge", "json", "folder"])
def test_a_plain_topic_is_held_without_a_loss(tmp_path: Path, format: str) -> None:
    assert losses([simplest(example()[0])], tmp_path / "t", format) == []


@pytest.mark.filterwarnings("ignore")
@given(topics())
@settings(max_examples=30)
def test_our_own_json_loses_nothing(topic: Topic) -> None:
    try:
        written = dumps([topic], "json")
    except PyramidionError:
        assume(False)
    assert loads(written, "json") == [topic]


def test_a_query_comes_back(tmp_path: Path) -> None:
    line = {"query": "Who drained the lagoon?", "qid": "1", "nuggets": [{"text": "a", "importance": "okay"}]}
    (topic,) = loads(json.dumps(line), "nuggetizer")
    assert topic.sources == (Source("query", "Who drained the lagoon?"),)
    assert dump([topic], tmp_path / "n.jsonl", "nuggetizer", strict=True) == []
    assert json.loads((tmp_path / "n.jsonl").read_text()) == line


def test_what_has_no_place_is_refused_where_nothing_may_be_lost(tmp_path: Path) -> None:
    (topic,) = loads('{"qid": "1", "nuggets": [{"text": "a", "importance": "okay"}]}', "nuggetizer")
    sourced = replace(topic, sources=(Source("1", "The lagoon."),))
    with pytest.raises(LossError, match="would lose topic '1': 1 source document"):
        dump([sourced], tmp_path / "n.jsonl", "nuggetizer", strict=True)
    assert not (tmp_path / "n.jsonl").exists()


@pytest.mark.parametrize(
    ("format", "name"), [("ducview", "t.pan"), ("sacrerouge", "x.pyramid-annotations.jsonl"), ("lite3pyramid", "t")]
)
@pytest.mark.filterwarnings("ignore")
def test_formats_that_cannot_say_what_is_contradicted_list_it(tmp_path: Path, format: str, name: str) -> None:
    topic = example()[0]
    (one, *_) = topic.annotations
    (scu, *_) = (scu.id for scu in topic.pyramid.scus if scu.id not in one.expressed)
    denying = replace(topic, annotations=(replace(one, contradicted=(Contradiction(scu, probability=0.75),)),))
    plain = losses([replace(topic, annotations=(one,))], tmp_path / name, format)
    lost = set(losses([denying], tmp_path / name, format)) - set(plain)
    assert len(lost) == 1
    assert "the contradicted SCUs of 1 annotation(s) (the first: {" in lost.pop()
    for keeps in ("t.json", "t"):
        assert losses([denying], tmp_path / keeps, "json" if keeps == "t.json" else "folder") == []
