"""The nouns of the Pyramid Method (Nenkova et al. 2007 §2), as values.

Everything here is frozen: a pyramid that was checked once stays right. Offsets are characters of one summary's own
text, never guessed. What can be derived is derived: an SCU's weight is the number of distinct references that
contribute to it (§2.1), never a stored number. Construction validates and names the offender
(:class:`~pyramidion.errors.ModelError`).

What a program needs to know has a field of its own; a ``comment`` is free text for people, and nothing depends on it.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import KW_ONLY, dataclass, field, fields, replace
from itertools import repeat
from operator import attrgetter
from typing import Final, Literal, Protocol, TypeVar, get_args

from pyramidion.base.choices import check_choices
from pyramidion.errors import ModelError
from pyramidion.notes import note

Role = Literal["reference", "peer"]

Unjudged = Literal["no answer", "not asked"]
"""Why an annotator did not judge an SCU: the question was left out, or never put."""
NO_ANSWER: Final = "no answer"
NOT_ASKED: Final = "not asked"

SEGMENT = re.compile(r"([1-9][0-9]*)\.([1-9][0-9]*)\.([0-9]+)\.([0-9]+)", re.ASCII)
"""A segment's name (Gao et al. 2019): summary and sentence, counted from 1, segmentation and segment, from 0."""

GAP = "..."
"""What stands between the pieces of a discontinuous contributor when it is shown as text (DUCView's habit)."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Characters ``start`` up to, not including, ``end`` of one text.

    >>> import pyramidion as pm
    >>> pm.Span(4, 8).of("The Pyramid Method")
    'Pyra'
    """

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start < self.end:
            raise ModelError(
                f"The span {self.start}-{self.end} is empty or negative", do="give start < end, both counted from 0"
            )

    def of(self, text: str) -> str:
        """The words that the span covers."""
        return text[self.start : self.end]


_START_AND_END = attrgetter("start", "end")


def in_text_order(spans: tuple[Span, ...]) -> tuple[Span, ...]:
    """The spans by where they start, and by where they end."""
    return spans if len(spans) < 2 else tuple(sorted(spans, key=_START_AND_END))


@check_choices
@dataclass(frozen=True, slots=True)
class Summary:
    """A reference (written by a person, to build the pyramid) or a peer (to be evaluated)."""

    id: str
    text: str
    role: Role = "reference"
    number: str = field(default="", compare=False, kw_only=True)
    """The writer's id in another system, such as a student number; gradebooks repeat it."""

    def __post_init__(self) -> None:
        if not isinstance(self.text, str):
            raise ModelError(
                f"Summary {self.id!r} has no text, but {self.text!r}",
                do="leave it out, or give an empty text for one that says nothing",
            )

    def quote(self, spans: Iterable[Span]) -> str:
        """The words of the spans, in text order, with ``...`` where they are apart.

        >>> Summary("D6", "recruitment of GM's visionary chief Lopez").quote([Span(36, 41), Span(0, 19)])
        "recruitment of GM's...Lopez"
        """
        return GAP.join(span.of(self.text) for span in sorted(spans))

    def check(self, spans: Iterable[Span], whose: str, id: str = "") -> None:
        """Raise unless every span lies inside the text."""
        length = len(self.text)
        for span in spans:
            if span.end > length:
                raise ModelError(
                    f"{whose}{f' {id!r}' if id else ''} ends at {span.end}, "
                    f"but the text of summary {self.id!r} has {length} characters",
                    do="count offsets in characters of that summary's own text, from 0",
                )


@dataclass(frozen=True, slots=True)
class Source:
    """A document that was summarized."""

    id: str
    text: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a unit of the sources stands: characters of one source document."""

    source: str
    span: Span


def _check_words(whose: str, spans: tuple[Span, ...], segment: str, supported: bool) -> None:
    """Raise unless the segment has a segment's name, and words that were not found have no place."""
    if segment and not SEGMENT.fullmatch(segment):
        raise ModelError(
            f"{whose} has the segment {segment!r}", do="name it SUMMARY.SENTENCE.SEGMENTATION.SEGMENT, as in 1.6.1.0"
        )
    if spans and not supported:
        raise ModelError(
            f"{whose} has spans and is not supported", do="leave out the spans of words that are not in the text"
        )


