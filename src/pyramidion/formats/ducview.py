r"""DUCView pyramids (``.pyr``) and peer annotations (``.pan``), read and written.

DUCView (Columbia University; versions 1.4 and 1.5) is the tool that DUC and TAC were annotated with. A ``.pyr`` holds
all references in one text with a header line before each, and SCUs whose parts point into that text; a ``.pan`` holds
a pyramid and one peer with its annotation. Here every reference becomes a summary of its own, with offsets into its
own text.

Files in the wild break their own rules. What can be read with a repair is read, with a warning that names file,
element and offset; what would change a score silently is an error. The repairs: no declared charset; a label that is
not the text at its offsets (the nearest place that reads so is taken); offsets in UTF-16 units; a contributor spread
over two references (it belongs to the one with most of its words); a peer's uid that does not fit the pyramid (the SCU
of the same label is taken); two documents in one file (the last is read); a missing header expression (the known ones
are tried). Weights written into peer labels are compared, never trusted. Where a header expression does not tell the
references apart, weights would be wrong: that is an error. If nothing is marked in a peer's text, neither under an SCU
nor under uid 0, nobody has annotated the peer: all its SCUs are unjudged. DUCView has no scores for such a peer,
either.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path, PurePath
from string import punctuation
from typing import Literal, NamedTuple
from xml.etree.ElementTree import Element

from pyramidion.base.choices import check_choices
from pyramidion.base.files import read_bytes, squash, write_bytes
from pyramidion.base.names import clean, parse_name
from pyramidion.base.xml import Document, decode_xml, replace_illegal, unescape
from pyramidion.errors import FormatError, PyramidionError, Where
from pyramidion.formats._differences import find_losses
from pyramidion.formats._expressions import ExpressionError, find_all
from pyramidion.formats._plain import (
    TAKEN_OUT,
    NotPlainError,
    Section,
    Units,
    plain_scus,
    plain_spans,
    repeat_each,
    take_out,
)
from pyramidion.formats._squashed import Squashed
from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Span, Summary, Topic, Unjudged
from pyramidion.notes import note

TITLE = "DUCView 1.4/1.5: a pyramid (.pyr) or an annotated peer with its pyramid (.pan)"
SUFFIXES = (".pyr", ".pan")
Dialect = Literal["1.4", "1.5"]
UNMATCHED = "0"
"""The uid under which DUCView keeps the peer's units that are in no SCU."""

FOLDER_MODE = r"-----+ <.*> -----+"
"""The header that DUCView 1.5 writes for a folder of references."""

OWN_HEADERS = (
    r"-----+ <.*> -----+\n?",
    r"-+\n\s*D[0-9]+(?:-?[A-Z])?\.[A-Z]\.[0-9]+\.[A-Z]\.[A-Z0-9]+\s*\n-+\n",
)
"""Headers that only DUCView and NIST write."""
KNOWN_HEADERS = (*OWN_HEADERS, r"-{5,}\n[^\n]+\n-{5,}\n")
"""Headers seen in the wild, for files that do not say theirs: DUCView's folder mode, NIST's, any name between rules."""

_PEER_LABEL = re.compile(r"\((\d+)\) ?(.*)", re.DOTALL)
_JUNK = re.compile(r"\((?:\d+\.\d+|NONE)\)\Z")
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_TAG = re.compile(rb"<([A-Za-z_][\w.:-]*)")


def sniff(path: Path, head: bytes) -> bool:
    """Return whether this is XML whose first element is ``<pyramid>`` or ``<peerAnnotation>``."""
    return _root(head) in (b"pyramid", b"peerAnnotation")


def is_annotation(head: bytes) -> bool:
    """Return whether these are the first bytes of an annotated peer."""
    return _root(head) == b"peerAnnotation"


def _root(head: bytes) -> bytes:
    """Return the name of the first element, or nothing if this does not begin as XML."""
    if not head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return b""
    tag = _TAG.search(_COMMENT.sub(b"", head))
    return tag[1] if tag else b""


def load(path: Path, *, header: str = "") -> list[Topic]:
    """Return the topic of a file; ``header`` is an expression for what precedes each reference, in place of its own."""
    return _loads(read_bytes(path), str(path), header, _topic_of(path))


def loads(data: bytes | str, source: str = "<string>", *, header: str = "") -> list[Topic]:
    """Return the topic of a document: references and pyramid, and for a ``.pan`` one peer and its annotation."""
    return _loads(data, source, header, _topic_by_name(source, PurePath(source).parent.name))


def _loads(data: bytes | str, source: str, header: str, topic: str) -> list[Topic]:
    text = _last_document(decode_xml(data, source), source)
    shared = _PyramidText.of(text, topic, header)
    known = _recent(shared)
    text = shared.without_pyramid(text) if shared and known else text
    with suppress(NotPlainError):
        return _PlainReader(text, source, topic).topics(shared, known, header)
    return _Reader(Document(text, source), topic).topics(shared, known or _recent(shared), header)


