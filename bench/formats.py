"""Reading and scoring DUCView annotations, against the bare lxml parse of the same bytes.

    python bench/formats.py [--files N] [--json]

A thousand realistic ``.pan`` files (4 references, 100 SCUs, about 60 KB each) are made with a fixed seed and written to
a temporary folder, three times: as an evaluation has them, 25 peers for each of 40 pyramids; every file with a pyramid
of its own, which our reader cannot share; and so that each has a part whose label is not its text, of which it warns.
Each side reads every file once, in turns, and the best processor time of five rounds counts. Memory is the growth of
the process's peak after a first hundred files of all pyramids.

Then a corpus is written in every format, without and with the search for what the format cannot hold, which writes and
reads it once more: the ratio of the two.
"""

from __future__ import annotations

import random
import resource
import tempfile
import time
import warnings
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Sequence
from pathlib import Path

from lxml import etree
from measuring import Row, command_line, show, timed

from pyramidion.formats import FORMATS, ducview, dump
from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Span, Summary, Topic
from pyramidion.scoring import scores

SYLLABLES = ("ka", "lo", "mi", "ne", "ra", "so", "tu", "vi", "den", "por")


def sentence(random: random.Random) -> str:
    words = ("".join(random.choices(SYLLABLES, k=random.randint(1, 4))) for _ in range(random.randint(8, 22)))
    return " ".join(words).capitalize() + "."


def text(random: random.Random, sentences: int) -> str:
    return "\n".join(sentence(random) for _ in range(sentences))


def spans(random: random.Random, text: str) -> tuple[Span, ...]:
    """One to three stretches of whole words of one sentence."""
    start = random.choice([0, *(index + 1 for index, char in enumerate(text) if char == "\n")])
    words = [start + len(before) for before in _beginnings(text[start:].partition("\n")[0])]
    cuts = sorted(random.sample(words, min(2 * random.choice((1, 1, 1, 2, 3)), len(words) // 2 * 2)))
    return tuple(Span(first, last - 1) for first, last in zip(cuts[::2], cuts[1::2], strict=True))


def _beginnings(sentence: str) -> list[str]:
    """What stands before each word of a sentence, and before its end."""
    words = sentence.split(" ")
    return [" ".join([*words[:count], ""]) if count else "" for count in range(len(words) + 1)]


def pyramid(random: random.Random, number: int) -> Pyramid:
    topic = f"D{number:04}-A"
    references = tuple(Summary(f"{topic}.M.100.A.{letter}", text(random, 9)) for letter in "ABCD")
    scus = []
    for uid in range(1, 101):
        owners = random.sample(references, random.choices((1, 2, 3, 4), (6, 3, 2, 1))[0])
        contributors = tuple(Contributor(owner.id, spans(random, owner.text)) for owner in owners)
        scus.append(SCU(str(uid), sentence(random)[:60], contributors))
    return Pyramid(topic, references, tuple(scus))


def peer(random: random.Random, pyramid: Pyramid, number: int) -> Topic:
    summary = Summary(str(number), text(random, 9), "peer")
    matches = tuple(Match(scu.id, spans(random, summary.text)) for scu in random.sample(pyramid.scus, 25))
    unmatched = tuple(Contributor(summary.id, spans(random, summary.text)) for _ in range(6))
    annotation = Annotation(summary, matches, unmatched)
    return Topic(pyramid.topic, pyramid.references, (summary,), pyramid=pyramid, annotations=(annotation,))


def make(folder: Path, files: int, peers: int, wrong: bool = False) -> list[Path]:
    """Files with a pyramid for every ``peers`` of them, and with a wrong label in each if asked."""
    chance = random.Random(2007)
    paths = []
    for number in range(files):
        if number % peers == 0:
            shared = pyramid(chance, number // peers)
        path = folder / f"{shared.topic}.M.100.A.{number}.pan"
        xml = ducview.dumps([peer(chance, shared, number)])
        path.write_bytes(xml.replace(b'<part label="', b'<part label="?', 1) if wrong else xml)
        paths.append(path)
    return paths


def parse(path: Path) -> None:
    etree.fromstring(path.read_bytes())


def parse_with_expat(path: Path) -> None:
    ElementTree.fromstring(path.read_bytes())


def read(path: Path) -> None:
    ducview.load(path)


def read_and_score(path: Path) -> None:
    (topic,) = ducview.load(path)
    assert topic.pyramid
    scores(topic.pyramid, topic.annotations[0])


def seconds(work: Callable[[Path], None], paths: Sequence[Path]) -> float:
    return timed(lambda: [work(path) for path in paths])[0]


def measure(files: int, peers: int, wrong: bool) -> list[Row]:
    """Seconds and ratio of each side, and how memory grew."""
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        warnings.simplefilter("ignore" if wrong else "error")
        paths = make(Path(name), files, peers, wrong)
        size = sum(path.stat().st_size for path in paths)
        seconds(read_and_score, paths[:: max(1, files // 100)])
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        sides = {
            "bare lxml parse": parse,
            "bare parse of the standard library": parse_with_expat,
            "read": read,
            "read and score": read_and_score,
        }
        best = dict.fromkeys(sides, float("inf"))
        for _ in range(5):
            for side, work in sides.items():
                best[side] = min(best[side], seconds(work, paths))
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return [
        {
            "what": side,
            "peers_per_pyramid": peers,
            "files": files,
            "MB": round(size / 1e6, 1),
            "seconds": round(took, 3),
            "ratio": round(took / best["bare lxml parse"], 2),
            "grown_MB": round(grown / 1024, 1),
        }
        for side, took in best.items()
    ]


def corpus(topics: int) -> list[Topic]:
    """Topics of twenty-five annotated peers each."""
    chance = random.Random(2007)
    made = []
    for number in range(topics):
        shared = pyramid(chance, number)
        peers = [peer(chance, shared, uid) for uid in range(25)]
        summaries = tuple(each.peers[0] for each in peers)
        annotations = tuple(each.annotations[0] for each in peers)
        made.append(Topic(shared.topic, shared.references, summaries, pyramid=shared, annotations=annotations))
    return made


def measure_writing(topics: Sequence[Topic]) -> list[Row]:
    """Seconds for writing alone, and with what ``formats.dump`` does before it."""
    rows: list[Row] = []
    for name in (name for name in FORMATS if hasattr(FORMATS[name], "dump")):
        single = name == "ducview" or name.startswith("pyreval")
        parts = [[topic] for topic in topics] if single else [topics]
        alone = safe = float("inf")
        for _ in range(3):
            with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                start = time.process_time()
                for number, part in enumerate(parts):
                    FORMATS[name].dump(part, Path(folder) / f"alone-{number}")  # type: ignore[attr-defined]
                middle = time.process_time()
                for number, part in enumerate(parts):
                    dump(part, Path(folder) / f"safe-{number}", name)
                alone, safe = min(alone, middle - start), min(safe, time.process_time() - middle)
        rows.append(
            {"format": name, "seconds": round(alone, 3), "with_losses": round(safe, 3), "ratio": round(safe / alone, 2)}
        )
    return rows


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--files", type=int, default=1000)
    arguments = parser.parse_args()
    warnings.simplefilter("error")
    cases = {
        "25 peers share a pyramid": (25, False),
        "every file has a pyramid of its own": (1, False),
        "and a wrong label": (1, True),
    }
    tables = {"Writing, without and with the search for losses": measure_writing(corpus(max(1, arguments.files // 25)))}
    tables |= {case: measure(arguments.files, peers, wrong) for case, (peers, wrong) in cases.items()}
    show(tables, arguments.json)


if __name__ == "__main__":
    main()
