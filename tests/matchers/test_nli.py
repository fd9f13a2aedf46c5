"""The judge of any NLI model: the four scores, wordings and windows, evidence, what holds of every peer, bad input."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from itertools import pairwise
from math import exp, log
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyramidion.errors import InputWarning, PyramidionError
from pyramidion.evaluation.evaluate import evaluate
from pyramidion.language.entailment.transformers import load
from pyramidion.language.parse.clauses import parse_segment_id
from pyramidion.matchers.judged import annotate_by_verdicts, with_decisions
from pyramidion.matchers.nli import NLI, SCORES, make, values, verdicts
from pyramidion.matchers.soft import soft
from pyramidion.methods import Method
from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Summary, Topic
from tests.language.nli_models import HEADS, saved
from tests.strategies import TEXTS, pyramids

FISH, BOATS, MANURE = "The lake had lost its fish", "Motor boats are banned", "Farmers let manure run into the water"
PEER = Summary("P", "The council banned motor boats. All the fish are gone. Nobody said who would pay.", "peer")
LOGIT = st.floats(-50, 50)


def pyramid_of(*scus: tuple[str, ...]) -> Pyramid:
    """A pyramid whose SCUs have these wordings, the n-th one from the n-th reference."""
    made = (
        SCU(str(number), said[0], tuple(Contributor(id, label=words) for id, words in zip("ABCDE", said, strict=False)))
        for number, said in enumerate(scus, start=1)
    )
    return Pyramid("toy", tuple(Summary(id, "") for id in "ABCDE"), tuple(made))


PYRAMID = pyramid_of((FISH, "The fish are gone"), (BOATS,), (MANURE, "Manure is in the lake", "It was not clear"))


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], NLI]:
    """A matcher with a random model of so many classes."""
    known: dict[int, NLI] = {}

    def one(classes: int = 3) -> NLI:
        if classes not in known:
            known[classes] = make(str(saved(tmp_path_factory.mktemp("model"), HEADS[classes])))
        return known[classes]

    return one


Model = Callable[..., NLI]


def said(annotation: Annotation) -> dict[str, float]:
    return dict(annotation.probabilities)


# The four scores


def test_the_scores_of_a_worked_example() -> None:
    # Entailment 1, neutral 2, contradiction -1.5. Entailment is not the highest, but higher than 2 - 1.5 = 0.5.
    rows = np.array([[1.0, 2.0, -1.5]])
    assert values(rows, 0, "p3c")[0] == pytest.approx(exp(1) / (exp(1) + exp(2) + exp(-1.5)), abs=1e-6)
    assert values(rows, 0, "p2c")[0] == pytest.approx(exp(1) / (exp(1) + exp(0.5)), abs=1e-6)
    assert [values(rows, 0, score)[0] for score in ("l3c", "l2c")] == [0, 1]


@given(st.lists(st.tuples(LOGIT, LOGIT), min_size=1))
def test_two_classes_have_one_probability_and_one_label(rows: list[tuple[float, float]]) -> None:
    for place in (0, 1):
        p2c, l2c, p3c, l3c = (values(np.array(rows), place, score) for score in SCORES)
        assert (p2c == p3c).all()
        assert (l2c == l3c).all()


@given(st.lists(st.tuples(LOGIT, LOGIT, LOGIT), min_size=1), st.integers(0, 2), LOGIT)
def test_what_holds_of_three_classes(rows: list[tuple[float, ...]], place: int, shift: float) -> None:
    logits = np.array(rows)
    p2c, l2c, p3c, l3c = (values(logits, place, score) for score in SCORES)
    assert ((p2c >= 0) & (p2c <= 1) & (p3c >= 0) & (p3c <= 1)).all()
    assert (p2c[l2c == 1] >= 0.5).all()
    assert (p2c[l2c == 0] <= 0.5).all()
    assert (p3c[l3c == 0] <= 0.5).all()
    assert np.allclose(values(logits + shift, place, "p3c"), p3c, atol=2e-6)
    classes = [values(logits, one, "p3c") for one in range(3)]
    assert np.allclose(sum(classes), 1, atol=2e-6)


def test_the_two_class_score_moves_with_a_constant() -> None:
    rows = np.log([[0.5, 0.3, 0.2]])
    assert values(rows + 1, 0, "p2c")[0] == pytest.approx(1 / (1 + exp(log(0.06) - log(0.5) + 1)), abs=1e-6)


def test_huge_logits_do_not_overflow() -> None:
    rows = np.array([[1e5, -1e5, 3.0], [-1e5, 1e5, 3.0]])
    assert [values(rows, 0, score).tolist() for score in SCORES] == [[1.0, 0.0]] * 4


# The judge


@pytest.mark.parametrize("classes", [1, 2, 3])
@pytest.mark.parametrize("score", SCORES)
def test_an_scu_has_the_highest_value_of_its_wordings(model: Model, classes: int, score: str) -> None:
    judge = model(classes)
    network, place = load(judge.model), {1: 0, 2: 0, 3: 1}[classes]
    expected = {}
    for scu in PYRAMID.scus:
        rows, _ = network.logits([(PEER.text, one.label) for one in scu.contributors])
        assert len(rows) == len(scu.contributors)
        expected[scu.id] = max(values(rows, place, score))
    assert said(judge(PYRAMID, PEER, score=score, calibrated=True)) == pytest.approx(
        expected, abs=1e-5
    )  # company moves the last bits


def test_the_class_can_be_named_by_its_index(model: Model) -> None:
    shares = [said(model(3)(PYRAMID, PEER, score="p3c", entailment=place, calibrated=True)) for place in range(3)]
    assert shares[1] == said(model(3)(PYRAMID, PEER, score="p3c", calibrated=True))
    assert shares[0] != shares[1] != shares[2]


def test_a_long_summary_has_the_value_of_its_best_window(model: Model) -> None:
    judge = model(3)
    sentences = [FISH, BOATS, MANURE, "Nobody said who would pay for that in three years", "It was clear"] * 4
    peer = Summary("P", ". ".join(sentences) + ".", "peer")
    rows = load(judge.model).logits([(peer.text, BOATS)])[0]
    assert len(rows) > 2
    assert said(judge(pyramid_of((BOATS,)), peer, calibrated=True))["1"] == values(rows, 1, "p2c").max()


def test_matches_are_the_scus_at_the_threshold_and_units_without_one_are_left(model: Model) -> None:
    shares = sorted(said(model(3)(PYRAMID, PEER, calibrated=True)).values())
    for threshold in [*filter(None, shares), 1e-9]:
        found = model(3)(PYRAMID, PEER, threshold=threshold, contradiction=1, calibrated=True)
        assert {match.scu for match in found.matches} == {id for id, share in said(found).items() if share >= threshold}
        assert all(match.score == said(found)[match.scu] for match in found.matches)
        used = [span for match in found.matches for span in match.spans]
        assert not any(
            a.start < b.end and b.start < a.end for unit in found.unmatched for a in unit.spans for b in used
        )
    assert len(shares) == len(set(shares)) == 3


def test_evidence_of_words_is_softs(model: Model) -> None:
    found = model(3)(PYRAMID, PEER, threshold=1e-9, contradiction=1)
    by_words = {match.scu: match.spans for match in soft(PYRAMID, PEER, threshold=1e-9).matches}
    assert {match.scu: match.spans for match in found.matches} == by_words


@pytest.mark.parametrize("score", ["p2c", "p3c", "l2c"])
def test_evidence_of_the_model_is_its_best_sentence(model: Model, score: str) -> None:
    judge = model(3)
    found = judge(PYRAMID, PEER, threshold=1e-9, contradiction=1, evidence="model", score=score)
    assert found.matches
    ends = [-1, *(place for place, sign in enumerate(PEER.text) if sign == ".")]
    sentences = [PEER.text[a + 1 : b + 1].strip() for a, b in pairwise(ends)]
    for match in found.matches:
        wordings = [one.label for one in next(scu for scu in PYRAMID.scus if scu.id == match.scu).contributors]
        network = load(judge.model)
        whole = [values(network.logits([(PEER.text, one)])[0], 1, score)[0] for one in sorted(wordings)]
        best = sorted(wordings)[int(np.argmax(whole))]
        shares = [values(network.logits([(one, best)])[0], 1, f"p{score[1:]}")[0] for one in sentences]
        at = int(np.argmax(shares))
        assert [span.of(PEER.text) for span in match.spans] == [sentences[at]]
        assert parse_segment_id(match.segment)[1] == at


def test_prepared_answers_are_found_and_are_the_same(model: Model, tmp_path: Path) -> None:
    peers = [PEER, Summary("Q", "The fish are gone.", "peer"), Summary("R", "", "peer")]
    one = [said(model(3)(PYRAMID, peer, calibrated=True)) for peer in peers]
    judge = make(str(saved(tmp_path, HEADS[3])))
    judge.prepare([(PYRAMID, peers[:1]), (PYRAMID, peers)])
    asked: list[Any] = []
    load(judge.model)._model.register_forward_pre_hook(lambda *given: asked.append(given))
    for alone, peer in zip(one, peers, strict=True):
        assert said(judge(PYRAMID, peer, calibrated=True)) == pytest.approx(alone, abs=1e-5)
    assert not asked


@pytest.mark.parametrize("most", [1, 7, 10_000])
def test_evaluate_judges_as_many_topics_at_once_as_the_matcher_wants(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    peers = (PEER, Summary("Q", "The fish are gone.", "peer"))
    topics = [
        Topic(name, PYRAMID.references, peers, pyramid=replace(PYRAMID, topic=name)) for name in ("one", "two", "three")
    ]
    judge = make(str(saved(tmp_path, HEADS[3])))
    alone = [said(judge(PYRAMID, peer, calibrated=True)) for peer in peers]
    monkeypatch.setattr(NLI, "together", lambda self, *, fetch=False, full=False: most)  # as on a GPU
    found = evaluate(topics, f"given+nli:{judge.model}(calibrated=true)")
    assert [one.scores.topic for one in found.results] == ["one", "one", "three", "three", "two", "two"]
    assert [said(one.annotation) for one in found.results] == alone * 3


# What holds of every peer


@pytest.mark.parametrize("text", ["", " \n ", "!!! ..."])
@pytest.mark.parametrize("evidence", ["soft", "model"])
def test_a_peer_that_says_nothing_matches_nothing(model: Model, text: str, evidence: str) -> None:
    found = model(1)(PYRAMID, Summary("P", text, "peer"), threshold=1e-9, evidence=evidence)
    assert (found.matches, found.unmatched) == ((), ())
    assert set(said(found).values()) == {0.0}


def test_a_unit_that_says_nothing_is_never_present(model: Model) -> None:
    blank = SCU("1", " ", (Contributor("A", label=" "),))
    pyramid = Pyramid("toy", (Summary("A", ""),), (blank,))
    assert said(model(1)(pyramid, PEER)) == {"1": 0.0}


@pytest.mark.parametrize("evidence", ["soft", "model"])
def test_an_empty_pyramid(model: Model, evidence: str) -> None:
    found = model(3)(Pyramid("toy", (Summary("A", ""),), ()), PEER, evidence=evidence)
    assert not found.matches
    assert found.unmatched


@settings(max_examples=15)
@given(pyramids(), TEXTS, st.sampled_from(["soft", "model"]))
def test_the_order_of_scus_and_contributors_changes_no_value(
    model: Model, pyramid: Pyramid, text: str, evidence: str
) -> None:
    turned = Pyramid(
        pyramid.topic,
        pyramid.references[::-1],
        tuple(SCU(scu.id, scu.label, scu.contributors[::-1]) for scu in pyramid.scus[::-1]),
    )
    peer = Summary("peer of none", text, "peer")
    one, other = (model(3)(each, peer, evidence=evidence, threshold=0.3, calibrated=True) for each in (pyramid, turned))
    assert said(one) == pytest.approx(said(other), abs=1e-5)
    assert {match.scu for match in one.matches} == {match.scu for match in other.matches}
    assert len(one.matches) == len({match.scu for match in one.matches})


def test_scores_count_what_matches_and_not_what_nobody_calibrated(model: Model) -> None:
    """A random model's values lie about a half: their sum is a coverage of .5 or more where nothing matches."""
    topic = Topic("toy", PYRAMID.references, (PEER,), pyramid=PYRAMID)
    judge = model(3)
    values = said(judge(PYRAMID, PEER, calibrated=True))
    assert all(0 < value < 1 for value in values.values())
    for threshold in (*values.values(), 1.0):
        found = judge(PYRAMID, PEER, threshold=threshold, contradiction=1)
        assert said(found) == {scu: float(value >= threshold) for scu, value in values.items()}
        assert {match.scu: match.score for match in found.matches} == {
            scu: value for scu, value in values.items() if value >= threshold
        }
    method = f"given+nli:{judge.model}(threshold=1,contradiction=1"
    counted, summed = (evaluate([topic], f"{method}{end}").results[0].scores for end in (")", ",calibrated=true)"))
    assert (counted.raw, counted.coverage, counted.recall) == (0, 0, 0)
    assert summed.raw == pytest.approx(sum(scu.weight * values[scu.id] for scu in PYRAMID.scus))


