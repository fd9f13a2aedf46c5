"""The report on workers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pyramidion.crowd.answers.submission import Submission
from pyramidion.crowd.design import Design
from pyramidion.crowd.judging.votes import Votes
from pyramidion.crowd.results.workers import WorkerReport, crowd_workers
from pyramidion.crowd.study import Check, Statement, Study, Task
from pyramidion.errors import PyramidionError
from pyramidion.model import Summary, Topic
from tests.crowd.making import judged, simulated

ANSWERS = "ppnnpnpnnn"


def row(submissions: list[Submission], worker: str, **settings: object) -> WorkerReport:
    found = crowd_workers(Votes.of(submissions), **settings)  # type: ignore[arg-type]
    return next(one for one in found.workers if one.worker == worker)


def crowd(*more: Submission) -> list[Submission]:
    """Three who agree, on two summaries."""
    return [*(judged(name, ANSWERS, summary) for name in ("anna", "ben", "cleo") for summary in "xy"), *more]


def test_what_a_worker_did() -> None:
    one = row(crowd(judged("dan", "pp?nn--nnn", "x", seconds=30.0), judged("dan", "ppnnpnpnnp", "y")), "dan")
    assert (one.assignments, one.votes) == (2, 17)
    assert one.present == pytest.approx(7 / 17)
    assert one.cannot_tell == pytest.approx(1 / 20)
    assert one.blank == pytest.approx(2 / 20)
    assert one.agreement == pytest.approx((6 / 7 + 9 / 10) / 2)
    assert one.seconds == 30
    assert one.dropped == 0
    assert one.flags == ()
    assert one.trust is not None
    assert one.trust > 0.8


def test_who_disagrees_is_dropped_and_first() -> None:
    found = crowd_workers(Votes.of(crowd(judged("zoe", "nnppnpnppp", "x"))))
    assert found.workers[0].worker == "zoe"
    assert found.workers[0].dropped == 1
    assert found.workers[0].flags == ("disagrees",)
    assert [one.worker for one in found.dropped] == ["zoe"]
    assert found.agreement == pytest.approx(6 / 9)  # of x 3 pairs of 6, of y 3 of 3
    assert found.agreement_left == 1
    assert found.alpha is not None
    assert found.alpha < 1
    assert found.alpha_left == 1
    assert str(found.signature).startswith("method:crowd-workers|agreement:positional|threshold:0.5|")


def test_where_everybody_is_dropped_the_report_is_there_to_look_into() -> None:
    found = crowd_workers(Votes.of([judged("anna", "pp"), judged("ben", "nn")]))
    assert [one.dropped for one in found.workers] == [1, 1]
    assert (found.agreement, found.agreement_left, found.alpha_left) == (0.0, None, None)


def test_always_the_same_answer() -> None:
    always = [judged("zoe", "n" * 10, summary) for summary in "xy"]
    assert row(crowd(*always), "zoe").flags == ("only not present",)
    assert row(crowd(always[0]), "zoe").flags == ()  # once may well be true


@pytest.mark.parametrize("seed", range(3))
def test_near_chance_finds_dice_that_the_filter_lets_pass(seed: int) -> None:
    crowd = simulated(seed, 0.3)
    found = crowd_workers(crowd.votes)
    flagged = {one.worker for one in found.workers if "near chance" in one.flags}
    assert flagged <= crowd.careless
    assert len(crowd.careless) - 1 <= len(flagged)
    assert not flagged <= {one.worker for one in found.dropped} < crowd.careless


def test_faster_than_can_be_read() -> None:
    text = "word " * 100
    quick = judged("zoe", ANSWERS, "x", seconds=5.0, text=text)
    assert row(crowd(quick), "zoe").flags == ("too fast: 20 words a second",)
    assert row(crowd(quick), "zoe", fastest=25).flags == ()
    assert row(crowd(replace(quick, seconds=20.0)), "zoe").flags == ()
    assert row(crowd(replace(quick, seconds=0.0)), "zoe").flags == ("too fast: 100 words a second",)


def test_who_answers_little() -> None:
    assert row(crowd(judged("zoe", "pp--??-?--", "x")), "zoe").flags == ("answers little",)


def test_attention_checks() -> None:
    checks = tuple(Check(f"c{number}", "Fish fly.", "n") for number in range(4))
    topic = Topic("t", (Summary("r", "Text.", "reference"),), (Summary("x", "Text.", "peer"),))
    statements = tuple(Statement(f"{number:03}", "t", "r", "A fact.") for number in range(10))
    task = Task("k", "judging", "t", "x", 3, tuple(one.id for one in statements), checks)
    study = Study("s", Design(), (topic,), statements, (task,))
    good = judged("dan", ANSWERS, "x", task="k", checks=(("c0", "n"), ("c1", "n"), ("c2", "n"), ("c3", "p")))
    bad = judged("eve", ANSWERS, "x", task="k", checks=(("c0", "n"), ("c1", "p"), ("c2", "?"), ("other", "p")))
    made = crowd(good, bad)
    dan, eve = row(made, "dan", study=study), row(made, "eve", study=study)
    assert (dan.passed, dan.checks, dan.flags) == (3, 4, ())
    assert (eve.passed, eve.checks, eve.flags) == (1, 3, ("fails checks",))
    assert row(made, "eve").checks == 0  # without the study nobody knows the right answers


def test_who_was_never_paired_has_neither_agreement_nor_trust() -> None:
    one = row(crowd(judged("zoe", "pn", "elsewhere")), "zoe")
    assert (one.agreement, one.trust, one.dropped) == (None, None, 0)


def test_workers_without_a_name_are_one_row() -> None:
    nameless = [judged("", ANSWERS, "x", id=str(number)) for number in range(5)]
    found = crowd_workers(Votes.of(crowd(*nameless)))
    assert [one.worker for one in found.workers] == ["anna", "ben", "cleo"]
    assert found.unnamed is not None
    assert (found.unnamed.worker, found.unnamed.assignments, found.unnamed.votes) == ("#", 5, 50)
    assert found.unnamed.trust is not None
    assert crowd_workers(Votes.of(crowd())).unnamed is None


def test_the_most_suspicious_first() -> None:
    simulation = simulated(1, 0.3)
    found = crowd_workers(simulation.votes)
    first = {one.worker for one in found.workers[: len(simulation.careless)]}
    assert first == simulation.careless
    agreements = [one.agreement for one in found.workers if not one.dropped and not one.flags]
    assert agreements == sorted(agreements, key=lambda one: one or 0)


def test_a_speed_of_nothing_is_said() -> None:
    with pytest.raises(PyramidionError, match="words a second; give a number above 0"):
        crowd_workers(Votes.of(crowd()), fastest=0)


def inverted(worker: str, summary: str) -> Submission:
    """The opposite of what the others say."""
    return judged(worker, ANSWERS.translate(str.maketrans("pn", "np")), summary)


def test_who_inverts_every_answer_is_said_to_and_not_near_chance() -> None:
    one = row(crowd(inverted("zoe", "x"), inverted("zoe", "y")), "zoe")
    assert one.flags == ("disagrees", "answers reversed: -1.00 (-1.00 to -0.59)")
    assert (one.follows, one.follows_low) == (-1, -1)
    assert one.follows_high == pytest.approx(-0.595, abs=1e-3)
    assert one.dropped == 1
    assert row(crowd(), "anna").follows == 1


def test_few_answers_are_not_said_to_be_reversed() -> None:
    assert row(crowd(inverted("zoe", "x")), "zoe").flags == ("disagrees",)


@pytest.mark.parametrize("seed", range(3))
def test_a_careful_worker_who_mixes_up_the_answers_is_found_among_dice(seed: int) -> None:
    made = simulated(seed, 0.3)
    submissions = [
        replace(one, answers=one.answers.translate(str.maketrans("pn", "np"))) if one.worker == "w19" else one
        for one in made.votes.assignments
    ]
    found = crowd_workers(Votes.of(submissions))
    reversed_ones = {one.worker for one in found.workers if any("answers reversed" in flag for flag in one.flags)}
    assert reversed_ones == {"w19"}


def test_the_statistics_are_in_the_whole_table_only() -> None:
    found = crowd_workers(Votes.of(crowd()))
    assert "follows" not in found.table().columns
    assert {"follows", "follows_low", "follows_high"} <= set(found.table(whole=True).keys)
