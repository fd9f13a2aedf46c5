"""Tables of outputs and a class of documents: how fast they are read.

    python bench/inputs.py [--rows N] [--documents N] [--json]

The table has a row for each output of ten systems, with a reference and an article, as JSON lines. Beside it stands
what decoding the same lines by ``msgspec`` takes, and nothing else: reading is to have at least a third of that speed.
The class hands in .docx files of 400 words, made here. Best processor time of five rounds.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import msgspec

from pyramidion.reading import read

ROUNDS = 5
SENTENCE = "The lagoon was drained in the autumn of that year, and nobody asked the fishermen. "
DOCUMENT = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
    '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>{}</w:body></w:document>'
)
PARAGRAPH = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"


def best(work: Callable[[], object]) -> float:
    """The best processor time of some rounds, in seconds."""
    times = []
    for _ in range(ROUNDS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def write_table(path: Path, rows: int) -> None:
    with path.open("w") as file:
        for number in range(rows):
            topic, system = divmod(number, 10)
            row = {"id": f"d{topic}", "article": f"{topic} {SENTENCE * 5}", "highlights": f"{topic} {SENTENCE}"}
            row |= {"prediction": f"{system} {SENTENCE}", "model": f"system-{system}"}
            file.write(json.dumps(row) + "\n")


def decoded(path: Path) -> int:
    decoder = msgspec.json.Decoder()
    with path.open("rb") as file:
        return sum(len(decoder.decode(line)) for line in file)


def write_class(folder: Path, documents: int) -> None:
    for place, names in (("students", range(documents)), ("models", range(4))):
        (folder / place).mkdir()
        for number in names:
            paragraphs = "".join(PARAGRAPH.format(f"{number} {SENTENCE * 4}") for _ in range(7))
            with zipfile.ZipFile(folder / place / f"{number}.docx", "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr("[Content_Types].xml", '<Types xmlns="x"/>')
                archive.writestr("word/document.xml", DOCUMENT.format(paragraphs))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--documents", type=int, default=40)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table, papers = folder / "outputs.jsonl", folder / "class"
        papers.mkdir()
        write_table(table, chosen.rows)
        write_class(papers, chosen.documents)
        bare = best(lambda: decoded(table))
        rows = best(lambda: read(table))
        documents = best(lambda: read(papers))
    result = {
        "rows": chosen.rows,
        "msgspec_s": round(bare, 3),
        "read_s": round(rows, 3),
        "speed_of_msgspec": round(bare / rows, 2),
        "documents": chosen.documents,
        "documents_s": round(documents, 3),
    }
    if chosen.json:
        print(json.dumps(result, indent=2))
        return
    print(f"{chosen.rows:,} rows: read in {rows:.2f} s, decoded in {bare:.2f} s: {bare / rows:.0%} of msgspec's speed")
    print(f"{chosen.documents} .docx and 4 models: read in {documents:.2f} s")


if __name__ == "__main__":
    main()