class _PyramidText(NamedTuple):
    """The pyramid's part of a ``.pan`` and all else that its reading depends on.

    An evaluation has one pyramid and a ``.pan`` with a copy of it for every peer. Reading it once makes the peers share
    one value in memory and takes a third of the time (``bench/formats.py``).
    """

    xml: str
    topic: str
    header: str

    @classmethod
    def of(cls, text: str, topic: str, header: str) -> _PyramidText | None:
        """Return the one pyramid of a ``.pan``, or None if the text is not so plain that it can be cut out."""
        start, end = text.find("<pyramid>"), text.find("</pyramid>")
        if "<peerAnnotation>" not in text or end < start or "<!--" in text or text.find("</pyramid>", end + 1) >= 0:
            return None
        return cls(text[start:end], topic, header)

    def without_pyramid(self, text: str) -> str:
        """Return the text without the pyramid, with as many line ends in its place, so that all else keeps its line."""
        return text.replace(self.xml, "<pyramid>" + "\n" * self.xml.count("\n"), 1)


_RECENT: dict[_PyramidText, Pyramid] = {}
"""The pyramids read last that gave no reason to warn, the latest last."""

_KEPT = 8


def _recent(text: _PyramidText | None) -> Pyramid | None:
    pyramid = _RECENT.pop(text, None) if text else None
    return _remember(text, pyramid) if text and pyramid else None


def _remember(text: _PyramidText, pyramid: Pyramid) -> Pyramid:
    _RECENT[text] = pyramid
    if len(_RECENT) > _KEPT:
        del _RECENT[next(iter(_RECENT))]
    return pyramid


def _last_document(text: str, source: str) -> str:
    start = text.rfind("<?xml")
    if start > 0 and text[:start].strip():
        note(
            f"{source}: The file holds several documents (DUCView 1.5 appends when it saves again); the last one was "
            "read"
        )
        return text[start:]
    return text.lstrip()


MOST_SEARCHED = 2**30
"""The most characters in which misplaced words are searched, over all searches in a document."""


