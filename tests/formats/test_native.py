"""Our own JSON holds everything, says what is wrong where, and has a schema that agrees."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.errors import FormatError, InputWarning, PyramidionError
from pyramidion.examples import example
from pyramidion.formats import ducview, lite3pyramid, load, native, nuggetizer, sacrerouge
from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Span, Summary, Topic
from tests.fuzz import mutated, only_our_errors
from tests.strategies import topics

EXAMPLE = native.dumps([example()[0]])
SCHEMA = jsonschema.Draft202012Validator(native.schema())


@given(topics())
def test_everything_comes_back(topic: Topic) -> None:
    written = native.dumps([topic])
    assert native.loads(written) == [topic]
    assert native.dumps(native.loads(written)) == written


@given(topics())
def test_every_document_fits_the_schema(topic: Topic) -> None:
    SCHEMA.validate(json.loads(native.dumps([topic])))


def test_the_published_schema_is_this_one() -> None:
    SCHEMA.check_schema(native.schema())
    published = Path(__file__).parents[2] / "docs" / "topic-1.schema.json"
    assert json.loads(published.read_text()) == native.schema()


def test_several_topics_are_lines(tmp_path: Path) -> None:
    both = example()
    path = tmp_path / "corpus.jsonl"
    native.dump(both, path)
    assert len(path.read_text().splitlines()) == 2
    assert native.load(path) == list(native.iterload(path)) == both
    native.dump(both[:1], path)
    assert native.load(path) == both[:1]


def test_a_minimal_document_and_texts_by_id() -> None:
    (topic,) = native.loads('{"topic": "t", "references": {"A": "Cats."}, "peers": {"p": ""}}')
    assert topic == Topic("t", (Summary("A", "Cats."),), (Summary("p", "", "peer"),))


def test_spans_are_easy_on_the_eye() -> None:
    pairs = [line.strip().rstrip(",") for line in EXAMPLE.decode().splitlines() if line.strip().startswith("[")]
    assert pairs[:2] == ["[92, 123]", "[0, 31]"]
    assert b'"score"' not in EXAMPLE


def test_an_annotation_of_another_text_keeps_its_own() -> None:
    filed, annotated = Summary("p", "Cats. ", "peer"), Summary("p", "Cats.", "peer")
    topic = Topic(
        "t", (), (filed,), annotations=(Annotation(annotated, (Match("1", (Span(0, 4),), 0.25),), (Contributor("p"),)),)
    )
    assert native.loads(native.dumps([topic])) == [topic]


def test_a_judges_probabilities_are_numbers_by_scu() -> None:
    peer = Summary("p", "Cats.", "peer")
    judged = Annotation(peer, probabilities=(("2", 0.1), ("1", 1.0), ("3", 0.0)))
    topic = Topic("t", (), (peer,), annotations=(judged,))
    (written,) = json.loads(native.dumps([topic]))["annotations"]
    assert written == {"summary": "p", "probabilities": {"2": 0.1, "1": 1.0, "3": 0.0}}
    assert native.loads(native.dumps([topic])) == [topic]


@pytest.mark.parametrize(
    ("format", "name"),
    [
        (ducview, "p.pan"),
        (lite3pyramid, "folder"),
        (nuggetizer, "n.jsonl"),
        (sacrerouge, "x.pyramid-annotations.jsonl"),
    ],
)
def test_other_formats_say_that_they_lose_a_judges_probabilities(format: ModuleType, name: str) -> None:
    pyramid = Pyramid("t", (Summary("A", "Cats."),), (SCU("1", "Cats", (Contributor("A", (Span(0, 4),)),)),))
    peer = Summary("p", "Cats.", "peer")

    def losses(annotation: Annotation) -> list[str]:
        found: list[str] = format.losses(
            [Topic("t", pyramid.references, (peer,), (), pyramid, (annotation,))], Path(name)
        )
        return found

    person = losses(Annotation(peer, (Match("1", (Span(0, 4),)),)))
    judge = losses(Annotation(peer, (Match("1", (Span(0, 4),)),), probabilities=(("1", 0.75),)))
    (more,) = [line for line in judge if line not in person]
    assert "probabilit" in more


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("", "^x.json: The file is empty"),
        ('{"topic": "t", "peers": [', "^x.json:1:26: The JSON ends too early; write it again; it is incomplete"),
        (
            '{"topic": "t",\n "peers": [,]}',
            r"^x.json:2:\d+: JSON is malformed: invalid character; correct the JSON there",
        ),
        ('{"topic": 1}', r"^x.json: \$.topic: Expected 'str', got 'int'; see docs/formats.md"),
        ('{"topic": "t", "peer": []}', "unknown field 'peer'"),
        ('{"topic": ""}', r"\$.topic: Expected 'str' of length >= 1"),
        (
            '{"topic": "t", "pyramidion": 2}',
            "The file has version 2 of this format, but this program only knows versions up to 1; run: pip install "
            "--upgrade",
        ),
        (
            '{"topic": "t", "pyramid": {"scus": [{"id": "1", "label": "x", "contributors": []}]}}',
            "SCU '1' .* has no contributor",
        ),
        ('{"topic": "t", "annotations": [{"summary": "p"}]}', "The annotated peer 'p' has no text"),
        ('{"topic": "t", "references": [{"id": "A", "text": "x"}, {"id": "A", "text": "y"}]}', "have the id 'A'"),
        (
            '{"topic": "t", "peers": {"p": "x"}, "annotations": [{"summary": "p", "matches": [{"scu": "1", "spans": [[3, 9]]}]}]}',
            "ends at 9",
        ),
        (
            '{"topic": "t", "peers": {"p": "x"}, "annotations": [{"summary": "p", "probabilities": {"1": 1.5}}]}',
            r"\$.annotations\[0\].probabilities\[...\]: Expected .* <= 1",
        ),
        (
            '{"topic": "t", "peers": {"p": "x"}, "pyramid": {"scus": []}, '
            '"annotations": [{"summary": "p", "probabilities": {"1": 0.5}}]}',
            "SCU '1', which pyramid 't' does not have",
        ),
        ('{"topic": "t"}\n{"topic": 7}', r"^x.json:2: \$.topic: Expected 'str'"),
        ("[" * 100_000, "not a topic|malformed|too early|Expected"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(document: str, message: str) -> None:
    with pytest.raises(PyramidionError, match=message):
        native.loads(document, "x.json")


@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    only_our_errors(lambda: native.loads(data))


@given(mutated(EXAMPLE))
def test_damaged_documents(data: bytes) -> None:
    only_our_errors(lambda: native.loads(data))


def test_lone_surrogates_are_refused() -> None:
    with pytest.raises(FormatError, match="lone surrogate"):
        native.dumps([Topic("t", (Summary("A", "\ud800"),))])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
def test_lines_in_utf_16_are_read_too(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "corpus.jsonl"
    mark = "\ufeff" if encoding == "utf-16-be" else ""
    path.write_bytes((mark + '{"topic": "\u0a0a"}\n\n{"topic": "b"}\n').encode(encoding))
    assert [topic.id for topic in load(path)] == ["\u0a0a", "b"]
    assert [topic.id for topic in native.loads(path.read_bytes())] == ["\u0a0a", "b"]
    if encoding.startswith("utf-16"):
        path.write_bytes(path.read_bytes()[:-1])
        with pytest.raises(FormatError, match="not valid UTF-16"):
            load(path)


def test_a_topic_that_comes_twice_is_named_with_both_lines(tmp_path: Path) -> None:
    lines = '{"topic": "t"}\n\n{"topic": "u"}\n{"topic": "t"}\n'
    (tmp_path / "c.jsonl").write_text(lines)
    with pytest.raises(FormatError, match=r"c.jsonl:4: Topic 't' occurs twice, in lines 1 and 4"):
        native.load(tmp_path / "c.jsonl")
    with pytest.raises(FormatError, match=r"Topic 't' occurs twice, in lines 1 and 4"):
        native.loads(lines)
    with pytest.raises(PyramidionError, match="Topic 't' occurs twice"):
        native.dump([Topic("t"), Topic("t")], tmp_path / "out.jsonl")


@pytest.mark.parametrize("version", [0, -1])
def test_there_is_no_version_below_1(version: int) -> None:
    with pytest.raises(FormatError, match=f"This format has no version {version}"):
        native.loads(f'{{"topic": "t", "pyramidion": {version}}}')


def test_two_contributors_of_one_reference_are_told_once_with_their_place() -> None:
    contributor = '{"reference": "A"}'
    document = (
        '{"topic": "t", "references": {"A": "x"}, "pyramid": {"scus": [{"id": "7", "label": "", "contributors": '
        f"[{contributor}, {contributor}]}}]}}}}"
    )
    with pytest.warns(InputWarning) as caught:
        native.loads(document, "x.json")
    (told,) = [str(one.message) for one in caught]
    assert told.startswith("x.json: $.pyramid.scus[0]: 1 SCU(s) have two contributors from one reference")
