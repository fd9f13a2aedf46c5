"""A judge of TREC AutoJudge: its nugget banks and responses in, its leaderboard out (extra ``autojudge``).

In a ``workflow.yml`` of ``auto-judge run`` the ``judge_class`` is ``pyramidion.integrations.autojudge:NuggetJudge``;
``matcher`` under ``judge_settings`` says who assigns the nuggets. The leaderboard has nuggetizer's four scores
(:mod:`pyramidion.analyses.nuggets.arithmetic`).

*Banks.* Nuggetizer's nuggets are taken as they are, and a claim is a nugget. A question is a nugget, too, and its gold
answers are what is looked for, each after the question: it is supported as its best answer is, or, where the bank asks
for all of them (``AND``), as its worst. Without an importance a nugget is vital, as in nuggetizer. A topic without
nuggets is on nobody's account: it is not in the leaderboard, and a warning names it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

from msgspec.structs import replace

from pyramidion.analyses.nuggets import nuggets
from pyramidion.analyses.nuggets.arithmetic import SCORES, nugget_scores
from pyramidion.analyses.scores.table import first_ten
from pyramidion.base.choices import check_choices
from pyramidion.errors import PyramidionError
from pyramidion.formats.nuggetizer import LineRecord, NuggetRecord
from pyramidion.integrations import imported
from pyramidion.methods import DEFAULT_MATCHER, GIVEN
from pyramidion.notes import note

if TYPE_CHECKING:
    from autojudge_base import Leaderboard, Report, Request

OnMissing = Literal["default", "warn", "error", "fix_aggregate"]
"""The runner's names for what it does with topics that a run does not answer."""
_OF_THE_RUNNER = frozenset(("description", "filebase", "outdir"))
"""Settings that the runner passes to every judge; they say where its files are, and change no score."""
_DESCRIPTIONS = {
    "strict_vital_score": "Share of vital nuggets that are supported",
    "strict_all_score": "Share of all nuggets that are supported",
    "vital_score": "Share of vital nuggets that are supported, partial support counting one half",
    "all_score": "Share of all nuggets that are supported, partial support counting one half",
}
_ORDER = ("not_support", "failed", "partial_support", "support")
"""The assignments, from the worst to the best."""

Parts = tuple[int, bool]
"""The number of texts that stand for a nugget, and true where all of them must be there."""


class NuggetJudge:
    """Assigns the nuggets of a bank to responses, and scores the runs."""

    @property
    def nugget_banks_type(self) -> Any:
        """The kind of banks that the runner reads from files: nuggetizer's."""
        return imported("autojudge_base.nugget_data", "TREC AutoJudge", "autojudge").NuggetizerNuggetBanks

    @check_choices
    def judge(
        self,
        rag_responses: Iterable[Report],
        rag_topics: Sequence[Request],
        llm_config: Any = None,
        nugget_banks: Any = None,
        qrels: Any = None,
        corpus: str | None = None,
        *,
        matcher: str = DEFAULT_MATCHER,
        on_missing_evals: OnMissing = "fix_aggregate",
        **settings: Any,
    ) -> Leaderboard:
        """Return the leaderboard of all responses.

        ``matcher`` assigns the nuggets; ``on_missing_evals`` says what becomes of topics that a run does not answer. A
        language model is named by the matcher (``llm:MODEL``), not by ``llm_config``. Of further ``settings`` only the
        runner's own are taken.
        """
        if unknown := sorted(settings.keys() - _OF_THE_RUNNER):
            raise PyramidionError(
                f"The judge has no setting {unknown[0]!r}.",
                do="correct it in workflow.yml, or leave it out; choose from: matcher, on_missing_evals",
            )
        tool = imported("autojudge_base", "TREC AutoJudge", "autojudge")
        if nugget_banks is None or not nugget_banks.banks:
            raise PyramidionError("There is no nugget bank to judge by.", do="give banks to judge with")
        titles = {topic.request_id: topic.title for topic in rag_topics}
        banks = {id: _bank(bank) for id, bank in nugget_banks.banks.items()}
        without = sorted({*titles, *banks} - {id for id, (listed, _) in banks.items() if listed})
        if without:
            topics = f"{len(without)} topic(s) without nuggets: {first_ten(without)}"
            note(f"{topics}; the leaderboard and its means leave out what has none")
        lines = [
            LineRecord(
                report.metadata.topic_id,
                banks[report.metadata.topic_id][0],
                titles.get(report.metadata.topic_id, ""),
                report.metadata.run_id,
                report.get_report_text(),
            )
            for report in rag_responses
            if report.metadata.topic_id in banks and report.metadata.topic_id not in without
        ]
        study = nuggets(lines, method=f"{GIVEN}+{matcher}")
        builder = tool.LeaderboardBuilder(
            tool.LeaderboardSpec(
                measures=tuple(tool.MeasureSpec(name, description=_DESCRIPTIONS[name]) for name in SCORES)
            )
        )
        for answer in study.answers:
            line = answer.line
            scores = nugget_scores(_join_parts(line.nuggets, banks[str(line.qid)][1]))
            builder.add(run_id=line.run, topic_id=str(line.qid), values=asdict(scores))
        expected = [topic.request_id for topic in rag_topics if topic.request_id not in without]
        leaderboard: Leaderboard = builder.build(expected_topic_ids=expected, on_missing=on_missing_evals)
        return leaderboard


def _bank(bank: Any) -> tuple[tuple[NuggetRecord, ...], list[Parts]]:
    """Return the texts to look for in an answer, and how many of them, one after the other, make up each nugget."""
    if hasattr(bank, "nuggets"):
        listed = tuple(NuggetRecord(nugget.text, _importance(nugget.importance)) for nugget in bank.nuggets)
        return listed, [(1, False)] * len(listed)
    texts: list[NuggetRecord] = []
    parts: list[Parts] = []
    for nugget in bank.nuggets_as_list():
        answers = getattr(nugget, "answers", None) or {}
        wordings = [f"{nugget.question} {answer}" for answer in answers] or [getattr(nugget, "claim", "")]
        if not wordings[0]:
            raise PyramidionError(f"The question {nugget.question!r} has no gold answer.", do="add answers to the bank")
        texts += (NuggetRecord(text, _importance(nugget.importance)) for text in wordings)
        parts.append((len(wordings), str(getattr(nugget.aggregator_type, "value", "")) == "AND"))
    return tuple(texts), parts


def _importance(importance: object) -> Any:
    """Return ``vital``, ``okay`` or ``failed``; numbers of 1 and more, and none at all, are vital."""
    if importance in ("vital", "okay", "failed"):
        return importance
    return "okay" if importance == 0 else "vital"


def _join_parts(texts: Sequence[NuggetRecord], parts: Sequence[Parts]) -> list[NuggetRecord]:
    """Return the nuggets whose texts these are, each with the best (``AND``: the worst) assignment of its texts."""
    joined, first = [], 0
    for count, needs_all in parts:
        # a text that nobody assigned counts as failed
        ranked = sorted(texts[first : first + count], key=lambda text: _ORDER.index(text.assignment or "failed"))
        joined.append(replace(ranked[0], assignment=ranked[0 if needs_all else -1].assignment))
        first += count
    return joined
