"""The language layer, measured on treebanks from raw text and with gold words.

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
from typing import Any

from pyramidion.base.files import decode, read_bytes
from pyramidion.base.tables import Cell, Table
from pyramidion.errors import FormatError
from pyramidion.language.models.weights import models_field
from pyramidion.language.parse import conllu
from pyramidion.language.parse.analysis import ROOT, Analysis
from pyramidion.language.parse.clauses import clause_f1
from pyramidion.language.parse.minilm import minilm
from pyramidion.language.text.words import split_words
from pyramidion.result import Result
from pyramidion.signature import Signature

COLUMNS = {
    "words": "words",
    "sentences": "sent.",
    "upos": "UPOS",
    "xpos": "XPOS",
    "lemmas": "lemmas",
    "uas": "UAS",
    "las": "LAS",
    "edus": "EDUs",
    "inner_edus": "inner",
    "clauses": "clauses",
}
"""The figures, and how a table heads them."""


@dataclass(frozen=True, slots=True)
class Treebank:
    """Documents with gold words, tags and trees."""

    name: str
    documents: Sequence[Analysis]


@dataclass(frozen=True, slots=True)
class TreebankFigures:
    """The percentage that is right on one treebank; None if it has no such annotation."""

    treebank: str
    given: str
    values: dict[str, float | None]


@dataclass(frozen=True, slots=True)
class LanguageStudy(Result):
    """The embedded model on treebanks."""

    signature: Signature
    treebanks: tuple[TreebankFigures, ...]

    def tables(self, *, whole: bool = False) -> dict[str, Table]:
        """Return two rows for each treebank: with gold words, and from raw text."""
        rows: list[tuple[Cell, ...]] = [
            (treebank.treebank, treebank.given, *(_percentage(treebank.values[name], whole) for name in COLUMNS))
            for treebank in self.treebanks
        ]
        caption = "Per cent. From raw text: F1 over character offsets. UAS and LAS without punctuation."
        columns, keys = ("treebank", "given", *COLUMNS.values()), ("treebank", "given", *COLUMNS)
        return {"treebanks": Table(columns, tuple(rows), "", caption, keys, str(self.signature))}

    def to_json(self) -> dict[str, Any]:
        """Return the whole result as a dictionary for JSON."""
        return {"signature": str(self.signature), "results": self.treebanks}


def _percentage(value: float | None, whole: bool) -> Cell:
    return value if value is None or whole else round(value, 1)


def read_treebank(path: Path) -> Treebank:
    """Read a CoNLL-U file, plain or gzipped; the treebank is named after the file."""
    data = read_bytes(path)
    try:
        data = gzip.decompress(data) if path.suffix == ".gz" else data
    except (OSError, EOFError, zlib.error) as error:
        raise FormatError(
            f"This cannot be unpacked ({error})", str(path), "give a CoNLL-U file, plain or gzipped"
        ) from None
    return Treebank(path.name.partition(".")[0], conllu.loads(decode(data, str(path)), str(path)))


class _Pairs:
    """Counts of items in the gold annotation, in the prediction, and in both."""

    def __init__(self) -> None:
        self.common: Counter[str] = Counter()
        self.total: Counter[str] = Counter()

    def add(self, name: str, gold: Iterable[Hashable], ours: Iterable[Hashable]) -> None:
        expected, predicted = set(gold), set(ours)
        self.common[name] += len(expected & predicted)
        self.total[name] += len(expected) + len(predicted)

    def f1(self, name: str) -> float | None:
        return 200 * self.common[name] / self.total[name] if self.total[name] else None


def _words(analysis: Analysis, name: str) -> set[Hashable]:
    return {
        (word.start, word.end, getattr(word, name)) for word in analysis.words if name != "lemma" or word.lemma != "_"
    }


def _arcs(analysis: Analysis, labelled: bool) -> set[Hashable]:
    arcs: set[Hashable] = set()
    for word in analysis.words:
        if word.relation != "punct":
            # no word has the offsets -1: they stand for the root
            head = (-1, -1) if word.head == ROOT else (analysis.words[word.head].start, analysis.words[word.head].end)
            arcs.add((word.start, word.end, head, word.relation if labelled else ""))
    return arcs


def _starts(analysis: Analysis, inner: bool) -> set[Hashable]:
    sentences = {first for first, _ in analysis.sentences}
    return {analysis.words[first].start for first, _ in analysis.edus if not inner or first not in sentences}


def _compare(pairs: _Pairs, gold: Analysis, ours: Analysis, with_edus: bool) -> None:
    pairs.add("words", ((w.start, w.end) for w in gold.words), ((w.start, w.end) for w in ours.words))
    pairs.add("sentences", gold.sentence_spans(), ours.sentence_spans())
    for name, attribute in (("upos", "upos"), ("xpos", "xpos"), ("lemmas", "lemma")):
        pairs.add(name, _words(gold, attribute), _words(ours, attribute))
    pairs.add("uas", _arcs(gold, False), _arcs(ours, False))
    pairs.add("las", _arcs(gold, True), _arcs(ours, True))
    if with_edus:
        pairs.add("edus", _starts(gold, False), _starts(ours, False))
        pairs.add("inner_edus", _starts(gold, True), _starts(ours, True))


def bench_language(
    treebanks: Iterable[Treebank], *, progress: Callable[[str], None] = lambda document: None
) -> LanguageStudy:
    """Measure the embedded model on each treebank.

    ``progress`` is told of each document when it is analysed.
    """
    model = minilm()
    figures: list[TreebankFigures] = []
    for treebank in treebanks:
        analysed: dict[str, list[Analysis]] = {"gold words": [], "raw text": []}
        for document in treebank.documents:
            offsets = [(word.start, word.end) for word in document.words]
            starts = [first for first, _ in document.sentences]
            analysed["gold words"].append(model.analyse(document.text, offsets, starts))
            analysed["raw text"].append(model.analyse(document.text, split_words(document.text)))
            progress(document.text)
        figures += (_figures(treebank, given, ours) for given, ours in analysed.items())
    return LanguageStudy(Signature("bench-language", models_field(("en-minilm", "lemmas"))), tuple(figures))


def _figures(treebank: Treebank, given: str, analysed: Sequence[Analysis]) -> TreebankFigures:
    documents = treebank.documents
    # a treebank without discourse units has one unit a sentence
    with_edus = any(len(document.edus) > len(document.sentences) for document in documents)
    pairs = _Pairs()
    for gold, ours in zip(documents, analysed, strict=True):
        _compare(pairs, gold, ours, with_edus)
    values = {column: pairs.f1(column) for column in COLUMNS if column != "clauses"}
    values["clauses"] = 100 * clause_f1(documents, analysed)
    return TreebankFigures(treebank.name, given, values)
