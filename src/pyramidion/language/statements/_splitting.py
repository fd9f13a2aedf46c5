"""Cut a sentence into statements (:mod:`~pyramidion.language.statements.rules`)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from pyramidion.language.parse.analysis import ROOT
from pyramidion.language.parse.coreference import Piece, is_person, noun_phrase
from pyramidion.language.parse.deptree import DependencyTree
from pyramidion.language.statements._inflection import past, present
from pyramidion.language.text.word_lists import words

_SUBJECTS = {"nsubj", "csubj", "expl"}
_CONTENT = {"NOUN", "PROPN", "NUM", "VERB", "ADJ"}
_TENSED = {"VBD", "VBZ", "VBP", "MD"}
_SPEECH, _INTENDED = words("speech"), words("intended")
_ASSERTS = _SPEECH - {"deny", "fear", "hope", "joke", "promise", "protest", "swear"} | {"mention", "point", "show"}
"""Verbs by which an author says that something is so."""
_IDLE = {"also", "then", "further", "finally", "moreover", "however", "thus", "therefore", "first", "again"}
"""Adverbs that change nothing of what an author says."""
_ASKING = {"WP", "WDT", "WP$", "WRB"}
_BEGINS = {"DET", "NOUN", "PROPN", "PRON", "NUM"}
"""Parts of speech that may begin the subject of a clause."""
_NAMING = {"call", "make", "name", "consider", "find", "think", "declare"}
_SPLIT_MARKS = {"although", "though", "whereas", "while", "so", "for"}
_CONDITIONS = {"if", "unless", "whether", "until", "when", "once", "before", "because", "lest", "provided", "as"}
_RESTRICTS = {"only", "just", "even", "not", "shortly", "soon", "immediately", "long"}
_NEGATIONS = {"not", "never", "no", "nor", "neither", "hardly", "n't"}
_NOBODY = {"nobody", "none", "nothing", "few", "little", "only"}
_DENIES = {"deny", "doubt", "refuse", "forget", "fail"}
_LIGHT = {"be", "have", "do", "get", "make", "take", "go", "come", "one", "thing", "way"}
_DASHES = {",", ";", ":", "-", "--", "\u2013", "\u2014", "(", ")", "...", "\u2026", "[", "]"}
_AT_REST = {"in", "at", "on", "near", "during", "under", "behind", "beside", "inside", "outside", "above", "below"}
_QUOTES = {'"', "\u201c", "\u201d", "``", "''", "'", "\u2018", "\u2019"}
_SAID = {"obj", "ccomp", "xcomp", "parataxis", "advcl"}
_BRIEF = 3
"""With fewer content words, the part before a colon stays with what follows."""


class Kind(Enum):
    """The role of a split-off statement in its sentence, which decides how it is written."""

    CONJUNCT = auto()
    RELATIVE = auto()
    APPOSITION = auto()
    PARTICIPLE = auto()
    CLAUSE = auto()
    SHARED = auto()
    """A second thing that the same speaker says."""


@dataclass(frozen=True, slots=True)
class Draft:
    """The words of a statement, in order: words of the text and added words; and whether it has a subject."""

    head: int
    """The word around which it is made; a participle that gets a tense stands for itself in another form."""
    pieces: Sequence[Piece]
    has_subject: bool


class Sentence:
    """One sentence: where it is cut, and the drafts of its statements (words of the text and words to add)."""

    def __init__(self, tree: DependencyTree, first: int, last: int, authors: Collection[int] = ()) -> None:
        """``authors`` are words that stand for the source: what they say is stated without them."""
        self.tree, self.words = tree, tree.words
        self.first, self.last, self.authors = first, last, authors
        self.root = next((word for word in range(first, last) if tree.heads[word] == ROOT), first)
        self.cuts: dict[int, Kind] = {}
        self.find_cuts()

    # where to cut

    def find_cuts(self) -> None:
        """Find the cuts, from the root down: only in a clause that is itself asserted is anything split off."""
        queue = [(self.root, True)]
        for word, asserted in queue:
            for child in self.tree.dependents[word]:
                kind = self.cut(child) if asserted else self.cut_in_speech(child)
                if kind:
                    self.cuts[child] = kind
                queue.append((child, bool(kind and kind != Kind.SHARED) or (asserted and not self.hides(child))))

    def hides(self, word: int) -> bool:
        """Return whether a word's dependents are not asserted by the text: reported, conditional, or only intended."""
        kind = self.tree.types[word]
        if kind == "advcl" and self.marks(word) & _CONDITIONS:
            return True
        if kind == "ccomp" and self.authors_own(self.tree.heads[word]) == word:
            return False
        return kind in ("ccomp", "csubj") or (kind == "xcomp" and self.tree.name(self.tree.heads[word]) in _INTENDED)

    def authors_own(self, verb: int) -> int | None:
        """Return the clause that the author says, if the verb adds nothing to it: *the article explains that* ..."""
        if self.tree.name(verb) not in _ASSERTS or not self.is_by_author(verb):
            return None
        speech = [
            clause
            for clause in self.tree.with_type(verb, {"ccomp"})
            if self.is_tensed(clause) and self.subjects(clause)
        ]
        additions = [child for child in self.tree.dependents[verb] if child not in speech and not self.is_idle(child)]
        return speech[0] if len(speech) == 1 and not additions and self.is_told(speech[0]) else None

    def is_by_author(self, verb: int) -> bool:
        """Return whether the author alone is the subject of a verb, or of the verb that it is coordinated with."""
        subjects, above = self.subjects(verb), self.tree.heads[verb]
        if subjects:
            return subjects[0] in self.authors and not self.tree.with_type(subjects[0], {"conj", "cc"})
        if self.tree.types[verb] != "conj" or above == ROOT:
            return False
        if self.tree.types[above] == "ccomp" and self.tree.heads[above] != ROOT:
            return self.authors_own(self.tree.heads[above]) == above
        return self.is_by_author(above)

    def is_idle(self, word: int) -> bool:
        """Return whether a word beside a verb of saying adds nothing to what is said: no condition, doubt or time."""
        kind, token = self.tree.types[word], self.words[word]
        if kind in ("aux", "advmod"):
            return token.xpos != "MD" if kind == "aux" else self.tree.name(word) in _IDLE
        if kind == "conj":
            return self.cut_conjunct(word) is not None
        participle = kind == "advcl" and self.is_participle(word)
        return participle or kind in ("nsubj", "punct", "cc") or (kind == "obl" and word in self.authors)

    def is_told(self, clause: int) -> bool:
        """Return whether a clause reports a fact: *that it rained*, *how it rained*; not *what* or *whether*."""
        asking = [place for place in self.tree.below(clause) if place < clause and self.words[place].xpos in _ASKING]
        how = [place for place in asking if self.tree.name(place) == "how" and self.words[place + 1].upos in _BEGINS]
        return asking == how and not self.marks(clause) & {"whether", "if"}

    def introducing_words(self, clause: int) -> list[int]:
        """Return the words that only introduce what is said: *that*, *how*."""
        words = [*self.tree.with_type(clause, {"mark"}), *self.tree.with_type(clause, {"advmod"})]
        return [word for word in words if word < clause and self.tree.name(word) in ("that", "how")]

    def is_attribution(self, word: int) -> bool:
        """Return whether a word's phrase only names the author as the speaker: *..., the author stresses*."""
        if self.tree.types[word] == "parataxis":
            after = max(self.tree.below(word)) + 1
            ends = after >= self.last or self.words[after].form not in (";", ":")
            ends = ends and self.words[after - 1].form not in (";", ":")
            plain = self.tree.name(word) in _ASSERTS and all(map(self.is_idle, self.tree.dependents[word]))
            return ends and plain and bool(self.subjects(word)) and self.is_by_author(word)
        according = self.tree.types[word] == "obl" and self.tree.marker(word, {"case"}) == "according to"
        return according and word in self.authors

    def marks(self, word: int) -> set[str]:
        marks = self.tree.with_type(word, {"mark", "advmod"})
        return {self.tree.name(mark) for mark in marks if (mark < word and self.tree.types[mark] == "mark") or
                self.words[mark].xpos == "WRB"}  # fmt: skip

    def cut(self, word: int) -> Kind | None:
        """Return the kind of statement that begins with a word; None if the word stays."""
        kind, relation = self.tree.types[word], self.words[word].relation
        if kind == "conj":
            return self.cut_conjunct(word)
        if relation == "acl:relcl":
            return Kind.RELATIVE if self.is_free_relative(word) else None
        if kind == "appos":
            return Kind.APPOSITION if self.is_fact(word) else None
        if kind in ("acl", "advcl") and self.is_participle(word):
            return Kind.PARTICIPLE
        if kind == "advcl" and self.is_tensed(word):
            return Kind.CLAUSE if self.is_aside(word) else None
        if kind == "parataxis":
            return Kind.CLAUSE if self.is_beside(word) else None
        return Kind.CLAUSE if kind == "ccomp" and self.is_spliced(word) else None

    def cut_in_speech(self, word: int) -> Kind | None:
        """Return the kind of a cut inside reported speech: *she said that A and that B*, or a fact about a name."""
        governor = self.tree.heads[word]
        if self.is_hypothetical(governor):
            return None
        if self.tree.types[word] == "conj" and self.tree.types[governor] == "ccomp":
            return Kind.SHARED if (self.subjects(word) or self.says_more(word)) and self.cut_conjunct(word) else None
        # What is added about a name in a denial may be part of what is denied.
        contested = any(
            self.tree.name(ancestor) in _DENIES and self.words[ancestor].upos == "VERB"
            for ancestor in self.up(governor)
        )
        if self.words[governor].upos != "PROPN" or contested:
            return None
        if self.words[word].relation == "acl:relcl":
            return Kind.RELATIVE if self.begins_after_comma(word) and self.is_free_relative(word) else None
        return Kind.APPOSITION if self.tree.types[word] == "appos" and self.is_fact(word) else None

    def up(self, word: int) -> list[int]:
        """Return a word and those above it, to the head of the statement in which it stands."""
        way = [word]
        while way[-1] not in self.cuts and self.tree.heads[way[-1]] != ROOT:
            way.append(self.tree.heads[way[-1]])
        return way

    def is_hypothetical(self, word: int) -> bool:
        """Return whether a word is in a clause that states nothing: *if she says that ...*, *who say that ...*."""
        return any(
            self.tree.types[ancestor] in ("advcl", "acl", "csubj")
            for ancestor in self.up(word)
            if ancestor not in self.cuts
        )

    def says_more(self, word: int) -> bool:
        """Return whether a verb without a subject continues reported speech: *she said that he sang and would come*.

        It does not where the speech is denied or doubted, or its subject is *nobody*: who denies two things together
        need not deny each.
        """
        first = self.tree.heads[word]
        joints = self.tree.with_type(word, {"cc"})
        between = range(max(joints, default=word) + 1, word)
        plain = {self.tree.name(joint) for joint in joints} <= {"and", "but", "yet"}
        plain &= all(self.words[place].upos in ("AUX", "ADV", "PART", "PUNCT") for place in between)
        auxiliaries = self.tree.with_type(word, {"aux", "cop"})
        if (
            not plain
            or not self.subjects(first)
            or not self.is_told(first)
            or (not auxiliaries and self.is_denied(word))
        ):
            return False
        quoted = any(self.words[place].form in _QUOTES for place in range(self.first, self.last))
        return not quoted and not self.subject_denies(first) and not any(map(self.is_denied, self.up(first)[1:]))

    def is_denied(self, verb: int) -> bool:
        """Return whether a verb denies or doubts its complement: *did not say*, *nobody says*, *denies*."""
        negations = any(self.tree.name(child) in _NEGATIONS for child in self.tree.dependents[verb])
        return negations or self.tree.name(verb) in _DENIES or self.subject_denies(verb)

    def subject_denies(self, verb: int) -> bool:
        """Return whether a verb's subject is *nobody*, *few*, *only Ann* or the like."""
        named = [part for subject in self.subjects(verb) for part in (subject, *self.tree.dependents[subject])]
        return any(self.tree.name(part) in _NEGATIONS | _NOBODY for part in named)

    def cut_conjunct(self, word: int) -> Kind | None:
        """Return the kind of statement that a conjunct begins; None if it is no clause or shares what follows."""
        governor = self.tree.heads[word]
        beside = self.tree.types[governor] == "parataxis" and bool(self.subjects(word))
        if not self.is_predicate(word) or not (
            governor == self.root or governor in self.cuts or self.is_said(governor) or beside
        ):
            return None
        joints = {self.tree.name(child) for child in self.tree.with_type(word, {"cc"})}
        before = {self.tree.name(child) for child in self.tree.with_type(governor, {"cc"}) if child < governor}
        # Neither part of an alternative is stated by itself: *he came or called*.
        if joints & {"or", "nor"} or before & {"either", "neither", "not"}:
            return None
        if self.cuts.get(governor) == Kind.RELATIVE and self.subjects(word)[:1] == [self.pronoun(word)]:
            return Kind.RELATIVE
        if self.is_fronted_condition(governor) and not self.subjects(word):
            return None
        between = [place for place in range(governor + 1, word) if self.words[place].upos not in ("CCONJ", "PUNCT")]
        if not between and not self.subjects(word) and not self.goes_on(word):
            return None  # *was cut and dried*: what follows belongs to both
        return Kind.CONJUNCT

    def goes_on(self, word: int) -> bool:
        """Return whether a verb shares only its subject with the words before it: *is rare and has to be made*."""
        if any(self.words[subject].xpos in _ASKING for subject in self.subjects(self.tree.heads[word])):
            return False
        if any(self.words[auxiliary].xpos in _TENSED for auxiliary in self.tree.with_type(word, {"aux", "cop"})):
            return True
        described = self.tree.with_type(self.tree.heads[word], {"cop"})
        return self.is_tensed(word) and bool(described) and self.content(self.tree.below(word)) > 1

    def is_said(self, word: int) -> bool:
        return self.tree.types[word] == "ccomp"

    def is_fronted_condition(self, word: int) -> bool:
        clauses = self.tree.with_type(word, {"advcl"})
        return any(clause < word and self.marks(clause) & _CONDITIONS for clause in clauses)

    def subjects(self, word: int) -> list[int]:
        subjects = self.tree.with_type(word, _SUBJECTS)
        return [subject for subject in subjects if self.tree.types[subject] == "expl"] or subjects

    def is_tensed(self, word: int) -> bool:
        group = [word, *self.tree.with_type(word, {"aux", "cop"})]
        return any(self.words[member].xpos in _TENSED for member in group)

    def is_imperative(self, word: int) -> bool:
        verbs = [word, *self.tree.with_type(word, {"cop"})]
        to = any(self.tree.name(mark) == "to" for mark in self.tree.with_type(word, {"mark"}))
        return any(self.words[verb].xpos == "VB" for verb in verbs) and not to and not self.subjects(word)

    def is_predicate(self, word: int) -> bool:
        """Return whether a conjunct is a clause: with tense, in the imperative, or with the first one's tense."""
        governor = self.tree.heads[word]
        if self.is_tensed(word):
            return True
        if self.subjects(word) or self.words[word].upos not in ("VERB", "AUX"):
            return False
        if self.is_imperative(word) and self.is_imperative(governor):
            return True
        return bool(self.shared_auxiliaries(word))

    def shared_auxiliaries(self, word: int) -> list[int]:
        """Return the auxiliaries that a conjunct shares: *has been* in *has been sold on Monday and rebuilt since*.

        Their negation is among them, unless ``but`` undoes it.
        """
        governor = self.tree.heads[word]
        token = self.words[word]
        if (
            token.xpos not in ("VB", "VBN", "VBG", "VBD")
            or self.tree.with_type(word, {"aux", "cop"})
            or self.is_to(word)
        ):
            return []
        # Beside a passive, VBD is a participle that the tagger took for a past tense; elsewhere it has its own tense.
        if token.xpos == "VBD" and not self.tree.is_passive(governor):
            return []
        auxiliaries = self.tree.with_type(governor, {"aux"})
        if not auxiliaries:
            return []
        last = self.tree.name(auxiliaries[-1])
        needs = "VB" if self.words[auxiliaries[-1]].xpos == "MD" or last == "do" else self.words[governor].xpos
        if token.xpos != needs and not (token.xpos in ("VBN", "VBD") and last in ("be", "have", "get")):
            return []
        undone = any(self.tree.name(child) == "but" for child in self.tree.with_type(word, {"cc"}))
        negations = [
            child for child in self.tree.with_type(governor, {"advmod"}) if self.tree.name(child) in _NEGATIONS
        ]
        return sorted([*auxiliaries, *([] if undone else negations)])

    def is_to(self, word: int) -> bool:
        return any(self.tree.name(mark) == "to" for mark in self.tree.with_type(word, {"mark"}))

    def begins_after_comma(self, word: int) -> bool:
        start = min(self.tree.below(word))
        around = [place for place in (start - 1, start) if self.first <= place < self.last]
        return any(self.words[place].form in _DASHES - {"-", ":"} for place in around)

    def pronoun(self, word: int) -> int | None:
        """Return the relative pronoun of a clause."""
        for place in range(min(self.tree.below(word)), word):
            token = self.words[place]
            if token.xpos in ("WDT", "WP", "WP$", "WRB") or (
                token.form.lower() == "that" and token.xpos in ("WDT", "IN")
            ):
                return place if self.top(place, word) is not None else None
        return None

    def top(self, word: int, clause: int) -> int | None:
        """Return the dependent of a clause's verb that a word belongs to."""
        while word not in (ROOT, clause):
            if self.tree.heads[word] == clause:
                return word
            word = self.tree.heads[word]
        return None

    def is_free_relative(self, word: int) -> bool:
        """Return whether a relative clause is a fact by itself, and the sentence stays true without it."""
        noun, pronoun = self.tree.heads[word], self.pronoun(word)
        if pronoun is None or noun > word or not self.is_tensed(word) or self.words[noun].upos not in ("NOUN", "PROPN"):
            return False
        if self.tree.with_type(noun, {"expl"}) or self.tree.name(noun) in _LIGHT:
            return False
        if not self.may_mean(pronoun, noun, word):
            return False
        top = self.top(pronoun, word)
        kind = self.tree.types[top] if top is not None else ""
        where = self.words[pronoun].xpos == "WRB"
        possessive = self.words[pronoun].xpos == "WP$"
        if where and self.words[pronoun].form.lower() not in ("where", "when"):
            return False
        if not where and kind not in ("nsubj", "obl") and not (kind == "obj" and top == pronoun):
            return False
        if kind == "obl" and not where and not self.tree.with_type(top if top is not None else word, {"case"}):
            return False
        if self.begins_after_comma(word):
            return True
        return not where and not possessive and kind == "nsubj" and self.is_new_and_done(noun, word)

    def may_mean(self, pronoun: int, noun: int, clause: int) -> bool:
        """Return whether a relative clause fits its noun: its verb in number, and *who* only for a person."""
        if self.words[pronoun].form.lower() in ("who", "whom"):
            several = self.words[noun].xpos == "NNPS"
            named = self.words[noun].upos == "PROPN" and (several or not self.tree.with_type(noun, {"det"}))
            return named or (self.words[noun].upos == "NOUN" and is_person(self.tree.name(noun)))
        verbs = {self.words[verb].xpos for verb in (clause, *self.tree.with_type(clause, {"aux", "cop"}))}
        if self.tree.types[pronoun] != "nsubj" or len(verbs & {"VBZ", "VBP"}) != 1 or self.words[noun].upos != "NOUN":
            return True
        several = self.words[noun].xpos == "NNS" or bool(self.tree.with_type(noun, {"conj"}))
        return several == ("VBP" in verbs)

    def is_new_and_done(self, noun: int, clause: int) -> bool:
        """Return whether a clause tells the past of something new: *He sold a house that had burnt down*."""
        determiners = [
            self.words[determiner].form.lower() for determiner in self.tree.with_type(noun, {"det", "nummod"})
        ]
        new = any(form in ("a", "an", "some", "two", "three") for form in determiners)
        bare = not determiners and self.words[noun].xpos == "NNS" and not self.tree.with_type(noun, {"amod"})
        verb = self.governing_verb(noun)
        if not (new or bare) or verb is None or verb > noun or not self.is_past(verb) or not self.is_past(clause):
            return False
        denied = any(self.tree.name(child) in _NEGATIONS for child in self.tree.dependents[verb])
        if (
            denied
            or self.tree.name(verb) in _NAMING
            or self.tree.with_type(verb, {"expl", "cop"})
            or self.tree.types[noun] not in ("obj", "obl")
        ):
            return False
        # Without the clause, the sentence must still say something.
        rest = set(range(self.first, self.last)) - set(self.tree.below(clause))
        return self.content(sorted(rest)) >= _BRIEF + 1

    def governing_verb(self, word: int) -> int | None:
        while self.tree.heads[word] != ROOT:
            word = self.tree.heads[word]
            if self.words[word].upos == "VERB":
                return word
        return None

    def is_past(self, word: int) -> bool:
        """Return whether a verb, or the clause that it continues, is in a past tense."""
        group = [word, *self.tree.with_type(word, {"aux", "cop"})]
        if any(self.words[verb].xpos == "MD" for verb in group):
            return False
        if any(self.words[verb].xpos == "VBD" for verb in group):
            return True
        perfect = any(self.tree.name(auxiliary) == "have" for auxiliary in group[1:])
        above = self.tree.heads[word]
        continues = above != ROOT and self.tree.types[word] in ("xcomp", "advcl", "conj") and not self.is_tensed(word)
        return perfect or (continues and self.is_past(above))

    def is_fact(self, word: int) -> bool:
        """Return whether an apposition states something about its noun: a description, set off by commas."""
        noun = self.tree.heads[word]
        nominal = self.words[noun].upos in ("NOUN", "PROPN") and self.words[word].upos == "NOUN"
        if any(self.tree.name(child) in _NEGATIONS for child in self.tree.dependents[word]):
            return False
        if not nominal or not self.begins_after_comma(word) or noun > word or (self.tree.with_type(noun, {"case"}) and (
            self.words[noun].upos == "NOUN" and not self.has_determiner(noun)
        )):  # fmt: skip
            return False
        if self.tree.with_type(word, {"conj"}) or self.tree.with_type(noun, {"conj"}):
            return False
        named, phrase = self.words[noun].upos == "PROPN", noun_phrase(self.tree, word)
        if not self.has_determiner(word) and not (named and self.tree.with_type(word, {"nmod"})):
            return False
        if self.content(self.tree.below(word)) < 2:
            after = max(self.tree.below(word)) + 1
            ends = after == self.last or self.words[after].form in _DASHES | {"."}
            verb = any(self.words[place].upos in ("VERB", "AUX") for place in range(noun, word))
            plain = not verb and not self.tree.with_type(word, {"advmod", "case"}) and is_person(self.tree.name(word))
            return named and ends and plain
        return named or self.has_determiner(noun) or len(phrase) > 3

    def has_determiner(self, word: int) -> bool:
        possessive = any(self.words[child].relation == "nmod:poss" for child in self.tree.dependents[word])
        return possessive or bool(self.tree.with_type(word, {"det", "nummod"}))

    def is_participle(self, word: int) -> bool:
        """Return whether a word is a participle set off by a comma: *Built in 1900,* ... and ..., *killing two*."""
        token = self.words[word]
        if (
            token.xpos not in ("VBN", "VBG", "VBD")
            or self.subjects(word)
            or (self.is_tensed(word) and token.xpos != "VBD")
        ):
            return False
        if self.tree.with_type(word, {"mark", "aux", "cop", "case"}) or self.content(self.tree.below(word)) < 2:
            return False
        governor = self.tree.heads[word]
        if self.tree.types[word] == "acl":
            return governor < word and self.words[governor].upos in ("NOUN", "PROPN") and self.begins_after_comma(word)
        ends = max(self.tree.below(word)) + 1
        after = ends < self.last and self.words[ends].form == ","
        own_comma = any(self.words[mark].form == "," for mark in self.tree.with_type(word, {"punct"}))
        set_off = self.begins_after_comma(word) if word > governor else after or own_comma
        passive = token.xpos in ("VBN", "VBD")
        return bool(
            set_off and self.subject_of(governor) and (word < governor or not passive or self.begins_after_comma(word))
        )

    def is_aside(self, word: int) -> bool:
        """Return whether an adverbial clause is asserted beside its governor: *although*, *whereas*, *so*, *after*."""
        marks, governor = self.marks(word), self.tree.heads[word]
        if not self.subjects(word) or self.words[word].relation == "advcl:relcl":
            return False
        so_that = any(self.tree.with_type(mark, {"fixed"}) for mark in self.tree.with_type(word, {"mark"}))
        if marks & {"although", "though", "whereas"}:
            return True
        if marks & _SPLIT_MARKS and not so_that:
            return self.begins_after_comma(word)
        if marks == {"so"} and so_that:
            return self.is_outcome(word)
        restricted = any(self.tree.name(child) in _RESTRICTS for child in self.tree.dependents[governor])
        restricted |= any(self.tree.name(adverb) in _RESTRICTS for adverb in self.tree.with_type(word, {"advmod"}))
        restricted |= bool(self.tree.with_type(word, {"obl"})) and min(self.tree.below(word)) < min(
            list(self.tree.with_type(word, {"mark"})), default=0
        )
        ended = marks == {"until"} and self.begins_after_comma(word)
        return (marks == {"after"} or ended) and not restricted and self.is_past(word) and self.is_past(governor)

    def is_outcome(self, word: int) -> bool:
        """Return whether a clause with *so that* states a result, after a comma; not an aim or a possibility."""
        governor = self.tree.heads[word]
        states = self.is_tensed(governor) and self.is_tensed(word)
        states = states and self.tree.name(governor) not in _SPEECH | _INTENDED
        modal = any(self.words[child].xpos == "MD" for verb in (governor, word) for child in self.tree.dependents[verb])
        more = [clause for clause in self.tree.with_type(governor, {"advcl"}) if clause > word]
        torn = any(self.tree.with_type(clause, {"cc"}) for clause in more)
        set_off = word > governor and self.begins_after_comma(word)
        return states and set_off and not modal and not torn

    def is_beside(self, word: int) -> bool:
        """Return whether a clause stands beside another as its equal; not *he said*, nor *that is an order*."""
        governor = self.tree.heads[word]
        if not self.is_tensed(word) and not self.is_imperative(word):
            return False
        subjects = self.subjects(word)
        start = min(self.tree.below(word))
        marks = {self.words[place].form for place in (start, start - 1) if place >= self.first}
        if self.tree.name(word) in _SPEECH and ";" not in marks and not self.tree.with_type(word, _SAID):
            return False
        if not subjects and not self.is_imperative(word):
            return False
        if subjects and self.words[subjects[0]].form.lower() in ("that", "this", "which", "such", "these"):
            return False
        if self.marks(word) & (_CONDITIONS | {"that"}) or self.content(self.tree.below(word)) < 2:
            return False
        rest = range(self.first, start)
        joined = any(
            clause < word and clause not in self.cuts and self.is_tensed(clause)
            for clause in self.tree.with_type(governor, {"parataxis"})
        )
        return not joined and (":" not in marks or self.content(rest) >= _BRIEF)

    def is_spliced(self, word: int) -> bool:
        """Return whether a clause only stands before a speech: *The road was shut, Ann insists that it is safe*.

        The parser takes the first clause for what is said, but that follows the verb.
        """
        governor = self.tree.heads[word]
        after = [child for child in self.tree.with_type(governor, {"ccomp", "obj"}) if child > governor]
        alone = self.is_tensed(word) and self.subjects(word) and not self.tree.with_type(word, {"mark"})
        if any(self.words[place].form in _QUOTES for place in range(self.first, self.last)):
            return False
        return bool(after and alone) and any(word < subject < governor for subject in self.subjects(governor))

    def content(self, words: Sequence[int]) -> int:
        """Return the number of content words."""
        return sum(
            self.words[word].upos in _CONTENT and self.tree.name(word) not in _LIGHT and self.tree.types[word] != "aux"
            for word in words
        )

    # what each statement says

    def own(self, head: int) -> list[int]:
        """Return a word and what hangs from it, less what is split off."""
        words = [head]
        for word in words:
            words.extend(
                child
                for child in self.tree.dependents[word]
                if child not in self.cuts and not self.is_attribution(child)
            )
        return sorted(words)

    def subject_of(self, word: int) -> list[int]:
        """Return the words of a clause's subject; that of the clause above where it has none."""
        subjects = self.subjects(word)
        kind = self.cuts.get(word)
        if subjects and kind == Kind.RELATIVE and subjects[0] == self.pronoun(word):
            return self.antecedent(word)
        if subjects:
            return self.phrase(subjects[0])
        above = self.tree.heads[word]
        if above == ROOT:
            return []
        if kind == Kind.RELATIVE or (kind in (Kind.APPOSITION, Kind.PARTICIPLE) and self.tree.types[word] != "advcl"):
            return self.antecedent(word)
        return self.subject_of(above) if self.tree.types[word] in ("conj", "advcl", "xcomp") else []

    def phrase(self, head: int) -> list[int]:
        """All words of a subject, conjuncts included, without the clauses split off and the commas around them."""
        words = [word for word in self.own(head) if not self.words[word].form.lower().endswith(("self", "selves"))]
        return self.trim(words)

    def trim(self, words: list[int]) -> list[int]:
        while words and self.words[words[-1]].form in _DASHES:
            words = words[:-1]
        while words and self.words[words[0]].form in _DASHES:
            words = words[1:]
        return words

    def antecedent(self, clause: int) -> list[int]:
        """Return the noun phrase that a relative clause, participle or apposition describes."""
        noun = self.modified_noun(clause)
        while self.tree.types[noun] == "flat" or self.words[noun].relation == "nmod:desc":
            noun = self.tree.heads[noun]
        joined = [
            conjunct
            for conjunct in self.tree.with_type(noun, {"conj"})
            if conjunct < clause and conjunct not in self.cuts
        ]
        phrase = noun_phrase(self.tree, noun, [*self.cuts, clause])
        for conjunct in joined:
            joints = [child for child in self.tree.with_type(conjunct, {"cc", "punct"}) if child < conjunct]
            phrase = [*phrase, *joints, *noun_phrase(self.tree, conjunct, self.cuts)]
        return self.trim([word for word in phrase if not self.below_cut(word, noun)])

    def modified_noun(self, clause: int) -> int:
        """Return the noun that a clause, or the one that it goes on from, speaks of."""
        above = self.tree.heads[clause]
        return self.modified_noun(above) if self.tree.types[clause] == "conj" else above

    def below_cut(self, word: int, top: int) -> bool:
        while word not in (top, ROOT):
            if word in self.cuts:
                return True
            word = self.tree.heads[word]
        return False

    def is_plural(self, words: Sequence[int]) -> bool:
        heads = [word for word in words if self.tree.heads[word] not in words]
        head = heads[0] if heads else words[0]
        coordinated = any(self.tree.types[word] == "conj" and self.tree.heads[word] == head for word in words)
        return coordinated or self.words[head].xpos in ("NNS", "NNPS") or self.words[head].form.lower() in ("they",)

    def drafts(self) -> Iterator[Draft]:
        """Yield the root's statement, then the others by their heads."""
        for head in (self.root, *sorted(self.cuts)):
            pieces = self.draft(head)
            kind = self.cuts.get(head)
            if pieces:
                speech = self.authors_own(head)
                yield Draft(
                    head if speech is None else speech,
                    pieces,
                    kind in (Kind.RELATIVE, Kind.APPOSITION, Kind.PARTICIPLE) or bool(self.subject_of(head)),
                )

    def draft(self, head: int) -> list[Piece]:
        """Return the pieces of the statement around a head, by the kind of its cut; none if it lacks a subject."""
        kind = self.cuts.get(head)
        speech = self.authors_own(head)
        if speech is not None:
            return [word for word in self.own(speech) if word not in self.introducing_words(speech)]
        words: list[Piece] = list(self.own(head))
        if kind == Kind.CONJUNCT and not self.subjects(head):
            return self.conjunct(head)
        if kind == Kind.SHARED:
            return self.shared_speech(head)
        if kind == Kind.RELATIVE:
            return self.relative(head)
        if kind == Kind.APPOSITION:
            subject = self.antecedent(head)
            return [*subject, self.copula(subject, head), *self.trim(self.own(head))] if subject else []
        if kind == Kind.PARTICIPLE:
            return self.participle(head)
        if kind == Kind.CLAUSE:
            return self.without_marks(head)
        if kind == Kind.CONJUNCT and self.tree.types[self.tree.heads[head]] == "ccomp":
            return [word for word in words if word not in self.introducing_words(head)]
        return words

    def without_marks(self, head: int) -> list[Piece]:
        """Return a clause without the words that join it to another: *although*, *so that*, *even though*."""
        marks = [mark for mark in self.tree.with_type(head, {"mark"}) if mark < head and self.tree.name(mark) != "to"]
        adverbs = self.tree.with_type(head, {"advmod"})
        marks += [adverb for adverb in adverbs if self.words[adverb].form.lower() == "so"]
        marks += [adverb for adverb in adverbs if self.tree.name(adverb) == "even" and adverb + 1 in marks]
        so = [mark + 1 for mark in marks if self.tree.name(mark) == "so"]
        marks += [word for word in self.tree.below(head) if word in so and self.words[word].form.lower() == "that"]
        dropped = {word for mark in marks for word in self.tree.below(mark)}
        return [word for word in self.own(head) if word not in dropped]

    def conjunct(self, head: int) -> list[Piece]:
        governor = self.tree.heads[head]
        subject = self.subject_of(governor)
        shared = self.shared_auxiliaries(head) if not self.is_tensed(head) else []
        joints = [joint for joint in self.tree.with_type(head, {"cc"}) if joint < head]
        rest = self.trim([word for word in self.own(head) if word not in joints])
        return [
            *subject,
            *self.comma_after(subject),
            *(auxiliary for auxiliary in shared if auxiliary not in subject),
            *rest,
        ]

    def comma_after(self, subject: Sequence[int]) -> list[Piece]:
        """Return the second comma of a subject such as *the driver, Ann Bell, stopped*."""
        commas = any(self.words[word].form == "," for word in subject)
        named = any(self.tree.types[word] == "appos" for word in subject)
        after = subject[-1] + 1 if subject else self.last
        return [","] if commas and named and after < self.last and self.words[after].form == "," else []

    def shared_speech(self, head: int) -> list[Piece]:
        """Return a second thing that a speaker says, with the words that name the speaker."""
        first = self.tree.heads[head]
        governor = self.tree.heads[first]
        speech, above = set(self.own(first)), self.draft(self.up(governor)[-1])
        at = next((place for place, piece in enumerate(above) if piece in speech), 0)
        before, after = (
            [piece for piece in side if self.is_kept(piece, governor) and piece not in speech]
            for side in (above[:at], above[at:])
        )
        joints = [joint for joint in self.tree.with_type(head, {"cc"}) if joint < head]
        words = [word for word in self.own(head) if word not in joints]
        rest = [*self.trim(words)] if self.subjects(head) else self.conjunct(head)
        marks = self.tree.with_type(first, {"mark"}) if not self.tree.with_type(head, {"mark"}) else []
        return [*before, *(marks if before else []), *rest, *([","] if after and not before else []), *after]

    def is_kept(self, piece: Piece, governor: int) -> bool:
        """Return whether a piece of the words that name the speaker is more than punctuation around the speech."""
        return isinstance(piece, str) or self.words[piece].upos != "PUNCT" or self.first < piece < governor

    def relative(self, head: int) -> list[Piece]:
        """Return a relative clause as a sentence, with its noun in the place of the pronoun."""
        pronoun, noun = self.pronoun(head), self.modified_noun(head)
        phrase = self.antecedent(head)
        joints = self.tree.with_type(head, {"cc"}) if self.tree.types[head] == "conj" else []
        words = self.trim([word for word in self.own(head) if word not in joints])
        if pronoun is None or not phrase:
            return []
        form = self.words[pronoun]
        if form.xpos == "WRB":
            case = sorted(word for mark in self.tree.with_type(noun, {"case"}) for word in self.tree.below(mark))
            still = case and self.tree.name(case[0]) in _AT_REST
            place: list[Piece] = [*case, *phrase] if still else ["in", *phrase]
            return [*place, *(word for word in words if word != pronoun)]
        if form.xpos == "WP$":
            plural = self.words[phrase[-1]].xpos == "NNS" and self.words[phrase[-1]].form.endswith("s")
            written: list[Piece] = [*phrase, "'" if plural else "'s"]
        else:
            written = [*phrase]
        if self.top(pronoun, head) == pronoun and self.tree.types[pronoun] == "obj":
            rest = [word for word in words if word != pronoun]
            after = [word for word in rest if word > head and self.tree.types[word] != "compound"]
            return [*(word for word in rest if word not in after), *written, *after]
        at = words.index(pronoun)
        return [*words[:at], *written, *words[at + 1 :]]

    def participle(self, head: int) -> list[Piece]:
        """Return a participle as a sentence: with the subject that it lacks, and a copula or a tense."""
        governor = self.tree.heads[head]
        subject = self.antecedent(head) if self.tree.types[head] == "acl" else self.subject_of(governor)
        if not subject:
            return []
        words = self.trim(self.own(head))
        before = [word for word in words if word < head]
        after = [word for word in words if word > head]
        if self.words[head].xpos in ("VBN", "VBD"):
            return [*subject, self.copula(subject, head), *before, head, *after]
        lemma = self.tree.name(head)
        verb = self.governing_verb(head) if self.tree.types[head] == "acl" else governor
        verb = self.root if verb is None else verb
        finite = past(lemma) if self.is_past(verb) else present(lemma, self.is_plural(subject))
        return [*subject, *before, finite, *after]

    def copula(self, subject: Sequence[int], head: int) -> str:
        """Return *is*, *was*, *are* or *were*, by the tense of the clause around.

        A name's apposition is in the present, because it still holds.
        """
        verb = self.tree.heads[head]
        while self.tree.heads[verb] != ROOT and not self.is_tensed(verb):
            verb = self.tree.heads[verb]
        lasting = self.cuts.get(head) == Kind.APPOSITION and self.words[self.tree.heads[head]].upos == "PROPN"
        before = (self.is_past(verb) and not lasting) or self.cuts.get(head) == Kind.PARTICIPLE
        plural = self.is_plural(subject)
        return ("were" if plural else "was") if before else ("are" if plural else "is")
