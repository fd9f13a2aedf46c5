"""Gao, Sun and Passonneau 2019, §4.6: the scores of the evaluated summary of Figure 2."""

from __future__ import annotations

from itertools import count

import pytest

from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Summary
from pyramidion.scoring import scores


def pyramid_with(tiers: dict[int, int]) -> Pyramid:
    """A pyramid of five references with that many SCUs of each weight."""
    references = tuple(Summary(id, "") for id in "ABCDE")
    numbers = count(1)
    scus = tuple(
        SCU(f"{weight}-{next(numbers)}", "", tuple(Contributor(reference.id) for reference in references[:weight]))
        for weight, size in tiers.items()
        for _ in range(size)
    )
    return Pyramid("figure 2", references, scus)


def test_scores_of_the_evaluated_summary_of_figure_2() -> None:
    # The paper gives three SCUs of weight 5, at least two of weight 4, 15 SCUs in an average reference, and their
    # maximum of 53. This pyramid has all of it.
    pyramid = pyramid_with({5: 3, 4: 4, 3: 6, 2: 8, 1: 10})
    assert pyramid.mean_scus_per_reference == (3 * 5 + 4 * 4 + 6 * 3 + 8 * 2 + 10 * 1) / 5 == 75 / 5 == 15

    # Five units: two SCUs of weight 5, one of weight 4, one of weight 2, and one that matches none.
    of_weight = {weight: [scu.id for scu in scus] for weight, scus in pyramid.tiers.items()}
    peer = Summary("ESUM", "", "peer")
    matched = (*of_weight[5][:2], of_weight[4][0], of_weight[2][0])
    esum = scores(pyramid, Annotation(peer, tuple(map(Match, matched)), (Contributor(peer.id),)))

    assert esum.raw == 2 * 5 + 4 + 2 == 16
    assert (esum.size, esum.max_for_size) == (5, 3 * 5 + 2 * 4) == (5, 23)
    assert esum.quality == 16 / 23
    assert (esum.average_scus, esum.max_for_average) == (15, 3 * 5 + 4 * 4 + 6 * 3 + 2 * 2) == (15, 53)
    assert esum.coverage == 16 / 53
    assert round(esum.coverage, 2) == 0.30
    # The harmonic mean of D/a and D/b is 2D / (a + b).
    assert esum.comprehensive == pytest.approx(2 * 16 / (23 + 53))
