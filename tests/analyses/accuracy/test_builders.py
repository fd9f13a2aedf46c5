"""Builders beside given pyramids."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pyramidion.analyses.accuracy.builders import bench_builders
from pyramidion.analyses.accuracy.builders.grouping import PairCounts, Pieces, f1, grouping, share
from pyramidion.analyses.accuracy.builders.labels import self_contained
from pyramidion.analyses.accuracy.builders.result import ALL, Figure
from pyramidion.analyses.accuracy.marked_topics import marked_topics
from pyramidion.cli import main
from pyramidion.errors import PyramidionError
from pyramidion.examples import example
from pyramidion.methods import Method
from pyramidion.model import SCU, Contributor, Pyramid, Span, Summary, Topic

REFERENCES = (
    Summary("a", "Rain fell all night. Two bridges broke."),
    Summary("b", "It rained until dawn. A pair of bridges collapsed."),
    Summary("c", "The rain did not stop. Cows slept."),
)


def scu(id: str, **words: str) -> SCU:
    """An SCU of quoted words of the references, in pieces where `` | `` stands."""
    texts = {reference.id: reference.text for reference in REFERENCES}
    contributors = []
    for reference, quoted in words.items():
        starts = [(texts[reference].index(piece), len(piece)) for piece in quoted.split(" | ")]
        contributors.append(Contributor(reference, tuple(Span(start, start + length) for start, length in starts)))
    return SCU(id, id, tuple(contributors))


def pyramid(*scus: SCU) -> Pyramid:
    return Pyramid("flood", REFERENCES, scus)


GIVEN = pyramid(
    scu("rain", a="Rain fell all night", b="It rained until dawn", c="The rain did not stop"),
    scu("bridges", a="Two bridges broke", b="A pair of bridges collapsed"),
    scu("cows", c="Cows slept"),
)


def test_pairs_of_a_perfect_builder() -> None:
    both = grouping(GIVEN, GIVEN)
    assert both.built == both.given == (PairCounts(3, 3), PairCounts(1, 1), PairCounts(0, 0))


def test_an_intruder_spoils_two_of_three_pairs() -> None:
    """Rain twice and cows: (a, b) is right, (a, c) and (b, c) are not; of the given 3 + 1 pairs one is found."""
    found = grouping(GIVEN, pyramid(scu("1", a="Rain fell", b="It rained", c="Cows slept")))
    assert found.built == (PairCounts(1, 3),)
    assert found.given == (PairCounts(1, 3), PairCounts(0, 1), PairCounts(0, 0))
    assert share(found.built) == pytest.approx(1 / 3)
    assert share(found.given) == 1 / 4
    assert f1(1 / 3, 1 / 4) == pytest.approx(2 / 7)


def test_one_idea_in_two_scus_is_pure_and_incomplete() -> None:
    """Of the three pairs of rain only (a, b) is together, although each reference is in some SCU."""
    found = grouping(GIVEN, pyramid(scu("1", a="Rain fell", b="It rained"), scu("2", c="The rain did not stop")))
    assert found.built == (PairCounts(1, 1), PairCounts(0, 0))
    assert found.given[0] == PairCounts(1, 3)


@pytest.mark.parametrize(("words", "right"), [("night. Two bridges", 1), ("fell all night. Two", 0)])
def test_contributors_say_the_same_that_share_half_of_the_shorter(words: str, right: int) -> None:
    """Of three words of 'Two bridges broke' two are in the first, 2 * 2 >= 3; one is in the second, 2 * 1 < 3."""
    found = grouping(GIVEN, pyramid(scu("1", a=words, b="A pair of bridges collapsed")))
    assert found.built == (PairCounts(right, 1),)


def test_pieces_of_a_contributor_count_together() -> None:
    found = grouping(GIVEN, pyramid(scu("1", a="Rain | all night", b="until dawn")))
    assert found.built == (PairCounts(1, 1),)


def test_two_contributors_of_one_reference_are_no_pair() -> None:
    with pytest.warns(UserWarning, match="two contributors from one reference"):
        built = pyramid(SCU("1", "", (*scu("1", a="Rain fell").contributors, *GIVEN.scus[0].contributors)))
    assert grouping(GIVEN, built).built == (PairCounts(5, 5),)  # a1 and a2 each with b and c, and (b, c)


def test_pairs_of_words() -> None:
    """'Rain fell' x 'It rained until dawn' 2 * 4 right; with two words of the bridges, 4 * 4 pairs, 8 right."""
    found = grouping(GIVEN, pyramid(scu("1", a="Rain fell | bridges broke", b="It rained until dawn")), "words")
    assert found.built == (PairCounts(8, 16),)
    assert found.given[0] == PairCounts(8, 4 * 4 + 4 * 5 + 4 * 5)
    assert found.given[1] == PairCounts(0, 3 * 5)


def test_words_that_are_not_marked_do_not_count() -> None:
    given = pyramid(scu("rain", a="Rain fell", b="It rained"))
    found = grouping(given, pyramid(scu("1", a="Rain fell all night", b="It rained until dawn")), "words")
    assert found.built == (PairCounts(4, 4),)


def test_whole_references_are_forgiven_by_contributors_and_not_by_words() -> None:
    whole = pyramid(scu("1", **{reference.id: reference.text for reference in REFERENCES}))
    assert share(grouping(GIVEN, whole).built) == share(grouping(GIVEN, whole).given) == 1
    words = grouping(GIVEN, whole, "words")
    assert share(words.given) == 1
    # 7 words of a, 9 of b, 7 of c; rain is 4, 4 and 5 of them, bridges 3 and 5
    assert words.built == (PairCounts(4 * 4 + 4 * 5 + 4 * 5 + 3 * 5, 7 * 9 + 7 * 7 + 9 * 7),)


def test_given_contributors_need_words() -> None:
    with pytest.raises(PyramidionError, match="contributors without words"):
        grouping(pyramid(SCU("1", "", (Contributor("a"), Contributor("b")))), GIVEN)


@pytest.mark.parametrize("pieces", ["contributors", "words"])
@pytest.mark.parametrize("topic", marked_topics(), ids=lambda topic: topic.id)
def test_every_given_pyramid_agrees_with_itself(topic: Topic, pieces: Pieces) -> None:
    assert topic.pyramid
    both = grouping(topic.pyramid, topic.pyramid, pieces)
    assert share(both.built) == share(both.given) == 1


@pytest.mark.parametrize(
    "label",
    ["Some scientists say", "It will survive", "Whatever slipped past", "These are now cut", "There was a price"],
)
def test_labels_that_issue_18_complains_of_fail(label: str) -> None:
    assert not self_contained(label)


@pytest.mark.parametrize(
    "label",
    [
        "However, the lake came back to life",
        "The lake in the middle of the town",
        "Which the council had not expected at all",
        "The council of the town decided to",
        "After their failure the pumps were sold for scrap",
        "The town",
        "The lake came back to life because the town had planted reeds along every one of its streams",
    ],
)
def test_labels_that_lean_on_something_fail(label: str) -> None:
    assert not self_contained(label)


@pytest.mark.parametrize(
    "label",
    [
        "Phosphorus killed Tarrow Mere",
        "The company says that it will appeal",
        "Fold the dough together gently",
        "There are forty thousand fish in the lake",
        "Two other towns are now planting reeds.",
        "Since 2019 people have been swimming in the lake",
        "The farmer's boat is older than the council's",
    ],
)
def test_statements_pass(label: str) -> None:
    assert self_contained(label)


def test_given_pyramids_agree_with_themselves() -> None:
    study = bench_builders(example(), [Method.parse("manual")], samples=200)
    assert [one.topic for one in study.figures] == ["lake-revival", "tidal-lagoon", "all"]
    for one in study.figures:
        values = (one.purity, one.completeness, one.f1, one.word_purity, one.word_completeness, one.word_f1)
        assert [figure.value for figure in values] == [1] * 6
        assert one.coverage.value == 0
        assert one.correlation == 1
    assert study.of()[0].peers == 12
    assert (study.given.scus, study.given.weights) == (46, {5: 4, 4: 6, 3: 8, 2: 10, 1: 18})
    assert study.given.labels.value
    assert study.given.labels.value >= 0.95


def test_intervals_hold_their_figures_and_do_not_depend_on_the_order_of_topics() -> None:
    """`lite` builds no pairs: no purity, nothing found, and still a figure for every label and peer."""
    methods = [Method.parse("lite+soft(analyser=unicode)")]
    study = bench_builders(example(), methods, samples=200)
    (every,) = study.of()
    assert every.purity == Figure(None)
    assert (every.completeness.value, every.f1.value) == (0, 0)
    assert every.labels.interval is None  # of two topics; of one, its SCUs are drawn
    for one in study.figures:
        if one.topic != ALL:
            assert one.labels.interval
            assert one.labels.interval.low <= (one.labels.value or 0) <= one.labels.interval.high
    assert "No intervals: it takes 6 topics, and here are 2." in study.table("grouping").caption
    (again,) = bench_builders(example()[::-1], methods, samples=200).of()
    assert again.coverage.value == pytest.approx(every.coverage.value)


def test_one_topic_is_all() -> None:
    study = bench_builders(example()[:1], [Method.parse("manual")], samples=200)
    assert [one.topic for one in study.of()] == ["lake-revival"]


def test_topics_without_pyramids_are_an_error() -> None:
    with pytest.raises(PyramidionError, match="No topic has a pyramid"):
        bench_builders([Topic("t", REFERENCES)], [])


def test_topics_without_annotations_have_no_difference() -> None:
    topics = [replace(topic, annotations=()) for topic in example()]
    (every,) = bench_builders(topics, [Method.parse("manual")], samples=200).of()
    assert (every.coverage, every.correlation, every.peers) == (Figure(None), None, 0)


def test_the_picture_is_the_same_every_time() -> None:
    study = bench_builders(example(), [Method.parse("manual")], samples=200)
    assert study.draw("svg") == study.draw("svg")


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / "builders.svg"
    with pytest.raises(SystemExit) as left:
        main(["bench", "builders", "--method", "manual", "--samples", "200", "--json", "--plot", str(picture)])
    assert not left.value.code
    found = json.loads(capsys.readouterr().out)
    assert found["signature"].startswith("method:bench-builders|methods:manual|")
    assert "baking-brannock" in found["signature"]
    assert found["figures"][-1]["f1"]["value"] == 1
    assert found["given"]["scus"] == 46 + 83
    assert picture.read_text().lstrip().startswith("<?xml")


def test_csv_has_every_topic_and_bound(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["bench", "builders", "--method", "manual", "--samples", "200", "--format", "csv"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("method,topic,purity,purity_low,purity_high,completeness")
    assert len(lines) == 1 + 5 + 1
