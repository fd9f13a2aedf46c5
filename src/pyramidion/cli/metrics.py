"""``metrics``: score with ROUGE, BE and the lexical pyramid, which need no pyramid and no annotations."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand

from pyramidion.analyses.measure.result import Quantity
from pyramidion.base.files import read_text
from pyramidion.cli import _shared
from pyramidion.cli._emit import emits
from pyramidion.errors import PyramidionError
from pyramidion.formats.read import READING, Reading
from pyramidion.language.text.word_forms import Tokens
from pyramidion.metrics.rouge import Combination
from pyramidion.model import Topic

if TYPE_CHECKING:
    from pyramidion.analyses.measure import Measured

DEFAULT_METRICS = "rouge-1,rouge-2,rouge-l"


class _References(TyperCommand):
    """Lets ``--references`` take all arguments up to the next option; the shell expands ``references/*.txt``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        given, taking = [], False
        for place, argument in enumerate(args):
            if argument == "--":
                given += args[place:]
                break
            if argument.startswith("-") and argument != "-":
                taking = argument.partition("=")[0] == "--references"
            elif taking and args[place - 1] != "--references":
                given.append("--references")
            given.append(argument)
        return super().parse_args(ctx, given)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command(cls=_References)(metrics)


@_shared.with_bundles
@emits("scores", "systems")
def metrics(
    peers: Annotated[
        list[Path],
        typer.Argument(
            readable=False,
            metavar="CORPUS|PEERS...",
            help="A corpus, or the summaries to score (peers), one text file each.",
        ),
    ],
    references: Annotated[
        list[Path] | None,
        typer.Option(
            "--references",
            metavar="FILES",
            help="The reference summaries of PEERS: all text files up to the next option.",
        ),
    ] = None,
    metrics: Annotated[
        str,
        typer.Option(
            "--metrics",
            metavar="NAMES",
            help="The metrics, separated by commas: rouge-1 (2, 3, ...), rouge-l, rouge-w, rouge-s4, rouge-su4, be-hm, "
            "be-hmr, lexical-pyramid.",
        ),
    ] = DEFAULT_METRICS,
    stem: Annotated[
        bool, typer.Option("--stem/--no-stem", help="ROUGE: compare stems (ROUGE's -m), or whole words.")
    ] = True,
    stop: Annotated[
        Path | None,
        typer.Option("--stop", metavar="FILE", help="ROUGE: ignore the words in this file (ROUGE's -s)."),
    ] = None,
    tokens: Annotated[
        Tokens,
        typer.Option(
            "--tokens",
            help="ROUGE: split words as ROUGE-1.5.5 does, with ASCII letters only, or in any script (unicode).",
        ),
    ] = "rouge155",
    combine: Annotated[
        Combination,
        typer.Option("--combine", help="ROUGE and BE: how to combine the scores against several references."),
    ] = "average",
    score: Annotated[
        Quantity,
        typer.Option("--score", help="The score to average in the table of systems."),
    ] = "recall",
    reading: Reading = READING,
) -> Measured:
    """Score summaries with ROUGE, BE or the lexical pyramid.

    Prints recall (R), precision (P) and F of every summary. For a corpus of several topics, also prints the systems'
    means.

    \b
    Example:
      pyramidion metrics peers/*.txt --references references/*.txt --metrics rouge-2,rouge-su4,be-hm
      pyramidion metrics corpus/ --metrics rouge-2,be-hm --table systems --format csv
    """
    from pyramidion.analyses.measure import chosen_metrics, measure

    names = [name.strip().lower() for name in metrics.split(",") if name.strip()]
    if not names:
        raise PyramidionError("No metric is named", do=f"write --metrics {DEFAULT_METRICS}")
    stop_words = frozenset(read_text(stop).lower().split()) if stop else frozenset()
    chosen = chosen_metrics(names, stem=stem, stop_words=stop_words, tokens=tokens, references=combine)
    topics = [reading.texts("topic", references, peers)] if references else _corpus(peers, reading)
    with _shared.progress(len(chosen) * sum(len(topic.peers) for topic in topics), "scoring", at_least=50) as advance:
        return measure(topics, chosen, advance, quantity=score)


def _corpus(paths: Sequence[Path], reading: Reading) -> list[Topic]:
    if any(path.suffix == ".txt" for path in paths):
        raise PyramidionError("There are no references", do="add --references FILES, or name a corpus that has them")
    return reading.topics(*paths)
