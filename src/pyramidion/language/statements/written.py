"""Statements that the network writes, and the words of the text that each comes from.

*Nothing new.* A network that writes invents at times (*the lesson of the pond*, where the text has a lake). A statement
with a word that its text does not have, by the stem, is left out; articles, prepositions, auxiliaries and other words
that say little by themselves may be new, negations may not.

*Words.* A statement's words are looked for in its sentence: content words by stem, nearest to those found before, and
then what stands between two of them, if it is short, so that a contributor reads well. What comes from elsewhere in the
text, for a pronoun or to say what is meant, is not among them. A statement that shares no content word with its
sentence has the whole sentence.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cache
from itertools import pairwise
from typing import Literal

from pyramidion.base.choices import check_choices
from pyramidion.language.parse.analysis import Analysis
from pyramidion.language.statements.rules import Statement, statements_of
from pyramidion.language.statements.writing_network import statement_lines
from pyramidion.language.text.word_forms import split_words
from pyramidion.language.text.word_lists import words
from pyramidion.model import Span

BETWEEN = 3
"""So many words between two that were found belong to the contributor, too."""
Writer = Literal["network", "rules"]
"""Who writes statements: the network of ``pyramidion-writes``, or rules over trees."""


@check_choices
def statements_by(analyses: Sequence[Analysis], writer: Writer = "network") -> list[tuple[Statement, ...]]:
    """Return the statements of analysed texts, by one of the two."""
    return written_statements(analyses) if writer == "network" else [statements_of(analysis) for analysis in analyses]


def written_statements(
    analyses: Sequence[Analysis], which: Sequence[Collection[int]] | None = None
) -> list[tuple[Statement, ...]]:
    """Return the statements of analysed texts, each once; of all sentences, or of those with these numbers."""
    for analysis in analyses:
        analysis.needs_parse("statements")
    texts = [[span.of(analysis.text) for span in analysis.sentence_spans()] for analysis in analyses]
    asked = [sorted(chosen) for chosen in which] if which is not None else [list(range(len(text))) for text in texts]
    statements = []
    for analysis, numbers, lines in zip(
        analyses, asked, statement_lines(list(zip(texts, asked, strict=True))), strict=True
    ):
        distinct: dict[str, Statement] = {}
        for number, sentence_lines in zip(numbers, lines, strict=True):
            for line in sentence_lines:
                if not strangers(analysis.text, line):
                    distinct.setdefault(line, Statement(line, spans(analysis, number, line), number))
        statements.append(tuple(distinct.values()))
    return statements


def strangers(text: str, statement: str) -> set[str]:
    """Return the stems of a statement that say something and that its text does not have.

    >>> sorted(strangers("The lake has recovered; people swim in it.", "People are swimming in the Tarrow lake."))
    ['tarrow']
    """
    return _stems(statement) - _stems(text) - _free()


@cache
def _free() -> frozenset[str]:
    """Return the stems of words that may be new; read when they are needed."""
    return frozenset().union(*map(_stems, words("says nothing new")))


def _stems(text: str) -> set[str]:
    return set(split_words(text, "unicode", True))


def spans(analysis: Analysis, sentence: int, statement: str) -> tuple[Span, ...]:
    """Return the words of a sentence that a statement comes from."""
    first, last = analysis.sentences[sentence]
    places: dict[str, list[int]] = {}
    for at in range(first, last):
        for stem in _stems(analysis.words[at].form) - _free():
            places.setdefault(stem, []).append(at)
    stems = split_words(statement, "unicode", True)
    chosen: set[int] = set()
    # Start at a word that is in the sentence once: repeated words are then looked for near it.
    near = next((places[stem][0] for stem in stems if len(places.get(stem, ())) == 1), first)
    for stem in stems:
        there = places.get(stem, [])
        if there:
            near = min((at for at in there if at not in chosen), key=lambda at: abs(at - near - 1), default=there[-1])
            chosen.add(near)
    if not chosen:
        return (analysis.span(first, last),)
    for place, following in pairwise(sorted(chosen)):
        if following - place <= BETWEEN + 1:
            chosen.update(range(place, following))
    runs: list[list[int]] = []
    for at in sorted(chosen):
        if runs and at == runs[-1][1]:
            runs[-1][1] = at + 1
        else:
            runs.append([at, at + 1])
    return tuple(analysis.span(*run) for run in runs)
