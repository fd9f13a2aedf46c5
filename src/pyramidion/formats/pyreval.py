"""PyrEval's pyramids (``Scoring/pyrs/pyramids/X.pyr``), read and written.

PyrEval (Gao, Sun and Passonneau 2019) builds pyramids automatically and stores them as XML on one line::

    <Pyramid><scu uid="0"><contributor label="the lagoon is dry" /><contributor label="it fell dry" /></scu></Pyramid>

The SCUs are numbered from 0 by falling weight, which is the number of contributors. There is no text, no label, no
offset and no hint of the reference a contributor comes from; :mod:`~pyramidion.formats._bare` says what we make of
that. DUCView's ``.pyr`` is another format, with a small p in its root element. When writing, the ending ``.pyr`` means
DUCView; PyrEval is chosen by name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, tostring

from pyramidion.base.files import read_bytes, write_bytes
from pyramidion.base.xml import Document, decode_xml, replace_illegal
from pyramidion.errors import FormatError
from pyramidion.formats import _bare
from pyramidion.formats._differences import find_losses
from pyramidion.model import Topic

TITLE = "PyrEval: an automatic pyramid in XML, contributors without references"
SUFFIXES: tuple[str, ...] = ()

_ROOT = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml[^>]*>\s*)?<Pyramid[\s/>]")


def sniff(path: Path, head: bytes) -> bool:
    """Return whether this is XML whose root is ``<Pyramid``, with a capital: DUCView's has a small p."""
    return bool(_ROOT.match(head))


def load(path: Path) -> list[Topic]:
    """Return the topic of a file, named as the file is."""
    return loads(read_bytes(path), str(path))


def loads(data: bytes | str, source: str = "<string>") -> list[Topic]:
    """Return the topic of a document: a pyramid, and references reassembled from its contributors."""
    document = Document(decode_xml(data, source), source)
    if document.root.tag != "Pyramid":
        raise FormatError(
            f"The root element is <{document.root.tag}>, not <Pyramid>",
            document.place_of(document.root),
            "give a pyramid that PyrEval wrote; DUCView's files are another format",
        )
    return _bare.read_topics(_scus(document), source, _bare.topic_id(source))


def _scus(document: Document) -> list[_bare.BareSCU]:
    """Return the uid of each SCU and the words of its contributors."""
    scus: dict[str, list[str]] = {}
    for scu in _children(document, document.root, "scu"):
        uid = _bare.whole_number(_attribute(document, scu, "uid"))
        if uid is None:
            raise FormatError(
                f"The uid {scu.get('uid', '')[:60]!r} is not a whole number",
                document.place_of(scu),
                "give each SCU a number of its own",
            )
        if str(uid) in scus:
            raise FormatError(f"The uid {uid} is used twice", document.place_of(scu), "renumber one of the two SCUs")
        contributors = _children(document, scu, "contributor")
        scus[str(uid)] = [_attribute(document, contributor, "label") for contributor in contributors]
        if not scus[str(uid)]:
            raise FormatError(f"SCU {uid} has no contributor", document.place_of(scu), "add one or delete the SCU")
    return list(scus.items())


def _children(document: Document, parent: Element, tag: str) -> list[Element]:
    """Return the elements inside another, all of one kind: passing over a misspelt one would change a weight."""
    for child in parent:
        if child.tag != tag:
            raise FormatError(
                f"<{child.tag}> is inside <{parent.tag}>, which can only hold <{tag}>",
                document.place_of(child),
                "correct or delete it",
            )
    return list(parent)


def _attribute(document: Document, element: Element, name: str) -> str:
    value = element.get(name)
    if value is None:
        raise FormatError(f"The attribute {name!r} is missing", document.place_of(element), "add it")
    return value


def losses(topics: Sequence[Topic], path: Path) -> list[str]:
    """List what is lost when the file of this name is read again."""
    return find_losses(topics, dumps, lambda data: loads(data, str(path)))


def dump(topics: Sequence[Topic], path: Path) -> None:
    """Write the pyramid of one topic."""
    write_bytes(path, dumps(topics))


def dumps(topics: Sequence[Topic]) -> bytes:
    """Return the pyramid of one topic, on one line and without an XML header, as PyrEval writes it."""
    root = Element("Pyramid")
    for uid, contributors in _bare.numbered_scus(_bare.one_pyramid(topics)):
        scu = SubElement(root, "scu", uid=uid)
        for words in contributors:
            SubElement(scu, "contributor", label=replace_illegal(words))
    document: bytes = tostring(root, encoding="utf-8", xml_declaration=False)
    return document