@dataclass(frozen=True, slots=True)
class Contributor:
    """The words of one summary that express a content unit (§2.1).

    They may be discontinuous (several spans), and contributors of different SCUs may overlap. A contributor without
    spans says that the summary expresses the unit without saying where; ``label`` then holds the words, if they are
    known.
    """

    summary: str
    spans: tuple[Span, ...] = ()
    label: str = ""
    comment: str = ""
    """Free text."""
    _: KW_ONLY
    segment: str = ""
    """The segment of the summary that it is (:data:`SEGMENT`), where a program divided the text."""
    place: Place | None = None
    """Where in the source documents the unit stands, if it was taken from there."""
    reason: str = ""
    """What a program read in the words: a triple."""
    supported: bool = True
    """Whether the words that a model quoted are in the summary; if not, there are no spans."""
    annotator: str = ""
    """Who wrote it, if that is known."""

    def __post_init__(self) -> None:
        if len(self.spans) > 1:
            object.__setattr__(self, "spans", in_text_order(self.spans))
        if self.segment or not self.supported:
            _check_words(f"A contributor from {self.summary!r}", self.spans, self.segment, self.supported)


@dataclass(frozen=True, slots=True)
class SCU:
    """A summary content unit: one idea, the words that express it, and a label in the annotator's own words (§2.1)."""

    id: str
    label: str
    contributors: tuple[Contributor, ...]
    comment: str = ""
    """Free text."""
    _: KW_ONLY
    sentence: str = ""
    """The source sentence around the unit, if it was taken from the source documents."""
    unclear: str = ""
    """Why its label cannot be read by itself, where a program that made it found so."""
    weight: int = field(init=False, repr=False, compare=False)
    """The number of distinct references that express the unit (§2.1): derived, never given.

    A second contributor from the same reference adds nothing; DUCView counts it (see ``weights`` in
    :class:`~pyramidion.scoring.Settings`).
    """

    def __post_init__(self) -> None:
        if not self.contributors:
            raise ModelError(f"SCU {self.id!r} ({self.label!r}) has no contributor", do="add one or delete the SCU")
        object.__setattr__(self, "weight", len({contributor.summary for contributor in self.contributors}))


_V = TypeVar("_V")


def unchecked(kind: type[_V], **columns: Sequence[object]) -> list[_V]:
    """Many values of one kind, from a column for each field; a field without one has its default.

    No constructor runs, so nothing is checked or derived: for readers that have done both, for all values at once. It
    takes about a third of the time.
    """
    if columns.keys() - {member.name for member in fields(kind)} or len({*map(len, columns.values())}) != 1:  # type: ignore[arg-type]
        raise ValueError(f"The columns must be fields of {kind.__name__} and have one length.")
    made = list(map(object.__new__, repeat(kind, len(next(iter(columns.values()))))))
    for member in fields(kind):  # type: ignore[arg-type]
        column = columns.get(member.name, repeat(member.default))
        # a deque of no length runs the map, and keeps none of its results
        deque(map(getattr(kind, member.name).__set__, made, column), maxlen=0)
    return made


class _Named(Protocol):
    @property
    def id(self) -> str: ...


_T = TypeVar("_T", bound=_Named)


def _unique(things: Iterable[_T], kind: str) -> dict[str, _T]:
    """The things by id; raise when two share one."""
    things = tuple(things)
    by_id = {thing.id: thing for thing in things}
    if len(by_id) < len(things):
        twice = next(name for name, count in Counter(thing.id for thing in things).items() if count > 1)
        raise ModelError(f"Two {kind} have the id {twice!r}", do="give each its own")
    return by_id


def max_weight(tier_sizes: Mapping[int, int], x: float) -> float:
    r"""The weight of an optimal summary with X content units (§2.2).

    With tiers T_n (top) to T_1 and |T_i| SCUs of weight i in each,

    .. math:: Max(X) = \sum_{i=j+1}^{n} i |T_i| + j (X - \sum_{i=j+1}^{n} |T_i|), \quad
              j = \max \{ i : \sum_{t=i}^{n} |T_t| \ge X \}.

    Beyond the whole pyramid (no such j) further units weigh 0, so Max stays the pyramid's total weight. The formula is
    linear in X between whole numbers, so a fractional X (an average) needs no rounding.

    >>> max_weight({4: 2, 3: 4}, 4)      # Figure 1: 2 x 4 + 2 x 3
    14
    >>> max_weight({4: 2, 3: 4}, 2.5)    # 2 x 4 + 0.5 x 3
    9.5
    """
    weight: float = 0
    left = x
    for tier in sorted(tier_sizes, reverse=True):
        size = tier_sizes[tier]
        if size >= left:
            return weight + tier * left
        weight += tier * size
        left -= size
    return weight


