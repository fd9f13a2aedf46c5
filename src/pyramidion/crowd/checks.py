"""Attention checks: statements among the others whose answer is known without asking anybody (ours, not the paper's).

Two kinds. *Not present*: a statement about another topic that shares no content word with the summary, so that nobody
who reads can find it there. *Present*: a sentence of the summary itself, cut where it is long. They take turns, so that
neither a worker who always says yes nor one who always says no passes; where one kind cannot be had (a study of one
topic has no other topic's statements), the other is taken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from pyramidion.crowd.keys import key
from pyramidion.crowd.study import Check, Statement
from pyramidion.language.text.sentences import sentence_starts
from pyramidion.language.text.word_forms import raw_words
from pyramidion.language.text.word_forms import split_words as word_forms
from pyramidion.language.text.words import split_words

SHORTEST, LONGEST = 4, 20
"""Words of a sentence that is shown: more than three and at most twenty, as statements have (LitePyramids' code)."""

_LONG_WORD = 4
_CLAUSE_ENDS = frozenset(",;:\u2013\u2014\uff0c\u3001\uff1b\uff1a")


@lru_cache(maxsize=8192)
def content_words(text: str) -> frozenset[str]:
    """Return the words that a check and a summary must not share.

    They are stems of words of four letters or more, numbers, and pairs of signs without spaces. Function words of four
    letters count, too: that only makes the choice stricter, in any language.

    >>> sorted(content_words("In 1988 the lakes died"))
    ['1988', 'di', 'lake']
    >>> sorted(content_words("湖が死"))
    ['が死', '湖が']
    """
    words = raw_words(text, "unicode")
    long = word_forms(
        " ".join(word for word in words if len(word) >= _LONG_WORD or word.isdigit()), "unicode", stem=True
    )
    signs = (first + second for first, second in pairwise(words) if not (first + second).isascii())
    return frozenset(long) | {pair for pair in signs if len(pair) == 2}


@lru_cache(maxsize=1024)
def own_sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of a summary that can be checks: those of 4 to 20 words, else longer ones cut, else all.

    They are in text order. A long one is cut behind its last clause that fits, or behind the twentieth word, and ends
    in ``...``.

    >>> own_sentences("Fish died. The lake was dead, the town pumped in air. It helped nobody at all.")
    ('The lake was dead, the town pumped in air.', 'It helped nobody at all.')
    """
    words = split_words(text)
    if not words:
        return ()
    starts = sentence_starts(text, words)
    sentences = [words[start:end] for start, end in pairwise([*starts, len(words)])]
    fit = [sentence for sentence in sentences if SHORTEST <= len(sentence) <= LONGEST]
    chosen = fit or [sentence for sentence in sentences if len(sentence) > LONGEST] or sentences
    return tuple(dict.fromkeys(_shorten(text, sentence) for sentence in chosen))


def _shorten(text: str, words: Sequence[tuple[int, int]]) -> str:
    if len(words) <= LONGEST:
        return " ".join(text[words[0][0] : words[-1][1]].split())
    ends = [number for number in range(SHORTEST, LONGEST) if text[slice(*words[number])] in _CLAUSE_ENDS]
    last = words[ends[-1] - 1] if ends else words[LONGEST - 1]
    return " ".join(text[words[0][0] : last[1]].split()) + " ..."


class Foreign:
    """The statements of all topics, to take those of other topics from."""

    def __init__(self, statements: Iterable[Statement], seed: int) -> None:
        """Take the statements that nobody dropped, each text once, in an order that the seed decides."""
        topics: dict[str, set[str]] = {}
        for statement in statements:
            if not statement.dropped and len(content_words(statement.text)) > 1:
                topics.setdefault(statement.text, set()).add(statement.topic)
        self._pool = sorted(topics.items(), key=lambda statement: key(seed, statement[0]))

    def checks(self, task: str, topic: str, text: str, wanted: int, place: int) -> tuple[Check, ...]:
        """Return the checks of a task, the ``place``-th on a text; the kinds take turns over a text's tasks."""
        turn = int(key(topic, text)[:12], 16)
        # each task of a text goes on where the one before stopped, so that the kinds and the sentences take turns
        first, start = turn + place * wanted, turn // 2 + place
        sources = {"n": self._absent(topic, text, int(key(task)[:12], 16)), "p": _present(text, start)}
        checks: list[Check] = []
        for turn in range(first, first + wanted):
            for expected in ("np", "pn")[turn % 2]:
                shown = next(sources[expected], None)
                if shown is not None:
                    checks.append(Check(f"c-{key(task, shown)[:10]}", shown, "n" if expected == "n" else "p"))
                    break
        return tuple(checks)

    def _absent(self, topic: str, text: str, start: int) -> Iterator[str]:
        words_of_summary = content_words(text)
        for step in range(len(self._pool)):
            statement, topics = self._pool[(start + step) % len(self._pool)]
            if topic not in topics and words_of_summary.isdisjoint(content_words(statement)):
                yield statement


def _present(text: str, start: int) -> Iterator[str]:
    sentences = own_sentences(text)
    for step in range(len(sentences)):
        yield sentences[(start + step) % len(sentences)]
