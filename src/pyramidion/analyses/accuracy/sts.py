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
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from pyramidion.base.files import decode, read_bytes
from pyramidion.base.tables import Cell, Table
from pyramidion.errors import FormatError, Where
from pyramidion.language.models.weights import models_field
from pyramidion.language.vectors import EMBEDDERS, Embedder, cosine, embedder, models_of
from pyramidion.result import Result
from pyramidion.signature import Signature
from pyramidion.stats.correlation import pearson

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
class EmbedderCorrelations:
    """The correlations of one embedder; None where its cosines do not vary."""

    embedder: str
    sets: tuple[tuple[str, float | None], ...]
    mean: float | None
    pooled: float | None


@dataclass(frozen=True, slots=True)
class StsStudy(Result):
    """The correlations of embedders, and the four figures that Gao et al. print."""

    signature: Signature
    embedders: tuple[EmbedderCorrelations, ...]

    def tables(self, *, whole: bool = False) -> dict[str, Table]:
        """Return a row for each embedder, then for each of the paper's."""
        names = tuple(name for name, _ in self.embedders[0].sets) if self.embedders else ()
        rows: list[tuple[Cell, ...]] = [
            (measured.embedder, *(value for _, value in measured.sets), measured.mean, measured.pooled)
            for measured in self.embedders
        ]
        rows += (
            (f"{name} (Gao et al. 2019)", *(None for _ in names), value, value) for name, value in GAO_2019.items()
        )
        title = "STS-14: Pearson's correlation of cosines with human judgements"
        caption = "Gao et al. print one figure, without saying whether it is the mean of the sets or pooled."
        columns = ("embedder", *names, "mean", "pooled")
        return {"embedders": Table(columns, tuple(rows), title, caption, signature=str(self.signature))}

    def to_json(self) -> dict[str, Any]:
        """Return the whole result as a dictionary for JSON."""
        return {"signature": str(self.signature), "results": self.embedders, "gao_2019": GAO_2019}


def bench_sts(
    embedders: Iterable[str | Embedder],
    sets: Sequence[Pairs],
    *,
    progress: Callable[[str], None] = lambda embedder: None,
) -> StsStudy:
    """Correlate the cosines of embedders, given as such or by name, with the judgements.

    ``progress`` is told of each embedder when it is done.
    """
    embedders = tuple(embedders)
    measured = []
    for chosen in [embedder(spec) for spec in embedders]:
        measured.append(_correlations(chosen, sets))
        progress(chosen.name)
    names = ",".join(row.embedder for row in measured)
    models = models_field(model for spec in embedders if isinstance(spec, str) for model in models_of(spec))
    named = (spec.partition(":")[0] for spec in embedders if isinstance(spec, str))
    contributed = dict.fromkeys(pair for name in named for pair in EMBEDDERS.signed(name))
    return StsStudy(Signature("bench-sts", (("embedders", names), *models, *contributed)), tuple(measured))


def _correlations(embed: Embedder, sets: Sequence[Pairs]) -> EmbedderCorrelations:
    cosines = [cosine(embed(pairs.first), embed(pairs.second)) for pairs in sets]
    within = [_pearson(pairs.judgements, of_set) for pairs, of_set in zip(sets, cosines, strict=True)]
    defined = [value for value in within if value is not None]
    return EmbedderCorrelations(
        embed.name,
        tuple(zip((pairs.name for pairs in sets), within, strict=True)),
        # a mean over fewer sets would not compare with those of other embedders
        float(np.mean(defined)) if len(defined) == len(within) else None,
        _pearson(np.concatenate([pairs.judgements for pairs in sets]), np.concatenate(cosines)),
    )


def _pearson(judgements: ArrayLike, cosines: ArrayLike) -> float | None:
    """Return Pearson's r. Cosines that are all 1 differ in their last digits; that is not variation."""
    values = np.asarray(cosines, np.float64)
    varies = np.abs(values - values.mean()).max() > 1e-6 * np.abs(values).max()
    return pearson(judgements, values) if varies else None


def read(directory: str | Path) -> tuple[Pairs, ...]:
    """Read the sets in a folder, by name."""
    folder = Path(directory)
    files = sorted(folder.glob("*.tsv")) if folder.is_dir() else []
    if not files:
        raise FormatError(
            "There are no .tsv files here", str(folder), "name the folder with the STS sets, one NAME.tsv file each"
        )
    return tuple(map(_pairs, files))


def _pairs(path: Path) -> Pairs:
    """Read the pairs of sentences of one set, with their judgements."""
    lines = decode(read_bytes(path), str(path), may_be_empty=True).split("\n")
    rows = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        fields = line.rstrip("\r").split("\t")
        judgement = _number(fields[0])
        if len(fields) != 3 or not math.isfinite(judgement):
            raise FormatError(
                "This is not a judgement and two sentences, separated by tabs",
                Where(str(path), number),
                "check the line",
            )
        rows.append((judgement, fields[1], fields[2]))
    if len({judgement for judgement, *_ in rows}) < 2:
        raise FormatError("A correlation needs at least two different judgements", str(path), "add pairs")
    judgements, first, second = zip(*rows, strict=True)
    return Pairs(path.stem, first, second, judgements)


def _number(field: str) -> float:
    try:
        return float(field)
    except ValueError:
        return math.nan
