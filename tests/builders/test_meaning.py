"""Grouping by meaning: what belongs together, what never does, and what the order of references cannot change."""

from __future__ import annotations

import sys
from collections.abc import Collection, Sequence
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

from pyramidion.builders.assemble import Voice, voices_of
from pyramidion.builders.meaning import LIKELY, Compared, _best_label, compared, meaning, seconds, unlabelled_members
from pyramidion.builders.stated import CLEAR, Said, stated_units
from pyramidion.errors import PyramidionError
from pyramidion.language import LanguageError
from pyramidion.language.statements.rules import statements
from pyramidion.methods import Method
from pyramidion.model import Pyramid, Summary, Topic

pytestmark = pytest.mark.skipif(
    find_spec("pyramidion_entails") is None, reason="the network is not installed: pip install ./entails"
)
MODULE = sys.modules[meaning.__module__]
needs_the_writer = pytest.mark.skipif(
    find_spec("pyramidion_writes") is None, reason="the writer is not installed: pip install ./writes"
)

LAKE = Topic(
    "lake",
    (
        Summary("a", "The lake was closed because algae had spread. Fishermen lost their income."),
        Summary("b", "The lake was closed. Its keeper, Anna Smith, resigned in May."),
        Summary("c", "Since algae had spread, the lake was closed. The fishermen earned nothing."),
    ),
)


def unread_alone(size: int) -> np.ndarray:
    """Pairs of which nobody read the statements alone."""
    return np.full((size, size), np.nan)


def groups(pyramid: Pyramid) -> set[frozenset[tuple[str, str]]]:
    return {frozenset((one.summary, one.reason) for one in scu.contributors) for scu in pyramid.scus}


def test_a_pair_is_worth_less_where_another_statement_of_the_text_says_it_better() -> None:
    """Statement 0 of one text; 1 and 2 of another, of which 2 is the one that says it."""
    entailed = np.array([[np.nan, 0.2, 0.2], [0.2, np.nan, np.nan], [0.2, np.nan, np.nan]])
    silent = np.zeros((3, 3))
    voice, cosine = np.array([0, 1, 1]), np.full((3, 3), 0.5)
    equal = Compared(voice, cosine, cosine, silent, entailed, silent, unread_alone(3))
    better = Compared(
        voice, cosine, cosine, silent, np.where(np.arange(3) == 2, entailed * 4, entailed), silent, unread_alone(3)
    )
    assert equal.worth()[0, 1] == equal.worth()[0, 2] > better.worth()[0, 1]
    assert better.worth()[0, 2] > equal.worth()[0, 2]
    assert equal.worth()[1, 2] == -np.inf


def test_the_chances_of_a_text_leave_something_for_saying_nothing_of_the_kind() -> None:
    entailed = np.full((3, 3), 0.9)
    beside = np.zeros((3, 3))
    chance = Compared(
        np.array([0, 1, 1]), np.ones((3, 3)), np.ones((3, 3)), beside, entailed, beside, unread_alone(3)
    ).chances()
    assert 0.9 < chance[1, 0] + chance[2, 0] < 1


def test_a_pair_in_the_same_place_of_both_texts_is_worth_more() -> None:
    entailed, silent, cosine = np.full((2, 2), 0.2), np.zeros((2, 2)), np.full((2, 2), 0.5)
    same, far = (
        Compared(np.array([0, 1]), cosine, cosine, np.full((2, 2), apart), entailed, silent, unread_alone(2))
        for apart in (0.0, 0.9)
    )
    assert same.worth()[0, 1] > far.worth()[0, 1]


def test_a_pair_that_nobody_read_speaks_against_a_group_as_much_as_one_that_says_nothing_in_common() -> None:
    unread = unread_alone(2)
    pair = Compared(np.array([0, 1]), np.ones((2, 2)), np.ones((2, 2)), np.zeros((2, 2)), unread, unread, unread)
    assert pair.worth(0.2)[0, 1] == -0.2


