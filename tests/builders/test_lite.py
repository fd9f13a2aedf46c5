"""The builder ``lite``: every sentence or clause is an SCU of weight 1."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.analyses.accuracy.realsumm import human_scores, read
from pyramidion.builders.lite import lite, normalised
from pyramidion.errors import InputWarning, PyramidionError
from pyramidion.matchers.soft import soft
from pyramidion.methods import Method
from pyramidion.model import Annotation, Match, Pyramid, Span, Summary, Topic
from pyramidion.scoring import recall, scores
from pyramidion.stats.correlation import pearson

FLOOD = "The dam broke because it had rained. Nobody was hurt."
HARBOUR = "Boats left the harbour. The dam broke."


def topic(*texts: str) -> Topic:
    return Topic("toy", tuple(Summary(f"r{number}", text) for number, text in enumerate(texts)))


def said(pyramid: Pyramid) -> list[list[str]]:
    return [[pyramid.words(one) for one in scu.contributors] for scu in pyramid.scus]


def test_statements_are_units_of_weight_one() -> None:
    pyramid = lite(topic(FLOOD))
    assert [scu.label for scu in pyramid.scus] == ["The dam broke because it had rained.", "Nobody was hurt."]
    assert {scu.weight for scu in pyramid.scus} == {1}


def test_sentences_are_units_of_weight_one() -> None:
    pyramid = lite(topic(FLOOD), units="sentences")
    assert said(pyramid) == [["The dam broke because it had rained."], ["Nobody was hurt."]]
    assert [(scu.id, scu.weight) for scu in pyramid.scus] == [("1", 1), ("2", 1)]
    assert pyramid.scus[1].contributors[0].spans == (Span(37, 53),)
    assert [scu.contributors[0].segment for scu in pyramid.scus] == ["1.1.0.0", "1.2.0.0"]


def test_clauses_are_units_of_the_finest_segmentation() -> None:
    pyramid = lite(topic(FLOOD), units="clauses")
    assert [scu.label for scu in pyramid.scus] == ["The dam broke", "It had rained", "Nobody was hurt"]
    assert [scu.contributors[0].segment for scu in pyramid.scus] == ["1.1.1.0", "1.1.1.1", "1.2.0.0"]


def test_nothing_is_merged() -> None:
    """Two references say that the dam broke: two units of weight 1."""
    pyramid = lite(topic(FLOOD, HARBOUR))
    assert [scu.label for scu in pyramid.scus if "dam" in scu.label] == [
        "The dam broke.",
        "The dam broke because it had rained.",
    ]
    assert {scu.weight for scu in pyramid.scus} == {1}


def test_of_one_reference_recall_is_coverage_and_of_several_it_is_the_mean_of_all_units() -> None:
    peer = Summary("p", "The dam broke.", "peer")
    one = lite(topic(FLOOD))
    found = scores(one, soft(one, peer))
    assert found.recall == found.coverage == sum(dict(soft(one, peer).probabilities).values()) / 2
    both = lite(topic(FLOOD, HARBOUR))
    found = scores(both, soft(both, peer))
    assert found.recall == pytest.approx(sum(dict(soft(both, peer).probabilities).values()) / 4)
    assert found.coverage == pytest.approx(2 * found.recall)


def test_copies_of_a_reference_change_no_score() -> None:
    peer = Summary("p", "The dam broke.", "peer")
    once, thrice = lite(topic(FLOOD)), lite(topic(FLOOD, FLOOD, FLOOD))
    assert [scu.weight for scu in thrice.scus] == [3, 3]
    for name in ("recall", "coverage", "quality", "precision"):
        one, other = (getattr(scores(pyramid, soft(pyramid, peer)), name) for pyramid in (once, thrice))
        assert one == pytest.approx(other), name


@given(st.permutations([FLOOD, HARBOUR, "It rained."]))
def test_the_order_of_references_changes_nothing_but_their_names(texts: list[str]) -> None:
    assert said(lite(topic(*texts))) == said(lite(topic(FLOOD, HARBOUR, "It rained.")))


def test_a_reference_scores_one_and_an_empty_peer_nothing() -> None:
    for units in ("sentences", "clauses"):
        pyramid = lite(topic(FLOOD), units=units)
        assert scores(pyramid, soft(pyramid, Summary("p", FLOOD, "peer"))).recall == 1
        assert scores(pyramid, soft(pyramid, Summary("p", "", "peer"))).recall == 0


def test_another_language_keeps_its_sentences() -> None:
    text = "Он пришёл, потому что она позвонила. Потом он ушёл."
    assert said(lite(topic(text), units="clauses")) == said(lite(topic(text)))
    assert len(lite(topic(text)).scus) == 2


def test_bad_input() -> None:
    with pytest.raises(
        PyramidionError, match=r"units of .* cannot be 'words'; choose one of: statements, sentences, clauses"
    ):
        lite(topic(FLOOD), units="words")
    for texts in ((), ("",), ("...", "!")):
        with pytest.raises(PyramidionError, match="no reference with any words"):
            lite(topic(*texts))
    with pytest.warns(InputWarning, match="'r1' say"):
        assert len(lite(topic(FLOOD, " ")).scus) == 2


def test_the_method() -> None:
    method = Method.parse("lite(units=clauses)")
    assert (method.builder, str(method)) == ("lite", "lite(units=clauses)")
    assert len(method.pyramid(topic(FLOOD)).scus) == 3


@pytest.mark.data
def test_it_ranks_systems_as_people_did(data: Path) -> None:
    """On three documents of REALSumm; the bound is well below what was measured on all (docs/lite.md)."""
    topics = read(data / "realsumm", 3)
    human = human_scores(topics)
    within = []
    for one in topics:
        pyramid = lite(one)
        found = [recall(pyramid, soft(pyramid, peer)) for peer in one.peers]
        within.append(pearson(found, [human[one.id, peer.id] for peer in one.peers]))
    assert sum(within) / len(within) > 0.4


def test_statements_are_units_that_can_be_read_by_themselves() -> None:
    text = "The dam, which was old, broke in May. It was rebuilt."
    pyramid = lite(topic(text), units="statements")
    assert [scu.label for scu in pyramid.scus] == ["The dam broke in May.", "The dam was old.", "The dam was rebuilt."]
    assert {scu.weight for scu in pyramid.scus} == {1}
    assert said(pyramid)[2] == ["It was rebuilt"]


def test_a_statement_that_cannot_be_read_by_itself_is_marked() -> None:
    (scu,) = lite(topic("It was sold in May for a pound."), units="statements").scus
    assert scu.unclear == "nobody can tell what 'It' is"


def test_what_cannot_be_parsed_has_sentences_for_statements() -> None:
    pyramid = lite(topic("Плотина рухнула. Никто не пострадал."), units="statements")
    assert len(pyramid.scus) == 2


def test_normalised_is_recall_in_which_a_unit_counts_by_its_words() -> None:
    pyramid = lite(topic("The dam broke after three days of rain. Nobody died."))
    assert [len(scu.label.split()) for scu in pyramid.scus] == [8, 2]
    peer = Summary("p", "No one died.", "peer")
    says_one = Annotation(peer, (Match("2"),))
    assert (recall(pyramid, says_one), normalised(pyramid, says_one)) == (1 / 2, 2 / 10)
    expected = Annotation(peer, (Match("2"),), probabilities=(("1", 0.25), ("2", 0.5)))
    assert normalised(pyramid, expected) == pytest.approx((8 * 0.25 + 2 * 0.5) / 10)


def test_normalised_has_its_bounds() -> None:
    pyramid = lite(topic(FLOOD, HARBOUR))
    peer = Summary("p", "", "peer")
    everything = Annotation(peer, tuple(Match(scu.id) for scu in pyramid.scus))
    assert (normalised(pyramid, everything), normalised(pyramid, Annotation(peer))) == (1, 0)
    assert normalised(Pyramid("toy", (), ()), Annotation(peer)) == 0
    with pytest.raises(PyramidionError):
        normalised(pyramid, Annotation(peer, (Match("99"),)))


def test_the_method_has_its_builders_way_to_normalise_whoever_judges() -> None:
    one = topic(FLOOD)
    method = Method.parse("lite+soft")
    pyramid = method.pyramid(one)
    annotation = method.match(pyramid, Summary("p", FLOOD, "peer"))
    assert method.normalised(pyramid, annotation) == normalised(pyramid, annotation) == pytest.approx(1, abs=0.01)
    assert Method.parse("edua-p+soft").normalised(pyramid, annotation) is None


def test_a_matchers_own_way_to_normalise_comes_before_its_builders() -> None:
    pyramid = lite(topic(FLOOD))
    says_one = Annotation(Summary("p", "No one died.", "peer"), (Match("2"),))
    by_edu = Method.parse("given+edu").normalised(pyramid, says_one)
    assert Method.parse("lite+edu").normalised(pyramid, says_one) == by_edu != normalised(pyramid, says_one)
