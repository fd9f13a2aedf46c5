"""What fewer workers, statements and topics would have given; re-runs; prices."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.crowd.answers.collect import read_all
from pyramidion.crowd.cost import TopicSize, cost_of
from pyramidion.crowd.design import Design
from pyramidion.crowd.judging.aggregate import majority
from pyramidion.crowd.judging.votes import MISSING, Votes
from pyramidion.crowd.scores.cheapest import PricedDesign, cheapest, designs, frontier
from pyramidion.crowd.scores.curves import (
    Point,
    Spread,
    curves,
    halves,
    judged_again,
    rerun,
    steps,
    summary_scores,
    system_scores,
)
from pyramidion.crowd.scores.layout import Layout
from pyramidion.crowd.scores.resampling import at_most, resample, turns
from pyramidion.crowd.scores.scoring import score
from pyramidion.errors import ModelError, PyramidionError
from tests.crowd.ballots import crowd, study, votes

SYSTEMS = {"a": 0.2, "b": 0.35, "c": 0.5, "d": 0.65, "e": 0.8}


@pytest.fixture(scope="module")
def judged() -> Votes:
    return votes(crowd(SYSTEMS, topics=12, statements=8, workers=5, error=0.2))


# Draws


@given(st.integers(0, 1000), st.integers(1, 6))
def test_turns_keep_so_many_given_votes_of_every_item(seed: int, most: int) -> None:
    given = votes({("a", "s"): ["p-n", "n?p", "ppn", "-np"], ("b", "s"): ["p"]})
    random = np.random.default_rng(seed)
    kept = given.where(turns(given, random.random(len(given.item))) < most)
    assert (kept.answer != MISSING).all()
    assert (kept.counts.sum(axis=1) == np.minimum(given.counts.sum(axis=1), most)).all()


def test_fewer_workers_are_whole_submissions(judged: Votes) -> None:
    order = np.random.default_rng(0).permutation(len(judged.assignments))[judged.assignment]
    kept = judged.where(turns(judged, order) < 2)
    answered = np.bincount(kept.assignment, minlength=len(judged.assignments))
    assert set(answered.tolist()) == {0, 8}


def test_all_of_it_is_the_study_itself(judged: Votes) -> None:
    layout = Layout.of(judged)
    found = resample(judged, layout, majority, [5], [8], [12], resamples=2)
    means = {one.system: one.mean for one in score(judged, majority(judged), samples=0).systems}
    assert found.scores[0, 0, 0, 0] == pytest.approx([means[name] for name in layout.systems])
    assert (found.scores[0] == found.scores[1]).all() or found.scores[0] == pytest.approx(found.scores[1])


def test_a_draw_of_everything_reduced_is_a_mean_of_what_is_left() -> None:
    """Each topic scores 0 or 1 whatever is drawn of it, so t topics score a multiple of 1 / t."""
    given = votes({(f"t{number}", "s"): ["pppp" if number % 2 else "nnnn"] * 3 for number in range(8)})
    found = resample(given, Layout.of(given), majority, [1, 3], [1, 4], [2, 4, 8], resamples=20)
    assert set(np.unique(found.scores[:, :, :, 0])) <= {0.0, 0.5, 1.0}
    assert set(np.unique(found.scores[:, :, :, 1])) <= {0.0, 0.25, 0.5, 0.75, 1.0}
    assert found.scores.mean() == pytest.approx(0.5, abs=0.15)
    # of 8 topics, 4 and 4, the variance is 8 * .25 / 7, so 1.96 * sqrt(2 / 7) / sqrt(8) = .370
    assert set(np.unique(found.half_width[:, :, :, 2].round(3))) == {0.37}
    assert np.isnan(found.half_width[:, :, :, :2]).all()  # an interval of so few topics says nothing


def test_which_topics_and_statements_are_left_is_drawn() -> None:
    """Half of the topics, and of each topic's statements, are present, the first ones: any one may be drawn."""
    given = votes({(f"t{number}", "s"): ["ppnn" if number < 4 else "nnnn"] * 3 for number in range(8)})
    found = resample(given, Layout.of(given), majority, [3], [1, 4], [1], resamples=60).scores[:, 0, :, 0, 0]
    assert found[:, 0].mean() == pytest.approx(1 / 4, abs=0.15)
    assert set(found[:, 0]) == {0.0, 1.0}
    assert set(found[:, 1]) == {0.0, 0.5}


