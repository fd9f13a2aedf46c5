"""Names, dates, numbers and ages as nodes of a meaning graph, each of the several words that it may have.

A node goes by the index of one of its words. Other words are *silent* (they give an attribute, a relation's name or
nothing), or stand for the *same* node as another word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

from pyramidion.language.graphs import _roles as roles
from pyramidion.language.parse.analysis import ROOT
from pyramidion.language.parse.deptree import DependencyTree
from pyramidion.language.text.number_words import MONTHS, SCALES, WEEKDAYS, is_year, number

DATE = "date-entity"
"""AMR's concept of a date."""
_DAY = re.compile(r"(\d\d?)(?:st|nd|rd|th)?")
_HOUR = re.compile(r"\d\d?(?:[:.]\d\d)?")
_HALF = {"am": "am", "a.m.": "am", "pm": "pm", "p.m.": "pm"}
_ALSO_NAMES = {"may", "april", "june", "august", "march"}


@dataclass(frozen=True, slots=True)
class Node:
    """A concept, and the words that name it."""

    concept: str
    words: tuple[int, ...]


class Entities:
    """The nodes of a sentence in the making."""

    def __init__(self, tree: DependencyTree) -> None:
        self.tree, self.words = tree, tree.words
        self.nodes: dict[int, Node] = {}
        self.same: dict[int, int] = {}
        self.silent: set[int] = set()
        self.attributes: list[tuple[str, int, str, tuple[int, ...]]] = []
        """Name, node, value and the value's words."""

    def node(self, word: int) -> int | None:
        """Return the node that a word stands for."""
        seen: set[int] = set()
        # A wrong parse may let two words stand for each other, hence the words seen.
        while word in self.same and word not in self.nodes and word not in seen:
            seen.add(word)
            word = self.same[word]
        return word if word in self.nodes else None

    def above(self, word: int) -> int | None:
        """Return the node that a word stands for, or else the nearest one above it."""
        while word != ROOT:
            node = self.node(word)
            if node is not None:
                return node
            word = self.tree.heads[word]
        return None

    def concept(self, word: int) -> str:
        """Return the concept of a word's node, if it has one."""
        node = self.node(word)
        return "" if node is None else self.nodes[node].concept

    def is_name(self, word: int) -> bool:
        """Return whether a word is the name of a thing or person, not of a day or month."""
        return self.words[word].upos == "PROPN" and self.concept(word) != DATE

    def gather(self, word: int, types: Collection[str], accepts: Callable[[int], bool]) -> list[int]:
        """Return a word with its dependents in these relations, theirs and so on, if accepted; in order."""
        gathered = [word]
        for part in gathered:
            gathered.extend(child for child in self.tree.with_type(part, types) if accepts(child))
        return sorted(gathered)

    def add_name(self, word: int) -> bool:
        if self.words[word].upos != "PROPN":
            return False
        parts = self.gather(word, {"flat", "compound", "amod", "nummod"}, self.is_name_part)
        self.same.update((part, word) for part in parts if part != word)
        full = [part for part in parts if self.tree.name(part) not in roles.TITLES | roles.SUFFIXES] or [word]
        last = max((part for part in full if self.words[part].upos != "NUM"), default=full[-1])
        concept = self.plain_form(last) if len(full) > 1 else self.tree.name(last).replace(".", "")
        self.nodes[word] = Node(concept or self.words[last].form, (last,))
        self.attributes.extend(("op", word, self.plain_form(part), (part,)) for part in full if part != last)
        return True

    def plain_form(self, word: int) -> str:
        form = self.words[word].form.lower()
        return form.replace(".", "") or form

    def is_name_part(self, word: int) -> bool:
        upos, xpos, head = self.words[word].upos, self.words[word].xpos, self.tree.heads[word]
        part = upos == "PROPN" or xpos.startswith("NNP") or (upos == "NUM" and word > head)
        return (part or self.tree.types[word] == "flat") and upos != "PUNCT" and not self.is_bare_age(word)

    def add_date(self, word: int) -> bool:
        """Make a word and its parts a date, if they are one; say whether they are."""
        if not self.is_date_part(word):
            return False
        parts = self.gather(word, {"compound", "nummod", "nmod", "flat", "appos", "obl"}, self.is_date_part)
        values: dict[int, tuple[str, str]] = {}
        for part in parts:
            form = self.words[part].form.lower().rstrip(".")
            if self.tree.name(part) in WEEKDAYS:
                values[part] = ("weekday", self.tree.name(part))
            elif form in MONTHS:
                values[part] = ("month", MONTHS[form])
        of_month = any(kind == "month" for kind, _ in values.values())
        # Alone as a subject or object, *April* is a person and no month.
        argument = len(parts) == 1 and self.tree.types[word] in ("nsubj", "obj", "iobj")
        if argument and self.tree.name(word) in _ALSO_NAMES:
            return False
        for part in parts:
            form = self.words[part].form.lower()
            day, half = _DAY.fullmatch(form), self.half_of_day(part)
            if is_year(form) and (values or self.is_lone_year(part)):
                values[part] = ("year", form)
            elif half and _HOUR.fullmatch(form):
                values[part] = ("time", f"{form.replace('.', ':').removesuffix(':00')}-{_HALF[self.tree.name(half)]}")
                self.same[half] = word
            elif of_month and day:
                values[part] = ("day", day[1].lstrip("0"))
        if word not in values:
            return False
        self.nodes[word] = Node(DATE, (word,))
        self.attributes.extend((kind, word, value, (part,)) for part, (kind, value) in values.items())
        self.same.update((part, word) for part in values if part != word)
        return True

    def is_date_part(self, word: int) -> bool:
        form = self.words[word].form.lower().rstrip(".")
        named = self.words[word].upos == "PROPN" and (form in MONTHS or self.tree.name(word) in WEEKDAYS)
        return (named or form[:1].isdigit()) and (
            self.tree.types[word] in ("obl", "conj") or self.tree.marker(word) in ("", "of", "in")
        )

    def half_of_day(self, word: int) -> int | None:
        return next((child for child in self.tree.dependents[word] if self.tree.name(child) in _HALF), None)

    def is_lone_year(self, word: int) -> bool:
        """Return whether four figures by themselves are a year: *in 2008*, *the 2008 election*; not *2008 people*."""
        type, head = self.tree.types[word], self.tree.heads[word]
        if type == "nummod" and head != ROOT:
            return self.words[head].xpos in ("NN", "NNP") and self.tree.name(head) not in SCALES
        alone = not self.tree.with_type(word, {"nummod", "compound", "nmod"})
        return alone and type in ("obl", "nmod", "conj", "compound")

    def add_number(self, word: int) -> bool:
        """Make a word and its parts a number, an age or the quantity of another word; say whether they are one."""
        if not self.is_number(word):
            return False
        parts = self.gather(word, {"compound", "nummod", "flat", "nmod"}, self.is_number_part)
        self.same.update((part, word) for part in parts if part != word)
        forms = [self.words[part].form.lower() for part in parts]
        value = number(forms) or "-".join(forms)
        head, type = self.tree.heads[word], self.tree.types[word]
        of = word
        if self.is_age(word) or self.is_years(word):
            self.nodes[word] = Node("year", tuple(parts))
            self.attributes.append(("quant", word, value, tuple(parts)))
        elif type in ("nummod", "compound") and head != ROOT:
            self.silent.add(word)
            of = head
            self.attributes.append(("quant", of, value, tuple(parts)))
        else:
            self.nodes[word] = Node(value, tuple(parts))
        for adverb in (child for part in parts for child in self.tree.with_type(part, {"advmod"})):
            words = sorted([adverb, *self.tree.with_type(adverb, {"fixed"})])
            limit = roles.LIMITS.get(" ".join(self.words[part].form.lower() for part in words))
            self.silent.add(adverb)
            if limit:
                self.attributes.append(("limit", of, limit, tuple(words)))
        return True

    def is_number(self, word: int) -> bool:
        """Return whether a word is a number, or a scale with a number before it: the *m* of *1.5 m*."""
        if self.words[word].upos == "NUM":
            return True
        children = self.tree.with_type(word, {"compound", "nummod"}) if self.tree.name(word) in SCALES else ()
        return any(self.words[child].upos == "NUM" for child in children)

    def is_number_part(self, word: int) -> bool:
        """Return whether a word continues a number, such as the second half of a game's score, *2-1*."""
        return self.is_number(word) and (self.tree.types[word] != "nmod" or self.tree.marker(word) in ("-", "\u2013"))

    def is_years(self, word: int) -> bool:
        """Return whether a word is a number after *aged*, or *years* with a number before it."""
        if self.words[word].upos == "NUM":
            return self.tree.heads[word] != ROOT and self.tree.name(self.tree.heads[word]) == "aged"
        return self.tree.name(word) == "year" and bool(self.tree.with_type(word, {"nummod"}))

    def is_person(self, word: int) -> bool:
        """Return whether a word stands for a person by an age: *the 30-year-old* by itself."""
        alone = self.tree.types[word] in ("nsubj", "obj", "iobj", "obl", "nmod", "appos", "root", "conj")
        return alone and self.tree.name(word) == "old" and not self.tree.with_type(word, {"nsubj", "cop"})

    def is_age(self, word: int) -> bool:
        return self.is_bare_age(word) or self.is_stated_age(word)

    def is_bare_age(self, word: int) -> bool:
        """Return whether a word is an age after a noun and a comma: *Ann Smith, 30,*."""
        head = self.tree.heads[word]
        return (
            self.tree.types[word] in ("appos", "amod", "nummod", "nmod", "parataxis", "dep", "list", "flat")
            and ROOT < head < word - 1
            and self.words[word - 1].form in (",", "(")
            and self.may_be_age(word)
        )

    def is_stated_age(self, word: int) -> bool:
        """Return whether a word is an age that is said of a name or a pronoun: *Ann Smith is 30*."""
        return (
            bool(self.tree.with_type(word, {"cop"}))
            and self.may_be_age(word)
            and any(
                self.words[subject].upos == "PROPN"
                or self.tree.name(subject) in ("i", "you", "he", "she", "we", "they", "who")
                for subject in self.tree.with_type(word, {"nsubj"})
            )
        )

    def may_be_age(self, word: int) -> bool:
        form = self.words[word].form
        return form.isdecimal() and 0 < int(form) <= 120 and not self.tree.with_type(word, {"case", "nmod"})
