"""A run as an evaluation in memory."""

from __future__ import annotations

from pyramidion.evaluation.evaluate import system_means, with_unread
from pyramidion.evaluation.evaluation import Evaluation
from pyramidion.evaluation.run import Run, rescored_outcomes
from pyramidion.scoring import Settings


def evaluation_of(
    run: Run, settings: Settings | None = None, *, leave_one_out: bool | None = None, explained: bool = False
) -> Evaluation:
    """The evaluation that a run is, in memory; scored with other settings if they are given."""
    settings = settings or run.settings
    leave_one_out = run.leave_one_out if leave_one_out is None else leave_one_out
    results = [scored for outcome in rescored_outcomes(run.store, settings, leave_one_out) for scored in outcome.scored]
    results.sort(key=lambda result: (result.scores.topic, result.scores.summary, result.scores.annotator))
    return Evaluation(
        run.signature_with(settings, leave_one_out),
        tuple(results),
        with_unread(system_means(result.scores for result in results), run.store.unread()),
        explained,
        run.store.unread(),
        run.store.seconds(),
        failures=run.store.failures(),
        notes=run.store.notes(),
    )