def test_a_statement_alone_and_its_sentence_count_alike() -> None:
    """By a sentence it is said for sure, by a statement hardly. The surer directions are averaged, and the others."""
    said, silent, ones = np.array([[np.nan, 0.9], [0.5, np.nan]]), np.zeros((2, 2)), np.ones((2, 2))
    odds = np.log(0.9 / 0.1)
    hardly = np.array([[np.nan, -odds], [-3 * odds, np.nan]])
    unread, read = (
        Compared(np.array([0, 1]), ones, ones, silent, said, silent, own) for own in (unread_alone(2), hardly)
    )
    assert unread.evidence[:2, 0, 1] == pytest.approx([odds, 0])
    assert read.evidence[:2, 0, 1] == pytest.approx([0, -3 * odds / 2])
    assert read.worth()[0, 1] < unread.worth()[0, 1]


def test_a_statement_that_says_two_things_joins_a_second_group() -> None:
    """0 of one text says what 1 and 2 of another say; each of these has a partner, 3 and 4, in a third."""
    chance = np.array([
        [0.3, 0.8, 0.7, 0.8, 0.6],
        [0.8, 0.3, -np.inf, 0.8, 0.0],
        [0.7, -np.inf, 0.3, 0.0, 0.9],
        [0.8, 0.8, 0.0, 0.3, -np.inf],
        [0.6, 0.0, 0.9, -np.inf, 0.3],
    ])  # fmt: skip
    voice = np.array([0, 1, 1, 2, 2])
    assert seconds([[0, 1, 3], [2, 4]], chance, voice, least=0.6) == [[], [0]]
    assert seconds([[0, 1, 3], [2, 4]], chance, voice, least=0.7) == [[], []]


def test_what_is_contradicted_joins_no_second_group() -> None:
    chance = np.array([[0.3, 0.9, 0.9], [0.9, 0.3, -np.inf], [0.9, -np.inf, 0.3]])
    assert seconds([[0], [1, 2]], chance, np.array([0, 1, 2]), least=0.4)[1] == [0]
    chance[0, 2] = chance[2, 0] = -np.inf
    assert seconds([[0], [1, 2]], chance, np.array([0, 1, 2]), least=0.4)[1] == []


def test_the_reading_of_a_pronoun_that_the_text_bears_out_is_taken() -> None:
    """The rules give *it* to the research; a reader knows that it is homework that spoils evenings."""
    told = "Homework should be abolished. Research finds no link between homework and marks. It spoils family evenings."
    voices = voices_of(Topic("t", (Summary("a", told),)), "en-minilm")
    last = statements(told)[-1]
    assert last.text != "Homework spoils family evenings."
    assert {last.text, *last.readings} >= {"Homework spoils family evenings.", "It spoils family evenings."}
    taken = stated_units(voices)[-1]
    assert taken.text == "Homework spoils family evenings."
    assert taken.unclear


def test_a_statement_that_is_clear_stays_as_the_rules_wrote_it() -> None:
    voices = voices_of(LAKE, "en-minilm")
    ruled = [one.text for voice in voices for one in statements(voice.segmented.analysis.text)]
    assert [one.text for one in stated_units(voices)] == ruled


def test_only_the_members_of_groups_without_a_label_are_written_out_from_so_many_sentences() -> None:
    voices = voices_of(LAKE, "en-minilm")
    clear = replace(stated_units(voices)[0], clear=1.0)
    vague = [replace(clear, clear=0.0, statement=replace(clear.statement, sentence=number)) for number in (0, 0, 7, 8)]
    units = [clear, *vague]
    assert unlabelled_members([[3, 4], [0, 1], [2]], units, most=9) == [3, 4, 2]
    assert unlabelled_members([[0, 1]], units, most=9) == []
    assert unlabelled_members([[3, 4], [2]], units, most=2) == [3, 4]
    assert unlabelled_members([[1, 3, 4], [2]], units, most=2) == [1, 3, 2]


