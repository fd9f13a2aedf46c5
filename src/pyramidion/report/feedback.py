"""Feedback for students: the ideas that a text contains, contradicts and misses, in which words, and the score.

Instructors need "scores and score justifications" (Gao et al. 2019 §5). A :class:`Feedback` says what an
:class:`~pyramidion.explain.Explanation` says, in words for the student: an SCU is an idea, its weight the number
of model summaries that mention it, and coverage the share of the important content that the text holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import count
from typing import Any, Literal
from unicodedata import category, normalize
from urllib.parse import quote

from pyramidion.explain import Contradicted, Explanation, Expressed, Missed, Said, explain
from pyramidion.io.files import encode
from pyramidion.io.names import clean
from pyramidion.metrics.copying import NOTHING, Copied
from pyramidion.model import Span
from pyramidion.report.page.data import pieces as cut
from pyramidion.runs.scored import percentage
from pyramidion.score import Scores
from pyramidion.studies.evaluate import Evaluation, Scored

Sureness = Literal["very sure", "quite sure", "less sure"]

VERY_SURE, QUITE_SURE = 0.8, 0.6
"""The lowest scores of matches that are called very sure and quite sure.

For a calibrated judge, whose matches start at .5, the words have a meaning: such matches are right at least four times
out of five, three times out of five, and every second time. For similarities they are only a reading aid.
"""

PERHAPS = 0.3
"""The lowest probability at which a student may have meant an idea that was not found."""

SHOWN_MISSED, SHOWN_CONTRADICTED, SHOWN_BESIDES, QUOTED_FOUND = 5, 5, 4, 6
"""How many missed ideas, contradicted ones and other passages are printed, and found ideas with quotations, so that two
sheets of paper are enough; on the screen the others unfold or stand there anyway."""


def sureness(score: float) -> Sureness:
    """Describe in words how sure a reader is of a match.

    >>> sureness(0.85), sureness(0.6), sureness(0.2)
    ('very sure', 'quite sure', 'less sure')
    """
    return "very sure" if score >= VERY_SURE else "quite sure" if score >= QUITE_SURE else "less sure"


@dataclass(frozen=True, slots=True)
class Idea:
    """An SCU for a student: found in the text or contradicted, in ``yours``, or missed.

    It is ``mentioned`` by so many model summaries.
    """

    number: int
    idea: str
    points: int
    mentioned: int
    wording: str
    """How one model summary says it; empty where those are the idea's own words."""
    yours: tuple[str, ...] = ()
    score: float = 0.0
    """How probable, or similar, what is found or missed is; of a contradicted idea, how probable that is."""
    sure: Sureness | None = None
    """How sure an automatic reader is; ``None`` where a person read."""
    perhaps: bool = False
    """Missed, but the student may have meant it: a judge's probability is at least :data:`PERHAPS`, and more than one
    model summary, if there are several, mentions it."""
    unclear: str = ""
    """Why nobody can be advised to add it in these words: its label cannot be read by itself."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the student's text that carries the same ideas throughout, and which of them end with it.

    ``ending`` names contradicted ideas, too.
    """

    words: str
    ideas: tuple[int, ...] = ()
    ending: tuple[int, ...] = ()
    against: tuple[int, ...] = ()
    """The ideas that it contradicts."""


@dataclass(frozen=True, slots=True)
class Feedback:
    """The content of a student's page."""

    topic: str
    student: str
    annotator: str
    models: int
    """The number of model summaries."""
    words: int
    scores: Scores
    found: tuple[Idea, ...]
    missed: tuple[Idea, ...]
    besides: tuple[str, ...]
    text: tuple[Piece, ...]
    automatic: bool
    signature: str
    contradicted: tuple[Idea, ...] = ()
    copied: Copied = NOTHING

    @property
    def near(self) -> tuple[Idea, ...]:
        """The missed ideas that the student may have meant."""
        return tuple(idea for idea in self.missed if idea.perhaps and not idea.unclear)

    @property
    def absent(self) -> tuple[Idea, ...]:
        """The other missed ideas that can be put into words."""
        return tuple(idea for idea in self.missed if not idea.perhaps and not idea.unclear)

    @property
    def vague(self) -> tuple[Idea, ...]:
        """The missed ideas whose labels cannot be read by themselves: no advice, but they count."""
        return tuple(idea for idea in self.missed if idea.unclear)

    @property
    def expected(self) -> bool:
        """Whether points are an expectation, in which an idea counts with its probability."""
        return self.scores.raw != self.scores.counted

    @property
    def points(self) -> str:
        """The points as a student reads them: about how many, where they are an expectation."""
        whole = round(self.scores.raw or 0)
        number = f"{whole} point{'' if whole == 1 else 's'}"
        return number if not self.expected else f"about {number}" if whole else "less than 1 point"

    @property
    def percent(self) -> float:
        """Coverage as a percentage, the number that the gradebook has."""
        return percentage(self.scores, self.copied) or 0.0

    @property
    def percent_shown(self) -> str:
        """The percentage with its decimals, if it has any."""
        return f"{self.percent:.2f}".removesuffix(".00")

    @property
    def holds_more(self) -> bool:
        """Whether the text holds more than an average model summary could at best."""
        return (self.scores.raw or 0) > self.scores.max_for_average


