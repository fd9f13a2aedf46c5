"""Train the network: on entailment first, then gently on REALSumm.

    python -m train.entails.fit entailment build/entails -o OUT --seconds 480
    python -m train.entails.fit realsumm build/entails -o OUT --folds 0 1 2 3 4 5

Needs torch and a GPU. *Entailment*: a row is a text and many units. A text is one premise with its units, or (*wrap*)
several premises one after another, up to 330 word pieces, with the units of them all; units of other texts are asked
too, as not said. Statements that are marked as clear by themselves or not (the fourth logit) are asked of their text
alone. The rate falls with the steps or, if they would take too long, with the seconds. Writes
``entailment.pt`` and a line of figures on held-out pairs.

*REALSumm*: one document at a time, its summaries with its SCUs and twelve SCUs of others; cross-entropy on shares of
votes (.03 + .94 share) + .5 (1 - r of the summaries' mean probabilities). The same, with half the weight, of units that
nobody made, the reference's sentences, statements and clauses: their share is the mean of the SCUs that they hold, and
r is with the mean of all SCUs (not for clauses, many of which are sentences). Beside them, as many entailment pairs
replayed, and as many of the invented topics. The weights of ``--seeds`` runs are averaged. Fold 0 leaves nothing out
and is what ships; the others write ``fold.N.npz``: logits of their judgements by the whole summary, by each sentence,
those of the largest presence (``surest``), and of the units that nobody made (``automatic``).
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional
from torch.utils.data import DataLoader, IterableDataset, get_worker_info
from train.entails.network import END, MOST_TEXT, MOST_UNIT, START, Entails, start

MOST_UNITS = 28
SAID, CONTRADICTED, NOT_SAID, NOT, CLEAR, UNCLEAR = range(6)
VERDICTS = 3
"""The logits of said, contradicted and not said come first; the one after them is of clear."""
SENTENCES, STATEMENTS, OTHER, CLAUSES = range(4)
DENIED_SHARE = 0.03
"""Of what a summary of news does not say, the share that it contradicts: next to nothing."""
KINDS = ("whole", "surest")
Row = tuple[np.ndarray, list[np.ndarray], list[int], list[float]]
"""Pieces of the text, pieces of the units, their labels and weights."""


class Data:
    """The texts, and how rows of them become a batch."""

    def __init__(self, folder: Path) -> None:
        self.columns = dict(np.load(folder / "data.npz"))
        pieces = self.columns["pieces"].astype(np.int64)
        self.texts = [pieces[first:last] for first, last in pairwise(self.columns["bounds"].tolist())]
        self.label = self.columns["label"].tolist()
        self.weight = self.columns["weight"].tolist()
        self.unit = self.columns["unit"].tolist()
        self.text = self.columns["text"].tolist()
        self.groups: dict[bool, list[list[int]]] = {False: [], True: []}
        """Pairs with one premise, of captions and of other sources; all of a group ask of clear, or none does."""
        held: dict[int, list[int]] = {}
        by: dict[tuple[int, bool], list[int]] = {}
        for number, (text, aside) in enumerate(zip(self.text, self.columns["held"].tolist(), strict=True)):
            if aside:
                held.setdefault(text, []).append(number)
            else:
                by.setdefault((text, self.alone(number)), []).append(number)
        for pairs in by.values():
            kind = bool(self.columns["caption"][pairs[0]])
            self.groups[kind] += [pairs[at : at + 10] for at in range(0, len(pairs), 10)]
        self.held = list(held.values())
        of_topics = {n for n, name in enumerate(self.columns["sources"].tolist()) if name.startswith("topics")}
        self.topics = {
            kind: [group for group in groups if int(self.columns["source"][group[0]]) in of_topics]
            for kind, groups in self.groups.items()
        }
        """Those of the invented topics."""

    def alone(self, number: int) -> bool:
        """Whether a pair asks if its unit is clear, which is known of its own text alone."""
        return self.label[number] in (CLEAR, UNCLEAR)

    def row(self, numbers: Sequence[int], strange: Sequence[int] = (), text: np.ndarray | None = None) -> Row:
        """Pairs that share a text, and pairs whose units are asked though they belong elsewhere."""
        units = [self.texts[self.unit[one]] for one in (*numbers, *strange)]
        labels = [self.label[one] for one in numbers] + [NOT_SAID] * len(strange)
        weights = [self.weight[one] for one in numbers] + [0.4] * len(strange)
        return (self.texts[self.text[numbers[0]]] if text is None else text), units, labels, weights


def length(row: Row) -> int:
    """Pieces of a row with all its marks."""
    return min(len(row[0]), MOST_TEXT) + 2 + sum(min(len(unit), MOST_UNIT) + 2 for unit in row[1])


def batch(rows: Sequence[Row]) -> dict[str, Tensor]:
    """Rows as arrays."""
    longest = -(-max(map(length, rows)) // 8) * 8
    most = max(len(row[1]) for row in rows)
    pieces = np.ones((len(rows), longest), np.int64)
    places = np.zeros((len(rows), longest), np.int64)
    whose = np.full((len(rows), longest), -1, np.int64)
    labels = np.full((len(rows), most), -1, np.int64)
    weights = np.zeros((len(rows), most), np.float32)
    for number, (text, units, label, weight) in enumerate(rows):
        text = text[:MOST_TEXT]
        end = len(text) + 2
        pieces[number, 0], pieces[number, 1 : end - 1], pieces[number, end - 1] = START, text, END
        places[number, :end], whose[number, :end] = np.arange(end), 0
        at = end
        for place, unit in enumerate(units):
            unit = unit[:MOST_UNIT]
            last = at + len(unit) + 2
            pieces[number, at], pieces[number, at + 1 : last - 1], pieces[number, last - 1] = END, unit, END
            places[number, at:last], whose[number, at:last] = np.arange(end, end + len(unit) + 2), place + 1
            at = last
        labels[number, : len(units)] = label
        weights[number, : len(units)] = weight
    return {
        name: torch.from_numpy(value)
        for name, value in (
            ("pieces", pieces), ("places", places), ("whose", whose), ("labels", labels), ("weights", weights)
        )
    }  # fmt: skip


def logits(network: Entails, made: dict[str, Tensor], device: str) -> Tensor:
    """The network's answer to a batch, four logits a unit."""
    sent = [made[name].to(device, non_blocking=True) for name in ("pieces", "places", "whose")]
    with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
        return network(*sent, made["labels"].shape[1]).float()


