"""Match every summary of a dataset with a method, and measure the time.

The time is the processor time of matching alone. Before that, the pyramids are built, a first summary is matched to
load the models, and the summaries are analysed (words, sentences, parses), which all methods of a run share.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from pyramidion.analyses.accuracy.held_out import Fold, Judge, has_stored_answers, held_out
from pyramidion.language.parse.segmented import segmented
from pyramidion.methods import GIVEN, Method
from pyramidion.model import Topic


@dataclass(frozen=True, slots=True)
class Matched:
    """The matches of a method in every summary."""

    topics: tuple[Topic, ...]
    """The topics with the method's pyramids and annotations."""
    pairs: int
    """The number of pairs of an SCU and a summary."""
    seconds: float
    """The processor time of matching; 0 if nothing was matched, because matches were given or stored."""

    @property
    def pairs_per_second(self) -> float | None:
        """Return the number of pairs per second of processor time; None if nothing was matched."""
        return self.pairs / self.seconds if self.seconds else None


def match_topics(
    topics: Sequence[Topic],
    method: Method,
    folds: Sequence[Fold] = (),
    known: Sequence[Topic] = (),
    *,
    progress: Callable[[str], None] = lambda summary: None,
) -> Matched:
    """Match every peer; with folds, the judges are fitted on the other known documents.

    ``progress`` is told of each summary twice, when it is analysed and when it is matched.
    """
    method.check_language(topics)
    built = [replace(topic, pyramid=method.pyramid(topic), annotations=()) for topic in topics]
    if method.matcher == GIVEN:
        kept = tuple(replace(topic, annotations=given.annotations) for topic, given in zip(built, topics, strict=True))
        return Matched(kept, _pairs(kept), 0.0)
    if folds:
        # fitted on the human annotations of the dataset's pyramids, used on the method's own
        built_by_id = {topic.id: topic for topic in built}
        parts = [
            (judge, [built_by_id[topic.id] for topic in part]) for judge, part in held_out(method, topics, folds, known)
        ]
    else:
        parts = [(method.match, built)]
    _warm_up(parts, method, progress)
    answers: dict[str, Topic] = {}
    seconds = 0.0
    for judge, part in parts:
        start = time.process_time()
        for topic, pyramid in method.together((topic, topic.pyramid) for topic in part if topic.pyramid):
            annotations = []
            for peer in topic.peers:
                annotations.append(judge(pyramid, peer))
                progress(peer.id)
            answers[topic.id] = replace(topic, annotations=tuple(annotations))
        seconds += time.process_time() - start
    # folds come in another order than the topics
    judged = tuple(answers[topic.id] for topic in topics)
    return Matched(judged, _pairs(judged), 0.0 if folds and has_stored_answers(method) else seconds)


def _warm_up(parts: Iterable[tuple[Judge, Sequence[Topic]]], method: Method, progress: Callable[[str], None]) -> None:
    """Load the models and analyse the summaries."""
    analyser = dict(method.settings) | dict(method.parameters)
    for judge, part in parts:
        for topic in part:
            for number, peer in enumerate(topic.peers):
                if "analyser" in analyser:
                    # the analysis is kept, for all methods of a run
                    segmented(peer.text, str(analyser["analyser"]))
                if topic is part[0] and not number:  # the first match loads the judge's models
                    judge(topic.pyramid, peer)
                progress(peer.id)


def _pairs(topics: Iterable[Topic]) -> int:
    return sum(len(topic.peers) * len(topic.pyramid.scus) for topic in topics if topic.pyramid)


def peak_memory() -> float | None:
    """Return the peak memory of the process in MB; None if the system does not say (Windows)."""
    try:
        import resource
    except ImportError:
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # bytes on macOS, kilobytes elsewhere
    return round(most / (1e6 if sys.platform == "darwin" else 1e3), 1)
