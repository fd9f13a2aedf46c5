"""DUCView files as they should be, and as they are in the wild (the ten quirks of the field, one test each)."""

from __future__ import annotations

import csv
import re
import warnings
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.errors import FormatError, InputWarning, LossError
from pyramidion.formats import ducview, dump, native
from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Span, Summary, Topic
from pyramidion.scoring import LIKE, Settings, scores
from tests.fuzz import mutated, only_our_errors
from tests.operations import steps
from tests.strategies import topics

HEADER = "-----------------\n {name}\n-----------------\n\n"
TEXT = (
    "#2\n\n\n"
    + HEADER.format(name="D1-A.M.100.A.A")
    + "Cats sleep all day.\n\n"
    + HEADER.format(name="D1-A.M.100.A.B")
    + "All day, cats doze."
)
REGEX = r"[-]+\n D[0-9]*-[A-Z]\.M\.100\.[A-Z]\.[A-Z]\n[-]+\n"


def lines(text: str) -> str:
    return "".join(f"  <line>{line.replace('&', '&amp;').replace('<', '&lt;')}</line>\n" for line in text.split("\n"))


def part(words: str, text: str = TEXT, label: str | None = None, shift: int = 0) -> str:
    start = text.index(words) + shift
    return f'<part label="{words if label is None else label}" start="{start}" end="{start + len(words)}"/>'


def scu(uid: str, label: str, *contributors: str) -> str:
    inner = "".join(f'<contributor label="x">{one}</contributor>' for one in contributors)
    return f'<scu uid="{uid}" label="{label}">{inner}</scu>\n'


def pyr(*scus: str, text: str = TEXT, regex: str | None = REGEX, attributes: str = "") -> str:
    header = f"<startDocumentRegEx><![CDATA[{regex}]]></startDocumentRegEx>" if regex is not None else ""
    return f'<?xml version="1.0"?>\n<pyramid{attributes}>{header}\n <text>\n{lines(text)} </text>\n{"".join(scus)}</pyramid>\n'


CATS = scu("1", "Cats sleep", part("Cats sleep"), part("cats doze"))
DAY = scu("3", "All day long", part("all day"), part("All day"))
PEER = "Cats sleep. Dogs bark."


def pan(*peerscus: str, pyramid: str = "", text: str = PEER) -> str:
    pyramid = (pyramid or pyr(CATS, DAY)).partition("\n")[2]
    return (
        f'<?xml version="1.0"?>\n<peerAnnotation>\n{pyramid}<annotation>\n <text>\n{lines(text)} </text>\n'
        f"{''.join(peerscus)}</annotation>\n</peerAnnotation>\n"
    )


def peerscu(uid: str, label: str, *contributors: str) -> str:
    return scu(uid, label, *contributors).replace("scu", "peerscu")


def topic_of(document: str | bytes, source: str = "D1-A.pyr", **options: str) -> Topic:
    (topic,) = ducview.loads(document, source, **options)
    return topic


def test_a_pyramid() -> None:
    pyramid = topic_of(pyr(CATS, DAY)).pyramid
    assert pyramid is not None
    assert pyramid.topic == "D1-A"
    assert [(one.id, one.text) for one in pyramid.references] == [
        ("D1-A.M.100.A.A", "Cats sleep all day."),
        ("D1-A.M.100.A.B", "All day, cats doze."),
    ]
    assert [(one.id, one.label, one.weight) for one in pyramid.scus] == [
        ("1", "Cats sleep", 2),
        ("3", "All day long", 2),
    ]
    assert [pyramid.words(one) for one in pyramid.scus[0].contributors] == ["Cats sleep", "cats doze"]


def test_an_annotated_peer() -> None:
    document = pan(
        peerscu("1", "(2) Cats sleep", part("Cats sleep", PEER)),
        peerscu("3", "(2) All day long"),
        peerscu("0", "All non-matching SCUs go here", part("Dogs bark", PEER)),
    )
    topic = topic_of(document, "peers/anna.pan")
    (annotation,) = topic.annotations
    assert annotation.summary == Summary("anna", PEER, "peer")
    assert annotation.matches == (Match("1", (Span(0, 10),)),)
    assert annotation.unmatched == (Contributor("anna", (Span(12, 21),)),)


def test_names_of_nist_files_give_topic_system_and_annotator() -> None:
    topic = topic_of(pan(peerscu("0", "")), "allpans/114.D0631.M.250.A.16")
    assert (topic.id, topic.peers[0].id, topic.annotations[0].annotator) == ("D0631", "16", "114")


@pytest.mark.parametrize(("source", "topic"), [("cats.pyr", "cats"), ("pets/anna.pan", "pets"), ("anna.pan", "topic")])
def test_topics_of_files_that_nist_did_not_name(source: str, topic: str) -> None:
    text = TEXT.replace("D1-A.M.100.A.", "writer-")
    pyramid = pyr(scu("1", "x", part("Cats sleep", text)), text=text, regex="-+\\n writer-.\\n-+\\n")
    document = pan(peerscu("0", ""), pyramid=pyramid) if source.endswith(".pan") else pyramid
    assert topic_of(document, source).id == topic