def entailment_loss(found: Tensor, made: dict[str, Tensor]) -> Tensor:
    """Cross-entropy; of a pair that is known not to be said, -log of the sum of both other classes.

    Of a pair that is marked as clear or unclear it is that of the fourth logit, which no other pair changes.
    """
    labels, weights = made["labels"].to(found.device), made["weights"].to(found.device)
    logs = functional.log_softmax(found[..., :VERDICTS], -1)
    clear = found[..., VERDICTS:]
    by_label = [logs, torch.logsumexp(logs[..., 1:], -1, keepdim=True)]
    by_label += [functional.logsigmoid(clear), functional.logsigmoid(-clear)]
    logs = torch.cat(by_label, -1)
    chosen = torch.gather(logs, 2, labels.clamp(min=0)[..., None])[..., 0]
    return -(chosen * weights * (labels >= 0)).sum() / weights.sum()


def batches(rows: Sequence[Row], budget: int, chance: np.random.Generator) -> Iterator[dict[str, Tensor]]:
    """Batches of rows of like length, of at most so many pieces."""
    some = sorted(rows, key=length)
    cut: list[list[Row]] = [[]]
    for row in some:
        if cut[-1] and length(row) * (len(cut[-1]) + 1) > budget:
            cut.append([])
        cut[-1].append(row)
    for place in chance.permutation(len(cut)):
        yield batch(cut[place])


