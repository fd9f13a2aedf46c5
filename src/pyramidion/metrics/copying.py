r"""Copying: the share of a text's words that stand in other texts in runs of eight words or more.

Let :math:`w_1 \ldots w_n` be the words of a summary, :math:`O` the texts it may have been copied from (the references
and the source documents), and :math:`r = 8`. Word :math:`i` is *copied* if it is in a window that stands in one of
them,

    C = { i : there is an a with a <= i < a + r, such that w_a ... w_{a+r-1} stand side by side in a text of O },

and the share is :math:`|C| / n`, or 0 where :math:`n = 0`. A run of :math:`r` words or more that summary and text have
in common is the union of such windows, and each such window is in a run; so C are exactly the words in these runs.

Words are compared by their letters and digits in lower case, so that punctuation, quotation marks and line breaks hide
nothing. In scripts without spaces, a character is a word (:mod:`pyramidion.language.text.words`).

The windows of the texts are hashed once; a summary then takes one look-up a window. That is linear in the words of the
texts and, for a given number of texts, of the summary.

Eight words in a row are rarely shared by chance; names, titles and set phrases are shorter. It is a reading aid, not a
finding of guilt: a quotation counts, a close paraphrase does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from pyramidion.language.text.words import split_words
from pyramidion.model import Span

RUN = 8
"""The least number of words of a run that counts."""

NOTABLE = 0.2
"""The share from which tables show it."""

PASTED = 0.8
"""The share from which a text is called pasted, or put together."""


@dataclass(frozen=True, slots=True)
class Copied:
    """The words that a text shares with others."""

    share: float
    """The share of its words."""
    origins: tuple[tuple[str, float], ...] = ()
    """The origins: the text with most of the words, and their share, then what each other text adds."""
    spans: tuple[Span, ...] = ()
    """The runs, in characters of the text."""

    @property
    def is_notable(self) -> bool:
        """The share is large enough to be shown."""
        return self.share >= NOTABLE

    @property
    def is_pasted(self) -> bool:
        """Hardly anything else is in the text."""
        return self.share >= PASTED

    def __str__(self) -> str:
        """Say where the text is from; empty if the share is not notable.

        >>> str(Copied(0.95, (("source 1", 0.9), ("reference A", 0.05))))
        'pasted from source 1'
        >>> str(Copied(0.95, (("reference A", 0.5), ("reference B", 0.45))))
        'put together from reference A, reference B'
        >>> str(Copied(0.25, (("reference A", 0.25),))), str(Copied(0.1, (("reference A", 0.1),)))
        ('25 % copied from reference A', '')
        """
        if not self.is_notable:
            return ""
        names = [name for name, _ in self.origins]
        if not self.is_pasted:
            return f"{100 * self.share:.0f} % copied from {', '.join(names)}"
        if self.origins[0][1] >= PASTED:
            return f"pasted from {names[0]}"
        return f"put together from {', '.join(names)}"


NOTHING = Copied(0.0)


@dataclass(frozen=True)
class Originals:
    """Texts that others may have copied from, by name.

    >>> lake = "The lake died because farms along its shore fed it phosphorus."
    >>> originals = Originals((("reference A", lake),))
    >>> copied = originals.copied("I read: the lake died, because farms along its SHORE (sic) fed it.")
    >>> copied.share == 8 / 13, copied.spans
    (True, (Span(start=8, end=52),))
    """

    texts: Sequence[tuple[str, str]]

    @cached_property
    def _windows(self) -> dict[tuple[str, ...], tuple[str, ...]]:
        """The names of the texts that have each window of words."""
        names: dict[tuple[str, ...], tuple[str, ...]] = {}
        for name, text in self.texts:
            for window in _windows([word for word, _ in _words(text)]):
                if name not in names.get(window, ()):
                    names[window] = (*names.get(window, ()), name)
        return names

    def copied(self, text: str) -> Copied:
        """Return what a text has copied from these texts."""
        words = list(_words(text))
        places: dict[str, set[int]] = {}
        for start, window in enumerate(_windows([word for word, _ in words])):
            for name in self._windows.get(window, ()):
                places.setdefault(name, set()).update(range(start, start + RUN))
        copied = set().union(*places.values())
        origins = []
        # An origin counts only for words that no larger one has, and not for less than a run.
        explained: set[int] = set()
        for name in sorted(places, key=lambda name: (-len(places[name]), name)):
            if len(places[name] - explained) >= RUN:
                origins.append((name, len(places[name] - explained) / len(words)))
                explained |= places[name]
        spans = tuple(Span(words[first][1].start, words[last][1].end) for first, last in _runs(copied))
        return Copied(len(copied) / len(words) if words else 0.0, tuple(origins), spans)


def _words(text: str) -> Iterator[tuple[str, Span]]:
    """Yield each word with letters or digits, reduced to them, and its place."""
    for start, end in split_words(text):
        word = "".join(filter(str.isalnum, text[start:end].casefold()))
        if word:
            yield word, Span(start, end)


def _windows(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return (tuple(words[start : start + RUN]) for start in range(len(words) - RUN + 1))


def _runs(places: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last of each run of whole numbers."""
    # Within a run number and rank rise together, so that their difference stays the same.
    for _, run in groupby(enumerate(sorted(places)), key=lambda ranked: ranked[1] - ranked[0]):
        (_, first), *rest = run
        yield first, rest[-1][1] if rest else first
