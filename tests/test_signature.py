"""A signature prints and parses back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.errors import FormatError, PyramidionError
from pyramidion.signature import Signature
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
