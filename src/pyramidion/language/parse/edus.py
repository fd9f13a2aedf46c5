"""Elementary discourse units: the spans of text that Hirao et al. (2018, section 4.2) make extractive references of.

They segment sentences with a tagger that says of each word whether it begins a unit. Here the analyser says it (the
embedded model's boundary head, or the treebank's ``Discourse=``), and every sentence begins one. An EDU is contiguous,
and the EDUs of a text hold each of its words once: unlike clauses, which may be discontinuous and share words.
"""

from __future__ import annotations

from pyramidion.language.parse.analysis import Analysis
from pyramidion.model import Span


def edus(analysis: Analysis) -> tuple[Span, ...]:
    """Return the span of each unit, from its first word to its last; the white space between units is in none.

    >>> from pyramidion.language.parse.analysis import Word
    >>> words = (Word(0, 5, "Stop,"), Word(6, 8, "if"), Word(9, 12, "you"), Word(13, 17, "can."))
    >>> analysis = Analysis("Stop, if you can.", words, sentences=((0, 4),), edus=((0, 1), (1, 4)))
    >>> [span.of(analysis.text) for span in edus(analysis)]
    ['Stop,', 'if you can.']
    """
    analysis.needs_parse("EDUs")
    return tuple(analysis.edu_spans())
