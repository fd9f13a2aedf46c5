"""Which words of a dependency tree are nodes of its meaning graph, and what the others say of them."""

from __future__ import annotations

from pyramidion.language.graphs import _roles as roles
from pyramidion.language.graphs._depentities import Entities, Node
from pyramidion.language.parse.analysis import ROOT
from pyramidion.language.parse.deptree import DependencyTree

SILENT_TYPES = {"punct", "aux", "cop", "case", "mark", "cc", "expl", "discourse", "fixed", "goeswith", "reparandum"}
_OPEN = {"NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM", "INTJ", "X", "SYM", "PRON"}
_CLOSED = {"CCONJ", "ADP", "PART", "SCONJ", "AUX", "DET"}
_ARGUMENTS = {"root", "nsubj", "csubj", "obj", "iobj", "obl", "nmod", "conj", "ccomp", "xcomp", "advcl", "acl"}
_NEGATIONS = {"not", "n't", "never", "no", "neither", "nor"}
_NOBODY = {"nobody": "person", "nothing": "thing", "none": "one", "nowhere": "place"}
_SAME = {"people": "person"}


class Nodes(Entities):
    """The nodes of the sentence that has the words ``first`` up to, not including, ``last``."""

    def __init__(self, tree: DependencyTree, first: int, last: int) -> None:
        """Find the sentence's nodes from the root down; if there is none, the first content word becomes one."""
        super().__init__(tree)
        self.order = [word for word in range(first, last) if tree.heads[word] == ROOT]
        for word in self.order:
            self.order.extend(tree.dependents[word])
        self.pronouns: dict[int, int] = {}
        """The pronoun of a relative clause."""
        for word in self.order:
            if self.words[word].relation.endswith(":relcl"):
                self.tie_pronoun(word)
        for word in self.order:
            if word not in self.same and word not in self.silent:
                self.add(word)
        if not self.nodes:
            # A sentence with any content word has a node, even if all rules found its words silent.
            for word in [word for word in self.order if self.words[word].upos in _OPEN][:1]:
                self.nodes[word] = Node(tree.name(word), (word,))

    def tie_pronoun(self, clause: int) -> None:
        """Let a relative pronoun, also one deeper in its clause, stand for the noun."""
        noun = self.tree.heads[clause]
        inside = [clause]
        for word in inside:
            inside.extend(c for c in self.tree.dependents[word] if not self.words[c].relation.endswith(":relcl"))
        pronoun = min((word for word in inside if word < clause and self.is_relative(word)), default=ROOT)
        if ROOT not in (noun, pronoun):
            self.pronouns[clause] = pronoun
            self.same[pronoun] = noun

    def is_relative(self, word: int) -> bool:
        asks = self.words[word].xpos[:1] == "W" or self.tree.is_relative_pronoun(word)
        return asks and self.tree.types[word] not in SILENT_TYPES

    def add(self, word: int) -> None:
        """Decide what a word is; what it depends on has been decided."""
        if self.is_silent(word):
            self.silent.add(word)
            self.add_attribute(word)
        elif not (self.add_date(word) or self.add_number(word) or self.add_name(word)):
            self.add_word(word)

    def is_silent(self, word: int) -> bool:
        """Return whether a word has no node: function words, quantifiers, connectives, titles and punctuation."""
        tree, upos, type, name = self.tree, self.words[word].upos, self.tree.types[word], self.tree.name(word)
        if upos == "PUNCT" or type in SILENT_TYPES or self.words[word].relation == "compound:prt":
            return True
        if type in ("det", "amod") and name in roles.QUANTIFIERS:
            return True
        if type == "advmod":
            no_longer = name == "long" and self.is_denied(word)
            return no_longer or name in roles.CONNECTIVES or name in _NEGATIONS or self.is_degree(word)
        if upos == "SYM":
            return tree.heads[word] != ROOT and name not in roles.CURRENCIES
        if upos == "PROPN":
            return name in roles.TITLES and type in ("nmod", "compound", "flat")
        return type == "det" or (upos in _CLOSED and type not in _ARGUMENTS)

    def is_degree(self, word: int) -> bool:
        """Return whether a word is a degree, as *more* is in *more beautiful*."""
        head = self.tree.heads[word]
        return head != ROOT and self.words[head].upos in ("ADJ", "ADV") and self.tree.name(word) in roles.DEGREES

    def is_denied(self, word: int) -> bool:
        """Return whether *not*, *no* or the like depends on a word."""
        return any(self.tree.name(child) in _NEGATIONS for child in self.tree.with_type(word, {"advmod", "det"}))

    def add_attribute(self, word: int) -> None:
        """Add what a silent word says about the node above it."""
        head, type, name = self.tree.heads[word], self.tree.types[word], self.tree.name(word)
        if head == ROOT:
            return
        if type in ("det", "amod") and name in roles.QUANTIFIERS:
            self.attributes.append(("quant", head, name, (word,)))
        elif type == "advmod" and self.is_degree(word):
            self.attributes.append(("degree", head, name, (word,)))
        elif type == "aux" and name in roles.MODALS:
            self.attributes.append(("modal", head, roles.MODALS[name], (word,)))
        elif type == "cc" and name in ("neither", "nor"):
            first = self.tree.first_conjunct(head)
            of_noun = self.words[head].upos not in ("VERB", "ADJ") and self.tree.heads[first] != ROOT
            self.attributes.append(("polarity", self.tree.heads[first] if of_noun else head, "-", (word,)))
        elif (type in ("det", "advmod") and name in _NEGATIONS) or (name == "or" and self.shares_negation(head)):
            self.attributes.append(("polarity", head, "-", (word,)))

    def shares_negation(self, word: int) -> bool:
        """Return whether a conjunct is denied with the first one, as *drink* is in *did not eat or drink*."""
        first = self.tree.heads[word]
        has_own_clause = self.tree.with_type(word, {"aux", "cop", "nsubj"}) or self.words[word].upos not in (
            "VERB",
            "ADJ",
        )
        return first != ROOT and self.tree.types[word] == "conj" and not has_own_clause and self.is_denied(first)

    def add_word(self, word: int) -> None:
        """Make a common word a node with its particle, or let it share the node of another word."""
        name, xpos = self.tree.name(word), self.words[word].xpos
        target = self.stands_for(word)
        if target is not None:
            self.same[word] = target
            return
        if name == "old" and self.is_person(word) and any(map(self.is_years, self.tree.dependents[word])):
            name = "person"
        particles = [c for c in self.tree.dependents[word] if self.words[c].relation == "compound:prt"]
        concept = "-".join([name, *(self.tree.name(particle) for particle in particles)])
        concept = concept.rstrip(".") or concept  # *20 ft.*
        for table in (_SAME, _NOBODY, roles.POSSESSIVES, roles.CURRENCIES):
            concept = table.get(concept, concept)
        self.nodes[word] = Node(concept, (word, *particles))
        if name in _NOBODY:
            self.attributes.append(("polarity", word, "-", (word,)))
        if self.words[word].upos in ("ADJ", "ADV") and xpos[2:] in ("R", "S") and name not in roles.DEGREES:
            self.attributes.append(("degree", word, "more" if xpos.endswith("R") else "most", (word,)))

    def stands_for(self, word: int) -> int | None:
        """Return the word whose node this one has, if it has none of its own.

        *There is X* is X; *is going to leave* and *has to leave* are *leave*; *lots of X* is X; *himself* is *he*; *30
        years old* are the years.
        """
        tree, name, children = self.tree, self.tree.name(word), self.tree.dependents[word]
        if name == "be" and tree.with_type(word, {"expl"}):
            return next(iter(tree.with_type(word, {"nsubj"})), None)
        if name in ("go", "have", "use") and not tree.with_type(word, {"obj"}):
            infinitives = [child for child in tree.with_type(word, {"xcomp"}) if tree.marker(child) == "to"]
            if infinitives and (name != "go" or self.words[word].xpos == "VBG"):
                if name == "have":
                    self.attributes.append(("modal", infinitives[0], "obligate", (word,)))
                return infinitives[0]
        upos = self.words[word].upos
        if (name in roles.PARTITIVES and upos in ("NOUN", "NUM")) or (name in roles.QUANTIFIERS and upos != "ADV"):
            counted = name == "number" and not any(
                tree.types[child] == "amod" or tree.name(child) == "a" for child in children
            )
            whole = [child for child in tree.with_type(word, {"nmod"}) if tree.marker(child) == "of"]
            if whole and not counted:
                self.attributes.append(("quant", whole[0], name, (word,)))
                return whole[0]
        if name in roles.REFLEXIVES and tree.heads[word] != ROOT:
            return next((subject for subject in tree.with_type(tree.heads[word], {"nsubj"}) if subject != word), None)
        if name in ("old", "aged") and not self.is_person(word):
            return next((child for child in children if self.is_years(child)), None)
        return None
