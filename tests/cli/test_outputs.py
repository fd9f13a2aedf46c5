"""What is read is never overwritten, and what was written is known again."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from pyramidion.examples import example
from pyramidion.formats import dump, native
from pyramidion.signature import Signature
from tests.cli.conftest import Run


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    dump(example(), tmp_path / "corpus", "folder")
    return tmp_path / "corpus"


def contents(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


def test_a_students_text_is_not_replaced_by_a_report(run: Run, corpus: Path) -> None:
    before = contents(corpus)
    peer = corpus / "lake-revival" / "peers" / "copy.txt"
    outcome = run("evaluate", corpus, "--method", "manual", "--report", peer)
    assert outcome.status == 1
    assert outcome.err.startswith(f"error: {peer}: This path is inside the input '{corpus}'")
    assert "name a place outside that folder" in outcome.err
    assert contents(corpus) == before


Command = Callable[[Path, Path], tuple[object, ...]]


@pytest.mark.parametrize(
    "command",
    [
        lambda corpus, out: ("evaluate", corpus, "--method", "manual", "--report", out / "r.html"),
        lambda corpus, out: ("build", corpus, "-o", out / "pyramids.json"),
        lambda corpus, out: ("match", corpus / "lake-revival" / "pyramid.json", out / "peers", "-o", out / "peers" / "a.json"),
        lambda corpus, out: ("compare", corpus, "--method", "manual", "--plot", out / "plot.svg"),
        lambda corpus, out: ("correlate", corpus, "--plot", out / "plot.svg"),
        lambda corpus, out: ("stability", corpus, "--plot", out / "plot.svg"),
        lambda corpus, out: ("combine", corpus, "--metric", "rouge-1", "--metric", "rouge-2", "--plot", out / "plot.svg"),
        lambda corpus, out: ("feedback", corpus, "-o", out / "pages"),
        lambda corpus, out: ("feedback", corpus, "--for", "copy", "--topic", "lake-revival", "-o", out / "page.html"),
        lambda corpus, out: ("feedback", corpus, "--gradebook", out / "grades.csv"),
        lambda corpus, out: ("crowd", "plan", corpus, "-o", out / "study"),
        lambda corpus, out: ("convert", corpus, out / "corpus.jsonl"),
    ],
)  # fmt: skip
def test_nothing_is_written_among_what_is_read(run: Run, corpus: Path, command: Command) -> None:
    before = contents(corpus)
    outcome = run(*command(corpus, corpus / "lake-revival"))
    assert outcome.status == 1
    assert "This path is inside the input" in outcome.err
    assert "so it cannot be written" in outcome.err
    assert contents(corpus) == before


def test_a_link_to_an_input_is_the_input(run: Run, corpus: Path, tmp_path: Path) -> None:
    link = tmp_path / "elsewhere"
    link.symlink_to(corpus)
    outcome = run("evaluate", corpus, "--method", "manual", "--report", link / "report.html")
    assert outcome.status == 1
    assert "This path is inside the input" in outcome.err


def test_a_file_is_not_converted_onto_itself(run: Run, corpus: Path, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    assert run("convert", corpus / "lake-revival", file).status == 0
    before = file.read_bytes()
    hard = tmp_path / "hard.json"
    os.link(file, hard)
    for target in (file, hard):
        outcome = run("convert", file, target, "--to", "pyreval-size", "--force")
        assert outcome.status == 1
        assert "This file is an input, so it cannot be written; name another file" in outcome.err
        assert file.read_bytes() == before


def test_an_existing_file_is_replaced_only_by_one_that_holds_everything(run: Run, corpus: Path, tmp_path: Path) -> None:
    whole, sizes = tmp_path / "whole.json", tmp_path / "sizes.size"
    run("convert", corpus / "lake-revival", whole)
    assert run("convert", whole, sizes).status == 0, "a new file may be a lossy one"
    before = sizes.read_bytes()
    refused = run("convert", whole, sizes)
    assert refused.status == 1
    assert "This file already exists, and the format 'pyreval-size' would lose" in refused.err
    assert refused.err.rstrip().endswith("name a new file, or replace it with force.")
    assert sizes.read_bytes() == before
    assert run("convert", whole, sizes, "--force").status == 0
    assert run("convert", corpus / "lake-revival", whole).status == 0, "nothing is lost, so nobody has to insist"


def test_unused_files_are_named_by_convert_and_validate(run: Run, corpus: Path, tmp_path: Path) -> None:
    (corpus / "lake-revival" / "peers" / "Ben.png").write_bytes(b"PK")
    told = "1 file was not used: lake-revival/peers/Ben.png"
    converted = run("convert", corpus, tmp_path / "out.jsonl")
    assert converted.status == 0
    assert told in converted.err
    assert told in run("validate", corpus).err
    assert run("validate", corpus, "--strict").status == 1
    strict = run("convert", corpus, tmp_path / "other.jsonl", "--strict")
    assert strict.status == 1
    assert told in strict.err
    assert not (tmp_path / "other.jsonl").exists()


def test_pages_are_replaced_by_those_of_the_next_run(run: Run, corpus: Path, tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    first = ("feedback", corpus, "--topic", "lake-revival", "--method", "manual", "-o", pages)
    assert run(*first).status == 0
    before = contents(pages)
    (corpus / "lake-revival" / "peers" / "copy.txt").rename(corpus / "lake-revival" / "peers" / "clara.txt")
    (corpus / "lake-revival" / "annotations" / "copy.json").unlink()
    (corpus / "lake-revival" / "peers" / "clara.txt").write_text("")
    assert run(*first).status == 0
    after = contents(pages)
    assert "copy.html" in before
    assert "copy.html" not in after, "who is not in the class any more has no page"
    assert "clara.html" in after
    assert [file.name for file in tmp_path.iterdir() if file.name.startswith(".")] == []


@pytest.mark.parametrize("change", ["a new file", "an edited page"])
def test_pages_that_somebody_else_wrote_stay(run: Run, corpus: Path, tmp_path: Path, change: str) -> None:
    pages = tmp_path / "pages"
    command = ("feedback", corpus, "--method", "manual", "--topic", "lake-revival", "-o", pages)
    assert run(*command).status == 0
    touched = pages / ("notes.txt" if change == "a new file" else "copy.html")
    with touched.open("a") as file:
        file.write("my remarks")
    before = contents(pages)
    outcome = run(*command)
    assert outcome.status == 1
    assert f"it holds files that were not written by this program, or were changed since: {touched.name}" in outcome.err
    assert contents(pages) == before


# Signatures travel


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def test_every_row_of_a_csv_says_how_it_was_made(run: Run, corpus: Path) -> None:
    printed = run("evaluate", corpus, "--method", "manual", "--average", "floor", "--format", "csv").out
    shown = run("evaluate", corpus, "--method", "manual", "--average", "floor", "--json").json["signature"]
    assert {row["signature"] for row in rows(printed)} == {shown}
    assert dict(Signature.parse(shown).parameters)["average"] == "floor"


def test_compare_keeps_the_signature_of_a_table(run: Run, corpus: Path, tmp_path: Path) -> None:
    table = tmp_path / "scores.csv"
    table.write_text(run("evaluate", corpus, "--method", "manual", "--average", "ceil", "--format", "csv").out)
    of_table = Signature.parse(run("compare", table, "--score", "coverage", "--json").json["signature"])
    of_corpus = Signature.parse(
        run("compare", corpus, "--method", "manual", "--average", "ceil", "--score", "coverage", "--json").json[
            "signature"
        ]
    )
    assert of_table.method == of_corpus.method == "manual"
    named = dict(of_table.parameters)
    assert named.pop("table") == "scores.csv"
    dropped = {"mean"}  # compare has no comprehensive score, and so no option for its mean
    assert {name: value for name, value in named.items() if name not in dropped} == {
        name: value for name, value in dict(of_corpus.parameters).items() if name not in dropped
    }


def test_scores_of_two_kinds_in_one_table_are_told(run: Run, corpus: Path, tmp_path: Path) -> None:
    table = tmp_path / "scores.csv"
    floor = run("evaluate", corpus, "--method", "manual", "--average", "floor", "--format", "csv").out
    exact = run("evaluate", corpus, "--method", "manual", "--format", "csv").out
    header, *body = exact.splitlines()
    lines = [
        line.replace("lake-revival", "lake-2").replace("tidal-lagoon", "lagoon-2") for line in floor.splitlines()[1:]
    ]
    table.write_text("\n".join([header, *body, *lines]) + "\n")
    outcome = run("compare", table, "--score", "coverage")
    assert outcome.status == 0, outcome.err
    assert "The scores were computed in 2 ways, which may not be comparable" in outcome.err
    assert "method:table|table:scores.csv|" in outcome.out


def test_compare_and_evaluate_ask_the_same_question(run: Run, corpus: Path) -> None:
    evaluated = run("evaluate", corpus, "--method", "edua-p+soft", "--json").json
    compared = run("compare", corpus, "--method", "edua-p+soft", "--json")
    means = {one["summary"]: one["coverage"] for one in evaluated["systems"]}
    assert {one["system"]: one["mean"] for one in compared.json["systems"]} == pytest.approx(means, abs=1e-12)
    assert Signature.parse(compared.json["signature"]).method == Signature.parse(evaluated["signature"]).method


def test_compare_says_that_it_passes_over_annotations(run: Run, tmp_path: Path) -> None:
    topic = example()[0]
    kept = tuple(one for one in topic.annotations if one.summary.id in ("empty", "off-topic"))
    native.dump([replace(topic, peers=tuple(one.summary for one in kept), annotations=kept)], tmp_path / "lake.json")
    told = run("compare", tmp_path / "lake.json").err
    assert "The corpus has annotations of its own, which the method 'pyramidion' ignores" in told


def test_the_signature_stands_once_under_several_tables(run: Run, corpus: Path) -> None:
    printed = run("evaluate", corpus, "--method", "manual").out
    assert printed.count("method:manual|") == 1
    assert printed.rstrip().splitlines()[-1].startswith("method:manual|")
