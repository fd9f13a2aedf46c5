"""Options of a study's design, each of which is a field of :class:`~pyramidion.crowd.design.Design`."""

from __future__ import annotations

from dataclasses import fields
from typing import Annotated, Any

import typer

from pyramidion.crowd.design import Design, PlatformName


def number(name: str, help: str, metavar: str | None = "N") -> Any:
    """An option that takes a number."""
    return typer.Option(name, metavar=metavar, help=help, show_default=False)


def _setting(field: str, help: str, metavar: str | None = "N") -> Any:
    """An option for a field of the design, with the design's own default in its help."""
    default = getattr(Design(), field)
    told = "" if default is None else f" [{default:g}]" if isinstance(default, float) else f" [{default}]"
    return number(f"--{field.replace('_', '-')}", help + told, metavar)


Writers = Annotated[int | None, _setting("writers", "Workers who write about each reference.")]
Written = Annotated[int | None, _setting("written", "Statements that each of them writes.")]
Sample = Annotated[int | None, _setting("sample", "Statements per topic that are judged.")]
PerTask = Annotated[int | None, _setting("per_task", "Statements in one judging task.")]
Workers = Annotated[int | None, _setting("workers", "Workers who judge each statement on each summary.")]
WritingReward = Annotated[int | None, _setting("writing_reward", "Pay for a writing task.", "CENTS")]
JudgingReward = Annotated[int | None, _setting("judging_reward", "Pay for a judging task.", "CENTS")]
PlatformOption = Annotated[
    PlatformName | None,
    _setting("platform", "Whose workers and fees: Mechanical Turk, Prolific, or your own.", None),
]
Fee = Annotated[
    float | None, _setting("fee", "The platform's share of each reward, 0.2 for 20 %, not the usual fees.", "SHARE")
]
Approved = Annotated[int | None, _setting("approved", "Assignments a worker must have had approved.")]
ApprovalRate = Annotated[int | None, _setting("approval_rate", "Per cent of them.", "PERCENT")]
Checks = Annotated[int | None, _setting("checks", "Attention checks in each judging task.")]
WritingMinutes = Annotated[float | None, _setting("writing_minutes", "What a writing task takes.", "MINUTES")]
JudgingMinutes = Annotated[float | None, _setting("judging_minutes", "What a judging task takes.", "MINUTES")]
Seed = Annotated[int | None, _setting("seed", "For samples, orders and assignments.", "S")]
FairPay = Annotated[
    int | None,
    typer.Option(
        "--fair-pay",
        metavar="CENTS",
        help="Warn where an hour's pay is below this. [725, the federal minimum wage of the US; "
        "with --platform prolific 800, the least that Prolific admits]",
        show_default=False,
    ),
]


def given(context: typer.Context) -> dict[str, Any]:
    """What of a design was said on the command line."""
    known = {field.name for field in fields(Design)}
    return {name: value for name, value in context.params.items() if name in known and value is not None}
