"""Feedback for students: the ideas that a text contains, contradicts and misses, in which words, and the score.

Instructors need "scores and score justifications" (Gao et al. 2019 §5). A :class:`Feedback` says what an
:class:`~pyramidion.explanation.Explanation` says, in words for the student: an SCU is an idea, its weight the number
of model summaries that mention it, and coverage the share of the important content that the text holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import count
from statistics import fmean
from typing import Any, Literal

from pyramidion.evaluation.evaluation import Evaluation
from pyramidion.evaluation.scored import Scored, mark
from pyramidion.explanation import Contradicted, Explanation, Expressed, Missed, Said, explain
from pyramidion.language.text.identify import english_grammar
from pyramidion.metrics.copying import NOTHING, Copied
from pyramidion.model import Span
from pyramidion.reports.page.data import pieces as cut
from pyramidion.scoring import Scores

Sureness = Literal["very sure", "quite sure", "less sure"]

Nature = Literal[
    "empty", "incomparable", "pasted", "put together", "word list", "very short", "nothing found", "nothing certain",
    "everything", "most", "much", "some",
]  # fmt: skip
"""The kinds of text, in the order in which they are looked for, and then four shares of the important content."""

VERY_SURE, QUITE_SURE = 0.8, 0.6
"""The lowest scores of matches that are called very sure and quite sure.

For a calibrated judge, whose matches start at .5, the words have a meaning: such matches are right at least four times
out of five, three times out of five, and every second time. For similarities they are only a reading aid.
"""

PERHAPS = 0.3
"""The lowest probability at which a student may have meant an idea that was not found."""

SHORT = 0.2
"""A text is very short if it has less than this share of the words of an average model summary."""

LISTED, SENTENCES = 0.1, 0.2
"""A text is a list of words if fewer of them are function words, while the model summaries have more than the second
share; sentences have about .4 of them."""

MOST, MUCH = 0.75, 0.4
"""The shares of the important content, in the student's own words and without doubt, that are praised."""

_NEGATION = re.compile(
    r"\b(?:no|not|never|none|nobody|nothing|nowhere|neither|nor|without|cannot)\b|n['\u2019]t\b", re.I
)


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
    """The words of one model summary; empty where those are the idea's own words."""
    yours: tuple[str, ...] = ()
    score: float = 0.0
    """The probability, or similarity, of the idea in the text; of a contradicted idea, that of the contradiction."""
    sure: Sureness | None = None
    """The sureness of an automatic reader; ``None`` where a person read."""
    perhaps: bool = False
    """Missed, but the student may have meant it: a judge's probability is at least :data:`PERHAPS`, and more than one
    model summary, if there are several, mentions it."""
    unclear: str = ""
    """The reason why nobody can be advised to add it in these words: its label cannot be read by itself."""
    doubt: str = ""
    """Found, but not for certain: why a reader had better look."""
    copied: bool = False
    """Found or contradicted, but in words that are copied."""
    scu: str = ""


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
    copied: bool = False


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
    margin: float | None = None
    """The standard deviation of the percentage by the judge's own doubt."""
    model_words: float = 0.0
    """The average number of words of a model summary."""
    lists_words: bool = False
    """The text is a list of words and no sentences."""

    @property
    def certain(self) -> tuple[Idea, ...]:
        """The found ideas that nothing speaks against."""
        return tuple(idea for idea in self.found if not idea.doubt)

    @property
    def doubted(self) -> tuple[Idea, ...]:
        """The found ideas that are not certain."""
        return tuple(idea for idea in self.found if idea.doubt)

    def importance(self, piece: Piece) -> int:
        """Return how many model summaries mention the most important certain idea of a piece; 0 if it has none."""
        return max((idea.mentioned for idea in self.certain if idea.number in piece.ideas), default=0)

    @property
    def disputed(self) -> tuple[Idea, ...]:
        """The ideas that the student's own words contradict; whoever copies can hardly mean the opposite."""
        return tuple(idea for idea in self.contradicted if not idea.copied)

    @property
    def nature(self) -> Nature:
        """The kind of text, or else how much of the content it has for certain and in the student's own words."""
        if not self.words:
            return "empty"
        if not (self.found or self.missed or self.contradicted):
            return "incomparable"
        if self.copied.is_pasted:
            return "put together" if len(self.copied.origins) > 1 else "pasted"
        if self.lists_words:
            return "word list"
        if self.words < SHORT * self.model_words:
            return "very short"
        if not self.certain:
            return "nothing certain" if self.doubted else "nothing found"
        if not (self.missed or self.contradicted or self.doubted or any(idea.copied for idea in self.found)):
            return "everything"
        earned = sum(idea.points for idea in self.certain if not idea.copied)
        share = min(earned / self.scores.max_for_average, 1.0) if self.scores.max_for_average else 0.0
        return "most" if share >= MOST else "much" if share >= MUCH else "some"

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
        """True where points are an expectation, in which an idea counts with its probability."""
        return self.scores.raw != self.scores.counted

    @property
    def points(self) -> str:
        """The points as a student reads them: about how many, where they are an expectation."""
        whole = round(self.scores.raw or 0)
        number = f"{whole} point{'' if whole == 1 else 's'}"
        return number if not self.expected else f"about {number}" if whole else "less than 1 point"

    @property
    def percent(self) -> float:
        """Coverage as a percentage, the number that the gradebook has: 100 at most."""
        return mark(self.scores, self.copied) or 0.0

    @property
    def percent_shown(self) -> str:
        """The percentage with its decimals, if it has any."""
        return f"{self.percent:.2f}".removesuffix(".00")

    @property
    def holds_more(self) -> bool:
        """True where the text holds more than an average model summary could at best."""
        return (self.scores.raw or 0) > self.scores.max_for_average


