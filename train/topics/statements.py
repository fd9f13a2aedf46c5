"""The statements that people would write of the invented texts: ``statements/TOPIC.tsv``, by :mod:`train.topics`.

A row has the text (a reference, or a peer), the number of the sentence, by the embedded analyser, and a statement;
``-`` for a sentence that states nothing.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from train.topics import FOLDER, WrongFileError, aside, read

from pyramidion.language.parse.analysers import analysed

NOTHING = "-"


class Told(NamedTuple):
    """A text, and what each of its sentences states."""

    text: str
    sentences: list[tuple[str, list[str]]]
    kept: bool
    """Whether no network learns from it."""


def told() -> Iterator[Told]:
    """Every text whose statements were written."""
    for path in sorted((FOLDER / "statements").glob("*.tsv")):
        yield from of_topic(path)


def of_topic(path: Path) -> Iterator[Told]:
    """The texts of a topic."""
    topic = path.parents[1] / f"{path.stem}.json"
    own = read(topic)
    texts = {one.id: one.text for one in own.topic.references} | {peer.name: peer.text for peer in own.peers}
    rows: dict[str, dict[int, list[str]]] = {}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
            name, number, statement = row
            rows.setdefault(name, {}).setdefault(int(number), []).append(statement)
    for name, stated in rows.items():
        if name not in texts:
            raise WrongFileError(f"statements/{path.name}: there is no text {name!r}.")
        sentences = [span.of(texts[name]) for span in analysed(texts[name], "en-minilm").sentence_spans()]
        if sorted(stated) != list(range(1, len(sentences) + 1)):
            raise WrongFileError(f"statements/{path.name}, {name}: the rows are not for {len(sentences)} sentences.")
        yield Told(texts[name], [(sentence, [one for one in stated[number] if one != NOTHING])
                                 for number, sentence in enumerate(sentences, 1)], aside(topic))  # fmt: skip
