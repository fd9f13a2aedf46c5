"""Weights are what was released, and a signature says which they are."""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pyramidion
from pyramidion.errors import MissingPartError
from pyramidion.evaluation.evaluate import evaluate
from pyramidion.examples import example
from pyramidion.language.models import weights
from pyramidion.methods import Method, versions_of
from pyramidion.signature import Signature

ROOT = Path(__file__).parents[3]


def test_the_digests_are_those_of_the_files_that_ship() -> None:
    made = runpy.run_path(str(ROOT / "train" / "fingerprints.py"))["lines"]()
    assert weights.MANIFEST.read_text() == made
    assert len(made.splitlines()) == 8


@pytest.mark.parametrize(
    ("file", "code"),
    [
        ("en-minilm/model.onnx", "from pyramidion.language import analyse; analyse('Cats sleep.')"),
        ("en-minilm/relations.npz", "from pyramidion.language import analyse; analyse('Cats sleep.')"),
        ("en-minilm/labels.json", "from pyramidion.language import analyse; analyse('Cats sleep.')"),
        ("en-minilm/tokenizer.json", "from pyramidion.language.vectors import embedder; embedder('static')"),
        ("static/table.npz", "from pyramidion.language.vectors import embedder; embedder('static')"),
        ("wtmf/table.npz", "from pyramidion.language.vectors import embedder; embedder('wtmf')"),
        ("lemmas/lemmas.json.gz", "from pyramidion.language.text.lemmas import load; load()"),
        ("spelling/words.json.gz", "from pyramidion.language.text.spelling import mend; mend('lkae')"),
    ],
)
def test_a_file_changed_in_the_middle_is_refused_by_whoever_loads_it(file: str, code: str, tmp_path: Path) -> None:
    """2,000 bytes in the middle of model.onnx gave other scores, and no word."""
    package = tmp_path / "pyramidion"
    shutil.copytree(Path(pyramidion.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    path = package / "language" / "models" / file
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 2000] = bytes(255 - byte for byte in data[middle : middle + 2000])
    path.write_bytes(data)
    told = f"from pyramidion.errors import PyramidionError\ntry: {code}\nexcept PyramidionError as error: print(error)"
    done = subprocess.run(
        [sys.executable, "-c", told], env=os.environ | {"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True
    )
    assert file in done.stdout.replace(os.sep, "/"), done.stderr
    assert "is missing or damaged" in done.stdout
    assert done.stdout.endswith("install pyramidion again: pip install --force-reinstall --no-deps pyramidion\n")


def named(method: str) -> list[str]:
    """The models in a method's signature, without their digits."""
    versions = dict(Method.parse(method).versions)
    every = versions["models"].split(",") if "models" in versions else []
    assert all(len(one.rpartition("-")[2]) == 8 for one in every)
    return [one.rpartition("-")[0] for one in every]


@pytest.mark.parametrize(
    ("method", "models"),
    [
        ("manual", []),
        ("given+unigram", []),
        ("lite+soft", ["en-minilm", "lemmas", "static"]),
        ("lite+soft(analyser=unicode)", ["static"]),
        ("edua-p+soft", ["en-minilm", "lemmas", "static"]),
        (
            "pyramidion",
            ["en-minilm", "lemmas", "pyramidion_entails", "pyramidion_words", "pyramidion_writes", "static"],
        ),
        ("meaning+entails(writer=rules)", ["en-minilm", "lemmas", "pyramidion_entails", "pyramidion_words", "static"]),
        ("pyreval", ["en-minilm", "lemmas", "wtmf"]),
        ("pyreval(embedder=static,analyser=unicode)", ["static"]),
        ("given+ape", ["en-minilm", "lemmas"]),
        ("edua-g+llm:some-model", ["en-minilm", "lemmas", "wtmf"]),
    ],
)
def test_a_signature_names_the_models_of_both_parts(method: str, models: list[str]) -> None:
    assert named(method) == models


def test_every_evaluation_says_which_models_made_it() -> None:
    signature = evaluate(example()[:1], "lite+soft").signature
    expected = ",".join(weights.label(model) for model in ("en-minilm", "lemmas", "static"))
    assert dict(signature.parameters)["models"] == expected
    assert f"|models:{expected}|" in str(signature)  # nothing in it is escaped
    assert Signature.parse(str(signature)) == signature


def test_several_methods_name_every_model_once() -> None:
    versions = versions_of(
        [Method.parse("pyreval"), Method.parse("lite+soft(analyser=unicode)"), Method.parse("pyreval")]
    )
    assert [name for name, _ in versions] == ["models"]
    assert [one.rpartition("-")[0] for one in versions[0][1].split(",")] == ["en-minilm", "lemmas", "static", "wtmf"]


def test_a_model_s_fingerprint_covers_the_file_it_borrows(monkeypatch: pytest.MonkeyPatch) -> None:
    before = weights.fingerprint("static"), weights.fingerprint("wtmf")
    recorded = weights._recorded() | {"en-minilm/tokenizer.json": "0" * 64}
    monkeypatch.setattr(weights, "_recorded", lambda: recorded)
    assert weights.fingerprint("static") != before[0]
    assert weights.fingerprint("wtmf") == before[1]


def test_weights_that_people_bring_are_known_by_their_content(tmp_path: Path) -> None:
    file = tmp_path / "two words, glove|100.txt"
    file.write_text("cat 1 0\ndog 0 1\n")
    method = f"given+wmin(embedder=sif:{file})"
    first = Method("given", "wmin", (("embedder", f"sif:{file}"), ("analyser", "unicode"))).versions
    assert first[0][1].startswith("two_words__glove_100.txt-"), method
    copy = tmp_path / "copy" / file.name
    copy.parent.mkdir()
    shutil.copy(file, copy)
    assert weights.label(copy) == weights.label(file)
    file.write_text("cat 1 0\ndog 1 1\n")
    os.utime(file, ns=(0, 0))
    assert weights.label(copy) != weights.label(file)


def test_a_folder_is_known_by_what_is_loaded_from_it(tmp_path: Path) -> None:
    folder = tmp_path / "roberta-nli"
    (folder / "1_Pooling").mkdir(parents=True)
    (folder / "model.safetensors").write_bytes(b"weights")
    (folder / "1_Pooling" / "config.json").write_text("{}")
    first = Method.parse(f"given+nli:{folder}(analyser=unicode)").versions[0][1]
    assert first.partition(",")[0] == weights.label(folder)
    assert first.startswith("roberta-nli-")
    (folder / "README.md").write_text("a card decides nothing")
    (folder / ".git").mkdir()
    (folder / ".git" / "index").write_text("nor does this")
    assert weights.label(folder) == first.partition(",")[0]
    (folder / "1_Pooling" / "config.json").write_text('{"pooling": "max"}')
    assert weights.label(folder) != first.partition(",")[0]


def test_what_is_not_there_has_no_fingerprint(tmp_path: Path) -> None:
    assert weights.label(tmp_path / "nothing") == ""
    assert weights.models_field([tmp_path / "nothing"]) == ()
    assert weights.on_this_machine(str(tmp_path / "no" / "such" / "model")) is None


def test_without_the_digests_nothing_is_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "MANIFEST", tmp_path / "SHA256SUMS")
    monkeypatch.setattr(weights, "_recorded", weights._recorded.__wrapped__)
    with pytest.raises(MissingPartError, match="The digests of the models cannot be read.*; install pyramidion again"):
        weights.read(weights.MODELS / "wtmf" / "table.npz")
