"""Train the reader: on entailment first, then on REALSumm's votes.

    python -m train.judge.fit build/judge -o OUT --plan train/judge/plan.json [--workers 6] [--seconds 500]

Needs torch, numpy, onnx. The plan is a list of :class:`Settings`, each with the folds to leave out (0: none, for the
network that ships). A task is one setting and one fold; tasks run in parallel, and none begins after ``--seconds``.

*Pre-training*: premises of SNLI with their hypotheses, arguments of ArgKP with key points; binary cross-entropy.

*Training*: a batch is all summaries of a few documents, each with all SCUs of its document and some of others. The
target of a judgement is the share of workers who found the SCU (0 for another document's). A summary is read whole, by
windows of at most 120 words or by sentences, and an SCU's logit is the largest of theirs. Beside the cross-entropy,
``rank`` weighs a loss on the *order* of the systems by one SCU (for two summaries the log-odds of the order of their
votes, weighed by the difference), ``line`` one on what the benchmark asks: 1 - Pearson's r, within a document, of the
summaries' mean probabilities and mean shares. Entailment rows go on being read (``replay``).

*Seeds*: with several, the network is the mean of their weights (they begin in the same pre-trained network).

Writes for each task ``NAME.FOLD.npz`` (logits of the fold's judgements by window) or weights, and ``log.jsonl``.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from queue import Empty

import numpy as np
import torch
import torch.multiprocessing as processes
from torch import Tensor
from torch.nn import functional
from train.judge.measure import measure
from train.judge.network import CLS, MOST_PASSAGE, MOST_UNIT, SEP, Reader, base, start

WINDOW = 120
REGIMES = ("window", "sentence", "whole")


@dataclass(frozen=True)
class Settings:
    """One way to train."""

    name: str
    folds: tuple[int, ...] = (1, 2, 3, 4, 5)
    seeds: int = 1
    layers: int = 6
    pretrain: int = 3
    first_rate: float = 1.5e-4
    rate: float = 2e-4
    decay: float = 0.9
    """Of the rate, from each layer to the one below."""
    epochs: int = 6
    documents: int = 2
    """In a batch, with all their summaries."""
    rank: float = 0.5
    line: float = 0.0
    replay: int = 16
    """Entailment rows in each batch."""
    strange: int = 2
    """SCUs of other documents with each summary."""
    regimes: tuple[float, ...] = (0.6, 0.2, 0.2)
    dropout: float = 0.1
    clauses: float = 0.0
    """How often an SCU is asked for in the words of a clause of its reference."""


@dataclass(frozen=True)
class Row:
    """A passage and units to ask about it, as texts' numbers."""

    passage: tuple[int, ...]
    units: tuple[int, ...]


