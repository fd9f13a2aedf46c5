"""WMIN and its exact sibling: what holds of every pyramid and peer, worked examples, and bad input."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import combinations
from math import isfinite
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyramidion.errors import InputWarning, PyramidionError
from pyramidion.formats import ducview
from pyramidion.language.parse.clauses import Segment, parse_segment_id
from pyramidion.language.parse.segmented import segmented
from pyramidion.matchers import MATCHERS
from pyramidion.matchers._nodes import Comparison, annotation, assignment, compare, conflicts, nodes
from pyramidion.matchers.independent_set import exact, greedy
from pyramidion.matchers.mwis import mwis
from pyramidion.matchers.wmin import wmin
from pyramidion.methods import Method
from pyramidion.model import SCU, Annotation, Contributor, Pyramid, Span, Summary
from pyramidion.scoring import scores
from tests.strategies import TEXTS, pyramids

both = pytest.mark.parametrize("match", [wmin, mwis])
Matcher = Callable[..., Annotation]


def pyramid_of(*scus: tuple[int, str]) -> Pyramid:
    """A pyramid of five references; each SCU has a weight, and all of its contributors say the same."""
    references = tuple(Summary(id, "") for id in "ABCDE")
    made = (
        SCU(str(number + 1), words, tuple(Contributor(reference.id, label=words) for reference in references[:weight]))
        for number, (weight, words) in enumerate(scus)
    )
    return Pyramid("toy", references, tuple(made))


@st.composite
def comparisons(draw: st.DrawFn) -> Comparison:
    """Sentences of one to four segmentations, and similarities of few values, so that there are ties."""
    weights = tuple(draw(st.lists(st.integers(1, 5), max_size=4)))
    sentences, similarities, end = [], [], 0
    for _ in range(draw(st.integers(0, 4))):
        segmentations, tables = [], []
        for size in (1, *draw(st.lists(st.integers(2, 3), max_size=2))):
            places = range(end, end + size)
            segmentations.append(tuple(Segment((Span(place, place + 1),), (place,)) for place in places))
            row = st.lists(
                st.sampled_from([0.0, 0.4, 0.5, 0.6, 0.9, 1.0]), min_size=len(weights), max_size=len(weights)
            )
            table = draw(st.lists(row, min_size=size, max_size=size))
            tables.append(np.array(table, np.float64).reshape(size, len(weights)))
        end += 3
        sentences.append(tuple(segmentations))
        similarities.append(tuple(tables))
    return Comparison(tuple(sentences), tuple(similarities), weights, (1.0,) * len(weights))


def check(comparison: Comparison, pyramid: Pyramid, found: Annotation) -> None:
    """Each SCU once; one segmentation a sentence; each of its segments once, matched or not; all in text order."""
    assert len(found.expressed) == len(found.matches)
    found.check(pyramid)
    ids = [parse_segment_id(unit.segment) for unit in (*found.matches, *found.unmatched)]
    chosen: dict[int, tuple[int, list[int]]] = {}
    for id in ids:
        assert id is not None
        summary, sentence, segmentation, segment = id
        assert summary == 0
        assert chosen.setdefault(sentence, (segmentation, []))[0] == segmentation
        chosen[sentence][1].append(segment)
    assert sorted(chosen) == list(range(len(comparison.sentences)))
    for sentence, (segmentation, segments) in chosen.items():
        assert sorted(segments) == list(range(len(comparison.sentences[sentence][segmentation])))
    for units in (found.matches, found.unmatched):
        assert [unit.spans for unit in units] == sorted(unit.spans for unit in units)


@given(comparisons())
def test_what_holds_of_every_choice(comparison: Comparison) -> None:
    pyramid = pyramid_of(*((weight, "") for weight in comparison.weights))
    peer = Summary("P", "." * 20, "peer")
    offered = nodes(comparison, 0.5)
    raw = []
    for choose in (greedy, exact):
        chosen = choose([node.weight for node in offered], conflicts(offered))
        found = annotation(pyramid, peer, comparison, [offered[number] for number in chosen])
        check(comparison, pyramid, found)
        assert all(match.score >= 0.5 for match in found.matches)
        raw.append(scores(pyramid, found).raw)
    assert raw[0] <= raw[1]


@given(comparisons())
def test_nodes_conflict_if_they_share_a_sentence_or_an_scu(comparison: Comparison) -> None:
    offered = nodes(comparison, 0.5)
    cliques = [set(clique) for clique in conflicts(offered)]
    for a, b in combinations(range(len(offered)), 2):
        one, other = offered[a], offered[b]
        shared = {pair.scu for pair in one.pairs} & {pair.scu for pair in other.pairs}
        adjacent = one.sentence == other.sentence or bool(shared)
        assert any({a, b} <= clique for clique in cliques) == adjacent


def test_the_sum_of_similarities_decides_and_weight_does_not() -> None:
    # .8 + .8 is more than .9 + .6, and more than anything with the heavy third SCU.
    table = np.array([[0.9, 0.8, 0.6], [0.8, 0.6, 0.6]])
    assert [(pair.segment, pair.scu) for pair in assignment(table, [1, 1, 5], np.full(3, 0.5))] == [(0, 1), (1, 0)]


def test_equally_similar_scus_the_heavier_then_the_first() -> None:
    assert assignment(np.array([[0.7, 0.7, 0.7]]), [1, 3, 3], np.full(3, 0.5))[0].scu == 1


def test_pairs_below_the_threshold_are_no_match() -> None:
    assert assignment(np.array([[0.49, 0.2]]), [1, 1], np.full(2, 0.5)) == ()
    assert [pair.scu for pair in assignment(np.array([[0.5, 0.2]]), [1, 1], np.full(2, 0.5))] == [0]


@pytest.mark.parametrize("choose", [greedy, exact])
def test_of_two_segmentations_with_the_same_weight_the_more_similar(choose: Callable[..., list[int]]) -> None:
    # The whole sentence has .8; its two clauses .9 and nothing, .45 on average: the same SCU, but less of the sentence.
    def segment(start: int, end: int) -> Segment:
        return Segment((Span(start, end),), tuple(range(start, end)))

    sentence = ((segment(0, 4),), (segment(0, 2), segment(2, 4)))
    tables = (np.array([[0.8]]), np.array([[0.9], [0.1]]))
    offered = nodes(Comparison((sentence,), (tables,), (3,), (1.0,)), 0.5)
    assert [node.average for node in offered] == [0.8, 0.45]
    chosen = choose([node.weight + node.average for node in offered], conflicts(offered))
    assert [offered[number].segmentation for number in chosen] == [0]


FIGURE_2 = (
    (5, "The lake had lost all its fish."),
    (5, "Farmers let manure run into the water."),
    (4, "The council banned motor boats."),
    (3, "Herons nest on the island again."),
    (2, "A school counts the frogs every spring."),
    (1, "Tickets for the ferry cost more."),
)


@both
def test_five_units_as_in_figure_2(match: Matcher) -> None:
    # As in the paper: two SCUs of weight 5, one of weight 4, one of weight 2, and a unit that matches none.
    pyramid = pyramid_of(*FIGURE_2)
    peer = Summary(
        "ESUM",
        "The lake had lost all its fish because farmers let manure run into the water. The council banned motor boats. "
        "A school counts the frogs every spring. My uncle plays chess.",
        "peer",
    )
    found = match(pyramid, peer, embedder="static")
    assert found.expressed == ("1", "2", "3", "5")
    assert [match.segment for match in found.matches] == ["1.1.1.0", "1.1.1.1", "1.2.0.0", "1.3.0.0"]
    assert [peer.quote(unit.spans) for unit in found.unmatched] == ["My uncle plays chess."]
    of_peer = scores(pyramid, found)
    assert of_peer.raw == 2 * 5 + 4 + 2 == 16
    assert of_peer.max_for_size == 2 * 5 + 4 + 3 + 2


@both
def test_an_scu_counts_once_and_its_repetition_as_a_unit_of_its_own(match: Matcher) -> None:
    peer = Summary("P", "The council banned motor boats. The council banned motor boats.", "peer")
    found = match(pyramid_of(*FIGURE_2), peer, embedder="static")
    assert [match.scu for match in found.matches] == ["3"]
    assert [unit.segment for unit in found.unmatched] == ["1.2.0.0"]
    assert found.matches[0].score == pytest.approx(1, abs=1e-3)


@both
def test_a_sentence_that_matches_nothing_counts_as_many_units_as_it_has_clauses(match: Matcher) -> None:
    text = "My uncle plays chess because he likes it."
    found = match(pyramid_of(*FIGURE_2), Summary("P", text, "peer"), embedder="static")
    assert [unit.segment for unit in found.unmatched] == ["1.1.1.0", "1.1.1.1"]


def test_similarity_is_the_mean_over_contributors() -> None:
    said = ("The council banned motor boats.", "Boats with motors may no longer go there.")
    contributors = tuple(Contributor(id, label=words) for id, words in zip("AB", said, strict=True))
    references = (Summary("A", ""), Summary("B", ""))
    peer = Summary("P", "The council forbade motor boats.", "peer")

    def similarity(*some: Contributor) -> float:
        pyramid = Pyramid("t", references, (SCU("1", "", some),))
        return float(compare(pyramid, peer, "mean", "static", "en-minilm").similarities[0][0].item())

    each = [similarity(one) for one in contributors]
    assert each[1] < similarity(*contributors) < each[0]
    assert similarity(*contributors) == pytest.approx(sum(each) / 2, abs=2e-6)
    assert similarity(*contributors) == similarity(*contributors[::-1])


def test_the_threshold_is_a_cosine_with_the_mean_of_the_contributors() -> None:
    # Two contributors at right angles: their mean is (1/2, 1/2), of length .71. A segment in its direction has the
    # mean cosine .71, the greatest possible, and matches at any threshold; one that repeats a contributor has .5.
    lengths = (0.5**0.5,)
    for mean_cosine, cosine in ((0.5**0.5, 1.0), (0.5, 0.5**0.5)):
        bars = Comparison((), (), (2,), lengths).bars(0.7)
        assert bars.tolist() == [0.494975]
        assert (mean_cosine >= bars[0]) == (cosine >= 0.7)
    assert Comparison((), (), (1,), (0.0,)).bars(0.1).tolist() == [np.inf]


def test_mean_and_centroid_match_the_same_pairs() -> None:
    said = ("The council banned motor boats.", "Boats with motors may no longer go there.", "Farmers let manure run.")
    references = tuple(Summary(id, "") for id in "ABC")
    scus = (
        SCU("1", "", tuple(Contributor(id, label=words) for id, words in zip("ABC", said, strict=True))),
        SCU("2", "", (Contributor("A", label=said[1]),)),
    )
    peer = Summary("P", "The council forbade motor boats. No motors may go there. Frogs are green.", "peer")
    mean, centroid = (
        compare(Pyramid("t", references, scus), peer, similarity, "static", "en-minilm")
        for similarity in ("mean", "centroid")
    )
    assert mean.lengths[0] < 0.9
    assert centroid.lengths == (1.0, 1.0)
    passed = 0
    for one, other in zip(mean.similarities, centroid.similarities, strict=True):
        assert np.allclose(one[0] / np.array(mean.lengths), other[0], atol=1e-5)
        assert ((one[0] >= mean.bars(0.5)) == (other[0] >= centroid.bars(0.5))).all()
        passed += int((one[0] >= mean.bars(0.5)).sum())
    assert 0 < passed < 6


@both
def test_settings_that_do_not_exist(match: Matcher) -> None:
    peer = Summary("P", "Boats.", "peer")
    with pytest.raises(PyramidionError, match="cannot be 'median'; choose one of: mean, centroid"):
        match(pyramid_of(*FIGURE_2), peer, similarity="median")
    with pytest.raises(PyramidionError, match="no embedder 'nothing'"):
        match(pyramid_of(*FIGURE_2), peer, embedder="nothing", threshold=0.5)
    with pytest.raises(PyramidionError, match="no analyser 'nothing'"):
        match(pyramid_of(*FIGURE_2), peer, analyser="nothing")


def test_spans_come_before_labels_and_labels_before_nothing() -> None:
    text = "The council, they say, banned motor boats."
    reference = Summary("A", text)
    apart = Contributor("A", (Span(0, 11), Span(23, 42)), label="nothing of the kind")
    whole = Contributor("A", label="The council banned motor boats.")
    silent = Contributor("A")
    scus = (SCU("1", "", (apart,)), SCU("2", "", (whole,)), SCU("3", "The council banned motor boats.", (silent,)))
    peer = Summary("P", "The council banned motor boats.", "peer")
    table = compare(Pyramid("t", (reference,), scus), peer, "mean", "static", "en-minilm").similarities[0][0]
    assert table.round(4).tolist() == [[1, 1, 1]]


BAD = {
    "nothing": "",
    "blanks": " \n\t ",
    "punctuation": "?! ... --",
    "one word": "Boats",
    "no verb": "Motor boats, manure and a great many frogs.",
    "another language": "Община запретила моторные лодки. Теперь там снова есть рыба.",
    "no spaces": "市議会はモーターボートを禁止した。湖に魚が戻った。",
    "control characters": "The council\x00 banned\x07 motor\x1b boats.\r\n\x0c\x85The lake\ufeff had lost its fish.",
    "a lone surrogate": "The council banned \ud800 motor boats.",
    "no word that any embedder knows": "⠿⠿⠿ \U0001f6a4\U0001f41f ½½",
}


@both
@pytest.mark.parametrize("embedder", ["minilm", "static", "wtmf"])
@pytest.mark.parametrize("name", BAD)
def test_bad_peers_get_a_sensible_result(match: Matcher, embedder: str, name: str) -> None:
    pyramid = pyramid_of(*FIGURE_2)
    peer = Summary("P", BAD[name], "peer")
    found = match(pyramid, peer, embedder=embedder)
    check(compare(pyramid, peer, "mean", embedder, "en-minilm"), pyramid, found)
    assert all(isfinite(match.score) for match in found.matches)
    assert all(isfinite(value) for value in (scores(pyramid, found).quality, scores(pyramid, found).comprehensive))
    if name in ("nothing", "blanks", "punctuation"):
        assert found.size == 0
    if name == "another language":
        assert found.size == 2  # whole sentences


@both
def test_a_pyramid_without_scus_matches_nothing(match: Matcher) -> None:
    found = match(Pyramid("t", (Summary("A", "Text."),), ()), Summary("P", "He came because she called.", "peer"))
    assert (found.matches, len(found.unmatched)) == ((), 2)


@both
def test_an_scu_of_which_nobody_knows_the_words_matches_nothing(match: Matcher) -> None:
    pyramid = Pyramid("t", (Summary("A", " "),), (SCU("1", "", (Contributor("A", (Span(0, 1),)),)),))
    found = match(pyramid, Summary("P", "Boats. !", "peer"), threshold=0.01)
    assert found.matches == ()
    assert found.size == 1


@both
@settings(max_examples=25)
@given(pyramid=pyramids(), text=TEXTS)
def test_any_pyramid_and_any_text(match: Matcher, pyramid: Pyramid, text: str) -> None:
    peer = Summary("P", text, "peer")
    found = match(pyramid, peer, embedder="static", threshold=0.3)
    check(compare(pyramid, peer, "mean", "static", "en-minilm"), pyramid, found)
    assert found == match(pyramid, peer, embedder="static", threshold=0.3)


@both
def test_the_order_of_references_and_contributors_changes_nothing(match: Matcher) -> None:
    pyramid = pyramid_of(*FIGURE_2)
    turned = Pyramid(
        "toy",
        pyramid.references[::-1],
        tuple(SCU(scu.id, scu.label, scu.contributors[::-1]) for scu in pyramid.scus),
    )
    peer = Summary(
        "P", "Manure of the farmers ran into the lake. No motor boats are allowed, and frogs are counted.", "peer"
    )
    assert match(pyramid, peer) == match(turned, peer)


def test_a_peer_of_ten_thousand_words() -> None:
    sentences = [
        f"The council of town {number} banned motor boats, and farmers let manure run." for number in range(770)
    ]
    text = " ".join(sentences)
    pyramid = pyramid_of(*FIGURE_2)
    for match in (wmin, mwis):
        found = match(pyramid, Summary("P", text, "peer"), embedder="static", analyser="unicode")
        assert 0 < len(found.matches) <= len(FIGURE_2)
        assert found.size == len(segmented(text, "unicode").sentences)


def test_both_are_registered_and_take_their_settings_by_name() -> None:
    assert str(Method.parse("given+wmin(threshold=0.7,similarity=centroid)")).endswith(
        "(threshold=0.7,similarity=centroid)"
    )
    assert MATCHERS["wmin"] is wmin
    assert MATCHERS["mwis"] is mwis


@pytest.mark.data
@both
def test_pyramids_of_people_work_too(match: Matcher, data: Path) -> None:
    # Discontinuous, overlapping and repeated contributors; the peers that came with them.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        topics = [topic for path in sorted((data / "ducview").glob("*.pan")) for topic in ducview.load(path)]
    assert len(topics) == 12
    for topic in topics:
        assert topic.pyramid
        for peer in topic.peers:
            found = match(topic.pyramid, peer, embedder="static", similarity="centroid", threshold=0.4)
            check(compare(topic.pyramid, peer, "centroid", "static", "en-minilm"), topic.pyramid, found)