@dataclass(frozen=True, slots=True)
class Pyramid:
    """The SCUs of several references of one topic, layered by weight (§2.2)."""

    topic: str
    references: tuple[Summary, ...]
    scus: tuple[SCU, ...]
    repeats_told: bool = field(default=False, repr=False, compare=False, kw_only=True)
    """Whether somebody has warned of :attr:`repeats` already: a reader that knew the place, or the constructor.

    Pyramids made from this one know it, too, so that it is said once.
    """
    built: Mapping[str, float] = field(default_factory=dict, repr=False, compare=False, kw_only=True)
    """What its builder says of how it was made; files do not have it. The EDUAs say ``t_edge``, the threshold on edges,
    and of how many ``pairs`` of segments it is a percentile (0 where it was given)."""

    def __post_init__(self) -> None:
        texts = _unique(self.references, "references")
        _unique(self.scus, "SCUs")
        for scu in self.scus:
            for contributor in scu.contributors:
                reference = texts.get(contributor.summary)
                if reference is None:
                    raise ModelError(
                        f"SCU {scu.id!r} has a contributor from the unknown reference {contributor.summary!r}",
                        do=f"name one of the references: {', '.join(map(repr, texts)) or 'none'}",
                    )
                reference.check(contributor.spans, "A contributor of SCU", scu.id)
        if not self.repeats_told:
            object.__setattr__(self, "repeats_told", True)
            if self.repeats:
                note(f"Pyramid {self.topic!r}: {self.repeats_in_words}")

    @property
    def repeats(self) -> tuple[str, ...]:
        """The SCUs that break the rule of one contributor per reference (§2.1), by id."""
        return tuple(scu.id for scu in self.scus if scu.weight < len(scu.contributors))

    @property
    def repeats_in_words(self) -> str:
        """A sentence for people about :attr:`repeats`, if there are any."""
        repeats = self.repeats
        return (
            f"{len(repeats)} SCU(s) have two contributors from one reference (the first: {repeats[0]!r}); "
            "weights count distinct references, unless contributors are asked for"
            if repeats
            else ""
        )

    @property
    def size(self) -> int:
        """The number of references: the most tiers the pyramid can have."""
        return len(self.references)

    @property
    def tiers(self) -> dict[int, tuple[SCU, ...]]:
        """The SCUs by weight, heaviest tier first; empty tiers are left out."""
        tiers: dict[int, list[SCU]] = {}
        for scu in self.scus:
            tiers.setdefault(scu.weight, []).append(scu)
        return {weight: tuple(tiers[weight]) for weight in sorted(tiers, reverse=True)}

    @property
    def order(self) -> int:
        """The highest non-empty tier; 0 for a pyramid without SCUs."""
        return max((scu.weight for scu in self.scus), default=0)

    @property
    def mean_scus_per_reference(self) -> float:
        """X_a of the modified score (§2.3): how many SCUs a reference expresses, on average."""
        return sum(scu.weight for scu in self.scus) / self.size if self.size else 0.0

    def max_weight(self, x: float) -> float:
        """The weight of an optimal summary of ``x`` SCUs (§2.2): :func:`max_weight` of this pyramid's tiers."""
        return max_weight(Counter(scu.weight for scu in self.scus), x)

    def reference(self, id: str) -> Summary:
        """The reference of that id."""
        return _find(self.references, id, f"pyramid {self.topic!r}", "reference")

    def scu(self, id: str) -> SCU:
        """The SCU of that id."""
        return _find(self.scus, id, f"pyramid {self.topic!r}", "SCU")

    def words(self, contributor: Contributor) -> str:
        """Return the words of a contributor: those under its spans, or its label if it has none."""
        return self.reference(contributor.summary).quote(contributor.spans) or contributor.label

    def with_scus(self, scus: Sequence[SCU]) -> Pyramid:
        """The pyramid with other SCUs; those that it has already are not checked again."""
        known = {id(scu) for scu in self.scus}
        # constructed for its checks alone
        Pyramid(self.topic, self.references, tuple(scu for scu in scus if id(scu) not in known), repeats_told=True)
        _unique(scus, "SCUs")
        made = copy(self)
        object.__setattr__(made, "scus", tuple(scus))
        return made

    def restricted_to(self, references: Collection[str]) -> Pyramid:
        """The pyramid that only these references would have made: SCUs that lose every contributor vanish."""
        for id in references:
            self.reference(id)
        kept = []
        for scu in self.scus:
            contributors = tuple(c for c in scu.contributors if c.summary in references)
            if contributors:
                kept.append(replace(scu, contributors=contributors))
        left = tuple(reference for reference in self.references if reference.id in references)
        return Pyramid(self.topic, left, tuple(kept), repeats_told=True)

    def leave_one_out(self) -> Iterator[tuple[Summary, Pyramid]]:
        """Each reference with the pyramid of all the others."""
        ids = [reference.id for reference in self.references]
        for reference in self.references:
            yield reference, self.restricted_to([id for id in ids if id != reference.id])


