"""``ask``: a corpus's questions to a language model, priced and asked ahead."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from pyramidion.cli import _shared
from pyramidion.methods import Method
from pyramidion.reading import READING, Reading

DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what it comes to, and ask nobody.")]
BaseUrl = Annotated[
    str,
    typer.Option(
        "--base-url", metavar="URL", help="The endpoint, up to and with /v1; else PYRAMIDION_LLM_URL or OpenAI's."
    ),
]
MaxCost = Annotated[
    float | None,
    typer.Option("--max-cost", min=0, help="Never spend more than this; end before that.", show_default=False),
]
PriceIn = Annotated[
    float | None,
    typer.Option("--price-in", min=0, help="Price of a million tokens of questions.", show_default=False),
]
PriceOut = Annotated[
    float | None,
    typer.Option("--price-out", min=0, help="Price of a million tokens of answers.", show_default=False),
]
Concurrency = Annotated[
    int | None, typer.Option("--concurrency", min=1, help="Requests at once; 4 by default.", show_default=False)
]


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(ask)


@_shared.bundled
def ask(
    corpus: _shared.CorpusArgument,
    method: Annotated[str, typer.Option("--method", help="A method that asks a model, e.g. given+llm:MODEL.")],
    dry_run: DryRun = False,
    max_cost: MaxCost = None,
    price_in: PriceIn = None,
    price_out: PriceOut = None,
    concurrency: Concurrency = None,
    base_url: BaseUrl = "",
    reading: Reading = READING,
    as_json: _shared.AsJson = False,
) -> None:
    """Ask a language model all that a method wants to know of a corpus, many questions at a time.

    The answers are kept; evaluate, with the same method, then needs no endpoint. An interrupted run goes on where it
    was. Prices are what the endpoint's price list says, in any currency; keys come from the environment.

    \b
    Example:
      pyramidion ask corpus/ --method given+llm:gpt-4o --dry-run --price-in 2.5 --price-out 10
      pyramidion ask corpus/ --method llm:gpt-4o+llm:gpt-4o --max-cost 5 --price-in 2.5 --price-out 10
    """
    from pyramidion.studies.ask import ask_ahead, estimate, limits

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
