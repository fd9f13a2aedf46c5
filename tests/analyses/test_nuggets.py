"""Nuggets assigned to answers, and nuggetizer's four scores of them, by hand."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.analyses.nuggets import NuggetStudy, nuggets
from pyramidion.analyses.nuggets.arithmetic import SCORES, NuggetScores, mean_scores, nugget_scores
from pyramidion.errors import PyramidionError
from pyramidion.formats.nuggetizer import LineRecord, NuggetRecord, load_lines
from pyramidion.formats.rag_answers import load_answers
from tests.chat_fixtures import endpoint
from tests.chat_server import ChatServer

__all__ = ["endpoint"]

DATA = Path(__file__).parents[1] / "data" / "nuggets"
LABELS = ("support", "partial_support", "not_support", "failed")


def listed(*pairs: str) -> tuple[NuggetRecord, ...]:
    """Nuggets of "vital support", "okay", ..."""
    return tuple(NuggetRecord(f"nugget {number}", *pair.split()) for number, pair in enumerate(pairs))  # type: ignore[arg-type]


def assigned(qid: str, run: str, *pairs: str) -> LineRecord:
    return LineRecord(qid, listed(*pairs), "what?", run, "An answer.")


def soft(*names: str, **settings: object) -> NuggetStudy:
    answers = [line for name in names for line in load_answers(DATA / f"{name}.jsonl")]
    return nuggets(load_lines(DATA / "nuggets.jsonl"), answers, "given+soft", **settings)  # type: ignore[arg-type]


# The arithmetic


def test_the_four_scores_of_a_worked_example() -> None:
    scores = nugget_scores(
        listed("vital support", "vital partial_support", "vital not_support", "okay support", "okay partial_support")
    )
    assert scores.strict_vital_score == 1 / 3
    assert scores.vital_score == 1.5 / 3
    assert scores.strict_all_score == 2 / 5
    assert scores.all_score == (2 + 2 * 0.5) / 5


def test_what_failed_is_a_nugget_and_supports_nothing() -> None:
    assert nugget_scores(listed("vital failed", "failed support", "okay support")) == NuggetScores(0, 2 / 3, 0, 2 / 3)


def test_nothing_to_divide_by_scores_0() -> None:
    assert nugget_scores(()) == NuggetScores(0, 0, 0, 0)
    assert nugget_scores(listed("okay support")) == NuggetScores(0, 1, 0, 1)


@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from(["vital", "okay", "failed"]), st.sampled_from(LABELS)), max_size=12),
        min_size=1,
        max_size=8,
    )
)
def test_scores_are_shares_and_their_means_are_exact(answers: list[list[tuple[str, str]]]) -> None:
    found = [nugget_scores(listed(*map(" ".join, labels))) for labels in answers]
    for scores, labels in zip(found, answers, strict=True):
        credits = {"support": Fraction(1), "partial_support": Fraction(1, 2)}
        whole = sum((credits.get(label, Fraction(0)) for _, label in labels), Fraction(0))
        assert scores.all_score == (float(whole / len(labels)) if labels else 0)
        assert 0 <= scores.strict_vital_score <= scores.vital_score <= 1
        assert 0 <= scores.strict_all_score <= scores.all_score <= 1
    means = mean_scores(found)
    for name in SCORES:
        exact = sum(Fraction(getattr(scores, name)) for scores in found) / len(found)
        assert getattr(means, name) == float(exact)


# Assigned files


def test_a_run_is_the_mean_of_its_answers() -> None:
    study = nuggets(load_lines(DATA / "assigned.jsonl"))
    # vital: 1 and 1/2 of 2, 1/2 of 1, 1 of 1; all: 1.5 of 3, 1 of 2, 2 of 2
    assert study.runs[0].means == NuggetScores(
        strict_vital_score=(1 / 2 + 0 + 1) / 3,
        strict_all_score=(1 / 3 + 0 + 1) / 3,
        vital_score=(3 / 4 + 1 / 2 + 1) / 3,
        all_score=(1 / 2 + 1 / 2 + 1) / 3,
    )
    assert study.runs[0].queries == 3
    assert study.assignments() == (DATA / "assigned.jsonl").read_bytes()
    assert study.comparison is None
    assert str(study.signature).startswith("method:assigned|")


def test_every_record_is_scored_by_its_own_nuggets() -> None:
    study = nuggets([assigned("q1", "a", "vital support"), assigned("q1", "b", "vital support", "vital not_support")])
    assert [(run.run, run.means.strict_vital_score) for run in study.runs] == [("a", 1), ("b", 0.5)]


def test_intervals_are_over_queries() -> None:
    study = nuggets([assigned(f"q{n}", "a", "vital support" if n else "vital not_support") for n in range(8)])
    interval = dict(study.runs[0].intervals)["strict_vital_score"]
    assert interval is not None
    assert interval.low < study.runs[0].means.strict_vital_score == 7 / 8 < interval.high == 1
    few = nuggets([assigned(f"q{n}", "a", "vital support" if n else "vital not_support") for n in range(2)])
    assert dict(few.runs[0].intervals)["all_score"] is None
    assert "No intervals: it takes 6 queries, and here are 2." in few.table("runs").caption


def test_a_query_without_nuggets_is_left_out_and_named() -> None:
    """It counted 0 for every run, as if all had failed."""
    both = [assigned("q1", "a", "vital support"), assigned("q2", "a"), assigned("q1", "b", "vital not_support")]
    study = nuggets(both)
    assert [(run.run, run.queries, run.means.strict_vital_score) for run in study.runs] == [("a", 1, 1), ("b", 1, 0)]
    assert study.notes == ("1 answer to queries without nuggets left out: q2.",)
    created = [LineRecord("q1", listed("vital", "okay")), LineRecord("q3", ())]
    answers = [LineRecord(query, (), run_id="a", answer_text="nugget 0") for query in ("q1", "q3")]
    study = nuggets(created, answers, "given+soft")
    assert (study.runs[0].queries, study.runs[0].means.strict_vital_score) == (1, 1)
    assert study.notes == ("1 answer to queries without nuggets left out: q3.",)
    with pytest.raises(PyramidionError, match="There is no answer to score"):
        nuggets([assigned("q1", "a")])


def test_an_answer_that_is_not_there_is_told_and_an_empty_one_says_nothing() -> None:
    created = [LineRecord(query, listed("vital")) for query in ("q1", "q2")]
    answers = [
        LineRecord("q1", (), run_id="a", answer_text="nugget 0"),
        LineRecord("q2", (), run_id="a"),  # None, not ""
        LineRecord("q1", (), run_id="b", answer_text=""),
        LineRecord("q2", (), run_id="b", answer_text="nugget 0"),
    ]
    study = nuggets(created, answers, "given+soft")
    assert study.notes == ("Answers that are missing count as empty ones: a on q2.",)
    assert [(run.run, run.queries, run.means.all_score) for run in study.runs] == [("a", 2, 0.5), ("b", 2, 0.5)]


def test_queries_without_a_vital_nugget_are_named() -> None:
    study = nuggets([assigned("q1", "a", "vital support"), assigned("q2", "a", "okay support")])
    assert study.runs[0].means.vital_score == 0.5
    assert study.notes == ("No nugget is vital, so that vital scores are 0 for every run: q2.",)


def test_runs_are_compared_on_the_queries_that_both_answer() -> None:
    lines = [
        assigned(f"q{n}", run, *(["vital support"] * (n % 3 + better) + ["vital not_support"] * (4 - n % 3 - better)))
        for n in range(8)
        for run, better in (("good", 2), ("poor", 0))
    ]
    study = nuggets(lines)
    assert study.comparison is not None
    (pair,) = study.comparison.pairs
    assert (pair.better, pair.worse, pair.n, pair.difference) == ("good", "poor", 8, 0.5)
    assert pair.significant  # eight differences of one sign: p = 2 / 2^8
    assert pair.p == 2 / 2**8
    assert study.shown == ("runs", "pairs")
    assert study.comparison.score == "strict_vital_score"


# Assigning


def test_a_judge_assigns_and_missing_answers_count_as_empty() -> None:
    study = soft("run-a", "run-b")
    labels = {
        (answer.line.qid, answer.line.run): [nugget.assignment for nugget in answer.line.nuggets]
        for answer in study.answers
    }
    yes, no = "support", "not_support"
    assert labels == {
        ("h1", "run-a"): [yes, yes, yes],
        ("h1", "run-b"): [no, no, yes],
        ("h2", "run-a"): [yes, no],
        ("h2", "run-b"): [no, no],
        ("h3", "run-a"): [yes, no, yes, no],
        ("h3", "run-b"): [no, no, no, no],
    }
    assert [(run.run, run.queries, run.means.strict_vital_score) for run in study.runs] == [
        ("run-a", 3, (1 + 1 + 0.5) / 3),
        ("run-b", 3, 0),
    ]
    assert study.notes == ("Answers that are missing count as empty ones: run-b on h2.",)
    (row,) = [row for row in study.rows("nuggets") if row["run_id"] == "run-b" and row["assignment"] == yes]
    assert row["words"] == "Dredging stopped in 1998."


def test_partial_support_is_a_probability_below_the_threshold() -> None:
    created = LineRecord("q", (NuggetRecord("The council pays two thirds of the cost of the buses", "vital"),))
    answer = LineRecord("q", (), run_id="a", answer_text="The council pays for many things.")
    study = nuggets([created], [answer], "given+soft")
    (probability,) = dict(study.answers[0].annotation.probabilities).values()  # type: ignore[union-attr]
    assert 0.2 <= probability < 0.4
    assert study.runs[0].means == NuggetScores(0, 0, 0.5, 0.5)
    stricter = nuggets([created], [answer], "given+soft", partially=0.39)
    assert (stricter.runs[0].means.vital_score, "partial:0.39" in str(stricter.signature)) == (0, True)
    with pytest.raises(PyramidionError, match=r"The probability of partial support is 0"):
        nuggets([created], [answer], "given+soft", partially=0)


def test_answers_are_scored_the_same_in_any_order() -> None:
    one, other = soft("run-a", "run-b"), soft("run-b", "run-a")
    assert (one.runs, one.assignments()) == (other.runs, other.assignments())


def test_answers_without_nuggets_are_left_out_and_told() -> None:
    created = LineRecord("q1", listed("vital"))
    answers = [LineRecord(id, (), run_id="a", answer_text="x") for id in ("q1", "q2")]
    study = nuggets([created], answers, "given+soft")
    assert [answer.line.qid for answer in study.answers] == ["q1"]
    assert study.notes == ("1 answer to queries without nuggets left out: q2.",)
    with pytest.raises(PyramidionError, match=r"There is no answer to score"):
        nuggets([created], answers[1:], "given+soft")


def test_two_answers_and_two_lists_are_errors() -> None:
    answer = LineRecord("q1", (), run_id="a", answer_text="x")
    with pytest.raises(PyramidionError, match=r"The run 'a' answers the query 'q1' 2 times"):
        nuggets([LineRecord("q1", listed("vital"))], [answer, answer], "given+soft")
    with pytest.raises(PyramidionError, match=r"The query 'q1' has two lists of nuggets"):
        nuggets([LineRecord("q1", listed("vital")), LineRecord("q1", listed("okay"))], [answer], "given+soft")
    with pytest.raises(PyramidionError, match=r"Nobody assigns these nuggets"):
        nuggets([LineRecord("q1", listed("vital"))], [answer], "manual")


def test_a_judge_that_reads_sees_the_question() -> None:
    question = "Who pays for the night buses?"
    nugget = NuggetRecord("The council pays for the night buses", "vital")
    answer = LineRecord("q", (), run_id="a", answer_text="The council and the passengers.")
    labels = [
        nuggets([LineRecord("q", (nugget,), query)], [answer], "given+entails").answers[0].line.nuggets[0].assignment
        for query in (question, "")
    ]
    assert labels == ["support", "not_support"]


def test_what_the_question_says_is_not_the_answers() -> None:
    nugget = NuggetRecord("The dam harms salmon", "vital")
    created = LineRecord("q", (nugget,), "Why does the dam harm salmon?")
    study = nuggets([created], [LineRecord("q", (), run_id="a", answer_text="It is sunny today.")], "given+entails")
    assert study.answers[0].line.nuggets[0].assignment == "not_support"


def test_a_language_model_is_shown_the_question_and_its_degrees_count(endpoint: ChatServer) -> None:
    nugget = NuggetRecord("The council pays", "vital")
    created = LineRecord("q", (nugget,), "Who pays?")
    study = nuggets([created], [LineRecord("q", (), run_id="a", answer_text="The council pays.")], "given+llm:m")
    assert study.answers[0].line.nuggets[0].assignment == "support"
    (request,) = endpoint.requests
    assert '"question": "Who pays?"' in request["messages"][1]["content"]
    assert "answer to a question" in request["messages"][0]["content"]
    assert dict(study.answers[0].annotation.probabilities) == {"1": 0.9}  # type: ignore[union-attr]
    assert "question:answer-1" in str(study.signature)
