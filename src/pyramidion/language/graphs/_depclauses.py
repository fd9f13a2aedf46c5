"""Who does what in a dependency tree: subjects and objects of predicates, also those that clauses share or lack."""

from __future__ import annotations

from collections.abc import Iterable

from pyramidion.language.graphs import _roles as roles
from pyramidion.language.graphs._depnodes import Nodes
from pyramidion.language.parse.analysis import ROOT
from pyramidion.language.parse.deptree import DependencyTree

SUBJECTS = {"nsubj", "csubj"}
CLAUSES = {"ccomp", "xcomp"}
"""Clauses that are arguments."""
PARTICIPLES = {"VBG", "VBN"}
_FINITE = {"VBD", "VBZ", "VBP", "VB", "VBG"}
_OF_PRONOUN = {"where": "location", "when": "time", "why": "cause"}


class Clauses(Nodes):
    """The predicates of a sentence with their subjects and objects."""

    def __init__(self, tree: DependencyTree, first: int, last: int) -> None:
        super().__init__(tree, first, last)
        self.relations: list[tuple[str, int, int]] = []
        self.missing: dict[tuple[str, int], int] = {}
        """The noun that is the subject or object of a predicate in its relative clause."""
        self.subjects: dict[int, list[int]] = {}
        """The subjects of each predicate."""
        for word in self.order:
            if self.words[word].relation.endswith(":relcl"):
                self.find_missing(word)
        for word in self.order:
            self.subjects[word] = self.find_subjects(word)

    def relate(self, role: str, source: int, targets: Iterable[int]) -> None:
        self.relations.extend((role, source, target) for target in targets)

    def members(self, word: int) -> list[int]:
        """Return a word and its conjuncts, less those that are denied; a name instead of the noun that it names."""
        group = [word]
        for conjunct in group:
            group.extend(child for child in self.tree.with_type(conjunct, {"conj"}) if self.is_member(child, word))
            names = [] if self.is_name(conjunct) else [c for c in self.tree.dependents[conjunct] if self.is_called(c)]
            if names and word == conjunct:
                return [member for name in names for member in self.members(name)] + group[1:]
        return group

    def is_member(self, word: int, first: int) -> bool:
        if self.is_predicate(word) and self.is_predicate(first):
            return True
        return not self.tree.with_type(word, SUBJECTS) and not self.is_denied(word)

    def is_called(self, word: int) -> bool:
        """Return whether a word names the noun that it describes: *the coach, Ann Smith*."""
        return self.is_description(word) and self.is_name(word) and not self.is_denied(word)

    def is_description(self, word: int) -> bool:
        """Return whether a word is an apposition, behind its noun or, as in *coach Ann Smith*, before it."""
        relation, head = self.words[word].relation, self.tree.heads[word]
        if relation in ("appos", "nmod:desc"):
            return True
        after = ROOT < head < word and self.words[head].upos == "NOUN" and self.words[word].upos == "PROPN"
        return after and relation in ("flat", "compound", "nmod:unmarked") and self.is_name(word)

    def is_verb(self, word: int) -> bool:
        return self.words[word].upos == "VERB" and (not self.tree.with_type(word, {"cop"}) or bool(self.outer(word)))

    def outer(self, word: int) -> list[int]:
        """Return the subject that the whole clause is said of: *the problem is that it leaks*."""
        return [c for c in self.tree.with_type(word, SUBJECTS) if self.words[c].relation.endswith(":outer")]

    def is_predicate(self, word: int) -> bool:
        return (
            self.is_verb(word) or self.words[word].upos == "ADJ" or bool(self.tree.with_type(word, {"cop", *SUBJECTS}))
        )

    def is_passive(self, word: int) -> bool:
        """Return whether a predicate is a passive: as the tree has it, unless its parts disagree.

        A passive has its auxiliary, or a participle and no other subject than a passive's.
        """
        if not self.tree.is_passive(word):
            return False
        relations = {self.words[child].relation for child in self.tree.dependents[word]}
        return "aux:pass" in relations or (self.words[word].xpos not in _FINITE and not relations & SUBJECTS)

    def find_subjects(self, predicate: int) -> list[int]:
        """Find the subjects of a predicate: its own, or the one that it shares or is controlled by.

        Those of what it depends on have been found.
        """
        outer = self.outer(predicate)
        own_subjects = [child for child in self.tree.with_type(predicate, SUBJECTS) if child not in outer]
        if own_subjects:
            return [member for subject in own_subjects for member in self.members(subject)]
        if ("subject", predicate) in self.missing:
            return [self.missing["subject", predicate]]
        head, type, xpos = self.tree.heads[predicate], self.tree.types[predicate], self.words[predicate].xpos
        if head == ROOT or self.tree.with_type(predicate, {"expl"}):
            return []
        if type == "conj":
            alike = self.is_predicate(predicate) or not self.is_verb(head)
            return self.subjects[head] if self.is_predicate(head) and alike else []
        if type == "xcomp":
            # *Promise* is the verb whose subject, not its object, does what is promised: *she promised him to go*.
            objects = [] if self.tree.name(head) == "promise" else self.tree.with_type(head, {"obj", "iobj"})
            return [member for object in objects for member in self.members(object)] or self.subjects[head]
        marker = self.tree.marker(predicate)
        if type in ("acl", "amod") and xpos in PARTICIPLES and not marker:
            return [member for member in self.members(head) if member < predicate] or [head]
        if type == "advcl" and marker == "from" and (objects := self.objects(head)):
            return objects
        if type == "advcl" and predicate in self.same:  # aged 80
            return self.subjects[head]
        if type in ("advcl", "ccomp") and (xpos in PARTICIPLES or (xpos == "VB" and "to" in marker.split())):
            return self.subjects[head]
        return []

    def objects(self, verb: int) -> list[int]:
        """Return the objects of a verb: its own, or the one that it shares: *bought and sold cars*."""
        objects = [member for object in self.own_objects(verb) for member in self.members(object)]
        if ("object", verb) in self.missing:
            objects.append(self.missing["object", verb])
        if objects or self.is_passive(verb) or self.tree.with_type(verb, CLAUSES):
            return objects
        first = self.tree.heads[verb]
        if self.tree.types[verb] == "conj" and not self.tree.with_type(verb, SUBJECTS):
            shared = [object for object in self.tree.with_type(first, {"obj"}) if object > verb or object in self.same]
        elif self.tree.name(verb) not in roles.WITHOUT_OBJECT:
            # Two places on: *bought and sold cars*; with more words between, the first verb has its own object or none.
            later = [c for c in self.tree.with_type(verb, {"conj"}) if c == verb + 2 and self.is_verb(c)]
            later = [c for c in later if not self.tree.with_type(c, {"iobj"})]
            shared = [object for c in later for object in self.tree.with_type(c, {"obj"})]
        else:
            shared = []
        return [member for object in shared for member in self.members(object)]

    def own_objects(self, verb: int) -> list[int]:
        """Return a verb's direct objects, also one that the parser takes for indirect: *she wants him to go*."""
        direct = self.tree.with_type(verb, {"obj"})
        controls = self.tree.with_type(verb, {"xcomp"}) and self.tree.name(verb) not in roles.DATIVE
        return direct if direct or not controls else self.tree.with_type(verb, {"iobj"})

    def find_missing(self, clause: int) -> None:
        """Find the role of a noun in its relative clause if no pronoun shows it: *the team he joined*."""
        noun = self.tree.heads[clause]
        if noun == ROOT:
            return
        name = self.tree.name(noun)
        if clause in self.pronouns:
            pronoun = self.pronouns[clause]
            if self.tree.name(pronoun) in _OF_PRONOUN:
                self.relate(_OF_PRONOUN[self.tree.name(pronoun)], self.tree.heads[pronoun], [noun])
        elif not self.tree.with_type(clause, {*SUBJECTS, "expl"}):
            self.missing["subject", clause] = noun
        elif name in roles.NOUN_ADVERBS or roles.is_temporal(name):
            self.relate(roles.NOUN_ADVERBS.get(name, "time"), clause, [noun])
        else:
            self.find_missing_object(clause, noun)

    def find_missing_object(self, clause: int, noun: int) -> None:
        """Give the noun to a stranded preposition, or to a verb deeper down: *the man she hopes to meet*."""
        while deeper := self.tree.with_type(clause, CLAUSES):
            clause = deeper[-1]
        for word in self.tree.with_type(clause, {"obl", "advmod"}):
            if word > clause and self.words[word].upos in ("ADP", "SCONJ"):
                self.silent.add(word)
                self.nodes.pop(word, None)
                marker = self.words[word].form.lower()
                self.relate(roles.oblique_role(marker, self.concept(noun), self.is_name(noun)), clause, [noun])
                return
        if not self.tree.with_type(clause, {"obj"}):
            self.missing["object", clause] = noun
