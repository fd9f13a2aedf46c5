r"""The network: MPNet's twelve layers, a text read once, and each unit read in its light.

A row is

    <s> text </s>  </s> unit 1 </s>  </s> unit 2 </s> ...

A piece of the text sees the text; a piece of a unit sees its unit and the text. No unit knows of another, so that its
answer is the same in any company. Every unit counts its places from the end of the text, in the absolute and in the
relative positions, as if it were the only one: for one unit the pieces and places are those of a cross-encoder.

The four logits are B tanh(A (h_1 + mean h_i)), h the last states of the unit's pieces. Three are of said, contradicted
and not said; the fourth is of whether the unit is *clear*: the text says it, and a reader who does not have the text
understands it by itself.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

__all__ = ["END", "MOST_TEXT", "MOST_UNIT", "START", "Entails", "buckets", "start"]

START, PAD, END = 0, 1, 2
FIRST_PLACE = 2
"""MPNet's places begin after its padding's."""
MOST_TEXT, MOST_UNIT = 400, 96
WIDTH, HEADS, LAYERS, INNER = 768, 12, 12, 3072


def buckets(farthest: int = 1100) -> np.ndarray:
    """MPNet's bucket of every relative position from -farthest to farthest."""
    n = -np.arange(-farthest, farthest + 1)
    half, exact = 16, 8
    size = np.abs(n)
    far = exact + (np.log(np.maximum(size, 1) / exact) / math.log(128 / exact) * (half - exact)).astype(np.int64)
    return (n < 0) * half + np.where(size < exact, size, np.minimum(far, half - 1))


class Layer(nn.Module):
    """One layer of MPNet: attention with a bias by distance, then the feed-forward block; norms after."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH, eps=1e-5), nn.LayerNorm(WIDTH, eps=1e-5)
        self.inner, self.outer = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)
        self.dropout = dropout

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        """The next states."""
        rows, length, _ = x.shape
        q, k, v = (part(x).view(rows, length, HEADS, -1).transpose(1, 2) for part in (self.q, self.k, self.v))
        mixed = functional.scaled_dot_product_attention(q, k, v, attn_mask=bias.to(q.dtype))
        mixed = self.o(mixed.transpose(1, 2).reshape(rows, length, WIDTH))
        x = self.norm1(x + functional.dropout(mixed, self.dropout, self.training))
        y = self.outer(functional.gelu(self.inner(x)))
        y = functional.dropout(y, self.dropout, self.training)
        return self.norm2(x + y)


class Entails(nn.Module):
    """The encoder and four logits a unit."""

    def __init__(self, dropout: float = 0.1) -> None:
        super().__init__()
        self.register_buffer("table", torch.zeros(30527, WIDTH, dtype=torch.int8))
        self.register_buffer("scale", torch.zeros(30527, 1))
        self.register_buffer("buckets", torch.from_numpy(buckets()))
        self.register_buffer("distance", torch.zeros(32, HEADS))
        self.positions = nn.Parameter(torch.zeros(514, WIDTH))
        self.norm = nn.LayerNorm(WIDTH, eps=1e-5)
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(LAYERS))
        self.pool = nn.Linear(WIDTH, WIDTH)
        self.out = nn.Linear(WIDTH, 4)
        self.dropout = dropout

    def forward(self, pieces: Tensor, places: Tensor, whose: Tensor, units: int) -> Tensor:
        """Logits (rows, units, 4); ``whose`` is 0 in the text, k in unit k, -1 after the end."""
        x = self.table[pieces].float() * self.scale[pieces] + self.positions[places + FIRST_PLACE]
        x = functional.dropout(self.norm(x), self.dropout, self.training)
        far = self.buckets.shape[0] // 2
        bias = self.distance[self.buckets[places[:, None, :] - places[:, :, None] + far]].permute(0, 3, 1, 2)
        seen = (whose[:, None, :] == 0) | (whose[:, None, :] == whose[:, :, None])
        bias = (bias + (~seen)[:, None] * -1e4).to(torch.bfloat16 if x.is_cuda else x.dtype).contiguous()
        for layer in self.layers:
            x = layer(x, bias)
        of = (whose[:, None, :] == torch.arange(1, units + 1, device=whose.device)[None, :, None]).to(x.dtype)
        first = of * (of.cumsum(2) == 1)
        pooled = (first + of / of.sum(2, keepdim=True).clamp(min=1)) @ x
        return self.out(functional.dropout(torch.tanh(self.pool(pooled)), self.dropout, self.training))


NAMES = {
    "attention.attn.q": "q", "attention.attn.k": "k", "attention.attn.v": "v", "attention.attn.o": "o",
    "attention.LayerNorm": "norm1", "intermediate.dense": "inner", "output.dense": "outer", "output.LayerNorm": "norm2",
}  # fmt: skip


def start(folder: Path, dropout: float = 0.1) -> Entails:
    """The network before any training: MPNet's weights, a random head."""
    stored: dict[str, np.ndarray] = {}
    for path in sorted(folder.glob("base.*.npz")):
        stored |= dict(np.load(path))
    state = {
        "table": stored["table"],
        "scale": stored["scale"],
        "distance": stored["encoder.relative_attention_bias.weight"],
        "positions": stored["embeddings.position_embeddings.weight"],
        "norm.weight": stored["embeddings.LayerNorm.weight"],
        "norm.bias": stored["embeddings.LayerNorm.bias"],
    }
    for name, value in stored.items():
        if name.startswith("encoder.layer."):
            number, _, rest = name.removeprefix("encoder.layer.").partition(".")
            part, _, kind = rest.rpartition(".")
            state[f"layers.{number}.{NAMES[part]}.{kind}"] = value
    network = Entails(dropout)
    own = network.state_dict()
    missing = [name for name in own if name not in state and not name.startswith(("pool", "out", "buckets"))]
    assert not missing, missing
    network.load_state_dict(
        own
        | {
            name: torch.from_numpy(value.astype(np.int8 if name == "table" else np.float32))
            for name, value in state.items()
        }
    )
    return network
