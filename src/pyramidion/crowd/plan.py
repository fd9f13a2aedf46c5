"""From texts to a study, and on to its judging tasks: all that workers are asked, decided before anybody is paid.

*Writing* (Shapira et al. 2019 §3): one task per reference, done by ``design.writers`` workers. *Judging* (§3): the n
sampled statements of a topic are split into k = ceil(n / per_task) groups whose sizes differ by at most one (§4: 32
statements in two tasks of 16), and every summary of the topic is asked about every group once, by ``design.workers``
workers. Groups are the same for all systems of a topic, so that systems are compared on the same questions; they are
dealt reference by reference, so that each holds something of all. Each statement is in one group: no worker meets it
twice on one summary.

Everything is decided by content and the seed: ids and orders come from keys of the texts, so that the order of files,
and whether systems come at once or later, change nothing. A study only grows. What it has never changes, because
answers refer to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Literal

from pyramidion.base.choices import check_choices
from pyramidion.crowd.checks import Foreign
from pyramidion.crowd.design import Design
from pyramidion.crowd.keys import key
from pyramidion.crowd.study import Statement, Study, Task
from pyramidion.errors import ModelError, PyramidionError
from pyramidion.model import Summary, Topic
from pyramidion.notes import note

Origin = Literal["written", "pyramid"]

_PLAIN_ID = re.compile(r"[\w.:\-]+")


@check_choices
def plan(
    topics: Iterable[Topic], design: Design | None = None, *, name: str = "study", statements: Origin = "written"
) -> Study:
    """Make the study of these topics.

    ``statements="written"``: workers will write them, so there are writing tasks, and judging tasks come with
    :func:`judging_tasks`. ``"pyramid"``: each SCU of the topics' own pyramids is a statement, in the words of its
    label, of the first reference, by id, that contributes to it; of more than ``design.sample`` a sample is drawn in
    which each has the same chance; judging tasks are there at once.
    """
    empty = Study(name, design or Design(), ())
    return _add_topics(empty, topics, statements)


@check_choices
def extend(study: Study, topics: Iterable[Topic], *, statements: Origin | None = None) -> Study:
    """Add the systems and topics that a study does not have yet.

    New systems of a topic that is judged get tasks with its old statements. New topics are planned like the first;
    ``statements`` says otherwise. Topics, systems and references that are not named stay. A known summary with another
    text, and a new reference of a known topic, are errors: answers refer to the old texts.
    """
    # only a study from pyramids has statements but no writing tasks
    origin: Origin = "pyramid" if study.statements and not study.of_phase("writing") else "written"
    return _add_topics(study, topics, statements or origin)


def _add_topics(study: Study, topics: Iterable[Topic], origin: Origin) -> Study:
    """Add what is new in the topics: systems of known topics, whole new topics, and their tasks."""
    ordered = sorted(topics, key=lambda topic: topic.id)
    if not ordered:
        raise PyramidionError("There is no topic to plan for", do="give a corpus with references and peers")
    if not any(topic.peers for topic in ordered):
        raise PyramidionError("No topic has a peer: there is nothing to judge", do="add the systems' summaries")
    known = {topic.id: topic for topic in study.topics}
    if not known and not any(peer.text.strip() for topic in ordered for peer in topic.peers):
        raise PyramidionError("No peer has a text: there is nothing to judge", do="check the systems' summaries")
    later = {topic.id: topic for topic in ordered}
    if len(later) < len(ordered):
        raise ModelError("Two topics have the same id", do="give each its own")
    kept = [_with_new_peers(topic, later[topic.id]) if topic.id in later else topic for topic in study.topics]
    new = [topic for topic in ordered if topic.id not in known]
    for topic in new:
        _check(topic, origin)
    texts = [Topic(topic.id, _by_id(_references(topic, origin)), _by_id(_as_peers(topic.peers))) for topic in new]
    grown = replace(study, topics=(*kept, *texts))
    _warn_of_empty(grown, known)
    number = max((task.round for task in study.tasks), default=0) + 1
    if origin == "pyramid":
        statements = [statement for topic in new for statement in _of_pyramid(topic, study.design)]
        return judging_tasks(grown, statements, round=number)
    writing = tuple(
        Task(
            f"w-{key(topic.id, reference.id, reference.text)[:12]}",
            "writing",
            topic.id,
            reference.id,
            study.design.writers,
            round=number,
        )
        for topic in texts
        for reference in topic.references
    )
    return judging_tasks(replace(grown, tasks=(*grown.tasks, *writing)), (), round=number)


def judging_tasks(study: Study, statements: Iterable[Statement], *, round: int = 0) -> Study:
    """Add these statements to a study, and a task for each group of a topic and each summary that has none yet.

    The tasks belong to that ``round``, or, with 0, to the one in which the topic's statements were written.

    Statements of a topic that has some already must be those that it has. Those with ``sampled`` are asked; the others
    are kept, for the record. A summary without text gets no task: it expresses nothing and scores 0.
    """
    new = tuple(statements)
    known: dict[str, set[Statement]] = {}
    for statement in study.statements:
        known.setdefault(statement.topic, set()).add(statement)
    for statement in new:
        study.topic(statement.topic)  # an error if the study does not have it
        if statement.sampled and not statement.text.strip():
            raise ModelError(f"Statement {statement.id!r} of topic {statement.topic!r} has no text", do="leave it out")
        if statement.topic in known and statement not in known[statement.topic]:
            raise ModelError(
                f"Topic {statement.topic!r} has its statements already, and {statement.id!r} is not among them",
                do="statements that are judged never change: leave it out, or plan a new study",
            )
    everything = (*study.statements, *(statement for statement in new if statement.topic not in known))
    judged = {(task.topic, task.summary) for task in study.of_phase("judging")}
    rounds = {task.topic: task.round for task in sorted(study.tasks, key=lambda task: task.round)}
    foreign = Foreign(everything, study.design.seed)
    by_topic: dict[str, list[Statement]] = {}
    for statement in everything:
        if statement.sampled:
            by_topic.setdefault(statement.topic, []).append(statement)
    tasks: list[Task] = []
    for topic in study.topics:
        parts = groups(by_topic.get(topic.id, ()), topic, study.design)
        for peer in topic.peers:
            if peer.text.strip() and (topic.id, peer.id) not in judged:
                tasks += _tasks_of(topic, peer, parts, foreign, study.design, round or rounds.get(topic.id, 1))
    return replace(study, statements=everything, tasks=(*study.tasks, *tasks))


def groups(statements: Sequence[Statement], topic: Topic, design: Design) -> list[tuple[Statement, ...]]:
    """Divide the statements of a topic into groups of at most ``per_task``, whose sizes differ by at most one.

    Statements are dealt like cards, those of one reference after those of the other, so that each group has the same
    share of every reference, within one. No order of the input matters.
    """
    count = -(-len(statements) // design.per_task)
    texts = {reference.id: reference.text for reference in topic.references}
    seed = design.seed

    def place(statement: Statement) -> tuple[str, ...]:
        return (
            key(seed, texts.get(statement.reference, "")),
            statement.reference,
            key(seed, statement.text),
            statement.id,
        )

    dealt = sorted(statements, key=place)
    return [tuple(dealt[first::count]) for first in range(count)]


def _tasks_of(
    topic: Topic, peer: Summary, parts: Sequence[tuple[Statement, ...]], foreign: Foreign, design: Design, number: int
) -> Iterator[Task]:
    """Make the tasks of judging one summary: one for each group of its topic's statements."""
    for place, part in enumerate(parts):
        # the id is made from what is asked, so that the same task has the same id whenever it is made
        content = sorted(f"{statement.id} {statement.text}" for statement in part)
        id = f"j-{key(topic.id, peer.id, peer.text, *content)[:12]}"
        shown = sorted(
            part, key=lambda statement: (key(design.seed, topic.id, peer.text, statement.text), statement.id)
        )
        checks = foreign.checks(id, topic.id, peer.text, design.checks, place)
        ids = tuple(statement.id for statement in shown)
        yield Task(id, "judging", topic.id, peer.id, design.workers, ids, checks, number)


