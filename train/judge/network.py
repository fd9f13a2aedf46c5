"""The reader: one pass over a passage and all the units that are asked about it.

A cross-encoder reads ``[CLS] unit [SEP] passage [SEP]`` once for every unit, and the passage with it. Here a row is

    [CLS] passage [SEP]  [CLS] unit 1 [SEP]  [CLS] unit 2 [SEP] ...

in which a piece of the passage sees the passage, and a piece of a unit sees its unit and the passage. The passage is
read once, whatever the number of units, and no unit knows of another: the answer for a unit is the same in any company.
Places count from 0 in the passage and in each unit. Each piece has one of four *kinds*, whose embedding is added: 0 of
the passage, 1 of a unit, 3 of a unit where the passage has the same piece. The logit of a unit is read from the state
of its ``[CLS]``. Word embeddings are not trained: they are those of ``en-minilm``, bit by bit.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from torch import Tensor, nn
from train.language.network import WIDTH, Encoder, load_base

__all__ = ["CLS", "MOST_PASSAGE", "MOST_UNIT", "SEP", "Reader", "base", "start"]

CLS, SEP = 101, 102
MOST_UNIT, MOST_PASSAGE = 64, 384
"""Word pieces beyond these are cut off."""


class Reader(nn.Module):
    """The encoder and one logit a unit."""

    def __init__(self, layers: int = 6, dropout: float = 0.1) -> None:
        super().__init__()
        self.encoder = Encoder(layers, dropout)
        self.pool = nn.Linear(WIDTH, WIDTH)
        self.drop = nn.Dropout(dropout)
        self.out = nn.Linear(WIDTH, 1)

    def forward(self, pieces: Tensor, kinds: Tensor, places: Tensor, whose: Tensor, firsts: Tensor) -> Tensor:
        """Logits of the units of each row, read at ``firsts``; ``whose`` is 0 in the passage, k in unit k, -1 after."""
        encoder = self.encoder
        x = encoder.table[pieces].float() * encoder.scale[pieces]
        x = encoder.dropout(encoder.norm(x + encoder.positions[places] + encoder.shapes(kinds)))
        seen = (whose[:, None, :] == 0) | (whose[:, None, :] == whose[:, :, None])
        bias = (1.0 - seen.float())[:, None] * -1e4
        for layer in encoder.layers:
            x = layer(x, bias)
        first = torch.gather(x, 1, firsts[:, :, None].expand(-1, -1, WIDTH))
        return (self.drop(torch.tanh(self.pool(first))) * self.out.weight[0]).sum(-1) + self.out.bias


def base(folder: Path) -> dict[str, np.ndarray]:
    """What ``prepare`` wrote, and the word embeddings, which the package ships already."""
    found = dict(np.load(folder / "base.npz"))
    for one in onnx.load("src/pyramidion/language/models/en-minilm/model.onnx").graph.initializer:
        if list(one.dims) in ([30522, WIDTH], [30522, 1]):
            found["table" if one.dims[1] == WIDTH else "scale"] = numpy_helper.to_array(one).copy()
    return found


def start(layers: int, base: dict[str, np.ndarray]) -> Reader:
    """The network before any training: MiniLM's weights, a random head."""
    network = Reader(layers)
    load_base(network.encoder, base)
    types = torch.from_numpy(base["embeddings.token_type_embeddings.weight"].astype("float32"))
    network.encoder.shapes.weight.data[1::2] = types[1] - types[0]
    return network