class Pairs(IterableDataset):
    """Batches without end."""

    def __init__(self, data: Data, groups: dict[bool, list[list[int]]], budget: int, seed: int) -> None:
        self.data, self.groups, self.budget, self.seed = data, groups, budget, seed

    def __iter__(self) -> Iterator[dict[str, Tensor]]:
        """Every worker goes through its own share of the groups again and again."""
        worker = get_worker_info()
        number, workers = (worker.id, worker.num_workers) if worker else (0, 1)
        chance = np.random.default_rng((self.seed, number))
        share = {kind: groups[number::workers] for kind, groups in self.groups.items()}
        while True:
            waiting: list[Row] = []
            for row in self._rows(share, chance):
                waiting.append(row)
                if len(waiting) == 1500:
                    yield from batches(waiting, self.budget, chance)
                    waiting = []
            if waiting:
                yield from batches(waiting, self.budget, chance)

    def _rows(self, share: dict[bool, list[list[int]]], chance: np.random.Generator) -> Iterator[Row]:
        data = self.data
        groups = [group for kind in (False, True) for group in share[kind]]
        captions = {id(group) for group in share[True]}
        queue = [groups[place] for place in chance.permutation(len(groups))]
        later: list[list[int]] = []
        while queue or later:
            first = (queue or later).pop()
            if data.alone(first[0]):
                yield data.row(first)
                continue
            asked = list(first)
            parts = [data.texts[data.text[first[0]]]]
            if len(parts[0]) < 150 and chance.random() < 0.6:
                target = int(chance.integers(50, 330))
                seen = id(first) in captions
                while sum(map(len, parts)) < target and (queue or later):
                    use_later = bool(later) and not seen and (not queue or chance.random() < 0.3)
                    if not use_later and not queue:
                        break
                    group = (later if use_later else queue).pop()
                    if data.alone(group[0]):
                        yield data.row(group)
                        continue
                    if id(group) in captions and seen:
                        later.append(group)
                        if len(later) > 3000:
                            break
                        continue
                    text = data.texts[data.text[group[0]]]
                    if len(text) > 330 - sum(map(len, parts)) or len(asked) + len(group) > MOST_UNITS:
                        queue.append(group)
                        break
                    seen = seen or id(group) in captions
                    parts.insert(int(chance.integers(0, len(parts) + 1)), text)
                    asked += group
                # other texts that nobody asks about
                while sum(map(len, parts)) < target and chance.random() < 0.9:
                    other = groups[int(chance.integers(len(groups)))]
                    text = data.texts[data.text[other[0]]]
                    if id(other) not in captions and len(text) < 80:
                        parts.insert(int(chance.integers(0, len(parts) + 1)), text)
            strange = [
                int(chance.choice(groups[int(chance.integers(len(groups)))])) for _ in range(int(chance.integers(0, 3)))
            ]
            strange = [number for number in strange if not data.alone(number)]
            yield data.row(asked, strange, np.concatenate(parts))


def optimizer(network: Entails, rate: float) -> torch.optim.Optimizer:
    """AdamW, slower in lower layers, five times as fast in the head."""
    groups: dict[tuple[float, float], list[torch.nn.Parameter]] = {}
    for name, parameter in network.named_parameters():
        if name.startswith("layers."):
            factor = 0.9 ** (11 - int(name.split(".")[1]))
        else:
            factor = 5.0 if name.startswith(("pool", "out")) else 0.9**12
        groups.setdefault((factor, 0.01 if parameter.ndim > 1 else 0.0), []).append(parameter)
    rates = [
        {"params": some, "lr": rate * factor, "top": rate * factor, "weight_decay": decay}
        for (factor, decay), some in groups.items()
    ]
    return torch.optim.AdamW(rates, betas=(0.9, 0.98), fused=torch.cuda.is_available())


def step(network: Entails, loss: Tensor, made: torch.optim.Optimizer, done: float) -> None:
    """One step down, ``done`` being the share of the way that is behind."""
    for group in made.param_groups:
        group["lr"] = group["top"] * min(done / 0.05 + 0.01, (1 - done) / 0.95, 1.0)
    made.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
    made.step()


