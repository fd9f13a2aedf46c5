"""Trained weights as codes and scales, small enough to be brought from the machine that trained them.

    python -m train.entails.pack OUT/final.pt -o build/entails/final.npz

Needs torch and numpy. The feed-forward matrices go to 4 bits on the very grid on which they were trained
(:func:`train.entails.network.rounded`), those of attention to 8 bits, both with a scale for every 32 inputs.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch

BLOCK = 32


def coarse(weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Codes of 4 bits, two in a byte, and scales: w = scale (code - 8)."""
    blocks = weight.reshape(weight.shape[0], -1, BLOCK)
    scale = np.take_along_axis(blocks, np.abs(blocks).argmax(2)[..., None], 2) / -8
    scale[scale == 0] = 1
    codes = (np.clip(np.round(blocks / scale), -8, 7) + 8).astype(np.uint8)
    return codes[..., ::2] | (codes[..., 1::2] << 4), scale[..., 0]


def fine(weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Codes of 8 bits and scales: w = scale code."""
    blocks = weight.reshape(weight.shape[0], -1, BLOCK)
    scale = np.abs(blocks).max(2, keepdims=True) / 127
    return np.round(blocks / scale).astype(np.int8), scale[..., 0]


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("state", type=Path)
    parser.add_argument("-o", "--out", type=Path, required=True)
    arguments = parser.parse_args()
    packed: dict[str, np.ndarray] = {}
    for name, tensor in torch.load(arguments.state, map_location="cpu").items():
        value = tensor.float().numpy()
        if name in ("table", "scale", "buckets"):
            continue
        if value.ndim == 2 and name.startswith("layers."):
            bits, pack = (4, coarse) if ".inner" in name or ".outer" in name else (8, fine)
            packed[f"{name}.q{bits}"], packed[f"{name}.s{bits}"] = pack(value)
        else:
            packed[name] = value.astype(np.float16 if name == "pool.weight" else np.float32)
    np.savez(arguments.out, **packed)


if __name__ == "__main__":
    main()
