"""The word tokenizer: UD's conventions, any text, linear time, and the treebanks' own words."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.language.parse import conllu
from pyramidion.language.text.words import split_words
from tests.operations import steps


def words(text: str) -> list[str]:
    return [text[start:end] for start, end in split_words(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("I don't, can’t, cannot", "I|do|n't|,|ca|n’t|,|can|not"),
        ("She'd've gone; it's John's.", "She|'d|'ve|gone|;|it|'s|John|'s|."),
        ("gonna wanna gotta dunno y'all", "gon|na|wan|na|got|ta|du|n|no|y'|all"),
        ("dont DONT im IM thats", "do|nt|DO|NT|i|m|IM|that|s"),
        ("its own fault, its a fault", "its|own|fault|,|it|s|a|fault"),
        ("the dogs' o'clock 'em", "the|dogs|'|o'clock|'em"),
        ("O'Neil's 1960's 2003's", "O'Neil|'s|1960's|2003|'s"),
        ("adult-learned non-profit e-mail re-elected", "adult|-|learned|non-profit|e-mail|re-elected"),
        ("and/or w/o 9/11 he/she", "and|/|or|w/o|9/11|he|/|she"),
        ("Mr. J. R. Smith of the U.S. Army, e.g. here", "Mr.|J.|R.|Smith|of|the|U.S.|Army|,|e.g.|here"),
        ("at 5 p.m. on Monday", "at|5|p.m.|on|Monday"),
        ("at 5 p.m.", "at|5|p.m|."),
        ("pens, etc. Then pens etc. again", "pens|,|etc|.|Then|pens|etc.|again"),
        ("No. 5? No. He is No. 1", "No.|5|?|No|.|He|is|No.|1"),
        ("than I. Or vitamin A.", "than|I|.|Or|vitamin|A|."),
        ("$5,000.50 US$3m 3.5% 7:30PM 5km 20th 1960s", "$|5,000.50|US$|3|m|3.5|%|7:30|PM|5|km|20th|1960s"),
        ("12,000, 13,14 .5 1990-1995", "12,000|,|13|,|14|.5|1990|-|1995"),
        ("11/28/2000 713-853-3989 2001-09-11", "11/28/2000|713-853-3989|2001-09-11"),
        ("(see http://a.org/b?c=1&d=2).", "(|see|http://a.org/b?c=1&d=2|)|."),
        ("a.b@c-d.org, x.com and plan.doc.", "a.b@c-d.org|,|x.com|and|plan.doc|."),
        ("the end.Next one", "the|end|.|Next|one"),
        ("#openscience @someone #1", "#openscience|@someone|#|1"),
        ("well... so…yes -- no—yes!!! what?!", "well|...|so|…|yes|--|no|—|yes|!!!|what|?!"),
        ("“Quoted,” he said. ‘So’ ''x''", "“|Quoted|,|”|he|said|.|‘|So|’|''|x|''"),
        ("[a] {b} <c>", "[|a|]|{|b|}|<|c|>"),
        (":) :-( ;) <3 n=3", ":)|:-(|;)|<3|n|=|3"),
        ("AT&T R&D", "AT&T|R&D"),
        ("_emphasis_ snake_case ____", "_|emphasis|_|snake_case|____"),
        ("\U0001f469\u200d\U0001f680\U0001f44d\U0001f3fd\U0001f1eb\U0001f1ee❤\ufe0f", "\U0001f469\u200d\U0001f680|\U0001f44d\U0001f3fd|\U0001f1eb\U0001f1ee|❤\ufe0f"),
        ("我爱你。OK", "我|爱|你|。|OK"),
        ("日本語のテスト", "日|本|語|の|テ|ス|ト"),
        ("שלום עולם، مرحبا Привет, мир!", "שלום|עולם|،|مرحبا|Привет|,|мир|!"),
        ("नमस्ते दुनिया", "नमस्ते|दुनिया"),
        ("cafe\u0301 nai\u0308ve", "cafe\u0301|nai\u0308ve"),
        ("a\x00b \ud800", "a|\x00|b|\ud800"),
        ("", ""),
        (" \n\t\u2003", ""),
    ],
)  # fmt: skip
def test_conventions(text: str, expected: str) -> None:
    assert words(text) == (expected.split("|") if expected else [])


MIXED = st.text(
    st.characters() | st.sampled_from(list("aAbsnt.t'’`-/_@#&%$:;()[]!?,0123456789 \n\u200d\ufe0f漢ไ\ud800\x00")),
    max_size=80,
)
PIECES = st.lists(
    st.sampled_from(["n't", "'s", "http://", "www.", "etc.", "U.S.", "non-", "5km", "🚀", "\u200d", "...", "gonna", " ", "a", "_", "1,000", ".", "\n\n", "No.", "a@b.c", "ไทย", "’"]),
    max_size=20,
).map("".join)  # fmt: skip


@given(MIXED | PIECES)
def test_words_and_gaps_rebuild_any_text(text: str) -> None:
    place = 0
    for start, end in split_words(text):
        assert place <= start < end
        assert not text[place:start].strip()
        assert not any(map(str.isspace, text[start:end]))
        place = end
    assert not text[place:].strip()
    assert place <= len(text)


HOSTILE = [".", "'", '"', "a.", "A.", "a'", "'s", "a", "_", "_a", "1", "1,", "1.1.", ",111", "-", "a-", "1-2-", "1/2/", "@", "a@", "http://", "http://!",
           "www.", "etc. ", "Inc.\n", " ", "\n", "non-", ":-", "\U0001f600\u200d", "漢", "\u0301", "\x00", "\ud800", "+1", "a#-", "its ", "(:", "etc.)", "word "]  # fmt: skip


@pytest.mark.parametrize("piece", HOSTILE)
def test_twice_the_hostile_text_takes_twice_the_steps(piece: str) -> None:
    def count(times: int) -> int:
        return steps(lambda: split_words("a" + piece * times + "a"))

    count(1)  # what is imported once is imported now
    assert count(1000) < 2.1 * count(500)  # bench/growth.py measures the time that the expression itself takes


def test_a_paragraph_of_100_000_words() -> None:
    assert len(split_words("The quick brown fox's jump " * 17_000)) == 102_000


@pytest.mark.data
@pytest.mark.parametrize(("name", "least"), [("ewt-test", 0.990), ("gum-test", 0.995)])
def test_words_of_the_treebanks(data: Path, name: str, least: float) -> None:
    text = gzip.decompress((data / "treebanks" / f"{name}.conllu.gz").read_bytes()).decode()
    right = gold = found = 0
    for analysis in conllu.loads(text):
        ours, theirs = set(split_words(analysis.text)), {(word.start, word.end) for word in analysis.words}
        right, gold, found = right + len(ours & theirs), gold + len(theirs), found + len(ours)
    assert 2 * right / (gold + found) >= least
