"""Train the network on written statements.

    python -m train.writes.fit build/writes -o OUT --epochs 4

Needs torch and a GPU. A row is a text with all its sentences; one row in ten is two texts, one after the other, so
that longer texts are known. The loss is the cross-entropy of the written pieces. Writes ``loss.json``, the loss on the
texts kept aside, by epoch; with ``--pack`` ``written.N.npz``, the matrices as codes, zeros and scales, and the norms;
with ``--write`` ``kept.json``, what is written of some of the texts kept aside.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional
from train.writes.network import END, SENTENCE, TEXT, WRITE, Writes, coded, start

MOST = 15_000_000
SMOOTH = 0.05
"""Label smoothing."""


class Part(NamedTuple):
    """A sentence and its statements."""

    sentence: list[int]
    written: list[int]


class Row(NamedTuple):
    """A text and its parts."""

    text: list[int]
    parts: list[Part]

    @property
    def size(self) -> int:
        """Pieces, with marks."""
        return len(self.text) + 1 + sum(len(part.sentence) + len(part.written) + 3 for part in self.parts)


def rows(folder: Path) -> dict[bool, list[Row]]:
    """The rows to learn from, and those kept aside."""
    stored = np.load(folder / "data.npz")
    pieces = stored["pieces"].tolist()
    texts = [pieces[first:last] for first, last in pairwise(stored["bounds"].tolist())]
    by: dict[int, Row] = {}
    kept: dict[int, bool] = {}
    columns = (stored[name].tolist() for name in ("text", "sentence", "written", "kept"))
    for text, sentence, written, aside in zip(*columns, strict=True):
        by.setdefault(text, Row(texts[text], [])).parts.append(Part(texts[sentence], texts[written]))
        kept[text] = bool(aside)
    return {aside: [row for text, row in by.items() if kept[text] == aside] for aside in (False, True)}


def joined(some: Sequence[Row]) -> Row:
    """Texts one after the other."""
    return Row([piece for row in some for piece in row.text], [part for row in some for part in row.parts])


def batch(some: Sequence[Row], room: int = 0) -> dict[str, Tensor]:
    """Rows as arrays; with ``room``, nothing is written yet, and so many places are left free for it."""
    longest = max(row.size + room * len(row.parts) for row in some)
    pieces, places, whose, next_ = (np.full((len(some), longest), value) for value in (END, 0, -1, -1))
    ends = []
    for number, row in enumerate(some):
        at = len(row.text) + 1
        pieces[number, :at], places[number, :at], whose[number, :at] = [TEXT, *row.text], np.arange(at), 0
        first = at
        for of, part in enumerate(row.parts, 1):
            own = [SENTENCE, *part.sentence, WRITE] + ([] if room else part.written)
            end = at + len(own)
            pieces[number, at:end] = own
            if not room:
                next_[number, at + len(part.sentence) + 1 : end] = [*part.written, END]
            stop = end + room
            places[number, at:stop], whose[number, at:stop] = np.arange(first, first + stop - at), of
            ends.append((number, end))
            at = stop
    arrays = {"pieces": pieces, "places": places, "whose": whose, "next": next_, "ends": np.array(ends)}
    return {name: torch.from_numpy(array).cuda() for name, array in arrays.items()}


def batches(some: list[Row], most: int, chance: random.Random) -> Iterator[list[Row]]:
    """The rows once, in random order, those of like size together."""
    order = chance.sample(some, len(some))
    made = []
    while order:
        made.append(joined([order.pop(), order.pop()]) if chance.random() < 0.1 and len(order) > 1 else order.pop())
    made.sort(key=lambda row: row.size + chance.random() * 100)
    groups: list[list[Row]] = [[]]
    for row in made:
        if groups[-1] and (len(groups[-1]) + 1) * row.size > most:
            groups.append([])
        groups[-1].append(row)
    yield from chance.sample(groups, len(groups))


def loss_of(network: Writes, arrays: dict[str, Tensor], smooth: float = 0.0) -> tuple[Tensor, int]:
    """The sum of the losses, and of how many pieces."""
    states = network(arrays["pieces"], arrays["places"], arrays["whose"])
    known = arrays["next"] >= 0
    logits = states[known] @ network.table.T.to(states.dtype)
    return functional.cross_entropy(
        logits.float(), arrays["next"][known], reduction="sum", label_smoothing=smooth
    ), int(known.sum())


@torch.no_grad()
def written(network: Writes, some: Sequence[Row], room: int = 110) -> list[list[list[int]]]:
    """What the network writes of each sentence, greedily."""
    found = []
    for at in range(0, len(some), 24):
        arrays = batch(some[at : at + 24], room)
        row, column = arrays["ends"].T
        open_ = torch.ones(len(row), dtype=torch.bool, device="cuda")
        for step in range(room):
            states = network(arrays["pieces"], arrays["places"], arrays["whose"])[row, column + step - 1]
            next_ = (states @ network.table.T.to(states.dtype)).argmax(-1)
            next_[~open_] = END
            arrays["pieces"][row, column + step] = next_
            open_ &= next_ != END
            if not open_.any():
                break
        parts = [arrays["pieces"][r, c : c + room].tolist() for r, c in zip(row, column, strict=True)]
        parts = [part[: part.index(END)] if END in part else part for part in parts]
        for one in some[at : at + 24]:
            found.append([parts.pop(0) for _ in one.parts])
    return found


def pack(network: Writes, out: Path) -> None:
    """The weights, in parts that travel."""
    parts: list[dict[str, np.ndarray]] = [{}]
    for name, value in network.state_dict().items():
        if name == "table":
            continue
        if value.ndim == 2:
            code, zero, scale = (part.cpu().numpy() for part in coded(value))
            code = code.astype(np.uint8)
            packed = {
                f"{name}.codes": code[..., 0::2] | code[..., 1::2] << 4,
                f"{name}.zeros": zero[..., 0].astype(np.uint8),
                f"{name}.scales": scale[..., 0],
            }
        else:
            packed = {name: value.float().cpu().numpy()}
        if sum(one.nbytes for one in (*parts[-1].values(), *packed.values())) > MOST:
            parts.append({})
        parts[-1] |= packed
    for number, part in enumerate(parts):
        np.savez(out / f"written.{number}.npz", **part)


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--dropout", type=float, default=0.1)
    parser.add_argument("--most", type=int, default=16000, help="pieces of a batch")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--all", action="store_true", help="learn from what is kept aside, too")
    parser.add_argument("--pack", action="store_true")
    parser.add_argument("--write", type=int, default=0, metavar="N", help="write kept.json, for N texts")
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(arguments.seed)
    chance = random.Random(arguments.seed)
    own = rows(arguments.folder)
    learnt = own[False] + (own[True] if arguments.all else [])
    network = start(arguments.folder, arguments.dropout).cuda()
    plan = [list(batches(learnt, arguments.most, chance)) for _ in range(arguments.epochs)]
    steps = sum(map(len, plan))
    optimiser = torch.optim.AdamW(network.parameters(), lr=arguments.rate, betas=(0.9, 0.98), weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1, (step + 1) / 40) * max(1 - step / steps, 0.01)
    )
    print(f"{len(learnt)} texts, {len(own[True])} kept aside, {steps} steps", flush=True)
    told, begun = [], time.monotonic()
    for epoch, groups in enumerate(plan, 1):
        network.train()
        total = pieces = 0.0
        for group in groups:
            with torch.autocast("cuda", torch.bfloat16):
                loss, count = loss_of(network, batch(group), SMOOTH)
            (loss / count).backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimiser.step()
            schedule.step()
            optimiser.zero_grad(set_to_none=True)
            total, pieces = total + float(loss.detach()), pieces + count
        network.eval()
        with torch.no_grad(), torch.autocast("cuda", torch.bfloat16):
            held = [loss_of(network, batch(own[True][at : at + 16])) for at in range(0, len(own[True]), 16)]
        kept = float(sum(one for one, _ in held)) / sum(count for _, count in held)
        figures = {"learnt": total / pieces, "kept": kept, "seconds": time.monotonic() - begun}
        told.append({"epoch": epoch} | {name: round(figure, 4) for name, figure in figures.items()})
        print(json.dumps(told[-1]), flush=True)
    (arguments.out / "loss.json").write_text(json.dumps(told, indent=1) + "\n")
    if arguments.write:
        with torch.autocast("cuda", torch.bfloat16):
            made = written(network, own[True][:: max(len(own[True]) // arguments.write, 1)])
        (arguments.out / "kept.json").write_text(json.dumps(made))
    if arguments.pack:
        pack(network, arguments.out)


if __name__ == "__main__":
    main()
