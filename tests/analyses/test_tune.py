"""The grid search, with a toy builder and matcher on the bundled example, and with plain numbers."""

from __future__ import annotations

import re
from dataclasses import replace
from statistics import fmean

import pytest

from pyramidion.analyses.scores.table import TABLE, ScoreTable, from_values
from pyramidion.analyses.tune import tune
from pyramidion.builders import BUILDERS
from pyramidion.errors import InputWarning, MissingPartError, PyramidionError
from pyramidion.evaluation.evaluate import evaluate
from pyramidion.examples import example
from pyramidion.matchers import MATCHERS
from pyramidion.model import Annotation, Match, Pyramid, Summary, Topic
from pyramidion.stats.correlation import pearson

BUILT: list[str] = []
MATCHED: list[str] = []


def toy_builder(
    topic: Topic, *, alpha: int = 10, beta: float = 2.0, percentile: float = 50, heavy: bool = False
) -> Pyramid:
    """The SCUs that weigh beta or more of the topic's own pyramid; alpha does nothing."""
    BUILT.append(topic.id)
    if percentile > 90:
        raise PyramidionError(f"The percentile {percentile} leaves no edge")
    assert topic.pyramid is not None
    least = beta + heavy
    return replace(topic.pyramid, scus=tuple(scu for scu in topic.pyramid.scus if scu.weight >= least))


def toy_matcher(pyramid: Pyramid, summary: Summary, *, threshold: float = 0.5, stem: str = "no") -> Annotation:
    """SCUs of whose label the summary has enough words."""
    if stem == "missing":
        raise MissingPartError("no stemmer", do="pip install stemmer")
    MATCHED.append(summary.id)
    said = set(re.findall(r"\w+", summary.text.lower()))
    found = []
    for scu in pyramid.scus:
        words = set(re.findall(r"\w+", scu.label.lower()))
        if words and len(words & said) / len(words) >= threshold:
            found.append(Match(scu.id))
    return Annotation(summary, tuple(found))


