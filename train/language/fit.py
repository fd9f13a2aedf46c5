"""Train the network on all tasks at once, and keep its vectors those of MiniLM.

    python -m train.language.fit build/language -o OUT [--layers 6] [--epochs 25] [--seed 1]

Needs torch and numpy alone. Batches are windows of one to six consecutive sentences of a paragraph; arcs may only lead
inside a sentence. EWT has no discourse units, so its words do not count in that loss. The vectors' loss compares, on
single sentences, each vector with the published model's (1 - cosine) and all cosines inside the batch with the
published model's.  Writes ``weights.N.npz`` (fp16, in parts under
16 MB) and ``fit.json`` (settings, losses, figures on the development sets with gold words and sentences).
"""

from __future__ import annotations

import argparse
import json
import random
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional
from train.language.network import Encoder, Network, load_base

CLS, SEP = 101, 102
NAMES = ("ewt-train", "gum-open-train", "ewt-dev", "gum-dev", "ewt-test", "gum-test")
TRAIN = (0, 1)


class Treebanks:
    """The prepared sentences."""

    def __init__(self, folder: Path) -> None:
        self.labels = json.loads((folder / "labels.json").read_text())
        loaded = dict(np.load(folder / "data.npz"))
        self.words, self.part, self.paragraph = (loaded[name] for name in ("words", "part", "paragraph"))
        bounds = np.concatenate([[0], np.cumsum(self.words)])
        pieces = np.concatenate([[0], np.cumsum(loaded["length"])])
        self.columns = []
        for first, last in pairwise(bounds):
            row = {
                name: loaded[name][first:last].astype(np.int64)
                for name in ("shape", "upos", "xpos", "head", "relation", "edu", "length")
            }
            row["pieces"] = loaded["pieces"][pieces[first] : pieces[last]].astype(np.int64)
            self.columns.append(row)

    def windows(self, parts: tuple[int, ...], most: int, chance: random.Random | None) -> list[list[int]]:
        """Sentences of a paragraph in runs of random length up to ``most``, or of ``most`` where nothing is random."""
        found: list[list[int]] = []
        size = 0
        for index in np.flatnonzero(np.isin(self.part, parts)):
            run = found[-1] if found else []
            fits = run and self.paragraph[run[-1]] == self.paragraph[index] and len(run) < size
            if fits and sum(len(self.columns[i]["pieces"]) for i in (*run, index)) < 250:
                run.append(int(index))
            else:
                found.append([int(index)])
                size = chance.choice((1, 1, 2, 3, 4, 5, most)) if chance else most
        return found

    def batches(self, windows: list[list[int]], pieces: int, chance: random.Random | None) -> list[list[list[int]]]:
        """Windows of similar length together, about ``pieces`` word pieces a batch."""
        length = {id(window): sum(len(self.columns[i]["pieces"]) for i in window) + 2 for window in windows}
        jitter = (
            (lambda window: length[id(window)] * chance.uniform(0.9, 1.1))
            if chance
            else (lambda window: length[id(window)])
        )
        ordered = sorted(windows, key=jitter)
        made: list[list[list[int]]] = [[]]
        longest = 0
        for window in ordered:
            longest = max(longest, length[id(window)])
            if made[-1] and longest * (len(made[-1]) + 1) > pieces:
                made.append([])
                longest = length[id(window)]
            made[-1].append(window)
        if chance:
            chance.shuffle(made)
        return made


@dataclass
class Batch:
    """Padded tensors of several windows."""

    pieces: Tensor
    shapes: Tensor
    mask: Tensor
    words: Tensor
    gold: dict[str, Tensor]
    sentence: Tensor
    """Which sentence of its window each word is in; -1 for padding."""


def collate(banks: Treebanks, windows: list[list[int]], device: str, chance: random.Random | None = None) -> Batch:
    """The batch of some windows; a few lose their capitals, so that the model does not live by them alone."""
    rows = []
    for window in windows:
        row: dict[str, list[int]] = {
            name: [] for name in ("upos", "xpos", "head", "relation", "edu", "start", "sentence", "words")
        }
        pieces, shapes = [CLS], [0]
        case = chance.random() if chance else 1.0
        for number, index in enumerate(window):
            column = banks.columns[index]
            base = len(row["upos"])
            position = 0
            for word in range(len(column["upos"])):
                length = int(column["length"][word])
                kind = int(column["shape"][word])
                if case < 0.06 and kind % 8 in (1, 2, 3, 4, 5):
                    kind = (1 if case < 0.04 else 3) + kind // 8 * 8
                row["words"].append(len(pieces))
                pieces += column["pieces"][position : position + length].tolist()
                shapes += [kind] * length
                position += length
                head = int(column["head"][word])
                row["head"].append(head + base if head else 0)
                row["start"].append(int(word == 0) if base + word else -1)
                row["sentence"].append(number)
                for name in ("upos", "xpos", "relation", "edu"):
                    row[name].append(int(column[name][word]))
        rows.append((row, [*pieces, SEP], [*shapes, 0]))
    longest = max(len(pieces) for _, pieces, _ in rows)
    most = max(len(row["upos"]) for row, _, _ in rows)

    def padded(values: list[list[int]], length: int, fill: int) -> Tensor:
        return torch.tensor([value + [fill] * (length - len(value)) for value in values], device=device)

    gold = {
        name: padded([row[name] for row, _, _ in rows], most, -1)
        for name in ("upos", "xpos", "head", "relation", "edu", "start")
    }
    return Batch(
        padded([pieces for _, pieces, _ in rows], longest, 0),
        padded([shapes for _, _, shapes in rows], longest, 0),
        padded([[1] * len(pieces) for _, pieces, _ in rows], longest, 0),
        padded([row["words"] for row, _, _ in rows], most, 0),
        gold,
        padded([row["sentence"] for row, _, _ in rows], most, -1),
    )


