"""Cosines against human judgements of similarity."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from pyramidion.analyses.accuracy import sts
from pyramidion.errors import FormatError, InputWarning
from pyramidion.language.vectors import embedder
from tests.fuzz import mutated, only_our_errors

ROWS = b"5\tsame words here\tsame words here\n2.5\tsame words\tsame other\n0\tnothing shared\tat all\n"


def shared_letters(texts: Sequence[str]) -> list[list[int]]:
    return [[text.count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "b.tsv").write_bytes(ROWS)
    (tmp_path / "a.tsv").write_bytes(b"1\tdog\tcat\r\n4\tdog\tdog\r\n\r\n")
    return tmp_path


def test_sets_are_read_by_name(folder: Path) -> None:
    first, second = sts.read(folder)
    assert first == sts.Pairs("a", ("dog", "dog"), ("cat", "dog"), (1.0, 4.0))
    assert second.judgements == (5.0, 2.5, 0.0)


def test_the_mean_is_of_the_sets_and_pooled_is_over_all_pairs(folder: Path) -> None:
    def cosines(texts: Sequence[str]) -> list[list[float]]:
        return [[1.0, 0.0] if text in ("same words here", "dog") else [1.0, 1.0] for text in texts]

    (result,) = sts.bench_sts([embedder(cosines)], sts.read(folder)).embedders
    judgements, found = [1, 4, 5, 2.5, 0], [math.sqrt(0.5), 1, 1, 1, 1]
    assert dict(result.sets)["a"] == pytest.approx(1)
    assert dict(result.sets)["b"] is None
    assert result.mean is None
    assert result.pooled == pytest.approx(float(np.corrcoef(judgements, found)[0, 1]), abs=1e-6)


def test_the_table_puts_the_papers_four_figures_below_ours(folder: Path) -> None:
    study = sts.bench_sts([embedder(shared_letters)], sts.read(folder))
    table = study.table()
    assert table.columns == ("embedder", "a", "b", "mean", "pooled")
    assert [row[0] for row in table.rows][1:] == [f"{name} (Gao et al. 2019)" for name in sts.GAO_2019]
    assert ".7257" in str(study)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"1\tonly one\n2\ta\tb\n", ":1: This is not a judgement"),
        (b"1\ta\tb\nx\ta\tb\n", ":2: This is not a judgement"),
        (b"1\ta\tb\n1\ta\tb\n", "two different judgements"),
        (b"", "two different judgements"),
        (b"1\t\0\tb\n", "a binary file"),
    ],
)
def test_a_wrong_file_is_named_with_its_line(content: bytes, what: str, tmp_path: Path) -> None:
    (tmp_path / "set.tsv").write_bytes(content)
    with pytest.raises(FormatError, match=what):
        sts.read(tmp_path)


def test_a_byte_order_mark_is_no_part_of_the_first_judgement(tmp_path: Path) -> None:
    (tmp_path / "set.tsv").write_bytes(b"\xef\xbb\xbf" + ROWS)
    assert sts.read(tmp_path)[0].judgements == (5.0, 2.5, 0.0)


def test_a_file_that_is_not_utf_8_is_read_with_a_warning(tmp_path: Path) -> None:
    (tmp_path / "set.tsv").write_bytes(b"1\tcaf\xe9\tb\n2\ta\tb\n")
    with pytest.warns(InputWarning, match="read as cp1252"):
        assert sts.read(tmp_path)[0].first == ("caf\u00e9", "a")


def test_a_folder_without_sets_is_named(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(FormatError, match=r"no \.tsv files"):
            sts.read(place)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=mutated(ROWS))
def test_no_file_breaks_the_reader(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "set.tsv").write_bytes(content)
    only_our_errors(lambda: sts.bench_sts([embedder(shared_letters)], sts.read(tmp_path)))


@pytest.mark.data
@pytest.mark.parametrize(("name", "mean", "pooled"), [("static", 0.76, 0.76), ("wtmf", 0.68, 0.70)])
def test_the_figures_of_the_cards_hold(name: str, mean: float, pooled: float, data: Path) -> None:
    sets = sts.read(data / "sts14")
    assert sum(len(pairs.judgements) for pairs in sets) == 3750
    (result,) = sts.bench_sts([name], sets).embedders
    assert (result.mean or 0) >= mean
    assert (result.pooled or 0) >= pooled
