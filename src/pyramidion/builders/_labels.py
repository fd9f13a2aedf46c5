"""What an SCU is called: the words of a central contributor that can be read without its sentence.

The most central segment is often a piece of a sentence (``he said and.``, ``that left the lake``). So of the segments
that are nearly as central as the most central one (mean cosine to the others within :data:`MARGIN`), the label is the
one that reads best by itself, and then the most central; of equals the earliest. What reads badly, in points:

====  ===================================================================================================
4     no clause: no subject in it, or one that only a relative or question word stands for
3     its end is missing: the clause that a verb, noun or copula of it introduces (1 if enough is left)
2     it begins as a subordinate clause does (``when``, ``whose``, ``if``, ...)
2     fewer than three words of content
1     its subject is a pronoun, which nobody can look up
====  ===================================================================================================

The words are then tidied: no conjunction, mark (``that``, ``because``) or punctuation hangs from the ends, no comma
stands alone at a cut, and a capital begins them. Contributors and their spans stay as they are.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pyramidion.language.parse.analysis import Analysis
from pyramidion.language.parse.clauses import Segment

MARGIN = 0.1
"""The largest loss of mean cosine to the other contributors that a more readable label may cost."""

# Relations and parts of speech as in Universal Dependencies; the words of xpos are Penn Treebank tags.
_SUBJECTS = {"nsubj", "csubj", "expl"}
_OPEN_WORDS = {"WDT", "WP", "WP$", "WRB"}
_POINTING = {"PRP", "DT"}
"""Pronouns that stand for something said before: *it*, *these*; not *nobody*."""
_COMPLEMENTS = {"ccomp", "csubj", "acl"}
_CONTENT = {"NOUN", "PROPN", "NUM", "VERB", "ADJ"}
_IN_A_NOUN_PHRASE = {"nsubj", "obj", "iobj", "obl", "nmod", "det"}
_DROPPED_FIRST = {"that", "because", "and", "but", "or", "so", "for", "nor", "yet", "however", "therefore", "thus"}
_DROPPED_LAST = {"and", "but", "or", "nor", "so", "that", "because", "however"}
_HANGING = {"mark", "cc", "advmod"}
_AT_A_CUT = {",", ";", ":", "-", "--", "\u2013", "\u2014", "...", "\u2026"}
_ENDS = _AT_A_CUT | {"."}


def most_readable(segments: Sequence[tuple[Analysis, Segment]], cosine: NDArray[np.float64]) -> int:
    """Return the segment of an SCU that gives its label; ``cosine`` has a row and a column for each segment."""
    neighbours = max(1, len(segments) - 1)
    # rounded, so that segments of equal means stay equal on every machine
    central = np.round((cosine.sum(axis=1) - cosine.diagonal()) / neighbours, 9)
    near = [place for place in range(len(segments)) if central[place] >= central.max() - MARGIN]
    return min(near, key=lambda place: (_roughness(*segments[place]), -float(central[place]), place))


def label(analysis: Analysis, segment: Segment) -> str:
    """Return the words of a segment, tidied at its ends and cuts, or unchanged if that would leave nothing."""
    words = _tidy(analysis, segment.words)
    text = Segment(segment.spans, tuple(words)).text(analysis) if words else segment.text(analysis)
    first = text.partition(" ")[0]
    return text[0].upper() + text[1:] if first.islower() else text


def _base(relation: str) -> str:
    return relation.partition(":")[0]


def _roughness(analysis: Analysis, segment: Segment) -> int:
    """Return the points of the module's table; 0 without a parse, because segments are whole sentences there."""
    if not analysis.parsed:
        return 0
    words, inside = analysis.words, set(segment.words)
    named, kept, content = _readable(analysis, segment)
    points = 2 if content < 3 else 0
    if not named:
        points += 4
    elif words[named[0]].upos == "PRON":
        points += 1
    if _is_cut_short(analysis, inside, kept[-1]):
        points += 3 if content < 6 else 1
    if _opens_a_subordinate_clause(analysis, kept[0], inside):
        points += 2
    return points


def unclear(analysis: Analysis, segment: Segment) -> str:
    """Return the reason why a segment is unclear without its sentence; empty if it is clear."""
    if not analysis.parsed:
        return ""
    words, inside = analysis.words, set(segment.words)
    named, kept, content = _readable(analysis, segment)
    if not named:
        return "it has no subject"
    named_before = any(words[index].upos in ("NOUN", "PROPN") for index in kept if index < named[0])
    if words[named[0]].xpos in _POINTING and not named_before:
        return f"nobody can tell what {words[named[0]].form!r} is"
    if content < 6 and _is_cut_short(analysis, inside, kept[-1]):
        return "its end is missing"
    if _opens_a_subordinate_clause(analysis, kept[0], inside):
        return "it is half a sentence"
    least = 3 if words[named[0]].xpos == "EX" else 2  # there was a price
    return "it says too little by itself" if content < least else ""


def _readable(analysis: Analysis, segment: Segment) -> tuple[list[int], Sequence[int], int]:
    """Return the subjects that name something, the words of the label, and how many of these have content."""
    words = analysis.words
    subjects = [index for index in segment.words if _base(words[index].relation) in _SUBJECTS]
    kept = _tidy(analysis, segment.words) or segment.words
    named = [index for index in subjects if words[index].xpos not in _OPEN_WORDS]
    return named, kept, sum(words[index].upos in _CONTENT for index in kept)


def _is_cut_short(analysis: Analysis, inside: set[int], last: int) -> bool:
    """Return whether a verb's complement, or the predicate of the copula at the end, is in another segment."""
    words = analysis.words
    if words[last].relation == "cop" and words[last].head not in inside:
        return True
    sentence = analysis.sentences[bisect_right(analysis.sentences, (last, len(words))) - 1]
    return any(
        index not in inside and words[index].head in inside and words[index].relation in _COMPLEMENTS
        for index in range(*sentence)
    )


def _opens_a_subordinate_clause(analysis: Analysis, first: int, inside: set[int]) -> bool:
    """Return whether the first word subordinates the whole: ``when it rained``, not ``when asked, he came``."""
    words = analysis.words
    if _base(words[first].relation) != "mark" and words[first].xpos not in _OPEN_WORDS:
        return False
    predicate = words[first].head
    while predicate in inside and _base(words[predicate].relation) in _IN_A_NOUN_PHRASE:
        predicate = words[predicate].head
    return predicate not in inside or words[predicate].head not in inside


def _tidy(analysis: Analysis, words: Sequence[int]) -> list[int]:
    """Return the words without what hangs from the ends, and without an unpaired comma at a cut."""
    shown = list(words)
    while shown and _hangs(analysis, shown[0], _DROPPED_FIRST):
        del shown[0]
    while shown and _hangs(analysis, shown[-1], _DROPPED_LAST):
        del shown[-1]
    commas = [place for place, index in enumerate(shown) if analysis.words[index].form in _AT_A_CUT]
    at_cuts = [place for place in commas if shown[place - 1] + 1 < shown[place] or shown[place] + 1 < shown[place + 1]]
    # Of two commas inside a stretch of words both stay: they may enclose something.
    if len(commas) - len(at_cuts) in (0, 2):
        shown = [index for place, index in enumerate(shown) if place not in at_cuts]
    return shown


def _hangs(analysis: Analysis, index: int, among: set[str]) -> bool:
    word = analysis.words[index]
    return word.form in _ENDS or (word.form.lower() in among and _base(word.relation) in _HANGING)
