"""Propositions: the subject-predicate-object triples of a text, from its dependency parse.

Open information extraction in the spirit of ClausIE (Del Corro and Gemulla 2013), which PEAK takes its triples from
(Yang et al. 2016, as Hirao et al. 2018 §2 tell it): a clause says one thing of its subject for each of its arguments.
The rules, over Universal Dependencies, are ours:

==========================================  ===================================================================
*He bought a boat in May.*                  He | bought | a boat; He | bought in | May
*The boat sank.*                            The boat | sank |
*Police shot the man.* and its passive      Police | shot | the man
*The man was shot in Bonn.*                 The man | was shot in | Bonn
*She is (not) a judge (in Rome).*           She | is (not) | a judge (in Rome); *in Rome*: She | is in | Rome
*It is clear that he lied.*                 he lied | is | clear; he | lied |
*Ann and Bob lend and give to the poor.*    each conjunct its own: Ann | lend to | the poor; Bob | lend to | ...
*the man who(m) she met / held by police*   she | met | the man; police | held | the man
*He wants to leave town.*                   He | wants to leave | town
*She asked him to leave town.*              She | asked | him; him | to leave | town
*Walking to town, he met Ann.*              he | Walking to | town; he | met | Ann
*He said (that) she left.*                  He | said | she left; she | left |
*Bonn, a city on the Rhine*                 Bonn | is | a city on the Rhine
==========================================  ===================================================================

So: the preposition of an oblique is part of the predicate, as are auxiliaries, particles and negation; a passive with
its agent is turned round; a relative pronoun stands for its antecedent; what a clause lacks (subject, auxiliary, an
object after it) it has from the clause that it is coordinated with; without a subject, an infinitive or participle has
that of the clause above, or its object where there is one. Phrases leave out the clauses and appositions that are
propositions by themselves, and commas at their ends. Adverbs, adverbial clauses as arguments, possessives and nouns
that stand for verbs are left out. An imperative has no subject. The *is* of an apposition is nowhere in the text.

A coordination of more than :data:`MOST` combinations of subject and object is not taken apart.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from pyramidion.language.parse.analysis import ROOT, Analysis
from pyramidion.language.parse.clauses import Segment, spans_of
from pyramidion.language.parse.deptree import RELATIVE_PRONOUNS, DependencyTree
from pyramidion.model import Span

MOST = 64
"""Subjects times arguments of a clause, past which coordinations stay whole."""

DEEPEST = 100
"""The number of steps that a rule looks up the tree; no real sentence needs more."""

_SUBJECTS = {"nsubj", "csubj"}
_CLAUSAL = {"root", "conj", "ccomp", "xcomp", "advcl", "acl", "csubj", "parataxis", "list", "dislocated", "dep"}
_MAY_BE_IMPERATIVE = {"root", "parataxis", "list", "conj", "dep", "dislocated", "ccomp"}
_BESIDE_A_COMPLEMENT = _SUBJECTS | {
    "expl",
    "cop",
    "aux",
    "mark",
    "case",
    "cc",
    "conj",
    "punct",
    "discourse",
    "vocative",
}
_BESIDE_A_COMPLEMENT |= {"advcl", "ccomp", "xcomp", "obl", "parataxis", "dislocated", "orphan", "dep", "appos", "list"}
_ELSEWHERE = {"parataxis", "discourse", "vocative", "appos"}
_NEGATIONS = {"not", "n't", "n\u2019t", "never", "hardly", "no", "nor", "neither", "barely"}
_WITHIN_A_RELATIVE_CLAUSE = {"nsubj", "obj", "iobj", "obl", "nmod", "advmod", "det", "xcomp", "ccomp", "csubj"}
_PARTICIPLES = {"VBG", "VBN", "VBD"}


@dataclass(frozen=True, slots=True)
class Phrase:
    """One of the three parts of a proposition; ``words`` are places among those of the analysis, as ``text`` has them.

    An apposition's *is* has a text and no place.
    """

    text: str = ""
    spans: tuple[Span, ...] = ()
    words: tuple[int, ...] = ()

    def __str__(self) -> str:
        return self.text


NOTHING = Phrase()


@dataclass(frozen=True, slots=True)
class Proposition:
    """A subject with what is said of it; ``object`` is empty where nothing follows the predicate.

    A sentence without a proposition is one that has a subject alone (:func:`statements`). ``spans`` are the places of
    all its words.
    """

    subject: Phrase
    predicate: Phrase
    object: Phrase
    spans: tuple[Span, ...]

    @property
    def parts(self) -> tuple[Phrase, Phrase, Phrase]:
        """Subject, predicate and object."""
        return self.subject, self.predicate, self.object

    @property
    def text(self) -> str:
        """Return its words as a short sentence."""
        return " ".join(part.text for part in self.parts if part.text)

    def __str__(self) -> str:
        return " | ".join(part.text for part in self.parts)


def propositions(analysis: Analysis) -> tuple[Proposition, ...]:
    """Return the propositions of a parsed text, by the place of the predicate; each once.

    >>> from pyramidion.language import Word
    >>> words = (Word(0, 2, "He", "he", "PRON", "PRP", 1, "nsubj"), Word(3, 7, "left", "leave", "VERB", "VBD"))
    >>> [str(one) for one in propositions(Analysis("He left", words, ((0, 2),)))]
    ['He | left | ']
    """
    if analysis.words:
        analysis.needs_parse("propositions")
    # By places: two equal sentences of a text have a proposition each.
    distinct: dict[tuple[tuple[int, ...], ...], Proposition] = {}
    for subject, predicate, object in _Triples(analysis.words).triples():
        proposition = _proposition(analysis, subject, predicate, object)
        if proposition.subject.words or proposition.object.words:
            distinct.setdefault(tuple(part.words for part in proposition.parts), proposition)
    return tuple(distinct.values())


def statements(analysis: Analysis) -> tuple[Proposition, ...]:
    """Return a text's propositions in order; a sentence with words but without a proposition stands as a whole."""
    extracted = propositions(analysis)
    placed = [
        (min(word for part in proposition.parts for word in part.words), number)
        for number, proposition in enumerate(extracted)
    ]
    stated = []
    for first, last in analysis.sentences:
        in_sentence = [extracted[number] for place, number in placed if first <= place < last]
        if in_sentence:
            stated += in_sentence
        elif any(char.isalnum() for word in analysis.words[first:last] for char in word.form):
            stated.append(_proposition(analysis, range(first, last), (), ()))
    return tuple(stated)


