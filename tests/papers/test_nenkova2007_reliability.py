"""Nenkova, Passonneau and McKeown 2007, §4.1: the reliability of peer annotation."""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt

import pytest

from pyramidion.analyses.agree.study import THRESHOLD, paradigmatic_study
from pyramidion.errors import ModelError, PyramidionError
from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Summary, Topic
from pyramidion.stats.agreement import krippendorff_alpha, leave_one_coder_out
from pyramidion.stats.correlation import fisher_interval
from pyramidion.stats.distances import DistanceName, dice

KRIPPENDORFF = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3],
    [None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None],
]
"""Krippendorff's own reliability data of four observers and twelve units ("Computing Krippendorff's
Alpha-Reliability", 2011, part E)."""


@pytest.mark.parametrize(
    ("distance", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)]
)
def test_alpha_of_krippendorffs_own_example(distance: DistanceName, alpha: float) -> None:
    found = krippendorff_alpha(KRIPPENDORFF, distance)
    assert found.value == pytest.approx(alpha, abs=5e-4)
    assert (found.units, found.values, found.left_out) == (11, 40, 1)


def test_alpha_of_krippendorffs_binary_example() -> None:
    # part A: two observers, ten units, alpha .095
    meg = [0, 1, 0, 0, 0, 0, 0, 0, 1, 0]
    owen = [1, 1, 1, 0, 0, 1, 0, 0, 0, 0]
    assert krippendorff_alpha([meg, owen]).value == pytest.approx(0.095, abs=5e-4)


def test_the_third_observer_of_krippendorffs_example_disagrees_most() -> None:
    found = [one.value or 0 for one in leave_one_coder_out(KRIPPENDORFF)]
    assert max(range(4), key=found.__getitem__) == 2


def test_dice_over_counts() -> None:
    # "Where A finds two instances of an SCU and B finds three, Dice equals 0.8 ... delta is (1-Dice) ... = 0.2"
    assert dice(2, 3) == pytest.approx(0.2)
    assert dice(3, 2) == pytest.approx(0.2)
    # "(1-Dice) increases as the disparity in SCU counts grows larger"
    assert sorted(dice(2, count) for count in range(2, 8)) == [dice(2, count) for count in range(2, 8)]
    # two SCUs: found twice and three times; missed by both. n = 4: 0, 0, 2, 3
    # observed 2 x .2; expected 2 x (2 x 1 + 2 x 1 + .2)
    assert krippendorff_alpha([[2, 0], [3, 0]], "dice").value == pytest.approx(1 - 3 * 0.4 / 8.4)
    # nominal takes the two counts for complete disagreement
    assert krippendorff_alpha([[2, 0], [3, 0]]).value == pytest.approx(1 - 3 * 2 / 10)


@pytest.mark.parametrize(
    ("r", "low", "high"),
    [
        (0.76, 0.54, 0.89), (0.84, 0.67, 0.92), (0.92, 0.83, 0.96), (0.90, 0.78, 0.95), (0.81, 0.62, 0.91),
        (0.91, 0.81, 0.96), (0.83, 0.66, 0.92), (0.89, 0.77, 0.95), (0.91, 0.80, 0.96), (0.95, 0.90, 0.98),
        (0.78, 0.57, 0.90),
    ],
)  # fmt: skip
def test_the_intervals_of_table_iv_are_fishers_of_27_peers(r: float, low: float, high: float) -> None:
    found = fisher_interval(r, 27)
    assert found is not None
    # the paper's r has two decimals, so its intervals can be off by one in the last
    assert found.low == pytest.approx(low, abs=0.012)
    assert found.high == pytest.approx(high, abs=0.012)


# A pyramid of four references with SCUs of weight 4, 3, 2, 1: X_a = 10 / 4 = 2.5, Max(2.5) = 4 + 3 + 2 / 2 = 8

REFERENCES = tuple(Summary(name, "") for name in "ABCD")
PYRAMID = Pyramid(
    "D1",
    REFERENCES,
    tuple(SCU(str(w), "", tuple(Contributor(one.id) for one in REFERENCES[:w])) for w in (4, 3, 2, 1)),
)
PEERS = tuple(Summary(f"p{number}", "", "peer") for number in range(1, 5))


