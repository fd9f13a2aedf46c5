"""Drafts: the statements of writers, of which the rules keep some and drop others with a reason.

A field is cut into its sentences, statements that are too long or too short go, then duplicates within a reference
(:mod:`~pyramidion.crowd.statements.duplicates`). Shapira et al. (2019 §3) give no figures for either; their published
code has some, and another similarity than the paper's cosine. Two sets of rules, and any mixture of their settings:

=================  =========================================  ============================================
..                 ``paper``                                  ``litepyramids`` (the code)
=================  =========================================  ============================================
several sentences  each becomes a statement (ours)            dropped
length             2 to 20 words (20 is the code's)           4 to 20 tokens, punctuation counts
duplicates         cosine of bags of lemmas above .90 (ours)  overlap of sets of lemmas above .95
sample             the design's (32), equally by reference    4 a reference (one of the code's two batches)
=================  =========================================  ============================================

Words are what a writer counts (:mod:`~pyramidion.crowd.statements.length`). The code's rule for duplicates depends on
their order, which here is that of the texts, not that of the files.

Ids are made from the reference's text and the statement's, so that a review list stays right when answers come late.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from pyramidion.base.choices import check_choices
from pyramidion.crowd.answers.submission import Submission
from pyramidion.crowd.design import Design
from pyramidion.crowd.keys import key
from pyramidion.crowd.statements.duplicates import ENDS, FINDERS, THRESHOLDS, Duplicates, nearest
from pyramidion.crowd.statements.length import LONGEST, SHORTEST, count_words, unspaced_letters
from pyramidion.crowd.statements.reversal import difference
from pyramidion.crowd.statements.review import Draft
from pyramidion.crowd.study import Statement, Study
from pyramidion.errors import ModelError, PyramidionError
from pyramidion.language.parse.analysers import analysed
from pyramidion.language.parse.analysis import Analysis
from pyramidion.model import Summary, Topic
from pyramidion.notes import note

Several = Literal["split", "drop"]


@check_choices
@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The rules by which statements may be judged, and how many are."""

    several: Several = "split"
    """A field with several sentences: each becomes a statement, or all of it is dropped."""
    shortest: int = SHORTEST
    longest: int = LONGEST
    tokens: bool = False
    """Length is counted in the analyser's tokens, punctuation too, instead of words."""
    duplicates: Duplicates = "cosine"
    threshold: float | None = None
    """Statements that are more alike than this are duplicates; the default depends on the similarity."""
    per_reference: int | None = None
    """The number of statements to sample from each reference; the default is an equal part of the design's sample."""
    analyser: str = "en-minilm"

    def __post_init__(self) -> None:
        if not 1 <= self.shortest <= self.longest:
            raise ModelError(
                f"Statements may have {self.shortest} to {self.longest} words",
                do="give a shortest length of 1 or more, and a longest that is not below it",
            )
        if self.threshold is not None and not 0 < self.threshold <= 1:
            raise ModelError(f"The threshold for duplicates is {self.threshold}", do="give one above 0, up to 1")
        if self.per_reference is not None and self.per_reference < 1:
            raise ModelError(f"The number of statements per reference is {self.per_reference}", do="give 1 or more")

    @property
    def limit(self) -> float:
        """The threshold for duplicates."""
        return THRESHOLDS[self.duplicates] if self.threshold is None else self.threshold

    def sample_size(self, design: Design, references: int) -> int:
        """Return the number of statements of a topic that are judged, if there are enough."""
        return design.sample if self.per_reference is None else self.per_reference * references


RULES: dict[str, Rules] = {
    "paper": Rules(),
    "litepyramids": Rules(several="drop", shortest=4, tokens=True, duplicates="overlap", per_reference=4),
}


def rules_of(name: str, **changes: Any) -> Rules:
    """Return the rules of a name, with some settings changed; another similarity brings its own threshold."""
    try:
        rules = RULES[name]
    except KeyError:
        raise PyramidionError(f"There are no rules {name!r}", do=f"choose one of: {', '.join(RULES)}") from None
    if changes.get("duplicates", rules.duplicates) != rules.duplicates:
        changes.setdefault("threshold", None)
    return replace(rules, **changes)


def open_topics(study: Study) -> list[Topic]:
    """Return the topics that have no statements yet."""
    chosen = {statement.topic for statement in study.statements}
    return [topic for topic in study.topics if topic.id not in chosen]


def drafts(study: Study, submissions: Iterable[Submission], rules: Rules | str = "paper") -> tuple[Draft, ...]:
    """Return the statements about topics that have none selected yet: kept by the rules, or dropped with a reason.

    Submissions of other topics and phases, and rejected ones, are passed over.
    """
    rules = rules_of(rules) if isinstance(rules, str) else rules
    fields = _fields(study, submissions)
    proposed: list[Draft] = []
    for topic in open_topics(study):
        taken: Counter[str] = Counter()
        for reference in sorted(topic.references, key=lambda reference: reference.id):
            written = [
                Statement("", topic.id, reference.id, piece, author, sampled=False)
                for text, author in fields.get((topic.id, reference.id), ())
                for piece in _pieces(text, rules)
            ]
            # before ids are given: of equal texts, the number in the id must not depend on the order of answers
            written.sort(key=lambda statement: (statement.text, statement.author))
            proposed += _by_rules([_with_id(statement, reference, taken) for statement in written], rules)
    return tuple(proposed)


