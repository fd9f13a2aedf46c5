"""PEAK's builder: a pyramid worked by hand, what holds of every one, and bad input."""

from __future__ import annotations

import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pyramidion.builders import peak as module
from pyramidion.builders.peak import (
    Table,
    _choose_units,
    _merge_copies,
    _Triple,
    _Unit,
    node_similarities,
    peak,
    similarities,
    threshold_of,
)
from pyramidion.errors import InputWarning, PyramidionError
from pyramidion.language import LanguageError, analyse
from pyramidion.language.parse.analysers import analysed
from pyramidion.language.parse.propositions import NOTHING, Proposition, propositions, statements
from pyramidion.language.parse.segmented import remembering
from pyramidion.model import Pyramid, Summary, Topic

TEXTS = (
    "Police arrested the man. The lake froze.",
    "The man was arrested by police. Bitcoin is a currency.",
    "Police arrested the man in May.",
)


def topic(*texts: str) -> Topic:
    return Topic("toy", tuple(Summary(f"r{number}", text) for number, text in enumerate(texts)))


def contents(pyramid: Pyramid) -> list[tuple[str, list[tuple[str, str]]]]:
    """SCUs without the names of references."""
    return [
        (scu.label, sorted((pyramid.reference(c.summary).text, c.reason) for c in scu.contributors))
        for scu in pyramid.scus
    ]


def test_a_pyramid_worked_by_hand() -> None:
    """Six triples. Three are *police | arrested | the man*: weight 3, whoever is the anchor.

    *Police | arrested in | May* is like them, by two nodes, but they are taken; it is of the sentence of one of them,
    so it is no copy. The others have no like. References are in the order of their texts: of the third, first, second.
    """
    pyramid = peak(topic(*TEXTS))
    assert [(scu.weight, [c.reason for c in scu.contributors]) for scu in pyramid.scus] == [
        (3, ["Police | arrested | the man", "Police | arrested | the man", "police | arrested | The man"]),
        (1, ["Police | arrested in | May"]),
        (1, ["The lake | froze | "]),
        (1, ["Bitcoin | is | a currency"]),
    ]
    assert [scu.id for scu in pyramid.scus] == ["1", "2", "3", "4"]
    assert pyramid.scus[0].label == "Police arrested the man"
    assert [pyramid.words(c) for c in pyramid.scus[1].contributors] == ["Police arrested...in May"]


def test_similarity_counts_nodes_by_their_words() -> None:
    (one,) = propositions(analyse("He said that."))
    (other,) = propositions(analyse("He wrote a very long letter."))
    nodes = node_similarities([one], [other], "static")
    rows = remembering("static")(["said", "wrote"]).astype(float)
    assert nodes[0, 0, 0] == 1
    assert nodes[1, 0, 0] == pytest.approx(max(0, rows[0] @ rows[1]), abs=1e-6)
    expected = (2 * nodes[0] + 2 * nodes[1] + 5 * nodes[2]) / 9
    assert similarities([one], [other], "static") == pytest.approx(expected, abs=1e-6)


def test_a_lacking_node_counts_nothing_and_a_single_node_is_compared_as_a_whole() -> None:
    full, short = propositions(analyse("The boat sank in May.")) + propositions(analyse("The boat sank."))
    assert node_similarities([full], [short], "static")[2, 0, 0] == 0
    (single,) = statements(analyse("Heavy rain in the valley."))
    assert (single.predicate, single.object) == (NOTHING, NOTHING)
    rows = remembering("static")([single.text, full.text]).astype(float)
    assert similarities([single], [full], "static") == pytest.approx(max(0, rows[0] @ rows[1]), abs=1e-6)
    assert similarities([single], [single], "static") == 1


def test_names_and_order_of_references_change_nothing() -> None:
    expected = contents(peak(topic(*TEXTS)))
    assert contents(peak(topic(*TEXTS[::-1]))) == expected
    named = Topic("toy", tuple(Summary(id, text) for id, text in zip("zay", TEXTS, strict=True)))
    assert contents(peak(named)) == expected
    assert peak(topic(*TEXTS)) == peak(topic(*TEXTS))


