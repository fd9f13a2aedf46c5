"""Agreement of workers, pair by pair."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import combinations
from pathlib import Path
from statistics import mean
from typing import cast, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.crowd.answers.submission import Asked, Submission
from pyramidion.crowd.judging.agreement import AgreementName, pairs
from pyramidion.crowd.judging.topic_agreement import agreement_of
from pyramidion.crowd.judging.votes import Votes
from pyramidion.errors import PyramidionError
from pyramidion.stats.agreement import krippendorff_alpha
from tests.crowd.making import judged, real_votes, votes_of


def by_name(votes: Votes, agreement: AgreementName = "positional") -> dict[str, float | None]:
    found = pairs(votes, agreement).by_worker(np.ones(len(votes.workers), dtype=bool))
    return {name: None if np.isnan(value) else float(value) for name, value in zip(votes.workers, found, strict=True)}


def test_positions_where_both_answered_alike() -> None:
    votes = votes_of(("anna", "ppnn"), ("ben", "ppnp"), ("cleo", "pnpp"))  # 3/4, 1/4, 2/4
    assert by_name(votes) == {"anna": (3 / 4 + 1 / 4) / 2, "ben": (3 / 4 + 2 / 4) / 2, "cleo": (1 / 4 + 2 / 4) / 2}
    assert pairs(votes).mean == 0.5


def test_missing_answers_are_left_out_of_a_pair_and_an_empty_pair_does_not_count() -> None:
    votes = votes_of(("anna", "pp--"), ("ben", "pn?p"), ("cleo", "--nn"))
    assert len(pairs(votes).alike) == 2  # anna and cleo have no answer in common
    assert by_name(votes) == {"anna": 0.5, "ben": (0.5 + 0) / 2, "cleo": 0}


def test_only_the_same_statements_on_the_same_summary_make_a_pair() -> None:
    votes = Votes.of([judged("anna", "pp"), judged("ben", "pp", "other"), judged("cleo", "pp", first=1)])
    assert by_name(votes) == {"anna": None, "ben": None, "cleo": None}
    assert pairs(votes).mean is None
    assert pairs(votes, "sequence").mean is None


def test_statements_are_compared_by_what_they_are_not_where_they_stand() -> None:
    one = Submission("1", "judging", "t", "s", "anna", asked=Asked(("a", "b", "c")), answers="pnn")
    other = Submission("2", "judging", "t", "s", "ben", asked=Asked(("c", "b", "a")), answers="nnp")
    assert by_name(Votes.of([one, other])) == {"anna": 1, "ben": 1}


def test_the_published_ratio_finds_agreement_where_there_is_none() -> None:
    votes = votes_of(("anna", "pnpnpn"), ("ben", "npnpnp"))
    assert by_name(votes) == {"anna": 0, "ben": 0}
    assert by_name(votes, "sequence") == {"anna": 0.833, "ben": 0.833}  # 10 / 12, rounded as in the code


def test_the_published_ratio_can_also_hide_agreement() -> None:
    votes = votes_of(("anna", "ppnpn"), ("ben", "ppppn"))
    assert (by_name(votes)["anna"], by_name(votes, "sequence")["anna"]) == (0.8, 0.6)


letters = st.text("pn", min_size=6, max_size=6)


@given(st.lists(letters, min_size=2, max_size=5))
def test_against_the_plain_way(answers: list[str]) -> None:
    votes = votes_of(*((f"w{number}", given) for number, given in enumerate(answers)))
    for agreement in get_args(AgreementName):
        plain: dict[int, list[float]] = {number: [] for number in range(len(answers))}
        for i, j in combinations(range(len(answers)), 2):
            same = [a == b for a, b in zip(answers[i], answers[j], strict=True)]
            earlier, later = sorted((answers[i], answers[j]))
            ratio = SequenceMatcher(None, earlier, later).ratio()
            for number in (i, j):
                plain[number].append(mean(same) if agreement == "positional" else ratio)
        places = 12 if agreement == "positional" else 3
        expected = [pytest.approx(mean(plain[number]), abs=0.6 * 10**-places) for number in plain]
        assert list(by_name(votes, agreement).values()) == expected


def test_an_unknown_agreement_is_said() -> None:
    with pytest.raises(PyramidionError, match="choose one of: positional, sequence"):
        pairs(votes_of(("anna", "p")), cast(AgreementName, "kappa"))


def ratings(votes: Votes) -> list[list[float | None]]:
    """Votes as coders x items; coders are interchangeable."""
    most = int(votes.counts.sum(axis=1).max())
    columns = [[0.0] * no + [1.0] * yes + [None] * (most - no - yes) for no, yes in votes.counts.tolist()]
    return [list(row) for row in zip(*columns, strict=True)]


@pytest.mark.data
def test_realsumm(data: Path) -> None:
    """Agreement .863 is the mean over pairs of assignments; over pairs of votes it is .864. Alpha is .720."""
    votes = real_votes(data / "realsumm" / "votes")
    assert pairs(votes).mean == pytest.approx(0.86301, abs=1e-5)
    whole = agreement_of(votes)
    assert whole.agreement == pytest.approx(0.86389, abs=1e-5)
    assert whole.alpha == krippendorff_alpha(ratings(votes)).value == pytest.approx(0.71955, abs=1e-5)
    assert pairs(votes, "sequence").mean == pytest.approx(0.86473, abs=1e-5)


@pytest.mark.data
def test_qapyramid(data: Path) -> None:
    """Alpha is .648 as Krippendorff defines it, .651 if lone votes, mostly of one "AUTHOR", count as chance."""
    votes = real_votes(data / "qapyramid")
    found = krippendorff_alpha(ratings(votes))
    assert agreement_of(votes).alpha == found.value == pytest.approx(0.64841, abs=1e-5)
    assert found.left_out == 217
    counts = votes.counts.astype(float)
    total = counts.sum(axis=1)
    paired = total > 1
    apart = (counts[paired].prod(axis=1) / (total[paired] - 1)).sum()
    no, yes = counts.sum(axis=0)
    assert 1 - (no + yes - 1) * apart / (no * yes) == pytest.approx(0.65136, abs=1e-5)
    by_worker = by_name(votes)
    assert len(by_worker) == 16
    assert by_worker.pop("AUTHOR") is None
    assert min(value for value in by_worker.values() if value is not None) == pytest.approx(0.75696, abs=1e-5)