@torch.inference_mode()
def on_held(data: Data, network: Entails, device: str) -> dict[str, list[float]]:
    """By source: pairs, AUC of said against the rest, share of right classes (where there are three).

    Of the source that asks of clear: pairs, AUC of clear against unclear, share that is on the right side of .5.
    """
    network.eval()
    chance = np.random.default_rng(1)
    rows, numbers = [], []
    for group in data.held:
        for at in range(0, len(group), 12):
            rows.append(data.row(group[at : at + 12]))
            numbers.append(group[at : at + 12])
    order = sorted(range(len(rows)), key=lambda place: length(rows[place]))
    answer = np.zeros((len(data.label), VERDICTS + 1), np.float32)
    for at in range(0, len(order), 48):
        some = order[at : at + 48]
        found = logits(network, batch([rows[place] for place in some]), device)
        found = torch.cat([found[..., :VERDICTS].softmax(-1), found[..., VERDICTS:].sigmoid()], -1).cpu().numpy()
        for place, one in zip(some, found, strict=True):
            answer[numbers[place]] = one[: len(numbers[place])]
    network.train()
    del chance
    figures = {}
    label, source, held = (data.columns[name] for name in ("label", "source", "held"))
    for number, name in enumerate([*data.columns["sources"].tolist(), "all"]):
        of_source = held & ((source == number) | (name == "all"))
        use = of_source & (label <= NOT)
        said = label[use] == SAID
        if said.any() and not said.all():
            three = label[use] < NOT
            right = (answer[use, :VERDICTS].argmax(1) == label[use])[three].mean() if three.any() else float("nan")
            figures[name] = [int(use.sum()), round(auc(answer[use, SAID], said), 4), round(float(right), 4)]
        use = of_source & (label > NOT)
        clear = label[use] == CLEAR
        if name != "all" and clear.any() and not clear.all():
            right = ((answer[use, VERDICTS] >= 0.5) == clear).mean()
            figures[name] = [int(use.sum()), round(auc(answer[use, VERDICTS], clear), 4), round(float(right), 4)]
    return figures


def auc(p: np.ndarray, label: np.ndarray) -> float:
    """The chance that a pair that is said has the larger probability."""
    _, place, count = np.unique(p, return_inverse=True, return_counts=True)
    rank = (np.cumsum(count) - (count - 1) / 2)[place]
    n = label.sum()
    return float((rank[label].sum() - n * (n + 1) / 2) / (n * (len(label) - n)))


def entailment(arguments: argparse.Namespace, device: str) -> None:
    """The first stage."""
    data = Data(arguments.folder)
    data.held = data.held[: 20 if arguments.few else None]
    torch.manual_seed(arguments.seed)
    network = start(arguments.folder).to(device).train()
    loader = iter(DataLoader(
        Pairs(data, data.groups, arguments.budget, arguments.seed), batch_size=None, num_workers=arguments.workers,
        prefetch_factor=8 if arguments.workers else None, pin_memory=device == "cuda",
    ))  # fmt: skip
    made = optimizer(network, arguments.rate)
    began, losses, pairs = time.time(), [], 0
    first = next(loader)
    began = time.time()
    number = 0
    while True:
        done = max(number / arguments.steps, (time.time() - began) / arguments.seconds)
        if done >= 1:
            break
        own = first if number == 0 else next(loader)
        loss = entailment_loss(logits(network, own, device), own)
        step(network, loss, made, done)
        losses.append(loss.detach())
        pairs += int((own["labels"] >= 0).sum())
        number += 1
        if number % 100 == 0:
            mean = torch.stack(losses[-100:]).mean().item()
            print(f"{number} {time.time() - began:.0f} s, {pairs} pairs, loss {mean:.4f}", flush=True)
            if not np.isfinite(mean):
                raise SystemExit("the loss is not a number")
    torch.save(network.state_dict(), arguments.out / "entailment.pt")
    figures = on_held(data, network, device)
    print(json.dumps({"steps": number, "pairs": pairs, "held": figures}), flush=True)
    (arguments.out / "held.json").write_text(json.dumps(figures))


