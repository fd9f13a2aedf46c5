"""What did the crowd find? Scores of summaries and systems from its votes (Shapira et al. 2019 §3-4).

From votes to scores: workers who disagree with the others are left out
(:mod:`~pyramidion.crowd.judging.filtering`), votes become decisions (:mod:`~pyramidion.crowd.judging.aggregate`), and
decisions become scores with intervals (:mod:`~pyramidion.crowd.scores.scoring`).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from pyramidion.base.choices import check_choices
from pyramidion.base.tables import Table, plural
from pyramidion.crowd.judging.aggregate import AGGREGATIONS, Decisions
from pyramidion.crowd.judging.filtering import Filtered, Screened, screen
from pyramidion.crowd.judging.following import reversed_workers
from pyramidion.crowd.judging.judgements import Judgements
from pyramidion.crowd.judging.screening import SCREENING, Screening
from pyramidion.crowd.judging.topic_agreement import AlphaOf
from pyramidion.crowd.judging.votes import Votes
from pyramidion.crowd.results.workers import CrowdWorkers, crowd_workers
from pyramidion.crowd.scores import pyramids
from pyramidion.crowd.scores.resampling import at_most as mean_of_draws
from pyramidion.crowd.scores.scoring import CrowdScores, score
from pyramidion.crowd.study import Study
from pyramidion.model import Topic
from pyramidion.notes import note
from pyramidion.result import Result
from pyramidion.signature import Signature

if TYPE_CHECKING:
    from pyramidion.analyses.compare import Comparison

_MOST_NAMED = 5
"""The most left-out workers that are named."""

_COUNTED = {
    "dawid-skene": "the other way round, as Dawid-Skene does",
    "mace": "as far as MACE trusts them, and never the other way round",
}
"""How aggregations count the votes of somebody who mixes up the answers; other aggregations count them as they are."""


@check_choices
def crowd_scores(
    judgements: Judgements,
    *,
    aggregation: str = "majority",
    screening: Screening = SCREENING,
    at_most: int | None = None,
    drop_topics: float = 0.0,
    alpha: AlphaOf = "pooled",
    compare: bool = False,
    samples: int = 1000,
    seed: int = 0,
) -> CrowdEvaluation:
    """The scores of all summaries and systems that a crowd judged.

    * ``judgements`` are the votes of a study or of result files.
    * ``aggregation`` makes decisions of votes: ``majority``, ``mean``, ``dawid-skene`` or ``mace``.
    * ``screening`` says which workers are left out.
    * ``at_most`` is the number of votes of each item to decide by; they are drawn at random, and 70 draws are averaged.
    * ``drop_topics`` is the share of topics to leave out, those with the lowest ``alpha``.
    * ``compare`` tests which systems differ.
    * ``samples`` are the draws for intervals, which start from ``seed``.

    >>> import pyramidion as pm
    >>> from pyramidion.crowd.answers.submission import Asked, Submission
    >>> from pyramidion.crowd.judging.judgements import Judgements
    >>> from pyramidion.crowd.judging.votes import Votes
    >>> asked = Asked(("1", "2"), ("It rained.", "Prices rose."))
    >>> task = Submission("task", "judging", "topic", "system", worker="Ann", asked=asked, answers="pn", text="Rain.")
    >>> pm.crowd_scores(Judgements(Votes.of([task])), samples=100).rows()[0]["score"]
    0.5
    """
    decide = AGGREGATIONS[aggregation]
    screened = screen(judgements.votes, screening, simulated=judgements.simulated)
    votes = screened.votes
    _say_who_answers_reversed(votes, aggregation)
    decisions = decide(votes) if at_most is None else mean_of_draws(votes, decide, at_most, seed=seed)
    scores = score(
        votes,
        decisions,
        study=judgements.study,
        samples=samples,
        seed=seed,
        drop_topics=drop_topics,
        alpha=alpha,
        screening=(*AGGREGATIONS.signed(aggregation), *screened.parameters),
    )
    comparison = _compare_systems(scores, seed) if compare else None
    return CrowdEvaluation(scores.signature, scores, judgements.study, screening, screened, decisions, comparison)


def _say_who_answers_reversed(votes: Votes, aggregation: str) -> None:
    """Warn of workers who mix up the answers and whom no filter left out."""
    found = reversed_workers(votes)
    if found:
        named = ", ".join(f"{name}, {follows}" for name, follows in list(found.items())[:_MOST_NAMED])
        counted = _COUNTED.get(aggregation, "as they are")
        note(
            f"{plural(len(found), 'worker')} with answers reversed (following the others: {named}) and not left out: "
            f"their votes count {counted}; look at 'pyramidion crowd workers', and reject their work or filter"
        )


def _compare_systems(scores: CrowdScores, seed: int) -> Comparison:
    """Test which systems differ, over the topics that were not left out."""
    # imported here, so that only those who compare systems wait for it
    from pyramidion.analyses.compare import compare
    from pyramidion.analyses.scores.table import from_values

    values = {
        (summary.topic, summary.system): summary.score
        for summary in scores.summaries
        if summary.topic not in scores.dropped
    }
    # the comparison has samples and a seed of its own in its signature
    parameters = tuple(pair for pair in scores.signature.parameters if pair[0] not in ("samples", "seed"))
    return compare(from_values(values, "score", Signature(scores.signature.method, parameters)), seed=seed)


@dataclass(frozen=True)
class CrowdEvaluation(Result):
    """Scores, agreement, the workers who were left out, and the votes and decisions behind the scores."""

    signature: Signature
    scores: CrowdScores
    study: Study | None
    screening: Screening
    screened: Screened
    decisions: Decisions
    comparison: Comparison | None = None

    def tables(self, *, whole: bool = False) -> dict[str, Table]:
        """Return tables of systems, summaries and topics; if systems were compared, their differences come first."""
        tables = {"systems": self._systems(), "summaries": self._summaries(), "topics": self._topics()}
        if self.comparison is None:
            return tables
        compared = self.comparison.tables(whole=whole)
        return {"pairs": compared["pairs"], **tables, "groups": compared["systems"]}

    @property
    def shown(self) -> tuple[str, ...]:
        """The tables that are printed: systems; if they were compared, also groups and, if they are few, pairs."""
        if self.comparison is None:
            return ("systems",)
        return ("systems", "groups", *(["pairs"] if "pairs" in self.comparison.shown else []))

    def to_json(self) -> dict[str, Any]:
        """Return the whole result as a dictionary for JSON."""
        scores, filtered = self.scores, self.screened.filtered
        record: dict[str, Any] = {
            "signature": str(self.signature),
            "systems": [asdict(system) for system in scores.systems],
            "summaries": [asdict(summary) for summary in scores.summaries],
            "agreement": {**asdict(scores.agreement), "workers": filtered.pairwise if filtered else None},
            "dropped": {
                "topics": list(scores.dropped),
                "workers": [
                    {"worker": name, "round": number, "agreement": filtered.agreement.get(name)}
                    for name, number in sorted(filtered.dropped.items())
                ]
                if filtered
                else [],
            },
            "notes": list(scores.notes),
        }
        if self.comparison is not None:
            record["comparison"] = self.comparison.to_json()
        return record

    def topics(self, *, merge: bool = False) -> list[Topic]:
        """Return the decisions as pyramids and annotations (:mod:`~pyramidion.crowd.scores.pyramids`)."""
        return pyramids.topics(self.screened.votes, self.decisions, self.study, merge=merge)

    def workers(self) -> CrowdWorkers:
        """Return the report on all workers, including those who were left out."""
        return crowd_workers(
            self.screened.everybody,
            study=self.study,
            agreement=self.screening.agreement,
            threshold=self.screening.threshold or 0.0,
        )

    @property
    def agreement_sentence(self) -> str:
        """The agreement of workers, in a sentence."""
        agreed, filtered = self.scores.agreement, self.screened.filtered
        alpha = _number(agreed.alpha)
        details = f" ({agreed.interval.low:.3f} to {agreed.interval.high:.3f})" if agreed.interval else ""
        if agreed.alpha_of_all_votes is not None and f"{agreed.alpha_of_all_votes:.3f}" != alpha:
            details += f", with votes that stand alone {agreed.alpha_of_all_votes:.3f}"
        workers = f"of workers {filtered.pairwise:.3f}, " if filtered and filtered.pairwise is not None else ""
        return (
            f"Krippendorff's alpha {alpha}{details}; agreement of pairs {workers}of votes {_number(agreed.agreement)}."
        )

    @property
    def dropped_sentence(self) -> str:
        """The workers who were left out, in a sentence."""
        return _dropped_sentence(self.screened.filtered, reversed_workers(self.screened.everybody))

    def _systems(self) -> Table:
        """Make the table of systems, with the notes on the whole evaluation below it."""
        scores = self.scores
        lines = [self.agreement_sentence, self.dropped_sentence]
        if scores.dropped:
            lines.append(f"Topics left out, the least agreed: {', '.join(scores.dropped)}.")
        return Table(
            ("system", "topics", "score", "low", "high"),
            tuple(
                (system.system, system.topics, system.mean, *(system.interval or (None, None)))
                for system in scores.systems
            ),
            "Share of statements that are present, mean over topics, with 95 % bootstrap intervals",
            "\n".join([*lines, *scores.notes]),
            signature=str(self.signature),
        )

    def _summaries(self) -> Table:
        return Table(
            ("topic", "system", "score", "statements", "undecided"),
            tuple(
                (summary.topic, summary.system, summary.score, summary.statements, summary.undecided)
                for summary in self.scores.summaries
            ),
            "Share of its judged statements that each summary says",
            signature=str(self.signature),
        )

    def _topics(self) -> Table:
        """Make the table of the agreement on each topic."""
        return Table(
            ("topic", "items", "alpha", "agreement", "left out"),
            tuple(
                (
                    topic.topic,
                    topic.items,
                    topic.alpha,
                    topic.agreement,
                    "yes" if topic.topic in self.scores.dropped else "",
                )
                for topic in self.scores.agreement.topics
            ),
            "Agreement of workers by topic",
            f"Items have two votes or more. {self.agreement_sentence}",
            ("topic", "items", "alpha", "agreement", "left_out"),
            str(self.signature),
        )


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.3f}"


def _dropped_sentence(filtered: Filtered | None, mixed_up: Collection[str]) -> str:
    """Name the workers whom the filter left out, with their agreement; those in ``mixed_up`` answer reversed."""
    if filtered is None:
        return "No worker was left out: no filter."
    known = len(filtered.agreement)
    if not filtered.dropped:
        return f"No worker was left out (of {known} with a name)." if known else "Workers have no names: no filter."
    named = [
        f"{name} ({filtered.agreement.get(name) or 0:.2f}{', answers reversed' if name in mixed_up else ''})"
        for name in sorted(filtered.dropped)
    ]
    more = f" and {len(named) - _MOST_NAMED} more" if len(named) > _MOST_NAMED else ""
    return (
        f"Left out for their agreement: {', '.join(named[:_MOST_NAMED])}{more}, of {plural(known, 'worker')}, in "
        f"{plural(filtered.rounds, 'round')}."
    )
