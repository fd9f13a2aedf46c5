"""The leaderboard: a page with the results of ``pyramidion bench`` and figures from papers.

The results are in a JSON file beside the page, by method, score, documents and folds; a new result replaces the old
one. The page is made from this file alone, so that anybody can write it again without the data.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from pyramidion.analyses.accuracy.realsumm.result import RealsummStudy
from pyramidion.base.files import read_bytes, write_bytes
from pyramidion.errors import FormatError
from pyramidion.signature import Signature

Record = dict[str, Any]

Quoted = tuple[str, str, str, str, str]
"""Name, system level r / rho, summary level r / rho, accuracy, AUC."""

GIVEN_SCUS: tuple[Quoted, ...] = (
    ("one crowd worker against the others: a practical ceiling", ".980 / .975", ".721 / .692", ".911", ""),
    ("RoBERTa-large NLI on REALSumm, 5 folds (Lite2Pyramid p2c, quoted) *", ".885 / .857", ".642 / .601", "", ""),
    ("RoBERTa-large NLI on TAC 2008 (Lite2Pyramid, quoted)", ".945 / .949", ".614 / .572", "", ""),
    ("`reader`, retired, 5 folds (ours)", ".950 / .937", ".585 / .545", ".792", ".859"),
    ("MiniLM cross-encoder and 24 features, 5 folds (baseline)", ".943 / .909", ".574 / .541", ".788", ".857"),
    ("`learned`, retired, 5 folds (ours)", ".949 / .923", ".569 / .529", ".779", ".845"),
    ("MiniLM cross-encoder, entailment first, 5 folds (baseline)", ".939 / .912", ".558 / .524", ".777", ".845"),
    ("24 features and gradient boosting, 5 folds (baseline)", ".946 / .922", ".555 / .528", ".768", ".840"),
    ("soft recall with static vectors (baseline)", ".934 / .919", ".510 / .482", ".756", ".820"),
    ("unigram recall (baseline)", ".908 / .895", ".507 / .475", ".743", ".809"),
    ("cosine of the best sentence, MiniLM (baseline)", ".452 / .298", ".245 / .230", ".646", ".706"),
)
REFERENCES_ALONE: tuple[Quoted, ...] = (
    (
        "SRL units, RoBERTa-large on REALSumm, 5 folds (Lite3Pyramid p2c, quoted) *",
        ".886 / .868",
        ".575 / .532",
        "",
        "",
    ),
    ("SRL units, RoBERTa-large on TAC 2008 (Lite3Pyramid, quoted)", ".921 / .935", ".537 / .503", "", ""),
    ("reference sentences, soft recall (baseline)", ".947 / .942", ".535 / .490", "", ""),
    ("BERTScore recall (as published with REALSumm, 24 systems)", ".758 / .716", ".475 / .440", "", ""),
)
"""Quoted: Zhang and Bansal 2021. Baselines: measured before this program was written, with other words and models."""


def results_of(page: Path) -> Path:
    """Return the path of the results of a page."""
    return page.with_suffix(".json")


def read(path: Path) -> Record:
    """Return the results in a file, ``results`` and ``floor``; none where there is no file."""
    if not path.exists():
        return {"results": [], "floor": []}
    try:
        stored = json.loads(read_bytes(path))
    except ValueError:
        raise FormatError("This is not JSON", str(path), "name a page whose results this command wrote") from None
    if not isinstance(stored, dict) or not all(isinstance(stored.get(name), list) for name in ("results", "floor")):
        raise FormatError("This file does not hold results", str(path), "name a page whose results this command wrote")
    return stored


def publish(path: Path, study: RealsummStudy) -> None:
    """Put the figures of a study into the file beside a page, and write the page."""
    add(path, study.results(), [record.to_json() for record in study.floor])


def add(path: Path, results: Sequence[Record], floor: Sequence[Record]) -> None:
    """Put results into the file beside a page, and write the page."""
    known = read(results_of(path))
    # as the file will hold them, so that old and new records are alike
    fresh: list[Record] = json.loads(msgspec.json.encode(list(results)))
    by_key = {_key(record): record for record in (*known["results"], *fresh)}
    below = max(json.loads(msgspec.json.encode(list(floor))), known["floor"], key=_documents)  # of equals the new
    board = {"results": [by_key[key] for key in sorted(by_key)], "floor": below}
    write_bytes(results_of(path), (json.dumps(board, indent=1) + "\n").encode())
    write_bytes(path, page(board).encode())


def _documents(floor: Sequence[Record]) -> int:
    """Return the number of documents of the floor."""
    return max((int(record["summary"]["documents"]) for record in floor), default=0)


def _key(record: Record) -> tuple[str, ...]:
    """Return the signature's method and data, without the version and the number of draws."""
    return tuple(_setting(record, name) for name in ("methods", "score", "documents", "folds"))


