"""What each reference states: rules cut, the network writes out what is unclear, and the reader decides."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

from pyramidion.builders.assemble import Voice, voices_of
from pyramidion.builders.meaning import meaning
from pyramidion.builders.stated import CLEAR, TOGETHER, Said, _read_together, _rewrite, stated_units, write_out
from pyramidion.errors import MissingPartError, PyramidionError
from pyramidion.language.parse.analysis import Analysis
from pyramidion.language.statements.rules import Statement, statements_of
from pyramidion.language.statements.written import written_statements
from pyramidion.model import Span, Summary, Topic

pytestmark = pytest.mark.skipif(
    find_spec("pyramidion_entails") is None, reason="the network is not installed: pip install ./entails"
)
needs_the_writer = pytest.mark.skipif(
    find_spec("pyramidion_writes") is None, reason="the writer is not installed: pip install ./writes"
)

PLAIN = "The lake was closed because algae had spread. Fishermen lost their income."
DOUBTFUL = "Homework should be abolished. Research finds no link between homework and marks. It spoils family evenings."
GARDEN = (
    "Neighbours turned the car park of Marwick into a garden. Fifty of them dig there. They grow beans and leeks, and "
    "what is left over goes to the food bank. The council, which owns it, wants it back for flats."
)
TOPIC = Topic("t", (Summary("a", PLAIN), Summary("b", DOUBTFUL), Summary("c", GARDEN)))
SEVEN = "Prices rose in April and fell again."


def voices(*texts: str) -> list[Voice]:
    return voices_of(Topic("t", tuple(Summary(str(number), text) for number, text in enumerate(texts))), "en-minilm")


def analysis_of(text: str) -> Analysis:
    return voices(text)[0].segmented.analysis


def said(text: str, words: range, clear: float, open: str = "", sentence: int = 0) -> Said:
    """A statement from words of the text, by number."""
    own = analysis_of(SEVEN).words[words.start : words.stop]
    return Said(0, Statement(text, (Span(own[0].start, own[-1].end),), sentence, open), SEVEN, ("a",), clear)


def all_written(made: list[Voice]) -> list[Said]:
    """The statements, everything that is unclear written out."""
    units = stated_units(made)
    return write_out(units, made, range(len(units)))


def told(units: list[Said]) -> list[tuple[str, int, float]]:
    return [(unit.text, unit.statement.sentence, unit.clear) for unit in units]


def test_by_rules_there_is_a_unit_for_every_statement_of_the_rules_and_nobody_writes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "pyramidion_writes", None)
    made = voices_of(TOPIC, "en-minilm")
    units = stated_units(made)
    for number, voice in enumerate(made):
        ruled = statements_of(voice.segmented.analysis)
        own = [unit for unit in units if unit.voice == number]
        assert [unit.statement.spans for unit in own] == [one.spans for one in ruled]
        assert all(unit.text in (one.text, *one.readings) for unit, one in zip(own, ruled, strict=True))


def test_the_reading_of_a_pronoun_that_the_text_bears_out_is_taken_and_called_uncertain() -> None:
    """The rules give *it* to the research; a reader knows that it is homework that spoils evenings."""
    made = voices(DOUBTFUL)
    last = statements_of(made[0].segmented.analysis)[-1]
    assert {last.text, *last.readings} >= {"Homework spoils family evenings.", "It spoils family evenings."}
    taken = stated_units(made)[-1]
    assert taken.text == "Homework spoils family evenings."
    assert taken.unclear


def test_what_rules_doubt_and_the_reader_calls_clear_is_clear() -> None:
    made = voices(
        "The new press prints books one at a time. "
        "Small print runs pay, because each book costs the same no matter how many are printed."
    )
    ruled = statements_of(made[0].segmented.analysis)
    for unit, rule in zip(stated_units(made), ruled, strict=True):
        assert unit.text == rule.text
        assert unit.clear >= CLEAR
        assert not unit.unclear
    assert any(rule.open for rule in ruled)


def test_a_statement_that_is_clear_stays_as_the_rules_wrote_it() -> None:
    made = voices(PLAIN)
    assert [unit.text for unit in stated_units(made)] == [one.text for one in statements_of(made[0].segmented.analysis)]


def test_where_everything_is_clear_the_writer_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyramidion_writes", None)
    plain, doubtful = voices(PLAIN), voices(PLAIN, DOUBTFUL)
    units = stated_units(plain)
    assert not any(unit.unclear for unit in units)
    assert write_out(units, plain, range(len(units))) == units
    units = stated_units(doubtful)
    assert any(unit.unclear for unit in units)
    assert write_out(units, doubtful, ()) == units
    with pytest.raises(MissingPartError, match="the writer 'rules'"):
        write_out(units, doubtful, range(len(units)))


@needs_the_writer
def test_units_stay_as_the_rules_cut_them_and_only_what_is_unclear_is_written_out() -> None:
    made = voices_of(TOPIC, "en-minilm")
    ruled = stated_units(made)
    units = write_out(ruled, made, range(len(ruled)))
    unclear = [
        {unit.statement.sentence for unit in ruled if unit.voice == one and unit.unclear} for one in range(len(made))
    ]
    offered = written_statements([voice.segmented.analysis for voice in made], unclear)
    assert any(unclear)
    for before, after in zip(ruled, units, strict=True):
        same = (before.voice, before.statement.spans, before.statement.sentence, before.sentence, before.copies)
        assert (after.voice, after.statement.spans, after.statement.sentence, after.sentence, after.copies) == same
        if after != before:
            assert before.unclear
            assert not after.unclear
            assert after.text in [one.text for one in offered[after.voice]]


@needs_the_writer
def test_only_what_was_asked_for_is_written_out() -> None:
    made = voices_of(TOPIC, "en-minilm")
    ruled = stated_units(made)
    every = write_out(ruled, made, range(len(ruled)))
    changed = [number for number, unit in enumerate(every) if unit != ruled[number]]
    assert changed
    some = write_out(ruled, made, changed[:1])
    assert [number for number, unit in enumerate(some) if unit != ruled[number]] == changed[:1]


def test_a_long_text_is_read_in_parts_and_every_sentence_in_one_of_them_with_what_is_before() -> None:
    analysis = analysis_of(" ".join([GARDEN, PLAIN] * (TOGETHER // 30)))
    assert len(analysis.words) > TOGETHER
    made = list(_read_together(analysis))
    assert len(made) > 1
    assert [one for _, first, last in made for one in range(first, last)] == list(range(len(analysis.sentences)))
    places = list(analysis.sentence_spans())
    for text, first, last in made:
        assert len(text.split()) <= TOGETHER
        assert text.endswith(analysis.text[places[first].start : places[last - 1].end])
    assert all(len(text) > places[last - 1].end - places[first].start for text, first, last in made[1:])


def test_a_short_text_is_read_whole() -> None:
    analysis = analysis_of(GARDEN)
    assert list(_read_together(analysis)) == [(GARDEN, 0, len(analysis.sentences))]


def test_no_two_statements_of_a_text_get_the_same_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """The writer offers one sentence for both statements of a sentence; the first of them gets it."""
    (voice,) = voices("Prices, which rose in April, fell again.")
    units = [replace(unit, clear=0.0) for unit in stated_units([voice])]
    whole = voice.segmented.analysis.span(0, len(voice.segmented.analysis.words))
    offered = [Statement("Prices rose in April and fell again.", (whole,), 0)]
    module = sys.modules[write_out.__module__]
    monkeypatch.setattr(module, "written_statements", lambda *asked: [tuple(offered)])
    monkeypatch.setattr(module, "clear", lambda asked: [np.ones(len(said)) for _, said in asked])
    made = write_out(units, [voice], range(len(units)))
    assert len(units) == 2
    assert [unit.text for unit in made].count("Prices rose in April and fell again.") == 1


def test_what_is_unclear_is_written_out_by_what_is_clear_and_of_the_same_words() -> None:
    unit = said("They rose.", range(4), 0.1)
    new = said("Prices rose in April.", range(4), 0.9)
    taken = _rewrite(unit, [new], analysis_of(SEVEN))
    assert (taken.text, taken.clear, taken.unclear) == ("Prices rose in April.", 0.9, "")
    assert taken.statement.spans == unit.statement.spans


def test_what_was_open_is_open_no_longer_once_it_is_written_out() -> None:
    unit = said("They rose in April.", range(4), 0.9, open="nobody can tell what 'They' is")
    assert not _rewrite(unit, [said("Prices rose.", range(4), 0.8)], analysis_of(SEVEN)).unclear


def test_of_several_the_clearest_is_taken() -> None:
    unit = said("They rose.", range(4), 0.1)
    offered = [said(f"Prices {clear}.", range(4), clear) for clear in (0.5, 0.8, 0.7)]
    assert _rewrite(unit, offered, analysis_of(SEVEN)).text == "Prices 0.8."
    assert _rewrite(unit, offered[::-1], analysis_of(SEVEN)).text == "Prices 0.8."


@pytest.mark.parametrize(
    ("text", "words", "clear", "open"),
    [
        ("Unclear.", range(4), CLEAR / 2, ""),
        ("Open.", range(4), 0.9, "it is not certain what it speaks of"),
        ("Of other words.", range(4, 7), 0.9, ""),
        ("Of too few of its words.", range(3, 4), 0.9, ""),
        ("Of too few of its own words.", range(2, 6), 0.9, ""),
    ],
)
def test_otherwise_it_stays_as_it_is(text: str, words: range, clear: float, open: str) -> None:
    unit = said("They rose.", range(4), 0.1)
    assert _rewrite(unit, [said(text, words, clear, open)], analysis_of(SEVEN)) == unit
    assert _rewrite(unit, [], analysis_of(SEVEN)) == unit


@pytest.mark.parametrize("words", [range(1, 4), range(1, 6), range(2, 4), range(7)])
def test_a_part_is_of_the_same_words_and_so_is_what_says_more(words: range) -> None:
    """Of the unit's four words these have three, two or all, with up to three more."""
    unit = said("They rose.", range(4), 0.1)
    assert _rewrite(unit, [said("Prices rose.", words, 0.9)], analysis_of(SEVEN)).text == "Prices rose."


