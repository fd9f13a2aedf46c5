"""Crowd votes: how fast, beside a plain pass of the csv module over the same bytes.

    python bench/crowd.py [--data FOLDER] [--quick] [--json]

- **REALSumm**: all votes (25 files, 7,743 rows of 16 answers) from CSV to scores of every summary and system and alpha.
- **QAPyramid**: all judgements (one JSON file) to the same; the csv pass reads the JSON as lines.
- **generated**: 100,000 rows of Mechanical Turk results with worker ids, seeded, written to a temporary file.
- **Dawid-Skene**, **MACE**, the worker filter by both agreements and the workers' report, on the votes of each; on
  those of REALSumm also the **curves** (3 workers down to 1, statements 16 to 4, topics 100 to 10, 20 draws of each).
- **held back**: of three in ten items with three votes or more one vote is hidden and predicted from the others, by the
  share of votes (half a vote of either kind added) and by the models, with unnamed workers each their own or as one:
  mean log loss and share predicted, over three draws. There is no truth to compare with, but votes can be foretold.
- **careless workers**: simulated crowds whose truth is known (``tests/crowd/making.py``): the share of wrong decisions
  by each way, mean of ten crowds.

``rows/s`` are rows of CSV, or submissions, from bytes to scores; ``times csv`` is our time by the pass's. Processor
seconds of one process; the pass and ours take turns, and the best of five rounds of each counts.
"""

from __future__ import annotations

import csv
import sys
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, get_args

import numpy as np
from measuring import DATA, Row, command_line, show, timed

from pyramidion.crowd.answers.collect import read_all
from pyramidion.crowd.judging import dawid_skene, mace
from pyramidion.crowd.judging.aggregate import AGGREGATIONS, Decisions, majority
from pyramidion.crowd.judging.filtering import filter_workers
from pyramidion.crowd.judging.voters import Unnamed, Voted
from pyramidion.crowd.judging.votes import Votes
from pyramidion.crowd.results.workers import crowd_workers
from pyramidion.crowd.scores.curves import curves
from pyramidion.crowd.scores.scoring import score
from pyramidion.errors import InputWarning
from pyramidion.stats.correlation import kendall


def csv_pass(files: Sequence[Path]) -> int:
    """Every cell of every row, and nothing done with it."""
    rows = 0
    for file in files:
        with file.open(newline="", encoding="utf-8") as lines:
            rows += sum(1 for _ in csv.reader(lines))
    return rows


def whole(files: Sequence[Path]) -> dict[str, float]:
    """From bytes to scores and alpha, step by step."""
    reading, submissions = timed(lambda: read_all(files))
    making, votes = timed(lambda: Votes.of(submissions))
    scoring, _ = timed(lambda: score(votes, majority(votes), samples=0))
    return {"rows": len(submissions), "read s": reading, "votes s": making, "scores and alpha s": scoring}


def from_bytes(name: str, files: Sequence[Path], rounds: int) -> Row:
    passes, ours = [], []
    for _ in range(rounds):
        passes.append(timed(lambda: csv_pass(files))[0])
        ours.append(timed(lambda: whole(files)))
    plain, (all_of_it, steps) = min(passes), min(ours, key=lambda one: one[0])
    return {
        "what": name,
        "MB": round(sum(file.stat().st_size for file in files) / 1e6, 1),
        **{step: round(value, 3) if step != "rows" else int(value) for step, value in steps.items()},
        "all s": round(all_of_it, 3),
        "csv pass s": round(plain, 3),
        "times csv": round(all_of_it / plain, 1),
        "rows/s": round(steps["rows"] / all_of_it),
    }


