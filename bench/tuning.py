"""What cross-validation makes of pure noise: the best of many cells, and the same held out.

    python bench/tuning.py [--seeds N] [--json]

Scores and human scores are normal and independent; 14 peers are held out one by one. *best* is the mean over seeds of
the highest correlation on the same peers; *held out* the mean of the honest figure, *deviation* how far it strays.
"""

from __future__ import annotations

from statistics import fmean, stdev

import numpy as np
from measuring import Row, command_line, show

from pyramidion.stats.correlation import pearson
from pyramidion.stats.cross_validation import cross_validate

PEERS = 14


def row(cells: int, seeds: int) -> Row:
    best, held_out = [], []
    for seed in range(seeds):
        random = np.random.default_rng(seed)
        human, scores = random.normal(size=PEERS).tolist(), random.normal(size=(cells, PEERS)).tolist()
        best.append(max(pearson(cell, human) or -1.0 for cell in scores))
        held_out.append(cross_validate(scores, human, [(peer,) for peer in range(PEERS)]).held_out or 0.0)
    return {"cells": cells, "best": fmean(best), "held out": fmean(held_out), "deviation": stdev(held_out)}


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--seeds", type=int, default=400, help="how many draws (default 400)")
    arguments = parser.parse_args()
    show({"noise": [row(cells, arguments.seeds) for cells in (1, 25, 300)]}, arguments.json)


if __name__ == "__main__":
    main()
