"""The worth of two scores of summaries together: methods and metrics of a corpus against human scores.

Scores are named as in :mod:`pyramidion.analyses.scores.corpus`. Human scores are those of a table
(:mod:`pyramidion.analyses.scores.human`) or, where there is none, the coverage that the corpus's own annotations give,
the manual pyramid score. The combination itself is in :mod:`pyramidion.stats.combination`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import nan

from pyramidion.analyses.combine.result import Combinations, Combined
from pyramidion.analyses.scores.corpus import Score, annotated, values_of
from pyramidion.analyses.scores.table import ScoreTable, matrix
from pyramidion.analyses.tune.cells import keep_scored
from pyramidion.base.choices import check_choices
from pyramidion.errors import PyramidionError
from pyramidion.formats.read import how_read
from pyramidion.methods import GIVEN, Method, versions_of
from pyramidion.model import Topic
from pyramidion.notes import note
from pyramidion.signature import Signature
from pyramidion.stats.combination import BLIND, STEPS, Combination, Scale, combination
from pyramidion.stats.correlation import Statistic
from pyramidion.stats.levels import Level


@check_choices
def combine(
    topics: Sequence[Topic],
    names: Sequence[str],
    human: ScoreTable | None = None,
    *,
    level: Level = "global",
    scale: Scale = "none",
    by: Statistic = "pearson",
    alpha: float = BLIND,
    steps: int = STEPS,
    folds: int | None = None,
    samples: int = 2_000,
    stem: bool = True,
    progress: Callable[[], object] = lambda: None,
) -> Combinations:
    """Combine the last of the named scores with each of the others.

    * ``topics`` have the peers that people scored.
    * ``names`` are methods and metrics, such as ``given+ape`` and ``rouge-su4``.
    * ``human`` are people's scores (:func:`~pyramidion.api.human_scores`); without them, the coverage that the topics'
      annotations give.
    * ``level`` is that of the correlations: ``global``, ``summary`` or ``system``. ``by`` is the statistic to choose
      by.
    * ``scale`` says how scores are made comparable before they are added.
    * ``alpha`` is the weight that is set without looking at human scores; ``steps`` is the number of steps of the
      curve.
    * ``folds`` is the number of folds of the cross-validation; the default is one for each topic or peer.
    * ``samples`` are the draws for intervals.
    * ``stem`` says whether ROUGE stems words.
    * ``progress`` is called for every summary that a score is computed for.

    >>> import pyramidion as pm
    >>> combinations = pm.combine(pm.example(), ["rouge-1", "rouge-2"], samples=100)
    >>> combinations.table().columns[0]
    'score'
    """
    check(names, human is not None, alpha, steps)
    scores = [Score.parse(name, stem=stem) for name in names]
    people = human or annotated(topics)
    human_scores = people.by_peer()
    kept = keep_scored(topics, human_scores)
    peers = tuple(sorted((topic.id, peer.id) for topic in kept for peer in topic.peers))
    values_by_score = {score: values_of(kept, score, progress) for score in scores}
    for score, values in values_by_score.items():
        if len(set(values.values())) == 1:
            note(f"{score} gives every summary {next(iter(values.values())):g}: it cannot add anything")
    *firsts, second = scores
    made = []
    for first in firsts:
        three = (values_by_score[first], values_by_score[second], human_scores)
        result = combination(
            *(matrix(values, peers) for values in three),
            level=level,
            scale=scale,
            by=by,
            alpha=alpha,
            steps=steps,
            folds=folds,
            samples=samples,
        )
        first_values, second_values, human_values = (tuple(values.get(peer, nan) for peer in peers) for values in three)
        signature = _signature([first], second, people.score, result, steps, samples, how_read(topics))
        made.append(
            Combined(signature, first, second, people.score, peers, (first_values, second_values, human_values), result)
        )
    whole = _signature(firsts, second, people.score, made[0].combination, steps, samples, how_read(topics))
    return Combinations(whole, tuple(made))


def check(names: Sequence[str], table: bool, alpha: float = BLIND, steps: int = STEPS) -> None:
    """Raise an error before long work if something cannot be combined; ``table`` says that human scores are a table."""
    scores = [Score.parse(name) for name in names]
    if len(scores) < 2:
        raise PyramidionError(f"{len(scores)} score cannot be combined", do="name two")
    twice = next((score for score in scores if scores.count(score) > 1), None)
    if twice:
        raise PyramidionError(
            f"{twice} is named twice, but a score cannot be combined with itself", do="name another score"
        )
    if not 0 <= alpha <= 1:
        raise PyramidionError(f"Alpha cannot be {alpha:g}", do="use a number from 0 to 1")
    if steps < 1:
        raise PyramidionError(f"A curve of {steps} steps has no points", do="ask for 1 step or more, e.g. 20")
    for score in scores:
        if not table and score.of == Method(GIVEN, GIVEN):
            raise PyramidionError(
                f"{score} is the human score that the others are compared with",
                do="name another score, or give a table of human scores",
            )


def _signature(
    firsts: Sequence[Score],
    second: Score,
    human: str,
    combination: Combination,
    steps: int,
    samples: int,
    read: Sequence[tuple[str, str]],
) -> Signature:
    """Return the signature of combinations of the first scores with the second."""
    stems = [score.stem for score in (*firsts, second) if isinstance(score.of, str) and score.of.startswith("rouge")]
    return Signature(
        "combine",
        (
            ("first", ",".join(map(str, firsts))),
            ("second", str(second)),
            *versions_of(score.of for score in (*firsts, second) if isinstance(score.of, Method)),
            # all scores stem, or none does
            *((("stem", "yes" if stems[0] else "no"),) if stems else ()),
            ("human", human),
            ("level", combination.level),
            ("scale", combination.scale),
            ("by", combination.by),
            ("steps", str(steps)),
            ("folds", f"{len(combination.chosen)} by {combination.units}"),
            ("samples", str(samples)),
            ("seed", "0"),
            *read,
        ),
    )
