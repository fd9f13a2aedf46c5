"""Matchers against hand annotations."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pyramidion.analyses.accuracy.annotations import (
    ContradictionCounts,
    EvidencePlaces,
    bench_annotations,
    contradictions,
    evidence_places,
)
from pyramidion.analyses.accuracy.candidates import matchers
from pyramidion.analyses.accuracy.marked_topics import marked_topics
from pyramidion.cli import main
from pyramidion.errors import PyramidionError
from pyramidion.examples import example
from pyramidion.methods import Method
from pyramidion.model import SCU, Annotation, Contradiction, Contributor, Match, Pyramid, Span, Summary, Topic


def test_a_person_agrees_with_themselves() -> None:
    study = bench_annotations(example(), [Method.parse("manual")])
    rows = study.agreement
    assert [row.topic for row in rows] == ["lake-revival", "tidal-lagoon", "all"]
    assert [row.judgements.kappa for row in rows] == [1, 1, 1]
    assert [row.judgements.pairs for row in rows] == [6 * 23, 6 * 23, 12 * 23]
    assert "lake-revival" in str(study)


def test_contradictions_are_counted() -> None:
    """Three SCUs: the first two are marked as contradicted, the matcher the last two, and one peer it left out."""
    reference = Summary("r", "Rain fell. Rivers rose. Bridges broke.")
    scus = tuple(SCU(id, id, (Contributor("r"),)) for id in "123")
    peers = (Summary("p", "No rain fell.", "peer"), Summary("q", "No bridge broke.", "peer"))

    def topic(said: dict[str, str]) -> Topic:
        annotations = tuple(
            Annotation(peer, contradicted=tuple(map(Contradiction, said[peer.id]))) for peer in peers if peer.id in said
        )
        return Topic("t", (reference,), peers, pyramid=Pyramid("t", (reference,), scus), annotations=annotations)

    assert contradictions([topic({"p": "12", "q": "3"})], [topic({"p": "23"})]) == ContradictionCounts(2, 2, 1)
    row = bench_annotations([topic({"p": "12", "q": "3"})], [Method.parse("manual")]).agreement[0]
    assert row.contradictions == ContradictionCounts(3, 3, 3)


def test_places_are_compared_by_words() -> None:
    """Two SCUs that both found, the first in two of three words, the second elsewhere; a third the person alone."""
    reference = Summary("r", "Rain fell. Rivers rose. Bridges broke.")
    scus = tuple(SCU(id, id, (Contributor("r"),)) for id in "123")
    peer = Summary("p", "Heavy rain fell. Rivers rose.", "peer")

    def topic(places: dict[str, tuple[int, int]]) -> Topic:
        matches = tuple(Match(scu, (Span(*place),)) for scu, place in places.items())
        pyramid = Pyramid("t", (reference,), scus)
        return Topic("t", (reference,), (peer,), pyramid=pyramid, annotations=(Annotation(peer, matches),))

    person = topic({"1": (0, 15), "2": (17, 28), "3": (17, 28)})
    places = evidence_places([person], [topic({"1": (6, 15), "2": (0, 5)})])
    assert places == EvidencePlaces(2, 0.5, pytest.approx(0.4))  # F1 is 2 * 2 / (3 + 2) and 0
    assert evidence_places([person], [person]) == EvidencePlaces(3, 1, 1)
    assert evidence_places([person], [topic({})]) == EvidencePlaces(0, None, None)


def test_the_topics_that_the_project_brings() -> None:
    named, sealed = ([topic.id for topic in marked_topics(half)] for half in ("open", "sealed"))
    assert named == ["lake-revival", "tidal-lagoon", "baking-brannock", "ruined-cello", "singing-bats"]
    assert len(sealed) == 3
    assert not set(named) & set(sealed)


def test_a_corpus_is_not_sealed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["bench", "annotations", str(tmp_path), "--sealed"])
    assert left.value.code == 1
    assert "Only the bundled topics can be sealed" in capsys.readouterr().err


def test_topics_without_annotations_are_an_error() -> None:
    with pytest.raises(PyramidionError, match="No topic has a pyramid and annotations"):
        bench_annotations([Topic("t")], [])


def test_every_matcher_of_any_pyramid_is_taken() -> None:
    assert {"soft", "wmin", "mwis", "ape", "harnly", "passonneau", "peak"} <= set(matchers())
    assert not {"edu", "nli:", "llm:"} & set(matchers())


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["bench", "annotations", "--matcher", "soft(analyser=unicode)", "--json"])
    assert not left.value.code
    found = json.loads(capsys.readouterr().out)
    assert found["signature"].startswith("method:bench-annotations|matchers:given+soft(analyser=unicode)|")
    every = found["agreement"][-1]
    assert (every["matcher"], every["topic"]) == ("soft(analyser=unicode)", "all")
    assert every["judgements"]["kappa"] > 0.5


def test_a_corpus_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["bench", "annotations", str(tmp_path / "none")])
    assert left.value.code == 1
    assert "none" in capsys.readouterr().err
