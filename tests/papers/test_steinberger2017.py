"""Steinberger et al. 2017: Figure 1, Algorithm 1, and the exact count beside Smatch's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pytest

from pyramidion.language.graphs.meaning import MeaningGraph
from pyramidion.language.graphs.penman.text import loads
from pyramidion.language.graphs.sources import graphs
from pyramidion.matchers.ape import ape, coverages
from pyramidion.matchers.triples import mmt
from pyramidion.model import SCU, Annotation, Contributor, Pyramid, Span, Summary
from pyramidion.scoring import scores

PENMAN = {
    "The boy wants to go.": "(a / want-01~2 :ARG0 (b / boy~1) :ARG1 (c / go-01~4 :ARG0 b))",
    "The boy wants the football.": "(x / want-01~2 :ARG0 (y / boy~1) :ARG1 (z / football~4))",
    "Two girls sleep.": "(s / sleep-01~2 :ARG0 (g / girl~1 :quant 2~0))",
    "Girls sleep.": "(s / sleep-01~1 :ARG0 (g / girl~0))",
    "Rain falls.": "(f / fall-01~1 :ARG1 (r / rain~0))",
}


def parser(sentences: Sequence[str]) -> list[str]:
    return [PENMAN[sentence] for sentence in sentences]


def test_figure_1() -> None:
    (gold,) = graphs("The boy wants to go.", parser)
    (peer,) = graphs("The boy wants the football.", parser)
    assert sorted(map(str, gold.triples)) == [
        *("ARG0(a, b)", "ARG0(c, b)", "ARG1(a, c)", "instance(a, want-01)", "instance(b, boy)", "instance(c, go-01)")
    ]
    found = mmt(gold, peer)
    assert found.mapping == (("a", "x"), ("b", "y"), ("c", "z"))
    assert [str(triple) for triple, _ in found.matched] == [
        *("instance(a, want-01)", "instance(b, boy)", "ARG0(a, b)", "ARG1(a, c)")
    ]
    assert found.proved
    assert (found.recall, found.precision) == (4 / 6, 4 / 5)
    assert round(found.f1, 2) == 0.73


A, B = "The boy wants to go. Two girls sleep.", "Girls sleep. Rain falls."
PYRAMID = Pyramid(
    "worked",
    (Summary("A", A), Summary("B", B)),
    (
        # lambda = 1; six gold triples, of which the peer has four.
        SCU("go", "A boy would like to go", (Contributor("A", (Span(0, 20),)),)),
        # lambda = 2; A's mention has four gold triples, of which the peer has three; B's has three, and the peer all.
        SCU("sleep", "Girls sleep", (Contributor("A", (Span(21, 37),)), Contributor("B", (Span(0, 12),)))),
        # lambda = 1; the gold triples inside "The boy wants" are want-01, boy and ARG0, and the peer has them.
        SCU("want", "A boy has a wish", (Contributor("A", (Span(0, 13),)),)),
        # lambda = 1; the peer has one of three.
        SCU("rain", "It rains", (Contributor("B", (Span(13, 24),)),)),
    ),
)
PEER = Summary("P", "The boy wants the football. Girls sleep.", "peer")


def found(tau: float, pyramid: Pyramid = PYRAMID) -> Annotation:
    return ape(pyramid, PEER, tau=tau, graphs=parser)


def test_algorithm_1_line_by_line() -> None:
    annotation = found(0.75)
    assert {match.scu: match.score for match in annotation.matches} == {"want": 1.0, "sleep": 1.0}
    assert annotation.unmatched == ()
    # w_p = 1 + 2. X_a = (1 + 2 + 1 + 1) / 2 = 2.5 SCUs, at best one of weight 2 and 1.5 of weight 1: w_ideal = 3.5.
    of_peer = scores(PYRAMID, annotation)
    assert of_peer.raw == 3
    assert of_peer.max_for_average == 3.5
    assert of_peer.coverage == 3 / 3.5


def test_any_mention_and_any_sentence_suffices() -> None:
    (covered,) = (one for one in coverages(PYRAMID, PEER, graphs=parser) if one.scu == "sleep")
    assert (covered.contributor, covered.count, covered.gold) == ("B", 3, 3)
    assert [PEER.quote([sentence.sentence]) for _, sentence, _ in covered.parts] == ["Girls sleep."]


def test_more_than_tau_not_tau_itself() -> None:
    only_a = Pyramid("t", PYRAMID.references, (SCU("s", "", PYRAMID.scus[1].contributors[:1]),))
    assert found(0.75, only_a).expressed == ()  # 3 of 4
    assert found(0.749, only_a).expressed == ("s",)
    assert "go" not in found(4 / 6).expressed
    assert "go" in found(0.66).expressed


def test_a_match_tells_which_triples() -> None:
    by_scu = {match.scu: match for match in found(0.6).matches}
    assert by_scu["go"].reason == "4 of 6 triples: want-01, boy, ARG0(want-01, boy), ARG1(want-01, go-01)"
    assert PEER.quote(by_scu["go"].spans) == "boy wants...football"
    assert PEER.quote(by_scu["sleep"].spans) == "Girls sleep"


def read(penman: str) -> MeaningGraph:
    """The one graph of a text in PENMAN notation."""
    (graph,) = loads(penman)
    sentence = graph.sentence or "(no words)"
    return graph.placed(sentence, Span(0, len(sentence)), "penman")


def smatch_line(penman: str) -> str:
    """A graph as the smatch package reads it: on one line, without comments and alignments."""
    lines = (line.strip() for line in penman.splitlines() if not line.startswith("#"))
    return re.sub(r"~[0-9,]+", "", " ".join(lines))


@pytest.mark.parametrize(
    ("one", "other", "matching"),
    [
        ("(c / cat :mod (b / black))", "(b / black :domain (c / cat))", 3),
        ("(c / cat :mod (b / black))", "(b / black :mod (c / cat))", 2),
        ("(c / cat :domain (b / black))", "(b / black :domain-of (c / cat))", 3),
        ("(s / see-01 :ARG1 (c / cat :mod (b / black)))", "(s / see-01 :ARG1 (c / cat :domain-of (b / black)))", 6),
        ("(s / see-01 :ARG1 (c / cat :mod (b / black)))", "(s / see-01 :ARG1 (c / cat :mod-of (b / black)))", 5),
    ],
)
def test_mod_is_the_inverse_of_domain_as_in_smatch(one: str, other: str, matching: int) -> None:
    smatch = pytest.importorskip("smatch")
    smatch.match_triple_dict.clear()
    found = mmt(read(one), read(other), top=True)
    assert (found.count, found.gold, found.peer) == smatch.get_amr_match(one, other)
    assert (found.count, found.proved) == (matching, True)


@pytest.mark.data
def test_never_less_than_smatch_finds(data: Path) -> None:
    smatch = pytest.importorskip("smatch")
    blocks = (data / "amr" / "wiki25.txt").read_text("utf-8").strip().split("\n\n")
    blocks = [block for block in blocks if smatch_line(block)]
    assert len(blocks) == 25
    more = 0
    for one, other in product(blocks, repeat=2):
        smatch.match_triple_dict.clear()
        count, gold, peer = smatch.get_amr_match(smatch_line(one), smatch_line(other))
        found = mmt(read(one), read(other), top=True)
        assert found.proved
        assert (found.gold, found.peer) == (gold, peer)
        assert found.count >= count
        more += found.count > count
    assert more < 300  # of 625: mostly both find the maximum; smatch draws its starts at random
