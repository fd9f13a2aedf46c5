"""Metrics by name."""

from __future__ import annotations

import pytest

from pyramidion import metrics
from pyramidion.errors import ModelError
from pyramidion.metrics import NAMES, BasicElements, LexicalPyramid, Rouge, metric, settings_of


def test_names_are_those_of_the_classes() -> None:
    assert metric("rouge-su4", stem=True) == Rouge("SU4", stem=True)
    assert metric("ROUGE-L") == Rouge("L")
    assert metric("rouge-7") == Rouge("7")
    assert metric("be-hmr", references="best") == BasicElements("hmr", references="best")
    assert metric("lexical-pyramid") == LexicalPyramid()


@pytest.mark.parametrize("name", NAMES)
def test_every_name_scores_and_has_a_signature(name: str) -> None:
    one = metric(name)
    text, other = "Two dogs chased the red cat on Monday.", "The dogs saw a cat."
    assert one.scores([text, other], [[text], [text, other]]) == [
        one.score(text, [text]),
        one.score(other, [text, other]),
    ]
    assert one.score(text, [text])[1] == pytest.approx(1)
    assert one.parameters


@pytest.mark.parametrize("name", ["rouge", "rouge-x", "be", "be-h", "bleu", "", "2"])
def test_an_unknown_name_is_told_the_names(name: str) -> None:
    with pytest.raises(ModelError, match=r"rouge-su4.*be-hm.*lexical-pyramid"):
        metric(name)


def test_settings_are_those_of_the_class() -> None:
    assert "stem" in settings_of("rouge-2")
    assert settings_of("lexical-pyramid") == ("language",)
    with pytest.raises(ModelError, match=r"no setting 'stem'.*analyser, references, alpha"):
        metric("be-hm", stem=True)


def test_shortcuts() -> None:
    assert metrics.rouge("a b c", ["a b d"]) == Rouge("2").score("a b c", ["a b d"])
    assert metrics.rouge("going", ["went"], "1", stem=True).f == 1
    assert metrics.be("Dogs bark.", ["The dog barks."], "hmr").f == 1