def asked_of_the_writer(monkeypatch: pytest.MonkeyPatch, **settings: str) -> tuple[list[str], Pyramid]:
    """The texts of the statements that are to be written out, and the pyramid, of which nothing is clear by itself."""
    asked: list[str] = []

    def unclear(voices: Sequence[Voice]) -> list[Said]:
        return [replace(unit, clear=CLEAR / 2) for unit in stated_units(voices)]

    def out(units: Sequence[Said], voices: Sequence[Voice], which: Collection[int]) -> list[Said]:
        asked.extend(units[one].text for one in which)
        return [replace(unit, clear=1.0) if number in which else unit for number, unit in enumerate(units)]

    monkeypatch.setattr(MODULE, "stated_units", unclear)
    monkeypatch.setattr(MODULE, "write_out", out)
    return asked, meaning(LAKE, **settings)


@needs_the_writer
def test_what_has_no_label_is_written_out_the_heaviest_scus_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MODULE, "WRITTEN", 3)
    asked, pyramid = asked_of_the_writer(monkeypatch)
    heaviest = pyramid.scus[0]
    assert heaviest.weight == 3
    assert set(asked) >= {one.reason for one in heaviest.contributors}
    assert not heaviest.unclear
    assert any(scu.unclear for scu in pyramid.scus)


def test_rules_alone_write_nothing_out(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, pyramid = asked_of_the_writer(monkeypatch, writer="rules")
    assert asked == []
    assert all(scu.unclear for scu in pyramid.scus)


def test_a_statement_may_join_several_groups() -> None:
    chance = np.full((4, 4), 0.9)
    assert seconds([[0], [1], [2, 3]], chance, np.array([0, 1, 2, 3]), least=0.5)[2] == [0, 1]


def test_of_a_group_a_statement_that_is_clear_is_the_label() -> None:
    voices = voices_of(LAKE, "en-minilm")
    first, second, *_ = stated_units(voices)
    surest = np.array([[np.nan, 0.1], [0.9, np.nan]])
    first, second = (replace(one, clear=1.0) for one in (first, second))
    assert _best_label([0, 1], [first, second], surest) == 0
    assert _best_label([0, 1], [replace(first, clear=CLEAR / 2), second], surest) == 1


def test_a_statement_that_is_no_label_says_why() -> None:
    voices = voices_of(LAKE, "en-minilm")
    unit = stated_units(voices)[0]
    assert unit.unclear == ""
    assert replace(unit, clear=CLEAR / 2).unclear
    known = replace(unit, statement=replace(unit.statement, open="nobody can tell what 'it' is"))
    assert known.unclear == "nobody can tell what 'it' is"


def test_the_same_told_in_reverse_is_still_the_same() -> None:
    told = ["The lake was closed in May.", "Anna Smith paid a fine.", "Two hundred fish died.", "A school was rebuilt."]
    topic = Topic("order", (Summary("a", " ".join(told)), Summary("b", " ".join(reversed(told)))))
    assert [scu.weight for scu in meaning(topic).scus] == [2, 2, 2, 2]


def test_who_says_the_same_is_one_scu() -> None:
    pyramid = meaning(LAKE)
    heaviest = pyramid.scus[0]
    assert heaviest.weight == 3
    assert "closed" in heaviest.label
    fishermen = next(scu for scu in pyramid.scus if "ishermen" in scu.label)
    assert {one.summary for one in fishermen.contributors} == {"a", "c"}
    assert [scu.weight for scu in pyramid.scus] == sorted((scu.weight for scu in pyramid.scus), reverse=True)


def test_contributors_are_words_of_their_reference() -> None:
    pyramid = meaning(LAKE)
    resigned = next(scu for scu in pyramid.scus if "resigned" in scu.label)
    assert pyramid.words(resigned.contributors[0]).startswith("Its keeper")
    assert resigned.label.endswith("resigned in May.")


def test_order_and_names_change_nothing_but_ids() -> None:
    names = {"a": "z", "b": "y", "c": "x"}
    turned = replace(LAKE, references=tuple(replace(one, id=names[one.id]) for one in reversed(LAKE.references)))
    renamed = {frozenset((names[id], text) for id, text in group) for group in groups(meaning(LAKE))}
    assert groups(meaning(turned)) == renamed
    assert [scu.label for scu in meaning(turned).scus] == [scu.label for scu in meaning(LAKE).scus]


def test_copies_are_one_voice_and_count() -> None:
    copies = replace(LAKE, references=(*LAKE.references, replace(LAKE.references[0], id="copy")))
    once, twice = meaning(LAKE), meaning(copies)
    assert [scu.label for scu in once.scus][:1] == [scu.label for scu in twice.scus][:1]
    assert twice.scus[0].weight == 4


def test_one_reference_gives_its_statements() -> None:
    pyramid = meaning(replace(LAKE, references=LAKE.references[1:2]))
    assert [scu.weight for scu in pyramid.scus] == [1] * len(pyramid.scus)
    assert pyramid.scus[0].label == "The lake was closed."


def test_the_sentence_of_a_statement_is_read() -> None:
    """What a statement leaves open, its sentence tells."""
    topic = Topic(
        "mill", (Summary("a", "The mill, which was sold in May, burnt down."), Summary("b", "A mill was sold."))
    )
    assert [scu.weight for scu in meaning(topic).scus] == [2, 1]


def test_likely_pairs_are_read_alone_too() -> None:
    units = stated_units(voices_of(LAKE, "en-minilm"))
    length = np.array([len(unit.text) for unit in units])
    beside = compared(units)
    first = np.where(length[:, None] >= length, np.fmax(beside.entailed, beside.denied), np.nan)
    likely = np.nan_to_num(np.fmax(first, first.T)) >= LIKELY
    assert likely.any()
    assert not likely.all()
    assert (~np.isnan(beside.alone) == likely).all()


def test_of_very_many_pairs_each_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MODULE, "MANY", 0)
    beside = compared(stated_units(voices_of(LAKE, "en-minilm")))
    assert np.isnan(beside.alone).all()
    assert not (~np.isnan(beside.entailed) & ~np.isnan(beside.entailed.T)).any()


