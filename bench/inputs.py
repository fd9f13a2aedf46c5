"""Tables of outputs and a class of documents: how fast they are read.

    python bench/inputs.py [--rows N] [--documents N] [--json]

The tables are JSON lines: an output and a reference a row, with an article of 4,000 characters or without, of ten
systems on each topic or of one. Beside them stands what decoding the same lines by ``msgspec`` takes if the rows are
kept, as readers keep them, and if each is dropped at once. The class hands in .docx files of 400 words, made here. Best
processor time of three rounds.
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

from pyramidion.formats.read import read

ROUNDS = 3
ARTICLE = 48
"""Sentences of an article: about 4,000 characters."""
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


def write_table(path: Path, rows: int, systems: int, sentences: int) -> None:
    with path.open("w") as file:
        for number in range(rows):
            topic, system = divmod(number, systems)
            row = {"id": f"d{topic}", "highlights": f"{topic} {SENTENCE * 3}"}
            row |= {"article": f"{topic} {SENTENCE * sentences}"} if sentences else {}
            row |= {"prediction": f"{system} {SENTENCE * 3}", "model": f"system-{system}"}
            file.write(json.dumps(row) + "\n")


def kept(path: Path) -> list[object]:
    decoder = msgspec.json.Decoder()
    with path.open("rb") as file:
        return [decoder.decode(line) for line in file]


def dropped(path: Path) -> None:
    decoder = msgspec.json.Decoder()
    with path.open("rb") as file:
        for line in file:
            decoder.decode(line)


def table(folder: Path, rows: int, systems: int, sentences: int) -> dict[str, object]:
    path = folder / "outputs.jsonl"
    write_table(path, rows, systems, sentences)
    times = {
        "read_s": best(lambda: read(path)),
        "kept_s": best(lambda: kept(path)),
        "dropped_s": best(lambda: dropped(path)),
    }
    return {
        "rows": rows,
        "systems": systems,
        "article": bool(sentences),
        **{name: round(value, 3) for name, value in times.items()},
        "of_kept": round(times["kept_s"] / times["read_s"], 2),
        "of_dropped": round(times["dropped_s"] / times["read_s"], 2),
    }


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
        (folder / "class").mkdir()
        write_class(folder / "class", chosen.documents)
        documents = best(lambda: read(folder / "class"))
        tables = [table(folder, chosen.rows, systems, long) for long in (ARTICLE, 0) for systems in (10, 1)]
    if chosen.json:
        print(
            json.dumps({"tables": tables, "documents": chosen.documents, "documents_s": round(documents, 3)}, indent=2)
        )
        return
    print("rows     systems  article  read     decoded and kept  and dropped  speed, of kept  of dropped")
    for one in tables:
        print(
            f"{one['rows']:<7}  {one['systems']:>7}  {'yes' if one['article'] else 'no':<7}  {one['read_s']:.3f} s  "
            f"{one['kept_s']:.3f} s           {one['dropped_s']:.3f} s      {one['of_kept']:<14}  {one['of_dropped']}"
        )
    print(f"{chosen.documents} .docx and 4 models: {documents:.3f} s")


if __name__ == "__main__":
    main()
