"""The pyramids that builders and matchers are measured with are what their README says."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest
from train.topics.statements import of_topic

from pyramidion.base.threads import single_blas
from pyramidion.formats import folder
from pyramidion.language.parse.analysers import analyse
from pyramidion.model import Span, Topic

HERE = Path(__file__).parent / "data" / "topics"
OPEN, SEALED = ({topic.id: topic for topic in folder.load(HERE / half)} for half in ("open", "sealed"))
TOPICS = OPEN | SEALED
PEERS = ["copy", "mistaken", "own-words", "weak"]
TURNS = {"and", "but", "so", "however", "therefore", "then", "also", "because", "that", "which", "who", "when", "while"}
POINTING = {
    "it",
    "he",
    "she",
    "they",
    "we",
    "you",
    "i",
    "this",
    "these",
    "those",
    "its",
    "his",
    "her",
    "their",
    "there",
}

STATEMENTS = sorted((HERE.parents[2] / "train" / "topics" / "statements").glob("*.tsv"))

every_topic = pytest.mark.parametrize("topic", TOPICS.values(), ids=TOPICS)


def located(topic: Topic) -> Iterator[tuple[str, Span]]:
    """Every span, with the text that it points into."""
    assert topic.pyramid
    for scu in topic.pyramid.scus:
        for contributor in scu.contributors:
            yield from ((topic.pyramid.reference(contributor.summary).text, span) for span in contributor.spans)
    for annotation in topic.annotations:
        for unit in chain(annotation.matches, annotation.contradicted, annotation.unmatched):
            yield from ((annotation.summary.text, span) for span in unit.spans)


def test_three_are_open_and_three_are_sealed() -> None:
    assert len(OPEN) == len(SEALED) == 3
    assert not OPEN.keys() & SEALED.keys()


@every_topic
def test_four_references_and_four_annotated_peers(topic: Topic) -> None:
    assert len(topic.references) == 4
    assert all(100 <= len(reference.text.split()) <= 150 for reference in topic.references)
    assert [peer.id for peer in topic.peers] == PEERS
    assert [annotation.summary.id for annotation in topic.annotations] == PEERS


@every_topic
def test_the_pyramid_has_four_tiers_and_widens_downwards(topic: Topic) -> None:
    assert topic.pyramid
    sizes = [len(tier) for tier in topic.pyramid.tiers.values()]
    assert list(topic.pyramid.tiers) == [4, 3, 2, 1]
    assert sizes == sorted(sizes)
    assert 22 <= sum(sizes) <= 28
    assert not topic.pyramid.repeats


@every_topic
def test_every_contributor_match_and_unit_has_words(topic: Topic) -> None:
    assert topic.pyramid
    units = chain(
        (contributor for scu in topic.pyramid.scus for contributor in scu.contributors),
        (unit for one in topic.annotations for unit in chain(one.matches, one.contradicted, one.unmatched)),
    )
    for unit in units:
        assert unit.spans
        assert all(left.end < right.start for left, right in zip(unit.spans, unit.spans[1:], strict=False))


@every_topic
def test_every_span_is_whole_words_without_loose_punctuation(topic: Topic) -> None:
    for text, span in located(topic):
        words = span.of(text)
        assert words[0].isalnum(), words
        assert words[-1].isalnum(), words
        assert not text[max(0, span.start - 1) : span.start].isalnum(), words
        assert not text[span.end : span.end + 1].isalnum(), words


@every_topic
def test_four_fifths_of_the_words_of_content_are_in_contributors(topic: Topic) -> None:
    assert topic.pyramid
    for reference in topic.references:
        spans = [
            span
            for scu in topic.pyramid.scus
            for one in scu.contributors
            if one.summary == reference.id
            for span in one.spans
        ]
        inside = {place for span in spans for place in range(span.start, span.end)}
        words = [word for word in analyse(reference.text).words if word.upos in {"NOUN", "PROPN", "NUM", "VERB", "ADJ"}]
        assert sum(word.start in inside for word in words) >= 0.8 * len(words)


@every_topic
def test_labels_are_sentences_that_stand_by_themselves(topic: Topic) -> None:
    assert topic.pyramid
    labels = [scu.label for scu in topic.pyramid.scus]
    assert len(set(labels)) == len(labels)
    for label in labels:
        words = analyse(label + ".").words
        subjects = [word for word in words if word.relation.partition(":")[0] in {"nsubj", "csubj"}]
        # without an auxiliary, what the tagger calls a participle is the past tense: "the terms limited"
        finite = {"VBD", "VBZ", "VBP", "MD", "VBN"}
        assert 4 <= len(label.split()) <= 16, label
        assert not label.endswith("."), label
        assert label[0].isupper() or label[0].isdigit(), label
        assert words[0].form.lower() not in TURNS | POINTING, label
        assert subjects, label
        assert any(word.xpos in finite for word in words), label


@every_topic
def test_peers_differ_as_they_should(topic: Topic) -> None:
    said = {one.summary.id: len(one.expressed) for one in topic.annotations}
    denied = {one.summary.id: len(one.contradicted) for one in topic.annotations}
    assert said["weak"] <= 3
    assert said["mistaken"] < min(said["copy"], said["own-words"])
    assert denied["mistaken"] >= 6
    assert all(one.unmatched for one in topic.annotations)


@every_topic
def test_the_words_of_a_contradiction_are_also_units_in_no_scu(topic: Topic) -> None:
    for annotation in topic.annotations:
        outside = {unit.spans for unit in annotation.unmatched}
        assert all(contradiction.spans in outside for contradiction in annotation.contradicted)


def test_the_topics_to_train_on_are_well_formed_and_none_is_measured_with() -> None:
    root = HERE.parents[2]
    done = subprocess.run(
        [sys.executable, "-m", "train.topics"], cwd=root, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stdout
    names = {path.stem for path in (root / "train" / "topics").glob("*.json")}
    assert len(names) == len(done.stdout.splitlines()) == 225
    assert not names & TOPICS.keys()


def test_a_unit_is_said_in_the_share_of_its_scus() -> None:
    code = (
        "from train.topics.pairs import answers\n"
        "assert answers('a', {'a'}, ()) == [(0, 1.0)]\n"
        "assert answers('ab', {'a'}, {'b'}) == [(0, 0.5), (2, 0.5)]\n"
        "assert answers('ab', (), {'b'}) == [(1, 1.0)]\n"
        "assert answers('ab', (), (), {'b'}) == [(0, 0.25), (2, 0.75)]\n"
        "assert answers('ab', (), ()) == [(2, 1.0)]\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=HERE.parents[2], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr


def test_there_are_statements_of_every_topic_to_train_on() -> None:
    assert [path.stem for path in STATEMENTS] == sorted(path.stem for path in STATEMENTS[0].parents[1].glob("*.json"))


@pytest.mark.parametrize("part", range(5))
def test_statements_to_train_on_are_of_the_sentences_of_their_texts_and_short(part: int) -> None:
    for path in STATEMENTS[part::5]:
        with single_blas():
            told = list(of_topic(path))
        assert told, path.name
        for statement in (one for text in told for _, own in text.sentences for one in own):
            assert 3 <= len(statement.split()) <= 18, f"{path.name}: {statement}"
            assert statement.rstrip("\"'”’").endswith((".", "!", "?")), f"{path.name}: {statement}"
