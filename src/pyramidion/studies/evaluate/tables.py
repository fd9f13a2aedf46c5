"""An evaluation as tables and as the JSON that ``score`` and ``evaluate`` print."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any
from unicodedata import category

from pyramidion.explain import NEGLIGIBLE, Contradicted, Explanation, Expressed, Missed, Unit, explain
from pyramidion.io.tables import Cell, Table
from pyramidion.score import Scores
from pyramidion.studies.evaluate.study import QUANTITIES, Evaluation, Scored, System

__all__ = ["explanation_lines", "scores_table", "systems_table", "to_json"]

SHOWN = ("max_for_size", "quality", "max_for_average", "coverage", "comprehensive", "precision", "recall")
COUNTS = ("scus", "repeated", "contradicted", "unmatched")
FIELDS = ("topic", "summary", "annotator", *COUNTS, "raw", "counted", *SHOWN, "normalised")
RECORDED = (
    "counted", "normalised", "scus", "contradicted", "unmatched", "max_for_size", "max_for_average", "average_scus",
    "repeated", "size", "annotator", "role",
)  # fmt: skip
HEADINGS = {
    "scus": "SCUs", "repeated": "rep.", "contradicted": "contrad.", "unmatched": "D0", "max_for_size": "Max(X)",
    "max_for_average": "Max(Xa)", "comprehensive": "compreh.", "precision": "prec.",
}  # fmt: skip


NOT_ANNOTATED = "nothing is marked, so that nobody annotated it: no scores"


def _annotated_by(evaluation: Evaluation) -> bool:
    return any(one.scores.annotator for one in evaluation.results)


def scores_table(evaluation: Evaluation, *, every_column: bool = False) -> Table:
    """One row a summary: what it was scored, and what the scores were made of.

    For people, columns that would say nothing are left out: a single topic, which is the title then, repetitions and
    contradictions where there are none, and ``counted``, the numerator of quality, where raw is no expectation.
    ``every_column`` keeps them, so that programs find the same ones each time.
    """
    every = [one.scores for one in evaluation.results]
    topics = {one.topic for one in every}
    idle = {
        "topic": len(topics) == 1,
        "annotator": not _annotated_by(evaluation),
        "repeated": not any(one.repeated for one in every),
        "contradicted": not any(one.contradicted for one in every),
        "counted": all(one.raw in (one.counted, None) for one in every),
        "normalised": all(one.normalised is None for one in every),
    }
    fields = tuple(name for name in FIELDS if every_column or not idle.get(name))
    rows: list[tuple[Cell, ...]] = [tuple(getattr(one, name) for name in fields) for one in every]
    title = f"Topic {next(iter(topics))}" if "topic" not in fields else ""
    headings = tuple(HEADINGS.get(name, name) for name in fields)
    return Table(headings, tuple(rows), title, keys=fields, signature=str(evaluation.signature))


def systems_table(evaluation: Evaluation) -> Table:
    """One row a system: its means over topics, and the interval of its mean coverage.

    How many topics are left out, because nobody annotated its summary, is told where there are such.
    """
    partly = any(system.left_out for system in evaluation.systems)
    rows: list[tuple[Cell, ...]] = []
    for system in evaluation.systems:
        topics = (system.n, system.left_out) if partly else (system.n,)
        interval = system.intervals["coverage"] or (None, None)
        rows.append((system.summary, *topics, *(system.means[quantity] for quantity in QUANTITIES), *interval))
    counts = ("topics", "left out") if partly else ("topics",)
    columns = ("system", *counts, *(HEADINGS.get(name, name) for name in QUANTITIES), "95 % from", "to")
    keys = ("system", *(name.replace(" ", "_") for name in counts), *QUANTITIES, "coverage_low", "coverage_high")
    title = "Means over topics, with the 95 % interval of coverage"
    return Table(columns, tuple(rows), title, keys=keys, signature=str(evaluation.signature))


def _score_record(one: Scored, explained: bool) -> dict[str, Any]:
    scores = one.scores
    record: dict[str, Any] = {"topic": scores.topic, "summary": scores.summary}
    record |= {name: getattr(scores, name) for name in (*QUANTITIES, *RECORDED)}
    if scores.pyramids == 1:
        record["tiers"] = [
            {"weight": weight, "expressed": count, "scus": size} for weight, (count, size) in scores.tiers.items()
        ]
    else:
        record["pyramids"] = scores.pyramids
    if one.annotation.unsupported:
        record["unsupported"] = [*one.annotation.unsupported]
    if explained:
        told = explain(one.pyramid, one.annotation, one.scores.settings)
        record["explanation"] = asdict(told)
    return record


def _system_record(system: System) -> dict[str, Any]:
    intervals = {name: None if interval is None else list(interval) for name, interval in system.intervals.items()}
    record = {"summary": system.summary, "role": system.role, "n": system.n, "left_out": system.left_out}
    return {**record, **system.means, "intervals": intervals}


def to_json(evaluation: Evaluation, *, explained: bool = False) -> dict[str, Any]:
    """The machine-readable result."""
    return {
        "signature": str(evaluation.signature),
        "scores": [_score_record(one, explained) for one in evaluation.results],
        "systems": [_system_record(system) for system in evaluation.systems],
    }


def _arithmetic(scores: Scores) -> str:
    """The two main scores with the ratios they are; a mean of ratios is none."""
    if scores.raw is None:
        return NOT_ANNOTATED
    if scores.pyramids > 1:
        return (
            f"mean over {scores.pyramids} pyramids: coverage {_four(scores.coverage)}, quality {_four(scores.quality)}"
        )
    return (
        f"coverage {_four(scores.coverage)} = {_weight(scores.raw)} / {scores.max_for_average:g}, "
        f"quality {_four(scores.quality)} = {scores.counted:g} / {scores.max_for_size:g}"
    )


def _four(score: float | None) -> str:
    """A score to four decimals; a dash where there is none."""
    return "-" if score is None else f"{score:.4f}"


def _weight(raw: float) -> str:
    """A raw score: a whole number where it is a count, two decimals where it is an expectation."""
    return f"{raw:g}" if raw == int(raw) else f"{raw:.2f}"


def explanation_lines(one: Scored, width: int | None = None) -> list[str]:
    """The explanation of one score, for reading.

    Of a reading by people, what is expressed (+), contradicted (!), missed (-) and in no SCU (?), a line each. Of an
    automatic one, which names the segments it chose, the whole trace from sentences to scores (PyrEval's log, Gao et
    al. 2019 §5), wrapped to ``width`` columns, or to the terminal's.
    """
    told = explain(one.pyramid, one.annotation, one.scores.settings)
    if not told.sentences:
        return _compact_lines(one.scores, told)
    columns = shutil.get_terminal_size((100, 24)).columns if width is None else width
    return list(_log(one, told, max(40, min(columns, 120))))


def _compact_lines(scores: Scores, told: Explanation) -> list[str]:
    lines = [f"{_shown(scores.topic)} / {_shown(scores.summary)}: {_arithmetic(scores)}"]
    for scu in told.expressed:
        times = f" (said {len(scu.words)} times)" if len(scu.words) > 1 else ""
        lines.append(f"  + [{scu.weight}] {_shown(scu.label)}{times}{_probability(scu, told)}")
        lines += (f"        {_quoted(words)}" for words in scu.words)
        lines += (f"        why: {_shown(reason)}" for reason in scu.reasons)
        lines += (f"        noted: {_shown(remark)}" for remark in scu.remarks)
    for denied in told.contradicted:
        lines.append(f"  ! [{denied.weight}] {_shown(denied.label)}{_doubt(denied)}")
        lines += (f"        {said}" for said in _denial(denied))
    lines += (f"  - [{scu.weight}] {_shown(scu.label)}{_probability(scu, told)}" for scu in told.missed)
    lines += (f"  ? {_shown(words)}" for words in told.unmatched)
    return lines


def _doubt(scu: Contradicted) -> str:
    """How probable a contradiction is, where a judge, who is not quite sure, found it."""
    return f" (contradicted, probability {scu.probability:.2f})" if scu.probability < 1 else " (contradicted)"


def _denial(scu: Contradicted) -> Iterator[str]:
    """What stands under a contradicted SCU."""
    yield f"contradicts: {_quoted(scu.words) if scu.words else 'without its words'}"
    for name, text in (("why", scu.reason), ("noted", scu.remark)):
        if text:
            yield f"{name}: {_shown(text)}"


def _probability(scu: Expressed | Missed, told: Explanation) -> str:
    if isinstance(scu, Missed) and scu.unjudged:
        return f" ({scu.unjudged})"
    return f" (probability {scu.score:.2f})" if told.judged and scu.score >= NEGLIGIBLE else ""


def _shown(text: str) -> str:
    """The text on one line, without the control characters that could drive a terminal."""
    return " ".join("".join(" " if category(char) == "Cc" else char for char in text).split())


def _quoted(words: str) -> str:
    return f"\N{LEFT DOUBLE QUOTATION MARK}{_shown(words)}\N{RIGHT DOUBLE QUOTATION MARK}"


def _hanging(first: str, text: str, width: int) -> list[str]:
    """The text after ``first``, its further lines indented to where it begins, if that leaves room."""
    indent = " " * min(len(first), width // 2)
    return textwrap.wrap(text, width, initial_indent=first, subsequent_indent=indent, break_on_hyphens=False) or [
        first.rstrip()
    ]


def _log(one: Scored, told: Explanation, width: int) -> Iterator[str]:
    scores = one.scores
    yield f"{_shown(scores.topic)} / {_shown(scores.summary)}"
    for name, value in _sums(scores, told):
        yield from _hanging(f"  {name:<14}", value, width)
    scus: dict[str, Expressed | Contradicted] = {scu.scu: scu for scu in told.expressed}
    scus |= {scu.scu: scu for scu in told.contradicted}
    for sentence in told.sentences:
        yield ""
        yield f"  Sentence {sentence.number}, segmentation {sentence.segmentation}"
        for id, units in groupby(sentence.units, key=lambda unit: unit.id):
            yield from _unit_lines(id, list(units), scus, told.name_of_score, width)
    yield from _expressed_lines(told, width)
    yield from _contradicted_lines(told, width)
    if told.missed:
        yield ""
        yield "  Missing, most important first"
        for missed in told.missed:
            yield from _hanging(f"    - [{missed.weight}] ", _shown(missed.label) + _probability(missed, told), width)
            for text in (missed.sentence, missed.comment):
                if text not in ("", missed.label):
                    yield from _hanging("          noted: ", _shown(text), width)
    if told.unmatched:
        yield ""
        yield "  In no SCU (D0)"
        for words in told.unmatched:
            yield from _hanging("    ? ", _quoted(words), width)


def _sums(scores: Scores, told: Explanation) -> Iterator[tuple[str, str]]:
    """Each score with what it was computed from (Gao et al. 2019 §4.6)."""
    if scores.raw is None:
        yield "scores", NOT_ANNOTATED
        return
    if scores.pyramids > 1:
        for name in ("raw", "coverage", "quality", "comprehensive"):
            yield name, f"{_four(getattr(scores, name))}, the mean over {scores.pyramids} pyramids"
        return
    terms = [f"{count} x {weight}" for weight, (count, _) in scores.tiers.items() if count]
    counted = f"{scores.counted:g}" + (f" = {' + '.join(terms)} (SCUs x weight)" if terms else "")
    if told.judged and scores.settings.presence == "expected":
        raw = round(scores.raw, 2)
        matched = min(raw, round(sum(scu.weight * scu.score for scu in told.expressed), 2))
        yield "raw", f"{raw:.2f} expected = {matched:.2f} matched + {raw - matched:.2f} in doubt (weight x probability)"
        yield "counted", counted
    else:
        yield "raw", counted
    capped = ", capped" if scores.settings.cap and scores.raw > scores.max_for_average else ""
    yield (
        "coverage",
        f"{_four(scores.coverage)} = {_weight(scores.raw)} / {scores.max_for_average:g}{capped} "
        f"(the best that {_counted(scores.average_scus, 'SCU')}, a reference's mean, can weigh)",
    )
    made_of = _counted(scores.scus, "SCU") + (f" + {scores.repeated:g} repeated" if scores.repeated else "")
    yield (
        "quality",
        f"{_four(scores.quality)} = {scores.counted:g} / {scores.max_for_size:g} "
        f"(the best that {_counted(scores.size, 'unit')} can weigh: {made_of} + {scores.unmatched:g} in no SCU)",
    )
    yield "comprehensive", f"{_four(scores.comprehensive)} = the {scores.settings.mean} mean of coverage and quality"


def _counted(count: float, thing: str) -> str:
    return f"{count:g} {thing}{'' if count == 1 else 's'}"


def _unit_lines(
    id: str, units: Sequence[Unit], scus: Mapping[str, Expressed | Contradicted], name_of_score: str, width: int
) -> Iterator[str]:
    yield from _hanging(f"    {id:<9} ", _quoted(units[0].words), width)
    for unit in units:
        indent = " " * max(14, len(id) + 5)
        if unit.scu is None:
            yield f"{indent}in no SCU"
        else:
            scu = scus[unit.scu]
            label = f"{_shown(scu.label)} ({'probability' if unit.contradicts else name_of_score} {unit.score:.2f})"
            sign = "contradicts" if unit.contradicts else "="
            yield from _hanging(f"{indent}{sign} [{scu.weight}] ", label, width)


def _contradicted_lines(told: Explanation, width: int) -> Iterator[str]:
    if told.contradicted:
        yield ""
        yield "  Contradicted, with the references' words"
    for scu in told.contradicted:
        yield from _hanging(f"    ! [{scu.weight}] ", f"{_shown(scu.label)}{_doubt(scu)}", width)
        for line in _denial(scu):
            yield from _hanging("          ", line, width)
        for said in scu.contributors:
            yield from _hanging(f"          {_shown(said.reference)}: ", _quoted(said.words), width)


def _expressed_lines(told: Explanation, width: int) -> Iterator[str]:
    if told.expressed:
        yield ""
        yield "  Expressed, with the references' words"
    by_sentence = {unit.scu for sentence in told.sentences for unit in sentence.units}
    for scu in told.expressed:
        times = f" (said {len(scu.words)} times)" if len(scu.words) > 1 else ""
        sure = "" if scu.scu in by_sentence else f" ({told.name_of_score} {scu.score:.2f})"
        yield from _hanging(f"    + [{scu.weight}] ", f"{_shown(scu.label)}{times}{sure}", width)
        for words in () if scu.scu in by_sentence else scu.words:
            yield from _hanging("          here: ", _quoted(words), width)
        for said in scu.contributors:
            yield from _hanging(f"          {_shown(said.reference)}: ", _quoted(said.words), width)
        for reason in scu.reasons:
            yield from _hanging("          why: ", _shown(reason), width)
        for remark in scu.remarks:
            yield from _hanging("          noted: ", _shown(remark), width)
