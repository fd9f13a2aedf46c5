"""A signature prints and parses back."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pyramidion as pm
from pyramidion.analyses.scores.corpus import corpus_table
from pyramidion.analyses.scores.table import ScoreTable
from pyramidion.crowd.scores.curves import ITSELF, curves
from pyramidion.errors import FormatError, PyramidionError
from pyramidion.signature import Signature
from pyramidion.stats.levels import Level, Means
from tests.crowd.ballots import crowd, votes
from tests.fuzz import only_our_errors

NAMES = st.text(max_size=20).filter(lambda name: name not in ("method", "version"))


@given(st.text(max_size=20), st.lists(st.tuples(NAMES, st.text(max_size=20)), max_size=5), st.text(max_size=10))
def test_it_parses_back(method: str, parameters: list[tuple[str, str]], version: str) -> None:
    signature = Signature(method, tuple(parameters), version)
    assert Signature.parse(str(signature)) == signature
    assert "\n" not in str(signature)


@pytest.mark.parametrize("text", ["", "manual", "method:x", "version:1|method:x", "method:x|cap|version:1"])
def test_what_is_none_is_refused(text: str) -> None:
    with pytest.raises(FormatError, match="signature"):
        Signature.parse(text)


@given(st.text())
def test_any_text(text: str) -> None:
    only_our_errors(lambda: Signature.parse(text))


def test_parameters_cannot_pose_as_the_method() -> None:
    with pytest.raises(PyramidionError, match="cannot be called 'version'"):
        Signature("manual", (("version", "9"),))


# What is signed was applied

OF_SCORES = {field.name for field in fields(pm.Settings)}


def test_how_systems_are_averaged_is_signed_where_systems_are() -> None:
    columns = {name: np.array([[1.0, 2.0, by], [np.nan, 5.0, 4.0]]) for name, by in (("people", 3.0), ("ours", 2.5))}
    table = ScoreTable(("t", "u"), ("a", "b", "c"), columns, Signature("scores"))
    for level in get_args(Level):
        own, common = (pm.correlate(table, level=level, means=means) for means in get_args(Means))
        assert ("means" in dict(own.signature.parameters)) == (level == "system")
        assert (own.signature == common.signature) == (level != "system")
        assert level == "system" or own.rows() == common.rows()


def test_stability_signs_the_settings_that_its_score_depends_on() -> None:
    def signed(**given: Any) -> set[str]:
        return {name for name, _ in pm.stability(pm.example(), **given).signature.parameters}

    assert signed() & OF_SCORES == {"average", "cap", "weights", "presence"}
    assert signed(quantity="quality") & OF_SCORES == {"weights"}


def test_scus_are_compared_with_the_weights_that_are_signed() -> None:
    reference, peer = pm.Summary("r", "It rained. It poured."), pm.Summary("p", "It rained.", "peer")
    twice = (pm.Contributor("r", (pm.Span(0, 10),)), pm.Contributor("r", (pm.Span(11, 21),)))
    pyramid = pm.Pyramid("t", (reference,), (pm.SCU("1", "It rained", twice),), repeats_told=True)
    topic = pm.Topic("t", (reference,), (peer,), pyramid=pyramid, annotations=(pm.Annotation(peer, (pm.Match("1"),)),))
    for weights, weight in (("references", 1), ("contributors", 2)):
        table = pm.score_table(pm.evaluate([topic], "manual", pm.Settings(weights=weights)))  # type: ignore[arg-type]
        assert table.scus is not None
        assert ([scu.weight for scu in table.scus.scus], table.scus.values) == ([weight], [1.0])
        assert dict(table.signature.parameters)["weights"] == weights


def test_a_study_that_is_compared_with_itself_signs_no_other_name() -> None:
    found = curves(votes(crowd({"a": 0.2, "b": 0.5, "c": 0.8}, topics=2)), name="other.csv", resamples=2)
    assert dict(found.signature.parameters)["against"] == found.against == ITSELF


def test_stems_are_signed_where_words_are_stemmed() -> None:
    made = [dict(corpus_table("c", pm.example(), metrics).signature.parameters) for metrics in ([], ["rouge-1"])]
    assert ["rouge" in parameters for parameters in made] == [False, True]
