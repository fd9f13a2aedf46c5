"""One small encoder for everything linguistic: all-MiniLM-L6-v2 with heads.

The encoder is BERT (6 layers, 384 wide, 12 attention heads) with its word embeddings frozen in int8, plus an added
embedding of letter shapes. On a learned mix of its layers, taken at each word's first piece, sit: UPOS and XPOS
(linear), elementary discourse unit and sentence starts (one hidden layer), arcs (biaffine, Dozat and Manning 2017) and
relations. Relations are scored as C(d * h) + D d + E h with d, h the dependent's and the head's 256 features, so that
only the chosen arcs need scoring, outside the graph. The sentence vector is the mean of the last layer's pieces
through a projection that starts as the identity.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

WIDTH, HEADS, INNER, ARC, RELATION = 384, 12, 1536, 256, 256
SHAPES = 16


class Layer(nn.Module):
    """A BERT layer, post-norm."""

    def __init__(self, dropout: float) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(WIDTH, WIDTH) for _ in range(3))
        self.attended = nn.Linear(WIDTH, WIDTH)
        self.norm1 = nn.LayerNorm(WIDTH, eps=1e-12)
        self.inner = nn.Linear(WIDTH, INNER)
        self.outer = nn.Linear(INNER, WIDTH)
        self.norm2 = nn.LayerNorm(WIDTH, eps=1e-12)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        """The layer's states; ``bias`` shuts out padding."""
        batch, length, _ = x.shape

        def split(y: Tensor) -> Tensor:
            return y.view(batch, length, HEADS, WIDTH // HEADS).transpose(1, 2)

        query, key, value = split(self.query(x)), split(self.key(x)), split(self.value(x))
        weights = torch.softmax(query @ key.transpose(2, 3) / math.sqrt(WIDTH // HEADS) + bias, dim=-1)
        mixed = (self.dropout(weights) @ value).transpose(1, 2).reshape(batch, length, WIDTH)
        x = self.norm1(x + self.dropout(self.attended(mixed)))
        return self.norm2(x + self.dropout(self.outer(functional.gelu(self.inner(x)))))


class Encoder(nn.Module):
    """Pieces and shapes to the states of every layer."""

    def __init__(self, layers: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.register_buffer("table", torch.zeros(30522, WIDTH, dtype=torch.int8))
        self.register_buffer("scale", torch.zeros(30522, 1))
        self.positions = nn.Parameter(torch.zeros(512, WIDTH))
        self.shapes = nn.Embedding(SHAPES, WIDTH)
        nn.init.zeros_(self.shapes.weight)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.dropout = nn.Dropout(dropout)
        self.layers = nn.ModuleList(Layer(dropout) for _ in range(layers))

    def forward(self, pieces: Tensor, shapes: Tensor, mask: Tensor) -> list[Tensor]:
        """The embeddings and the states of each layer."""
        x = self.table[pieces].float() * self.scale[pieces]
        x = self.norm(x + self.positions[: pieces.shape[1]] + self.shapes(shapes))
        x = self.dropout(x)
        bias = (1.0 - mask.float())[:, None, None, :] * -1e4
        states = [x]
        for layer in self.layers:
            states.append(layer(states[-1], bias))
        return states


class Network(nn.Module):
    """The encoder and all heads."""

    def __init__(self, layers: int, upos: int, xpos: int, relations: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.encoder = Encoder(layers, dropout)
        self.mix = nn.Parameter(torch.zeros(layers + 1))
        self.project = nn.Linear(WIDTH, WIDTH)
        nn.init.eye_(self.project.weight)
        nn.init.zeros_(self.project.bias)
        self.drop = nn.Dropout(0.25)
        self.upos, self.xpos = nn.Linear(WIDTH, upos), nn.Linear(WIDTH, xpos)
        self.edu = nn.Sequential(nn.Linear(WIDTH, 128), nn.GELU(), nn.Dropout(0.25), nn.Linear(128, 1))
        self.start = nn.Sequential(nn.Linear(WIDTH, 128), nn.GELU(), nn.Dropout(0.25), nn.Linear(128, 1))
        self.arc_dependent, self.arc_head = nn.Linear(WIDTH, ARC), nn.Linear(WIDTH, ARC)
        self.arc = nn.Linear(ARC, ARC)
        self.arc_bias = nn.Linear(ARC, 1)
        self.relation_dependent, self.relation_head = nn.Linear(WIDTH, RELATION), nn.Linear(WIDTH, RELATION)
        self.root = nn.Parameter(torch.zeros(WIDTH))
        self.product = nn.Linear(RELATION, relations)
        self.of_dependent = nn.Linear(RELATION, relations, bias=False)
        self.of_head = nn.Linear(RELATION, relations, bias=False)

    def vector(self, last: Tensor, mask: Tensor) -> Tensor:
        """The sentence vector: the mean over all pieces, special ones included, projected and of unit length."""
        weights = mask.float()[:, :, None]
        mean = (last * weights).sum(1) / weights.sum(1).clamp(min=1.0)
        return functional.normalize(self.project(mean), dim=-1)

    def forward(self, pieces: Tensor, shapes: Tensor, mask: Tensor, words: Tensor) -> dict[str, Tensor]:
        """``words`` holds the position of each word's first piece, 0 for padding."""
        states = self.encoder(pieces, shapes, mask)
        weights = torch.softmax(self.mix, 0)
        mixed = sum(weight * state for weight, state in zip(weights, states, strict=True))
        x = torch.gather(mixed, 1, words[:, :, None].expand(-1, -1, WIDTH))
        x = self.drop(x)
        with_root = torch.cat([self.root.expand(x.shape[0], 1, WIDTH), x], dim=1)
        dependent = self.drop(functional.gelu(self.arc_dependent(x)))
        head = self.drop(functional.gelu(self.arc_head(with_root)))
        return {
            "upos": self.upos(x),
            "xpos": self.xpos(x),
            "edu": self.edu(x).squeeze(-1),
            "start": self.start(x).squeeze(-1),
            "arcs": self.arc(dependent) @ head.transpose(1, 2) / 16.0 + self.arc_bias(head).transpose(1, 2),
            "dependents": self.drop(functional.gelu(self.relation_dependent(x))),
            "heads": self.drop(functional.gelu(self.relation_head(with_root))),
            "states": states[-1],
            "vector": self.vector(states[-1], mask),
        }

    def relations(self, dependents: Tensor, heads: Tensor) -> Tensor:
        """Scores of every relation for pairs of a dependent and its head."""
        return self.product(dependents * heads) + self.of_dependent(dependents) + self.of_head(heads)


_NAMES = {
    "query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value",
    "attended": "attention.output.dense", "norm1": "attention.output.LayerNorm",
    "inner": "intermediate.dense", "outer": "output.dense", "norm2": "output.LayerNorm",
}  # fmt: skip


def load_base(encoder: Encoder, base: dict[str, np.ndarray]) -> None:
    """MiniLM's published weights into the encoder; the one token-type embedding goes into the positions."""

    def tensor(name: str) -> Tensor:
        return torch.from_numpy(base[name].astype(np.float32))

    encoder.table.copy_(torch.from_numpy(base["table"]))
    encoder.scale.copy_(torch.from_numpy(base["scale"]))
    encoder.positions.data.copy_(
        tensor("embeddings.position_embeddings.weight") + tensor("embeddings.token_type_embeddings.weight")[0]
    )
    encoder.norm.weight.data.copy_(tensor("embeddings.LayerNorm.weight"))
    encoder.norm.bias.data.copy_(tensor("embeddings.LayerNorm.bias"))
    for number, layer in enumerate(encoder.layers):
        for ours, theirs in _NAMES.items():
            module = getattr(layer, ours)
            module.weight.data.copy_(tensor(f"encoder.layer.{number}.{theirs}.weight"))
            module.bias.data.copy_(tensor(f"encoder.layer.{number}.{theirs}.bias"))