class Judgements:
    """REALSumm: summaries, their sentences, SCUs, labels and votes."""

    def __init__(self, data: Data) -> None:
        self.data = data
        self.columns = {name[2:]: value for name, value in data.columns.items() if name.startswith("r_")}
        self.whole = [data.texts[one] for one in self.columns["whole"].tolist()]
        self.sentences = [
            [data.texts[one] for one in self.columns["sentence"][first:last].tolist()]
            for first, last in pairwise(self.columns["bounds"].tolist())
        ]
        self.of: dict[int, dict[int, list[int]]] = {}
        """By document and summary, the judgements."""
        for number, (document, summary) in enumerate(
            zip(self.columns["document"].tolist(), self.columns["summary"].tolist(), strict=True)
        ):
            self.of.setdefault(document, {}).setdefault(summary, []).append(number)
        self.shares: dict[int, np.ndarray] = {}
        """By summary, the shares of its document's automatic units, in thousandths; -1 where nobody knows."""
        at = 0
        for document, summaries in self.of.items():
            units = int(np.diff(self.columns["auto_bounds"])[document])
            for summary in summaries:
                self.shares[summary] = self.columns["auto_share"][at : at + units]
                at += units
        assert at == len(self.columns["auto_share"])

    def automatic(self, document: int) -> list[Row]:
        """The whole and the sentences of each summary of a document, with the units that nobody made."""
        first, last = self.columns["auto_bounds"][document : document + 2]
        units = [self.data.texts[one] for one in self.columns["auto_unit"][first:last].tolist()]
        rows = []
        for summary in self.of[document]:
            first, last = self.columns["bounds"][summary : summary + 2]
            inside = [self.columns["auto_whole"][summary], *self.columns["auto_sentence"][first:last]]
            rows += [(self.data.texts[text], units, [0] * len(units), [0.0] * len(units)) for text in inside]
        return rows

    def automatic_batch(self, document: int) -> tuple[dict[str, Tensor], Tensor]:
        """The summaries of a document with the sentences and statements of its reference, and the units' kinds."""
        first, last = self.columns["auto_bounds"][document : document + 2]
        kinds = self.columns["auto_kind"][first:last]
        used = np.flatnonzero(kinds != OTHER)
        units = [self.data.texts[one] for one in self.columns["auto_unit"][first:last][used].tolist()]
        rows = [
            (
                self.data.texts[self.columns["auto_whole"][summary]],
                units,
                self.shares[summary][used].tolist(),
                [1.0] * len(units),
            )
            for summary in self.of[document]
        ]
        return batch(rows), torch.from_numpy(kinds[used])

    def row(self, text: np.ndarray, numbers: Sequence[int], strange: Sequence[int] = ()) -> Row:
        """A text with SCUs of its own document, then of others; the labels are shares of votes in thousandths."""
        units = [self.data.texts[self.columns["unit"][one]] for one in (*numbers, *strange)]
        said = [int(self.columns["share"][one]) for one in numbers] + [0] * len(strange)
        return text, units, said, [1.0] * len(numbers) + [0.5] * len(strange)


def presence(z: np.ndarray) -> np.ndarray:
    """The logit of said against both others."""
    return z[:, 0] - np.logaddexp(z[:, 1], z[:, 2])


@torch.inference_mode()
def answers(network: Entails, rows: Sequence[Row], device: str) -> list[np.ndarray]:
    """The logits of said, contradicted and not said of each row's units."""
    network.eval()
    found: list[np.ndarray] = [np.empty((0, VERDICTS))] * len(rows)
    order = sorted(range(len(rows)), key=lambda place: length(rows[place]))
    for at in range(0, len(order), 64):
        places = order[at : at + 64]
        answer = logits(network, batch([rows[place] for place in places]), device)[..., :VERDICTS].cpu().numpy()
        for place, own in zip(places, answer, strict=True):
            found[place] = own[: len(rows[place][1])]
    network.train()
    return found


