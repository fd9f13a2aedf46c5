"""Time and memory of every reader as its input doubles, ordinary and hostile.

    python bench/readers.py [--reader NAME] [--size N] [--json]

Each reader reads documents of a size, of twice and of four times that size (``--size`` multiplies the first, which has
some tens of kilobytes). Ordinary ones are what the field's tools write; hostile ones are made to cost as much as they
can: quadratic searches, values that outweigh their bytes, repairs without end. The best processor time of three rounds
counts; where it doubles with the input, the ratio of successive times is 2 and the reader is linear. Memory is the
allocations' peak in bytes for each byte of the largest input, traced in a round of its own. "refused" says that the
reader ended with one of our errors, which is as good an end as any.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
import tracemalloc
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from pyramidion.crowd.answers.collect import read as read_results
from pyramidion.errors import PyramidionError
from pyramidion.formats import FORMATS, load
from pyramidion.formats.score_tables import load_scores
from pyramidion.language.graphs.penman import text as penman_text
from pyramidion.language.parse import conllu
from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Span, Summary, Topic

Files = dict[str, bytes]
ROUNDS = 3
SENTENCE = "The lagoon was drained in the autumn of that year. "


def topic(number: int, peers: int = 2, scus: int = 20) -> Topic:
    """A topic of the ordinary kind."""
    references = tuple(Summary(letter, SENTENCE * 5) for letter in "ABCD")
    contributors = tuple(Contributor(letter, (Span(4, 22),)) for letter in "ABCD")
    made = tuple(SCU(str(uid), "the lagoon was drained", contributors[: uid % 4 + 1]) for uid in range(1, scus + 1))
    pyramid = Pyramid(f"D{number:04}", references, made)
    summaries = tuple(Summary(f"system-{peer}", SENTENCE * 4, "peer") for peer in range(peers))
    matches = tuple(Match(str(uid), (Span(4, 22),)) for uid in range(1, scus // 2))
    annotations = tuple(Annotation(summary, matches) for summary in summaries)
    return Topic(pyramid.topic, references, summaries, pyramid=pyramid, annotations=annotations)


def written(format: str, name: str, *topics: Topic, **options: str) -> Files:
    """What a format makes of topics."""
    return {name: FORMATS[format].dumps(topics, **options)}  # type: ignore[attr-defined]


def folder(format: str, topics: list[Topic]) -> Files:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "new"
        FORMATS[format].dump(topics, path)  # type: ignore[attr-defined]
        return {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()}


def lines(name: str, first: str, line: Callable[[int], str], n: int) -> Files:
    return {name: (first + "".join(line(number) for number in range(n))).encode()}


def pyr(text: str, body: str) -> bytes:
    """A DUCView pyramid of one reference, whose text begins at character 40."""
    rule = "-" * 17
    lines = f"<line>{rule} &lt;A> {rule}</line><line>{text}</line>"
    return f"<pyramid><text>{lines}</text>{body}</pyramid>".encode()


def scu(uid: int, label: str, words: str, end: int = 44) -> str:
    part = f'<part start="40" end="{end}" label="{words}"/>'
    return f'<scu uid="{uid}" label="{label}"><contributor>{part}</contributor></scu>'


def pan(scus: str, peerscus: str) -> bytes:
    annotation = f"<annotation><text><line>a</line></text>{peerscus}</annotation>"
    return b"<peerAnnotation>" + pyr("word", scus) + annotation.encode() + b"</peerAnnotation>"


def judged(examples: object) -> Files:
    return {"a.json": json.dumps({"system": examples}).encode()}


MTURK = "Input.eventId,Input.summaryId,Input.qIdList,Input.summary_text,Input.statement_1,Answer.S1Answer\n"
STATEMENTS = "eventId,questionId,questionText,answer,author,sourceSummaryId,forUse\n"
INSTANCE = '{{"instance_id":{},"scus":[],"summaries":[],"summarizer_ids":[]}}\n'
NUGGET = b'{"text":"","importance":"vital"}'
PYREVAL = "Summary,raw,quality,coverage,Comprehensive"
WORD = "{}\tword\tword\tNOUN\tNN\t_\t0\troot\t_\t_\n"

Make = Callable[[int], Files]
CASES: dict[str, dict[str, Make]] = {
    "ducview": {
        "ordinary": lambda n: written("ducview", "a.pan", topic(1, 1, 40 * n), suffix=".pan"),
        "DOCTYPE": lambda n: {"a.pyr": b"<!DOCTYPE" * 8_000 * n},
        "elements": lambda n: {"a.pyr": b"<pyramid>" + b"<a/>" * 20_000 * n + b"</pyramid>"},
        "misplaced parts": lambda n: {
            "a.pyr": pyr("word " * 2_000 * n, "".join(scu(uid, "", "no such") for uid in range(1, 100 * n)))
        },
        "whole-text parts": lambda n: {
            "a.pyr": pyr("word " * 2_000 * n, "".join(scu(uid, "", "", 9_000 * n) for uid in range(1, 200 * n)))
        },
        "blank labels": lambda n: {
            "a.pan": pan(scu(1, " " * 10_000 * n + "x", "word"), f'<peerscu uid="1" label="x{" " * 10_000 * n}(y"/>')
        },
        "unknown labels": lambda n: {
            "a.pan": pan(
                "".join(scu(uid, f"l{uid}", "word") for uid in range(1, 500 * n)),
                "".join(f'<peerscu uid="{uid}" label="none" comment="c"/>' for uid in range(1, 500 * n)),
            )
        },
    },
    "json": {
        "ordinary": lambda n: written("json", "a.jsonl", *(topic(number) for number in range(10 * n))),
        "spans": lambda n: {
            "a.json": b'{"topic":"t","peers":{"p":"ab"},"annotations":[{"summary":"p","matches":[{"scu":"1","spans":['
            + b"[0,1]," * 15_000 * n
            + b"[0,1]]}]}]}"
        },
        "brackets": lambda n: {"a.json": b'{"topic":' + b"[" * 100_000 * n},
    },
    "folder": {
        "ordinary": lambda n: folder("folder", [topic(number) for number in range(4 * n)]),
        "one topic": lambda n: {
            f"t/{part}/{number}.txt": b"x" for part in ("references", "peers") for number in range(200 * n)
        },
        "annotations": lambda n: {
            f"D0001-A.M.100.A.{number}.pan": FORMATS["ducview"].dumps([topic(1, 1, 5 + number)], suffix=".pan")  # type: ignore[attr-defined]
            for number in range(15 * n)
        },
    },
    "pyreval": {
        "ordinary": lambda n: written("pyreval", "a.pyr", topic(1, 0, 100 * n)),
        "one SCU": lambda n: {
            "a.pyr": b'<Pyramid><scu uid="0">' + b'<contributor label=""/>' * 3_000 * n + b"</scu></Pyramid>"
        },
    },
    "pyreval-read": {
        "ordinary": lambda n: written("pyreval-read", "a.pyr", topic(1, 0, 200 * n)),
        "one SCU": lambda n: lines("a.pyr", "", lambda _: "SCU\t0\t1\tx\n", 5_000 * n),
        "comments": lambda n: lines("a.pyr", "SCU\t0\t1\tx\n", lambda _: "   //\n", 10_000 * n),
    },
    "pyreval-size": {
        "ordinary": lambda n: lines("a.size", "", lambda _: f"{100 * n}\n", 5),
        "empty layers": lambda n: lines("a.size", "", lambda _: "0\n", 10_000 * n),
    },
    "litepyramids": {
        "ordinary": lambda n: lines(
            "a.csv", STATEMENTS, lambda i: f"{i // 30},{i},It was drained.,Y,w,{i % 4},1\n", 600 * n
        ),
        "quotes": lambda n: lines("a.csv", STATEMENTS, lambda i: f'1,{i},"a"b",Y,w,A,1\n', 600 * n),
        "short rows": lambda n: lines("a.csv", STATEMENTS, lambda i: f"{i},1,x,Y,,r,1\n", 3_000 * n),
        "one quote": lambda n: {"a.csv": (STATEMENTS + '1,1,"' + "a\n" * 30_000 * n).encode()},
    },
    "mturk-ratings": {
        "ordinary": lambda n: lines(
            "a.csv", MTURK, lambda i: f"{i // 20},s{i % 5},['{i % 4}'],Text.,Words {i % 4}.,p\n", 600 * n
        ),
        "all new": lambda n: lines("a.csv", MTURK, lambda i: f"e,s{i},['{i}'],t,x,p\n", 200 * n),
        "all new, large": lambda n: lines("a.csv", MTURK, lambda i: f"e,s{i},['{i}'],t,x,p\n", 3_000 * n),
        "topics": lambda n: lines("a.csv", MTURK, lambda i: f"{i},s,['1'],t,x,p\n", 2_000 * n),
    },
    "lite3pyramid": {
        "ordinary": lambda n: folder("lite3pyramid", [topic(number) for number in range(30 * n)]),
        "units": lambda n: {"ids.txt": b"1\n", "references.txt": b"x\n", "SCUs.txt": b"a\t" * 10_000 * n + b"a\n"},
        "systems": lambda n: (
            {"ids.txt": b"1\n", "references.txt": b"x\n"} | {f"summaries/{i}.summary": b"x\n" for i in range(200 * n)}
        ),
    },
    "sacrerouge": {
        "ordinary": lambda n: written("sacrerouge", "a.jsonl", *(topic(number) for number in range(15 * n))),
        "whole-text parts": lambda n: {
            "a.jsonl": json.dumps(
                {
                    "instance_id": 1,
                    "summaries": ["word " * 2_000 * n],
                    "summarizer_ids": ["A"],
                    "scus": [
                        {
                            "scu_id": 1,
                            "contributors": [
                                {
                                    "summary_index": 0,
                                    "label": "x",
                                    "parts": [{"start": 0, "end": 9_000 * n, "text": "x"}] * 200 * n,
                                }
                            ],
                        }
                    ],
                }
            ).encode()
        },
        "instances": lambda n: lines("a.jsonl", "", lambda i: INSTANCE.format(i), 1_500 * n),
    },
    "nuggetizer": {
        "ordinary": lambda n: written("nuggetizer", "a.jsonl", *(topic(number) for number in range(15 * n))),
        "queries": lambda n: lines("a.jsonl", "", lambda i: f'{{"qid":{i},"nuggets":[],"importance":0}}\n', 2_000 * n),
        "nuggets": lambda n: {"a.jsonl": b'{"qid":1,"nuggets":[' + b",".join([NUGGET] * 2_000 * n) + b"]}"},
    },
    "score tables": {
        "ordinary": lambda n: lines(
            "a.csv", "topic,summary,raw,quality\n", lambda i: f"{i // 20},s{i % 20},{i},.5\n", 1_500 * n
        ),
        "short rows": lambda n: lines("a.csv", "summary,a\n", lambda _: "x,1\n", 10_000 * n),
        "columns": lambda n: {
            "a.csv": ("summary" + "".join(f",c{i}" for i in range(3_000 * n)) + "\ns" + ",1" * 3_000 * n).encode()
        },
        "blocks": lambda n: lines("a.csv", "", lambda i: f"t{i}\n{PYREVAL}\ns,1,1,1,1\n", 800 * n),
    },
    "crowd: mturk": {
        "ordinary": lambda n: lines(
            "a.csv",
            "WorkerId," + MTURK,
            lambda i: f"w{i},{i // 20},s{i % 5},['{i % 4}'],Text.,Words {i % 4}.,p\n",
            600 * n,
        ),
        "all new": lambda n: lines("a.csv", MTURK, lambda i: f"e,s{i},['{i}'],t{i},x{i},p\n", 2_000 * n),
        "one id": lambda n: lines("a.csv", MTURK, lambda i: f"e,s,['1'],t,x{i},p\n", 2_000 * n),
    },
    "crowd: litepyramids": {
        "ordinary": lambda n: lines(
            "a.csv", STATEMENTS, lambda i: f"{i // 30},{i},It was drained.,Y,w,{i % 4},1\n", 600 * n
        ),
        "authors": lambda n: lines("a.csv", STATEMENTS, lambda i: f"1,1,x,Y,{i},r,1\n", 2_000 * n),
    },
    "crowd: prolific": {
        "ordinary": lambda n: lines(
            "a.csv", "Submission id,Participant id,Status\n", lambda i: f"s{i},p{i},APPROVED\n", 2_000 * n
        ),
    },
    "crowd: qapyramid": {
        "ordinary": lambda n: judged({f"e{e}": {"was": {"who?": [["w1", 1], ["w2", 0]]}} for e in range(500 * n)}),
        "long predicate": lambda n: judged({"e": {"x" * 10_000 * n: {str(q): [["w", 1]] for q in range(500 * n)}}}),
        "workers": lambda n: judged({"e": {"was": {"q": [[f"w{i}", 1] for i in range(3_000 * n)]}}}),
    },
    "conllu": {
        "ordinary": lambda n: lines(
            "a.conllu", "", lambda _: "".join(WORD.format(k) for k in range(1, 11)) + "\n", 100 * n
        ),
        "documents": lambda n: lines("a.conllu", "", lambda _: "# newdoc\n" + WORD.format(1) + "\n", 500 * n),
        "one sentence": lambda n: lines("a.conllu", "", lambda i: WORD.format(i + 1), 1_000 * n),
        "token": lambda n: lines(
            "a.conllu", f"1-{1_000 * n}\t{'x' * 1_000 * n}" + "\t_" * 8 + "\n", lambda i: WORD.format(i + 1), 1_000 * n
        ),
    },
    "penman": {
        "ordinary": lambda n: lines(
            "a.amr", "", lambda _: "# ::snt Dogs bark.\n(b / bark-01~1 :ARG0 (d / dog~0))\n\n", 100 * n
        ),
        "one line": lambda n: lines("a.amr", "", lambda _: "(a / b)", 300 * n),
        "quotes": lambda n: {"a.amr": b'(a / "' + b'\\"' * 10_000 * n},
        "blanks": lambda n: {"a.amr": b"# " + b" " * 5_000 * n + b"x\n(a / b)"},
        "one node": lambda n: {"a.amr": b"(a / b" + b" :ARG0 c" * 300 * n + b")"},
    },
}


def reader(name: str) -> Callable[[Path], object]:
    """What reads the files of a case: of a folder the only file, unless the format is one of folders."""
    if name in ("folder", "lite3pyramid"):
        return lambda path: load(path, name)
    if name == "score tables":
        return lambda path: load_scores(only(path))
    if name.startswith("crowd: "):
        return lambda path: read_results(only(path), format=name.removeprefix("crowd: "))
    if name == "conllu":
        return lambda path: conllu.loads(only(path).read_text())
    if name == "penman":
        return lambda path: penman_text.loads(only(path).read_text())
    return lambda path: load(only(path), name)


def only(folder: Path) -> Path:
    (file,) = folder.iterdir()
    return file


class Measured(NamedTuple):
    """One document's cost."""

    bytes: int
    seconds: float
    peak: int
    refused: str


