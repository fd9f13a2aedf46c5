"""Methods and the floor against human scores of a corpus."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pyramidion import formats
from pyramidion.analyses.accuracy.corpus import CorpusStudy, bench_corpus
from pyramidion.analyses.accuracy.corpus.result import GAO_2019_SCUS, HumanCorrelation
from pyramidion.analyses.scores.human import HumanTable, read_table_of_scores
from pyramidion.builders import BUILDERS
from pyramidion.cli import main
from pyramidion.errors import PyramidionError
from pyramidion.matchers import MATCHERS
from pyramidion.methods import Method
from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Span, Summary, Topic
from pyramidion.stats.correlation import pearson, spearman

REFERENCES = {"A": "Rain fell. Rivers rose. Bridges broke.", "B": "Rain fell. Rivers rose.", "C": "Rain fell."}
PEERS = {
    "p1": "Rain fell. Rivers rose. Bridges broke.",
    "p2": "Rain fell. Rivers rose.",
    "p3": "Rain fell on us.",
    "p4": "Cows slept.",
    "p5": "Bridges broke.",
}
DUCVIEW = "filename,totalWeight,qualityScore\np1.pan,9,0.9\np2.pan,7,1\np3.pan,5,0.7\np4.pan,1,0.1\n"


def topic() -> Topic:
    return Topic(
        "flood",
        tuple(Summary(id, text) for id, text in REFERENCES.items()),
        tuple(Summary(id, text, "peer") for id, text in PEERS.items()),
    )


def sentences(text: str) -> list[str]:
    return [sentence.strip() for sentence in text.split(".") if sentence.strip()]


def each_sentence(topic: Topic) -> Pyramid:
    """A pyramid whose units are sentences that agree to the letter."""
    said: dict[str, list[Contributor]] = {}
    for reference in topic.references:
        for sentence in sentences(reference.text):
            start = reference.text.index(sentence)
            said.setdefault(sentence, []).append(Contributor(reference.id, (Span(start, start + len(sentence)),)))
    scus = tuple(SCU(sentence, sentence, tuple(contributors)) for sentence, contributors in said.items())
    return Pyramid(topic.id, topic.references, scus)


def to_the_letter(pyramid: Pyramid, summary: Summary) -> Annotation:
    known = {scu.id for scu in pyramid.scus}
    found = sentences(summary.text)
    unmatched = tuple(Contributor(summary.id, label=one) for one in found if one not in known)
    return Annotation(summary, tuple(Match(one) for one in found if one in known), unmatched)


@pytest.fixture(autouse=True)
def method(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setitem(BUILDERS._builtin, "each-sentence", "tests.analyses.accuracy.test_corpus:each_sentence")
    monkeypatch.setitem(MATCHERS._builtin, "to-the-letter", "tests.analyses.accuracy.test_corpus:to_the_letter")
    return "each-sentence+to-the-letter"


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    path = tmp_path / "human.csv"
    path.write_text(DUCVIEW)
    return path


@pytest.fixture
def people(scores: Path) -> HumanTable:
    return read_table_of_scores(scores, [topic()])


def row(result: CorpusStudy, metric: str, human: str = "totalWeight") -> HumanCorrelation:
    (found,) = (one for one in result.correlations if (one.metric, one.human) == (metric, human))
    return found


def test_each_score_stands_against_its_own_column(people: HumanTable, method: str) -> None:
    result = bench_corpus([topic()], people, [Method.parse(method)])
    ours = [(one.score, one.human) for one in result.correlations if one.metric == method]
    assert ours == [("raw", "totalWeight"), ("quality", "qualityScore")]


def test_a_methods_correlation_by_hand(people: HumanTable, method: str) -> None:
    # Rain fell weighs 3, rivers rose 2, bridges broke 1; p3 says it in other words. p5 has no human score.
    result = bench_corpus([topic()], people, [Method.parse(method)])
    found = row(result, method)
    assert found.pearson.n == 4
    assert found.pearson.value == pearson([9, 7, 5, 1], [6, 5, 0, 0])
    assert found.spearman == spearman([9, 7, 5, 1], [6, 5, 0, 0])
    assert (result.scored, result.unscored) == (4, 1)


def test_the_floor_always_stands_beside_a_method(people: HumanTable) -> None:
    result = bench_corpus([topic()], people)
    assert [(one.metric, one.score) for one in result.correlations[:4]] == [
        ("ROUGE-1", "recall"),
        ("ROUGE-2", "recall"),
        ("lexical-pyramid", "raw"),
        ("length in words", "words"),
    ]
    # Stems: rain 3, fell 3 (fall), rivers 2, rose 2 (rise), bridges 1, broke 1
    assert row(result, "lexical-pyramid").pearson.value == pearson([9, 7, 5, 1], [12, 10, 6, 0])
    assert row(result, "length in words").pearson.value == pearson([9, 7, 5, 1], [6, 4, 4, 2])
    # Of the references' 6 + 4 + 2 words, p1 has 6 + 4 + 2, p2 4 + 4 + 2, p3 2 + 2 + 2
    assert row(result, "ROUGE-1").pearson.value == pearson([9, 7, 5, 1], [12, 10, 6, 0])


def test_the_scus_of_a_pyramid_are_counted_by_weight(people: HumanTable, method: str) -> None:
    (sizes,) = bench_corpus([topic()], people, [Method.parse(method)]).pyramids
    assert sizes.weights == {3: 1, 2: 1, 1: 1}


def test_any_column_can_be_set_against_any_score(people: HumanTable, method: str) -> None:
    methods = [Method.parse(method)]
    one = bench_corpus([topic()], people, methods, column="qualityScore", scores=("coverage",))
    assert {(found.metric, found.score) for found in one.correlations[:1]} == {(method, "coverage")}
    assert {found.human for found in one.correlations} == {"qualityScore"}
    assert bench_corpus([topic()], people, methods, column="qualityScore").correlations[0].score == "quality"
    without_own = bench_corpus([topic()], people, methods, scores=("comprehensive",)).correlations[0]
    assert (without_own.score, without_own.human) == ("comprehensive", "totalWeight")


def test_the_order_of_texts_changes_nothing(people: HumanTable, method: str) -> None:
    turned = Topic("flood", topic().references[::-1], topic().peers[::-1])
    methods = [Method.parse(method)]
    assert bench_corpus([turned], people, methods) == bench_corpus([topic()], people, methods)


def test_constant_scores_have_no_correlation(tmp_path: Path) -> None:
    (tmp_path / "human.csv").write_text("peer,score\np1,1\np2,1\n")
    result = bench_corpus([topic()], read_table_of_scores(tmp_path / "human.csv", [topic()]))
    assert all(one.pearson.value is None and one.spearman is None for one in result.correlations)
    assert "nan" not in str(result)


def test_the_papers_figures_are_labelled(people: HumanTable, method: str) -> None:
    methods = [Method.parse(method)]
    shown = str(bench_corpus([topic()], people, methods, paper=True))
    assert shown.count("(Gao et al. 2019)") == 9 + 3
    assert shown.count("37 students, published") == 9
    ours = bench_corpus([topic()], people, methods, paper=True)
    assert shown.count(f"{ours.scored} students, ours") == len(ours.correlations)
    assert "do not compare" in shown
    assert "students" not in str(bench_corpus([topic()], people, methods))
    assert "Gao" not in str(bench_corpus([topic()], people, methods))
    assert [sum(row[1:]) for row in GAO_2019_SCUS.values()] == [row[0] for row in GAO_2019_SCUS.values()]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    formats.dump([topic()], tmp_path / "corpus", "folder")
    return tmp_path / "corpus"


def command(*arguments: object) -> int:
    with pytest.raises(SystemExit) as left:
        main([str(argument) for argument in arguments])
    return int(left.value.code or 0)


def test_the_command_prints_both_tables_with_their_signature(
    folder: Path, scores: Path, method: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("bench", "corpus", folder, "--human", scores, "--method", method) == 0
    shown = capsys.readouterr().out
    assert shown.count("method:bench-corpus|methods:each-sentence+to-the-letter|") == 1
    assert "SCUs by weight" in shown
    assert "4 of 5 peers have a human score." in shown


def test_the_command_prints_json_and_csv(
    folder: Path, scores: Path, method: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("bench", "corpus", folder, "--human", scores, "--method", method, "--score", "raw")
    assert command(*arguments, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["correlations"][0]["pearson"] == pearson([9, 7, 5, 1], [6, 5, 0, 0])
    assert found["pyramids"] == [{"method": method, "scus": 3, "weights": {"3": 1, "2": 1, "1": 1}}]
    assert command(*arguments, "--format", "csv") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "metric,score,human,n,pearson,pearson_low,pearson_high,spearman,signature"
    assert len(lines) == 6


def test_an_unknown_column_is_a_line_on_standard_error(
    folder: Path, scores: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command("bench", "corpus", folder, "--human", scores, "--column", "grade") == 1
    assert "no column of numbers named 'grade'" in capsys.readouterr().err


def test_a_topic_without_references_is_an_error(people: HumanTable) -> None:
    with pytest.raises(PyramidionError, match="Topic 'flood' has no references"):
        bench_corpus([Topic("flood", peers=topic().peers)], people)


def test_a_word_among_the_scores_is_an_error_that_names_the_cell(tmp_path: Path) -> None:
    table = tmp_path / "scores.csv"
    table.write_text("peer,raw,quality\np1,3,0.5\np2,2,none\n")
    with pytest.raises(PyramidionError, match=":3: 'none' in the column 'quality' is not a number"):
        bench_corpus([topic()], read_table_of_scores(table, [topic()]))