def feedback(evaluation: Evaluation) -> tuple[Feedback, ...]:
    """Return the feedback for every peer that has scores, sorted by name and topic."""
    signature = str(evaluation.signature)
    scored = (one for one in evaluation.results if one.scores.role == "peer" and one.scores.coverage is not None)
    made = [_feedback(one, signature) for one in scored]
    return tuple(sorted(made, key=lambda one: (one.student, one.topic, one.annotator)))


def _feedback(one: Scored, signature: str) -> Feedback:
    scores, summary = one.scores, one.annotation.summary
    told = explain(one.pyramid, one.annotation, scores.settings)
    divided = bool(told.sentences)  # as only programs do, of which an annotation need not name the one
    read_by_machine = bool(one.annotation.matcher) or divided or any(scu.score < 1 for scu in told.expressed)
    read_by_machine = read_by_machine or any(scu.probability < 1 for scu in told.contradicted)
    numbers = count(1)

    def idea(scu: Expressed | Contradicted | Missed, score: float, words: Sequence[str] = ()) -> Idea:
        sure = sureness(score) if read_by_machine and not isinstance(scu, Missed) else None
        yours = tuple(filter(None, map(_quotable, words)))
        return replace(_idea(next(numbers), scu, read_by_machine), yours=yours, score=score, sure=sure)

    found = tuple(idea(scu, scu.score, scu.words) for scu in told.expressed)
    contradicted = tuple(idea(scu, scu.probability, [scu.words]) for scu in told.contradicted)
    shared = min(2, one.pyramid.size)
    missed = tuple(
        replace(idea(scu, scu.score), perhaps=scu.score >= PERHAPS and scu.weight >= shared, unclear=scu.unclear)
        for scu in sorted(told.missed, key=lambda scu: bool(scu.unclear))
    )
    return Feedback(
        scores.topic,
        scores.summary,
        scores.annotator,
        one.pyramid.size,
        len(summary.text.split()),
        scores,
        found,
        missed,
        tuple(map(_quotable, told.unmatched)),
        tuple(_pieces(summary.text, told)),
        read_by_machine,
        signature,
        contradicted,
        one.copied,
    )


def _idea(number: int, scu: Expressed | Contradicted | Missed, read_by_machine: bool) -> Idea:
    wording = _wording(scu.label, scu.contributors)
    label = _quotable(scu.label).rstrip(".") or wording or scu.scu
    if read_by_machine and label.partition(" ")[0].islower():
        label = label[0].upper() + label[1:]  # a program's label is a piece of a sentence
    same = _words(label) == _words(wording)
    mentioned = len({said.reference for said in scu.contributors})
    return Idea(number, label, scu.weight, mentioned, "" if same else wording)


def _quotable(text: str) -> str:
    """The text on one line, without punctuation that hangs from its ends or from where it was cut.

    >>> _quotable("; it was...,  also...free of tax....")
    'it was \N{HORIZONTAL ELLIPSIS} also \N{HORIZONTAL ELLIPSIS} free of tax'
    """
    line = re.sub(r"(?<=[^\s.])\.\.\.[\s.,;:]*(?=[^\s.,;:])", " \N{HORIZONTAL ELLIPSIS} ", " ".join(text.split()))
    return re.sub(r"^[\s.,;:]+(?=.)|(?<=.)(?:\.\.\.[\s.]*|[\s,;:]+)$", "", line)


def _wording(label: str, contributors: Sequence[Said]) -> str:
    """The contributor whose words have most in common with the label, the shorter of two; no name decides."""
    wanted = set(_words(label))

    def rank(words: str) -> tuple[float, int, str]:
        own = set(_words(words))
        return -2 * len(own & wanted) / (len(own) + len(wanted) or 1), len(words), words

    known = sorted(filter(None, (_quotable(said.words) for said in contributors)), key=rank)
    return known[0] if known else ""


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _pieces(text: str, told: Explanation) -> Iterator[Piece]:
    """The text, cut wherever an idea's words begin or end; spans of mere punctuation are left out."""

    def worded(spans: Sequence[Span]) -> list[Span]:
        return [span for span in spans if re.search(r"\w", span.of(text))]

    said = [(number, worded(place)) for number, scu in enumerate(told.expressed, 1) for place in scu.spans]
    against = [(number, worded(scu.spans)) for number, scu in enumerate(told.contradicted, len(told.expressed) + 1)]
    for piece in cut(text, said, (), against):
        yield Piece(piece["text"], *(tuple(piece.get(name, ())) for name in ("in", "ends", "against")))


