"""Labels can be read without the sentence they come from, and nothing but the label depends on them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.builders._labels import MARGIN, label, most_readable, unclear
from pyramidion.language.parse.analysis import Analysis
from pyramidion.language.parse.clauses import Segment
from pyramidion.language.parse.segmented import segmented


def segment(text: str, number: int = 0) -> tuple[Analysis, Segment]:
    """A segment of the finest segmentation of a text's first sentence."""
    found = segmented(text)
    return found.analysis, found.sentences[0][:2][-1][number]


@pytest.mark.parametrize(
    ("text", "number", "expected"),
    [
        ("The lake died.", 0, "The lake died"),
        ("These are cut and sold.", 0, "These are cut"),
        ("They laughed and she wrote a long letter.", 0, "They laughed"),
        ("He said that people sit on large assets.", 1, "People sit on large assets"),
        ("They protested because the wall threatened the herring.", 1, "The wall threatened the herring"),
        ("The project, which cost a lot, can power 58,000 homes.", 1, "The project can power 58,000 homes"),
        ("However, trust has disappeared.", 0, "Trust has disappeared"),
        ("That is advice.", 0, "That is advice"),
        ("iPhones were sold.", 0, "iPhones were sold"),
        ("They moved to the U.S.", 0, "They moved to the U.S."),
        ("Он пришёл.", 0, "Он пришёл"),
    ],
)
def test_nothing_hangs_from_a_label(text: str, number: int, expected: str) -> None:
    assert label(*segment(text, number)) == expected


WHOLE = segment("Fishers feared that the wall would bury the herring's spawning bed.", 1)
RELATIVE = segment("They saved the place where herring spawn.", 1)
CUT_SHORT = segment("The owner of the gallery explained that it had changed.", 0)
PRONOUN = segment("It would bury the herring's spawning bed.", 0)
SUBORDINATE = segment("They left when the wall would bury the herring's bed.", 1)


@pytest.mark.parametrize("rough", [RELATIVE, CUT_SHORT, PRONOUN, SUBORDINATE])
def test_of_equally_central_segments_the_one_that_reads_by_itself(rough: tuple[Analysis, Segment]) -> None:
    assert most_readable([rough, WHOLE], np.ones((2, 2))) == 1


@pytest.mark.parametrize(
    ("text", "number", "why"),
    [
        ("The lake died.", 0, ""),
        ("Nobody had expected the weed.", 0, ""),
        ("They saved the place where herring spawn.", 0, "nobody can tell what 'They' is"),
        ("These are cut and sold.", 0, "nobody can tell what 'These' is"),
        ("They saved the place that was lost.", 1, "it has no subject"),
        ("The owner explained that it had changed.", 0, "its end is missing"),
        ("They left when the wall would bury the herring's bed.", 1, "it is half a sentence"),
        ("There was a price.", 0, "it says too little by itself"),
        ("Он пришёл.", 0, ""),
    ],
)
def test_why_a_label_cannot_be_read_by_itself(text: str, number: int, why: str) -> None:
    assert unclear(*segment(text, number)) == why


def test_a_pronoun_may_stand_for_what_the_label_says_before() -> None:
    found = segmented("Deal with the cause before the symptoms: that is the town's advice to others.")
    assert unclear(found.analysis, found.sentences[0][0][0]) == ""


def test_reading_well_does_not_outweigh_saying_something_else() -> None:
    near, far = 0.9, 0.9 - 2.1 * MARGIN
    cosine = np.array([[1, near, near], [near, 1, far], [near, far, 1]])
    assert most_readable([RELATIVE, RELATIVE, WHOLE], cosine) == 0


def test_of_equals_the_earliest() -> None:
    assert most_readable([WHOLE, WHOLE], np.ones((2, 2))) == 0
    assert most_readable([WHOLE], np.ones((1, 1))) == 0


@given(st.text(alphabet=st.sampled_from("ab ,.;:and that\n\u2026-"), min_size=1, max_size=40))
def test_every_segment_has_a_label(text: str) -> None:
    found = segmented(text)
    for sentence in found.sentences:
        for alternatives in sentence:
            for one in alternatives:
                assert label(found.analysis, one).strip()
                assert most_readable([(found.analysis, one)] * 2, np.zeros((2, 2))) == 0