def feedback(evaluation: Evaluation) -> tuple[Feedback, ...]:
    """Return the feedback for every peer that has scores, sorted by name and topic."""
    signature = str(evaluation.signature)
    peers = (scored for scored in evaluation.results if scored.scores.role == "peer")
    feedbacks = [_feedback(scored, signature) for scored in peers if scored.scores.coverage is not None]
    return tuple(sorted(feedbacks, key=lambda feedback: (feedback.student, feedback.topic, feedback.annotator)))


def _feedback(scored: Scored, signature: str) -> Feedback:
    """Return the feedback on one text: its explanation in words for the student, and what a reader should doubt."""
    scores, summary = scored.scores, scored.annotation.summary
    explanation = explain(scored.pyramid, scored.annotation, scores.settings)
    divided = bool(explanation.sentences)  # only programs divide texts, and an annotation need not name its program
    read_by_machine = bool(scored.annotation.matcher) or divided or any(scu.score < 1 for scu in explanation.expressed)
    read_by_machine = read_by_machine or any(scu.probability < 1 for scu in explanation.contradicted)
    numbers = count(1)

    def idea(scu: Expressed | Contradicted | Missed, score: float, words: Sequence[str] = ()) -> Idea:
        sure = sureness(score) if read_by_machine and not isinstance(scu, Missed) else None
        yours = tuple(filter(None, map(_quotable, words)))
        return replace(_idea(next(numbers), scu, read_by_machine), yours=yours, score=score, sure=sure)

    def is_copied(places: Sequence[Span]) -> bool:
        # copied for the greater part, counted in characters
        return 2 * _overlap(places, scored.copied.spans) > sum(span.end - span.start for span in places)

    def expressed(scu: Expressed) -> Idea:
        said = idea(scu, scu.score, scu.words)
        places = [span for spans in scu.spans for span in spans]
        return replace(
            said,
            doubt=_doubt(said, _surrounding_clauses(summary.text, places), scu.contributors, explanation.judged)
            if read_by_machine
            else "",
            copied=is_copied(places),
        )

    found = tuple(map(expressed, explanation.expressed))
    contradicted = tuple(
        replace(idea(scu, scu.probability, [scu.words]), copied=is_copied(scu.spans))
        for scu in explanation.contradicted
    )
    shared = min(2, scored.pyramid.size)
    # ideas are numbered as they come, so those that cannot be put into words go last
    missed = tuple(
        replace(idea(scu, scu.score), perhaps=scu.score >= PERHAPS and scu.weight >= shared, unclear=scu.unclear)
        for scu in sorted(explanation.missed, key=lambda scu: bool(scu.unclear))
    )
    models = [reference.text for reference in scored.pyramid.references]
    return Feedback(
        topic=scores.topic,
        student=scores.summary,
        annotator=scores.annotator,
        models=scored.pyramid.size,
        words=len(summary.text.split()),
        scores=scores,
        found=found,
        missed=missed,
        besides=tuple(map(_quotable, explanation.unmatched)),
        text=tuple(_pieces(summary.text, explanation, scored.copied.spans)),
        automatic=read_by_machine,
        signature=signature,
        contradicted=contradicted,
        copied=scored.copied,
        margin=scored.margin,
        model_words=fmean(len(text.split()) for text in models) if models else 0.0,
        lists_words=_lists_words(summary.text, models),
    )


def _doubt(idea: Idea, around: str, contributors: Sequence[Said], judged: bool) -> str:
    """Return why a found idea is not certain: the judge doubts it, or only one of the two says *not*.

    A negation may stand in the clause ``around`` the student's words, too: *what nobody expected is that weed grew*.
    """
    if idea.score >= 1:  # a person's word
        return ""
    if judged and idea.sure == "less sure":
        return "the program is not sure that you mean this"
    said = " ".join(idea.yours)
    model = _wording(said, contributors)
    if not (said and model):
        return ""
    denies = any(map(_NEGATION.search, (model, idea.idea)))
    differs = not denies if _NEGATION.search(said) else denies and not _NEGATION.search(around)
    return "only one of the two says 'not' or the like" if differs else ""


def _surrounding_clauses(text: str, places: Sequence[Span]) -> str:
    """Return the clauses, roughly, that hold the places: to the next full stop or *and*."""
    if not places:
        return ""
    start, end = min(span.start for span in places), max(span.end for span in places)
    border = r"[.!?;](?:\s|$)|,?\sand\s"
    return f"{re.split(border, text[:start])[-1]}{text[start:end]}{re.split(border, text[end:])[0]}"