def page(one: Feedback) -> str:
    """Return a student's page as one self-contained HTML file."""
    from pyramidion.report.page import page as render

    mentioned = {idea.number: idea.mentioned for idea in one.found}
    return render(
        "feedback.html",
        styles=("feedback.css",),
        one=one,
        shown_missed=SHOWN_MISSED,
        shown_contradicted=SHOWN_CONTRADICTED,
        shown_besides=SHOWN_BESIDES,
        quoted_found=QUOTED_FOUND,
        strongest=lambda piece: max(mentioned[number] for number in piece.ideas),
        unsure=sum(idea.sure == "less sure" for idea in one.found),
    )


def pages(every: Sequence[Feedback]) -> dict[str, bytes]:
    """A page per student and ``index.html``, which lists them, by their paths in one folder.

    Where there are several topics, each has a folder of its own. Paths hold nothing that could lead out of the folder,
    whatever the students and topics are called.
    """
    from pyramidion.report.page import page as render

    topics = _distinct(list(dict.fromkeys(one.topic for one in every)))
    several = len(topics) > 1
    made: dict[str, bytes] = {}
    rows: list[tuple[Feedback, str]] = []
    for topic, folder in topics.items():
        of_topic = [one for one in every if one.topic == topic]
        names = _distinct([_name(one) for one in of_topic])
        for one in of_topic:
            path = f"{folder}/{names[_name(one)]}.html" if several else f"{names[_name(one)]}.html"
            made[path] = encode(page(one))
            rows.append((one, quote(path)))
    rows.sort(key=lambda row: (row[0].student, row[0].topic, row[0].annotator))
    contradicted = any(one.contradicted for one in every)
    index = render(
        "feedback-index.html",
        styles=("feedback.css",),
        rows=rows,
        several=several,
        contradicted=contradicted,
        copied=any(one.copied.is_notable for one in every),
    )
    return {"index.html": encode(index), **made}


def _name(one: Feedback) -> str:
    return f"{one.annotator}.{one.student}" if one.annotator else one.student


def file_name(name: str) -> str:
    """A name as a file's: letters, digits, ``.``, ``_`` and ``-`` only, of a length every file system takes.

    >>> file_name("../../etc/passwd"), file_name("Zoë O'Neil"), file_name("con")
    ('etc-passwd', 'Zoë-O-Neil', 'con_')
    """
    kept = "".join(
        c if c.isalnum() or c in "._-" or category(c)[0] == "M" else "-" for c in normalize("NFC", clean(name))
    )
    stem = re.sub("-{2,}", "-", kept).strip("-.")[:48].rstrip("-.") or "student"
    return f"{stem}_" if re.fullmatch(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?", stem) else stem


def _distinct(names: Sequence[str]) -> dict[str, str]:
    """A file's name for each name, no two alike where capitals do not count, and none ``index``."""
    taken = {"index"}
    made: dict[str, str] = {}
    for name in sorted(names):
        stem = candidate = file_name(name)
        number = 1
        while candidate.casefold() in taken:
            number += 1
            candidate = f"{stem}-{number}"
        taken.add(candidate.casefold())
        made[name] = candidate
    return made


_NUMBERS = ("raw", "counted", "quality", "coverage", "comprehensive", "scus")
_IDEA = ("number", "idea", "points", "mentioned", "wording", "score")


def to_json(one: Feedback) -> dict[str, Any]:
    """The machine-readable form: what the page says, without the text, which the JSON of an evaluation places."""
    scores = one.scores
    record = {"topic": one.topic, "student": one.student, "annotator": one.annotator}
    record |= {name: getattr(scores, name) for name in _NUMBERS}
    return record | {
        "percent": one.percent,
        "copied": asdict(one.copied),
        "words": one.words,
        "model_summaries": one.models,
        "automatic": one.automatic,
        "found": [{name: getattr(idea, name) for name in (*_IDEA, "yours", "sure")} for idea in one.found],
        "contradicted": [
            {name: getattr(idea, name) for name in (*_IDEA, "yours", "sure")} for idea in one.contradicted
        ],
        "missed": [{name: getattr(idea, name) for name in (*_IDEA, "perhaps", "unclear")} for idea in one.missed],
        "besides": list(one.besides),
    }
