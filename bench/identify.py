"""How often a text is taken for another language than English, wrongly, and how often one in another language is seen.

    python bench/identify.py [DATA] [--json]

English: the texts of DATA (../shared/data: REALSumm's documents, references and summaries, the students', STS-14, SNLI,
the treebanks), cut into pieces of 5 to 100 words; a refusal is printed, since some pieces are not English. Others: the
invented sentences of ``tests/data/languages.txt``, their first 5, 10 and 15 words and the whole.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

from measuring import DATA, Row, command_line, show, timed

from pyramidion.language.text.identify import identify

SIZES = (5, 10, 20, 50, 100)
SENTENCES = Path(__file__).parents[1] / "tests" / "data" / "languages.txt"


def lines(path: Path) -> list[str]:
    data = path.read_bytes()
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8", "replace").splitlines()


def english(data: Path) -> Iterator[tuple[str, list[str]]]:
    """The sets and their texts."""
    realsumm = [data / "realsumm" / "references.txt", data / "realsumm" / "documents.txt"]
    realsumm += sorted((data / "realsumm" / "summaries").glob("*"))
    yield "REALSumm", [re.sub(r"</?t>", " ", line) for path in realsumm for line in lines(path)]
    yield "students", [" ".join(lines(path)) for path in sorted((data / "cc-students").rglob("*.txt"))]
    yield (
        "STS-14",
        [
            text
            for path in sorted((data / "sts14").glob("*.tsv"))
            for line in lines(path)
            for text in line.split("\t")[-2:]
        ],
    )
    yield "SNLI", [line for path in sorted((data / "entailment" / "snli").glob("s?.*")) for line in lines(path)]
    trees = [line for path in sorted((data / "treebanks").glob("*.gz")) for line in lines(path)]
    yield "treebanks", [line[9:] for line in trees if line.startswith("# text = ")]


def refused(text: str) -> bool:
    return identify(text) not in ("", "English")


def false_refusals(data: Path) -> Iterator[Row]:
    for name, texts in english(data):
        for size in SIZES:
            words = [text.split() for text in texts]
            pieces = [" ".join(one[at : at + size]) for one in words for at in range(0, len(one) - size + 1, size)]
            if not pieces:
                continue
            took, wrong = timed(lambda pieces=pieces: [piece for piece in pieces if refused(piece)])
            yield {
                "set": name,
                "words": size,
                "pieces": len(pieces),
                "refused": len(wrong),
                "microseconds": round(1e6 * took / len(pieces)),
                "texts": wrong,
            }


def recognised() -> Iterator[Row]:
    """Sentences in other languages that are seen to be so, and of these how many get the name they should."""
    rows = [line.split("\t") for line in lines(SENTENCES) if not line.startswith("#")]
    for size in (5, 10, 15, 99):
        cut = [(name, " ".join(text.split()[:size])) for name, text in rows if size == 99 or len(text.split()) > size]
        seen = [(name, identify(text)) for name, text in cut if refused(text)]
        named = sum(name == found for name, found in seen)
        yield {"words": "all" if size == 99 else size, "texts": len(cut), "refused": len(seen), "right name": named}


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("data", nargs="?", type=Path, default=DATA)
    arguments = parser.parse_args()
    wrong = list(false_refusals(arguments.data)) if arguments.data.is_dir() else []
    others = list(recognised())
    refusals = [
        {"set": row["set"], "taken for": identify(text), "text": text[:100]} for row in wrong for text in row["texts"]
    ]
    show({"English": wrong, "English that is refused": refusals, "Other languages": others}, arguments.json)


if __name__ == "__main__":
    main()
