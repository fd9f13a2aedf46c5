"""What held-out logits of the reader are worth, alone and with ``soft``.

    python -m train.judge.figures build/judge FOLDER NAME [--kind window.mean]

FOLDER holds what ``fit`` wrote for the five folds, ``NAME.1.npz`` to ``NAME.5.npz``. *both*: P = sigmoid(a z + b e +
c), e the evidence of ``soft``, a, b and c fitted to the vote shares of the other four folds; the last line has those of
all five, which :mod:`pyramidion.match.reader` uses.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from train.judge.measure import measure


def logistic(columns: np.ndarray, share: np.ndarray) -> np.ndarray:
    """The weights of a logistic regression on shares, the constant last; Newton's steps."""
    rows = np.c_[columns, np.ones(len(columns))]
    weights = np.zeros(rows.shape[1])
    for _ in range(30):
        chance = chances(rows @ weights)
        slope = (rows * (chance * (1 - chance))[:, None]).T @ rows + 1e-6 * np.eye(len(weights))
        weights -= np.linalg.solve(slope, rows.T @ (chance - share))
    return weights


def chances(logits: np.ndarray) -> np.ndarray:
    """Logits as probabilities."""
    return 1 / (1 + np.exp(-logits))


def calibration_error(chance: np.ndarray, label: np.ndarray, bins: int = 10) -> float:
    """Mean over bins of equal width, by their size, of |mean probability - share present|."""
    bin_ = np.minimum((chance * bins).astype(int), bins - 1)
    return float(
        sum(
            abs(chance[bin_ == one].mean() - label[bin_ == one].mean()) * (bin_ == one).mean()
            for one in range(bins)
            if (bin_ == one).any()
        )
    )


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("name")
    parser.add_argument("--kind", default="window.mean")
    arguments = parser.parse_args()
    data = dict(np.load(arguments.data / "data.npz"))
    use = data["system"] < 25
    columns = {name: data[name][use] for name in ("label", "document", "system", "share", "soft")}
    fold = data["fold"][columns["document"]]
    logit = np.zeros(len(fold))
    for number in range(1, 6):
        logit[fold == number] = np.load(arguments.folder / f"{arguments.name}.{number}.npz")[arguments.kind]
    soft = columns["soft"].astype(np.float64)
    pair = np.c_[logit, soft]
    both = np.zeros(len(fold))
    for number in range(1, 6):
        weights = logistic(pair[fold != number], columns["share"][fold != number])
        both[fold == number] = chances(np.c_[pair, np.ones(len(pair))] @ weights)[fold == number]
    found = {}
    for name, chance in (("soft", soft), ("reader", chances(logit)), ("both", both)):
        found[name] = measure(chance, columns["label"], columns["document"], columns["system"])
        shown = " ".join(f"{key} {value:.3f}" for key, value in found[name].items() if key != "by_document")
        print(f"{name:7}{shown} ece {calibration_error(chance, columns['label']):.3f}")
    gain = np.array(found["both"]["by_document"]) - np.array(found["soft"]["by_document"])
    draws = np.random.default_rng(0).integers(0, len(gain), (10_000, len(gain)))
    low, high = np.quantile(gain[draws].mean(1), [0.025, 0.975])
    print(f"summary r, both less soft: {gain.mean():.3f} ({low:.3f} to {high:.3f})")
    means = [np.array(found["both"]["by_document"])[data["fold"] == number].mean() for number in range(1, 6)]
    print("summary r of both by fold:", " ".join(f"{one:.3f}" for one in means))
    print("weights of z, e, 1 from all:", logistic(pair, columns["share"]).round(3))


if __name__ == "__main__":
    main()