def test_one_reference_gives_every_proposition_the_weight_one() -> None:
    text = "Banks lend money to firms and families. The lake froze. Thanks to everyone."
    pyramid = peak(topic(text))
    assert [scu.weight for scu in pyramid.scus] == [1] * 5
    assert {c.reason for scu in pyramid.scus for c in scu.contributors} == {
        str(one) for one in statements(analyse(text))
    }


def test_copies_of_a_reference_are_one_voice() -> None:
    pyramid = peak(topic(*[TEXTS[0]] * 20))
    assert [scu.weight for scu in pyramid.scus] == [20, 20]


def test_what_a_reference_says_twice_is_one_scu_but_the_triples_of_a_sentence_differ() -> None:
    twice = peak(topic("Police arrested the man. It rained. The man was arrested by police."))
    assert [scu.label for scu in twice.scus] == ["Police arrested the man", "It rained"]
    assert all(scu.weight == len(scu.contributors) for scu in twice.scus)
    apart = peak(topic("Banks lend to firms and families."))
    assert [scu.label for scu in apart.scus] == ["Banks lend to firms", "Banks lend to families"]


def test_no_reference_is_lost_for_want_of_a_verb() -> None:
    pyramid = peak(topic("Heavy rain in the valley.", "Heavy rain in the valley! Thanks to everyone.", "He left."))
    assert next((scu.weight, scu.label) for scu in pyramid.scus) == (2, "Heavy rain in the valley")
    assert {c.summary for scu in pyramid.scus for c in scu.contributors} == {"r0", "r1", "r2"}


def test_a_label_has_no_pronoun_for_its_subject_where_another_contributor_names_it() -> None:
    pyramid = peak(topic("She won the big race.", "Ann won the big race.", "He won the big race."))
    assert [(scu.weight, scu.label) for scu in pyramid.scus] == [(3, "Ann won the big race")]


def test_a_blank_reference_is_left_out_with_a_warning() -> None:
    with pytest.warns(InputWarning, match="'r1'"):
        assert len(peak(topic(TEXTS[0], " ")).references) == 1


@pytest.mark.parametrize(
    ("setting", "complaint"),
    [
        ({"threshold": 1.5}, "threshold"),
        ({"threshold": float("nan")}, "threshold"),
        ({"salient": 0}, "nodes"),
        ({"salient": 4}, "nodes"),
        ({"embedder": "sif:nowhere"}, "calibrated"),
    ],
)
def test_bad_settings(setting: dict[str, float], complaint: str) -> None:
    with pytest.raises(PyramidionError, match=complaint):
        peak(topic(*TEXTS), **setting)  # type: ignore[arg-type]


