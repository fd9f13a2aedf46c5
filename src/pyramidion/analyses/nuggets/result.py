"""The result of a study of nuggets: assignments, the four scores of every run, and comparisons of runs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from pyramidion.analyses.compare.result import Comparison
from pyramidion.analyses.nuggets.arithmetic import SCORES, NuggetScores, Score
from pyramidion.base.choices import check_choices
from pyramidion.base.pictures import PictureFormat
from pyramidion.base.tables import Cell, Table
from pyramidion.errors import PyramidionError
from pyramidion.formats.nuggetizer import LineRecord, dumps_lines
from pyramidion.model import Annotation
from pyramidion.result import Result
from pyramidion.signature import Signature
from pyramidion.stats.bootstrap import Interval, few_note

_HEADINGS = ("all", "strict all", "vital", "strict vital")
_SHOWN: tuple[Score, ...] = ("all_score", "strict_all_score", "vital_score", "strict_vital_score")


@dataclass(frozen=True, slots=True)
class AssignedAnswer:
    """An answer with its nuggets' assignments and scores."""

    line: LineRecord
    scores: NuggetScores
    annotation: Annotation | None = None
    """The judge's annotation, with probabilities and words; None if the file had assignments."""


@dataclass(frozen=True, slots=True)
class RunScores:
    """A run's means over its queries, with intervals if there are enough queries."""

    run: str
    queries: int
    means: NuggetScores
    intervals: tuple[tuple[Score, Interval | None], ...]


@dataclass(frozen=True, slots=True)
class NuggetStudy(Result):
    """Every answer, every run and, if they answer the same queries, all pairs of runs."""

    signature: Signature
    score: Score
    """The score by which runs are ranked and compared."""
    runs: tuple[RunScores, ...]
    """The runs, best first."""
    answers: tuple[AssignedAnswer, ...]
    comparison: Comparison | None = None
    notes: tuple[str, ...] = ()
    """Notes on what was left out or filled in."""

    def tables(self, *, whole: bool = False) -> dict[str, Table]:
        """Return the runs, their pairs if they can be compared, the answers, and every nugget of every answer."""
        pairs = {"pairs": self.comparison.table("pairs", whole=whole)} if self.comparison else {}
        return {
            "runs": _every_number(self) if whole else _runs_table(self),
            **pairs,
            "answers": _answers_table(self),
            "nuggets": _nuggets_table(self),
        }

    @property
    def shown(self) -> tuple[str, ...]:
        """Name the runs, and the pairs unless there are many."""
        return ("runs", "pairs") if self.comparison and "pairs" in self.comparison.shown else ("runs",)

    def table(self, name: str = "", *, whole: bool = False) -> Table:
        """Return the table of this name; the default is the runs."""
        if name == "pairs" and self.comparison is None:
            raise PyramidionError(
                "There are no two runs that answer two queries in common, and so no pairs.", do="give more answers"
            )
        return Result.table(self, name, whole=whole)

    @check_choices
    def draw(self, format: PictureFormat = "svg", /) -> bytes:
        """Draw the runs' means with their intervals, best on top, and the letters of their groups."""
        if self.comparison is None:
            raise PyramidionError("There are no two runs to draw.", do="give the answers of two runs or more")
        return self.comparison.draw(format)

    def assignments(self) -> bytes:
        """Return the file of assignments that nuggetizer would write."""
        return dumps_lines(answer.line for answer in self.answers)

    def to_json(self) -> dict[str, Any]:
        """Return everything for programs; scores have nuggetizer's names and digits."""
        return {
            "signature": str(self.signature),
            "score": self.score,
            "runs": [
                {"run_id": run.run, "queries": run.queries, **asdict(run.means), "intervals": dict(run.intervals)}
                for run in self.runs
            ],
            "answers": [
                {"qid": str(answer.line.qid), "run_id": answer.line.run, **asdict(answer.scores)}
                for answer in self.answers
            ],
            "comparison": self.comparison and self.comparison.to_json(),
            "notes": self.notes,
        }


def _runs_table(study: NuggetStudy) -> Table:
    """Make a row for each run, best first: every score with its interval."""
    rows: list[tuple[Cell, ...]] = []
    for run in study.runs:
        intervals = dict(run.intervals)
        rows.append(
            (
                run.run,
                run.queries,
                *(_with_interval(getattr(run.means, score), intervals[score]) for score in _SHOWN),
            )
        )
    ranked = _HEADINGS[_SHOWN.index(study.score)]
    caption = "all, vital: partial support counts one half; strict: it counts nothing."
    if study.comparison:
        significant = sum(pair.significant for pair in study.comparison.pairs)
        caption += f"\nDifferences of {ranked} that are significant: {significant} of {len(study.comparison.pairs)}."
    if few := few_note(min(run.queries for run in study.runs), "queries"):
        caption += f"\n{few}"
    return Table(
        ("run", "queries", *_HEADINGS),
        tuple(rows),
        f"Nugget scores, means over queries with 95 % bootstrap intervals; best {ranked} first",
        caption,
        signature=str(study.signature),
        notes=study.notes,
    )


def _with_interval(value: float, interval: Interval | None) -> str:
    return f"{value:.4f}" + (f" [{interval.low:.4f}, {interval.high:.4f}]" if interval else "")


def _every_number(study: NuggetStudy) -> Table:
    columns = ("run_id", "queries", *(f"{score}{end}" for score in SCORES for end in ("", "_low", "_high")))
    rows = []
    for run in study.runs:
        intervals = dict(run.intervals)
        cells: list[Cell] = [run.run, run.queries]
        for score in SCORES:
            cells += [getattr(run.means, score), *(intervals[score] or (None, None))]
        rows.append(tuple(cells))
    return Table(columns, tuple(rows), signature=str(study.signature), notes=study.notes)


def _answers_table(study: NuggetStudy) -> Table:
    """Make a row for each answer, with its scores."""
    rows = tuple(
        (
            str(answer.line.qid),
            answer.line.run,
            len(answer.line.nuggets),
            *(getattr(answer.scores, score) for score in _SHOWN),
        )
        for answer in study.answers
    )
    return Table(
        ("query", "run", "nuggets", *_HEADINGS),
        rows,
        "Nugget scores of every answer",
        keys=("qid", "run_id", "nuggets", *_SHOWN),
        signature=str(study.signature),
    )


def _nuggets_table(study: NuggetStudy) -> Table:
    rows = [row for answer in study.answers for row in _nugget_rows(answer)]
    return Table(
        ("query", "run", "nugget", "importance", "assignment", "probability", "words"),
        tuple(rows),
        "Every nugget of every answer",
        keys=("qid", "run_id", "text", "importance", "assignment", "probability", "words"),
        signature=str(study.signature),
    )


def _nugget_rows(answer: AssignedAnswer) -> list[tuple[Cell, ...]]:
    """Make a row for each nugget of an answer, with the probability and the words that the judge gave."""
    annotation = answer.annotation
    probabilities = dict(annotation.probabilities) if annotation else {}
    matches = {match.scu: match for match in annotation.matches} if annotation else {}
    rows: list[tuple[Cell, ...]] = []
    for number, nugget in enumerate(answer.line.nuggets, start=1):
        match = matches.get(str(number))
        words = " ... ".join(span.of(answer.line.answer or "") for span in match.spans) if match else ""
        rows.append(
            (
                str(answer.line.qid),
                answer.line.run,
                nugget.text,
                nugget.importance,
                nugget.assignment,
                probabilities.get(str(number)),
                words,
            )
        )
    return rows