def judged(own: Judgements, network: Entails, documents: Sequence[int], device: str) -> dict[str, np.ndarray]:
    """Logits of all judgements of some documents: in the whole summary, and in each of its sentences."""
    asked = [(summary, numbers) for d in documents for summary, numbers in own.of[d].items()]
    found = {"number": np.array([n for _, numbers in asked for n in numbers], np.int32)}
    rows = [own.row(own.whole[summary], numbers) for summary, numbers in asked]
    found["whole"] = np.concatenate(answers(network, rows, device)).astype(np.float32)
    inside = [(numbers, place, text) for s, numbers in asked for place, text in enumerate(own.sentences[s])]
    rows = [own.row(text, numbers) for numbers, _, text in inside]
    found["sentences"] = np.concatenate(answers(network, rows, device)).astype(np.float32)
    found["sentence_of"] = np.array([n for numbers, _, _ in inside for n in numbers], np.int32)
    found["sentence_at"] = np.array([place for numbers, place, _ in inside for _ in numbers], np.int32)
    best = dict(zip(found["number"].tolist(), zip(presence(found["whole"]), found["whole"], strict=True), strict=True))
    for number, sure, z in zip(
        found["sentence_of"].tolist(), presence(found["sentences"]), found["sentences"], strict=True
    ):
        if sure > best[number][0]:
            best[number] = sure, z
    rows = [row for document in documents for row in own.automatic(document)]
    found["automatic"] = np.concatenate(answers(network, rows, device)).astype(np.float32)
    found["surest"] = np.array([best[number][1] for number in found["number"].tolist()], np.float32)
    return found


def summary_r(own: Judgements, found: dict[str, np.ndarray], kind: str) -> tuple[float, float]:
    """Mean over documents of Pearson's r over systems, and AUC."""
    z = found[kind].astype(np.float64)
    p = np.exp(z[:, 0] - np.logaddexp.reduce(z, axis=1))
    label, document, system = (own.columns[name][found["number"]] for name in ("label", "document", "system"))
    rs = []
    for d in np.unique(document):
        means = np.array([
            (p[use].mean(), label[use].mean())
            for s in np.unique(system) for use in [(document == d) & (system == s)] if use.any()
        ])  # fmt: skip
        if means.std(0).min() > 1e-9:
            rs.append(np.corrcoef(means.T)[0, 1])
    return float(np.mean(rs)), auc(p, label == 1)


def tuned(
    data: Data,
    own: Judgements,
    network: Entails,
    state: dict[str, Tensor],
    used: Sequence[int],
    seed: int,
    arguments: argparse.Namespace,
    device: str,
) -> dict[str, Tensor]:
    """The weights after the second stage on some documents."""
    torch.manual_seed(seed)
    chance = np.random.default_rng(seed)
    network.load_state_dict(state)
    network.train()
    replays = [
        iter(DataLoader(
            Pairs(data, groups, arguments.replay, 100 + seed), batch_size=None, num_workers=min(2, arguments.workers)
        ))
        for groups in (data.groups, data.topics)
    ]  # fmt: skip
    made = optimizer(network, arguments.rate)
    steps = arguments.epochs * len(used)
    number = 0
    for _epoch in range(arguments.epochs):
        for document in chance.permutation(used):
            others = [n for d in chance.choice(used, 12) if d != document for n in [next(iter(own.of[d].values()))]]
            rows = []
            for summary, numbers in own.of[document].items():
                strange = [int(chance.choice(one)) for one in others]
                text = own.whole[summary]
                if chance.random() < 0.25:  # between sentences of another document
                    other = own.sentences[next(iter(own.of[int(chance.choice(used))]))][:2]
                    text = np.concatenate([*other, text] if chance.random() < 0.5 else [text, *other])
                    strange = []
                rows.append(own.row(text, numbers, strange))
            asked = batch(rows)
            found = logits(network, asked, device)
            weight = asked["weights"].to(device)
            there = asked["labels"].to(device) >= 0
            target = asked["labels"].to(device).float().clamp(min=0) / 1000
            own_units = there & (weight == 1)
            y = (target * own_units).sum(1) / own_units.sum(1)
            loss = share_loss(found, target, weight * there) + 0.5 * r_loss(found, own_units, y)
            asked, kinds = own.automatic_batch(document)
            found = logits(network, asked, device)
            shares = asked["labels"].to(device).float()
            loss = loss + 0.5 * share_loss(found, shares.clamp(min=0) / 1000, (shares >= 0).float())
            for kind in (SENTENCES, STATEMENTS):
                loss = loss + 0.25 * r_loss(found, (kinds.to(device) == kind)[None].expand(len(y), -1), y)
            for replay in replays:
                again = next(replay)
                loss = loss + entailment_loss(logits(network, again, device), again)
            step(network, loss, made, number / steps)
            number += 1
    del replays
    return {name: value.detach().clone() for name, value in network.state_dict().items()}


