"""A language model as the judge, against a server whose answers can be worked out by hand."""

from __future__ import annotations

import inspect
import json
from dataclasses import replace
from typing import Any

import pytest

from pyramidion.errors import InputWarning, PyramidionError
from pyramidion.evaluation.evaluate import evaluate
from pyramidion.language.llm.chat import client
from pyramidion.matchers.llm import Judge, make
from pyramidion.methods import Method
from pyramidion.model import SCU, Contributor, Pyramid, Span, Summary, Topic
from pyramidion.scoring import scores
from tests.chat_fixtures import endpoint
from tests.chat_server import KEY, ChatServer, answer, content, status

__all__ = ["endpoint"]

REFERENCES = (
    Summary("A", "The lake died. Fish came back."),
    Summary("B", "The lake died. The city paid."),
)
PYRAMID = Pyramid(
    "lake",
    REFERENCES,
    (
        SCU("1", "The lake died", (Contributor("A", (Span(0, 14),)), Contributor("B", (Span(0, 14),)))),
        SCU("2", "Fish came back", (Contributor("A", (Span(15, 30),)),)),
        SCU("3", "The city paid", (Contributor("B", (Span(15, 29),)),)),
    ),
)
PEER = Summary("p", "The lake died. In the end back came the fish. It rained.", "peer")


@pytest.fixture
def judge() -> Judge:
    return make("some-model")


@pytest.fixture(autouse=True)
def _no_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PYRAMIDION_LLM_URL", "OPENAI_BASE_URL", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def test_matches_spans_and_scores_of_the_worked_example(endpoint: ChatServer, judge: Judge) -> None:
    found = judge(PYRAMID, PEER)
    assert [(one.scu, PEER.quote(one.spans), one.score) for one in found.matches] == [
        ("1", "The lake died", 0.9),
        ("2", PEER.text, 0.9),  # the rule quotes all of a summary that says it in another order
    ]
    assert found.probabilities == (("1", 1.0), ("2", 1.0), ("3", 0.0))
    assert found.comments == ()
    scored = scores(PYRAMID, found)
    assert scored.raw == 3  # weights 2 and 1
    assert scored.recall == pytest.approx(2 / 3)
    assert len(endpoint.requests) == 1
    assert endpoint.requests[0]["model"] == "some-model"
    assert endpoint.requests[0]["temperature"] == 0


def test_what_is_in_no_quote_is_unmatched(endpoint: ChatServer, judge: Judge) -> None:
    found = judge(PYRAMID, Summary("p", "The lake died. It rained.", "peer"))
    assert [found.summary.quote(one.spans) for one in found.unmatched] == ["It rained."]


def test_calibrated_degrees_are_probabilities(endpoint: ChatServer, judge: Judge) -> None:
    assert judge(PYRAMID, PEER, calibrated=True).probabilities == (("1", 0.9), ("2", 0.9), ("3", 0.1))


def test_the_threshold(endpoint: ChatServer, judge: Judge) -> None:
    assert judge(PYRAMID, PEER, threshold=0.95).matches == ()
    assert set(judge(PYRAMID, PEER, threshold=0.1).expressed) == {"1", "2"}
    assert set(judge(PYRAMID, PEER, threshold=0.1, unsupported="count").expressed) == {"1", "2", "3"}


def test_batches_give_the_same(endpoint: ChatServer, judge: Judge) -> None:
    assert judge(PYRAMID, PEER, batch=1) == judge(PYRAMID, PEER, batch=2) == judge(PYRAMID, PEER)
    assert len(endpoint.requests) == 3 + 1 + 1  # the last of three by two is the last of three by one


def test_neither_order_nor_ids_are_in_the_question(endpoint: ChatServer, judge: Judge) -> None:
    renamed = tuple(replace(scu, id=f"x{scu.id}") for scu in reversed(PYRAMID.scus))
    other = Pyramid("other", tuple(reversed(REFERENCES)), renamed)
    first, second = judge(PYRAMID, PEER), judge(other, replace(PEER, id="q"))
    assert {f"x{scu}" for scu in first.expressed} == set(second.expressed)
    assert len(endpoint.requests) == 1


def test_the_same_statement_is_asked_once(endpoint: ChatServer, judge: Judge) -> None:
    twice = replace(PYRAMID, scus=(*PYRAMID.scus, replace(PYRAMID.scus[1], id="4")))
    assert set(judge(twice, PEER).expressed) == {"1", "2", "4"}
    asked = json.loads(endpoint.requests[0]["messages"][1]["content"])
    assert len(asked["statements"]) == 3


def test_an_empty_summary_costs_nothing(judge: Judge) -> None:
    for text in ("", " \n", "..."):
        found = judge(PYRAMID, Summary("p", text, "peer"))
        assert (found.matches, found.unmatched) == ((), ())
        assert scores(PYRAMID, found).coverage == 0