def _find(things: Iterable[_T], id: str, owner: str, kind: str) -> _T:
    for thing in things:
        if thing.id == id:
            return thing
    raise ModelError(f"{owner} has no {kind} {id!r}")


@dataclass(frozen=True, slots=True)
class Match:
    """One expression of an SCU in a peer: where, and how sure (1 for a person's annotation)."""

    scu: str
    spans: tuple[Span, ...] = ()
    score: float = 1.0
    comment: str = ""
    """Free text."""
    _: KW_ONLY
    segment: str = ""
    """The segment of the peer that expresses the SCU (:data:`SEGMENT`), where a program divided the text."""
    reason: str = ""
    """What a matcher says of why: the wording that it is like, the triples in common, the words that it quotes."""
    supported: bool = True
    """Whether the words that a judge quotes are in the peer; if not, there are no spans."""

    def __post_init__(self) -> None:
        if len(self.spans) > 1:
            object.__setattr__(self, "spans", in_text_order(self.spans))
        if self.segment or not self.supported:
            _check_words(f"A match of SCU {self.scu!r}", self.spans, self.segment, self.supported)
        if not 0 <= self.score <= 1:
            raise ModelError(
                f"A match of SCU {self.scu!r} has the score {self.score}", do="give a probability from 0 to 1"
            )


@dataclass(frozen=True, slots=True)
class Contradiction:
    """An SCU that a peer contradicts: by which words, and how probable that is (1 for a person's annotation)."""

    scu: str
    spans: tuple[Span, ...] = ()
    probability: float = 1.0
    comment: str = ""
    """Free text."""
    _: KW_ONLY
    segment: str = ""
    """The segment of the peer that contradicts the SCU (:data:`SEGMENT`), where a program divided the text."""
    reason: str = ""
    """What a judge says of why: the wording that the words deny."""

    def __post_init__(self) -> None:
        if len(self.spans) > 1:
            object.__setattr__(self, "spans", in_text_order(self.spans))
        if self.segment:
            _check_words(f"A contradiction of SCU {self.scu!r}", self.spans, self.segment, True)
        if not 0 <= self.probability <= 1:
            raise ModelError(
                f"A contradiction of SCU {self.scu!r} has the probability {self.probability}",
                do="give a number from 0 to 1",
            )


def _check_once(summary: str, what: str, scus: Collection[str], do: str) -> None:
    """Raise if an SCU is named twice."""
    if len(set(scus)) < len(scus):
        twice = next(scu for scu, count in Counter(scus).items() if count > 1)
        raise ModelError(f"The annotation of {summary!r} has two {what} SCU {twice!r}", do=do)


