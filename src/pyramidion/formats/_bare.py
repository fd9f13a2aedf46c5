"""Pyramids of bare contributors: the words that express each SCU, and nothing of the references they were taken from.

PyrEval's files are such. An SCU's first contributor may come from any reference, and so may its second: only how many
there are is known. Contributor k of every SCU is given to a made reference ``reference-k``, whose text is reassembled
as its contributors' words, one a line in the SCUs' order. Weights and tiers come out as in the original, and so does
the mean number of SCUs per reference where some SCU was expressed by every reference; what one reference says does not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath

from pyramidion.base.names import clean, parse_name
from pyramidion.errors import FormatError, Where
from pyramidion.model import GAP, SCU, Contributor, Pyramid, Span, Summary, Topic
from pyramidion.notes import note

BareSCU = tuple[str, Sequence[str]]
"""An SCU's id and the words of each of its contributors; no words where they are not known."""

MAX_CONTRIBUTORS = 100_000
"""The largest sum of all weights. Real pyramids have some hundreds; a small file must not fill the memory."""

_WHOLE = re.compile(r"[0-9]{1,18}")


def whole_number(text: str) -> int | None:
    """Return the whole number that a text holds; None if it holds something else or is absurdly long."""
    text = text.strip()
    return int(text) if _WHOLE.fullmatch(text) else None


def one_line(text: str) -> str:
    """Return the text without line ends, tabs, runs of spaces and zero bytes, which these formats do not keep."""
    return " ".join(text.replace("\0", " ").split())


def topic_id(source: str) -> str:
    """Return the topic that a file's name says.

    >>> topic_id("pyramids/D0601.M.250.A.pyr"), topic_id("sizes/lagoon.size")
    ('D0601', 'lagoon')
    """
    return parse_name(source).topic or PurePath(clean(source)).stem


def made_reference(number: int) -> str:
    """Return the id of the made reference that contributors in that place are given to."""
    return f"reference-{number}"


class _Reassembled:
    """A reference's text while it grows by one line for each contributor."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.length = 0

    def add(self, words: str) -> tuple[Span, ...]:
        """Add a line of words and return its span; no words add nothing and have none."""
        if not words:
            return ()
        start = self.length
        self.lines.append(words)
        self.length += len(words) + len("\n")
        return (Span(start, start + len(words)),)


def reassemble_pyramid(topic: str, scus: Sequence[BareSCU]) -> Pyramid:
    """Return the pyramid of bare SCUs, with as many references as the heaviest has contributors."""
    texts = [_Reassembled() for _ in range(max((len(contributors) for _, contributors in scus), default=0))]
    made_scus = []
    for id, contributors in scus:
        words = [one_line(contributor) for contributor in contributors]
        made_scus.append(
            SCU(
                id,
                next(filter(None, words), ""),
                tuple(Contributor(made_reference(k), texts[k - 1].add(line)) for k, line in enumerate(words, start=1)),
            )
        )
    references = tuple(Summary(made_reference(k), "\n".join(text.lines)) for k, text in enumerate(texts, start=1))
    return Pyramid(topic, references, tuple(made_scus))


def check_total(contributors: int, where: Where) -> None:
    """Raise an error if a pyramid is larger than any that was ever built."""
    if contributors > MAX_CONTRIBUTORS:
        raise FormatError(
            f"The pyramid would have more than {MAX_CONTRIBUTORS} contributors",
            where,
            "check that this is the file you meant",
        )


def read_topics(scus: Sequence[BareSCU], source: str, topic: str) -> list[Topic]:
    """Return the topic of a file of bare SCUs, with a warning that its references are made up."""
    if not scus:
        raise FormatError("The pyramid has no SCU", source, "write the file again; it is incomplete")
    # checked before the references are made, since each contributor adds to a text
    check_total(sum(len(contributors) for _, contributors in scus), Where(source))
    pyramid = reassemble_pyramid(topic, scus)
    note(
        f"{source}: The file does not say which reference a contributor comes from; "
        f"{pyramid.size} reference(s) were reassembled from the contributors' words"
    )
    return [Topic(topic, pyramid.references, pyramid=pyramid)]


def one_pyramid(topics: Sequence[Topic]) -> Pyramid:
    """Return the pyramid to write; any other number than one is an error."""
    if len(topics) != 1:
        raise FormatError(
            f"PyrEval's files hold one pyramid, not {len(topics)}", do="write each topic to a file of its own"
        )
    pyramid = topics[0].pyramid
    if pyramid is None:
        raise FormatError(f"Topic {topics[0].id!r} has no pyramid", do="build or annotate one first")
    return pyramid


def numbered_scus(pyramid: Pyramid) -> list[tuple[str, list[str]]]:
    """Return the SCUs as PyrEval numbers them, from 0 by falling weight, with one contributor for each reference.

    Contributors of one reference are joined, since each that is written counts as a reference. The SCU's label stands
    for words that are not known.
    """
    if not pyramid.scus:
        raise FormatError(f"Pyramid {pyramid.topic!r} has no SCU", do="build or annotate one first")
    numbered = []
    references = {reference.id: reference for reference in pyramid.references}
    for number, scu in enumerate(sorted(pyramid.scus, key=lambda scu: -scu.weight)):
        words: dict[str, list[str]] = {}
        for contributor in scu.contributors:
            words.setdefault(contributor.summary, []).append(
                one_line(references[contributor.summary].quote(contributor.spans) or contributor.label)
            )
        contributors = [GAP.join(filter(None, pieces)) or one_line(scu.label) for pieces in words.values()]
        numbered.append((str(number), contributors))
    return numbered
