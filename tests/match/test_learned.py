"""The learned judge: its rules, its curves, minimal pairs, fitting, and bad input."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from importlib.resources import files
from math import exp
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

from pyramidion.errors import FormatError, PyramidionError
from pyramidion.match.features import FEATURES, features
from pyramidion.match.learned import AT_LEAST, Curve, Learned, explanation, fit, learned, load, verdicts
from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Summary, Topic
from pyramidion.studies.bench.realsumm import read
from tests.strategies import TEXTS, pyramids

BOATS, FISH, MANURE = (
    "The council banned motor boats.",
    "The lake had lost all its fish.",
    "Farmers let manure run into the water.",
)


def pyramid_of(*scus: tuple[str, ...]) -> Pyramid:
    """A pyramid whose SCUs have these wordings, the n-th one from the n-th reference."""
    made = (
        SCU(str(number), said[0], tuple(Contributor(id, label=words) for id, words in zip("ABC", said, strict=False)))
        for number, said in enumerate(scus)
    )
    return Pyramid("toy", tuple(Summary(id, "") for id in "ABC"), tuple(made))


SEEN_FALL, SEEN_CLEAR = 60, 56
"""Of the 60 minimal pairs, as docs/learned.md reports it; those that do not fall clearly stay in the file."""
LAKE = pyramid_of((BOATS,), (FISH,), (MANURE,))


def probabilities(pyramid: Pyramid, text: str) -> list[float]:
    return [one.probability for one in verdicts(pyramid, Summary("P", text, "peer"), "unicode")]


def test_identical_texts_are_certain_and_an_empty_summary_has_nothing() -> None:
    assert probabilities(LAKE, f"{FISH} {BOATS} {MANURE}") == [1, 1, 1]
    for nothing in ("", "...", "\n"):
        assert probabilities(LAKE, nothing) == [0, 0, 0]
    assert probabilities(LAKE, "Щука 77.") == [0, 0, 0]


def test_more_of_the_words_is_never_less_probable() -> None:
    grown = ["The lake.", "The lake had fish.", "The lake had lost fish.", "The lake had lost its fish.", FISH]
    found = [probabilities(LAKE, text)[1] for text in grown]
    assert found == sorted(found)
    assert found[0] < 0.5 < found[2]


def test_the_curves_never_fall_and_conflicts_weigh_what_they_must() -> None:
    judge = load()
    assert tuple(curve.feature for curve in judge.curves) == FEATURES
    for curve in judge.curves:
        assert min(curve.rises) >= 0
        assert curve.most >= AT_LEAST.get(curve.feature, 0.0) - 0.01
        assert curve.knots == tuple(sorted(set(curve.knots)))
        assert (curve.knots[0], curve.knots[-1], len(curve.rises)) == (0, 1, len(curve.knots) - 1)


def test_a_curve_by_hand() -> None:
    curve = Curve("x", (0.0, 0.5, 1.0), (2.0, 1.0))
    other = Curve("y", (0.0, 0.2, 1.0), (0.5, 0.0))
    values = np.array([[0.0, 0.25, 0.5, 0.75, 1.0], [1.0, 0.2, 0.1, 0.0, 0.5]]).T
    assert Learned(0.0, (curve, other)).points(values).T.tolist() == [[0, 1, 2, 2.5, 3], [0.5, 0.5, 0.25, 0, 0.5]]
    assert curve.most == 3


def test_an_explanation_adds_up() -> None:
    peer = Summary("P", "The council did not ban the boats.", "peer")
    reasons = explanation(LAKE, peer, "0", "unicode")
    (p, *_) = probabilities(LAKE, peer.text)
    odds = load().bias + sum(reason.points for reason in reasons)
    assert p == pytest.approx(1 / (1 + exp(-odds)), abs=1e-6)
    assert {reason.feature for reason in reasons} == set(FEATURES)
    lost = [reason.most - reason.points for reason in reasons]
    assert lost == sorted(lost, reverse=True)
    polarity = next(reason for reason in reasons if reason.feature == "same polarity")
    assert (polarity.value, polarity.points) == (0, 0)
    assert str(polarity) == f"same polarity 0.00: +0.00 of {polarity.most:.2f}"


def test_an_explanation_of_an_scu_that_is_not_there() -> None:
    with pytest.raises(PyramidionError, match="no SCU '9'"):
        explanation(LAKE, Summary("P", BOATS, "peer"), "9")


def minimal_pairs() -> dict[str, list[tuple[str, float, float]]]:
    """By kind: the SCU, P of the summary that says it, and of the one that does not."""
    found: dict[str, list[tuple[str, float, float]]] = {}
    for line in (Path(__file__).parent / "minimal_pairs.txt").read_text("utf-8").splitlines():
        if not line.startswith("#"):
            kind, said, says, denies = (part.strip() for part in line.split("|"))
            (p,), (q,) = (probabilities(pyramid_of((said,)), text) for text in (says, denies))
            found.setdefault(kind, []).append((said, p, q))
    return found


def test_minimal_pairs() -> None:
    by_kind = minimal_pairs()
    pairs = [pair for kind in by_kind.values() for pair in kind]
    assert len(pairs) == 60
    assert sum(p > q for _, p, q in pairs) >= SEEN_FALL
    assert sum(p - q >= 0.1 for _, p, q in pairs) >= SEEN_CLEAR
    assert all(p - q >= 0.1 for _, p, q in by_kind["roles"])


def test_the_examples_of_the_issue() -> None:
    dead = pyramid_of(("12 people are dead",))
    assert (
        probabilities(dead, "A fire left 12 people dead.")[0]
        > probabilities(dead, "A fire left 21 people dead.")[0] + 0.2
    )
    sued = pyramid_of(("Ann sued Bob",))
    assert probabilities(sued, "Today Ann sued Bob.")[0] == 1
    assert probabilities(sued, "Today Bob was sued by Ann.")[0] > probabilities(sued, "Today Bob sued Ann.")[0] + 0.1


def test_one_wording_suffices_and_no_order_decides() -> None:
    text = "The council has banned boats with a motor."
    both = pyramid_of((BOATS, "Nobody may go there under power."), (FISH,))
    turned = pyramid_of((FISH,), ("Nobody may go there under power.", BOATS))
    assert probabilities(both, text) == probabilities(turned, text)[::-1]


def test_the_annotation() -> None:
    peer = Summary(
        "P", "All fish in the lake died because farmers let manure run into the water. I like chess.", "peer"
    )
    annotation = learned(LAKE, peer)
    assert annotation.expressed == ("1", "2")
    assert dict(annotation.probabilities)["0"] < 0.1
    assert [one.of(peer.text) for match in annotation.matches for one in match.spans][-1].startswith("because farmers")
    assert [unit.spans[0].of(peer.text) for unit in annotation.unmatched] == ["I like chess."]
    assert learned(LAKE, peer, threshold=1.0).expressed == ("2",)


def test_settings_are_keywords_and_a_threshold_is_a_probability() -> None:
    kinds = [one.kind for one in inspect.signature(learned).parameters.values()]
    assert kinds[2:] == [inspect.Parameter.KEYWORD_ONLY] * 2
    with pytest.raises(PyramidionError, match="threshold"):
        learned(LAKE, Summary("P", BOATS, "peer"), threshold=0.0)


@settings(max_examples=30)
@given(pyramids(), TEXTS)
def test_probabilities_of_anything(pyramid: Pyramid, text: str) -> None:
    found = learned(pyramid, Summary("P", text, "peer"), analyser="unicode")
    assert all(0 <= p <= 1 for _, p in found.probabilities)
    assert len(found.probabilities) == len(pyramid.scus)


def judged(name: str, said: Sequence[str], present: Sequence[int]) -> Topic:
    """A topic with one peer that people found these SCUs in."""
    pyramid = Pyramid(name, LAKE.references, LAKE.scus)
    peer = Summary("P", " ".join(said), "peer")
    annotation = Annotation(peer, tuple(Match(str(number)) for number in present))
    return Topic(name, pyramid.references, (peer,), pyramid=pyramid, annotations=(annotation,))


def test_fitting_prefers_what_people_found() -> None:
    topics = [
        judged("a", ["The council banned the motor boats."], [0]),
        judged("b", ["The lake has lost its fish.", "Farmers came."], [1]),
        judged("c", ["Farmers let all the manure into water."], [2]),
    ]
    judge = fit(topics)
    assert judge == fit(topics[::-1]) == fit(topics)
    found = [judge.verdicts(topic.pyramid, topic.peers[0]) for topic in topics if topic.pyramid]
    for place, one in enumerate(found):
        assert max(range(3), key=lambda scu: one[scu].probability) == place
    doubted = fit(topics, {("a", "P", "0"): 0.0})
    assert topics[0].pyramid
    assert doubted.verdicts(topics[0].pyramid, topics[0].peers[0])[0].probability < found[0][0].probability


@pytest.mark.parametrize("topics", [[], [judged("a", [BOATS], [])]])
def test_fitting_to_nothing(topics: list[Topic]) -> None:
    with pytest.raises(PyramidionError, match="teach nothing"):
        fit(topics)


def test_weights_are_read_as_written_and_small() -> None:
    judge = load()
    assert Learned.from_json(judge.to_json()) == judge
    folder = files("pyramidion.language.models") / "learned"
    assert sum(len(file.read_bytes()) for file in folder.iterdir()) < 300_000


@pytest.mark.parametrize(
    "weights", [{}, {"bias": 0.0, "curves": []}, {"bias": "x", "curves": []}, {"bias": 0.0, "curves": [{"feature": 1}]}]
)
def test_other_weights(weights: dict[str, object]) -> None:
    with pytest.raises(FormatError, match="weights"):
        Learned.from_json(weights, "weights.json")


@pytest.mark.data
def test_on_documents_that_it_has_not_seen(data: Path) -> None:
    topics = read(data / "realsumm", 14)
    judge = fit(topics[:10])
    p, y = [], []
    for topic in topics[10:]:
        assert topic.pyramid
        present = {one.summary.id: one.expressed for one in topic.annotations}
        for peer in topic.peers:
            p += judge.probabilities(features(topic.pyramid, peer.text, "unicode")).tolist()
            y += [scu.id in present[peer.id] for scu in topic.pyramid.scus]
    judged_so, there = np.array(p), np.array(y)
    above = (judged_so[there][:, None] > judged_so[~there][None, :]).mean()
    assert above > 0.8
    assert abs(judged_so.mean() - there.mean()) < 0.1
    assert ((judged_so - there) ** 2).mean() < 0.19