def test_peers_with_the_same_pyramid_share_it_and_keep_their_places() -> None:
    documents = [pan(peerscu("1", "(2) Cats sleep", part("Cats", PEER)), peerscu("0", "")), pan(peerscu("0", ""))]
    first, second = (topic_of(document, f"D1-A.M.100.A.{number}") for number, document in enumerate(documents))
    assert first.pyramid is second.pyramid
    broken = pan(peerscu("3", "(2) All day long", '<part label="x" start="90" end="99"/>'))
    with pytest.raises(FormatError) as caught:
        topic_of(broken, "D1-A.M.100.A.2")
    assert broken.split("\n")[(caught.value.where.line or 0) - 1].startswith('<peerscu uid="3"')


def test_offsets_count_the_unescaped_text() -> None:
    text = TEXT.replace("Cats sleep", 'Q & "A" < B')
    pyramid = topic_of(pyr(scu("1", "x", part("all day", text)), text=text)).pyramid
    assert pyramid is not None
    assert pyramid.words(pyramid.scus[0].contributors[0]) == "all day"


# Quirks (docs/formats.md lists them by these numbers)


def test_quirk_1_a_charset_that_nobody_declared() -> None:
    text = TEXT.replace("Cats", "Caf\u00e9s")
    document = pyr(scu("1", "x", part("Caf\u00e9s", text)), text=text).encode("cp1252")
    with pytest.warns(
        InputWarning, match=r"D1-A.pyr: The file is not UTF-8 \(byte 0xe9 at \d+\); it was read as cp1252"
    ):
        assert topic_of(document).references[0].text == "Caf\u00e9s sleep all day."


def test_quirk_1_a_declared_charset_is_believed() -> None:
    document = pyr(CATS).replace("?>", ' encoding="ISO-8859-1"?>', 1).replace("Cats sleep all", "C\u00e4ts sleep all")
    with pytest.warns(InputWarning, match="label"):
        assert topic_of(document.encode("latin-1")).references[0].text.startswith("C\u00e4ts")


def test_quirk_1_replacement_characters_shift_offsets_and_labels_find_the_place() -> None:
    text = TEXT.replace("Cats", "Cat\ufffds")
    broken = part("all day", text, shift=2)  # counted in bytes
    with pytest.warns(InputWarning) as caught:
        pyramid = topic_of(pyr(scu("1", "x", broken), text=text)).pyramid
    assert pyramid is not None
    assert pyramid.words(pyramid.scus[0].contributors[0]) == "all day"
    assert any("replacement character" in str(one.message) for one in caught)


def test_quirk_2_a_label_that_is_not_the_text_at_its_offsets() -> None:
    with pytest.warns(
        InputWarning, match=r"D1-A.pyr:\d+:\d+: <part>: The label 'cats doze' is not the text at \d+-\d+; taken as"
    ):
        pyramid = topic_of(pyr(scu("1", "x", part("cats doze", shift=-3)))).pyramid
    assert pyramid is not None
    assert pyramid.words(pyramid.scus[0].contributors[0]) == "cats doze"


def test_quirk_2_white_space_does_not_matter_and_double_escaping_is_seen_through() -> None:
    text = TEXT.replace("Cats sleep", 'The "cats"\nsleep')
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        topic_of(pyr(scu("1", "x", part('"cats"\nsleep', text, "&quot;cats&quot;sleep")), text=text))
    with pytest.warns(InputWarning, match="its offsets were kept|taken as"):
        twice = topic_of(pyr(scu("1", "x", part('"cats"', text, "&amp;quot;cats&amp;quot;")), text=text)).pyramid
    assert twice is not None
    assert twice.words(twice.scus[0].contributors[0]) == '"cats"'


def test_quirk_3_a_contributor_in_two_references_counts_once() -> None:
    with pytest.warns(
        InputWarning,
        match=r"<contributor>: The contributor has parts in 2 references; it counts once, for 'D1-A.M.100.A.A'",
    ):
        pyramid = topic_of(pyr(scu("1", "x", part("Cats sleep") + part("doze")))).pyramid
    assert pyramid is not None
    assert pyramid.scus[0].weight == 1


def test_quirk_4_two_contributors_of_one_reference() -> None:
    with pytest.warns(InputWarning, match="two contributors from one reference"):
        topic = topic_of(
            pan(peerscu("1", "(2) x", part("Cats", PEER)), pyramid=pyr(scu("1", "x", part("Cats"), part("sleep"))))
        )
    assert topic.pyramid is not None
    assert topic.pyramid.scus[0].weight == 1
    assert scores(topic.pyramid, topic.annotations[0]).raw == 1
    assert scores(topic.pyramid, topic.annotations[0], Settings(weights="contributors")).raw == 2


def test_quirk_5_a_peer_uid_that_the_pyramid_lacks_is_found_by_its_label() -> None:
    with pytest.warns(InputWarning, match=r"<peerscu>: uid 41 does not fit the pyramid; its label is that of uid 3"):
        topic = topic_of(pan(peerscu("41", "(2) All day long (NONE)", part("sleep", PEER))))
    assert topic.annotations[0].expressed == ("3",)


def test_quirk_5_a_uid_that_belongs_to_another_label() -> None:
    with pytest.warns(InputWarning, match="uid 1 does not fit the pyramid"):
        topic = topic_of(pan(peerscu("1", "(2) All day long", part("sleep", PEER))))
    assert topic.annotations[0].expressed == ("3",)


def test_quirk_5_a_uid_nobody_knows_is_an_error() -> None:
    with pytest.raises(FormatError, match=r"^anna.pan:\d+:\d+: <peerscu>: The pyramid has no SCU 99; use the pyramid"):
        topic_of(pan(peerscu("99", "(1) Whales", part("sleep", PEER))), "anna.pan")