def _lists_words(text: str, models: Sequence[str]) -> bool:
    # of so few words, the share that are function words says nothing
    if len(text.split()) <= 5 or english_grammar(text) >= LISTED:
        return False
    return bool(models) and fmean(map(english_grammar, models)) > SENTENCES


def _overlap(first: Sequence[Span], second: Sequence[Span]) -> int:
    """Return how many characters the first spans have in common with the second."""
    return sum(max(0, min(a.end, b.end) - max(a.start, b.start)) for a in first for b in second)


def _idea(number: int, scu: Expressed | Contradicted | Missed, read_by_machine: bool) -> Idea:
    wording = _wording(scu.label, scu.contributors)
    label = _quotable(scu.label).rstrip(".") or wording or scu.scu
    if read_by_machine and label.partition(" ")[0].islower():
        label = label[0].upper() + label[1:]  # a program's label is a piece of a sentence
    as_label = _words(label) == _words(wording)
    mentioned = len({said.reference for said in scu.contributors})
    return Idea(number, label, scu.weight, mentioned, "" if as_label else wording, scu=scu.scu)


def _quotable(text: str) -> str:
    """Return the text on one line, without what hangs from its ends or from where it was cut.

    >>> _quotable("; it was...,  also...free of tax....")
    'it was \N{HORIZONTAL ELLIPSIS} also \N{HORIZONTAL ELLIPSIS} free of tax'
    >>> _quotable("Reeds were planted...and")
    'Reeds were planted'
    """
    line = re.sub(r"(?<=[^\s.])\.\.\.[\s.,;:]*(?=[^\s.,;:])", " \N{HORIZONTAL ELLIPSIS} ", " ".join(text.split()))
    line = re.sub(r"^[\s.,;:]+(?=.)|(?<=.)(?:\.\.\.[\s.]*|[\s,;:]+)$", "", line)
    return re.sub(r"(?<=\w)(?:[\s,;:\N{HORIZONTAL ELLIPSIS}]+(?:and|but|or))+$", "", line)


def _wording(label: str, contributors: Sequence[Said]) -> str:
    """Return the contributor whose words have most in common with the label, the shorter of two; no name decides."""
    wanted = set(_words(label))

    def rank(words: str) -> tuple[float, int, str]:
        forms = set(_words(words))
        return -2 * len(forms & wanted) / (len(forms) + len(wanted) or 1), len(words), words

    known = sorted(filter(None, (_quotable(said.words) for said in contributors)), key=rank)
    return known[0] if known else ""


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _pieces(text: str, explanation: Explanation, copied: Sequence[Span]) -> Iterator[Piece]:
    """Yield the text, cut where an idea's words or a copied run begin or end; spans without a word do not count."""

    def worded(spans: Sequence[Span]) -> list[Span]:
        return [span for span in spans if re.search(r"\w", span.of(text))]

    said = [(number, worded(place)) for number, scu in enumerate(explanation.expressed, 1) for place in scu.spans]
    against = [
        (number, worded(scu.spans))
        for number, scu in enumerate(explanation.contradicted, len(explanation.expressed) + 1)
    ]
    borders = sorted({border for span in copied for border in (span.start, span.end)})
    start = 0
    for piece in cut(text, said, (), against):
        carried, ending, opposed = (tuple(piece.get(name, ())) for name in ("in", "ends", "against"))
        end = start + len(piece["text"])
        for border in (*(border for border in borders if start < border < end), end):
            is_copied = any(span.start <= start and border <= span.end for span in copied)
            yield Piece(text[start:border], carried, ending if border == end else (), opposed, is_copied)
            start = border


_NUMBERS = ("raw", "counted", "quality", "coverage", "comprehensive", "scus")
_IDEA = ("number", "idea", "points", "mentioned", "wording", "score")


def to_json(feedback: Feedback) -> dict[str, Any]:
    """Return the machine-readable form: what the page says, but for the text, which the JSON of an evaluation has."""
    scores = feedback.scores
    record = {"topic": feedback.topic, "student": feedback.student, "annotator": feedback.annotator}
    record |= {name: getattr(scores, name) for name in _NUMBERS}
    return record | {
        "percent": feedback.percent,
        "uncertainty": feedback.margin,
        "nature": feedback.nature,
        "copied": asdict(feedback.copied),
        "words": feedback.words,
        "model_summaries": feedback.models,
        "automatic": feedback.automatic,
        "found": _records(feedback.found, "yours", "sure", "doubt", "copied"),
        "contradicted": _records(feedback.contradicted, "yours", "sure"),
        "missed": _records(feedback.missed, "perhaps", "unclear"),
        "besides": list(feedback.besides),
    }


def _records(ideas: Sequence[Idea], *more: str) -> list[dict[str, Any]]:
    return [{name: getattr(idea, name) for name in (*_IDEA, *more)} for idea in ideas]
