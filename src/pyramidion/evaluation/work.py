"""The work on an item: build its pyramid, match each of its peers, and score the matches."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Literal, Protocol

from pyramidion.base.cache import Hits, hits
from pyramidion.corrections import Corrections
from pyramidion.errors import MissingPartError, PyramidionError
from pyramidion.evaluation.scored import Scored
from pyramidion.evaluation.worklist import Item, Key
from pyramidion.methods import GIVEN, Method
from pyramidion.metrics.copying import Originals
from pyramidion.model import Annotation, Pyramid, Topic
from pyramidion.notes import Note, note
from pyramidion.scoring import DEFAULT, Settings, jackknifed, reference_annotation, scores

Tick = Callable[[str], None]
"""Called when a step of an item is over: with nothing once its pyramid is there, then with each summary's id."""
STAGES = ("pyramid", "matching", "scoring")
"""The stages that the time of an item is spent on."""


def silent(step: str) -> None:
    """Ignore the step: the default tick."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A summary that could not be scored, and why."""

    topic: str
    summary: str
    kind: Literal["error", "crash", "time"]
    """An error of the method, a worker that died, or one that took too long."""
    error: str
    """A line that says what happened."""
    cause: PyramidionError | None = field(default=None, compare=False)
    """The error itself, where it is one of ours."""

    def __str__(self) -> str:
        name = f"topic {self.topic!r}, summary {self.summary!r}" if self.summary else f"topic {self.topic!r}"
        return f"{name}: {self.error}"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of an item: the scores of its summaries, or why there are none."""

    key: Key
    pyramid: Pyramid | None
    scored: tuple[Scored, ...] = ()
    failures: tuple[Failure, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict, compare=False)
    """By stage (:data:`STAGES`)."""
    cached: Mapping[str, Hits] = field(default_factory=dict, compare=False)
    """By kind (parses, vectors, ...) what caches were asked for, and had."""
    notes: tuple[Note, ...] = ()
    """The notes of a worker in another process."""


class Work(Protocol):
    """The work that engines do on items. It travels to workers, so it must be small and picklable."""

    def each(self, items: Iterable[Item], tick: Tick = silent) -> Iterator[Outcome]:
        """Yield the outcome of each item, in their order; an error ends the iterator."""


@dataclass(frozen=True, slots=True)
class Scoring:
    """The work of an evaluation: match the peers by a method, and score them."""

    method: Method
    settings: Settings = DEFAULT
    leave_one_out: bool = False
    corrections: Corrections | None = None
    """A person's changes, which are applied before anything is scored."""
    _contributed: tuple[tuple[str, str], ...] = field(init=False, repr=False, compare=False)
    """The contributions of other packages where the work begins; a worker elsewhere may have other versions."""
    _built: deque[tuple[Topic, Pyramid]] = field(default_factory=lambda: deque(maxlen=1), repr=False, compare=False)
    """The latest topic, and its pyramid: the next item may be another part of the same."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "_contributed", tuple(self.method.contributed()))

    def _check_versions(self) -> None:
        here = dict(self.method.contributed())
        for part, made_by in self._contributed:
            if here.get(part) != made_by:
                raise MissingPartError(
                    f"The {part} is {made_by} where the work begins, and {here.get(part, 'not there')} at a worker",
                    do="install the same version on all nodes, and no other while a run goes on",
                )

    def each(self, items: Iterable[Item], tick: Tick = silent) -> Iterator[Outcome]:
        """Yield the outcome of each item; a matcher that is faster with many summaries at once gets them."""
        self._check_versions()
        waiting: deque[tuple[Item, float]] = deque()

        def topics_with_pyramids() -> Iterator[tuple[Topic, Pyramid]]:
            for item in items:
                begin = perf_counter()
                pyramid = self._pyramid(item.topic)
                waiting.append((item, perf_counter() - begin))
                tick("")
                yield item.topic, pyramid

        before = hits()
        for _, pyramid in self.method.together(topics_with_pyramids()):
            item, seconds = waiting.popleft()
            outcome = self._outcome(item, pyramid, seconds, tick)
            now = hits()
            cached = {kind: count - before.get(kind, Hits()) for kind, count in now.items()}
            yield replace(outcome, cached={kind: count for kind, count in cached.items() if count.asked})
            before = now

    def _pyramid(self, topic: Topic) -> Pyramid:
        # a pyramid does not depend on the peers: all parts of a topic have the same one
        bare = replace(topic, peers=(), annotations=())
        if not self._built or self._built[0][0] != bare:
            self._built.append((bare, self.method.pyramid(topic)))
        return self._built[0][1]

    def _outcome(self, item: Item, pyramid: Pyramid, seconds: float, tick: Tick) -> Outcome:
        """Match and score the peers of an item, after the corrections of its topic; ``seconds`` built its pyramid."""
        score = jackknifed if self.leave_one_out else scores
        annotations = _annotations(item.topic, pyramid, self.method)
        if corrected := self.corrections and self.corrections.of(item.topic.id):
            pyramids = corrected.pyramids(pyramid)
            annotations = corrected.annotations(annotations, pyramids)
            pyramid = pyramids[-1]
        originals = _originals(item.topic, pyramid)
        begin, scoring = perf_counter(), 0.0
        scored = []
        # annotations come from a generator that matches: time not spent on scores was spent on matching
        for annotation in annotations:
            matched = perf_counter()
            normalised = self.method.normalised(pyramid, annotation)
            summary_scores = replace(score(pyramid, annotation, self.settings), normalised=normalised)
            scored.append(Scored(summary_scores, pyramid, annotation, originals.copied(annotation.summary.text)))
            scoring += perf_counter() - matched
            tick(annotation.summary.id)
        if self.leave_one_out and item.first:
            scored += references(pyramid, self.settings)
        matching = perf_counter() - begin - scoring
        times = dict(zip(STAGES, (seconds, matching, scoring), strict=True))
        return Outcome(item.key, pyramid, tuple(scored), seconds=times)


def references(pyramid: Pyramid, settings: Settings) -> Iterator[Scored]:
    """Yield each reference, scored against the pyramid of all others."""
    for reference in pyramid.references:
        rest, annotation = reference_annotation(pyramid, reference.id)
        yield Scored(scores(rest, annotation, settings), rest, annotation)


def _annotations(topic: Topic, pyramid: Pyramid, method: Method) -> Iterator[Annotation]:
    """The topic's annotations, one after the other; a blank peer without one expresses nothing."""
    if method.matcher != GIVEN:
        yield from method.annotations(topic, pyramid)
        return
    annotations = list(method.annotations(topic, pyramid))
    annotated = {annotation.summary.id for annotation in annotations}
    missing = [peer for peer in topic.peers if peer.id not in annotated]
    annotations += (Annotation(peer) for peer in missing if not peer.text.strip())
    unread = [peer.id for peer in missing if peer.text.strip()]
    if unread:
        note(f"Topic {topic.id!r}: there is no annotation of {', '.join(sorted(unread))}; left out")
    yield from annotations


def _originals(topic: Topic, pyramid: Pyramid) -> Originals:
    """Return the texts that a peer may have copied from: the references and the sources."""
    texts = [(f"reference {reference.id}", reference.text) for reference in pyramid.references]
    return Originals([*texts, *((f"source {source.id}", source.text) for source in topic.sources)])
