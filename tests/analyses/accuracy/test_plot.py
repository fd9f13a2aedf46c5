"""Reliability diagrams: a panel for each judge that gives probabilities."""

from __future__ import annotations

import pytest

from pyramidion.analyses.accuracy.judgements import Bin, figures
from pyramidion.analyses.accuracy.realsumm.plot import draw_reliability
from pyramidion.errors import PyramidionError

BINS = (Bin(30, 0.05, 0.1), Bin(10, 0.5, 0.4), Bin(20, 0.95, 0.9))


def test_every_judge_with_probabilities_has_a_panel_and_the_same_bins_the_same_bytes() -> None:
    judges = {"given+soft": BINS, "given+wmin": (), "a $judge$ of_names": BINS[:1]}
    drawn = draw_reliability(judges, "svg", "method:test|version:1")
    text = drawn.decode()
    assert "given+soft" in text
    assert "a $judge$ of_names" in text
    assert "wmin" not in text
    assert "method:test|version:1" in text
    assert drawn == draw_reliability(judges, "svg", "method:test|version:1")


def test_without_probabilities_there_is_nothing_to_draw() -> None:
    with pytest.raises(PyramidionError, match="nothing to draw"):
        draw_reliability({"given+wmin": ()}, "svg", "")


def test_the_figures_of_a_judge_have_its_points() -> None:
    found = figures([1, 1, 0, 0], [1, 0, 0, 0], [0.9, 0.4, 0.4, 0.1])
    assert [(one.count, one.probability, one.present) for one in found.reliability] == [
        (1, 0.1, 0),
        (2, 0.4, 0.5),
        (1, 0.9, 1),
    ]
    assert figures([1, 0], [1, 0], [0.9, 0.1], probabilities=False).reliability == ()
