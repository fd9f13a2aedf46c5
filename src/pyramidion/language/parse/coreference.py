r"""Who is *it*? Pronouns and short names of a text, and the fuller phrase that each stands for, by rules.

A statement that leaves its text must say of whom it speaks. For every pronoun of the third person, every bare
demonstrative and every short mention of something named or described before (*Smith*, *the company*, *the bed*),
:func:`resolved` gives the words to put in its place: only where the text makes that clear.

*Candidates* are the noun phrases before the pronoun in its sentence and in the two sentences before, of its number and,
as far as words tell, of its gender; never measures, dates, *nobody* and the like; never the subject of a clause for the
object of the same (*he shaved him*). Mentions of one thing are one candidate: the same name or its last part, the same
noun with *the*, what an apposition calls it.

*Preference*, after Lappin and Leass (1994, "An algorithm for pronominal anaphora resolution", *Computational
Linguistics* 20(4), section 2.1): a subject before an object before the rest, the nearer sentence, the same function in
the clause, what was mentioned more often. What each of these :data:`PREFERENCE` is worth was fitted to the written
part of UD English GUM (``train/coreference.py``): with m the mentions of the candidates and f(m) what speaks for one,

.. math:: P(c) = \sum_{m \in c} e^{w \cdot f(m)} \Big/ \sum_m e^{w \cdot f(m)}.

A pronoun is clear where P is at least :data:`CLEAR`; else it stays as it is, and whoever uses it knows that it is open.
Below :data:`SURE` it is written out, since it is right more often than not, and said to be uncertain.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from pyramidion.language.parse.analysis import ROOT, Analysis, Word
from pyramidion.language.parse.deptree import DependencyTree
from pyramidion.language.text.word_lists import words

Piece = int | str
"""A word of the text, by its place, or a word that is not there."""

CLEAR, SURE = 0.6, 0.75
"""The probabilities from which it is clear who is meant, and from which a reader may rely on it."""

PREFERENCE = {
    "here": 3.1,
    "before": 1.02,
    "subject": 1.36,
    "object": 0.77,
    "inside": -0.27,
    "of the main clause": 0.5,
    "parallel": 1.49,
    "again": 0.69,
    "often": 1.5,
    "own clause": 0.04,
    "named": -0.03,
    "indefinite": 0.88,
    "definite": 0.25,
    "bare": -0.01,
    "pronoun": 1.02,
    "near": 0.63,
    "next": 0.32,
    "last": 0.26,
    "possessor": 1.33,
    "speaker": 0.76,
    "perhaps a thing": -1.12,
}
"""The evidence for or against a mention: its sentence, its function, that of the pronoun, and its form."""

NEUTER, MALE, FEMALE, PLURAL = "it", "he", "she", "they"
_PRONOUNS = {
    **dict.fromkeys(("it", "its", "itself"), NEUTER),
    **dict.fromkeys(("he", "him", "his", "himself"), MALE),
    **dict.fromkeys(("she", "her", "hers", "herself"), FEMALE),
    **dict.fromkeys(("they", "them", "their", "theirs", "themselves"), PLURAL),
}
_DEMONSTRATIVES = {"this": NEUTER, "that": NEUTER, "these": PLURAL, "those": PLURAL}

_NOBODY, _MEASURES, _GROUPS = words("nobody"), words("measures"), words("groups")
_MEN, _WOMEN, _PEOPLE, _TITLES = words("men"), words("women"), words("people"), words("titles")
_HE, _SHE = words("men called"), words("women called")
_NO_PEOPLE = words("no people in er or or")
_COMPANY_ENDS, _COMPANY_WORDS = words("companies end in"), words("companies are called")
_UNLIKE = words("set apart")
_IN_A_PHRASE = {"det", "amod", "nummod", "compound", "flat", "nmod", "advmod", "fixed", "goeswith", "case", "punct"}
_GIVING = {"award", "cost", "give", "grant", "hand", "lend", "offer", "owe", "pay", "promise", "send", "show", "tell"}
_NO_ONE_THING = {"no", "any", "every", "each", "neither"}
"""With these a noun names nothing that another sentence could speak of."""
_FOCUS = {"even", "also", "too", "only", "just", "not"}
_DESCRIBES = {"amod", "compound", "nmod"}
_SUBJECTS = {"nsubj", "csubj"}
_CLAUSE = {"root", "ccomp", "advcl", "acl", "conj", "parataxis", "csubj", "xcomp"}
_SEEN = 2
"""The number of sentences that a pronoun reaches back."""
_MOST = 100
"""The number of mentions that a pronoun reaches back, because a sentence may be a list."""
_OTHERS = 3
"""The number of next likely phrases that are kept."""
_PLACED = {"in", "at", "near", "from", "into", "across", "around", "outside", "towards", "on", "off"}


@dataclass(frozen=True, slots=True)
class Substitution:
    """The words to write for a word that points back; empty if another word of its phrase says it all.

    Where the text does not make it clear, ``words`` is none, and ``among`` has the heads of the phrases in question.
    """

    words: tuple[Piece, ...] | None
    among: tuple[int, ...] = ()
    sure: bool = True
    alternatives: tuple[tuple[Piece, ...], ...] = ()
    """The words for the next likely phrases, or for the likeliest where none is clear."""


@dataclass(slots=True)
class _Mention:
    """A noun phrase: its head, its sentence, what pronouns may stand for it, and what it names."""

    head: int
    sentence: int
    kinds: frozenset[str]
    thing: int
    """The number of the thing; mentions of one thing have the same."""
    times: int = 0
    """The number of mentions of the thing before, pronouns included."""


@dataclass(slots=True)
class _Thing:
    kinds: frozenset[str]
    heads: list[int] = field(default_factory=list)
    name: str = ""
    nouns: set[str] = field(default_factory=set)


def noun_phrase(tree: DependencyTree, head: int, without: Iterable[int] = ()) -> list[int]:
    """Return a noun with what describes it, less preposition, conjuncts, clauses and appositions behind commas.

    >>> from pyramidion.language import analyse
    >>> analysis = analyse("In the old town hall, which burnt, nobody slept.")
    >>> [analysis.words[place].form for place in noun_phrase(DependencyTree(analysis.words), 4)]
    ['the', 'old', 'town', 'hall']
    """
    outside = set(without)
    words = [head]
    top = [child for child in tree.dependents[head] if tree.types[child] in _IN_A_PHRASE | {"appos", "acl"}]
    for child in top:
        kind, bare = tree.types[child], not _set_off(tree, child)
        if child in outside or kind in ("case", "punct") or (kind == "advmod" and tree.name(child) in _FOCUS):
            continue
        if kind == "advmod" and tree.words[child].upos == "ADV" and child < head and tree.with_type(head, {"cop"}):
            continue
        if kind in ("appos", "acl") and not (kind == "appos" and bare and tree.words[child].upos == "PROPN"):
            continue
        aside = [inner for inner in tree.dependents[child] if kind == "flat" and tree.types[inner] in ("appos", "acl")]
        left = outside.union(*(tree.below(inner) for inner in aside))
        words += [word for word in tree.below(child) if word not in left]
    # The 's of a possessor is left to what it owns; in a name (*McDonald's*) it belongs to the phrase.
    owns = tree.words[head].relation == "nmod:poss"
    case = [marker for marker in tree.with_type(head, {"case"}) if owns and tree.words[marker].xpos == "POS"]
    words += [marker for marker in tree.with_type(head, {"case"}) if not owns and tree.words[marker].xpos == "POS"]
    phrase = sorted(set(words) - set(case))
    # A mark at the end closed something that has been left out.
    while len(phrase) > 1 and tree.words[phrase[-1]].upos == "PUNCT":
        del phrase[-1]
    return phrase


def is_person(noun: str) -> bool:
    """Return whether a noun is known to be a person or a group of people, or likely to be one by its ending."""
    listed = noun in _PEOPLE | _MEN | _WOMEN | _GROUPS | {"people"}
    likely = noun.endswith(("er", "or", "ist", "ian", "man", "ant", "ee", "people")) and noun not in _NO_PEOPLE
    return listed or likely


def is_possessive(tree: DependencyTree, word: int) -> bool:
    """Return whether a pronoun owns the noun after it.

    It does in *her house* and *her two sons*; it does not in *gave her a house* and *paid her two*.
    """
    pronoun, following = tree.words[word], tree.words[word + 1 : word + 2]
    if pronoun.form.lower() == "her" and following:
        verb = tree.heads[tree.heads[word]] if tree.heads[word] != ROOT else ROOT
        given = verb == word - 1 and tree.name(verb) in _GIVING
        if following[0].xpos == "DT" or (following[0].upos == "NUM" and (pronoun.xpos == "PRP" or given)):
            return False
    argument = tree.types[word] in ("iobj", "obj", "obl", "nsubj")
    return pronoun.relation == "nmod:poss" or (pronoun.xpos == "PRP$" and not argument)


def _set_off(tree: DependencyTree, word: int) -> bool:
    """Return whether a comma, a dash or a bracket stands before a word's phrase."""
    first = min(tree.below(word))
    marks = [place for place in (first - 1, first) if place >= 0]
    return any(tree.words[mark].upos == "PUNCT" and tree.words[mark].xpos != "HYPH" for mark in marks)


