"""Explanations: what they hold, and the log that tells them."""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.evaluation.evaluate import evaluate
from pyramidion.evaluation.evaluation import Evaluation
from pyramidion.evaluation.scored import Scored
from pyramidion.evaluation.trace import explanation_lines
from pyramidion.examples import example
from pyramidion.explanation import explain
from pyramidion.model import SCU, Annotation, Contradiction, Contributor, Match, Pyramid, Span, Summary
from pyramidion.scoring import DEFAULT, Settings, jackknifed, scores
from pyramidion.signature import Signature
from tests.reports.evaluations import contradicting, judged

REFERENCES = tuple(
    Summary(id, text)
    for id, text in [
        ("R1", "Mussels cleaned the lake. Farms polluted it."),
        ("R2", "The lake was cleaned by mussels."),
        ("R3", "Mussels made it clean."),
    ]
)
PYRAMID = Pyramid(
    "lake",
    REFERENCES,
    (
        SCU("farms", "Farms polluted the lake", (Contributor("R1", (Span(26, 43),)),)),
        SCU(
            "mussels",
            "Mussels cleaned the lake",
            (
                Contributor("R1", (Span(0, 24),)),
                Contributor("R2", (Span(0, 31),)),
                Contributor("R3", (Span(0, 21),)),
            ),
        ),
    ),
)
TEXT = "Shellfish scrubbed the water, and fishing began again. I like lakes."
PEER = Summary("anna", TEXT, "peer")
AUTOMATIC = Annotation(
    PEER,
    (Match("mussels", (Span(0, 28),), 0.625, segment="1.1.1.0"),),
    (
        Contributor("anna", (Span(30, 53),), segment="1.1.1.1"),
        Contributor("anna", (Span(55, 67),), segment="1.2.0.0"),
    ),
)


def scored(annotation: Annotation = AUTOMATIC, settings: Settings = DEFAULT) -> Scored:
    return Scored(scores(PYRAMID, annotation, settings), PYRAMID, annotation)


def test_the_log_of_an_automatic_reading_is_the_whole_trace_from_sentences_to_scores() -> None:
    # raw 3 of one SCU of weight 3; X_a = 4 / 3 SCUs, so Max(X_a) = 3 + 1/3; X = 3 units, so Max(X) = 3 + 1.
    assert explanation_lines(scored(), 100) == [
        "lake / anna",
        "  raw           3 = 1 x 3 (SCUs x weight)",
        "  coverage      0.9000 = 3 / 3.33333 (the best that 1.33333 SCUs, a reference's mean, can weigh)",
        "  quality       0.7500 = 3 / 4 (the best that 3 units can weigh: 1 SCU + 2 in no SCU)",
        "  comprehensive 0.8182 = the harmonic mean of coverage and quality",
        "",
        "  Sentence 1, segmentation 1",
        "    1.1.1.0   “Shellfish scrubbed the water”",
        "              = [3] Mussels cleaned the lake (similarity 0.62)",
        "    1.1.1.1   “and fishing began again”",
        "              in no SCU",
        "",
        "  Sentence 2, segmentation 0",
        "    1.2.0.0   “I like lakes”",
        "              in no SCU",
        "",
        "  Expressed, with the references' words",
        "    + [3] Mussels cleaned the lake",
        "          R1: “Mussels cleaned the lake”",
        "          R2: “The lake was cleaned by mussels”",
        "          R3: “Mussels made it clean”",
        "",
        "  Missing, most important first",
        "    - [1] Farms polluted the lake",
        "",
        "  In no SCU (D0)",
        "    ? “and fishing began again”",
        "    ? “I like lakes”",
    ]


