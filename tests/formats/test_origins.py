"""Where units come from and who judged them: our JSON and folders keep it, other formats say that they lose it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pyramidion.errors import PyramidionError
from pyramidion.formats import ducview, folder, lite3pyramid, litepyramids, native, nuggetizer, pyreval, sacrerouge
from pyramidion.formats._differences import differences
from pyramidion.model import SCU, Annotation, Contributor, Match, Place, Pyramid, Source, Span, Summary, Topic

HERE = (Span(0, 4),)
PEER = Summary("p", "Cats.", "peer")
CONTRIBUTOR = Contributor("A", HERE)
CATS, DOGS = SCU("1", "Cats", (CONTRIBUTOR,)), SCU("2", "Dogs", (CONTRIBUTOR,))
READ = Annotation(PEER, (Match("1", HERE),), (Contributor("p", HERE),))

OF_PYRAMIDS: dict[str, Any] = {
    "the sentence": {"sentence": "Cats sleep."},
    "segment": {"contributors": (replace(CONTRIBUTOR, segment="1.1.0.0"),)},
    "the place": {"contributors": (replace(CONTRIBUTOR, place=Place("s", Span(0, 4))),)},
    "reason": {"contributors": (replace(CONTRIBUTOR, reason="cats | sleep"),)},
}
OF_ANNOTATIONS: dict[str, Any] = {
    "segment": {"matches": (Match("1", HERE, segment="1.1.0.0"),)},
    "reason": {"matches": (Match("1", HERE, reason="like A"),)},
    "matche": {"matcher": "soft"},
    "judged": {"unjudged": (("2", "not asked"),)},
    "part": {"partial": ("2",)},
    "label": {"labels": (("1", "Cats"),)},
}


def topic(scu: SCU = CATS, read: Annotation = READ) -> Topic:
    pyramid = Pyramid("t", (Summary("A", "Cats."),), (scu, DOGS))
    return Topic("t", pyramid.references, (PEER,), (Source("s", "Cats sleep."),), pyramid, (read,))


def lost(format: ModuleType, name: str, changed: Topic) -> list[str]:
    """What is listed besides the losses of a topic without any of these fields."""
    plain = format.losses([topic()], Path(name))
    return [line for line in format.losses([changed], Path(name)) if line not in plain]


EVERY = [*({"scu": replace(CATS, **one)} for one in OF_PYRAMIDS.values())]
EVERY += [{"read": replace(READ, **one)} for one in OF_ANNOTATIONS.values()]
EVERY += [
    {"scu": replace(CATS, contributors=(Contributor("A", label="Cats", supported=False),))},
    {"scu": replace(CATS, contributors=(replace(CONTRIBUTOR, annotator="W1"),))},
    {"read": replace(READ, matches=(Match("1", reason="Dogs", supported=False),))},
    {"read": replace(READ, unmatched=(Contributor("p", HERE, segment="1.1.0.0", reason="r", annotator="W1"),))},
]


@pytest.mark.parametrize("fields", EVERY)
def test_our_own_formats_keep_all_of_it(fields: dict[str, Any], tmp_path: Path) -> None:
    changed = topic(**fields)
    assert changed != topic()
    assert native.loads(native.dumps([changed])) == [changed]
    assert folder.losses([changed], tmp_path) == []
    folder.dump([changed], tmp_path / "corpus")
    assert folder.load(tmp_path / "corpus") == [changed]
    assert differences(changed, topic())  # a reader that lost it would be found out


@pytest.mark.parametrize(("what", "fields"), OF_PYRAMIDS.items())
@pytest.mark.parametrize(
    ("format", "name"),
    [
        (ducview, "t.pyr"),
        (pyreval, "t.pyr"),
        (litepyramids, "t.csv"),
        (lite3pyramid, "t"),
        (sacrerouge, "t.pyramids.jsonl"),
        (nuggetizer, "t.jsonl"),
    ],
)
def test_other_formats_say_what_they_lose_of_a_pyramid(
    format: ModuleType, name: str, what: str, fields: dict[str, Any]
) -> None:
    (line,) = lost(format, name, topic(scu=replace(CATS, **fields)))
    assert what in line


@pytest.mark.parametrize(("what", "fields"), OF_ANNOTATIONS.items())
@pytest.mark.parametrize(
    ("format", "name", "held"),
    [
        (ducview, "t.pan", ""),
        (lite3pyramid, "t", ""),
        (sacrerouge, "t.pyramid-annotations.jsonl", "label"),
        (nuggetizer, "t.jsonl", "part"),
    ],
)
def test_other_formats_say_what_they_lose_of_an_annotation(
    format: ModuleType, name: str, held: str, what: str, fields: dict[str, Any]
) -> None:
    lines = lost(format, name, topic(read=replace(READ, **fields)))
    assert len(lines) == (what != held)
    assert all(what in line for line in lines)


def test_who_wrote_a_statement_is_what_litepyramids_calls_its_author() -> None:
    written = replace(CATS, contributors=(replace(CONTRIBUTOR, annotator="W1", comment="hm"),))
    (line,) = lost(litepyramids, "t.csv", topic(scu=written))
    assert "the comment of 1 contributor(s)" in line
    (back,) = litepyramids.loads(litepyramids.dumps([topic(scu=written)]))
    assert back.pyramid is not None
    assert [one.annotator for scu in back.pyramid.scus for one in scu.contributors] == ["W1", ""]


def test_a_failed_assignment_is_no_answer_both_ways() -> None:
    unanswered = topic(read=replace(READ, unjudged=(("2", "no answer"),)))
    assert lost(nuggetizer, "t.jsonl", unanswered) == []
    with pytest.warns(match="1 assignment.s. 'failed'"):
        (back,) = nuggetizer.loads(nuggetizer.dumps([unanswered]))
    assert back.annotations[0].unjudged == (("2", "no answer"),)


def test_a_document_shows_the_fields_that_are_used_and_no_others() -> None:
    scu = replace(CATS, contributors=(Contributor("A", HERE, place=Place("s", Span(0, 4))),), sentence="Cats sleep.")
    read = replace(READ, unjudged=(("2", "not asked"),), matcher="soft")
    written = json.loads(native.dumps([topic(scu, read)]))
    assert written["pyramid"]["scus"][0] == {
        "id": "1",
        "label": "Cats",
        "contributors": [{"reference": "A", "spans": [[0, 4]], "place": {"source": "s", "span": [0, 4]}}],
        "sentence": "Cats sleep.",
    }
    assert written["annotations"][0] == {
        "summary": "p",
        "matches": [{"scu": "1", "spans": [[0, 4]]}],
        "unmatched": [{"spans": [[0, 4]]}],
        "matcher": "soft",
        "unjudged": {"2": "not asked"},
    }


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ('"unjudged": {"1": "asleep"}', r"^x.json: \$.annotations\[0\].unjudged\[...\]: Invalid enum value 'asleep'"),
        (
            '"unjudged": {"1": "no answer"}, "matches": [{"scu": "1"}]',
            "^x.json: .* calls SCU '1' unjudged and gives it a",
        ),
        ('"matches": [{"scu": "1", "segment": "7"}]', "^x.json: A match of SCU '1' has the segment '7'; name it"),
        ('"unmatched": [{"place": {"source": "s", "span": [4, 4]}}]', "^x.json: The span 4-4 is empty or negative"),
    ],
)
def test_contradictions_in_a_document_are_errors_with_its_name(field: str, message: str) -> None:
    document = '{"topic": "t", "peers": {"p": ""}, "annotations": [{"summary": "p", ' + field + "}]}"
    with pytest.raises(PyramidionError, match=message):
        native.loads(document, "x.json")


def test_comments_of_old_files_are_free_text() -> None:
    old = (
        '{"pyramidion": 1, "topic": "t", "peers": {"p": "Cats."}, "annotations": [{"summary": "p", '
        '"matches": [{"scu": "1", "comment": "1.1.0.0"}], "comments": {"2": "no answer"}}]}'
    )
    (read,) = native.loads(old)[0].annotations
    assert read == Annotation(PEER, (Match("1", comment="1.1.0.0"),), comments=(("2", "no answer"),))
