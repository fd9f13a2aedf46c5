"""What the held-out logits of the five folds are worth.

    python -m train.entails.figures build/entails

Reads ``data.npz``, ``fold.N.npz`` (after both stages) and, if they are there, ``first.N.npz`` (after entailment alone),
which ``fit`` wrote. Prints the summary-level r (mean over documents of Pearson's r over systems) with a 95 % interval
over documents, and AUC, by the whole summary and by the surest of whole and sentences. Needs numpy.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np


def auc(p: np.ndarray, label: np.ndarray) -> float:
    """The chance that a present SCU is more probable than an absent one."""
    _, place, count = np.unique(p, return_inverse=True, return_counts=True)
    rank = (np.cumsum(count) - (count - 1) / 2)[place]
    n = label.sum()
    return float((rank[label].sum() - n * (n + 1) / 2) / (n * (len(label) - n)))


def by_document(p: np.ndarray, label: np.ndarray, document: np.ndarray, system: np.ndarray) -> np.ndarray:
    """Pearson's r over systems of each document, those without spread left out."""
    rs = []
    for d in np.unique(document):
        uses = [(document == d) & (system == s) for s in np.unique(system)]
        means = np.array([(p[use].mean(), label[use].mean()) for use in uses])
        if means.std(0).min() > 1e-9:
            rs.append(np.corrcoef(means.T)[0, 1])
    return np.array(rs)


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    columns = np.load(folder / "data.npz")
    label, document, system = (columns[f"r_{name}"] for name in ("label", "document", "system"))
    for stage in ("first", "fold"):
        paths = [folder / f"{stage}.{fold}.npz" for fold in range(1, 6)]
        if stage == "first" and not all(path.exists() for path in paths):
            continue
        stored = [np.load(path) for path in paths]
        numbers = np.concatenate([one["number"] for one in stored])
        for kind in ("whole", "surest"):
            z = np.concatenate([one[kind] for one in stored]).astype(np.float64)
            p = np.exp(z[:, 0] - np.logaddexp.reduce(z, axis=1))
            own = label[numbers]
            rs = by_document(p, own, document[numbers], system[numbers])
            drawn = np.random.default_rng(1).choice(rs, (2000, len(rs))).mean(1)
            low, high = np.quantile(drawn, (0.025, 0.975))
            print(
                f"{stage:6}{kind:10} r {rs.mean():.4f} [{low:.3f}, {high:.3f}]  AUC {auc(p, own == 1):.4f}  "
                f"mean P {p.mean():.3f}, people {own.mean():.3f}, Brier {((p - own) ** 2).mean():.4f}"
            )


if __name__ == "__main__":
    main()
