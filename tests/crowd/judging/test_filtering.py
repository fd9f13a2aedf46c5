"""Leaving out workers who disagree."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.crowd.judging.agreement import AgreementName
from pyramidion.crowd.judging.dawid_skene import dawid_skene
from pyramidion.crowd.judging.filtering import blanks_present, filter_workers
from pyramidion.crowd.judging.votes import Votes
from pyramidion.errors import PyramidionError
from tests.crowd.making import judged, real_votes, shuffled, simulated, votes_of

NAMES: st.SearchStrategy[AgreementName] = st.sampled_from(["positional", "sequence"])


def test_a_planted_careless_worker_is_found_and_removed() -> None:
    crowd = simulated(3, 0.0, workers=10)
    careless = [
        judged("zoe", "".join("np"[(number * 7 + place * 3) % 5 > 1] for place in range(10)), f"s{number:03}")
        for number in range(20)
    ]
    found = filter_workers(Votes.of([*crowd.votes.assignments, *careless]))
    assert found.dropped == {"zoe": 1}
    zoe = found.agreement["zoe"]
    assert zoe is not None
    assert zoe < 0.5
    kept = set(found.votes.voter.tolist())
    assert {found.votes.workers[worker] for worker in kept} == {f"w{number:02}" for number in range(10)}


def test_nobody_is_removed_from_a_perfect_crowd() -> None:
    votes = votes_of(*((name, "ppnpnn") for name in ("anna", "ben", "cleo")))
    found = filter_workers(votes, threshold=1.0)
    assert found.dropped == {}
    assert found.rounds == 0
    assert found.votes is votes
    assert set(found.agreement.values()) == {1.0}


def test_a_second_round_drops_who_leaned_on_the_first() -> None:
    """What speaks for ben is dan; when dan has gone, nothing does."""
    rows = [
        judged("anna", "pppp", "1"),
        judged("ben", "pnnn", "1"),
        judged("ben", "pppp", "2"),
        judged("dan", "pppp", "2"),
        judged("cleo", "nnnn", "3"),
        judged("dan", "pppp", "3"),
        judged("anna", "nnnn", "4"),
        judged("cleo", "nnnn", "4"),
        judged("dan", "pppp", "5"),
        judged("eve", "nnnn", "5"),
        judged("eve", "pppp", "6"),
        judged("anna", "pppp", "6"),
    ]
    votes = Votes.of(rows)
    found = filter_workers(votes)
    # dan: 1, 0, 0 -> .33; ben: 1/4, 1 -> .625, without dan .25; anna: 1/4, 1, 1 -> .75, at last 1
    assert found.dropped == {"dan": 1, "ben": 2}
    assert found.rounds == 2
    assert found.agreement == {"anna": 1.0, "ben": 0.25, "cleo": 1.0, "dan": pytest.approx(1 / 3), "eve": 1.0}
    once = filter_workers(votes, rounds=1)
    assert once.dropped == {"dan": 1}
    assert once.agreement["ben"] == 0.25  # among those who are left


def test_the_threshold_itself_is_not_below() -> None:
    assert filter_workers(votes_of(("anna", "pn"), ("ben", "pp"))).dropped == {}


def test_a_lone_worker_has_no_agreement_and_stays() -> None:
    found = filter_workers(Votes.of([judged("anna", "pp"), judged("ben", "pp"), judged("cleo", "nn", "other")]))
    assert found.agreement == {"anna": 1.0, "ben": 1.0, "cleo": None}
    assert found.dropped == {}


def test_workers_without_a_name_are_never_dropped() -> None:
    votes = Votes.of([judged("", "pppp", id="1"), judged("", "pppn", id="2"), judged("", "nnnn", id="3")])
    found = filter_workers(votes)
    assert found.dropped == {}
    assert found.agreement == {}
    hashed = Votes.of([judged("#1", "pppp"), *(judged(name, "nnnn") for name in ("anna", "ben"))])
    assert filter_workers(hashed).dropped == {"#1": 1}  # a name, though an odd one


def test_nobody_left_says_what_to_do() -> None:
    votes = votes_of(("anna", "pp"), ("ben", "nn"))
    with pytest.raises(PyramidionError, match=r"None of 2 workers is left.*lower the threshold"):
        filter_workers(votes)
    gone = filter_workers(votes, all_may_go=True)
    assert gone.dropped == {"anna": 1, "ben": 1}
    assert gone.votes.counts.sum() == 0
    assert gone.pairwise is None


@pytest.mark.parametrize("bad", [{"threshold": 1.5}, {"threshold": float("nan")}, {"rounds": -1}])
def test_bad_settings_are_said(bad: dict[str, float]) -> None:
    with pytest.raises(PyramidionError, match="give a"):
        filter_workers(votes_of(("anna", "p")), **bad)  # type: ignore[arg-type]


def test_blanks_count_as_present_only_if_asked_for() -> None:
    votes = votes_of(("anna", "p-?n"), ("ben", "pnnn"))
    assert votes.counts[:, 1].tolist() == [2, 0, 0, 0]
    as_published = blanks_present(votes)
    assert as_published.counts[:, 1].tolist() == [2, 1, 0, 0]  # "cannot tell" is an answer: it stays missing
    assert as_published.counts[:, 0].tolist() == [0, 1, 1, 2]


@given(st.integers(0, 30), st.sampled_from([0.2, 0.4]), NAMES)
def test_order_does_not_matter_and_the_end_is_a_fixed_point(
    seed: int, careless: float, agreement: AgreementName
) -> None:
    votes = simulated(seed, careless, workers=8, tasks=8, per_task=4).votes
    try:
        found = filter_workers(votes, threshold=0.6, agreement=agreement)
    except PyramidionError:
        return
    again = filter_workers(Votes.of(shuffled(votes.assignments, seed)), threshold=0.6, agreement=agreement)
    assert (again.dropped, again.agreement) == (found.dropped, found.agreement)
    fixed = filter_workers(found.votes, threshold=0.6, agreement=agreement)
    assert fixed.dropped == {}
    assert all(value is None or value >= 0.6 for name, value in found.agreement.items() if name not in found.dropped)


@pytest.mark.data
@pytest.mark.parametrize("agreement", ["positional", "sequence"])
def test_the_filter_removes_nobody_from_the_published_studies(data: Path, agreement: AgreementName) -> None:
    for folder in (data / "qapyramid", data / "realsumm" / "votes"):
        assert filter_workers(real_votes(folder), agreement=agreement).dropped == {}


@pytest.mark.data
def test_dice_planted_in_qapyramid(data: Path) -> None:
    """Half of all statements are present there: dice agree on half, and .5 may let them pass. Who worked has .757."""
    votes = real_votes(data / "qapyramid")
    threes = [one for one in votes.assignments if one.worker != "AUTHOR"][::100]
    planted = [
        replace(one, id=f"planted {number}", worker="zoe", answers="".join("np"[len(id) % 2] for id in one.asked.ids))
        for number, one in enumerate(threes)
    ]
    mixed = Votes.of([*votes.assignments, *planted])
    assert filter_workers(mixed).agreement["zoe"] == pytest.approx(0.5, abs=0.05)
    assert set(filter_workers(mixed, threshold=0.6).dropped) == {"zoe"}
    trust = dawid_skene(mixed).trust
    assert min(trust, key=trust.__getitem__) == "zoe"
    assert trust["zoe"] < 0.6
