"""BE by hand: two sentences whose elements are known, and several references."""

from __future__ import annotations

from collections import Counter

import pytest

from pyramidion.errors import ModelError
from pyramidion.language.parse.analysis import LanguageError
from pyramidion.metrics import BasicElements, RougeScore
from pyramidion.signature import Signature

ACTIVE = "The court indicted two Libyans in 1991."
PASSIVE = "In 1991 two Libyans were indicted by the court."
AFTER = "The court indicted two Libyans after 1991."
SHORT = "Two Libyans were indicted."


def test_units_are_heads_and_modifiers_with_or_without_relations() -> None:
    triples = {
        ("indict", "court", "subj"),
        ("libyan", "two", "nn"),
        ("indict", "libyan", "obj"),
        ("indict", "1991", "in"),
    }
    assert BasicElements("hmr").units(ACTIVE) == Counter(triples)
    assert BasicElements("hm").units(ACTIVE) == Counter(triple[:2] for triple in triples)


def test_the_passive_says_the_same() -> None:
    assert BasicElements("hmr").score(PASSIVE, [ACTIVE]) == (1, 1, 1)


def test_only_hmr_sees_another_preposition() -> None:
    assert BasicElements("hm").score(AFTER, [ACTIVE]) == (1, 1, 1)
    assert BasicElements("hmr").score(AFTER, [ACTIVE])[:2] == (3 / 4, 3 / 4)


def test_an_element_counts_as_often_as_it_stands_in_either() -> None:
    assert BasicElements().score(f"{SHORT} {SHORT}", [SHORT])[:2] == (1, 1 / 2)
    assert BasicElements().score(SHORT, [f"{SHORT} {SHORT}"])[:2] == (1 / 2, 1)


def test_several_references() -> None:
    """SHORT has 2 elements, ACTIVE 4, both of SHORT's among them; the third shares none of its 1."""
    references = [ACTIVE, SHORT, "Dogs bark."]
    assert BasicElements().score(SHORT, references)[:2] == (4 / 7, 4 / 6)
    assert BasicElements(references="best").score(SHORT, references) == (1, 1, 1)
    assert BasicElements(references="jackknife").score(SHORT, references).recall == pytest.approx((2 * 1 + 2 / 4) / 3)
    for how in ("average", "best", "jackknife"):
        metric = BasicElements(references=how)
        assert metric.score(SHORT, references) == metric.score(SHORT, references[::-1])


def test_many_candidates_each_with_its_references() -> None:
    metric = BasicElements("hmr", alpha=0.8)
    candidates, references = [ACTIVE, SHORT, ""], [[SHORT], [ACTIVE, AFTER], [SHORT]]
    assert metric.scores(candidates, references) == [
        metric.score(*pair) for pair in zip(candidates, references, strict=True)
    ]
    assert metric.scores([], []) == []


def test_texts_without_elements_score_nothing() -> None:
    assert BasicElements().score("", [ACTIVE]) == RougeScore(0, 0, 0)
    assert BasicElements().score(ACTIVE, ["Yes."]) == RougeScore(0, 0, 0)


def test_bad_input_is_refused() -> None:
    with pytest.raises(LanguageError, match="needs an English parse"):
        BasicElements().score("Полиция вчера задержала двух человек.", [ACTIVE])
    with pytest.raises(ModelError, match="no reference"):
        BasicElements().score(ACTIVE, [])
    with pytest.raises(ModelError, match="a single string"):
        BasicElements().score(ACTIVE, ACTIVE)
    with pytest.raises(ModelError, match="1 candidates"):
        BasicElements().scores([ACTIVE], [])
    for wrong in ({"matching": "h"}, {"references": "worst"}, {"alpha": 2.0}):
        with pytest.raises(ModelError):
            BasicElements(**wrong)


def test_settings_fit_a_signature() -> None:
    signature = Signature("be-hm", BasicElements("hm").parameters)
    assert Signature.parse(str(signature)) == signature