def share_loss(found: Tensor, share: Tensor, weight: Tensor) -> Tensor:
    """Cross-entropy on shares of votes."""
    said = functional.log_softmax(found[..., :VERDICTS], -1)
    soft = 0.03 + 0.94 * share
    no = DENIED_SHARE * said[..., CONTRADICTED] + (1 - DENIED_SHARE) * said[..., NOT_SAID]
    return -((soft * said[..., SAID] + (1 - soft) * no) * weight).sum() / weight.sum().clamp(min=1)


def r_loss(found: Tensor, counted: Tensor, people: Tensor) -> Tensor:
    """1 - Pearson's r, over summaries, of the mean probability of the units that count with people's score."""
    x = (found[..., :VERDICTS].softmax(-1)[..., SAID] * counted).sum(1) / counted.sum(1).clamp(min=1)
    x, y = x - x.mean(), people - people.mean()
    return 1 - (x @ y) / (x.norm() * y.norm() + 1e-6) if y.norm() > 1e-6 else x.sum() * 0


def average(states: Sequence[dict[str, Tensor]]) -> dict[str, Tensor]:
    """The mean of several networks' weights; what is no weight is the same in all."""
    return {
        name: torch.stack([state[name] for state in states]).mean(0) if value.is_floating_point() else value
        for name, value in states[0].items()
    }


def realsumm(arguments: argparse.Namespace, device: str) -> None:
    """The second stage, fold by fold."""
    data = Data(arguments.folder)
    data.held = data.held[: 20 if arguments.few else None]
    own = Judgements(data)
    state = torch.load(arguments.out / "entailment.pt", map_location="cpu")
    fold_of = own.columns["fold"]
    if arguments.few:
        own.of = {document: dict(list(some.items())[:3]) for document, some in own.of.items()}
    documents = [d for d in range(len(fold_of)) if not arguments.few or d % (len(fold_of) // arguments.few) == 0]
    for fold in arguments.folds:
        network = start(arguments.folder).to(device)
        network.load_state_dict(state)
        network.train()
        aside = [d for d in documents if fold_of[d] == fold]
        used = [d for d in documents if fold_of[d] != fold]
        if fold:
            before = judged(own, network, aside, device)
            np.savez(arguments.out / f"first.{fold}.npz", **before)
            print(fold, "stage 1", [(k, summary_r(own, before, k)) for k in KINDS], flush=True)
        began = time.time()
        states = [
            tuned(data, own, network, state, used, 100 * seed + fold, arguments, device)
            for seed in range(arguments.seeds)
        ]
        network.load_state_dict(average(states))
        if fold:
            after = judged(own, network, aside, device)
            np.savez(arguments.out / f"fold.{fold}.npz", **after)
            print(fold, f"{time.time() - began:.0f} s", [(k, summary_r(own, after, k)) for k in KINDS], flush=True)
        print(fold, json.dumps(on_held(data, network, device)), flush=True)
        if not fold:
            torch.save(network.state_dict(), arguments.out / "final.pt")
            print(0, "in sample", summary_r(own, judged(own, network, documents, device), "whole"), flush=True)


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("stage", choices=("entailment", "realsumm"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("-o", "--out", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=480)
    parser.add_argument("--steps", type=int, default=100000)
    parser.add_argument("--budget", type=int, default=24000, help="pieces in a batch")
    parser.add_argument("--replay", type=int, default=8000, help="pieces of entailment rows in a step of REALSumm")
    parser.add_argument("--rate", type=float)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--workers", type=int, default=10)
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--seeds", type=int, default=2, help="runs of the second stage whose weights are averaged")
    parser.add_argument("--folds", type=int, nargs="*", default=[0, 1, 2, 3, 4, 5])
    parser.add_argument("--few", type=int, default=0, help="documents, for a dry run")
    arguments = parser.parse_args()
    arguments.rate = arguments.rate or (4e-5 if arguments.stage == "entailment" else 1.5e-5)
    arguments.out.mkdir(parents=True, exist_ok=True)
    torch.set_float32_matmul_precision("high")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    (entailment if arguments.stage == "entailment" else realsumm)(arguments, device)


if __name__ == "__main__":
    main()