def page(board: Record) -> str:
    """Return the page of a board as Markdown."""
    results = sorted(board["results"], key=lambda record: _order(record["summary"]["pearson"]))
    held_out = "published" in {_setting(record, "folds") for record in results}
    given = [record for record in results if record["scu"]["accuracy"] is not None]
    built = [record for record in results if record["scu"]["accuracy"] is None]
    means = [*_fold_means(results), ""] if held_out else []
    return "\n".join(
        [
            INTRODUCTION,
            "## Human SCUs",
            "",
            *_table(given, board["floor"], GIVEN_SCUS),
            "",
            "## References alone",
            "",
            *_table(built, board["floor"], REFERENCES_ALONE),
            "",
            *means,
            "## Signatures",
            "",
            *(f"- `{record['signature']}`" for record in results),
            "",
        ]
    )


def _order(pearson: float | None) -> tuple[bool, float]:
    """Sort the highest value first and undefined values last."""
    return pearson is None, -(pearson or 0.0)


def _table(results: Iterable[Record], floor: Iterable[Record], quoted: Iterable[Quoted]) -> Iterable[str]:
    yield "| | system r / rho / tau | summary r / rho | r - ROUGE-1's | accuracy | F1 | AUC | ECE | pairs a second |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for name, system, summary, accuracy, auc in quoted:
        yield f"| {name} | {system} | {summary} | | {accuracy} | | {auc} | | |"
    for record in results:
        scu, speed = record["scu"], record["pairs_per_second"]
        cells = [*_correlations(record), *(_number(scu[name]) for name in ("accuracy", "f1", "auc", "ece"))]
        yield f"| `{_name(record)}` | {' | '.join(cells)} | {'' if speed is None else f'{_two_digits(speed):,}'} |"
    for record in floor:
        yield f"| {record['metric']} {record['score']} | {' | '.join(_correlations(record))} | | | | | |"


def _correlations(record: Record) -> list[str]:
    system, summary, lead = record["system"], record["summary"], record["against_rouge_1"]
    low, high = summary["intervals"]["pearson"] or (None, None)
    skipped = f", {summary['undefined']} skipped" if summary["undefined"] else ""
    return [
        " / ".join(_number(system[name]) for name in ("pearson", "spearman", "kendall")),
        f"{_number(summary['pearson'])} / {_number(summary['spearman'])} ({_number(low)} to {_number(high)}{skipped})",
        _lead(lead) if lead else "",
    ]


def _lead(lead: Record) -> str:
    low, high = lead["interval"] or (None, None)
    return f"{_number(lead['difference'], sign=True)} ({_number(low, sign=True)} to {_number(high, sign=True)})"


def _fold_means(results: Iterable[Record]) -> Iterable[str]:
    """Yield the lines of the section with means over folds."""
    yield "## Means over the published folds"
    yield ""
    yield "For comparison with the rows marked *, which are computed so. Twenty documents a fold: noisier, and lower at"
    yield "system level."
    yield ""
    yield "| | system r / rho | summary r / rho |"
    yield "|---|---|---|"
    for record in results:
        if record["folds"]:
            cells = (
                " / ".join(_number(record["folds"][level][name]) for name in ("pearson", "spearman"))
                for level in ("system", "summary")
            )
            yield f"| `{_name(record)}` | {' | '.join(cells)} |"


def _name(record: Record) -> str:
    score = "" if record["score"] == "coverage" else f", {record['score']}"
    documents = "" if _setting(record, "documents") == "100" else f", {_setting(record, 'documents')} documents"
    return str(record["metric"]).removeprefix("given+") + score + documents


def _setting(record: Record, name: str) -> str:
    return dict(Signature.parse(record["signature"]).parameters)[name]


def _number(value: float | None, sign: bool = False) -> str:
    """Write three decimals without the leading zero."""
    if value is None:
        return "-"
    return f"{value:{'+' if sign else ''}.3f}".replace("0.", ".", 1)


def _two_digits(speed: float) -> int:
    """Round to two digits: more would be noise."""
    return int(float(f"{speed:.2g}"))


INTRODUCTION = """# Leaderboard: judges and methods on REALSumm

<!-- Written by `pyramidion bench DIR --leaderboard docs/leaderboard.md` from leaderboard.json. Do not edit. -->

This page says how well automatic judgements agree with people's on REALSumm (Bhandari et al. 2020): 100 documents, 25
systems, and 26,400 judgements whether a summary expresses a content unit (SCU), 45.7 % of them yes. Differences below
.02 mean nothing. The columns:

- *System level*: the correlation over systems, of their means over documents.
- *Summary level*: the correlation over systems within a document, averaged over documents, with its 95 % interval over
  draws of documents. Documents whose correlation is undefined are skipped.
- *Accuracy, F1, AUC, ECE*: of single judgements. ECE, the calibration error, is in ten bins of equal width, for judges
  that give probabilities.
- *Pairs a second*: pairs of an SCU and a summary, in processor time, matching alone, on a shared machine of 2 cores.

Rows without a speed are quoted from papers or from the card of a model that cannot be fitted anew here, or are
baselines that we set ourselves. Those marked * are means over folds of 20 documents.

Judges that learn are measured with `--folds published`, on documents that they have not seen. To add a row:

```
pyramidion bench REALSUMM --judge NAME --folds published --leaderboard docs/leaderboard.md
```
"""
