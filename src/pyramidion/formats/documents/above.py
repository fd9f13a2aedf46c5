"""The lines above a student's text: the name, the date, the course, the number of words.

A heading is made of the first lines that are short, end in no full stop and look like one of these; a title, which may
be about anything, stays. At most six lines go, and never all of the text.
"""

from __future__ import annotations

import re

MOST = 6
"""Lines of a heading."""

_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DATE = re.compile(
    rf"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\s*)?"
    rf"(?:\d{{1,4}}\s*[./-]\s*\d{{1,2}}\s*[./-]\s*\d{{1,4}}|\d{{1,2}}(?:st|nd|rd|th)?\s+{_MONTH},?\s*\d{{2,4}}"
    rf"|{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s*\d{{2,4}})",
    re.IGNORECASE,
)
_LABELLED = re.compile(
    r"(?:(?:full |student(?:'s)? )?name|student(?: (?:id|no|number))?|id|matriculation(?: number)?|date|due(?: date)?"
    r"|class|course|module|group|teacher|instructor|professor|tutor|assignment|email|e-mail|word count|words)"
    r"\s*[:#]\s*.*",
    re.IGNORECASE,
)
_WORDS = re.compile(r"\(?\d+ words?\)?", re.IGNORECASE)
_BY = re.compile(r"(?:by|from)\s+(?:[A-Z][\w'.-]*\s*){1,4}")
_ADDRESS = re.compile(r"\S+@\S+\.\S+")


def without_heading(text: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    r"""Return the text without the lines above it that are nobody's summary, and those lines.

    >>> without_heading("Name: Ann Lee\n3 May 2026\nThe lake came back to life.")
    ('The lake came back to life.', (('above the text', 'Name: Ann Lee'), ('above the text', '3 May 2026')))
    >>> without_heading("May 2019 brought floods.\nNobody was hurt.")
    ('May 2019 brought floods.\nNobody was hurt.', ())
    """
    lines = text.split("\n")
    filled = [place for place, line in enumerate(lines) if line.strip()]
    heading = [place for place in filled[:MOST] if _is_heading(lines[place].strip())]
    # A title may stand between them: what goes is every such line up to the last of them before a sentence.
    sentence = next((place for place in filled if _is_sentence(lines[place].strip())), len(lines))
    left_out = [place for place in heading if place < sentence]
    if not left_out or len(left_out) == len(filled):
        return text, ()
    rest = [line for place, line in enumerate(lines) if place not in left_out]
    return "\n".join(rest).strip("\n"), tuple(("above the text", lines[place].strip()) for place in left_out)


def _is_heading(line: str) -> bool:
    return any(kind.fullmatch(line) for kind in (_DATE, _LABELLED, _WORDS, _BY, _ADDRESS))


def _is_sentence(line: str) -> bool:
    return len(line.split()) > 3 and line.rstrip("\"')\u201d\u2019")[-1:] in (".", "!", "?") and not _is_heading(line)
