"""Options that several commands of ``crowd`` share, and the bundles that stand for a design, rules or a screening."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from pyramidion.cli import _shared
from pyramidion.crowd.assignment import Distinct
from pyramidion.crowd.design import Design, PlatformName
from pyramidion.crowd.judging.screening import AgreementName, Blank, Screening
from pyramidion.crowd.study import Phase
from pyramidion.errors import PyramidionError

StudyArgument = Annotated[Path, typer.Argument(metavar="STUDY", readable=False, help="The study's folder.")]
JudgementsArgument = Annotated[
    list[Path],
    typer.Argument(
        metavar="STUDY|RESULTS",
        readable=False,
        help="A study's folder, or files and folders with results of the judging task.",
    ),
]
PhaseOption = Annotated[
    Phase | None,
    typer.Option("--phase", help="Which tasks: judging if there are judging tasks, else writing.", show_default=False),
]
PanelOption = Annotated[
    Path | None,
    typer.Option(
        "--panel",
        metavar="FILE",
        readable=False,
        help="The names of workers you know, one per line. panel.csv in the study's folder then says who does which "
        "task.",
    ),
]
DistinctOption = Annotated[
    Distinct,
    typer.Option(
        "--distinct",
        help="What nobody is asked twice: a statement about one summary (item), or a statement about any summary "
        "(statement).",
    ),
]
FairPayOption = Annotated[
    int | None,
    typer.Option(
        "--fair-pay",
        metavar="CENTS",
        help="Warn if an hour's pay is below this. [725, the federal minimum wage of the United States; "
        "with --platform prolific 800, Prolific's minimum]",
        show_default=False,
    ),
]
AgreementOption = Annotated[
    AgreementName,
    typer.Option(
        "--agreement", help="How workers are compared: answer by answer, or by the published code's sequence matcher."
    ),
]
AggregationOption = Annotated[
    str,
    typer.Option("--aggregation", help="How votes become decisions: majority, mean, dawid-skene or mace."),
]

Changes = dict[str, Any]
"""The settings that were given on the command line; the others keep their defaults."""
DEFAULTS: Changes = {}


def count(name: str, help: str) -> Any:
    """An option that takes a whole number."""
    return Annotated[int | None, typer.Option(name, metavar="N", help=help, show_default=False)]


def _setting(field: str, type: Any, help: str, metavar: str | None = "N") -> tuple[Any, None]:
    """An option for a field of the design, with the design's own default in its help."""
    default = getattr(Design(), field)
    shown = "" if default is None else f" [{default:g}]" if isinstance(default, float) else f" [{default}]"
    option = typer.Option(f"--{field.replace('_', '-')}", metavar=metavar, help=help + shown, show_default=False)
    return Annotated[type | None, option], None


_PRICES = {
    field: _setting(field, type, help, *metavar)
    for field, type, help, *metavar in (
        ("writers", int, "Workers who write about each reference."),
        ("written", int, "Statements that each of them writes."),
        ("sample", int, "Statements per topic that are judged."),
        ("per_task", int, "Statements in one judging task."),
        ("workers", int, "Workers who judge each statement on each summary."),
        ("writing_reward", int, "Pay for a writing task.", "CENTS"),
        ("judging_reward", int, "Pay for a judging task.", "CENTS"),
        ("platform", PlatformName, "Whose workers and fees: Mechanical Turk's, Prolific's, or your own.", None),
        ("fee", float, "The platform's share of each reward if it is not the usual one; 0.2 is 20 %.", "SHARE"),
        ("checks", int, "Attention checks in each judging task."),
        ("writing_minutes", float, "How long a writing task takes.", "MINUTES"),
        ("judging_minutes", float, "How long a judging task takes.", "MINUTES"),
    )
}
_ADMISSION = {
    field: _setting(field, int, help, *metavar)
    for field, help, *metavar in (
        ("approved", "Approved assignments that a worker must have."),
        ("approval_rate", "Share of their assignments that must have been approved.", "PERCENT"),
        ("seed", "Where the random draws of samples, orders and assignments start.", "S"),
    )
}

_RULES: dict[str, tuple[Any, Any]] = {
    "name": (
        Annotated[
            Literal["paper", "litepyramids"],
            typer.Option(
                "--rules", help="The paper's rules, or those of its published code. The next options change them."
            ),
        ],
        "paper",
    ),
    **{
        field: (Annotated[type | None, typer.Option(f"--{field.replace('_', '-')}", metavar=metavar, help=help)], None)
        for field, type, help, metavar in (
            ("several", Literal["split", "drop"], "Split a field with several sentences, or drop it.", None),
            ("shortest", int, "The fewest words that a statement may have.", "WORDS"),
            ("longest", int, "The most words that a statement may have.", "WORDS"),
            (
                "duplicates",
                Literal["cosine", "overlap"],
                "Find duplicates by the cosine of bags of lemmas, or by the overlap of sets of lemmas.",
                None,
            ),
            ("threshold", float, "Statements more alike than this are duplicates (cosine .85, overlap .95).", None),
            ("per_reference", int, "Sample this many per reference instead of the design's sample per topic.", "N"),
            ("analyser", str, "What finds words, sentences and lemmas; 'unicode' needs no model.", None),
        )
    },
}

_SCREENING: dict[str, tuple[Any, Any]] = {
    "filter": (
        Annotated[
            str,
            typer.Option(
                "--filter", metavar="SHARE|none", help="Leave out workers who agree with the others less than this."
            ),
        ],
        "0.5",
    ),
    "agreement": (AgreementOption, "positional"),
    "rounds": (
        Annotated[
            int | None,
            typer.Option(
                "--rounds",
                metavar="N",
                min=0,
                help="Run the filter this many times (the published code: 1); until nobody is left out if not given.",
            ),
        ],
        None,
    ),
    "blank": (
        Annotated[
            Blank,
            typer.Option(
                "--blank", help="What a blank answer is: no vote, or a vote for present (the published code)."
            ),
        ],
        "missing",
    ),
}


def _given(options: dict[str, Any]) -> _shared.Bundle:
    def value(context: typer.Context, *values: Any) -> Changes:
        return {name: value for name, value in zip(options, values, strict=True) if value is not None}

    return _shared.Bundle(options, value)


def _screening(
    context: typer.Context, filter: str, agreement: AgreementName, rounds: int | None, blank: Blank
) -> Screening:
    try:
        threshold = None if filter.strip().lower() == "none" else float(filter)
    except ValueError:
        raise PyramidionError(f"--filter {filter!r} is no share", do="give a number such as .5, or none") from None
    return Screening(threshold, agreement, rounds, blank)


_shared.BUNDLES |= {
    "prices": _given(_PRICES),
    "design": _given(_PRICES | _ADMISSION),
    "rules": _given(_RULES),
    "screening": _shared.Bundle(_SCREENING, _screening),
}
