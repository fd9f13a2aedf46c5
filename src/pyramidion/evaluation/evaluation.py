"""The scores of a corpus: of every summary, and of every system over topics."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from textwrap import shorten
from typing import Any, Literal

from pyramidion.base.cache import Hits
from pyramidion.base.choices import check_choices
from pyramidion.base.tables import Cell, Table
from pyramidion.errors import FormatError
from pyramidion.evaluation.scored import Scored
from pyramidion.evaluation.trace import explanation_lines
from pyramidion.evaluation.work import Failure
from pyramidion.metrics.copying import RUN
from pyramidion.model import SCU, Annotation, Pyramid, Role, Topic, Unread
from pyramidion.notes import Note
from pyramidion.result import Result
from pyramidion.scoring import QUANTITIES, Averaged, Scores, weight_of
from pyramidion.signature import Signature
from pyramidion.stats.bootstrap import FEWEST, Interval, few_note

Key = tuple[str, str]
"""The ids of a topic and of a summary."""

COLUMNS = (
    "topic", "summary", "annotator", "scus", "repeated", "contradicted", "unmatched", "raw", "counted", "max_for_size",
    "quality", "max_for_average", "coverage", "comprehensive", "precision", "recall", "normalised",
)  # fmt: skip
"""The columns of the table of scores."""
LABEL = 60
"""The most characters of a label that are printed; a report has the whole label."""
UNREAD = 20
"""The most summaries without a text that are named under a table."""
HEADINGS = {
    "scus": "SCUs", "repeated": "rep.", "contradicted": "contrad.", "unmatched": "D0", "max_for_size": "Max(X)",
    "max_for_average": "Max(Xa)", "comprehensive": "compreh.", "precision": "prec.",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class MissedIdea:
    """An SCU, and the number of scored summaries that neither express nor contradict it."""

    topic: str
    scu: str
    label: str
    weight: int
    missed_by: tuple[str, ...]
    summaries: int
    """The number of summaries of the topic that have words."""


@dataclass(frozen=True, slots=True)
class SystemMeans:
    """The mean scores of one system over topics, with intervals if there are enough topics."""

    system: str
    role: Role
    """``peer`` for a system; ``reference`` for a person who wrote references, scored by the jackknife."""
    n: int
    """The number of topics with scores."""
    means: dict[str, float | None]
    """The mean of each score over the topics that have it, or None if no topic has it."""
    intervals: dict[str, Interval | None]
    left_out: int = 0
    """The number of topics without an annotated summary of this system, or without any; the means leave them out."""


@dataclass(frozen=True, slots=True)
class Evaluation(Result):
    """The scores of the summaries of a corpus, and the means of the systems."""

    signature: Signature
    results: tuple[Scored, ...]
    """One entry per annotation, sorted by topic, summary and annotator."""
    systems: tuple[SystemMeans, ...]
    """One entry per system, the best coverage first."""
    explained: bool = False
    """Whether text and JSON explain every score."""
    unread: tuple[tuple[str, Unread], ...] = ()
    """The summaries that could not be read, each with its topic."""
    seconds: Mapping[str, float] = field(default_factory=dict, repr=False, compare=False)
    """The time of all workers by stage: pyramids, matching, scoring."""
    cached: Mapping[str, Hits] = field(default_factory=dict, repr=False, compare=False)
    """The numbers of hits and of requests of caches, by kind (parses, vectors, ...)."""
    failures: tuple[Failure, ...] = ()
    """Of a run: the summaries that could not be scored."""
    notes: tuple[Note, ...] = field(default=(), compare=False)
    """Guesses, repairs and limits that its user should know of, each once."""

    def tables(self, *, whole: bool = False) -> dict[str, Table]:
        """Return the tables: summaries at a glance (all their scores if ``whole``), all scores, means of systems."""
        full = _full_table(self, whole)
        return {
            "scores": full if whole else _glance_table(self),
            "full": full,
            "systems": systems_table(self.systems, self.signature),
        }

    @property
    def shown(self) -> tuple[str, ...]:
        """Name the tables to print: the systems are left out if none has several topics."""
        return ("scores", "systems") if any(system.n > 1 for system in self.systems) else ("scores",)

    @property
    def prose(self) -> str:
        """Explain the score of each summary, if ``explained`` is set."""
        if not self.explained:
            return ""
        return "".join("\n" + "\n".join(explanation_lines(scored)) + "\n" for scored in self.results)

    @property
    def exit_status(self) -> int:
        """1 if a summary of a run could not be scored."""
        return 1 if self.failures else 0

    def to_json(self) -> dict[str, Any]:
        """Return the whole result as a dictionary for JSON."""
        return {
            "signature": str(self.signature),
            **({"unread": list(map(unread_record, self.unread))} if self.unread else {}),
            **({"failed": list(map(failure_record, self.failures))} if self.failures else {}),
            **({"notes": list(map(str, self.notes))} if self.notes else {}),
            "scores": [scored.to_json(explained=self.explained) for scored in self.results],
            "systems": [
                {
                    "summary": system.system,
                    "role": system.role,
                    "n": system.n,
                    "left_out": system.left_out,
                    **system.means,
                    "intervals": system.intervals,
                }
                for system in self.systems
            ],
        }

    @check_choices
    def values(self, quantity: Averaged | Literal["normalised"] = "coverage") -> dict[Key, float]:
        """Return one score of every peer that has it; several annotations are averaged."""
        return mean_values((result.scores for result in self.results if result.scores.role == "peer"), quantity)

    def missed_ideas(self) -> tuple[MissedIdea, ...]:
        """Return the SCUs that some peer with words misses; the heaviest, then the most often missed, come first."""
        written: dict[str, list[Scored]] = {}
        for result in self.results:
            if (
                result.scores.role == "peer"
                and result.scores.raw is not None
                and result.annotation.summary.text.strip()
            ):
                written.setdefault(result.scores.topic, []).append(result)
        ideas = [_missed_idea(scu, peers) for peers in written.values() for scu in peers[0].pyramid.scus]
        missed = [idea for idea in ideas if idea.missed_by]
        return tuple(sorted(missed, key=lambda idea: (-idea.weight, -len(idea.missed_by) / idea.summaries)))

    def top_tiers(self) -> list[Table]:
        """Return a table for each topic: the SCUs of the two heaviest tiers, and the peers that miss each."""
        pyramids = {result.pyramid.topic: result.pyramid for result in self.results}
        return [_top_tiers_table(self, pyramid) for pyramid in pyramids.values()]

    def annotated(self, topic: Topic) -> Topic:
        """Return the topic with the annotations that were scored."""
        annotations = (result.annotation for result in self.results if result.scores.topic == topic.id)
        return replace(topic, annotations=tuple(annotations))

    def check(self, source: str = "", *, by_people: bool = False) -> None:
        """Raise an error if nothing was scored; ``by_people`` says that only human annotations are scored."""
        if not self.results:
            raise nothing_to_score(source, by_people=by_people)


def nothing_to_score(source: str = "", *, by_people: bool = False) -> FormatError:
    """Return the error that a corpus has nothing to score; ``by_people`` says that only human annotations count."""
    if by_people:
        do = "add annotations/, or choose a method that matches peers itself"
        return FormatError("There is nothing to score: no summary (peer) is annotated", source, do)
    return FormatError("There is no summary to score (peer)", source, "add the summaries to score: peers/*.txt")


def mean_values(all_scores: Iterable[Scores], quantity: str) -> dict[Key, float]:
    """Return one score of every summary that has it, by topic and summary; several annotations are averaged."""
    known: dict[Key, list[float]] = {}
    for scores in all_scores:
        value = getattr(scores, quantity)
        if value is not None:
            known.setdefault((scores.topic, scores.summary), []).append(float(value))
    return {key: fmean(values) for key, values in known.items()}


def _glance_table(evaluation: Evaluation) -> Table:
    """One row a summary, in words that need no paper: what is found and missing, and the percentage.

    Contradictions, the judge's doubt and copying have a column where there is such a thing, and topics and annotators
    where there are several.
    """
    results = evaluation.results
    topics = {result.scores.topic for result in results}
    columns: dict[str, list[Cell]] = {
        "topic": [result.scores.topic for result in results],
        "summary": [result.scores.summary for result in results],
        "annotator": [result.scores.annotator for result in results],
        "found": [None if result.percent is None else len(result.annotation.expressed) for result in results],
        "contradicted": [len(result.annotation.contradicted) for result in results],
        "missing": [None if result.percent is None else result.missing for result in results],
        "percent": [result.percent for result in results],
        "\N{PLUS-MINUS SIGN}": [None if result.margin is None else round(result.margin) for result in results],
        "copied": [f"{100 * result.copied.share:.0f} %" if result.copied.is_notable else "" for result in results],
    }
    always = ("summary", "found", "missing", "percent")
    shown = {name: cells for name, cells in columns.items() if name in always or (name != "topic" and any(cells))}
    if len(topics) > 1:
        shown = {"topic": columns["topic"], **shown}
    title = "" if len(topics) > 1 else f"Topic {next(iter(topics), '')}".rstrip()
    below = "\n".join(filter(None, (*_remarks(evaluation), _not_scored(evaluation))))
    rows = tuple(zip(*shown.values(), strict=True))
    return Table(tuple(shown), rows, title, below, signature=str(evaluation.signature))


def _remarks(evaluation: Evaluation) -> Iterator[str]:
    """Return remarks for the table at a glance: what most summaries missed, and what is unusual."""
    often = [idea for idea in evaluation.missed_ideas() if 2 * len(idea.missed_by) > idea.summaries > 1]
    if often:
        worst = often[0]
        several = len({result.scores.topic for result in evaluation.results}) > 1
        where = f"{worst.topic}, " if several else ""
        label = shorten(worst.label or worst.scu, LABEL, placeholder=" ...")
        yield f"Most missed: {label} ({where}{len(worst.missed_by)} of {worst.summaries} summaries)."
    if any(result.margin is not None for result in evaluation.results):
        yield "\N{PLUS-MINUS SIGN}: the judge's own doubt, one standard deviation of the percentage."
    copies = [result for result in evaluation.results if result.copied.is_notable]
    if copies:
        yield f"Copied: words that stand in a reference or a source in runs of {RUN} words or more."
    yield from (f"  {copy.scores.summary}: {copy.copied}." for copy in copies if copy.copied.is_pasted)
    if any((result.percent or 0) > 100 for result in evaluation.results):
        yield "Above 100: more than an average reference could hold at best; the setting cap counts it as 100."


def _not_scored(evaluation: Evaluation) -> str:
    several = len({result.scores.topic for result in evaluation.results}) > 1
    unread = [
        f"Not scored: {peer.name}{f' (topic {topic})' if several else ''}. {peer.why}"
        for topic, peer in evaluation.unread[:UNREAD]
    ]
    if len(evaluation.unread) > UNREAD:
        unread.append(f"Not scored: {len(evaluation.unread) - UNREAD} more; JSON and CSV have all.")
    return "\n".join((*unread, *(f"Not scored: {failure}" for failure in evaluation.failures)))


def unread_record(unread: tuple[str, Unread]) -> dict[str, str]:
    """A summary that could not be read, for JSON."""
    topic, peer = unread
    return {"topic": topic, "summary": peer.name, "why": peer.why, **({"number": peer.number} if peer.number else {})}


def failure_record(failure: Failure) -> dict[str, str]:
    """A summary of a run that could not be scored, for JSON."""
    return {name: getattr(failure, name) for name in ("topic", "summary", "kind", "error")}


def _missed_idea(scu: SCU, peers: Sequence[Scored]) -> MissedIdea:
    missed = tuple(
        peer.scores.summary
        for peer in peers
        if scu.id not in peer.annotation.expressed
        and all(denial.scu != scu.id for denial in peer.annotation.contradicted)
    )
    weight = weight_of(scu, peers[0].scores.settings)
    return MissedIdea(peers[0].scores.topic, scu.id, scu.label, weight, missed, len(peers))


def _full_table(evaluation: Evaluation, whole: bool) -> Table:
    """One row a summary: what it was scored, and what the scores were made of.

    For people, columns that would say nothing are left out: a single topic, which is the title then, repetitions and
    contradictions where there are none, and ``counted``, the numerator of quality, where raw is no expectation.
    ``whole`` keeps them, so that programs find the same ones each time, and has a row without scores for each summary
    that could not be read.
    """
    all_scores = [result.scores for result in evaluation.results]
    topics = {scores.topic for scores in all_scores}
    idle = {
        "topic": len(topics) == 1,
        "annotator": not any(scores.annotator for scores in all_scores),
        "repeated": not any(scores.repeated for scores in all_scores),
        "contradicted": not any(scores.contradicted for scores in all_scores),
        "counted": all(scores.raw in (scores.counted, None) for scores in all_scores),
        "normalised": all(scores.normalised is None for scores in all_scores),
    }
    columns = tuple(name for name in COLUMNS if whole or not idle.get(name))
    rows = tuple(tuple(getattr(scores, name) for name in columns) for scores in all_scores)
    if whole:
        names = {"topic": 0, "summary": 1}
        rows += tuple(
            tuple((topic, peer.name)[names[name]] if name in names else None for name in columns)
            for topic, peer in evaluation.unread
        )
    title = f"Topic {next(iter(topics))}" if "topic" not in columns else ""
    headings = tuple(HEADINGS.get(name, name) for name in columns)
    return Table(headings, rows, title, _not_scored(evaluation), columns, str(evaluation.signature))


def _top_tiers_table(evaluation: Evaluation, pyramid: Pyramid) -> Table:
    """Return the SCUs of the two heaviest tiers of a pyramid, each with the peers that miss it."""
    peers = [
        result.annotation
        for result in evaluation.results
        if result.pyramid.topic == pyramid.topic and result.annotation.summary.text.strip()
    ]
    rows = []
    for weight, scus in list(pyramid.tiers.items())[:2]:
        for scu in scus:
            missed = [_missing_peer(peer, scu.id) for peer in peers if scu.id not in peer.expressed]
            rows.append((weight, shorten(scu.label, LABEL, placeholder=" ..."), ", ".join(missed) or "none"))
    title = (
        f"{pyramid.topic}: what most references say, and which summaries miss it (an empty summary misses everything)"
    )
    return Table(("weight", "SCU", "missed by"), tuple(rows), title)


def _missing_peer(peer: Annotation, scu: str) -> str:
    is_contradicted = any(contradiction.scu == scu for contradiction in peer.contradicted)
    return f"{peer.summary.id} (contradicts it)" if is_contradicted else peer.summary.id


def systems_table(systems: Sequence[SystemMeans], signature: Signature) -> Table:
    """One row a system: its means over topics, and the interval of its mean coverage.

    If topics are left out, because nobody annotated a system's summary or there is none, a column has their number.
    """
    partly = any(system.left_out for system in systems)
    rows = tuple(
        (
            system.system,
            *((system.n, system.left_out) if partly else (system.n,)),
            *(system.means[quantity] for quantity in QUANTITIES),
            *(system.intervals["coverage"] or (None, None)),
        )
        for system in systems
    )
    counts = ("topics", "left out") if partly else ("topics",)
    columns = ("system", *counts, *(HEADINGS.get(name, name) for name in QUANTITIES), "95 % from", "to")
    keys = ("system", *(name.replace(" ", "_") for name in counts), *QUANTITIES, "coverage_low", "coverage_high")
    title = "Means over topics, with the 95 % interval of coverage"
    note = few_note(min((system.n for system in systems), default=FEWEST), "topics")
    return Table(columns, rows, title, note, keys, str(signature))


def cache_table(cached: Mapping[str, Hits]) -> Table:
    """Show, by kind, how often something was asked of a cache, and how often it was there."""
    rows = tuple(
        (kind, asked, hits, round(100 * hits / asked, 1) if asked else None)
        for kind, (hits, asked) in sorted(cached.items())
    )
    return Table(("cache", "asked", "found", "found in %"), rows, keys=("cache", "asked", "found", "share"))


def stages_table(seconds: Mapping[str, float], summaries: int) -> Table:
    """Show the seconds of each stage, their share, and the time per summary."""
    total = sum(seconds.values())
    rows = tuple(
        (
            stage,
            round(spent, 2),
            round(100 * spent / total, 1) if total else None,
            round(1000 * spent / summaries, 2) if summaries else None,
        )
        for stage, spent in seconds.items()
    )
    keys = ("stage", "seconds", "share", "ms_per_summary")
    return Table(("stage", "seconds", "share in %", "ms a summary"), rows, "Seconds of all workers", keys=keys)
