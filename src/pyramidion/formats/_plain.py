r"""The SCUs of DUCView's files, read by expressions where they stand as DUCView writes them.

Most of a ``.pan`` are SCUs, and a tree of them would be made only to be taken apart. Here they are taken out of the
text before it is parsed: expressions find them whole, and what they hold comes in columns, which are checked and made
values all at once. All that the expressions match is well-formed, but they match less than XML allows. Where SCUs are
written otherwise, or there is anything to repair or to say, :class:`NotPlainError` asks for the reader of trees.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice
from operator import gt, lt
from typing import NamedTuple, TypeVar

from pyramidion.base.files import squash
from pyramidion.base.limits import MOST
from pyramidion.model import SCU, Contributor, Span, in_text_order, unchecked

TAKEN_OUT = "_" * 16
"""The element that is left where SCUs stood; a plain document has none of its own."""

_CHARACTERS = r'[^"<&\x00-\x1f\ud800-\udfff\ufffe\uffff]*'
_VALUE = rf"{_CHARACTERS}(?:&(?:amp|lt|gt|quot|apos);{_CHARACTERS})*"
_COMMENT = rf'(?: comment="({_VALUE})")?'
_GAP = r"[ \t\r\n]*"
_PART = re.compile(rf'<part label="({_VALUE})" start="([0-9]{{1,9}})" end="([0-9]{{1,9}})"/>{_GAP}')
_CONTRIBUTOR = re.compile(rf'<contributor label="{_VALUE}"{_COMMENT}>')
_CONTRIBUTORS = rf'(?:<contributor label="{_VALUE}"(?: comment="{_VALUE}")?>{_GAP}\0+</contributor>{_GAP})*'
"""With a zero for each part."""
_SCUS = {
    parent: re.compile(
        rf'<{tag} uid="(0|[1-9][0-9]*)" label="({_VALUE})"{_COMMENT}>{_GAP}({_CONTRIBUTORS})</{tag}>{_GAP}'
    )
    for parent, tag in (("pyramid", "scu"), ("annotation", "peerscu"))
}
_ATTRIBUTES = re.compile(r"<!ATTLIST\s+\w+(?:\s+\w+\s+CDATA\s+#(?:REQUIRED|IMPLIED))*\s*>")
"""Declarations that give no attribute a default."""

_T = TypeVar("_T")


class NotPlainError(Exception):
    """The reader of trees has to read this document."""


class Section(NamedTuple):
    """One reference inside a pyramid's text: where its header starts, and its body."""

    id: str
    start: int
    body: int
    end: int


class Units(NamedTuple):
    """The SCUs of a pyramid or an annotation, their contributors and their parts, in columns."""

    uids: list[str]
    labels: list[str]
    comments: list[str]
    contributors: list[int]
    """How many each SCU has."""
    remarks: list[str]
    """The comments on contributors."""
    parts: list[int]
    """How many each contributor has."""
    words: list[str]
    """What the parts' labels say."""
    starts: list[int]
    ends: list[int]

    @classmethod
    def of(cls, xml: str, parent: str) -> Units:
        """Return the units of a text in which nothing stands between them and each has a uid of its own."""
        rest, words, starts, ends = _columns(_PART.split(xml), 4)
        between, uids, labels, comments, insides = _columns(_SCUS[parent].split("\0".join(rest)), 5)
        if any(between) or "\0" in xml or len(set(uids)) < len(uids):
            raise NotPlainError
        inside = "".join(insides)
        contributors = inside.split("</contributor>")[:-1]
        return cls(
            uids,
            _unescape(labels),
            _unescape([comment or "" for comment in comments]),
            [scu.count("</contributor>") for scu in insides],
            _unescape(_CONTRIBUTOR.findall(inside)) if " comment=" in inside else [""] * len(contributors),
            [contributor.count("\0") for contributor in contributors],
            _unescape(words),
            list(map(int, starts)),
            list(map(int, ends)),
        )


