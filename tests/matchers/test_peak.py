"""PEAK's matcher: worked examples, what holds of every pyramid and peer, and bad input."""

from __future__ import annotations

import csv
from dataclasses import replace
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyramidion.builders.peak import Table
from pyramidion.builders.peak import peak as build
from pyramidion.errors import PyramidionError
from pyramidion.language import LanguageError, analyse
from pyramidion.language.parse.propositions import statements
from pyramidion.matchers.peak import _assignment, peak
from pyramidion.model import SCU, Annotation, Contributor, Pyramid, Span, Summary, Topic
from pyramidion.scoring import scores
from tests.strategies import TEXTS, pyramids

REFERENCES = (
    "Police arrested the man. The lake froze.",
    "The man was arrested by police. Bitcoin is a currency.",
    "Police arrested the man in May.",
)


def built() -> Pyramid:
    return build(Topic("toy", tuple(Summary(f"r{number}", text) for number, text in enumerate(REFERENCES))))


def peer(text: str) -> Summary:
    return Summary("p", text, "peer")


def of_labels(*scus: tuple[int, str]) -> Pyramid:
    """A pyramid of which only words are known: each SCU has a weight, and its contributors say the same."""
    references = tuple(Summary(id, "") for id in "ABCDE")
    made = (
        SCU(str(number + 1), words, tuple(Contributor(reference.id, label=words) for reference in references[:weight]))
        for number, (weight, words) in enumerate(scus)
    )
    return Pyramid("toy", references, tuple(made))


def test_a_worked_example() -> None:
    """The peer's passive is the SCU of weight 3; the second sentence is nowhere; the third is the SCU of weight 1."""
    text = "In the end, the man was arrested by police. Nobody knows Latin. The lake froze."
    found = peak(built(), peer(text))
    assert [(match.scu, match.score, match.reason) for match in found.matches] == [
        ("1", 1.0, "police | arrested | the man"),
        ("3", 1.0, "The lake | froze | "),
    ]
    assert [[span.of(text) for span in match.spans] for match in found.matches] == [
        ["the man", "arrested", "police"],
        ["The lake froze"],
    ]
    assert [peer(text).quote(one.spans) for one in found.unmatched] == ["Nobody knows Latin."]
    assert not found.probabilities


@pytest.mark.parametrize("text", REFERENCES)
def test_a_reference_expresses_its_own_scus(text: str) -> None:
    pyramid = built()
    own = next(reference.id for reference in pyramid.references if reference.text == text)
    found = peak(pyramid, peer(text))
    assert set(found.expressed) == {scu.id for scu in pyramid.scus if own in {c.summary for c in scu.contributors}}
    assert {match.score for match in found.matches} == {1.0}
    assert not found.unmatched


def test_one_proposition_expresses_the_heavier_of_two_scus_and_two_propositions_both() -> None:
    pyramid = of_labels((1, "Police arrested the man"), (4, "Police arrested a man"))
    assert [match.scu for match in peak(pyramid, peer("Police arrested the man.")).matches] == ["2"]
    both = peak(pyramid, peer("Police arrested the man. Police arrested a man."))
    assert {match.scu: match.score for match in both.matches} == {"1": 1.0, "2": 1.0}


def test_words_without_a_proposition_are_compared_as_a_whole() -> None:
    pyramid = of_labels((2, "Heavy rain in the valley"), (1, "12345"), (1, "Он пришёл"))
    found = peak(pyramid, peer("Heavy rain in the valley!"))
    assert [(match.scu, match.score) for match in found.matches] == [("1", 1.0)]
    assert peak(pyramid, peer("There was heavy rain in the valley.")).matches[0].scu == "1"


def test_contributors_that_are_no_propositions_are_read_inside_or_alone() -> None:
    text = "The man who won the race lives in Paris, a big city."
    reference = Summary("r", text)
    start = text.index("who won the race")
    whole = SCU("1", "", (Contributor("r", (Span(0, len(text)),)),))
    alone = SCU("2", "", (Contributor("r", (Span(start, start + 16),)),))
    pyramid = Pyramid("toy", (reference,), (whole,))
    assert peak(pyramid, peer("The man won the race.")).matches[0].score == 1
    assert peak(pyramid, peer("The man lives in Paris.")).matches[0].score == 1
    assert peak(Pyramid("toy", (reference,), (alone,)), peer("Ann won the race.")).expressed
    assert not peak(Pyramid("toy", (reference,), (alone,)), peer("The man lives in Paris.")).expressed


