"""The trained network as onnxruntime runs it: 4-bit feed-forward blocks, 8-bit attention, 8-bit words.

    python -m train.entails.export build/entails final -o entails/src/pyramidion_entails
    python -m train.entails.export entails/src/pyramidion_entails/model.onnx -o entails/src/pyramidion_entails

Needs onnx and numpy. Reads ``final.npz`` (what :mod:`train.entails.pack` made of ``final.pt``) and the word table of
``base.0.npz``. Writes ``model.onnx`` and ``words.npz``, each well under 90 MB. The second way writes the weights of a
``model.onnx`` again, in the graph that is made here; no weight changes.

The graph takes one row (see :mod:`train.entails.network`): ``words`` (pieces x 768, the embeddings), ``places``,
``whose``, and ``mix`` (units x pieces: 1 at a unit's first piece, plus 1 / its pieces at each), and gives ``logits``
(units x 3). First come the pieces of the text, then those of each unit.

*Products* are MatMulNBits, with activations in 8 bits, a scale for every 32 (accuracy level 4). In float32 it unpacks
matrices of 8 bits anew in every pass, which doubles the time of a short one.

*Attention* is exact in any company: rounding multiplies the last bits, so that a unit's probability moved by up to .01
with the units beside it, as long as all pieces shared one softmax. Here text and units have each their own, and what
each sums up lies in the same places whatever the others are: a unit's keys are the text's, then its own, then nothing
up to a multiple of 64, which is how many a kernel takes at a time. It is also less work.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FAR, HEADS, WIDTH, LAYERS, BLOCK = 1100, 12, 768, 12, 32
EACH = WIDTH // HEADS
AT_A_TIME = 64
"""Keys; a multiple of all that a kernel adds up at once."""
FACTORS = [EACH**-0.5, 1.0, 1.0]
"""Of Q, K and V: the scale of attention, 1/8, which is undone without a rounding."""


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
            self.values.append(numpy_helper.from_array(np.array(array, order="C"), name))
        return name

    def __call__(self, kind: str, *inputs: str, domain: str = "", **attributes: object) -> str:
        """A node with one output, which is returned."""
        name = f"{kind}.{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, domain=domain, **attributes))
        return name

    def ints(self, name: str, *values: int) -> str:
        """An initializer of whole numbers."""
        return self.value(name, np.array(values, np.int64))

    def join(self, *parts: str, axis: int = 0) -> str:
        """Several side by side."""
        return self("Concat", *parts, axis=axis)

    def norm(self, x: str, name: str) -> str:
        """A layer's norm."""
        weight, bias = (self.value(f"{name}.{part}", self.state[f"{name}.{part}"]) for part in ("weight", "bias"))
        return self("LayerNormalization", x, weight, bias, axis=-1, epsilon=1e-5)

    def product(self, x: str, name: str, codes: np.ndarray, scales: np.ndarray, bias: np.ndarray, bits: int) -> str:
        """The product x W^T + b."""
        outputs, blocks = scales.shape
        made = self(
            "MatMulNBits", x, self.value(f"{name}.codes", codes), self.value(f"{name}.scales", scales.reshape(-1)),
            domain="com.microsoft", K=blocks * BLOCK, N=outputs, bits=bits, block_size=BLOCK, accuracy_level=4,
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


class Attention:
    """Who sees whom, and with which bias. T pieces of a text, then U units; L pieces has the longest."""

    def __init__(self, g: Graph) -> None:
        self.g, self.zero, one = g, g.ints("zero", 0), g.ints("one", 1)
        whole = {"keepdims": 1}
        self.t = g("ReduceSum", g("Cast", g("Equal", "whose", self.zero), to=TensorProto.INT64), **whole)
        u = g("ReduceMax", "whose", **whole)
        l = g("Sub", g("Add", g("ReduceMax", "places", **whole), one), self.t)  # noqa: E741
        self.tl, ul = g("Add", self.t, l), g("Mul", u, l)
        places, whose = (g("Slice", name, self.t, g.ints("end", 2**62), self.zero) for name in ("places", "whose"))
        # Units lie in a table of U rows and L columns: where each piece lies, and which piece lies where; -1 for none.
        self.cell = g("Add", g("Mul", g("Sub", whose, one), l), g("Sub", places, self.t))
        empty = g("ConstantOfShape", ul, value=helper.make_tensor("none", TensorProto.INT64, [1], [-1]))
        lying = g("ScatterElements", empty, self.cell, self.range(self.t, g("Shape", "whose")), axis=0)
        self.piece = g("Max", lying, self.zero)
        text, unit = self.range(self.zero, self.t), self.range(self.t, self.tl)
        self.text_bias = self.by_distance(text, text)
        size = g.ints("at a time", AT_A_TIME)
        width = g("Mul", g("Div", g("Add", self.tl, g.ints("all but one", AT_A_TIME - 1)), size), size)
        rest = g("Sub", width, self.tl)
        bias = g("Unsqueeze", self.by_distance(unit, g.join(text, unit)), one)
        own = g("Reshape", g("GreaterOrEqual", lying, self.zero), g.join(u, one, l))
        seen = g.join(g("Expand", g.value("yes", np.ones((1, 1, 1), np.bool_)), g.join(u, one, self.t)), own, axis=2)
        never = g.value("never", np.array(-1e4, np.float32))
        bias = g("Where", g("Unsqueeze", seen, self.zero), bias, never)
        bias = g("Pad", bias, g.join(g.ints("before 4", *[0] * 7), rest), never)
        heads = g.ints("heads", HEADS)
        self.unit_bias = g("Reshape", bias, g.join(heads, ul, width))
        self.pad = g.join(g.ints("before 3", *[0] * 5), rest)
        self.table, self.scores = g.join(heads, u, l, g.ints("each", EACH)), g.join(heads, ul, l)
        self.weights = g.join(heads, u, l, l)

    def range(self, first: str, end: str) -> str:
        """The numbers from the first to before the end."""
        g = self.g
        return g("Range", g("Squeeze", first, self.zero), g("Squeeze", end, self.zero), g.value("step", np.array(1)))

    def by_distance(self, askers: str, keys: str) -> str:
        """The bias of every head between these places."""
        g = self.g
        apart = g("Sub", g("Unsqueeze", keys, self.zero), g("Unsqueeze", askers, g.ints("one", 1)))
        near = g("Gather", g.value("buckets", buckets()), g("Add", apart, g.ints("far", FAR)))
        return g("Transpose", g("Gather", g.value("distance", g.state["distance"]), near), perm=[2, 0, 1])

    def __call__(self, parts: str) -> str:
        """What every piece takes from those that it sees; Q, K and V lie side by side."""
        g = self.g
        q, k, v = self.split(g("Slice", parts, self.zero, self.t, self.zero))
        k = g("Transpose", k, perm=[0, 2, 1])
        text = g("MatMul", g("Softmax", g("Add", g("MatMul", q, k), self.text_bias), axis=-1), v)
        own = self.split(g("Gather", parts, self.piece, axis=0))
        q1, k1, v1 = (g("Reshape", one, self.table) for one in own)
        scores = g("Reshape", g("MatMul", q1, g("Transpose", k1, perm=[0, 1, 3, 2])), self.scores)
        scores = g("Pad", g.join(g("MatMul", own[0], k), scores, axis=2), self.pad)
        weights = g("Softmax", g("Add", scores, self.unit_bias), axis=-1)
        last = g.ints("last", 2)
        of_own = g("MatMul", g("Reshape", g("Slice", weights, self.t, self.tl, last), self.weights), v1)
        of_own = g("Reshape", of_own, g.ints("by head", HEADS, -1, EACH))
        units = g("Add", g("MatMul", g("Slice", weights, self.zero, self.t, last), v), of_own)
        text, units = (g("Transpose", one, perm=[1, 0, 2]) for one in (text, units))
        return g("Reshape", g.join(text, g("Gather", units, self.cell, axis=0)), g.ints("joined", 0, WIDTH))

    def split(self, parts: str) -> tuple[str, ...]:
        """Q, K and V by head."""
        g = self.g
        parts = g("Transpose", g("Reshape", parts, g.ints("parts", 0, 3, HEADS, EACH)), perm=[1, 2, 0, 3])
        return tuple(g("Gather", parts, g.value(f"part{number}", np.array(number)), axis=0) for number in range(3))


def network(state: dict[str, np.ndarray]) -> onnx.ModelProto:
    """The graph."""
    g = Graph(state)
    x = g("Add", "words", g("Gather", g.value("positions", state["positions"]), g("Add", "places", g.ints("two", 2))))
    x = g.norm(x, "norm")
    attention = Attention(g)
    for layer in range(LAYERS):
        at = f"layers.{layer}"
        mixed = attention(g.fine(x, [f"{at}.{name}" for name in "qkv"], FACTORS))
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


def stored(model: onnx.ModelProto) -> dict[str, np.ndarray]:
    """The state that a graph was made of."""
    values = {value.name: numpy_helper.to_array(value) for value in model.graph.initializer}
    state = {name: value for name, value in values.items() if name.rpartition(".")[2] in ("weight", "bias")}
    state |= {name: values[name] for name in ("positions", "distance")}
    state |= {f"{name}.weight": values[f"{name}.weight"].T for name in ("pool", "out")}
    for at in (f"layers.{layer}" for layer in range(LAYERS)):
        for name in (f"{at}.inner", f"{at}.outer"):
            codes = state[f"{name}.weight.q4"] = values[f"{name}.codes"]
            state[f"{name}.weight.s4"] = values[f"{name}.scales"].reshape(codes.shape[:2])
        for names, factors in (([f"{at}.{name}" for name in "qkv"], FACTORS), ([f"{at}.o"], [1.0])):
            codes = (values[f"{names[0]}.codes"].astype(np.int16) - 128).astype(np.int8)
            parts = (codes, values[f"{names[0]}.scales"].reshape(codes.shape[:2]), values[f"{names[0]}.bias"])
            for name, factor, *own in zip(names, factors, *(np.split(part, len(names)) for part in parts), strict=True):
                state[f"{name}.weight.q8"] = own[0]
                state[f"{name}.weight.s8"], state[f"{name}.bias"] = (part / np.float32(factor) for part in own[1:])
    return state


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weights", type=Path, help="the folder of what pack made, or a model.onnx")
    parser.add_argument("name", nargs="?", default="final", help="of what pack made")
    parser.add_argument("-o", "--out", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    made = [arguments.out / "model.onnx"]
    if arguments.weights.suffix == ".onnx":
        onnx.save(network(stored(onnx.load(arguments.weights))), made[0])
    else:
        onnx.save(network(dict(np.load(arguments.weights / f"{arguments.name}.npz"))), made[0])
        made.append(arguments.out / "words.npz")
        with np.load(arguments.weights / "base.0.npz") as base:
            np.savez_compressed(made[1], table=base["table"], scale=base["scale"].astype(np.float32))
    for path in made:
        print(path.name, path.stat().st_size)


if __name__ == "__main__":
    main()
