"""A study as a value, and its file: the texts that are evaluated, the design, the statements and the tasks.

A study is a folder with ``study.json``, which this module reads and writes, and, once answers come in, their store
(:mod:`~pyramidion.crowd.answers.store`). The file holds the texts, so that it can be run years later. Everything in it
is decided by the corpus, the design and its seed. It grows: first the writing tasks, after selection the statements and
judging tasks, later tasks for further systems; what is there already never changes, because answers refer to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

import msgspec

from pyramidion.base.files import decode, readable, writable, write_bytes
from pyramidion.base.json import decode_json, encode_json
from pyramidion.crowd.design import Design
from pyramidion.errors import FormatError, ModelError, PyramidionError, Where
from pyramidion.model import Summary, Topic

FILE = "study.json"
VERSION = 1

Phase = Literal["writing", "judging"]


@dataclass(frozen=True, slots=True)
class Statement:
    """One fact in a worker's words (§3), with its origin, and whether it is among those that are judged."""

    id: str
    topic: str
    reference: str
    text: str
    author: str = ""
    sampled: bool = True
    dropped: str = ""
    """The reason for which it cannot be sampled (too long, a duplicate, struck out by a person); empty if it can."""


@dataclass(frozen=True, slots=True)
class Check:
    """An attention check: a statement that is shown among the others, and whose answer is known."""

    id: str
    text: str
    expected: Literal["p", "n"]


@dataclass(frozen=True, slots=True)
class Task:
    """The work that one worker does at a time; several workers do every task."""

    id: str
    phase: Phase
    topic: str
    summary: str
    """The reference to write about, or the summary to judge."""
    workers: int
    """The number of workers who do it."""
    statements: tuple[str, ...] = ()
    """The ids of the statements to judge, in the order shown."""
    checks: tuple[Check, ...] = ()
    round: int = 1
    """The number of the extension that made the task; the plan is 1."""


@dataclass(frozen=True, slots=True)
class Study:
    """Everything that is planned; the answers are in the store."""

    name: str
    design: Design
    topics: tuple[Topic, ...]
    """The topics, with references and peers only."""
    statements: tuple[Statement, ...] = ()
    tasks: tuple[Task, ...] = ()
    _by_topic: dict[str, Topic] = field(init=False, repr=False, compare=False, default_factory=dict)
    _sampled: dict[str, list[Statement]] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        """Check that ids are unique and that tasks ask only for what the study has."""
        # the dataclass is frozen, but its dictionaries can be filled
        self._by_topic.update((topic.id, topic) for topic in self.topics)
        self._check_ids()
        sampled = {}
        for statement in self.statements:
            self.topic(statement.topic)
            sampled[statement.topic, statement.id] = statement.sampled
            if statement.sampled:
                self._sampled.setdefault(statement.topic, []).append(statement)
        for task in self.tasks:
            self.text_of(task)
            if task.workers < 1:
                raise ModelError(f"Task {task.id!r} is for {task.workers} workers", do="give 1 or more")
            if len(set(task.statements)) < len(task.statements):
                raise ModelError(f"Task {task.id!r} asks for a statement twice", do="ask for each once")
            for id in task.statements:
                if (task.topic, id) not in sampled:
                    raise ModelError(f"Task {task.id!r} asks for the unknown statement {id!r}")
                if not sampled[task.topic, id]:
                    raise ModelError(f"Task {task.id!r} asks for the statement {id!r}, which is not sampled")

    def _check_ids(self) -> None:
        for kind, names in (
            ("topics", [("", topic.id) for topic in self.topics]),
            ("tasks", [("", task.id) for task in self.tasks]),
            ("statements", [(statement.topic, statement.id) for statement in self.statements]),
        ):
            if len(set(names)) < len(names):
                topic, twice = next(name for name in names if names.count(name) > 1)
                of = f" of topic {topic!r}" if topic else ""
                raise ModelError(f"Two {kind}{of} have the id {twice!r}", do="give each its own")

    def topic(self, id: str) -> Topic:
        """Return the topic of that id."""
        try:
            return self._by_topic[id]
        except KeyError:
            raise ModelError(f"Study {self.name!r} has no topic {id!r}") from None

    def text_of(self, task: Task) -> Summary:
        """Return the text that a task is about."""
        topic = self.topic(task.topic)
        summaries = topic.references if task.phase == "writing" else topic.peers
        for summary in summaries:
            if summary.id == task.summary:
                return summary
        raise ModelError(f"Task {task.id!r} is about {task.summary!r}, which topic {topic.id!r} does not have")

    def of_phase(self, phase: Phase) -> tuple[Task, ...]:
        """Return the tasks of a phase."""
        return tuple(task for task in self.tasks if task.phase == phase)

    @property
    def phase(self) -> Phase:
        """The phase that the study is in: judging once there are statements to judge, writing before."""
        if not self.tasks:
            raise PyramidionError(
                f"Study {self.name!r} has no tasks", do="plan it with a corpus: pyramidion crowd plan"
            )
        return "judging" if self.of_phase("judging") else "writing"

    def sampled(self, topic: str) -> tuple[Statement, ...]:
        """Return the statements of a topic that are judged."""
        return tuple(self._sampled.get(topic, ()))

    @property
    def systems(self) -> tuple[str, ...]:
        """The names of the peers, over all topics."""
        return tuple(sorted({peer.id for topic in self.topics for peer in topic.peers}))


