"""A scorer of Inspect, in a real evaluation of its own; the solver brings the outputs, so that no model is asked."""

from __future__ import annotations

from math import isnan
from pathlib import Path
from typing import Any

import pytest

from pyramidion.errors import PyramidionError
from pyramidion.integrations.inspect_ai import pyramid
from pyramidion.matchers import MATCHERS
from pyramidion.model import NO_ANSWER, Annotation, Match, Pyramid, Summary

inspect = pytest.importorskip("inspect_ai", reason="inspect-ai is not installed: pip install 'pyramidion[inspect]'")

REFERENCES = ["The dam broke. Nobody was hurt.", "The dam broke in May."]


def evaluated(folder: Path, texts: dict[str, str | None], method: str = "lite+soft") -> Any:
    """Return the log of an evaluation of these outputs; None is a sample without an output."""
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput
    from inspect_ai.solver import solver

    @solver
    def brought() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            text = texts[state.sample_id]
            state.output = ModelOutput() if text is None else ModelOutput.from_content("mockllm/model", text)
            return state

        return solve

    samples = [Sample(id=name, input=name, target=REFERENCES) for name in texts]
    task = inspect.Task(dataset=samples, solver=brought(), scorer=pyramid(method))
    (log,) = inspect.eval(task, model="mockllm/model", log_dir=str(folder), display="none")
    assert log.status == "success", log.error
    return log


@pytest.mark.filterwarnings("ignore")  # those of Inspect's own dependencies
def test_mean_standard_error_and_explanations(tmp_path: Path) -> None:
    log = evaluated(tmp_path, {"said": "The dam broke.", "missed": "It rained."})
    scores = {sample.id: sample.scores["pyramidion"] for sample in log.samples}
    assert scores["said"].value > scores["missed"].value
    assert scores["said"].answer == "The dam broke."
    assert "The dam broke" in scores["said"].explanation
    assert scores["said"].metadata["signature"].startswith("method:lite")
    metrics = log.results.scores[0].metrics
    assert metrics["mean"].value == pytest.approx((scores["said"].value + scores["missed"].value) / 2)
    assert metrics["stderr"].value == pytest.approx(abs(scores["said"].value - scores["missed"].value) / 2)


@pytest.mark.filterwarnings("ignore")
def test_a_sample_without_an_output_is_left_out_and_one_that_says_nothing_has_0(tmp_path: Path) -> None:
    log = evaluated(tmp_path, {"said": "The dam broke.", "silent": "", "none": None})
    scores = {sample.id: sample.scores["pyramidion"] for sample in log.samples}
    assert isnan(scores["none"].value)
    assert scores["none"].explanation == "Not scored: there is no output."
    assert scores["silent"].value == 0
    (results,) = log.results.scores
    assert (results.scored_samples, results.unscored_samples) == (2, 1)
    assert results.metrics["mean"].value == pytest.approx(scores["said"].value / 2)


@pytest.mark.filterwarnings("ignore")
def test_what_nobody_judged_is_no_0(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unable(pyramid: Pyramid, summary: Summary) -> Annotation:
        judged = () if "broke" in summary.text else pyramid.scus
        unjudged = () if judged else tuple((scu.id, NO_ANSWER) for scu in pyramid.scus)
        return Annotation(summary, tuple(Match(scu.id) for scu in judged), unjudged=unjudged)

    monkeypatch.setitem(MATCHERS._loaded, "unable", unable)
    log = evaluated(tmp_path, {"unjudged": "The dam broke.", "judged": "It rained."}, "lite+unable")
    scores = {sample.id: sample.scores["pyramidion"].value for sample in log.samples}
    assert isnan(scores["unjudged"])
    assert log.results.scores[0].metrics["mean"].value == scores["judged"] > 0


def test_what_cannot_be_scored_is_said_before_a_task_runs() -> None:
    with pytest.raises(PyramidionError, match=r"score of pyramid cannot be 'beauty'; choose one of: raw, quality"):
        pyramid(score="beauty")
    with pytest.raises(PyramidionError, match="There is no method 'none'"):
        pyramid("none")