def test_labels_calibrate_the_values(model: Model) -> None:
    person = Annotation(PEER, (Match("2"),))
    topic = Topic("toy", PYRAMID.references, (PEER,), pyramid=PYRAMID, annotations=(person,))
    fitted = Method.parse(f"given+nli:{model(3).model}").calibrated([topic])
    assert dict(fitted.parameters)["calibrated"] is True
    assert 0 < dict(fitted.match(PYRAMID, PEER).probabilities)["1"] < 1


# Settings and bad input


def test_settings_are_keywords_of_the_matcher() -> None:
    parameters = inspect.signature(make("some/model")).parameters.values()
    assert {one.name: one.default for one in parameters if one.kind is one.KEYWORD_ONLY} == {
        "threshold": 0.5,
        "contradiction": 0.5,
        "score": "p2c",
        "evidence": "soft",
        "entailment": -1,
        "calibrated": False,
        "fetch": False,
        "full": False,
        "analyser": "en-minilm",
    }


def test_nothing_is_fetched_unless_asked_for() -> None:
    for method in (NLI.__call__, NLI.together, NLI.prepare):
        assert inspect.signature(method).parameters["fetch"].default is False
        assert inspect.signature(method).parameters["full"].default is False


def test_a_model_must_be_named() -> None:
    with pytest.raises(PyramidionError, match="write nli:MODEL"):
        make(" ")


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"score": "p4c"}, "cannot be 'p4c'; choose one of: p2c, l2c, p3c, l3c"),
        ({"evidence": "words"}, "cannot be 'words'; choose one of: soft, model"),
        ({"entailment": 3}, "no class 3.*contradiction, ENTAILMENT, neutral"),
        ({"threshold": 0.0}, "threshold"),
    ],
)
def test_settings_that_are_none(model: Model, setting: dict[str, Any], message: str) -> None:
    with pytest.raises(PyramidionError, match=message):
        model(3)(PYRAMID, PEER, **setting)


