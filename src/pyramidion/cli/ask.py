"""``ask``: a corpus's questions to a language model, priced and asked ahead."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from pyramidion.cli import _shared
from pyramidion.errors import PyramidionError
from pyramidion.methods import Method
from pyramidion.reading import READING, Reading

if TYPE_CHECKING:
    from pyramidion.studies.ask import Asked, Estimate, Originally

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
    from pyramidion.studies.ask import ask_ahead, estimate

    recipe = Method.parse(method)
    if base_url:
        recipe = replace(recipe, parameters=(*recipe.parameters, ("base_url", base_url)))
    topics = reading.topics(corpus)
    limits = {"MAX_COST": max_cost, "PRICE_IN": price_in, "PRICE_OUT": price_out, "CONCURRENCY": concurrency}
    with _environment(limits):
        if dry_run:
            found = estimate(topics, recipe)
            _shared.print_json(found) if as_json else typer.echo(_estimated(found))
            return
        with _shared.progress(len(topics) + sum(len(topic.peers) for topic in topics), "asking") as advance:
            asked = ask_ahead(topics, recipe, advance)
    if as_json:
        _shared.print_json(asked)
    else:
        typer.echo(_answered(asked))
    if asked.stopped:
        raise PyramidionError(asked.stopped)
    if asked.failures:
        first = asked.failures[0]
        raise PyramidionError(
            f"{_shared.plural(len(asked.failures), 'summary')} "
            f"without all answers (the first: {first.summary!r} of topic {first.topic!r}, {first.why})",
            do="run again: what was answered is kept",
        )


@contextmanager
def _environment(limits: dict[str, float | None]) -> Iterator[None]:
    """The options in place of the variables that they stand for, for as long as the command runs."""
    names = {f"PYRAMIDION_LLM_{name}": str(value) for name, value in limits.items() if value is not None}
    before = {name: os.environ.get(name) for name in names}
    os.environ.update(names)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _estimated(found: Estimate) -> str:
    how = "perhaps " if found.guess else ""
    return (
        f"{how}{_shared.plural(found.questions, 'question')} to ask, {found.known} answered already\n"
        f"about {found.tokens_in:,} tokens in, {found.tokens_out:,} out (a quarter of the characters)\n"
        + _priced(found.cost, found.at_most)
        + _originally(found.originally, found.known)
    )


def _answered(asked: Asked) -> str:
    return (
        f"{_shared.plural(asked.answered, 'answer')}, {asked.known} known already, "
        f"{len(asked.failures)} failed, {_shared.plural(asked.unsupported, 'unsupported quote')}\n"
        f"{asked.tokens_in:,} tokens in, {asked.tokens_out:,} out\n"
        + _priced(asked.cost, asked.at_most)
        + _originally(asked.originally, asked.known)
    )


def _priced(cost: float | None, at_most: float | None) -> str:
    if cost is None:
        return "price unknown: give --price-in and --price-out"
    return f"cost: {cost:.4f}" + (f", at most {at_most:.4f}" if at_most is not None and at_most - cost > 5e-5 else "")


def _originally(took: Originally, known: int) -> str:
    """What the answers cost when they were first asked for, if some of them were kept."""
    if not known or took.unrecorded == took.answers:
        return ""
    price = "at an unknown price" if took.cost is None else f"for {took.cost:.4f}"
    gaps = [
        f"{count} {why}"
        for count, why in ((took.unrecorded, "without a record"), (took.unpriced, "without prices"))
        if count and took.cost is not None
    ]
    return (
        f"\nfirst asked {price}: {_shared.plural(took.answers, 'answer')}, {took.tokens_in:,} tokens in, "
        f"{took.tokens_out:,} out, {took.seconds:.1f} seconds" + (f" ({', '.join(gaps)})" if gaps else "")
    )
