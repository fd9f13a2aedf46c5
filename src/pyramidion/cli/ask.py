"""``ask``: a corpus's questions to a language model, priced and asked ahead."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from pyramidion.cli import _shared
from pyramidion.methods import Method
from pyramidion.reading import READING, Reading

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
