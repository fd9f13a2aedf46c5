"""A text without its white space, which must not decide whether two texts read the same.

Whether a stretch of the text reads as some words is found in time that grows with the words, not with the stretch: a
file can name the whole of its text a million times, in a few bytes each.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property

from pyramidion.base.files import squash
from pyramidion.model import GAP, Span


class Squashed:
    """The letters of a text, and where each of them stands."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _places(self) -> array[int]:
        """The place of each letter in the text."""
        return array("L", (index for index, char in enumerate(self.text) if not char.isspace()))

    @cached_property
    def letters(self) -> str:
        """The text without white space."""
        return squash(self.text)

    @cached_property
    def _backwards(self) -> str:
        return self.letters[::-1]

    def reads(self, spans: Sequence[Span], words: str) -> bool:
        """Return whether these stretches, with ``...`` between them, read as the words do, white space aside."""
        # the usual case, without squashing anything
        if [len(words)] == [span.end - span.start for span in spans] and self.text.startswith(words, spans[0].start):
            return True
        wanted = squash(words)
        places = [
            (bisect_left(self._places, span.start), bisect_left(self._places, span.end)) for span in sorted(spans)
        ]
        length = sum(end - start for start, end in places) + len(GAP) * max(len(places) - 1, 0)
        return length == len(wanted) and GAP.join(self.letters[start:end] for start, end in places) == wanted

    def is_blank(self, start: int, end: int) -> bool:
        """Return whether there is only white space from one character to another."""
        return bisect_left(self._places, start) >= bisect_left(self._places, end)

    def nearest(self, words: str, start: int) -> tuple[int, int] | None:
        """Return the place nearest to ``start`` that reads as the words do, white space aside; of two, the earlier.

        ``str.find`` is linear, ``str.rfind`` is not: backwards, the text is searched from its end.
        """
        wanted = squash(words)
        if not wanted:
            return None
        here = bisect_left(self._places, start)
        last = len(self.letters) - len(wanted)
        before = self._backwards.find(wanted[::-1], max(last - here + 1, 0))
        hits = [hit for hit in (last - before if before >= 0 else -1, self.letters.find(wanted, here)) if hit >= 0]
        if not hits:
            return None
        best = min(hits, key=lambda hit: (abs(self._places[hit] - start), hit))
        return self._places[best], self._places[best + len(wanted) - 1] + 1