def register(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let methods name the toys."""
    monkeypatch.setitem(BUILDERS._loaded, "toy", toy_builder)
    monkeypatch.setitem(MATCHERS._loaded, "toy", toy_matcher)
    BUILT.clear()
    MATCHED.clear()


@pytest.fixture(autouse=True)
def _toys(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch)


def people(topics: list[Topic]) -> ScoreTable:
    """What the annotations give the peers of the example."""
    values = {
        (one.scores.topic, one.scores.summary): float(one.scores.raw) for one in evaluate(topics, "manual").results
    }
    return from_values(values, "raw", TABLE)


GRID = (("beta", (1, 2, 3)), ("threshold", (0.3, 0.5, 0.7)))


def test_each_cell_is_what_evaluate_gives() -> None:
    topics = example()
    human = people(topics)
    found = tune(topics, human, "toy+toy", GRID, quantity="coverage")
    assert len(found.cells) == 9
    assert found.human == tuple(human.by_peer()[peer] for peer in found.peers)
    for cell in found.cells:
        parameters = ",".join(f"{name}={value}" for name, value in cell.parameters)
        own = evaluate(topics, f"toy+toy({parameters})")
        scores = {(one.scores.topic, one.scores.summary): one.scores.coverage for one in own.results}
        assert cell.scores == tuple(scores[peer] for peer in found.peers)
        assert cell.correlation == pearson(cell.scores, found.human)
    own_cell = next(cell for cell in found.cells if dict(cell.parameters) == {"beta": 2, "threshold": 0.5})
    assert found.default.scores == own_cell.scores
    assert found.best is not None
    assert found.best.correlation == max(cell.correlation or -1 for cell in found.cells)


def test_a_pyramid_is_built_once_for_all_cells_of_the_matcher() -> None:
    topics = example()
    tune(topics, people(topics), "toy+toy", GRID)
    assert len(BUILT) == (1 + 3) * len(topics)


def test_cells_with_equal_pyramids_are_matched_once() -> None:
    topics = example()
    tune(topics, people(topics), "toy+toy", (("alpha", (10, 20, 30)), *GRID))
    assert len(BUILT) == (1 + 9) * len(topics)
    assert len(MATCHED) == (1 + 9) * sum(len(topic.peers) for topic in topics)


def test_progress_is_told_of_every_cell() -> None:
    told: list[int] = []
    tune(example(), people(example()), "toy+toy", GRID, progress=lambda: told.append(1))
    assert len(told) == 9


def test_only_labelled_peers_are_scored_and_order_does_not_matter() -> None:
    topics = example()
    human = people(topics)
    some = from_values({key: value for key, value in human.by_peer().items() if key[1] != "copy"}, "raw", TABLE)
    found = tune(topics, some, "toy+toy", GRID)
    assert "copy" not in {peer for _, peer in found.peers}
    turned = [replace(topic, peers=topic.peers[::-1]) for topic in reversed(topics)]
    again = tune(turned, from_values(dict(reversed(some.by_peer().items())), "raw", TABLE), "toy+toy", GRID)
    assert again == found


def test_anova_and_means_are_over_the_cells() -> None:
    found = tune(example(), people(example()), "toy+toy", (("alpha", (10, 20)), *GRID, ("heavy", (False,))))
    analysis = dict(found.anova)
    assert analysis["heavy"] is None
    assert analysis["alpha"] is not None
    assert analysis["alpha"].f == pytest.approx(0, abs=1e-12)
    assert analysis["threshold"] is not None
    assert (analysis["threshold"].df_between, analysis["threshold"].df_within) == (2, 15)
    by_beta = found.means("beta")
    twos = [cell.correlation for cell in found.cells if dict(cell.parameters)["beta"] == 2]
    assert by_beta[2,] == pytest.approx(fmean(one for one in twos if one is not None))
    assert len(found.means("beta", "threshold")) == 9


def test_parameters_without_effect_stay_at_their_defaults() -> None:
    found = tune(example(), people(example()), "toy+toy", (("alpha", (50, 40, 10)), ("beta", (1, 2, 3))))
    for index in {*found.validation.chosen, found.validation.recommended, found.ranked[0]}:
        assert index is not None
        assert dict(found.cells[index].parameters)["alpha"] == 10


def test_cells_that_fail_or_do_not_vary_are_counted_and_left_out() -> None:
    grid = (("percentile", (50, 95)), ("threshold", (0.5, 2)))
    with pytest.warns(InputWarning, match="2 of 4 cells failed .* percentile=95 threshold=0.5: The percentile 95"):
        found = tune(example(), people(example()), "toy+toy", grid)
    assert (found.failed, found.undefined) == (2, 1)
    assert [cell.correlation is None for cell in found.cells] == [False, True, True, True]
    assert set(found.validation.chosen) == {0}
    assert dict(found.anova) == {"percentile": None, "threshold": None}


def test_a_missing_part_ends_the_search() -> None:
    with pytest.raises(MissingPartError, match="no stemmer"):
        tune(example(), people(example()), "toy+toy", (("stem", ("no", "missing")),))


def test_failing_defaults_end_the_search() -> None:
    with pytest.raises(PyramidionError, match="The percentile 99 leaves no edge"):
        tune(example(), people(example()), "toy+toy(percentile=99)", GRID)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({("tidal-lagoon", "copy"): 1.0}, "1 peer\\(s\\) have a human score; give human scores of 4 peers or more"),
        ({}, "No summary has a score 'raw'"),
        (dict.fromkeys(people(example()).by_peer(), 3.0), "Every peer has the human score 3 in 'raw'"),
    ],
)
def test_human_scores_that_tell_nothing(values: dict[tuple[str, str], float], message: str) -> None:
    with pytest.raises(PyramidionError, match=message):
        tune(example(), from_values(values, "raw", TABLE), "toy+toy", GRID)


def test_a_labelled_peer_without_a_score_is_named() -> None:
    topics = example()
    human = people(topics)
    bare = [replace(topic, annotations=()) for topic in topics]
    with (
        pytest.warns(InputWarning, match="no annotation"),
        pytest.raises(PyramidionError, match="'copy' of topic 'lake-revival' has a human score, but the method gives"),
    ):
        tune(bare, human, "toy+given", (("alpha", (10, 20)),))


def test_advice_says_when_the_defaults_do_as_well() -> None:
    found = tune(example(), people(example()), "toy+toy", GRID)
    better = replace(found, default=replace(found.default, correlation=1.0))
    assert better.advice.endswith("keep the defaults.")
    worse = replace(found, default=replace(found.default, correlation=-1.0))
    assert "keep the defaults" not in worse.advice
    assert re.search(r"chosen in \d of 2 folds: (fairly |un)?stable", worse.advice)
    none = replace(found, validation=replace(found.validation, recommended=None))
    assert "nothing can be recommended" in none.advice


def test_the_choice_is_worth_held_out_what_it_is_worth_where_there_is_nothing_to_choose() -> None:
    found = tune(example(), people(example()), "toy+toy", (("threshold", (0.5,)),))
    own, flattering, held_out = found.table("worth").rows
    assert found.by == "topic"
    assert own[1] == flattering[1]
    assert held_out[1] == pytest.approx(flattering[1], abs=1e-9)
    assert {row[2:] for row in (own, flattering, held_out)} == {(None, None)}
    assert found.table("worth").caption == "No intervals: it takes 6 topics, and here are 2."
    assert found.to_json()["cross_validation"]["interval"] is None
