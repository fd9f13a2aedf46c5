"""Hirao et al. 2018, section 4.2: elementary discourse units cover a text once, in order, without the space between."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pyramidion.language.parse.analysis import Analysis, Word
from pyramidion.language.parse.edus import edus


@st.composite
def analyses(draw: st.DrawFn) -> Analysis:
    """Words with random space around them, cut into random sentences, and these into random EDUs."""
    text, words = draw(st.sampled_from(["", " ", "\n"])), []
    for _ in range(draw(st.integers(0, 12))):
        form = draw(st.sampled_from(["a", "word", ".", "—", "é", "日本", "😀"]))
        words.append(Word(len(text), len(text) + len(form), form))
        text += form + draw(st.sampled_from(["", " ", "\n\n", "\t", "\u00a0"]))
    inner = sorted(draw(st.sets(st.integers(1, max(len(words) - 1, 1))))) if len(words) > 1 else []
    sentence_starts = [start for start in inner if draw(st.booleans())]
    sentences, units = (
        tuple(zip([0, *starts], [*starts, len(words)], strict=True)) if words else ()
        for starts in (sentence_starts, inner)
    )
    return Analysis(text, tuple(words), sentences, units)


def test_sentences_are_units_where_nothing_else_is_known() -> None:
    words = (Word(1, 4, "One"), Word(4, 5, "."), Word(7, 10, "Two"))
    text = " One.  Two\n"
    assert [span.of(text) for span in edus(Analysis(text, words, ((0, 2), (2, 3))))] == ["One.", "Two"]


@given(analyses())
def test_units_hold_every_word_once_and_no_space_at_their_ends(analysis: Analysis) -> None:
    found = edus(analysis)
    assert list(found) == sorted(found)
    for word in analysis.words:
        assert sum(span.start <= word.start and word.end <= span.end for span in found) == 1
    for span in found:
        assert span.of(analysis.text) == span.of(analysis.text).strip()


@given(analyses())
def test_every_sentence_begins_a_unit(analysis: Analysis) -> None:
    assert {span.start for span in analysis.sentence_spans()} <= {span.start for span in edus(analysis)}