class _Located:
    """A text with the offsets DUCView counts in it."""

    def __init__(self, text: str) -> None:
        """Count the offsets of a text in UTF-16 units, as Java does, if it has characters beyond 16 bits."""
        self.text = text
        self.squashed = Squashed(text)
        self.searched = 0
        self.exact = len(text)
        """The end of the text in which a part that equals its label needs no check; 0 if DUCView's offsets differ."""
        self._characters: array[int] | None = None
        """The character at each of Java's offsets, for a text with characters beyond 16 bits."""
        if not text.isascii() and max(text) > "\uffff":
            widths = (2 if char > "\uffff" else 1 for char in text)
            self._characters = array("L", (index for index, width in enumerate(widths) for _ in range(width)))
            self._characters.append(len(text))
            self.exact = 0

    def locate(self, start: int, end: int, label: str) -> tuple[int, int, bool]:
        """Return start and end of the text that a part means, and whether it reads as the label, white space aside."""
        # what reads as the label says is meant; else the nearest text that does; else what stands at the offsets
        for first, last in self._candidates(start, end):
            if self.squashed.reads([Span(first, last)], label):
                return first, min(last, len(self.text)), True
        first, last = next(self._candidates(start, end))
        if last <= len(self.text) or "\ufffd" in self.text:
            self.searched += len(self.text) if label.strip() else 0
            if self.searched > MOST_SEARCHED:
                raise FormatError(
                    "Too many parts have labels that are not the text at their offsets",
                    do="check that the text and the parts belong together",
                )
            first, last = self.squashed.nearest(unescape(label), start) or (first, last)
        return first, last, False

    def _candidates(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        # offsets in UTF-16 units first, as DUCView counts; then as if they counted characters
        if self._characters and end < len(self._characters):
            first, last = self._characters[start], self._characters[end]
            yield first, max(last, first + 1)
        yield start, end


class _Judgements(NamedTuple):
    """The content of a peer's annotation: matches, units in no SCU, and comments on SCUs."""

    matches: list[Match]
    unmatched: list[Contributor]
    comments: dict[str, str]


class _Reader:
    """Elements to values, for one document."""

    def __init__(self, document: Document, topic: str) -> None:
        self.document = document
        self.topic_by_name = topic
        self.name = parse_name(document.source)
        self.warned = False

    def topics(self, shared: _PyramidText | None, known: Pyramid | None, header: str) -> list[Topic]:
        """Return the topic of the document, with the ``known`` pyramid if there is one; else keep a ``shared`` one."""
        root = self.document.root
        try:
            if root.tag == "pyramid":
                pyramid = self.pyramid(root, header)
                return [Topic(pyramid.topic, pyramid.references, pyramid=pyramid)]
            if root.tag == "peerAnnotation":
                pyramid = known or self.pyramid(self.child(root, "pyramid"), header)
                # a pyramid that had to be warned of is read again for the next peer, and warned of again
                if shared and not known and not self.warned and not pyramid.repeats:
                    _remember(shared, pyramid)
                return [self.peer_annotation(root, pyramid)]
        except PyramidionError as error:
            raise error if str(error.where) else error.at(self.place_of(root)) from None
        what = f"The root element is <{root.tag}>, not <pyramid> or <peerAnnotation>"
        raise self.fail(root, what, "give a DUCView .pyr or .pan file")

    def warn(self, element: Element, what: str) -> None:
        self.warned = True
        self.tell(element, what)

    def tell(self, element: Element, what: str) -> None:
        note(f"{self.place_of(element)}: {what}")

    def fail(self, element: Element, what: str, do: str) -> FormatError:
        return FormatError(what, self.place_of(element), do)

    def place_of(self, element: Element) -> Where:
        """Return where an element stands, for a message."""
        return self.document.place_of(element)

    def child(self, element: Element, tag: str) -> Element:
        child = element.find(tag)
        if child is None:
            raise self.fail(
                element, f"<{element.tag}> has no <{tag}>", "write the file again with DUCView; it is incomplete"
            )
        return child

    def attribute(self, element: Element, name: str) -> str:
        value = element.get(name)
        if value is None:
            raise self.fail(element, f"The attribute {name!r} is missing", "add it")
        return value

    def uid(self, element: Element) -> str:
        uid = self.attribute(element, "uid").strip()
        if not (uid.isascii() and uid.isdigit()):
            raise self.fail(
                element, f"The uid {_short(uid)!r} is not a whole number", "give each SCU a number of its own"
            )
        return uid.lstrip("0") or UNMATCHED

    def text(self, element: Element) -> str:
        return "\n".join([line.text or "" for line in self.child(element, "text").findall("line")])

    def parts(self, contributor: Element, located: _Located) -> list[tuple[int, int]]:
        """Return start and end of a contributor's parts, checked against the text and against their labels."""
        spans = []
        text, exact = located.text, located.exact
        for part in contributor:
            get = part.get
            label, start, end = get("label", ""), get("start"), get("end")
            try:
                first, last = int(start), int(end)  # type: ignore[arg-type]
            except (TypeError, ValueError):
                first = last = 0
            # a part that equals its label needs no search
            if 0 <= first < last <= exact and last - first == len(label) and text[first:last] == label:
                spans.append((first, last))
                continue
            if not 0 <= first < last:
                what = f"The part {_short(start)}-{_short(end)} is not a stretch of text"
                raise self.fail(part, what, "give whole numbers counted from 0, with start < end")
            spans.append(self.repair_part(part, first, last, label, located))
        if not spans:
            raise self.fail(contributor, "The contributor has no part", "select its words again or delete it")
        return spans

    def repair_part(self, part: Element, start: int, end: int, label: str, located: _Located) -> tuple[int, int]:
        """Return the start and end that a part means if its label is not the text at its offsets."""
        first, last, agrees = located.locate(start, end, label)
        if last > len(located.text):
            offsets = f"{_short(start)}-{_short(end)}"
            what = f"The part {offsets} ends beyond the text of {len(located.text)} characters"
            raise self.fail(part, what, "correct its offsets")
        if not agrees:
            moved = f"taken as {first}-{last}" if (first, last) != (start, end) else "its offsets were kept"
            self.warn(part, f"The label {label[:60]!r} is not the text at {start}-{end}; {moved}")
        return first, last

    def pyramid(self, element: Element, header: str) -> Pyramid:
        """Return the pyramid of an element, its references told apart by ``header`` or the file's expression."""
        located = _Located(self.text(element))
        sections = self.sections(element, located.text, header)
        scus = self.scus(element, located, sections)
        references = tuple(
            Summary(section.id, located.text[section.body : section.end], "reference") for section in sections
        )
        models = element.get("numModels", "0")
        if models not in ("0", "", str(len(references))):
            self.warn(element, f"numModels is {_short(models)}, but the text has {len(references)} references")
        pyramid = Pyramid(self.topic(references), references, tuple(scus), repeats_told=True)
        self.tell_repeats(element, pyramid)
        return pyramid

    def scus(self, element: Element, located: _Located, sections: Sequence[Section]) -> Sequence[SCU]:
        """Return the SCUs of a pyramid, with offsets into the references."""
        starts = [section.start for section in sections]
        scus: dict[str, SCU] = {}
        for scu in element.findall("scu"):
            uid = self.uid(scu)
            if uid in scus:
                raise self.fail(scu, f"The uid {uid} is used twice", "renumber one of the two SCUs")
            contributors = tuple([self.contributor(child, located, sections, starts) for child in scu])
            if not contributors:
                raise self.fail(scu, f"SCU {uid} has no contributor", "add one or delete the SCU")
            scus[uid] = SCU(uid, self.attribute(scu, "label").strip(), contributors, scu.get("comment", ""))
        return tuple(scus.values())

    def tell_repeats(self, element: Element, pyramid: Pyramid) -> None:
        """Warn at the first SCU to which one reference contributes twice."""
        if pyramid.repeats:
            first = next(scu for scu in element.findall("scu") if self.uid(scu) == pyramid.repeats[0])
            self.tell(first, pyramid.repeats_in_words)

    def topic(self, references: Sequence[Summary]) -> str:
        if self.name.topic:
            return self.name.topic
        topics = {parse_name(reference.id).topic for reference in references}
        return (topics.pop() if len(topics) == 1 else "") or self.topic_by_name

    def contributor(
        self, element: Element, located: _Located, sections: Sequence[Section], starts: Sequence[int]
    ) -> Contributor:
        """Return a contributor with offsets into the reference that its parts lie in, or most of them."""
        owners: dict[str, list[Span]] = {}
        for first, last in self.parts(element, located):
            index = bisect_right(starts, first) - 1
            section = sections[index]
            outside = index < 0 or first < section.body
            if outside or (last > section.end and not located.squashed.is_blank(section.end, last)):
                what = f"The part {first}-{last} is not inside one reference's text"
                raise self.fail(element, what, "correct its offsets, or the header expression: header=REGEX")
            span = Span(first - section.body, min(last, section.end) - section.body)
            owners.setdefault(section.id, []).append(span)
        owner, spans = owners.popitem() if len(owners) == 1 else self.main_owner(element, owners)
        return Contributor(owner, tuple(spans), comment=element.get("comment", ""))

    def main_owner(self, element: Element, owners: dict[str, list[Span]]) -> tuple[str, list[Span]]:
        """Return the reference that holds most of a contributor's words, and the spans there; warn of the others."""
        owner = max(owners, key=lambda id: sum(span.end - span.start for span in owners[id]))
        self.warn(
            element,
            f"The contributor has parts in {len(owners)} references; it counts once, for {owner!r}, and the other "
            "parts are left out",
        )
        return owner, owners[owner]

    def sections(self, element: Element, text: str, header: str) -> list[Section]:
        """Return the references in a pyramid's text: by ``header``, or the file's expression, or one of those known.

        If an expression finds only headers without a name, these may be the rules around the names, so the known
        expressions are tried; if they find nothing, the references are numbered.
        """
        from_file = element.findtext("startDocumentRegEx") or ""
        expressions = [
            expression
            for expression in dict.fromkeys((header,) if header else (from_file, from_file.strip()))
            if expression.strip()
        ]
        for expression in expressions:
            try:
                matches = find_all(expression, text, trusted=expression == FOLDER_MODE)
            except ExpressionError as error:
                why = f"The header expression {expression[:60]!r} {error}"
                self.warn(element, why)
                continue
            headers = [span for span in matches if text[slice(*span)].strip()]
            if len(headers) > 1 or (headers and self.may_be_one(element, text)):
                named = any(_header_name(text[slice(*span)]) for span in headers)
                known = not named and not header and self.known_sections(element, text, OWN_HEADERS, 2)
                return known or _split(text, headers)
            why = f"The header expression {expression[:60]!r} finds {len(headers) or 'no'} header(s)"
        known = not header and self.known_sections(element, text, KNOWN_HEADERS, 2 if expressions else 1)
        if known:
            return known
        if expressions:
            what = f"The references cannot be told apart: {why}"
            raise self.fail(element, what, "give an expression that matches what precedes each reference: header=REGEX")
        if text.strip():
            self.warn(
                element,
                "No header separates the references, so they count as one and every SCU weighs 1; "
                "give a header expression, or count weights by contributors",
            )
        return [Section("all", 0, 0, len(text))]

    def may_be_one(self, element: Element, text: str) -> bool:
        """Return whether there may be one reference only: the text says so, or no SCU has two contributors."""
        return text.startswith("#1\n") or all(size < 2 for size in self.sizes(element))

    def sizes(self, element: Element) -> list[int]:
        """Return the number of contributors of each SCU of a pyramid."""
        return [len(scu) for scu in element.findall("scu")]

    def known_sections(self, element: Element, text: str, expressions: Sequence[str], least: int) -> list[Section]:
        """Return the references by the first of our expressions that finds at least so many named headers, or none."""
        for expression in expressions:
            matches = find_all(expression, text, trusted=True)
            headers = [span for span in matches if _header_name(text[slice(*span)])]
            if len(headers) >= least:
                what = f"No usable header expression; {len(headers)} reference(s) found by the known one {expression!r}"
                self.warn(element, what)
                return _split(text, headers)
        return []

    def peer_annotation(self, root: Element, pyramid: Pyramid) -> Topic:
        """Return the topic of a ``.pan``: the pyramid, the peer, and its annotation."""
        element = self.child(root, "annotation")
        located = _Located(self.text(element))
        peer = Summary(self.name.summary, located.text, "peer")
        matches, unmatched, comments = self.judgements(element, located, peer.id, pyramid)
        unjudged: tuple[tuple[str, Unjudged], ...] = ()
        # a text in which nothing is marked, not even as unmatched, was not annotated; it must not score 0
        if peer.text.strip() and not (matches or unmatched):
            unjudged = tuple((scu.id, "not asked") for scu in pyramid.scus)
        annotation = Annotation(
            peer, tuple(matches), tuple(unmatched), self.name.annotator, tuple(comments.items()), unjudged=unjudged
        )
        return Topic(pyramid.topic, pyramid.references, (peer,), pyramid=pyramid, annotations=(annotation,))

    def judgements(self, element: Element, located: _Located, peer: str, pyramid: Pyramid) -> _Judgements:
        """Return the matches, unmatched units and comments of an annotation."""
        scus = {scu.id: scu for scu in pyramid.scus}
        matches: list[Match] = []
        unmatched: list[Contributor] = []
        comments: dict[str, str] = {}
        seen: dict[str, Element] = {}
        labels: dict[str, list[SCU]] = {}
        for scu in pyramid.scus:
            labels.setdefault(_plain_label(scu.label), []).append(scu)
        stale: list[Element] = []
        for peerscu in element.findall("peerscu"):
            uid = self.uid(peerscu)
            contributors = list(peerscu)
            if uid in seen:
                self.check_again(peerscu, seen[uid], uid)
                continue
            seen[uid] = peerscu
            comment = peerscu.get("comment")
            if uid == UNMATCHED:
                unmatched += (
                    Contributor(peer, self.spans(unit, located), comment=unit.get("comment", ""))
                    for unit in contributors
                )
            elif contributors or comment or uid not in scus:
                uid = self.fitting_scu(peerscu, uid, scus, labels, bool(contributors))
                matches += (
                    Match(uid, self.spans(unit, located), comment=unit.get("comment", "")) for unit in contributors
                )
            elif not _is_copy(peerscu.get("label", ""), scus[uid]):
                stale.append(peerscu)
            if comment:
                comments[uid] = f"{comments[uid]}\n{comment}" if uid in comments else comment
        self.tell_stale(stale)
        return _Judgements(matches, unmatched, comments)

    def tell_stale(self, stale: Sequence[Element]) -> None:
        """Warn once if labels of SCUs that the peer does not express are not those of the pyramid."""
        if stale:
            self.warn(
                stale[0],
                f"{len(stale)} SCU(s) that the peer does not express have another weight or label in the pyramid "
                f"(the first: {stale[0].get('label', '')[:60]!r})",
            )

    def check_again(self, peerscu: Element, first: Element, uid: str) -> None:
        """Raise an error for a uid that comes again, unless both ``peerscu`` are empty and equal."""
        if len(first) or len(peerscu) or first.attrib != peerscu.attrib:
            line = self.place_of(first).line
            what = f"The uid {_short(uid)} stands twice in the annotation, first in line {line}"
            raise self.fail(peerscu, what, "put the contributors of both under one")

    def spans(self, contributor: Element, located: _Located) -> tuple[Span, ...]:
        return tuple([Span(first, last) for first, last in self.parts(contributor, located)])

    def fitting_scu(
        self, peerscu: Element, uid: str, scus: dict[str, SCU], labels: dict[str, list[SCU]], matched: bool
    ) -> str:
        """Return the uid of the SCU that a ``peerscu`` means: its own uid, unless the label is that of another SCU."""
        written = peerscu.get("label", "")
        copied = _PEER_LABEL.fullmatch(written)
        label = _plain_label(copied[2] if copied else written)
        scu = scus.get(uid)
        if scu is None or _plain_label(scu.label) != label:
            labelled = labels.get(label, [])
            if len(labelled) == 1:
                self.warn(
                    peerscu,
                    f"uid {uid} does not fit the pyramid; its label is that of uid {labelled[0].id}, which was taken",
                )
                scu = labelled[0]
            elif scu is None and matched:
                raise self.fail(
                    peerscu, f"The pyramid has no SCU {uid}", "use the pyramid that the peer was annotated with"
                )
            elif scu is None:
                self.warn(
                    peerscu, f"The pyramid has no SCU {uid}; the peer does not express it either, so it was left out"
                )
                return uid
            else:
                self.warn(
                    peerscu,
                    f"The label {written[:60]!r} is not that of SCU {uid} ({scu.label[:60]!r}); the uid was trusted",
                )
        if copied and int(copied[1][:9]) not in (scu.weight, len(scu.contributors)):
            self.warn(
                peerscu, f"The label says weight {copied[1]}, but SCU {scu.id} weighs {scu.weight} in this pyramid"
            )
        return scu.id


class _PlainReader(_Reader):
    """Elements to values where SCUs are as DUCView writes them and nothing is to be said; else ``NotPlainError``."""

    def __init__(self, text: str, source: str, topic: str) -> None:
        rest, self.units = take_out(text)
        try:
            document = Document(rest, source)
        except FormatError:
            raise NotPlainError from None
        super().__init__(document, topic)

    def place_of(self, element: Element) -> Where:
        raise NotPlainError  # who asks for a place has something to say

    def units_of(self, element: Element) -> Units:
        """Return the SCUs that stood in an element."""
        tags = [child.tag for child in element if child.tag not in ("startDocumentRegEx", "text")]
        if tags != [TAKEN_OUT] or element.tag not in self.units:
            raise NotPlainError
        return self.units[element.tag]

    def sizes(self, element: Element) -> list[int]:
        return self.units_of(element).contributors

    def scus(self, element: Element, located: _Located, sections: Sequence[Section]) -> Sequence[SCU]:
        return plain_scus(self.units_of(element), located.text[: located.exact], sections)

    def judgements(self, element: Element, located: _Located, peer: str, pyramid: Pyramid) -> _Judgements:
        """Return the matches, unmatched units and comments of an annotation whose labels are the pyramid's."""
        units = self.units_of(element)
        labels = {scu.id: _peer_label(scu) for scu in pyramid.scus}
        for uid, label in zip(units.uids, units.labels, strict=True):
            if uid != UNMATCHED and labels.get(uid) != label.rstrip():
                raise NotPlainError
        uids = repeat_each(units.uids, units.contributors)
        marked = list(zip(uids, plain_spans(units, located.text[: located.exact]), units.remarks, strict=True))
        return _Judgements(
            [Match(uid, spans, comment=remark) for uid, spans, remark in marked if uid != UNMATCHED],
            [Contributor(peer, spans, comment=remark) for uid, spans, remark in marked if uid == UNMATCHED],
            {uid: comment for uid, comment in zip(units.uids, units.comments, strict=True) if comment},
        )


def _peer_label(scu: SCU) -> str:
    """Return an SCU's label as DUCView copies it to a peer."""
    return f"({len(scu.contributors)}) {scu.label}"


def _is_copy(label: str, scu: SCU) -> bool:
    """Return whether a peer's label is the SCU's weight and label; one without a weight is not checked."""
    if label == _peer_label(scu):
        return True
    copied = _PEER_LABEL.fullmatch(label)
    if not copied:
        return True
    # no weight has ten digits, and Python converts no number of thousands of them
    weights = (scu.weight, len(scu.contributors))
    return int(copied[1][:9]) in weights and _plain_label(copied[2]) == _plain_label(scu.label)


def _split(text: str, headers: Sequence[tuple[int, int]]) -> list[Section]:
    """Return the references between headers; those whose header has no name are called by their number."""
    names = [_header_name(text[start:end]) or str(number) for number, (start, end) in enumerate(headers, 1)]
    sections = []
    for number, (name, (start, body)) in enumerate(zip(_unique_names(names), headers, strict=True), 1):
        is_last = number == len(headers)
        limit = len(text) if is_last else headers[number][0]
        # the end of the header's line and an empty line after it are no part of the text, nor are two before the next
        if text[body - 1] != "\n" and text[body : body + 1] == "\n":
            body += 1
        if text[body : body + 1] == "\n" and body < limit:
            body += 1
        end = limit
        for _ in range(0 if is_last else 2):
            end -= end > body and text[end - 1] == "\n"
        sections.append(Section(name, start, body, end))
    return sections


def _topic_of(path: Path) -> str:
    """Return a topic's name from its file's path, however that is spelled."""
    return parse_name(path.name).topic or _topic_by_name(path.name, path.parent.resolve().name)


def _topic_by_name(source: str, folder: str) -> str:
    """Return a topic's name from its file's: NIST's, a pyramid's own, or for a peer that of the folder it lies in."""
    path = PurePath(clean(source))
    return parse_name(source).topic or (clean(folder) if path.suffix == ".pan" else path.stem) or "topic"


def _short(value: object) -> str:
    """Return a value for a message, cut so that no file can make the message long."""
    text = str(value)
    return text if len(text) <= 30 else f"{text[:20]}...({len(text)} characters)"


def _plain_label(label: str) -> str:
    return squash(_JUNK.sub("", label.rstrip()))


def _header_name(header: str) -> str:
    """Return the name in a header, without rules and brackets; a line of punctuation is no name."""
    lines = (
        line.strip().strip("-=").strip().removeprefix("<").removesuffix(">").strip() for line in header.split("\n")
    )
    return next((line for line in lines if line.strip(punctuation)), "")


def _unique_names(names: Sequence[str]) -> list[str]:
    """Return the names, with a number where one comes again."""
    seen: dict[str, int] = {}
    unique = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        unique.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return unique


# Writing

RULE = "-" * 17
ANY_HEADER = r"-{17}\n [^\n]+\n-{17}\n"

_DTD = {
    ".pyr": (
        "<!DOCTYPE pyramid [",
        " <!ELEMENT pyramid (startDocumentRegEx?,text,scu*)>",
        " <!ELEMENT startDocumentRegEx (#PCDATA)>",
    ),
    ".pan": (
        "<!DOCTYPE peerAnnotation [",
        " <!ELEMENT peerAnnotation (pyramid,annotation{score})>",
        " <!ELEMENT pyramid (startDocumentRegEx?,text,scu*)>",
        " <!ELEMENT annotation (text,peerscu+)>",
        " <!ELEMENT startDocumentRegEx (#PCDATA)>",
    ),
}
_DTD_TEXT = (" <!ELEMENT text (line*)>", " <!ELEMENT line (#PCDATA)>")
_DTD_SCU = (
    " <!ELEMENT scu (contributor)+>",
    " <!ATTLIST scu uid CDATA #REQUIRED label CDATA #REQUIRED comment CDATA #IMPLIED>",
)
_DTD_PEERSCU = (
    " <!ELEMENT peerscu (contributor)*>",
    " <!ATTLIST peerscu uid CDATA #REQUIRED label CDATA #REQUIRED comment CDATA #IMPLIED>",
)
_DTD_PART = (
    " <!ELEMENT contributor (part)+>",
    " <!ATTLIST contributor label CDATA #REQUIRED comment CDATA #IMPLIED>",
    " <!ELEMENT part EMPTY>",
    " <!ATTLIST part label CDATA #REQUIRED start CDATA #REQUIRED end CDATA #REQUIRED>",
)


@check_choices
def losses(topics: Sequence[Topic], path: Path, *, dialect: Dialect = "1.5") -> list[str]:
    """List what is lost when the ``.pyr`` or ``.pan`` is read again."""
    suffix = path.suffix if path.suffix in SUFFIXES else ".pyr"
    return find_losses(
        topics,
        lambda chosen: dumps(chosen, suffix=suffix, dialect=dialect),
        lambda data: _loads(data, str(path), "", _topic_of(path)),
    )


@check_choices
def dump(topics: Sequence[Topic], path: Path, *, dialect: Dialect = "1.5") -> None:
    """Write a ``.pyr``, or a ``.pan`` where the name ends so; ``dialect`` is DUCView's version, 1.4 or 1.5."""
    write_bytes(path, dumps(topics, suffix=path.suffix if path.suffix in SUFFIXES else ".pyr", dialect=dialect))


@check_choices
def dumps(topics: Sequence[Topic], *, suffix: str = "", dialect: Dialect = "1.5") -> bytes:
    """Return the document of one topic: a ``.pan`` if it has an annotation, unless ``suffix`` says ``.pyr``."""
    if len(topics) != 1:
        raise FormatError(f"DUCView files hold one topic, not {len(topics)}", do="write a corpus folder instead")
    (topic,) = topics
    if topic.pyramid is None:
        raise FormatError(f"Topic {topic.id!r} has no pyramid", do="build or annotate one first")
    if not suffix:
        suffix = ".pan" if topic.annotations else ".pyr"
    lines = [
        '<?xml version="1.0"?>',
        *(line.format(score="" if dialect == "1.4" else ",score?") for line in _DTD[suffix]),
    ]
    if suffix == ".pyr":
        lines += [*_DTD_TEXT, *_DTD_SCU, *_DTD_PART, "", "]>", "", *_pyramid_lines(topic.pyramid)]
    else:
        if len(topic.annotations) != 1:
            raise FormatError(
                f"A .pan holds one annotated peer; topic {topic.id!r} has {len(topic.annotations)}",
                do="write a corpus folder instead",
            )
        lines += [*_DTD_TEXT, *_DTD_SCU, *_DTD_PEERSCU, *_DTD_PART, "", "]>", "", "<peerAnnotation>"]
        lines += [
            *_pyramid_lines(topic.pyramid),
            *_annotation_lines(topic.pyramid, topic.annotations[0]),
            "</peerAnnotation>",
        ]
    return ("\n".join(lines) + "\n").encode()


# The standard library's escape would bring its HTTP client and TLS along.
_MARKUP = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
_IN_TEXT = str.maketrans(_MARKUP | {"\r": "&#13;"})
_IN_ATTRIBUTE = str.maketrans(_MARKUP | {'"': "&quot;", "\t": "&#9;"})
_IN_COMMENT = str.maketrans(_MARKUP | {'"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"})


def _attribute(text: str) -> str:
    return replace_illegal(text.replace("\r", "").replace("\n", "")).translate(_IN_ATTRIBUTE)


def _comment(comment: str) -> str:
    return f' comment="{replace_illegal(comment).translate(_IN_COMMENT)}"' if comment else ""


def _uids(pyramid: Pyramid) -> list[str]:
    ids = [scu.id for scu in pyramid.scus]
    # a uid is a whole number, and 0 is that of the units in no SCU
    if all(re.fullmatch(r"[1-9][0-9]{0,17}", id) for id in ids):
        return ids
    return [str(number) for number in range(1, len(ids) + 1)]


def _utf16(text: str) -> list[int] | range:
    """Return DUCView's offset of each character, and of the end."""
    if not text or max(text) <= "\uffff":
        return range(len(text) + 1)
    offsets = [0]
    for char in text:
        offsets.append(offsets[-1] + (2 if char > "\uffff" else 1))
    return offsets


def _header_expression(names: Sequence[str], text: str) -> str:
    """Return an expression for the headers in a pyramid's text: any name between rules, or else these names."""
    if len(re.findall(ANY_HEADER, text)) == len(names):
        return ANY_HEADER
    exact = "|".join(re.sub(r"([^\w\s/#@%&=,:;<>!\"'~`-])", r"\\\1", name) for name in names)
    return rf"-{{17}}\n (?:{exact})\n-{{17}}\n"


def _pyramid_lines(pyramid: Pyramid) -> Iterator[str]:
    """Yield the lines of a pyramid, its references in one text with a header before each."""
    names = [_header_name(f" {replace_illegal(reference.id)}") or "-" for reference in pyramid.references]
    names = _unique_names([" ".join(name.split()) for name in names])
    text = f"#{pyramid.size}\n\n\n"  # tells a text of one reference when it is read again
    starts = {}
    for number, (reference, name) in enumerate(zip(pyramid.references, names, strict=True)):
        text += f"{RULE}\n {name}\n{RULE}\n\n"
        starts[reference.id] = len(text)
        text += reference.text + ("\n\n" if number + 1 < pyramid.size else "")
    offsets = _utf16(text)
    yield "<pyramid>"
    if names:
        # ]]> would end the CDATA section
        expression = _header_expression(names, text).replace("]]>", "]]]]><![CDATA[>")
        yield f"<startDocumentRegEx><![CDATA[{expression}]]></startDocumentRegEx>"
    yield from _text_lines(text)
    for scu, uid in zip(pyramid.scus, _uids(pyramid), strict=True):
        yield f' <scu uid="{uid}" label="{_attribute(scu.label)}"{_comment(scu.comment)}>'
        for contributor in scu.contributors:
            if not contributor.spans:
                raise FormatError(
                    f"SCU {scu.id!r} has a contributor from {contributor.summary!r} without offsets, "
                    "which DUCView cannot hold",
                    do="write JSON instead",
                )
            reference = pyramid.reference(contributor.summary)
            yield from _contributor_lines(
                contributor.spans, reference, offsets, starts[reference.id], contributor.comment
            )
        yield " </scu>"
    yield "</pyramid>"


def _annotation_lines(pyramid: Pyramid, annotation: Annotation) -> Iterator[str]:
    """Yield the lines of an annotation: the peer's text, every SCU with its matches, and the units in no SCU."""
    peer = annotation.summary
    offsets = _utf16(peer.text)
    comments = dict(annotation.comments)
    units: dict[str, list[tuple[Sequence[Span], str]]] = {}
    for match in annotation.matches:
        units.setdefault(match.scu, []).append((match.spans, match.comment))
    yield "<annotation>"
    yield from _text_lines(peer.text)
    numbered = sorted(zip(pyramid.scus, _uids(pyramid), strict=True), key=lambda pair: -len(pair[0].contributors))
    for scu, uid in numbered:
        yield f' <peerscu uid="{uid}" label="{_attribute(_peer_label(scu))}"{_comment(comments.get(scu.id, ""))}>'
        yield from _unit_lines(units.get(scu.id, ()), peer, offsets, f"a match of SCU {scu.id!r}")
        yield " </peerscu>"
    yield f' <peerscu uid="{UNMATCHED}" label="All non-matching SCUs go here"{_comment(comments.get(UNMATCHED, ""))}>'
    yield from _unit_lines(
        [(unit.spans, unit.comment) for unit in annotation.unmatched], peer, offsets, "an unmatched unit"
    )
    yield " </peerscu>"
    yield "</annotation>"


def _unit_lines(
    units: Iterable[tuple[Sequence[Span], str]], peer: Summary, offsets: Sequence[int], what: str
) -> Iterator[str]:
    for spans, comment in units:
        if not spans:
            raise FormatError(
                f"{what} in {peer.id!r} has no offsets, which DUCView cannot hold", do="write JSON instead"
            )
        yield from _contributor_lines(spans, peer, offsets, 0, comment)


def _text_lines(text: str) -> Iterator[str]:
    yield " <text>"
    for line in text.split("\n"):
        yield f"  <line>{replace_illegal(line).translate(_IN_TEXT)}</line>"
    yield " </text>"


def _contributor_lines(
    spans: Sequence[Span], summary: Summary, offsets: Sequence[int], shift: int, comment: str
) -> Iterator[str]:
    yield f'  <contributor label="{_attribute(summary.quote(spans))}"{_comment(comment)}>'
    for span in spans:
        start, end = offsets[shift + span.start], offsets[shift + span.end]
        yield f'   <part label="{_attribute(span.of(summary.text))}" start="{start}" end="{end}"/>'
    yield "  </contributor>"
