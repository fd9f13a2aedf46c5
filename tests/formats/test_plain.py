"""SCUs that are read by expressions: the same values, warnings and errors as from the tree of the whole document."""

from __future__ import annotations

import warnings
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.errors import PyramidionError
from pyramidion.formats import ducview
from pyramidion.formats._plain import TAKEN_OUT, NotPlainError, take_out
from pyramidion.model import Topic
from tests.formats.test_ducview import CATS, DAY, PEER, TEXT, pan, part, peerscu, pyr, scu
from tests.fuzz import mutated
from tests.strategies import topics

PLAIN = pan(
    peerscu("1", "(2) Cats sleep", part("Cats sleep", PEER) + part("Dogs", PEER)).replace(
        '"x"', '"x" comment="a &amp; b"'
    ),
    peerscu("3", "(2) All day long").replace('long"', 'long" comment="no &quot;day&quot;"'),
    peerscu("0", "", part("bark", PEER)),
)
WRAPPED = TEXT.replace("sleep all", "sleep\nall")


def outcome(document: str | bytes) -> tuple[list[Topic] | str, list[str]]:
    """What reading gives, or the message of its error, and the warnings; no pyramid is remembered."""
    with patch.dict(ducview._RECENT, clear=True), warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        try:
            found: list[Topic] | str = ducview.loads(document, "pets/anna.pan")
        except PyramidionError as error:
            found = str(error)
    return found, [str(one.message) for one in told]


def by_tree(document: str | bytes) -> tuple[list[Topic] | str, list[str]]:
    with patch.object(ducview, "take_out", side_effect=NotPlainError):
        return outcome(document)


def is_plain(document: str) -> bool:
    """Whether it is read without a tree of its SCUs."""
    with patch.object(ducview, "Document", wraps=ducview.Document) as parsed:
        outcome(document)
    return not any("scu uid=" in call.args[0] for call in parsed.call_args_list)


@pytest.mark.parametrize(
    "document",
    [
        PLAIN,
        pyr(CATS, DAY),
        pyr(scu("1", "x", part("all day") + part("Cats")), DAY),
        pyr(scu("1", " a &lt;b&gt; ", part("sleep\nall", WRAPPED, label="sleepall")), text=WRAPPED),
        PLAIN.replace("\n", "\r\n"),
        ducview.dumps(ducview.loads(PLAIN, "pets/anna.pan"), dialect="1.4").decode(),
    ],
)
def test_what_ducview_writes_is_read_without_a_tree_of_it(document: str) -> None:
    assert is_plain(document)
    assert outcome(document) == by_tree(document)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('uid="1"', "uid='1'"),
        ('uid="1"', 'uid="01"'),
        ('uid="3"', 'uid="1"'),
        ('<scu uid="1" label="Cats sleep">', '<scu label="Cats sleep" uid="1">'),
        ('label="Cats sleep">', 'label="Cats&#9;sleep">'),
        ('label="Cats sleep">', 'label="Cats &unknown; sleep">'),
        ('label="Cats sleep">', 'label="Cats\x01sleep">'),
        ('label="Cats sleep">', 'label="Cats\nsleep">'),
        ("<scu", "<!-- an SCU --><scu"),
        ("</scu>", "a word</scu>"),
        ("</scu>", "<other/></scu>"),
        ("</scu>", "</scu>\0"),
        ("<part", "\0<part"),
        ("</pyramid>", "<other/></pyramid>"),
        ("</pyramid>", f"<{TAKEN_OUT}/></pyramid>"),
        ("</annotation>", "</pyramid>"),
        ("<text>", "<text/><text>"),
        ("Cats sleep all day.", "Cats \N{CAT FACE} sleep all day."),
        ('label="cats doze"', 'label="cats dozed"'),
        ('label="cats doze"', 'label=""'),
        (f'start="{TEXT.index("cats doze")}"', 'start="0"'),
        (f'start="{TEXT.index("cats doze")}"', f'start="{TEXT.index("Cats")}"'),
        (f'end="{TEXT.index("cats doze") + 9}"', 'end="99999"'),
        (f'end="{TEXT.index("cats doze") + 9}"', 'end="0"'),
        ("(2) Cats sleep", "(3) Cats sleep"),
        ("(2) All day long", "(2) All night long"),
        ('peerscu uid="3"', 'peerscu uid="4"'),
        ("<peerAnnotation>", '<!DOCTYPE x [<!ATTLIST scu comment CDATA "always">]><peerAnnotation>'),
        ("<peerAnnotation>", '<!DOCTYPE x [<!ENTITY e "x">]><peerAnnotation>'),
        ("<pyramid>", '<pyramid numModels="3">'),
        ("<startDocumentRegEx><![CDATA[", f"<startDocumentRegEx><![CDATA[</text>{CATS}</pyramid>"),
    ],
)
def test_all_else_is_read_from_the_tree(old: str, new: str) -> None:
    document = PLAIN.replace(old, new, 1)
    assert document != PLAIN
    assert not is_plain(document)
    assert outcome(document) == by_tree(document)


@given(mutated(PLAIN.encode()))
def test_damaged_documents_are_read_as_from_the_tree(document: bytes) -> None:
    assert outcome(document) == by_tree(document)


@given(topics(located=True), st.sampled_from(["1.4", "1.5"]))
def test_whatever_we_write_is_read_as_from_the_tree(topic: Topic, dialect: str) -> None:
    suffix = ".pan" if len(topic.annotations) == 1 else ".pyr"
    document = ducview.dumps([topic], suffix=suffix, dialect=dialect)
    assert outcome(document) == by_tree(document)


def test_a_file_that_names_its_whole_text_again_and_again_is_left_to_the_tree() -> None:
    text = TEXT + " word" * 10_000
    whole = f'<part label="x" start="{text.index("All day")}" end="{len(text)}"/>'
    reader = ducview._PlainReader(pyr(scu("1", "x", whole * 1000), text=text), "x.pyr", "x")
    with patch("pyramidion.formats._plain.squash") as compared, pytest.raises(NotPlainError):
        reader.topics(None, None, "")
    assert not compared.called


def test_documents_that_could_hold_too_much_are_left_to_the_tree() -> None:
    with pytest.raises(NotPlainError):
        take_out(pyr(CATS, "=" * 1_000_000))
