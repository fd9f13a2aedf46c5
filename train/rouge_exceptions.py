"""Make ROUGE's table of irregular forms: ``python train/rouge_exceptions.py`` writes ``language/text/data/``.

Reads WordNet's exception lists (Debian: ``apt-get install wordnet-base``, or another folder with ``*.exc`` given as the
argument). A line is an inflected form and its base forms; we keep the first base form, and where two lists have the
form, that of the later list. The order (adverbs, adjectives, nouns, verbs) is inferred: the scores of ROUGE-1.5.5 show
*better* and *best* to be *good*, not *well*; only *testes* is left a guess. Forms that ROUGE never looks up are left
out: those of three letters or fewer, and those that its tokeniser would have split. The same lists give the same bytes.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from pathlib import Path

LISTS = ("adv", "adj", "noun", "verb")
TARGET = Path(__file__).parents[1] / "src" / "pyramidion" / "language" / "text" / "data" / "exceptions.json.gz"


def main(folder: Path) -> None:
    """Read the four lists, write the table."""
    table: dict[str, str] = {}
    for name in LISTS:
        for line in (folder / f"{name}.exc").read_text(encoding="utf-8").splitlines():
            form, base = line.split()[:2]
            if re.fullmatch(r"[a-z0-9]{4,}", form):
                table[form] = base
    text = json.dumps(table, sort_keys=True, separators=(",", ":"))
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{TARGET.name}: {len(table)} forms, {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/wordnet"))
