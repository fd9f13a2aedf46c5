"""PyrEval's ``.size``: how many SCUs weigh what, in either order."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.errors import FormatError, InputWarning
from pyramidion.formats import FORMATS, pyreval_size
from pyramidion.model import SCU, Contributor, Pyramid, Span, Summary, Topic
from tests.fuzz import mutated, only_our_errors

SIZES = "1\n2\n3\n7\n13\n"
"""One SCU of weight 5, two of weight 4, ..., thirteen of weight 1."""


def read(document: str | bytes, source: str = "sizes/lagoon.size", order: str = "heaviest-first") -> Topic:
    with pytest.warns(InputWarning, match="not the references that express them"):
        (topic,) = pyreval_size.loads(document, source, order=order)
    return topic


def tiers(document: str, order: str = "heaviest-first") -> dict[int, int]:
    pyramid = read(document, order=order).pyramid
    assert pyramid is not None
    return {weight: len(scus) for weight, scus in pyramid.tiers.items()}


def test_it_is_registered_under_its_ending() -> None:
    assert FORMATS["pyreval-size"] is pyreval_size
    assert pyreval_size.SUFFIXES == (".size",)


def test_the_lines_are_the_tiers_from_the_heaviest_to_the_lightest() -> None:
    assert tiers(SIZES) == {5: 1, 4: 2, 3: 3, 2: 7, 1: 13}


def test_the_converter_of_pyreval_writes_them_the_other_way_round() -> None:
    assert tiers("13\n7\n3\n2\n1\n", "lightest-first") == tiers(SIZES)


def test_all_that_scores_need_comes_out() -> None:
    pyramid = read(SIZES).pyramid
    assert pyramid is not None
    assert pyramid.size == 5
    assert pyramid.mean_scus_per_reference == (1 * 5 + 2 * 4 + 3 * 3 + 7 * 2 + 13 * 1) / 5 == 9.8
    # The best 9.8 SCUs: all six of weight 3 and more, and 3.8 of weight 2.
    assert pyramid.max_weight(9.8) == pytest.approx(5 + 8 + 9 + 3.8 * 2)


def test_scus_are_numbered_by_falling_weight_and_named_by_their_place_in_the_tier() -> None:
    topic = read(SIZES)
    assert topic.pyramid is not None
    assert [(scu.id, scu.label) for scu in topic.pyramid.scus[:4]] == [
        ("0", "SCU 1 of weight 5"),
        ("1", "SCU 1 of weight 4"),
        ("2", "SCU 2 of weight 4"),
        ("3", "SCU 1 of weight 3"),
    ]


def test_neither_references_nor_contributors_have_words() -> None:
    topic = read(SIZES)
    assert topic.pyramid is not None
    assert topic.references == topic.pyramid.references == tuple(Summary(f"reference-{k}", "") for k in range(1, 6))
    assert topic.pyramid.scu("3").contributors == tuple(Contributor(f"reference-{k}") for k in (1, 2, 3))


def test_empty_tiers_are_kept_as_references() -> None:
    pyramid = read("0\n0\n4").pyramid
    assert pyramid is not None
    assert (pyramid.size, pyramid.order, len(pyramid.scus)) == (3, 1, 4)


def test_a_pyramid_that_stands_on_its_top_is_warned_of() -> None:
    with pytest.warns(InputWarning) as caught:
        pyreval_size.loads("20\n13\n5\n", "lagoon.size")
    assert str(caught[1].message) == (
        "lagoon.size: The pyramid is upside down, with 20 SCU(s) of weight 3 and 5 of weight 1; "
        "if the file is written the other way round, read it with order=lightest-first"
    )


def test_platform_line_ends_and_blank_lines_at_the_end_do_not_matter() -> None:
    assert tiers(" 1\r\n2 \r\n\r\n") == {2: 1, 1: 2}


@pytest.mark.parametrize(
    ("document", "place", "what"),
    [
        ("1\ntwo\n", "lagoon.size:2:1", "'two' is not a number of SCUs"),
        ("1\n-2\n", "lagoon.size:2:1", "'-2' is not a number"),
        ("1\n2.5\n", "lagoon.size:2:1", "'2.5' is not a number"),
        ("1\n\n2\n", "lagoon.size:2:1", "'' is not a number"),
        ("1 2\n", "lagoon.size:1:1", "'1 2' is not a number"),
        ("1\n1000000000000\n", "lagoon.size:2:1", "more than 100000 contributors"),
        ("1\n" + "9" * 5000 + "\n", "lagoon.size:2:1", "is not a number"),
        ("\n", "lagoon.size", "empty"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(document: str, place: str, what: str) -> None:
    with pytest.raises(FormatError) as caught:
        pyreval_size.loads(document, "lagoon.size")
    assert str(caught.value).startswith(place + ":")
    assert what in str(caught.value)


def test_a_few_bytes_cannot_fill_the_memory() -> None:
    with pytest.raises(FormatError, match="more than 100000 contributors"):
        pyreval_size.loads("900\n" + "0\n" * 200, "lagoon.size")
    with pytest.raises(FormatError, match="more than 100000 contributors"):
        pyreval_size.loads("0\n" * 100_001, "lagoon.size")


def test_the_ending_and_whole_numbers_are_its_sign() -> None:
    assert pyreval_size.sniff(Path("x.size"), SIZES.encode())
    assert pyreval_size.sniff(Path("x.size"), b"\xef\xbb\xbf1\r\n2\r\n")
    assert not pyreval_size.sniff(Path("weights.txt"), SIZES.encode())
    assert not pyreval_size.sniff(Path("x.size"), b"1\n2 SCUs\n")
    assert not pyreval_size.sniff(Path("x.size"), b"")


def test_every_weight_that_the_references_allow_is_written() -> None:
    references = tuple(Summary(id, "Eels left.") for id in "ABC")
    eels = SCU("eels", "Eels left", (Contributor("A", (Span(0, 9),)), Contributor("C", (Span(0, 9),))))
    topic = Topic("lagoon", references, pyramid=Pyramid("lagoon", references, (eels,)))
    assert pyreval_size.dumps([topic]) == b"0\n1\n0\n"
    assert pyreval_size.losses([topic], Path("lagoon.size")) == [
        "topic 'lagoon': 3 reference(s): 'A', 'B', 'C'; 3 other(s) come back",
        "topic 'lagoon': the id of 1 SCU(s) (the first: 'eels' becomes '0')",
        "topic 'lagoon': the label of 1 SCU(s) (the first: 'Eels left' becomes 'SCU 1 of weight 2')",
        "topic 'lagoon': the summary of 2 contributor(s) (the first: 'A' becomes 'reference-1')",
        "topic 'lagoon': the spans of 2 contributor(s) (the first: 0-9 becomes nowhere)",
    ]


@pytest.mark.parametrize("topic", [Topic("lagoon"), Topic("lagoon", pyramid=Pyramid("lagoon", (), ()))])
def test_without_a_pyramid_or_references_there_is_nothing_to_write(topic: Topic) -> None:
    with pytest.raises(FormatError, match="'lagoon' has no"):
        pyreval_size.dumps([topic])


def test_a_file_is_written_and_read_by_its_path_in_either_order(tmp_path: Path) -> None:
    path = tmp_path / "lagoon.size"
    pyreval_size.dump([read(SIZES)], path, order="lightest-first")
    assert path.read_bytes() == b"13\n7\n3\n2\n1\n"
    with pytest.warns(InputWarning):
        (topic,) = pyreval_size.load(path, order="lightest-first")
    assert topic == read(SIZES)


@pytest.mark.filterwarnings("ignore:.*upside down")
@given(st.lists(st.integers(0, 40), min_size=1, max_size=8), st.sampled_from(pyreval_size.ORDERS))
def test_what_was_read_is_written_to_the_same_bytes_and_nothing_is_lost(sizes: list[int], order: str) -> None:
    document = "".join(f"{size}\n" for size in sizes).encode()
    topic = read(document, order=order)
    assert pyreval_size.dumps([topic], order=order) == document
    assert pyreval_size.losses([topic], Path("lagoon.size"), order=order) == []


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    only_our_errors(lambda: pyreval_size.loads(data))


@given(mutated(SIZES.encode()))
def test_damaged_files_are_read_or_refused(data: bytes) -> None:
    only_our_errors(lambda: pyreval_size.loads(data))
