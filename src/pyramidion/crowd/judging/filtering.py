"""Leave out workers who disagree with the others (Shapira et al. 2019 §3).

A worker whose agreement (:mod:`~pyramidion.crowd.judging.agreement`) is below the threshold, .5, is dropped with all of
their votes. Agreement is then computed again among the workers who are left, because those who were paired with a
careless worker looked worse than they are. This repeats until nobody is below the threshold: a fixed point. The paper
does not say how often; the published code does it once (``rounds=1``). With more rounds, the code starts from all
workers each time, so that workers who were dropped in the first round come back in the second; that is an oversight and
not reproduced.

Workers without a name are never dropped: nobody knows what else they answered. Nor are workers who are in no pair:
nothing is known against them. The filter does not ask whether an agreement above .5 is chance: where 90 per cent of the
statements are not present, a worker who always says so agrees with the others.
:mod:`~pyramidion.crowd.judging.dawid_skene` has a model that notices.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pyramidion.base.choices import check_choices
from pyramidion.crowd.judging.agreement import pairs
from pyramidion.crowd.judging.screening import AgreementName, Screening
from pyramidion.crowd.judging.votes import MISSING, PRESENT, Votes
from pyramidion.errors import PyramidionError


@dataclass(frozen=True)
class Filtered:
    """The votes of the workers who are left, and who was dropped."""

    votes: Votes
    dropped: Mapping[str, int]
    """The dropped workers, and the round in which each was dropped, from 1."""
    rounds: int
    """The number of rounds in which somebody was dropped."""
    agreement: Mapping[str, float | None]
    """By named worker: the agreement with the others in the round in which they were dropped or, for those who are
    left, among those who are left. None for workers in no pair."""
    pairwise: float | None
    """The mean agreement of pairs of assignments among those who are left; None without a pair."""


@check_choices
def filter_workers(
    votes: Votes,
    *,
    threshold: float = 0.5,
    agreement: AgreementName = "positional",
    rounds: int | None = None,
    all_may_go: bool = False,
) -> Filtered:
    """Drop named workers whose agreement is below the threshold, until nobody is left to drop or the rounds are over.

    It is an error if nobody is left, unless ``all_may_go``.
    """
    if not 0 <= threshold <= 1:
        raise PyramidionError(f"The threshold is {threshold}", do="give a share between 0 and 1")
    if rounds is not None and rounds < 0:
        raise PyramidionError(
            f"The number of rounds is {rounds}", do="give a number that is not negative, or none for all it takes"
        )
    compared = pairs(votes, agreement)
    left: NDArray[np.bool_] = np.ones(len(votes.workers), dtype=bool)
    dropped: dict[str, int] = {}
    known: NDArray[np.float64] = np.full(len(left), np.nan)
    done = 0
    while True:
        agreements = compared.by_worker(left)
        known[left] = agreements[left]
        low = left & votes.named & (agreements < threshold)  # NaN, in no pair, is not below
        if not low.any() or done == rounds:
            break
        done += 1
        dropped.update((votes.workers[worker], done) for worker in np.flatnonzero(low))
        # all at once: who goes first must not depend on the order of names
        left &= ~low
    if not left.any() and not all_may_go:
        raise PyramidionError(
            f"None of {len(left)} workers is left: all agree with the others on less than {threshold:g}",
            do="lower the threshold, look at them with 'pyramidion crowd workers', or collect more judgements",
        )
    kept = votes.without(np.flatnonzero(~left).tolist()) if dropped else votes
    by_name = {
        name: None if np.isnan(value) else float(value)
        for name, value, named in zip(votes.workers, known, votes.named, strict=True)
        if named
    }
    return Filtered(kept, dropped, done, by_name, compared.mean_among(left))


def blanks_present(votes: Votes) -> Votes:
    """Count answers left blank as votes for present, as the published code does; "cannot tell" stays missing."""
    answer = votes.answer.copy()
    for vote in np.flatnonzero(answer == MISSING):
        submission = votes.assignments[votes.assignment[vote]]
        place = submission.asked.ids.index(votes.items[votes.item[vote]].statement)
        if submission.answers[place] == "-":
            answer[vote] = PRESENT
    return replace(votes, answer=answer)


@dataclass(frozen=True)
class Screened:
    """The votes that count, and the screening that chose them."""

    votes: Votes
    everybody: Votes
    """The votes before anybody was left out."""
    filtered: Filtered | None
    """The result of the filter; None without a filter."""
    parameters: tuple[tuple[str, str], ...]
    """The screening, for a signature."""


def screen(votes: Votes, screening: Screening, *, simulated: bool = False) -> Screened:
    """Return the votes that a screening leaves; ``simulated`` marks the signature of what a rehearsal made up."""
    everybody = blanks_present(votes) if screening.blank == "present" else votes
    parameters = [("blank", screening.blank), *([("answers", "simulated")] if simulated else [])]
    if screening.threshold is None:
        return Screened(everybody, everybody, None, (*parameters, ("filter", "none")))
    filtered = filter_workers(
        everybody, threshold=screening.threshold, agreement=screening.agreement, rounds=screening.rounds
    )
    parameters += [("filter", f"{screening.threshold:g}"), ("agreement", screening.agreement)]
    parameters += [] if screening.rounds is None else [("rounds", str(screening.rounds))]
    return Screened(filtered.votes, everybody, filtered, tuple(parameters))
