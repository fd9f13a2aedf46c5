"""The explanation of a score as text, for a terminal: what ``evaluate`` and ``score`` print when asked to explain."""

from __future__ import annotations

import shutil
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING
from unicodedata import category

from pyramidion.explanation import NEGLIGIBLE, Contradicted, Explanation, Expressed, Missed, Unit, explain
from pyramidion.scoring import Scores

if TYPE_CHECKING:
    from pyramidion.evaluation.scored import Scored

NOT_ANNOTATED = "nothing is marked, so that nobody annotated it: no scores"


def _arithmetic(scores: Scores) -> str:
    """Show the two main scores with their ratios; a mean of ratios has no ratio."""
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


def explanation_lines(scored: Scored, width: int | None = None) -> list[str]:
    """The explanation of one score, for reading.

    For annotations by people, each line shows what is expressed (+), contradicted (!), missed (-) or in no SCU (?). For
    an automatic method that names its segments, it is the whole trace from sentences to scores (PyrEval's log, Gao et
    al. 2019 §5), wrapped to ``width`` columns or to the terminal.
    """
    explanation = explain(scored.pyramid, scored.annotation, scored.scores.settings)
    if not explanation.sentences:
        return _compact_lines(scored.scores, explanation)
    columns = shutil.get_terminal_size((100, 24)).columns if width is None else width
    return list(_log(scored, explanation, max(40, min(columns, 120))))


def _compact_lines(scores: Scores, explanation: Explanation) -> list[str]:
    """Return a line for each SCU, and lines for its words and reasons below it."""
    lines = [f"{_one_line(scores.topic)} / {_one_line(scores.summary)}: {_arithmetic(scores)}"]
    for scu in explanation.expressed:
        times = f" (said {len(scu.words)} times)" if len(scu.words) > 1 else ""
        lines.append(f"  + [{scu.weight}] {_one_line(scu.label)}{times}{_probability(scu, explanation)}")
        lines += (f"        {_in_quotes(words)}" for words in scu.words)
        lines += (f"        why: {_one_line(reason)}" for reason in scu.reasons)
        lines += (f"        noted: {_one_line(remark)}" for remark in scu.remarks)
    for denied in explanation.contradicted:
        lines.append(f"  ! [{denied.weight}] {_one_line(denied.label)}{_doubt(denied)}")
        lines += (f"        {line}" for line in _denial(denied))
    lines += (
        f"  - [{scu.weight}] {_one_line(scu.label)}{_probability(scu, explanation)}" for scu in explanation.missed
    )
    lines += (f"  ? {_one_line(words)}" for words in explanation.unmatched)
    return lines


def _doubt(scu: Contradicted) -> str:
    """Show the probability of a contradiction that a judge found but is not sure of."""
    return f" (contradicted, probability {scu.probability:.2f})" if scu.probability < 1 else " (contradicted)"


def _denial(scu: Contradicted) -> Iterator[str]:
    """Yield the lines below a contradicted SCU."""
    yield f"contradicts: {_in_quotes(scu.words) if scu.words else 'without its words'}"
    for name, text in (("why", scu.reason), ("noted", scu.remark)):
        if text:
            yield f"{name}: {_one_line(text)}"


def _probability(scu: Expressed | Missed, explanation: Explanation) -> str:
    if isinstance(scu, Missed) and scu.unjudged:
        return f" ({scu.unjudged})"
    return f" (probability {scu.score:.2f})" if explanation.judged and scu.score >= NEGLIGIBLE else ""


def _one_line(text: str) -> str:
    """Put the text on one line, without the control characters that could drive a terminal."""
    # texts come from files of others: an escape sequence could recolour, move or retitle the terminal
    return " ".join("".join(" " if category(char) == "Cc" else char for char in text).split())


def _in_quotes(words: str) -> str:
    return f"\N{LEFT DOUBLE QUOTATION MARK}{_one_line(words)}\N{RIGHT DOUBLE QUOTATION MARK}"


