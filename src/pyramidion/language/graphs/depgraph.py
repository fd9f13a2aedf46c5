"""Meaning graphs from a dependency parse, where no AMR parser is at hand (Steinberger et al. 2017 §3 uses one).

*This is not AMR.* There are no senses (*want*, not want-01), no frames that say which ARG a verb's subject is, no
wiki links, no questions, no reference across sentences, and *destruction* is not *destroy*. But it has AMR's shape,
and its aim: many sentences that differ in syntax alone have the same triples, as far as the parse is right. It reads
Universal Dependencies; this table is our choice.

*Concepts* are lemmas in lower case, with a verb's particle (``give-up``); pronouns stay, and *his* is ``he``.

==========================================  =========================================================================
in the tree                                 in the graph
==========================================  =========================================================================
a verb's subject; object; indirect object   ``ARG0``; ``ARG1``; ``ARG2``, also *to X* of *give* and its like
passive: subject; *by X*                    ``ARG1`` (``ARG2`` beside an object: *Ann was given a book*); ``ARG0``
*the door opened*                           ``ARG1``: verbs that let things happen, without an object
ccomp; xcomp                                ``ARG1``; ``ARG1``, and ``ARG2`` beside an object (*forced him to go*), but
                                            *told him to go*, *told him that*: him ``ARG2``, the clause ``ARG1``
control and raising                         the object, or else the subject, is the infinitive's too; *seem* and its
                                            like have none; *is going to go*, *has to go* are *go*
*X is Y* for a noun or adjective Y; *Y X*   ``mod(X, Y)``: amod, compound, copula; *X is in Y* by preposition
apposition, *coach Ann Lee*                 ``mod(lee, coach)``: the name, or else the first, is what is spoken of
relative clause                             the noun takes the place of pronoun or missing argument; *whose*: ``poss``
participle of a noun                        the noun is its ``ARG0`` (*-ing*) or ``ARG1`` (*-ed*), before and after it
*the plan to go*, *the claim that*          ``ARG1(plan, go)``
coordination                                no node for *and*: each conjunct has the relation; subjects, and objects
                                            after the last verb, are shared; nothing relates clauses side by side
obl, nmod                                   ``time`` (days, months, years), ``duration`` (*for* a week), ``location``
                                            (*in*, *at* a name or common place), ``cause``, ``concession``; else
                                            ``prep-X``; *A before B* is ``prep-after(B, A)``
*'s*, *his*, *of* the X, *of* Ann           ``poss``; other *of* ``prep-of``; of a day, ``time``
advcl                                       ``cause``, ``condition``, ``time``, ``concession``, ``purpose`` (*to*), else
                                            ``prep-X``; without a marker none, but its subject is shared
advmod                                      ``time``, ``location`` (*here*), ``mod``; none for *however* and its like
name of several words                       one node, the last word its concept, ``op`` for each other word
numbers                                     ``quant``, in figures (*two million*: 2000000), ``limit`` (*more than*);
                                            *some*, *all*, *many*, *lots of* are ``quant`` too; *$5*: 5 ``dollar``
dates                                       ``date-entity`` with ``year``, ``month``, ``day``, ``weekday``, ``time``
*30 years old*, *aged 30*, *Ann, 30,*       ``age(ann, year)``, ``quant(year, 30)``, also of *Ann is 30*; *the
                                            30-year-old* is a ``person``
*not*, *never*, *no*, *nobody*, *nor*       ``polarity`` -
*can*, *may*; *must*, *have to*; *should*   ``modal`` possible; obligate; recommend
*taller*, *more*; *tallest*, *most*         ``degree`` more; most
``..., he said``                            ``ARG1(say, ...)``
==========================================  =========================================================================

Nothing of their own give articles, auxiliaries, copulas, expletives, marks, punctuation, interjections, titles (*Mr*).
Loose attachments (parataxis, list, dep, vocative) have nodes without a relation to their head. A sentence with any
content word has a node.
"""

from __future__ import annotations

from collections.abc import Iterable

from pyramidion.language.graphs import _roles as roles
from pyramidion.language.graphs._depclauses import CLAUSES, PARTICIPLES, SUBJECTS, Clauses
from pyramidion.language.graphs._depentities import DATE
from pyramidion.language.graphs._depnodes import SILENT_TYPES
from pyramidion.language.graphs.meaning import INSTANCE, MeaningGraph, Triple
from pyramidion.language.parse.analysis import ROOT, Analysis
from pyramidion.language.parse.deptree import DependencyTree
from pyramidion.model import Span

PARSER = "depgraph"
"""The name of the parser in these graphs, which are no AMRs."""

_YEARS = {"old", "aged"}


def depgraphs(analysis: Analysis) -> tuple[MeaningGraph, ...]:
    """Return the meaning graph of every sentence, in order.

    >>> from pyramidion.language.parse.analysis import Word
    >>> words = (Word(0, 2, "He", "he", "PRON", "PRP", 1, "nsubj"), Word(3, 7, "left", "leave", "VERB", "VBD"))
    >>> [str(triple) for triple in depgraphs(Analysis("He left", words, ((0, 2),)))[0].triples]
    ['instance(h, he)', 'instance(l, leave)', 'ARG0(l, h)']
    """
    analysis.needs_parse("meaning graphs")
    tree = DependencyTree(analysis.words)
    return tuple(
        MeaningGraph(_Relations(tree, first, last).triples(), analysis.span(first, last), PARSER)
        for first, last in analysis.sentences
    )


