"""Make the dictionary of ``language/text/spelling.py``: ``python train/spelling.py`` writes ``models/spelling``.

Reads the English word list of pyspellchecker 0.9.1 (``pip install pyspellchecker==0.9.1``, for this alone). Words of
fewer than three letters are left out, because a slip has at least four. The same list gives the same bytes.
"""

from __future__ import annotations

import gzip
import json
from importlib.metadata import distribution, version

from pyramidion.language.models.weights import MODELS

VERSION = "0.9.1"
TARGET = MODELS / "spelling" / "words.json.gz"


def main() -> None:
    """Read the list, write the dictionary: words by how often they occur, which takes less room than pairs."""
    assert version("pyspellchecker") == VERSION, f"pip install pyspellchecker=={VERSION}"
    source = distribution("pyspellchecker").locate_file("spellchecker/resources/en.json.gz")
    occurrences: dict[str, int] = json.loads(gzip.decompress(source.read_bytes()))
    words: dict[int, list[str]] = {}
    for word, times in sorted(occurrences.items()):
        if len(word) > 2:
            words.setdefault(times, []).append(word)
    text = json.dumps({times: " ".join(words[times]) for times in sorted(words)}, ensure_ascii=False)
    TARGET.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(f"{TARGET.name}: {sum(map(len, words.values()))} words, {TARGET.stat().st_size} bytes")


if __name__ == "__main__":
    main()
