"""The trained network as onnxruntime runs it: matrices in 4 bits, words in 8.

    python -m train.writes.export build/writes -o writes/src/pyramidion_writes

Needs onnx and numpy. Reads ``written.N.npz`` (:mod:`train.writes.fit`), the word table of ``base.0.npz`` and
``pieces.json``; writes ``model.onnx`` and ``pieces.json``.

The graph takes ``pieces`` and their ``places`` (rows x pieces), ``text.LAYER`` (keys and values of the text, which all
rows see: 2 x 3 heads x its pieces x 64), ``past.LAYER`` (those of what is before in each row: rows x 2 x 3 x pieces x
64), ``hidden`` (rows x 1 x pieces x before and pieces: added to the scores, 0 for what is seen), and ``last``, the
place of each row's last piece. It gives ``next`` (rows: the most probable next piece) and ``now.LAYER``, the past with
these pieces. To read a text, give it as one row without text and past.
"""

from __future__ import annotations

import argparse
import shutil
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from train.writes.network import ASKED, BASE, BLOCK, EACH, HEADS, INNER, LAYERS, WIDTH

GROUP = HEADS // ASKED


class Graph:
    """Nodes and initializers, as they come."""

    def __init__(self, state: dict[str, np.ndarray]) -> None:
        self.state = state
        self.nodes: list[onnx.NodeProto] = []
        self.values: dict[str, onnx.TensorProto] = {}

    def value(self, name: str, array: np.ndarray) -> str:
        """An initializer."""
        self.values.setdefault(name, numpy_helper.from_array(np.array(array, order="C"), name))
        return name

    def ints(self, *values: int) -> str:
        """An initializer of whole numbers."""
        return self.value(f"ints {values}", np.array(values, np.int64))

    def __call__(self, kind: str, *inputs: str, outputs: int = 1, **attributes: object) -> str:
        """A node, and the name of its first output."""
        name = f"{kind}.{len(self.nodes)}"
        names = [name, *(f"{name}.{number}" for number in range(1, outputs))]
        self.nodes.append(helper.make_node(kind, list(inputs), names, name=name, **attributes))
        return name

    def norm(self, x: str, name: str) -> str:
        """The root-mean-square norm."""
        weight = self.value(name, self.state[f"{name}.weight"].astype(np.float32))
        return self("SimplifiedLayerNormalization", x, weight, axis=-1, epsilon=1e-5)

    def product(self, x: str, *names: str, inputs: int = WIDTH) -> str:
        """The product with matrices, side by side, as they are stored."""
        parts = [tuple(self.state[f"{name}.weight.{part}"] for part in ("codes", "scales", "zeros")) for name in names]
        if names[0].endswith(".q"):
            parts = [*(halved(part) for part in parts[:2]), *parts[2:]]
        codes, scales, zeros = (np.concatenate(part) for part in zip(*parts, strict=True))
        given = [
            self.value(f"{names[0]}.codes", codes),
            self.value(f"{names[0]}.scales", scales.astype(np.float32)),
            self.value(f"{names[0]}.zeros", nibbles(zeros)),
        ]
        return self("MatMulNBits", x, *given, domain="com.microsoft", K=inputs, N=len(codes), bits=4, block_size=BLOCK,
                    accuracy_level=4)  # fmt: skip

    def turned(self, x: str) -> str:
        """Rotated by place; a vector is the first of all pairs, then the second."""
        self.nodes.append(helper.make_node("Split", [x], [f"{x}.a", f"{x}.b"], axis=-1, num_outputs=2))
        a, b = f"{x}.a", f"{x}.b"
        first = self("Sub", self("Mul", a, "cos"), self("Mul", b, "sin"))
        second = self("Add", self("Mul", a, "sin"), self("Mul", b, "cos"))
        return self("Concat", first, second, axis=-1)


