"""A run is of one make: what other packages contribute is recorded with its version, and nothing is mixed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import PathDistribution, version
from pathlib import Path

import pytest

from pyramidion.base.distributions import release
from pyramidion.base.libraries import versions
from pyramidion.evaluation.record import load
from pyramidion.evaluation.run import open_run
from pyramidion.formats import native
from pyramidion.model import Topic
from pyramidion.signature import Signature
from tests.distributions import install, install_matcher
from tests.evaluation.poison import FAIL, topics
from tests.processes import PATIENCE, ROOT

METHOD = ("--method", "given+lengths")
FORMAT = '''
from pathlib import Path

from pyramidion.formats import native

TITLE, SUFFIXES = "Pyramids in capitals", (".caps",)

def sniff(path, head):
    return path.suffix == ".caps"

def load(path):
    """{about}"""
    return native.load(path)
'''


def command(packages: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """The command, where these packages are installed."""
    return python(packages, "from pyramidion.cli import main; main()", *arguments)


def python(packages: Path, code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """A program, where these packages are installed."""
    path = os.pathsep.join([str(packages), str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        env=os.environ | {"PYTHONPATH": path, "PYRAMIDION_CACHE": "off"},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


def corpus(folder: Path, given: list[Topic], name: str = "corpus.jsonl") -> Path:
    (folder / name).write_bytes(b"".join(map(native.line, given)))
    return folder / name


def test_a_run_is_not_resumed_with_another_version_of_a_matcher(tmp_path: Path) -> None:
    old = install_matcher(tmp_path / "old", "0.1.1", least=30)
    new = install_matcher(tmp_path / "new", "0.2.0", least=1)
    given, out = corpus(tmp_path, topics(2, 2, {(1, 1): FAIL})), tmp_path / "run"
    begun = command(old, "evaluate", given, *METHOD, "--out", out)
    assert begun.returncode == 1, begun.stderr  # for the one that failed
    record = json.loads((out / "run.json").read_text())
    assert record["models"] == {"matcher lengths": "pyramidion-lengths 0.1.1"}
    assert "|matcher lengths:pyramidion-lengths 0.1.1|" in record["signature"]
    refused = command(new, "evaluate", given, *METHOD, "--out", out, "--resume")
    assert refused.returncode == 1
    assert refused.stderr == (
        f"error: {out}: The run cannot be resumed: the matcher lengths was pyramidion-lengths 0.1.1 and is "
        "pyramidion-lengths 0.2.0; begin a new run in a new folder, or: pip install pyramidion-lengths==0.1.1\n"
    )
    resumed = command(old, "evaluate", given, *METHOD, "--out", out, "--resume")
    assert "The run cannot be resumed" not in resumed.stderr


def test_what_is_scored_anew_is_signed_by_what_matched_it(tmp_path: Path) -> None:
    old = install_matcher(tmp_path / "old", "0.1.1", least=30)
    new = install_matcher(tmp_path / "new", "0.2.0", least=1)
    given, out = corpus(tmp_path, topics(1, 2)), tmp_path / "run"
    assert command(old, "evaluate", given, *METHOD, "--out", out).returncode == 0
    again = command(new, "evaluate", out, "--rescore", "--average", "floor", "--out", tmp_path / "floor", "--json")
    assert again.returncode == 0, again.stderr
    signature = Signature.parse(json.loads(again.stdout)["signature"])
    assert dict(signature.parameters)["matcher lengths"] == "pyramidion-lengths 0.1.1"
    assert str(Signature.parse(str(signature))) == str(signature)
    with open_run(tmp_path / "floor") as run:
        assert run.record.models == load(out).models


def test_code_that_is_edited_is_told_from_what_it_was(tmp_path: Path) -> None:
    packages = install_matcher(tmp_path / "packages", "0.1.1", least=30, installed=False)
    given, out = corpus(tmp_path, topics(1, 2)), tmp_path / "run"
    assert command(packages, "evaluate", given, *METHOD, "--out", out).returncode == 0
    assert command(packages, "evaluate", given, *METHOD, "--out", out, "--resume").returncode == 0
    before = load(out).models["matcher lengths"]
    assert before.startswith("pyramidion-lengths 0.1.1 (source ")
    with (packages / "pyramidion_lengths.py").open("a") as file:
        file.write("\n# edited\n")
    refused = command(packages, "evaluate", given, *METHOD, "--out", out, "--resume")
    assert f"the matcher lengths was {before} and is pyramidion-lengths 0.1.1 (source " in refused.stderr
    assert "pip install" not in refused.stderr  # which cannot bring the old code back


def test_a_worker_with_another_version_does_nothing(tmp_path: Path) -> None:
    """As on a node of a cluster, or after an upgrade while a run goes on."""
    old = install_matcher(tmp_path / "old", "0.1.1", least=30)
    new = install_matcher(tmp_path / "new", "0.2.0", least=1)
    imports = (
        "import pickle, sys; from pathlib import Path; from pyramidion.methods import Method; "
        "from pyramidion.evaluation.work import Scoring; from pyramidion.evaluation.engines.pool import attempt_item; "
        "from pyramidion.evaluation.worklist import items; from tests.evaluation.poison import topics; "
    )
    work, given = tmp_path / "work", "next(items(topics(1, 1)))"
    sent = python(
        old, f"{imports} Path({str(work)!r}).write_bytes(pickle.dumps(Scoring(Method.parse('given+lengths'))))"
    )
    assert sent.returncode == 0, sent.stderr
    attempt = f"{imports} print(attempt_item(pickle.loads(Path({str(work)!r}).read_bytes()), {given}, print))"
    assert "Outcome(" in python(old, attempt).stdout
    assert python(new, attempt).stdout == (
        "topic 't00000': The matcher lengths is pyramidion-lengths 0.1.1 where the work begins, and pyramidion-lengths "
        "0.2.0 at a worker; install the same version on all nodes, and no other while a run goes on.\n"
    )


def test_a_distribution_without_a_version_is_unknown_and_told_by_its_code(tmp_path: Path) -> None:
    packages = install_matcher(tmp_path / "packages", "", least=30)
    shown = command(packages, "evaluate", corpus(tmp_path, topics(1, 1)), *METHOD, "--json")
    assert shown.returncode == 0, shown.stderr
    made_by = dict(Signature.parse(json.loads(shown.stdout)["signature"]).parameters)["matcher lengths"]
    assert made_by.startswith("pyramidion-lengths unknown (source ")


def test_a_run_of_an_older_release_says_that_no_version_was_recorded(tmp_path: Path) -> None:
    packages = install_matcher(tmp_path / "packages", "0.1.1", least=30)
    given, out = corpus(tmp_path, topics(1, 1)), tmp_path / "run"
    assert command(packages, "evaluate", given, *METHOD, "--out", out).returncode == 0
    record = json.loads((out / "run.json").read_text())
    (out / "run.json").write_text(json.dumps(record | {"models": {}}))
    refused = command(packages, "evaluate", given, *METHOD, "--out", out, "--resume")
    assert "the matcher lengths was not recorded and is pyramidion-lengths 0.1.1; begin a new run" in refused.stderr
    assert command(packages, "runs", "show", out).returncode == 0


def test_a_run_is_not_resumed_with_another_version_of_the_format_that_reads_it(tmp_path: Path) -> None:
    points = {"formats": {"caps": "pyramidion_caps"}}
    old, new = (
        install(
            tmp_path / version, "pyramidion-caps", version, points, {"pyramidion_caps": FORMAT.format(about=version)}
        )
        for version in ("1.0", "1.1")
    )
    given = tmp_path / "corpus.caps"
    given.write_bytes(native.dumps(topics(1, 2)))
    arguments = ("evaluate", given, "--method", "given+unigram", "--out", tmp_path / "run", "--json")
    begun = command(old, *arguments)
    assert begun.returncode == 0, begun.stderr
    signature = Signature.parse(json.loads(begun.stdout)["signature"])
    assert dict(signature.parameters)["format caps"] == "pyramidion-caps 1.0"
    refused = command(new, *arguments, "--resume")
    assert "the format caps was pyramidion-caps 1.0 and is pyramidion-caps 1.1" in refused.stderr
    assert refused.stderr.endswith("or: pip install pyramidion-caps==1.0\n")


def test_what_was_installed_from_a_folder_is_told_by_its_code(tmp_path: Path) -> None:
    """Its version stays when the code in the folder changes, and it is installed again."""
    packages = install_matcher(tmp_path / "packages", "0.1.1", least=30)
    (about,) = packages.glob("*.dist-info")
    assert release(PathDistribution(about), "json") == "pyramidion-lengths 0.1.1"
    (about / "direct_url.json").write_text('{"url": "file:///src/lengths", "dir_info": {"editable": true}}')
    assert release(PathDistribution(about), "json").startswith("pyramidion-lengths 0.1.1 (source ")


@pytest.mark.parametrize("package", ["numpy", "scipy", "onnxruntime"])
def test_libraries_that_compute_are_recorded(package: str) -> None:
    assert versions()[package] == version(package)
