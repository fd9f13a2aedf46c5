"""A CoNLL-U file as an analyser: each of its documents is an answer, looked up by its text, white space aside."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from pyramidion.base.files import decode, read_bytes, squash
from pyramidion.errors import FormatError
from pyramidion.language.parse import conllu
from pyramidion.language.parse.analysis import Analysis, LanguageError, Word


def load(path: str) -> Callable[[str], Analysis]:
    """Return the analyser that answers from a file."""
    documents = {
        squash(document.text): document for document in conllu.loads(decode(read_bytes(Path(path)), path), path)
    }

    def look_up(text: str) -> Analysis:
        if not text.strip():
            return Analysis(text, (), (), analyser="conllu")
        analysis = documents.get(squash(text))
        if analysis is None:
            raise LanguageError(
                f"{path} has no analysis of the text {text[:40]!r}",
                do="parse the text and add it as one document (# newdoc)",
            )
        return move_to(analysis, text)

    return look_up


def move_to(analysis: Analysis, text: str) -> Analysis:
    """Return an analysis with its offsets moved into a text that differs in white space alone."""
    if analysis.text == text:
        return analysis
    places = [index for index, char in enumerate(text) if not char.isspace()]
    old_places = [index for index, char in enumerate(analysis.text) if not char.isspace()]
    if len(places) != len(old_places):
        raise FormatError("The texts differ in more than white space")
    to = dict(zip(old_places, places, strict=True))
    words = []
    for word in analysis.words:
        start, end = to[word.start], to[word.end - 1] + 1
        words.append(Word(start, end, text[start:end], word.lemma, word.upos, word.xpos, word.head, word.relation))
    return replace(analysis, text=text, words=tuple(words))