def test_draws_are_seeded(judged: Votes) -> None:
    layout = Layout.of(judged)
    one, same, other = (
        resample(judged, layout, majority, [1], [4], [6], resamples=3, seed=seed).scores for seed in (1, 1, 2)
    )
    assert (one == same).all()
    assert (one != other).any()
    assert (one[0] != one[1]).any()


def test_bad_amounts_are_refused(judged: Votes) -> None:
    layout = Layout.of(judged)
    with pytest.raises(ModelError, match="The workers to try are 0"):
        resample(judged, layout, majority, [0], [1], [1])
    with pytest.raises(ModelError, match="The topics to try are none"):
        resample(judged, layout, majority, [1], [1], [])
    with pytest.raises(ModelError, match="The number of resamples is 0"):
        resample(judged, layout, majority, [1], [1], [1], resamples=0)


def test_at_most_five_answers_seventy_times() -> None:
    """Of six votes, three for: five drawn have a majority for present half of the time, all six a tie."""
    given = votes({("a", "s"): ["p"] * 3 + ["n"] * 3})
    assert majority(given).value.tolist() == [0.0]
    found = at_most(given, majority)
    assert 0.3 < found.value[0] < 0.7
    assert found.value[0] * 70 == pytest.approx(round(found.value[0] * 70))
    assert found.aggregation == "majority, at most 5 of an item, 70 times"
    few = votes({("a", "s"): ["p?", "p?", "n?"]})
    same = at_most(few, majority)
    assert same.value[0] == 1.0
    assert np.isnan(same.value[1])
    with pytest.raises(ModelError):
        at_most(few, majority, 0)


# Curves


def test_curves_rise_to_the_whole_study(judged: Votes) -> None:
    found = curves(judged, resamples=30)
    assert list(found.curves) == ["workers", "statements", "topics"]
    assert [point.workers for point in found.curves["workers"]] == [1, 2, 3, 4, 5]
    assert [point.statements for point in found.curves["statements"]] == [4, 5, 6, 7, 8]
    assert found.curves["topics"][-1].topics == 12
    for points in found.curves.values():
        assert points[-1] == found.most
    assert found.most.pearson == Spread(1.0, 1.0, 1.0)
    topics = [point.pearson.mean for point in found.curves["topics"] if point.pearson]
    assert topics[0] < 1.0
    assert found.against == "the whole study"
    assert "how fast it approaches itself" in found.notes[0]
    assert len(found.points) == 5 * 5 * len(found.curves["topics"])


def test_curves_against_another_score(judged: Votes) -> None:
    found = curves(judged, against={**SYSTEMS, "other": 9.0}, name="truth", topics=[1, 12, 99], resamples=20)
    assert found.systems == tuple("abcde")
    assert found.most.pearson is not None
    assert found.most.pearson.mean > 0.9
    assert found.curves["topics"][0].half_width is None  # one topic
    assert found.notes == ("topics: 99 would go beyond the 12 collected; left out.",)
    assert str(found.signature).startswith("method:crowd curves|aggregation:majority|against:truth|resamples:20")
    reverse = curves(judged, against={name: -value for name, value in SYSTEMS.items()}, resamples=2)
    assert reverse.most.pearson is not None
    assert reverse.most.pearson.mean == pytest.approx(-found.most.pearson.mean)


def test_too_few_common_systems_are_named(judged: Votes) -> None:
    with pytest.raises(PyramidionError, match="needs 3 systems .* there are 1; the other scores are of a, x, y"):
        curves(judged, against={"a": 1.0, "x": 2.0, "y": 3.0})
    with pytest.raises(PyramidionError, match="give more systems"):
        curves(votes({("a", "s"): ["p"], ("a", "t"): ["n"]}))