def measure(read: Callable[[Path], object], files: Files) -> Measured:
    with tempfile.TemporaryDirectory() as name:
        for file, data in files.items():
            (Path(name) / file).parent.mkdir(parents=True, exist_ok=True)
            (Path(name) / file).write_bytes(data)
        refused = attempt(read, Path(name))
        seconds = []
        for _ in range(ROUNDS):
            start = time.process_time()
            attempt(read, Path(name))
            seconds.append(time.process_time() - start)
        tracemalloc.start()
        attempt(read, Path(name))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    return Measured(sum(map(len, files.values())), min(seconds), peak, refused)


def attempt(read: Callable[[Path], object], path: Path) -> str:
    """Read; the error's words where it is refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            read(path)
        except PyramidionError as error:
            return error.what[:60]
    return ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reader", choices=CASES, default="")
    parser.add_argument("--size", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    rows = []
    if not arguments.json:
        print(f"{'reader':<20} {'input':<17} {'kB':>6} {'ms':>7} {'x2':>5} {'x4':>5} {'memory':>7}")
    for name, cases in CASES.items():
        for case, make in cases.items() if arguments.reader in ("", name) else ():
            n, double, four = (measure(reader(name), make(arguments.size * factor)) for factor in (1, 2, 4))
            row = {
                "reader": name,
                "input": case,
                "bytes": [one.bytes for one in (n, double, four)],
                "seconds": [round(one.seconds, 5) for one in (n, double, four)],
                "ratios": [round(double.seconds / n.seconds, 2), round(four.seconds / double.seconds, 2)],
                "peak_per_byte": round(four.peak / four.bytes, 1),
                "refused": four.refused,
            }
            rows.append(row)
            if not arguments.json:
                ratios = f"{double.seconds / n.seconds:>5.2f} {four.seconds / double.seconds:>5.2f}"
                end = f"{four.peak / four.bytes:>7.1f}  {f'refused: {four.refused}' if four.refused else ''}"
                print(
                    f"{name:<20} {case:<17} {four.bytes / 1e3:>6.0f} {four.seconds * 1e3:>7.1f} {ratios} {end}",
                    flush=True,
                )
    if arguments.json:
        print(json.dumps(rows))


if __name__ == "__main__":
    main()
