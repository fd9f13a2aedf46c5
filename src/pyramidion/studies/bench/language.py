"""The language layer against treebanks, from raw text and with gold words.

With gold words (and sentences), accuracy is a share of words. From raw text everything is an F1 over character offsets:
a tag is right if a word with these offsets has it, an arc if the word, its head's offsets and (labelled) its relation
are right. UAS and LAS leave out punctuation. A sentence is right if both its ends are. EDU boundaries are the offsets
at which units start: all of them, and those inside sentences; only treebanks with discourse units (GUM) have them.
Clauses are the finest segments that :mod:`~pyramidion.language.parse.clauses` makes of the predicted tree, against
those of the gold tree.
"""

from __future__ import annotations

import gzip
import zlib
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pyramidion.errors import FormatError
from pyramidion.io.files import decode, read_bytes
from pyramidion.language.parse import conllu
from pyramidion.language.parse.analysis import ROOT, Analysis
from pyramidion.language.parse.clauses import clause_f1
from pyramidion.language.parse.minilm import minilm
from pyramidion.language.text.words import split_words

__all__ = ["COLUMNS", "Figures", "measure", "treebank"]

COLUMNS = ("words", "sentences", "upos", "xpos", "lemmas", "uas", "las", "edus", "inner_edus", "clauses")


@dataclass(frozen=True, slots=True)
class Figures:
    """Per cent right on one treebank; nothing where it has no such annotation."""

    treebank: str
    given: str
    values: dict[str, float | None]


def treebank(path: Path) -> list[Analysis]:
    """The documents of a CoNLL-U file, plain or gzipped."""
    data = read_bytes(path)
    try:
        data = gzip.decompress(data) if path.suffix == ".gz" else data
    except (OSError, EOFError, zlib.error) as error:
        raise FormatError(
            f"this cannot be unpacked ({error})", str(path), "give a CoNLL-U file, plain or gzipped"
        ) from None
    return conllu.loads(decode(data, str(path)), str(path))


class _Pairs:
    """Counts of what gold and prediction have, and have in common."""

    def __init__(self) -> None:
        self.common: Counter[str] = Counter()
        self.total: Counter[str] = Counter()

    def add(self, name: str, gold: Iterable[Hashable], found: Iterable[Hashable]) -> None:
        one, other = set(gold), set(found)
        self.common[name] += len(one & other)
        self.total[name] += len(one) + len(other)

    def f1(self, name: str) -> float | None:
        return 200 * self.common[name] / self.total[name] if self.total[name] else None


def _words(analysis: Analysis, name: str) -> set[Hashable]:
    return {
        (word.start, word.end, getattr(word, name)) for word in analysis.words if name != "lemma" or word.lemma != "_"
    }


def _arcs(analysis: Analysis, labelled: bool) -> set[Hashable]:
    found: set[Hashable] = set()
    for word in analysis.words:
        if word.relation != "punct":
            head = (-1, -1) if word.head == ROOT else (analysis.words[word.head].start, analysis.words[word.head].end)
            found.add((word.start, word.end, head, word.relation if labelled else ""))
    return found


def _starts(analysis: Analysis, inner: bool) -> set[Hashable]:
    sentences = {first for first, _ in analysis.sentences}
    return {analysis.words[first].start for first, _ in analysis.edus if not inner or first not in sentences}


def _compare(pairs: _Pairs, gold: Analysis, found: Analysis, with_edus: bool) -> None:
    pairs.add("words", ((w.start, w.end) for w in gold.words), ((w.start, w.end) for w in found.words))
    pairs.add("sentences", gold.sentence_spans(), found.sentence_spans())
    for name, attribute in (("upos", "upos"), ("xpos", "xpos"), ("lemmas", "lemma")):
        pairs.add(name, _words(gold, attribute), _words(found, attribute))
    pairs.add("uas", _arcs(gold, False), _arcs(found, False))
    pairs.add("las", _arcs(gold, True), _arcs(found, True))
    if with_edus:
        pairs.add("edus", _starts(gold, False), _starts(found, False))
        pairs.add("inner_edus", _starts(gold, True), _starts(found, True))


def measure(path: Path, progress: Callable[[str], None] = lambda document: None) -> list[Figures]:
    """The figures of the embedded model on a treebank: with gold words and sentences, and from raw text."""
    model = minilm()
    documents = treebank(path)
    with_edus = any(len(document.edus) > len(document.sentences) for document in documents)
    given: dict[str, list[Analysis]] = {"gold words": [], "raw text": []}
    for document in documents:
        offsets = [(word.start, word.end) for word in document.words]
        given["gold words"].append(model.analyse(document.text, offsets, [first for first, _ in document.sentences]))
        given["raw text"].append(model.analyse(document.text, split_words(document.text)))
        progress(document.text)
    return [_figures(path, name, documents, found, with_edus) for name, found in given.items()]


def _figures(
    path: Path, given: str, documents: Sequence[Analysis], found: Sequence[Analysis], with_edus: bool
) -> Figures:
    pairs = _Pairs()
    for gold, ours in zip(documents, found, strict=True):
        _compare(pairs, gold, ours, with_edus)
    values = {name: pairs.f1(name) for name in COLUMNS[:-1]}
    values["clauses"] = 100 * clause_f1(documents, found)
    return Figures(path.name.partition(".")[0], given, values)