def test_an_scu_without_words_is_not_asked_about(endpoint: ChatServer, judge: Judge) -> None:
    mute = replace(PYRAMID, scus=(*PYRAMID.scus, SCU("4", " ", (Contributor("A"),))))
    assert dict(judge(mute, PEER).probabilities)["4"] == 0.0
    assert len(json.loads(endpoint.requests[0]["messages"][1]["content"])["statements"]) == 3


def test_an_scu_without_a_label_is_asked_about_by_its_words(endpoint: ChatServer, judge: Judge) -> None:
    unnamed = replace(PYRAMID, scus=(replace(PYRAMID.scus[0], label=""),))
    assert judge(unnamed, PEER).expressed == ("1",)


def invents(handler: Any, body: dict[str, Any]) -> None:
    found = answer(body)
    for one in found["answers"]:
        one["quote"] = "The pond dried up" if one["quote"] else ""
    handler.say(json.dumps(found))


def test_without_a_quote_that_is_there_nothing_is_matched(endpoint: ChatServer, judge: Judge) -> None:
    endpoint.always = invents
    for calibrated in (False, True):
        found = judge(PYRAMID, PEER, calibrated=calibrated)
        assert found.matches == ()
        assert found.unsupported == ("1", "2")
        assert found.comments[0] == ("1", "The pond dried up")
        assert dict(found.probabilities) == {"1": 0.0, "2": 0.0, "3": 0.1 if calibrated else 0.0}
        assert scores(PYRAMID, found).raw == pytest.approx(0.1 if calibrated else 0)


@pytest.mark.parametrize("quote", ["", None, "...", "As the summary says.", "lake. In the"])
def test_a_model_that_says_yes_to_all_gives_no_marks(endpoint: ChatServer, judge: Judge, quote: str | None) -> None:
    yes = {"answers": [{"id": id, "quote": quote, "readers": 100} for id in (1, 2, 3)]}
    endpoint.always = content(json.dumps(yes))
    found = judge(PYRAMID, PEER)
    assert (found.matches, found.unsupported) == ((), ("1", "2", "3"))
    assert scores(PYRAMID, found).raw == 0
    method = Method.parse("given+llm:some-model")
    with pytest.warns(InputWarning, match=r"claims 3 SCU\(s\) by words that are not there, in 1 of 1 summaries; they"):
        evaluation = evaluate([Topic("lake", REFERENCES, (PEER,), pyramid=PYRAMID)], method)
    assert evaluation.to_json()["scores"][0]["unsupported"] == ["1", "2", "3"]
    assert "|unsupported:3|" in str(evaluation.signature)


def test_a_model_is_taken_at_its_word_only_if_the_signature_says_so(endpoint: ChatServer) -> None:
    endpoint.always = invents
    topics = [Topic("lake", REFERENCES, (PEER,), pyramid=PYRAMID)]
    with pytest.warns(InputWarning, match="2 count by its word alone"):
        counted = evaluate(topics, "given+llm:some-model(unsupported=count)")
    with pytest.warns(InputWarning, match="they count as not expressed"):
        dropped = evaluate(topics, "given+llm:some-model")
    assert [counted.results[0].scores.raw, dropped.results[0].scores.raw] == [3, 0]
    assert counted.signature != dropped.signature
    assert "unsupported=count" in str(counted.signature)
    assert len(endpoint.requests) == 1  # the same question, read twice


def test_a_quote_that_is_not_there_has_no_place_where_it_counts(endpoint: ChatServer, judge: Judge) -> None:
    endpoint.always = invents
    found = judge(PYRAMID, PEER, unsupported="count")
    assert found.unsupported == ("1", "2")
    assert {one.scu for one in found.matches} == {"1", "2"}
    assert all(one.spans == () for one in found.matches)
    assert (found.matches[0].reason, found.matches[0].supported) == ("The pond dried up", False)
    assert scores(PYRAMID, found).raw == 3


def without(*ids: int) -> Any:
    """An answer that leaves statements out."""

    def partial(handler: Any, body: dict[str, Any]) -> None:
        found = answer(body)
        found["answers"] = [one for one in found["answers"] if one["id"] not in ids]
        handler.say(json.dumps(found))

    return partial


def test_an_answer_that_leaves_an_scu_out_is_an_error(endpoint: ChatServer, judge: Judge) -> None:
    endpoint.always = without(1)
    with pytest.raises(
        PyramidionError, match=r"Topic 'lake', summary 'p': some-model gave no usable answer for 1 of 3"
    ):
        judge(PYRAMID, PEER)
    assert len(endpoint.requests) == 2  # once more, before it is a failure
    endpoint.always = None
    assert judge(PYRAMID, PEER).unjudged == ()  # failures are not kept