def test_the_log_of_a_judge_says_what_raw_is_made_of() -> None:
    # Matched 2 x .875; in doubt 2 x .375 + 1 x .03125. X_a = 5 / 2, Max(X_a) = 2 + 2 + 1/2; X = 2, Max(X) = 2 + 2.
    (one,) = judged().results
    lines = explanation_lines(one, 100)
    assert lines[1:6] == [
        "  raw           2.53 expected = 1.75 matched + 0.78 in doubt (weight x probability)",
        "  counted       2 = 1 x 2 (SCUs x weight)",
        "  coverage      0.5625 = 2.53 / 4.5 (the best that 2.5 SCUs, a reference's mean, can weigh)",
        "  quality       0.5000 = 2 / 4 (the best that 2 units can weigh: 1 SCU + 1 in no SCU)",
        "  comprehensive 0.5294 = the harmonic mean of coverage and quality",
    ]
    assert "              = [2] Fish died in the lake (probability 0.88)" in lines
    missing = lines.index("  Missing, most important first")
    assert lines[missing + 1 : missing + 3] == [
        "    - [2] Farms fed it phosphorus (probability 0.38)",
        "    - [1] Reeds grew",
    ]
    assert not any("similarity" in line for line in lines)


def test_a_judge_whose_matches_are_counted_has_a_raw_score_that_is_a_count() -> None:
    (one,) = judged("counted").results
    lines = explanation_lines(one, 100)
    assert lines[1] == "  raw           2 = 1 x 2 (SCUs x weight)"
    assert lines[2].startswith("  coverage      0.4444 = 2 / 4.5 (")
    assert "    - [2] Farms fed it phosphorus (probability 0.38)" in lines


def test_a_judge_without_segments_is_told_in_a_line_for_each_thing() -> None:
    (one,) = judged().results
    bare = tuple(replace(match, segment="") for match in one.annotation.matches)
    annotation = replace(one.annotation, matches=bare, unmatched=())
    assert explanation_lines(Scored(scores(one.pyramid, annotation), one.pyramid, annotation)) == [
        "lake / p: coverage 0.5625 = 2.53 / 4.5, quality 1.0000 = 2 / 2",
        "  + [2] Fish died in the lake (probability 0.88)",
        "        “The fish died”",
        "  - [2] Farms fed it phosphorus (probability 0.38)",
        "  - [1] Reeds grew",
    ]


@given(st.lists(st.tuples(st.floats(0, 1), st.integers(1, 4)), min_size=1, max_size=8))
def test_what_is_matched_and_what_is_in_doubt_add_up(judgements: list[tuple[float, int]]) -> None:
    references = tuple(Summary(name, "x") for name in "ABCD")
    scus = tuple(
        SCU(str(number), "x", tuple(Contributor(name) for name in "ABCD"[:weight]))
        for number, (_, weight) in enumerate(judgements)
    )
    pyramid = Pyramid("t", references, scus)
    believed = tuple((str(number), p) for number, (p, _) in enumerate(judgements))
    matches = tuple(Match(scu, (Span(0, 1),), p, segment="1.1.0.0") for scu, p in believed if p >= 0.5)
    unmatched = () if matches else (Contributor("p", (Span(0, 1),), segment="1.1.0.0"),)
    one = Annotation(Summary("p", "x", "peer"), matches, unmatched, probabilities=believed)
    line = explanation_lines(Scored(scores(pyramid, one), pyramid, one), 100)[1]
    raw, matched, doubted = map(Decimal, re.findall(r"-?\d+\.\d\d", line))
    assert raw == matched + doubted
    assert min(matched, doubted) >= 0
    assert abs(float(raw) - sum(p * weight for p, weight in judgements)) < 0.006


def test_the_scores_have_a_column_for_what_is_counted_where_raw_is_expected() -> None:
    assert "counted" not in judged("counted").table("full").columns
    table = judged().table("full")
    row = dict(zip(table.columns, table.rows[0], strict=True))
    assert (row["raw"], row["counted"], row["Max(X)"], row["quality"]) == (2.53125, 2, 4, 0.5)


