"""A comment is free text: whatever it says, on whatever it stands, no number and no explanation depends on it."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

import pytest

from pyramidion.analyses.agree import agree, paradigmatic_study
from pyramidion.analyses.scores.table import from_evaluation
from pyramidion.evaluation.evaluate import evaluate
from pyramidion.evaluation.evaluation import Evaluation
from pyramidion.evaluation.trace import explanation_lines
from pyramidion.examples import example
from pyramidion.explanation import explain
from pyramidion.formats import ducview, litepyramids, native, nuggetizer, sacrerouge
from pyramidion.methods import Method
from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Span, Summary, Topic, Unjudged
from pyramidion.reports.feedback import feedback
from pyramidion.reports.feedback import to_json as feedback_json
from pyramidion.reports.page.data import report_data

LIKE_DATA = (
    "no answer",
    "not asked",
    "no answer: the answer is cut",
    "unsupported quote",
    "unsupported quote: It rained",
    "partial_support",
    "failed",
    "1.2.3",
    "1.2.1.0",
    'source "1" 1-2',
)
WORDED = {"comment", "remarks", "note"}
"""Where explanations and reports show comments, as text."""


def remarked(topic: Topic, comment: str) -> Topic:
    """The topic with that comment on every SCU, contributor, match, unmatched unit and annotation."""
    assert topic.pyramid is not None

    def units(every: tuple[Contributor, ...]) -> tuple[Contributor, ...]:
        return tuple(replace(one, comment=comment) for one in every)

    def annotation(one: Annotation) -> Annotation:
        return replace(
            one,
            matches=tuple(replace(match, comment=comment) for match in one.matches),
            unmatched=units(one.unmatched),
            comments=tuple((scu.id, comment) for scu in scus),
        )

    scus = tuple(replace(scu, comment=comment, contributors=units(scu.contributors)) for scu in topic.pyramid.scus)
    pyramid = replace(topic.pyramid, scus=scus)
    return replace(topic, pyramid=pyramid, annotations=tuple(map(annotation, topic.annotations)))


def read_twice(topic: Topic) -> Topic:
    """The topic as anna reads it, and ben, who finds one SCU less in each summary and once did not answer."""
    assert topic.pyramid is not None
    made = []
    for number, one in enumerate(topic.annotations):
        matches = one.matches[1:]
        left = [scu.id for scu in topic.pyramid.scus if scu.id not in {match.scu for match in matches}]
        skipped: tuple[tuple[str, Unjudged], ...] = () if number else ((left[0], "no answer"),)
        made += [
            replace(one, annotator="anna", comments=()),
            replace(one, annotator="ben", comments=(), matches=matches, unjudged=skipped),
        ]
    return replace(topic, annotations=tuple(made))


def without_words(value: Any) -> Any:
    """A result without the texts of comments."""
    if isinstance(value, dict):
        return {key: without_words(one) for key, one in value.items() if key not in WORDED}
    return [without_words(one) for one in value] if isinstance(value, list | tuple) else value


PLAIN = [remarked(read_twice(topic), "") for topic in example()]


@pytest.fixture(params=LIKE_DATA)
def spoken(request: pytest.FixtureRequest) -> list[Topic]:
    return [remarked(topic, request.param) for topic in PLAIN]


def by_hand(topics: list[Topic]) -> Evaluation:
    with pytest.warns(match="several annotations"):
        return evaluate(topics, "manual")


def test_no_score_and_no_vector_of_scus_depends_on_comments(spoken: list[Topic]) -> None:
    one, other = from_evaluation(by_hand(PLAIN)), from_evaluation(by_hand(spoken))
    assert one.scus is not None
    assert other.scus is not None
    assert one.values.tolist() == other.values.tolist()
    assert str(one.scus.presence.tolist()) == str(other.scus.presence.tolist())  # some are NaN, which equals nothing


def test_no_agreement_depends_on_comments(spoken: list[Topic]) -> None:
    assert agree(PLAIN, samples=1) == agree(spoken, samples=1)
    assert paradigmatic_study(PLAIN, "anna", "ben", samples=1) == paradigmatic_study(spoken, "anna", "ben", samples=1)


def test_who_was_not_asked_is_no_unit_of_agreement() -> None:
    """The units of alpha are the SCUs that two people judged: an unjudged one is none, whatever comments say."""
    (topic,) = PLAIN[:1]
    everything = replace(topic, annotations=tuple(replace(one, unjudged=()) for one in topic.annotations))
    units = [agree([one], samples=1).overall.alpha.units for one in (everything, topic)]
    assert units[0] - units[1] == 1


def test_no_explanation_depends_on_comments(spoken: list[Topic]) -> None:
    for ours, theirs in zip(by_hand(PLAIN).results, by_hand(spoken).results, strict=True):
        one, other = explain(ours.pyramid, ours.annotation), explain(theirs.pyramid, theirs.annotation)
        assert not one.sentences
        assert without_words(asdict(one)) == without_words(asdict(other))
        lines = [line for line in explanation_lines(theirs) if not line.lstrip().startswith("noted: ")]
        assert lines == explanation_lines(ours)


def test_no_report_and_no_feedback_depends_on_comments(spoken: list[Topic]) -> None:
    ours, theirs = by_hand(PLAIN), by_hand(spoken)
    assert without_words(report_data(ours)) == without_words(report_data(theirs))
    assert [feedback_json(one) for one in feedback(ours)] == [feedback_json(one) for one in feedback(theirs)]


def test_no_matcher_reads_comments(spoken: list[Topic]) -> None:
    method = Method.parse("given+soft(threshold=0.7,analyser=unicode)")
    for ours, theirs in zip(PLAIN, spoken, strict=True):
        assert ours.pyramid is not None
        assert theirs.pyramid is not None
        assert method.match(ours.pyramid, ours.peers[0]) == method.match(theirs.pyramid, ours.peers[0])


def test_no_format_makes_data_of_comments(spoken: list[Topic]) -> None:
    assert nuggetizer.dumps(PLAIN) == nuggetizer.dumps(spoken)
    assert litepyramids.dumps(PLAIN) == litepyramids.dumps(spoken)
    bare = [[replace(topic, pyramid=None, references=()) for topic in topics] for topics in (PLAIN, spoken)]
    assert sacrerouge.dumps(bare[0], kind="annotations") == sacrerouge.dumps(bare[1], kind="annotations")
    assert native.loads(native.dumps(spoken)) == spoken
    one = replace(spoken[0], sources=(), annotations=spoken[0].annotations[:1], peers=spoken[0].peers[:1])
    one = replace(one, annotations=tuple(replace(by, annotator="", unjudged=()) for by in one.annotations))
    (back,) = ducview.loads(ducview.dumps([one], suffix=".pan"))
    assert all(not match.segment and match.supported for match in back.annotations[0].matches)
    assert back.annotations[0].unjudged == back.annotations[0].partial == ()


def test_a_program_that_read_is_known_by_its_name_and_not_by_a_signature() -> None:
    pyramid = Pyramid("t", (Summary("A", "Cats."),), (SCU("1", "Cats.", (Contributor("A", (Span(0, 4),)),)),))
    peer = Summary("p", "Cats.", "peer")
    topic = Topic("t", pyramid.references, (peer,), pyramid=pyramid)
    for matcher, automatic in (("", False), ("soft(threshold=0.7)", True)):
        read = Annotation(peer, (Match("1", (Span(0, 4),)),), matcher=matcher)
        (one,) = feedback(evaluate([replace(topic, annotations=(read,))], "manual"))
        assert one.automatic is automatic


def test_a_method_names_its_matcher_with_the_parameters_of_its_own() -> None:
    pyramid, peer = Pyramid("t", (Summary("A", "Cats."),), ()), Summary("p", "Cats.", "peer")
    method = Method.parse("lite+unigram(units=clauses,threshold=0.7,analyser=unicode)")
    assert method.match(pyramid, peer).matcher == "unigram(threshold=0.7,analyser=unicode)"
    assert Method.parse("given+unigram").match(pyramid, peer).matcher == "unigram"
