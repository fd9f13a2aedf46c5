"""The design of a crowd evaluation: the numbers of writers, statements and judges, and the pay (Shapira et al. 2019).

The defaults are the paper's (§3-4). Settings that the paper does not have (minutes per task, attention checks) are ours
and are marked as such.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from math import inf
from typing import Literal

from pyramidion.base.choices import check_choices
from pyramidion.errors import ModelError

PlatformName = Literal["mturk", "prolific", "own"]


@dataclass(frozen=True, slots=True)
class Platform:
    """The fee of a marketplace, as a share of each reward."""

    fee: float
    large_fee: float = 0.0
    """The additional fee of a task with ``large_from`` assignments or more."""
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
"""The largest plausible numbers; larger ones are slips, such as 20 for 20 % or seconds for minutes."""


@check_choices
@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """The numbers of a study. Money is whole cents, so that sums are exact."""

    writers: int = 2
    """The number of writers per reference (§3)."""
    written: int = 8
    """The number of statements that each of them writes (§3)."""
    sample: int = 32
    """The number of statements per topic that are judged (§3)."""
    per_task: int = 16
    """The number of statements in one judging task (§3)."""
    workers: int = 5
    """The number of judges per statement and summary (§3)."""
    writing_reward: int = 50
    """The pay for a writing task in cents (§4)."""
    judging_reward: int = 45
    """The pay for a judging task in cents (§4)."""
    platform: PlatformName = "mturk"
    fee: float | None = None
    """The platform's share of a reward, if it is not the usual one: 0.2 is 20 %."""
    approved: int = 5000
    """The number of approved assignments that a worker must have (§4)."""
    approval_rate: int = 99
    """The percentage of a worker's assignments that must have been approved (§4)."""
    checks: int = 1
    """The number of attention checks per judging task: statements whose answer is known (ours)."""
    writing_minutes: float = 8.0
    """The minutes that a writing task takes (ours, for hours and hourly pay)."""
    judging_minutes: float = 4.0
    """The minutes that a judging task takes (ours)."""
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

    @property
    def tasks_per_summary(self) -> int:
        """The number of judging tasks of one summary: the sample in parts of ``per_task``.

        >>> Design().tasks_per_summary
        2
        """
        return -(-self.sample // self.per_task)