def test_what_is_written_of_another_sentence_is_not_taken() -> None:
    text = f"{SEVEN} {SEVEN}"
    unit, other = said("They rose.", range(4), 0.1), said("Prices rose.", range(4), 0.9, sentence=1)
    assert _rewrite(unit, [other], analysis_of(text)) == unit


def test_an_unknown_writer_is_an_error_that_names_those_there_are() -> None:
    with pytest.raises(PyramidionError, match=r"cannot be 'people'; choose one of: network, rules"):
        meaning(TOPIC, writer="people")


def test_a_statement_that_is_no_label_says_why() -> None:
    unit = said("Prices rose.", range(4), CLEAR)
    assert unit.unclear == ""
    assert "may not understand" in replace(unit, clear=CLEAR / 2).unclear
    known = replace(unit, statement=replace(unit.statement, open="nobody can tell what 'it' is"), clear=0.0)
    assert known.unclear == "nobody can tell what 'it' is"


def test_a_unit_has_the_words_inside_its_spans() -> None:
    analysis = analysis_of(SEVEN)
    unit = said("Prices fell.", range(4, 7), 0.9)
    apart = replace(unit, statement=replace(unit.statement, spans=(analysis.words[0].span, *unit.statement.spans)))
    assert [analysis.words[one].form for one in sorted(apart.words(analysis))] == ["Prices", "and", "fell", "again"]
    assert unit.words(analysis) == {4, 5, 6}


