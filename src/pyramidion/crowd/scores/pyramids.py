"""A crowd's decisions as topics with pyramids and annotations, which every other part of Pyramidion understands.

Each judged statement is an SCU of weight 1, contributed by the reference it is about, as the method is *unweighted*
(Shapira et al. 2019 §4). Where nobody knows the reference (results without a study), one made reference contributes
them all, as in :mod:`~pyramidion.formats.mturk_ratings`. Every summary has one annotation: its matches are the
statements that are present, with the share of votes (or the aggregation's probability) as the score of the match.
Statements without a decision are unjudged. A summary of which the study has no text expresses nothing.

``recall`` of such a pyramid is the crowd's score, wherever a summary was judged on all its topic's statements. With one
reference so is ``coverage``; with several, ``coverage`` compares with a summary of as many statements as one reference
has. :func:`unlike` counts the summaries whose recall is not the crowd's score: statements without a decision or not
asked of that summary count against it in recall, merged ones weigh more, and degrees (``mean``, or draws of votes) are
cut at one half.

``merge`` makes statements of different references that say the same one SCU
(:mod:`~pyramidion.crowd.statements.merging`), whose weight is the number of references; it is present where the mean
share of its statements is above one half. Statements that are alike and may say different things stay apart, with a
warning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf
from statistics import fmean

import numpy as np

from pyramidion.crowd.judging.aggregate import Decisions
from pyramidion.crowd.judging.votes import Votes
from pyramidion.crowd.scores.scoring import SummaryScore
from pyramidion.crowd.statements.merging import ALIKE, Doubt, ReferenceStatement, doubtful, merge_statements
from pyramidion.crowd.study import Statement, Study
from pyramidion.errors import PyramidionError
from pyramidion.formats.mturk_ratings import REFERENCE
from pyramidion.model import (
    NO_ANSWER,
    NOT_ASKED,
    SCU,
    Annotation,
    Contributor,
    Match,
    Pyramid,
    Summary,
    Topic,
    Unjudged,
)
from pyramidion.notes import note

CROWD = "crowd"
"""The annotator's name."""

_MOST_SHOWN = 5
"""The most pairs of statements that a warning shows."""


def topics(
    votes: Votes,
    decisions: Decisions,
    study: Study | None = None,
    *,
    merge: bool = False,
    threshold: float = ALIKE,
    analyser: str = "en-minilm",
) -> list[Topic]:
    """Return every topic that was judged: pyramid, peers, and one annotation per summary."""
    if merge and (study is None or all(len(topic.references) < 2 for topic in study.topics)):
        raise PyramidionError(
            "Merging needs statements of two references or more, but the references are not known"
            if study is None
            else "Merging needs two references or more in a topic",
            do="give the study's folder" if study is None else "do not merge",
        )
    degrees: dict[str, dict[str, dict[str, float | None]]] = {}
    for item, probability in zip(votes.items, decisions.probability.tolist(), strict=True):
        by_summary = degrees.setdefault(item.topic, {})
        by_summary.setdefault(item.summary, {})[item.statement] = None if np.isnan(probability) else probability
    written = {(statement.topic, statement.id): statement for statement in study.statements} if study else {}
    corpus = []
    apart: list[tuple[str, Doubt]] = []
    for name, by_summary in degrees.items():
        references, peers = _texts(name, by_summary, votes, study)
        statements = [
            _reference_statement(written.get((name, id)), votes.words.get((name, id), ""), id, references)
            for id in _statement_ids(by_summary)
        ]
        groups = (
            merge_statements(statements, threshold, analyser) if merge else [[statement] for statement in statements]
        )
        apart += [(name, doubt) for doubt in doubtful(statements, threshold, analyser)] if merge else []
        scus = tuple(_scu(group) for group in groups)
        blank = _without_text(name, study)
        annotations = tuple(
            Annotation(peer, annotator=CROWD) if peer.id in blank else _annotation(peer, groups, by_summary[peer.id])
            for peer in peers
            if peer.id in blank or peer.id in by_summary
        )
        pyramid = Pyramid(name, references, scus)
        corpus.append(Topic(name, references, peers, pyramid=pyramid, annotations=annotations))
    _say_what_stays_apart(apart)
    return corpus


