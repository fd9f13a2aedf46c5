"""A judge that reads: says it, contradicts it, does not say it."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

import numpy as np
import pytest
from numpy.typing import NDArray

from pyramidion import evaluate, example
from pyramidion.errors import PyramidionError
from pyramidion.matchers.entails import DENIED, entails, statement, verdicts
from pyramidion.model import SCU, Contributor, Pyramid, Span, Summary, Topic

needs_network = pytest.mark.skipif(
    find_spec("pyramidion_entails") is None, reason="the network is not installed: pip install ./entails"
)

REFERENCE = "The council closed the old bridge in May. Engineers had found cracks in its towers."
LABELS = ("The council closed the old bridge in May", "Engineers found cracks in the towers of the bridge")


def pyramid() -> Pyramid:
    reference = Summary("A", REFERENCE)
    places = ((Span(0, 41),), (Span(42, len(REFERENCE)),))
    scus = tuple(
        SCU(str(number), label, (Contributor("A", place),))
        for number, (label, place) in enumerate(zip(LABELS, places, strict=True), start=1)
    )
    return Pyramid("bridge", (reference,), scus)


def judged(text: str) -> tuple[list[float], list[str]]:
    """The probabilities that the text says each SCU, and which it contradicts."""
    annotation = entails(pyramid(), Summary("p", text, "peer"))
    return [p for _, p in annotation.probabilities], [one.scu for one in annotation.contradicted]


@needs_network
@pytest.mark.parametrize(
    "text",
    [
        REFERENCE,
        "In May the old bridge was shut by the council. There were cracks in the towers, as engineers discovered.",
        "Because engineers had come upon cracks in its towers, the town council shut the old bridge in May.",
    ],
)
def test_own_words_are_worth_as_much_as_the_reference_s(text: str) -> None:
    said, contradicted = judged(text)
    assert min(said) > 0.5
    assert contradicted == []


@needs_network
def test_a_false_claim_earns_nothing_and_is_named_with_its_words() -> None:
    text = "The council did not close the old bridge in May. Engineers had found cracks in its towers."
    annotation = entails(pyramid(), Summary("p", text, "peer"))
    assert [match.scu for match in annotation.matches] == ["2"]
    (contradiction,) = annotation.contradicted
    assert contradiction.scu == "1"
    assert "did not close" in annotation.summary.quote(contradiction.spans)
    assert dict(annotation.probabilities)["1"] < 0.1


@needs_network
def test_what_is_not_said_is_neither() -> None:
    said, contradicted = judged("The bakery on the square sells rye bread on Fridays. Its owner bakes at night.")
    assert max(said) < 0.1
    assert contradicted == []


@needs_network
@pytest.mark.parametrize("text", ["", "\n \n", "..."])
def test_an_empty_text_says_nothing(text: str) -> None:
    assert judged(text) == ([0.0, 0.0], [])


@needs_network
def test_the_evidence_is_a_clause_that_says_it_alone() -> None:
    text = "The mayor spoke for an hour, and the council closed the old bridge in May. It rained."
    annotation = entails(pyramid(), Summary("p", text, "peer"))
    (match,) = annotation.matches
    words = annotation.summary.quote(match.spans)
    assert "closed the old bridge" in words
    assert "mayor" not in words
    assert match.segment


@needs_network
def test_order_of_scus_and_repetition_change_nothing() -> None:
    """The last bits of a product depend on what is read together, so probabilities have four decimals."""
    whole = pyramid()
    turned = Pyramid("bridge", whole.references, whole.scus[::-1])
    peer = Summary("p", "The old bridge is closed since May; its towers have cracks.", "peer")
    forth = [verdict.probability for verdict in verdicts(whole, peer)]
    back = [verdict.probability for verdict in verdicts(turned, peer)]
    assert forth == pytest.approx(back[::-1], abs=2e-4)
    assert [verdict.probability for verdict in verdicts(whole, peer)] == forth


@needs_network
def test_through_the_whole_evaluation() -> None:
    bridge = pyramid()
    peers = (
        Summary("own words", "In May the council shut the old bridge, whose towers had cracks.", "peer"),
        Summary("the opposite", "The council did not close the old bridge in May.", "peer"),
    )
    found = evaluate([Topic("bridge", bridge.references, peers, pyramid=bridge)], "given+entails")
    own, opposite = (one.scores for one in found.results)
    assert own.raw is not None
    assert opposite.raw is not None
    assert own.raw > 1 > opposite.raw
    assert (own.contradicted, opposite.contradicted) == (0, 1)
    assert "pyramidion_entails-" in str(found.signature)


@needs_network
def test_what_is_said_of_an_scu_does_not_depend_on_its_company() -> None:
    topic = example()[0]
    assert topic.pyramid is not None
    peer = next(peer for peer in topic.peers if peer.id == "paraphrase-2")
    some = topic.pyramid.scus[:4]
    together = verdicts(Pyramid(topic.id, topic.references, some), peer)
    for scu, among in zip(some, together, strict=True):
        (alone,) = verdicts(Pyramid(topic.id, topic.references, (scu,)), peer)
        assert alone.probability == pytest.approx(among.probability, abs=1e-3)
        assert (alone.spans, alone.segment) == (among.spans, among.segment)


@needs_network
def test_slips_of_the_pen_cost_nothing_and_places_are_those_of_the_text_as_written() -> None:
    text = "The cuoncil clsoed the old brdige in May. Enginers had found carcks in its twoers."
    annotation = entails(pyramid(), Summary("p", text, "peer"))
    assert [match.scu for match in annotation.matches] == ["1", "2"]
    assert annotation.summary.quote(annotation.matches[1].spans).startswith("Enginers had found carcks")
    unmended = entails(pyramid(), Summary("p", text, "peer"), spelling=False)
    assert sum(dict(unmended.probabilities).values()) < sum(dict(annotation.probabilities).values())


@needs_network
def test_mustn_t_stays_a_denial() -> None:
    reference = Summary("A", "Visitors must feed the ducks.")
    asked = Pyramid("ducks", (reference,), (SCU("1", reference.text, (Contributor("A", (Span(0, 28),)),)),))
    for words in ("mustn't", "mustnt", "must not"):
        (verdict,) = verdicts(asked, Summary("p", f"Visitors {words} feed the ducks.", "peer"))
        assert verdict.probability < 0.2
        assert verdict.denial.probability > 0.8


@needs_network
def test_a_contributor_s_wording_is_asked_where_the_label_leaves_a_doubt() -> None:
    """The label alone is a riddle; a contributor says plainly what the summary says, too."""
    reference = Summary("A", "The river froze in January.")
    scu = SCU("1", "It happened to the water", (Contributor("A", (Span(0, 26),)),))
    asked = Pyramid("river", (reference,), (scu,))
    peer = Summary("p", "In January the river froze. Children skated on it.", "peer")
    (label,) = verdicts(asked, peer, wordings=0)
    (both,) = verdicts(asked, peer)
    assert both.probability > max(0.5, label.probability)


@pytest.mark.parametrize(("in_sentence", "wordings_asked"), [(0.95, False), (0.8, True)])
def test_only_what_is_in_doubt_is_asked_again_and_nothing_twice(in_sentence: float, wordings_asked: bool) -> None:
    """The first SCU is sure, the second in doubt, until its sentence or its wordings have been asked."""
    peer = Summary("p", "In May the council shut the bridge. The towers had cracks, engineers say.", "peer")
    asked: list[tuple[str, str]] = []

    def answers(pairs: Sequence[tuple[str, Sequence[str]]]) -> list[NDArray[np.float64]]:
        asked.extend((text, unit) for text, units in pairs for unit in units)
        said = {(peer.text, LABELS[0]): 0.95, (peer.text, LABELS[1]): 0.8}
        return [
            np.array([[p := said.get((text, unit), in_sentence), 0.0, 1 - p] for unit in units]).reshape(-1, 3)
            for text, units in pairs
        ]

    found = verdicts(pyramid(), peer, answers=answers)
    wording = (peer.text, REFERENCE[42:])
    sentence = ("The towers had cracks, engineers say.", LABELS[1])
    assert asked == [*((peer.text, label) for label in LABELS), sentence, *([wording] if wordings_asked else [])]
    assert [peer.quote(one.spans) for one in found] == ["In May the council shut the bridge.", sentence[0]]


def test_the_largest_answer_is_too_large_and_a_text_as_a_whole_contradicts() -> None:
    """What the network calls even, of the label in the text and in a sentence, is less than even."""
    peer = Summary("p", "In May the council shut the bridge. The towers had no cracks, engineers say.", "peer")

    def answers(pairs: Sequence[tuple[str, Sequence[str]]]) -> list[NDArray[np.float64]]:
        row = {LABELS[0]: [0.5, 0.0, 0.5], LABELS[1]: [0.05, 0.75, 0.2]}
        return [np.array([row.get(unit, [0.5, 0.0, 0.5]) for unit in units]).reshape(-1, 3) for _, units in pairs]

    even, denied = verdicts(pyramid(), peer, answers=answers)
    assert even.probability == round(1 / (1 + np.exp(0.86)), 4)
    assert denied.contradicts(DENIED)
    assert not verdicts(pyramid(), peer, answers=answers, contradiction=0.8)[1].contradicts(0.8)


@needs_network
def test_whoever_hands_in_a_reference_has_all_that_it_contributes() -> None:
    topic = example()[0]
    assert topic.pyramid is not None
    reference = topic.references[0]
    annotation = entails(topic.pyramid, Summary("p", reference.text.replace("lake", "lkae", 1), "peer"))
    own = {scu.id for scu in topic.pyramid.scus if reference.id in {one.summary for one in scu.contributors}}
    assert {scu for scu, p in annotation.probabilities if p == 1} == own
    assert own <= set(annotation.expressed)


@needs_network
def test_a_sentence_that_denies_a_quotation_is_no_quotation() -> None:
    said, _ = judged("It is not true that the council closed the old bridge in May.")
    assert said[0] < 0.5


@needs_network
@pytest.mark.parametrize("threshold", [0.001, 0.2])
def test_no_match_is_without_words_however_low_the_threshold(threshold: float) -> None:
    peer = Summary("p", "The old bridge needs paint. It rained.", "peer")
    annotation = entails(pyramid(), peer, threshold=threshold)
    reached = [scu for scu, p in annotation.probabilities if p >= threshold]
    assert [match.scu for match in annotation.matches if match.spans] == sorted(reached)
    assert reached or threshold > 0.01


@pytest.mark.parametrize("nearest", [0, -1])
def test_at_least_one_sentence_is_read(nearest: int) -> None:
    with pytest.raises(PyramidionError, match="sentences cannot be read for an SCU; give nearest=1 or more"):
        entails(pyramid(), Summary("p", REFERENCE, "peer"), nearest=nearest)


def test_wordings_are_none_or_more() -> None:
    with pytest.raises(PyramidionError, match="wordings cannot be asked for an SCU; give wordings=0 or more"):
        entails(pyramid(), Summary("p", REFERENCE, "peer"), wordings=-1)


def test_a_label_is_asked_and_without_one_the_longest_words() -> None:
    assert [statement(pyramid(), scu) for scu in pyramid().scus] == list(LABELS)
    topic = example()[0]
    assert topic.pyramid is not None
    scu = topic.pyramid.scus[0]
    bare = SCU(scu.id, "", scu.contributors)
    assert statement(topic.pyramid, bare) == max(
        (" ".join(topic.pyramid.words(one).replace("...", " ").split()) for one in scu.contributors), key=len
    )