def test_quirk_6_a_blank_peer() -> None:
    assert topic_of(pan(peerscu("0", ""), text="")).peers[0].text == ""


def test_quirk_7_lines_may_be_paragraphs_or_empty() -> None:
    document = pyr(CATS).replace("  <line></line>\n", "  <line/>\n")
    assert topic_of(document) == topic_of(pyr(CATS))


def test_quirk_8_two_documents_in_one_file() -> None:
    with pytest.warns(InputWarning, match="The file holds several documents"):
        topic = topic_of(pyr(CATS) + pyr(CATS, DAY))
    assert topic.pyramid is not None
    assert len(topic.pyramid.scus) == 2


def test_quirk_10_the_internal_dtd_is_read_and_nothing_else() -> None:
    written = ducview.dumps([topic_of(pyr(CATS))])
    assert b"<!DOCTYPE pyramid [" in written
    assert topic_of(written).pyramid == topic_of(pyr(CATS)).pyramid


def test_the_weight_in_a_peer_label_is_compared_and_not_trusted() -> None:
    with pytest.warns(InputWarning, match="The label says weight 4, but SCU 1 weighs 2"):
        topic = topic_of(pan(peerscu("1", "(4) Cats sleep", part("Cats", PEER))))
    assert topic.pyramid is not None
    assert scores(topic.pyramid, topic.annotations[0]).raw == 2


def test_offsets_in_utf16_units_as_java_counts_them() -> None:
    text = TEXT.replace("Cats", "\U0001f63a\U0001f63a Cats")
    start = text.index("all day") + 2
    document = pyr(
        f'<scu uid="1" label="x"><contributor label="x"><part label="all day" start="{start}" '
        f'end="{start + 7}"/></contributor></scu>',
        text=text,
    )
    pyramid = topic_of(document).pyramid
    assert pyramid is not None
    assert pyramid.words(pyramid.scus[0].contributors[0]) == "all day"
    assert f'start="{start}"'.encode() in ducview.dumps([topic_of(document)])


@pytest.mark.parametrize("expression", ["-*-*-*-*x", ".*.*.*x", "[[-]*\\n D[0-9]*\\n"])
def test_no_header_expression_takes_for_ever_or_speaks_for_itself(expression: str) -> None:
    with pytest.warns(InputWarning) as caught:
        topic_of(pyr(CATS, text=TEXT + "\n" + "-" * 20_000, regex=expression))
    assert {warning.category for warning in caught} == {InputWarning}


@pytest.mark.parametrize("header", ducview.KNOWN_HEADERS)
def test_the_known_headers_are_all_of_use(header: str) -> None:
    shown = {"<": "---------- < a.txt > ----------\n", "D": "---\n D1.M.100.A.A\n---\n", "[": "-----\nanna\n-----\n"}
    kind = "<" if "<" in header else "D" if "D[" in header else "["
    text = shown[kind] + "Cats sleep all day."
    with pytest.warns(InputWarning, match="found by the known one"):
        topic = topic_of(pyr(scu("1", "x", part("Cats sleep", text)), text=text, regex=None))
    assert len(topic.references) == 1


def test_weights_and_labels_of_scus_not_expressed_are_compared_too() -> None:
    with pytest.warns(InputWarning, match=r"1 SCU\(s\) that the peer does not express have another weight or label"):
        topic_of(pan(peerscu("1", "(2) Cats sleep", part("Cats", PEER)), peerscu("3", "(4) All day long")))


@pytest.mark.parametrize("regex", [None, "", "(-+)+\n", "[", "no such header"])
def test_a_missing_or_useless_header_expression_falls_back_to_the_known_ones(regex: str | None) -> None:
    with pytest.warns(InputWarning, match="header expression"):
        topic = topic_of(pyr(CATS, regex=regex))
    assert [one.id for one in topic.references] == ["D1-A.M.100.A.A", "D1-A.M.100.A.B"]


def test_a_header_expression_can_be_given() -> None:
    text = "== one ==\nCats sleep all day.\n== two ==\nAll day, cats doze."
    document = pyr(scu("1", "x", part("Cats sleep", text), part("cats doze", text)), text=text, regex=None)
    topic = topic_of(document, header="== [a-z]+ ==\n")
    assert [one.text for one in topic.references] == ["Cats sleep all day.", "All day, cats doze."]


def with_headers(*headers: str) -> str:
    """Three references, each after its header."""
    bodies = ("Cats sleep all day.\n\n", "All day, cats doze.\n\n", "The cats sleep.")
    return "#3\n\n\n" + "".join(header + body for header, body in zip(headers, bodies, strict=True))


def cats_in(text: str) -> str:
    return scu("1", "Cats sleep", *(part(words, text) for words in ("Cats sleep", "cats doze", "The cats sleep")))


