"""``nuggets``: assign nuggets to the answers of RAG runs, and score them as nuggetizer does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from pyramidion.base.files import write_bytes
from pyramidion.cli import _shared
from pyramidion.cli._emit import emits
from pyramidion.methods import DEFAULT_MATCHER, GIVEN

if TYPE_CHECKING:
    from pyramidion.analyses.nuggets import NuggetStudy


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(nuggets)


@emits("runs", "pairs", "answers", "nuggets", plot="Draw the runs' means and letters")
def nuggets(
    lines: Annotated[
        Path,
        typer.Argument(
            readable=False,
            metavar="NUGGETS",
            help="A file of nuggets, or of nuggets that are already assigned to answers.",
        ),
    ],
    answers: Annotated[
        list[Path] | None,
        typer.Argument(readable=False, metavar="ANSWERS...", help="One or more files with the answers of runs."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the assignments to this file, as nuggetizer does (.jsonl)."),
    ] = None,
    matcher: _shared.MatcherOption = DEFAULT_MATCHER,
    language: _shared.LanguageOption = None,
    partial: Annotated[
        float | None,
        typer.Option(
            "--partial",
            metavar="P",
            help="The lowest probability of a partially supported nugget. The default is half of the judge's "
            "threshold.",
            show_default=False,
        ),
    ] = None,
    score: Annotated[
        Literal["all", "strict-all", "vital", "strict-vital"],
        typer.Option("--score", help="The score to rank and compare runs by."),
    ] = "strict-vital",
    test: Annotated[
        Literal["wilcoxon", "bootstrap", "randomisation", "tukey"],
        typer.Option("--test", help="The significance test that compares runs, over queries."),
    ] = "wilcoxon",
    samples: _shared.SamplesOption = 10_000,
    seed: _shared.SeedOption = 0,
) -> NuggetStudy:
    """Score answers of RAG runs by the nuggets that they contain.

    A nugget is a fact that a good answer should have. The scores are those of nuggetizer, the tool of TREC RAG: the
    share of all nuggets, or of the vital ones, that an answer supports. A partially supported nugget counts one half,
    or nothing in the strict scores. Runs are compared on the queries that both answer. Nuggets that come with
    assignments keep them.

    \b
    Example:
      pyramidion nuggets nuggets.jsonl run-a.jsonl run-b.jsonl -o assigned.jsonl
      pyramidion nuggets nuggets.jsonl run-a.jsonl --matcher llm:gpt-4o
      pyramidion nuggets assigned.jsonl --score vital --format csv
    """
    from pyramidion.analyses.nuggets import nuggets as study
    from pyramidion.formats.nuggetizer import load_lines
    from pyramidion.formats.rag_answers import load_answers

    paths = answers or []
    _shared.check_outputs(output, inputs=[lines, *paths])
    recipe = _shared.method_of(f"{GIVEN}+{matcher}", language)
    given = load_lines(lines)
    answered = [answer for path in paths for answer in load_answers(path)]
    with _shared.progress(len(given) + len(answered), "assigning") as advance:
        result = study(
            given,
            answered,
            recipe,
            partially=partial,
            score=f"{score.replace('-', '_')}_score",  # type: ignore[arg-type]
            test=test,
            samples=samples,
            seed=seed,
            progress=advance,
        )
    if output:
        write_bytes(output, result.assignments())
    return result
