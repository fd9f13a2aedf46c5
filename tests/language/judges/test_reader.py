"""The reader: independence of company, sense, damaged weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pyramidion.errors import InputWarning, MissingPartError
from pyramidion.language.judges.reader import MOST_PASSAGE, MOST_UNIT, Reader, reader

PASSAGE = "The council closed the bridge on Friday. Engineers had found cracks in two of its pillars."
UNITS = [
    "The bridge was shut.",
    "There were cracks in the pillars.",
    "A new museum opened downtown last summer.",
    "Cracks.",
]


def test_what_is_said_is_told_from_what_is_not() -> None:
    shut, cracks, museum, _ = reader().logits(PASSAGE, UNITS)
    assert min(shut, cracks) > 0 > museum
    assert min(shut, cracks) - museum > 4


def test_a_unit_is_read_alike_in_any_company() -> None:
    together = reader().logits(PASSAGE, UNITS)
    alone = [reader().logits(PASSAGE, [unit])[0] for unit in UNITS]
    backwards = reader().logits(PASSAGE, [*UNITS, *UNITS][::-1])
    assert np.allclose(together, alone, atol=1e-4)
    assert np.allclose(backwards, [*together[::-1], *together[::-1]], atol=1e-4)


def test_no_units_no_words_and_too_many_words() -> None:
    assert reader().logits(PASSAGE, []).shape == (0,)
    assert np.isfinite(reader().logits("", ["", "The bridge was shut."])).all()
    long = " ".join(["bridge"] * (MOST_PASSAGE + 50))
    longer = " ".join(["bridge"] * (MOST_PASSAGE + 500))
    unit = " ".join(["crack"] * (MOST_UNIT + 10))
    with pytest.warns(InputWarning) as told:
        cut = reader().logits(long, [unit])
    assert [str(one.message).rpartition("reads only its first ")[2] for one in told] == ["384", "64"]
    assert np.array_equal(reader().logits(long, [unit]), cut)  # a warning, which is an error here, comes once
    with pytest.warns(InputWarning):
        assert np.array_equal(reader().logits(longer, [unit + " more"]), cut)


def test_lone_surrogates_are_no_trap() -> None:
    assert np.isfinite(reader().logits("a \ud800 b", ["\udfff"])).all()


def test_damaged_weights_say_so(tmp_path: Path) -> None:
    path = tmp_path / "weights.npz"
    for data in (b"", b"PK\x03\x04 nothing", b"\x93NUMPY"):
        path.write_bytes(data)
        with pytest.raises(MissingPartError, match="weights cannot be read"):
            Reader(path)
    with pytest.raises(MissingPartError, match="weights cannot be read"):
        Reader(tmp_path / "none.npz")
