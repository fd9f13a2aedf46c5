"""What the five folds' networks answered, as the matcher finds it: ``folds.npz`` of the distribution.

    python -m train.entails.answers build/entails -o entails/src/pyramidion_entails

Reads ``data.npz`` and ``fold.N.npz``, which ``fit`` wrote. Needs pyramidion and numpy.
"""

from __future__ import annotations

import argparse
from itertools import pairwise
from pathlib import Path

import numpy as np

from pyramidion.language.judges.held_out_answers import FILE, key


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("-o", "--out", type=Path, required=True)
    arguments = parser.parse_args()
    columns = np.load(arguments.folder / "data.npz")
    pieces, ends = columns["pieces"], columns["bounds"]
    texts = [pieces[first:last].tolist() for first, last in pairwise(ends.tolist())]
    unit, summary, whole, sentence, bounds = (
        columns[f"r_{name}"].tolist() for name in ("unit", "summary", "whole", "sentence", "bounds")
    )
    answers: dict[int, np.ndarray] = {}
    for fold in range(1, 6):
        stored = np.load(arguments.folder / f"fold.{fold}.npz")
        for kind in ("whole", "sentences"):
            z = stored[kind].astype(np.float64)
            chances = np.exp(z - np.logaddexp.reduce(z, axis=1)[:, None])[:, :2]
            if kind == "whole":
                asked = [(whole[summary[n]], unit[n]) for n in stored["number"].tolist()]
            else:
                places = zip(stored["sentence_of"].tolist(), stored["sentence_at"].tolist(), strict=True)
                asked = [(sentence[bounds[summary[n]] + at], unit[n]) for n, at in places]
            for (text, own), row in zip(asked, chances, strict=True):
                answers[key(texts[text], texts[own])] = row
    order = sorted(answers)
    np.savez_compressed(
        arguments.out / FILE,
        keys=np.array(order, np.uint64),
        answers=np.array([answers[name] for name in order], np.float16),
    )
    print(len(order), (arguments.out / FILE).stat().st_size)


if __name__ == "__main__":
    main()