def halved(part: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    """Rows of Q or K, so that in each head the first of all pairs come first."""
    order = np.arange(len(part[0])).reshape(-1, EACH // 2, 2).transpose(0, 2, 1).ravel()
    return tuple(one[order] for one in part)


def nibbles(zeros: np.ndarray) -> np.ndarray:
    """Zeros of 4 bits, two a byte, each row from a new byte."""
    if zeros.shape[1] % 2:
        zeros = np.pad(zeros, ((0, 0), (0, 1)))
    return (zeros[:, 0::2] | zeros[:, 1::2] << 4).astype(np.uint8)


def network(state: dict[str, np.ndarray], table: np.ndarray, scale: np.ndarray) -> onnx.ModelProto:
    """The graph."""
    g = Graph(state)
    words, size = g.value("table", table.T), g.value("scale", scale.ravel().astype(np.float32))
    x = g("Cast", g("Transpose", g("Gather", words, "pieces", axis=1), perm=[1, 2, 0]), to=TensorProto.FLOAT)
    x = g("Mul", x, g("Unsqueeze", g("Gather", size, "pieces"), g.ints(2)))
    speed = g.value("speed", (BASE ** (-np.arange(0, EACH, 2) / EACH)).astype(np.float32))
    angle = g("Mul", g("Unsqueeze", g("Cast", "places", to=TensorProto.FLOAT), g.ints(1, 3)), speed)
    g.nodes += [helper.make_node("Cos", [angle], ["cos"]), helper.make_node("Sin", [angle], ["sin"])]
    shape = g("Shape", "pieces")
    rows, length = (g("Slice", shape, g.ints(at), g.ints(at + 1)) for at in (0, 1))
    by_group = g("Concat", rows, g.ints(ASKED), g("Mul", length, g.ints(GROUP)), g.ints(EACH), axis=0)
    by_row = g("Concat", rows, g.ints(ASKED), g("Mul", length, g.ints(GROUP)), g.ints(-1), axis=0)
    by_head = g("Concat", rows, g.ints(ASKED, GROUP), length, g.ints(-1), axis=0)
    hidden = g("Unsqueeze", "hidden", g.ints(1))
    for layer in range(LAYERS):
        at = f"layers.{layer}"
        parts = g.product(g.norm(x, f"{at}.norm1"), f"{at}.q", f"{at}.k", f"{at}.v")
        parts = g("Transpose", g("Reshape", parts, g.ints(0, 0, HEADS + 2 * ASKED, EACH)), perm=[0, 2, 1, 3])
        cut = [0, HEADS, HEADS + ASKED, HEADS + 2 * ASKED]
        q, k, v = (g("Slice", parts, g.ints(cut[n]), g.ints(cut[n + 1]), g.ints(1)) for n in range(3))
        q = g("Mul", g.turned(q), g.value("eighth", np.array(EACH**-0.5, np.float32)))
        new = g("Concat", g("Unsqueeze", g.turned(k), g.ints(1)), g("Unsqueeze", v, g.ints(1)), axis=1)
        g.nodes.append(helper.make_node("Concat", [f"past.{layer}", new], [f"now.{layer}"], axis=3))
        keys, values = (g("Gather", f"now.{layer}", g.value(f"part {n}", np.array(n)), axis=1) for n in range(2))
        text_keys, text_values = (g("Gather", f"text.{layer}", f"part {n}", axis=0) for n in range(2))
        q = g("Reshape", q, by_group)
        of_text = g("MatMul", q, g("Transpose", text_keys, perm=[0, 2, 1]))
        own = g("Reshape", g("MatMul", q, g("Transpose", keys, perm=[0, 1, 3, 2])), by_head)
        own = g("Reshape", g("Add", own, hidden), by_row)
        weights = g("Softmax", g("Concat", of_text, own, axis=-1), axis=-1)
        end = g("Shape", text_keys, start=1, end=2)
        to_text = g("Slice", weights, g.ints(0), end, g.ints(3))
        to_own = g("Slice", weights, end, g.ints(2**62), g.ints(3))
        mixed = g("Add", g("MatMul", to_text, text_values), g("MatMul", to_own, values))
        mixed = g("Reshape", mixed, g("Concat", rows, g.ints(HEADS), length, g.ints(EACH), axis=0))
        mixed = g("Reshape", g("Transpose", mixed, perm=[0, 2, 1, 3]), g.ints(0, 0, WIDTH))
        x = g("Add", x, g.product(mixed, f"{at}.o"))
        both = g.product(g.norm(x, f"{at}.norm2"), f"{at}.gate", f"{at}.up")
        g.nodes.append(helper.make_node("Split", [both], [f"{both}.a", f"{both}.b"], axis=-1, num_outputs=2))
        gate = g("Mul", f"{both}.a", g("Sigmoid", f"{both}.a"))
        x = g("Add", x, g.product(g("Mul", gate, f"{both}.b"), f"{at}.down", inputs=INNER))
    x = g("GatherND", x, g("Unsqueeze", "last", g.ints(1)), batch_dims=1)
    x = g.norm(x, "norm")
    most = g("Max", g("ReduceMax", g("Abs", x), g.ints(1), keepdims=1), g.value("least", np.array(1e-9, np.float32)))
    whole = g("Round", g("Mul", x, g("Div", g.value("127", np.array(127, np.float32)), most)))
    whole = g("Cast", g("Add", whole, g.value("128", np.array(128, np.float32))), to=TensorProto.UINT8)
    total = g("MatMulInteger", whole, words, g.value("zero", np.array(128, np.uint8)))
    logits = g("Mul", g("Cast", total, to=TensorProto.FLOAT), size)
    g.nodes.append(helper.make_node("ArgMax", [logits], ["next"], axis=1, keepdims=0))
    info, whole_numbers, floats = helper.make_tensor_value_info, TensorProto.INT64, TensorProto.FLOAT
    graph = helper.make_graph(
        g.nodes, "writes",
        [info("pieces", whole_numbers, ["rows", "new"]), info("places", whole_numbers, ["rows", "new"]),
         info("hidden", floats, ["rows", 1, "new", "own"]), info("last", whole_numbers, ["rows"]),
         *(info(f"text.{n}", floats, [2, ASKED, "text", EACH]) for n in range(LAYERS)),
         *(info(f"past.{n}", floats, ["rows", 2, ASKED, "before", EACH]) for n in range(LAYERS))],
        [info("next", whole_numbers, ["rows"]),
         *(info(f"now.{n}", floats, ["rows", 2, ASKED, "own", EACH]) for n in range(LAYERS))],
        list(g.values.values()),
    )  # fmt: skip
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9, producer_name="pyramidion")


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weights", type=Path)
    parser.add_argument("-o", "--out", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    state: dict[str, np.ndarray] = {}
    for path in sorted(arguments.weights.glob("written.*.npz")):
        state |= dict(np.load(path))
    with np.load(arguments.weights / "base.0.npz") as base:
        made = network(state, base["table"], base["scale"])
    onnx.save(made, arguments.out / "model.onnx")
    shutil.copy(arguments.weights / "pieces.json", arguments.out)
    print((arguments.out / "model.onnx").stat().st_size)


if __name__ == "__main__":
    main()
