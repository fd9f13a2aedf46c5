"""Calibration: a few labels move a judge's probabilities, and never its order."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion import example
from pyramidion.errors import PyramidionError
from pyramidion.matchers.calibration import SAME, Calibration, fit_calibration
from pyramidion.methods import Method
from pyramidion.model import Topic

curves = st.builds(Calibration, st.floats(0.2, 5), st.floats(-4, 4))
degrees = st.floats(0, 1)


def labelled() -> list[Topic]:
    return [topic for topic in example() if topic.annotations]


@given(curves, degrees, degrees)
def test_a_curve_rises_and_keeps_nothing_and_certainty(curve: Calibration, low: float, high: float) -> None:
    low, high = sorted((low, high))
    assert 0 <= curve(low) <= curve(high) <= 1
    assert (curve(0), curve(1)) == (0, 1)


@given(curves, st.floats(0.01, 0.99))
def test_the_inverse_undoes_it(curve: Calibration, p: float) -> None:
    assert curve.inverse(curve(p)) == pytest.approx(p, abs=1e-6)


def test_no_label_changes_nothing_and_few_change_little() -> None:
    assert fit_calibration([], []) == SAME
    one, many = fit_calibration([0.5], [False]), fit_calibration([0.5] * 100, [False] * 90 + [True] * 10)
    assert -1 < one.shift < 0
    assert many(0.5) == pytest.approx(0.1, abs=0.03)


def test_labels_of_a_judge_that_is_right_leave_it_nearly_as_it_is() -> None:
    p = [0.1, 0.3, 0.5, 0.7, 0.9] * 100
    said = [number % 100 < 100 * one for one in (0.1, 0.3, 0.5, 0.7, 0.9) for number in range(100)]
    curve = fit_calibration(sorted(p), said)
    assert curve.slope == pytest.approx(1, abs=0.05)
    assert curve.shift == pytest.approx(0, abs=0.05)


@given(st.lists(st.tuples(degrees, st.booleans()), max_size=30))
def test_whatever_the_labels_are_the_order_stays(labels: list[tuple[float, bool]]) -> None:
    curve = fit_calibration([p for p, _ in labels], [said for _, said in labels])
    assert curve.slope > 0


def test_a_calibrated_method_says_so_in_its_name_and_parses_back() -> None:
    method = Method.parse("given+soft").calibrated(labelled())
    assert str(method).startswith("given+soft(slope=")
    assert Method.parse(str(method)) == method
    assert method.calibrated(labelled()) == method  # it is fitted to the judge, not to itself


def test_the_mean_probability_comes_near_to_what_people_found() -> None:
    topics = labelled()
    found = {}
    for method in (Method.parse("given+soft"), Method.parse("given+soft").calibrated(topics)):
        p = [
            dict(method.match(topic.pyramid, one.summary).probabilities)
            for topic in topics
            if topic.pyramid
            for one in topic.annotations
        ]
        found[method] = sum(sum(one.values()) for one in p) / sum(map(len, p))
    said = sum(len(one.expressed) for topic in topics for one in topic.annotations)
    share = said / sum(len(topic.pyramid.scus) * len(topic.annotations) for topic in topics if topic.pyramid)
    plain, calibrated = found.values()
    assert abs(calibrated - share) < 0.02 < abs(plain - share)


def test_matches_are_those_whose_calibrated_probability_reaches_the_threshold() -> None:
    (topic, *_) = labelled()
    assert topic.pyramid
    method = Method.parse("given+soft(threshold=0.5,shift=-1.0)")
    for peer in topic.peers:
        annotation = method.match(topic.pyramid, peer)
        reached = {scu for scu, p in annotation.probabilities if p >= 0.5}
        assert {match.scu for match in annotation.matches} == reached
        assert all(match.score == dict(annotation.probabilities)[match.scu] for match in annotation.matches)
        assert annotation.matcher == "soft(threshold=0.5,shift=-1.0)"


def test_peers_of_one_name_in_several_topics_keep_their_own_labels() -> None:
    """Both topics of the example have a peer ``copy``; turning the topics round must change nothing."""
    topics = labelled()
    assert {peer.id for peer in topics[0].peers} & {peer.id for peer in topics[1].peers}
    forth, back = (Method.parse("given+unigram").calibrated(some) for some in (topics, topics[::-1]))
    assert forth == back
    twice = Method.parse("given+unigram").calibrated([topics[0], replace(topics[0])])
    assert twice != Method.parse("given+unigram").calibrated([topics[0]])  # twice the labels outweigh the prior more


def test_what_cannot_be_calibrated_is_told() -> None:
    with pytest.raises(PyramidionError, match="'wmin' gives no probabilities to calibrate; choose a judge"):
        Method.parse("given+wmin").calibrated(labelled())
    with pytest.raises(PyramidionError, match="No topic of the labels has both a pyramid and annotations"):
        Method.parse("given+soft").calibrated([replace(topic, annotations=()) for topic in labelled()])
    with pytest.raises(PyramidionError, match="give a slope above 0"):
        Method.parse("given+soft(slope=-1.0)").match(*_first())


def _first():
    (topic, *_) = labelled()
    return topic.pyramid, topic.peers[0]


def test_labels_that_fit_no_probability_are_told() -> None:
    with pytest.raises(PyramidionError, match="2 probabilities and 1 labels"):
        fit_calibration([0.1, 0.2], [True])
