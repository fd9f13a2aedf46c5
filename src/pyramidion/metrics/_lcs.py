"""Longest common subsequences, plain and weighted, of sequences of words.

The table c(i, j), the LCS length of the first i and j words, grows by 0 or 1 from i - 1 to i: a column is a bit vector,
and one addition of long integers makes the next (H. Hyyrö, 2004, Bit-parallel LCS-length computation revisited).
Several subsequences can be longest; the way back through the table is that of ROUGE-1.5.5: take a match where there is
one, else go to i - 1 where that loses nothing, else to j - 1. The weighted LCS (Lin 2004, §4) has no such short cut and
fills its table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence

Words = Sequence[Hashable]


def occurrences(words: Words) -> dict[Hashable, int]:
    """Return for each word the bits of the positions that it has.

    >>> occurrences(["a", "b", "a"])
    {'a': 5, 'b': 2}
    """
    bits: dict[Hashable, int] = {}
    for position, word in enumerate(words):
        bits[word] = bits.get(word, 0) | 1 << position
    return bits


def common_length(matches: Iterable[int], length: int) -> int:
    """Return the length of the LCS of a sequence of ``length`` words with another.

    ``matches`` has for each word of the other, in order, the bits of its positions in the first; words without any
    change nothing and may be left out. Carries beyond the length do not come back, and are cut off at the end.

    >>> bits = occurrences("police killed the gunman".split())
    >>> common_length([bits[word] for word in "the gunman police killed".split()], 4)
    2
    """
    everything = column = (1 << length) - 1
    for bits in matches:
        stepping = column & bits
        column = (column + stepping) | (column - stepping)
    return length - (column & everything).bit_count()


def common_positions(bits: Mapping[Hashable, int], length: int, second: Words) -> list[int]:
    """Return the positions, last first, of the LCS that ROUGE-1.5.5 finds, in a sequence given by :func:`occurrences`.

    >>> common_positions(occurrences("a b c d".split()), 4, "b x d".split())
    [3, 1]
    """
    everything = column = (1 << length) - 1
    columns = []
    for word in second:
        matches = column & bits.get(word, 0)
        column = ((column + matches) | (column - matches)) & everything
        columns.append(column)
    found: list[int] = []
    i = length
    for j in range(len(second) - 1, -1, -1):
        matches = bits.get(second[j], 0)
        # The last i with a match or a step in the table: rows between are passed without loss.
        i = ((~columns[j] | matches) & ((1 << i) - 1)).bit_length()
        if i == 0:
            break
        if matches >> (i - 1) & 1:
            i -= 1
            found.append(i)
    return found


def union_hits(reference: Sequence[Words], candidate: Sequence[Words]) -> int:
    """Count words of the reference in the union of its sentences' LCS with every sentence of the candidate, clipped."""

    def positions(sentence: Words) -> Callable[[Words], Iterable[int]]:
        bits = occurrences(sentence)
        return lambda theirs: common_positions(bits, len(sentence), theirs)

    left = Counter(word for sentence in candidate for word in sentence)
    hits = 0
    for sentence, marked in _unions(reference, candidate, positions):
        for position in marked:
            if left[sentence[position]] > 0:
                left[sentence[position]] -= 1
                hits += 1
    return hits


def weighted_union_hits(reference: Sequence[Words], candidate: Sequence[Words], weight: float) -> float:
    """Return the same with ``k^weight`` for a run of ``k``, as in ROUGE-1.5.5: a run ends before an unmarked word.

    If the next word is marked but used up, the run is carried on past it, and lost where no unused word ends it.
    """

    def positions(sentence: Words) -> Callable[[Words], Iterable[int]]:
        return lambda theirs: weighted_positions(sentence, theirs, weight)

    left = Counter(word for sentence in candidate for word in sentence)
    hits = 0.0
    for sentence, marked in _unions(reference, candidate, positions):
        run, places = 0, set(marked)
        for position in marked:
            if left[sentence[position]] > 0:
                left[sentence[position]] -= 1
                run += 1
                if position + 1 not in places:
                    hits += run**weight
                    run = 0
    return hits


def _unions(
    reference: Sequence[Words],
    candidate: Sequence[Words],
    positions: Callable[[Words], Callable[[Words], Iterable[int]]],
) -> Iterator[tuple[Words, list[int]]]:
    for sentence in reference:
        find = positions(sentence)
        yield sentence, sorted({position for theirs in candidate for position in find(theirs)})


def _weighted_table(first: Words, second: Words, weight: float) -> list[list[float]]:
    """Return the table of ``c(i, j)``, where a run of ``k`` matches counts ``k^weight`` (Lin 2004, eq. 14)."""
    gain = [(k + 1) ** weight - k**weight for k in range(min(len(first), len(second)) + 1)]
    table = [[0.0] * (len(second) + 1)]
    runs = [0] * (len(second) + 1)
    for word in first:
        above, row, new_runs = table[-1], [0.0], [0]
        for j, theirs in enumerate(second):
            if word == theirs:
                row.append(above[j] + gain[runs[j]])
                new_runs.append(runs[j] + 1)
            else:
                row.append(max(above[j + 1], row[j]))
                new_runs.append(0)
        table.append(row)
        runs = new_runs
    return table


def weighted_length(first: Words, second: Words, weight: float) -> float:
    """Return the weighted LCS of Lin 2004, §4.

    >>> weighted_length("a b c d e f g".split(), "a b c d h i k".split(), 2)
    16.0
    >>> weighted_length("a b c d e f g".split(), "a h b k c i d".split(), 2)
    4.0
    """
    return _weighted_table(first, second, weight)[-1][-1]


def weighted_positions(first: Words, second: Words, weight: float) -> list[int]:
    """Return the positions in ``first`` of the subsequence with the greatest weight, last first."""
    table = _weighted_table(first, second, weight)
    positions: list[int] = []
    i, j = len(first), len(second)
    while i and j:
        if first[i - 1] == second[j - 1]:
            i, j = i - 1, j - 1
            positions.append(i)
        elif table[i - 1][j] >= table[i][j - 1]:
            i -= 1
        else:
            j -= 1
    return positions
