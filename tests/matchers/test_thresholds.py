"""Thresholds: given, calibrated, or asked for."""

from __future__ import annotations

import math

import pytest

from pyramidion.errors import PyramidionError
from pyramidion.matchers.thresholds import THRESHOLDS, threshold_of


def test_what_is_given_comes_before_what_is_calibrated() -> None:
    assert threshold_of("minilm") == THRESHOLDS["minilm"] != 0.9 == threshold_of("minilm", 0.9)


def test_an_embedder_without_a_calibrated_threshold_needs_one() -> None:
    with pytest.raises(PyramidionError, match="'sif:a.txt'; give a threshold: threshold="):
        threshold_of("sif:a.txt")
    assert threshold_of("sif:a.txt", 0.5) == 0.5


@pytest.mark.parametrize("wrong", [-0.1, 1.1, math.nan, math.inf])
def test_a_threshold_is_a_cosine(wrong: float) -> None:
    with pytest.raises(PyramidionError, match="give a cosine from 0 to 1"):
        threshold_of("minilm", wrong)