def _proposition(
    analysis: Analysis, subject: Sequence[int], predicate: Sequence[int] | None, object: Sequence[int]
) -> Proposition:
    parts = [Phrase("is") if words is None else _phrase(analysis, words) for words in (subject, predicate, object)]
    together = {word for part in parts for word in part.words}
    return Proposition(parts[0], parts[1], parts[2], spans_of(analysis, sorted(together)))


def _phrase(analysis: Analysis, words: Sequence[int]) -> Phrase:
    shown = _without_punctuation_at_cuts(analysis, words)
    if not shown:
        return NOTHING
    spans = spans_of(analysis, sorted(shown))
    return Phrase(Segment(spans, tuple(shown)).text(analysis), spans, tuple(shown))


def _without_punctuation_at_cuts(analysis: Analysis, words: Sequence[int]) -> list[int]:
    """Return the words less those that only separate: at either end, and where others have been left out."""
    rest = list(dict.fromkeys(words))
    while True:
        inside = set(rest)
        left = [
            word for word in rest if analysis.words[word].upos != "PUNCT" or (word - 1 in inside and word + 1 in inside)
        ]
        if len(left) == len(rest):
            return left
        rest = left


Words = Sequence[int]
Argument = tuple[Words, Words]
"""Words that the predicate gets for an argument (a preposition), and the argument's own words."""