def test_where_nothing_varies_a_correlation_is_undefined_not_nan() -> None:
    given = votes({("a", name): ["pp"] * 3 for name in "xyz"})
    found = curves(given, resamples=3)
    assert found.most.pearson is None
    assert found.rerun is not None
    assert found.rerun.change.mean == 0.0


def test_systems_that_lack_topics_are_correlated_where_they_are() -> None:
    answers = crowd(SYSTEMS, topics=6)
    del answers["t00", "a"]
    found = curves(votes(answers), topics=[1, 6], resamples=20)
    assert found.curves["topics"][0].pearson is not None


def test_summaries_without_text_are_in_the_curves() -> None:
    given = votes({("a", name): ["ppp" + "p" * number + "n" * (3 - number)] * 3 for number, name in enumerate("xyz")})
    silent = study(systems={"x": "X.", "y": "Y.", "z": "Z.", "mute": ""}, statements=6)
    assert system_scores(given, study=silent)["mute"] == 0.0
    assert "mute" in curves(given, study=silent, resamples=2).systems


def test_steps_are_whole_and_end_at_the_most() -> None:
    assert steps(1, 1, 5) == (1,)
    assert steps(2, 7, 10) == (2, 3, 4, 5, 6, 7)


# Re-runs


def test_the_relative_change_to_a_second_run() -> None:
    """§4: the mean over systems of |b - a| / a."""
    found = rerun({"a": 0.5, "b": 0.4, "c": 0.0, "d": 1.0}, {"a": 0.45, "b": 0.48, "c": 0.1})
    assert found.change.mean == pytest.approx((0.1 + 0.2) / 2)
    assert (found.systems, found.left_out, found.workers) == (2, 1, 0)
    assert found.pearson is not None
    assert found.pearson.mean == pytest.approx(np.corrcoef([0.5, 0.4, 0], [0.45, 0.48, 0.1])[0, 1])
    assert rerun({"a": 0.5, "b": 0.4}, {"a": 0.4, "b": 0.5}).pearson is None  # two always correlate by 1 or -1
    with pytest.raises(PyramidionError, match="no system in common"):
        rerun({"a": 0.5}, {"b": 0.5})
    with pytest.raises(PyramidionError, match="Every system scores 0"):
        rerun({"a": 0.0}, {"a": 0.5})


def test_a_second_run_is_compared_on_the_summaries_that_both_judge() -> None:
    """The second set has only the topic on which a is bad: nothing moved there."""
    first = votes({("t1", "a"): ["pppp"] * 3, ("t2", "a"): ["pnnn"] * 3, ("t1", "b"): ["ppnn"] * 3})
    second = votes({("t2", "a"): ["pnnn"] * 3, ("t1", "b"): ["pnnn"] * 3})
    assert summary_scores(first) == {("t1", "a"): 1.0, ("t1", "b"): 0.5, ("t2", "a"): 0.25}
    found = judged_again(summary_scores(first), summary_scores(second))
    assert found.change.mean == pytest.approx((0 + 0.5) / 2)
    assert found.note == "Only the 2 summaries that both judge are compared, of 3 and 2."
    assert judged_again(summary_scores(first), summary_scores(first)).note == ""
    with pytest.raises(PyramidionError, match="no summary in common"):
        judged_again(summary_scores(first), {("t9", "a"): 0.5})


def test_halves_of_the_workers_move_less_when_they_agree(judged: Votes) -> None:
    found = halves(judged, resamples=20)
    sure = halves(votes(crowd(SYSTEMS, topics=12, error=0.0)), resamples=20)
    assert found is not None
    assert sure is not None
    assert (found.workers, found.systems) == (2, 5)
    assert sure.change.mean == 0.0 < found.change.mean
    assert sure.pearson == Spread(1.0, 1.0, 1.0)
    assert found.pearson is not None
    assert 0.9 < found.pearson.mean < 1.0
    assert found.change.low <= found.change.mean <= found.change.high
    assert halves(votes({("a", "s"): ["pp"]})) is None


