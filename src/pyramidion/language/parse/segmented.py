"""A text in every segmentation of its sentences, with vectors at hand: what builders and matchers start from.

Both are remembered, since a reference meets every peer and a peer every method: the analysis of the last few thousand
texts, and the vectors of each embedder (:class:`~pyramidion.language.vectors.Cached`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

from pyramidion.language.parse.analysers import Analyser, analysed
from pyramidion.language.parse.analysis import Analysis
from pyramidion.language.parse.clauses import Segment, Segmentation, segmentations
from pyramidion.language.vectors import Cached, embedder


@dataclass(frozen=True, slots=True)
class Segmented:
    """A text's sentences, each in one or more segmentations; the first is the whole sentence."""

    analysis: Analysis
    sentences: tuple[tuple[Segmentation, ...], ...]

    def text(self, segment: Segment) -> str:
        """Return the words of a segment."""
        return segment.text(self.analysis)


def segmented(text: str, by: str | Analyser = "en-minilm") -> Segmented:
    """Return the segmentations of every sentence that has a letter or a digit in it.

    A text that the analyser cannot parse (another language) keeps its sentences whole: coarse, but honest.

    >>> [len(sentence) for sentence in segmented("He came because she called. !!! Thanks.").sentences]
    [2, 1]
    >>> [len(sentence) for sentence in segmented("Он пришёл, потому что она позвонила.").sentences]
    [1]
    """
    return _segmented(text, by)


@lru_cache(maxsize=4096)
def _segmented(text: str, by: str | Analyser) -> Segmented:
    analysis = analysed(text, by)
    if analysis.parsed:
        sentences = segmentations(analysis)
    else:
        sentences = tuple(((_whole(analysis, *sentence),),) for sentence in analysis.sentences)
    return Segmented(analysis, tuple(sentence for sentence in sentences if _says_something(analysis, sentence[0])))


def _whole(analysis: Analysis, first: int, last: int) -> Segment:
    return Segment((analysis.span(first, last),), tuple(range(first, last)))


def _says_something(analysis: Analysis, sentence: Segmentation) -> bool:
    return any(char.isalnum() for segment in sentence for span in segment.spans for char in span.of(analysis.text))


@cache
def remembering(name: str) -> Cached:
    """Return the embedder of that name, which remembers what it has embedded; one a process.

    One whose rows take longer to compute than to read, which it says in ``costly``, remembers them on disk, too.
    """
    chosen = embedder(name)
    return Cached(chosen, shared=getattr(chosen, "costly", False))
