r"""Meaning graphs in PENMAN notation, as AMR's corpora and parsers write them.

A text holds any number of graphs, each after its comments: ``::id``, ``::snt`` (the sentence), ``::tok`` (its tokens,
white space between) or ``::tokens`` (a JSON list), and perhaps alignments
(:mod:`pyramidion.language.graphs.penman.alignments`). Syntax is the ``penman`` library's, and so is the model of AMR:
an inverse role is turned (``:ARG0-of``, ``:mod-of``, but not ``:consist-of``), so that the triples are the same
wherever the writing starts; ``:domain`` and ``:mod`` stay as they are written, and match each other
(:mod:`pyramidion.matchers.triples`). Quotes of constants go; where a quoted constant reads like a variable, the
variable gets another name. What means nothing as triples is an error: a node without a concept (``(x)``), a role
without a value, a variable with two concepts.

**Where a triple stands.** A concept stands at its tokens. A node without any (a name, a date, a person that is only
implied) stands where the nodes and constants below it stand, as the graph is written; a leaf without any stands
nowhere. A relation has the places of both its nodes, and none if one of them stands nowhere; where a variable that is
mentioned again has tokens of its own (``:ARG0 b~e.4``, a pronoun), these are the place of that mention. An attribute
has the places of its node and its value. Tokens of roles are no constituents of a triple.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import penman

from pyramidion.errors import FormatError, Where
from pyramidion.language.graphs.meaning import MeaningGraph, Triple
from pyramidion.language.graphs.penman._tree import PenmanTree, TokenTriple
from pyramidion.language.graphs.penman.alignments import bare, token_places, tokens_by_address
from pyramidion.model import Span
from pyramidion.notes import note

MAX_DEPTH = 200
"""The deepest nesting of graphs, because ``penman`` reads by recursion; real graphs are far flatter."""

logging.getLogger("penman").addHandler(logging.NullHandler())  # what it would print is an error here, said once

_LEXEME = re.compile(r'#.*|"[^"\\]*(?:\\.[^"\\]*)*"|[()]|:?[^ \t\r\n\v\f"()/:~]+|[^ \t\r\n\v\f]')
_TAG = re.compile(r"(?:(?<=^#)|(?<=\s))::([\w-]+)(?=\s|$)")
_KINDS = {"LPAREN": "'('", "RPAREN": "')'", "SLASH": "'/'", "SYMBOL": "a name", "STRING": "a string", "ROLE": "a role"}


@dataclass(frozen=True, slots=True)
class WrittenGraph:
    """A graph as a text has it; ``tokens`` is empty where it says none, and means the words of the sentence."""

    id: str
    sentence: str
    tokens: tuple[str, ...]
    triples: tuple[TokenTriple, ...]
    where: Where

    def placed(self, text: str, sentence: Span, parser: str) -> MeaningGraph:
        """Return the graph of the sentence that stands there in a text, with its tokens found in it."""
        if self.tokens:
            spans = token_places(self.tokens, text, sentence)
        else:
            words = tuple((self.sentence or sentence.of(text)).split())
            spans = tuple(word and bare(word, text) for word in token_places(words, text, sentence))
        places = dict(enumerate(spans))
        missing = {token for triple in self.triples for token in triple.tokens} - places.keys()
        if missing:
            note(
                f"{self.where}: Token {min(missing)} is aligned, but there are only {len(places)} tokens; the "
                "alignment is ignored"
            )
        triples = (
            Triple(relation, source, target, tuple(dict.fromkeys(place for t in tokens if (place := places.get(t)))))
            for relation, source, target, tokens in self.triples
        )
        return MeaningGraph(tuple(triples), sentence, parser, self.id)


def loads(text: str, source: str = "<string>") -> tuple[WrittenGraph, ...]:
    r"""Return the graphs of a text.

    >>> (graph,) = loads("# ::snt Dogs bark.\n(b / bark-01~1 :ARG0 (d / dog~0))")
    >>> for triple in graph.placed("Dogs bark.", Span(0, 10), "me").triples:
    ...     print(triple, [span.of("Dogs bark.") for span in triple.spans])
    instance(b, bark-01) ['bark']
    instance(d, dog) ['Dogs']
    ARG0(b, d) ['Dogs', 'bark']
    """
    return tuple(_graph(piece, source) for piece in _pieces(text, source))


def warn_of_unaligned(graphs: Sequence[WrittenGraph], source: str) -> None:
    """Note graphs without alignments: none of their triples will be in any part of a text."""
    unaligned = sum(not any(triple.tokens for triple in graph.triples) for graph in graphs)
    if unaligned:
        note(
            f"{source}: {unaligned} of {len(graphs)} graphs have no alignments, so their triples have no place in a "
            "text and cannot be contributors; align the graphs (peers need no alignments)"
        )


class _Piece(NamedTuple):
    """A graph's text, the lines it stands on, where it starts, and the comments before it."""

    first: int
    column: int
    text: list[str]
    lines: list[str]
    comments: list[tuple[int, str]]


