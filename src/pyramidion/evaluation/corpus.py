"""The input of a run: topics that can be read again, digests that identify them, and their number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from pyramidion import formats
from pyramidion.base.files import check_not_among
from pyramidion.evaluation.record import Record, digest_of, digests, record_of
from pyramidion.evaluation.work import Scoring
from pyramidion.evaluation.worklist import Plan, plan_work
from pyramidion.formats.read import READING, Reading, as_topics
from pyramidion.methods import say_if_ignored
from pyramidion.model import Topic


@dataclass(frozen=True, slots=True)
class Corpus:
    """The topics of a run; each call of ``topics`` gives all of them, one at a time where their format allows that."""

    topics: Callable[[], Iterable[Topic]]
    inputs: Mapping[str, str]
    """A digest of each input by its name; of a table in memory, of each topic."""
    reading: Mapping[str, str]
    """The format, the markup and the options by which the inputs are read."""
    name: str = ""
    """The name of its file or folder, for messages."""

    def plan(self, work: Scoring) -> Plan:
        """Look at every topic once; refuse what the method cannot do, and warn if it ignores human annotations."""
        plan = plan_work(self.topics(), work.method, leave_one_out=work.leave_one_out)
        if plan.annotated:
            say_if_ignored(str(work.method))
        return plan

    def record(self, work: Scoring, plan: Plan | None = None) -> Record:
        """Return the record of a run: what decides its results and, if a plan is given, how much there is to do."""
        if plan is None:
            return record_of(work, self.inputs, self.reading)
        return record_of(work, self.inputs, self.reading, topics=plan.topics, summaries=plan.summaries)


def corpus_of(given: str | PathLike[str] | Iterable[Topic] | Any, out: Path, reading: Reading = READING) -> Corpus:
    """The corpus of a file or folder, which is read when it is needed, or of topics or a table in memory.

    ``out`` is the folder of the run, which may not be among what is read.
    """
    if not isinstance(given, str | PathLike):
        topics = list(as_topics(given, reading))
        return Corpus(
            lambda: topics, {f"topics/{topic.id}": digest_of(topic) for topic in topics}, _reading_settings(reading)
        )
    path = Path(given)
    check_not_among(out, [path])
    # an option may name further files (``outputs``), which decide what is read, too
    named = [Path(name) for value in reading.options.values() for name in str(value).split(",")]
    inputs = digests([path, *(file for file in named if file.is_file())])
    reading_settings = _reading_settings(reading) | dict(formats.FORMATS.signed(reading.format_of(path)))
    return Corpus(lambda: reading.stream(path), inputs, reading_settings, str(path))


def _reading_settings(reading: Reading) -> dict[str, str]:
    options = {name: str(value) for name, value in reading.options.items()}
    return {"format": reading.format, "markup": reading.markup, **options}
