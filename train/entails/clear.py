"""Fit the network's fourth logit, how clear a statement is, to readers who did not have the text: five minutes.

    python -m train.entails.clear build/entails final

Needs onnx, scipy and pyramidion with the distribution that :mod:`train.entails.export` wrote. Whoever marked statements
beside their text (``train/topics/marks``) taught the network whether each is right and readable. Readers who see a
statement alone are stricter: *The operation took six hours* leaves open whose it was. Their verdicts came later, so
only the last row of the network is fitted to them. With h the pooled state of a statement in the light of its text,

    P(clear) = sigma(w h + b)

has the highest likelihood, less w w / 2, of *marked as clear and understood*; statements that nobody read alone count
only if they are marked as vague, garbled or wrong. Prints figures of the topics that the network was not trained on,
fitted without them, and writes row and bias into the parts of ``final.N.npz``, from which export makes the graph.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import onnx
from onnx import TensorProto, helper
from scipy.optimize import minimize
from train.topics import Mark, marks, written

from pyramidion.language.entailment.network import MOST_TEXT, MOST_UNIT, EntailmentNetwork, row
from pyramidion.language.models.graph_session import session

PENALTY = 1.0
LEAST = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


class States(NamedTuple):
    """Pooled states of statements, and whether each is clear."""

    pooled: np.ndarray
    clear: np.ndarray
    read: np.ndarray
    """Whether somebody read the statement alone."""


def states(folder: Path, words: Path, kept: bool) -> States:
    """The states of the marked statements of the topics for the network, or of those kept aside."""
    model = onnx.load(folder / "model.onnx")
    (pool,) = (node.output[0] for node in model.graph.node if node.op_type == "Tanh")
    model.graph.output.append(helper.make_tensor_value_info(pool, TensorProto.FLOAT, None))
    graph, released = session(model.SerializeToString()), EntailmentNetwork(folder, words)
    pooled, clear, read = [], [], []
    for text, told in _marked(kept):
        said, *units = released.pieces([text, *(mark.statement for mark in told)])
        feeds = row(released.words, said[:MOST_TEXT], [unit[:MOST_UNIT] for unit in units])
        pooled.append(graph.run([pool], feeds)[0])
        clear += [mark.letter == "c" and mark.alone == "yes" for mark in told]
        read += [bool(mark.alone) for mark in told]
    return States(np.concatenate(pooled).astype(np.float64), np.array(clear), np.array(read))


def _marked(kept: bool) -> Iterator[tuple[str, list[Mark]]]:
    for own in written(kept):
        by_reference = marks(own)
        for reference in own.topic.references:
            told = [mark for mark in by_reference.get(reference.id, ()) if mark.letter != "c" or mark.alone]
            if told:
                yield reference.text, told


def fitted(given: States) -> np.ndarray:
    """The row and the bias of highest likelihood."""

    def cost(numbers: np.ndarray) -> tuple[float, np.ndarray]:
        z = given.pooled @ numbers[:-1] + numbers[-1]
        wrong = 1 / (1 + np.exp(-z)) - given.clear
        penalty = PENALTY / 2 * float(numbers[:-1] @ numbers[:-1])
        slope = np.append(given.pooled.T @ wrong + PENALTY * numbers[:-1], wrong.sum())
        return float((np.logaddexp(0, z) - given.clear * z).sum()) + penalty, slope

    return minimize(cost, np.zeros(given.pooled.shape[1] + 1), jac=True, method="L-BFGS-B").x


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weights", type=Path, help="the folder of what pack made")
    parser.add_argument("name", nargs="?", default="final", help="of what pack made")
    parser.add_argument("--graph", type=Path, default=Path("entails/src/pyramidion_entails"))
    parser.add_argument("--words", type=Path, default=Path("words/src/pyramidion_words"))
    arguments = parser.parse_args()
    used, kept = (states(arguments.graph, arguments.words, kept) for kept in (False, True))
    numbers = fitted(used)
    chance = 1 / (1 + np.exp(-(kept.pooled @ numbers[:-1] + numbers[-1])))
    print(f"{len(used.clear)} statements; of {len(kept.clear)} on topics kept aside {kept.clear.mean():.3f} are clear")
    for least in LEAST:
        found = chance >= least
        alone = found & kept.read
        print(
            f"P >= {least}: {found.mean():.3f} of them, right {kept.clear[found].mean():.3f}, of the clear ones "
            f"{found[kept.clear].mean():.3f}; of those read alone {alone.sum() / kept.read.sum():.3f}, "
            f"right {kept.clear[alone].mean():.3f}"
        )
    for path in sorted(arguments.weights.glob(f"{arguments.name}.*.npz")):
        part = dict(np.load(path))
        if "out.weight" in part:
            part["out.weight"][3], part["out.bias"][3] = numbers[:-1], numbers[-1]
            np.savez(path, **part)
            print(f"written to {path}")


if __name__ == "__main__":
    main()
