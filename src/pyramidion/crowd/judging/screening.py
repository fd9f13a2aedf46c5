"""The settings by which votes count: the filter of workers, and the meaning of a blank answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pyramidion.base.choices import check_choices

AgreementName = Literal["positional", "sequence"]
Blank = Literal["missing", "present"]


@check_choices
@dataclass(frozen=True, slots=True)
class Screening:
    """The settings of the filter of workers, and what an answer that was left out counts as."""

    threshold: float | None = 0.5
    """Workers who agree with the others less than this are left out; with None, nobody is."""
    agreement: AgreementName = "positional"
    rounds: int | None = None
    """The number of rounds of the filter; with None, it runs until nobody is below the threshold."""
    blank: Blank = "missing"


SCREENING = Screening()
"""The paper's settings."""
