"""APE on our own graphs: gold triples, thresholds, bad input."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from pathlib import Path

import pytest
from hypothesis import given, settings

from pyramidion.analyses.accuracy.realsumm import read
from pyramidion.errors import InputWarning, PyramidionError
from pyramidion.examples import example
from pyramidion.language import LanguageError
from pyramidion.language.graphs.sources import AMR_TAU, tau_of
from pyramidion.matchers.ape import ape, coverages
from pyramidion.methods import Method
from pyramidion.model import SCU, Contributor, Pyramid, Span, Summary
from pyramidion.scoring import scores
from tests.strategies import pyramids


def pyramid_of(*labels: str) -> Pyramid:
    """SCUs of which only labels are known."""
    contributor = (Contributor("A"),)
    return Pyramid("t", (Summary("A", ""),), tuple(SCU(str(n), label, contributor) for n, label in enumerate(labels)))


def peer(text: str) -> Summary:
    return Summary("P", text, "peer")


def mention(text: str, *words: str, label: str = "") -> Pyramid:
    """One SCU whose contributor has these words of a text."""
    spans = tuple(Span(text.index(one), text.index(one) + len(one)) for one in words)
    return Pyramid("t", (Summary("A", text),), (SCU("1", "", (Contributor("A", spans, label),)),))


def test_the_same_words_are_covered_and_others_are_not() -> None:
    pyramid = pyramid_of("The council banned motor boats.", "Herons nest on the island.")
    text = "The council banned motor boats. Frogs sing."
    found = ape(pyramid, peer(text))
    assert [(match.scu, match.score) for match in found.matches] == [("0", 1.0)]
    assert [peer(text).quote(unit.spans) for unit in found.unmatched] == ["Frogs sing."]
    assert found.probabilities == ()


def test_active_and_passive_are_the_same() -> None:
    found = ape(pyramid_of("The council banned boats."), peer("Boats were banned by the council."))
    assert found.matches[0].score == 1
    assert "ARG0(ban, council)" in found.matches[0].reason


def test_who_did_it_to_whom_matters() -> None:
    (found,) = coverages(pyramid_of("The dog bites the man."), peer("The man bites the dog."))
    assert (found.count, found.gold) == (3, 5)  # more than half, so that only the paper's tau leaves it out
    assert ape(pyramid_of("The dog bites the man."), peer("The man bites the dog."), tau=AMR_TAU).matches == ()


def test_each_source_of_graphs_has_its_tau() -> None:
    def amr(sentences: Sequence[str]) -> list[str]:
        return [
            "(b / bite-01~2 :ARG0 (d / dog~1) :ARG1 (m / man~4))"
            if sentence.startswith("The dog")
            else "(b / bite-01~2 :ARG0 (m / man~1) :ARG1 (d / dog~4))"
            for sentence in sentences
        ]

    def strict(sentences: Sequence[str]) -> list[str]:
        return amr(sentences)

    amr.tau = 0.5  # type: ignore[attr-defined]
    pyramid, said = pyramid_of("The dog bites the man."), peer("The man bites the dog.")  # 3 of 5 triples
    for of_source, expressed in ((amr, ("0",)), (strict, ()), ("depgraph", ("0",))):
        assert ape(pyramid, said, graphs=of_source).expressed == expressed
        assert ape(pyramid, said, graphs=of_source) == ape(pyramid, said, graphs=of_source, tau=tau_of(of_source))
        assert ape(pyramid, said, graphs=of_source, tau=AMR_TAU).expressed == ()
    sources = ("depgraph", "conllu:parses.conllu", "penman:my.amr", "amrlib", "amrlib:model")
    assert [tau_of(source) for source in sources] == [0.5, 0.5, 0.75, 0.75, 0.75]


def test_gold_triples_lie_inside_the_spans() -> None:
    text = "The council banned boats, and herons came back."
    whole, part = mention(text, text), mention(text, "The council banned boats")
    said = peer("The council banned boats.")
    assert ape(whole, said).matches == ()
    assert ape(part, said).matches[0].score == 1


def test_a_discontinuous_contributor_is_one() -> None:
    text = "The council, they say, banned motor boats."
    found = coverages(mention(text, "The council", "banned motor boats"), peer("The council banned motor boats."))
    assert (found[0].fraction, len(found[0].parts)) == (1, 1)


def test_pieces_of_a_name_side_by_side_are_one_place() -> None:
    text = "John Smith came."
    assert (
        coverages(mention(text, "John", "Smith", "came"), peer(text))[0].count
        == coverages(mention(text, "John Smith came"), peer(text))[0].count
    )


def test_a_contributor_that_crosses_sentences_may_be_said_in_two() -> None:
    text = "The council banned boats. Herons came back."
    pyramid = mention(text, "council banned boats. Herons came back")
    for said in (text, "Herons came back. Frogs sing. The council banned boats."):
        (found,) = coverages(pyramid, peer(said))
        assert (found.fraction, len(found.parts)) == (1, 2)
        assert len({sentence.sentence for _, sentence, _ in found.parts}) == 2
    assert ape(pyramid, peer("The council banned boats."), tau=AMR_TAU).matches == ()
    assert ape(pyramid, peer("The council banned boats."), tau=0.5).matches[0].score > 0.5


def test_without_places_a_whole_sentence_still_has_its_triples() -> None:
    def parser(sentences: Sequence[str]) -> list[str]:
        return ["(c / come-01 :ARG0 (h / heron))" for _ in sentences]

    text = "Herons came."
    with pytest.warns(InputWarning, match="no alignments"):
        found = ape(mention(text, "Herons came"), peer("Herons come."), graphs=parser)
    assert found.matches[0].spans == (Span(0, 12),)  # the sentence: nobody knows more
    assert ape(mention(text, "Herons"), peer("Herons come."), graphs=parser).matches == ()


def test_a_single_concept_is_a_mention() -> None:
    assert ape(mention("Herons came.", "Herons"), peer("A heron sleeps.")).matches[0].reason == "1 of 1 triples: heron"


def test_words_come_before_labels() -> None:
    text = "Herons came."
    assert ape(mention(text, "Herons", label="Frogs"), peer("Frogs sing.")).matches == ()
    pyramid = Pyramid("t", (Summary("A", text),), (SCU("1", "Frogs", (Contributor("A", label="Herons came."),)),))
    assert ape(pyramid, peer("Herons came.")).matches[0].score == 1
    assert ape(pyramid, peer("Frogs sing.")).matches == ()


def test_a_mention_without_triples_covers_nothing() -> None:
    assert ape(mention("Herons came!", "!"), peer("Herons came! !"), tau=0).matches == ()
    assert ape(pyramid_of("", "?!"), peer("Herons came."), tau=0).matches == ()


def test_relations_left_out() -> None:
    pyramid, said = pyramid_of("The big old council banned boats."), peer("The council banned boats.")
    assert ape(pyramid, said, tau=AMR_TAU).matches == ()
    comments = [ape(pyramid, said, tau=0.5, without=names).matches[0].reason for names in ("", "mod", "ARG0,mod")]
    assert [int(comment.split()[2]) for comment in comments] == [9, 7, 6]
    method = Method.parse("given+ape(tau=0.5,without=ARG0 mod)")
    assert method.match(pyramid, said).matches[0].reason == comments[-1]
    assert Method.parse(str(method)) == method


def test_order_changes_nothing() -> None:
    for topic in example():
        assert topic.pyramid
        turned = Pyramid(
            topic.pyramid.topic,
            topic.pyramid.references[::-1],
            tuple(SCU(scu.id, scu.label, scu.contributors[::-1]) for scu in topic.pyramid.scus[::-1]),
        )
        for one in topic.peers[:3]:
            first, second = (ape(pyramid, one, tau=0.6) for pyramid in (topic.pyramid, turned))
            assert sorted(first.matches, key=lambda match: match.scu) == sorted(
                second.matches, key=lambda match: match.scu
            )
            assert first.unmatched == second.unmatched


def test_a_copy_covers_most_and_what_is_off_topic_nothing() -> None:
    for topic in example():
        pyramid = topic.pyramid
        assert pyramid
        raw = {one.id: scores(pyramid, ape(pyramid, one)).raw for one in topic.peers}
        assert raw["copy"] > 30 > raw["padded"] > raw["off-topic"] >= raw["empty"] == 0


@pytest.mark.parametrize("text", ["", " \n\t", "?! ... --"])
def test_a_peer_that_says_nothing(text: str) -> None:
    found = ape(pyramid_of("Herons came."), peer(text))
    assert (found.matches, found.unmatched) == ((), ())


def test_fragments() -> None:
    found = ape(pyramid_of("Motor boats"), peer("Motor boats, manure and a great many frogs.\n- herons"))
    assert found.expressed == ("0",)


def test_another_language_is_refused_in_the_words_of_the_parser() -> None:
    with pytest.raises(LanguageError, match="needs an English parse"):
        ape(pyramid_of("Herons came."), peer("Община запретила моторные лодки. Теперь там снова есть рыба."))


@pytest.mark.parametrize("tau", [-0.1, 1.0, 2.0, float("nan")])
def test_thresholds_that_make_no_sense(tau: float) -> None:
    with pytest.raises(PyramidionError, match="give a number of at least 0 and below 1"):
        ape(pyramid_of("Herons came."), peer("Herons came."), tau=tau)


def test_a_parser_that_nobody_knows() -> None:
    with pytest.raises(PyramidionError, match="The source of graphs 'nothing' is unknown"):
        ape(pyramid_of("Herons came."), peer("Herons came."), graphs="nothing")


@settings(max_examples=15)
@given(pyramids())
def test_any_pyramid(pyramid: Pyramid) -> None:
    said = peer("The council banned motor boats because farmers let manure run. A red lake.")
    try:
        found = ape(pyramid, said, tau=0.2)
    except LanguageError:
        return
    found.check(pyramid)
    assert len(found.expressed) == len(found.matches)
    assert all(isfinite(match.score) and match.score > 0.2 for match in found.matches)


@pytest.mark.data
def test_statements_of_people(data: Path) -> None:
    # REALSumm: SCUs are sentences of their own. Of what the paper's tau covers people found most; ours covers more, and
    # agrees with them more often (docs/combining.md).
    topics = read(data / "realsumm", 20)
    strict = covered = wrong = right = right_strict = pairs = 0
    for topic in topics:
        assert topic.pyramid
        for annotation in topic.annotations[:6]:
            found = ape(topic.pyramid, annotation.summary)
            assert all(match.spans and match.reason for match in found.matches)
            people, ours = set(annotation.expressed), set(found.expressed)
            paper = {match.scu for match in found.matches if match.score > AMR_TAU}
            strict, covered, wrong = strict + len(paper), covered + len(ours), wrong + len(paper - people)
            pairs += len(topic.pyramid.scus)
            right += len(topic.pyramid.scus) - len(ours ^ people)
            right_strict += len(topic.pyramid.scus) - len(paper ^ people)
    assert wrong < strict / 4
    assert covered > 2 * strict
    assert right / pairs > right_strict / pairs + 0.02
