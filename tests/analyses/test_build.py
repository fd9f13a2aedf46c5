"""The pyramids of a build, as tables."""

from __future__ import annotations

from pyramidion.analyses.build import Pyramids
from pyramidion.model import SCU, Contributor, Pyramid, Span, Summary
from pyramidion.signature import Signature

TEXTS = (Summary("a", "Rain fell. It stopped."), Summary("b", "It rained."))
RAIN = SCU("1", "Rain fell.", (Contributor("a", (Span(0, 10),)), Contributor("b", (Span(0, 10),))))
REST = SCU("2", "It stopped.", (Contributor("a", (Span(11, 22),)),), unclear="nobody can tell what 'It' is")


def built(*scus: SCU) -> Pyramids:
    return Pyramids(Signature("meaning", ()), (Pyramid("rain", TEXTS, scus),))


def test_labels_that_cannot_be_read_by_themselves_are_named_below_the_table() -> None:
    (table,) = built(RAIN, REST).tables().values()
    assert table.rows == (("1", 2, "Rain fell."), ("2", 1, "It stopped."))
    assert table.caption.endswith("so no student gets them as advice: 2.")


def test_nothing_is_said_where_all_labels_are_clear() -> None:
    (table,) = built(RAIN).tables().values()
    assert table.caption == ""


def test_one_table_of_all_topics_says_why_a_label_is_unclear() -> None:
    (table,) = built(RAIN, REST).tables(whole=True).values()
    assert table.columns == ("topic", "SCU", "weight", "label", "unclear")
    assert [row[-1] for row in table.rows] == ["", "nobody can tell what 'It' is"]