def _columns(pieces: list[_T], count: int) -> Iterator[list[_T]]:
    """Yield, of a text split by an expression, the pieces between its matches, then the pieces of each group."""
    return (pieces[column::count] for column in range(count))


def _unescape(values: list[str]) -> list[str]:
    if "&" in "".join(values):
        # &amp; comes last: &amp;lt; stands for the text &lt;
        for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&")):
            values = [value.replace(entity, character) for value in values]
    return values


def _group_by_size(things: Sequence[_T], sizes: Sequence[int]) -> list[tuple[_T, ...]]:
    rest = iter(things)
    return [tuple(islice(rest, size)) for size in sizes]


def take_out(text: str) -> tuple[str, dict[str, Units]]:
    """Return a document without the SCUs of its pyramid and of its annotation, and these SCUs by their parent."""
    if len(text) > MOST or TAKEN_OUT in text:
        raise NotPlainError
    rest, units, at = "", {}, 0
    for parent in _SCUS:
        start, stop = text.find("</text>", at) + len("</text>"), text.find(f"</{parent}>", at)
        if at < start < stop:
            units[parent] = Units.of(text[start:stop].strip(" \t\r\n"), parent)
            rest += f"{text[at:start]}<{TAKEN_OUT}/>"
            at = stop
    rest += text[at:]
    if rest.count("<!ATTLIST") != len(_ATTRIBUTES.findall(rest)):
        raise NotPlainError
    return rest, units


def plain_spans(units: Units, text: str) -> list[tuple[Span, ...]]:
    """Return the spans of each contributor in a peer's text."""
    _check(units, text)
    return _group_by_size(unchecked(Span, start=units.starts, end=units.ends), units.parts)


def _check(units: Units, text: str) -> None:
    """Raise unless every part reads as its label says, white space aside."""
    if not all(map(lt, units.starts, units.ends)) or max(units.ends, default=0) > len(text):
        raise NotPlainError
    if sum(units.ends) - sum(units.starts) > MOST:  # A few bytes can name the whole text.
        raise NotPlainError
    quoted = [text[start:end] for start, end in zip(units.starts, units.ends, strict=True)]
    if quoted != units.words and list(map(squash, quoted)) != list(map(squash, units.words)):
        raise NotPlainError


def plain_scus(units: Units, text: str, sections: Sequence[Section]) -> list[SCU]:
    """Return the SCUs of a pyramid; a contributor must lie in one reference, and no two of an SCU in the same."""
    _check(units, text)
    begins = [section.start for section in sections]
    owners = [sections[bisect_right(begins, start) - 1] for start in units.starts]
    starts = [start - owner.body for start, owner in zip(units.starts, owners, strict=True)]
    ends = [end - owner.body for end, owner in zip(units.ends, owners, strict=True)]
    if min(starts, default=0) < 0 or any(map(gt, units.ends, [owner.end for owner in owners])):
        raise NotPlainError
    firsts = [owners[first].id for first, _ in zip(accumulate(units.parts, initial=0), units.parts, strict=False)]
    if (
        [owner.id for owner in owners] != repeat_each(firsts, units.parts)
        or 0 in units.contributors
        or "0" in units.uids
    ):
        raise NotPlainError
    spans = _group_by_size(unchecked(Span, start=starts, end=ends), units.parts)
    made = unchecked(Contributor, summary=firsts, spans=list(map(in_text_order, spans)), comment=units.remarks)
    contributors = _group_by_size(made, units.contributors)
    weights = [len({contributor.summary for contributor in of_scu}) for of_scu in contributors]
    # a reference that contributes twice to an SCU has to be warned of
    if weights != units.contributors:
        raise NotPlainError
    return unchecked(
        SCU,
        id=units.uids,
        label=[label.strip() for label in units.labels],
        contributors=contributors,
        comment=units.comments,
        weight=weights,
    )


def repeat_each(things: Sequence[_T], times: Sequence[int]) -> list[_T]:
    """Return each thing as many times as the number beside it says."""
    return [thing for thing, count in zip(things, times, strict=True) for _ in range(count)]
