"""Rich text, .rtf, by striprtf."""

from __future__ import annotations

from pyramidion.errors import FormatError, MissingPartError
from pyramidion.formats.documents import Document, paragraphs


def read(data: bytes, source: str) -> Document:
    """Return the text without its control words; headers and footers are destinations, which are skipped."""
    try:
        from striprtf.striprtf import rtf_to_text
    except ImportError as error:
        raise MissingPartError(
            "Reading .rtf needs striprtf.", source, "run: pip install 'pyramidion[documents]'"
        ) from error
    if not data.lstrip().startswith(b"{\\rtf"):
        raise FormatError(
            "The file is not RTF, although its name ends in .rtf.", source, "save it again as .rtf or .docx"
        )
    try:
        text = rtf_to_text(data.decode("latin-1"), errors="replace")  # type: ignore[no-untyped-call]
    except Exception as error:  # a parser of other people's files, which promises no kind of error
        raise FormatError(f"The file is damaged ({error}).", source, "save it again") from None
    return Document(paragraphs(text.split("\n")))