class Data:
    """The texts, and how rows of them become a batch."""

    def __init__(self, folder: Path, device: str) -> None:
        self.device = device
        self.columns = dict(np.load(folder / "data.npz"))
        pieces = self.columns["pieces"].astype(np.int64)
        self.texts = [pieces[first:last] for first, last in pairwise(self.columns["bounds"])]
        self.variants: dict[int, list[int]] = {}
        """By SCU, clauses of its reference that say about the same."""
        others = np.load(folder / "variants.npz")
        own = others["pieces"].astype(np.int64)
        for unit, (first, last) in zip(others["owner"].tolist(), pairwise(others["bounds"]), strict=True):
            self.variants.setdefault(unit, []).append(len(self.texts))
            self.texts.append(own[first:last])
        sentences = [range(first, last) for first, last in pairwise(self.columns["summary_bounds"])]
        self.cut = {name: [self._windows(one, name) for one in sentences] for name in REGIMES}
        self.summaries: dict[int, list[int]] = {}
        """By document, its summaries, by number."""
        self.judgements: dict[int, list[int]] = {}
        """By summary, its judgements."""
        for number, (document, summary) in enumerate(
            zip(self.columns["document"].tolist(), self.columns["summary"].tolist(), strict=True)
        ):
            if summary not in self.judgements:
                self.summaries.setdefault(document, []).append(summary)
            self.judgements.setdefault(summary, []).append(number)
        entailed: dict[int, list[int]] = {}
        for number, text in enumerate(self.columns["e_text"].tolist()):
            entailed.setdefault(text, []).append(number)
        self.entailed = [
            (text, some[at : at + 12]) for text, some in entailed.items() for at in range(0, len(some), 12)
        ]

    def _windows(self, sentences: range, regime: str) -> list[tuple[int, ...]]:
        """Texts of each window of a summary."""
        texts = [int(self.columns["sentence_text"][one]) for one in sentences]
        if not texts:
            return [()]
        if regime == "whole":
            return [tuple(texts)]
        if regime == "sentence":
            return [(one,) for one in texts]
        sizes = [int(self.columns["sentence_words"][one]) for one in sentences]
        found: list[tuple[int, ...]] = []
        last, reached = 0, 0
        for first in range(len(texts)):
            last = max(last, first + 1)
            while last < len(texts) and sum(sizes[first : last + 1]) <= WINDOW:
                last += 1
            if last > reached:  # else inside the window before
                found.append(tuple(texts[first:last]))
                reached = last
        return found

    def logits(self, network: Reader, rows: Sequence[Row]) -> Tensor:
        """Of every row, the logits of its units, padded with -1e4."""
        made = []
        for row in rows:
            passage = np.concatenate([np.empty(0, np.int64), *(self.texts[one] for one in row.passage)])[:MOST_PASSAGE]
            parts = [np.concatenate([[CLS], passage, [SEP]])]
            parts += [np.concatenate([[CLS], self.texts[unit][:MOST_UNIT], [SEP]]) for unit in row.units]
            made.append(parts)
        longest = max(sum(map(len, parts)) for parts in made)
        most = max(len(row.units) for row in rows)
        pieces, kinds, places = (np.zeros((len(rows), longest), np.int64) for _ in range(3))
        whose = np.full((len(rows), longest), -1, np.int64)
        firsts = np.zeros((len(rows), most), np.int64)
        there = np.zeros((len(rows), most), bool)
        for number, parts in enumerate(made):
            at = 0
            for unit, part in enumerate(parts):
                end = at + len(part)
                pieces[number, at:end] = part
                places[number, at:end] = np.arange(len(part))
                whose[number, at:end] = unit
                if unit:
                    kinds[number, at:end] = 1
                    kinds[number, at + 1 : end - 1] += 2 * np.isin(part[1:-1], parts[0][1:-1])
                    firsts[number, unit - 1] = at
                    there[number, unit - 1] = True
                at = end
        sent = [
            torch.from_numpy(one).to(self.device, non_blocking=True) for one in (pieces, kinds, places, whose, firsts)
        ]
        with torch.autocast(self.device, torch.bfloat16, enabled=self.device == "cuda"):
            found = network(*sent)
        return found.float().masked_fill(~torch.from_numpy(there).to(self.device), -1e4)


def optimizer(network: Reader, settings: Settings, steps: int, rate: float) -> tuple[torch.optim.Optimizer, object]:
    """AdamW, slower in lower layers, warmed up and let run out."""
    groups: dict[tuple[int, float], list[torch.nn.Parameter]] = {}
    for name, parameter in network.named_parameters():
        depth = settings.layers
        if name.startswith("encoder.layers."):
            depth = settings.layers - 1 - int(name.split(".")[2])
        elif not name.startswith("encoder."):
            depth = 0
        groups.setdefault((depth, 0.01 if parameter.ndim > 1 else 0.0), []).append(parameter)
    rates = [
        {"params": some, "lr": rate * settings.decay**depth, "weight_decay": decay}
        for (depth, decay), some in groups.items()
    ]
    made = torch.optim.AdamW(rates, betas=(0.9, 0.98), fused=torch.cuda.is_available())
    schedule = torch.optim.lr_scheduler.LambdaLR(
        made, lambda step: min((step + 1) / (0.1 * steps), max(0.0, 1 - step / steps))
    )
    return made, schedule


def step(network: Reader, loss: Tensor, made: torch.optim.Optimizer, schedule: object) -> None:
    """One step down."""
    made.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    made.step()
    schedule.step()


def entailment(data: Data, network: Reader, some: Sequence[tuple[int, list[int]]]) -> Tensor:
    """The loss of entailment rows."""
    rows = [Row((text,), tuple(int(data.columns["e_unit"][one]) for one in numbers)) for text, numbers in some]
    found = data.logits(network, rows)
    there = found > -9e3
    wanted = torch.zeros_like(found)
    for number, (_, numbers) in enumerate(some):
        wanted[number, : len(numbers)] = torch.from_numpy(data.columns["e_target"][numbers]).to(wanted)
    return functional.binary_cross_entropy_with_logits(found[there], wanted[there])


