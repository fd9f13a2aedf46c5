"""Header expressions out of files: Java's, whatever they are, on whatever text, within a bound."""

from __future__ import annotations

import re
import warnings

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from pyramidion.formats import _expressions
from pyramidion.formats._expressions import ExpressionError, find_all
from pyramidion.formats._java import translate_java


def found(expression: str, text: str) -> list[str]:
    return [text[start:end] for start, end in find_all(expression, text)]


@pytest.mark.parametrize(
    ("expression", "text", "expected"),
    [
        (r"\p{Digit}+", "a12b\u0663", ["12"]),
        (r"\p{Upper}\p{Lower}+", "An \u00c4rger", ["An"]),
        (r"\p{Alpha}+", "ab1", ["ab"]),
        (r"\p{Alnum}+", "ab1_", ["ab1"]),
        (r"\p{Punct}+", "a-[]b", ["-[]"]),
        (r"\p{XDigit}+", "xAf9g", ["Af9"]),
        (r"\p{Space}+", "a \n", [" \n"]),
        (r"\p{Blank}+", "a \n", [" "]),
        (r"\P{Alpha}+", "ab1-c", ["1-"]),
        (r"[\P{Alpha}b]+", "ab1-c", ["b1-"]),
        (r"[\p{Upper}_]+", "aB_c", ["B_"]),
        (r"[^\p{Upper}]+", "aBc", ["a", "c"]),
        (r"\p{L}+", "\u00c4rger 1", ["\u00c4rger"]),
        (r"\pL+", "\u00c4rger 1", ["\u00c4rger"]),
        (r"\p{Lu}", "\u00c4rger A", ["\u00c4", "A"]),
        (r"\p{IsAlphabetic}+", "\u00c4rger 1", ["\u00c4rger"]),
        (r"\p{IsDigit}+", "1\u0663", ["1\u0663"]),
        (r"\d+\w", "1\u0663", []),
        (r"\Q[1]\E+", "[1]]", ["[1]]"]),
        (r"\Q[.", "[. [x", ["[."]),
        (r"a(?i)b|c", "aB C b", ["aB", "C"]),
        (r"(?:(?i)a)b", "Ab AB", ["Ab"]),
        (r"(?i:a)b", "Ab AB", ["Ab"]),
        (r"(?iu)\u0041(?-i)b", "aB ab", ["ab"]),
        (r"(?s)a.b", "a\nb", ["a\nb"]),
        (r"(?<name>a)b", "ab", ["ab"]),
        (r"(?<name>a)\k<name>", "aab", ["aa"]),
        (r"a\R", "a\r\na\n", ["a\r\n", "a\n"]),
        (r"a\hb", "a\u00a0b", ["a\u00a0b"]),
        (r"a\v", "a\x0b", ["a\x0b"]),
        (r"a\z", "a a", ["a"]),
        (r"a\Z", "a a\n", ["a"]),
        (r"\x{1F63A}", "\U0001f63a", ["\U0001f63a"]),
        (r"-++\n", "---\n", ["---\n"]),
        (r"-*+-", "---", []),
        (r"(?>-+)\n", "---\n", ["---\n"]),
        (r"[a-c[x-z]]+", "abxyq", ["abxy"]),
        (r"(?:ab)+(?=\n)", "abab\n", ["abab"]),
        (r"-+(?!>)\n", "--\n", ["--\n"]),
        (r"a|bc|", "abc", ["a", "bc"]),
    ],
)
def test_what_java_finds(expression: str, text: str, expected: list[str]) -> None:
    if "k<" in expression:  # a reference back is translate_java, and refused where it is run
        assert re.findall(translate_java(expression), text)
        with pytest.raises(ExpressionError, match="refers back"):
            find_all(expression, text)
        return
    assert [one for one in found(expression, text) if one] == expected


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("(", "missing \\)"),
        ("[", "a class has no end"),
        ("a**", "multiple repeat"),
        (r"\p", "without the name of a class"),
        (r"\p{InGreek}", "the class 'InGreek' is not known here"),
        (r"\x{FFFFFF}", "no character FFFFFF"),
        ("[a&&b]", "intersection of classes"),
        ("[a[^b]]", "negated class in a class"),
        ("(?<=a|b)+b", "not a regular expression that can be used"),
        ("a" * 30_000, "longer than 20,000 characters"),
        ("(" * 5000 + ")" * 5000, "is too deep"),
    ],
)
def test_what_cannot_be_used_says_why(expression: str, why: str) -> None:
    with pytest.raises(ExpressionError, match=why):
        find_all(expression, "ab")