@needs_the_writer
def test_copies_of_a_text_are_one_voice_to_which_all_contribute() -> None:
    copied = replace(TOPIC, references=(*TOPIC.references, Summary("copy", DOUBTFUL)))
    once, twice = (all_written(voices_of(topic, "en-minilm")) for topic in (TOPIC, copied))
    assert told(once) == told(twice)
    for unit in twice:
        ids = {"b", "copy"} if unit.sentence in DOUBTFUL else {"a"} if unit.sentence in PLAIN else {"c"}
        assert {one.summary for one in unit.contributors()} == ids
        assert {(one.spans, one.reason) for one in unit.contributors()} == {(unit.statement.spans, unit.text)}


@needs_the_writer
def test_the_order_of_references_and_their_names_change_nothing() -> None:
    turned = replace(TOPIC, references=tuple(replace(one, id=f"new {one.id}") for one in reversed(TOPIC.references)))
    assert told(all_written(voices_of(turned, "en-minilm"))) == told(all_written(voices_of(TOPIC, "en-minilm")))


@needs_the_writer
def test_what_a_text_states_does_not_depend_on_the_others() -> None:
    made = voices_of(TOPIC, "en-minilm")
    alone = [told(all_written([voice])) for voice in made]
    assert told(all_written(made)) == [unit for own in alone for unit in own]
    assert told(all_written(made[::-1])) == [unit for own in alone[::-1] for unit in own]
