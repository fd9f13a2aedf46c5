"""Minimal sets: a statement, and sentences that say it, contradict it, or do neither in much the same words.

Each variant of a statement stands in a passage between two sentences of the same topic, which neither say nor
contradict the statement. These are the kinds of variants:

===========  ============  ============================================================================
verbatim     said          the statement itself, in dialogues as somebody's words
light        said          another order, voice or near synonym
heavy        said          other words and another structure, the same truth
split        said          over two sentences, neither of which says it all
negation     contradicted  *not*, *never*, *no*, *refused to*, the opposite verb
swapped      contradicted  its two roles, places or times exchanged
number       contradicted  another number;  *name*: another name;  *time*: another time
hedged       not said      as a possibility only
topic        not said      the same topic and many of the same words
===========  ============  ============================================================================

A kind that makes no sense for a statement is left out of its set. *Contradicted* supposes that statement and passage
speak of the same event, as a summary and its source do.

The files are plain text. A set begins with ``statement:``; its other fields are indented by two blanks, and lines
indented by four go on with a field; lines that begin with ``#`` are comments. A field ``verbatim`` that is not given is
the statement. One file holds the sets of one genre: half of them for development, half sealed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Literal

from pyramidion.base.choices import check_choices
from pyramidion.errors import FormatError, Where
from pyramidion.model import SCU, Contributor, Pyramid, Span, Summary, Topic

Half = Literal["development", "sealed"]

SAID = ("verbatim", "light", "heavy", "split")
CONTRADICTED = ("negation", "swapped", "number", "name", "time")
NOT_SAID = ("hedged", "topic")
KINDS = {
    kind: label
    for label, kinds in (("said", SAID), ("contradicted", CONTRADICTED), ("not said", NOT_SAID))
    for kind in kinds
}
"""The relation of each kind of variant to its statement."""
GENRES = ("news", "essays", "instructions", "dialogue")

_FIELDS = ("statement", "before", "after", *KINDS)
_REQUIRED = _FIELDS[:3]
_FIELD = re.compile(r"( {0,3})(\w+):(.*)")
_MORE = " " * 4


@dataclass(frozen=True, slots=True)
class MinimalSet:
    """A statement, the sentences around its variants, and the variants by kind."""

    statement: str
    before: str
    after: str
    variants: dict[str, str]
    genre: str = ""

    def passage(self, kind: str) -> str:
        """Return the variant of this kind between its neighbours."""
        return f"{self.before} {self.variants[kind]} {self.after}"


@check_choices
def load(half: Half = "development", first: int | None = None) -> tuple[MinimalSet, ...]:
    """Load one half of the sets that ship with the package, or only the first few of each genre."""
    sets: list[MinimalSet] = []
    for genre in GENRES:
        name = f"{half}-{genre}.txt"
        sets += loads((files(__package__) / name).read_text(encoding="utf-8"), genre, name)[:first]
    return tuple(sets)


def loads(text: str, genre: str = "", source: str = "") -> tuple[MinimalSet, ...]:
    """Return the sets of a file's text.

    >>> text = '''statement: The cat chased the dog.
    ...   before: It was a quiet street.
    ...   after: A neighbour looked on.
    ...   swapped: The dog
    ...     chased the cat.'''
    >>> print(loads(text)[0].passage("swapped"))
    It was a quiet street. The dog chased the cat. A neighbour looked on.
    """
    return tuple(_minimal_set(fields, line, genre, source) for line, fields in _blocks(text, source))


def _blocks(text: str, source: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the fields of each set, and the line on which it begins."""
    fields: dict[str, str] = {}
    first, last = 0, ""
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        where = Where(source, number)
        if line.startswith(_MORE):
            if not last:
                raise FormatError(
                    "This line continues a field, but there is none", where, "begin a set with 'statement:'"
                )
            fields[last] = f"{fields[last]} {line.strip()}".strip()
            continue
        field = _FIELD.match(line)
        if not field or field[2] not in _FIELDS:
            raise FormatError(
                "This line does not begin with a field", where, f"write one of {', '.join(_FIELDS)}, and a colon"
            )
        last = field[2]
        if last == "statement":
            if fields:
                yield first, fields
            fields, first = {}, number
        elif not fields:
            raise FormatError(f"{last!r} comes before any statement", where, "begin a set with 'statement:'")
        if last in fields:
            raise FormatError(f"The set has two fields {last!r}", where, "keep one")
        fields[last] = field[3].strip()
    if fields:
        yield first, fields


def _minimal_set(fields: dict[str, str], line: int, genre: str, source: str) -> MinimalSet:
    """Check the fields of a set, and make it; errors name the line on which it begins."""
    where = Where(source, line)
    for name in _REQUIRED:
        if not fields.get(name):
            raise FormatError(f"The set has no {name!r}", where, "add it")
    for name, text in fields.items():
        if not text:
            raise FormatError(f"The field {name!r} of the set is empty", where, "fill it, or leave it out")
    # a field that is not given is the statement itself
    variants = {"verbatim": fields["statement"]} | fields
    return MinimalSet(
        fields["statement"],
        fields["before"],
        fields["after"],
        {kind: variants[kind] for kind in KINDS if kind in variants},
        genre,
    )


def fingerprint(sets: Iterable[MinimalSet]) -> str:
    """Return eight digits that change with any word of the sets, for signatures."""
    words = [(item.statement, item.before, item.after, sorted(item.variants.items())) for item in sets]
    return hashlib.sha256(repr(words).encode()).hexdigest()[:8]


def as_topic(item: MinimalSet, id: str) -> Topic:
    """Return the set as a topic: the statement is its only SCU, and each passage is a peer, named by its kind."""
    reference = Summary("statement", item.statement)
    scu = SCU("1", item.statement, (Contributor(reference.id, (Span(0, len(item.statement)),)),))
    peers = tuple(Summary(kind, item.passage(kind), "peer") for kind in item.variants)
    return Topic(id, (reference,), peers, pyramid=Pyramid(id, (reference,), (scu,)))