def models(name: str, votes: Votes) -> list[Row]:
    """What takes longer than counting."""
    plain = majority(votes).present
    rows: list[Row] = []
    for aggregation in ("dawid-skene", "mace"):
        took, found = timed(partial(AGGREGATIONS[aggregation], votes))
        differing = int((found.present != plain).sum())
        before, after = (_means(votes, decisions) for decisions in (majority(votes), found))
        moved = max(abs(one - other) for one, other in zip(before, after, strict=True))
        told = f"{differing} of {len(plain)} decided unlike the majority; systems move by {moved:.3f} at most, "
        rows.append(_row(name, votes, aggregation, took, f"{told}tau {kendall(before, after):.3f}"))
    for agreement in ("positional", "sequence"):
        took, found = timed(partial(filter_workers, votes, agreement=agreement))
        rows.append(_row(name, votes, f"filter, {agreement}", took, f"drops {len(found.dropped)}"))
    took, report = timed(lambda: crowd_workers(votes))
    rows.append(
        _row(name, votes, "report of workers", took, f"agreement {report.agreement:.3f}, alpha {report.alpha:.3f}")
    )
    if name == "REALSumm":
        took, drawn = timed(lambda: curves(votes, statements=[4, 8, 16], topics=[10, 50, 100], resamples=20))
        rows.append(_row(name, votes, "curves", took, f"{sum(map(len, drawn.curves.values()))} points"))
    return rows


def _means(votes: Votes, decisions: Decisions) -> list[float]:
    """Systems' scores, in the order of their names."""
    return [one.mean for one in sorted(score(votes, decisions, samples=0).systems, key=lambda one: one.system)]


def careless(crowds: int) -> list[Row]:
    """What each way gets wrong, as more workers do not look."""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from tests.crowd.making import simulated

    rows: list[Row] = []
    for share in (0.0, 0.2, 0.4, 0.6):
        wrong: dict[str, list[float]] = {}
        for seed in range(crowds):
            crowd = simulated(seed, share)
            for aggregation in ("majority", "dawid-skene", "mace"):
                wrong.setdefault(aggregation, []).append(crowd.error(AGGREGATIONS[aggregation](crowd.votes).present))
            for threshold in (0.5, 0.6):
                left = filter_workers(crowd.votes, threshold=threshold).votes
                wrong.setdefault(f"filter {threshold}, majority", []).append(crowd.error(majority(left).present))
        rows.append({"careless": share, **{way: round(float(np.mean(each)), 3) for way, each in wrong.items()}})
    return rows


def held_back(name: str, votes: Votes, draws: int) -> list[Row]:
    """How well each way foretells a vote."""
    found: dict[str, list[tuple[float, float]]] = {}
    total = votes.counts.sum(axis=1)
    for seed in range(draws):
        random = np.random.default_rng(seed)
        order = random.permutation(len(votes.item))
        one_each = order[np.unique(votes.item[order], return_index=True)[1]]
        hidden = one_each[(total[votes.item[one_each]] >= 3) & (random.random(len(one_each)) < 0.3)]
        kept = np.ones(len(votes.item), dtype=bool)
        kept[hidden] = False
        left = votes.where(kept)
        said, item = votes.answer[hidden], votes.item[hidden]
        for way, chance in _foretold(left, item, votes.voter[hidden]):
            chance = np.clip(chance, 1e-6, 1 - 1e-6)
            loss = -np.where(said == 1, np.log(chance), np.log(1 - chance)).mean()
            found.setdefault(way, []).append((float(loss), float(((chance > 0.5) == said).mean())))
    return [
        {"votes of": name, "way": way, "log loss": round(loss, 3), "foretold": round(right, 3)}
        for way, (loss, right) in ((way, np.mean(each, axis=0).tolist()) for way, each in found.items())
    ]


