"""A scorer of Inspect: a sample's output against the references in its target (extra ``inspect``).

.. code-block:: python

    from inspect_ai import Task, task
    from pyramidion.integrations.inspect_ai import pyramid

    @task
    def summaries():
        return Task(dataset=..., solver=..., scorer=pyramid())

A sample's ``target`` is its reference summary, or a list of them. The task's metrics are mean and standard error; the
explanation of a score says what is found, contradicted and missed. A sample without an output, or whose output nobody
judged, has no score: NaN, which Inspect counts as unscored and its metrics leave out. An output of no words has 0.
"""

from __future__ import annotations

from functools import cache
from math import nan
from typing import TYPE_CHECKING, Any

from pyramidion.base.choices import check_choices
from pyramidion.evaluation.evaluate import evaluate
from pyramidion.integrations import imported
from pyramidion.methods import DEFAULT_METHOD, Method
from pyramidion.model import Summary, Topic
from pyramidion.scoring import QUANTITIES, Quantity

if TYPE_CHECKING:
    from inspect_ai.scorer import Scorer, Target
    from inspect_ai.solver import TaskState


@check_choices
def pyramid(method: str = DEFAULT_METHOD, score: Quantity = "coverage") -> Scorer:
    """Return a scorer that compares outputs with the references in their targets.

    ``method`` builds the pyramid of a sample's references and matches its output; ``score`` is the value that is
    reported. The other scores are in the metadata of each sample's score.
    """
    Method.parse(method)
    return _registered_scorer()(method, score)


@cache
def _registered_scorer() -> Any:
    """Return the scorer as Inspect registers it."""
    inspect = imported("inspect_ai.scorer", "Inspect", "inspect")

    def pyramidion(method: str = DEFAULT_METHOD, score: Quantity = "coverage") -> Scorer:
        """Score a sample's output against its target."""

        async def judge(state: TaskState, target: Target) -> Any:
            """Return the score of one sample, explained; NaN where there is nothing to score."""
            references = tuple(Summary(str(number), text) for number, text in enumerate(target, start=1))
            # no output at all, which is not the same as an output of no words: that is scored 0
            if not state.output.choices:
                return inspect.Score(value=nan, explanation="Not scored: there is no output.")
            output = state.output.completion
            topic = Topic(str(state.sample_id), references, (Summary("output", output, "peer"),))
            evaluation = evaluate([topic], method, explained=True)
            values: dict[str, float | None] = {
                name: evaluation.values(name).get((topic.id, "output")) for name in QUANTITIES
            }
            value = values[score]
            return inspect.Score(
                value=nan if value is None else value,
                answer=output,
                explanation=evaluation.prose.strip(),
                metadata={"signature": str(evaluation.signature), **values},
            )

        return judge

    return inspect.scorer(metrics=[inspect.mean(), inspect.stderr()], name="pyramidion")(pyramidion)
