"""Trained weights as codes and scales, small enough to be brought from the machine that trained them.

    python -m train.entails.pack OUT/final.pt -o build/entails/final

Needs torch and numpy. The matrices of the layers go to 8 bits, with a scale for every 32 inputs. Writes
``final.N.npz``, parts of at most 15 MB.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch

BLOCK, MOST = 32, 15_000_000


def codes(weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Codes of 8 bits and scales: w = scale code."""
    blocks = weight.reshape(weight.shape[0], -1, BLOCK)
    scale = np.abs(blocks).max(2, keepdims=True) / 127
    return np.round(blocks / scale).astype(np.int8), scale[..., 0].astype(np.float16)


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("state", type=Path)
    parser.add_argument("-o", "--out", required=True, help="the beginning of the parts' names")
    arguments = parser.parse_args()
    parts: list[dict[str, np.ndarray]] = [{}]
    for name, tensor in torch.load(arguments.state, map_location="cpu").items():
        value = tensor.float().numpy()
        if name in ("table", "scale", "buckets"):
            continue
        if value.ndim == 2 and name.startswith("layers."):
            packed = dict(zip((f"{name}.codes", f"{name}.scales"), codes(value), strict=True))
        else:
            packed = {name: value.astype(np.float16 if name == "pool.weight" else np.float32)}
        if sum(one.nbytes for one in (*parts[-1].values(), *packed.values())) > MOST:
            parts.append({})
        parts[-1] |= packed
    for number, part in enumerate(parts):
        np.savez(f"{arguments.out}.{number}.npz", **part)


if __name__ == "__main__":
    main()