def test_columns_that_say_nothing_are_for_programs() -> None:
    one = evaluate(example()[:1], "manual")
    shown = replace(one, results=one.results[:2]).table("full")
    assert shown.title == "Topic lake-revival"
    assert not {"topic", "annotator", "repeated", "counted"} & set(shown.keys)
    every = evaluate(example(), "manual").table("scores", whole=True)
    assert every.keys[:3] == ("topic", "summary", "annotator")
    assert one.table("scores", whole=True).keys == every.keys


def test_the_json_of_a_judge_has_both_numerators_and_every_probability() -> None:
    (row,) = replace(judged(), explained=True).to_json()["scores"]
    assert (row["raw"] / row["max_for_average"], row["counted"] / row["max_for_size"]) == (0.5625, 0.5)
    told = row["explanation"]
    assert told["judged"]
    assert [one["score"] for one in (*told["expressed"], *told["missed"])] == [0.875, 0.375, 0.03125]


def test_what_people_annotated_keeps_one_line_for_each_thing() -> None:
    by_hand = Annotation(PEER, (Match("mussels", (Span(0, 28),)),), (Contributor("anna", (Span(55, 67),)),))
    assert explanation_lines(scored(by_hand), 40) == [
        "lake / anna: coverage 0.9000 = 3 / 3.33333, quality 0.7500 = 3 / 4",
        "  + [3] Mussels cleaned the lake",
        "        “Shellfish scrubbed the water”",
        "  - [1] Farms polluted the lake",
        "  ? I like lakes",
    ]


def test_the_log_of_a_judge_tells_what_is_contradicted_where_it_stands_and_why() -> None:
    # Matched 2 x .875; in doubt 2 x .125 (of the contradicted SCU) + 1 x .03125. X = 1 + D_0 = 2; Max(3) = 2 + 2 + 1.
    (one,) = contradicting().results
    lines = explanation_lines(one, 100)
    assert lines[1:3] == [
        "  raw           2.03 expected = 1.75 matched + 0.28 in doubt (weight x probability)",
        "  counted       2 = 1 x 2 (SCUs x weight)",
    ]
    assert lines[4] == "  quality       0.4000 = 2 / 5 (the best that 3 units can weigh: 1 SCU + 2 in no SCU)"
    unit = lines.index("    1.1.1.1   “the farms kept their phosphorus out of it”")
    assert lines[unit + 1] == "              contradicts [2] Farms fed it phosphorus (probability 0.75)"
    start = lines.index("  Contradicted, with the references' words")
    assert lines[start + 1 : start + 9] == [
        "    ! [2] Farms fed it phosphorus (contradicted, probability 0.75)",
        "          contradicts: “the farms kept their phosphorus out of it”",
        "          A: “Farms fed it phosphorus”",
        "          B: “Farms fed it phosphorus”",
        "",
        "  Missing, most important first",
        "    - [1] Reeds grew",
        "",
    ]
    assert lines[-1] == "    ? “A boat sank”"


def test_a_person_s_contradiction_is_told_in_its_lines_with_what_is_noted() -> None:
    denied = Contradiction("mussels", (Span(0, 28),), comment="by\x1b mistake")
    bare = Contradiction("farms", reason="no farm")
    by_hand = Annotation(PEER, (), (Contributor("anna", (Span(55, 67),)),), contradicted=(bare, denied))
    assert explanation_lines(scored(by_hand)) == [
        "lake / anna: coverage 0.0000 = 0 / 3.33333, quality 0.0000 = 0 / 3",
        "  ! [3] Mussels cleaned the lake (contradicted)",
        "        contradicts: “Shellfish scrubbed the water”",
        "        noted: by mistake",
        "  ! [1] Farms polluted the lake (contradicted)",
        "        contradicts: without its words",
        "        why: no farm",
        "  ? I like lakes",
    ]
    told = explain(PYRAMID, by_hand)
    assert (told.expressed, told.missed) == ((), ())
    assert [(one.scu, one.probability, one.score) for one in told.contradicted] == [("mussels", 1, 0), ("farms", 1, 0)]