class _Relations(Clauses):
    """The relations between the nodes of a sentence."""

    def __init__(self, tree: DependencyTree, first: int, last: int) -> None:
        super().__init__(tree, first, last)
        for word in self.order:
            if word in self.nodes:
                self.add_arguments(word)
            if word not in self.silent and self.tree.heads[word] != ROOT:
                self.add_dependent(word, self.tree.heads[word])
            elif (word in self.same and self.tree.name(word) in _YEARS) or self.is_stated_age(word):
                self.relations.extend(("age", subject, word) for subject in self.subjects[word])

    def relate_marked(self, marker: str, role: str, source: int, target: int) -> None:
        """Add a relation; *A before B* is turned into *B after A*, so that both wordings give one triple."""
        if marker == "before":
            source, target, role = target, source, "prep-after"
        self.relations.append((role, source, target))

    def add_arguments(self, word: int) -> None:
        """Add the subjects and objects of a predicate, in roles that passives and copulas do not change."""
        subjects = self.subjects[word]
        self.relations.extend(("mod", member, word) for outer in self.outer(word) for member in self.members(outer))
        if self.is_stated_age(word):
            return
        if not self.is_verb(word):
            first = self.tree.first_conjunct(word)  # the preposition of *in Bonn and Rome* is said once
            marker = self.tree.marker(word, {"case"}) or self.tree.marker(first, {"case"}) if subjects else ""
            role = roles.oblique_role(marker, self.nodes[word].concept, self.is_name(word)) if marker else "mod"
            self.relations.extend((role, subject, word) for subject in subjects)
            return
        objects, clauses = self.objects(word), self.tree.with_type(word, CLAUSES)
        told = bool(clauses) and (self.tree.name(word) in roles.TOLD or self.tree.types[clauses[0]] == "ccomp")
        if told and objects and not subjects and self.tree.name(word) in roles.SAYING:
            subjects, objects = objects, []  # '...,' said a spokesman
        self.relate("ARG2" if told else "ARG1", word, objects)
        if self.nodes[word].concept not in roles.RAISING or not clauses:
            self.relate(self.subject_role(word, bool(objects), told), word, subjects)

    def subject_role(self, verb: int, has_object: bool, told: bool) -> str:
        if self.is_passive(verb):
            return "ARG2" if has_object or told else "ARG1"
        if self.nodes[verb].concept in roles.RAISING and self.tree.with_type(verb, {"csubj"}):
            return "ARG1"
        only = not has_object and not self.tree.with_type(verb, {*CLAUSES, "iobj"})
        return "ARG1" if only and self.tree.name(verb) in roles.LABILE else "ARG0"

    def add_dependent(self, word: int, head: int) -> None:
        """Add the relation of a word to its head, unless it is a subject, object or conjunct."""
        type, relation = self.tree.types[word], self.words[word].relation
        if type in SILENT_TYPES or type in SUBJECTS or type in ("obj", "conj") or relation.endswith(":relcl"):
            return
        members = self.members(word)
        if self.is_age(word) or (word in self.same and self.tree.name(word) in _YEARS):
            of_noun = type not in ("advcl", "xcomp", "ccomp") and not self.tree.with_type(word, SUBJECTS)
            self.relations.extend(("age", holder, word) for holder in ([head] if of_noun else self.subjects[word]))
            if not of_noun:
                self.relate(self.role(word, head), head, members)
        elif self.is_person(head) and self.is_years(word):
            self.relate("age", head, [word])
        elif relation == "nmod:poss":
            self.relate("time" if self.concept(word) == DATE else "poss", head, members)
            bare = [
                c for c in self.tree.with_type(head, {"conj"}) if not self.tree.with_type(c, {"det", "nmod", "case"})
            ]
            # *His mother and father*: a pronoun before the first conjunct owns the bare ones, too.
            for conjunct in bare if self.words[word].upos == "PRON" and word < head else []:
                self.relate("poss", conjunct, members)
        elif self.is_description(word):
            self.describe(word, head)
        elif type in ("obl", "nmod"):
            for member in members:
                marker = self.tree.marker(member, {"case"}) or self.tree.marker(word, {"case"})
                self.relate_marked(marker, self.oblique(marker, word, member, head), head, member)
        elif type == "advcl":
            for member in members:
                self.add_clause(word, member, head)
        elif type == "acl":
            self.add_noun_clause(word, members, head)
        elif type == "parataxis":
            says = self.tree.name(word) in roles.SAYING and not self.tree.with_type(word, {"obj", *CLAUSES})
            self.relate("ARG1", word, [head] if says else [])
        else:
            self.relate(self.role(word, head), head, members)

    def role(self, word: int, head: int) -> str:
        """Return the role of a clause, adverb or modifier at its head; empty if it has none."""
        if self.concept(word) == DATE:
            return "time"
        match self.tree.types[word]:
            case "iobj":
                return "" if word in self.own_objects(head) else "ARG2"
            case "ccomp":
                return "ARG1"
            case "xcomp":
                acted_on = self.is_verb(head) and (self.objects(head) or self.is_passive(head))
                return "ARG2" if acted_on and self.tree.name(head) not in roles.TOLD else "ARG1"
            case "advmod" if word not in self.same:
                return roles.adverb_role(self.tree.name(word))
            case "amod" if not (self.is_verb(word) and self.words[word].xpos in PARTICIPLES):
                return "mod"
            case "compound" | "nummod" | "flat" | "det":
                return "mod"
        return ""

    def describe(self, word: int, head: int) -> None:
        """Relate an apposition: the name, or else the first noun, is what the other describes."""
        if self.is_name(word) and not self.is_name(head):
            self.relate("mod", word, [head])
        else:
            self.relate("mod", head, [word])

    def oblique(self, marker: str, first: int, member: int, head: int) -> str:
        """Return the role of an oblique or nominal modifier, by its preposition, its noun and its head."""
        relation, noun = self.words[first].relation, self.concept(member)
        if relation == "obl:agent" or (relation == "obl" and marker == "by" and self.is_passive(head)):
            return "ARG0"
        if marker == "to" and self.tree.name(head) in roles.DATIVE and self.is_verb(head):
            return "ARG2"
        if not marker and roles.is_temporal(noun) and self.words[head].upos in ("ADV", "ADJ"):
            return "duration"
        if marker == "of" and noun == DATE:
            return "time"
        owned = self.words[head].upos == "NOUN" and self.tree.name(head) not in roles.PARTS
        if marker == "of" and owned and self.is_definite(member):
            return "poss"
        return roles.oblique_role(marker, noun, self.is_name(member))

    def is_definite(self, word: int) -> bool:
        """Return whether a word is a name, a pronoun, or a noun with *the* or a possessor."""
        return self.words[word].upos in ("PROPN", "PRON") or any(
            self.tree.name(child) == "the" or self.words[child].relation == "nmod:poss"
            for child in self.tree.dependents[word]
        )

    def add_clause(self, first: int, clause: int, head: int) -> None:
        marks = {"mark"} if self.tree.with_type(clause, {"mark"}) or self.tree.with_type(first, {"mark"}) else {"case"}
        marker = self.tree.marker(clause, marks) or self.tree.marker(first, marks)
        if not marker:
            adverbs = {self.tree.name(child) for child in self.tree.with_type(clause, {"advmod"})}
            marker = next((name for name in ("when", "where", "whenever") if name in adverbs), "")
        if marker:
            role = roles.CLAUSE_ROLES.get(marker) or roles.preposition(marker)
            self.relate_marked(marker, role, head, clause)

    def add_noun_clause(self, word: int, members: list[int], head: int) -> None:
        """Relate a clause to its noun: *the plan to leave* has an ARG1; participles were given the noun before."""
        marker = self.tree.marker(word)
        if marker in ("to", "for to", "that"):
            self.relate("ARG1", head, members)
        elif marker:
            self.relate(roles.preposition(marker), head, members)
        elif self.words[word].xpos not in PARTICIPLES:
            self.relate("mod", head, members)

    def variables(self) -> dict[int, str]:
        """Return a name for every node: its concept's first letter with a number, unlike all words of the graph."""
        taken = {node.concept for node in self.nodes.values()} | {value for _, _, value, _ in self.attributes}
        names: dict[int, str] = {}
        numbers: dict[str, int] = {}
        for word in sorted(self.nodes):
            letter = self.nodes[word].concept[:1]
            # AMR's variables are small letters with numbers; concepts may begin with a figure or another script.
            letter = letter if "a" <= letter <= "z" else "x"
            while True:
                numbers[letter] = numbers.get(letter, 0) + 1
                name = f"{letter}{numbers[letter]}" if numbers[letter] > 1 else letter
                if name not in taken:
                    break
            names[word] = name
        return names

    def triples(self) -> tuple[Triple, ...]:
        """Return the graph's triples: instances, attributes, then the relations whose words both have nodes."""
        variables = self.variables()
        triples = [
            Triple(INSTANCE, name, self.nodes[word].concept, self.spans(self.nodes[word].words))
            for word, name in variables.items()
        ]
        for name, word, value, words in self.attributes:
            source = self.above(word)
            if source is not None:
                triples.append(Triple(name, variables[source], value, self.spans((*self.nodes[source].words, *words))))
        for role, word, target_word in self.relations:
            source, target = self.above(word), self.node(target_word)
            if role and source is not None and target is not None and source != target:
                spans = self.spans((*self.nodes[source].words, *self.nodes[target].words))
                triples.append(Triple(role, variables[source], variables[target], spans))
        return tuple(triples)

    def spans(self, words: Iterable[int]) -> tuple[Span, ...]:
        return tuple(self.words[word].span for word in sorted(set(words)))
