r"""The network: SmolLM2's layers, a text read once, and the statements of each of its sentences written in its light.

A row is

    <text> text <sentence> sentence 1 <write> statement / statement <end>  <sentence> sentence 2 <write> ...

A piece of the text sees what is before it in the text. A piece of a *part*, that is of a sentence with its statements,
sees the whole text, and what is before it in its part. No part knows of another, so that what is written does not
depend on the company, and the text is read once for all. Every part counts its places from the end of the text.

A layer is Llama's: with N the root-mean-square norm and R the rotation by place,

.. math:: x' = x + O\,\mathrm{softmax}(R Q N x (R K N y)^T / 8)\, V N y, \qquad
          x'' = x' + D (\mathrm{silu}(G N x') \odot U N x'),

y the states of what each piece sees; nine heads ask, three are asked. The next piece is chosen by E N x, E the table of
the pieces' vectors, which is not trained. Matrices are stored in 4 bits, and trained with that rounding.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

__all__ = ["END", "SENTENCE", "TEXT", "WRITE", "Writes", "coded", "start"]

END, TEXT, SENTENCE, WRITE = 0, 1, 2, 5
"""Pieces that SmolLM2 has for other uses."""
WIDTH, HEADS, ASKED, EACH, INNER, LAYERS = 576, 9, 3, 64, 1536, 30
BASE = 100000.0


BLOCK = 32
"""Weights that share a scale and a zero."""


class Coded(NamedTuple):
    """A matrix in 4 bits: w = scale (code - zero), for each :data:`BLOCK` inputs."""

    code: Tensor
    zero: Tensor
    scale: Tensor

    @property
    def weight(self) -> Tensor:
        """The matrix."""
        return (self.scale.float() * (self.code - self.zero)).flatten(1)


def coded(weight: Tensor) -> Coded:
    """The nearest codes."""
    blocks = weight.detach().float().unflatten(1, (-1, BLOCK))
    least, most = blocks.amin(2, keepdim=True).clamp(max=0), blocks.amax(2, keepdim=True).clamp(min=0)
    scale = ((most - least) / 15).clamp(min=1e-6).half()
    zero = (-least / scale.float()).round().clamp(0, 15)
    return Coded((blocks / scale.float() + zero).round().clamp(0, 15), zero, scale)


class Product(nn.Linear):
    """A product with the matrix as it will be stored; the slope is that of the exact one."""

    def forward(self, x: Tensor) -> Tensor:
        """The product."""
        exact = self.weight
        return functional.linear(x, exact + (coded(exact).weight - exact).detach())


def rotated(x: Tensor, places: Tensor) -> Tensor:
    """Each pair of neighbours is turned by an angle that grows with the place."""
    speed = BASE ** (-torch.arange(0, EACH, 2, device=x.device).float() / EACH)
    angle = (places[..., None].float() * speed)[:, None]
    a, b = x[..., 0::2].float(), x[..., 1::2].float()
    turned = torch.stack([a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()], -1)
    return turned.flatten(-2).to(x.dtype)


class Norm(nn.Module):
    """The root-mean-square norm."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(WIDTH))

    def forward(self, x: Tensor) -> Tensor:
        """The normed states."""
        exact = x.float()
        return (exact * torch.rsqrt(exact.pow(2).mean(-1, keepdim=True) + 1e-5) * self.weight).to(x.dtype)


class Layer(nn.Module):
    """One layer of Llama."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.o = (Product(WIDTH, WIDTH, bias=False) for _ in range(2))
        self.k, self.v = (Product(WIDTH, ASKED * EACH, bias=False) for _ in range(2))
        self.gate, self.up = (Product(WIDTH, INNER, bias=False) for _ in range(2))
        self.down = Product(INNER, WIDTH, bias=False)
        self.norm1, self.norm2 = Norm(), Norm()

    def forward(self, x: Tensor, places: Tensor, seen: Tensor, dropout: float) -> Tensor:
        """The next states."""
        rows, length, _ = x.shape
        y = self.norm1(x)
        q, k, v = (part(y).view(rows, length, -1, EACH).transpose(1, 2) for part in (self.q, self.k, self.v))
        q, k = rotated(q, places), rotated(k, places)
        k, v = (part.repeat_interleave(HEADS // ASKED, 1) for part in (k, v))
        mixed = functional.scaled_dot_product_attention(q, k, v.to(q.dtype), attn_mask=seen)
        mixed = self.o(mixed.transpose(1, 2).reshape(rows, length, WIDTH))
        x = x + functional.dropout(mixed, dropout, self.training)
        y = self.norm2(x)
        y = self.down(functional.silu(self.gate(y)) * self.up(y))
        return x + functional.dropout(y, dropout, self.training)


class Writes(nn.Module):
    """The layers; the table of pieces is fixed."""

    def __init__(self, pieces: int, layers: int = LAYERS, dropout: float = 0.0) -> None:
        super().__init__()
        self.register_buffer("table", torch.zeros(pieces, WIDTH))
        self.layers = nn.ModuleList(Layer() for _ in range(layers))
        self.norm = Norm()
        self.dropout = dropout

    def forward(self, pieces: Tensor, places: Tensor, whose: Tensor) -> Tensor:
        """The last states; ``whose`` is 0 in the text, k in part k, -1 after the end."""
        x = functional.dropout(self.table[pieces], self.dropout, self.training)
        order = torch.arange(pieces.shape[1], device=pieces.device)
        before = order[None, :, None] >= order[None, None, :]
        seen = before & ((whose[:, None, :] == 0) | (whose[:, None, :] == whose[:, :, None]))
        for layer in self.layers:
            x = layer(x, places, seen[:, None], self.dropout)
        return self.norm(x)


def unpacked(raw: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """A matrix of 4 bits in GGUF's Q4_1: for each 32 weights a scale, a least value and the codes."""
    scale, least = (raw[..., part].astype(np.float32)[..., None] for part in (0, 1))
    whole = np.concatenate([codes & 15, codes >> 4], -1).astype(np.float32)
    return (whole * scale + least).reshape(len(raw), -1)


def start(folder: Path, dropout: float = 0.0) -> Writes:
    """The network before any training."""
    stored: dict[str, np.ndarray] = {}
    for path in sorted(folder.glob("base.*.npz")):
        stored |= dict(np.load(path))
    state = {"table": stored["table"].astype(np.float32) * stored["scale"]}
    for name, value in stored.items():
        if name.endswith(".codes"):
            of = name.removesuffix(".codes")
            state[of] = unpacked(stored[f"{of}.scales"], value)
        elif "norm" in name:
            state[name] = value
    network = Writes(len(state["table"]), dropout=dropout)
    network.load_state_dict({name: torch.from_numpy(value) for name, value in state.items()})
    return network
