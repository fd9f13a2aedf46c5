"""``parse``, ``clauses``, ``statements``, ``edus``, ``models`` and ``bench``."""

from __future__ import annotations

import io
import json
import shutil
import sys
from importlib import import_module
from pathlib import Path

import pytest

from pyramidion.language import analyse
from pyramidion.language.models import weights
from pyramidion.language.parse import conllu
from tests.cli.conftest import Run

TEXT = "The council fined the company, which had polluted the lake.\n"


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "lake.txt"
    path.write_text(TEXT)
    return path


def test_parse_prints_conllu(run: Run, file: Path) -> None:
    (read,) = conllu.loads(run("parse", file).out)
    assert [word.relation for word in read.words] == [word.relation for word in analyse(TEXT).words]
    assert run("parse", file, "--json").json[0]["analysis"]["words"][1]["lemma"] == "council"


def test_statements(run: Run, file: Path) -> None:
    assert run("statements", file).out.splitlines() == [
        "1\tThe council fined the company.",
        "2\tThe company had polluted the lake.",
    ]
    file.write_text("It failed in May.")
    assert run("statements", file).out == "1\tIt failed in May.\t(nobody can tell what 'It' is)\n"
    (row,) = run("statements", file, "--json").json
    assert (row["spans"], row["self_contained"], row["sentence"]) == ([[0, 16]], False, 1)


def test_clauses_and_edus(run: Run, file: Path) -> None:
    assert run("clauses", file).out.splitlines() == [
        "1.1.0.0\tThe council fined the company, which had polluted the lake.",
        "1.1.1.0\tThe council fined the company.",
        "1.1.1.1\twhich had polluted the lake",
    ]
    assert [row["text"] for row in run("edus", file, "--json").json] == [
        "The council fined the company,",
        "which had polluted the lake.",
    ]
    spans = run("clauses", file, "--json").json[0]["spans"]
    assert TEXT[spans[0][0] : spans[-1][1]] == TEXT.strip()


def test_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(TEXT.encode())))
    assert run("edus", "-").out.count("\n") == 2


def test_other_languages_are_an_honest_error(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "de.txt"
    path.write_text("Der Stadtrat hat beschlossen, dass die Brücke gesperrt wird, weil sie nicht mehr sicher ist.")
    outcome = run("clauses", path)
    assert (outcome.status, outcome.err.count("\n")) == (1, 1)
    assert "English parse" in outcome.err


def test_models_and_cards(run: Run) -> None:
    assert {model["name"] for model in run("models", "--json").json} == {
        "en-minilm",
        "lemmas",
        "spelling",
        "static",
        "wtmf",
    }
    assert "CC BY-SA 4.0" in run("models", "--card", "en-minilm").out
    assert run("models", "--card", "nothing").status == 1


def test_models_and_doctor_name_a_damaged_file(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = run("models", "--json").json
    assert all(len(model["fingerprint"]) == 64 and not model["damaged"] for model in whole)
    for module in ("vectors.static", "vectors.wtmf"):  # they fix where their weights are when first imported
        import_module(f"pyramidion.language.{module}")
    shutil.copytree(weights.MODELS, tmp_path / "models")
    (tmp_path / "models" / "wtmf" / "table.npz").write_bytes(b"PK")
    monkeypatch.setattr("pyramidion.language.models.weights.MODELS", tmp_path / "models")
    monkeypatch.setattr("pyramidion.language.models.installed.MODELS", tmp_path / "models")
    listed = run("models")
    assert listed.status == 3
    assert "DAMAGED: wtmf/table.npz; install pyramidion again" in listed.out
    findings = {one["what"]: one for one in json.loads(run("doctor", "--json").out)["findings"]}
    assert findings["models"]["fine"] is False
    assert findings["models"]["found"] == "not as released: wtmf/table.npz"


def test_bench_sts_on_a_small_set(run: Run, tmp_path: Path) -> None:
    (tmp_path / "tiny.tsv").write_text(
        "5.0\tA man is playing a guitar.\tA man plays the guitar.\n3.0\tA dog runs in the park.\tAn animal is outdoors.\n"
        "0.0\tThe bank raised its rates.\tA child is eating soup.\n"
    )
    found = run("bench", "sts", tmp_path, "--embedder", "static", "--embedder", "minilm", "--json").json
    assert [result["embedder"] for result in found["results"]] == ["static", "minilm"]
    assert all(result["pooled"] > 0.8 for result in found["results"])
    assert found["signature"].startswith("method:bench-sts|embedders:static,minilm|models:")
    assert "WTMF (Gao et al. 2019)" in run("bench", "sts", tmp_path, "--embedder", "wtmf").out


def test_bench_language_on_a_small_treebank(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "tiny.conllu"
    path.write_text(conllu.dumps(analyse(TEXT)))
    found = run("bench", "language", path, "--json").json
    assert found["signature"].startswith("method:bench-language|models:en-minilm-")
    rows = found["results"]
    assert [row["given"] for row in rows] == ["gold words", "raw text"]
    assert rows[0]["values"]["las"] == 100
    assert "LAS" in run("bench", "language", path).out


@pytest.mark.data
def test_embedders_on_sts14_as_their_cards_say(run: Run, data: Path) -> None:
    found = run("bench", "sts", data / "sts14", "--embedder", "static", "--embedder", "wtmf", "--json").json["results"]
    assert {result["embedder"]: round(result["mean"], 2) for result in found} == {"static": 0.77, "wtmf": 0.69}