# The topics that are given


def _check(topic: Topic, origin: Origin) -> None:
    """Refuse a new topic that has nothing to judge, or nothing to take statements from."""
    if not topic.peers:
        raise PyramidionError(
            f"Topic {topic.id!r} has no peer: there is nothing to judge", do="add some or leave it out"
        )
    if origin == "pyramid":
        if topic.pyramid is None or not topic.pyramid.scus:
            raise PyramidionError(
                f"Topic {topic.id!r} has no pyramid to take statements from", do="add one, or let workers write them"
            )
        return
    if not topic.references:
        raise PyramidionError(
            f"Topic {topic.id!r} has no reference to write statements about", do="add some or leave it out"
        )
    for reference in topic.references:
        if not reference.text.strip():
            raise PyramidionError(
                f"Reference {reference.id!r} of topic {topic.id!r} has no text", do="add it or leave the reference out"
            )


def _references(topic: Topic, origin: Origin) -> tuple[Summary, ...]:
    if origin == "pyramid" and topic.pyramid and not topic.references:
        return topic.pyramid.references
    return topic.references


def _as_peers(peers: Iterable[Summary]) -> tuple[Summary, ...]:
    return tuple(Summary(peer.id, peer.text, "peer") for peer in peers)


def _by_id(summaries: Iterable[Summary]) -> tuple[Summary, ...]:
    return tuple(sorted(summaries, key=lambda summary: summary.id))