def _pieces(text: str, source: str) -> Iterator[_Piece]:
    """Cut a text into graphs, each with the comments before it."""
    comments: list[tuple[int, str]] = []
    lines = text.split("\n")
    depth, start = 0, Where()
    for number, line in enumerate(lines, start=1):
        for lexeme in _LEXEME.finditer(line):
            if lexeme[0] == "(":
                if depth in (0, MAX_DEPTH):
                    start = Where(source, number, lexeme.start() + 1, text=line)
                depth += 1
                if depth > MAX_DEPTH:
                    raise FormatError(f"Nodes are nested more than {MAX_DEPTH} deep", start, "check the parentheses")
            elif lexeme[0] == ")" and depth:
                depth -= 1
                if depth == 0:
                    yield _cut(lines, start, number, lexeme.end(), comments)
                    comments = []
            elif lexeme[0].startswith("#"):
                if depth:
                    raise _unclosed(start)
                comments.append((number, line))
            elif lexeme[0] == '"' and depth:
                # Looking for the end of every further string on the line would take quadratic time.
                where = Where(source, number, lexeme.start() + 1, text=line)
                raise FormatError("This string is not closed", where, "add the missing quote")
            elif depth == 0:
                raise FormatError(
                    f"{lexeme[0][:40]!r} is outside any graph",
                    Where(source, number, lexeme.start() + 1, text=line),
                    "start a graph with '(', and a comment with '#'",
                )
    if depth:
        raise _unclosed(start)


def _cut(lines: list[str], start: Where, last: int, end: int, comments: list[tuple[int, str]]) -> _Piece:
    first, column = start.line or 1, (start.column or 1) - 1
    text = lines[first - 1 : last]
    text[-1] = text[-1][:end] if first < last else text[-1][column:end]
    if first < last:
        text[0] = text[0][column:]
    return _Piece(first, column, text, lines[first - 1 : last], comments)


def _unclosed(where: Where) -> FormatError:
    return FormatError(
        "This graph is not closed", where, "add the missing ')', or write the file again if it is cut off"
    )


def _graph(piece: _Piece, source: str) -> WrittenGraph:
    """Parse a graph, check its nodes, and give them the tokens of a line of alignments."""
    tags = _tags(piece.comments, source)
    try:
        (parsed,) = penman.iterparse(piece.text)
        variables = frozenset(variable for variable, _ in parsed.nodes())
        tree = PenmanTree(parsed.node, variables)
    except penman.DecodeError as error:
        raise _malformed(error, piece, source) from None
    except FormatError as error:
        raise error.at(_node_position(error.where.element, piece, source)) from None
    except RecursionError:
        raise FormatError("Nodes are nested too deeply", Where(source, piece.first), "check the parentheses") from None
    if "alignments" in tags and not tree.is_aligned:
        value, where = tags["alignments"]
        for address in tree.align(tokens_by_address(value, where)):
            note(f"{where}: {address} is aligned, but the graph has no such node; the alignment is ignored")
    tokens = _tokens(tags)
    sentence, id = (tags[tag][0] if tag in tags else "" for tag in ("snt", "id"))
    return WrittenGraph(id, sentence or " ".join(tokens), tokens, tuple(tree.triples()), Where(source, piece.first))


def _malformed(error: penman.DecodeError, piece: _Piece, source: str) -> FormatError:
    line, column = error.lineno or 1, error.offset or 0
    column += piece.column if line == 1 else 0
    kinds = (error.message or "").removeprefix("Expected: ").split(", ")
    wanted = " or ".join(_KINDS[kind] for kind in kinds if kind in _KINDS)
    where = Where(source, piece.first + line - 1, column + 1, text=piece.lines[line - 1])
    if where.text[column : column + 1] == '"' and "STRING" not in kinds:
        return FormatError("This string is not closed", where, "add the missing quote")
    return FormatError(f"Here, {wanted or 'something else'} is expected", where, "correct the graph")


def _node_position(variable: str, piece: _Piece, source: str) -> Where:
    """Return the start of a variable's node, the last of several; the graph's start for an empty node."""
    where = Where(source, piece.first)
    for number, (text, line) in enumerate(zip(piece.text, piece.lines, strict=True)):
        for node in re.finditer(rf"\(\s*{re.escape(variable)}(?![^\s/()])", text):
            column = node.start() + (0 if number else piece.column)
            where = Where(source, piece.first + number, column + 1, text=line)
    return where


def _tags(comments: list[tuple[int, str]], source: str) -> dict[str, tuple[str, Where]]:
    """Return the tags in the comments, and their places; the last of equal tags.

    Sentences and tokens may hold ``::``.
    """
    values = {}
    for number, line in comments:
        tags = list(_TAG.finditer(line))
        ends = [*(tag.start() for tag in tags[1:]), len(line)]
        for tag, end in zip(tags, ends, strict=False):
            whole = tag[1] in ("snt", "tok", "tokens")
            value = line[tag.end() : len(line) if whole else end]
            column = tag.end() + len(value) - len(value.lstrip()) + 1
            values[tag[1]] = (value.strip(), Where(source, number, column, text=line))
            if whole:
                break
    return values


def _tokens(tags: dict[str, tuple[str, Where]]) -> tuple[str, ...]:
    """Return the tokens that ``::tok`` or, as JSON, ``::tokens`` names; none if neither does."""
    if "tok" not in tags and "tokens" in tags:
        value, where = tags["tokens"]
        try:
            tokens = json.loads(value)
        except (ValueError, RecursionError):
            tokens = None
        if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
            raise FormatError(
                "The tokens are not a JSON list of strings", where, 'write ["The", "boy"], or a ::tok line'
            )
        return tuple(tokens)
    return tuple(tags["tok"][0].split()) if "tok" in tags else ()
