"""WordPiece: how fast texts are cut into pieces, beside the package ``tokenizers``.

    python bench/word_pieces.py [--json]

The documents of REALSumm (or, without them, the bundled example many times over), one by one, on one processor: our
code with nothing remembered, our code with their words remembered, and ``tokenizers``, which is written in Rust. Both
must give the same pieces. The last row says what share of judging those documents the cutting is.
"""

from __future__ import annotations

import os

os.environ["TOKENIZERS_PARALLELISM"] = "false"

from measuring import DATA, Row, command_line, show, timed
from tokenizers import Tokenizer

from pyramidion.examples import example
from pyramidion.language.entailment.network import entailment_network
from pyramidion.language.models import weights
from pyramidion.language.text.word_pieces import loads


def documents() -> list[str]:
    path = DATA / "realsumm" / "documents.txt"
    if path.exists():
        return path.read_text(encoding="utf-8").splitlines()
    return 100 * [reference.text for topic in example() for reference in topic.references]


def main() -> None:
    arguments = command_line(__doc__).parse_args()
    data = weights.read(weights.MODELS / "en-minilm" / "tokenizer.json")
    theirs = Tokenizer.from_buffer(data)
    theirs.no_padding()
    theirs.no_truncation()
    texts = documents()
    other, expected = timed(lambda: [theirs.encode(text, add_special_tokens=False).ids for text in texts], rounds=3)
    ours = loads(data)
    first, pieces = timed(lambda: [ours.ids(text) for text in texts])
    again, _ = timed(lambda: [ours.ids(text) for text in texts], rounds=3)
    assert pieces == expected
    count = sum(map(len, pieces))
    network = entailment_network()
    reading, _ = timed(lambda: network.probabilities(texts[0], [texts[0][:80]]))
    share = first / len(texts) / reading
    rows: list[Row] = [
        {"what": "tokenizers", "seconds": round(other, 4), "pieces/s": round(count / other), "ratio": 1.0},
        {"what": "ours, first time", "seconds": round(first, 4), "pieces/s": round(count / first)},
        {"what": "ours, words seen", "seconds": round(again, 4), "pieces/s": round(count / again)},
    ]
    rows[1]["ratio"], rows[2]["ratio"] = round(first / other, 2), round(again / other, 2)
    cut = {"what": "cutting a text, of the time to judge one unit in it", "share": f"{share:.2%}"}
    show({f"{len(texts)} texts, {count:,} pieces": rows, "what it is of the work": [cut]}, arguments.json)


if __name__ == "__main__":
    main()