# Prices


def point(workers: int, statements: int, topics: int, r: float | None, width: float | None = 0.1) -> Point:
    spread = None if r is None else Spread(r, r, r)
    return Point(workers, statements, topics, spread, spread, width)


def test_designs_have_the_price_of_the_papers_rewards() -> None:
    [one] = designs([point(5, 32, 20, 0.9)], Design(), [TopicSize(4, 22)] * 20)
    assert one.cents == cost_of(Design(), topics=20, references=4, systems=22).total == 9600 + 237600


def test_the_cheapest_design_for_a_wanted_precision() -> None:
    made = [
        PricedDesign(point(1, 16, 10, 0.7, 0.2), 100),
        PricedDesign(point(3, 16, 10, 0.95, 0.2), 300),
        PricedDesign(point(1, 16, 40, 0.96, 0.1), 400),
        PricedDesign(point(2, 16, 20, 0.9, None), 350),
        PricedDesign(point(5, 16, 40, 1.0, 0.1), 2000),
        PricedDesign(point(5, 16, 1, None, None), 50),
    ]
    assert cheapest(made, want=0.95) is made[1]
    assert cheapest(made, want=0.951, measure="spearman") is made[2]
    assert cheapest(made, half_width=0.1) is made[2]
    assert cheapest(made, want=0.97, half_width=0.15) is made[4]
    assert cheapest(made, half_width=0.01) is None
    assert [one.cents for one in frontier(made)] == [100, 300, 400, 2000]
    level = [PricedDesign(point(1, 1, 1, -0.5), 10), PricedDesign(point(1, 1, 2, 0.0), 10)]
    assert frontier(level) == (level[1],)  # a correlation of 0 is better than one below
    for bad in (1.5, float("nan")):
        with pytest.raises(ModelError, match="correlation"):
            cheapest(made, want=bad)
    for bad in (0.0, float("nan")):
        with pytest.raises(ModelError, match="half-width"):
            cheapest(made, half_width=bad)


@given(st.lists(st.tuples(st.integers(1, 1000), st.floats(-1, 1)), min_size=1, max_size=20))
def test_nothing_beats_the_frontier(pairs: list[tuple[int, float]]) -> None:
    made = [PricedDesign(point(1, 1, 1, r), cents) for cents, r in pairs]
    best = frontier(made)
    for one in made:
        assert any(
            other.cents <= one.cents and (other.correlation("pearson") or 0) >= (one.correlation("pearson") or 0) - 1e-9
            for other in best
        )
    assert list(best) == sorted(best, key=lambda one: one.cents)


# Real votes


@pytest.mark.data
@pytest.mark.filterwarnings("ignore::pyramidion.errors.InputWarning")
def test_the_curves_of_realsumm(data: Path) -> None:
    """3 workers down to 1, statements 16 down to 4, topics 100 down to 10."""
    given = Votes.of(read_all([data / "realsumm" / "votes"]))
    found = curves(given, statements=[4, 8, 16], topics=[10, 50, 100], resamples=20)
    mean = {
        (name, getattr(one, name)): one.pearson.mean
        for name, points in found.curves.items()
        for one in points
        if one.pearson
    }
    assert mean["workers", 1] == pytest.approx(0.98, abs=0.01)
    assert mean["workers", 2] == pytest.approx(0.94, abs=0.015)  # ties are "not present": worse than one worker
    assert mean["workers", 3] == pytest.approx(0.996, abs=0.003)
    assert mean["statements", 4] == pytest.approx(0.977, abs=0.01)
    assert mean["topics", 10] == pytest.approx(0.74, abs=0.06)
    assert mean["topics", 50] == pytest.approx(0.965, abs=0.012)
    assert found.rerun is not None
    assert found.rerun.change.mean == pytest.approx(0.025, abs=0.005)
    assert replace(found.most, half_width=None).pearson == Spread(1.0, 1.0, 1.0)
