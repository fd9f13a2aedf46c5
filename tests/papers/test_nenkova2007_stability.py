"""Nenkova, Passonneau and McKeown 2007, §3: how many references a pyramid needs."""

from __future__ import annotations

from itertools import combinations
from statistics import fmean

import numpy as np
import pytest

from pyramidion.analyses.stability.study import stability as study
from pyramidion.errors import InputWarning, PyramidionError
from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Summary, Topic
from pyramidion.scoring import Settings, coverage
from pyramidion.stats.stability import Errors, Pair, Ranking, need, stability

TABLE_I = {
    1: (0.41, 0.23, 0.08, 0.35, 1080),
    2: (0.27, 0.23, 0.03, 0.26, 3780),
    3: (0.16, 0.19, 0.01, 0.18, 7560),
    4: (0.09, 0.17, 0.00, 0.14, 9550),
    5: (0.05, 0.14, 0.00, 0.10, 7560),
    6: (0.02, 0.10, 0.00, 0.06, 3780),
    7: (0.01, 0.06, 0.00, 0.04, 1080),
    8: (0.00, 0.01, 0.00, 0.01, 135),
}
"""n: p1, p2, p3, p, data points."""
TABLE_II = {1: 0.41, 2: 0.65, 3: 0.77, 4: 0.87, 5: 1.00}


def pyramid_of(units: dict[str, str], references: str, topic: str = "t") -> Pyramid:
    """A pyramid from SCU -> the references that express it, each a letter."""
    scus = tuple(SCU(id, id, tuple(Contributor(who) for who in whose)) for id, whose in units.items())
    return Pyramid(topic, tuple(Summary(letter, f"text {letter}") for letter in references), scus)


def small() -> Topic:
    """Three references, four SCUs, four peers that express one SCU each."""
    pyramid = pyramid_of({"1": "ABC", "2": "AB", "3": "C", "4": "AC"}, "ABC")
    peers = {"w": "4", "x": "1", "y": "2", "z": "3"}
    made = tuple(Annotation(Summary(id, "", "peer"), (Match(scu),)) for id, scu in peers.items())
    return Topic("t", pyramid.references, tuple(one.summary for one in made), pyramid=pyramid, annotations=made)


def test_errors_of_a_constructed_pyramid() -> None:
    """Quality is the SCU's weight over the highest weight.

    ==========  =================  =====================================================
    references  w    x    y    z   errors
    ==========  =================  =====================================================
    ABC         2/3  1    2/3  1/3 w and y are the same, the other five pairs differ
    A           1    1    1    0   xy E2, xw E2
    B           0    1    1    0   xy E2, yw E1, wz E2
    C           1    1    0    1   xz E2, xw E2, yz E3, yw E1, wz E2
    AB          1/2  1    1    0   xy E2, yw E1
    AC          1    1    1/2  1/2 xw E2, yz E2, yw E1
    BC          1/2  1    1/2  1/2 yz E2, wz E2
    ==========  =================  =====================================================
    """
    found = study([small()], quantity="quality").topics[0].stability
    assert found.summaries == ("w", "x", "y", "z")
    assert found.scores == pytest.approx((2 / 3, 1, 2 / 3, 1 / 3))
    assert found.errors == (
        Errors(size=1, same=3, different=15, e1=2, e2=7, e3=1),
        Errors(size=2, same=3, different=15, e1=2, e2=5, e3=0),
    )
    first = found.errors[0]
    assert (first.p1, first.p2, first.p3) == (2 / 3, 7 / 15, 1 / 15)
    assert first.p == pytest.approx(2 / 3 * (1 / 6) + (7 / 15 + 1 / 15) * (5 / 6))


def test_points_of_divergence_of_the_constructed_pyramid() -> None:
    """x is 1 everywhere; z is at most 1/2 with two references, w and y are 1 with some two."""
    pairs = {(pair.better, pair.worse): pair for pair in study([small()], quantity="quality").topics[0].stability.pairs}
    assert ("y", "w") not in pairs
    assert ("w", "y") not in pairs
    assert {key: pair.divergence for key, pair in pairs.items()} == {
        ("x", "w"): 3, ("x", "y"): 3, ("x", "z"): 2, ("w", "z"): 3, ("y", "z"): 3
    }  # fmt: skip
    assert pairs["x", "z"] == Pair("x", "z", pytest.approx(2 / 3), 2, 2)  # type: ignore[arg-type]


