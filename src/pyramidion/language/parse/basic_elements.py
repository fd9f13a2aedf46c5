"""Basic elements: the head-modifier-relation triples of a text (Hovy et al. 2006; Tratz and Hovy 2008).

E. Hovy, C.-Y. Lin, L. Zhou and J. Fukumoto, 2006, Automated summarization evaluation with basic elements, *LREC*: *two
Libyans were indicted for the Lockerbie bombing in 1991* has the elements

    libyan | two | nn,        indict | libyan | obj,   indict | bombing | for,
    bombing | lockerbie | nn,   bombing | 1991 | in.

They come from any dependency parse; ours is in Universal Dependencies. Words are lemmas in lower case, and this table
is our choice of relations; a subtype that is not in it counts as its type:

==========================================  ==================================================================
UD                                          basic element's relation
==========================================  ==================================================================
nsubj, csubj                                ``subj``
nsubj:pass, csubj:pass                      ``obj``: the passive's subject is what is acted on
obl:agent, and *by* with a passive          ``subj``: the passive's agent acts
obj; iobj                                   ``obj``; ``iobj``
ccomp, xcomp                                ``comp``
obl, nmod, advcl                            their preposition or conjunction (*for*, *according to*, *because*);
                                            without one, ``mod``, and ``nn`` for nmod
nmod:poss                                   ``gen``
compound, flat, nummod                      ``nn``; compound:prt, a verb's particle, ``prt``
amod, advmod (*not* included), det of *no*  ``mod``
appos                                       ``appo``
acl, acl:relcl                              ``rel``
conj                                        the relation that the first conjunct has, to the same head
==========================================  ==================================================================

Left out, because they say nothing by themselves: the root, punctuation, other determiners, auxiliaries and copulas,
prepositions and conjunctions as words, expletives, relative pronouns (``rel`` ties their clause to what they mean),
interjections, and loose attachments (parataxis, dislocated, list, dep, orphan). A conjunct without a subject of its own
has that of the first (*he came and saw*: see | he | subj).
"""

from __future__ import annotations

from dataclasses import dataclass

from pyramidion.language.parse.analysis import ROOT, Analysis
from pyramidion.language.parse.deptree import DependencyTree


@dataclass(frozen=True, slots=True)
class BasicElement:
    """A head, what modifies it, and how; ``words`` are the places of the two among the words of the analysis."""

    head: str
    modifier: str
    relation: str
    words: tuple[int, int]

    def __str__(self) -> str:
        return f"{self.head} | {self.modifier} | {self.relation}"


_RELATIONS = {
    "nsubj": "subj",
    "csubj": "subj",
    "nsubj:pass": "obj",
    "csubj:pass": "obj",
    "obl:agent": "subj",
    "obj": "obj",
    "iobj": "iobj",
    "ccomp": "comp",
    "xcomp": "comp",
    "nmod:poss": "gen",
    "compound": "nn",
    "compound:prt": "prt",
    "flat": "nn",
    "nummod": "nn",
    "amod": "mod",
    "advmod": "mod",
    "appos": "appo",
    "acl": "rel",
}
_BY_PREPOSITION = {"obl": "mod", "nmod": "nn", "advcl": "mod"}
"""Relations named by a preposition or conjunction, and what they are called without one."""
_SUBJECTS = {"nsubj", "csubj"}


def basic_elements(analysis: Analysis) -> tuple[BasicElement, ...]:
    """Return the basic elements of a parsed text, by the place of the modifier, then of the head.

    An element that stands in the text twice is there twice, with other places.

    >>> from pyramidion.language.parse.analysis import Word
    >>> words = (Word(0, 2, "He", "he", "PRON", "PRP", 1, "nsubj"), Word(3, 7, "left", "leave", "VERB", "VBD"))
    >>> [str(one) for one in basic_elements(Analysis("He left", words, ((0, 2),)))]
    ['leave | he | subj']
    """
    analysis.needs_parse("basic elements")
    return _Elements(analysis.words).all()


class _Elements(DependencyTree):
    def all(self) -> tuple[BasicElement, ...]:
        """Return the basic elements; a conjunct takes the head of the first conjunct, and its subjects."""
        triples = set()
        for index, word in enumerate(self.words):
            head = self.heads[index]
            if head == ROOT or word.upos == "PUNCT":
                continue
            if self.types[index] != "conj":
                triples.add((index, head, self.relation(index, index)))
                continue
            first = self.first_conjunct(index)
            if self.heads[first] != ROOT:
                triples.add((index, self.heads[first], self.relation(first, index)))
            if not self.with_type(index, _SUBJECTS):
                triples |= {
                    (subject, index, self.relation(subject, subject, of=index))
                    for subject in self.with_type(first, _SUBJECTS)
                }
        return tuple(
            BasicElement(self.name(head), self.name(modifier), relation, (head, modifier))
            for modifier, head, relation in sorted(triples)
            if relation
        )

    def relation(self, index: int, modifier: int, of: int | None = None) -> str:
        """Return the basic element's relation of a word to its head, or nothing if it makes none.

        A conjunct's ``modifier`` has the relation of the first conjunct ``index``, with its own preposition if it has
        one. ``of`` is the predicate, where the subject is shared: of it depends whether it is passive.
        """
        word = self.words[index]
        type = self.types[index]
        if type == "det":
            return "mod" if self.name(modifier) == "no" else ""
        if self.is_relative_pronoun(index):
            return ""
        if of is not None:
            return "obj" if self.is_passive(of) else "subj"
        if type in _BY_PREPOSITION and word.relation not in _RELATIONS:
            preposition = self.marker(modifier) or self.marker(index)
            if type == "obl" and preposition == "by" and self.is_passive(self.heads[index]):
                return "subj"
            return preposition or _BY_PREPOSITION[type]
        return _RELATIONS.get(word.relation, _RELATIONS.get(type, ""))