def test_opposites_never_merge() -> None:
    topic = Topic(
        "dam", (Summary("a", "The dam is safe for the town."), Summary("b", "The dam is not safe for the town."))
    )
    assert [scu.weight for scu in meaning(topic).scus] == [1, 1]


def test_a_label_that_cannot_be_read_by_itself_is_marked() -> None:
    topic = Topic("it", (Summary("a", "It was sold in May for a pound."),))
    (scu,) = meaning(topic).scus
    assert scu.unclear == "nobody can tell what 'It' is"


def test_a_label_that_can_be_read_is_preferred() -> None:
    topic = Topic(
        "mill", (Summary("a", "It was sold in May to a bank."), Summary("b", "The mill was sold to a bank in May."))
    )
    (scu,) = meaning(topic).scus
    assert (scu.label, scu.unclear) == ("The mill was sold to a bank in May.", "")


def test_it_is_a_method() -> None:
    assert str(Method.parse("meaning+soft(threshold=0.1)")) == "meaning+soft(threshold=0.1)"


def test_other_languages_are_refused() -> None:
    with pytest.raises(LanguageError, match="needs an English parse"):
        meaning(Topic("t", (Summary("a", "Он пришёл, потому что она позвонила."),)))


@pytest.mark.parametrize("settings", [{"threshold": 0.0}, {"threshold": 1.5}, {"nearest": 0}, {"time_limit": 0.0}])
def test_settings_that_make_no_sense_are_errors(settings: dict[str, float]) -> None:
    with pytest.raises(PyramidionError):
        meaning(LAKE, **settings)  # type: ignore[arg-type]
