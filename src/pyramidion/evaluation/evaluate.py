"""Score every peer of a corpus with a method, and average every system."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from pyramidion.base.cache import Hits, add_hits
from pyramidion.base.choices import check_choices
from pyramidion.base.names import parse_name
from pyramidion.base.tables import plural
from pyramidion.corrections import Corrections
from pyramidion.errors import PyramidionError
from pyramidion.evaluation.engines import Engine
from pyramidion.evaluation.engines.serial import Serial
from pyramidion.evaluation.evaluation import Evaluation, SystemMeans
from pyramidion.evaluation.scored import Scored
from pyramidion.evaluation.work import STAGES, Outcome, Scoring
from pyramidion.evaluation.worklist import Item, items
from pyramidion.formats.read import as_topics, how_read
from pyramidion.methods import DEFAULT_METHOD, GIVEN, Method, signed_by_makers
from pyramidion.model import Annotation, Role, Topic, Unread
from pyramidion.notes import copy_notes, note, repeat_notes
from pyramidion.scoring import DEFAULT, QUANTITIES, Scores, Settings
from pyramidion.signature import Signature
from pyramidion.stats.bootstrap import Interval, mean_interval

SAMPLES, DRAWS = 10_000, 10_000_000
"""Samples of a bootstrap, and numbers drawn in all of them: with more than 1,000 topics, fewer samples do."""
LISTED = 10
"""The most topics that a warning names."""


@check_choices
def stream(
    topics: Iterable[Topic] | Any,
    method: Method | str = DEFAULT_METHOD,
    settings: Settings = DEFAULT,
    *,
    leave_one_out: bool = False,
    jobs: int = 1,
) -> Iterator[Scored]:
    """Score every peer, and yield each as soon as it is scored, so that memory does not grow with the corpus.

    * ``topics`` are those of :func:`evaluate`; they are taken one at a time, when they are needed.
      :meth:`Reading.stream <pyramidion.formats.read.Reading.stream>` reads files so.
    * ``method``, ``settings`` and ``leave_one_out`` are those of :func:`evaluate`.
    * ``jobs`` is the number of processes that match; with several, topics come in the order in which they are done.

    >>> import pyramidion as pm
    >>> best = max(pm.stream(pm.example(), "manual"), key=lambda scored: scored.scores.coverage)
    >>> best.scores.summary, round(best.scores.coverage, 2)
    ('copy', 0.94)
    """
    method = Method.parse(method) if isinstance(method, str) else method
    todo = items(_topics_to_score(as_topics(topics), method, leave_one_out), annotated=method.matcher == GIVEN)
    for outcome in _outcomes(Scoring(method, settings, leave_one_out), todo, jobs, lambda summary: None):
        yield from outcome.scored


def _topics_to_score(topics: Iterable[Topic], method: Method, leave_one_out: bool) -> Iterator[Topic]:
    """Yield the topics that have something to score, and check each."""
    for topic in topics:
        if topic.peers or topic.annotations or leave_one_out:
            method.check_language([topic])
            yield topic


@check_choices
def evaluate(
    topics: Iterable[Topic] | Any,
    method: Method | str = DEFAULT_METHOD,
    settings: Settings = DEFAULT,
    *,
    leave_one_out: bool = False,
    explained: bool = False,
    corrections: Corrections | None = None,
    jobs: int = 1,
    progress: Callable[[str], None] = lambda summary: None,
) -> Evaluation:
    """Score every peer of every topic.

    * ``topics`` are what :func:`~pyramidion.formats.read.read` returns, topics of your own, or a table in memory: a
      data frame, an Arrow table, a data set, or rows as dictionaries.
    * ``method`` builds the pyramids and matches the peers: a name (``pyramidion methods`` lists them) or a
      :class:`~pyramidion.methods.Method`.
    * ``settings`` say how the scores are computed where tools of the field differ.
    * ``leave_one_out`` gives peers the mean over the pyramids that leave one reference out, and scores each reference
      against the pyramid of the others, so that people and systems can be compared as in TAC.
    * ``explained`` makes the result explain every score in its text and JSON.
    * ``corrections`` are what a person changed in a report of the same evaluation
      (:func:`~pyramidion.corrections.read_corrections`); they are applied before anything is scored.
    * ``jobs`` is the number of processes that match; the result is the same for any number.
    * ``progress`` is called with the id of each summary when it is scored.

    >>> import pyramidion as pm
    >>> evaluation = pm.evaluate(pm.example(), "manual")
    >>> [(system.system, round(system.means["coverage"], 2)) for system in evaluation.systems][:2]
    [('copy', 0.91), ('paraphrase-1', 0.83)]
    """
    with copy_notes() as notes:
        evaluation = _evaluation(topics, method, settings, leave_one_out, explained, corrections, jobs, progress)
    return replace(evaluation, notes=tuple(notes))


def _evaluation(
    topics: Iterable[Topic] | Any,
    method: Method | str,
    settings: Settings,
    leave_one_out: bool,
    explained: bool,
    corrections: Corrections | None,
    jobs: int,
    progress: Callable[[str], None],
) -> Evaluation:
    """Return the evaluation, but for what is noted while it is made."""
    method = Method.parse(method) if isinstance(method, str) else method
    topics = list(as_topics(topics))
    # where there is nothing to score, nobody needs a pyramid
    to_score = [topic for topic in topics if topic.peers or topic.annotations or leave_one_out]
    method.check_language(to_score)
    if corrections:
        corrections.check_topics(topic.id for topic in to_score)
    work = Scoring(method, settings, leave_one_out, corrections)
    results: list[Scored] = []
    seconds, cached = dict.fromkeys(STAGES, 0.0), dict[str, Hits]()
    for outcome in _outcomes(work, items(to_score, annotated=method.matcher == GIVEN), jobs, progress):
        results += outcome.scored
        seconds = {stage: spent + outcome.seconds[stage] for stage, spent in seconds.items()}
        cached = add_hits((cached, outcome.cached))
    if corrections:
        corrections.check_summaries(
            (result.scores.topic, result.scores.summary, result.scores.annotator) for result in results
        )
    _warn_of_several_annotators([result.scores for result in results])
    _warn_of_missing([result.scores for result in results])
    _warn_of_empty_pyramids(results)
    results.sort(key=lambda result: (result.scores.topic, result.scores.summary, result.scores.annotator))
    name, made_by = signed_by_makers(str(method), method.makers(to_score))
    parameters = (
        *method.versions,
        *made_by,
        *settings.parameters(),
        *((("jackknife", "yes"),) if leave_one_out else ()),
        *((("corrections", str(corrections)),) if corrections else ()),
        *how_read(topics),
        *_warn_of_unsupported([result.annotation for result in results]),
    )
    unread = tuple((topic.id, peer) for topic in topics for peer in topic.unread)
    systems = with_unread(system_means([result.scores for result in results]), unread)
    return Evaluation(Signature(name, parameters), tuple(results), systems, explained, unread, seconds, cached)


def _outcomes(work: Scoring, todo: Iterable[Item], jobs: int, progress: Callable[[str], None]) -> Iterator[Outcome]:
    """Yield the outcomes of items; raise an error if a summary cannot be scored."""
    engine: Engine = Serial()
    if jobs != 1:
        from pyramidion.evaluation.engines.processes import Processes  # here, because few need processes

        engine = Processes(jobs)
    for outcome in engine.run(work, todo, lambda step: progress(step) if step else None):
        for failure in outcome.failures:
            raise failure.cause or PyramidionError(
                f"The summary {failure.summary!r} of topic {failure.topic!r} cannot be scored: {failure.error}.",
                do="leave it out, or keep the results in a run, which goes on without it",
            )
        repeat_notes(outcome.notes)
        yield outcome


def _warn_of_unsupported(annotations: Sequence[Annotation]) -> tuple[tuple[str, str], ...]:
    """Warn of matches whose words are not in the summary; return their number for the signature."""
    claiming = [annotation for annotation in annotations if annotation.unsupported]
    if not claiming:
        return ()
    count = sum(len(annotation.unsupported) for annotation in claiming)
    counted = sum(scu in annotation.expressed for annotation in claiming for scu in annotation.unsupported)
    how = f"{counted} count by its word alone" if counted else "they count as not expressed"
    where = f"in {len(claiming)} of {len(annotations)} summaries"
    note(f"The judge claims {count} SCU(s) by words that are not there, {where}; {how}")
    return (("unsupported", str(count)),)


def _warn_of_several_annotators(all_scores: Sequence[Scores]) -> None:
    annotators: dict[tuple[str, str], list[str]] = {}
    for scores in all_scores:
        if scores.role == "peer":
            annotators.setdefault((scores.topic, scores.summary), []).append(scores.annotator or "unnamed")
    several = {key: names for key, names in annotators.items() if len(names) > 1}
    if several:
        (topic, summary), names = next(iter(several.items()))
        note(
            f"{plural(len(several), 'summary')} with several annotations (the first: topic {topic!r}, summary "
            f"{summary!r}, by {', '.join(sorted(names))}); each is scored, and a system's means take their mean"
        )


def _warn_of_missing(all_scores: Sequence[Scores]) -> None:
    """Warn of summaries that means leave out: nobody annotated them, or X_a is rounded to 0."""
    unread = [scores for scores in all_scores if scores.raw is None]
    if unread:
        note(
            f"{plural(len(unread), 'summary')} in which nothing is marked ({_first(unread)}): what nobody annotated "
            "has no scores, and means leave it out; if somebody did read it, mark its units as being in no SCU"
        )
    rounded = [scores for scores in all_scores if scores.coverage is None and scores.raw is not None]
    if rounded:
        note(
            f"{plural(len(rounded), 'summary')} without coverage ({_first(rounded)}): the mean number of SCUs per "
            "reference is rounded to 0; means of coverage leave this out, and the setting average=exact does not round"
        )


def _warn_of_empty_pyramids(results: Sequence[Scored]) -> None:
    empty = sorted({result.pyramid.topic for result in results if not result.pyramid.scus})
    if empty:
        note(
            f"{plural(len(empty), 'topic')} with a pyramid without SCUs ({_names(empty)}): there is nothing to find, "
            "so every summary scores 0 there, and means count that; look at the references, or leave the topic out"
        )


def _names(topics: Sequence[str]) -> str:
    more = f" and {len(topics) - LISTED} more" if len(topics) > LISTED else ""
    return ", ".join(map(repr, topics[:LISTED])) + more


def _first(all_scores: Sequence[Scores]) -> str:
    return f"the first: topic {all_scores[0].topic!r}, summary {all_scores[0].summary!r}"


def system_means(all_scores: Iterable[Scores]) -> tuple[SystemMeans, ...]:
    """Each system's means over topics, best coverage first; several annotations of one summary count as their mean.

    A score that a summary lacks is left out. The summaries of a topic must come together.
    """
    return means_of(
        (scores.topic, scores.summary, scores.role, *(getattr(scores, name) for name in QUANTITIES))
        for scores in all_scores
    )


def means_of(rows: Iterable[tuple[Any, ...]]) -> tuple[SystemMeans, ...]:
    """Compute the same from rows: topic, summary, role and the :data:`QUANTITIES`. Nothing else is kept of a row."""
    systems: dict[tuple[Role, str], _Means] = {}
    for topic, summary, role, *values in rows:
        name = _author(summary, role)
        systems.setdefault((role, name), _Means()).add(topic, values)
    return tuple(sorted((means.of(name, role) for (role, name), means in systems.items()), key=_rank))


def with_unread(systems: Iterable[SystemMeans], unread: Iterable[tuple[str, Unread]]) -> tuple[SystemMeans, ...]:
    """Count what could not be read, or has no output, among the topics that a system's means leave out."""
    missing = Counter(peer.name for _, peer in unread)
    return tuple(
        replace(system, left_out=system.left_out + missing[system.system]) if system.role == "peer" else system
        for system in systems
    )


