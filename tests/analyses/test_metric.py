"""Many predictions at once, as Hugging Face's ``evaluate`` has it."""

from __future__ import annotations

import json
from statistics import fmean

import pytest

import pyramidion
from pyramidion.analyses.lite import QUANTITIES, Metric
from pyramidion.errors import PyramidionError

METHOD = "lite+soft"
PREDICTIONS = ["The dam broke.", "", "Nobody was hurt when the dam broke."]
REFERENCES = ["The dam broke after rain.", "It rained.", ["The dam broke. Nobody was hurt.", "A dam broke."]]


def test_lists_and_their_means() -> None:
    found = Metric(METHOD).compute(predictions=PREDICTIONS, references=REFERENCES)
    assert list(found) == ["score", *QUANTITIES, "each", "signature"]
    for name, values in found["each"].items():
        assert len(values) == 3
        assert found[name] == pytest.approx(fmean(values))
    alone = [pyramidion.lite(*pair, method=METHOD).score for pair in zip(PREDICTIONS, REFERENCES, strict=True)]
    assert found["each"]["score"] == alone
    assert alone[1] == 0
    assert pyramidion.Signature.parse(found["signature"]).method == METHOD
    assert json.loads(json.dumps(found)) == found


def test_what_was_added_is_computed_once() -> None:
    metric = Metric(METHOD)
    metric.add(prediction=PREDICTIONS[0], reference=REFERENCES[0])
    metric.add_batch(predictions=PREDICTIONS[1:], references=REFERENCES[1:])
    assert metric.compute() == Metric(METHOD).compute(predictions=PREDICTIONS, references=REFERENCES)
    with pytest.raises(PyramidionError, match="There is no prediction to score"):
        metric.compute()


def test_predictions_may_come_one_by_one() -> None:
    found = Metric(METHOD).compute(predictions=iter(PREDICTIONS), references=(one for one in REFERENCES))
    assert found == Metric(METHOD).compute(predictions=PREDICTIONS, references=REFERENCES)


def test_the_order_of_predictions_changes_no_score() -> None:
    forth = Metric(METHOD).compute(predictions=PREDICTIONS, references=REFERENCES)["each"]
    back = Metric(METHOD).compute(predictions=PREDICTIONS[::-1], references=REFERENCES[::-1])["each"]
    assert {name: values[::-1] for name, values in back.items()} == forth


def test_the_same_twice_has_the_same_score_twice() -> None:
    found = Metric(METHOD).compute(predictions=PREDICTIONS[:1] * 2, references=REFERENCES[:1] * 2)
    assert len(set(found["each"]["score"])) == 1


def test_any_method_that_builds() -> None:
    metric = Metric("lite+soft(units=clauses)")
    assert metric.name == METHOD
    assert "lite+soft(units=clauses)" in metric.compute(predictions=PREDICTIONS, references=REFERENCES)["signature"]
    found = metric.compute(predictions=PREDICTIONS, references=REFERENCES, method="edua-p+soft(t_edge=0.4)")
    assert found["each"]["score"] == found["each"]["coverage"]


def test_bad_input() -> None:
    metric = Metric(METHOD)
    for predictions, references, message in (
        (["a b"], ["a b", "c d"], "There are 1 predictions and 2 references"),
        ("a b", ["a b"], "The predictions are a single text; give a list"),
        (["a b"], "a b", "The references are a single text; give a list"),
        ([], [], "There is no prediction to score"),
        (["a b", "a b"], ["a b", ""], "The reference of prediction 1 has no words"),
        (["a b"], [[]], "The reference of prediction 0 has no words"),
        (["a b"], [None], "The reference of prediction 0 is not a text"),
        ([None], ["a b"], "The prediction 0 is not a text"),
        (["a b"], None, "Predictions or references are missing"),
    ):
        with pytest.raises(PyramidionError, match=message):
            metric.compute(predictions=predictions, references=references)  # type: ignore[arg-type]
    with pytest.raises(PyramidionError, match="made by people"):
        Metric("manual")
