"""From three probabilities to matches, contradictions and D_0; and a judge of another package, through the commands."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion import formats
from pyramidion.errors import PyramidionError
from pyramidion.matchers import MATCHERS
from pyramidion.matchers.judged import Denial, Verdict, annotate_by_verdicts
from pyramidion.model import SCU, Annotation, Contradiction, Contributor, Match, Pyramid, Span, Summary, Topic
from pyramidion.scoring import Settings, scores
from tests.cli.conftest import Run, run

__all__ = ["run"]

TEXT = "The lake is not clean. Fish came back."
NOT_CLEAN, FISH = Span(0, 21), Span(23, 37)
PEER = Summary("p", TEXT, "peer")
REFERENCES = (Summary("A", "The lake is clean. Fish came back. Reeds grew."), Summary("B", "The lake is clean."))
PYRAMID = Pyramid(
    "lake",
    REFERENCES,
    (
        SCU("clean", "The lake is clean", tuple(Contributor(id, (Span(0, 17),)) for id in "AB")),
        SCU("fish", "Fish came back", (Contributor("A", (Span(19, 33),)),)),
        SCU("reeds", "Reeds grew", (Contributor("A", (Span(35, 45),)),)),
    ),
)
VERDICTS = [
    Verdict(0.25, (NOT_CLEAN,), denial=Denial(0.625, (NOT_CLEAN,), "1.1.0.0", "is not")),
    Verdict(0.75, (FISH,), "1.2.0.0"),
    Verdict(0.125, denial=Denial(0.25)),
]


def test_a_verdict_holds_three_probabilities() -> None:
    assert [one.unsaid for one in VERDICTS] == [0.125, 0.25, 0.625]
    assert Verdict(0.9, denial=Denial(0.8)).unsaid == 0  # two windows of a text, each sure of its own


def test_a_judge_s_verdicts_are_matches_contradictions_and_neither() -> None:
    found = annotate_by_verdicts(PYRAMID, PEER, VERDICTS, 0.5)
    assert found.matches == (Match("fish", (FISH,), 0.75, segment="1.2.0.0"),)
    assert found.contradicted == (Contradiction("clean", (NOT_CLEAN,), 0.625, segment="1.1.0.0", reason="is not"),)
    assert found.probabilities == (("clean", 0.25), ("fish", 0.75), ("reeds", 0.125))
    assert [PEER.quote(unit.spans) for unit in found.unmatched] == ["The lake is not clean."]


def test_words_that_contradict_take_room_and_earn_nothing() -> None:
    # Weights 2, 1, 1: X_a = 4 / 2 = 2, Max(X_a) = 3. Units: fish and D_0 = 1, so that Max(2) = 3.
    found = annotate_by_verdicts(PYRAMID, PEER, VERDICTS, 0.5)
    expected = scores(PYRAMID, found)
    assert expected.raw == 2 * 0.25 + 1 * 0.75 + 1 * 0.125 == 1.375  # P(said) of each, not 2 x .625
    assert (expected.counted, expected.quality, expected.precision) == (1, 1 / 3, 1 / 2)
    assert (expected.scus, expected.contradicted, expected.unmatched) == (1, 1, 1)
    counted = scores(PYRAMID, found, Settings(presence="counted"))
    assert (counted.raw, counted.coverage, counted.contradicted) == (1, 1 / 3, 1)


def test_what_is_contradicted_is_no_match_even_where_it_reaches_the_threshold() -> None:
    torn = [Verdict(0.45, (NOT_CLEAN,), denial=Denial(0.55, (NOT_CLEAN,))), *VERDICTS[1:]]
    assert annotate_by_verdicts(PYRAMID, PEER, torn, 0.4).expressed == ("fish",)
    sure = [Verdict(0.55, (NOT_CLEAN,), denial=Denial(0.55, (NOT_CLEAN,))), *VERDICTS[1:]]
    assert annotate_by_verdicts(PYRAMID, PEER, sure, 0.4).contradicted == ()
    assert annotate_by_verdicts(PYRAMID, PEER, torn, 0.4, contradiction=0.6).expressed == ("clean", "fish")


@pytest.mark.parametrize("contradiction", [0, -0.5, 1.5])
def test_a_threshold_that_is_none(contradiction: float) -> None:
    with pytest.raises(PyramidionError, match=f"The threshold of a contradiction is {contradiction}; give a prob"):
        annotate_by_verdicts(PYRAMID, PEER, VERDICTS, 0.5, contradiction=contradiction)


SHARE = st.floats(0, 1)


@given(st.lists(st.tuples(SHARE, SHARE), min_size=3, max_size=3), st.floats(0.01, 1), st.floats(0.01, 1))
def test_an_scu_has_one_verdict_and_p_said_is_untouched(
    shares: list[tuple[float, float]], threshold: float, contradiction: float
) -> None:
    verdicts = [Verdict(said, denial=Denial(denied)) for said, denied in shares]
    found = annotate_by_verdicts(PYRAMID, PEER, verdicts, threshold, contradiction=contradiction)
    denied = {one.scu for one in found.contradicted}
    assert not denied & set(found.expressed)
    assert [p for _, p in found.probabilities] == [said for said, _ in shares]
    bare = annotate_by_verdicts(PYRAMID, PEER, [Verdict(said) for said, _ in shares], threshold)
    assert set(found.expressed) == set(bare.expressed) - denied
    assert found.unmatched == bare.unmatched  # whose matches have no words either


TOY = '''
"""A judge that hears "not"."""

from pyramidion import Annotation, Pyramid, Span, Summary
from pyramidion.matchers.judged import Denial, Verdict, annotate_by_verdicts


def match(pyramid: Pyramid, summary: Summary, *, threshold: float = 0.5, contradiction: float = 0.5) -> Annotation:
    verdicts = []
    for scu in pyramid.scus:
        denied = scu.label.replace(" is ", " is not ")
        said, no = summary.text.find(scu.label), summary.text.find(denied)
        if said >= 0:
            verdicts.append(Verdict(0.75, (Span(said, said + len(scu.label)),)))
        elif no >= 0:
            verdicts.append(Verdict(0.125, denial=Denial(0.75, (Span(no, no + len(denied)),), reason="not")))
        else:
            verdicts.append(Verdict(0.0))
    return annotate_by_verdicts(pyramid, summary, verdicts, threshold, contradiction=contradiction)
'''


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The judge above, installed as a distribution; and a corpus for it."""
    (tmp_path / "pyramidion_toy.py").write_text(TOY)
    info = tmp_path / "pyramidion_toy-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pyramidion-toy\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[pyramidion.matchers]\ntoy = pyramidion_toy:match\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(MATCHERS, "_loaded", {})
    corpus = tmp_path / "corpus"
    formats.dump([Topic("lake", REFERENCES, (PEER,), (), PYRAMID)], corpus)
    yield corpus
    sys.modules.pop("pyramidion_toy", None)