def resolved(analysis: Analysis) -> dict[int, Substitution]:
    """Return what to write for the words of a text that stand for something said before.

    >>> from pyramidion.language import analyse
    >>> analysis = analyse("Anna Smith bought the mill. She sold it in May.")
    >>> [(analysis.words[place].form, instead.words) for place, instead in resolved(analysis).items()]
    [('She', (0, 1)), ('it', (3, 4))]
    """
    return _Resolver(analysis).resolved()


def _share_a_name(first: list[str], second: list[str]) -> bool:
    """Return whether one name is the beginning or end of another, word by word.

    So for *Anna Smith* and *Smith* or *Anna*; not for *Anna Smith* and *Bob Smith*, nor *Smith* and *Smithson*.
    """
    short, long = sorted((first, second), key=len)
    return bool(short) and (long[-len(short) :] == short or long[: len(short)] == short)


class _Resolver:
    """Reads a text from its beginning, collects things, and looks up whoever points back."""

    def __init__(self, analysis: Analysis) -> None:
        self.words: Sequence[Word] = analysis.words
        self.sentences = analysis.sentences
        self.tree = DependencyTree(analysis.words)
        self.mentions: list[_Mention] = []
        self.things: list[_Thing] = []
        self.found: dict[int, Substitution] = {}
        self.thing_of: dict[int, int] = {}

    def resolved(self) -> dict[int, Substitution]:
        for sentence, (first, last) in enumerate(self.sentences):
            for word in range(first, last):
                # Asked first, since *those* and *that* may repeat a noun or be pronouns.
                if self.stands_for_a_noun(word):
                    self.repeat_noun(word, first)
                elif self.is_pronoun(word):
                    self.pronoun(word, sentence)
                elif self.is_noun(word):
                    self.noun(word, sentence)
        return self.found

    # what a word is

    def lower(self, word: int) -> str:
        return self.words[word].form.lower()

    def is_pronoun(self, word: int) -> bool:
        """Return whether a word is a pronoun that the text before it must explain."""
        form, token = self.lower(word), self.words[word]
        if form.endswith(("self", "selves")):
            return False  # its own clause says who
        kind = form in ("its", "their") and self.tree.name(self.tree.heads[word]) in ("kind", "sort")
        if token.relation == "nmod:poss" and kind:
            return False  # *the first of its kind*
        if form in _PRONOUNS:
            return token.upos in ("PRON", "DET") and not self.is_empty(word) and not self.points_forward(word)
        return (
            form in _DEMONSTRATIVES
            and not self.tree.with_type(word, {"acl"})
            and token.xpos == "DT"
            and self.tree.types[word] in ("nsubj", "obj", "obl", "nmod", "conj")
            and not self.tree.is_relative_pronoun(word)
        )

    def is_empty(self, word: int) -> bool:
        """Return whether *it* stands for nothing: *it is known that*, *it was Ann who came*, *it rained*."""
        verb = self.tree.heads[word]
        if self.tree.types[word] == "expl" or verb == ROOT or self.lower(word) != "it":
            return self.tree.types[word] == "expl"
        if self.tree.types[word] not in _SUBJECTS:
            return False
        clauses = [clause for clause in self.tree.with_type(verb, {"ccomp", "csubj"}) if clause > verb]
        said_of_clause = clauses and (self.tree.is_passive(verb) or self.tree.with_type(verb, {"cop"}))
        relative = [
            clause for clause in self.tree.with_type(verb, {"acl"}) if self.words[clause].relation == "acl:relcl"
        ]
        cleft = relative and self.tree.with_type(verb, {"cop"}) and self.is_definite(verb)
        return bool(said_of_clause or cleft) or self.tree.name(verb) in ("rain", "snow", "seem", "appear", "happen")

    def points_forward(self, word: int) -> bool:
        """Return whether a pronoun's noun follows it: *Before their third week was over, the pups were moved*."""
        clause = self.clause(word)
        owned = self.tree.heads[word]
        fronted = self.words[word].relation == "nmod:poss" and bool(self.tree.with_type(owned, {"case"}))
        fronted = fronted and self.tree.types[owned] in ("obl", "nsubj")
        main = clause if fronted else self.tree.heads[clause]
        if main == ROOT or main < word or not (fronted or self.tree.types[clause] == "advcl"):
            return False
        subjects = [
            subject for subject in self.tree.with_type(main, {"nsubj"}) if subject > word and self.is_noun(subject)
        ]
        kind = _PRONOUNS[self.lower(word)]
        named = [
            subject for subject in subjects if not fronted or kind == PLURAL or self.words[subject].upos == "PROPN"
        ]
        return any(kind in self.kinds(subject) for subject in named)

    def stands_for_a_noun(self, word: int) -> bool:
        """Return whether a word repeats a noun for another thing: *new ones*, *those in the design*, *another*."""
        form, kind = self.lower(word), self.tree.types[word]
        if form in ("one", "ones"):
            return self.words[word].upos in ("NOUN", "PRON") and bool(self.tree.with_type(word, {"amod"}))
        if form in ("that", "those"):
            described = word + 1 < len(self.words) and self.words[word + 1].upos == "ADP"
            described = described and bool(self.tree.with_type(word, {"nmod"}))
            return described and self.words[word].xpos == "DT" and kind not in ("det", "mark", "nsubj")
        return form == "another" and kind in ("nsubj", "obj")

    def repeat_noun(self, word: int, first: int) -> None:
        """Write the last noun of the same number in the place of *one*, *that* or *another*."""
        form = self.lower(word)
        plural = form in ("ones", "those")
        before = [
            place
            for place in range(first, word)
            if self.words[place].xpos == ("NNS" if plural else "NN") and self.tree.types[place] != "compound"
        ]
        if form == "another":
            before = [place for place in before if any(self.lower(c) == "one" for c in self.tree.dependents[place])]
        beside = {
            place for place in before if self.tree.heads[place] == self.tree.heads[word] and form in ("one", "ones")
        }
        before = [place for place in before if self.tree.name(place) not in _MEASURES and place not in beside]
        subjects = [place for place in before if self.tree.types[place] in _SUBJECTS]
        if not before:
            self.found[word] = Substitution(None)
            return
        noun = (subjects or before)[-1] if form in ("that", "those") else before[-1]
        article = {"that": "the", "those": "the", "another": "another"}.get(form)
        self.found[word] = Substitution(((article,) if article else ()) + (self.words[noun].form.lower(),))

    def is_noun(self, word: int) -> bool:
        token = self.words[word]
        people = token.upos == "ADJ" and self.tree.types[word] in ("nsubj", "obj") and self.is_definite(word)
        return (
            (token.upos in ("NOUN", "PROPN") or people)
            and self.tree.types[word] not in ("flat", "compound", "fixed", "goeswith", "amod", "discourse")
            and token.relation != "nmod:desc"
            and not (self.tree.types[word] == "obl" and self.tree.marker(word, {"case"}) == "as")
            and self.tree.name(word) not in _NOBODY | _MEASURES
        )

    def name(self, head: int) -> list[int]:
        """Return the words of a proper name: of *Lumen Ltd* and *Anna Smith* all, of a noun none."""
        if not self.is_proper(head):
            return []
        words = [head]
        for word in words:
            words += [child for child in self.tree.with_type(word, {"flat", "compound"}) if self.is_proper(child)]
        hyphens = [place for place in range(min(words), max(words)) if self.words[place].xpos == "HYPH"]
        return sorted([*words, *hyphens])

    def spelling(self, words: Sequence[int]) -> str:
        """Return words with spaces where the text has them."""
        text = ""
        for place, word in enumerate(words):
            glued = place and self.words[words[place - 1]].end == self.words[word].start
            text += (" " if place and not glued else "") + self.words[word].form
        return text

    def is_proper(self, word: int) -> bool:
        return self.words[word].upos == "PROPN" and self.words[word].form[:1].isupper()

    def kinds(self, head: int) -> frozenset[str]:
        """Return the kinds of pronouns that may stand for a noun phrase."""
        token, noun = self.words[head], self.tree.name(head)
        if self.tree.with_type(head, {"conj"}) or token.xpos in ("NNS", "NNPS") or token.upos == "ADJ":
            return frozenset({PLURAL})
        if token.upos == "PROPN":
            return self.kinds_of_name(head)
        if noun in _MEN:
            return frozenset({MALE})
        if noun in _WOMEN:
            return frozenset({FEMALE})
        names = [child for child in self.tree.with_type(head, {"appos", "flat"}) if self.words[child].upos == "PROPN"]
        if noun in _PEOPLE or (names and noun.endswith(("er", "or", "ist", "ian"))):
            genders = [self.kinds_of_name(child) & {MALE, FEMALE} for child in names]
            return genders[0] if genders and genders[0] else frozenset({MALE, FEMALE})
        if noun.endswith(("woman", "man")):
            return frozenset({FEMALE if noun.endswith("woman") else MALE})
        if noun.endswith(("ist", "ian", "eer")):
            return frozenset({MALE, FEMALE})
        if noun.endswith(("er", "or")) and noun not in _NO_PEOPLE:
            return frozenset({NEUTER, MALE, FEMALE})
        return frozenset({NEUTER, PLURAL} if noun in _GROUPS else {NEUTER})

    def kinds_of_name(self, head: int) -> frozenset[str]:
        """Return the pronouns that may stand for a name, by its title, first name, relative clause or ending."""
        parts = self.name(head) or [head]
        first = self.lower(parts[0]).rstrip(".")
        beside = (*self.titles(head), *self.tree.with_type(head, {"appos"}))
        called = {self.tree.name(title).lower().rstrip(".") for title in beside}
        called |= {first} & _TITLES
        governor = self.tree.heads[head]
        if self.tree.types[head] == "appos" and governor != ROOT:
            called.add(self.tree.name(governor))
        if called & _MEN or first in _HE:
            return frozenset({MALE})
        if called & _WOMEN or first in _SHE:
            return frozenset({FEMALE})
        clauses = [
            clause for clause in self.tree.with_type(head, {"acl"}) if self.words[clause].relation == "acl:relcl"
        ]
        who = any(self.lower(word) in ("who", "whom") for clause in clauses for word in self.tree.below(clause))
        if who or called & (_PEOPLE | _TITLES) or any(title.endswith(("ist", "ian")) for title in called):
            return frozenset({MALE, FEMALE})
        if self.lower(parts[-1]).rstrip(".") in _COMPANY_ENDS:
            return frozenset({NEUTER, PLURAL})
        placed = any(self.lower(preposition) in _PLACED for preposition in self.tree.with_type(head, {"case"}))
        if placed or self.determiners(head) or self.words[head].form.isupper():
            return frozenset({NEUTER})
        return frozenset({NEUTER, MALE, FEMALE})

    def titles(self, head: int) -> list[int]:
        """Return the titles before a name: *Judge* in *Judge Amara Quill*."""
        return [child for child in self.tree.dependents[head] if self.words[child].relation == "nmod:desc"]

    # things that are mentioned

    def noun(self, head: int, sentence: int) -> None:
        """Record a noun phrase as a mention of a known thing or of a new one."""
        thing = self.find_thing(head)
        if thing is None:
            thing = len(self.things)
            self.things.append(_Thing(self.kinds(head)))
        else:
            self.expand(head, thing)
        entity = self.things[thing]
        entity.heads.append(head)
        entity.nouns |= {
            self.tree.name(noun) for noun in (head, *self.tree.with_type(head, {"appos"}), *self.titles(head))
        }
        entity.name = max(entity.name, self.spelling(self.name(head)), key=len)
        if entity.name.lower().split()[-1:] and entity.name.lower().split()[-1].rstrip(".") in _COMPANY_ENDS:
            # *Lumen Ltd* may be called *the company* later.
            entity.nouns |= _COMPANY_WORDS
        for word in (head, *self.name(head), *self.tree.with_type(head, {"appos"})):
            self.thing_of[word] = thing
        self.mentions.append(_Mention(head, sentence, entity.kinds, thing, len(entity.heads) - 1))

    def find_thing(self, head: int) -> int | None:
        """Return the thing that a noun phrase names again."""
        if head in self.thing_of and self.tree.types[head] == "appos":
            return self.thing_of[head]
        name = self.spelling(self.name(head)).split()
        if name:
            namesakes = [number for number, thing in enumerate(self.things) if _share_a_name(thing.name.split(), name)]
            return max(namesakes, key=lambda number: (len(self.things[number].heads), number), default=None)
        if not self.is_definite(head):
            return None
        noun, plural = self.tree.name(head), self.words[head].xpos in ("NNS", "NNPS")
        described = {self.tree.name(child) for child in self.tree.with_type(head, _DESCRIBES)}
        # The thing that came up last is the likeliest.
        for number in reversed(range(len(self.things))):
            thing = self.things[number]
            if noun in thing.nouns and (PLURAL in thing.kinds) >= plural:
                before = {self.tree.name(c) for place in thing.heads for c in self.tree.with_type(place, _DESCRIBES)}
                if described <= before or not described:
                    return number
        return None

    def is_definite(self, head: int) -> bool:
        return any(self.lower(child) in ("the", "this", "that", "these", "those") for child in self.determiners(head))

    def determiners(self, head: int) -> list[int]:
        return self.tree.with_type(head, {"det"})

    def expand(self, head: int, thing: int) -> None:
        """Write a short mention out: *Smith* as *Anna Smith*, *the company* as *Lumen Ltd*, *the bed* as described."""
        entity = self.things[thing]
        name = self.name(head)
        if name:
            longer = entity.name.split()
            if (
                len(longer) > len(self.spelling(name).split())
                and not self.tree.with_type(head, {"nmod"})
                and self.words[head].xpos != "NNPS"
            ):
                self.found[name[0]] = Substitution(tuple(longer))
                for word in name[1:]:
                    self.found[word] = Substitution(())
            return
        phrase = noun_phrase(self.tree, head)
        # Only an article with a noun is short enough to need the fuller description.
        if len(phrase) != 2 or self.words[phrase[0]].xpos != "DT":
            return
        if entity.name and self.tree.name(head) in entity.nouns:
            self.found[phrase[0]], self.found[head] = Substitution(()), Substitution(tuple(self.name_places(entity)))
            return
        fuller = [
            noun for noun in entity.heads if self.tree.name(noun) == self.tree.name(head) and self.describes(noun)
        ]
        if fuller and self.words[fuller[-1]].xpos == self.words[head].xpos:
            words = [place for place in noun_phrase(self.tree, fuller[-1]) if place <= fuller[-1]]
            if self.lower(words[0]) in ("a", "an"):
                self.found[phrase[0]], words = Substitution(("the",)), words[1:]
            elif self.words[words[0]].xpos in ("DT", "PRP$") or self.words[words[0]].upos == "PRON":
                self.found[phrase[0]] = Substitution(())
            elif self.tree.with_type(fuller[-1], {"nmod"}) and words[0] < fuller[-1]:
                return
            self.found[head] = Substitution(tuple(words))

    def describes(self, head: int) -> bool:
        """Return whether words before a noun say which one is meant, and none of them contrasts it (*other*)."""
        before = [child for child in self.tree.with_type(head, {"amod", "compound", "nmod"}) if child < head]
        unlike = any(
            self.tree.name(child) in _UNLIKE or self.words[child].xpos in ("JJR", "JJS", "CD") for child in before
        )
        pronouns = any(self.is_pronoun(word) for child in before for word in self.tree.below(child))
        return bool(before) and not unlike and not pronouns and not self.tree.with_type(head, {"nummod"})

    # pronouns

    def pronoun(self, word: int, sentence: int) -> None:
        """Resolve a pronoun to its likeliest thing, and count it as a mention; leave it open if that is not clear."""
        kind = _PRONOUNS.get(self.lower(word)) or _DEMONSTRATIVES[self.lower(word)]
        heard = self.candidates(word, sentence, kind)
        chances: dict[int, float] = {}
        last: dict[int, int] = {}
        for mention in heard:
            speaks = math.exp(sum(PREFERENCE[name] for name in self.speaking_for(word, mention, sentence, heard)))
            chances[mention.thing] = chances.get(mention.thing, 0.0) + speaks
            last[mention.thing] = mention.head
        total = sum(chances.values())
        # Rounded, so that equal things are ordered by nearness and not by the last bits of sums.
        ranked = sorted(chances, key=lambda thing: (-round(chances[thing], 9), -last[thing]))
        clear = ranked and chances[ranked[0]] >= CLEAR * total
        if not clear or self.lower(word) in ("this", "that"):
            near = [thing for thing in ranked if chances[thing] >= (1 - CLEAR) / 2 * total]
            alternatives = tuple(map(self.wording, ranked[:_OTHERS]))
            self.found[word] = Substitution(None, tuple(last[thing] for thing in near), alternatives=alternatives)
            return
        thing = ranked[0]
        entity = self.things[thing]
        # *Every girl* names no one thing, so *she* cannot be written out as *every girl*.
        if any(self.lower(determiner) in _NO_ONE_THING for determiner in self.determiners(last[thing])):
            self.found[word] = Substitution(None, (last[thing],))
            return
        # The first *he* or *she* settles the gender of a name that tells none.
        if kind in (MALE, FEMALE):
            entity.kinds = frozenset({kind})
        self.thing_of[word] = thing
        # A pronoun counts as a mention; the last noun stands in, because a pronoun has no words of its own.
        entity.heads.append(entity.heads[-1])
        function = _Mention(word, sentence, entity.kinds, thing, len(entity.heads) - 1)
        self.mentions.append(function)
        alternatives = tuple(map(self.wording, ranked[1 : 1 + _OTHERS]))
        sure = chances[thing] >= SURE * total
        self.found[word] = Substitution(self.wording(thing), sure=sure, alternatives=alternatives)

    def candidates(self, word: int, sentence: int, kind: str) -> list[_Mention]:
        """Return the mentions that a pronoun may stand for, none of a thing that is an argument of the same verb."""
        heard = [mention for mention in self.mentions[-_MOST:] if sentence - mention.sentence <= _SEEN]
        beside = {mention.thing for mention in heard if self.is_beside(word, mention)}
        return [mention for mention in heard if self.may_be(word, mention, kind) and mention.thing not in beside]

    def wording(self, thing: int) -> tuple[Piece, ...]:
        """Return the words for a thing: its longest name, or its last description."""
        entity = self.things[thing]
        together = PLURAL in entity.kinds and self.tree.with_type(entity.heads[-1], {"conj"})
        if entity.name and not together:
            return tuple(self.name_places(entity))
        nouns = [head for head in dict.fromkeys(entity.heads) if self.words[head].upos != "PRON"]
        heads = [head for head in nouns if self.tree.types[head] != "appos"] or nouns
        head = ([head for head in heads if self.describes(head)] or heads)[-1]
        coordinated = [head, *self.tree.with_type(head, {"conj"})]
        written: list[Piece] = []
        phrase = noun_phrase(self.tree, head)
        if self.lower(phrase[0]) in ("a", "an"):
            written, phrase = ["the"], phrase[1:]
        for conjunct in coordinated[1:]:
            joint = [child for child in self.tree.dependents[conjunct] if self.tree.types[child] in ("cc", "punct")]
            phrase = [*phrase, *(child for child in joint if child < conjunct), *noun_phrase(self.tree, conjunct)]
        return (*written, *(word for word in phrase if self.tree.name(word) not in _FOCUS))

    def name_places(self, thing: _Thing) -> list[Piece]:
        """Return the words of a thing's longest name where it stands in the text, with its article."""
        for head in thing.heads:
            words = self.name(head)
            if words and self.spelling(words) == thing.name:
                articles = [
                    place for place in self.determiners(head) if self.lower(place) == "the" and NEUTER in thing.kinds
                ]
                return [*articles, *words]
        return list(thing.name.split())

    def may_be(self, word: int, mention: _Mention, kind: str) -> bool:
        if mention.head >= word or kind not in self.things[mention.thing].kinds:
            return False
        if self.is_inside(word, mention.head):
            return False
        return self.lower(word) not in _DEMONSTRATIVES or self.things[mention.thing].kinds <= {kind}

    def is_beside(self, word: int, mention: _Mention) -> bool:
        """Return whether a mention is an argument of the pronoun's verb, so another thing: *they pick them up*."""
        if mention.head >= word or is_possessive(self.tree, word):
            return False
        verb = self.clause(word)
        shared = self.tree.first_conjunct(verb) if not self.tree.with_type(verb, _SUBJECTS) else verb
        together = self.clause(mention.head) == verb and mention.sentence == self.sentence_of(word)
        subject = self.tree.types[mention.head] in _SUBJECTS and self.tree.heads[mention.head] == shared
        return (together and self.tree.heads[mention.head] == verb) or (subject and verb != shared and word > verb)

    def is_inside(self, word: int, head: int) -> bool:
        """Return whether a word stands in a noun's own phrase, conjuncts aside (*Ann and her friends*)."""
        while word not in (head, ROOT):
            if self.tree.types[word] == "conj" and self.tree.heads[word] == head:
                return False
            word = self.tree.heads[word]
        return word == head

    def sentence_of(self, word: int) -> int:
        return next(number for number, (first, last) in enumerate(self.sentences) if first <= word < last)

    def clause(self, word: int) -> int:
        """Return the predicate of the clause that a word stands in."""
        while self.tree.types[word] not in _CLAUSE and self.tree.heads[word] != ROOT:
            word = self.tree.heads[word]
        nominal = self.tree.types[word] == "conj" and self.words[word].upos not in ("VERB", "AUX")
        if nominal and not self.tree.with_type(word, {"cop", "nsubj"}) and self.tree.heads[word] != ROOT:
            return self.clause(self.tree.heads[word])
        return word

    def speaking_for(self, word: int, mention: _Mention, sentence: int, heard: Sequence[_Mention]) -> Iterator[str]:
        """Return the preferences that a mention meets."""
        head, kind, function = mention.head, self.tree.types[mention.head], self.tree.types[word]
        thing, clause = self.things[mention.thing], self.clause(head)
        if sentence - mention.sentence < 2:
            yield "here" if mention.sentence == sentence else "before"
        if kind in _SUBJECTS:
            yield "subject"
            if self.tree.types[clause] == "root":
                yield "of the main clause"
        elif kind in ("obj", "iobj"):
            yield "object"
        elif self.words[head].relation == "nmod:poss":
            yield "possessor"
        elif kind in ("nmod", "appos"):
            yield "inside"
        if (function in _SUBJECTS) == (kind in _SUBJECTS) and function in (*_SUBJECTS, "obj", "obl") and kind != "nmod":
            yield "parallel"
        if mention.times:
            yield "again" if mention.times < 3 else "often"
        if self.words[word].relation == "nmod:poss" and self.clause(word) == clause:
            yield "own clause"
        if self.words[head].upos == "PRON":
            yield "pronoun"
        elif thing.name:
            yield "named"
        elif any(self.lower(determiner) in ("a", "an") for determiner in self.determiners(head)):
            yield "indefinite"
        elif self.is_definite(head):
            yield "definite"
        elif not self.determiners(head):
            yield "bare"
        if NEUTER in thing.kinds and self.lower(word) not in ("it", "its", "itself"):
            yield "perhaps a thing"
        above = self.tree.heads[self.clause(word)]
        if function in _SUBJECTS and self.tree.types[self.clause(word)] == "ccomp" and self.tree.heads[head] == above:
            yield "speaker"
        if word - head <= 15:
            yield "near"
        if word - head <= 5:
            yield "next"
        if mention is heard[-1]:
            yield "last"
