"""Do methods judge systems, and single summaries, as people did? REALSumm and data published in its layout.

REALSumm (Bhandari et al. 2020; in the layout of :mod:`pyramidion.formats.lite3pyramid`): 100 documents with one
reference each, the summaries of 25 systems, and for every SCU of a reference whether a summary has it. The human score
is the share of SCUs present. Every method sees the reference alone, its markup (``<t> ... </t>``) turned into one
sentence a line; only a method that asks for the *given* pyramid sees the human SCUs.

For every method and the floor (recall of ROUGE-1, ROUGE-2, ROUGE-L; the lexical pyramid) Pearson's r, Spearman's rho
and Kendall's tau-b at system and at summary level, with bootstrap intervals over documents
(:mod:`pyramidion.stats.correlation`). ROUGE stems words.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import nan
from pathlib import Path
from typing import Any, Literal, get_args

from pyramidion import formats
from pyramidion.bench._floor import Key, floor, of_evaluation
from pyramidion.errors import FormatError, PyramidionError
from pyramidion.methods import Method
from pyramidion.metrics import metric
from pyramidion.metrics.basic_elements import BasicElements
from pyramidion.metrics.rouge import Rouge
from pyramidion.model import Pyramid, Summary, Topic
from pyramidion.report.table import Cell, Table
from pyramidion.run.evaluate import evaluate
from pyramidion.stats.correlation import Correlation, Statistic, summary_level, system_level

__all__ = ["Row", "human_scores", "measure", "read", "sentences", "table", "to_json"]

Level = Literal["system", "summary"]
STATISTICS: tuple[Statistic, ...] = get_args(Statistic)
ROUGE = (Rouge("1", stem=True), Rouge("2", stem=True), Rouge("L", stem=True))

NOTE = """Skipped are documents whose correlation is undefined: everybody scored alike.
System-level intervals allow for the noise of few documents, which lowers a correlation: it can lie below its own."""

_MARKED = re.compile(r"<t>(.*?)</t>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Row:
    """One metric at one level."""

    level: Level
    metric: str
    score: str
    correlations: dict[Statistic, Correlation]


def read(directory: str | Path, documents: int | None = None) -> list[Topic]:
    """The documents that people judged, or the first so many of them, references without markup."""
    topics = formats.load(Path(directory))
    judged = [topic for topic in topics if topic.pyramid and topic.pyramid.scus and topic.annotations]
    if not judged:
        raise FormatError(
            "no summary here is labelled with SCUs", str(directory), "name a folder with SCUs.txt and labels/*.label"
        )
    return [_without_markup(topic) for topic in judged[:documents]]


def _without_markup(topic: Topic) -> Topic:
    pyramid = topic.pyramid
    assert pyramid is not None
    return replace(
        topic,
        references=tuple(map(_plain, topic.references)),
        pyramid=Pyramid(topic.id, tuple(map(_plain, pyramid.references)), pyramid.scus, repeats_told=True),
    )


def _plain(reference: Summary) -> Summary:
    return replace(reference, text=sentences(reference.text))


def sentences(text: str) -> str:
    r"""A text whose sentences stand in ``<t> ... </t>``, with one sentence a line; any other text as it is.

    >>> sentences("<t> It rained . </t> <t> We stayed . </t>")
    'It rained .\nWe stayed .'
    """
    marked = [" ".join(sentence.split()) for sentence in _MARKED.findall(text)]
    return "\n".join(marked) if marked else text


def _metric(name: str) -> Rouge | BasicElements:
    found = metric(name, **({"stem": True} if name.startswith("rouge-") else {}))
    if not isinstance(found, Rouge | BasicElements):
        raise PyramidionError(f"{name!r} is there already, or has no recall", do="choose ROUGE or Basic Elements")
    return found


def human_scores(topics: Iterable[Topic]) -> dict[Key, float]:
    """The share of SCUs that each labelled summary expresses, by document and system."""
    return {
        (topic.id, annotation.summary.id): len(annotation.expressed) / len(topic.pyramid.scus)
        for topic in topics
        if topic.pyramid and topic.pyramid.scus
        for annotation in topic.annotations
    }


def measure(
    topics: Sequence[Topic],
    methods: Iterable[Method] = (),
    score: str = "coverage",
    more: Iterable[str] = (),
    *,
    samples: int = 10_000,
    progress: Callable[[str], None] = lambda topic: None,
) -> list[Row]:
    """Evaluate every method on the documents and correlate it, and the floor, with the human scores.

    ``more`` are names of metrics that stand beside the floor's: ROUGE of another kind, Basic Elements.
    """
    metrics = [of_evaluation(evaluate(topics, method, progress=progress), str(method), [score]) for method in methods]
    metrics += floor(topics, (*ROUGE, *map(_metric, more)), length=False)
    people = human_scores(topics)
    systems = sorted({system for _, system in people})

    def matrix(values: dict[Key, float]) -> list[list[float]]:
        return [[values.get((topic.id, system), nan) for system in systems] for topic in topics]

    rows = []
    levels: dict[Level, Callable[..., Correlation]] = {"system": system_level, "summary": summary_level}
    for level, correlate in levels.items():
        for one in metrics:
            name = score if score in one.scores else next(iter(one.scores))
            found = {
                statistic: correlate(matrix(people), matrix(one.scores[name]), statistic, samples=samples)
                for statistic in STATISTICS
            }
            rows.append(Row(level, one.name, name, found))
    return rows


def table(rows: Iterable[Row], caption: str = "") -> Table:
    """A row for each metric at each level."""
    names = [f"{statistic}{end}" for statistic in STATISTICS for end in ("", "_low", "_high")]
    return Table(
        (
            "level",
            "metric",
            "score",
            *(heading for name in ("r", "rho", "tau") for heading in (name, "from", "to")),
            "skipped",
        ),
        tuple(
            (
                row.level,
                row.metric,
                row.score,
                *(cell for name in STATISTICS for cell in _cells(row.correlations[name])),
                row.correlations["pearson"].undefined,
            )
            for row in rows
        ),
        "Correlation with the share of SCUs that people found, and its 95 % interval over documents",
        "\n".join(filter(None, (NOTE, caption))),
        ("level", "metric", "score", *names, "skipped"),
    )


def _cells(one: Correlation) -> tuple[Cell, ...]:
    return (one.value, *(one.interval or (None, None)))


def to_json(rows: Iterable[Row]) -> list[dict[str, Any]]:
    """The machine-readable result; ``documents`` counts those that the correlation is taken over."""
    return [
        {
            "level": row.level,
            "metric": row.metric,
            "score": row.score,
            **{
                statistic: {
                    "value": one.value,
                    "interval": one.interval,
                    "documents": one.n,
                    "undefined": one.undefined,
                }
                for statistic, one in row.correlations.items()
            },
        }
        for row in rows
    ]
