"""What every reader is fuzzed with: any bytes at all, and valid documents with damage."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable

from hypothesis import strategies as st

from pyramidion.errors import PyramidionError


def only_our_errors(call: Callable[[], object]) -> None:
    """Run it: it may succeed or raise one of our errors, whose message must be one line; anything else escapes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call()
        except PyramidionError as error:
            assert "\n" not in str(error)
            assert error.what


@st.composite
def mutated(draw: st.DrawFn, valid: bytes) -> bytes:
    """A valid document after one to four cuts, repetitions or replacements."""
    data = valid
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = draw(st.integers(start, min(len(data), start + 200)))
        piece = data[start:end]
        kind = draw(st.sampled_from(["cut", "repeat", "replace", "swap-digits", "truncate"]))
        if kind == "cut":
            data = data[:start] + data[end:]
        elif kind == "repeat":
            data = data[:end] + piece + data[end:]
        elif kind == "replace":
            data = data[:start] + draw(st.binary(max_size=20)) + data[end:]
        elif kind == "swap-digits":
            digits = draw(st.sampled_from([b"-1", b"0", b"99999999999999999999", b"x", b"1e9", b""]))
            with contextlib.suppress(StopIteration):
                at = next(index for index in range(start, len(data)) if data[index : index + 1].isdigit())
                data = data[:at] + digits + data[at + 1 :]
        else:
            data = data[:start]
    return data
