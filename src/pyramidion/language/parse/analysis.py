"""The analysis of a text: words, sentences, trees and discourse units, by offsets into it.

An :class:`Analysis` is the one result of every analyser (the embedded model, spaCy, a CoNLL-U file, any callable), and
the one input of everything that needs language: clauses, EDUs, basic elements, meaning graphs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from pyramidion.errors import ModelError, PyramidionError
from pyramidion.model import Span

ROOT = -1
"""The head of a sentence's root."""


class LanguageError(PyramidionError):
    """Something needs a parse, and this text has none: it is not English, or the analyser has no parser."""


@dataclass(frozen=True, slots=True)
class Word:
    """A syntactic word (UD): ``do`` and ``n't`` are two. ``head`` is the index of its head, or ``ROOT``."""

    start: int
    end: int
    form: str
    lemma: str = ""
    upos: str = ""
    xpos: str = ""
    head: int = ROOT
    relation: str = ""

    @property
    def span(self) -> Span:
        """Return its place in the text."""
        return Span(self.start, self.end)


@dataclass(frozen=True, slots=True)
class Analysis:
    """The words of a text in order, and the ranges of words that are sentences and elementary discourse units.

    ``sentences`` and ``edus`` are (first, last) ranges of word indices, ``last`` excluded; each partitions the words,
    and no EDU crosses a sentence's end. ``parsed`` says whether tags, heads and relations are there; without them the
    words and sentences are those of Unicode's rules, and every sentence is one EDU.
    """

    text: str
    words: tuple[Word, ...]
    sentences: tuple[tuple[int, int], ...]
    edus: tuple[tuple[int, int], ...] = ()
    parsed: bool = True
    analyser: str = ""

    def __post_init__(self) -> None:
        """Check that words are in the text and in order, and that sentences and EDUs partition them."""
        for name in ("words", "sentences", "edus"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if not self.edus and self.sentences:
            object.__setattr__(self, "edus", self.sentences)
        previous = 0
        for index, word in enumerate(self.words):
            if not previous <= word.start < word.end <= len(self.text) or self.text[word.start : word.end] != word.form:
                raise ModelError(f"Word {index} ({word.form!r}) is not the text at {word.start}-{word.end}")
            previous = word.end
        for name, ranges in (("sentences", self.sentences), ("EDUs", self.edus)):
            ends = [0, *(last for _, last in ranges)]
            if (
                [first for first, _ in ranges] != ends[:-1]
                or ends[-1] != len(self.words)
                or any(a >= b for a, b in pairwise(ends))
            ):
                raise ModelError(f"The {name} do not partition the {len(self.words)} words")
        starts = {first for first, _ in self.edus}
        if any(first not in starts for first, _ in self.sentences):
            raise ModelError("An EDU crosses the end of a sentence")
        if self.parsed:
            for first, last in self.sentences:
                for word in self.words[first:last]:
                    if word.head != ROOT and not first <= word.head < last:
                        raise ModelError(f"The head of {word.form!r} is outside its sentence")

    def span(self, first: int, last: int) -> Span:
        """Return the span of the words from ``first`` up to, not including, ``last``."""
        return Span(self.words[first].start, self.words[last - 1].end)

    def needs_parse(self, what: str) -> None:
        """Raise, in the user's words, unless the text is parsed."""
        if not self.parsed:
            raise LanguageError(
                f"{what}: this needs an English parse, and {self.text[:40]!r} has none",
                do="use a method that needs no parse, or an analyser for its language (spacy:NAME, conllu:FILE)",
            )

    def sentence_spans(self) -> Iterator[Span]:
        """Return the span of each sentence."""
        return (self.span(first, last) for first, last in self.sentences)

    def edu_spans(self) -> Iterator[Span]:
        """Return the span of each elementary discourse unit."""
        return (self.span(first, last) for first, last in self.edus)
