"""Do cosines follow human judgements? Semantic textual similarity, SemEval 2014 task 10 (STS-14).

Six sets, 3,750 pairs of sentences, each with the mean of human judgements from 0 (unrelated) to 5 (the same). For an
embedder the figure is Pearson's correlation of the pairs' cosines with the judgements: within each set, as the mean
of the sets (the task's own figure, which forgives a different scale in every set), and pooled over all pairs. Gao et
al. 2019, Table 1, gives one figure for "STS-14 (3750)" per method; its caption does not say whether pooled or mean,
so they stand beside both.

A set is a file ``NAME.tsv``: judgement, sentence, sentence, separated by tabs, without quoting.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pyramidion.errors import FormatError, Where
from pyramidion.io.files import decode, read_bytes
from pyramidion.io.tables import Cell, Table
from pyramidion.language.vectors import Embedder, cosine

__all__ = ["GAO_2019", "Pairs", "Result", "measure", "pearson", "read", "table"]

GAO_2019 = {"WTMF": 0.7257, "GloVe + SIF": 0.6129, "USE": 0.5757, "ELMo": 0.1636}
"""Table 1 of Gao et al. 2019, row STS-14."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """One set: pairs of sentences and their judgements."""

    name: str
    first: tuple[str, ...]
    second: tuple[str, ...]
    judgements: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """The correlations of one embedder; ``nan`` where its cosines do not vary."""

    embedder: str
    sets: tuple[tuple[str, float], ...]
    mean: float
    pooled: float


def read(directory: str | Path) -> tuple[Pairs, ...]:
    """The sets in a folder, by name."""
    folder = Path(directory)
    files = sorted(folder.glob("*.tsv")) if folder.is_dir() else []
    if not files:
        raise FormatError(
            "there are no .tsv files here", str(folder), "name the folder with the STS sets, NAME.tsv each"
        )
    return tuple(map(_pairs, files))


def _pairs(path: Path) -> Pairs:
    lines = decode(read_bytes(path), str(path), may_be_empty=True).split("\n")
    rows = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        fields = line.rstrip("\r").split("\t")
        judgement = _number(fields[0])
        if len(fields) != 3 or not math.isfinite(judgement):
            raise FormatError(
                "this is not a judgement and two sentences, separated by tabs",
                Where(str(path), number),
                "check the line",
            )
        rows.append((judgement, fields[1], fields[2]))
    if len({judgement for judgement, *_ in rows}) < 2:
        raise FormatError("a correlation needs at least two different judgements", str(path), "add pairs")
    judgements, first, second = zip(*rows, strict=True)
    return Pairs(path.stem, first, second, judgements)


def _number(field: str) -> float:
    try:
        return float(field)
    except ValueError:
        return math.nan


def pearson(a: Sequence[float] | NDArray[np.float64], b: Sequence[float] | NDArray[np.float64]) -> float:
    """Pearson's r; ``nan`` where one side does not vary.

    >>> pearson([1, 2, 3], [2, 4, 7]).__round__(4)
    0.9934
    """
    x, y = np.asarray(a, np.float64), np.asarray(b, np.float64)
    x, y = x - x.mean(), y - y.mean()
    # Cosines that are all 1 differ in their last digits; that is not variation.
    if any(np.abs(side).max() <= 1e-6 * np.abs(given).max() for side, given in ((x, a), (y, b))):
        return math.nan
    return float(x @ y / np.sqrt((x @ x) * (y @ y)))


def measure(embedder: Embedder, sets: Sequence[Pairs]) -> Result:
    """The correlations of an embedder's cosines with the judgements."""
    cosines = [cosine(embedder(pairs.first), embedder(pairs.second)) for pairs in sets]
    within = [pearson(pairs.judgements, found) for pairs, found in zip(sets, cosines, strict=True)]
    pooled = pearson(np.concatenate([pairs.judgements for pairs in sets]), np.concatenate(cosines))
    names = [pairs.name for pairs in sets]
    return Result(embedder.name, tuple(zip(names, within, strict=True)), float(np.mean(within)), pooled)


def table(results: Iterable[Result]) -> Table:
    """Our embedders, one a row, above the four figures that Gao et al. print."""
    found = tuple(results)
    names = tuple(name for name, _ in found[0].sets) if found else ()
    rows: list[tuple[Cell, ...]] = [
        (result.embedder, *(_cell(r) for _, r in result.sets), _cell(result.mean), _cell(result.pooled))
        for result in found
    ]
    printed = [(f"{name} (Gao et al. 2019)", *(None for _ in names), value, value) for name, value in GAO_2019.items()]
    return Table(
        ("embedder", *names, "mean", "pooled"),
        (*rows, *printed),
        title="STS-14: Pearson's correlation of cosines with human judgements",
        caption="Gao et al. print one figure, without saying whether it is the mean of the sets or pooled.",
    )


def _cell(value: float) -> Cell:
    return None if math.isnan(value) else round(value, 4)
