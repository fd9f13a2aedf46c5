"""How fast the language layer is, on one thread, against what it is made of.

    python bench/language.py [--json]

Words per second from raw text to analysis (tokenization, encoder, decoding, lemmas) against the bare network on the
same windows, in the same run; spaCy's blank tokenizer beside them where it is installed. Then 1,000 clauses embedded
with ``static`` against ``minilm``, the time from a fresh interpreter to the first parse, and the memory it takes; and
all models loaded, with what of that is the check of their digests. The text is the bundled example's sources and
references, twice.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from hashlib import sha256

os.environ.setdefault("OMP_NUM_THREADS", "1")

from measuring import Row, command_line, show, timed

from pyramidion.examples import example
from pyramidion.language import analyse
from pyramidion.language.models import weights
from pyramidion.language.parse.clauses import segmentations
from pyramidion.language.parse.minilm import MiniLM, minilm
from pyramidion.language.parse.pieces import tokenizer
from pyramidion.language.text.lemmas import load as lemmas
from pyramidion.language.text.words import split_words
from pyramidion.language.vectors import embedder
from pyramidion.language.vectors.static import load as static
from pyramidion.language.vectors.wtmf import load as wtmf

FIRST_PARSE = "from pyramidion.language import analyse; analyse('Cats sleep.')"
OUTPUTS = ("upos", "xpos", "edu", "start", "arcs", "dependents", "heads")


def best(work: Callable[[], object], rounds: int = 5) -> float:
    return timed(work, rounds)[0]


def bare(texts: list[str]) -> Callable[[], None]:
    """The graph alone, on windows prepared beforehand."""
    model = minilm()
    windows = []
    for text in texts:
        words = split_words(text)
        for first, last in model.windows(text, words):
            forms = [text[start:end] for start, end in words[first:last]]
            spaced = [index == 0 or words[index - 1][1] < words[index][0] for index in range(first, last)]
            windows.append(model.feeds(forms, spaced))

    def run() -> None:
        for feeds in windows:
            model.outputs(feeds, OUTPUTS)

    return run


def rows() -> list[Row]:
    texts = [text.text for topic in example() for text in (*topic.sources, *topic.references)] * 2
    words = sum(len(split_words(text)) for text in texts)
    network = best(bare(texts))
    whole = best(lambda: [analyse(text) for text in texts])
    tokens = best(lambda: [split_words(text) for text in texts])
    found: list[Row] = [
        {"what": "bare network", "words_per_second": round(words / network), "ratio": 1.0},
        {"what": "raw text to analysis", "words_per_second": round(words / whole), "ratio": round(network / whole, 2)},
        {"what": "our tokenizer", "words_per_second": round(words / tokens), "ratio": round(network / tokens, 2)},
    ]
    try:
        import spacy

        blank = spacy.blank("en")
        took = best(lambda: [blank(text) for text in texts])
        found.append(
            {
                "what": "spaCy's blank tokenizer",
                "words_per_second": round(words / took),
                "ratio": round(network / took, 2),
            }
        )
    except ImportError:
        pass
    found += embedding(texts)
    found += starting()
    found += checking()
    return found


def embedding(texts: list[str]) -> list[Row]:
    clauses = [segment.text(a) for a in map(analyse, texts) for ways in segmentations(a) for segment in ways[-1]]
    clauses = (clauses * (1000 // len(clauses) + 1))[:1000]
    static, slow = embedder("static"), embedder("minilm")
    static(clauses[:10]), slow(clauses[:10])
    fast_time, slow_time = best(lambda: static(clauses)), best(lambda: slow(clauses), rounds=2)
    return [
        {"what": "1,000 clauses, minilm", "seconds": round(slow_time, 3), "ratio": 1.0},
        {"what": "1,000 clauses, static", "seconds": round(fast_time, 4), "ratio": round(slow_time / fast_time, 1)},
    ]


def checking() -> list[Row]:
    """Every model loaded, which includes the check of its digests, against the digests alone."""
    files = [weights.MODELS / line.split("  ")[1] for line in weights.MANIFEST.read_text().splitlines()]
    data = [file.read_bytes() for file in files]
    digests = best(lambda: [sha256(one).hexdigest() for one in data])
    loaded = best(
        lambda: (
            MiniLM("en-minilm"),
            *(load.__wrapped__() for load in (static, wtmf, lemmas, tokenizer)),
        )
    )
    return [
        {"what": "all models loaded", "seconds": round(loaded, 3), "ratio": 1.0},
        {"what": "of that, SHA-256 of all", "seconds": round(digests, 3), "ratio": round(digests / loaded, 2)},
    ]


def starting() -> list[Row]:
    parse = partial(subprocess.run, [sys.executable, "-c", FIRST_PARSE], check=True)
    times = [timed(parse, clock=time.perf_counter)[0] for _ in range(5)]
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    return [
        {"what": "interpreter to first parse", "seconds": round(statistics.median(times), 2)},
        {"what": "peak memory of that", "MB": round(memory)},
    ]


def main() -> None:
    parser = command_line(__doc__)
    as_json = parser.parse_args().json
    show({"The language layer, one thread": rows()}, as_json)


if __name__ == "__main__":
    main()
