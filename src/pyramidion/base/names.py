"""How NIST names files of the DUC and TAC evaluations: ``D0901-A.M.100.A.16`` and its relatives."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import NamedTuple

_NIST = re.compile(
    r"(?:(?P<annotator>\w+?)\.)?(?P<topic>D\d+(?:-?[A-Z])?)\.[A-Z]\.\d+\.[A-Z](?:\.(?P<summarizer>[A-Za-z0-9]+))?(?:\.(?:pan|pyr|xml))?"
)


_SURROGATE = re.compile("[\ud800-\udfff]")


def clean(name: str) -> str:
    """Return a name from a path as text: its bytes that are not UTF-8, which no output could hold, become U+FFFD."""
    return name if name.isascii() else _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", name)


class Name(NamedTuple):
    """The parts of a file name; the summary is a letter for a person and a number for a system."""

    topic: str
    summary: str
    annotator: str = ""


def parse_name(source: str) -> Name:
    """Return the topic, summary and annotator of a file name.

    >>> parse_name("allpans/114.D0631.M.250.A.16")
    Name(topic='D0631', summary='16', annotator='114')
    >>> parse_name("students/anna.pan")
    Name(topic='', summary='anna', annotator='')
    """
    path = PurePath(clean(source))
    name = path.name
    nist = _NIST.fullmatch(name)
    if nist and nist["summarizer"]:
        return Name(nist["topic"], nist["summarizer"], nist["annotator"] or "")
    # NIST's names hold full stops, so only known endings are cut off
    stem = path.stem if path.suffix in (".pan", ".pyr", ".json", ".xml", ".txt") else name
    return Name(nist["topic"] if nist else "", stem)
