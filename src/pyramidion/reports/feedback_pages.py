"""The pages of feedback: one for each student, the list of a class, and all pages one after the other.

A student's page names nobody else, so that it can be handed out as it is. ``index.html`` and ``all.html`` are for the
teacher: the list with the class at a glance, and every page, with links from one student to the next, to be read in one
go or printed, each from a new sheet on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import NamedTuple
from unicodedata import category, normalize
from urllib.parse import quote

from pyramidion.base.files import encode
from pyramidion.base.names import clean
from pyramidion.base.tables import plural
from pyramidion.model import Unread
from pyramidion.reports.feedback import Feedback, Idea
from pyramidion.reports.page import page as render

BINS = 10
"""The number of bins in the distribution of scores."""

MOST_MISSED = 5
"""The number of ideas shown that most of a class missed."""


class Shown(NamedTuple):
    """The most that is printed, so that two sheets of paper are enough; on the screen, all of it can be seen."""

    missed: int = 5
    contradicted: int = 5
    besides: int = 4
    quoted: int = 6
    """Found ideas with the student's words."""
    names: int = 40
    """Names of students in any list but the list of all."""


def page(feedback: Feedback) -> str:
    """Return a student's page as one self-contained HTML file."""
    return render("feedback.html", styles=("feedback.css",), feedback=feedback, shown=Shown())


def unread_page(topic: str, unread: Unread) -> str:
    """Return the page of a student whose text could not be read: that, and why."""
    return render("feedback-unread.html", styles=("feedback.css",), topic=topic, unread=unread)


def pages(feedbacks: Sequence[Feedback], unread: Iterable[tuple[str, Unread]] = ()) -> dict[str, bytes]:
    """Return a page per student, ``index.html`` with the list, and ``all.html`` with all pages, by path in a folder.

    * ``feedbacks`` are those of an evaluation.
    * ``unread`` are the students who could not be read, each with the topic: the list and a page of theirs say so.

    Where there are several topics, each has a folder of its own. Paths hold nothing that could lead out of the folder,
    whatever the students and topics are called.
    """
    unread = list(unread)
    topics = _file_names(
        [*dict.fromkeys([*(feedback.topic for feedback in feedbacks), *(topic for topic, _ in unread)])]
    )
    several = len(topics) > 1
    student_pages: dict[str, bytes] = {}
    rows: list[Row] = []
    for topic, folder in topics.items():
        of_topic = [feedback for feedback in feedbacks if feedback.topic == topic]
        damaged = [peer for peer_topic, peer in unread if peer_topic == topic]
        names = _file_names([*{*map(_name, of_topic), *map(_unread_name, damaged)}])
        paths = {name: f"{folder}/{file}.html" if several else f"{file}.html" for name, file in names.items()}
        for feedback in of_topic:
            path = paths[_name(feedback)]
            student_pages[path] = encode(page(feedback))
            rows.append(
                Row(feedback.student, feedback.topic, feedback.annotator, quote(path), feedback, _note(feedback))
            )
        for peer in damaged:
            path = paths[_unread_name(peer)]
            student_pages[path] = encode(unread_page(topic, peer))
            rows.append(Row(peer.name, topic, path=quote(path), note=peer.why))
    rows.sort(key=lambda row: (row.student.casefold(), row.student, row.topic, row.annotator))
    index = render(
        "feedback-index.html",
        styles=("feedback.css",),
        scripts=("feedback-index.js",),
        rows=rows,
        several=several,
        topic="" if several else next(iter(topics), ""),
        unclear=any(feedback.doubted for feedback in feedbacks),
        contradicted=any(feedback.contradicted for feedback in feedbacks),
        notes=any(row.note for row in rows),
        overview=_overview(rows),
        signature=feedbacks[0].signature if feedbacks else "",
        shown=Shown(),
    )
    in_order = [row.feedback for row in rows if row.feedback]
    together = render("feedback-all.html", styles=("feedback.css",), feedbacks=in_order, shown=Shown())
    return {"index.html": encode(index), "all.html": encode(together), **student_pages}


@dataclass(frozen=True, slots=True)
class Row:
    """A student in the list."""

    student: str
    topic: str
    annotator: str = ""
    path: str = ""
    """The path of the page, as a link writes it; nothing where there is none."""
    feedback: Feedback | None = None
    note: str = ""

    @property
    def advice(self) -> str:
        """The most important idea missed that can be put into words."""
        ideas = () if self.feedback is None else (*self.feedback.near, *self.feedback.absent)
        return max(ideas, key=lambda idea: (idea.points, -idea.number)).idea if ideas else "none"


_NOTES = {
    "empty": "no text",
    "word list": "a list of words",
    "very short": "very short",
    "nothing found": "no idea found",
    "nothing certain": "nothing certain",
}


def _note(feedback: Feedback) -> str:
    """Return what a teacher should know of a text before its score, if there is anything."""
    return _NOTES.get(feedback.nature) or str(feedback.copied)


@dataclass(frozen=True, slots=True)
class OftenMissed:
    """An idea that most of a class missed."""

    topic: str
    label: str
    mentioned: int
    models: int
    students: tuple[tuple[Row, str], ...]
    """The students who missed it, each with a remark."""
    texts: int
    """The number of texts of the topic that have words."""