def topic(annotators: Mapping[str, tuple[str, ...]], peers: tuple[Summary, ...] = PEERS) -> Topic:
    """What each annotator found in each peer: a digit per match."""
    made = tuple(
        Annotation(peer, tuple(map(Match, found)), annotator=name)
        for name, by_peer in annotators.items()
        for peer, found in zip(peers, by_peer, strict=False)
    )
    return Topic("D1", REFERENCES, peers, pyramid=PYRAMID, annotations=made)


def test_the_paradigmatic_study_by_hand() -> None:
    found = paradigmatic_study([topic({"102": ("43", "42", "1", ""), "218": ("43", "433", "2", "")})], "102", "218")
    assert (found.summaries, found.undefined, found.left_out) == (4, 1, 0)
    # p1: perfect. p2: 1010 and 1200, n = 8. observed: 2 x (dice(0, 2) + dice(1, 0)) = 4; four 0, three 1, one 2:
    # expected 2 x (4 x 3 + 4 x 1 + 3 x 1/3) = 34. p3: 0001 and 0010, observed 4, expected 2 x 6 x 2 = 24
    p2, p3 = 1 - 7 * 4 / 34, 1 - 7 * 4 / 24
    assert found.mean_alpha == pytest.approx((1 + p2 + p3) / 3)
    # modified scores: 7, 6, 1, 0 and 7, 7, 2, 0 by Max(2.5) = 8
    assert found.modified.difference == pytest.approx((0 - 1 - 1 + 0) / 8 / 4)
    assert found.modified.absolute_difference == pytest.approx(2 / 8 / 4)
    assert found.modified.within_threshold is False  # .0625
    # original: 7/7, 6/7, 1/4, 0 and 7/7, 7/9 (X = 3), 2/4, 0
    assert found.original.difference == pytest.approx((6 / 7 - 7 / 9 - 1 / 4) / 4)
    assert found.original.absolute_difference == pytest.approx((6 / 7 - 7 / 9 + 1 / 4) / 4)
    assert found.original.within_threshold is True
    assert THRESHOLD == 0.06
    assert found.modified.correlation.n == 4
    assert found.modified.correlation.value == pytest.approx(sqrt(37 / 38))  # sums of products 37, of squares 37 and 38
    assert found.modified.fisher is None  # of four summaries


def test_a_change_of_order_changes_the_sign_only() -> None:
    topics = [topic({"a": ("43", "42", "1", ""), "b": ("43", "433", "2", "")})]
    there, back = paradigmatic_study(topics, "a", "b"), paradigmatic_study(topics, "b", "a")
    assert there.modified.difference == -(back.modified.difference or 0)
    assert (there.alpha, there.mean_alpha) == (back.alpha, back.mean_alpha)
    assert there.modified.correlation.value == back.modified.correlation.value


def test_the_same_scores_from_different_scus() -> None:
    # "if two annotators find different SCUs in the same peer, the overall sum can be the same"
    found = paradigmatic_study([topic({"a": ("31", "4", "21", "4"), "b": ("4", "31", "3", "31")})], "a", "b")
    assert found.modified.difference == 0
    assert found.modified.correlation.value == pytest.approx(1)
    assert found.mean_alpha is not None
    assert found.mean_alpha < 0


def test_what_cannot_be_studied() -> None:
    with pytest.raises(ModelError, match="No summary is annotated by 'c'; name one of the annotators: a, b"):
        paradigmatic_study([topic({"a": ("4",), "b": ("4",)})], "a", "c")
    apart = topic({"a": ("4", "3")})
    other = Annotation(PEERS[2], (Match("4"),), annotator="b")
    with pytest.raises(PyramidionError, match="two of the 2 annotators.*a: D1/p1, D1/p2; b: D1/p3"):
        paradigmatic_study([Topic("D1", REFERENCES, PEERS, (), PYRAMID, (*apart.annotations, other))], "a", "b")
    with pytest.raises(ModelError, match="threshold"):
        paradigmatic_study([topic({"a": ("4",), "b": ("4",)})], "a", "b", threshold=float("nan"))