# The file


class _Text(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    text: str


class _Topic(msgspec.Struct, forbid_unknown_fields=True):
    id: str
    references: list[_Text]
    peers: list[_Text]


class _File(msgspec.Struct, forbid_unknown_fields=True):
    study: int
    name: str
    design: Design
    topics: list[_Topic]
    statements: tuple[Statement, ...] = ()
    tasks: tuple[Task, ...] = ()


class _Version(msgspec.Struct):
    study: int


class _Raw(msgspec.Struct):
    design: dict[str, Any]
    statements: list[dict[str, Any]] = []
    tasks: list[dict[str, Any]] = []


def path_of(path: Path) -> Path:
    """Return the study's file: the path itself if it ends in ``.json``, else in the folder of that name."""
    return path if path.suffix == ".json" and not path.is_dir() else path / FILE


def load(path: Path) -> Study:
    """Read the study in a folder or file. It may be large: thousands of topics with all their texts."""
    path = path_of(path)
    with readable(path):
        data = path.read_bytes()
    return loads(data, str(path))


def loads(data: bytes | str, source: str = "<string>") -> Study:
    """Read the study in a document."""
    text = decode(data, source)
    # the version first: a file of another version would fail with the error of some field
    version = decode_json(text, _Version, source).study
    if version != VERSION:
        raise FormatError(
            f"The study has version {version}",
            source,
            f"this Pyramidion reads version {VERSION}: install the one that wrote the study",
        )
    record = decode_json(text, _File, source)
    _check_fields(decode_json(text, _Raw, source), source)
    try:
        return Study(record.name, record.design, tuple(_topics(record)), record.statements, record.tasks)
    except PyramidionError as error:
        raise error.at(Where(source)) from None


def _check_fields(raw: _Raw, source: str) -> None:
    """Refuse unknown fields: a misspelt one would silently mean its default."""
    for name, of, records in (
        ("design", Design, [raw.design]),
        ("statements", Statement, raw.statements),
        ("tasks", Task, raw.tasks),
    ):
        strange = sorted(set[str]().union(*records) - {known.name for known in fields(of)})
        if strange:
            raise FormatError(
                f"The field {strange[0]!r} is unknown", Where(source, element=f"$.{name}"), "check its name"
            )


def _topics(record: _File) -> Iterator[Topic]:
    for topic in record.topics:
        references = tuple(Summary(reference.id, reference.text, "reference") for reference in topic.references)
        yield Topic(topic.id, references, tuple(Summary(peer.id, peer.text, "peer") for peer in topic.peers))


def dump(study: Study, path: Path) -> None:
    """Write the study's file; in a folder that is made if it is not there."""
    path = path_of(path)
    with writable(path):
        path.parent.mkdir(exist_ok=True)
    write_bytes(path, dumps(study))


def dumps(study: Study) -> bytes:
    """Return the study as a document; the same study gives the same bytes."""

    def texts(summaries: tuple[Summary, ...]) -> list[dict[str, str]]:
        return [{"id": summary.id, "text": summary.text} for summary in summaries]

    record: dict[str, Any] = {
        "study": VERSION,
        "name": study.name,
        "design": study.design,
        "topics": [
            {"id": topic.id, "references": texts(topic.references), "peers": texts(topic.peers)}
            for topic in study.topics
        ],
        "statements": study.statements,
        "tasks": study.tasks,
    }
    return msgspec.json.format(encode_json(record), indent=1) + b"\n"
