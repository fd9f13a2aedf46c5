"""Statistics: how fast, beside the plain way or another package.

    python bench/stats.py [--quick] [--json]

- **alpha**: Krippendorff's alpha of 100,000 units x 5 coders (ten values, a tenth missing) beside the package
  ``krippendorff``, which is no part of the project: ``pip install krippendorff``. Nominal and interval distance.
- **paired bootstrap**: all 300 pairs of 25 systems on 100 topics, 10,000 draws (:func:`pyramidion.stats.paired.
  paired_bootstrap`), beside a plain numpy loop that draws topics and takes means and errors of all pairs anew.
- **Wilcoxon**: p-values of those 300 pairs beside ``scipy.stats.wilcoxon``, pair by pair.
- **accuracy by significance**: 100 samples of 89 of the 100 topics, beside the same with scipy's Wilcoxon.
- **stability**: scores, errors and rankings of 30 summaries against all subsets of 10 references, beside restricting
  the pyramid and scoring subset by subset, timed on some of them (see also bench/stability.py).

Random input, seeded. Processor seconds, the best of three rounds; a plain way that takes long is timed once, on a part,
as the table says. Results must be equal, or for the bootstrap nearly so (other draws).
"""

from __future__ import annotations

import sys

import numpy as np
from measuring import Row, command_line, show, timed
from numpy.typing import NDArray
from scipy import stats
from stability import make, one_by_one

from pyramidion.analyses.stability.study import stability as study
from pyramidion.analyses.stability.study import sub_pyramid_scores, subsets
from pyramidion.model import Topic
from pyramidion.stats.agreement import krippendorff_alpha
from pyramidion.stats.metric_accuracy import metric_accuracy
from pyramidion.stats.paired import differences, paired_bootstrap, wilcoxon_columns

Array = NDArray[np.float64]


def row(what: str, ours: float, theirs: float, other: str, part: str, apart: float) -> Row:
    return {
        "what": what,
        "ours s": round(ours, 4),
        "other s": round(theirs, 3),
        "times": round(theirs / ours, 1),
        "other": other,
        "other timed on": part,
        "largest difference": apart,
    }


def alphas(units: int) -> list[Row]:
    try:
        import krippendorff
    except ImportError:
        sys.exit("krippendorff, which this compares with, is not installed: pip install krippendorff")
    random = np.random.default_rng(0)
    truth = random.integers(0, 10, size=units)
    ratings = np.where(random.random((5, units)) < 0.7, truth, random.integers(0, 10, size=(5, units))).astype(float)
    ratings[random.random((5, units)) < 0.1] = np.nan
    rows = []
    for distance in ("nominal", "interval"):
        ours, found = timed(lambda distance=distance: krippendorff_alpha(ratings, distance).value, 3)
        theirs, expected = timed(
            lambda distance=distance: krippendorff.alpha(reliability_data=ratings, level_of_measurement=distance),
            3,
        )
        what = f"alpha, {distance}: {units} units x 5 coders"
        rows.append(row(what, ours, theirs, "krippendorff", "all", abs(found - expected)))
    return rows


def bootstrap_loop(by: Array, samples: int) -> Array:
    """p-values of the symmetric bootstrap-t, draw by draw."""
    random = np.random.default_rng(1)
    topics = len(by)
    mean, error = by.mean(axis=0), by.std(axis=0, ddof=1) / np.sqrt(topics)
    hits = np.zeros(by.shape[1])
    for _ in range(samples):
        drawn = by[random.integers(0, topics, topics)]
        t = (drawn.mean(axis=0) - mean) / (drawn.std(axis=0, ddof=1) / np.sqrt(topics))
        hits += np.abs(t) >= np.abs(mean / error)
    found: Array = (1 + hits) / (1 + samples)
    return found


def outcome_loop(scores: Array) -> Array:
    found = []
    for one, other in zip(*np.triu_indices(scores.shape[1], 1), strict=True):
        by = scores[:, one] - scores[:, other]
        p = stats.wilcoxon(by, zero_method="pratt", method="approx").pvalue
        found.append(np.sign((np.sign(by) * stats.rankdata(np.abs(by))).sum()) if p < 0.05 else 0)
    return np.array(found)


def comparisons(samples: int, part: int) -> list[Row]:
    random = np.random.default_rng(2)
    quality = np.linspace(0, 1, 25)
    people, metric = (quality + random.normal(size=(100, 25)) for _ in range(2))
    by = differences(people)
    ours, found = timed(lambda: paired_bootstrap(by, samples=samples), 3)
    theirs, plain = timed(lambda: bootstrap_loop(by, part))
    rows = [
        row(
            f"paired bootstrap: 300 pairs x 100 topics x {samples} draws",
            ours,
            theirs * samples / part,
            "numpy loop",
            f"{part} draws",
            float(np.abs(found.p - plain).max()),
        )
    ]
    ours, p = timed(lambda: wilcoxon_columns(by), 3)
    theirs, expected = timed(
        lambda: [stats.wilcoxon(column, zero_method="pratt", method="approx").pvalue for column in by.T], 3
    )
    apart = float(np.abs(p - np.array(expected)).max())
    rows.append(row("Wilcoxon: 300 pairs x 100 topics", ours, theirs, "scipy", "all", apart))
    ours, accuracy = timed(lambda: metric_accuracy(people, metric, samples=100), 3)

    def loop() -> list[float]:
        draws = np.random.default_rng(0)
        chosen = [np.sort(draws.choice(100, 89, replace=False)) for _ in range(100)]
        return [float((outcome_loop(people[some]) == outcome_loop(metric[some])).mean()) for some in chosen[:2]]

    theirs, some = timed(loop)
    first = metric_accuracy(people, metric, samples=2).mean
    rows.append(
        row(
            "accuracy by significance: 25 systems, 100 samples",
            ours,
            theirs * 50,
            "scipy loop",
            "2 samples",
            abs(float(np.mean(some)) - first),
        )
    )
    assert accuracy.topics == 100
    return rows


def stabilities(part: int) -> list[Row]:
    pyramid, made = make(10, 30, 100)
    topic = Topic("t", pyramid.references, tuple(one.summary for one in made), pyramid=pyramid, annotations=made)
    chosen = np.concatenate([subsets(pyramid, size, 100_000) for size in range(1, 11)])
    some = np.linspace(0, len(chosen) - 1, part).astype(int)
    ours, _ = timed(lambda: study([topic]), 3)
    theirs, plain = timed(lambda: one_by_one(pyramid, made, chosen[some]))
    apart = float(np.abs(sub_pyramid_scores(pyramid, made, chosen)[some] - np.array(plain)).max())
    what = f"stability: 10 references, {len(chosen)} subsets, 30 summaries"
    return [row(what, ours, theirs * len(chosen) / part, "loop, scores only", f"{part} subsets", apart)]


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--quick", action="store_true", help="less input, to see that it works")
    given = parser.parse_args()
    sizes = (5_000, 500, 50, 10) if given.quick else (100_000, 10_000, 1_000, 40)
    rows = [*alphas(sizes[0]), *comparisons(sizes[1], sizes[2]), *stabilities(sizes[3])]
    show({"Processor seconds, one process": rows}, given.json)


if __name__ == "__main__":
    main()
