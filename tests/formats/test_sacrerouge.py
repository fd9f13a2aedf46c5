"""SacreROUGE's pyramids and annotations: each file alone, both together, offsets checked, and back."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.errors import FormatError, InputWarning, PyramidionError
from pyramidion.formats import dump, load, sacrerouge, sniff
from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Source, Span, Summary, Topic
from tests.fuzz import mutated, only_our_errors
from tests.strategies import topics

A, B, PEER = "Rents rise in town.", "In town, rents went up. Rents!", "Town rents rise."


def part(words: str, text: str) -> dict[str, Any]:
    start = text.index(words)
    return {"text": words, "start": start, "end": start + len(words)}


def contributor(text: str, *words: str, index: int | None = None) -> dict[str, Any]:
    made = {"label": "...".join(words), "parts": [part(one, text) for one in words]}
    return made if index is None else {"summary_index": index, **made}


def pyramid(**changes: Any) -> dict[str, Any]:
    scus = [
        {
            "scu_id": 3,
            "label": "Rents rise",
            "contributors": [contributor(A, "Rents rise", index=0), contributor(B, "rents", "up", index=1)],
        },
        {"scu_id": 5, "label": "In town", "contributors": [contributor(B, "In town", index=1)]},
    ]
    return {"instance_id": "d1", "summaries": [A, B], "summarizer_ids": ["A", "B"], "scus": scus} | changes


def annotation(**changes: Any) -> dict[str, Any]:
    scus = [{"scu_id": 3, "label": "Rents rise", "contributors": [contributor(PEER, "rents rise")]}]
    made = {"instance_id": "d1", "summarizer_id": "16", "summarizer_type": "peer", "summary": PEER, "scus": scus}
    return made | changes


def lines(*records: dict[str, Any]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def read(*records: dict[str, Any]) -> Topic:
    (topic,) = sacrerouge.loads(lines(*records), "s.jsonl")
    return topic


def changed(record: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """The record with another value at a path such as ``scus.0.label``."""
    made: dict[str, Any] = json.loads(json.dumps(record))
    at: Any = made
    *way, last = [int(step) if step.isdigit() else step for step in path.split(".")]
    for step in way:
        at = at[step]
    at[last] = value
    return made


def test_a_pyramid_alone() -> None:
    topic = read(pyramid())
    assert topic.id == "d1"
    assert topic.references == (Summary("A", A), Summary("B", B))
    assert topic.pyramid is not None
    assert topic.pyramid.scus == (
        SCU("3", "Rents rise", (Contributor("A", (Span(0, 10),)), Contributor("B", (Span(9, 14), Span(20, 22))))),
        SCU("5", "In town", (Contributor("B", (Span(0, 7),)),)),
    )
    assert [scu.weight for scu in topic.pyramid.scus] == [2, 1]


def test_annotations_alone_keep_the_labels() -> None:
    topic = read(annotation(), annotation(summarizer_id="A", summarizer_type="reference", summary=A, scus=[]))
    peer = Summary("16", PEER, "peer")
    assert topic.pyramid is None
    assert topic.peers == (peer,)
    assert topic.references == (Summary("A", A),)
    assert topic.annotations == (
        Annotation(peer, (Match("3", (Span(5, 15),)),), labels=(("3", "Rents rise"),)),
        Annotation(Summary("A", A)),
    )


def test_both_in_one_file_are_put_together() -> None:
    topic = read(annotation(), pyramid())
    assert topic.pyramid is not None
    assert topic.annotations == (Annotation(topic.peers[0], (Match("3", (Span(5, 15),)),)),)
    assert [reference.id for reference in topic.references] == ["A", "B"]


def test_every_contributor_of_an_annotation_is_a_match() -> None:
    twice = [{"scu_id": 3, "label": "", "contributors": [contributor(B, "rents"), contributor(B, "Rents")]}]
    assert [match.scu for match in read(annotation(summary=B, scus=twice)).annotations[0].matches] == ["3", "3"]


def test_an_scu_that_no_contributor_expresses_is_left_out_of_an_annotation() -> None:
    with pytest.warns(InputWarning, match=r"s\.jsonl:1: \$\.scus\[0\]: SCU 3 has no contributor"):
        assert read(annotation(scus=[{"scu_id": 3, "label": "x", "contributors": []}])).annotations[0].matches == ()


def test_sentences_are_joined_by_a_space_as_sacrerouge_does() -> None:
    assert read(annotation(summary=["Town", "rents rise."])).peers[0].text == PEER
    assert read(pyramid(summaries=[A, ["In town,", "rents went up.", "Rents!"]])).references[1].text == B


def test_ids_may_be_numbers() -> None:
    topic = read(annotation(instance_id=7, summarizer_id=16), pyramid(instance_id=7, summarizer_ids=[1, 2]))
    assert (topic.id, topic.peers[0].id, topic.references[1].id) == ("7", "16", "2")


def test_early_pyramids_have_no_summarizer_ids() -> None:
    early = pyramid()
    del early["summarizer_ids"]
    with pytest.warns(InputWarning, match=r"s\.jsonl:1: \$: There are no summarizer_ids"):
        assert [reference.id for reference in read(early).references] == ["1", "2"]


def test_offsets_are_trusted_over_the_text_beside_them() -> None:
    other = changed(pyramid(), "scus.0.contributors.1.parts.1.text", "down")
    with pytest.warns(InputWarning, match=r"s\.jsonl:1: .*contributors\[1\]\.parts\[1\]: The text 'down' .* at 20-22"):
        topic = read(other)
    assert topic.pyramid is not None
    assert topic.pyramid.scus[0].contributors[1].spans == (Span(9, 14), Span(20, 22))


def test_white_space_does_not_make_a_text_disagree() -> None:
    read(changed(pyramid(), "scus.0.contributors.0.parts.0.text", "Rents\n rise"))


def test_a_contributor_without_parts_has_only_its_label() -> None:
    topic = read(changed(pyramid(), "scus.1.contributors.0", {"summary_index": 1, "label": "somewhere", "parts": []}))
    assert topic.pyramid is not None
    assert topic.pyramid.scus[1].contributors == (Contributor("B", label="somewhere"),)
    assert read(annotation(scus=[{"scu_id": 3, "contributors": [{"parts": []}]}])).annotations[0].matches == (
        Match("3"),
    )


@pytest.mark.parametrize(
    ("records", "message"),
    [
        (
            [changed(pyramid(), "scus.0.contributors.0.parts.0.end", 99)],
            r"1: \$.scus\[0\].contributors\[0\].parts\[0\]: 0-99 is",
        ),
        (
            [changed(pyramid(), "scus.0.contributors.0.parts.0.end", 0)],
            r"1: \$.scus\[0\].contributors\[0\].parts\[0\]: 0-0 is",
        ),
        ([changed(pyramid(), "scus.0.contributors.0.parts.0.start", -1)], r"1: \$.scus.*: Expected 'int' >= 0"),
        (
            [changed(pyramid(), "scus.1.contributors.0.summary_index", 2)],
            r"1: \$.scus\[1\].*: The summary_index is 2, but there are 2",
        ),
        (
            [changed(pyramid(), "scus.1.contributors.0.summary_index", None)],
            r"1: \$.scus\[1\].*: The summary_index is None",
        ),
        ([changed(pyramid(), "scus.1.contributors", [])], "1: SCU '5' .* has no contributor"),
        ([changed(pyramid(), "scus.1.scu_id", 3)], "1: Two SCUs have the id '3'"),
        ([pyramid(summarizer_ids=["A"])], r"1: \$.summarizer_ids: There are 1 ids for 2 summaries"),
        ([pyramid(), pyramid()], r"2: \$: There is a second pyramid for 'd1'"),
        ([annotation(), annotation()], r"2: \$: The peer '16' is annotated twice for 'd1'"),
        ([annotation(), pyramid(scus=[])], " The annotation of '16' matches SCU '3', which pyramid 'd1' does not have"),
        ([pyramid(), annotation(summarizer_type="judge")], r"2: \$.summarizer_type: Invalid enum value 'judge'"),
        ([annotation(summary=None)], r"1: \$: The line is neither a pyramid nor an annotation"),
        ([annotation(instance_id="")], r"1: \$.instance_id: Expected 'str' of length >= 1"),
    ],
)
def test_errors_say_where(records: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(PyramidionError, match=f"^s.jsonl:{message}"):
        read(*records)


def test_broken_json_is_shown_with_its_column() -> None:
    with pytest.raises(FormatError, match=r"^s\.jsonl:2:20: .*; correct the JSON there") as error:
        sacrerouge.loads(lines(pyramid()) + '{"instance_id": "é"; "scus": []}\n', "s.jsonl")
    assert error.value.explain().endswith('"é"; "scus": []}\n' + " " * (4 + 19) + "^")
    with pytest.raises(FormatError, match=r"^s\.jsonl:1:\d+: The JSON ends too early"):
        sacrerouge.loads(lines(pyramid())[:50], "s.jsonl")
    with pytest.raises(FormatError, match=r"^s\.jsonl:1: "):
        sacrerouge.loads('{"instance_id": "d1", "scus": ' + "[" * 100_000, "s.jsonl")


def test_sniffing(tmp_path: Path) -> None:
    for record in (pyramid(), annotation()):
        (tmp_path / "x.jsonl").write_text(lines(record))
        assert sniff(tmp_path / "x.jsonl") == "sacrerouge"
    summary = {"instance_id": "d1", "summarizer_id": "16", "summarizer_type": "peer", "summary": {"text": ["x"]}}
    assert not sacrerouge.sniff(tmp_path, lines(summary).encode())


def test_both_files_come_back(tmp_path: Path) -> None:
    topic = read(pyramid(), annotation())
    pyramids, annotations = tmp_path / "t.pyramids.jsonl", tmp_path / "t.pyramid-annotations.jsonl"
    sacrerouge.dump([topic], pyramids)
    sacrerouge.dump([topic], annotations)
    assert json.loads(pyramids.read_text()) == pyramid()
    assert json.loads(annotations.read_text()) == annotation()
    assert sacrerouge.loads(pyramids.read_bytes() + annotations.read_bytes()) == [topic]
    alone = sacrerouge.load(annotations)
    dump(alone, annotations, "sacrerouge", strict=True)
    assert load(annotations) == alone


def test_the_kind_overrules_the_name(tmp_path: Path) -> None:
    topic = read(pyramid(), annotation())
    sacrerouge.dump([topic], tmp_path / "x.jsonl", kind="annotations")
    assert sacrerouge.load(tmp_path / "x.jsonl")[0].pyramid is None
    for kind in sacrerouge.KINDS:
        with pytest.raises(FormatError, match=f"There are no {kind} to write"):
            sacrerouge.dumps([Topic("t")], kind=kind)


def test_ids_that_are_no_numbers_and_texts_that_are_no_unicode() -> None:
    made = Pyramid(
        "t", (Summary("A", "x"),), tuple(SCU(id, "x", (Contributor("A"),)) for id in ("7", "07", "x", "9" * 30))
    )
    topic = Topic("t", made.references, pyramid=made)
    assert [scu["scu_id"] for scu in json.loads(sacrerouge.dumps([topic]))["scus"]] == [7, "07", "x", "9" * 30]
    assert sacrerouge.loads(sacrerouge.dumps([topic])) == [topic]
    broken = replace(made, references=(Summary("A", "\ud800"),))
    with pytest.raises(FormatError, match="a lone surrogate"):
        sacrerouge.dumps([Topic("t", broken.references, pyramid=broken)])


def test_what_the_files_cannot_hold_is_listed() -> None:
    topic = read(pyramid(), annotation())
    assert topic.pyramid is not None
    assert sacrerouge.losses([read(pyramid())], Path("x.pyramids.jsonl")) == []
    assert sacrerouge.losses([read(annotation())], Path("x.pyramid-annotations.jsonl")) == []
    peer, other = topic.peers[0], Summary("17", "x", "peer")
    remarked = replace(topic.pyramid, scus=tuple(replace(scu, comment="hm") for scu in topic.pyramid.scus))
    full = replace(
        topic,
        references=(*topic.references, Summary("C", "x")),
        peers=(peer, other),
        sources=(Source("1", "x"),),
        pyramid=remarked,
        annotations=(
            Annotation(peer, (Match("3", score=0.5),), (Contributor("16"),), "ann", (("5", "hm"),)),
            Annotation(peer, annotator="bob"),
        ),
    )
    assert sacrerouge.losses([full, Topic("u")], Path("x.jsonl")) == [
        "topic 'd1': 1 reference(s): 'C'",
        "topic 'd1': 2 peer(s): '16', '17'",
        "topic 'd1': 1 source document(s): '1'",
        "topic 'd1': the comment of 2 SCU(s) (the first: 'hm' becomes '')",
        "topic 'd1': 2 annotation(s): '16 by ann', '16 by bob'",
        "topic 'u': everything: nothing of it can be written",
    ]
    assert sacrerouge.losses([full], Path("x.pyramid-annotations.jsonl")) == [
        "topic 'd1': 3 reference(s): 'A', 'B', 'C'",
        "topic 'd1': 1 peer(s): '17'",
        "topic 'd1': 1 source document(s): '1'",
        "topic 'd1': the pyramid",
        "topic 'd1': 2 annotation(s): '16 by ann', '16 by bob'",
    ]


@given(topics())
def test_what_is_written_can_be_read_and_nothing_unlisted_is_lost(topic: Topic) -> None:
    for kind, name in (("pyramids", "x.pyramids.jsonl"), ("annotations", "x.pyramid-annotations.jsonl")):
        try:
            written = sacrerouge.dumps([topic], kind=kind)
        except FormatError:
            continue
        read = sacrerouge.loads(written)
        assert sacrerouge.dumps(read, kind=kind) == written
        assert sacrerouge.losses([topic], Path(name)) or read == [topic]


@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    only_our_errors(lambda: sacrerouge.loads(data))


@given(mutated(lines(pyramid(), annotation()).encode()))
def test_damaged_documents(data: bytes) -> None:
    only_our_errors(lambda: sacrerouge.loads(data))
