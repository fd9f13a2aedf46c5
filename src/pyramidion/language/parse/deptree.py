"""Dependency trees by word indices: what clauses, propositions, basic elements and meaning graphs ask of a UD parse."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from pyramidion.language.parse.analysis import ROOT, Word

RELATIVE_PRONOUNS = {"who", "whom", "whose", "which", "that", "where", "when", "why"}


class DependencyTree:
    """The trees of a text's sentences. Where an analyser's heads run in a circle, its first word becomes a root.

    ``words`` may be a part of a text that begins with its word ``first``; indices are those within the part.
    """

    def __init__(self, words: Sequence[Word], first: int = 0) -> None:
        self.words = words
        self.heads = [ROOT if word.head == ROOT else word.head - first for word in words]
        self.relations = [word.relation for word in words]
        self._break_circles()
        self.link()

    def link(self) -> None:
        """Derive from heads and relations: types (no subtypes), dependents, an order from roots down, conjunctions."""
        self.types = [relation.partition(":")[0] for relation in self.relations]
        self.dependents: list[list[int]] = [[] for _ in self.words]
        for index, head in enumerate(self.heads):
            if head != ROOT:
                self.dependents[head].append(index)
        self.order = [index for index, head in enumerate(self.heads) if head == ROOT]
        for index in self.order:
            self.order.extend(self.dependents[index])
        self._first_conjuncts = list(range(len(self.words)))
        for index in self.order:
            if self.types[index] == "conj" and self.heads[index] != ROOT:
                self._first_conjuncts[index] = self._first_conjuncts[self.heads[index]]

    def _break_circles(self) -> None:
        """Make the first word of each circle of heads a root."""
        settled = {ROOT}
        for start in range(len(self.heads)):
            path: dict[int, None] = {}
            word = start
            while word not in settled and word not in path:
                path[word] = None
                word = self.heads[word]
            if word in path:
                circle = list(path)[list(path).index(word) :]
                # A circle has no root, so no walk from the roots would ever reach its words.
                self.heads[min(circle)] = ROOT
            settled.update(path)

    def name(self, index: int) -> str:
        """Return a word's lemma in lower case, or its form where there is no lemma."""
        word = self.words[index]
        return (word.lemma if word.lemma.strip("_") else word.form).lower()

    def with_type(self, index: int, types: Collection[str]) -> list[int]:
        """Return the dependents in one of these relations, subtypes included."""
        return [child for child in self.dependents[index] if self.types[child] in types]

    def below(self, index: int) -> list[int]:
        """Return the word and all that depends on it, in the text's order."""
        words = [index]
        for word in words:
            words.extend(self.dependents[word])
        return sorted(words)

    def first_conjunct(self, index: int) -> int:
        """Return the word that a conjunct's coordination starts with; another word is its own."""
        return self._first_conjuncts[index]

    def marker(self, index: int, types: Collection[str] = ("case", "mark")) -> str:
        """Return the words that mark a word, such as *according to*; several side by side are one string."""
        marks = self.with_type(index, types)
        if not marks:
            return ""
        marks = [part for mark in marks for part in (mark, *self.with_type(mark, {"fixed"}))]
        return " ".join(self.words[mark].form.lower() for mark in sorted(marks))

    def is_marked_passive(self, index: int) -> bool:
        """Return whether a predicate has a passive's auxiliary or subject."""
        return any(self.relations[child].endswith(":pass") for child in self.dependents[index])

    def is_passive(self, index: int) -> bool:
        """Return whether a predicate is a passive, or a past participle without an auxiliary."""
        if self.is_marked_passive(index):
            return True
        if self.words[index].xpos != "VBN" or self.with_type(index, {"aux"}):
            return False
        first = self.first_conjunct(index)  # in *has eaten and drunk*, it has the auxiliary
        return first == index or self.is_passive(first)

    def is_relative_pronoun(self, index: int) -> bool:
        """Return whether a word opens the relative clause whose predicate it depends on."""
        word, clause = self.words[index], self.heads[index]
        return (
            clause != ROOT
            and self.words[clause].relation == "acl:relcl"
            and word.upos in ("PRON", "ADV", "SCONJ", "DET")
            and self.name(index) in RELATIVE_PRONOUNS
            and index < clause
        )