def test_bad_topics(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(LanguageError, match="propositions"):
        peak(topic("Он пришёл, потому что она позвонила."))
    with pytest.raises(PyramidionError, match="no reference"):
        peak(topic())
    monkeypatch.setattr(module, "MAX_TRIPLES", 3)
    with pytest.raises(PyramidionError, match="too many"):
        peak(topic(*TEXTS))
    assert threshold_of("anything", 0.3) == 0.3


Graph = tuple[list[_Triple], list[int], Table, NDArray[np.bool_]]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Triples of one to four voices of one to three copies, similarities of few values, and which are alike."""
    counts = draw(st.lists(st.integers(1, 4), min_size=1, max_size=4))
    sizes = [draw(st.integers(1, 3)) for _ in counts]
    nothing = Proposition(NOTHING, NOTHING, NOTHING, ())
    triples = [
        _Triple(nothing, voice, 10 * voice + draw(st.integers(0, 2)))
        for voice, count in enumerate(counts)
        for _ in range(count)
    ]
    size = len(triples)
    table = np.ones((size, size))
    for a in range(size):
        for b in range(a):
            table[a, b] = table[b, a] = draw(st.sampled_from([0.2, 0.5, 0.6, 0.6, 0.9]))
    return triples, sizes, table, table >= 0.5


@given(graphs())
@settings(max_examples=60)
def test_taking_is_by_weight_then_similarity_and_uses_each_triple_once(graph: Graph) -> None:
    triples, sizes, table, alike = graph
    left = set(range(len(triples)))
    for unit in _choose_units(*graph):
        offers = []
        for anchor in left:
            best = {triples[anchor].voice: anchor}
            for one in sorted(left, key=lambda one: (-table[anchor, one], one)):
                if alike[anchor, one]:
                    best.setdefault(triples[one].voice, one)
            weight = sum(sizes[voice] for voice in best)
            offers.append((-weight, -round(sum(table[anchor, one] for one in best.values()) - 1, 6), anchor, best))
        weight, similarity, anchor, best = min(offers, key=lambda offer: offer[:3])
        assert (unit.anchor, unit.members) == (anchor, best)
        assert unit.similarity == pytest.approx(-similarity)
        left -= set(best.values())
    assert not left


@given(graphs())
@settings(max_examples=60)
def test_merging_keeps_every_reference_and_leaves_no_copies(graph: Graph) -> None:
    triples, sizes, table, alike = graph
    units = _choose_units(*graph)
    before = {unit.anchor: dict(unit.members) for unit in units}
    kept = _merge_copies(units, triples, sizes, table, alike)
    assert {voice for unit in kept for voice in unit.members} == set(range(len(sizes)))
    weights = [sum(sizes[voice] for voice in unit.members) for unit in kept]
    assert weights == sorted(weights, reverse=True)
    for unit in kept:
        assert before[unit.anchor].items() <= unit.members.items()
        for other in kept:
            copies = alike[unit.anchor, other.anchor] and unit.sentences.isdisjoint(other.sentences)
            assert unit is other or not copies


def test_the_lighter_of_two_copies_gives_the_heavier_the_contributors_that_it_lacks() -> None:
    """Anchors 0 and 2 are alike: 0 has voices 0 and 1, 2 has voices 1 and 2; so voice 2 joins, voice 1 has one."""
    nothing = Proposition(NOTHING, NOTHING, NOTHING, ())
    triples = [_Triple(nothing, voice, sentence) for voice, sentence in ((0, 0), (1, 10), (1, 11), (2, 20))]
    table = np.array([[1, 0.9, 0.6, 0], [0.9, 1, 0, 0], [0.6, 0, 1, 0.8], [0, 0, 0.8, 1]])
    units = [_Unit(0, {0: 0, 1: 1}, 0.9, {0, 10}), _Unit(2, {1: 2, 2: 3}, 0.8, {11, 20})]
    (merged,) = _merge_copies(units, triples, [1, 1, 1], table, table >= 0.5)
    assert merged.members == {0: 0, 1: 1, 2: 3}


@pytest.mark.data
def test_student_references(data: Path) -> None:
    """Five references on cryptocurrency: SCUs of several weights, each contributor a proposition of its reference."""
    files = sorted((data / "cc-students" / "references").iterdir())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pyramid = peak(Topic("cc", tuple(Summary(file.stem, file.read_text()) for file in files)))
    weights = Counter(scu.weight for scu in pyramid.scus)
    assert weights[3] >= 4
    assert weights[2] >= 8
    for scu in pyramid.scus:
        assert scu.weight == len(scu.contributors)
        for one in scu.contributors:
            said = statements(analysed(pyramid.reference(one.summary).text, "en-minilm"))
            assert (one.spans, one.reason) in {(other.spans, str(other)) for other in said}


def test_a_label_begins_with_a_capital_unless_its_first_word_has_one_inside() -> None:
    assert peak(topic("In May police arrested the man.")).scus[0].label == "Police arrested the man"
    assert peak(topic("Yesterday eBay sold the shop.")).scus[0].label == "eBay sold the shop"