@pytest.mark.parametrize(
    ("regex", "headers", "names"),
    [
        (r"-{5,}\n", ["----------\n\n"] * 3, ["1", "2", "3"]),
        (r"=+\n", ["==========\n"] * 3, ["1", "2", "3"]),
        (r"=====+ .* =====+", [f"===== Summary {n} of 3 =====\n" for n in "012"], [f"Summary {n} of 3" for n in "012"]),
        (r".*Summary.*\n", [f"Reference Summary {n}:\n" for n in "012"], [f"Reference Summary {n}:" for n in "012"]),
        (r"## D\p{Digit}+ \p{Upper}\n", [f"## D09 {n}\n" for n in "ABC"], [f"## D09 {n}" for n in "ABC"]),
        (r"\Q[*]\E \w++\R", ["[*] a\n", "[*] b\n", "[*] b\n"], ["[*] a", "[*] b", "[*] b#2"]),
        ("\n\\[Summary [0-9]\\]\n", [f"\n[Summary {n}]\n" for n in "012"], [f"[Summary {n}]" for n in "012"]),
        (r"(?:-|=)+\n", ["-=-=-\n"] * 3, ["1", "2", "3"]),
    ],
)
def test_odd_headers_separate_the_references_and_weights_are_right(
    regex: str, headers: list[str], names: list[str]
) -> None:
    text = with_headers(*headers)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pyramid = topic_of(pyr(cats_in(text), text=text, regex=regex)).pyramid
    assert pyramid is not None
    assert [reference.id for reference in pyramid.references] == names
    texts = ["Cats sleep all day.", "All day, cats doze.", "The cats sleep."]
    assert [reference.text for reference in pyramid.references] == texts
    assert pyramid.scus[0].weight == 3


@pytest.mark.parametrize(
    ("regex", "why"),
    [
        ("no such header", "The header expression 'no such header' finds no header"),
        ("== 1 ==\\n", "finds 1 header"),
        ("(=|=)*x", "could take for ever and is not used"),
        (r"\p{InGreek}", "is not a regular expression that can be used"),
    ],
)
def test_a_header_expression_that_does_not_tell_references_apart_is_an_error(regex: str, why: str) -> None:
    text = with_headers("== 1 ==\n", "== 2 ==\n", "== 3 ==\n") + "=" * 60
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(FormatError, match=f"<pyramid>: The references cannot be told apart: .*{why}") as caught:
            topic_of(pyr(cats_in(text), text=text, regex=regex))
        assert "header=REGEX" in caught.value.do
        given = topic_of(pyr(cats_in(text), text=text, regex=regex), header="== [0-9] ==\n")
    assert len(given.references) == 3


def test_a_header_expression_that_was_given_is_the_only_one_tried() -> None:
    with pytest.raises(FormatError, match="The header expression 'Summary' finds no header"):
        topic_of(pyr(CATS), header="Summary")


def test_one_header_is_enough_for_one_reference_only() -> None:
    text = "== 1 ==\nCats sleep all day."
    assert len(topic_of(pyr(scu("1", "x", part("Cats", text)), text=text, regex="== . ==\n")).references) == 1
    twice = scu("1", "x", part("Cats", text), part("all day", text))
    with pytest.raises(FormatError, match="finds 1 header"):
        topic_of(pyr(twice, text=text, regex="== . ==\n"))
    numbered = text.replace("==", "#1\n==", 1)
    twice = scu("1", "x", part("Cats", numbered), part("all day", numbered))
    with pytest.warns(InputWarning, match="two contributors from one reference"):
        assert len(topic_of(pyr(twice, text=numbered, regex="== . ==\n")).references) == 1


def test_a_header_expression_that_finds_words_of_a_contributor_is_an_error() -> None:
    with pytest.raises(FormatError, match=r"is not inside one reference's text; .*the header expression: header="):
        topic_of(pyr(CATS, regex=f"sleep|{REGEX}"))


def test_rules_around_nists_names_are_not_headers_without_names() -> None:
    with pytest.warns(InputWarning, match="found by the known one"):
        topic = topic_of(pyr(CATS, regex=r"-{5,}\n"))
    assert [one.id for one in topic.references] == ["D1-A.M.100.A.A", "D1-A.M.100.A.B"]


def test_headers_of_ducviews_folder_mode() -> None:
    text = (
        "---------- < a.txt > ----------\nCats sleep all day.\n\n---------- < b.txt > ----------\nAll day, cats doze."
    )
    topic = topic_of(pyr(scu("1", "x", part("cats doze", text)), text=text, regex="-----+ <.*> -----+"))
    assert [(one.id, one.text) for one in topic.references] == [
        ("a.txt", "Cats sleep all day."),
        ("b.txt", "All day, cats doze."),
    ]


def test_autopans_dialect_of_2005() -> None:
    document = pyr(CATS, regex=None, attributes=' numModels = "2"').replace('uid="', 'uid = "')
    with pytest.warns(InputWarning, match="header expression"):
        assert topic_of(document).pyramid == topic_of(pyr(CATS)).pyramid
    with pytest.warns(InputWarning, match="numModels is 4, but the text has 2 references"):
        topic_of(pyr(CATS, attributes=' numModels="4"'))


