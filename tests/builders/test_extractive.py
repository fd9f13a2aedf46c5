"""Extractive references and the pyramids that they make: pruning, bad input, what an SCU shows."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyramidion import examples, formats
from pyramidion.base import solver as highs
from pyramidion.builders import program
from pyramidion.builders.alignment import align, candidates
from pyramidion.builders.extractive import Text, edu_align, edu_oracle_be, edu_oracle_rouge, extracts
from pyramidion.builders.oracle import Sharing, oracle, sharing
from pyramidion.builders.program import Choice, Program
from pyramidion.errors import InputWarning, PyramidionError
from pyramidion.language import LanguageError
from pyramidion.language.parse.analysers import unicode_analysis
from pyramidion.language.parse.discourse import units_of
from pyramidion.model import Source, Span, Summary, Topic

BUILDERS = [edu_align, edu_oracle_rouge, edu_oracle_be]

LAKE = "Algae spread in the lake. The council closed the lake to swimmers."
FISH = "Fishermen lost their income. Shops in the village sold nothing."


def topic(references: list[str], sources: list[str], name: str = "lake") -> Topic:
    return Topic(
        name,
        tuple(Summary("ABCDEF"[number], text) for number, text in enumerate(references)),
        sources=tuple(Source(str(number), text) for number, text in enumerate(sources, 1)),
    )


@pytest.fixture(scope="module")
def lake() -> Topic:
    return next(one for one in formats.load(Path(examples.__file__).parent) if one.id == "lake-revival")


words = st.lists(st.text("abcde", min_size=1, max_size=6).map(tuple), max_size=12)


@settings(max_examples=60)
@given(words, words.map(lambda some: some[:3]), st.integers(0, 15))
def test_pruning_pairs_does_not_change_the_optimum(edus: Any, reference: Any, l_max: int) -> None:
    pruned = align(edus, reference, l_max)
    assert pruned.value == pytest.approx(align(edus, reference, l_max, prune=False).value)
    left = candidates(edus, reference, l_max)
    assert set(left) <= set(candidates(edus, reference, l_max, prune=False))
    for k, target in enumerate(reference):
        assert sum(pair[1] == k for pair in left) <= len(reference) * len(target)


@st.composite
def shared(draw: st.DrawFn) -> Sharing:
    lengths = draw(st.lists(st.integers(1, 6), min_size=1, max_size=10))
    sentences = sorted(draw(st.integers(0, 4)) for _ in lengths)
    sides = [(a, b) for a in range(len(lengths)) for b in range(a, len(lengths)) if sentences[a] == sentences[b]]
    occurrences = draw(st.lists(st.tuples(st.sampled_from("abcdxy"), st.sampled_from(sides)), max_size=20))
    return sharing(lengths, sentences, draw(st.lists(st.sampled_from("abcd"), max_size=8)), occurrences)


@settings(max_examples=60)
@given(shared(), st.integers(0, 25), st.sampled_from([0.0, 1.0, 1.5]))
def test_pruning_edus_and_sentences_does_not_change_the_optimum(some: Sharing, l_max: int, cost: float) -> None:
    pruned = oracle(some, l_max, cost=cost)
    assert pruned.value == pytest.approx(oracle(some, l_max, cost=cost, prune=False).value)
    assert set(pruned.edus) <= {j for edus in some.supply for j in edus}


@settings(max_examples=30)
@given(shared(), st.integers(0, 25))
def test_no_chosen_edu_can_be_dropped_at_no_loss(some: Sharing, l_max: int) -> None:
    found = oracle(some, l_max)
    for one in found.edus:
        assert some.value([j for j in found.edus if j != one]) < found.value


@pytest.fixture
def no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that stops with neither a solution nor a bound."""

    nothing = highs.Solution(x=None, bound=float("inf"), optimal=False, status="Time limit reached")
    monkeypatch.setattr(program.highs, "solve", lambda *_, **__: nothing)


@pytest.mark.usefixtures("no_time")
@settings(max_examples=30)
@given(shared(), st.integers(0, 25), words, words.map(lambda some: some[:3]))
def test_without_time_there_is_a_choice_that_fits_and_a_bound(
    some: Sharing, l_max: int, edus: Any, reference: Any
) -> None:
    found = oracle(some, l_max)
    assert sum(some.lengths[j] for j in found.edus) <= l_max
    assert found.bound >= found.value == some.value(found.edus) >= 0
    aligned = align(edus, reference, l_max)
    assert sum(len(edus[j]) for j in aligned.edus) <= l_max
    assert aligned.bound >= aligned.value >= 0


