"""What the five folds' networks answered, as the matcher finds it: ``folds.npz`` of the distribution.

    python -m train.entails.answers build/entails -o entails/src/pyramidion_entails [--add]

Reads ``data.npz`` and ``fold.N.npz``, which ``fit`` wrote. ``--add`` keeps the answers that the file has and adds those
that it lacks, for when rules cut statements anew and the network is the same. Needs pyramidion and numpy.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np

from pyramidion.language.entailment.held_out_answers import FILE, key


def automatic(columns: Mapping[str, np.ndarray], document: int, summary: int) -> Iterator[tuple[int, int]]:
    """The texts of a summary and the units that nobody made, in the order in which ``fit`` asks them."""
    first, last = columns["r_auto_bounds"][document : document + 2]
    start, end = columns["r_bounds"][summary : summary + 2]
    for text in (columns["r_auto_whole"][summary], *columns["r_auto_sentence"][start:end]):
        for unit in columns["r_auto_unit"][first:last]:
            yield int(text), int(unit)


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--add", action="store_true", help="keep the answers that are there")
    arguments = parser.parse_args()
    columns = np.load(arguments.folder / "data.npz")
    pieces, ends = columns["pieces"], columns["bounds"]
    texts = [pieces[first:last].tolist() for first, last in pairwise(ends.tolist())]
    unit, summary, whole, sentence, bounds = (
        columns[f"r_{name}"].tolist() for name in ("unit", "summary", "whole", "sentence", "bounds")
    )
    documents = columns["r_document"].tolist()
    answers: dict[int, np.ndarray] = {}
    for fold in range(1, 6):
        stored = np.load(arguments.folder / f"fold.{fold}.npz")
        for kind in ("whole", "sentences", "automatic"):
            z = stored[kind].astype(np.float64)
            chances = np.exp(z - np.logaddexp.reduce(z, axis=1)[:, None])[:, :2]
            if kind == "whole":
                asked = [(whole[summary[n]], unit[n]) for n in stored["number"].tolist()]
            elif kind == "automatic":
                summaries = dict.fromkeys((documents[n], summary[n]) for n in stored["number"].tolist())
                asked = [pair for document, own in summaries for pair in automatic(columns, document, own)]
            else:
                places = zip(stored["sentence_of"].tolist(), stored["sentence_at"].tolist(), strict=True)
                asked = [(sentence[bounds[summary[n]] + at], unit[n]) for n, at in places]
            for (text, own), row in zip(asked, chances, strict=True):
                answers[key(texts[text], texts[own])] = row
    if arguments.add:
        with np.load(arguments.out / FILE) as had:
            answers |= dict(zip(had["keys"].tolist(), had["answers"], strict=True))
    order = sorted(answers)
    np.savez_compressed(
        arguments.out / FILE,
        keys=np.array(order, np.uint64),
        answers=np.array([answers[name] for name in order], np.float16),
    )
    print(len(order), (arguments.out / FILE).stat().st_size)


if __name__ == "__main__":
    main()
