"""``--language any``, and what is said without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.methods.test_method_language import ENGLISH, TEXTS


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    reference, good, off_topic = TEXTS["Spanish"]
    for folder, texts in {"references": {"r": reference}, "peers": {"good": good, "off-topic": off_topic}}.items():
        (tmp_path / "puente" / folder).mkdir(parents=True)
        for name, text in texts.items():
            (tmp_path / "puente" / folder / f"{name}.txt").write_text(text, "utf-8")
    return tmp_path / "puente"


@pytest.mark.parametrize("command", ["evaluate", "build", "compare", "feedback"])
def test_commands_that_run_a_method(run: Run, corpus: Path, tmp_path: Path, command: str) -> None:
    arguments = {
        "evaluate": ("--method", "pyreval"),
        "build": ("--method", "pyreval"),
        "compare": ("--method", "pyreval"),
        "feedback": ("--method", "pyreval", "-o", str(tmp_path / "pages")),
    }[command]
    where = corpus.parent if command == "compare" else corpus
    refused = run(command, where, *arguments)
    assert (refused.status, refused.err.count("\n")) == (1, 1)
    assert "The method 'pyreval' reads English, but reference 'r'" in refused.err
    assert "looks like Spanish" in refused.err
    forced = run(command, where, *arguments, "--language", "any")
    assert "reads English" not in forced.err
    if command in ("evaluate", "build"):
        assert "method:pyreval(language=any)" in forced.out
    assert run(command, where, *arguments, "--language", "es").status == 2


def test_what_is_recommended_works(run: Run, corpus: Path) -> None:
    good, off_topic = run("evaluate", corpus, "--method", "lite+soft(analyser=unicode)", "--json").json["scores"]
    assert good["recall"] > 0.3 > off_topic["recall"]
    measured = run("metrics", corpus, "--tokens", "unicode", "--metrics", "rouge-1", "--json")
    assert measured.status == 0, measured.err


def test_match_reads_the_peers(run: Run, tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text(ENGLISH)
    (tmp_path / "ana.txt").write_text(TEXTS["Spanish"][1], "utf-8")
    assert run("build", tmp_path / "r.txt", "-o", tmp_path / "p.json").status == 0
    refused = run("match", tmp_path / "p.json", tmp_path / "ana.txt")
    assert refused.status == 1
    assert "peer 'ana' of topic 'topic' looks like Spanish" in refused.err
    assert "(to match: the matcher 'soft(analyser=unicode)')" in refused.err
    assert run("match", tmp_path / "p.json", tmp_path / "ana.txt", "--matcher", "soft(analyser=unicode)").status == 0
    assert "(language=any)" in run("match", tmp_path / "p.json", tmp_path / "ana.txt", "--language", "any").out
