"""The worth of combinations of two scores, as tables (Table 1 of Steinberger et al. 2017), JSON and a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import isnan
from typing import Any

from pyramidion.analyses.plots.combine import draw_curves
from pyramidion.analyses.scores.corpus import Score
from pyramidion.analyses.scores.table import Key
from pyramidion.base.choices import check_choices
from pyramidion.base.pictures import PictureFormat
from pyramidion.base.tables import Cell, Table
from pyramidion.result import Result
from pyramidion.signature import Signature
from pyramidion.stats.bootstrap import few_note
from pyramidion.stats.combination import STATISTICS, Combination, Estimates, Way

LETTERS = {"pearson": "r", "spearman": "rho", "kendall": "tau"}
"""The symbols of the statistics in tables."""

_COMBINED: tuple[Way, ...] = ("blind", "best", "held out")
_FEW = 10
_WAYS = """\
blind: an alpha that nobody chose; best: chosen on these very summaries, which flatters; held out: chosen on others."""


@dataclass(frozen=True, slots=True)
class Combined:
    """Two scores of a corpus's summaries, the human scores, and the correlations of their combinations."""

    signature: Signature
    first: Score
    second: Score
    human: str
    """The source of the human scores."""
    peers: tuple[Key, ...]
    """The topics and peers, sorted."""
    values: tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]
    """The first, the second and the human score of each peer; NaN if a method gives none."""
    combination: Combination

    @property
    def name(self) -> str:
        """The two scores' names."""
        return f"{self.first} + {self.second}"

    def to_json(self) -> dict[str, Any]:
        """Return the whole result as a dictionary for JSON."""
        record = asdict(self.combination)
        record["folds_of"] = record.pop("units")
        return {
            **record,
            "signature": str(self.signature),
            "first": str(self.first),
            "second": str(self.second),
            "human": self.human,
            "chosen_alpha": self.combination.chosen_alpha,
            "worth": {way.replace(" ", "_"): estimates for way, estimates in record["worth"].items()},
            "gains": [
                {"of": way.replace(" ", "_"), "over": over, **estimates}
                for (way, over), estimates in record["gains"].items()
            ],
            "scores": [
                {
                    "topic": topic,
                    "peer": peer,
                    "first": _none_for_nan(first),
                    "second": _none_for_nan(second),
                    "human": _none_for_nan(human),
                }
                for (topic, peer), first, second, human in zip(self.peers, *self.values, strict=True)
            ],
        }


@dataclass(frozen=True, slots=True)
class Combinations(Result):
    """The combinations of each score with the last one."""

    signature: Signature
    combinations: tuple[Combined, ...]

    def tables(self, *, whole: bool = False) -> dict[str, Table]:
        """Return the correlations of scores and combinations, the gains over each score, and the curves along alpha."""
        combinations = self.combinations
        return {
            "worth": _worth_table(combinations),
            "gains": _gains_table(combinations),
            "curve": _curve_table(combinations),
        }

    @property
    def shown(self) -> tuple[str, ...]:
        """Name all tables but the curves."""
        return ("worth", "gains")

    @check_choices
    def draw(self, format: PictureFormat = "svg", /) -> bytes:
        """Draw the curves along alpha: Figure 2 of Steinberger et al. 2017."""
        return draw_curves(self.combinations, format)

    def to_json(self) -> dict[str, Any]:
        """Return the whole result as a dictionary for JSON."""
        return {"combinations": [combined.to_json() for combined in self.combinations]}


def _worth_table(combinations: Sequence[Combined]) -> Table:
    """List each score alone, then each pair combined: blind, at its best, and with an alpha chosen on other topics."""
    rows: list[tuple[Cell, ...]] = [
        (score, "alone", None, *_cells(estimates)) for score, estimates in _alone(combinations).items()
    ]
    for combined in combinations:
        made = combined.combination
        alphas = {"blind": made.blind_alpha, "best": made.best_alpha, "held out": made.chosen_alpha}
        rows += ((combined.name, way, alphas[way], *_cells(made.worth[way])) for way in _COMBINED)
    combination = combinations[0].combination
    title = f"Correlation with human scores of {combination.summaries} summaries, {_level(combination)}"
    return Table(
        ("score", "how", "alpha", *_headings()),
        tuple(rows),
        title,
        "\n".join([_WAYS, *map(_choice, combinations), *_few(combinations)]),
        ("score", "how", "alpha", *_keys()),
        _signatures(combinations),
    )