def _say_what_stays_apart(apart: Sequence[tuple[str, Doubt]]) -> None:
    """Warn of statements that are alike and were not merged: whether they say the same is for a person to decide."""
    if apart:
        shown = "; ".join(
            f"topic {name!r}, {doubt.first.id} {doubt.first.text!r} and {doubt.second.id} {doubt.second.text!r} "
            f"({doubt.difference})"
            for name, doubt in apart[:_MOST_SHOWN]
        )
        note(
            f"{len(apart)} pair(s) of statements are alike but may say different things, and are not merged"
            f"{', the first' if len(apart) > _MOST_SHOWN else ''}: {shown}; merge by hand those that say the same"
        )


def unlike(corpus: Iterable[Topic], summaries: Iterable[SummaryScore]) -> int:
    """Count the summaries whose recall by these pyramids is not the crowd's score."""
    recall: dict[tuple[str, str], float] = {}
    for topic in corpus:
        weights = {scu.id: scu.weight for scu in topic.pyramid.scus} if topic.pyramid else {}
        for annotation in topic.annotations:
            matched = sum(weights[match.scu] for match in annotation.matches)
            recall[topic.id, annotation.summary.id] = matched / sum(weights.values())
    return sum(
        annotation.score is None
        # a summary without an annotation has no recall and is unlike
        or abs(recall.get((annotation.topic, annotation.system), inf) - annotation.score) > 1e-9
        for annotation in summaries
    )


def _without_text(name: str, study: Study | None) -> set[str]:
    """Return the topic's summaries that have no text in the study."""
    study_topics = study.topics if study else ()
    return {peer.id for topic in study_topics if topic.id == name for peer in topic.peers if not peer.text.strip()}


def _texts(
    name: str, judged: Mapping[str, object], votes: Votes, study: Study | None
) -> tuple[tuple[Summary, ...], tuple[Summary, ...]]:
    """Return references and peers: the study's, or as far as the votes tell them."""
    if study is not None and any(topic.id == name for topic in study.topics):
        topic = study.topic(name)
        known = {peer.id for peer in topic.peers}
        more = tuple(Summary(id, votes.texts.get((name, id), ""), "peer") for id in sorted(judged) if id not in known)
        if topic.references:
            return topic.references, topic.peers + more
        return (Summary(REFERENCE, ""),), topic.peers + more
    peers = tuple(Summary(id, votes.texts.get((name, id), ""), "peer") for id in sorted(judged))
    return (Summary(REFERENCE, ""),), peers


def _statement_ids(judged: Mapping[str, Mapping[str, object]]) -> list[str]:
    """Return the ids of the topic's statements in order: numbers by value, other ids by letters."""
    ids = {id for degrees in judged.values() for id in degrees}
    return sorted(ids, key=lambda id: (0, int(id), id) if id.isascii() and id.isdigit() else (1, 0, id))


def _reference_statement(
    statement: Statement | None, words: str, id: str, references: Sequence[Summary]
) -> ReferenceStatement:
    known = {reference.id for reference in references}
    reference = statement.reference if statement and statement.reference in known else references[0].id
    return ReferenceStatement(reference, (statement.text if statement else words) or id, id)


def _scu(group: Sequence[ReferenceStatement]) -> SCU:
    contributors = tuple(Contributor(statement.reference, label=statement.text) for statement in sorted(group))
    return SCU(group[0].id, group[0].text, contributors)


def _annotation(
    peer: Summary, groups: Sequence[Sequence[ReferenceStatement]], degrees: Mapping[str, float | None]
) -> Annotation:
    """Match a summary with the groups whose statements are present in it, by their mean degree."""
    matches: list[Match] = []
    unjudged: list[tuple[str, Unjudged]] = []
    for group in groups:
        known = [degree for statement in group if (degree := degrees.get(statement.id)) is not None]
        if not known:
            asked = any(statement.id in degrees for statement in group)
            unjudged.append((group[0].id, NO_ANSWER if asked else NOT_ASKED))
        elif (degree := round(fmean(known), 12)) > 0.5:
            matches.append(Match(group[0].id, score=degree))
    return Annotation(peer, tuple(matches), annotator=CROWD, unjudged=tuple(unjudged))
