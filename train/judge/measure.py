"""How well probabilities agree with REALSumm's people: by judgement, by summary, by system."""

from __future__ import annotations

import numpy as np

__all__ = ["auc", "measure", "pearson", "ranks"]


def ranks(x: np.ndarray) -> np.ndarray:
    """Ranks, ties shared."""
    _, place, count = np.unique(x, return_inverse=True, return_counts=True)
    ends = np.cumsum(count)
    return (ends - (count - 1) / 2)[place]


def pearson(x: np.ndarray, y: np.ndarray) -> float:
    """Pearson's r; nan where one side is constant."""
    x, y = x - x.mean(), y - y.mean()
    norm = np.sqrt((x @ x) * (y @ y))
    return float(x @ y / norm) if norm > 1e-12 else float("nan")


def auc(p: np.ndarray, label: np.ndarray) -> float:
    """The chance that a present SCU is more probable than an absent one."""
    present = label.astype(bool)
    n = present.sum()
    return float((ranks(p)[present].sum() - n * (n + 1) / 2) / (n * (len(label) - n)))


def measure(
    p: np.ndarray, label: np.ndarray, document: np.ndarray, system: np.ndarray
) -> dict[str, float | list[float]]:
    """Figures by the definitions of the REALSumm table; ``by_document`` holds the summary-level r of each document."""
    documents, systems = np.unique(document), np.unique(system)
    means = np.array(
        [
            [(p[use].mean(), label[use].mean()) for s in systems for use in [(document == d) & (system == s)]]
            for d in documents
        ]
    )
    by_r = [pearson(one[:, 0], one[:, 1]) for one in means]
    by_rho = [pearson(ranks(one[:, 0]), ranks(one[:, 1])) for one in means]
    total = means.mean(0)
    return {
        "accuracy": float(((p >= 0.5) == label.astype(bool)).mean()),
        "auc": auc(p, label),
        "brier": float(((p - label) ** 2).mean()),
        "summary_r": float(np.nanmean(by_r)),
        "summary_rho": float(np.nanmean(by_rho)),
        "system_r": pearson(total[:, 0], total[:, 1]),
        "system_rho": pearson(ranks(total[:, 0]), ranks(total[:, 1])),
        "by_document": by_r,
    }
