"""A study of stability as a picture: Figure 2 of Nenkova et al. 2007, and the curves of its Tables I and II.

Left, one topic: for a few summaries the range of scores over all pyramids of each size, the quartiles darker, the mean
as a line; a dotted line marks the point of divergence of the best and the worst of them. Middle: the probabilities of
error. Right: the mean Spearman correlation with the whole pyramid's ranking. The same study gives the same bytes (of
one matplotlib version).
"""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill
from typing import TYPE_CHECKING

from pyramidion.base.choices import check_choices
from pyramidion.base.pictures import PictureFormat, picture
from pyramidion.errors import PyramidionError
from pyramidion.stats.stability import APART, Stability

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pyramidion.analyses.stability.result import StabilityStudy, TopicStability


def chosen_topic(topics: Sequence[TopicStability], topic: str = "") -> TopicStability:
    """Return the topic of this id; the default is the first."""
    for candidate in topics:
        if topic in ("", candidate.topic):
            return candidate
    raise PyramidionError(
        f"There is no topic {topic!r} to draw",
        do=f"choose from the topics: {', '.join(topic.topic for topic in topics[:10])}",
    )


def chosen_summaries(stability: Stability, names: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the summaries to draw, best first: those named, or a pair as in Figure 2.

    That is, of the pairs clearly apart (by more than .1, else of all), the one that diverges last; of several, the one
    with the smallest difference.
    """
    for name in names:
        if name not in stability.summaries:
            raise PyramidionError(
                f"There is no summary {name!r} to draw",
                do=f"choose from the summaries: {', '.join(stability.summaries[:10])}",
            )
    scores = dict(zip(stability.summaries, stability.scores, strict=True))
    ranked = sorted(scores, key=lambda name: (-scores[name], name))
    if names:
        return tuple(name for name in ranked if name in names)
    pairs = [pair for pair in stability.pairs if pair.difference > APART] or stability.pairs
    if not pairs:
        return tuple(ranked[:2])
    hardest = min(pairs, key=lambda pair: (-pair.divergence, pair.difference, pair.better, pair.worse))
    return hardest.better, hardest.worse


@check_choices
def draw_stability(study: StabilityStudy, format: PictureFormat = "svg") -> bytes:
    """Draw the three panels, and return the picture as a file's content."""
    topic = chosen_topic(study.topics, study.drawn_topic)
    shown = chosen_summaries(topic.stability, study.drawn_summaries)
    with picture(format, (13, 4.5), str(study.signature)) as (figure, out):
        left, middle, right = figure.subplots(1, 3, width_ratios=(1.4, 1, 1))
        _ranges(left, study, topic, shown)
        _errors(middle, study)
        _rankings(right, study)
    return out.getvalue()


def _ranges(axes: Axes, study: StabilityStudy, topic: TopicStability, shown: Sequence[str]) -> None:
    """Draw the range, the quartiles and the mean of each summary's scores by number of references."""
    stability = topic.stability
    for number, name in enumerate(shown):
        spreads = stability.spreads[stability.summaries.index(name)]
        sizes = [spread.size for spread in spreads]
        lowest, highest = [spread.minimum for spread in spreads], [spread.maximum for spread in spreads]
        colour = f"C{number % 10}"
        axes.fill_between(sizes, lowest, highest, color=colour, alpha=0.15, linewidth=0)
        axes.fill_between(
            sizes,
            [spread.lower for spread in spreads],
            [spread.upper for spread in spreads],
            color=colour,
            alpha=0.2,
            linewidth=0,
        )
        axes.plot(sizes, highest, color=colour, marker="x", markersize=5, linewidth=0.5)
        axes.plot(sizes, [spread.mean for spread in spreads], color=colour, marker="s", markersize=4, label=name)
        axes.plot(sizes, lowest, color=colour, marker="^", markersize=5, linewidth=0.5)
    ends = (shown[0], shown[-1])
    point = next((pair.divergence for pair in stability.pairs if (pair.better, pair.worse) == ends), None)
    if point is not None:
        axes.axvline(point, color="0.4", linestyle=":", label=f"{ends[0]} and {ends[1]} diverge")
    pyramids = {spread.size: spread.pyramids for spread in stability.spreads[stability.summaries.index(shown[0])]}
    axes.set_xticks(list(pyramids), [f"{size}\n[{count}]" for size, count in pyramids.items()])
    axes.set_xlabel("references [pyramids]")
    axes.set_ylabel(study.quantity)
    axes.set_title(fill(f"{topic.topic}: lowest, mean and highest score", 50), fontsize=10)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)


def _errors(axes: Axes, study: StabilityStudy) -> None:
    """Draw the probability of each kind of error by number of references."""
    kinds = (
        ("total", "0.1", "o", [row.p for row in study.errors]),
        ("E1: difference made up", "C0", "v", [row.p1 for row in study.errors]),
        ("E2: difference lost", "C1", "^", [row.p2 for row in study.errors]),
        ("E3: order reversed", "C3", "x", [row.p3 for row in study.errors]),
    )
    for label, colour, marker, values in kinds:
        known = [(row.size, value) for row, value in zip(study.errors, values, strict=True) if value is not None]
        axes.plot([size for size, _ in known], [value for _, value in known], marker=marker, color=colour, label=label)
    axes.axhline(study.need.error, color="0.4", linestyle=":")
    axes.set_xticks([row.size for row in study.errors])
    axes.set_ylim(bottom=0)
    axes.set_xlabel("references")
    axes.set_title(f"probability of error, threshold {study.threshold:g}", fontsize=10)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)


def _rankings(axes: Axes, study: StabilityStudy) -> None:
    known = [(row.size, row.mean) for row in study.rankings if row.mean is not None]
    axes.plot([size for size, _ in known], [mean for _, mean in known], marker="o", color="0.1")
    axes.axhline(study.need.ranking, color="0.4", linestyle=":")
    axes.set_xticks([row.size for row in study.rankings])
    axes.set_ylim(top=1.02)
    axes.set_xlabel("references")
    axes.set_title("rankings: mean Spearman", fontsize=10)
    axes.grid(alpha=0.3)
