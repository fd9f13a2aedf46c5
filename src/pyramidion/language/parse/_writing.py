"""Statements written out: pronouns replaced, spaces, capital, full stop; and what a reader would miss."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyramidion.language.parse._splitting import Draft
from pyramidion.language.parse.analysis import ROOT, Analysis
from pyramidion.language.parse.coreference import Instead, Piece, resolved
from pyramidion.language.parse.deptree import DependencyTree
from pyramidion.language.text.word_lists import words
from pyramidion.model import Span

_SUBJECTS = {"nsubj", "csubj", "expl"}
_CONTENT = {"NOUN", "PROPN", "NUM", "VERB", "ADJ"}
_TENSED = {"VBD", "VBZ", "VBP", "MD"}
_CONNECTIVES, _DROPPED_INSIDE = words("connectives"), words("connectives inside")
_LIGHT = {"be", "have", "do", "get", "make", "take", "go", "come", "one", "thing", "way"}
_OPEN_HEADS = {"another", "other", "others", "both", "former", "latter", "such", "each", "neither", "same", "this"}
_NOUN_AGAIN = {"one", "ones", "that", "those", "another"}
_NOW = {"year", "month", "week", "morning", "summer", "winter", "spring", "autumn", "century"}
_COMPARED = {"next", "following", "previous", "same", "opposite", "latter", "former", "other", "second", "third"}
_ORDINALS = {"first", "second", "third", "fourth", "last", "next", "other"}
_DASHES = {",", ";", ":", "-", "--", "\u2013", "\u2014", "(", ")", "...", "\u2026", "[", "]"}
_QUOTES = {'"', "\u201c", "\u201d", "``", "''", "'", "\u2018", "\u2019"}
_ENDS = {".", "!", "?", ";"}


@dataclass(frozen=True, slots=True)
class Statement:
    """What a text says in one respect: a sentence, the words that it comes from, and the number of their sentence."""

    text: str
    spans: tuple[Span, ...]
    sentence: int = 0
    open: str = ""
    """The reason why it cannot be understood by itself; empty if it can."""

    @property
    def self_contained(self) -> bool:
        """Whether it can be read without its text."""
        return not self.open


class Writer:
    """Writes drafts out: pronouns replaced, spaces, capital, full stop."""

    def __init__(self, analysis: Analysis) -> None:
        self.analysis, self.words = analysis, analysis.words
        self.tree = DependencyTree(analysis.words)
        self.stands_for = resolved(analysis)

    def written(self, draft: Draft, sentence: int, last: int) -> Statement | None:
        pieces = self.tidied(draft.pieces)
        own = sorted({draft.head, *(piece for piece in pieces if isinstance(piece, int))})
        if not any(any(char.isalnum() for char in self.words[one].form) for one in own):
            return None
        why = self.why_open(pieces, draft.has_subject)
        full, left_open = self.replaced(pieces)
        text = self.joined(full)
        end = self.words[last - 1].form if pieces and pieces[-1] == last - 1 else "."
        text = text.rstrip(" .;,:")
        text = text if text.endswith(("?", "!")) else text + (end if end in ("?", "!") else ".")
        asks = "it is a question" if text.endswith("?") else ""
        return Statement(text[0].upper() + text[1:], self.spans(own), sentence, why or left_open or asks)

    def spans(self, words: Sequence[int]) -> tuple[Span, ...]:
        starts = [place for place, word in enumerate(words) if not place or words[place - 1] != word - 1]
        ends = [*starts[1:], len(words)]
        return tuple(
            self.analysis.span(words[start], words[end - 1] + 1) for start, end in zip(starts, ends, strict=True)
        )

    def tidied(self, draft: Sequence[Piece]) -> list[Piece]:
        """Without connectives and marks at the beginning, commas at cuts, and quotation marks that are alone."""
        pieces = list(draft)
        while pieces and self.hangs(pieces[0], first=True):
            del pieces[0]
        pieces = [piece for piece in pieces if not self.is_connective(piece)]
        while pieces and self.hangs(pieces[-1], first=False):
            del pieces[-1]
        while pieces and self.hangs(pieces[0], first=True):
            del pieces[0]
        kept: list[Piece] = []
        for place, piece in enumerate(pieces):
            before = pieces[place - 1] if place else None
            after = pieces[place + 1] if place + 1 < len(pieces) else None
            if isinstance(piece, int) and self.words[piece].form in _DASHES and self.words[piece].xpos != "HYPH":
                apart = before != piece - 1 or (after is not None and after != piece + 1)
                if apart and not self.closes_introduction(pieces[:place]):
                    continue
            kept.append(piece)
        kept = self.without_lone_comma(kept)
        quotes = [piece for piece in kept if isinstance(piece, int) and self.words[piece].form in _QUOTES
                  and self.words[piece].xpos != "POS"]  # fmt: skip
        return [piece for piece in kept if piece not in quotes] if len(quotes) % 2 else kept

    def without_lone_comma(self, pieces: list[Piece]) -> list[Piece]:
        """The pieces without the only comma, where it parts the subject from its verb."""
        commas = [at for at, one in enumerate(pieces) if isinstance(one, int) and self.words[one].form == ","]
        if len(commas) != 1 or commas[0] + 1 >= len(pieces):
            return pieces
        after = pieces[commas[0] + 1]
        if not isinstance(after, int):
            return pieces
        verb = self.tree.heads[after] if self.tree.types[after] in ("aux", "cop") else after
        subjects = self.tree.with_type(verb, _SUBJECTS) if verb != ROOT else []
        parted = bool(subjects) and all(isinstance(one, int) and one < after for one in subjects)
        return pieces[: commas[0]] + pieces[commas[0] + 1 :] if parted and subjects[-1] in pieces else pieces

    def closes_introduction(self, before: Sequence[Piece]) -> bool:
        """Whether a comma ends what stands before the subject."""
        return bool(before) and not any(
            isinstance(piece, int) and self.tree.types[piece] in ("nsubj", "expl", "csubj") for piece in before
        )

    def hangs(self, piece: Piece, first: bool) -> bool:
        if isinstance(piece, str):
            return False
        word = self.words[piece]
        if word.form in _DASHES or word.form in _ENDS - {"?", "!"}:
            return True
        if not first:
            return word.upos == "CCONJ" or (word.upos == "SCONJ" and self.tree.types[piece] == "mark")
        connects = word.form.lower() in _CONNECTIVES and self.tree.types[piece] in ("cc", "advmod", "mark")
        return connects and not self.tree.dependents[piece]

    def is_connective(self, piece: Piece) -> bool:
        return (
            isinstance(piece, int)
            and self.words[piece].form.lower() in _DROPPED_INSIDE
            and self.tree.types[piece] == "advmod"
        )

    # pronouns

    def replaced(self, pieces: Sequence[Piece]) -> tuple[list[Piece], str]:
        """The pieces with pronouns and short names written out, and the first that nobody can look up."""
        inside = {piece for piece in pieces if isinstance(piece, int)}
        said: set[tuple[Piece, ...]] = set()
        full: list[Piece] = []
        left_open = ""
        for piece in pieces:
            if not isinstance(piece, int) or piece not in self.stands_for:
                full.append(piece)
                continue
            instead = self.stands_for[piece].words
            if instead is None:
                if not self.is_bound(piece, inside):
                    left_open = left_open or f"nobody can tell what {self.words[piece].form!r} is"
                full.append(piece)
            elif not instead:
                if self.keeps(piece, inside):
                    full.append(piece)
            elif self.is_said_before(instead, piece, inside) or instead in said:
                full.append(piece)
            else:
                said.add(instead)
                full += self.instead_of(piece, instead)
        return full, left_open

    def written_out(self, word: int) -> tuple[Piece, ...]:
        """Return what is written for a word; empty if the word stays."""
        return self.stands_for.get(word, Instead(())).words or ()

    def keeps(self, piece: int, inside: set[int]) -> bool:
        """Whether an article or a further part of a name stays: where its noun is not replaced."""
        head = self.tree.heads[piece]
        instead = self.written_out(head)
        return bool(instead) and self.is_said_before(instead, head, inside)

    def is_said_before(self, instead: tuple[Piece, ...], piece: int, inside: set[int]) -> bool:
        places = [one for one in instead if isinstance(one, int)]
        if self.words[piece].form.lower() in _NOUN_AGAIN:
            return False
        if places:
            return all(one in inside and one < piece for one in places) or piece in places
        forms = {self.words[one].form for one in inside if one < piece}
        return all(one in forms for one in instead)

    def is_bound(self, pronoun: int, inside: set[int]) -> bool:
        """Whether somebody in the statement itself can be meant: *Nobody lost his job*, *those who lost their jobs*."""
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
        return possessive and bool(before) and (people or form not in ("his", "her"))

    def instead_of(self, piece: int, instead: tuple[Piece, ...]) -> list[Piece]:
        """Return what is written for a pronoun, with the possessive's ending and with inner pronouns written out."""
        written: list[Piece] = []
        for one in instead:
            deeper = self.written_out(one) if isinstance(one, int) and one != piece else ()
            inner = all(isinstance(part, str) or part not in self.stands_for for part in deeper)
            if deeper and inner and isinstance(one, int):
                written += [*deeper, *(["'s"] if self.words[one].xpos == "PRP$" else [])]
            else:
                written.append(one)
        possessive = self.words[piece].xpos == "PRP$" or self.words[piece].relation == "nmod:poss"
        marked = any(self.words[one].xpos == "POS" for one in self.tree.with_type(piece, {"case"}))
        if possessive and not marked:
            last = written[-1]
            form = self.words[last].form if isinstance(last, int) else last
            written.append("'" if form.endswith("s") and self.is_plural(last) else "'s")
        return written

    def is_plural(self, piece: Piece) -> bool:
        return isinstance(piece, int) and self.words[piece].xpos in ("NNS", "NNPS")

    # whether it can be read

    def why_open(self, pieces: Sequence[Piece], has_subject: bool) -> str:
        """Return why a statement cannot be understood by itself; empty if it can."""
        inside = [piece for piece in pieces if isinstance(piece, int)]
        added = any(isinstance(piece, str) and piece not in ("'s", "in") for piece in pieces)
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

    def is_imperative(self, word: int) -> bool:
        """Whether a predicate is in the base form, without a subject, ``to``, or an auxiliary but for *do not*."""
        verbs = [word, *self.tree.with_type(word, {"cop"})]
        others = [one for one in self.tree.with_type(word, {*_SUBJECTS, "aux", "mark"}) if self.tree.name(one) != "do"]
        return any(self.words[one].xpos == "VB" for one in verbs) and not others

    def pointing(self, inside: Sequence[int]) -> str:
        """The phrase that points at something outside the statement, if there is one."""
        if inside and self.words[inside[0]].form.lower() in ("nor", "so", "neither", "otherwise"):
            return f"{self.words[inside[0]].form!r} goes on from something said before"
        return next(filter(None, (self.points_out(one, set(inside)) for one in inside)), "")

    def points_out(self, place: int, inside: set[int]) -> str:
        """Return why a word needs what was said before; empty if it does not."""
        word, kind = self.words[place], self.tree.types[place]
        form, noun = word.form.lower(), self.tree.heads[place]
        described = {*self.tree.with_type(place, {"nmod", "det"})}
        if word.upos in ("ADJ", "NUM") and self.tree.name(place) in _ORDINALS and kind in ("nsubj", "obj"):
            return f"nobody can tell what 'the {form}' is"
        if form in _OPEN_HEADS and kind in ("nsubj", "obj", "obl") and not described and place not in self.stands_for:
            return f"nobody can tell what {word.form!r} is"
        if form in ("ones", "those") and place not in self.stands_for and kind != "det":
            return f"nobody can tell what {word.form!r} are"
        if form in ("there", "here") and kind == "advmod":
            return f"nobody can tell where {word.form!r} is"
        if form in ("otherwise", "likewise", "vice") and kind == "advmod":
            return f"{word.form!r} points at something said before"
        if kind == "det" and form in ("this", "these", "those", "such", "that") and noun in inside:
            lasting = form == "this" and self.tree.name(noun) in _NOW
            named = any(other < place and self.tree.name(other) == self.tree.name(noun) for other in inside)
            return (
                ""
                if lasting or named or (form == "that" and noun != place + 1)
                else f"{word.form!r} points at something said before"
            )
        if kind == "amod" and form in _COMPARED and self.is_definite(noun):
            return f"'the {form}' points at something said before"
        leads = noun == ROOT or noun not in inside
        if (
            self.tree.name(place) == "do"
            and leads
            and word.upos == "VERB"
            and not self.tree.with_type(place, {"obj", "ccomp"})
        ):
            return f"nobody can tell what {word.form!r} stands for"
        answers = form in ("yes", "no") and kind in ("obj", "ccomp", "discourse", "xcomp")
        return f"nobody can tell what {word.form!r} answers" if answers else ""

    def is_definite(self, noun: int) -> bool:
        return noun != ROOT and any(self.words[one].form.lower() == "the" for one in self.tree.with_type(noun, {"det"}))

    # spelling

    def joined(self, pieces: Sequence[Piece]) -> str:
        """The pieces as one would write them."""
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
        """A word; in lower case where it began its sentence and does not begin this one."""
        if isinstance(piece, str):
            return piece
        word = self.words[piece]
        starts = (
            piece == 0
            or self.words[piece - 1].form in {*_ENDS, ":"}
            or any(piece == start for start, _ in self.analysis.sentences)
        )
        if first or not starts or word.upos in ("PROPN",) or word.form == "I" or not word.form[1:].islower():
            lower = starts and not first and word.form == "A"
            return "a" if lower else word.form
        return word.form[0].lower() + word.form[1:]
