"""A module that Hugging Face's ``evaluate.load`` really loads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import pyramidion
from pyramidion.integrations import huggingface

pytestmark = pytest.mark.filterwarnings("ignore")  # those of evaluate's own dependencies

REFERENCES = [["The dam broke. Nobody was hurt.", "The dam broke in May."], ["It rained."]]
PREDICTIONS = ["The dam broke.", "It rained."]


@pytest.fixture
def metric(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    evaluate = pytest.importorskip("evaluate", reason="evaluate is not installed: pip install 'pyramidion[evaluate]'")
    return evaluate.load(huggingface.PATH, cache_dir=str(tmp_path))


def test_scores_are_those_of_an_evaluation(metric: Any) -> None:
    result = metric.compute(predictions=PREDICTIONS, references=REFERENCES, method="lite+soft")
    topics = [
        pyramidion.Topic(
            str(number),
            tuple(pyramidion.Summary(str(place), text) for place, text in enumerate(texts)),
            (pyramidion.Summary("p", prediction, "peer"),),
        )
        for number, (texts, prediction) in enumerate(zip(REFERENCES, PREDICTIONS, strict=True))
    ]
    own = pyramidion.evaluate(topics, "lite+soft").values("coverage")
    assert [one["coverage"] for one in result["scores"]] == [own["0", "p"], own["1", "p"]]
    assert result["coverage"] == sum(own.values()) / 2
    assert result["signature"].startswith("method:lite")


def test_one_reference_a_prediction_may_be_a_text(metric: Any) -> None:
    result = metric.compute(predictions=["It rained."], references=["It rained."], method="lite+soft")
    assert result["coverage"] == pytest.approx(1, abs=0.01)


def test_a_missing_prediction_has_no_score_and_an_empty_one_has_0(metric: Any) -> None:
    references = [*REFERENCES, ["It rained."]]
    result = metric.compute(predictions=["The dam broke.", None, ""], references=references, method="lite+soft")
    assert [one["coverage"] for one in result["scores"]][1:] == [None, 0]
    assert result["coverage"] == result["scores"][0]["coverage"] / 2