@pytest.mark.parametrize(
    "expression", ["(-+)+x", "(-|-)*x", "(?:-*)*x", "-?" * 60 + "x", "-*" * 30 + "x", "(?:-|--)+x", "(?i)(-+)+x"]
)
def test_what_would_take_for_ever_ends_after_so_many_steps(expression: str) -> None:
    with pytest.raises(ExpressionError, match=r"could take for ever and is not used: 100,600 steps did not end it"):
        find_all(expression, "-" * 60)


def test_steps_are_few_where_a_literal_says_where_to_look() -> None:
    """Nearly a thousand characters a line, sixty lines: plain backtracking would take 30 million steps."""
    line = "lorem ipsum dolor sit amet " * 36 + "\n"
    text = f"Summary A\n{line * 30}The Summary of B:\n{line * 30}"
    assert found(r".*Summary.*\n", text) == ["Summary A\n", "The Summary of B:\n"]


ATOMS = (
    r"a b A [ab] [^a] . \n \w \b ^ $ (?:a|b) (a|ab) (?:ab)* (?:a|b)+? a* b+ a*? a? a++ (?>a|ab) (?=a) (?!b) (?i:A) "
    r"a{1,2} (?:a?)* (?:a*)* (?:a|b){2,3} (?:b?a?){1,2}? .* [^\n]*b (?s:.) (?:aa|b)*+"
)


@given(st.lists(st.sampled_from(ATOMS.split()), min_size=1, max_size=5), st.text("aabA\n", max_size=10))
@example(["(?:a*)*", "b"], "aaab")
@settings(max_examples=300)
def test_step_by_step_finds_what_re_finds(atoms: list[str], text: str) -> None:
    expression = "".join(atoms)
    expected = [match.span() for match in re.compile(expression, re.ASCII).finditer(text)]
    assume(all(start < end for start, end in expected))  # after an empty match Java goes on a character later
    assert list(_expressions._Bounded(text).matches(_expressions._parsed(expression))) == expected
    assert find_all(expression, text) == expected


PIECES = ATOMS + (
    r" \p{Digit} \P{Lu} \p \Q \E (?i) (?-i) (?x) ( ) | [ ] ^ { } * + ? - \k<a> (?<a> (?<=a) (?<! \1 [a- [[ && \ "
    r"\R \h (?# {2, {9999999999}"
)


@given(st.lists(st.sampled_from(PIECES.split()) | st.text(max_size=3), max_size=12), st.text("ab-= \n#1A", max_size=60))
@settings(max_examples=300)
def test_any_expression_gives_places_or_a_reason(pieces: list[str], text: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            spans = find_all("".join(pieces), text)
        except ExpressionError as error:
            assert str(error)
            return
    assert all(0 <= start <= end <= len(text) for start, end in spans)
    assert spans == sorted(spans)


@pytest.mark.parametrize("gap", [" \n", "\n", "  \n\t"])
@pytest.mark.parametrize("shift", [0, 333, 499, 500, 501])
def test_no_header_is_looked_for_in_a_line_or_a_gap_that_is_too_long(gap: str, shift: int) -> None:
    before, long = "b" * shift, _expressions.LONG_LINE
    assert found("-+", f"{before}\n{'-' * (long - 1)}\n-") == ["-" * (long - 1), "-"]
    assert found("-+", f"{before}\n{'-' * long}\n-") == ["-"]
    gaps = gap * long
    assert found(r"=\s+-", f"{before}={gaps[: long - 1]}-") == [f"={gaps[: long - 1]}-"]
    assert found(r"=\s+-", f"{before}={gaps[:long]}-") == []
