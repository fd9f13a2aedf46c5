"""How a crowd evaluation is laid out: how many writers, statements and judges, for what pay (Shapira et al. 2019 §3-4).

The defaults are the paper's. What the paper does not say (minutes per task, attention checks) is ours and named so.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import inf
from typing import Literal

from pyramidion.errors import ModelError

PlatformName = Literal["mturk", "prolific", "own"]


@dataclass(frozen=True, slots=True)
class Platform:
    """What a marketplace takes on top of each reward, as a share of it."""

    fee: float
    large_fee: float = 0.0
    """Added where a task has ``large_from`` assignments or more."""
    large_from: int = 10
    least: int = 0
    """The minimum fee for one assignment, in cents."""


PLATFORMS: dict[str, Platform] = {
    "mturk": Platform(0.20, 0.20, 10, 1),
    "prolific": Platform(1 / 3),
    "own": Platform(0.0),
}
"""Fees as the platforms publish them (Prolific's for academic accounts); ``Design.fee`` overrides them."""


_MOST = {"fee": 1, "approval_rate": 100, "checks": 100, "writing_minutes": 1440, "judging_minutes": 1440}
"""A number above these is a slip: 20 for 20 %, seconds for minutes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """The numbers of a study. Money is whole cents, so that sums are exact."""

    writers: int = 2
    """Writers per reference (§3)."""
    written: int = 8
    """Statements that each of them writes (§3)."""
    sample: int = 32
    """Statements per topic that are judged (§3)."""
    per_task: int = 16
    """Statements in one judging task (§3)."""
    workers: int = 5
    """Judges per statement and summary (§3)."""
    writing_reward: int = 50
    """Cents per writing task (§4)."""
    judging_reward: int = 45
    """Cents per judging task (§4)."""
    platform: PlatformName = "mturk"
    fee: float | None = None
    """The platform's share of a reward, where it is not the usual one: 0.2 is 20 %."""
    approved: int = 5000
    """Assignments that a worker must have had approved (§4)."""
    approval_rate: int = 99
    """Percentage of a worker's assignments that must have been approved (§4)."""
    checks: int = 1
    """Attention checks per judging task: statements whose answer is known (ours)."""
    writing_minutes: float = 8.0
    """How long a writing task takes (ours, for hours and hourly pay)."""
    judging_minutes: float = 4.0
    """How long a judging task takes (ours)."""
    seed: int = 0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in ("writers", "written", "sample", "per_task", "workers") and value < 1:
                raise ModelError(f"The design sets {field.name} to {value}", do="give a whole number, 1 or more")
            if isinstance(value, int | float) and not 0 <= value < inf:
                raise ModelError(f"The design sets {field.name} to {value}", do="give a number that is not negative")
            if field.name in _MOST and value is not None and value > _MOST[field.name]:
                hint = f", as a share: 0.2 is 20 %, {value:g} would be {value:.0%}" if field.name == "fee" else ""
                raise ModelError(
                    f"The design sets {field.name} to {value:g}", do=f"give a number up to {_MOST[field.name]}{hint}"
                )
        if self.platform not in PLATFORMS:
            raise ModelError(f"There is no platform {self.platform!r}", do=f"choose one of: {', '.join(PLATFORMS)}")

    @property
    def tasks_per_summary(self) -> int:
        """Judging tasks that one summary takes: the sample in parts of ``per_task``.

        >>> Design().tasks_per_summary
        2
        """
        return -(-self.sample // self.per_task)