def _fields(study: Study, submissions: Iterable[Submission]) -> dict[tuple[str, str], list[tuple[str, str]]]:
    """Return by topic and reference the texts written and their authors."""
    known = {(topic.id, reference.id) for topic in study.topics for reference in topic.references}
    fields: dict[tuple[str, str], list[tuple[str, str]]] = {}
    strange: Counter[tuple[str, str]] = Counter()
    for submission in submissions:
        if submission.phase != "writing" or submission.status == "rejected":
            continue
        place = (submission.topic, submission.summary)
        if place not in known:
            strange[place] += 1
        else:
            texts = (" ".join(text.split()) for text in submission.written)
            fields.setdefault(place, []).extend((text, submission.worker) for text in texts if text.strip(ENDS + " "))
    if strange:
        topic, summary = min(strange)
        note(
            f"{strange.total()} submission(s) are about references that the study does not have and do not count, "
            f"the first: {summary!r} of topic {topic!r}"
        )
    return fields


def _pieces(text: str, rules: Rules) -> list[str]:
    """Return the sentences of a field; all of it where it is to be judged, or dropped, as a whole."""
    analysis = _analysis(text, rules)
    if rules.several == "drop" or len(analysis.sentences) < 2:
        return [text]
    first = text.find(analysis.text)
    starts = [first + span.start for span in analysis.sentence_spans()]
    ends = [*starts[1:], len(text)]
    # each piece runs to the beginning of the next sentence, so that nothing that was written is lost
    pieces = [text[start:end].strip() for start, end in zip([0, *starts[1:]], ends, strict=True)]
    return [piece for piece in pieces if piece.strip(ENDS + " ")]


def _with_id(statement: Statement, reference: Summary, taken: Counter[str]) -> Statement:
    id = "s" + key(reference.text or reference.id, statement.text)[:8]
    taken[id] += 1
    return replace(statement, id=id if taken[id] == 1 else f"{id}-{taken[id]}")


def _by_rules(written: Sequence[Statement], rules: Rules) -> list[Draft]:
    """Return the statements about one reference, with the reasons of those that are dropped."""
    reasons = [_form_problem(statement.text, rules) for statement in written]
    sound = [place for place, reason in enumerate(reasons) if not reason]
    duplicates = FINDERS[rules.duplicates]([written[place].text for place in sound], rules.limit, rules.analyser)
    for place, alike in duplicates.items():
        reasons[sound[place]] = f"duplicate of {written[sound[alike.place]].id}: {alike.similarity:.2f}"
    near = nearest([statement.text for statement in written], rules.duplicates, rules.analyser)
    doubts = _doubts([statement for statement, reason in zip(written, reasons, strict=True) if not reason], rules)
    return [
        Draft(
            replace(statement, dropped=reason),
            written[alike.place].id if alike else "",
            alike.similarity if alike else 0.0,
            doubts.get(statement.id, ""),
        )
        for statement, reason, alike in zip(written, reasons, near, strict=True)
    ]


def _doubts(kept: Sequence[Statement], rules: Rules) -> dict[str, str]:
    """Return, by id, why a statement that is as alike to another as a duplicate was kept: a person should decide."""
    doubts = {}
    if rules.duplicates == "cosine":
        alike_of = nearest([statement.text for statement in kept], rules.duplicates, rules.analyser)
        for statement, alike in zip(kept, alike_of, strict=True):
            if alike and alike.similarity > rules.limit:
                like = kept[alike.place]
                how = difference(statement.text, like.text, rules.analyser)
                doubts[statement.id] = f"like {like.id} ({alike.similarity:.2f}), but not the same: {how}"
    return doubts


def _form_problem(text: str, rules: Rules) -> str:
    """Return the reason why a statement's form rules it out; empty if it does not."""
    analysis = _analysis(text, rules)
    length, unit = (_tokens(analysis), "tokens") if rules.tokens else (count_words(text), "words")
    if len(analysis.sentences) > 1:
        return f"several sentences: {len(analysis.sentences)}"
    if length > rules.longest:
        return f"too long: {length} {unit}, at most {rules.longest}"
    if length < rules.shortest:
        return f"too short: {length} {unit}, at least {rules.shortest}"
    return ""


def _analysis(text: str, rules: Rules) -> Analysis:
    return analysed(text.strip(ENDS + " "), rules.analyser)


def _tokens(analysis: Analysis) -> int:
    """Return the number of tokens; two letters of a script without spaces, a token each, count as one."""
    return len(analysis.words) - sum(bool(unspaced_letters(word.form)) for word in analysis.words) // 2
