"""Statements of nearly the same words that may say different things: not, from and to, before and after, who did it.

*The mayor did not resign* and *The mayor resigned* are alike by any count of words, and so are *from Oslo to Rome* and
*from Rome to Oslo*, *Ann sued Bob* and *Bob sued Ann*. No similarity of bags of words may join such a pair; a person
decides. :func:`difference` names what differs:

* one has a negation that the other has not;
* a word that can turn a statement round (:data:`TURNING`) belongs, in one of them only, to something that both say:
  *before the vote* and *after the vote*;
* who acts and who is acted upon have changed places;
* both have a number that the other has not;
* they are not English, so that these words are not known, and are not the same words in the same order.

Where the text is parsed, a word belongs to its head, and *by* before whoever acts turns nothing; otherwise it belongs
to the next word.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from pyramidion.language.parse.analysers import analysed
from pyramidion.language.parse.analysis import ROOT, Analysis, Word
from pyramidion.language.text.english import is_english
from pyramidion.language.text.words import split_words

_DENYING = "not no never none nobody nothing nowhere neither nor without hardly scarcely barely seldom rarely"
_PLACING = "from to into out off up down over under above below before after until till since by against"
_LIMITING = "more less fewer most least if unless except may might could would should"
NEGATIONS = frozenset(_DENYING.split())
TURNING = NEGATIONS | frozenset(f"{_PLACING} {_LIMITING}".split())
"""The words whose presence or place can turn a statement round."""

_PASSIVE = ("nsubj:pass", "nsubjpass")
_ACTING = ("nsubj", "obl:agent")
_ACTED_UPON = ("obj", "iobj", "dobj")
_ENDS = ".,!? "


@dataclass(frozen=True, slots=True)
class _Meaning:
    """The features by which statements of nearly the same words may say different things."""

    words: tuple[str, ...]
    negations: Counter[str]
    of: Mapping[str, frozenset[str]]
    """The turning words that belong to each other word."""
    acting: frozenset[str]
    acted_upon: frozenset[str]
    numbers: frozenset[str]
    is_english: bool


def difference(first: str, second: str, analyser: str = "en-minilm") -> str:
    """Return the words by which two statements may say different things; empty if there are none.

    >>> difference("The mayor did not resign.", "The mayor resigned.")
    'not'
    >>> difference("He flew from Oslo to Rome.", "He flew from Rome to Oslo.")
    'from, to'
    >>> difference("The council closed the bridge.", "The bridge was closed by the council.")
    ''
    """
    a, b = _meaning(first, analyser), _meaning(second, analyser)
    if not (a.is_english and b.is_english):
        return "" if a.words == b.words else _join_sorted(set(a.words) ^ set(b.words)) or "the order of the words"
    # counted, because a statement that denies twice differs from one that denies once
    differing = set((a.negations - b.negations) + (b.negations - a.negations))
    shared = set(a.words) & set(b.words) - TURNING
    differing |= {turn for word in shared for turn in a.of.get(word, frozenset()) ^ b.of.get(word, frozenset())}
    if differing:
        return _join_sorted(differing)
    agents, patients = a.acting & b.acted_upon, b.acting & a.acted_upon
    if agents and patients and agents != patients:  # one alone is more often an error of the parser
        return f"who acts: {_join_sorted(agents | patients)}"
    # a number that only one of them has may be a detail that the other leaves out, so both must have one
    numbers = a.numbers - b.numbers, b.numbers - a.numbers
    return " or ".join(map(_join_sorted, numbers)) if all(numbers) else ""


def _join_sorted(words: Iterable[str]) -> str:
    return ", ".join(sorted(words))


@lru_cache(maxsize=4096)
def _meaning(text: str, analyser: str) -> _Meaning:
    """Analyse a statement and find its negations, turning words, agents, patients and numbers."""
    analysis = analysed(text.strip(_ENDS), analyser)
    spoken = [place for place, word in enumerate(analysis.words) if any(map(str.isalnum, word.form))]
    names = {place: _name(analysis.words[place]) for place in spoken}
    turning = [place for place in spoken if names[place] in TURNING and not _turns_nothing(place, analysis)]
    of: dict[str, set[str]] = {}
    for place in turning:
        if head := _belongs_to(place, analysis, spoken, names):
            of.setdefault(head, set()).add(names[place])
    return _Meaning(
        tuple(names.values()),
        Counter(name for name in names.values() if name in NEGATIONS),
        {head: frozenset(words) for head, words in of.items()},
        frozenset(names[place] for place in spoken if _role(place, analysis) == "acting"),
        frozenset(names[place] for place in spoken if _role(place, analysis) == "acted upon"),
        frozenset(number for name in names.values() if (number := _number(name))),
        is_english(analysis.text, split_words(analysis.text)),
    )


def _name(word: Word) -> str:
    """Return a word's lemma; for *n't*, alone or at the end of an unparsed word, *not*."""
    name = unicodedata.normalize("NFKC", word.lemma or word.form).casefold().replace("\u2019", "'")
    return "not" if name.endswith("n't") or name == "cannot" else name


def _turns_nothing(place: int, analysis: Analysis) -> bool:
    """Return whether this is *to* before a verb, *by* before whoever acts in a passive, or the month of *May*."""
    word = analysis.words[place]
    is_agent = word.head != ROOT and analysis.words[word.head].relation == "obl:agent"
    is_month = word.form.casefold() == "may" and word.upos != "AUX"
    return is_month or (word.lemma == "by" and is_agent) or (word.lemma == "to" and word.upos == "PART")


def _role(place: int, analysis: Analysis) -> str:
    """Return whether a word acts or is acted upon. The subject of a passive with an object acts: it was misread."""
    word = analysis.words[place]
    if word.relation in _PASSIVE:
        objects = (sibling.head == word.head and sibling.relation in _ACTED_UPON for sibling in analysis.words)
        return "acting" if any(objects) else "acted upon"
    return "acting" if word.relation in _ACTING else "acted upon" if word.relation in _ACTED_UPON else ""


def _number(name: str) -> str:
    """Return the digits of a number, the same for *1960s* and *1960*; empty for other words."""
    return "".join(sign for sign in name if sign.isdigit() or sign == ".").strip(".")


def _belongs_to(place: int, analysis: Analysis, spoken: list[int], names: Mapping[int, str]) -> str:
    """Return the word that a turning word belongs to: its head; in an unparsed text the next, or the one before."""
    if analysis.parsed:
        head = analysis.words[place].head
        return "" if head == ROOT else names.get(head, "")
    heads = [candidate for candidate in spoken if names[candidate] not in TURNING]
    later = next((head for head in heads if head > place), None)
    return names[heads[-1] if later is None else later] if heads else ""