def _with_new_peers(old: Topic, new: Topic) -> Topic:
    """Add the peers that a topic does not have yet; other texts under a known id are refused."""
    for role, known, brought in (("reference", old.references, new.references), ("peer", old.peers, new.peers)):
        texts = {summary.id: summary.text for summary in known}
        for summary in brought:
            if summary.id in texts and texts[summary.id] != summary.text:
                raise ModelError(
                    f"{role} {summary.id!r} of topic {old.id!r} has another text than in the study",
                    do="give the summary a new name: answers refer to the old text",
                )
            if role == "reference" and summary.id not in texts:
                raise ModelError(
                    f"Topic {old.id!r} has the new reference {summary.id!r}",
                    do="the references of a planned topic stay as they are: leave it out, or plan a new study",
                )
    added = [summary for summary in new.peers if summary.id not in {peer.id for peer in old.peers}]
    return Topic(old.id, old.references, (*old.peers, *_by_id(_as_peers(added))))


def _warn_of_empty(study: Study, known: dict[str, Topic]) -> None:
    empty = [
        f"{peer.id!r} of topic {topic.id!r}"
        for topic in study.topics
        for peer in topic.peers
        if not peer.text.strip() and peer not in (known[topic.id].peers if topic.id in known else ())
    ]
    if empty:
        note(
            f"{len(empty)} {'summary' if len(empty) == 1 else 'summaries'} without text, the first: {empty[0]}; "
            "no task is made, and the score is 0"
        )


def _of_pyramid(topic: Topic, design: Design) -> Iterator[Statement]:
    """Make statements of the SCUs of the topic's pyramid; those that are not drawn are not ``sampled``."""
    if topic.pyramid is None:
        return
    statements = []
    for scu in topic.pyramid.scus:
        first = min(
            scu.contributors,
            key=lambda statement: (statement.summary, [(s.start, s.end) for s in statement.spans], statement.label),
        )
        text = " ".join((scu.label.strip() or topic.pyramid.words(first)).split())
        if text:
            id = scu.id if _PLAIN_ID.fullmatch(scu.id) else key(scu.id)[:12]
            statements.append(Statement(id, topic.id, first.summary, text))
    if not statements:
        raise PyramidionError(f"No SCU of topic {topic.id!r} has a label to ask about", do="write labels")
    drawn = sorted(statements, key=lambda statement: (key(design.seed, statement.text), statement.id))[: design.sample]
    sampled = {statement.id for statement in drawn}
    for statement in sorted(statements, key=lambda statement: statement.id):
        yield replace(statement, sampled=statement.id in sampled)
