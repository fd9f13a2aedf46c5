"""The trained network as onnxruntime runs it: products of whole numbers, 8-bit words.

    python -m train.entails.export build/entails final -o entails/src/pyramidion_entails

Needs onnx, numpy and pyramidion. Reads ``final.N.npz`` (what :mod:`train.entails.pack` made of ``final.pt``), the word
table of ``base.0.npz``, and ``tokenizer.json`` in the folder that it writes to. Writes ``model.onnx``, and
``words.npz`` into the folder of ``pyramidion-words``, where it is another table than the one that is there.

The graph takes one row (see :mod:`train.entails.network`): ``words`` (pieces x 768, the embeddings), ``places``,
``whose``, and ``mix`` (units x pieces: 1 at a unit's first piece, plus 1 / its pieces at each), and gives ``logits``
(units x 4: said, contradicted, not said; clear). First come the pieces of the text, then those of each unit.

*Products* x W^T are of whole numbers: rows of x and of W are rounded to 8 bits, each with a scale of its own, so that
the sum is exact and a piece's answer does not depend on the other pieces. It takes half the time of MatMulNBits, whose
blocks of 32 have each a scale. Two things keep the rounding small and the same everywhere:

* *Smoothing* (Xiao et al. 2023, SmoothQuant). A few of the inputs j are a hundred times as large as the others, and
  would take all of the scale. With m_j the largest input in the bundled examples and w_j the largest weight of it,
  x_j is divided, and column j of W multiplied, by :math:`m_j^{.6} / w_j^{.4}`.
* *Pairs*. Processors without VNNI add two neighbouring products in 16 bits, and cut what does not fit. Inputs lie
  between 1 and 255, so two neighbouring weights of one sign sum to :data:`PAIR` at most: 255 x 128 < 2^15. Rows of W
  are scaled to that, which costs a third of a bit.

*Attention* is exact in any company: rounding multiplies the last bits, so that a unit's probability moved by up to .01
with the units beside it, as long as all pieces shared one softmax. Here text and units have each their own, and what
each sums up lies in the same places whatever the others are: a unit's keys are the text's, then its own, then nothing
up to a multiple of 64, which is how many a kernel takes at a time. It is also less work.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from pyramidion import example
from pyramidion.language.entailment.network import Words, row
from pyramidion.language.models.graph_session import session
from pyramidion.language.text import word_pieces

FAR, HEADS, WIDTH, LAYERS = 1100, 12, 768, 12
PAIR = 128
"""What two neighbouring weights of one sign sum to at most; half a code each is left for rounding."""
INPUTS = 0.6
"""The share of smoothing that inputs decide; weights decide the rest."""
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

    def __init__(self, state: dict[str, np.ndarray], largest: dict[str, np.ndarray] | None) -> None:
        self.state, self.largest = state, largest
        self.inputs: dict[str, str] = {}
        """Of exact products, what each multiplies."""
        self.nodes: list[onnx.NodeProto] = []
        self.values: list[onnx.TensorProto] = []
        self.known: set[str] = set()

    def value(self, name: str, array: np.ndarray) -> str:
        """An initializer."""
        if name not in self.known:
            self.known.add(name)
            self.values.append(numpy_helper.from_array(np.array(array, order="C"), name))
        return name

    def __call__(self, kind: str, *inputs: str, **attributes: object) -> str:
        """A node with one output, which is returned."""
        name = f"{kind}.{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **attributes))
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

    def product(self, x: str, names: list[str], factors: list[float]) -> str:
        """The product x W^T + b of several matrices side by side."""
        weight = np.concatenate([matrix(self.state, name) * by for name, by in zip(names, factors, strict=True)])
        bias = [self.state[f"{name}.bias"] * np.float32(by) for name, by in zip(names, factors, strict=True)]
        made = self.exact(x, names[0], weight) if self.largest is None else self.rounded(x, names[0], weight)
        return self("Add", made, self.value(f"{names[0]}.bias", np.concatenate(bias)))

    def exact(self, x: str, name: str, weight: np.ndarray) -> str:
        """A product of floating-point numbers, whose inputs can be asked for."""
        self.inputs[name] = x
        return self("MatMul", x, self.value(f"{name}.weight", weight.T))

    def rounded(self, x: str, name: str, weight: np.ndarray) -> str:
        """A product of whole numbers; inputs are stored as 1 to 255, for -127 to 127."""
        by = smoothing(self.largest[name], weight)
        codes, scale = rows(weight * by)
        x = self("Mul", x, self.value(f"{name}.smoothing", 1 / by))
        most = self("ReduceMax", self("Abs", x), self.ints("columns", 1), keepdims=1)
        most = self("Max", most, self.value("least", np.array(1e-9, np.float32)))
        whole = self("Round", self("Mul", x, self("Div", self.value("127", np.array(127, np.float32)), most)))
        whole = self("Cast", self("Add", whole, self.value("128", np.array(128, np.float32))), to=TensorProto.UINT8)
        zero = self.value("zero code", np.array(128, np.uint8))
        total = self("MatMulInteger", whole, self.value(f"{name}.codes", codes.T), zero)
        total = self("Mul", self("Cast", total, to=TensorProto.FLOAT), most)
        return self("Mul", total, self.value(f"{name}.scale", scale / 127))


def matrix(state: dict[str, np.ndarray], name: str) -> np.ndarray:
    """A matrix as it was packed."""
    codes, scales = state[f"{name}.weight.codes"], state[f"{name}.weight.scales"]
    return (codes.astype(np.float32) * scales.astype(np.float32)[..., None]).reshape(len(scales), -1)


def smoothing(largest: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """By what each input is divided and its weights are multiplied; 1 on (geometric) average."""
    logs = INPUTS * np.log(np.maximum(largest, 1e-3)) - (1 - INPUTS) * np.log(np.maximum(np.abs(weight).max(0), 1e-4))
    return np.exp(logs - logs.mean()).astype(np.float32)


def rows(weight: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Codes of 8 bits and a scale for each row: w = scale code."""
    pairs = weight.reshape(len(weight), -1, 2)
    together = np.abs(pairs).sum(2) * (pairs.prod(2) > 0)
    scale = np.maximum(np.abs(weight).max(1), together.max(1)) / (PAIR - 1)
    codes = np.round(weight / scale[:, None]).astype(np.int8)
    return codes, scale.astype(np.float32)


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


