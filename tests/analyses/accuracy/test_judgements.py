"""Figures over single judgements."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.analyses.accuracy.judgements import Bin, figures, judgements, reliability
from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Summary, Topic

REFERENCE = Summary("r", "Rain fell. Rivers rose. Dogs ran.")
PYRAMID = Pyramid("t", (REFERENCE,), tuple(SCU(one, one, (Contributor("r", label=one),)) for one in "abc"))
PEERS = (Summary("p", "Rain fell.", "peer"), Summary("q", "Dogs ran.", "peer"))


def topic(*annotations: Annotation) -> Topic:
    return Topic("t", (REFERENCE,), PEERS, (), PYRAMID, annotations)


def test_the_worked_example() -> None:
    # labels 1 1 1 0 0, decisions 1 1 0 1 0: two hits, one miss, one false alarm
    found = figures([1, 1, 1, 0, 0], [1, 1, 0, 1, 0], [0.9, 0.8, 0.3, 0.8, 0.1])
    assert found.pairs == 5
    assert found.present == 0.6
    assert found.accuracy == 0.6
    assert found.precision == found.recall == found.f1 == pytest.approx(2 / 3)
    # kappa: P_o = .6, P_e = .6 x .6 + .4 x .4 = .52
    assert found.kappa == pytest.approx((0.6 - 0.52) / 0.48)
    # pairs of a 1 and a 0: .9 beats both, .8 beats .1 and ties .8, .3 beats .1
    assert found.auc == pytest.approx((2 + 1.5 + 1) / 6)
    assert found.brier == pytest.approx((0.01 + 0.04 + 0.49 + 0.64 + 0.01) / 5)
    # bins: .1 alone (0 present), .3 alone (1), both .8 (1 of 2), .9 (1)
    assert found.ece == pytest.approx((0.1 + 0.7 + 2 * 0.3 + 0.1) / 5)


def test_bins_are_of_equal_width_and_the_last_holds_one() -> None:
    assert reliability([0, 1, 1], [0.1, 0.3, 1.0]) == (Bin(1, 0.1, 0), Bin(1, 0.3, 1), Bin(1, 1.0, 1))
    # 0.3 is 0.299999... times ten in floating point: it belongs into the bin that it opens
    assert len(reliability([0, 1], [0.1 + 0.2, 0.29])) == 2


def test_what_is_undefined_is_none() -> None:
    nothing = figures([], [], [])
    assert (nothing.pairs, nothing.accuracy, nothing.auc, nothing.ece, nothing.kappa) == (0, None, None, None, None)
    all_present = figures([1, 1], [0, 0], [0.2, 0.4])
    assert (all_present.auc, all_present.precision, all_present.f1) == (None, None, 0)
    assert figures([1, 0], [1, 0], [1, 0], probabilities=False).ece is None


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([0.0, 0.2, 0.5, 0.9, 1.0])), min_size=1, max_size=30))
def test_auc_counts_pairs(pairs: list[tuple[bool, float]]) -> None:
    found = figures([y for y, _ in pairs], [p >= 0.5 for _, p in pairs], [p for _, p in pairs])
    wins = [(a > b) + (a == b) / 2 for (y, a), (z, b) in product(pairs, pairs) if y and not z]
    assert found.auc == (pytest.approx(sum(wins) / len(wins)) if wins else None)
    assert found.ece is not None
    assert 0 <= found.ece <= 1


def test_a_perfectly_calibrated_judge_has_no_calibration_error() -> None:
    labels = [1] * 7 + [0] * 3 + [1] * 2 + [0] * 8
    assert figures(labels, labels, [0.7] * 10 + [0.2] * 10).ece == 0


def test_probabilities_where_given_else_the_scores_of_matches() -> None:
    human = topic(Annotation(PEERS[0], (Match("a"), Match("b"))), Annotation(PEERS[1], (Match("c"),)))
    sure = tuple(zip("abc", (0.9, 0.6, 0.1), strict=True))
    unsure = tuple(zip("abc", (0.2, 0.3, 0.4), strict=True))
    judge = topic(
        Annotation(PEERS[0], (Match("a", (), 0.9), Match("b", (), 0.6)), probabilities=sure),
        Annotation(PEERS[1], probabilities=unsure),
    )
    found = judgements([human], [judge])
    assert found.pairs == 6
    assert found.accuracy == pytest.approx(5 / 6)
    assert found.auc == 1
    assert found.ece is not None
    # a matcher that gives scores only; of two matches of one SCU the better counts, and no match is a degree of 0
    matcher = topic(Annotation(PEERS[0], (Match("a", (), 0.3), Match("a", (), 0.5))), Annotation(PEERS[1]))
    found = judgements([human], [matcher])
    assert found.recall == pytest.approx(1 / 3)
    assert found.auc == pytest.approx((3 + 1.5 + 1.5) / 9)
    assert found.ece is None


def test_an_scu_without_an_answer_is_left_out_and_no_zero() -> None:
    human = topic(Annotation(PEERS[0], (Match("a"), Match("b"))))
    judge = topic(Annotation(PEERS[0], (Match("a", (), 0.9),), probabilities=(("a", 1.0), ("c", 0.0))))
    found = judgements([human], [judge])
    assert (found.pairs, found.accuracy, found.recall, found.brier) == (2, 1, 1, 0)


def test_only_summaries_that_people_judged_count() -> None:
    human = topic(Annotation(PEERS[1], (Match("c"),)))
    judge = topic(Annotation(PEERS[0], (Match("a"),)), Annotation(PEERS[1], (Match("c"),)))
    assert judgements([human], [judge]).pairs == 3
    assert judgements([human], [judge]).accuracy == 1
