"""The numbers of a study, and which of them make no sense."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.crowd.design import PLATFORMS, Design
from pyramidion.errors import ModelError


def test_defaults_are_the_papers() -> None:
    design = Design()
    assert (design.writers, design.written) == (2, 8)
    assert (design.sample, design.per_task, design.workers) == (32, 16, 5)
    assert (design.writing_reward, design.judging_reward) == (50, 45)
    assert (design.approved, design.approval_rate, design.platform) == (5000, 99, "mturk")


@given(st.integers(1, 200), st.integers(1, 200))
def test_tasks_per_summary_are_just_enough(sample: int, per_task: int) -> None:
    tasks = Design(sample=sample, per_task=per_task).tasks_per_summary
    assert (tasks - 1) * per_task < sample <= tasks * per_task


@pytest.mark.parametrize("name", ["writers", "written", "sample", "per_task", "workers"])
def test_none_of_something_is_refused(name: str) -> None:
    with pytest.raises(ModelError, match=f"The design sets {name} to 0; give a whole number, 1 or more"):
        Design(**{name: 0})


@pytest.mark.parametrize(
    "wrong",
    [
        *({"fee": -0.1}, {"fee": nan}, {"judging_minutes": inf}, {"writing_reward": -1}, {"checks": -1}, {"seed": -1}),
        *({"fee": 20}, {"fee": 1.01}, {"approval_rate": 101}, {"checks": 10**9}, {"writing_minutes": 1e308}),
    ],
)
def test_numbers_that_are_none_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ModelError, match=f"The design sets {next(iter(wrong))}"):
        Design(**wrong)


def test_an_unknown_platform_is_named_with_the_known_ones() -> None:
    with pytest.raises(ModelError, match="platform of Design cannot be 'upwork'; choose one of: mturk, prolific, own"):
        Design(platform="upwork")  # type: ignore[arg-type]
    assert set(PLATFORMS) == {"mturk", "prolific", "own"}


def test_a_fee_in_per_cent_is_told_to_be_a_share() -> None:
    with pytest.raises(ModelError, match="The design sets fee to 20; .* share: 0.2 is 20 %, 20 would be 2000%"):
        Design(fee=20)
    assert Design(fee=1, approval_rate=100).fee == 1
