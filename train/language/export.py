"""The trained network as one int8 ONNX graph.

    python -m train.language.export build/language WEIGHTS_PREFIX -o src/pyramidion/language/models/en-minilm

WEIGHTS_PREFIX names what ``fit`` wrote (``PREFIX.weights.0.npz`` ... and ``PREFIX.fit.json``, or a folder with a slash
at its end). Matrices are quantized dynamically, per channel (MatMul only: it costs at most 0.14 LAS, and a quarter of
the bytes); the word embeddings are int8 already. Writes ``model.onnx``, ``relations.npz`` (the scorer of relations,
which runs outside the graph on the chosen arcs alone) and ``labels.json``.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

import numpy as np
import onnx
import torch
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.quantization.shape_inference import quant_pre_process
from torch import Tensor, nn
from train.language.network import Network, load_base

OUTPUTS = ("upos", "xpos", "edu", "start", "arcs", "dependents", "heads", "states", "vector")
INPUTS = ("pieces", "shapes", "mask", "words")


class Graph(nn.Module):
    """The network with its outputs in a fixed order."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(self, pieces: Tensor, shapes: Tensor, mask: Tensor, words: Tensor) -> tuple[Tensor, ...]:
        """The outputs, by :data:`OUTPUTS`."""
        out = self.network(pieces, shapes, mask, words)
        return tuple(out[name] for name in OUTPUTS)


def load(folder: Path, prefix: str) -> tuple[Network, dict]:
    """The network with the weights that ``fit`` wrote."""
    found = json.loads(Path(f"{prefix}fit.json").read_text())
    labels = found["labels"]
    network = Network(found["settings"]["layers"], *(len(labels[name]) for name in ("upos", "xpos", "relation"))).eval()
    load_base(network.encoder, dict(np.load(folder / "base.npz")))
    state = {}
    for number in range(9):
        path = Path(f"{prefix}weights.{number}.npz")
        if path.exists():
            state |= {name: torch.from_numpy(value.astype(np.float32)) for name, value in np.load(path).items()}
    missing, unexpected = network.load_state_dict(state, strict=False)
    assert set(missing) == {"encoder.table", "encoder.scale"}, missing
    assert not unexpected, unexpected
    return network, found


def heads_of(path: Path) -> list[str]:
    """The matrix products after the encoder, which stay in fp32: they are small, and the decisions fall in them."""
    nodes = list(onnx.load(path).graph.node)
    last = max(index for index, node in enumerate(nodes) if node.op_type == "Softmax")
    products = [node.name for node in nodes[last:] if node.op_type in ("MatMul", "Gemm")]
    return products[4:]  # four are the last layer's own: values, attended, inner, outer


def export(folder: Path, prefix: str, out: Path) -> None:
    """Write the graph, the relation scorer and the labels."""
    out.mkdir(parents=True, exist_ok=True)
    network, found = load(folder, prefix)
    example = (
        torch.randint(1000, 2000, (2, 9)),
        torch.zeros(2, 9, dtype=torch.long),
        torch.ones(2, 9, dtype=torch.long),
        torch.tensor([[1, 2, 4], [1, 3, 0]]),
    )
    batch, length, count = (torch.export.Dim(name, min=1) for name in ("batch", "length", "count"))
    shapes = {
        "pieces": {0: batch, 1: length},
        "shapes": {0: batch, 1: length},
        "mask": {0: batch, 1: length},
        "words": {0: batch, 1: count},
    }
    with tempfile.TemporaryDirectory() as temporary:
        plain, prepared = Path(temporary) / "plain.onnx", Path(temporary) / "prepared.onnx"
        torch.onnx.export(
            Graph(network).eval(),
            example,
            plain,
            input_names=list(INPUTS),
            output_names=list(OUTPUTS),
            opset_version=18,
            dynamo=True,
            dynamic_shapes=shapes,
            external_data=False,
        )
        quant_pre_process(plain, prepared, skip_symbolic_shape=True)
        quantize_dynamic(
            prepared,
            out / "model.onnx",
            per_channel=True,
            weight_type=QuantType.QInt8,
            op_types_to_quantize=["MatMul", "Gemm"],
            nodes_to_exclude=heads_of(prepared),
        )
    np.savez(
        out / "relations.npz",
        product=network.product.weight.detach().numpy(), bias=network.product.bias.detach().numpy(),
        dependent=network.of_dependent.weight.detach().numpy(), head=network.of_head.weight.detach().numpy(),
    )  # fmt: skip
    (out / "labels.json").write_text(json.dumps(found["labels"], indent=1) + "\n")
    print({path.name: path.stat().st_size for path in out.iterdir()})


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("prefix")
    parser.add_argument("-o", "--out", type=Path, required=True)
    arguments = parser.parse_args()
    export(arguments.folder, arguments.prefix, arguments.out)


if __name__ == "__main__":
    main()