def test_table_I_data_points() -> None:
    """Three sets of ten summaries, each pair against all pyramids of the other eight: 135 C(8, n).

    The table has 9550 for n = 4, which C(8, 4) = 70 makes 9450: a slip of the pen.
    """
    random = np.random.default_rng(0)
    letters = "ABCDEFGHIJ"
    topics = []
    for topic in ("D30042", "D31041", "D31050"):
        chosen = random.random((40, 10)) < random.random((40, 1))
        units = {
            str(number): "".join(np.array(list(letters))[row]) or "A" for number, row in enumerate(chosen, start=1)
        }
        pyramid = pyramid_of(units, letters, topic)
        topics.append(Topic(topic, pyramid.references, pyramid=pyramid))
    found = study(topics, whose="references", quantity="quality")
    counted = {row.size: row.observations for row in found.errors}
    assert counted == {size: 9450 if size == 4 else row[4] for size, row in TABLE_I.items()}
    assert {topic.stability.whole for topic in found.topics} == {9}
    assert [spread.pyramids for spread in found.topics[0].stability.spreads[0]] == [9, 36, 84, 126, 126, 84, 36, 9, 1]
    totals = [row.p or 0 for row in found.errors]
    assert totals == sorted(totals, reverse=True)  # as in the table: the more references, the fewer errors


def test_table_I_total_is_the_formula() -> None:
    """P(same) is one number for all sizes: the share of pairs that are the same. About .45 fits every row."""
    for p1, p2, p3, p, _ in TABLE_I.values():
        assert p1 * 0.45 + (p2 + p3) * 0.55 == pytest.approx(p, abs=0.01)


def test_the_tables_say_five() -> None:
    """ "Each experiment supports the conclusion that about five summaries are needed": .10 and .85 give five."""
    errors = [
        Errors(size, 4500, 5500, round(4500 * p1), round(5500 * p2), round(5500 * p3))
        for size, (p1, p2, p3, _, _) in TABLE_I.items()
    ]
    rankings = [Ranking(size, 100 * TABLE_II.get(size, 1.0), 100) for size in TABLE_I]
    assert need(errors, rankings).size == 5
    assert need(errors, rankings, error=1, ranking=0.85).size == 4  # "4 or more summaries should be used"


def test_equal_by_the_threshold_though_the_ranking_is_reversed() -> None:
    """§5, the six systems under two inventories: informationally equal, "but the rank correlation is [...] -1"."""
    one, other = [0.69, 0.68, 0.67, 0.66, 0.65, 0.64], [0.64, 0.65, 0.66, 0.67, 0.68, 0.69]
    found = stability({1: np.array([other]), 2: np.array([one])}, [f"sys{number}" for number in range(1, 7)])
    assert found.errors == (Errors(1, 15, 0, 0, 0, 0),)
    assert found.rankings[0].mean == pytest.approx(-1)


def test_where_X_a_is_rounded_to_0_stability_has_no_score_as_evaluate_has_none() -> None:
    """Five references, of which A and B share an SCU, A and C another, A has one and D one: the whole X_a is 6 / 5.

    Rounded down, a pyramid has coverage only if it has as many contributors as references: A, AB, AC and so on have,
    while D with E has X_a = 1 / 2. E alone has no SCU, and nothing is rounded: 0, as of any pyramid without SCUs.
    """
    pyramid = pyramid_of({"1": "AB", "2": "AC", "3": "A", "4": "D"}, "ABCDE")
    peers = {"x": "1", "y": "4"}
    made = tuple(Annotation(Summary(id, "", "peer"), (Match(scu),)) for id, scu in peers.items())
    topic = Topic("t", pyramid.references, tuple(one.summary for one in made), pyramid=pyramid, annotations=made)
    settings = Settings(average="floor")
    with pytest.warns(InputWarning, match=r"7 sub-pyramid\(s\) of 1 topic\(s\) .* give no coverage and are left out"):
        found = study([topic], settings=settings).topics[0]
    undefined = 0
    for size in range(1, 6):
        smaller = [pyramid.restricted_to(chosen) for chosen in combinations("ABCDE", size)]
        scores = [[coverage(one, annotation.against(one), settings) for annotation in made] for one in smaller]
        undefined += sum(row[0] is None for row in scores)
        known = [row for row in scores if row[0] is not None]
        for place in (0, 1):
            spread = found.stability.spreads[place][size - 1]
            assert (spread.size, spread.pyramids) == (size, len(known))
            assert spread.mean == pytest.approx(fmean(row[place] or 0 for row in known))
    assert found.without_coverage == undefined == 7


def test_a_topic_whose_own_X_a_is_rounded_to_0_is_left_out() -> None:
    pyramid = pyramid_of({"1": "AB", "2": "D"}, "ABCD", "none")
    made = tuple(Annotation(Summary(id, "", "peer"), (Match(scu),)) for id, scu in {"x": "1", "y": "2"}.items())
    topic = Topic("none", pyramid.references, tuple(one.summary for one in made), pyramid=pyramid, annotations=made)
    without = pytest.warns(InputWarning, match="2 summaries without coverage")
    with without, pytest.warns(InputWarning, match="'none' is left out: it has no coverage, since"):
        found = study([small(), topic], settings=Settings(average="floor"))
    assert [one.topic for one in found.topics] == ["t"]
    with pytest.warns(InputWarning), pytest.raises(PyramidionError, match="No topic's scores can be compared"):
        study([topic], settings=Settings(average="floor"))
