"""The trained network as onnxruntime runs it: 4-bit feed-forward blocks, 8-bit attention, 8-bit words.

    python -m train.entails.export build/entails final -o entails/src/pyramidion_entails

Needs onnx and numpy. Reads ``final.npz`` (what :mod:`train.entails.pack` made of ``final.pt``) and the word table of
``base.0.npz``. Writes ``model.onnx`` and ``words.npz``, each well under 90 MB.

The graph takes one row (see :mod:`train.entails.network`): ``words`` (pieces x 768, the embeddings), ``places``,
``whose``, and ``mix`` (units x pieces: 1 at a unit's first piece, plus 1 / its pieces at each), and gives ``logits``
(units x 3). Products are MatMulNBits in float32: with activations in 8 bits (accuracy level 4) a quarter of the time is
saved, but rounding multiplies the last bits, and a unit's probability moves by up to .01 with its company.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FAR, HEADS, WIDTH, LAYERS, BLOCK = 1100, 12, 768, 12, 32


def buckets() -> np.ndarray:
    """MPNet's bucket of every relative position."""
    n = -np.arange(-FAR, FAR + 1)
    size = np.abs(n)
    far = 8 + (np.log(np.maximum(size, 1) / 8) / np.log(16) * 8).astype(np.int64)
    return (n < 0) * 16 + np.where(size < 8, size, np.minimum(far, 15))


class Graph:
    """Nodes and initializers, as they come."""

    def __init__(self, state: dict[str, np.ndarray]) -> None:
        self.state = state
        self.nodes: list[onnx.NodeProto] = []
        self.values: list[onnx.TensorProto] = []
        self.known: set[str] = set()

    def value(self, name: str, array: np.ndarray) -> str:
        """An initializer."""
        if name not in self.known:
            self.known.add(name)
            self.values.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def __call__(self, kind: str, *inputs: str, domain: str = "", **attributes: object) -> str:
        """A node with one output, which is returned."""
        name = f"{kind}.{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, domain=domain, **attributes))
        return name

    def norm(self, x: str, name: str) -> str:
        """A layer's norm."""
        weight, bias = (self.value(f"{name}.{part}", self.state[f"{name}.{part}"]) for part in ("weight", "bias"))
        return self("LayerNormalization", x, weight, bias, axis=-1, epsilon=1e-5)

    def product(self, x: str, name: str, codes: np.ndarray, scales: np.ndarray, bias: np.ndarray, bits: int) -> str:
        """The product x W^T + b."""
        outputs, blocks = scales.shape
        made = self(
            "MatMulNBits", x, self.value(f"{name}.codes", codes), self.value(f"{name}.scales", scales.reshape(-1)),
            domain="com.microsoft", K=blocks * BLOCK, N=outputs, bits=bits, block_size=BLOCK, accuracy_level=0,
        )  # fmt: skip
        return self("Add", made, self.value(f"{name}.bias", bias))

    def coarse(self, x: str, name: str) -> str:
        """A product in 4 bits."""
        return self.product(
            x, name, self.state[f"{name}.weight.q4"], self.state[f"{name}.weight.s4"], self.state[f"{name}.bias"], 4
        )

    def fine(self, x: str, names: list[str], factors: list[float]) -> str:
        """A product in 8 bits, of several matrices side by side."""
        codes = np.concatenate([self.state[f"{name}.weight.q8"] for name in names])
        scales = [self.state[f"{name}.weight.s8"] * np.float32(by) for name, by in zip(names, factors, strict=True)]
        bias = [self.state[f"{name}.bias"] * np.float32(by) for name, by in zip(names, factors, strict=True)]
        codes = (codes.astype(np.int16) + 128).astype(np.uint8)
        return self.product(x, names[0], codes, np.concatenate(scales), np.concatenate(bias), 8)


def network(state: dict[str, np.ndarray]) -> onnx.ModelProto:
    """The graph."""
    g = Graph(state)
    ints = lambda name, *values: g.value(name, np.array(values, np.int64))  # noqa: E731
    x = g("Add", "words", g("Gather", g.value("positions", state["positions"]), g("Add", "places", ints("two", 2))))
    x = g.norm(x, "norm")
    row, column = ints("row", 0), ints("column", 1)
    apart = g("Sub", g("Unsqueeze", "places", row), g("Unsqueeze", "places", column))
    near = g("Gather", g.value("buckets", buckets()), g("Add", apart, ints("far", FAR)))
    bias = g("Transpose", g("Gather", g.value("distance", state["distance"]), near), perm=[2, 0, 1])
    asker, asked = g("Unsqueeze", "whose", column), g("Unsqueeze", "whose", row)
    seen = g("Or", g("Equal", asked, ints("text", 0)), g("Equal", asked, asker))
    bias = g("Where", seen, bias, g.value("never", np.array(-1e4, np.float32)))
    split = ints("split", 0, 3, HEADS, WIDTH // HEADS)
    for layer in range(LAYERS):
        at = f"layers.{layer}"
        parts = g.fine(x, [f"{at}.{name}" for name in "qkv"], [(WIDTH // HEADS) ** -0.5, 1.0, 1.0])
        parts = g("Reshape", parts, split)
        q, k, v = (g("Gather", parts, ints(f"part{number}", number), axis=1) for number in range(3))
        q, k, v = (g("Squeeze", one, ints("axis1", 1)) for one in (q, k, v))
        q, v = (g("Transpose", one, perm=[1, 0, 2]) for one in (q, v))
        weights = g("Softmax", g("Add", g("MatMul", q, g("Transpose", k, perm=[1, 2, 0])), bias), axis=-1)
        mixed = g("Transpose", g("MatMul", weights, v), perm=[1, 0, 2])
        mixed = g("Reshape", mixed, ints("joined", 0, WIDTH))
        x = g.norm(g("Add", x, g.fine(mixed, [f"{at}.o"], [1.0])), f"{at}.norm1")
        inner = g("Gelu", g.coarse(x, f"{at}.inner"))
        x = g.norm(g("Add", x, g.coarse(inner, f"{at}.outer")), f"{at}.norm2")
    pooled = g("MatMul", "mix", x)
    for name in ("pool", "out"):
        weight = g.value(f"{name}.weight", state[f"{name}.weight"].astype(np.float32).T)
        pooled = g("Add", g("MatMul", pooled, weight), g.value(f"{name}.bias", state[f"{name}.bias"]))
        if name == "pool":
            pooled = g("Tanh", pooled)
    g.nodes.append(helper.make_node("Identity", [pooled], ["logits"]))
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        g.nodes, "entails",
        [info("words", TensorProto.FLOAT, ["pieces", WIDTH]), info("places", TensorProto.INT64, ["pieces"]),
         info("whose", TensorProto.INT64, ["pieces"]), info("mix", TensorProto.FLOAT, ["units", "pieces"])],
        [info("logits", TensorProto.FLOAT, ["units", 3])], g.values,
    )  # fmt: skip
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9, producer_name="pyramidion")


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("name")
    parser.add_argument("-o", "--out", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    onnx.save(network(dict(np.load(arguments.folder / f"{arguments.name}.npz"))), arguments.out / "model.onnx")
    with np.load(arguments.folder / "base.0.npz") as base:
        np.savez_compressed(arguments.out / "words.npz", table=base["table"], scale=base["scale"].astype(np.float32))
    for path in (arguments.out / "model.onnx", arguments.out / "words.npz"):
        print(path.name, path.stat().st_size)


if __name__ == "__main__":
    main()