def test_a_model_without_an_entailment_class(tmp_path: Path) -> None:
    judge = make(str(saved(tmp_path, ["LABEL_0", "LABEL_1", "LABEL_2"])))
    with pytest.raises(PyramidionError, match="entailment=INDEX"):
        judge(PYRAMID, PEER)
    with pytest.raises(PyramidionError, match="entailment=INDEX"):  # before many pairs are judged, not after
        judge.prepare([(PYRAMID, [PEER, Summary("Q", "The lake is dead.", "peer")])])
    assert ("The lake is dead.", BOATS) not in load(judge.model)._known
    judge.prepare([(PYRAMID, [PEER])], entailment=2)
    assert len(said(judge(PYRAMID, PEER, entailment=2))) == 3


def test_a_unit_longer_than_the_window_is_cut_and_said(model: Model) -> None:
    with pytest.warns(InputWarning, match="only its first 30 are judged"):
        found = model(3)(pyramid_of((f"{FISH} and {BOATS} " * 8,)), PEER)
    assert 0 <= said(found)["1"] <= 1


def test_importing_the_judge_imports_no_torch() -> None:
    code = "import sys, pyramidion.matchers.nli; sys.exit('torch' in sys.modules or 'transformers' in sys.modules)"
    ended = import_module("subprocess").run([import_module("sys").executable, "-c", code], check=False)
    assert ended.returncode == 0


