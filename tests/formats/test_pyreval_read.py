"""PyrEval's readable table of contributors: what it says, where it is loose, and back."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.errors import FormatError, InputWarning
from pyramidion.formats import FORMATS, pyreval, pyreval_read
from pyramidion.model import SCU, Contributor, Pyramid, Span, Summary, Topic
from tests.fuzz import mutated, only_our_errors

LAGOON = (
    "SCU\t0\t2\tthe lagoon was drained\n"
    "SCU\t0\t2\tno water was left\n"
    "SCU\t1\t1\teels moved out\n"
    'SCU\t2\t1\t"herons" stayed, see http://lagoon.example\n'
)


def read(document: str | bytes, source: str = "lagoon_read.pyr") -> Topic:
    with pytest.warns(InputWarning, match="reassembled"):
        (topic,) = pyreval_read.loads(document, source)
    return topic


def words(document: str) -> dict[str, list[str]]:
    pyramid = read(document).pyramid
    assert pyramid is not None
    return {scu.id: [pyramid.words(contributor) for contributor in scu.contributors] for scu in pyramid.scus}


def test_it_is_registered_and_never_chosen_by_a_file_ending() -> None:
    assert FORMATS["pyreval-read"] is pyreval_read
    assert pyreval_read.SUFFIXES == ()


def test_each_line_is_a_contributor() -> None:
    assert words(LAGOON) == {
        "0": ["the lagoon was drained", "no water was left"],
        "1": ["eels moved out"],
        "2": ['"herons" stayed, see http://lagoon.example'],
    }


def test_it_says_the_same_as_the_xml_of_the_same_pyramid() -> None:
    topic = read(LAGOON, "lagoon.pyr")
    with pytest.warns(InputWarning, match="reassembled"):
        assert pyreval.loads(pyreval.dumps([topic]), "lagoon.pyr") == [topic]


def test_spans_point_into_the_reassembled_references() -> None:
    topic = read(LAGOON)
    assert topic.pyramid is not None
    assert topic.references[0].text.startswith("the lagoon was drained\neels moved out\n")
    assert topic.pyramid.scu("1").contributors == (Contributor("reference-1", (Span(23, 37),)),)


def test_the_topic_is_named_as_the_file_is_without_read() -> None:
    assert read(LAGOON, "scu/lagoon_read.pyr").id == "lagoon"


def test_comments_blank_lines_and_column_names_are_passed_over() -> None:
    assert words("// made by hand\nSCU\tuid\tweight\tcontributor\n\nSCU\t3\t1\teels left\n  // SCU\t4\t1\tno\n") == {
        "3": ["eels left"]
    }


def test_spaces_around_fields_and_platform_line_ends_do_not_matter() -> None:
    assert words("SCU \t 3 \t 1 \t eels  left \r\nSCU\t4\t1\tdry\r\n") == {"3": ["eels left"], "4": ["dry"]}


def test_a_tab_in_the_words_is_a_space() -> None:
    assert words("SCU\t3\t1\teels\tleft\n") == {"3": ["eels left"]}


def test_lines_of_one_scu_need_not_follow_each_other() -> None:
    assert words("SCU\t0\t2\ta\nSCU\t1\t1\tb\nSCU\t0\t2\tc\n") == {"0": ["a", "c"], "1": ["b"]}


@pytest.mark.parametrize(
    ("document", "warning"),
    [
        ("// x\nSCU\t7\t3\ta\nSCU\t7\t3\tb\n", "lagoon.pyr:2: SCU 7 is said to weigh 3, but has 2 line"),
        ("SCU\t7\t2\ta\nSCU\t7\t1\tb\n", "lagoon.pyr:1: SCU 7 is said to weigh 1 and 2, but has 2 line"),
    ],
)
def test_a_stored_weight_that_is_not_the_number_of_lines_is_warned_of_and_the_lines_are_trusted(
    document: str, warning: str
) -> None:
    with pytest.warns(InputWarning) as caught:
        (topic,) = pyreval_read.loads(document, "lagoon.pyr")
    assert str(caught[0].message).startswith(warning)
    assert topic.pyramid is not None
    assert topic.pyramid.scu("7").weight == 2


@pytest.mark.parametrize(
    ("document", "place", "what"),
    [
        ("SCU\t0\t1\ta\nSCU\t1\t1\n", "lagoon.pyr:2:1", "is not 'SCU', a number, a weight and words"),
        ("scu\t0\t1\ta\n", "lagoon.pyr:1:1", "is not 'SCU'"),
        ("SCU\tx\t1\ta\n", "lagoon.pyr:1:5", "The uid 'x' is not a whole number"),
        ("SCU\t10\t-1\ta\n", "lagoon.pyr:1:8", "The weight '-1' is not a whole number"),
        ("SCU\t10\t99999999999999999999\ta\n", "lagoon.pyr:1:8", "is not a whole number"),
        ("// nothing\n", "lagoon.pyr", "The pyramid has no SCU"),
        ("\n", "lagoon.pyr", "empty"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(document: str, place: str, what: str) -> None:
    with pytest.raises(FormatError) as caught:
        pyreval_read.loads(document, "lagoon.pyr")
    assert str(caught.value).startswith(place + ":")
    assert what in str(caught.value)


@pytest.mark.parametrize(
    "head",
    [
        LAGOON,
        "// made by hand\r\n\r\n" + LAGOON,
        "\ufeff" + LAGOON,
        "SCU\tuid\tweight\tcontributor\n",
        "SCU \t 0 \t 1 \t a",
    ],
)
def test_the_first_line_that_is_no_comment_is_its_sign(head: str) -> None:
    assert pyreval_read.sniff(Path("x.pyr"), head.encode())


@pytest.mark.parametrize(
    "head", ["SCU one\tSCU two\n", "SCU\tlabel\n", "SCU\t0\tword\ta\n", "<Pyramid/>", "// SCU\t0\t1\ta", ""]
)
def test_other_tables_are_left_to_other_formats(head: str) -> None:
    assert not pyreval_read.sniff(Path("x.pyr"), head.encode())


def test_what_was_read_is_written_to_the_same_bytes_and_nothing_is_lost() -> None:
    topic = read(LAGOON)
    assert pyreval_read.dumps([topic]) == LAGOON.encode()
    assert pyreval_read.losses([topic], Path("lagoon.pyr")) == []


def test_scus_are_written_by_falling_weight_with_their_true_weight() -> None:
    references = (Summary("A", "Eels left. It was\ndrained."), Summary("B", "It fell dry."))
    light = SCU("eels", "Eels left", (Contributor("A", (Span(0, 9),)),))
    heavy = SCU("dry", "Dry", (Contributor("A", (Span(11, 25),)), Contributor("B", (Span(0, 11),))))
    topic = Topic("lagoon", references, pyramid=Pyramid("lagoon", references, (light, heavy)))
    assert pyreval_read.dumps([topic]) == b"SCU\t0\t2\tIt was drained\nSCU\t0\t2\tIt fell dry\nSCU\t1\t1\tEels left\n"
    lost = pyreval_read.losses([topic], Path("lagoon.pyr"))
    assert lost[0] == "topic 'lagoon': 2 reference(s): 'A', 'B'; 2 other(s) come back"


def test_a_lone_surrogate_is_refused() -> None:
    scu = SCU("0", "", (Contributor("A", label="\ud800"),))
    topic = Topic("lagoon", pyramid=Pyramid("lagoon", (Summary("A", ""),), (scu,)))
    with pytest.raises(FormatError, match="lone surrogate"):
        pyreval_read.dumps([topic])


def test_a_file_is_written_and_read_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "lagoon_read.pyr"
    pyreval_read.dump([read(LAGOON)], path)
    with pytest.warns(InputWarning, match="reassembled"):
        assert pyreval_read.load(path) == [read(LAGOON)]


# A replacement character is warned of by every reader.
ANY_WORDS = st.text(st.characters(codec="utf-8", exclude_characters="\ufffd"), max_size=8)


@given(st.lists(st.lists(ANY_WORDS, min_size=1, max_size=4), min_size=1, max_size=6))
def test_whatever_the_words_are_the_weights_come_back(contributors: list[list[str]]) -> None:
    references = tuple(Summary(f"R{k}", "") for k in range(4))
    scus = tuple(
        SCU(str(number), "", tuple(Contributor(f"R{k}", label=said) for k, said in enumerate(words)))
        for number, words in enumerate(contributors)
    )
    document = pyreval_read.dumps([Topic("lagoon", references, pyramid=Pyramid("lagoon", references, scus))])
    pyramid = read(document).pyramid
    assert pyramid is not None
    assert [scu.weight for scu in pyramid.scus] == sorted(map(len, contributors), reverse=True)


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    only_our_errors(lambda: pyreval_read.loads(data))


@given(mutated(LAGOON.encode()))
def test_damaged_files_are_read_or_refused(data: bytes) -> None:
    only_our_errors(lambda: pyreval_read.loads(data))
