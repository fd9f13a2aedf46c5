"""Options that several commands of ``crowd`` share, and the bundles that stand for a design, rules or a screening."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from pyramidion.cli import _shared
from pyramidion.crowd.assignment import Distinct
from pyramidion.crowd.design import Design, PlatformName
from pyramidion.crowd.judging.screening import AgreementName, Blank, Screening
from pyramidion.crowd.statements.drafts import Several
from pyramidion.crowd.statements.duplicates import Duplicates
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
    typer.Option(
        "--phase",
        help="The kind of tasks. The default is judging if there are judging tasks, or else writing.",
        show_default=False,
    ),
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
        help="Ask nobody twice about a statement and the same summary (item), or about a statement and any summary "
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
        "--agreement",
        help="Compare workers answer by answer (positional), or with the published code's sequence matcher.",
    ),
]
AggregationOption = Annotated[
    str,
    typer.Option(
        "--aggregation", help="The rule that turns votes into decisions: majority, mean, dawid-skene or mace."
    ),
]

Changes = dict[str, Any]
"""The settings that were given on the command line; the others keep their defaults."""
DEFAULTS: Changes = {}


def count(name: str, help: str) -> Any:
    """An option that takes a whole number."""
    return _option(name.removeprefix("--"), int, help)[0]


def _option(name: str, kind: Any, help: str, metavar: str | None = "N") -> tuple[Any, None]:
    """An option whose absence keeps the default."""
    option = typer.Option(f"--{name.replace('_', '-')}", metavar=metavar, help=help, show_default=False)
    return Annotated[kind | None, option], None


def _settings(*options: tuple[Any, ...]) -> dict[str, Any]:
    """Options for fields of the design, with the design's own defaults in their help."""
    defaults = asdict(Design())
    shown = {name: f" [{value:g}]" if isinstance(value, float) else f" [{value}]" for name, value in defaults.items()}
    shown["fee"] = ""
    return {name: _option(name, kind, help + shown[name], *metavar) for name, kind, help, *metavar in options}


_PRICES = _settings(
    ("writers", int, "The number of workers who write about each reference."),
    ("written", int, "The number of statements that each of them writes."),
    ("sample", int, "The number of statements per topic that are judged."),
    ("per_task", int, "The number of statements in one judging task."),
    ("workers", int, "The number of workers who judge each statement on each summary."),
    ("writing_reward", int, "The pay for a writing task.", "CENTS"),
    ("judging_reward", int, "The pay for a judging task.", "CENTS"),
    ("platform", PlatformName, "The platform of the workers: Mechanical Turk, Prolific, or your own (no fees).", None),
    (
        "fee",
        float,
        "The platform's fee, as a share of each reward: 0.2 is 20 %. The default is its usual fee.",
        "SHARE",
    ),
    ("checks", int, "The number of attention checks in each judging task."),
    ("writing_minutes", float, "The time that a writing task takes.", "MINUTES"),
    ("judging_minutes", float, "The time that a judging task takes.", "MINUTES"),
)
_ADMISSION = _settings(
    ("approved", int, "The number of approved assignments that a worker must have."),
    ("approval_rate", int, "The share of their assignments that must have been approved.", "PERCENT"),
    ("seed", int, "The seed of the random draws of samples, orders and assignments.", "S"),
)
_RULES: dict[str, tuple[Any, Any]] = {
    "name": (
        Annotated[
            Literal["paper", "litepyramids"],
            typer.Option(
                "--rules",
                help="Use the paper's rules, or those of its published code. The next options change single rules.",
            ),
        ],
        "paper",
    ),
    "several": _option("several", Several, "Split a field with several sentences, or drop it.", None),
    "shortest": _option("shortest", int, "The fewest words that a statement may have.", "WORDS"),
    "longest": _option("longest", int, "The most words that a statement may have.", "WORDS"),
    "duplicates": _option(
        "duplicates",
        Duplicates,
        "Find duplicates by the cosine of bags of lemmas, or by the overlap of sets of lemmas.",
        None,
    ),
    "threshold": _option(
        "threshold",
        float,
        "Call statements duplicates if they are more alike than this. The default is .9 (cosine) or .95 (overlap).",
        None,
    ),
    "per_reference": _option(
        "per_reference", int, "Sample this many statements per reference, instead of the design's number per topic."
    ),
    "analyser": _option(
        "analyser", str, "The analyser that finds words, sentences and lemmas. 'unicode' needs no model.", None
    ),
}
_SCREENING: dict[str, tuple[Any, Any]] = {
    "filter": (
        Annotated[
            str,
            typer.Option(
                "--filter",
                metavar="SHARE|none",
                help="Leave out workers who agree with the others less than this (none: keep all).",
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
                help="Run the filter this many times (the published code: 1). By default, it runs until nobody more "
                "is left out.",
            ),
        ],
        None,
    ),
    "blank": (
        Annotated[
            Blank,
            typer.Option(
                "--blank",
                help="Count a blank answer as no vote (missing), or as a vote for present, as the published code does.",
            ),
        ],
        "missing",
    ),
}


def _changes(options: dict[str, Any]) -> _shared.Bundle:
    def value(context: typer.Context, *values: Any) -> Changes:
        return {name: value for name, value in zip(options, values, strict=True) if value is not None}

    return _shared.Bundle(options, value)


def _screening(
    context: typer.Context, filter: str, agreement: AgreementName, rounds: int | None, blank: Blank
) -> Screening:
    try:
        threshold = None if filter.strip().lower() == "none" else float(filter)
    except ValueError:
        raise PyramidionError(f"--filter {filter!r} is not a share", do="give a number such as .5, or none") from None
    return Screening(threshold, agreement, rounds, blank)


_shared.BUNDLES |= {
    "prices": _changes(_PRICES),
    "design": _changes(_PRICES | _ADMISSION),
    "rules": _changes(_RULES),
    "screening": _shared.Bundle(_SCREENING, _screening),
}
