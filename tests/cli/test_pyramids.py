"""``build`` and ``match``, and ``evaluate`` from texts alone."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from pyramidion import formats
from pyramidion.examples import example
from tests.cli.conftest import Run

SOFT = ("--matcher", "soft")


@pytest.fixture(scope="module")
def texts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of one topic, texts only."""
    (lake, _) = example()
    folder = tmp_path_factory.mktemp("corpus") / "lake"
    for kind, summaries in (("references", lake.references), ("peers", lake.peers)):
        (folder / kind).mkdir(parents=True)
        for one in summaries:
            (folder / kind / f"{one.id}.txt").write_text(one.text, encoding="utf-8")
    return folder


def test_build_then_match_is_evaluate(run: Run, texts: Path, tmp_path: Path) -> None:
    references, peers = sorted((texts / "references").iterdir()), sorted((texts / "peers").iterdir())
    assert (
        "SCUs of 1 topic\n"
        in run("build", *references, "--topic", "lake", "--method", "edua-p+soft", "-o", tmp_path / "lake.json").out
    )
    matched = run("match", tmp_path / "lake.json", *peers, *SOFT, "-o", tmp_path / "matched.json", "--format", "csv")
    assert matched.status == 0
    evaluated = run("evaluate", texts, "--method", "edua-p+soft", "--json").json
    scored = run("score", tmp_path / "matched.json", "--json").json
    assert scored["scores"] == evaluated["scores"]
    assert evaluated["signature"].startswith("method:edua-p+soft|")


def test_a_pyramid_for_ducview(run: Run, texts: Path, tmp_path: Path) -> None:
    references = sorted((texts / "references").iterdir())
    run("build", *references, "--method", "pyreval", "-o", tmp_path / "lake.pyr")
    (topic,) = formats.load(tmp_path / "lake.pyr")
    assert topic.pyramid
    assert topic.pyramid.size == len(references)
    assert sum(scu.weight == 1 for scu in topic.pyramid.scus) < len(topic.pyramid.scus)


def test_build_prints_the_pyramid(run: Run, texts: Path) -> None:
    text = run("build", texts).out
    assert text.startswith("lake: ")
    assert "method:pyramidion" in text
    (record,) = run("build", texts, "--json").json
    assert record["topic"] == "lake"
    assert len(record["pyramid"]["scus"]) > 5


def test_match_prints_json(run: Run, texts: Path, tmp_path: Path) -> None:
    run("build", texts, "-o", tmp_path / "p.json")
    found = run("match", tmp_path / "p.json", texts / "peers" / "copy.txt", "--matcher", "wmin", "--json").json
    (annotation,) = found["annotations"]
    assert annotation["summary"] == "copy"
    assert annotation["matches"]


def test_match_needs_one_pyramid(run: Run, texts: Path, tmp_path: Path) -> None:
    peer = texts / "peers" / "copy.txt"
    (tmp_path / "none.json").write_text('{"topic": "t", "references": {"A": "x"}}')
    none = run("match", tmp_path / "none.json", peer)
    assert (none.status, "This file holds 0 pyramids" in none.err) == (1, True)
    unknown = run("match", tmp_path / "none.json", peer, "--matcher", "magic")
    assert (unknown.status, "There is no matcher 'magic'" in unknown.err) == (1, True)


def test_renaming_and_reordering_references_changes_no_byte(run: Run, texts: Path, tmp_path: Path) -> None:
    other = tmp_path / "lake"
    for kind in ("references", "peers"):
        (other / kind).mkdir(parents=True)
    for number, file in enumerate(sorted((texts / "references").iterdir(), reverse=True)):
        (other / "references" / f"{number}.txt").write_bytes(file.read_bytes())
    for file in (texts / "peers").iterdir():
        (other / "peers" / file.name).write_bytes(file.read_bytes())
    for method in ("edua-p+soft", "pyreval", "pyreval-c"):
        assert (
            run("evaluate", texts, "--method", method, "--json").out
            == run("evaluate", other, "--method", method, "--json").out
        )


