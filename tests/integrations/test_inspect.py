"""A scorer of Inspect, in a real evaluation of its own; the solver brings the outputs, so that no model is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pyramidion.errors import PyramidionError
from pyramidion.integrations.inspect_ai import pyramid

inspect = pytest.importorskip("inspect_ai", reason="inspect-ai is not installed: pip install 'pyramidion[inspect]'")

REFERENCES = ["The dam broke. Nobody was hurt.", "The dam broke in May."]


@pytest.mark.filterwarnings("ignore")  # those of Inspect's own dependencies
def test_mean_standard_error_and_explanations(tmp_path: Path) -> None:
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput
    from inspect_ai.solver import solver

    @solver
    def brought() -> Any:
        async def solve(state: Any, generate: Any) -> Any:
            state.output = ModelOutput.from_content("mockllm/model", state.input_text)
            return state

        return solve

    texts = {"said": "The dam broke.", "missed": "It rained."}
    task = inspect.Task(
        dataset=[Sample(id=name, input=text, target=REFERENCES) for name, text in texts.items()],
        solver=brought(),
        scorer=pyramid("lite+soft"),
    )
    (log,) = inspect.eval(task, model="mockllm/model", log_dir=str(tmp_path), display="none")
    assert log.status == "success", log.error
    scores = {sample.id: sample.scores["pyramidion"] for sample in log.samples}
    assert scores["said"].value > scores["missed"].value
    assert scores["said"].answer == "The dam broke."
    assert "The dam broke" in scores["said"].explanation
    assert scores["said"].metadata["signature"].startswith("method:lite")
    metrics = log.results.scores[0].metrics
    assert metrics["mean"].value == pytest.approx((scores["said"].value + scores["missed"].value) / 2)
    assert metrics["stderr"].value == pytest.approx(abs(scores["said"].value - scores["missed"].value) / 2)


def test_what_cannot_be_scored_is_said_before_a_task_runs() -> None:
    with pytest.raises(PyramidionError, match=r"There is no score 'beauty'"):
        pyramid(score="beauty")
    with pytest.raises(PyramidionError, match="There is no method 'none'"):
        pyramid("none")
