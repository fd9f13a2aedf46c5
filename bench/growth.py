"""How time grows with the input: the ratio for ten times as much of it. About 10 is linear, 100 quadratic.

    python bench/growth.py [--quick] [--json]

Tests count steps, which is the same on every machine; what the machine does within a step is measured here.

- **words**: cutting text that is made of one piece, over and over (those of ``tests/language/text/test_words.py``),
  which an expression that goes back and forth would read many times; and plain English.
- **sequences**: the matchers of Harnly and Passonneau on one sentence, against ten SCUs.
- **answers**: a table of crowd answers, read and stored.
- **labels**: a DUCView file whose labels are all wrong, so that each is looked for in the text, which is ten times as
  long, too: between 10 and 100 is what that takes.

Processor seconds, the best of three rounds of each size, in turns.
"""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from measuring import command_line, show, timed
from tests.crowd.results import judging, study, table
from tests.formats.test_ducview import TEXT, pyr, scu
from tests.language.text.test_words import HOSTILE
from tests.matchers.test_sequences import pyramid_of

from pyramidion.crowd.answers.collect import read
from pyramidion.crowd.answers.store import Store
from pyramidion.errors import InputWarning
from pyramidion.formats import ducview
from pyramidion.language.text.words import split_words
from pyramidion.matchers.harnly import harnly
from pyramidion.matchers.passonneau import passonneau
from pyramidion.model import Summary

Work = Callable[[], object]


def words(piece: str, times: int) -> Work:
    text = "a" + piece * times + "a"
    return lambda: split_words(text)


def sequences(matcher: str, size: int) -> Work:
    forms = [f"word{number}" for number in np.random.default_rng(0).integers(0, 300, size)]
    pyramid = pyramid_of(*([" ".join(forms[place : place + 8])] for place in range(0, 100, 10)))
    peer = Summary("p", " ".join(forms), "peer")
    if matcher == "harnly":
        return lambda: harnly(pyramid, peer, threshold=0.8)
    return lambda: passonneau(pyramid, peer, similarity="ratcliff", threshold=0.8)


def answers(rows: int) -> Work:
    text = table(*(judging("W1", "ppp", AssignmentId=f"a{number}") for number in range(rows)))

    def work() -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "r.csv")
            path.write_text(text)
            collected = read(path, study())
            Store(Path(folder)).add(collected.submissions, "r.csv", statuses=collected.statuses)

    return work


def labels(number: int) -> Work:
    parts = '<part label="cats doze" start="5" end="9"/>' * number
    document = pyr(scu("1", "x", parts), text=TEXT + "\n" + "More of this. " * number).encode()
    return lambda: ducview.loads(document)


def cases(scale: int) -> Iterator[tuple[str, int, Callable[[int], Work]]]:
    """What is measured, its smaller size, and the work of a size."""
    for piece in (*HOSTILE, "The quick brown fox's jump "):
        yield f"words: {piece!a}", 200 * scale, lambda size, piece=piece: words(piece, size)  # type: ignore[misc]
    for matcher in ("harnly", "passonneau"):
        yield f"sequences: {matcher}", 10 * scale, lambda size, matcher=matcher: sequences(matcher, size)  # type: ignore[misc]
    yield "answers", 100 * scale, answers
    yield "labels", 10 * scale, labels


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the input, to see that it works")
    given = parser.parse_args()
    warnings.simplefilter("ignore", InputWarning)
    rows = []
    for what, size, of in cases(1 if given.quick else 10):
        some, much = of(size), of(10 * size)
        taken = [(timed(some)[0], timed(much)[0]) for _ in range(3)]
        less, more = (min(each) for each in zip(*taken, strict=True))
        rows.append(
            {
                "what": what,
                "size": size,
                "s": round(less, 5),
                "s of 10 times": round(more, 4),
                "ratio": round(more / less, 1),
            }
        )
    show({"Time for ten times the input, processor seconds": rows}, given.json)


if __name__ == "__main__":
    main()