# What is refused


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (pyr('<scu uid="1" label="x"></scu>'), r":\d+:1: <scu>: SCU 1 has no contributor; add one or delete"),
        (pyr(CATS, CATS), r":\d+:1: <scu>: The uid 1 is used twice"),
        (pyr(scu("one", "x", part("Cats"))), "The uid 'one' is not a whole number"),
        (pyr('<scu label="x"/>'), "The attribute 'uid' is missing"),
        (pyr(scu("1", "x", '<part label="Zebra" start="9000" end="9005"/>')), "ends beyond the text of"),
        (pyr(scu("1", "x", '<part label="Zebra" start="9" end="4"/>')), "The part 9-4 is not a stretch of text"),
        (pyr(scu("1", "x", '<part label="Zebra" start="a" end="4"/>')), "The part a-4 is not a stretch of text"),
        (pyr(scu("1", "x", '<part label="#2" start="0" end="2"/>')), "is not inside one reference's text"),
        (pyr('<scu uid="1" label="x"><contributor label="x"/></scu>'), "The contributor has no part"),
        ('<?xml version="1.0"?><pyramid></pyramid>', "<pyramid> has no <text>"),
        (pan().replace("annotation>", "x>"), "<peerAnnotation> has no <annotation>"),
        ("<?xml version='1.0'?><Pyramid/>", "The root element is <Pyramid>"),
        (pyr(CATS)[:300], r"D1-A.pyr:\d+:\d+: The XML is not well-formed: .*; write the file again; it is incomplete"),
        ("", "The file is empty"),
    ],
)
def test_what_cannot_be_right_is_refused_with_its_place(document: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        topic_of(document)


BOMB = '<?xml version="1.0"?><!DOCTYPE pyramid [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><pyramid><text><line>&b;</line></text></pyramid>'


@pytest.mark.parametrize(
    "document",
    [
        BOMB,
        BOMB.replace('"aaaaaaaaaa"', 'SYSTEM "file:///etc/passwd"'),
        BOMB.replace("[", "[<!-- <pyramid> -->", 1),
        '<?xml version="1.0"?><!DOCTYPE pyramid SYSTEM "http://localhost:9/evil.dtd"><pyramid/>',
        '<?xml version="1.0"?><!DOCTYPE pyramid\n PUBLIC "x" "http://localhost:9/evil.dtd" [ ]><pyramid/>',
    ],
)
def test_entities_and_external_dtds_are_refused_unexpanded(document: str) -> None:
    with pytest.raises(FormatError, match="refused; nothing was expanded or fetched"):
        topic_of(document)
    with pytest.raises(FormatError, match="refused; nothing was expanded or fetched"):
        topic_of(document.encode("utf-16"))


# Writing


def test_the_layout_is_ducviews_own() -> None:
    peer = Summary("anna", 'Cats "sleep".', "peer")
    topic = topic_of(pyr(CATS, DAY))
    document = ducview.dumps(
        [
            Topic(
                topic.id,
                topic.references,
                (peer,),
                (),
                topic.pyramid,
                (Annotation(peer, (Match("1", (Span(5, 12),)),)),),
            )
        ]
    )
    text = document.decode()
    assert text.startswith(
        '<?xml version="1.0"?>\n<!DOCTYPE peerAnnotation [\n <!ELEMENT peerAnnotation (pyramid,annotation,score?)>\n'
    )
    assert "\n\n]>\n\n<peerAnnotation>\n<pyramid>\n<startDocumentRegEx><![CDATA[" in text
    assert (
        '  <contributor label="&quot;sleep&quot;">\n   <part label="&quot;sleep&quot;" start="5" end="12"/>\n' in text
    )
    assert ' <peerscu uid="3" label="(2) All day long">\n </peerscu>\n' in text
    assert text.endswith(
        ' <peerscu uid="0" label="All non-matching SCUs go here">\n </peerscu>\n</annotation>\n</peerAnnotation>\n'
    )


def test_the_dialect_of_1_4_has_no_score() -> None:
    topic = topic_of(pan(peerscu("0", "")))
    assert b"(pyramid,annotation)>" in ducview.dumps([topic], dialect="1.4")


@given(topics(located=True))
def test_writing_and_reading_back_changes_nothing(topic: Topic) -> None:
    assert topic.pyramid is not None
    bare = Topic(topic.id, topic.references, pyramid=topic.pyramid)
    for made in (
        bare,
        *(Topic(topic.id, topic.references, (one.summary,), (), topic.pyramid, (one,)) for one in topic.annotations),
    ):
        name = f"{made.peers[0].id if made.peers else made.id}.pan"
        written = ducview.dumps([made])
        (back,) = ducview.loads(written, name)
        back = Topic(made.id, back.references, back.peers, (), _renamed(back.pyramid, made.id), back.annotations)
        assert _in_order(back) == _in_order(_as_ducview_takes_it(made))
        assert ducview.dumps([back]) == written


def _as_ducview_takes_it(topic: Topic) -> Topic:
    """The same topic, where a peer in which nothing is marked is one that nobody annotated."""
    assert topic.pyramid is not None
    nobody = tuple((scu.id, "not asked") for scu in topic.pyramid.scus)
    read = (
        one if one.size or not one.summary.text.strip() else replace(one, unjudged=nobody) for one in topic.annotations
    )
    return replace(topic, annotations=tuple(read))


def _in_order(topic: Topic) -> Topic:
    """The same topic with matches and comments sorted: a .pan groups them by SCU."""
    annotations = tuple(
        replace(
            one,
            matches=tuple(sorted(one.matches, key=lambda match: int(match.scu))),
            comments=tuple(sorted(one.comments)),
        )
        for one in topic.annotations
    )
    return replace(topic, annotations=annotations)


def _renamed(pyramid: Pyramid | None, topic: str) -> Pyramid | None:
    return pyramid and Pyramid(topic, pyramid.references, pyramid.scus)


def test_what_ducview_cannot_hold_is_listed_and_strict_refuses(tmp_path: Path) -> None:
    reference = Summary("A", "Cats\x01sleep")
    pyramid = Pyramid("t", (reference,), (SCU("cats", "Cats\nsleep", (Contributor("A", (Span(0, 4),)),)),))
    topic = Topic("t", (reference,), (Summary("p", "x", "peer"),), pyramid=pyramid)
    lost = ducview.losses([topic], tmp_path / "t.pyr")
    assert lost == [
        "topic 't': the text of 1 reference(s) (the first: 'Cats\\x01sleep' becomes 'Cats\ufffdsleep')",
        "topic 't': 1 peer(s): 'p'",
        "topic 't': the id of 1 SCU(s) (the first: 'cats' becomes '1')",
        "topic 't': the label of 1 SCU(s) (the first: 'Cats\\nsleep' becomes 'Catssleep')",
    ]
    with pytest.raises(LossError, match="would lose"):
        dump([topic], tmp_path / "t.pyr", strict=True)
    assert not (tmp_path / "t.pyr").exists()
    with pytest.warns(InputWarning, match="Not written: topic 't'"):
        dump([topic], tmp_path / "t.pyr")


def test_contributors_without_offsets_cannot_be_written() -> None:
    pyramid = Pyramid("t", (Summary("A", "x"),), (SCU("1", "x", (Contributor("A"),)),))
    with pytest.raises(FormatError, match="without offsets, which DUCView cannot hold; write JSON"):
        ducview.dumps([Topic("t", pyramid.references, pyramid=pyramid)])


@pytest.mark.parametrize(
    ("annotation", "lost"),
    [
        ({"annotator": "114"}, "the annotator of 1 annotation(s) (the first: '114' becomes '')"),
        ({"comments": (("9", "sic"),)}, "the comments of 1 annotation(s) (the first: {'9': 'sic'} becomes nothing)"),
        ({"matches": (Match("1", (Span(0, 4),), 0.5),)}, "the score of 1 match(es) (the first: 0.5 becomes 1.0)"),
        ({"unmatched": (Contributor("anna", (Span(0, 4),), "cats"),)}, "the label of 1 unit(s) in no SCU"),
    ],
)
def test_whatever_a_pan_does_not_give_back_is_listed(annotation: dict[str, object], lost: str, tmp_path: Path) -> None:
    topic = topic_of(pan(peerscu("0", "", part("Dogs bark", PEER))), str(tmp_path / "anna.pan"))
    changed = replace(topic, annotations=(replace(topic.annotations[0], **annotation),))
    assert ducview.losses([topic], tmp_path / "anna.pan") == []
    (line,) = ducview.losses([changed], tmp_path / "anna.pan")
    assert line.startswith(f"topic 'D1-A': {lost}")
    with pytest.raises(LossError, match="would lose"):
        dump([changed], tmp_path / "anna.pan", strict=True)


def test_ids_that_the_path_does_not_give_back_are_listed(tmp_path: Path) -> None:
    peer = Summary("anna", PEER, "peer")
    references = (Summary("A", "Cats sleep."), Summary("-B-", "Dogs bark."))
    scus = (SCU("1", " x ", (Contributor("A", (Span(0, 4),), "Cats"),)),)
    pyramid = Pyramid("pets", references, scus)
    read = Annotation(peer, unmatched=(Contributor("anna", (Span(0, 4),)),))
    topic = Topic("pets", references, (peer,), (), pyramid, (read,))
    assert ducview.losses([topic], tmp_path / "berta.pan") == [
        f"topic 'pets': its id: it becomes {tmp_path.name!r}",
        "topic 'pets': 1 reference(s): '-B-'; 1 other(s) come back",
        "topic 'pets': 1 peer(s): 'anna'; 1 other(s) come back",
        "topic 'pets': the label of 1 SCU(s) (the first: ' x ' becomes 'x')",
        "topic 'pets': the label of 1 contributor(s) (the first: 'Cats' becomes '')",
        "topic 'pets': the id of 1 annotated text(s) (the first: 'anna' becomes 'berta')",
        "topic 'pets': the summary of 1 unit(s) in no SCU (the first: 'anna' becomes 'berta')",
    ]


@pytest.mark.parametrize(
    "regex", ["(-|-)*x", "((-+))+x", "(?:-*)*x", "(-|-)" * 60 + "x", "-?" * 60 + "x", "-*" * 30 + "x"]
)
def test_a_header_expression_that_could_take_for_ever_is_not_run(regex: str) -> None:
    text = TEXT.replace("Cats", "-" * 60 + " Cats")
    with pytest.warns(InputWarning) as caught:
        topic = topic_of(pyr(scu("1", "x", part("Cats sleep", text)), text=text, regex=regex))
    assert "could take for ever and is not used" in str(caught[0].message)
    assert len(topic.references) == 2


def test_places_are_found_whatever_the_text_declares_and_columns_are_characters() -> None:
    document = pyr(CATS, scu("x", "", part("Cats"))).replace("?>", ' encoding="Shift_JIS"?>', 1)
    document = document.replace("</scu>\n<scu", "</scu><!-- \u3042\U0001f63a --><scu")
    for data in (document, document.replace("\U0001f63a", "").encode("shift_jis")):
        with pytest.raises(FormatError, match="The uid 'x' is not a whole number") as caught:
            topic_of(data)
        where = caught.value.where
        assert where.text[(where.column or 0) - 1 :].startswith('<scu uid="x"')


def test_twice_as_many_wrong_labels_take_twice_the_steps() -> None:
    def count(labels: int) -> int:
        parts = '<part label="cats doze" start="5" end="9"/>' * labels
        document = pyr(scu("1", "x", parts), text=TEXT + "\n" + "More of this. " * labels)
        with pytest.warns(InputWarning, match="taken as"):
            return steps(lambda: topic_of(document))

    count(1)  # what is imported once is imported now
    assert count(1000) < 2.1 * count(500)


@pytest.mark.parametrize("uid", ["1", "0"])
def test_a_peers_uid_that_comes_twice(uid: str) -> None:
    twice = peerscu(uid, "(2) Cats sleep", part("Cats", PEER))
    with pytest.raises(
        FormatError, match=rf"<peerscu>: The uid {uid} stands twice in the annotation, first in line \d+"
    ):
        topic_of(pan(twice, twice))
    empty = peerscu("3", "(2) All day long")
    assert topic_of(pan(empty, empty)).annotations[0].matches == ()


def test_two_contributors_of_one_reference_are_told_once_for_every_file_with_their_place() -> None:
    shared = pyr(scu("7", "x", part("Cats"), part("all day")))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for number in range(3):
            peer = pan(peerscu("0", "", *([part("Dogs", PEER)] * number)), pyramid=shared)
            made = topic_of(peer, f"pets/{number}.pan").pyramid
            assert made is not None
            list(replace(made, topic="other").leave_one_out())
    told = [str(one.message) for one in caught]
    assert len(told) == 3
    for number, one in enumerate(told):
        assert re.match(rf"pets/{number}.pan:\d+:1: <scu>: 1 SCU\(s\) have two contributors from one reference", one)


def test_the_topic_does_not_depend_on_how_the_path_is_spelled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = TEXT.replace("D1-A.M.100.A.", "writer-")
    pyramid = pyr(scu("1", "x", part("Cats sleep", text)), text=text, regex="-+\\n writer-.\\n-+\\n")
    pets = tmp_path / "pets"
    (pets / "deep").mkdir(parents=True)
    (pets / "anna.pan").write_text(pan(peerscu("0", ""), pyramid=pyramid))
    monkeypatch.chdir(pets)
    for path in ("anna.pan", "./anna.pan", "../pets/anna.pan", "deep/../anna.pan", str(pets / "anna.pan")):
        assert ducview.load(Path(path))[0].id == "pets"


def test_long_numbers_do_not_make_long_messages() -> None:
    for document in (
        pyr(scu("1", "x", f'<part label="x" start="{"9" * 5000}" end="{"9" * 5001}"/>')),
        pyr(scu("1", "x", f'<part label="x" start="1" end="{"9" * 4000}"/>')),
        pyr(scu("x" * 5000, "x", part("Cats"))),
    ):
        with pytest.raises(FormatError) as caught:
            topic_of(document)
        assert len(str(caught.value)) < 250


# Fuzzing


@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    only_our_errors(lambda: ducview.loads(data))


@given(
    mutated(
        pan(peerscu("1", "(2) Cats sleep", part("Cats sleep", PEER)), peerscu("0", "", part("Dogs", PEER))).encode()
    )
)
def test_damaged_documents(data: bytes) -> None:
    only_our_errors(lambda: ducview.loads(data, "x.pan"))


ODD = (
    r"- -+ -{5,} =+ \n .* Summary \p{Digit} \p{Upper} [0-9] (?:-|=)+ \Q[\E | (?i) ( ) [ ] * ++ (?=C) ^ $ \s* [ \x20 "
    r"Cats < > [^\n]* D1-A"
)
LINES = st.sampled_from(
    ["-----", "=====", "== 1 ==", "Summary 2", "", "- - -", "[3]", "---- < a > ----", "Cats sleep.", "#2"]
)


@given(
    st.lists(st.sampled_from(ODD.split()), max_size=8),
    st.lists(LINES, max_size=12),
    st.integers(0, 40),
    st.integers(1, 9),
    st.booleans(),
)
def test_odd_headers(pieces: list[str], parts: list[str], start: int, length: int, given: bool) -> None:
    text, regex = "\n".join(parts), "".join(pieces)
    where = f'<part label="x" start="{start}" end="{start + length}"/>'
    document = pyr(scu("1", "x", where), text=text, regex=None if given else regex)
    only_our_errors(lambda: ducview.loads(document, **({"header": regex} if given else {})))


# The original tool's own numbers


@pytest.mark.data
def test_scores_equal_what_ducview_itself_prints(data: Path) -> None:
    with (data / "ducview" / "scores.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 12
    for row in rows:
        (topic,) = ducview.load(data / "ducview" / row["filename"])
        assert printed(topic) == row | {"filename": ""}, row["filename"]


def printed(topic: Topic) -> dict[str, str]:
    """Our scores as DUCView prints its own: four decimals at most, and nothing where there is no score."""
    assert topic.pyramid is not None
    found = scores(topic.pyramid, topic.annotations[0], LIKE["ducview"])
    cells = {
        "totalscu": found.size,
        "uniquescu": found.scus,
        "scusNotInPyr": found.unmatched,
        "totalWeight": found.counted,
        "maxScoreTotalscu": found.max_for_size,
        "qualityScore": found.quality,
        "averagescu": found.average_scus,
        "maxScoreAveragescu": found.max_for_average,
        "coverageScore": found.coverage,
        "comprehensiveScore": found.comprehensive,
    }
    return {"filename": ""} | {name: "" if cell is None else f"{round(cell, 4):g}" for name, cell in cells.items()}


MADE_OF_NOTHING = {"maxScoreTotalscu": "0", "averagescu": "1", "maxScoreAveragescu": "2"}
DIFFERENT = {
    "n03a-empty-none.pan": {
        **MADE_OF_NOTHING, "qualityScore": "0", "coverageScore": "0", "comprehensiveScore": "0",
    },
    "n03b-empty-blank.pan": {
        **MADE_OF_NOTHING, "qualityScore": "0", "coverageScore": "0", "comprehensiveScore": "0",
    },
    "n03c-empty-unmarked.pan": MADE_OF_NOTHING,
    "n11-floor-zero.pan": {"coverageScore": "", "comprehensiveScore": ""},
    "n12-no-regex.pan": {
        "averagescu": "3", "maxScoreAveragescu": "7", "coverageScore": "0.7143", "comprehensiveScore": "0.6667",
    },
    "n14-no-bin.pan": {
        "totalscu": "3", "uniquescu": "2", "scusNotInPyr": "0", "totalWeight": "5", "maxScoreTotalscu": "7",
        "qualityScore": "0.7143", "averagescu": "3", "maxScoreAveragescu": "7", "coverageScore": "0.7143",
        "comprehensiveScore": "0.7143",
    },
}  # fmt: skip
"""Where our cells are not DUCView's: docs/formats.md says why."""
REFUSED = {
    "n13-uid-twice.pan": "The uid 1 stands twice in the annotation",
    "n17-regex-in-text.pan": "is not inside one reference's text",
}


@pytest.mark.data
def test_nasty_files_have_the_scores_that_ducview_prints_or_a_documented_difference(data: Path) -> None:
    folder = data / "ducview" / "nasty"
    with (folder / "scores.csv").open() as file:
        rows = {row["filename"]: row for row in csv.DictReader(file)}
    assert set(rows) == {path.name for path in folder.glob("*.pan")}
    documented = (Path(__file__).parents[2] / "docs" / "formats.md").read_text("utf-8")
    for name, row in rows.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InputWarning)
            if name in REFUSED:
                with pytest.raises(FormatError, match=REFUSED[name]):
                    ducview.load(folder / name)
            else:
                (topic,) = ducview.load(folder / name)
                assert printed(topic) == row | {"filename": ""} | DIFFERENT.get(name, {}), name
        if name in DIFFERENT | REFUSED:
            assert f"`{name.partition('-')[0]}`" in documented, name


# The same, on texts of our own


def test_two_contributors_of_one_reference_weigh_two_as_in_ducview() -> None:
    pyramid = pyr(scu("1", "x", part("Cats"), part("all day"), part("cats doze")), scu("2", "y", part("sleep")))
    document = pan(peerscu("1", "(3) x", part("Cats", PEER)), peerscu("0", "", part("Dogs", PEER)), pyramid=pyramid)
    with pytest.warns(InputWarning, match="two contributors from one reference"):
        found = printed(topic_of(document))
    assert (found["totalWeight"], found["maxScoreTotalscu"], found["qualityScore"]) == ("3", "4", "0.75")
    assert (found["averagescu"], found["coverageScore"]) == ("2", "0.75")  # 4 contributors, 2 references


def test_a_peer_in_which_nothing_is_marked_was_not_annotated_and_an_empty_one_has_0() -> None:
    bins = (peerscu("1", "(2) Cats sleep"), peerscu("3", "(2) All day long"), peerscu("0", ""))
    unread = topic_of(pan(*bins))
    assert unread.annotations[0].unjudged == (("1", "not asked"), ("3", "not asked"))
    assert (printed(unread)["totalWeight"], printed(unread)["qualityScore"], printed(unread)["coverageScore"]) == (
        "0",
        "",
        "",
    )
    for text in ("", "\n\n"):
        empty = topic_of(pan(*bins, text=text))
        assert empty.annotations[0].unjudged == ()
        assert (printed(empty)["qualityScore"], printed(empty)["coverageScore"]) == ("0", "0")


def test_a_reading_that_marks_nothing_cannot_be_written_without_loss(tmp_path: Path) -> None:
    topic = topic_of(pan(peerscu("0", "", part("Dogs", PEER))), str(tmp_path / "anna.pan"))
    nothing = replace(topic, annotations=(Annotation(topic.peers[0]),))
    assert ducview.losses([nothing], tmp_path / "anna.pan") == [
        "topic 'D1-A': the unjudged of 1 annotation(s) "
        "(the first: nothing becomes {'1': 'not asked', '3': 'not asked'})"
    ]


def test_a_mean_that_ducview_floors_to_0_gives_no_coverage() -> None:
    pyramid = pyr(scu("1", "x", part("Cats")))
    document = pan(peerscu("1", "(1) x", part("Cats", PEER)), pyramid=pyramid)
    found = printed(topic_of(document))
    assert (found["qualityScore"], found["averagescu"], found["coverageScore"]) == ("1", "0", "")


def test_a_peer_without_uid_0_is_read_where_ducview_fails() -> None:
    found = printed(topic_of(pan(peerscu("1", "(2) Cats sleep", part("Cats sleep", PEER)))))
    assert (found["scusNotInPyr"], found["qualityScore"], found["coverageScore"]) == ("0", "1", "0.5")


@pytest.mark.data
def test_real_files_survive_json_and_come_back_the_same(data: Path) -> None:
    for path in sorted((data / "ducview").glob("*.pan")):
        (original,) = ducview.load(path)
        (through_json,) = native.loads(native.dumps([original]))
        assert through_json == original
        first = ducview.dumps([through_json])
        assert ducview.loads(first, path.name) == [original]
        assert ducview.dumps(native.loads(native.dumps(ducview.loads(first, path.name)))) == first