def _hanging(first: str, text: str, width: int) -> list[str]:
    """Wrap the text after ``first``; further lines are indented to where it begins, if there is room."""
    indent = " " * min(len(first), width // 2)
    return textwrap.wrap(text, width, initial_indent=first, subsequent_indent=indent, break_on_hyphens=False) or [
        first.rstrip()
    ]


def _log(scored: Scored, explanation: Explanation, width: int) -> Iterator[str]:
    """Yield the whole trace: the scores' arithmetic, each sentence's units, and the SCUs by verdict."""
    scores = scored.scores
    yield f"{_one_line(scores.topic)} / {_one_line(scores.summary)}"
    for name, value in _sums(scores, explanation):
        yield from _hanging(f"  {name:<14}", value, width)
    scus: dict[str, Expressed | Contradicted] = {scu.scu: scu for scu in explanation.expressed}
    scus |= {scu.scu: scu for scu in explanation.contradicted}
    for sentence in explanation.sentences:
        yield ""
        yield f"  Sentence {sentence.number}, segmentation {sentence.segmentation}"
        for id, units in groupby(sentence.units, key=lambda unit: unit.id):
            yield from _unit_lines(id, list(units), scus, explanation.name_of_score, width)
    yield from _expressed_lines(explanation, width)
    yield from _contradicted_lines(explanation, width)
    if explanation.missed:
        yield ""
        yield "  Missing, most important first"
        for missed in explanation.missed:
            yield from _hanging(
                f"    - [{missed.weight}] ", _one_line(missed.label) + _probability(missed, explanation), width
            )
            for text in (missed.sentence, missed.comment):
                if text not in ("", missed.label):
                    yield from _hanging("          noted: ", _one_line(text), width)
    if explanation.unmatched:
        yield ""
        yield "  In no SCU (D0)"
        for words in explanation.unmatched:
            yield from _hanging("    ? ", _in_quotes(words), width)


def _sums(scores: Scores, explanation: Explanation) -> Iterator[tuple[str, str]]:
    """Show each score with the numbers it was computed from (Gao et al. 2019 §4.6)."""
    if scores.raw is None:
        yield "scores", NOT_ANNOTATED
        return
    if scores.pyramids > 1:
        for name in ("raw", "coverage", "quality", "comprehensive"):
            yield name, f"{_four(getattr(scores, name))}, the mean over {scores.pyramids} pyramids"
        return
    terms = [f"{count} x {weight}" for weight, (count, _) in scores.tiers.items() if count]
    counted = f"{scores.counted:g}" + (f" = {' + '.join(terms)} (SCUs x weight)" if terms else "")
    if explanation.judged and scores.settings.presence == "expected":
        raw = round(scores.raw, 2)
        matched = min(raw, round(sum(scu.weight * scu.score for scu in explanation.expressed), 2))
        yield "raw", f"{raw:.2f} expected = {matched:.2f} matched + {raw - matched:.2f} in doubt (weight x probability)"
        yield "counted", counted
    else:
        yield "raw", counted
    capped = ", capped" if scores.settings.cap and scores.raw > scores.max_for_average else ""
    yield (
        "coverage",
        f"{_four(scores.coverage)} = {_weight(scores.raw)} / {scores.max_for_average:g}{capped} "
        f"(the best that {_count_of(scores.average_scus, 'SCU')}, a reference's mean, can weigh)",
    )
    made_of = _count_of(scores.scus, "SCU") + (f" + {scores.repeated:g} repeated" if scores.repeated else "")
    yield (
        "quality",
        f"{_four(scores.quality)} = {scores.counted:g} / {scores.max_for_size:g} "
        f"(the best that {_count_of(scores.size, 'unit')} can weigh: {made_of} + {scores.unmatched:g} in no SCU)",
    )
    yield "comprehensive", f"{_four(scores.comprehensive)} = the {scores.settings.mean} mean of coverage and quality"


def _count_of(count: float, thing: str) -> str:
    return f"{count:g} {thing}{'' if count == 1 else 's'}"


def _unit_lines(
    id: str, units: Sequence[Unit], scus: Mapping[str, Expressed | Contradicted], name_of_score: str, width: int
) -> Iterator[str]:
    """Yield the words of a unit, and a line for each SCU that it expresses or contradicts."""
    yield from _hanging(f"    {id:<9} ", _in_quotes(units[0].words), width)
    for unit in units:
        indent = " " * max(14, len(id) + 5)
        if unit.scu is None:
            yield f"{indent}in no SCU"
        else:
            scu = scus[unit.scu]
            label = f"{_one_line(scu.label)} ({'probability' if unit.contradicts else name_of_score} {unit.score:.2f})"
            sign = "contradicts" if unit.contradicts else "="
            yield from _hanging(f"{indent}{sign} [{scu.weight}] ", label, width)


def _contradicted_lines(explanation: Explanation, width: int) -> Iterator[str]:
    if explanation.contradicted:
        yield ""
        yield "  Contradicted, with the references' words"
    for scu in explanation.contradicted:
        yield from _hanging(f"    ! [{scu.weight}] ", f"{_one_line(scu.label)}{_doubt(scu)}", width)
        for line in _denial(scu):
            yield from _hanging("          ", line, width)
        for contribution in scu.contributors:
            yield from _hanging(
                f"          {_one_line(contribution.reference)}: ", _in_quotes(contribution.words), width
            )


def _expressed_lines(explanation: Explanation, width: int) -> Iterator[str]:
    """Yield the expressed SCUs with the references' words; the trace has the summary's words by sentence already."""
    if explanation.expressed:
        yield ""
        yield "  Expressed, with the references' words"
    by_sentence = {unit.scu for sentence in explanation.sentences for unit in sentence.units}
    for scu in explanation.expressed:
        times = f" (said {len(scu.words)} times)" if len(scu.words) > 1 else ""
        sure = "" if scu.scu in by_sentence else f" ({explanation.name_of_score} {scu.score:.2f})"
        yield from _hanging(f"    + [{scu.weight}] ", f"{_one_line(scu.label)}{times}{sure}", width)
        for words in () if scu.scu in by_sentence else scu.words:
            yield from _hanging("          here: ", _in_quotes(words), width)
        for contribution in scu.contributors:
            yield from _hanging(
                f"          {_one_line(contribution.reference)}: ", _in_quotes(contribution.words), width
            )
        for reason in scu.reasons:
            yield from _hanging("          why: ", _one_line(reason), width)
        for remark in scu.remarks:
            yield from _hanging("          noted: ", _one_line(remark), width)
