"""A PENMAN file as a source of meaning graphs: each of its graphs answers for its sentence, white space aside."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pyramidion.base.files import decode, read_bytes, squash
from pyramidion.errors import FormatError
from pyramidion.language.graphs.meaning import MeaningGraph
from pyramidion.language.graphs.penman.text import WrittenGraph, loads, warn_of_unaligned
from pyramidion.language.parse.analysers import unicode_analysis
from pyramidion.language.parse.analysis import LanguageError
from pyramidion.model import Span


def load(path: str) -> Callable[[str], tuple[MeaningGraph, ...]]:
    """Return the function that finds the sentences of a text among those of a file.

    What a sentence is, the file decides: at every place of the text the longest of its sentences that stands there is
    taken. Of two graphs of one sentence the first counts.
    """
    written: dict[str, WrittenGraph] = {}
    graphs = loads(decode(read_bytes(Path(path)), path), path)
    warn_of_unaligned(graphs, path)
    for graph in graphs:
        if not graph.sentence:
            raise FormatError("This graph does not name its sentence", graph.where, "add a comment '# ::snt SENTENCE'")
        written.setdefault(squash(graph.sentence), graph)
    lengths = sorted({len(sentence) for sentence in written}, reverse=True)

    def look_up(text: str) -> tuple[MeaningGraph, ...]:
        """Return the graphs of a text's sentences, the longest that the file has at each place."""
        offsets = [offset for offset, char in enumerate(text) if not char.isspace()]
        letters = squash(text)
        placed: list[MeaningGraph] = []
        start = 0
        while start < len(letters):
            ends = (start + length for length in lengths if start + length <= len(letters))
            end = next((end for end in ends if letters[start:end] in written and _ends_word(text, offsets[end - 1])), 0)
            if not end:
                raise LanguageError(
                    f"{path} has no graph of the sentence {_sentence(text, offsets[start])!r}",
                    do="parse it and add its graph, with the sentence in a comment before it: # ::snt SENTENCE",
                )
            graph = written[letters[start:end]]
            placed.append(graph.placed(text, Span(offsets[start], offsets[end - 1] + 1), "penman"))
            start = end
        return tuple(placed)

    return look_up


def _ends_word(text: str, last: int) -> bool:
    """Return whether a word ends with this character, so that the sentence ``I`` is not found in ``It rains``."""
    return not (text[last].isalnum() and text[last + 1 : last + 2].isalnum())


def _sentence(text: str, offset: int) -> str:
    """Return the text from there to the end of the sentence, as our own rules split it."""
    end = next((span.end for span in unicode_analysis(text).sentence_spans() if span.end > offset), len(text))
    return " ".join(text[offset:end].split())