@dataclass(frozen=True, slots=True)
class Overview:
    """A class at a glance; the figures leave out who wrote nothing."""

    texts: int
    average: str
    median: str
    bins: tuple[int, ...]
    """The numbers of texts that score from 0 to below 10 %, and so on; the last bin has 100 %, too."""
    missed: tuple[OftenMissed, ...]
    groups: dict[str, list[tuple[Row, str]]]
    """The students to look at, each with a remark, by the reason."""

    @property
    def described(self) -> str:
        """The distribution in words."""
        width = 100 // BINS
        shares = [
            f"{plural(count, 'text')} from {width * at} to {width * (at + 1)} %"
            for at, count in enumerate(self.bins)
            if count
        ]
        return f"How many texts have which score: {', '.join(shares)}."


def _overview(rows: Sequence[Row]) -> Overview:
    written = [row for row in rows if row.feedback and row.feedback.words]
    scores = [row.feedback.percent for row in written if row.feedback]
    bins = [0] * BINS
    for score in scores:
        # 100 % has no bin of its own
        bins[min(int(score * BINS / 100), BINS - 1)] += 1
    middle = median(scores) if scores else 0.0
    average = fmean(scores) if scores else 0.0
    return Overview(len(scores), _short(average), _short(middle), tuple(bins), _often_missed(written), _groups(rows))


def _short(percent: float) -> str:
    return f"{percent:.1f}".removesuffix(".0")


def _often_missed(written: Sequence[Row]) -> tuple[OftenMissed, ...]:
    """Return the ideas that more than half of the texts miss, by falling importance, then by how often missed."""
    ideas: dict[tuple[str, str], Idea] = {}
    missing: dict[tuple[str, str], list[tuple[Row, str]]] = {}
    texts: dict[str, list[Feedback]] = {}
    for row in written:
        if row.feedback:
            texts.setdefault(row.topic, []).append(row.feedback)
            for idea in (*row.feedback.near, *row.feedback.absent):
                ideas[row.topic, idea.scu] = idea
                missing.setdefault((row.topic, idea.scu), []).append((row, "unclear" if idea.perhaps else ""))
    often = [
        OftenMissed(
            topic, idea.idea, idea.mentioned, texts[topic][0].models, tuple(missing[topic, scu]), len(texts[topic])
        )
        for (topic, scu), idea in ideas.items()
        if 2 * len(missing[topic, scu]) > len(texts[topic]) > 1
    ]
    often.sort(key=lambda idea: (-idea.mentioned / idea.models, -len(idea.students) / idea.texts))
    return tuple(often[:MOST_MISSED])


def _groups(rows: Sequence[Row]) -> dict[str, list[tuple[Row, str]]]:
    """Return the students whom a teacher looks at first, each with a remark, by the reason."""
    groups: dict[str, list[tuple[Row, str]]] = {why: [] for why in _REASONS}
    for row in rows:
        feedback = row.feedback
        if feedback is None:
            groups["Not scored"].append((row, row.note))
            continue
        if feedback.copied.is_notable:
            groups["Copied"].append((row, str(feedback.copied)))
        if feedback.nature in _NOTES and feedback.nature != "nothing certain":
            groups[_NOTES[feedback.nature].capitalize()].append((row, ""))
        if feedback.disputed:
            groups["Contradicts the models"].append((row, f"in {plural(len(feedback.disputed), 'place')}"))
    return {why: members for why, members in groups.items() if members}


_REASONS = (
    "Not scored",
    "No text",
    "Copied",
    "A list of words",
    "Very short",
    "No idea found",
    "Contradicts the models",
)


def _name(feedback: Feedback) -> str:
    return f"{feedback.annotator}.{feedback.student}" if feedback.annotator else feedback.student


def _unread_name(peer: Unread) -> str:
    """Return a name that no student who could be read has, since one of them may have handed in a second file."""
    return f"{peer.name} unread {peer.number}".rstrip()


def file_name(name: str) -> str:
    """Return a name as a file's: letters, digits, ``.``, ``_`` and ``-`` only, of a length every file system takes.

    >>> file_name("../../etc/passwd"), file_name("Zoë O'Neil"), file_name("con")
    ('etc-passwd', 'Zoë-O-Neil', 'con_')
    """
    allowed = "".join(
        c if c.isalnum() or c in "._-" or category(c)[0] == "M" else "-" for c in normalize("NFC", clean(name))
    )
    stem = re.sub("-{2,}", "-", allowed).strip("-.")[:48].rstrip("-.") or "student"
    return f"{stem}_" if re.fullmatch(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?", stem) else stem


def _file_names(names: Sequence[str]) -> dict[str, str]:
    """Return a file's name for each name: none that the teacher's pages have, all different even without capitals."""
    taken = {"index", "all"}
    files: dict[str, str] = {}
    for name in sorted(names):
        stem = candidate = file_name(name)
        number = 1
        # file systems that ignore capitals would put two students into one file
        while candidate.casefold() in taken:
            number += 1
            candidate = f"{stem}-{number}"
        taken.add(candidate.casefold())
        files[name] = candidate
    return files
