"""The best tree is the best of all trees."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pyramidion.language.parse.tree import best_tree


def is_tree(heads: tuple[int, ...]) -> bool:
    if heads.count(0) != 1:
        return False
    for word in range(1, len(heads) + 1):
        seen = set()
        while word:
            if word in seen:
                return False
            seen.add(word)
            word = heads[word - 1]
    return True


@given(st.integers(1, 5).flatmap(lambda n: arrays(np.float64, (n, n + 1), elements=st.floats(-10, 10, width=32))))
def test_it_is_a_tree_with_one_root_and_no_other_is_better(scores: np.ndarray) -> None:  # type: ignore[type-arg]
    count = len(scores)
    found = tuple(best_tree(scores))
    assert is_tree(found)

    def worth(heads: tuple[int, ...]) -> float:
        return float(sum(scores[word, head] for word, head in enumerate(heads)))

    best = max(worth(heads) for heads in product(range(count + 1), repeat=count) if is_tree(heads))
    assert worth(found) >= best - 1e-6


def test_large_and_degenerate_matrices() -> None:
    assert is_tree(tuple(best_tree(np.zeros((150, 151)))))
    assert is_tree(tuple(best_tree(np.full((20, 21), np.nan))))
    assert best_tree(np.array([[0.0, 0.0]])) == [0]
