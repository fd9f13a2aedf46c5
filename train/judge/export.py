"""The trained reader as arrays that numpy alone can run.

    python -m train.judge.export build/judge PREFIX -o src/pyramidion/language/models/reader/weights.npz

PREFIX names what ``fit`` wrote (``PREFIX.weights.0.npz`` ... and ``PREFIX.json``). A matrix is kept in int8, with a
scale for each of its columns (the outputs), vectors and positions in fp16; the word embeddings are int8 already.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from train.judge.network import base

POSITIONS = 400


def quantized(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """int8 with the rows scaled, each by its largest value."""
    scale = np.abs(matrix).max(axis=1, keepdims=True) / 127
    return np.round(matrix / scale).astype(np.int8), scale.astype(np.float32)


def arrays(folder: Path, prefix: str) -> dict[str, np.ndarray]:
    """Everything that :class:`pyramidion.language.judges.reader.Reader` loads."""
    state: dict[str, np.ndarray] = {}
    for path in sorted(Path(prefix).parent.glob(f"{Path(prefix).name}.weights.*.npz")):
        state |= {name: value.astype(np.float32) for name, value in np.load(path).items()}
    words = base(folder)
    found = {
        "table": words["table"],
        "scale": words["scale"].astype(np.float32),
        "positions": state.pop("encoder.positions")[:POSITIONS].astype(np.float16),
        "kinds": state.pop("encoder.shapes.weight")[:4].astype(np.float16),
    }
    for name, value in state.items():
        short = name.removeprefix("encoder.").removeprefix("layers.")
        if value.ndim == 2:
            found[short], found[f"{short}.scale"] = quantized(value)
        else:
            found[short] = value.astype(np.float16)
    return found


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("prefix")
    parser.add_argument("-o", "--out", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    found = arrays(arguments.folder, arguments.prefix)
    np.savez_compressed(arguments.out, **found)
    print(sorted(found), arguments.out.stat().st_size)


if __name__ == "__main__":
    main()
