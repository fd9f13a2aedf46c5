"""Treebanks as files: plain or gzipped, with errors that name them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from pyramidion.analyses.accuracy.language import read_treebank
from pyramidion.errors import FormatError

CONLLU = (
    b"# text = Cats sleep\n1\tCats\tcat\tNOUN\tNNS\t_\t2\tnsubj\t_\t_\n2\tsleep\tsleep\tVERB\tVBP\t_\t0\troot\t_\t_\n"
)
PACKED = gzip.compress(CONLLU, mtime=0)


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.conllu", CONLLU), ("a.conllu", b"\xef\xbb\xbf" + CONLLU), ("a.conllu.gz", PACKED)],
    ids=["plain", "byte order mark", "gzipped"],
)
def test_a_treebank_is_read(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    assert [document.text for document in read_treebank(tmp_path / name).documents] == ["Cats sleep"]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (CONLLU, "cannot be unpacked"),
        (PACKED[:-12], "cannot be unpacked"),
        (PACKED[:10] + b"\xff" * 20, "cannot be unpacked"),
        (gzip.compress(b"\0", mtime=0), "a binary file"),
        (gzip.compress(b"1\tCats\n", mtime=0), "1: The line has 2 columns"),
    ],
    ids=["not gzipped", "cut off", "damaged", "binary", "wrong"],
)
def test_a_damaged_treebank_is_named(tmp_path: Path, content: bytes, what: str) -> None:
    (tmp_path / "a.conllu.gz").write_bytes(content)
    with pytest.raises(FormatError, match=f"a.conllu.gz:.*{what}"):
        read_treebank(tmp_path / "a.conllu.gz")


def test_a_treebank_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"a\.conllu: There is no such file"):
        read_treebank(tmp_path / "a.conllu")
