r"""Statements that say the same in nearly the same words: found by their lemmas, within one reference.

Writers copy and paste, so two of them often write the same statement (Shapira et al. 2019 §3). Two ways of telling:

* ``cosine`` (the paper, which gives no threshold): with :math:`c_w(t)` how often a statement has the lemma *w*,

  .. math:: \cos(s, t) = \sum_w c_w(s) c_w(t) \Big/ \sqrt{\sum_w c_w(s)^2 \sum_w c_w(t)^2}.

  All words count, as in the paper. From the shortest statement on, each is kept unless it is more like one already kept
  than the threshold: the briefest of several stays, whatever order they came in. Two that may say different things
  (*not*, *from* and *to*: :mod:`~pyramidion.crowd.statements.reversal`) are both kept, for a person to decide.
* ``overlap`` (the published code): with *A* and *B* the sets of lemmas, :math:`|A \cap B| / \min(|A|, |B|) > .95`.
  Of a pair i < j, j is dropped if i has fewer lemmas, else i, so of two equally long ones the earlier goes. A dropped
  statement is compared no more, except that i is compared with the remaining j. A function word with a capital counts
  as content, because the published statements, which survived this rule, say so: 11 of their pairs are above .95 with
  it, 39 without it.

The cosine's threshold: a writer is asked for different statements, so pairs by *one* writer that look alike are false
alarms. In the statements published for DUC 2005 and 2006 (those that survived ``overlap``), .90 finds 18 pairs, one by
the same writer; .85 finds 33, eight by the same writer. (Without function words .85 found 36, one by the same writer,
and took *The mayor did not resign* for *The mayor resigned*.)

Lemmas are the analyser's; where it has none (a text that is not English), the words themselves, case folded.
"""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from pyramidion.crowd.statements.reversal import difference
from pyramidion.language.parse.analysers import analysed
from pyramidion.language.parse.analysis import Word

Duplicates = Literal["cosine", "overlap"]

THRESHOLDS: dict[str, float] = {"cosine": 0.9, "overlap": 0.95}
"""The similarities above which two statements are duplicates."""

ENDS = ".,!?"
"""The characters that are stripped from both ends of a statement, as in the published code."""

_FUNCTION = frozenset(("ADP", "AUX", "CCONJ", "DET", "PART", "PRON", "SCONJ"))

Lemmas = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Alike:
    """The statement that another is like, by its place among those compared, and their similarity."""

    place: int
    similarity: float


def lemmas(text: str, analyser: str = "en-minilm", *, capitals: bool = False) -> Lemmas:
    """Return the lemmas of all words of a statement.

    ``capitals``, as in the published code: of function words only those with a capital count, so does punctuation, and
    lemmas keep their case.

    >>> lemmas("The bridges of the town were closed.")
    ('the', 'bridge', 'of', 'the', 'town', 'be', 'close')
    >>> lemmas("The bridges of the town were closed.", capitals=True)
    ('the', 'bridge', 'town', 'close')
    """
    analysis = analysed(text.strip(ENDS + " "), analyser)
    if capitals:
        words = [word for word in analysis.words if word.upos not in _FUNCTION or not word.form.islower()]
        return tuple(word.lemma or word.form for word in words or analysis.words)
    return tuple(_fold(word) for word in analysis.words if any(map(str.isalnum, word.form)))


def _fold(word: Word) -> str:
    return unicodedata.normalize("NFKC", word.lemma or word.form).casefold()


def cosine(a: Lemmas, b: Lemmas) -> float:
    """Return the cosine of the bags of lemmas; 0 if one is empty.

    >>> round(cosine(("old", "bridge", "close"), ("bridge", "close")), 3)
    0.816
    """
    # the same words have exactly 1, where the square root could leave .9999999
    if sorted(a) == sorted(b):
        return float(bool(a))
    first, second = Counter(a), Counter(b)
    product = sum(count * second[lemma] for lemma, count in first.items())
    squares = sum(count**2 for count in first.values()) * sum(count**2 for count in second.values())
    return product / math.sqrt(squares) if squares else 0.0


def overlap(a: Lemmas, b: Lemmas) -> float:
    """Return the share of the smaller set of lemmas that is in the other; 0 if one is empty.

    >>> overlap(("old", "bridge", "close"), ("bridge", "close"))
    1.0
    """
    first, second = set(a), set(b)
    smaller = min(len(first), len(second))
    return len(first & second) / smaller if smaller else 0.0


def nearest(texts: Sequence[str], duplicates: Duplicates, analyser: str = "en-minilm") -> list[Alike | None]:
    """Return for each statement the most similar other one (the first of several); None if nothing is in common."""
    nearest_of: list[Alike | None] = []
    similarity = cosine if duplicates == "cosine" else overlap
    bags = [lemmas(text, analyser, capitals=duplicates == "overlap") for text in texts]
    for place, bag in enumerate(bags):
        candidates = [
            Alike(candidate, similarity(bag, bags[candidate])) for candidate in range(len(bags)) if candidate != place
        ]
        best = max(candidates, key=lambda alike: alike.similarity, default=None)
        nearest_of.append(best if best and best.similarity else None)
    return nearest_of


def _by_cosine(texts: Sequence[str], threshold: float, analyser: str) -> dict[int, Alike]:
    """Return the places of duplicates by cosine, each with the kept statement that it is most like."""
    bags = [lemmas(text, analyser) for text in texts]
    # the briefest first, so that of several duplicates it is the one that stays
    order = sorted(range(len(texts)), key=lambda place: (len(bags[place]), len(texts[place]), texts[place], place))
    kept: list[int] = []
    dropped: dict[int, Alike] = {}
    for place in order:
        alike = [
            Alike(earlier, similarity)
            for earlier in kept
            if (similarity := cosine(bags[place], bags[earlier])) > threshold
            and not difference(texts[place], texts[earlier], analyser)
        ]
        if alike:
            dropped[place] = max(alike, key=lambda found: found.similarity)
        else:
            kept.append(place)
    return dropped


def _by_overlap(texts: Sequence[str], threshold: float, analyser: str) -> dict[int, Alike]:
    """Return the places of duplicates by overlap, each with a statement that it is like; as in the published code."""
    bags = [lemmas(text, analyser, capitals=True) for text in texts]
    dropped: dict[int, Alike] = {}
    for i in range(len(texts)):
        if i in dropped:
            continue
        for j in range(i + 1, len(texts)):
            if j in dropped or (similarity := overlap(bags[i], bags[j])) <= threshold:
                continue
            if len(bags[i]) < len(bags[j]):
                dropped[j] = Alike(i, similarity)
            # i may be dropped already, but is still compared with the remaining j, as in the published code
            elif i not in dropped:
                dropped[i] = Alike(j, similarity)
    return dropped


FINDERS: dict[str, Callable[[Sequence[str], float, str], dict[int, Alike]]] = {
    "cosine": _by_cosine,
    "overlap": _by_overlap,
}
"""By name: from the statements about one reference, a threshold and an analyser to duplicates and what they repeat."""
