"""The table that a newcomer reads: what is found, what is missing, the percentage, and what is out of the ordinary."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

import pytest

from pyramidion.evaluation.evaluate import evaluate
from pyramidion.evaluation.scored import percentage
from pyramidion.examples import example
from pyramidion.metrics.copying import NOTHING, Copied
from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Source, Span, Summary, Topic
from pyramidion.scoring import Settings
from tests.reports.evaluations import contradicting, judged, unread

LAKE = "Farms along the shore fed the lake so much phosphorus that most of its fish died."
BOAT = "A small boat sank near the old pier in the spring of that very year."


def test_five_columns_that_need_no_paper() -> None:
    table = evaluate(example()[:1], "manual").table("scores")
    assert (table.title, table.columns) == ("Topic lake-revival", ("summary", "found", "missing", "percent", "copied"))
    assert dict(zip(table.columns, table.rows[3], strict=True)) == {
        "summary": "padded",
        "found": 3,
        "missing": 20,
        "percent": 34.95,  # 13 / 37.2
        "copied": "",
    }


def test_several_topics_have_a_column_and_programs_all_columns() -> None:
    evaluation = evaluate(example(), "manual")
    assert evaluation.table("scores").columns[:2] == ("topic", "summary")
    assert evaluation.table("scores", whole=True) == evaluation.table("full", whole=True)
    assert "max_for_size" in evaluation.rows()[0]


def test_contradictions_and_a_judges_doubt_have_a_column_where_there_are_any() -> None:
    table = contradicting().table("scores")
    assert table.columns == ("summary", "found", "contradicted", "missing", "percent", "\u00b1")
    # of weights 2, 2 and 1 and probabilities .875, .125 and .03125, over Max(2.5) = 2 + 2 + 0.5
    deviation = sqrt(4 * 0.875 * 0.125 + 4 * 0.125 * 0.875 + 0.03125 * 0.96875) / 4.5
    (one,) = contradicting().results
    assert one.margin == round(100 * deviation, 2) == 21.14
    assert table.rows == (("p", 1, 1, 1, one.percent, 21),)
    assert judged("counted").results[0].margin is None
    assert "\u00b1" not in judged("counted").table("scores").columns


def test_what_nobody_read_has_no_numbers() -> None:
    assert unread().table("scores").rows[1] == ("ben", None, None, None)


def test_the_heaviest_idea_that_most_summaries_missed_is_told() -> None:
    evaluation = evaluate(example(), "manual")
    ideas = evaluation.missed_ideas()
    assert [idea.weight for idea in ideas] == sorted((idea.weight for idea in ideas), reverse=True)
    worst = next(idea for idea in ideas if len(idea.missed_by) > 2)
    assert (worst.topic, worst.weight, worst.summaries) == ("lake-revival", 4, 5)
    assert worst.missed_by == ("off-topic", "padded", "paraphrase-2")
    told = "Most missed: Farms were a source of the phosphorus (lake-revival, 3 of 5 summaries)."
    assert told in evaluation.table("scores").caption
    assert "empty" not in {name for idea in evaluation.missed_ideas() for name in idea.missed_by}
    alone = evaluate(
        [replace(example()[0], peers=example()[0].peers[:1], annotations=example()[0].annotations[:1])], "manual"
    )
    assert "Most missed" not in alone.table("scores").caption


def _everything(text: str) -> Topic:
    references = (Summary("A", LAKE), Summary("B", f"{LAKE} {BOAT}"))
    scus = (
        SCU("1", "Fish died", tuple(Contributor(name, (Span(0, 5),)) for name in "AB")),
        SCU("2", "A boat sank", (Contributor("B", (Span(0, 5),)),)),
    )
    peer = Summary("p", text, "peer")
    annotation = Annotation(peer, (Match("1", (Span(0, 5),)), Match("2", (Span(0, 5),))))
    return Topic("t", references, (peer,), (Source("1", BOAT),), Pyramid("t", references, scus), (annotation,))


def test_above_100_is_explained_or_capped() -> None:
    own = "Fish died, since farms by the water had used too much phosphorus, and a boat went down."
    evaluation = evaluate([_everything(own)], "manual")
    assert evaluation.results[0].percent == 120  # 3 of 2 + 1/2
    assert "Above 100: more than an average reference could hold at best" in str(evaluation)
    capped = evaluate([_everything(own)], "manual", Settings(cap=True))
    assert capped.results[0].percent == 100
    assert "Above 100" not in str(capped)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (f"{LAKE} {BOAT}", "p: pasted from reference B."),
        (f"{BOAT} {LAKE} {BOAT}", "p: pasted from reference B."),
        (f"{LAKE} So it was, and soon after {BOAT}", "p: pasted from reference B."),
    ],
)
def test_a_pasted_text_is_told_and_never_above_100(text: str, told: str) -> None:
    evaluation = evaluate([_everything(text)], "manual")
    assert told in evaluation.table("scores").caption
    (row,) = evaluation.to_json()["scores"]
    assert (row["percent"], row["coverage"]) == (100, 1.2)
    assert row["copied"]["share"] >= 0.8
    assert "origins" not in row["copied"]  # names of references stand in explanations
    (row,) = replace(evaluation, explained=True).to_json()["scores"]
    assert row["copied"]["origins"][0][0] == "reference B"


def test_a_text_put_together_names_its_parts_and_what_is_from_the_source_is_copied_too() -> None:
    topic = _everything(f"{BOAT} {LAKE}")
    apart = replace(topic.references[1], text="Fish died when farms fed the lake. Boats sank, too.")
    assert topic.pyramid is not None
    references = (topic.references[0], apart)
    topic = replace(topic, references=references, pyramid=replace(topic.pyramid, references=references))
    assert "p: put together from reference A, source 1." in evaluate([topic], "manual").table("scores").caption


def test_a_percentage_never_claims_all_or_nothing_too_early() -> None:
    (one,) = judged().results
    shown = [percentage(replace(one.scores, coverage=c), NOTHING) for c in (0, 1e-6, 0.34946, 0.999999, 1, 1.2)]
    assert shown == [0, 0.01, 34.95, 99.99, 100, 120]
    assert percentage(replace(one.scores, coverage=1.2), Copied(0.9)) == 100
    assert percentage(replace(one.scores, coverage=None), NOTHING) is None