def inside(arcs: Tensor, sentence: Tensor) -> Tensor:
    """Arc scores with everything outside a word's own sentence made impossible; the root is open to all."""
    same = sentence[:, :, None] == sentence[:, None, :]
    open_ = torch.cat([torch.ones_like(same[:, :, :1]), same], dim=2)
    return arcs.float().masked_fill(~open_, -1e4)


def losses(network: Network, batch: Batch) -> dict[str, Tensor]:
    """Each task's loss on a batch."""
    out = network(batch.pieces, batch.shapes, batch.mask, batch.words)
    gold = batch.gold
    arcs = inside(out["arcs"], batch.sentence)
    heads = torch.gather(out["heads"], 1, gold["head"].clamp(min=0)[:, :, None].expand(-1, -1, out["heads"].shape[-1]))
    scores = network.relations(out["dependents"], heads)

    def choice(scores: Tensor, wanted: Tensor) -> Tensor:
        return functional.cross_entropy(scores.float().flatten(0, 1), wanted.flatten(), ignore_index=-1)

    def yes(score: Tensor, wanted: Tensor) -> Tensor:
        known = wanted >= 0
        if not known.any():
            return score.sum() * 0
        return functional.binary_cross_entropy_with_logits(score.float()[known], wanted[known].float())

    return {
        "upos": choice(out["upos"], gold["upos"]),
        "xpos": choice(out["xpos"], gold["xpos"]),
        "arcs": choice(arcs, gold["head"]),
        "relations": choice(scores, gold["relation"]),
        "edu": yes(out["edu"], gold["edu"]),
        "start": yes(out["start"], gold["start"]),
    }


def vector_loss(network: Network, teacher: Encoder, batch: Batch) -> Tensor:
    """How far the vectors are from the published model's, one by one and among each other."""
    with torch.no_grad():
        last = teacher(batch.pieces, torch.zeros_like(batch.shapes), batch.mask)[-1].float()
        weights = batch.mask.float()[:, :, None]
        wanted = functional.normalize((last * weights).sum(1) / weights.sum(1), dim=-1)
    states = network.encoder(batch.pieces, batch.shapes, batch.mask)
    found = network.vector(states[-1].float(), batch.mask).float()
    return (1 - (found * wanted).sum(-1)).mean() + 5 * functional.mse_loss(found @ found.T, wanted @ wanted.T)


@torch.no_grad()
def measure(network: Network, banks: Treebanks, part: int, device: str, most: int = 6) -> dict[str, float]:
    """Per cent right with gold words and sentences: tags, arcs without punctuation, EDU and sentence starts as F1."""
    network.eval()
    punctuation = banks.labels["relation"].index("punct")
    counts: dict[str, float] = dict.fromkeys(("words", "upos", "xpos", "scored", "uas", "las"), 0)
    binary = {name: [0, 0, 0] for name in ("edu", "inner", "start")}
    for windows in banks.batches(banks.windows((part,), most, None), 12000, None):
        batch = collate(banks, windows, device)
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            out = network(batch.pieces, batch.shapes, batch.mask, batch.words)
            head = inside(out["arcs"], batch.sentence).argmax(-1)
            chosen = torch.gather(out["heads"], 1, head[:, :, None].expand(-1, -1, out["heads"].shape[-1]))
            relation = network.relations(out["dependents"], chosen).argmax(-1)
        gold, known = batch.gold, batch.sentence >= 0
        scored = known & (gold["relation"] != punctuation)
        right = (head == gold["head"]) & scored
        counts["words"] += known.sum().item()
        counts["scored"] += scored.sum().item()
        counts["uas"] += right.sum().item()
        counts["las"] += (right & (relation == gold["relation"])).sum().item()
        for name in ("upos", "xpos"):
            counts[name] += ((out[name].argmax(-1) == gold[name]) & known).sum().item()
        first = torch.zeros_like(known)
        first[:, 0] = True
        first[:, 1:] = batch.sentence[:, 1:] != batch.sentence[:, :-1]
        for name, score, wanted, use in (
            ("edu", (out["edu"] > 0) | first, gold["edu"] == 1, gold["edu"] >= 0),
            ("inner", out["edu"] > 0, gold["edu"] == 1, (gold["edu"] >= 0) & ~first),
            ("start", out["start"] > 0, gold["start"] == 1, gold["start"] >= 0),
        ):
            binary[name][0] += (score & wanted & use).sum().item()
            binary[name][1] += (score & use).sum().item()
            binary[name][2] += (wanted & use).sum().item()
    network.train()
    found = {name: 100 * counts[name] / max(1, counts["words"]) for name in ("upos", "xpos")}
    found |= {name: 100 * counts[name] / max(1, counts["scored"]) for name in ("uas", "las")}
    return found | {name: 200 * both / max(1, ours + theirs) for name, (both, ours, theirs) in binary.items()}