def test_the_report_is_one_page_with_the_data(run: Run, texts: Path, tmp_path: Path) -> None:
    outcome = run("evaluate", texts, "--method", "edua-p+soft", "--report", tmp_path / "report.html", "--json")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    data = json.loads(page.split('id="data">', 1)[1].split("</script>", 1)[0])
    assert data["signature"] == outcome.json["signature"]


def test_people_s_annotations_are_not_passed_over_in_silence(run: Run, tmp_path: Path) -> None:
    topic = example()[0]
    empty = [one for one in topic.annotations if not one.summary.text.strip()]
    formats.dump([replace(topic, peers=(empty[0].summary,), annotations=tuple(empty))], tmp_path / "lake.json")
    assert "the method 'manual' scores them" in run("evaluate", tmp_path / "lake.json").err
    assert run("evaluate", tmp_path / "lake.json", "--method", "manual").err == ""


def test_a_corpus_without_peers_or_references(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('{"topic": "t", "references": {"A": "He came."}}')
    assert "There is no summary to score (peer); add the summaries to score" in run("evaluate", tmp_path / "a.json").err
    (tmp_path / "b.json").write_text('{"topic": "t", "peers": {"A": "He came."}}')
    outcome = run("evaluate", tmp_path / "b.json")
    assert (outcome.status, "has no reference with any words" in outcome.err) == (1, True)


def test_folders_of_texts_are_as_good_as_their_files(run: Run, texts: Path, tmp_path: Path) -> None:
    run("build", texts / "references", "--topic", "lake", "-o", tmp_path / "folder.json")
    run("build", *(texts / "references").iterdir(), "--topic", "lake", "-o", tmp_path / "files.json")
    assert (tmp_path / "folder.json").read_bytes() == (tmp_path / "files.json").read_bytes()
    arguments = (tmp_path / "folder.json", texts / "peers", "--matcher", "wmin", "--json")
    assert len(run("match", *arguments).json["annotations"]) == 6
    (tmp_path / "empty").mkdir()
    assert "no text in this folder" in run("match", tmp_path / "folder.json", tmp_path / "empty").err


def test_what_is_no_text_is_not_matched(run: Run, texts: Path, tmp_path: Path) -> None:
    run("build", texts, "-o", tmp_path / "p.json")
    assert "This is not plain text" in run("match", tmp_path / "p.json", tmp_path / "p.json").err


def test_an_output_of_no_known_ending_can_be_named(run: Run, texts: Path, tmp_path: Path) -> None:
    out = tmp_path / "lake.pyramid"
    assert "name the format: " in run("build", texts, "-o", out).err
    assert run("build", texts, "-o", out, "--to", "ducview").status == 0
    assert out.read_bytes().startswith(b"<?xml")


def test_where_the_report_is_does_not_spoil_what_is_piped(run: Run, texts: Path, tmp_path: Path) -> None:
    outcome = run("evaluate", texts, "--method", "edua-p+soft", "--report", tmp_path / "r.html", "--json")
    assert outcome.json["scores"]
    assert outcome.err == f"The report is {tmp_path / 'r.html'}: open it in a browser.\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["evaluate", "CORPUS", "--report", "no/such/r.html"],
        ["evaluate", "CORPUS", "--report", "."],
        ["feedback", "CORPUS", "--for", "copy", "-o", "no/such/p.html"],
        ["feedback", "CORPUS", "--for", "copy", "-o", "page.html", "--gradebook", "no/such/g.csv"],
        ["feedback", "CORPUS", "-o", "."],
        ["build", "CORPUS", "-o", "no/such/p.json"],
        ["match", "CORPUS", "CORPUS", "-o", "no/such/p.json"],
        ["demo", "--report", "no/such/r.html"],
    ],
)
def test_outputs_that_cannot_be_written_are_told_before_the_work(
    run: Run, texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    def work(*_: object, **__: object) -> None:
        raise AssertionError("there was no need to begin")

    monkeypatch.setattr("pyramidion.methods.Method.pyramid", work)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there").write_text("")
    outcome = run(*(texts if one == "CORPUS" else one for one in arguments))
    assert (outcome.status, "cannot be written" in outcome.err) == (1, True)
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


def test_an_interrupted_run_says_so_in_a_line_and_leaves_no_file(
    run: Run, texts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pyramidion.methods.Method.match", interrupt)
    outcome = run("evaluate", texts, "--method", "edua-p+soft", "--report", tmp_path / "r.html")
    assert (outcome.status, outcome.out) == (130, "")
    assert outcome.err.strip() == "interrupted; no incomplete file was written"
    assert list(tmp_path.iterdir()) == []


def test_build_takes_a_corpus_that_people_have_annotated(run: Run, tmp_path: Path) -> None:
    formats.dump(example(), tmp_path / "corpus", "folder")
    built = run("build", tmp_path / "corpus", "--method", "lite", "-o", tmp_path / "p.json")
    assert built.status == 0, built.err


def test_texts_without_their_tags_say_so_in_every_signature(run: Run, tmp_path: Path) -> None:
    reference, peer, pyramid = (tmp_path / name for name in ("reference.txt", "peer.txt", "p.json"))
    reference.write_text("<t> The lake died . </t> <t> Reeds saved it . </t>")
    peer.write_text("<t> The lake was dead . </t> <t> Mussels saved it . </t>")
    assert "|markup:off|" in run("build", reference, "--method", "lite").out
    assert run("build", reference, "--method", "lite", "-o", pyramid).status == 0
    assert "|markup:off|" in run("match", pyramid, peer, *SOFT).out
    assert "|markup:keep|" in run("match", pyramid, peer, *SOFT, "--markup", "keep").out
    measured = run("metrics", peer, "--references", reference, "--metrics", "rouge-1", "--json")
    assert "|markup:off|" in measured.json["signatures"]["rouge-1"]
    assert measured.err.count("The texts of 1 topic(s) have sentences in <t>") == 1


@pytest.mark.parametrize("method", ["pyreval", "edua-p+soft", "edua-c+wmin"])
def test_two_texts_of_one_clause_are_not_one_idea(run: Run, tmp_path: Path, method: str) -> None:
    (tmp_path / "texts").mkdir()
    for name, text in {"a": "Algae spread.", "b": "Fish died."}.items():
        (tmp_path / "texts" / f"{name}.txt").write_text(text)
    built = run("build", tmp_path / "texts", "--method", method, "-o", tmp_path / "out.json")
    assert "t_edge" in built.out
    assert "a percentile of so few pairs of segments (1)" in built.err
    (topic,) = formats.load(tmp_path / "out.json")
    assert topic.pyramid
    assert [scu.weight for scu in topic.pyramid.scus] == [1, 1]


def test_the_threshold_on_edges_is_printed_with_every_pyramid_that_has_one(
    run: Run, texts: Path, tmp_path: Path
) -> None:
    built = run("build", texts, "--method", "pyreval", "-o", tmp_path / "lake.json")
    assert re.search(r"lake: t_edge: 0\.\d{3} \(a percentile of [\d,]+ pairs of segments\)\.\n", built.out)
    assert "t_edge: 0.500 (given" in run("build", texts, "--method", "pyreval(t_edge=0.5)").out
    assert "t_edge" not in run("build", texts, "--method", "lite").out


def test_what_is_not_installed_is_said_in_one_line_and_the_status_is_3(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("pyramidion_entails", "pyramidion_words", "pyramidion_writes"):
        monkeypatch.setitem(sys.modules, package, None)
    (tmp_path / "a.txt").write_text("It rained.")
    outcome = run("build", tmp_path / "a.txt")
    assert (outcome.status, outcome.out, outcome.err.count("\n")) == (3, "", 1)
    assert "pyramidion-entails, pyramidion-words and pyramidion-writes, which are not installed" in outcome.err
