"""What the judge ``nli:MODEL`` costs beside its model: pairs a second, and the bare forward pass on the same batches.

    python bench/nli.py [--topics N] [--peers N] [--rounds N] [--full] [--json]

A randomly initialised model of MiniLM's size (6 layers, 384 wide, three classes) and the shipped BERT vocabulary;
topics of REALSumm's shape, of random words (25 peers of 40 to 100 words, 10 units of 6 to 16). The judge goes from
texts to the probability of every SCU; the bare pass has the tensors that the judge gave the model, on the device, and
fetches logits as often as the judge does. Two ways: topic by topic, and all pairs at once, as ``evaluate`` works. Judge
and bare pass in turn, the best of some rounds: time on the clock on a GPU, of the processor (one thread) without one.
Beside them, what bounds both: the judge with a model that computes nothing ("around").
Then, how far batches of other sizes and half precision move a probability (p3c).

It needs numpy, torch, transformers and tokenizers alone, and no network.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import torch
import transformers

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "pyramidion"
if find_spec("msgspec") is None:  # the package's front door wants all it depends on; the judge's modules do not
    package = ModuleType("pyramidion")
    package.__path__ = [str(PACKAGE)]
    sys.modules["pyramidion"] = package

from pyramidion.base.tables import Cell, Table, render  # noqa: E402
from pyramidion.language.entailment.transformers import Entailment  # noqa: E402
from pyramidion.matchers.expressions import expressions  # noqa: E402
from pyramidion.matchers.nli import probabilities, values  # noqa: E402
from pyramidion.model import SCU, Contributor, Pyramid, Summary  # noqa: E402

Topic = tuple[Pyramid, list[Summary]]
UNITS = 10
GPU = torch.cuda.is_available()


def parts() -> tuple[Any, Any]:
    """A tokenizer and a random model."""
    transformers.utils.logging.set_verbosity_error()
    vocabulary = str(PACKAGE / "language" / "models" / "en-minilm" / "tokenizer.json")
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_file=vocabulary,
        pad_token="[PAD]",
        model_max_length=512,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=384,
        num_hidden_layers=6,
        num_attention_heads=12,
        intermediate_size=1536,
        id2label={0: "contradiction", 1: "entailment", 2: "neutral"},
    )
    network = transformers.BertForSequenceClassification(config)
    torch.nn.init.normal_(network.classifier.weight, std=0.5)  # logits as far apart as a trained head's
    return tokenizer, network


def topics(tokenizer: Any, number: int, peers: int) -> list[Topic]:
    """Made-up topics of words from the vocabulary."""
    chance = random.Random(0)
    words = sorted(word for word in tokenizer.get_vocab() if word.isascii() and word.isalpha() and len(word) > 2)

    def text(least: int, most: int) -> str:
        return " ".join(chance.choices(words, k=chance.randint(least, most)))

    made = []
    for topic in range(number):
        scus = tuple(SCU(str(one), "", (Contributor("A", label=text(6, 16)),)) for one in range(UNITS))
        written = [Summary(f"{topic}-{one}", text(40, 100), "peer") for one in range(peers)]
        made.append((Pyramid(str(topic), (Summary("A", ""),), scus), written))
    return made


def by_topic(model: Entailment, asked: Sequence[Topic]) -> None:
    for pyramid, peers in asked:
        probabilities(model, pyramid, peers)


def pairs(asked: Sequence[Topic]) -> list[tuple[str, str]]:
    return [
        (peer.text, said)
        for pyramid, peers in asked
        for peer in peers
        for scu in pyramid.scus
        for said in expressions(pyramid, scu)
    ]


def at_once(model: Entailment, asked: Sequence[tuple[str, str]]) -> None:
    values(model.logits(asked)[0], 1, "p2c")


class Nothing(torch.nn.Module):
    """A model that computes nothing."""

    def __init__(self, config: Any) -> None:
        super().__init__()
        self.config = config

    def forward(self, input_ids: Any, **_: Any) -> SimpleNamespace:
        """Logits that are all alike."""
        return SimpleNamespace(logits=input_ids.new_zeros((len(input_ids), 3)))


def bare(network: Any, batches: Sequence[Sequence[dict[str, Any]]]) -> None:
    """The forward pass; the logits are fetched where the judge fetches them."""
    with torch.inference_mode():
        for call in batches:
            torch.cat([network(**batch).logits for batch in call]).cpu()


def seconds(work: Callable[[], None]) -> float:
    clock = time.perf_counter if GPU else time.process_time
    if GPU:
        torch.cuda.synchronize()
    start = clock()
    work()
    return clock() - start


def measure(name: str, judge: Callable[..., None], asked: Sequence[Any], rounds: int, full: bool) -> dict[str, Cell]:
    """A row: the judge beside the bare pass."""
    tokenizer, network = parts()
    batches: list[list[dict[str, Any]]] = []

    def keep(_: Any, __: Any, given: dict[str, Any]) -> None:
        batches[-1].append(given)

    hook = network.register_forward_pre_hook(keep, with_kwargs=True)
    model = Entailment("random", tokenizer, network, full=full)
    for call in ([one] for one in asked) if judge is by_topic else [asked]:
        batches.append([])
        judge(model, call)
    hook.remove()
    bare(network, batches)  # warm
    ours, theirs, around = list[float](), list[float](), list[float]()
    for _ in range(rounds):
        for times, asks in ((ours, network), (around, Nothing(network.config))):
            fresh = Entailment("random", tokenizer, asks, full=full)  # which remembers nothing
            times.append(seconds(partial(judge, fresh, asked)))
        theirs.append(seconds(partial(bare, network, batches)))
    count = sum(len(batch["input_ids"]) for call in batches for batch in call)
    return {
        "way": name,
        "device": torch.cuda.get_device_name() if GPU else "cpu",
        "precision": "half" if model.half else "full",
        "pairs": count,
        "batches": sum(map(len, batches)),
        "pairs_per_second": round(count / min(ours)),
        "bare": round(count / min(theirs)),
        "around": round(count / min(around)),
        "ratio": round(min(theirs) / min(ours), 3),
    }


def moved(asked: Sequence[Topic]) -> list[dict[str, Cell]]:
    """How far probabilities move with the size of batches and with precision."""

    def shares(full: bool, tokens: int) -> Any:
        logits, _ = Entailment("random", *parts(), full=full, tokens=tokens).logits(pairs(asked))
        return torch.softmax(torch.from_numpy(logits), 1)[:, 1].numpy()

    rows: list[dict[str, Cell]] = []
    exact = shares(True, 0)
    compared = [
        ("full, batches of 1", exact, shares(True, 1)),
        ("full, batches of 1024 tokens", exact, shares(True, 1024)),
    ]
    if GPU:
        half = shares(False, 0)
        compared += [
            ("half, batches of 1", half, shares(False, 1)),
            ("half, batches of 1024 tokens", half, shares(False, 1024)),
            ("half against full", exact, half),
        ]
    for name, one, other in compared:
        rows.append({"compared": name, "pairs": len(one), "moved": f"{np.abs(one - other).max():.1e}"})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--topics", type=int, default=100 if GPU else 1)
    parser.add_argument("--peers", type=int, default=25 if GPU else 4)
    parser.add_argument("--rounds", type=int, default=5 if GPU else 4)
    parser.add_argument("--full", action="store_true", help="full precision on a GPU, too")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if not GPU:
        torch.set_num_threads(1)
    asked = topics(parts()[0], arguments.topics, arguments.peers)
    rows = [
        measure("topic by topic", by_topic, asked, arguments.rounds, arguments.full),
        measure("all at once", at_once, pairs(asked), arguments.rounds, arguments.full),
    ]
    differences = moved([(pyramid, peers[:4]) for pyramid, peers in asked[:10]])
    if arguments.json:
        print(json.dumps({"speed": rows, "moved": differences}))
        return
    for table in (rows, differences):
        print(render(Table(tuple(table[0]), tuple(tuple(row.values()) for row in table))))


if __name__ == "__main__":
    main()