def test_three_verdicts_from_the_judge_to_the_explanation(run: Run, toy: Path) -> None:
    (row,) = run("evaluate", toy, "--method", "given+toy", "--json", "--explain").json["scores"]
    assert row["raw"] == 2 * 0.125 + 0.75
    assert (row["counted"], row["scus"], row["contradicted"], row["unmatched"]) == (1, 1, 1, 1)
    told = row["explanation"]
    assert [one["scu"] for one in told["expressed"]] == ["fish"]
    assert [one["scu"] for one in told["missed"]] == ["reeds"]
    (denied,) = told["contradicted"]
    assert denied["words"] == "The lake is not clean"
    assert (denied["probability"], denied["score"], denied["reason"]) == (0.75, 0.125, "not")
    assert denied["spans"] == [{"start": 0, "end": 21}]
    assert told["unmatched"] == []
    (milder,) = run("evaluate", toy, "--method", "given+toy(contradiction=0.8)", "--json").json["scores"]
    assert (milder["contradicted"], milder["raw"]) == (0, row["raw"])


def test_the_table_and_the_lines_tell_of_contradictions(run: Run, toy: Path) -> None:
    shown = run("evaluate", toy, "--method", "given+toy", "--explain")
    assert shown.status == 0, shown.err
    assert "contradicted" in shown.out.splitlines()[2]
    lines = [line.strip() for line in shown.out.splitlines()]
    at = lines.index("! [2] The lake is clean (contradicted, probability 0.75)")
    assert lines[at + 1 : at + 3] == ["contradicts: “The lake is not clean”", "why: not"]
    assert not any(line.startswith("- [2]") for line in lines)
    unsure = run("evaluate", toy, "--method", "given+toy(contradiction=0.8)").out
    assert "contradicted" not in unsure.splitlines()[2]


def test_matches_and_contradictions_are_written_and_scored_again(run: Run, toy: Path, tmp_path: Path) -> None:
    pyramid, made = tmp_path / "pyramid.json", tmp_path / "made.json"
    formats.dump([Topic("lake", REFERENCES, (), (), PYRAMID)], pyramid)
    matched = run("match", pyramid, toy / "lake" / "peers" / "p.txt", "--matcher", "toy", "-o", made)
    assert matched.status == 0, matched.err
    (topic,) = formats.load(made)
    assert [(one.scu, one.probability) for one in topic.annotations[0].contradicted] == [("clean", 0.75)]
    (row,) = run("score", pyramid, made, "--json").json["scores"]
    assert (row["raw"], row["contradicted"]) == (1.0, 1)


def test_an_annotation_by_hand_may_say_that_a_summary_contradicts(tmp_path: Path, run: Run) -> None:
    by_hand = Annotation(PEER, (Match("fish", (FISH,)),), annotator="anna", contradicted=(Contradiction("clean"),))
    formats.dump([Topic("lake", REFERENCES, (PEER,), (), PYRAMID, (by_hand,))], tmp_path / "corpus")
    (row,) = run("evaluate", tmp_path / "corpus", "--method", "manual", "--json", "--explain").json["scores"]
    assert (row["raw"], row["contradicted"], row["annotator"]) == (1, 1, "anna")
    assert [one["probability"] for one in row["explanation"]["contradicted"]] == [1]
