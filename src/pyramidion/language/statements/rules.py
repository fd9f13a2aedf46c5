"""Statements: what a text says, one fact at a time, each as a sentence that can be read by itself.

*Problem.* An SCU is one idea. A clause is too little for one (``Some scientists say``, ``It will survive``), a sentence
often too much. A *statement* is a finite verb with its arguments, written out: subject, capital, full stop, pronouns
replaced. It keeps the words of the text that it comes from, so that a contributor stays words of its reference.

*What is split off*, from the dependency tree of a sentence:

==============================================  ===================================================================
*Prices rose in May and fell in June.*          Prices rose in May. / Prices fell in June.
*The firm, which had lied, was fined.*          The firm was fined. / The firm had lied.
*The plan, whose cost doubled, failed.*         The plan failed. / The plan's cost doubled.
*Bonn, a city on the Rhine, grew.*              Bonn grew. / Bonn is a city on the Rhine.
*Built in 1900, the mill burnt down.*           The mill burnt down. / The mill was built in 1900.
*He lost, even though he had trained.*          He lost. / He had trained.
*It rained, so that the river rose.*            It rained. / The river rose.
*The dam broke; nobody was hurt.*               The dam broke. / Nobody was hurt.
*She said that he sang and would come.*         She said that he sang. / She said that he would come.
*He said that Bonn, which is old, grew.*        He said that Bonn grew. / Bonn is old.
*The article says that it rained.*              It rained.
==============================================  ===================================================================

*What stays*, since splitting it would change the truth: what somebody says, thinks or wants, with who does, unless it
is the author of what is summarised (:mod:`~._authors`); conditions, reasons and aims (``if``, ``unless``, ``because``,
``before``, ``until``, ``when``, ``so that`` without a comma); relative clauses that say which one is meant (``the fish
that died``), but for those of something new that is reported as done (``He sold a house that had burnt down``);
alternatives (``or``, ``neither``); verbs that stand side by side (``was cut and dried``); a clause that points at the
one beside it (``Stop: that is an order``); a relative clause whose verb does not agree with the noun before it (``on
old windows, which makes it cheap``). Connectives (``however``, ``then``, ``for their part``) go, and so do the numbers
of a list.

*Pronouns and short names* are written out where the text makes them clear (:mod:`~.coreference`); ``readings`` have the
next likely phrases. A statement in which one is left open or not certain, that has no finite verb, no subject or next
to no content, that is a question or a part of a sentence, or that lacks what its words ask for (``A steward refused``,
``The cooks were happier``; ``_lacking.py``), is not ``self_contained``, and says why.
"""

from __future__ import annotations

from functools import lru_cache

from pyramidion.language.parse.analysers import Analyser, analysed
from pyramidion.language.parse.analysis import Analysis
from pyramidion.language.statements._authors import authors
from pyramidion.language.statements._splitting import Sentence
from pyramidion.language.statements._writing import Statement, Writer

__all__ = ["Statement", "statements", "statements_of"]


def statements(text: str, by: str | Analyser = "en-minilm") -> tuple[Statement, ...]:
    """Return the statements of a text, sentence by sentence, in the order of their verbs.

    >>> for statement in statements("Anna Smith, who was ill, sold the mill in May and left. She never came back."):
    ...     print(statement.text)
    Anna Smith sold the mill in May.
    Anna Smith was ill.
    Anna Smith left.
    Anna Smith never came back.
    """
    return _statements(text, by)


@lru_cache(maxsize=4096)
def _statements(text: str, by: str | Analyser) -> tuple[Statement, ...]:
    return statements_of(analysed(text, by))


def statements_of(analysis: Analysis) -> tuple[Statement, ...]:
    """Return the statements of an analysed text."""
    if not analysis.words:
        return ()
    analysis.needs_parse("statements")
    writer = Writer(analysis)
    by = authors(analysis, writer.tree, writer.stands_for)
    statements: dict[str, Statement] = {}
    for number, (first, last) in enumerate(analysis.sentences):
        if not any(char.isalnum() for word in analysis.words[first:last] for char in word.form):
            continue
        for draft in Sentence(writer.tree, first, last, by).drafts():
            statement = writer.write(draft, number, last)
            if statement is not None:
                statements.setdefault(statement.text, statement)
    return tuple(statements.values())