def test_the_order_of_everything_changes_nothing() -> None:
    pyramid = built()
    text = peer("Police arrested men. The police arrested a woman in May. A currency is money. The lake froze.")
    expected = peak(pyramid, text)
    assert len(expected.matches) >= 2
    turned = tuple(replace(scu, contributors=scu.contributors[::-1]) for scu in reversed(pyramid.scus))
    assert peak(Pyramid("toy", pyramid.references[::-1], turned), text) == expected


def test_an_empty_peer_and_an_empty_pyramid() -> None:
    for text in ("", " \n"):
        assert peak(built(), peer(text)) == Annotation(peer(text))
    empty = Pyramid("toy", (Summary("r", "He left."),), ())
    assert [one.spans for one in peak(empty, peer("He left.")).unmatched] == [(Span(0, 8),)]


def test_bad_input() -> None:
    with pytest.raises(LanguageError, match="propositions"):
        peak(built(), peer("Он пришёл, потому что она позвонила."))
    with pytest.raises(PyramidionError, match="threshold"):
        peak(built(), peer("He left."), threshold=-0.1)
    with pytest.raises(PyramidionError, match="calibrated"):
        peak(built(), peer("He left."), embedder="sif:nowhere")


@given(pyramids(), TEXTS)
@settings(max_examples=25)
def test_any_pyramid_and_any_peer(pyramid: Pyramid, text: str) -> None:
    try:
        found = peak(pyramid, peer(text))
    except LanguageError:
        assert not analyse(text).parsed
        return
    found.check(pyramid)
    assert len(found.expressed) == len(found.matches)
    said = [(one.spans, str(one)) for one in statements(analyse(text))]
    assert all((match.spans, match.reason) in said for match in found.matches)


@st.composite
def tables(draw: st.DrawFn) -> tuple[Table, list[int]]:
    rows, weights = draw(st.integers(0, 4)), draw(st.lists(st.integers(1, 3), max_size=4))
    values = st.sampled_from([0.0, 0.49, 0.5, 0.7, 0.9, 1.0])
    return np.array([[draw(values) for _ in weights] for _ in range(rows)]).reshape(rows, len(weights)), weights


@given(tables())
@settings(max_examples=100)
def test_the_assignment_has_the_greatest_weight_then_similarity(problem: tuple[Table, list[int]]) -> None:
    table, weights = problem

    def value(pairs: list[tuple[int, int]]) -> tuple[int, float]:
        return sum(weights[scu] for _, scu in pairs), round(sum(float(table[row, scu]) for row, scu in pairs), 9)

    rows, columns = range(table.shape[0]), range(len(weights))
    every = (
        [*zip(chosen, scus, strict=True)]
        for size in range(min(table.shape) + 1)
        for chosen in combinations(rows, size)
        for scus in permutations(columns, size)
    )
    best = max(value(pairs) for pairs in every if all(table[pair] >= 0.5 for pair in pairs))
    assert value(list(_assignment(table, weights, 0.5).items())) == best


@pytest.mark.data
def test_students_are_scored_in_the_order_of_people(data: Path) -> None:
    """The raw scores of the 14 students whom people scored rise with theirs: Pearson's r above .4."""
    folder = data / "cc-students"
    references = tuple(Summary(file.stem, file.read_text()) for file in sorted((folder / "references").iterdir()))
    pyramid = build(Topic("cc", references))
    with (folder / "manual_scores.csv").open() as file:
        manual = {row["filename"].removesuffix(".pan"): float(row["totalWeight"]) for row in csv.DictReader(file)}
    raw = {
        name: scores(pyramid, peak(pyramid, peer((folder / "peers" / f"{name}_sum.txt").read_text()))).raw
        for name in manual
    }
    assert np.corrcoef(list(raw.values()), [manual[name] for name in raw])[0, 1] > 0.4