class _Means:
    """The scores of a system, one number for each topic."""

    def __init__(self) -> None:
        self._topic: str | None = None
        self._open: list[Sequence[float | None]] = []
        self._topics = 0
        self._numbers = {quantity: array("d") for quantity in QUANTITIES}

    def add(self, topic: str, values: Sequence[float | None]) -> None:
        if topic != self._topic:
            self._close()
            self._topic = topic
            self._topics += 1
        self._open.append(values)

    def _close(self) -> None:
        for quantity, values in zip(QUANTITIES, zip(*self._open, strict=True), strict=False):
            if known := [float(value) for value in values if value is not None]:
                self._numbers[quantity].append(fmean(known))
        self._open = []

    def of(self, name: str, role: Role) -> SystemMeans:
        self._close()
        scored = len(self._numbers["raw"])  # whatever is scored at all has this score
        means: dict[str, float | None] = {
            quantity: fmean(sorted(numbers)) if numbers else None for quantity, numbers in self._numbers.items()
        }
        intervals: dict[str, Interval | None] = {
            quantity: mean_interval(numbers, samples=min(SAMPLES, max(1, DRAWS // max(1, len(numbers)))))
            for quantity, numbers in self._numbers.items()
        }
        return SystemMeans(name, role, scored, means, intervals, self._topics - scored)


def _rank(system: SystemMeans) -> tuple[float, str]:
    mean = system.means["coverage"]
    return (1.0 if mean is None else -mean), system.system


def _author(summary: str, role: Role) -> str:
    """Return the author of a summary: its id or, for a reference that NIST named, the letter of the person."""
    name = parse_name(summary) if role == "reference" else None
    return name.summary if name and name.topic else summary