def pretrained(data: Data, weights: dict[str, np.ndarray], settings: Settings, seed: int = 0) -> Reader:
    """MiniLM after the entailment pairs."""
    torch.manual_seed(seed)
    chance = random.Random(seed)
    network = start(settings.layers, weights).to(data.device).train()
    size, count = 48, len(data.entailed)
    made, schedule = optimizer(network, settings, max(1, settings.pretrain * (count // size)), settings.first_rate)
    for _ in range(settings.pretrain):
        order = list(data.entailed)
        chance.shuffle(order)
        for first in range(0, count - size + 1, size):
            step(network, entailment(data, network, order[first : first + size]), made, schedule)
    return network


def judged(
    data: Data,
    network: Reader,
    summaries: Sequence[int],
    regime: str,
    strangers: Sequence[int] = (),
    instead: Mapping[int, int] | None = None,
) -> tuple[Tensor, Tensor]:
    """Of each summary the logits of its judgements, and of strange units, over its windows the largest.

    ``instead`` has other words for some units.
    """
    rows, owner = [], []
    instead = instead or {}
    for number, summary in enumerate(summaries):
        units = (int(data.columns["unit"][one]) for one in data.judgements[summary])
        own = tuple(instead.get(unit, unit) for unit in units)
        for window in data.cut[regime][summary]:
            rows.append(Row(window, (*own, *strangers)))
            owner.append(number)
    found = data.logits(network, rows)
    place = torch.tensor(owner, device=data.device)[:, None].expand_as(found)
    best = torch.full((len(summaries), found.shape[1]), -1e4, device=data.device)
    best = best.scatter_reduce(0, place, found, "amax")
    return best, best > -9e3


def train(data: Data, network: Reader, settings: Settings, fold: int, seed: int) -> None:
    """On all judgements outside the fold."""
    torch.manual_seed(seed)
    chance = random.Random(seed)
    columns = data.columns
    documents = [one for one in data.summaries if columns["fold"][one] != fold]
    units = {
        one: sorted({int(columns["unit"][j]) for s in data.summaries[one] for j in data.judgements[s]})
        for one in documents
    }
    for module in network.modules():
        if isinstance(module, torch.nn.Dropout):
            module.p = settings.dropout
    network.train()
    total = settings.epochs * -(-len(documents) // settings.documents)
    made, schedule = optimizer(network, settings, total, settings.rate)
    for _ in range(settings.epochs):
        chance.shuffle(documents)
        for at in range(0, len(documents), settings.documents):
            loss = torch.zeros((), device=data.device)
            some = documents[at : at + settings.documents]
            for document in some:
                regime = chance.choices(REGIMES, settings.regimes)[0]
                others = chance.choices([one for one in documents if one != document], k=settings.strange)
                strangers = [chance.choice(units[one]) for one in others]
                summaries = data.summaries[document]
                instead = {
                    unit: chance.choice(data.variants[unit])
                    for unit in (*units[document], *strangers)
                    if unit in data.variants and chance.random() < settings.clauses
                }
                strangers = [instead.get(unit, unit) for unit in strangers]
                found, there = judged(data, network, summaries, regime, strangers, instead)
                share = np.zeros(found.shape, np.float32)
                for number, summary in enumerate(summaries):
                    numbers = data.judgements[summary]
                    share[number, : len(numbers)] = columns["share"][numbers]
                wanted = torch.from_numpy(share).to(data.device)
                loss = loss + functional.binary_cross_entropy_with_logits(found[there], wanted[there])
                count = len(data.judgements[summaries[0]])
                if settings.rank:
                    own, votes = found[:, :count], wanted[:, :count]
                    more = (votes[:, None] - votes[None]).clamp(min=0)
                    over = functional.logsigmoid(own[:, None] - own[None])
                    loss = loss - settings.rank * (more * over).sum() / more.sum().clamp(min=1.0)
                if settings.line:
                    x, y = torch.sigmoid(found[:25, :count]).mean(1), wanted[:25, :count].mean(1)
                    x, y = x - x.mean(), y - y.mean()
                    loss = loss + settings.line * (1 - (x @ y) / (x.norm() * y.norm() + 1e-4))
            loss = loss / len(some)
            if settings.replay:
                loss = loss + 0.5 * entailment(data, network, chance.sample(data.entailed, settings.replay))
            step(network, loss, made, schedule)


@torch.no_grad()
def judge(data: Data, network: Reader, fold: int, regime: str) -> np.ndarray:
    """Logits of a fold's judgements, in their order."""
    network.eval()
    columns = data.columns
    out = np.full(len(columns["unit"]), np.nan, np.float32)
    for document in data.summaries:
        if columns["fold"][document] == fold:
            summaries = data.summaries[document]
            found, _ = judged(data, network, summaries, regime)
            for number, summary in enumerate(summaries):
                numbers = data.judgements[summary]
                out[numbers] = found[number, : len(numbers)].cpu().numpy()
    return out[(columns["fold"][columns["document"]] == fold) & (columns["system"] < 25)]


def save(network: Reader, prefix: str, most: int = 15_000_000) -> None:
    """The trained parameters in fp16, in files under 16 MB; the frozen table is not among them."""
    part: dict[str, np.ndarray] = {}
    number = 0
    for name, value in network.state_dict().items():
        if name in ("encoder.table", "encoder.scale"):
            continue
        one = value.detach().cpu().numpy().astype(np.float16)
        if part and sum(other.nbytes for other in part.values()) + one.nbytes > most:
            np.savez(f"{prefix}.weights.{number}.npz", **part)
            part, number = {}, number + 1
        part[name] = one
    np.savez(f"{prefix}.weights.{number}.npz", **part)


def shared(data: Data, weights: dict[str, np.ndarray], settings: Settings, out: Path) -> dict[str, Tensor]:
    """The pre-trained network, which one worker trains and the others wait for."""
    key = f"{out.name}-{settings.layers}-{settings.pretrain}-{settings.first_rate}"
    folder = Path(tempfile.gettempdir()) / key
    file = folder / "network.pt"
    try:
        folder.mkdir()
    except FileExistsError:
        while not file.exists():
            time.sleep(0.2)
    else:
        torch.save(pretrained(data, weights, settings).state_dict(), folder / "part.pt")
        (folder / "part.pt").rename(file)
    found: dict[str, Tensor] = torch.load(file, map_location=data.device)
    return found


def task(data: Data, weights: dict[str, np.ndarray], settings: Settings, fold: int, out: Path) -> None:
    """Train one network and write what it says of the fold, or its weights."""
    began = time.time()
    first = shared(data, weights, settings, out)
    seconds = [time.time() - began]
    columns = data.columns
    use = (columns["fold"][columns["document"]] == fold) & (columns["system"] < 25)
    truth = [columns[name][use] for name in ("label", "document", "system")]
    network = start(settings.layers, weights).to(data.device)
    trained: list[dict[str, Tensor]] = []
    found: dict[str, np.ndarray] = {}
    for seed in range(1, settings.seeds + 1):
        network.load_state_dict(first)
        train(data, network, settings, fold, seed)
        trained.append({name: value.clone() for name, value in network.state_dict().items()})
        if fold:
            for regime in REGIMES:
                found[f"{regime}.{seed}"] = judge(data, network, fold, regime)
    if settings.seeds > 1:
        network.load_state_dict(
            {
                name: torch.stack([one[name] for one in trained]).mean(0) if value.is_floating_point() else value
                for name, value in trained[0].items()
            }
        )
        if fold:
            for regime in REGIMES:
                found[f"{regime}.mean"] = judge(data, network, fold, regime)
    seconds.append(time.time() - began)
    line: dict[str, object] = {"name": settings.name, "fold": fold, "seconds": [round(one, 1) for one in seconds]}
    if fold:
        np.savez(out / f"{settings.name}.{fold}.npz", **found)
        for regime, logits in found.items():
            figures = measure(1 / (1 + np.exp(-logits.astype(np.float64))), *truth)
            line[regime] = {name: round(value, 4) for name, value in figures.items() if name != "by_document"}
    else:
        save(network, str(out / settings.name))
        (out / f"{settings.name}.json").write_text(json.dumps(asdict(settings)))
    with (out / "log.jsonl").open("a") as file:
        file.write(json.dumps(line) + "\n")
    best = line.get("window.mean", line.get("window.1"))
    print(settings.name, fold, line["seconds"], best, flush=True)


def worker(folder: Path, out: Path, queue: processes.Queue, end: float) -> None:
    """Do tasks until there are none, or no time."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.backends.cuda.matmul.allow_tf32 = True
    torch.set_num_threads(1)
    data = Data(folder, device)
    weights = base(folder)
    while time.time() < end:
        try:
            settings, fold = queue.get(timeout=1)
        except Empty:
            return
        task(data, weights, settings, fold, out)


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--plan", type=Path, required=True)
    parser.add_argument("--workers", type=int, default=6)
    parser.add_argument("--seconds", type=float, default=500)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    end = time.time() + arguments.seconds
    plan = [Settings(**one) for one in json.loads(arguments.plan.read_text())]
    context = processes.get_context("spawn")
    queue = context.Queue()
    for settings in plan:
        for fold in settings.folds:
            queue.put((settings, fold))
    started = [
        context.Process(target=worker, args=(arguments.folder, arguments.out, queue, end))
        for _ in range(arguments.workers)
    ]
    for one in started:
        one.start()
    for one in started:
        one.join()


if __name__ == "__main__":
    main()
