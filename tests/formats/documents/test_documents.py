"""A document's text is the same whatever program wrote it, and what is no part of it is named."""

from __future__ import annotations

import warnings
import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.errors import FormatError, InputWarning
from pyramidion.formats.documents import READERS, read_document
from pyramidion.formats.documents.above import without_heading
from pyramidion.formats.documents.markdown import plain

DOCUMENTS = Path(__file__).parents[2] / "data" / "documents"
ESSAY = (
    "The canal of Vosk\n"
    "The canal was dug in 1832, because the river was too shallow for barges. Four hundred workers dug it with spades, "
    "and eleven of them died when a wall of mud gave way in the second winter.\n"
    "Grain prices fell by a third after it opened. The mills moved to its banks, and the old harbour \u2013 once the "
    "richest street of Vosk \u2013 was empty within ten years.\n"
    "When the railway came in 1871, hardly a barge was left. Today the canal is a park; children skate on it in "
    "January, and the town council pays for the lamps."
)


@pytest.mark.parametrize("kind", ["docx", "odt", "rtf", "html"])
def test_office_files_give_the_same_text(kind: str) -> None:
    assert read_document(DOCUMENTS / f"essay.{kind}").text == ESSAY


def test_a_pdf_gives_the_words_of_the_text() -> None:
    document = read_document(DOCUMENTS / "essay.pdf")
    assert [
        sentence for sentence in ("hardly a barge was left", "eleven of them died") if sentence not in document.text
    ] == []
    assert "Riverside School" not in document.text
    assert ("page number", "2") in document.left_out


def test_what_is_no_part_of_the_text_is_named() -> None:
    left_out = read_document(DOCUMENTS / "essay.docx").left_out
    assert ("header", "History 101, Riverside School") in left_out
    assert ("footnote", "See the town archive.") in left_out
    assert ("above the text", "Name: Ann Lee") in left_out
    assert ("above the text", "3 May 2026") in left_out


def test_html_gives_what_is_shown(tmp_path: Path) -> None:
    page = tmp_path / "a.HTML"
    page.write_text(
        "<head><title>T</title></head><body><nav>Home</nav><p>It <b>rain</b>ed.<br>Much.</p><script>x()</script>"
    )
    assert read_document(page).text == "It rained.\nMuch."


def test_a_plain_text_stays_as_it_is(tmp_path: Path) -> None:
    file = tmp_path / "a.TXT"
    file.write_bytes("Name: Ann\r\n  Two  blanks.".encode("utf-16"))
    assert read_document(file).text == "Name: Ann\n  Two  blanks."


@pytest.mark.parametrize(
    ("name", "data", "what"),
    [
        ("a.docx", b"PK\x03\x04 cut off", "damaged"),
        ("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(99), "encrypted, or it was saved by Word 97"),
        ("a.odt", b"no archive", "damaged"),
        ("a.pdf", b"%PDF-1.4 nothing follows", "damaged"),
        ("a.rtf", b"plain words", "not RTF"),
        ("a.html", b"<p> </p>", "no text"),
    ],
)
def test_what_cannot_be_read_is_told_in_one_sentence(tmp_path: Path, name: str, data: bytes, what: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(FormatError, match=what) as raised:
        read_document(tmp_path / name)
    assert "\n" not in str(raised.value)


def test_an_archive_that_blows_up_is_refused_before_it_fills_the_memory(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.docx", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"<a>" + b" " * (70 * 2**20) + b"</a>")
    with pytest.raises(FormatError, match="unpacks to more than 64 MiB"):
        read_document(tmp_path / "bomb.docx")


def test_a_scanned_pdf_is_told_as_such(tmp_path: Path) -> None:
    from pypdf import PdfWriter

    writer = PdfWriter()
    writer.add_blank_page(200, 200)
    writer.write(tmp_path / "scan.pdf")
    with pytest.raises(FormatError, match="pictures and no text"):
        read_document(tmp_path / "scan.pdf")


def test_an_encrypted_pdf_is_told_as_such(tmp_path: Path) -> None:
    from pypdf import PdfWriter

    writer = PdfWriter()
    writer.add_blank_page(200, 200)
    writer.encrypt("secret", algorithm="RC4-128")
    writer.write(tmp_path / "locked.pdf")
    with pytest.raises(FormatError, match="encrypted"):
        read_document(tmp_path / "locked.pdf")


@pytest.mark.parametrize(
    ("line", "goes"),
    [
        ("Name: Ann Lee", True),
        ("Student ID: 123", True),
        ("12/05/2026", True),
        ("May 3rd, 2026", True),
        ("by Ann Lee", True),
        ("(142 words)", True),
        ("ann@school.org", True),
        ("The canal of Vosk", False),
        ("In 1832 the canal was dug.", False),
        ("Class struggle", False),
    ],
)
def test_which_lines_above_a_text_are_no_part_of_it(line: str, goes: bool) -> None:
    text, above = without_heading(f"{line}\nThe canal was dug in 1832.")
    assert bool(above) == goes
    assert (text == "The canal was dug in 1832.") == goes


def test_a_date_below_the_first_sentence_stays() -> None:
    text = "The canal was dug long ago.\n3 May 1832"
    assert without_heading(text) == (text, ())


def test_a_text_of_nothing_but_a_heading_stays() -> None:
    assert without_heading("Name: Ann\n3 May 2026") == ("Name: Ann\n3 May 2026", ())


def test_markdown_keeps_words_and_drops_marks() -> None:
    assert plain("> *Never* `run`\n\n1. one\n2. two\n\nsnake_case_name stays, 2 * 3 * 4 too") == (
        "Never run\none\ntwo\nsnake_case_name stays, 2 * 3 * 4 too"
    )


@given(
    kind=st.sampled_from(sorted(set(READERS))),
    data=st.binary(max_size=300),
    at=st.integers(0, 10_000),
    cut=st.integers(0, 30_000),
)
def test_no_bytes_give_anything_but_a_text_or_one_of_our_errors(
    kind: str, data: bytes, at: int, cut: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    known = DOCUMENTS / f"essay{kind}"
    whole = known.read_bytes() if known.exists() else b"# Title\n\ntext " * 20
    place = at % len(whole)
    damaged = (whole[:place] + data + whole[place + len(data) :])[: max(1, len(whole) - cut)]
    file = tmp_path_factory.mktemp("fuzz") / f"a{kind}"
    for content in (damaged, data or b" "):
        file.write_bytes(content)
        with suppress(FormatError), warnings.catch_warnings():
            warnings.simplefilter("ignore", InputWarning)
            assert isinstance(read_document(file).text, str)