def fit(folder: Path, out: Path, layers: int, epochs: int, seed: int, rate: float, limit: float) -> None:
    """Train, measure, write."""
    out.mkdir(parents=True, exist_ok=True)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(seed)
    chance = random.Random(seed)
    banks = Treebanks(folder)
    base = dict(np.load(folder / "base.npz"))
    network = Network(layers, *(len(banks.labels[name]) for name in ("upos", "xpos", "relation"))).to(device)
    load_base(network.encoder, base)
    teacher = Encoder(6, 0.0).to(device)
    load_base(teacher, base)
    teacher.eval()
    encoder = [
        parameter
        for name, parameter in network.named_parameters()
        if name.startswith("encoder.") and "shapes" not in name
    ]
    known = {id(parameter) for parameter in encoder}
    heads = [parameter for parameter in network.parameters() if id(parameter) not in known]
    optimizer = torch.optim.AdamW(
        [{"params": encoder, "lr": rate}, {"params": heads, "lr": 2e-3}], weight_decay=0.01, betas=(0.9, 0.98)
    )
    singles = [[int(i)] for i in np.flatnonzero(np.isin(banks.part, TRAIN)) if banks.words[i] > 3]
    steps = epochs * len(banks.batches(banks.windows(TRAIN, 6, random.Random(seed)), 3000, None))
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / (0.06 * steps), max(0.0, 1.02 - step / steps))
    )
    began, step = time.time(), 0
    history = []
    for epoch in range(epochs):
        totals: dict[str, float] = {}
        for windows in banks.batches(banks.windows(TRAIN, 6, chance), 3000, chance):
            batch = collate(banks, windows, device, chance)
            alone = collate(banks, chance.sample(singles, 64), device)
            with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
                parts = losses(network, batch)
                parts["vector"] = vector_loss(network, teacher, alone)
                loss = sum(parts.values()) + 3 * parts["vector"]
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            step += 1
            for name, value in parts.items():
                totals[name] = totals.get(name, 0.0) + value.item()
            if limit and step >= limit:
                break
        count = max(1, step if limit else steps // epochs)
        shown = {name: round(value / count, 4) for name, value in totals.items()}
        history.append(shown)
        if epoch % 5 == 4 or epoch == epochs - 1 or limit:
            figures = {NAMES[part]: measure(network, banks, part, device) for part in (2, 3)}
            print(
                out.name,
                epoch + 1,
                round(time.time() - began),
                shown,
                {k: {n: round(x, 2) for n, x in v.items()} for k, v in figures.items()},
                flush=True,
            )
            save(network, out)
        if limit and step >= limit:
            break
    figures = {name: measure(network, banks, part, device) for part, name in enumerate(NAMES) if part > 1}
    save(network, out)
    settings = {"layers": layers, "epochs": epochs, "seed": seed, "rate": rate, "seconds": round(time.time() - began)}
    (out / "fit.json").write_text(
        json.dumps({"settings": settings, "labels": banks.labels, "figures": figures, "history": history})
    )
    print(out.name, "done", settings, figures, flush=True)


def save(network: Network, out: Path, most: int = 15_000_000) -> None:
    """The trained parameters in fp16, in files under 16 MB; the frozen table is not among them."""
    state = {
        name: value.detach().cpu().numpy().astype(np.float16)
        for name, value in network.state_dict().items()
        if name not in ("encoder.table", "encoder.scale")
    }
    part: dict[str, np.ndarray] = {}
    number = 0
    for name, value in state.items():
        if part and sum(one.nbytes for one in part.values()) + value.nbytes > most:
            np.savez(out / f"weights.{number}.npz", **part)
            part, number = {}, number + 1
        part[name] = value
    np.savez(out / f"weights.{number}.npz", **part)


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--epochs", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=2e-4)
    parser.add_argument("--limit", type=int, default=0, help="stop after so many steps (to try the program out)")
    arguments = parser.parse_args()
    fit(
        arguments.folder,
        arguments.out,
        arguments.layers,
        arguments.epochs,
        arguments.seed,
        arguments.rate,
        arguments.limit,
    )


if __name__ == "__main__":
    main()
