"""The selection of the statements that are judged, from all that were written (Shapira et al. 2019 §3).

Statements by the rules (:mod:`~pyramidion.crowd.statements.drafts`), less what a person struck out
(:mod:`~pyramidion.crowd.statements.review`); of the rest, a sample is drawn per topic. Dropped statements stay in the
study, with the reason.

**The sample.** Every statement gets a number from a hash of the seed, its reference's text and its own; within its
reference it has the rank of that number. Statements are taken by rank, then by number, until the sample is full: each
reference gives equally many, and where one has too few, the others make up for it. The draw is uniform within a
reference and does not depend on the order or the names of files, workers and references.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pyramidion.crowd.answers.submission import Submission
from pyramidion.crowd.design import Design
from pyramidion.crowd.keys import key
from pyramidion.crowd.plan import judging_tasks
from pyramidion.crowd.statements.drafts import Rules, drafts, open_topics, rules_of
from pyramidion.crowd.statements.review import Decision, Draft, apply
from pyramidion.crowd.study import Statement, Study
from pyramidion.errors import PyramidionError
from pyramidion.model import Summary, Topic
from pyramidion.notes import note


@dataclass(frozen=True, slots=True)
class Counts:
    """The numbers of statements about one reference: written, dropped, kept and sampled."""

    topic: str
    reference: str
    written: int
    dropped: Mapping[str, int]
    """The number of dropped statements by reason."""
    kept: int
    sampled: int


@dataclass(frozen=True, slots=True)
class Selection:
    """The study with statements and judging tasks, and the drafts that they were selected from."""

    study: Study
    drafts: tuple[Draft, ...]
    """Every statement of the topics that were selected now, as the rules had it: the review list."""
    counts: tuple[Counts, ...]
    rules: Rules


def select(
    study: Study,
    submissions: Iterable[Submission],
    rules: Rules | str = "paper",
    *,
    decisions: Sequence[Decision] | None = None,
    again: bool = False,
) -> Selection:
    """Choose the statements of every topic that has none, and make their judging tasks.

    A topic without a statement left waits for more writers, and is chosen next time. ``decisions`` are a person's, from
    a review list; ``again`` chooses anew where nothing was judged yet.
    """
    rules = rules_of(rules) if isinstance(rules, str) else rules
    fresh, proposed = propose(study, submissions, rules, again=again)
    statements = [draft.statement for draft in proposed]
    if decisions is not None:
        statements = apply(statements, decisions, rules.duplicates, rules.limit, rules.analyser)
    statements = _sampled(fresh, _of_ready_topics(study, fresh, statements), rules)
    counts = _counts(fresh, statements)
    _say_what_is_short(fresh, counts, rules)
    if decisions is None:
        _say_what_is_doubtful(proposed)
    return Selection(judging_tasks(fresh, statements), proposed, counts, rules)


def propose(
    study: Study, submissions: Iterable[Submission], rules: Rules | str = "paper", *, again: bool = False
) -> tuple[Study, tuple[Draft, ...]]:
    """Return the study without its selection, and the review list: the written statements as the rules have them."""
    submissions = tuple(submissions)
    fresh = _without_selection(study, submissions, again)
    _say_what_is_missing(fresh, submissions)
    return fresh, drafts(fresh, submissions, rules)


def _without_selection(study: Study, submissions: Sequence[Submission], again: bool) -> Study:
    """Return the study without the statements and judging tasks that will be chosen again."""
    chosen = {statement.topic for statement in study.statements}
    judged = {submission.topic for submission in submissions if submission.phase == "judging"}
    written = {submission.topic for submission in submissions if submission.phase == "writing"}
    # only topics whose written statements are at hand and which nobody has judged can be chosen again
    anew = chosen & written - judged if again else set()
    if not anew and chosen >= {topic.id for topic in study.topics}:
        if again and chosen & judged:
            raise PyramidionError(
                f"Study {study.name!r} has judgements of its statements, which cannot be selected again",
                do="plan another study for another selection",
            )
        raise PyramidionError(
            f"The statements of study {study.name!r} are selected already",
            do="go on with the judging task" + ("" if again else ", or select again while nothing is judged"),
        )
    return replace(
        study,
        statements=tuple(statement for statement in study.statements if statement.topic not in anew),
        tasks=tuple(task for task in study.tasks if task.phase == "writing" or task.topic not in anew),
    )


def _of_ready_topics(study: Study, fresh: Study, statements: Sequence[Statement]) -> list[Statement]:
    """Return the statements of topics that have any left; no other topic may have had some before, nor may all wait."""
    left = {statement.topic for statement in statements if not statement.dropped}
    selected_before = {statement.topic for statement in study.statements}
    waiting = [topic.id for topic in open_topics(fresh) if topic.id not in left]
    stuck = [id for id in waiting if id in selected_before or not left]
    if stuck:
        written = sum(statement.topic == stuck[0] for statement in statements)
        raise PyramidionError(
            f"Topic {stuck[0]!r} has no statement left"
            + (f": all {written} are dropped" if written else ": nobody wrote any"),
            do="loosen the rules, or ask more writers" if written else "collect results of the writing task first",
        )
    if waiting:
        _warn("topic(s) have no statement left and wait for more writers; the others are selected", waiting)
    return [statement for statement in statements if statement.topic in left]


def _sampled(study: Study, statements: Sequence[Statement], rules: Rules) -> list[Statement]:
    """Draw the sample: statements by their rank within the reference, then by their number."""
    kept: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for statement in statements:
        if not statement.dropped:
            kept.setdefault((statement.topic, statement.reference), []).append(
                (key(study.design.seed, statement.id), statement.id)
            )
    chosen: set[tuple[str, str]] = set()
    for topic in open_topics(study):
        ranked: list[tuple[int, str, str]] = []
        for reference in topic.references:
            numbers = sorted(kept.get((topic.id, reference.id), ()))[: rules.per_reference]
            ranked += [(rank, number, id) for rank, (number, id) in enumerate(numbers)]
        chosen |= {
            (topic.id, id) for _, _, id in sorted(ranked)[: rules.sample_size(study.design, len(topic.references))]
        }
    return [replace(statement, sampled=(statement.topic, statement.id) in chosen) for statement in statements]


# Counts and warnings


def _counts(study: Study, statements: Sequence[Statement]) -> tuple[Counts, ...]:
    """Count the statements about each reference of the topics that were selected now."""
    by_reference: dict[tuple[str, str], list[Statement]] = {}
    for statement in statements:
        by_reference.setdefault((statement.topic, statement.reference), []).append(statement)
    ready = {statement.topic for statement in statements}
    counts = []
    for topic in open_topics(study):
        for reference in sorted(topic.references, key=lambda reference: reference.id) if topic.id in ready else ():
            about = by_reference.get((topic.id, reference.id), [])
            reasons = Counter(_kind(statement.dropped) for statement in about if statement.dropped)
            counts.append(
                Counts(
                    topic.id,
                    reference.id,
                    len(about),
                    dict(sorted(reasons.items())),
                    len(about) - reasons.total(),
                    sum(statement.sampled for statement in about),
                )
            )
    return tuple(counts)


def _kind(reason: str) -> str:
    kind = reason.partition(":")[0]
    return "duplicate" if kind.startswith("duplicate of ") else kind


def _say_what_is_short(study: Study, counts: Sequence[Counts], rules: Rules) -> None:
    """Warn of topics with fewer statements than the design asks for, and of references that gave too few."""
    by_topic: dict[str, list[int]] = {}
    for count in counts:
        by_topic.setdefault(count.topic, []).append(count.sampled)
    few, helped = [], []
    for topic, sampled in by_topic.items():
        wanted = rules.sample_size(study.design, len(sampled))
        if sum(sampled) < wanted:
            few.append(f"{topic} {sum(sampled)} of {wanted}")
        elif min(sampled) < wanted // len(sampled):
            helped.append(topic)
    if few:
        _warn("topic(s) have fewer statements than the sample", few)
    if helped:
        _warn("topic(s) have a reference with too few statements, for which the others make up", helped)


def _say_what_is_doubtful(drafts: Sequence[Draft]) -> None:
    """Warn of statements that are as alike as duplicates and were kept, because they may say different things."""
    doubtful = [draft for draft in drafts if draft.doubt]
    if doubtful:
        first = doubtful[0]
        note(
            f"{len(doubtful)} statement(s) are as alike as duplicates, but may say different things, and are kept, the "
            f"first: {first.statement.id} of topic {first.statement.topic!r}, {first.doubt}; look at them with "
            "--review"
        )


def _warn(what: str, topics: Sequence[str]) -> None:
    shown = ", ".join(topics[:5]) + (", ..." if len(topics) > 5 else "")
    note(f"{len(topics)} {what}: {shown}")


def _say_what_is_missing(study: Study, submissions: Iterable[Submission]) -> None:
    """Warn of writing tasks with fewer writers than planned; a writer who did one twice counts once."""
    writers = {
        (submission.topic, submission.summary, submission.worker_name)
        for submission in submissions
        if submission.phase == "writing" and submission.status != "rejected"
    }
    done = Counter((topic, summary) for topic, summary, _ in writers)
    topics = {topic.id for topic in open_topics(study)}
    short = [
        task
        for task in study.of_phase("writing")
        if task.topic in topics and done[task.topic, task.summary] < task.workers
    ]
    if short:
        note(
            f"{len(short)} writing task(s) have fewer writers than planned, the first: {short[0].summary!r} of topic "
            f"{short[0].topic!r}, {done[short[0].topic, short[0].summary]} of {short[0].workers}"
        )


def study_of(submissions: Iterable[Submission]) -> Study:
    """Make a study of nothing but the topics and references that submissions are about, where no corpus is at hand.

    The references have the text that writers saw, where the source tells; there are no peers, so nothing to judge.
    """
    texts: dict[str, dict[str, str]] = {}
    for submission in sorted(submissions, key=lambda sent: (sent.topic, sent.summary, sent.text)):
        if submission.phase == "writing":
            texts.setdefault(submission.topic, {})[submission.summary] = submission.text
    if not texts:
        raise PyramidionError("There is no written statement", do="name results of the writing task")
    topics = (
        Topic(topic, tuple(Summary(id, text, "reference") for id, text in references.items()))
        for topic, references in texts.items()
    )
    return Study("statements", Design(), tuple(topics))
