"""``ask``: estimate the price of a method's questions to a language model, and ask them in advance."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from pyramidion.cli import _shared
from pyramidion.formats.read import READING, Reading
from pyramidion.methods import Method

DryRun = Annotated[bool, typer.Option("--dry-run", help="Only estimate the cost; ask nothing.")]
BaseUrl = Annotated[
    str,
    typer.Option(
        "--base-url",
        metavar="URL",
        help="The URL of the endpoint, ending in /v1. The default is PYRAMIDION_LLM_URL, or else OpenAI.",
    ),
]
MaxCost = Annotated[
    float | None,
    typer.Option("--max-cost", min=0, help="Stop before the cost exceeds this amount.", show_default=False),
]
PriceIn = Annotated[
    float | None,
    typer.Option("--price-in", min=0, help="Price of a million input tokens.", show_default=False),
]
PriceOut = Annotated[
    float | None,
    typer.Option("--price-out", min=0, help="Price of a million output tokens.", show_default=False),
]
Concurrency = Annotated[
    int | None,
    typer.Option("--concurrency", min=1, help="Number of parallel requests. The default is 4.", show_default=False),
]


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(ask)


@_shared.with_bundles
def ask(
    corpus: _shared.CorpusArgument,
    method: Annotated[
        str, typer.Option("--method", help="A method that asks a language model, such as given+llm:MODEL.")
    ],
    dry_run: DryRun = False,
    max_cost: MaxCost = None,
    price_in: PriceIn = None,
    price_out: PriceOut = None,
    concurrency: Concurrency = None,
    base_url: BaseUrl = "",
    reading: Reading = READING,
    as_json: _shared.AsJson = False,
) -> None:
    """Ask a language model a method's questions in advance.

    All questions about a corpus are asked in parallel. The answers are stored, so that 'pyramidion evaluate' with the
    same method needs no endpoint afterwards. An interrupted run
    continues where it stopped. Take the prices from the endpoint's price list, in any currency. Keys are read from the
    environment.

    \b
    Example:
      pyramidion ask corpus/ --method given+llm:gpt-4o --dry-run --price-in 2.5 --price-out 10
      pyramidion ask corpus/ --method llm:gpt-4o+llm:gpt-4o --max-cost 5 --price-in 2.5 --price-out 10
    """
    from pyramidion.analyses.ask import ask_ahead, estimate, limits

    recipe = Method.parse(method)
    if base_url:
        recipe = replace(recipe, parameters=(*recipe.parameters, ("base_url", base_url)))
    topics = reading.topics(corpus)
    with limits(max_cost=max_cost, price_in=price_in, price_out=price_out, concurrency=concurrency):
        if dry_run:
            cost = estimate(topics, recipe)
            _shared.print_json(cost) if as_json else typer.echo(cost)
            return
        with _shared.progress(len(topics) + sum(len(topic.peers) for topic in topics), "asking") as advance:
            asked = ask_ahead(topics, recipe, advance)
    _shared.print_json(asked) if as_json else typer.echo(asked)
    asked.check()
