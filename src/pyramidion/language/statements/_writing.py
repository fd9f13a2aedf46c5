"""Statements written out: pronouns replaced, spaces, capital, full stop; and what a reader would miss."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pyramidion.language.parse.analysis import ROOT, Analysis
from pyramidion.language.parse.coreference import Piece, Substitution, is_possessive, resolved
from pyramidion.language.parse.deptree import DependencyTree
from pyramidion.language.statements._lacking import lacking
from pyramidion.language.statements._splitting import Draft
from pyramidion.language.text.word_lists import words
from pyramidion.model import Span

_SUBJECTS = {"nsubj", "csubj", "expl"}
_CONTENT = {"NOUN", "PROPN", "NUM", "VERB", "ADJ"}
_TENSED = {"VBD", "VBZ", "VBP", "MD"}
_CONNECTIVES, _DROPPED_INSIDE = words("connectives"), words("connectives inside")
_PHRASES = {tuple(phrase.split("_")) for phrase in words("connective phrases")}
_LONGEST = max(map(len, _PHRASES))
_LIGHT = {"be", "have", "do", "get", "make", "take", "go", "come", "one", "thing", "way"}
_OPEN_HEADS = {"another", "other", "others", "both", "former", "latter", "such", "each", "neither", "same", "this"}
_NOUN_AGAIN = {"one", "ones", "that", "those", "another"}
_NOW = {"year", "month", "week", "morning", "summer", "winter", "spring", "autumn", "century"}
_COMPARED = {"next", "following", "previous", "same", "opposite", "latter", "former", "other", "second", "third"}
_ORDINALS = {"first", "second", "third", "fourth", "last", "next", "other"}
_TO_BE = {"am", "are", "be", "been", "being", "is", "was", "were"}
_DEGREES = {"so", "too", "even", "rather", "still", "yet"}
_DASHES = {",", ";", ":", "-", "--", "\u2013", "\u2014", "(", ")", "...", "\u2026", "[", "]"}
_QUOTES = {'"', "\u201c", "\u201d", "``", "''", "'", "\u2018", "\u2019"}
_ENDS = {".", "!", "?", ";"}


@dataclass(frozen=True, slots=True)
class Statement:
    """One fact of a text: a sentence, the words that it comes from, and the number of their sentence."""

    text: str
    spans: tuple[Span, ...]
    sentence: int = 0
    open: str = ""
    """The reason why it cannot be understood by itself; empty if it can."""
    readings: tuple[str, ...] = ()
    """The statement with the next likely phrases for a pronoun, and as it stands in the text."""

    @property
    def self_contained(self) -> bool:
        """True if it can be read without its text."""
        return not self.open


class Writer:
    """Writes drafts out: pronouns replaced, spaces, capital, full stop."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis, self.words = analysis, analysis.words
        self.tree = DependencyTree(analysis.words)
        self.stands_for = resolved(analysis)

    def write(self, draft: Draft, sentence: int, last: int) -> Statement | None:
        """Write a draft as a statement, with the first reason why it cannot stand alone; None if it has no word."""
        pieces = self.with_second_comma(self.upright(self.tidy(draft.pieces), draft.head), draft.head)
        if not pieces:
            return None
        content = [piece for piece in draft.pieces if isinstance(piece, int) and self.words[piece].upos in _CONTENT]
        sources = sorted({draft.head, *content, *(piece for piece in pieces if isinstance(piece, int))})
        if not any(any(char.isalnum() for char in self.words[word].form) for word in sources):
            return None
        why = self.why_open(pieces, draft.has_subject) or self.lacking(pieces, draft.head)
        full, left_open = self.replace_pronouns(pieces)
        end = self.words[last - 1].form if pieces[-1] == last - 1 else "."
        text = self.finish(full, end)
        asks = "it is a question" if text.endswith("?") else ""
        why = why or left_open or asks or self.part_of(pieces, draft.head)
        readings = dict.fromkeys(self.finish(reading, end) for reading in self.other_readings(pieces))
        return Statement(
            text, self.spans(sources), sentence, why, tuple(reading for reading in readings if reading != text)
        )

    def finish(self, pieces: Sequence[Piece], end: str) -> str:
        """Return the pieces as a sentence, with a capital and a full stop, or the text's own final mark."""
        text = self.join(pieces).rstrip(" .;,:")
        # A comma inside the closing quotation mark led on to words that were cut off.
        if text.endswith((",'", ',"', ",\u2019", ",\u201d")):
            text = text[:-2] + text[-1]
        text = text if text.endswith(("?", "!")) else text + (end if end in ("?", "!") else ".")
        return text[0].upper() + text[1:]

    def spans(self, words: Sequence[int]) -> tuple[Span, ...]:
        starts = [place for place, word in enumerate(words) if not place or words[place - 1] != word - 1]
        ends = [*starts[1:], len(words)]
        return tuple(
            self.analysis.span(words[start], words[end - 1] + 1) for start, end in zip(starts, ends, strict=True)
        )

    def tidy(self, draft: Sequence[Piece]) -> list[Piece]:
        """Drop connectives and marks at the beginning, commas at cuts, and quotation marks that are alone."""
        pieces = self.without_connectives(draft)
        while pieces and self.hangs(pieces[0], first=True):
            del pieces[0]
        while pieces and self.hangs(pieces[-1], first=False):
            del pieces[-1]
        dropped = {piece for piece in draft if isinstance(piece, int) and piece not in pieces}
        tidy: list[Piece] = []
        for place, piece in enumerate(pieces):
            before = pieces[place - 1] if place else None
            after = pieces[place + 1] if place + 1 < len(pieces) else None
            if isinstance(piece, int) and self.words[piece].form in _DASHES and self.words[piece].xpos != "HYPH":
                apart = not self.is_next(before, piece, dropped) or not (
                    after is None or self.is_next(piece, after, dropped)
                )
                again = bool(tidy) and self.is_comma(tidy[-1]) and self.is_comma(piece)
                if again or (apart and not self.closes_introduction(pieces[:place])):
                    continue
            tidy.append(piece)
        # Only now, since what was dropped may have left a comma alone.
        tidy = self.without_lone_comma(tidy)
        # An odd number: one mark has lost its partner with what was cut off.
        quotes = [piece for piece in tidy if isinstance(piece, int) and self.words[piece].form in _QUOTES
                  and self.words[piece].xpos != "POS"]  # fmt: skip
        return [piece for piece in tidy if piece not in quotes] if len(quotes) % 2 else tidy

    def without_lone_comma(self, pieces: list[Piece]) -> list[Piece]:
        """Return the pieces without the only comma, where it parts the subject from its verb."""
        commas = [at for at, piece in enumerate(pieces) if self.is_comma(piece)]
        if len(commas) != 1 or commas[0] + 1 >= len(pieces):
            return pieces
        after = pieces[commas[0] + 1]
        if not isinstance(after, int):
            return pieces
        verb = self.tree.heads[after] if self.tree.types[after] in ("aux", "cop") else after
        subjects = self.tree.with_type(verb, _SUBJECTS) if verb != ROOT else []
        parted = bool(subjects) and all(isinstance(subject, int) and subject < after for subject in subjects)
        return pieces[: commas[0]] + pieces[commas[0] + 1 :] if parted and subjects[-1] in pieces else pieces

    def with_second_comma(self, pieces: list[Piece], head: int) -> list[Piece]:
        """Restore the comma that closes an aside in the subject, lost with a clause cut off behind it."""
        subjects = [subject for subject in self.tree.with_type(head, {"nsubj"}) if subject in pieces and subject < head]
        if not subjects or self.tree.with_type(subjects[0], {"conj"}):
            return pieces
        phrase = [
            at for at, piece in enumerate(pieces) if isinstance(piece, int) and piece in self.tree.below(subjects[0])
        ]
        end = phrase[-1] + 1
        commas = [at for at in phrase if at > pieces.index(subjects[0]) and self.is_comma(pieces[at])]
        closed = end == len(pieces) or self.is_comma(pieces[end]) or pieces[end] == self.after(pieces[end - 1])
        aside = len(commas) % 2 and commas[-1] < end - 1 and not closed and end - phrase[0] == len(phrase)
        return [*pieces[:end], ",", *pieces[end:]] if aside else pieces

    def after(self, piece: Piece) -> Piece:
        """Return the word that follows in the text."""
        return piece + 1 if isinstance(piece, int) else piece

    def is_comma(self, piece: Piece) -> bool:
        return piece == "," or (isinstance(piece, int) and self.words[piece].form == ",")

    def closes_introduction(self, before: Sequence[Piece]) -> bool:
        """Return whether the pieces before a comma have no subject yet, so that the comma ends an introduction."""
        return bool(before) and not any(
            isinstance(piece, int) and self.tree.types[piece] in ("nsubj", "expl", "csubj") for piece in before
        )

    def hangs(self, piece: Piece, first: bool) -> bool:
        if isinstance(piece, str):
            return False
        word = self.words[piece]
        if word.form in _DASHES or word.form in _ENDS - {"?", "!"} or (first and word.xpos == "LS"):
            return True  # LS: *2.* and *b)* before an item of a list
        if not first:
            return word.upos == "CCONJ" or (word.upos == "SCONJ" and self.tree.types[piece] == "mark")
        connects = word.form.lower() in _CONNECTIVES and self.tree.types[piece] in ("cc", "advmod", "mark")
        return connects and not self.carries(piece) and not self.says_how_much(piece)

    def is_connective(self, piece: Piece) -> bool:
        """Return whether a word only joins sentences: *also*, *then*; not *too late*, *since then*."""
        if not isinstance(piece, int) or self.tree.types[piece] != "advmod" or self.carries(piece):
            return False
        form, head = self.words[piece].form.lower(), self.tree.heads[piece]
        if form not in _DROPPED_INSIDE or self.says_how_much(piece):
            return False
        if form == "too" and self.words[piece - 1].form == ",":
            return True
        if form == "even":
            following = self.words[piece + 1] if piece + 1 < len(self.words) else None
            return following is not None and following.upos != "SCONJ" and following.form.lower() not in ("if", "when")
        return (
            form not in ("then", "too", "though") or self.words[head].upos in ("VERB", "AUX") or self.is_predicate(head)
        )

    def is_predicate(self, word: int) -> bool:
        return self.tree.heads[word] == ROOT or bool(self.tree.with_type(word, {"cop", *_SUBJECTS}))

    def carries(self, word: int) -> bool:
        """Return whether anything but punctuation depends on a word."""
        return any(self.tree.types[child] != "punct" for child in self.tree.dependents[word])

    def says_how_much(self, word: int) -> bool:
        """Return whether a word measures the adjective, adverb or number after it: *so much*, *even more*."""
        head = self.tree.heads[word]
        measured = self.words[head].xpos in ("JJR", "RBR", "JJ", "RB", "CD")
        return head == word + 1 and measured and self.words[word].form.lower() in _DEGREES

    def upright(self, pieces: list[Piece], head: int) -> list[Piece]:
        """Return the pieces with the subject before the verb: *A study came in May*, of *Then came a study in May*."""
        subjects = [subject for subject in self.tree.with_type(head, {"nsubj"}) if subject in pieces]
        if pieces[:1] != [head] or len(subjects) != 1 or self.words[head].xpos not in _TENSED:
            return pieces
        below = set(self.tree.below(subjects[0]))
        phrase = [piece for piece in pieces if piece in below]
        aside = phrase != pieces[1 : len(phrase) + 1] or self.is_comma(phrase[-1])
        return pieces if aside else [*phrase, head, *pieces[len(phrase) + 1 :]]

    def without_connectives(self, draft: Sequence[Piece]) -> list[Piece]:
        """Return the pieces without *also*, *for example*, *in turn* and the like and the two commas around them."""
        pieces, place = list(draft), 0
        while place < len(pieces):
            length = next((n for n in range(_LONGEST, 1, -1) if self.is_phrase(pieces, place, n)), 0)
            length = length or int(self.is_connective(pieces[place]))
            around = pieces[max(place - 1, 0) : place] + pieces[place + length : place + length + 1]
            if length and len(around) == 2 and all(map(self.is_comma, around)):
                place, length = place - 1, length + 2
            del pieces[place : place + length]
            place += not length
        return pieces

    def is_next(self, before: Piece | None, piece: Piece, dropped: set[int]) -> bool:
        """Return whether only dropped connectives stood between two pieces."""
        if not isinstance(before, int) or not isinstance(piece, int):
            return False
        return before < piece and all(word in dropped for word in range(before + 1, piece))

    def is_phrase(self, pieces: Sequence[Piece], place: int, length: int) -> bool:
        """Return whether so many pieces are a phrase that joins sentences, on which nothing else depends."""
        words = [piece for piece in pieces[place : place + length] if isinstance(piece, int)]
        if tuple(self.words[word].form.lower() for word in words) not in _PHRASES or words[-1] - words[0] != length - 1:
            return False
        around = [beside for beside in (words[0] - 1, words[-1] + 1) if 0 <= beside < len(self.words)]
        apart = place == 0 or any(self.words[beside].form in _DASHES | _ENDS for beside in around)
        tops = [word for word in words if self.tree.heads[word] not in words]
        children = [
            c for word in words for c in self.tree.dependents[word] if c not in words and self.tree.types[c] != "punct"
        ]
        return apart and len(tops) == 1 and tops[0] != ROOT and self.tree.heads[tops[0]] != ROOT and not children

    # pronouns

    def other_readings(self, pieces: Sequence[Piece]) -> Iterator[list[Piece]]:
        """Yield the pieces with the alternatives for the first doubtful pronoun, then as they are in the text."""
        doubtful = [piece for piece in pieces if isinstance(piece, int) and self.substitution(piece).alternatives]
        for reading in self.substitution(doubtful[0]).alternatives if doubtful else ():
            yield self.replace_pronouns(pieces, {doubtful[0]: Substitution(reading)})[0]
        yield list(pieces)

    def substitution(self, word: int) -> Substitution:
        """Return what is known of a word; nothing if it stands for itself."""
        return self.stands_for.get(word, Substitution(()))

    def replace_pronouns(
        self, pieces: Sequence[Piece], readings: Mapping[int, Substitution] | None = None
    ) -> tuple[list[Piece], str]:
        """Return the pieces with pronouns and short names written out, and the first that nobody can look up."""
        stands_for = {**self.stands_for, **(readings or {})}
        inside = {piece for piece in pieces if isinstance(piece, int)}
        written_out: set[tuple[str, ...]] = set()
        full: list[Piece] = []
        left_open = ""
        for piece in pieces:
            if not isinstance(piece, int) or piece not in stands_for:
                full.append(piece)
                continue
            instead = stands_for[piece].words
            if instead is None:
                if not self.is_bound(piece, inside):
                    left_open = left_open or f"nobody can tell what {self.words[piece].form!r} is"
                full.append(piece)
            elif not instead:
                if self.keeps(piece, inside):
                    full.append(piece)
            elif self.is_said_before(instead, piece, inside) or self.forms(instead) in written_out:
                full.append(piece)
            else:
                written_out.add(self.forms(instead))
                left_open = left_open or self.open_inside(instead, piece)
                if not stands_for[piece].sure:
                    left_open = left_open or f"it is not certain what {self.words[piece].form!r} is"
                full += self.instead_of(piece, instead)
        return full, left_open

    def open_inside(self, instead: Sequence[Piece], piece: int) -> str:
        """Return why what is written for a word is itself unclear: *the author of this text*, *its effect*."""
        words = [part for part in instead if isinstance(part, int) and part != piece]
        unknown = [word for word in words if word in self.stands_for and self.stands_for[word].words is None]
        pointing = next(filter(None, (self.points_out(word, set(words)) for word in words)), "")
        return f"nobody can tell what {self.words[unknown[0]].form!r} is" if unknown else pointing

    def forms(self, pieces: Sequence[Piece]) -> tuple[str, ...]:
        """Return the forms of pieces, the same whether they are words of the text or written out."""
        return tuple(piece if isinstance(piece, str) else self.words[piece].form for piece in pieces)

    def written_out(self, word: int) -> tuple[Piece, ...]:
        """Return what is written for a word; empty if the word stays."""
        return self.substitution(word).words or ()

    def keeps(self, piece: int, inside: set[int]) -> bool:
        """Return whether an article or a further part of a name stays, because its noun is not replaced."""
        head = self.tree.heads[piece]
        instead = self.written_out(head)
        return bool(instead) and self.is_said_before(instead, head, inside)

    def is_said_before(self, instead: tuple[Piece, ...], piece: int, inside: set[int]) -> bool:
        places = [part for part in instead if isinstance(part, int)]
        if self.words[piece].form.lower() in _NOUN_AGAIN:
            return False
        if places:
            return all(place in inside and place < piece for place in places) or piece in places
        forms = {self.words[word].form for word in inside if word < piece}
        return all(form in forms for form in instead)

    def is_bound(self, pronoun: int, inside: set[int]) -> bool:
        """Return whether a pronoun can mean somebody in the statement: *Nobody lost his job*."""
        among = self.stands_for[pronoun].among
        if among and all(word in inside for word in among):
            return True
        form = self.words[pronoun].form.lower()
        possessive = self.words[pronoun].relation == "nmod:poss" or form.endswith(("self", "selves"))
        before = [
            word
            for word in inside
            if word < pronoun and self.words[word].upos in ("NOUN", "PROPN", "PRON") and word not in self.stands_for
        ]
        people = any(self.words[word].upos in ("PRON", "PROPN") for word in before)
        several = people or any(self.is_plural(word) or self.tree.with_type(word, {"conj"}) for word in before)
        fits = people if form in ("his", "her") else several or form != "their"
        return possessive and bool(before) and fits

    def instead_of(self, piece: int, instead: tuple[Piece, ...]) -> list[Piece]:
        """Return what is written for a pronoun, with the possessive's ending and with inner pronouns written out."""
        written: list[Piece] = []
        for substitute in instead:
            deeper = self.written_out(substitute) if isinstance(substitute, int) and substitute != piece else ()
            inner = all(isinstance(part, str) or part not in self.stands_for for part in deeper)
            if deeper and inner and isinstance(substitute, int):
                written += [*deeper, *(["'s"] if is_possessive(self.tree, substitute) else [])]
            else:
                written.append(substitute)
        if self.is_part_of(piece) and self.is_bare(written):
            written.insert(0, "the")
        possessive = is_possessive(self.tree, piece)
        marked = any(self.words[mark].xpos == "POS" for mark in self.tree.with_type(piece, {"case"}))
        if possessive and not marked:
            written = self.short(written)
            last = written[-1]
            form = self.words[last].form if isinstance(last, int) else last
            several = self.is_plural(last) or self.words[piece].form.lower() == "their"
            written.append("'" if form.endswith("s") and several else "'s")
        return written

    def is_part_of(self, pronoun: int) -> bool:
        """Return whether a pronoun stands behind *of* and a number or quantity: *many of them*, *one of them*."""
        whole = self.tree.marker(pronoun, {"case"}) == "of" and self.tree.types[pronoun] == "nmod"
        return whole and self.words[self.tree.heads[pronoun]].upos in ("ADJ", "NUM", "DET", "PRON")

    def is_bare(self, phrase: Sequence[Piece]) -> bool:
        """Return whether a phrase has no article, owner or name."""
        words = [self.words[part] for part in phrase if isinstance(part, int)]
        return len(words) == len(phrase) and not any(word.upos in ("DET", "PRON", "PROPN") for word in words)

    def short(self, phrase: list[Piece]) -> list[Piece]:
        """Shorten a phrase to its head noun: *the author* of *the author of a column*; names stay.

        An *'s* at the end of the whole phrase would go with the column.
        """
        inside = {piece for piece in phrase if isinstance(piece, int)}
        heads = [word for word in inside if self.tree.heads[word] not in inside and self.words[word].upos == "NOUN"]
        if len(heads) != 1 or self.tree.with_type(heads[0], {"conj"}):
            return phrase
        after = phrase[phrase.index(heads[0]) + 1 :]
        named = [piece for piece in after if isinstance(piece, int) and self.words[piece].upos == "PROPN"]
        return phrase if len(named) >= len(after) - 1 else phrase[: phrase.index(heads[0]) + 1]

    def is_plural(self, piece: Piece) -> bool:
        return isinstance(piece, int) and self.words[piece].xpos in ("NNS", "NNPS")

    # whether it can be read

    def why_open(self, pieces: Sequence[Piece], has_subject: bool) -> str:
        """Return why a statement cannot be understood by itself; empty if it can."""
        inside = [piece for piece in pieces if isinstance(piece, int)]
        added = any(isinstance(piece, str) and piece not in ("'s", "'", "in", ",") for piece in pieces)
        tensed = any(self.words[word].xpos in _TENSED for word in inside) or added
        heads = [word for word in inside if self.tree.heads[word] not in inside or self.tree.heads[word] == ROOT]
        imperative = any(self.is_imperative(word) for word in heads)
        if not tensed and not imperative:
            return "it has no finite verb"
        if not imperative and not has_subject:
            return "it has no subject"
        content = sum(
            self.words[word].upos in {*_CONTENT, "ADV"} and self.tree.name(word) not in _LIGHT for word in inside
        )
        if content < 2 and not any(self.written_out(word) for word in inside):
            return "it says too little"
        return self.pointing(inside)

    def lacking(self, pieces: Sequence[Piece], head: int) -> str:
        """Return what the words of a statement leave to the text around it; empty if nothing."""
        inside = [piece for piece in pieces if isinstance(piece, int)]
        return lacking(self.tree, head, inside, {word for word in inside if self.written_out(word)})

    def part_of(self, pieces: Sequence[Piece], head: int) -> str:
        """Return why it is no sentence: a clause that begins with its own *that*, *which* or *when*."""
        first = pieces[0]
        after = pieces[1] if len(pieces) > 1 else None
        if isinstance(after, int) and self.words[after].xpos == "WDT" and self.tree.types[after] in ("obl", "nmod"):
            return f"{self.words[after].form!r} begins a part of a sentence"
        if not isinstance(first, int) or self.tree.heads[first] != head:
            return ""
        word, kind = self.words[first], self.tree.types[first]
        relative = word.form.lower() in ("which", "who", "whom", "whose", "whereupon") or word.xpos == "WRB"
        marked = kind == "mark" and word.form.lower() != "to"
        return f"{word.form!r} begins a part of a sentence" if relative or marked else ""

    def is_imperative(self, word: int) -> bool:
        """Return whether a predicate is in the base form, with no subject, ``to``, or auxiliary but *do*."""
        verbs = [word, *self.tree.with_type(word, {"cop"})]
        blockers = [
            child for child in self.tree.with_type(word, {*_SUBJECTS, "aux", "mark"}) if self.tree.name(child) != "do"
        ]
        return any(self.words[verb].xpos == "VB" for verb in verbs) and not blockers

    def pointing(self, inside: Sequence[int]) -> str:
        """Return the phrase that points at something outside the statement, if there is one."""
        goes_on = inside and self.words[inside[0]].form.lower() in ("nor", "so", "neither", "otherwise")
        if goes_on and not self.says_how_much(inside[0]):
            return f"{self.words[inside[0]].form!r} goes on from something said before"
        if len(inside) > 1 and self.words[inside[0]].xpos == "RBR" and self.is_comma(inside[1]):
            return f"{self.words[inside[0]].form!r} points at something said before"
        return next(filter(None, (self.points_out(word, set(inside)) for word in inside)), "")

    def points_out(self, place: int, inside: set[int]) -> str:
        """Return why a word needs what was said before; empty if it does not."""
        word, kind = self.words[place], self.tree.types[place]
        form, noun = word.form.lower(), self.tree.heads[place]
        described = {*self.tree.with_type(place, {"nmod", "acl"} if form == "others" else {"nmod", "det", "acl"})}
        following = self.words[place + 1].form.lower() if place + 1 < len(self.words) else ""
        if (form, following) == ("each", "other"):
            return ""
        if word.upos in ("ADJ", "NUM") and self.tree.name(place) in _ORDINALS and kind in ("nsubj", "obj", "nmod"):
            return f"nobody can tell what 'the {form}' is"
        if form in _OPEN_HEADS and kind in ("nsubj", "obj", "obl") and not described and place not in self.stands_for:
            return f"nobody can tell what {word.form!r} is"
        if form in ("ones", "those") and place not in self.stands_for and kind != "det" and not described:
            return f"nobody can tell what {word.form!r} are"
        if form in ("there", "here", "then") and self.tree.with_type(place, {"case"}):
            return f"nobody can tell when or where {word.form!r} is"
        if form in ("there", "here") and kind == "advmod":
            return f"nobody can tell where {word.form!r} is"
        if form in ("otherwise", "likewise", "vice") and kind == "advmod":
            return f"{word.form!r} points at something said before"
        if (
            (kind == "det" or (form == "such" and kind == "amod" and following != "as"))
            and form in ("this", "these", "those", "such", "that")
            and noun in inside
        ):
            lasting = form == "this" and self.tree.name(noun) in _NOW
            named = any(earlier < place and self.tree.name(earlier) == self.tree.name(noun) for earlier in inside)
            return (
                ""
                if lasting or named or (form == "that" and not self.is_pointer(place, noun))
                else f"{word.form!r} points at something said before"
            )
        if kind == "amod" and form in _COMPARED and self.is_definite(noun):
            return f"'the {form}' points at something said before"
        leads = noun == ROOT or noun not in inside
        if (
            (word.upos == "AUX" or (word.upos == "VERB" and self.tree.name(place) == "do"))
            and form not in _TO_BE
            and leads
            and kind != "aux"
            and not self.tree.is_marked_passive(place)
            and not self.tree.with_type(place, {"obj", "ccomp", "xcomp"})
        ):
            return f"nobody can tell what {word.form!r} stands for"
        answers = form in ("yes", "no") and kind in ("obj", "ccomp", "discourse", "xcomp", "root")
        return f"nobody can tell what {word.form!r} answers" if answers else ""

    def is_pointer(self, determiner: int, noun: int) -> bool:
        """Return whether *that* points at its noun: *that spot*, *that very spot*; not a *that* far before it."""
        between = range(determiner + 1, noun)
        return not between or (
            self.words[determiner].xpos == "DT" and all(self.tree.heads[word] == noun for word in between)
        )

    def is_definite(self, noun: int) -> bool:
        return noun != ROOT and any(
            self.words[child].form.lower() == "the" for child in self.tree.with_type(noun, {"det"})
        )

    # spelling

    def join(self, pieces: Sequence[Piece]) -> str:
        """Return the pieces as one would write them."""
        text = ""
        before: Piece | None = None
        for piece in pieces:
            form = self.form(piece, first=not text)
            if isinstance(piece, int) and isinstance(before, int) and before == piece - 1:
                gap = " " if self.words[before].end < self.words[piece].start else ""
            else:
                leans = form in ("'s", "'", ",", ".", ";", ":", "?", "!", ")", "n't", "n\u2019t") or (
                    isinstance(piece, int) and self.words[piece].xpos == "POS"
                )
                gap = "" if leans or text.endswith(("(", "-")) else " "
            text += (gap if text else "") + form
            before = piece
        return " ".join(text.split())

    def form(self, piece: Piece, first: bool) -> str:
        """Return a word's form; in lower case where it began its sentence and does not begin this one."""
        if isinstance(piece, str):
            return piece
        word = self.words[piece]
        starts = (
            piece == 0
            or self.words[piece - 1].form in {*_ENDS, ":"}
            or any(piece == start for start, _ in self.analysis.sentences)
        )
        named = word.upos == "PROPN" or any(
            self.words[child].upos == "PROPN" for child in self.tree.with_type(piece, {"flat"})
        )
        if first or not starts or named or word.form == "I" or not word.form[1:].islower():
            lower = starts and not first and word.form == "A"
            return "a" if lower else word.form
        return word.form[0].lower() + word.form[1:]