def _foretold(left: Votes, item: Any, worker: Any) -> Iterator[tuple[str, Any]]:
    """The chance that each worker says present of the item, by each way."""
    counts = left.counts[item]
    yield "share", (counts[:, 1] + 0.5) / (counts.sum(axis=1) + 1)
    start = majority(left).probability
    for unnamed in get_args(Unnamed):
        voted = Voted.of(left, unnamed)
        who = voted.voter_of[worker]
        skene = dawid_skene.fit(voted, start)
        there = skene.probability[item]
        yield (
            f"dawid-skene, {unnamed}",
            there * skene.sensitivity[who] + (1 - there) * (1 - skene.specificity[who]),
        )
        spam = mace.fit(voted)
        earnest = spam.earnest[who]
        yield f"mace, {unnamed}", earnest * spam.probability[item] + (1 - earnest) * spam.spams_present[who]


def _row(name: str, votes: Votes, what: str, took: float, found: str) -> Row:
    return {"votes of": name, "votes": len(votes.answer), "what": what, "s": round(took, 3), "found": found}


def generated(rows: int, folder: Path) -> Path:
    """Results with five workers a task, of 500; statements of one topic are the same for all systems."""
    random = np.random.default_rng(0)
    header = ["HITId", "AssignmentId", "WorkerId", "AssignmentStatus", "SubmitTime", "WorkTimeInSeconds"]
    header += ["Input.eventId", "Input.summaryId", "Input.qIdList", "Input.summary_text"]
    header += [f"Input.statement_{n}" for n in range(1, 17)] + [f"Answer.S{n}Answer" for n in range(1, 17)]
    workers, systems = [f"A{number:04}" for number in range(500)], 50
    file = folder / "results.csv"
    with file.open("w", newline="", encoding="utf-8") as out:
        writer = csv.writer(out)
        writer.writerow(header)
        for task in range(rows // 5):
            topic, system = divmod(task, systems)
            ids = [str(16 * topic + number) for number in range(16)]
            shown = [f"Statement {id} says that something happened to somebody somewhere." for id in ids]
            text = f"Summary {system} of topic {topic}: " + "something happened to somebody somewhere, " * 20
            there = random.random(16) < 0.4
            for number in random.choice(len(workers), 5, replace=False):
                answers = np.where(random.random(16) < 0.1, ~there, there)
                about = [
                    f"H{task}",
                    f"{task}-{number}",
                    workers[number],
                    "Approved",
                    "Mon Jan 01 10:00:00 PST 2024",
                    "200",
                ]
                item = [f"D{topic:04}", f"sys{system:02}", str(ids), text]
                writer.writerow([*about, *item, *shown, *("p" if one else "n" for one in answers)])
    return file


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="the folder that holds realsumm/ and qapyramid/")
    parser.add_argument("--quick", action="store_true", help="one round and few rows, to see that it works")
    given = parser.parse_args()
    realsumm = sorted((given.data / "realsumm" / "votes").glob("*.csv"))
    qapyramid = given.data / "qapyramid" / "QA_presence.json"
    if not realsumm or not qapyramid.exists():
        sys.exit(f"no realsumm/votes or qapyramid/ in {given.data}: name the folder with --data")
    warnings.simplefilter("ignore", InputWarning)
    count, rounds = (5_000, 1) if given.quick else (100_000, 5)
    with tempfile.TemporaryDirectory() as folder:
        made = generated(count, Path(folder))
        named = {"REALSumm": realsumm, "QAPyramid": [qapyramid], f"generated, {count} rows": [made]}
        speeds = [
            from_bytes(name, files, rounds if name != f"generated, {count} rows" else min(2, rounds))
            for name, files in named.items()
        ]
        votes = {name: Votes.of(read_all(files)) for name, files in named.items()}
    longer = [row for name, given_votes in votes.items() for row in models(name, given_votes)]
    draws = 1 if given.quick else 3
    foretold = [row for name in ("REALSumm", "QAPyramid") for row in held_back(name, votes[name], draws)]
    wrong = careless(1 if given.quick else 10)
    tables = {
        "From bytes to scores and alpha, processor seconds": speeds,
        "Models and filters, processor seconds": longer,
        "Votes held back and foretold": foretold,
        "Careless workers: the share of wrong decisions": wrong,
    }
    show(tables, given.json)


if __name__ == "__main__":
    main()
