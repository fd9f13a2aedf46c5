"""``stability``, as a person would run it."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from pyramidion.examples import example
from pyramidion.formats import dump
from pyramidion.signature import Signature
from tests.cli.conftest import Run


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stability") / "corpus"
    dump(example(), folder, "folder")
    return folder


def test_tables_for_people(run: Run, corpus: Path) -> None:
    outcome = run("stability", corpus)
    assert outcome.status == 0, outcome.err
    lines = outcome.out.splitlines()
    assert lines[0] == "Lowest and highest coverage over the pyramids of each number of references"
    assert lines[2].split() == ["topic", "summary", "1", "2", "3", "4", "5"]
    assert lines[4].split()[:2] == ["lake-revival", "copy"]
    assert "n      p1      p2      p3       p  data points  mean r_s  pyramids" in outcome.out
    assert sum(line.startswith("all topics") for line in lines) == 4
    assert "1 reference is enough for these summaries (probability of error at most 0.1, mean " in outcome.out
    assert "Mean point of divergence of the 27 pairs more than 0.1 apart: 1." in outcome.out
    assert outcome.out.count("method:manual|") == 1
    assert max(map(len, lines[:20])) < 170
    assert "nan" not in outcome.out.lower()


def test_levels_decide_how_many_are_enough(run: Run, corpus: Path) -> None:
    strict = run("stability", corpus, "--error", "0.03", "--table", "errors")
    assert "3 references are enough" in strict.out
    stricter = run("stability", corpus, "--spearman", "1", "--table", "errors")
    assert "4 references are too few" in stricter.out
    assert "Lowest and highest" not in stricter.out


@pytest.mark.parametrize(
    ("table", "columns", "rows"),
    [
        ("errors", ["topic", "size", "p1", "p2", "p3", "p", "observations", "spearman", "pyramids", "undefined"], 12),
        (
            "scores",
            ["topic", "summary", "size", "pyramids", "minimum", "lower", "median", "upper", "maximum", "mean"],
            60,
        ),
        ("pairs", ["topic", "better", "worse", "difference", "divergence", "settled"], 28),
    ],
)
def test_csv_holds_one_table(run: Run, corpus: Path, table: str, columns: list[str], rows: int) -> None:
    found = list(csv.DictReader(io.StringIO(run("stability", corpus, "--format", "csv", "--table", table).out)))
    assert list(found[0]) == [*columns, "signature"]
    assert len(found) == rows


def test_json_holds_everything(run: Run, corpus: Path) -> None:
    found = run("stability", corpus, "--json", "--score", "quality", "--threshold", "0.1").json
    assert (found["score"], found["threshold"]) == ("quality", 0.1)
    assert dict(Signature.parse(found["signature"]).parameters)["sub-pyramids"] == "all"
    assert [row["size"] for row in found["errors"]] == [1, 2, 3, 4]
    for row in found["errors"]:
        assert row["p"] == (row["e1"] + row["e2"] + row["e3"]) / row["observations"]
        assert row["observations"] == sum(
            mine["observations"] for topic in found["topics"] for mine in topic["errors"] if mine["size"] == row["size"]
        )
    first = found["topics"][0]
    assert first["references"] == 5
    assert first["sampled"] == []
    assert [len(one["sizes"]) for one in first["summaries"]] == [5] * 6
    assert found["need"]["sentence"].endswith(").")


def test_references_can_be_the_summaries(run: Run, corpus: Path) -> None:
    found = run("stability", corpus, "--summaries", "references", "--json").json
    assert [one["summary"] for one in found["topics"][0]["summaries"]] == ["A", "B", "C", "D", "E"]
    assert found["topics"][0]["references"] == 4
    assert [row["observations"] for row in found["errors"]] == [60, 60, 20]


def test_drawing_sub_pyramids_is_seeded_and_told(run: Run, corpus: Path) -> None:
    arguments = ("stability", corpus, "--samples", "3", "--table", "errors")
    one, same, other = (run(*arguments, "--seed", seed) for seed in (1, 1, 2))
    assert one.out == same.out != other.out
    assert "sub-pyramids:3 a size, seed 1" in one.out
    assert "warning: 2 topic(s) have more sub-pyramids than are tried" in one.err
    assert not run("stability", corpus).err


def test_the_picture(run: Run, corpus: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    files = [tmp_path / name for name in ("one.svg", "two.svg", "other.svg", "one.png")]
    for file, more in zip(files, ((), (), ("--topic", "tidal-lagoon", "--show", "copy"), ()), strict=True):
        outcome = run("stability", corpus, "--plot", file, *more)
        assert outcome.status == 0, outcome.err
    one, two, other, image = (file.read_bytes() for file in files)
    assert one == two != other
    text = one.decode()
    assert "lake-revival: lowest, mean and highest score" in text
    assert "E3: order reversed" in text
    assert "method:manual" in text
    assert " diverge</text>" in text
    assert "copy" in other.decode()
    assert image.startswith(b"\x89PNG")


def test_constant_scores_can_be_drawn(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    folder = tmp_path / "corpus"
    dump(example()[:1], folder, "folder")
    for file in folder.rglob("annotations/*.json"):
        file.unlink()
    for file in folder.rglob("peers/*.txt"):
        file.write_text("")
    outcome = run("stability", folder, "--plot", tmp_path / "flat.svg")
    assert outcome.status == 0, outcome.err
    assert "give all summaries the same score" in outcome.err
    assert "No pair of summaries is more than 0.1 apart." in outcome.out
    assert (tmp_path / "flat.svg").exists()


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("--threshold", "0"), 1, "The threshold 0.0 is not a difference of scores; give a number above 0"),
        (("--threshold", "nan"), 1, "The threshold nan"),
        (("--samples", "0"), 2, "--samples"),
        (("--samples", "1000000000"), 2, "--samples"),
        (("--method", "nothing"), 1, "nothing"),
        (("--plot", "ranges.bmp"), 1, "name it .svg, .png or .pdf"),
        (("--plot", "ranges.svg", "--topic", "x"), 1, "There is no topic 'x' to draw"),
        (("--plot", "ranges.svg", "--show", "x"), 1, "There is no summary 'x' to draw"),
        (("--summaries", "references", "--samples", "1"), 1, "raise samples"),
        (("--error", "2"), 1, "probability"),
        (("--spearman", "nan"), 1, "correlation"),
    ],
)
def test_bad_arguments(
    run: Run, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...], status: int, message: str,
) -> None:  # fmt: skip
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    outcome = run("stability", corpus, *arguments)
    assert outcome.status == status
    assert message in outcome.err
    assert "Traceback" not in outcome.err
    assert not list(tmp_path.iterdir())


def test_nothing_to_compare(run: Run, tmp_path: Path) -> None:
    topic = example()[0]
    folder = tmp_path / "corpus"
    dump([topic], folder, "folder")
    for file in folder.rglob("annotations/*.json"):
        if file.stem != "copy":
            file.unlink()
    outcome = run("stability", folder, "--json")
    assert outcome.status == 0  # the empty peer needs no annotation
    for file in folder.rglob("peers/empty.txt"):
        file.unlink()
    outcome = run("stability", folder)
    assert outcome.status == 1
    assert "error: No topic's scores can be compared between pyramids of different size" in outcome.err
    assert "it has one summary" in outcome.err
