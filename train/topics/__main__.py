"""Check the files, and count."""

import json
import sys
from collections import Counter
from pathlib import Path

from train.topics import FOLDER, LETTERS, WrongFileError, marks, read


def main() -> None:
    """Print a line for each file."""
    wrong = 0
    for path in [Path(name) for name in sys.argv[1:]] or sorted(FOLDER.glob("*.json")):
        try:
            own = read(path)
            letters = Counter(mark.letter for some in marks(own).values() for mark in some)
        except (WrongFileError, KeyError, ValueError, json.JSONDecodeError) as error:
            print(f"WRONG  {path.name}: {type(error).__name__}: {error}")
            wrong += 1
            continue
        weights = Counter(scu.weight for scu in own.pyramid.scus)
        words = [len(reference.text.split()) for reference in own.topic.references]
        peers = [f"{len(peer.text.split())}w +{len(peer.said)} ~{len(peer.partly)} -{len(peer.denied)}"
                 for peer in own.peers]  # fmt: skip
        marked = f", marks {[letters[letter] for letter in LETTERS]}" if letters else ""
        print(
            f"ok     {path.name}: words {words}, SCUs {[weights[w] for w in (4, 3, 2, 1)]}, peers {', '.join(peers)}"
            f"{marked}"
        )
    for path in sorted((FOLDER / "marks").glob("*.json")):
        if not (FOLDER / path.name).exists():
            print(f"WRONG  marks/{path.name}: there is no such topic")
            wrong += 1
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