class _Triples(DependencyTree):
    """The triples of all sentences, as words."""

    def triples(self) -> Iterator[tuple[Words, Words | None, Words]]:
        for word in range(len(self.words)):
            if word in self.predicates:
                yield from self.clause(word)
            for apposition in self.with_type(word, {"appos"}):
                if self.words[word].upos in ("NOUN", "PROPN") and self.words[apposition].upos in ("NOUN", "PROPN"):
                    yield self.phrase(word), None, self.phrase(apposition)

    # the words and their relations

    def above(self, word: int) -> Iterator[int]:
        """Yield a word and the words that it depends on, up to the root, at most :data:`DEEPEST`."""
        for _ in range(DEEPEST):
            if word == ROOT:
                return
            yield word
            word = self.heads[word]

    @cached_property
    def predicates(self) -> set[int]:
        return {word for word in range(len(self.words)) if self.is_predicate(word)}

    def is_predicate(self, word: int) -> bool:
        """Return whether a word is the verb of a clause, or the complement of a copula."""
        if self.types[self.first_conjunct(word)] not in _CLAUSAL and self.heads[word] != ROOT:
            return False
        if self.with_type(word, {"cop"}):
            return True
        is_verb = self.words[word].upos == "VERB" or (self.words[word].upos == "AUX" and self.types[word] in _CLAUSAL)
        if self.types[word] == "acl" and not self.is_relative_clause(word):
            return is_verb and self.words[word].xpos in _PARTICIPLES and not self.with_type(word, {"mark"})
        return is_verb

    def is_relative_clause(self, word: int) -> bool:
        return self.relations[word] == "acl:relcl"

    def is_passive(self, index: int) -> bool:
        """Return whether a word is a passive; a participle with its own subject or object is none."""
        if self.is_marked_passive(index):
            return True
        if self.words[index].xpos != "VBN" or self.with_type(index, {"aux", "cop", "nsubj", "obj"}):
            return False
        first = self.first_conjunct(index)  # in *has eaten and drunk*, it has the auxiliary
        participle = self.words[first].xpos == "VBN" and not self.with_type(first, {"obj"})
        return first == index or (participle and self.is_marked_passive(first))

    def antecedent(self, word: int) -> int | None:
        """Return the noun that a relative pronoun stands for."""
        token = self.words[word]
        if token.form.lower() not in RELATIVE_PRONOUNS or self.types[word] not in _WITHIN_A_RELATIVE_CLAUSE:
            return None
        for ancestor in self.above(word):
            if self.is_relative_clause(ancestor):
                noun = self.heads[ancestor]
                return noun if noun != ROOT and noun < word < ancestor else None
            if self.types[ancestor] not in _WITHIN_A_RELATIVE_CLAUSE:
                return None
        return None

    # phrases

    def phrase(self, head: int, without: Iterable[str] = ("case", "mark")) -> list[int]:
        """Return a word and its dependents, less what is said elsewhere: conjuncts, relative clauses, appositions."""
        # Conjuncts and the like are left out directly below the head alone.
        nowhere: set[str] = set()
        phrase: set[int] = set()
        queue = [(head, {"conj", "cc", *without})]
        while queue:
            word, left_out = queue.pop()
            if word in phrase:
                continue
            noun = self.antecedent(word)
            if noun is not None and noun != head:
                queue.append((noun, self.beside(noun)))
                continue
            phrase.add(word)
            for child in self.dependents[word]:
                type = self.types[child]
                if type not in left_out | _ELSEWHERE and not (type == "acl" and child in self.predicates):
                    queue.append((child, nowhere))
        return sorted(phrase)

    def beside(self, noun: int) -> set[str]:
        """Return what does not belong to a noun phrase: most dependents of a noun that is a predicate with a copula."""
        return _BESIDE_A_COMPLEMENT if self.with_type(noun, {"cop"}) else {"conj", "cc", "case", "mark"}

    def conjuncts(self, head: int) -> list[int]:
        """Return a word and what is coordinated with it, in the text's order."""
        conjuncts = [head]
        seen = {head}
        for word in conjuncts:
            more = [child for child in self.with_type(word, {"conj"}) if child not in seen]
            seen.update(more)
            conjuncts += more
        return sorted(conjuncts)

    def conjunct_phrases(self, head: int, apart: bool = True) -> list[tuple[int, list[int]]]:
        """Return the heads and phrases of conjuncts; not taken apart, the first head with the words of all."""
        phrases = [(conjunct, self.phrase(conjunct)) for conjunct in self.conjuncts(head)]
        return phrases if apart else [(head, sorted({word for _, words in phrases for word in words}))]

    def preposition(self, word: int) -> list[int]:
        marks = self.with_type(word, {"case"})
        parts = {part for mark in marks for part in (mark, *self.with_type(mark, {"fixed"}))}
        return sorted(part for part in parts if not self.words[part].form.startswith(("'", "\u2019")))

    def is_stranded(self, word: int) -> bool:
        """Return whether a word is a preposition whose noun stands before it (*the house he lived in*)."""
        token = self.words[word]
        return (
            token.upos == "ADP"
            and word > self.heads[word]
            and not self.dependents[word]
            and self.types[word] != "compound"
        )

    # clauses

    def clause(self, verb: int) -> Iterator[tuple[Words, Words, Words]]:
        """Yield a clause's triples: one for each subject with each agent, argument, or the bare predicate."""
        subjects, arguments = self.subjects(verb), list(self.arguments(verb))
        agents = [words for agent in self.agents(verb) for _, words in self.conjunct_phrases(agent)]
        if len(subjects) * max(len(arguments), len(agents)) > MOST:
            subjects, arguments = self.subjects(verb, apart=False), list(self.arguments(verb, apart=False))
            agents = [words for agent in self.agents(verb) for _, words in self.conjunct_phrases(agent, apart=False)]
        if not subjects:
            if self.types[verb] not in _MAY_BE_IMPERATIVE:
                return
            subjects = [[]]
        predicate = self.predicate(verb)
        active = [word for word in predicate if not self.relations[word].endswith(":pass")]
        for subject in subjects:
            for agent in agents:
                yield agent, active, subject
            for preposition, words in arguments:
                yield subject, [*predicate, *preposition], words
            if not arguments and not agents and not self.is_continued(verb):
                yield subject, predicate, ()

    def subjects(self, verb: int, apart: bool = True) -> list[list[int]]:
        """Return the phrases of a clause's subjects; that of the clause above where it has none."""
        below = verb
        for word in self.above(verb):
            subjects = [
                child for child in self.with_type(word, _SUBJECTS) if not self.relations[child].endswith(":outer")
            ]
            subjects = subjects or self.with_type(word, {"expl"})
            if word != verb and (objects := self.with_type(word, {"obj", "iobj"})) and self.types[below] == "xcomp":
                subjects = objects[:1]
            if subjects:
                return [words for subject in subjects for _, words in self.conjunct_phrases(subject, apart)]
            if self.types[word] == "acl" and word in self.predicates:
                noun = self.heads[word]
                return [self.phrase(noun, self.beside(noun))]
            if self.types[word] not in ("conj", "xcomp", "advcl"):
                break
            below = word
        return []

    def group(self, verb: int) -> list[int]:
        """Return auxiliaries, negation, verb or copula, and particle, in order."""
        parts = self.with_type(verb, {"aux", "cop"}) + self.negations(verb)
        parts += [child for child in self.dependents[verb] if self.relations[child] == "compound:prt"]
        if not self.with_type(verb, {"cop"}):
            parts.append(verb)
        return sorted(parts)

    def shared_auxiliaries(self, verb: int) -> list[int]:
        """Return the first conjunct's auxiliaries for one without tense or subject (*has been sold and let*)."""
        first = self.first_conjunct(verb)
        if first == verb or self.words[verb].xpos not in ("VB", "VBN", "VBG") or self.with_type(verb, {"aux", "cop"}):
            return []
        if self.with_type(verb, _SUBJECTS):
            return []
        undone = any(self.name(child) == "but" for child in self.with_type(verb, {"cc"}))
        return sorted(self.with_type(first, {"aux"}) + ([] if undone else self.negations(first)))

    def negations(self, verb: int) -> list[int]:
        return [child for child in self.with_type(verb, {"advmod"}) if self.name(child) in _NEGATIONS]

    def predicate(self, verb: int) -> list[int]:
        """Return a verb's group, after those of the verbs that it continues (*wants to leave*)."""
        predicate: list[int] = []
        for word in self.above(verb):
            mark = [child for child in self.with_type(word, {"mark"}) if self.name(child) == "to"]
            complement = self.complement(word) if word != verb and self.with_type(word, {"cop"}) else []
            infinitive = mark if self.types[word] in ("xcomp", "advcl") else []
            predicate = [*self.shared_auxiliaries(word), *infinitive, *self.group(word), *complement, *predicate]
            governor = self.heads[word]
            continues = self.types[word] == "xcomp" or (self.types[word] == "advcl" and mark)
            if not continues or governor not in self.predicates or self.with_type(governor, {"obj", "iobj"}):
                break
        if self.with_type(verb, {"cop"}):
            predicate += self.preposition(verb)
        return list(dict.fromkeys(predicate))

    def is_continued(self, verb: int) -> bool:
        """Return whether another verb's proposition contains this verb (*wants* in *wants to leave*)."""
        return any(child in self.predicates for child in self.with_type(verb, {"xcomp"}))

    def complement(self, verb: int) -> list[int]:
        negations = self.negations(verb)
        return [word for word in self.phrase(verb, _BESIDE_A_COMPLEMENT) if word not in negations]

    def agents(self, verb: int) -> list[int]:
        if not self.is_passive(verb):
            return []
        return [
            child
            for child in self.with_type(verb, {"obl"})
            if self.relations[child] == "obl:agent"
            or [self.name(marker) for marker in self.preposition(child)] == ["by"]
        ]

    def objects(self, verb: int) -> list[int]:
        """Return a verb's objects, or those of its first conjunct that stand after it (*sold and let the house*)."""
        own_objects = self.with_type(verb, {"obj", "iobj"})
        if own_objects or self.types[verb] != "conj":
            return own_objects
        first = self.first_conjunct(verb)
        return [child for child in self.with_type(first, {"obj"}) if child > verb]

    def arguments(self, verb: int, apart: bool = True) -> Iterator[Argument]:
        """Return the arguments: complement, objects, clauses, obliques, the antecedent of a relative clause."""
        copula = bool(self.with_type(verb, {"cop"}))
        before = self.complement(verb) if copula else []
        if copula:
            yield (), before
            for conjunct in self.conjuncts(verb):
                if conjunct not in self.predicates:
                    yield (), self.complement(conjunct)
        secondary = [child for child in self.with_type(verb, {"xcomp"}) if child not in self.predicates]
        objects = self.objects(verb)
        for object in objects[:-1] if secondary else objects:
            for _, words in self.conjunct_phrases(object, apart):
                yield (), words
        for complement in secondary:  # *they elected her president*
            last = self.phrase(objects[-1]) if objects else []
            for conjunct, words in self.conjunct_phrases(complement, apart):
                yield self.preposition(conjunct), [*last, *words]
        for clause in self.with_type(verb, {"ccomp"}):
            for _, words in self.conjunct_phrases(clause, apart):
                yield before, words
        agents = self.agents(verb)
        for oblique in self.with_type(verb, {"obl"}):
            if oblique not in agents and not self.is_stranded(oblique):
                for conjunct, words in self.conjunct_phrases(oblique, apart):
                    yield [*before, *(self.preposition(conjunct) or self.preposition(oblique))], words
        for adverb in self.with_type(verb, {"advmod"}):
            noun = self.antecedent(adverb)
            if noun is not None:
                yield (), self.phrase(noun, self.beside(noun))
        yield from self.gap(verb, objects)

    def gap(self, verb: int, objects: Sequence[int]) -> Iterator[Argument]:
        """Yield the antecedent of a relative clause without a pronoun (*the house he lived in*)."""
        if objects or self.is_continued(verb) or self.with_type(verb, {"cop", "ccomp"}) or self.is_passive(verb):
            return
        for word in self.above(verb):
            if self.is_relative_clause(word):
                noun = self.heads[word]
                inside = range(noun + 1, verb)
                bare = not any(self.words[place].form.lower() in RELATIVE_PRONOUNS for place in inside)
                if noun < verb and bare and self.with_type(word, _SUBJECTS):
                    stranded = [child for child in self.dependents[verb] if self.is_stranded(child)]
                    yield stranded, self.phrase(noun, self.beside(noun))
                return
            if self.types[word] != "xcomp":
                return
