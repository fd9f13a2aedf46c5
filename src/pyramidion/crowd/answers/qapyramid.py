"""QAPyramid's judgements: ``{system: {example: {predicate: {"question answer": [[worker, 0 or 1], ...]}}}}``.

The statements of a topic (an example) are its pairs of question and answer, which were judged together for each
predicate; a predicate's pairs that one worker judged are one submission. The worker ``AUTHOR`` is who made the data.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from pyramidion.base.json import decode_json
from pyramidion.crowd.answers.submission import Submission
from pyramidion.errors import FormatError, Where
from pyramidion.formats.mturk_rows import Shared

Name = Annotated[str, Meta(max_length=1000)]
"""The name of a system, example, predicate or worker; it becomes part of the ids of what is below it."""
Vote = tuple[Annotated[str, Meta(min_length=1, max_length=1000)], Literal[0, 1]]
Predicates = dict[Name, dict[str, list[Vote]]]


def read_presence(text: str, source: str, shared: Shared) -> list[Submission]:
    """Read one submission per worker and predicate; a worker's second vote on a pair is in a second submission."""
    submissions: list[Submission] = []
    whole: dict[str, dict[str, Any]] = decode_json(text, dict[Name, dict[Name, Predicates]], source)
    for system, examples in whole.items():
        for example, predicates in examples.items():
            if not system or not example:
                raise FormatError("A system or an example has no name", Where(source), "name it")
            for predicate, pairs in predicates.items():
                submissions += _submissions(system, example, predicate, pairs, shared)
    return submissions


def _submissions(
    system: str, example: str, predicate: str, pairs: dict[str, list[Vote]], shared: Shared
) -> list[Submission]:
    """Return the submissions on one predicate: the pairs that a worker judged, and the answers."""
    letters: dict[tuple[str, int], dict[str, str]] = {}
    for pair, votes in pairs.items():
        times: dict[str, int] = {}
        for worker, present in votes:
            times[worker] = times.get(worker, 0) + 1
            # by worker and time: the first votes on all pairs are one submission, the second votes another
            letters.setdefault((worker, times[worker]), {})[pair] = "np"[present]
    asked = {
        shown: shared.asking(tuple([f"{predicate} {pair}" for pair in shown]), shown)
        for shown in set(map(tuple, letters.values()))
    }
    return [
        Submission(
            f"{system}/{example}/{predicate}/{worker}" + (f"/{time}" if time > 1 else ""),
            "judging",
            example,
            system,
            worker,
            predicate,
            asked[tuple(answers)],
            "".join(answers.values()),
        )
        for (worker, time), answers in letters.items()
    ]
