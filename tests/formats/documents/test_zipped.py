"""Archives that cannot be unpacked are told apart: encrypted, damaged, packed in a way that nobody here knows."""

from __future__ import annotations

import zipfile
from io import BytesIO

import pytest

from pyramidion.errors import FormatError
from pyramidion.formats.documents.zipped import member, open_archive

LOCAL, CENTRAL = b"PK\x03\x04", b"PK\x01\x02"


def archive(*, flags: int = 0, method: int = 0, version: int = 20) -> bytes:
    """An archive of one file whose headers claim these flags, this compression and this version of the format."""
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        made.writestr("text.xml", "The dam broke.")
    data = bytearray(file.getvalue())
    for header, at in ((LOCAL, 4), (CENTRAL, 6)):
        place = data.index(header) + at
        data[place : place + 6] = b"".join(value.to_bytes(2, "little") for value in (version, flags, method))
    return bytes(data)


def test_a_member_comes_back() -> None:
    assert member(open_archive(archive(), "a.docx"), "text.xml", "a.docx") == b"The dam broke."


@pytest.mark.parametrize(
    ("made", "told"),
    [
        ({"flags": 1}, "a.docx: The file is encrypted; save it without a password."),
        ({"method": 99}, "The file is damaged, or packed in an unknown way (That compression method is not supported)"),
    ],
)
def test_a_member_that_cannot_be_unpacked(made: dict[str, int], told: str) -> None:
    with pytest.raises(FormatError) as error:
        member(open_archive(archive(**made), "a.docx"), "text.xml", "a.docx")
    assert told in str(error.value)


def test_an_archive_of_a_later_format() -> None:
    with pytest.raises(FormatError, match="The file is damaged, or its ending is wrong .zip file version"):
        open_archive(archive(version=99), "a.docx")