def test_failures_that_are_allowed_stay_visible(endpoint: ChatServer, judge: Judge) -> None:
    endpoint.always = without(1)  # "Fish came back", the first in the alphabet
    with pytest.warns(InputWarning, match="no usable answer for 1 of 3 SCUs.*lower bounds"):
        found = judge(PYRAMID, PEER, failures=0.4)
    assert found.probabilities == (("1", 1.0), ("3", 0.0))
    assert found.unjudged == (("2", "no answer"),)
    assert [scu for scu, _ in found.comments] == ["2"]
    assert found.expressed == ("1",)
    endpoint.always = without(1, 2)
    with pytest.raises(PyramidionError, match="2 of 3"):
        judge(PYRAMID, PEER, failures=0.4)


@pytest.mark.parametrize(
    "said",
    [
        "no idea",
        '{"answers": [',
        '{"answers": 3}',
        '{"answers": [{"id": 1, "quote": "", "readers": NaN}]}',
        '{"answers": [{"id": 1, "quote": "", "readers": 0.9}, {"id": 2, "quote": "", "readers": 101}, {"id": 3}]}',
        '{"answers": [{"id": 1, "quote": "", "readers": -1}, {"id": 2, "quote": "", "readers": true}]}',
        '{"answers": [{"id": 7, "quote": "", "readers": 10}]}',
        '{"answers": [{"id": 1, "quote": "", "readers": 10}, {"id": 1, "quote": "", "readers": 90}]}',
    ],
)
def test_an_unusable_answer_is_never_a_zero(endpoint: ChatServer, judge: Judge, said: str) -> None:
    endpoint.always = content(said)
    with pytest.raises(PyramidionError, match="no usable answer for 3 of 3"):
        judge(PYRAMID, PEER)
    with pytest.raises(PyramidionError, match="no usable answer for 3 of 3"):
        judge(PYRAMID, PEER, failures=0.9)


def test_a_cut_off_answer_says_so(endpoint: ChatServer, judge: Judge) -> None:
    endpoint.always = content('{"answers": [', "length")
    with pytest.raises(PyramidionError, match="The answer was cut off"):
        judge(PYRAMID, PEER)


def test_numbers_as_text_are_read(endpoint: ChatServer, judge: Judge) -> None:
    endpoint.always = content(
        json.dumps({"answers": [{"id": str(one), "quote": "It rained", "readers": "80"} for one in (1, 2, 3)]})
    )
    assert {match.score for match in judge(PYRAMID, PEER).matches} == {0.8}


def test_storms_on_the_way_change_nothing(endpoint: ChatServer, judge: Judge) -> None:
    calm = judge(PYRAMID, PEER)
    endpoint.faults = [status(429, Retry_After="0.01"), status(500)]
    assert make("another")(PYRAMID, PEER) == calm
    assert len(endpoint.requests) == 1 + 3


def test_a_second_run_needs_no_endpoint(endpoint: ChatServer, judge: Judge) -> None:
    first = judge(PYRAMID, PEER)
    client.cache_clear()
    endpoint.always = status(500)
    assert judge(PYRAMID, PEER) == first
    assert len(endpoint.requests) == 1


def test_a_wrong_key_is_one_line(endpoint: ChatServer, judge: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYRAMIDION_LLM_KEY", "sk-wrong-wrong")
    with pytest.raises(PyramidionError, match="refuses the key") as caught:
        judge(PYRAMID, PEER)
    assert "sk-wrong-wrong" not in str(caught.value)
    assert KEY not in str(caught.value)


def test_nobody_is_asked_before_there_is_a_question(monkeypatch: pytest.MonkeyPatch) -> None:
    judge = make("some-model")
    assert judge.signature == (("prompt", "judge-1"),)
    with pytest.raises(PyramidionError, match="No chat endpoint is named"):
        judge(PYRAMID, PEER)


def test_settings_are_seen_by_methods(judge: Judge) -> None:
    named = {
        one.name: one.default for one in inspect.signature(judge).parameters.values() if one.kind is one.KEYWORD_ONLY
    }
    assert named == {
        "threshold": 0.5,
        "batch": 40,
        "failures": 0.0,
        "calibrated": False,
        "unsupported": "drop",
        "base_url": "",
        "analyser": "en-minilm",
    }


def test_bad_settings(judge: Judge) -> None:
    with pytest.raises(PyramidionError, match="batch of 1 or more"):
        judge(PYRAMID, PEER, batch=0)
    with pytest.raises(PyramidionError, match="share of failures"):
        judge(PYRAMID, PEER, failures=1.0)
    with pytest.raises(PyramidionError, match="unsupported of Judge cannot be .keep.; choose one of: drop, count"):
        judge(PYRAMID, PEER, unsupported="keep")
    with pytest.raises(PyramidionError, match="No model is named"):
        make("")