def test_a_unit_whose_words_contradict_is_not_said_besides() -> None:
    (one,) = contradicting().results
    told = explain(one.pyramid, one.annotation)
    assert told.unmatched == ("A boat sank",)
    assert [(unit.scu, unit.contradicts) for sentence in told.sentences for unit in sentence.units] == [
        ("s1", False),
        ("s2", True),
        (None, False),
    ]
    unnamed = replace(one.annotation, contradicted=(replace(one.annotation.contradicted[0], segment=""),))
    units = [unit.id for sentence in explain(one.pyramid, unnamed).sentences for unit in sentence.units]
    assert units == ["1.1.1.0", "1.1.1.1", "1.2.0.0"]  # the trace leaves no unit out


def test_contradictions_have_a_column_where_there_is_one() -> None:
    assert "contradicted" not in judged().table("full").keys
    assert "contradicted" in judged().table("scores", whole=True).keys
    table = contradicting().table("full")
    assert dict(zip(table.keys, table.rows[0], strict=True))["contradicted"] == 1
    assert [each.to_json()["scores"][0]["contradicted"] for each in (judged(), contradicting())] == [0, 1]


def test_what_nobody_judged_says_so() -> None:
    unasked = Annotation(PEER, (Match("mussels", (Span(0, 28),)),), unjudged=(("farms", "not asked"),))
    assert explain(PYRAMID, unasked).missed[0].unjudged == "not asked"
    assert explanation_lines(scored(unasked))[-1] == "  - [1] Farms polluted the lake (not asked)"


def test_a_match_tells_its_reason() -> None:
    reason = "2 of 3 triples:\x1b\n lake, clean"
    said = (Span(0, 28),)
    told = [{"reason": reason}, {"segment": "1.1.1.0"}, {"reason": reason}, {"reason": " "}]
    by_graph = Annotation(PEER, tuple(Match("mussels", said, 0.67, **one) for one in told))
    assert explain(PYRAMID, by_graph).expressed[0].reasons == (reason,)
    shown = "why: 2 of 3 triples: lake, clean"
    assert f"          {shown}" in explanation_lines(scored(by_graph), 100)
    compact = explanation_lines(scored(Annotation(PEER, (Match("mussels", said, 0.67, reason=reason),))))
    assert compact[1:4] == [
        "  + [3] Mussels cleaned the lake",
        "        “Shellfish scrubbed the water”",
        f"        {shown}",
    ]
    besides = replace(AUTOMATIC, matches=(Match("mussels", said, 0.67, reason=reason),))
    lines = explanation_lines(scored(besides), 100)
    place = lines.index("    + [3] Mussels cleaned the lake (similarity 0.67)")
    assert lines[place + 1] == "          here: “Shellfish scrubbed the water”"
    assert lines[place + 5] == f"          {shown}"
    assert explain(PYRAMID, AUTOMATIC).expressed[0].reasons == ()
    quoted = Annotation(
        PEER, tuple(Match("mussels", score=0.67, reason=one, supported=False) for one in ("", "It rained"))
    )
    assert explain(PYRAMID, quoted).expressed[0].reasons == ("unsupported quote", "unsupported quote: It rained")
    evaluation = Evaluation(Signature("given+ape"), (scored(by_graph),), ())
    (expressed,) = replace(evaluation, explained=True).to_json()["scores"][0]["explanation"]["expressed"]
    assert expressed["reasons"] == (reason,)


