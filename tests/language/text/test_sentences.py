"""Sentence starts by rule."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.language.parse import conllu
from pyramidion.language.text.sentences import line_breaks, sentence_starts, sure_breaks
from pyramidion.language.text.words import split_words


def sentences(text: str, rule: Callable[..., list[int]] = sentence_starts) -> list[str]:
    words = split_words(text)
    places = [*(words[index][0] for index in rule(text, words)), len(text)]
    return [text[start:end].strip() for start, end in pairwise(places)]


@pytest.mark.parametrize(
    "expected",
    [
        ["It rained.", "Did it?", "It did!", "Really?!", "So."],
        ["Dr. J. Smith of St. Louis met Mr. Lee.", "They spoke."],
        ["He left the U.S. Army in Sept. 1999.", "It was No. 1 of 3.5 reasons."],
        ['"Why?" she asked.', '"Because."', "(He left.)", "Nobody knew."],
        ["As shown before. [17]", "The rest follows. [18]", "End."],
        ["Wait... he said it.", "He did."],
        ["no capitals here.", "none at all.", "really?", "yes."],
        ["你好。", "再见！", "好吗？"],
        ["Привет, мир.", "Как дела?", "Хорошо."],
        ["क्या हुआ?", "कुछ नहीं।", "ठीक है।"],
    ],
)
def test_sentences_on_one_line(expected: list[str]) -> None:
    assert sentences(" ".join(expected)) == expected


def test_full_width_stops_need_no_space() -> None:
    assert sentences("你好。再见！「好吗？」他说。") == ["你好。", "再见！", "「好吗？」", "他说。"]


def test_a_blank_line_ends_a_sentence() -> None:
    assert sentences("A Heading\n\nthe text goes on\r\n\r\nand on") == ["A Heading", "the text goes on", "and on"]


def test_a_sentence_a_line() -> None:
    lines = [
        "The council met on Monday",
        "Nobody came",
        "A second meeting, which had been announced a long time before, was held",
    ]
    assert sentences("\n".join(lines)) == lines
    assert sentences("\n".join(lines), sure_breaks) == lines


def test_wrapped_lines_do_not_end_sentences() -> None:
    text = (
        "The council of the town met on a Monday in the spring of that year because\n"
        "Mayor Ellis had asked for it, and every member of it came to the old hall.\n"
        "They voted against the bridge. A second vote was held in the month after\n"
        "May, and that one went the other way, to the surprise of everyone present."
    )
    assert [one[:12] for one in sentences(text)] == ["The council ", "They voted a", "A second vot"]
    assert line_breaks(text, split_words(text)) == frozenset()


@pytest.mark.parametrize(
    "lines",
    [
        ["Council closes bridge", "The town council voted on Monday."],
        ["- Bridge closed", "- No vote held", "- 3 members absent"],
        ["The council met", "Nobody came", "It rained"],
        ["A Heading\n", "the text goes on"],
    ],
    ids=["headline", "bullets", "a sentence a line", "blank line"],
)
def test_line_ends_that_surely_end_a_sentence_or_an_item(lines: list[str]) -> None:
    text = "\n".join(lines)
    words = split_words(text)
    starts = [text[words[index][0] :].split("\n")[0] for index in sorted(line_breaks(text, words))]
    assert starts == lines[1:]


def test_a_line_that_goes_on_in_lower_case_is_not_ended() -> None:
    text = "The council met\nand voted. It rained."
    assert line_breaks(text, split_words(text)) == frozenset()


@pytest.mark.parametrize(
    "text",
    ["He met J. Smith. 5 went", "See Fig. 3. a", "Inc. The firm", "1. First do this", "so... The end", "end.Next"],
)
def test_sure_breaks_leave_out_what_is_doubtful(text: str) -> None:
    assert sentences(text, sure_breaks) == [text]


@given(st.text(st.characters() | st.sampled_from(list('.!?"[1] \nAa。')), max_size=60))
def test_starts_are_word_indices_in_order(text: str) -> None:
    words = split_words(text)
    starts, sure = sentence_starts(text, words), sure_breaks(text, words)
    for found in (starts, sure):
        assert found == sorted(set(found))
        assert found[:1] == ([0] if words else [])
        assert all(index < len(words) for index in found)


def test_long_hostile_texts() -> None:
    for piece in (". ", '."', "A.\n", "[1]", "\n", "。", '" ', "etc. "):
        text = piece * 20_000
        sentence_starts(text, split_words(text))


@pytest.mark.data
@pytest.mark.parametrize(("name", "least"), [("ewt-dev", 0.91), ("gum-dev", 0.98)])
def test_sentences_of_the_treebanks(data: Path, name: str, least: float) -> None:
    text = gzip.decompress((data / "treebanks" / f"{name}.conllu.gz").read_bytes()).decode()
    right = gold = found = sure = sure_right = 0
    for analysis in conllu.loads(text):
        words = split_words(analysis.text)
        theirs = {analysis.words[first].start for first, _ in analysis.sentences}
        ours = {words[index][0] for index in sentence_starts(analysis.text, words)}
        breaks = {words[index][0] for index in sure_breaks(analysis.text, words)}
        right, gold, found = right + len(ours & theirs), gold + len(theirs), found + len(ours)
        sure, sure_right = sure + len(breaks), sure_right + len(breaks & theirs)
    assert 2 * right / (gold + found) >= least
    assert sure_right / sure >= 0.998