@dataclass(frozen=True, slots=True)
class Annotation:
    """What one summary expresses of a pyramid.

    Several matches of one SCU are repetitions: they count towards the summary's size and, for agreement, as counts.
    ``unmatched`` are the units of the summary that are in no SCU: their number is the paper's D_0 (§2.3). ``comments``
    are the annotator's remarks on SCUs, matched or not: free text. ``probabilities`` are a judge's, that the summary
    expresses an SCU, for every SCU it was asked about; a person, who decides, gives none.

    An SCU gets one verdict: it is said (a match), contradicted, or neither. A summary that says a thing here and denies
    it there is the reader's to decide. The words of a contradiction are in no SCU: whoever counts the summary's units
    lists them under ``unmatched``, too.
    """

    summary: Summary
    matches: tuple[Match, ...] = ()
    unmatched: tuple[Contributor, ...] = ()
    annotator: str = ""
    """Who read the summary: a person's name."""
    comments: tuple[tuple[str, str], ...] = ()
    probabilities: tuple[tuple[str, float], ...] = ()
    _: KW_ONLY
    matcher: str = ""
    """The matcher that made it, with its parameters; empty where people did, or nobody knows."""
    unjudged: tuple[tuple[str, Unjudged], ...] = ()
    """The SCUs that nobody judged, and why. They are no matches, but nobody said that the summary lacks them."""
    partial: tuple[str, ...] = ()
    """The SCUs that the summary expresses in part only, and that therefore are no matches."""
    labels: tuple[tuple[str, str], ...] = ()
    """What SCUs are called, where an annotation comes without their pyramid."""
    unsupported: tuple[str, ...] = ()
    """The SCUs that a judge claimed by words that the summary does not have."""
    contradicted: tuple[Contradiction, ...] = ()
    """The SCUs that the summary contradicts, each once. They are no matches, and no score credits them."""

    def __post_init__(self) -> None:
        for match in self.matches:
            self.summary.check(match.spans, "A match of SCU", match.scu)
        for contradiction in self.contradicted:
            self.summary.check(contradiction.spans, "A contradiction of SCU", contradiction.scu)
        for unit in self.unmatched:
            if unit.summary != self.summary.id:
                raise ModelError(f"The annotation of {self.summary.id!r} has an unmatched unit of {unit.summary!r}")
            self.summary.check(unit.spans, "An unmatched unit")
        for what, pairs, do in (
            ("comments on", self.comments, "make them one"),
            ("probabilities of", self.probabilities, "keep one"),
            ("labels of", self.labels, "keep one"),
        ):
            if len(pairs) > 1:
                _check_once(self.summary.id, what, [scu for scu, _ in pairs], do)
        for scu, probability in self.probabilities:
            if not 0 <= probability <= 1:
                raise ModelError(
                    f"The annotation of {self.summary.id!r} has the probability {probability} for SCU {scu!r}",
                    do="give a number from 0 to 1",
                )
        if self.unjudged or self.partial or self.contradicted:
            self._check_verdicts()

    def _check_verdicts(self) -> None:
        """Raise unless each SCU has one judgement at most: a match, a partial one, a contradiction, or none and why."""
        unjudged = dict(self.unjudged)
        contradicted = [contradiction.scu for contradiction in self.contradicted]
        decided = [*self.partial, *(scu for scu, _ in self.unjudged), *contradicted]
        _check_once(self.summary.id, "judgements of", decided, "keep one")
        for scu, why in unjudged.items():
            if why not in get_args(Unjudged):
                raise ModelError(
                    f"The annotation of {self.summary.id!r} says {why!r} of the unjudged SCU {scu!r}",
                    do=f"say {' or '.join(map(repr, get_args(Unjudged)))}, and the rest in a comment",
                )
        matched = {match.scu for match in self.matches}
        for state, scus, excluded in (
            ("partial", self.partial, matched),
            ("contradicted", contradicted, matched),
            ("unjudged", unjudged, matched | {scu for scu, _ in self.probabilities}),
        ):
            for scu in scus:
                if scu in excluded:
                    raise ModelError(
                        f"The annotation of {self.summary.id!r} calls SCU {scu!r} {state} and gives it a "
                        f"{'match' if scu in matched else 'probability'}",
                        do="keep one of the two",
                    )

    @property
    def expressed(self) -> tuple[str, ...]:
        """The distinct SCUs expressed, in the order of their first match."""
        return tuple(dict.fromkeys(match.scu for match in self.matches))

    @property
    def size(self) -> int:
        """X of the original score (§2.2): all units of the summary, repetitions and unmatched units included."""
        return len(self.matches) + len(self.unmatched)

    def against(self, pyramid: Pyramid) -> Annotation:
        """The same reading against a smaller pyramid: matches of SCUs that it lacks become unmatched units.

        Contradictions of such SCUs go away: there is nothing left that they deny.
        """
        known = {scu.id for scu in pyramid.scus}
        lost = tuple(
            Contributor(
                self.summary.id,
                match.spans,
                comment=match.comment,
                segment=match.segment,
                reason=match.reason,
                supported=match.supported,
            )
            for match in self.matches
            if match.scu not in known
        )
        return replace(
            self,
            matches=tuple(match for match in self.matches if match.scu in known),
            unmatched=self.unmatched + lost,
            comments=tuple(pair for pair in self.comments if pair[0] in known),
            probabilities=tuple(pair for pair in self.probabilities if pair[0] in known),
            unjudged=tuple(pair for pair in self.unjudged if pair[0] in known),
            partial=tuple(scu for scu in self.partial if scu in known),
            unsupported=tuple(scu for scu in self.unsupported if scu in known),
            labels=tuple(pair for pair in self.labels if pair[0] in known),
            contradicted=tuple(contradiction for contradiction in self.contradicted if contradiction.scu in known),
        )

    def check(self, pyramid: Pyramid) -> None:
        """Raise unless every match, contradiction and probability, and all that was not decided, is of the pyramid."""
        known = {scu.id for scu in pyramid.scus}
        contradicted = {contradiction.scu for contradiction in self.contradicted}
        for scu in (
            *(match.scu for match in self.matches),
            *contradicted,
            *(scu for scu, _ in self.probabilities),
            *(scu for scu, _ in self.unjudged),
            *self.partial,
        ):
            if scu not in known:
                verb = "contradicts" if scu in contradicted else "matches"
                raise ModelError(
                    f"The annotation of {self.summary.id!r} {verb} SCU {scu!r}, "
                    f"which pyramid {pyramid.topic!r} does not have",
                    do="use the pyramid that the annotation was made with",
                )


