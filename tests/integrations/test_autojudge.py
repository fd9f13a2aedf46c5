"""A judge of TREC AutoJudge, run by its own runner: banks and responses in, a leaderboard out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pyramidion.errors import InputWarning, PyramidionError
from pyramidion.integrations.autojudge import NuggetJudge

nltk = pytest.importorskip("nltk", reason="autojudge-base is not installed: pip install 'pyramidion[autojudge]'")
nltk.data.path.insert(0, str(Path(__file__).parent / "nltk_data"))  # else importing autojudge_base downloads it
autojudge = pytest.importorskip(
    "autojudge_base", reason="autojudge-base is not installed: pip install 'pyramidion[autojudge]'"
)
nugget_data = pytest.importorskip("autojudge_base.nugget_data")

TOPICS = [
    autojudge.Request(request_id="h1", title="Why did the harbour silt up?"),
    autojudge.Request(request_id="h2", title="Who pays for the buses?"),
]
BANKS = nugget_data.NuggetizerNuggetBanks.from_banks_list(
    [
        nugget_data.NuggetizerNuggetBank(
            query="Why did the harbour silt up?",
            qid="h1",
            nuggets=[
                {"text": "A dam upstream slowed the river", "importance": "vital"},
                {"text": "Dredging stopped in 1998", "importance": "okay"},
            ],
        ),
        nugget_data.NuggetizerNuggetBank(
            query="Who pays for the buses?",
            qid="h2",
            nuggets=[{"text": "The council pays two thirds of the cost", "importance": "vital"}],
        ),
    ]
)


def response(run: str, topic: str, *sentences: str) -> Any:
    return autojudge.Report(
        metadata={"team_id": "t", "run_id": run, "topic_id": topic},
        responses=[{"text": sentence, "citations": []} for sentence in sentences],
    )


RESPONSES = [
    response("a", "h1", "A dam upstream slowed the river."),
    response("a", "h2", "The council pays two thirds of the cost."),
    response("b", "h1", "Dredging stopped in 1998."),
]


def values(leaderboard: Any, run: str, topic: str) -> dict[str, float]:
    (entry,) = [one for one in leaderboard.entries if (one.run_id, one.topic_id) == (run, topic)]
    return dict(entry.values)


def test_the_leaderboard_has_nuggetizers_scores() -> None:
    leaderboard = NuggetJudge().judge(RESPONSES, TOPICS, None, BANKS, matcher="soft")
    assert values(leaderboard, "a", "h1") == {
        "strict_vital_score": 1.0,
        "strict_all_score": 0.5,
        "vital_score": 1.0,
        "all_score": 0.5,
    }
    assert values(leaderboard, "a", "all")["strict_all_score"] == (0.5 + 1) / 2
    # b does not answer h2, which counts 0 in the mean
    assert values(leaderboard, "b", "all") == {
        "strict_vital_score": 0.0,
        "strict_all_score": 0.25,
        "vital_score": 0.0,
        "all_score": 0.25,
    }
    leaderboard.verify(expected_topic_ids=["h1", "h2"], on_missing="fix_aggregate")


def test_topics_without_nuggets_count_for_nobody_and_are_named() -> None:
    """An empty bank, and a topic without a bank, counted 0 in the mean of every run."""
    empty = nugget_data.NuggetizerNuggetBank(query="Why?", qid="h3", nuggets=[])
    banks = nugget_data.NuggetizerNuggetBanks.from_banks_list([*BANKS.banks.values(), empty])
    topics = [*TOPICS, *(autojudge.Request(request_id=id, title="Why?") for id in ("h3", "h4"))]
    responses = [*RESPONSES, response("a", "h3", "Because."), response("a", "h4", "Because.")]
    with pytest.warns(
        InputWarning, match=r"2 topic\(s\) without nuggets: h3, h4; the leaderboard and its means leave out"
    ):
        leaderboard = NuggetJudge().judge(responses, topics, None, banks, matcher="soft")
    assert values(leaderboard, "a", "all")["strict_all_score"] == (0.5 + 1) / 2
    assert values(leaderboard, "b", "all")["strict_all_score"] == 0.25
    assert {entry.topic_id for entry in leaderboard.entries} == {"h1", "h2", "all"}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_runner_reads_banks_from_files_and_writes_the_leaderboard(tmp_path: Path) -> None:
    from autojudge_base.judge_runner import run_judge
    from autojudge_base.nugget_data import write_nugget_banks_generic

    banks = tmp_path / "banks.jsonl"
    write_nugget_banks_generic(BANKS, banks)
    judge = NuggetJudge()
    run_judge(
        auto_judge=judge,
        rag_responses=RESPONSES,
        rag_topics=TOPICS,
        llm_config=autojudge.LlmConfigBase(model="none"),
        nugget_banks_path=banks,
        judge_output_path=tmp_path / "pyramidion",
        judge_settings={"matcher": "soft"},
        out_dir=tmp_path,
    )
    (written,) = [path for path in tmp_path.iterdir() if path.name.endswith((".txt", ".eval.txt"))]
    assert "a\th1\tstrict_vital_score\t1.0" in written.read_text().splitlines()


def test_a_question_is_supported_as_its_best_answer_is_or_as_its_worst() -> None:
    def bank(aggregator: str | None) -> Any:
        question = nugget_data.NuggetQuestion.from_lazy(
            query_id="h2", question="Who pays?", gold_answers=["The council pays", "Passengers buy tickets"]
        )
        if aggregator:
            question.aggregator_type = nugget_data.AggregatorType(aggregator)
        made = nugget_data.NuggetBank(query_id="h2", title_query="Who pays for the buses?")
        made.add_nuggets([question, nugget_data.NuggetClaim.from_lazy(query_id="h2", claim="Buses run at night")])
        return nugget_data.NuggetBanks.from_banks_list([made])

    answers = [response("a", "h2", "The council pays.")]
    for aggregator, supported in ((None, 0.5), ("OR", 0.5), ("AND", 0.0)):
        leaderboard = NuggetJudge().judge(answers, TOPICS[1:], None, bank(aggregator), matcher="soft")
        assert values(leaderboard, "a", "h2")["strict_all_score"] == supported, aggregator


def test_without_banks_there_is_nothing_to_judge_by() -> None:
    with pytest.raises(PyramidionError, match=r"There is no nugget bank to judge by"):
        NuggetJudge().judge(RESPONSES, TOPICS)
