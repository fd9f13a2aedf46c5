"""Scores, intervals and agreement of a crowd."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyramidion.crowd.answers.collect import read_all
from pyramidion.crowd.judging.aggregate import majority, mean
from pyramidion.crowd.judging.filtering import filter_workers
from pyramidion.crowd.judging.topic_agreement import agreement_of, dropped_topics
from pyramidion.crowd.judging.votes import MISSING, Votes
from pyramidion.crowd.scores.layout import Layout
from pyramidion.crowd.scores.scoring import CrowdScores, score, two_level_draws
from pyramidion.errors import ModelError, PyramidionError
from pyramidion.stats.agreement import krippendorff_alpha
from tests.crowd.ballots import crowd, study, submissions, votes


def means(found: CrowdScores) -> dict[str, float]:
    return {one.system: one.mean for one in found.systems}


def ratings(given: Votes) -> list[list[float | None]]:
    """Workers x items, as krippendorff_alpha takes them."""
    table: list[list[float | None]] = [[None] * len(given.items) for _ in given.workers]
    for item, worker, answer in zip(given.item, given.voter, given.answer.tolist(), strict=True):
        table[worker][item] = None if answer == MISSING else answer
    return table


# Scores


def test_a_summary_scores_its_share_and_a_system_the_mean_over_topics() -> None:
    given = votes({("a", "s"): ["pppn", "ppnn", "pnnn"], ("b", "s"): ["nn", "np", "nn"], ("a", "t"): ["nnnn"] * 3})
    found = score(given, majority(given), samples=0)
    assert [(one.topic, one.system, one.score, one.statements) for one in found.summaries] == [
        ("a", "s", 0.5, 4),
        ("a", "t", 0.0, 4),
        ("b", "s", 0.0, 2),
    ]
    assert means(found) == {"s": 0.25, "t": 0.0}
    assert [one.topics for one in found.systems] == [2, 1]
    assert found.notes == ("Judged on fewer than the 2 topics: t.",)
    assert found.systems[0].interval is None
    drawn = score(given, majority(given), samples=100)
    assert (drawn.systems[0].interval, drawn.agreement.interval) == (None, None)
    assert drawn.notes[0] == "No intervals: it takes 6 topics, and here are 2."


def test_degrees_are_averaged_as_they_are() -> None:
    given = votes({("a", "s"): ["pp", "pn", "pn"]})
    assert score(given, mean(given), samples=0).systems[0].mean == pytest.approx((1 + 1 / 3) / 2)


def test_what_nobody_decided_is_left_out_and_counted() -> None:
    given = votes({("a", "s"): ["p?", "p-"], ("a", "t"): ["??", "--"]})
    found = score(given, majority(given), samples=0)
    [one, other] = found.summaries
    assert (one.score, one.statements, one.undecided) == (1.0, 1, 1)
    assert (other.score, other.statements, other.undecided) == (None, 0, 2)
    assert means(found) == {"s": 1.0}
    assert "3 of 4 statements on summaries have no vote that counts; they are left out." in found.notes
    assert "1 of 2 summaries have no decided statement, and no score." in found.notes
    nothing = votes({("a", "t"): ["??", "--"]})
    with pytest.raises(PyramidionError, match="No statement of any summary is decided"):
        score(nothing, majority(nothing))
    unasked = votes({("a", "t"): ["", ""]})
    with pytest.raises(PyramidionError, match="No submission asks for a statement"):
        score(unasked, majority(unasked))


def test_a_summary_without_text_scores_0_whether_it_was_judged_or_not() -> None:
    given = votes({("a", "s"): ["pppn"] * 3})
    found = score(given, majority(given), study=study(), samples=0)
    assert means(found) == {"s": 0.75, "mute": 0.0}
    assert "1 summaries have no text and score 0." in found.notes
    judged = votes({("a", "s"): ["pppn"] * 3, ("a", "mute"): ["pppp"] * 3})
    assert means(score(judged, majority(judged), study=study(), samples=0))["mute"] == 0.0


def test_rejected_and_repeated_work_is_told() -> None:
    made = submissions({("a", "s"): ["pp", "pp", "nn"]})
    again = replace(made[0], id="again", answers="nn")
    given = Votes.of([*made[:2], replace(made[2], status="rejected"), again])
    notes = score(given, majority(given), samples=0).notes
    assert "1 submissions were rejected and do not count." in notes
    assert "2 votes are a worker's second or later on the same item and do not count." in notes


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_the_order_of_submissions_does_not_matter(seed: int) -> None:
    answers = crowd({"a": 0.3, "b": 0.5}, topics=3, statements=4, workers=3, seed=seed)
    given = submissions(answers)
    order = np.random.default_rng(seed).permutation(len(given))
    one, other = Votes.of(given), Votes.of([given[number] for number in order])
    assert score(one, majority(one), samples=20) == score(other, majority(other), samples=20)


# Intervals


def test_draws_take_topics_and_statements_and_are_shared_by_systems() -> None:
    same = crowd({"a": 0.5}, topics=10, workers=1, error=0)
    given = votes({**same, **{(topic, "twin"): rows for (topic, _), rows in same.items()}})
    found = score(given, majority(given), samples=200)
    assert found.difference("a", "twin") == (0.0, 0.0)
    assert found.systems[0].interval == found.systems[1].interval
    assert found.draws.shape == (200, 2)
    with pytest.raises(PyramidionError, match="There is no system 'b'"):
        found.difference("a", "b")


def test_an_interval_is_wider_than_that_over_topics_alone_and_centred() -> None:
    """Topics that all score 1/2: over topics there is no spread, over their 8 statements there is."""
    given = votes({(f"t{number}", "s"): ["pppp" + "nnnn"] for number in range(30)})
    found = score(given, majority(given), samples=2000)
    interval = found.systems[0].interval
    assert interval is not None
    # the mean of 30 independent means of 8 has the standard deviation .5 / sqrt(240)
    reach = 1.96 * 0.5 / np.sqrt(240)
    assert interval.low == pytest.approx(0.5 - reach, abs=0.01)
    assert interval.high == pytest.approx(0.5 + reach, abs=0.01)


def test_an_interval_has_the_spread_of_topics() -> None:
    """Topics that score 0 or 1 whatever is drawn of them: the mean of 40 has the standard deviation .5 / sqrt(40)."""
    given = votes({(f"t{number:02}", "s"): ["pppp" if number < 20 else "nnnn"] for number in range(40)})
    interval = score(given, majority(given), samples=4000).systems[0].interval
    assert interval is not None
    reach = 1.96 * 0.5 / np.sqrt(40)
    assert interval.low == pytest.approx(0.5 - reach, abs=0.03)
    assert interval.high == pytest.approx(0.5 + reach, abs=0.03)


def test_with_one_topic_only_statements_are_drawn_and_it_says_so() -> None:
    given = votes({("a", "s"): ["ppnnnnnn"] * 2})
    found = score(given, majority(given))
    assert found.notes[0] == "One topic: intervals are over its statements and do not speak of other topics."
    interval = found.systems[0].interval
    assert interval is not None
    assert interval.low == 0 < 0.25 < interval.high


def test_the_same_seed_gives_the_same_interval() -> None:
    given = votes(crowd({"a": 0.4, "b": 0.6}))
    one, same, other = (score(given, majority(given), seed=seed) for seed in (1, 1, 2))
    assert one == same
    assert [x.mean for x in one.systems] == [x.mean for x in other.systems]
    assert one.systems[0].interval != other.systems[0].interval


def test_draws_leave_out_what_is_undecided() -> None:
    given = votes({("a", "s"): ["p-"], ("b", "s"): ["pp"]})
    layout = Layout.of(given)
    draws = two_level_draws(layout, layout.matrix(majority(given).value), np.ones(2, dtype=bool), 50)
    assert set(np.unique(draws[~np.isnan(draws)])) == {1.0}


# Agreement and topics


@settings(max_examples=25)
@given(st.integers(0, 10_000))
def test_alpha_is_krippendorffs_overall_and_by_topic(seed: int) -> None:
    answers = crowd({"a": 0.3, "b": 0.7}, topics=3, statements=4, workers=3, error=0.25, seed=seed)
    given = votes(answers)
    found = agreement_of(given)
    assert found.alpha == pytest.approx(krippendorff_alpha(ratings(given)).value)
    for one in found.topics:
        part = votes({key: rows for key, rows in answers.items() if key[0] == one.topic})
        whole = krippendorff_alpha(ratings(part))
        assert one.alpha == (None if whole.value is None else pytest.approx(whole.value))
        assert one.items == 8


def test_alpha_by_tasks_is_the_mean_of_each_tasks_own() -> None:
    given = votes({("a", "s"): ["ppnn", "ppnn"], ("a", "t"): ["pnpn", "pnnn"], ("a", "u"): ["nnnn", "nnnn"]})
    [topic] = agreement_of(given, alpha="tasks").topics
    own = krippendorff_alpha([[1, 0, 1, 0], [1, 0, 0, 0]]).value
    assert own is not None
    assert topic.alpha == pytest.approx((1 + own) / 2)  # the third has no variation and no alpha
    assert agreement_of(given).topics[0].alpha != topic.alpha


def test_where_nothing_varies_or_nobody_judges_twice_agreement_is_undefined() -> None:
    assert agreement_of(votes({("a", "s"): ["pp", "pp"]})).alpha is None
    assert agreement_of(votes({("a", "s"): ["pp", "pp"]})).agreement == 1.0
    single = agreement_of(votes({("a", "s"): ["pn"]}), samples=10)
    assert (single.alpha, single.agreement, single.interval, single.topics[0].items) == (None, None, None, 0)
    assert single.alpha_of_all_votes is None  # nobody agreed with anybody: not 1


def test_the_least_agreed_topics_are_left_out_of_the_means() -> None:
    answers = {(f"t{number}", "s"): ["ppnn", "ppnn"] for number in range(4)}
    given = votes({**answers, ("bad", "s"): ["pppp", "ppnn"]})
    found = score(given, majority(given), drop_topics=0.2, samples=50)
    assert found.dropped == ("bad",)
    assert (found.systems[0].topics, found.systems[0].mean) == (4, 0.5)
    assert len(found.summaries) == 5
    assert "drop-topics:0.2|alpha:pooled" in str(found.signature)
    assert score(given, majority(given), drop_topics=0.19, samples=0).dropped == ()


@pytest.mark.parametrize("share", [-0.1, 1.0, float("nan")])
def test_a_share_of_topics_is_one(share: float) -> None:
    with pytest.raises(ModelError, match="share"):
        dropped_topics((), share)


# Real votes


@pytest.fixture(scope="module")
def realsumm(data: Path) -> Votes:
    with pytest.warns(UserWarning, match="bart_out"):
        return Votes.of(read_all([data / "realsumm" / "votes"]))


@pytest.mark.data
def test_every_published_label_of_realsumm_comes_out(realsumm: Votes, data: Path) -> None:
    """Bhandari et al. 2020: 26,400 labels of 2,500 summaries, and the votes they were made of."""
    decisions = majority(realsumm)
    decided: dict[tuple[str, str], dict[int, float]] = {}
    for item, value in zip(realsumm.items, decisions.value.tolist(), strict=True):
        decided.setdefault((item.topic, item.summary), {})[int(item.statement)] = value
    folder = data / "realsumm"
    topics = folder.joinpath("ids.txt").read_text().split()
    labels = summaries = wrong = 0
    for path in sorted(folder.joinpath("labels").glob("*.label")):
        # the votes name systems without abs_ and ext_, but for the two that would be the same
        [system] = {path.stem, path.stem[4:]} & set(realsumm.systems)
        for topic, line in zip(topics, path.read_text().splitlines(), strict=True):
            found = [value for _, value in sorted(decided[topic, system].items())]
            expected = [float(label) for label in line.split("\t")]
            assert len(found) == len(expected)
            labels, summaries = labels + len(found), summaries + 1
            wrong += sum(one != other for one, other in zip(found, expected, strict=True))
    assert (labels, summaries, wrong) == (26_400, 2_500, 0)


@pytest.mark.data
def test_agreement_on_realsumm(realsumm: Votes) -> None:
    found = score(realsumm, majority(realsumm), samples=100)
    assert found.agreement.alpha == pytest.approx(0.720, abs=5e-4)
    assert found.agreement.agreement == pytest.approx(0.864, abs=5e-4)
    assert len(found.systems) == 25
    assert found.systems[0].mean == pytest.approx(0.5618, abs=5e-5)
    assert found.notes == ()


@pytest.mark.data
def test_qapyramid_by_majority(data: Path) -> None:
    """Zhang et al. 2024: the systems' means, alpha, and nobody to filter.

    Alpha is .648. With the 217 units that have one vote, which Krippendorff leaves out, among the expected
    disagreements it would be .651.
    """
    given = Votes.of(read_all([data / "qapyramid" / "QA_presence.json"]))
    found = score(given, majority(given), samples=0)
    assert {name: round(value, 2) for name, value in means(found).items()} == {
        "brio": 0.56,
        "brio-ext": 0.55,
        "GPT4": 0.55,
        "llama-3-8b-instruct": 0.54,
        "llama-3-70b-instruct": 0.53,
        "bart": 0.51,
        "matchsum": 0.50,
        "mixtral-8x7b-instruct-v0.1": 0.48,
        "mixtral-8x22b-instruct-v0.1": 0.48,
        "pegasus": 0.46,
    }
    assert found.agreement.alpha == pytest.approx(0.6484, abs=5e-5)
    assert found.agreement.alpha_of_all_votes == pytest.approx(0.6514, abs=5e-5)
    counts = given.counts.astype(float)
    total = counts.sum(axis=1)
    apart = (counts[total > 1].prod(axis=1) / (total[total > 1] - 1)).sum()
    assert (total == 1).sum() == 217
    assert 1 - (total.sum() - 1) * apart / counts.sum(axis=0).prod() == pytest.approx(0.6514, abs=5e-5)
    assert filter_workers(given).dropped == {}
