"""Gao, Sun and Passonneau 2019, §6 and Table 4: does a metric find the significant differences that people find?"""

from __future__ import annotations

from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from pyramidion.analyses.scores.table import from_rows, join
from pyramidion.formats.score_tables import load_scores
from pyramidion.stats.metric_accuracy import SHARE, metric_accuracy, outcomes

TABLE_4 = [
    # task, metric, mean, sdev, 95 % CI, accuracy on 46, delta
    ("A", "R1", 0.70, 0.04, (0.69, 0.71), 0.73, 0.03),
    ("A", "R2", 0.72, 0.03, (0.72, 0.73), 0.80, 0.08),
    ("A", "EDUA-C", 0.57, 0.04, (0.57, 0.58), 0.65, 0.08),
    ("A", "EDUA-G", 0.57, 0.03, (0.56, 0.57), 0.60, 0.04),
    ("B", "R1", 0.61, 0.04, (0.60, 0.62), 0.69, 0.08),
    ("B", "R2", 0.70, 0.05, (0.69, 0.71), 0.78, 0.08),
    ("B", "EDUA-C", 0.56, 0.05, (0.55, 0.57), 0.62, 0.06),
    ("B", "EDUA-G", 0.60, 0.03, (0.59, 0.60), 0.63, 0.04),
]


@pytest.mark.parametrize(("task", "metric", "mean", "sdev", "interval", "on_all", "delta"), TABLE_4)
def test_the_intervals_of_table_4_are_those_of_the_mean_of_100_samples(
    task: str, metric: str, mean: float, sdev: float, interval: tuple[float, float], on_all: float, delta: float
) -> None:
    reach = 1.96 * sdev / sqrt(100)
    # printed figures are rounded: the mean to .005, the deviation to .005 (x 1.96 / 10), the bounds to .005
    assert interval[0] == pytest.approx(mean - reach, abs=0.0111), (task, metric)
    assert interval[1] == pytest.approx(mean + reach, abs=0.0111), (task, metric)
    assert delta == pytest.approx(on_all - mean, abs=0.0151)


def test_a_sample_is_41_of_46_topics() -> None:
    assert round(46 * SHARE) == 41


def test_the_outcome_is_one_better_or_not_significant() -> None:
    # "either that one of the systems is significantly better than the other, or ... not statistically significant"
    scores = np.array([[0.9, 0.1, 0.5], [0.8, 0.2, 0.1]] * 5)
    assert outcomes(scores).tolist() == [1, 1, 0]
    assert outcomes(-scores).tolist() == [-1, -1, 0]


def test_table_4_from_scores_of_46_topics() -> None:
    # two metrics of 15 systems on 46 topics; the noisier one finds fewer of people's differences
    random = np.random.default_rng(10)
    quality, topic = random.normal(size=15), random.normal(size=(46, 1))
    people = quality + topic + random.normal(size=(46, 15))
    close, far = (quality + topic + noise * random.normal(size=(46, 15)) for noise in (1.5, 6.0))
    better, worse = (metric_accuracy(people, metric, samples=20) for metric in (close, far))
    assert (better.topics, better.size, better.samples) == (46, 41, 20)
    assert better.mean > worse.mean
    assert better.on_all.pairs == 15 * 14 / 2
    assert better.interval.low < better.mean < better.interval.high
    assert better.interval.high - better.mean == pytest.approx(1.959964 * better.deviation / sqrt(20), abs=1e-6)
    assert better.delta == pytest.approx(better.on_all.accuracy - better.mean)


@pytest.mark.data
def test_rouge_2_finds_more_of_peoples_differences_than_rouge_1_in_duc_2005(data: Path) -> None:
    # "ROUGE 2 has the highest average accuracy on both Task A and B", here of 20 topics and 25 systems
    folder = data / "litepyramids"
    files = [folder / f"2005{name}ScoresAvg.csv" for name in ("Manual", "Rouge")]
    columns = join([from_rows(load_scores(file, placeholders=True), str(file)) for file in files]).columns
    found = {
        name: metric_accuracy(columns["pyramid"], columns[f"{name} recall"], samples=20)
        for name in ("ROUGE-1", "ROUGE-2")
    }
    assert found["ROUGE-2"].mean > found["ROUGE-1"].mean > 0.5
    assert found["ROUGE-2"].size == 18
    assert found["ROUGE-2"].on_all.pairs == 300
