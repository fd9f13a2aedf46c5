"""Train the word matrix of ``language/models/wtmf`` on WordNet's glosses: minutes on one CPU thread.

::

    apt-get install wordnet-base
    python train/wtmf.py /usr/share/wordnet src/pyramidion/language/models/wtmf/table.npz

Guo and Diab (2012) train on WordNet, Wiktionary and the Brown corpus; WordNet alone is at hand in every Debian and may
be passed on freely. A text is a synset's words, its definition and its examples, so that synonyms meet in one text.
K = 100, w_m = 0.01 and lambda = 20 are the paper's values, 20 iterations are ours; nothing was tuned.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pyramidion.language.vectors._table import Matrix, quantised, save, to_bytes
from pyramidion.language.vectors.wtmf import Lemmas, Side

DIMENSION = 100
ITERATIONS = 20
RAREST = 2
"""Words in fewer texts are dropped: a word seen once only repeats its text."""
PARTS = ("noun", "verb", "adj", "adv")


def synsets(wordnet: Path) -> Iterator[tuple[list[str], str]]:
    """The words and the gloss of each synset (wndb(5WN))."""
    for part in PARTS:
        for line in (wordnet / f"data.{part}").read_text("latin-1").splitlines():
            if not line.startswith("  "):
                fields, _, gloss = line.partition(" | ")
                parts = fields.split(" ")
                words = [
                    re.sub(r"\(.*\)", "", word).replace("_", " ") for word in parts[4 : 4 + 2 * int(parts[3], 16) : 2]
                ]
                yield words, gloss.strip()


def exceptions(wordnet: Path) -> dict[str, str]:
    """Irregular form -> lemma, the first one named; nouns before verbs before adjectives."""
    found: dict[str, str] = {}
    for part in PARTS:
        for line in (wordnet / f"{part}.exc").read_text("latin-1").splitlines():
            form, lemma, *_ = line.split(" ")
            if form.isalpha() and lemma.isalpha() and form != lemma:
                found.setdefault(form, lemma)
    return found


def vocabulary(texts: list[str], lexicon: set[str], irregular: dict[str, str]) -> tuple[list[str], NDArray[np.float32]]:
    """The lemmas in at least two texts, and their IDF."""
    forms = sorted(lexicon | {form for text in texts for form in re.findall(r"[^\W\d_]+", text.lower())})
    # Forms that WordNet lists are lemmas; others stay themselves unless a rule leads to one that it lists.
    rows = {form: row for row, form in enumerate(forms)}
    listed = Lemmas({form: rows[form] for form in forms if form in lexicon}, irregular)
    frequency: Counter[str] = Counter()
    for text in texts:
        found = re.findall(r"[^\W\d_]+", text.lower())
        frequency.update({forms[listed.row(form)] if listed.row(form) >= 0 else form for form in found})
    words = sorted(word for word, count in frequency.items() if count >= RAREST)
    return words, np.log(len(texts) / np.array([frequency[word] for word in words])).astype(np.float32)


def transposed(
    cells: list[NDArray[np.intp]], values: list[Matrix], rows: int
) -> tuple[list[NDArray[np.intp]], list[Matrix]]:
    """The same observed cells, by word instead of by text."""
    word = np.concatenate(cells)
    text = np.repeat(np.arange(len(cells)), [len(found) for found in cells])
    order = np.argsort(word, kind="stable")
    ends = np.cumsum(np.bincount(word, minlength=rows))[:-1]
    return np.split(text[order], ends), np.split(np.concatenate(values)[order], ends)


def train(wordnet: Path, out: Path) -> None:
    """Alternate between the texts' and the words' vectors, and write the words'."""
    entries = list(synsets(wordnet))
    texts = [" ".join([*words, gloss]) for words, gloss in entries]
    lexicon = {word.lower() for words, _ in entries for word in words if word.isalpha()}
    irregular = exceptions(wordnet)
    words, idf = vocabulary(texts, lexicon, irregular)
    known = set(words)
    irregular = {form: lemma for form, lemma in sorted(irregular.items()) if lemma in known}
    lemmas = Lemmas({word: row for row, word in enumerate(words)}, irregular)
    counts = [found for found in map(lemmas.counts, texts) if found]
    cells = [np.fromiter(found, np.intp, len(found)) for found in counts]
    values = [
        np.fromiter(found.values(), np.float32, len(found)) * idf[rows]
        for found, rows in zip(counts, cells, strict=True)
    ]
    by_word = transposed(cells, values, len(words))
    print(f"{len(cells):,} texts, {len(words):,} words, {sum(map(len, cells)):,} observed cells", flush=True)
    factors = np.random.default_rng(0).standard_normal((len(words), DIMENSION)).astype(np.float32)
    for iteration in range(ITERATIONS):
        latent = Side(factors).solve(cells, values)
        previous, factors = factors, Side(latent).solve(*by_word)
        change = float(np.linalg.norm(factors - previous) / np.linalg.norm(factors))
        print(f"iteration {iteration + 1}: the words moved by {change:.4f}", flush=True)
    rows, scale = quantised(factors)
    pairs = [f"{form} {lemma}" for form, lemma in irregular.items()]
    save(out, {"words": to_bytes(words), "exceptions": to_bytes(pairs), "idf": idf, "rows": rows, "scale": scale})
    print(f"{out}: {out.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("wordnet", type=Path, help="the folder with data.noun, noun.exc and the like")
    parser.add_argument("out", type=Path)
    given = parser.parse_args()
    train(given.wordnet, given.out)