def _alone(combinations: Sequence[Combined]) -> dict[str, Estimates]:
    alone = {str(combined.first): combined.combination.worth["first"] for combined in combinations}
    # the second score is the same in all combinations
    return {**alone, str(combinations[0].second): combinations[0].combination.worth["second"]}


def _level(combination: Combination) -> str:
    if combination.units == "peer":
        return "all of one topic; intervals over peers"
    over = {"global": "all together", "summary": "within topics, mean", "system": "systems' means"}[combination.level]
    return f"{over}; intervals over topics"


def _choice(combined: Combined) -> str:
    """Say in a sentence what the folds chose."""
    known = [alpha for alpha in combined.combination.chosen if alpha is not None]
    folds = f"{len(combined.combination.chosen)} folds of {combined.combination.units}s"
    if not known:
        return f"{combined.name}: no alpha could be chosen in {folds}."
    span = f"{min(known):g}" if min(known) == max(known) else f"{min(known):g} to {max(known):g} (shown: the median)"
    return f"{combined.name}: {folds} chose alpha by {LETTERS[combined.combination.by]}: {span}."


def _few(combinations: Sequence[Combined]) -> list[str]:
    """Return a note about intervals that are drawn from few topics or peers."""
    topics = len({topic for topic, _ in combinations[0].peers})
    drawn = topics if combinations[0].combination.units == "topic" else combinations[0].combination.summaries
    narrow = f"Intervals over {drawn} {combinations[0].combination.units}s are too narrow to be believed."
    return [few_note(drawn, f"{combinations[0].combination.units}s") or narrow] if drawn < _FEW else []


def _gains_table(combinations: Sequence[Combined]) -> Table:
    """Show how much combining adds to each score, with intervals of the difference."""
    rows: list[tuple[Cell, ...]] = []
    for combined in combinations:
        names = {"first": str(combined.first), "second": str(combined.second)}
        for (way, over), estimates in combined.combination.gains.items():
            rows.append((combined.name, way, names[over], *_cells(estimates)))
    return Table(
        ("score", "how", "less that of", *_headings()),
        tuple(rows),
        "Gain from combining: differences of correlation, with paired draws",
        keys=("score", "how", "less", *_keys()),
        signature=_signatures(combinations),
    )


def _curve_table(combinations: Sequence[Combined]) -> Table:
    """List the correlations along alpha (Figure 2)."""
    rows = tuple(
        (combined.name, alpha, *(combined.combination.curve[name][place] for name in STATISTICS))
        for combined in combinations
        for place, alpha in enumerate(combined.combination.alphas)
    )
    title = "Correlation of alpha * first + (1 - alpha) * second with human scores"
    columns, keys = ("score", "alpha", *LETTERS.values()), ("score", "alpha", *STATISTICS)
    return Table(columns, rows, title, keys=keys, signature=_signatures(combinations))


def _signatures(combinations: Sequence[Combined]) -> str:
    return "\n".join(str(combined.signature) for combined in combinations)


def _headings() -> list[str]:
    return [heading for name in STATISTICS for heading in (LETTERS[name], "from", "to")]


def _keys() -> list[str]:
    return [f"{name}{end}" for name in STATISTICS for end in ("", "_low", "_high")]


def _cells(estimates: Estimates) -> list[Cell]:
    return [cell for name in STATISTICS for cell in (estimates[name].value, *(estimates[name].interval or (None,) * 2))]


def _none_for_nan(value: float) -> float | None:
    return None if isnan(value) else value
