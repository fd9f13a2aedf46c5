"""``pyramidion.lite``: one summary, one reference, one line."""

from __future__ import annotations

from functools import partial

import pytest

from pyramidion import Settings
from pyramidion import lite as by_default
from pyramidion.errors import PyramidionError
from pyramidion.signature import Signature

lite = partial(by_default, method="lite+soft")
REFERENCE = "The dam broke after heavy rain. Nobody was hurt. The mayor thanked the firemen."


def test_the_score_is_the_mean_probability_of_the_statements() -> None:
    found = lite("Nobody was hurt when the dam broke.", REFERENCE)
    told = found.explanation
    probabilities = {one.label: one.score for one in (*told.expressed, *told.missed)}
    labels = ["The dam broke after heavy rain.", "Nobody was hurt.", "The mayor thanked the firemen."]
    assert list(probabilities) == labels
    assert found.score == pytest.approx(sum(probabilities.values()) / 3)
    assert found.score == found.scores.recall == found.scores.coverage
    assert [one.words for one in told.expressed] == [("when the dam broke",), ("Nobody was hurt....",)]
    assert Signature.parse(str(found.signature)).method == "lite+soft"


def test_the_same_text_scores_one_and_an_empty_one_nothing() -> None:
    assert lite(REFERENCE, REFERENCE).score == 1
    assert lite(REFERENCE, [REFERENCE]).score == 1
    assert lite("", REFERENCE).score == 0


def test_several_references_are_units_of_one_score_at_most_one() -> None:
    other = "Heavy rain broke a dam. People fled."
    one, both, turned = (lite(REFERENCE, given) for given in (REFERENCE, [REFERENCE, other], [other, REFERENCE]))
    assert len(both.explanation.expressed) + len(both.explanation.missed) == 5
    assert other not in REFERENCE
    assert 3 / 5 < both.score < one.score == 1
    assert both.score == turned.score == both.scores.recall


def test_another_method_and_other_settings() -> None:
    found = lite("The dam broke.", REFERENCE, method="lite+soft(units=clauses)")
    assert found.signature.method == "lite+soft(units=clauses)"
    built = lite("The dam broke.", [REFERENCE, "A dam broke."], method="edua-p+soft(t_edge=0.4)")
    assert built.score == built.scores.coverage
    counted = lite("The dam broke.", REFERENCE, settings=Settings(presence="counted"))
    assert counted.score == pytest.approx(1 / 3)


@pytest.mark.parametrize("references", ["", " \n", "...", [], ["", "?"]])
def test_references_that_say_nothing(references: str | list[str]) -> None:
    with pytest.raises(PyramidionError, match="The reference has no words; give a text"):
        lite("The dam broke.", references)


@pytest.mark.parametrize("given", [None, 3, ["The dam broke.", None], [["The dam broke."]]])
def test_what_is_no_text(given: object) -> None:
    with pytest.raises(PyramidionError, match="The reference is not a text"):
        lite("The dam broke.", given)  # type: ignore[arg-type]
    with pytest.raises(PyramidionError, match="The summary is not a text"):
        lite(given, "The dam broke.")  # type: ignore[arg-type]


def test_methods_that_need_people_or_are_not_there() -> None:
    for method in ("manual", "given+soft", "lite+given"):
        with pytest.raises(PyramidionError, match="made by people"):
            lite("The dam broke.", REFERENCE, method=method)
    with pytest.raises(PyramidionError, match="There is no method 'light'"):
        lite("The dam broke.", REFERENCE, method="light")
