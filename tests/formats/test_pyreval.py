"""PyrEval's XML: contributors without references go in, reassembled references come out, and nothing is lost unsaid."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.errors import FormatError, InputWarning
from pyramidion.formats import FORMATS, ducview, pyreval
from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Source, Span, Summary, Topic
from tests.fuzz import mutated, only_our_errors

LAGOON = (
    '<Pyramid><scu uid="0"><contributor label="the lagoon was drained" /><contributor label="no water was left" />'
    '<contributor label="the basin fell dry" /></scu>'
    '<scu uid="1"><contributor label="eels moved out" /><contributor label="the eels left" /></scu>'
    '<scu uid="2"><contributor label="herons &quot;stayed&quot; &amp; ate" /></scu></Pyramid>'
)


def read(document: str | bytes, source: str = "lagoon.pyr") -> Topic:
    with pytest.warns(InputWarning, match="reassembled"):
        (topic,) = pyreval.loads(document, source)
    return topic


def pyramid_of(document: str) -> Pyramid:
    pyramid = read(document).pyramid
    assert pyramid is not None
    return pyramid


def test_it_is_registered_and_never_chosen_by_a_file_ending() -> None:
    assert FORMATS["pyreval"] is pyreval
    assert pyreval.SUFFIXES == ()


def test_a_contributor_in_place_k_belongs_to_the_made_reference_k() -> None:
    assert [[c.summary for c in scu.contributors] for scu in pyramid_of(LAGOON).scus] == [
        ["reference-1", "reference-2", "reference-3"],
        ["reference-1", "reference-2"],
        ["reference-1"],
    ]


def test_the_weights_are_the_numbers_of_contributors_and_the_heaviest_scu_says_how_many_references_there_are() -> None:
    pyramid = pyramid_of(LAGOON)
    assert [(scu.id, scu.weight) for scu in pyramid.scus] == [("0", 3), ("1", 2), ("2", 1)]
    assert pyramid.size == 3
    assert pyramid.mean_scus_per_reference == (3 + 2 + 1) / 3


def test_a_reference_is_its_contributors_words_one_a_line_in_the_order_of_the_scus() -> None:
    topic = read(LAGOON)
    assert topic.pyramid is not None
    assert topic.references == topic.pyramid.references
    assert [reference.text for reference in topic.references] == [
        'the lagoon was drained\neels moved out\nherons "stayed" & ate',
        "no water was left\nthe eels left",
        "the basin fell dry",
    ]


def test_contributors_have_true_spans_into_the_reassembled_text() -> None:
    pyramid = pyramid_of(LAGOON)
    assert pyramid.scu("1").contributors[1].spans == (Span(18, 31),)
    assert [[pyramid.words(c) for c in scu.contributors] for scu in pyramid.scus] == [
        ["the lagoon was drained", "no water was left", "the basin fell dry"],
        ["eels moved out", "the eels left"],
        ['herons "stayed" & ate'],
    ]


def test_an_scu_is_labelled_with_its_first_contributor() -> None:
    assert [scu.label for scu in pyramid_of(LAGOON).scus] == [
        "the lagoon was drained",
        "eels moved out",
        'herons "stayed" & ate',
    ]


def test_one_warning_says_that_the_references_were_reassembled() -> None:
    with pytest.warns(InputWarning) as caught:
        pyreval.loads(LAGOON, "lagoon.pyr")
    assert [str(warning.message) for warning in caught] == [
        "lagoon.pyr: The file does not say which reference a contributor comes from; "
        "3 reference(s) were reassembled from the contributors' words"
    ]


@pytest.mark.parametrize(
    ("source", "topic"),
    [("pyramids/lagoon.pyr", "lagoon"), ("a/D0601.M.250.A.pyr", "D0601"), ("t80_b2.5.pyr", "t80_b2.5")],
)
def test_the_topic_is_named_as_the_file_is(source: str, topic: str) -> None:
    assert read(LAGOON, source).id == topic


def test_a_contributor_without_words_counts_and_has_no_span() -> None:
    pyramid = pyramid_of(
        '<Pyramid><scu uid="4"><contributor label=" "/><contributor label="eels left"/></scu></Pyramid>'
    )
    (scu,) = pyramid.scus
    assert (scu.weight, scu.label, scu.contributors[0].spans) == (2, "eels left", ())
    assert [reference.text for reference in pyramid.references] == ["", "eels left"]


def test_line_ends_and_runs_of_spaces_in_words_become_one_space() -> None:
    pyramid = pyramid_of('<Pyramid><scu uid="0"><contributor label=" eels&#10;  left&#9;early "/></scu></Pyramid>')
    assert pyramid.references[0].text == "eels left early"


@pytest.mark.parametrize(
    ("document", "place", "what"),
    [
        ("<pyramid/>", "lagoon.pyr:1:1", "root element is <pyramid>, not <Pyramid>"),
        ("<Pyramid/>", "lagoon.pyr:", "The pyramid has no SCU"),
        ('<Pyramid>\n<scu><contributor label="a"/></scu></Pyramid>', "lagoon.pyr:2:1", "'uid' is missing"),
        (
            '<Pyramid><scu uid="x1"><contributor label="a"/></scu></Pyramid>',
            "lagoon.pyr:1:10",
            "'x1' is not a whole number",
        ),
        ('<Pyramid><scu uid="1"/></Pyramid>', "lagoon.pyr:1:10", "SCU 1 has no contributor"),
        ('<Pyramid><scu uid="1"><contributor/></scu></Pyramid>', "lagoon.pyr:1:23", "'label' is missing"),
        (
            '<Pyramid><SCU uid="1"/></Pyramid>',
            "lagoon.pyr:1:10",
            "<SCU> is inside <Pyramid>, which can only hold <scu>",
        ),
        ('<Pyramid><scu uid="1"><part/></scu></Pyramid>', "lagoon.pyr:1:23", "<part> is inside <scu>"),
        ('<Pyramid><scu uid="1">', "lagoon.pyr:1:", "not well-formed"),
        ('<!DOCTYPE Pyramid [<!ENTITY e "e">]><Pyramid/>', "lagoon.pyr:1:", "declares an entity"),
        ("   ", "lagoon.pyr", "empty"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(document: str, place: str, what: str) -> None:
    with pytest.raises(FormatError) as caught:
        pyreval.loads(document, "lagoon.pyr")
    assert str(caught.value).startswith(place)
    assert what in str(caught.value)


def test_one_uid_for_two_scus_is_refused_at_the_second() -> None:
    scu = '<scu uid="{}"><contributor label="a"/></scu>'
    with pytest.raises(FormatError, match=r"lagoon.pyr:2:1: <scu>: The uid 7 is used twice"):
        pyreval.loads(f"<Pyramid>{scu.format('7')}\n{scu.format('07')}</Pyramid>", "lagoon.pyr")


@pytest.mark.parametrize("head", [LAGOON, "<Pyramid/>", "\ufeff<Pyramid>", ' <?xml version="1.0"?>\n<Pyramid>'])
def test_a_capital_p_is_the_sign_of_pyreval(head: str) -> None:
    assert pyreval.sniff(Path("x.pyr"), head.encode())
    assert not ducview.sniff(Path("x.pyr"), head.encode())


@pytest.mark.parametrize(
    "head", ["<pyramid><text/></pyramid>", '{"topic": "<Pyramid>"}', "SCU\t0\t1\t<Pyramid>", "", "<Pyramids/>"]
)
def test_other_files_are_left_to_other_formats(head: str) -> None:
    assert not pyreval.sniff(Path("x.pyr"), head.encode())


# Writing

REFERENCES = (
    Summary("A", "Eels left. The lagoon, once full, was drained."),
    Summary("B", "It fell dry, the lagoon."),
    Summary("C", "Herons stayed."),
)
DRAINED = SCU(
    "drained",
    "The lagoon is dry",
    (Contributor("A", (Span(11, 21), Span(34, 45)), comment="sure?"), Contributor("B", (Span(0, 11),))),
)
EELS = SCU("eels", "Eels left", (Contributor("A", (Span(0, 9),)),))
PYRAMID = Pyramid("lagoon", REFERENCES, (EELS, DRAINED))


def topic_of(pyramid: Pyramid) -> Topic:
    return Topic(pyramid.topic, pyramid.references, pyramid=pyramid)


def test_scus_are_numbered_from_0_by_falling_weight_on_one_line() -> None:
    assert pyreval.dumps([topic_of(PYRAMID)]) == (
        b'<Pyramid><scu uid="0">'
        b'<contributor label="The lagoon...was drained" /><contributor label="It fell dry" /></scu>'
        b'<scu uid="1"><contributor label="Eels left" /></scu></Pyramid>'
    )


@pytest.mark.filterwarnings("ignore:pyramid 'lagoon'")
def test_two_contributors_from_one_reference_are_written_as_one_so_that_the_weight_stays() -> None:
    twice = SCU(
        "1", "", (Contributor("A", (Span(0, 9),)), Contributor("B", label="eels"), Contributor("A", label="gone"))
    )
    topic = topic_of(Pyramid("lagoon", REFERENCES, (twice,)))
    assert pyreval.dumps([topic]) == (
        b'<Pyramid><scu uid="0"><contributor label="Eels left...gone" /><contributor label="eels" /></scu></Pyramid>'
    )
    lost = pyreval.losses([topic], Path("lagoon.pyr"))
    assert "topic 'lagoon': the number of contributors of 1 SCU(s) (the first: 3 becomes 2)" in lost


def test_the_label_stands_for_words_that_are_not_known_and_that_is_said() -> None:
    topic = topic_of(Pyramid("lagoon", REFERENCES, (SCU("0", "Eels left", (Contributor("B"),)),)))
    assert b'label="Eels left"' in pyreval.dumps([topic])
    lost = pyreval.losses([topic], Path("lagoon.pyr"))
    assert "topic 'lagoon': the spans of 1 contributor(s) (the first: nowhere becomes 0-9)" in lost


def test_what_was_read_is_written_to_the_same_bytes_and_nothing_is_lost() -> None:
    topic = read(LAGOON)
    assert pyreval.dumps([topic]) == LAGOON.encode()
    assert pyreval.losses([topic], Path("lagoon.pyr")) == []


def test_everything_that_is_not_written_is_listed() -> None:
    peer = Summary("anna", "Eels left.", "peer")
    pyramid = Pyramid("lagoon", REFERENCES, (EELS, DRAINED))
    topic = Topic(
        "lagoon",
        REFERENCES,
        (peer,),
        (Source("1", "News."),),
        pyramid,
        (Annotation(peer, (Match("eels", (Span(0, 9),)),)),),
    )
    assert pyreval.losses([topic], Path("lagoon.pyr")) == [
        "topic 'lagoon': 3 reference(s): 'A', 'B', 'C'; 2 other(s) come back",
        "topic 'lagoon': 1 peer(s): 'anna'",
        "topic 'lagoon': 1 source document(s): '1'",
        "topic 'lagoon': the id of 2 SCU(s) (the first: 'eels' becomes '0')",
        "topic 'lagoon': the label of 2 SCU(s) (the first: 'Eels left' becomes 'The lagoon...was drained')",
        "topic 'lagoon': the number of contributors of 2 SCU(s) (the first: 1 becomes 2)",
        "topic 'lagoon': the summary of 2 contributor(s) (the first: 'A' becomes 'reference-1')",
        "topic 'lagoon': the spans of 2 contributor(s) (the first: 0-9 becomes 0-24)",
        "topic 'lagoon': the comment of 1 contributor(s) (the first: 'sure?' becomes '')",
        "topic 'lagoon': 1 annotation(s): 'anna'",
    ]


def test_characters_that_xml_cannot_hold_are_replaced_and_listed() -> None:
    topic = topic_of(Pyramid("lagoon", REFERENCES, (SCU("0", "", (Contributor("A", label="a\x01b"),)),)))
    assert "a\ufffdb".encode() in pyreval.dumps([topic])
    lost = pyreval.losses([topic], Path("lagoon.pyr"))
    assert "topic 'lagoon': the label of 1 SCU(s) (the first: '' becomes 'a\ufffdb')" in lost


@pytest.mark.parametrize(
    ("topics", "what"),
    [
        ([], "not 0"),
        ([Topic("a"), Topic("b")], "not 2"),
        ([Topic("a")], "Topic 'a' has no pyramid"),
        ([topic_of(Pyramid("a", (), ()))], "Pyramid 'a' has no SCU"),
    ],
)
def test_only_one_pyramid_with_scus_can_be_written(topics: list[Topic], what: str) -> None:
    with pytest.raises(FormatError, match=what):
        pyreval.dumps(topics)
    assert pyreval.losses(topics, Path("x")) == []


def test_a_file_is_written_and_read_by_its_path(tmp_path: Path) -> None:
    path = tmp_path / "lagoon.pyr"
    pyreval.dump([read(LAGOON)], path)
    with pytest.warns(InputWarning, match="reassembled"):
        assert pyreval.load(path) == [read(LAGOON)]


WORDS = st.text(
    st.characters(codec="utf-8", exclude_categories=["C", "Z"], exclude_characters="\ufffd"), min_size=1, max_size=8
)


@given(st.lists(st.lists(WORDS, min_size=1, max_size=5), min_size=1, max_size=8))
def test_any_bare_pyramid_comes_back_as_it_was(contributors: list[list[str]]) -> None:
    heaviest_first = sorted(contributors, key=len, reverse=True)
    references = tuple(
        Summary(f"reference-{k + 1}", "\n".join(words[k] for words in heaviest_first if k < len(words)))
        for k in range(len(heaviest_first[0]))
    )
    starts = [0] * len(references)
    scus = []
    for number, words in enumerate(heaviest_first):
        made = []
        for k, said in enumerate(words):
            made.append(Contributor(references[k].id, (Span(starts[k], starts[k] + len(said)),)))
            starts[k] += len(said) + 1
        scus.append(SCU(str(number), words[0], tuple(made)))
    topic = topic_of(Pyramid("lagoon", references, tuple(scus)))
    assert read(pyreval.dumps([topic])) == topic
    assert pyreval.losses([topic], Path("lagoon.pyr")) == []


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    only_our_errors(lambda: pyreval.loads(data))


@given(mutated(LAGOON.encode()))
def test_damaged_files_are_read_or_refused(data: bytes) -> None:
    only_our_errors(lambda: pyreval.loads(data))
