"""Every topic of a corpus through a method, every peer scored, every system averaged."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass, replace
from statistics import fmean

from pyramidion.errors import InputWarning
from pyramidion.io.names import parse_name
from pyramidion.methods import DEFAULT_METHOD, GIVEN, Method
from pyramidion.model import Annotation, Pyramid, Role, Topic
from pyramidion.reading import how_read
from pyramidion.score import DEFAULT, QUANTITIES, Scores, Settings, jackknifed, reference_annotation, scores
from pyramidion.signature import Signature
from pyramidion.stats.bootstrap import Interval, mean_interval

__all__ = ["QUANTITIES", "Evaluation", "Scored", "System", "evaluate", "summarize"]


@dataclass(frozen=True, slots=True)
class Scored:
    """One summary's scores with the pyramid and the annotation they come from."""

    scores: Scores
    pyramid: Pyramid
    annotation: Annotation


@dataclass(frozen=True, slots=True)
class System:
    """One system over all topics: the mean of each score, with its interval where there are two topics or more."""

    summary: str
    role: Role
    """Whether it is a system or, jackknifed, a person who wrote references."""
    n: int
    """Topics with scores."""
    means: dict[str, float | None]
    """Over the topics that have the score; None where none has."""
    intervals: dict[str, Interval | None]
    left_out: int = 0
    """Topics whose summary nobody annotated: the means leave them out."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What was asked, and every answer."""

    signature: Signature
    results: tuple[Scored, ...]
    systems: tuple[System, ...]


def _annotations(topic: Topic, pyramid: Pyramid, method: Method) -> Iterator[Annotation]:
    """The topic's annotations, one after the other; a blank peer without one expresses nothing."""
    if method.matcher != GIVEN:
        yield from method.annotations(topic, pyramid)
        return
    made = list(method.annotations(topic, pyramid))
    annotated = {annotation.summary.id for annotation in made}
    missing = [peer for peer in topic.peers if peer.id not in annotated]
    made += (Annotation(peer) for peer in missing if not peer.text.strip())
    unread = [peer.id for peer in missing if peer.text.strip()]
    if unread:
        warnings.warn(
            f"topic {topic.id!r}: no annotation of {', '.join(sorted(unread))}; left out", InputWarning, stacklevel=2
        )
    yield from made


def evaluate(
    topics: Iterable[Topic],
    method: Method | str = DEFAULT_METHOD,
    settings: Settings = DEFAULT,
    *,
    leave_one_out: bool = False,
    progress: Callable[[str], None] = lambda summary: None,
) -> Evaluation:
    """Score every peer of every topic.

    * ``topics`` are what :func:`~pyramidion.reading.read` returns, or topics of your own.
    * ``method`` builds the pyramids and matches the peers: a name (``pyramidion methods`` lists them) or a
      :class:`~pyramidion.methods.Method`.
    * ``settings`` say how the scores are computed where tools of the field differ.
    * ``leave_one_out`` gives peers the mean over the pyramids that leave one reference out, and scores each reference
      against the pyramid of the others, so that people and systems can be compared as in TAC.
    * ``progress`` is called with the id of each summary when it is scored.

    >>> from pyramidion.examples import example
    >>> evaluation = evaluate(example(), "manual")
    >>> [(system.summary, round(system.means["coverage"], 2)) for system in evaluation.systems][:2]
    [('copy', 0.91), ('paraphrase-1', 0.83)]
    """
    method = Method.parse(method) if isinstance(method, str) else method
    topics = list(topics)
    results: list[Scored] = []
    # where there is nothing to score, nobody needs a pyramid
    wanted = [topic for topic in topics if topic.peers or topic.annotations or leave_one_out]
    method.check_language(wanted)
    for topic, pyramid in method.together((topic, method.pyramid(topic)) for topic in wanted):
        annotations = _annotations(topic, pyramid, method)
        score = jackknifed if leave_one_out else scores
        for one in annotations:
            found = replace(score(pyramid, one, settings), normalised=method.normalised(pyramid, one))
            results.append(Scored(found, pyramid, one))
            progress(one.summary.id)
        if leave_one_out:
            results += _references(pyramid, settings)
    _warn_of_several_annotators([one.scores for one in results])
    _warn_of_missing([one.scores for one in results])
    results.sort(key=lambda one: (one.scores.topic, one.scores.summary, one.scores.annotator))
    parameters = (
        *method.versions,
        *settings.parameters(),
        *((("jackknife", "yes"),) if leave_one_out else ()),
        *how_read(topics),
        *_unsupported([one.annotation for one in results]),
    )
    return Evaluation(Signature(str(method), parameters), tuple(results), summarize([one.scores for one in results]))


