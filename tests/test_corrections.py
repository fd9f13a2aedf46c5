"""Corrections: what each does to pyramid, annotation and scores; which files fit; and that nothing else is accepted."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from pyramidion.corrections import (
    Correction,
    Corrections,
    Drop,
    Judge,
    Merge,
    Rename,
    TopicCorrections,
    Verdict,
    digest,
    dumps,
    loads,
    read_corrections,
)
from pyramidion.errors import FormatError, PyramidionError
from pyramidion.evaluation.evaluate import evaluate
from pyramidion.examples import example
from pyramidion.model import Annotation, Pyramid, Topic
from pyramidion.scoring import scores
from tests.fuzz import mutated, only_our_errors
from tests.reports.evaluations import contradicting, judged
from tests.strategies import topics


def corrected(pyramid: Pyramid, annotation: Annotation, *corrections: Correction) -> tuple[Pyramid, Annotation]:
    made = TopicCorrections.of(pyramid, corrections)
    pyramids = made.pyramids(pyramid)
    (changed,) = made.annotations([annotation], pyramids)
    return pyramids[-1], changed


def verdict(annotation: Annotation, idea: str, said: Verdict) -> Judge:
    return Judge(annotation.summary.id, digest(annotation.summary.text), idea, said, annotation.annotator)


def test_what_is_struck_is_in_no_scu_and_earns_nothing() -> None:
    (one,) = judged().results  # SCUs of weight 2, 2 and 1 with probabilities .875, .375 and .03125; Max(X_a) is 4.5
    pyramid, annotation = corrected(one.pyramid, one.annotation, verdict(one.annotation, "s1", "missing"))
    assert annotation.expressed == ()
    assert annotation.size == one.annotation.size == 2
    assert scores(pyramid, annotation).coverage == (2 * 0 + 2 * 0.375 + 0.03125) / 4.5


def test_what_is_accepted_is_one_more_unit_and_counts_in_full() -> None:
    (one,) = judged().results
    pyramid, annotation = corrected(one.pyramid, one.annotation, verdict(one.annotation, "s2", "found"))
    assert annotation.expressed == ("s1", "s2")
    assert annotation.size == one.annotation.size + 1
    assert scores(pyramid, annotation).coverage == (2 * 0.875 + 2 * 1 + 0.03125) / 4.5


def test_a_contradiction_that_is_none_gives_its_words_to_the_match() -> None:
    (one,) = contradicting().results
    _, annotation = corrected(one.pyramid, one.annotation, verdict(one.annotation, "s2", "found"))
    match = annotation.matches[-1]
    assert (match.scu, match.spans) == ("s2", one.annotation.contradicted[0].spans)
    assert annotation.contradicted == ()
    assert annotation.size == one.annotation.size, "the unit in no SCU is now the match"


def test_a_match_can_be_told_a_contradiction() -> None:
    (one,) = judged().results
    pyramid, annotation = corrected(one.pyramid, one.annotation, verdict(one.annotation, "s1", "contradicted"))
    (denial,) = annotation.contradicted
    assert (denial.scu, denial.spans, denial.probability) == ("s1", one.annotation.matches[0].spans, 1.0)
    assert scores(pyramid, annotation).raw == 2 * 0.375 + 0.03125


def test_ideas_that_are_one_have_the_contributors_of_both() -> None:
    (one,) = contradicting().results
    pyramid, annotation = corrected(one.pyramid, one.annotation, Merge("s3", "s1"), Merge("s2", "s1"))
    (scu,) = pyramid.scus
    assert (scu.id, scu.label, scu.weight, len(scu.contributors)) == ("s1", "Fish died in the lake", 2, 5)
    assert annotation.expressed == ("s1",), "found counts before contradicted"
    assert dict(annotation.probabilities) == {"s1": 0.875}


def test_dropped_and_renamed_ideas() -> None:
    (one,) = contradicting().results
    pyramid, annotation = corrected(one.pyramid, one.annotation, Drop("s1"), Drop("s2"), Rename("s3", "Reeds rose"))
    assert [(scu.id, scu.label) for scu in pyramid.scus] == [("s3", "Reeds rose")]
    assert (annotation.matches, annotation.contradicted) == ((), ())
    assert len(annotation.unmatched) == 3


def test_evaluate_applies_them_and_the_signature_says_so(tmp_path: Path) -> None:
    topic = example()[0]
    assert topic.pyramid
    annotation = next(one for one in topic.annotations if one.summary.id == "paraphrase-1")
    strike = verdict(annotation, annotation.expressed[0], "missing")
    file = tmp_path / "corrections.json"
    file.write_bytes(dumps(Corrections(topics=(TopicCorrections.of(topic.pyramid, [strike]),))))
    before, after = (evaluate([topic], "manual", corrections=one) for one in (None, read_corrections(file)))
    lost = [(a, b) for a, b in zip(before.results, after.results, strict=True) if a.percent != b.percent]
    ((was, now),) = lost
    assert was.scores.summary == "paraphrase-1"
    assert (was.scores.scus, now.scores.scus) == (9, 8)
    assert "corrections:1-" in str(after.signature)
    assert "corrections" not in str(before.signature)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"references": ["A", "Z"]}, "they are for the references 'A', 'Z', and here are 'A', 'B'"),
        ({"ideas": []}, "they do not know the idea 's1' ('Fish died in the lake')"),
        (
            {"ideas": [{"id": "s9", "label": "Frogs", "importance": 1}]},
            "they know an idea 's9' ('Frogs'), which is not there",
        ),
        (
            {"ideas": [{"id": "s1", "label": "Frogs died", "importance": 2}]},
            "they call the idea 's1' 'Frogs died', and here it is 'Fish died in the lake'",
        ),
        (
            {"ideas": [{"id": "s1", "label": "Fish died in the lake", "importance": 1}]},
            "to them, the idea 's1' ('Fish died in the lake') has the importance 1, and here it has 2",
        ),
    ],
)
def test_corrections_of_another_pyramid_are_refused_and_the_difference_is_told(
    change: dict[str, object], message: str
) -> None:
    (one,) = judged().results
    file = json.loads(dumps(Corrections(topics=(TopicCorrections.of(one.pyramid, [Drop("s1")]),))))
    file["topics"][0] |= change
    with pytest.raises(PyramidionError) as error:
        loads(json.dumps(file)).topics[0].pyramids(one.pyramid)
    assert f"The corrections of topic 'lake' were made for another pyramid: {message};" in str(error.value)


def test_corrections_of_another_text_or_of_nobody_are_refused() -> None:
    (one,) = judged().results
    other = replace(one.annotation, summary=replace(one.annotation.summary, text=one.annotation.summary.text + " So."))
    strike = verdict(one.annotation, "s1", "missing")
    with pytest.raises(PyramidionError, match="The text of summary 'p' of topic 'lake' is not the one that was"):
        corrected(one.pyramid, other, strike)
    made = TopicCorrections.of(one.pyramid, [strike])
    with pytest.raises(PyramidionError, match="Topic 'lake' has no summary 'p', but there are corrections of it"):
        Corrections(topics=(made,)).check_summaries([("lake", "q", ""), ("lake", "p", "somebody")])
    with pytest.raises(PyramidionError, match="There are corrections of topic 'lake', which is not among the topics"):
        evaluate(example(), "manual", corrections=Corrections(topics=(made,)))


@pytest.mark.parametrize(
    ("corrections", "message"),
    [
        ([Drop("s1"), Rename("s1", "x")], "is about the idea 's1', which an earlier one took away"),
        ([Merge("s1", "s2"), Drop("s1")], "is about the idea 's1', which an earlier one took away"),
        ([Merge("s1", "s1")], "merges the idea 's1' into itself"),
    ],
)
def test_corrections_that_cannot_be_are_refused(corrections: list[Correction], message: str) -> None:
    (one,) = judged().results
    with pytest.raises(PyramidionError, match=message):
        TopicCorrections.of(one.pyramid, corrections).pyramids(one.pyramid)


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("{}", "This is no file of corrections"),
        ('{"pyramidion_corrections": 2}', "The corrections have the version 2, and this program reads 1"),
        ('{"pyramidion_corrections": 1, "topics": [{}]}', "missing required field 'topic'"),
        ('{"pyramidion_corrections": 1, "topics": [', "the JSON ends too early"),
    ],
)
def test_other_files_are_refused(file: str, message: str) -> None:
    with pytest.raises(FormatError, match=f"(?i){message}"):
        loads(file, "c.json")


(ONE,) = judged().results
VALID = dumps(
    Corrections(
        topics=(TopicCorrections.of(ONE.pyramid, [verdict(ONE.annotation, "s1", "missing"), Merge("s3", "s1")]),)
    )
)


@given(st.binary(max_size=200) | mutated(VALID))
def test_whatever_the_bytes_are_only_our_errors_come(data: bytes) -> None:
    only_our_errors(lambda: loads(data, "c.json"))


@given(topics(), st.data())
@hypothesis_settings(max_examples=40)
@pytest.mark.filterwarnings("ignore:the judge claims")
def test_any_corrections_leave_a_valid_annotation_and_come_back_from_their_file(
    topic: Topic, data: st.DataObject
) -> None:
    pyramid = topic.pyramid
    if pyramid is None or not topic.annotations:
        return
    left = [scu.id for scu in pyramid.scus]
    made: list[Correction] = []
    for _ in range(data.draw(st.integers(0, 6))):
        if not left:
            break
        idea = data.draw(st.sampled_from(left))
        kind = data.draw(st.sampled_from(["judge", "judge", "rename", "merge", "drop"]))
        if kind == "judge":
            annotation = data.draw(st.sampled_from(topic.annotations))
            made.append(verdict(annotation, idea, data.draw(st.sampled_from(["found", "missing", "contradicted"]))))
        elif kind == "rename":
            made.append(Rename(idea, "x"))
        elif kind == "merge" and len(left) > 1:
            made.append(Merge(idea, data.draw(st.sampled_from([other for other in left if other != idea]))))
            left.remove(idea)
        elif kind == "drop":
            made.append(Drop(idea))
            left.remove(idea)
    corrections = TopicCorrections.of(pyramid, made)
    assert loads(dumps(Corrections(topics=(corrections,)))).topics == (corrections,)
    pyramids = corrections.pyramids(pyramid)
    for annotation in corrections.annotations(topic.annotations, pyramids):
        scores(pyramids[-1], annotation)
        for scu in left:
            own = [
                one
                for one in made
                if isinstance(one, Judge)
                and (one.summary, one.annotator, one.idea) == (annotation.summary.id, annotation.annotator, scu)
            ]
            if own and not any(isinstance(one, Merge) and one.into == scu for one in made):
                assert (scu in annotation.expressed) == (own[-1].verdict == "found")