def test_the_json_of_an_explanation_holds_spans_similarity_contributors_sentences_missed_and_unmatched() -> None:
    evaluation = Evaluation(Signature("given+wmin"), (scored(),), ())
    told = replace(evaluation, explained=True).to_json()["scores"][0]["explanation"]
    (expressed,) = told["expressed"]
    assert expressed == {
        "scu": "mussels",
        "label": "Mussels cleaned the lake",
        "weight": 3,
        "words": ("Shellfish scrubbed the water",),
        "score": 0.625,
        "spans": (({"start": 0, "end": 28},),),
        "contributors": (
            {"reference": "R1", "words": "Mussels cleaned the lake"},
            {"reference": "R2", "words": "The lake was cleaned by mussels"},
            {"reference": "R3", "words": "Mussels made it clean"},
        ),
        "comment": "",
        "sentence": "",
        "reasons": (),
        "remarks": (),
    }
    assert [(missed["scu"], missed["weight"]) for missed in told["missed"]] == [("farms", 1)]
    assert told["unmatched"] == ("and fishing began again", "I like lakes")
    assert [(sentence["number"], sentence["segmentation"]) for sentence in told["sentences"]] == [(1, 1), (2, 0)]
    assert [unit["scu"] for unit in told["sentences"][0]["units"]] == ["mussels", None]
    assert told["sentences"][0]["units"][1]["spans"] == ({"start": 30, "end": 53},)
    assert told == asdict(explain(PYRAMID, AUTOMATIC))


def test_means_over_pyramids_are_not_shown_as_ratios() -> None:
    one = Scored(jackknifed(PYRAMID, AUTOMATIC), PYRAMID, AUTOMATIC)
    lines = explanation_lines(one, 100)
    assert lines[2].startswith("  coverage      ")
    assert lines[2].endswith(", the mean over 3 pyramids")
    assert not any(" = " in line for line in lines[1:5])


def test_a_capped_coverage_says_so() -> None:
    everything = Annotation(
        PEER, (*AUTOMATIC.matches, Match("farms", (Span(30, 53),), 0.5, segment="1.1.1.1")), AUTOMATIC.unmatched[1:]
    )
    lines = explanation_lines(scored(everything, Settings(cap=True)), 100)
    assert lines[1] == "  raw           4 = 1 x 3 + 1 x 1 (SCUs x weight)"
    assert lines[2].startswith("  coverage      1.0000 = 4 / 3.33333, capped (")
    assert "  Missing, most important first" not in lines


def test_a_segment_that_expresses_two_scus_is_shown_once() -> None:
    twice = Annotation(PEER, (*AUTOMATIC.matches, Match("farms", (Span(0, 28),), 0.5, segment="1.1.1.0")))
    lines = explanation_lines(scored(twice), 100)
    start = lines.index("    1.1.1.0   “Shellfish scrubbed the water”")
    assert lines[start + 1 : start + 3] == [
        "              = [3] Mussels cleaned the lake (similarity 0.62)",
        "              = [1] Farms polluted the lake (similarity 0.50)",
    ]


def test_lines_are_as_wide_as_the_terminal_and_hang_under_their_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "50")
    lines = explanation_lines(scored())
    assert max(map(len, lines)) <= 50
    assert "              = [3] Mussels cleaned the lake" in lines
    assert "                    (similarity 0.62)" in lines


@given(st.text(min_size=1, max_size=60), st.integers(0, 200))
def test_no_text_breaks_the_lines_or_drives_the_terminal(text: str, width: int) -> None:
    peer = Summary(text, text, "peer")
    pyramid = Pyramid(text, (Summary(text, text),), (SCU("1", text, (Contributor(text, (Span(0, len(text)),)),)),))
    annotation = Annotation(peer, (Match("1", (Span(0, len(text)),), 0.5, segment="1.1.0.0"),))
    denied = Contradiction("1", (Span(0, len(text)),), 0.5, text, reason=text)
    for one in (annotation, Annotation(peer), Annotation(peer, contradicted=(denied,))):
        lines = explanation_lines(Scored(scores(pyramid, one), pyramid, one), width)
        assert all(ord(char) >= 32 and not 127 <= ord(char) < 160 for line in lines for char in line)