def _unsupported(annotations: Sequence[Annotation]) -> tuple[tuple[str, str], ...]:
    """Warn of a judge's claims by words that are not there; how many there are, for the signature."""
    bare = [one for one in annotations if one.unsupported]
    if not bare:
        return ()
    count = sum(len(one.unsupported) for one in bare)
    counted = sum(scu in one.expressed for one in bare for scu in one.unsupported)
    how = f"{counted} count by its word alone" if counted else "they count as not expressed"
    where = f"in {len(bare)} of {len(annotations)} summaries"
    warnings.warn(
        f"the judge claims {count} SCU(s) by words that are not there, {where}; {how}", InputWarning, stacklevel=3
    )
    return (("unsupported", str(count)),)


def _warn_of_several_annotators(every: Sequence[Scores]) -> None:
    annotators: dict[tuple[str, str], list[str]] = {}
    for one in every:
        if one.role == "peer":
            annotators.setdefault((one.topic, one.summary), []).append(one.annotator or "unnamed")
    several = {key: names for key, names in annotators.items() if len(names) > 1}
    if several:
        (topic, summary), names = next(iter(several.items()))
        warnings.warn(
            f"{_summaries(several)} with several annotations (the first: topic {topic!r}, summary {summary!r}, "
            f"by {', '.join(sorted(names))}); each is scored, and a system's means take their mean",
            InputWarning,
            stacklevel=3,
        )


def _warn_of_missing(every: Sequence[Scores]) -> None:
    unread = [one for one in every if one.raw is None]
    if unread:
        warnings.warn(
            f"{_summaries(unread)} in which nothing is marked ({_first(unread)}): what nobody annotated has no scores, "
            "and means leave it out; if somebody did read it, mark its units as being in no SCU",
            InputWarning,
            stacklevel=3,
        )
    rounded = [one for one in every if one.coverage is None and one.raw is not None]
    if rounded:
        warnings.warn(
            f"{_summaries(rounded)} without coverage ({_first(rounded)}): the mean number of SCUs per reference is "
            "rounded to 0; means of coverage leave this out, and --average exact does not round",
            InputWarning,
            stacklevel=3,
        )


def _summaries(every: Sized) -> str:
    return f"{len(every)} {'summary' if len(every) == 1 else 'summaries'}"


def _first(every: Sequence[Scores]) -> str:
    return f"the first: topic {every[0].topic!r}, summary {every[0].summary!r}"


def _references(pyramid: Pyramid, settings: Settings) -> Iterator[Scored]:
    for reference in pyramid.references:
        others, annotation = reference_annotation(pyramid, reference.id)
        yield Scored(scores(others, annotation, settings), others, annotation)


def summarize(every: Sequence[Scores]) -> tuple[System, ...]:
    """Each system's means over topics, best coverage first; several annotations of one summary count as their mean.

    A score that a summary lacks is left out.
    """
    values: dict[tuple[Role, str], dict[str, list[Scores]]] = {}
    for one in every:
        values.setdefault((one.role, _author(one)), {}).setdefault(one.topic, []).append(one)
    systems = []
    for (role, summary), topics in values.items():
        per_topic = {quantity: _per_topic(topics.values(), quantity) for quantity in QUANTITIES}
        scored = len(per_topic["raw"])
        systems.append(
            System(
                summary,
                role,
                scored,
                {quantity: fmean(sorted(numbers)) if numbers else None for quantity, numbers in per_topic.items()},
                {quantity: mean_interval(numbers) for quantity, numbers in per_topic.items()},
                len(topics) - scored,
            )
        )
    return tuple(sorted(systems, key=_rank))


def _per_topic(topics: Iterable[Sequence[Scores]], quantity: str) -> list[float]:
    """The mean of each topic's annotations that have the score."""
    known = ([float(value) for one in same if (value := getattr(one, quantity)) is not None] for same in topics)
    return [fmean(values) for values in known if values]


def _rank(system: System) -> tuple[float, str]:
    mean = system.means["coverage"]
    return (1.0 if mean is None else -mean), system.summary


def _author(one: Scores) -> str:
    """Who wrote a summary: its id; of a reference that NIST named, the letter of the person."""
    name = parse_name(one.summary) if one.role == "reference" else None
    return name.summary if name and name.topic else one.summary