def network(state: dict[str, np.ndarray], largest: dict[str, np.ndarray] | None = None) -> onnx.ModelProto:
    """The graph; without the largest inputs of its products these are exact, and outputs, too, by the matrix's name."""
    g = Graph(state, largest)
    x = g("Add", "words", g("Gather", g.value("positions", state["positions"]), g("Add", "places", g.ints("two", 2))))
    x = g.norm(x, "norm")
    attention = Attention(g)
    for layer in range(LAYERS):
        at = f"layers.{layer}"
        mixed = attention(g.product(x, [f"{at}.{name}" for name in "qkv"], FACTORS))
        x = g.norm(g("Add", x, g.product(mixed, [f"{at}.o"], [1.0])), f"{at}.norm1")
        inner = g("Gelu", g.product(x, [f"{at}.inner"], [1.0]))
        x = g.norm(g("Add", x, g.product(inner, [f"{at}.outer"], [1.0])), f"{at}.norm2")
    pooled = g("MatMul", "mix", x)
    for name in ("pool", "out"):
        weight = g.value(f"{name}.weight", state[f"{name}.weight"].astype(np.float32).T)
        pooled = g("Add", g("MatMul", pooled, weight), g.value(f"{name}.bias", state[f"{name}.bias"]))
        if name == "pool":
            pooled = g("Tanh", pooled)
    g.nodes.append(helper.make_node("Identity", [pooled], ["logits"]))
    g.nodes += (helper.make_node("Identity", [x], [f"{name}.input"]) for name, x in g.inputs.items())
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        g.nodes, "entails",
        [info("words", TensorProto.FLOAT, ["pieces", WIDTH]), info("places", TensorProto.INT64, ["pieces"]),
         info("whose", TensorProto.INT64, ["pieces"]), info("mix", TensorProto.FLOAT, ["units", "pieces"])],
        [info("logits", TensorProto.FLOAT, ["units", 4]),
         *(info(f"{name}.input", TensorProto.FLOAT, None) for name in g.inputs)],
        g.values,
    )  # fmt: skip
    opsets = [helper.make_opsetid("", 20)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9, producer_name="pyramidion")


def largest_inputs(
    state: dict[str, np.ndarray], words: Words, pieces: Callable[[str], list[int]]
) -> dict[str, np.ndarray]:
    """By product the largest of each of its inputs, where the bundled examples' references are read for their SCUs."""
    graph = session(network(state).SerializeToString())
    names = [output.name for output in graph.get_outputs() if output.name != "logits"]
    largest: dict[str, np.ndarray] = {}
    for topic in example():
        for reference in topic.references:
            feeds = row(words, pieces(reference.text), [pieces(scu.label) for scu in topic.pyramid.scus])
            for name, inputs in zip(names, graph.run(names, feeds), strict=True):
                own = name.removesuffix(".input")
                largest[own] = np.maximum(largest.get(own, 0), np.abs(inputs).max(0))
    return largest


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weights", type=Path, help="the folder of what pack made")
    parser.add_argument("name", nargs="?", default="final", help="of what pack made")
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--words", type=Path, default=Path("words/src/pyramidion_words"))
    arguments = parser.parse_args()
    tokenizer = arguments.out / "tokenizer.json"
    state: dict[str, np.ndarray] = {}
    for path in sorted(arguments.weights.glob(f"{arguments.name}.*.npz")):
        state |= dict(np.load(path))
    with np.load(arguments.weights / "base.0.npz") as base:
        words = Words(base["table"], base["scale"].astype(np.float32))
    made = arguments.out / "model.onnx", arguments.words / "words.npz"
    with np.load(made[1]) as stored:
        same = all(np.array_equal(stored[name], array) for name, array in words._asdict().items())
    if not same:  # the same table may be compressed into other bytes, which would be another version
        np.savez_compressed(made[1], table=words.table, scale=words.scale)
    pieces = word_pieces.loads(tokenizer.read_bytes(), str(tokenizer)).ids
    onnx.save(network(state, largest_inputs(state, words, pieces)), made[0])
    for path in made:
        print(path.name, path.stat().st_size)


if __name__ == "__main__":
    main()