@dataclass(frozen=True, slots=True)
class Unread:
    """A peer that was handed in and cannot be scored."""

    name: str
    why: str
    number: str = ""
    """The writer's, as in :attr:`Summary.number`."""


@dataclass(frozen=True, slots=True)
class Topic:
    """Everything that belongs to one evaluation set: every format reads into topics and writes from them."""

    id: str
    references: tuple[Summary, ...] = ()
    peers: tuple[Summary, ...] = ()
    sources: tuple[Source, ...] = ()
    pyramid: Pyramid | None = None
    annotations: tuple[Annotation, ...] = ()
    reading: tuple[tuple[str, str], ...] = field(default=(), compare=False, kw_only=True)
    """What reading the topic from a file decided and a score depends on, by name; signatures repeat it."""
    unread: tuple[Unread, ...] = field(default=(), compare=False, kw_only=True)
    """Peers that were handed in and could not be read. Results name them."""

    def __post_init__(self) -> None:
        for kind, things in (("references", self.references), ("peers", self.peers), ("sources", self.sources)):
            if len(things) > 1:
                _unique(things, f"{kind} of topic {self.id!r}")
        if self.pyramid is not None and self.pyramid.topic != self.id:
            raise ModelError(f"Topic {self.id!r} has the pyramid of topic {self.pyramid.topic!r}")
        if self.pyramid is not None and self.sources:
            self._check_places(self.pyramid)
        if self.annotations:
            self._check_annotations()

    def _check_annotations(self) -> None:
        """Raise unless each annotated peer is one of the topic, annotated once by each person, and fits the pyramid."""
        known = {peer.id for peer in self.peers}
        seen: set[tuple[str, str]] = set()
        for annotation in self.annotations:
            key = (annotation.summary.id, annotation.annotator)
            if key in seen:
                raise ModelError(
                    f"Topic {self.id!r}: summary {key[0]!r} is annotated twice" + (f" by {key[1]!r}" if key[1] else ""),
                    do="keep one, or name the annotators",
                )
            seen.add(key)
            if annotation.summary.role == "peer" and annotation.summary.id not in known:
                raise ModelError(
                    f"Topic {self.id!r}: the annotated peer {annotation.summary.id!r} is not among the peers"
                )
            if self.pyramid is not None:
                annotation.check(self.pyramid)

    def _check_places(self, pyramid: Pyramid) -> None:
        """Raise where a contributor's place is outside its source; sources that the topic lacks are not known."""
        lengths = {source.id: len(source.text) for source in self.sources}
        for scu in pyramid.scus:
            for contributor in scu.contributors:
                place = contributor.place
                if place is not None and place.span.end > lengths.get(place.source, place.span.end):
                    raise ModelError(
                        f"A contributor of SCU {scu.id!r} ends at {place.span.end}, "
                        f"but the source {place.source!r} has {lengths[place.source]} characters",
                        do="give the source documents that the pyramid was made from",
                    )

    def peer(self, id: str) -> Summary:
        """The peer of that id."""
        return _find(self.peers, id, f"topic {self.id!r}", "peer")