class Written:
    """A model whose logits are written down, for each pair, so that no library is needed: three classes, one window."""

    labels = ("Contradiction", "neutral", "entailment")

    def __init__(self, shares: dict[tuple[str, str], tuple[float, float, float]]) -> None:
        self.shares = shares

    def logits(self, pairs: list[tuple[str, str]]) -> tuple[np.ndarray, np.ndarray]:
        rows = [self.shares.get(pair, (0.125, 0.75, 0.125)) for pair in pairs]
        return np.log(np.array(rows).reshape(-1, 3)), np.ones(len(pairs), np.intp)


DENIES = Summary("P", "The fish are not gone. Motor boats are banned.", "peer")
FIRST, SECOND = "The fish are not gone.", "Motor boats are banned."
DENIED = {
    (DENIES.text, FISH): (0.625, 0.25, 0.125),
    (DENIES.text, "The fish are gone"): (0.75, 0.125, 0.125),
    (DENIES.text, BOATS): (0.0625, 0.0625, 0.875),
    (FIRST, "The fish are gone"): (0.9, 0.05, 0.05),
    (SECOND, BOATS): (0.05, 0.05, 0.9),
    (DENIES.text, MANURE): (0.875, 0.0625, 0.0625),  # but its other wordings are not denied
}


@pytest.mark.parametrize("evidence", ["soft", "model"])
def test_a_class_of_contradiction_gives_the_third_probability(evidence: str) -> None:
    found = verdicts(Written(DENIED), PYRAMID, DENIES, score="p3c", evidence=evidence)  # type: ignore[arg-type]
    assert [one.probability for one in found] == pytest.approx([0.125, 0.875, 0.125])
    assert [one.denial.probability for one in found] == pytest.approx([0.625, 0.0625, 0.125])  # the lowest of wordings
    annotation = annotate_by_verdicts(PYRAMID, DENIES, found, 0.5)
    assert annotation.expressed == ("2",)
    assert said(annotation) == pytest.approx({"1": 0.125, "2": 0.875, "3": 0.125})
    assert said(with_decisions(annotation)) == {"1": 0, "2": 1, "3": 0}
    (denied,) = annotation.contradicted
    assert (denied.scu, denied.probability) == ("1", pytest.approx(0.625))
    assert FIRST.rstrip(".") in DENIES.quote(denied.spans)
    assert parse_segment_id(denied.segment) is not None


def test_a_head_without_that_class_contradicts_nothing() -> None:
    class Two(Written):
        labels = ("refuted or neutral", "whatever", "entailment")  # type: ignore[assignment]

    found = verdicts(Two(DENIED), PYRAMID, DENIES, score="p3c")  # type: ignore[arg-type]
    assert [one.denial.probability for one in found] == [0, 0, 0]
