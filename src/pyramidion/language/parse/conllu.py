"""CoNLL-U, read and written: any parser's output becomes an analysis, and ours anyone's input.

The text is that of the ``# text`` comments, sentences joined by a space, paragraphs (``# newpar``) by an empty line;
words are found in it in order. Elementary discourse units start where MISC says ``Discourse=`` (GUM) or ``EDU=B``
(ours). Multiword tokens and empty nodes are passed over: offsets are those of the syntactic words. Where a multiword
token's words are not slices of it (``du`` = ``de le``), its characters are shared out among them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from pyramidion.errors import FormatError, ModelError, Where
from pyramidion.language.parse.analysis import ROOT, Analysis, Word


@dataclass(slots=True)
class _Sentence:
    line: int
    text: str = ""
    new_document: bool = False
    new_paragraph: bool = False
    rows: list[list[str]] = field(default_factory=list)
    lines: list[int | None] = field(default_factory=list)
    """The line of each row in the file."""
    tokens: dict[int, tuple[int, str]] = field(default_factory=dict)
    """First word of a multiword token -> (last word, surface form)."""


def loads(text: str, source: str = "<string>") -> list[Analysis]:
    """Return an analysis for each document (``# newdoc``) of a CoNLL-U text."""
    documents: list[list[_Sentence]] = []
    for sentence in _sentences(text, source):
        if sentence.new_document or not documents:
            documents.append([])
        documents[-1].append(sentence)
    if not documents:
        raise FormatError(
            "The file has no sentence", source, "give a CoNLL-U file: ten columns, an empty line after each sentence"
        )
    return [_analysis(document, source) for document in documents]


def _sentences(text: str, source: str) -> Iterator[_Sentence]:
    """Read sentences from lines; an empty line ends one."""
    sentence = _Sentence(1)
    for number, line in enumerate(text.split("\n"), start=1):
        line = line.rstrip("\r")
        if not line.strip():
            if sentence.rows:
                yield sentence
            sentence = _Sentence(number + 1)
        elif line.startswith("#"):
            name, _, value = line[1:].partition("=")
            match name.strip().split()[:1]:
                case ["text"]:
                    sentence.text = value.strip()
                case ["newdoc"]:
                    sentence.new_document = sentence.new_paragraph = True
                case ["newpar"]:
                    sentence.new_paragraph = True
        else:
            _row(sentence, line, Where(source, number))
    if sentence.rows:
        yield sentence


def _row(sentence: _Sentence, line: str, where: Where) -> None:
    """Add a word or a multiword token to a sentence, checked; empty nodes are passed over."""
    cells = line.split("\t")
    if len(cells) != 10:
        raise FormatError(f"The line has {len(cells)} columns, not 10", where, "separate CoNLL-U's columns by tabs")
    id = cells[0]
    if re.fullmatch(r"[0-9]{1,6}", id):
        if int(id) != len(sentence.rows) + 1:
            raise FormatError(f"Word {id} follows word {len(sentence.rows)}", where, "number the words from 1")
        if not cells[1]:
            raise FormatError(f"Word {id} has no form", where, "give its form")
        if not re.fullmatch(r"[0-9]{1,6}|_", cells[6]):
            raise FormatError(f"Word {id} has the head {cells[6][:20]!r}", where, "give the number of a word, 0 or _")
        sentence.rows.append(cells)
        sentence.lines.append(where.line)
    elif token := re.fullmatch(r"([0-9]{1,6})-([0-9]{1,6})", id):
        sentence.tokens[int(token[1])] = (int(token[2]), cells[1])
    elif not re.fullmatch(r"[0-9]+\.[0-9]+", id):
        raise FormatError(f"The id {id[:20]!r} is not a CoNLL-U id", where, "write ids as 1, 1-2 or 1.1")


def _analysis(sentences: Sequence[_Sentence], source: str) -> Analysis:
    """Join sentences to a text, with the offsets of their words in it."""
    pieces: list[str] = []
    length = 0
    words: list[Word] = []
    ranges: list[tuple[int, int]] = []
    starts: set[int] = set()
    for sentence in sentences:
        gap = ("\n\n" if sentence.new_paragraph else " ") if length else ""
        text = sentence.text or _surface(sentence)
        pieces += (gap, text)
        first, base = len(words), length + len(gap)
        length = base + len(text)
        for index, (cells, (start, end)) in enumerate(
            zip(sentence.rows, _offsets(sentence, text, source), strict=True)
        ):
            head = 0 if cells[6] == "_" else int(cells[6])
            if head > len(sentence.rows):
                raise FormatError(
                    f"Word {cells[0]} has the head {head}",
                    Where(source, sentence.lines[index]),
                    "give the number of a word in this sentence",
                )
            words.append(
                Word(
                    base + start, base + end, text[start:end],
                    "" if cells[2] == "_" and cells[1] != "_" else cells[2],
                    cells[3].replace("_", ""), cells[4].replace("_", "") if cells[4] == "_" else cells[4],
                    first + head - 1 if head else ROOT, "" if cells[7] == "_" else cells[7],
                )
            )  # fmt: skip
            if index == 0 or re.search(r"(?:^|\|)(?:Discourse=|EDU=B)", cells[9]):
                starts.add(first + index)
        ranges.append((first, len(words)))
    order = [*sorted(starts), len(words)]
    # A parse with gaps counts as none.
    parsed = all(word.relation for word in words)
    try:
        return Analysis("".join(pieces), tuple(words), tuple(ranges), tuple(pairwise(order)), parsed, "conllu")
    except ModelError as error:
        raise error.at(Where(source, sentences[0].line)) from None


def _surface(sentence: _Sentence) -> str:
    """Return the text that forms and ``SpaceAfter=No`` make, where there is no ``# text``."""
    pieces, number = [], 1
    while number <= len(sentence.rows):
        last, form = sentence.tokens.get(number, (number, sentence.rows[number - 1][1]))
        pieces.append(form + ("" if "SpaceAfter=No" in sentence.rows[min(last, len(sentence.rows)) - 1][9] else " "))
        number = max(last, number) + 1
    return "".join(pieces).strip()


def _offsets(sentence: _Sentence, text: str, source: str) -> Iterator[tuple[int, int]]:
    """Find each word of a sentence in its text, from left to right."""
    number, place = 1, 0
    while number <= len(sentence.rows):
        last, surface = sentence.tokens.get(number, (number, sentence.rows[number - 1][1]))
        last = min(max(last, number), len(sentence.rows))
        start = text.find(surface, place)
        where = Where(source, sentence.lines[number - 1])
        # Only white space may stand between two words.
        if start < 0 or text[place:start].strip():
            raise FormatError(
                f"The word {surface!r} is not where the sentence's text has it",
                where,
                "make the # text line and the forms agree",
            )
        place = start + len(surface)
        yield from _share_out([row[1] for row in sentence.rows[number - 1 : last]], surface, start, where)
        number = last + 1


def _share_out(forms: Sequence[str], surface: str, start: int, where: Where) -> Iterator[tuple[int, int]]:
    """Yield a multiword token's characters among its words: as the words read, or as evenly as they go."""
    if len(surface) < len(forms):
        raise FormatError(
            f"The token {surface!r} is shorter than its {len(forms)} words", where, "check the token's form and range"
        )
    exact = "".join(forms) == surface
    done = 0
    for index, form in enumerate(forms):
        left = len(forms) - index - 1
        # Every word gets a character at least, and the last one gets the rest.
        length = len(form) if exact else max(1, min(len(form), len(surface) - done - left))
        end = len(surface) if not left else done + length
        yield start + done, start + end
        done = end


def dumps(analysis: Analysis) -> str:
    """Return the analysis as CoNLL-U, with offsets and EDU starts in MISC."""
    edus = {first for first, _ in analysis.edus}
    lines = []
    for number, (first, last) in enumerate(analysis.sentences, start=1):
        span = analysis.span(first, last)
        lines += [f"# sent_id = {number}", f"# text = {' '.join(span.of(analysis.text).split())}"]
        for index in range(first, last):
            word = analysis.words[index]
            misc = [f"start_char={word.start}|end_char={word.end}"]
            if index in edus and analysis.parsed:
                misc.append("EDU=B")
            if index + 1 < last and analysis.words[index + 1].start == word.end:
                misc.append("SpaceAfter=No")
            head = word.head - first + 1 if word.head != ROOT else 0
            tree = (str(head), word.relation or "_") if analysis.parsed else ("_", "_")
            cells = (
                str(index - first + 1),
                _cell(word.form),
                _cell(word.lemma),
                word.upos or "_",
                word.xpos or "_",
                "_",
                *tree,
                "_",
                "|".join(misc),
            )
            lines.append("\t".join(cells))
        lines.append("")
    return "\n".join(lines) + ("\n" if lines else "")


def _cell(text: str) -> str:
    return " ".join(text.split()) or "_"
