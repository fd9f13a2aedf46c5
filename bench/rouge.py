"""ROUGE: how fast, beside Google's ``rouge-score``, and how exact, beside ROUGE-1.5.5.

    python bench/rouge.py [FOLDER] [--json]
    python bench/rouge.py [FOLDER] --exactness [--json]

The folder (default: ``../shared/data`` beside the repository) holds ``realsumm/`` for the speed, and ``rouge155/`` and
``cc-students/`` for the exactness.

Speed: every summary of every system with its reference, in one process, the best of three. rouge-score computes
ROUGE-1, 2 and L, ours the same and SU4 besides, with ``level="sentence"``, which is what rouge-score's ``rougeL`` is;
ours starts with nothing kept of earlier runs. Both with and without stemming: rouge-score stems each word anew.
Seconds are those of the processor, so that what else the machine does counts for neither. Where rouge-score's words are
ours (no stemming), the scores must be equal. It is no part of the project: ``pip install rouge-score``.

Exactness: the values of ROUGE-1.5.5 that ``rouge155/`` has, how many, how many have other digits than ours, and the
largest difference of our unrounded value.
"""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from measuring import DATA, Row, command_line, show, timed

from pyramidion.language.text.porter import stem as stem_word
from pyramidion.metrics import Rouge, RougeScore
from pyramidion.metrics._pairs import prepared

OURS = ("1", "2", "L", "SU4")
THEIRS = {"rouge1": "1", "rouge2": "2", "rougeL": "L"}


def pairs(folder: Path) -> tuple[list[str], list[str]]:
    """The summaries of all systems and, for each, the reference without markup."""
    references = [re.sub(r"</?t>", " ", line) for line in (folder / "references.txt").read_text("utf-8").splitlines()]
    systems = sorted((folder / "summaries").glob("*.summary"))
    summaries = [summary for system in systems for summary in system.read_text("utf-8").splitlines()]
    return summaries, references * len(systems)


def ours(metrics: list[Rouge], summaries: list[str], references: list[list[str]]) -> dict[str, list[RougeScore]]:
    prepared.cache_clear()
    stem_word.cache_clear()
    return {one.metric: one.scores(summaries, references) for one in metrics}


def theirs(scorer: Any, summaries: list[str], references: list[str]) -> list[Any]:
    return [scorer.score(reference, summary) for reference, summary in zip(references, summaries, strict=True)]


def speed(folder: Path) -> Iterator[Row]:
    try:
        from rouge_score.rouge_scorer import RougeScorer  # type: ignore[import-not-found]
    except ImportError:
        sys.exit("rouge-score, which this compares with, is not installed: pip install rouge-score")
    summaries, references = pairs(folder / "realsumm")
    own = [[reference] for reference in references]
    for stem in (False, True):
        metrics = [Rouge(metric, stem=stem, level="sentence") for metric in OURS]

        scorer = RougeScorer(list(THEIRS), use_stemmer=stem)
        seconds, found = timed(partial(ours, metrics, summaries, own), 3)
        three, _ = timed(partial(ours, metrics[:3], summaries, own), 3)
        slow, scored = timed(partial(theirs, scorer, summaries, references), 3)
        apart = max(
            abs(score[name].fmeasure - found[metric][place].f)
            for name, metric in THEIRS.items()
            for place, score in enumerate(scored)
        )
        assert stem or apart < 1e-12, f"rouge-score differs by {apart}"
        count = len(summaries)
        yield {
            "stemming": "yes" if stem else "no",
            "pairs": count,
            "rouge-score 1 2 L": round(count / slow, 1),
            "ours 1 2 L": round(count / three, 1),
            "ours 1 2 L SU4": round(count / seconds, 1),
            "times, 1 2 L": round(slow / three, 1),
            "times, with SU4": round(slow / seconds, 1),
            "largest difference of F": apart,
        }


def exactness(folder: Path) -> Iterator[Row]:
    """Each option and metric: as the stored values were made, a sentence ends at the first ``<``."""

    def text(path: Path) -> str:
        return "\n".join(line.split("<")[0] for line in path.read_text("utf-8").split("\n"))

    students = folder / "cc-students"
    references = [text(path) for path in sorted(students.glob("references/*"))]
    with (folder / "rouge155" / "cc-students.csv").open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["options"] in ("plain", "stem")]
    for option, metric in dict.fromkeys((row["options"], row["metric"]) for row in rows):
        stored = [row for row in rows if (row["options"], row["metric"]) == (option, metric)]
        peers = [text(next(students.glob(f"peers/{row['peer']}_*"))) for row in stored]
        scores = Rouge(metric, stem=option == "stem").scores(peers, [references] * len(peers))
        expected = [(row["recall"], row["precision"], row["f1"]) for row in stored]
        yield {
            "options": option,
            "metric": metric,
            "values": 3 * len(stored),
            "other digits": sum(
                ours != theirs
                for score, row in zip(scores, expected, strict=True)
                for ours, theirs in zip(score.printed(), row, strict=True)
            ),
            "largest difference": max(
                abs(ours - float(theirs))
                for score, row in zip(scores, expected, strict=True)
                for ours, theirs in zip(score, row, strict=True)
            ),
        }


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=DATA)
    parser.add_argument("--exactness", action="store_true", help="compare with ROUGE-1.5.5 instead")
    given = parser.parse_args()
    rows = list((exactness if given.exactness else speed)(given.folder))
    if given.exactness:
        total = {name: sum(row[name] for row in rows) for name in ("values", "other digits")}
        largest = max(row["largest difference"] for row in rows)
        rows.append({"options": "all", "metric": "", **total, "largest difference": largest})
        show({"Ours and ROUGE-1.5.5's: 15 student summaries, five references": rows}, given.json)
    else:
        show({"Pairs per second, one process: REALSumm": rows}, given.json)


if __name__ == "__main__":
    main()