@pytest.mark.usefixtures("no_time")
@pytest.mark.parametrize("build", [edu_align, edu_oracle_rouge])
def test_when_the_time_is_up_the_warning_says_how_far_off_it_may_be(build: Any) -> None:
    with pytest.warns(
        InputWarning, match=r"reference 'A': the time was up with an extract that is at most \d+\.\d% below"
    ):
        pyramid = build(topic([LAKE], [LAKE + " " + FISH]), analyser="unicode")
    assert [scu.label for scu in pyramid.scus] == [
        "Algae spread in the lake.",
        "The council closed the lake to swimmers.",
    ]


def test_a_real_time_out_is_survived() -> None:
    """1e-9 seconds: whatever HiGHS has by then."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        assert edu_align(topic([LAKE], [LAKE]), analyser="unicode", time_limit=1e-9).scus


@pytest.mark.parametrize("seconds", [0, -1.0, float("nan")])
def test_no_time_at_all_is_an_error(seconds: float) -> None:
    with pytest.raises(PyramidionError, match="seconds above 0"):
        edu_align(topic([LAKE], [LAKE]), analyser="unicode", time_limit=seconds)


def test_a_gap_is_a_share_of_the_bound() -> None:
    assert Choice((1,), 3.0, 4.0).gap == 0.25
    assert not Choice((1,), 3.0, 4.0).proved
    assert Choice().proved


def test_a_program_without_variables_has_the_value_0() -> None:
    chosen, bound = Program().solve()
    assert chosen is not None
    assert (len(chosen), bound) == (0, 0.0)


@pytest.mark.parametrize("build", BUILDERS)
def test_without_sources_the_error_says_what_is_needed(build: Any) -> None:
    with pytest.raises(PyramidionError, match=r"'lake' has no source document, .*TOPIC/sources/\*\.txt"):
        build(topic([LAKE], []), analyser="unicode")
    with pytest.raises(PyramidionError, match="no source document that says anything"):
        build(topic([LAKE], ["", " ... "]), analyser="unicode")


@pytest.mark.parametrize("build", BUILDERS)
def test_without_references_there_is_no_pyramid(build: Any) -> None:
    with pytest.raises(PyramidionError, match="no reference with any words"):
        build(topic(["", "!"], [LAKE]))


def test_an_empty_reference_is_left_out_and_named() -> None:
    with pytest.warns(InputWarning, match=r"'B' say\(s\) nothing and is left out"):
        pyramid = edu_align(topic([LAKE, " -- "], [LAKE]), analyser="unicode")
    assert [reference.id for reference in pyramid.references] == ["A"]


def test_an_edu_longer_than_the_reference_is_in_no_extract() -> None:
    long = "The council of the village closed the lake to all swimmers because algae had spread in it for weeks."
    pyramid = edu_align(topic(["The council closed the lake."], [long, "They closed it."]), analyser="unicode")
    assert [scu.label for scu in pyramid.scus] == ["They closed it."]


@pytest.mark.parametrize("build", [edu_align, edu_oracle_rouge])
def test_where_nothing_fits_the_extract_is_empty_and_that_is_said(build: Any) -> None:
    with pytest.warns(InputWarning, match="no EDU of the sources is like it enough"):
        pyramid = build(topic(["Elephants dance."], [LAKE]), analyser="unicode")
    assert pyramid.scus == ()
    assert pyramid.size == 1


def test_another_language_has_sentences_for_edus() -> None:
    russian = ["Озеро закрыли из-за водорослей. Рыбаки остались без дохода."]
    sources = ["Совет закрыл озеро. Озеро закрыли из-за водорослей. Магазины пусты. Рыбаки остались без дохода."]
    for build in (edu_align, edu_oracle_rouge):
        pyramid = build(topic(russian, sources))
        assert [scu.label for scu in pyramid.scus] == ["Озеро закрыли из-за водорослей.", "Рыбаки остались без дохода."]


def test_basic_elements_need_a_parse() -> None:
    with pytest.raises(LanguageError, match="needs an English parse"):
        edu_oracle_be(topic(["Озеро закрыли из-за водорослей."], ["Озеро закрыли из-за водорослей."]))


def test_a_source_without_a_parse_is_left_out_and_named() -> None:
    with pytest.warns(InputWarning, match=r"source\(s\) '2' cannot be parsed"):
        pyramid = edu_oracle_be(topic([LAKE], [LAKE, "Озеро закрыли из-за водорослей."]), sentence_cost=0.0)
    assert {one.place.source for scu in pyramid.scus for one in scu.contributors if one.place} == {"1"}


@pytest.mark.parametrize(("settings", "what"), [({"n": 0}, "The setting n is"), ({"n": 9}, "The setting n is"), ({"sentence_cost": -1.0}, "The cost of a sentence is -1"), ({"sentence_cost": float("inf")}, "The cost of a sentence is inf")])  # fmt: skip
def test_settings_that_make_no_sense_are_errors(settings: dict[str, Any], what: str) -> None:
    with pytest.raises(PyramidionError, match=what):
        edu_oracle_rouge(topic([LAKE], [LAKE]), analyser="unicode", **settings)


def test_the_weight_of_an_edu_is_the_number_of_extracts_that_have_it() -> None:
    """The same words in two sources are one EDU, whichever of them a reference chose."""
    references = [LAKE, FISH, "Algae spread in the lake. Fishermen lost their income.", LAKE]
    pyramid = edu_align(
        topic(references, [LAKE + " " + FISH, "Yesterday: algae spread in the lake!", LAKE]), analyser="unicode"
    )
    assert {scu.label: scu.weight for scu in pyramid.scus} == {
        "Algae spread in the lake.": 3,
        "The council closed the lake to swimmers.": 2,
        "Fishermen lost their income.": 2,
        "Shops in the village sold nothing.": 1,
    }
    assert pyramid.size == 4


def test_an_scu_shows_its_source_and_what_it_stands_for_in_the_reference(lake: Topic) -> None:
    pyramid = edu_align(lake)
    texts = {source.id: source.text for source in lake.sources}
    for scu in pyramid.scus:
        for contributor in scu.contributors:
            found = contributor.place
            assert found is not None
            said = " ".join(found.span.of(texts[found.source]).split())
            assert contributor.label == said
            assert contributor.spans
        assert scu.label in scu.sentence
        assert scu.sentence in " ".join(" ".join(texts.values()).split())


@pytest.mark.parametrize("build", BUILDERS)
def test_extracts_of_the_example_are_no_longer_than_their_references(lake: Topic, build: Any) -> None:
    pyramid = build(lake)
    assert pyramid.size == 5
    assert pyramid.order >= 2
    for reference in pyramid.references:
        own = [scu.label for scu in pyramid.scus if any(one.summary == reference.id for one in scu.contributors)]
        text = unicode_analysis(reference.text)
        length = sum(unit.length for unit in units_of(text))
        assert own
        assert sum(unit.length for label in own for unit in units_of(unicode_analysis(label))) <= length + 2


def test_a_place_has_the_name_of_any_source() -> None:
    odd = 'a "quoted\\" name 1-2'
    pyramid = edu_align(Topic("t", (Summary("A", LAKE),), sources=(Source(odd, LAKE),)), analyser="unicode")
    found = pyramid.scus[0].contributors[0].place
    assert found is not None
    assert (found.source, found.span) == (odd, Span(0, 25))


def test_names_and_order_change_only_ids(lake: Topic) -> None:
    renamed = Topic(
        lake.id,
        tuple(Summary(f"x{one.id}", one.text) for one in reversed(lake.references)),
        sources=tuple(Source(f"y{one.id}", one.text) for one in reversed(lake.sources)),
    )
    for build in (edu_align, edu_oracle_rouge):
        first, second = build(lake), build(renamed)
        assert [(scu.id, scu.label, scu.weight, scu.sentence) for scu in first.scus] == [
            (scu.id, scu.label, scu.weight, scu.sentence) for scu in second.scus
        ]


def test_n_grams_stay_in_their_sentence_and_may_cross_edus() -> None:
    analysis = unicode_analysis("A b, c. D e!")
    text = Text(analysis, units_of(analysis))
    assert [unit for unit, _ in text.ngrams(2)] == [("a", "b"), ("b", "c"), ("d", "e")]
    assert [unit for unit, _ in text.ngrams(1)] == [("a",), ("b",), ("c",), ("d",), ("e",)]
    assert [edus for _, edus in text.ngrams(3)] == [(0,)]


def test_edus_are_numbered_over_the_sources_in_the_order_of_their_texts() -> None:
    (one,) = extracts(topic([LAKE], [FISH, LAKE]), lambda *_: iter([Choice((1, 2), 2.0, 2.0)]), "unicode")
    assert [(source.id, text.says(unit)) for source, text, unit in one.edus] == [
        ("2", "The council closed the lake to swimmers."),
        ("1", "Fishermen lost their income."),
    ]


def test_long_sources_make_no_larger_program() -> None:
    """Ten times the sources, of other words: the pairs of the alignment are those of the first."""
    reference = [tuple("abc"), tuple("de")]
    edus = [tuple("ab"), tuple("de"), tuple("xyz")]
    far = [tuple(f"w{number}") for number in range(2000)]
    assert candidates(edus + far, reference, 5) == candidates(edus, reference, 5)
    many = edus + [tuple("abc")] * 5000
    assert len(candidates(many, reference, 5)) <= 10
