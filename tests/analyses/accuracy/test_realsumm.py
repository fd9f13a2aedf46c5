"""Methods and the floor against SCU judgements of systems."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pyramidion.analyses.accuracy.held_out import dataset
from pyramidion.analyses.accuracy.realsumm import bench_realsumm, human_scores, read, read_folds
from pyramidion.cli import app, main
from pyramidion.errors import FormatError, InputWarning, PyramidionError
from pyramidion.matchers import MATCHERS
from pyramidion.methods import Method
from pyramidion.model import Annotation, Match, Pyramid, Summary, Topic

pytestmark = pytest.mark.filterwarnings("ignore:.*sentences in <t>", "ignore:.*not used. labels .an empty folder")

FILES = {
    "ids.txt": "d1\nd2\nd3",
    "references.txt": "<t> Rain fell . </t> <t> Rivers rose . </t>\n<t> Cows slept . </t> <t> Dogs ran . </t>\nNo tags .",
    "SCUs.txt": "Rain fell .\tRivers rose .\nCows slept .\tDogs ran .\nNothing is marked .",
    "summaries/a.summary": "Rain fell and rivers rose .\nDogs ran while cows slept .\nNo tags .",
    "summaries/b.summary": "Rain fell .\nCows slept .\n",
    "summaries/c.summary": "Sun shone .\nBirds sang .\nTags .",
    "labels/a.label": "1\t1\n1\t1\n0",
    "labels/b.label": "1\t0\n1\t0\n0",
    "labels/c.label": "0\t0\n0\t1\n0",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    return tmp_path


def test_the_human_score_is_the_share_of_scus_present(folder: Path) -> None:
    topics = read(folder)
    assert topics[0].references[0].text == "Rain fell .\nRivers rose ."
    assert topics[0].pyramid
    assert topics[0].pyramid.references == topics[0].references
    assert human_scores(topics) == {
        ("d1", "a"): 1, ("d1", "b"): 0.5, ("d1", "c"): 0,
        ("d2", "a"): 1, ("d2", "b"): 0.5, ("d2", "c"): 0.5,
        ("d3", "a"): 0, ("d3", "b"): 0, ("d3", "c"): 0,
    }  # fmt: skip


def test_the_manual_method_agrees_with_itself(folder: Path) -> None:
    study = bench_realsumm(read(folder), [Method.parse("manual")], samples=100)
    (manual,) = study.methods
    for level in manual.correlations.values():
        assert [one.value for one in level.values()] == [1, 1, 1]
    assert manual.judgements
    assert (manual.judgements.accuracy, manual.judgements.f1, manual.judgements.auc) == (1, 1, 1)
    assert manual.judgements.ece is None  # people decide, and give no probabilities
    assert manual.pairs_per_second is None  # nothing was matched
    assert [(one.metric, one.score) for one in study.floor] == [
        ("ROUGE-1", "recall"),
        ("ROUGE-2", "recall"),
        ("ROUGE-L", "recall"),
        ("lexical-pyramid", "coverage"),
    ]


def test_documents_without_a_defined_correlation_are_skipped_and_counted(folder: Path) -> None:
    study = bench_realsumm(read(folder), samples=100)
    found = study.floor[0].correlations["summary"]["pearson"]
    # d1: humans 1, .5, 0 and recall 1, .5, 0; d2: humans 1, .5, .5 and recall 1, .5, 0; in d3 everybody got 0
    assert (found.n, found.undefined) == (2, 1)
    assert found.value == pytest.approx((1 + 0.75**0.5) / 2)
    assert "nan" not in str(study)


def test_a_judge_is_measured_judgement_by_judgement(folder: Path, half: None) -> None:
    study = bench_realsumm(read(folder), [Method.parse("given+half")], samples=100)
    judged = study.methods[0].judgements
    assert judged
    # half finds each document's first SCU in every summary: people did in 2, 2 and 0 of 3, and 3 of the other 6
    assert judged.pairs == 3 * (2 + 2 + 1)
    assert judged.accuracy == pytest.approx((2 + 2 + 0 + 2 + 1) / 15)
    assert study.methods[0].lead
    shown = str(study)
    assert "given+half" in [row["metric"] for row in study.rows("judgements")]
    assert "nan" not in shown


def test_a_single_document_has_no_interval(folder: Path, half: None) -> None:
    lead = bench_realsumm(read(folder, 1), [Method.parse("given+half")], samples=100).methods[0].lead
    assert lead
    assert (lead.interval, lead.p) == (None, None)


def test_methods_that_build_pyramids_have_no_judgements_of_human_scus(folder: Path) -> None:
    study = bench_realsumm(read(folder), [Method.parse("lite+soft")], samples=100)
    assert study.methods[0].judgements is None
    assert study.methods[0].pairs > 0


def test_only_the_first_documents(folder: Path) -> None:
    assert [topic.id for topic in read(folder, 2)] == ["d1", "d2"]


def test_a_folder_without_labels_is_an_error(folder: Path) -> None:
    for file in (folder / "labels").iterdir():
        file.unlink()
    with pytest.raises(FormatError, match="No summary in this folder has SCU labels"):
        read(folder)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    with pytest.raises(SystemExit) as left:
        main(["bench", *arguments])
    shown = capsys.readouterr()
    assert not left.value.code, shown.err
    return json.loads(shown.out) if "--json" in arguments else shown.out


def test_the_command(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "folds").mkdir()
    (folder / "folds" / "fold1.id").write_text("d1\nd2\nd3")
    found = run(
        capsys, str(folder), "--method", "manual", "--documents", "2", "--samples", "100", "--folds", "published",
        "--json",
    )  # fmt: skip
    assert "|documents:2|" in found["signature"]
    assert found["system"]["pearson"] == found["system"]["spearman"] == found["system"]["kendall"] == 1
    assert found["summary"]["pearson"] == found["summary"]["spearman"] == 1
    assert found["summary"]["undefined"] == 0
    assert found["scu"]["accuracy"] == found["scu"]["f1"] == found["scu"]["auc"] == 1
    assert found["scu"]["ece"] is None
    assert found["pairs_per_second"] is None
    assert found["folds"]["summary"]["pearson"] == 1
    assert found["floor"][0]["metric"] == "ROUGE-1"
    shown = run(capsys, "realsumm", str(folder), "--method", "manual", "--samples", "100")
    assert "method:bench-realsumm|methods:manual|score:coverage|documents:3|folds:none|" in shown


def test_several_judges_are_a_list(folder: Path, half: None, capsys: pytest.CaptureFixture[str]) -> None:
    found = run(capsys, str(folder), "--judge", "half", "--judge", "given", "--samples", "100", "--json")
    assert [one["metric"] for one in found["results"]] == ["given+half", "manual"]
    assert found["results"][0]["pairs_per_second"] > 0
    assert found["results"][0]["peak_memory_mb"] > 1


def test_a_recipe_that_is_no_matcher_may_stand_in_a_judges_place(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(capsys, str(folder), "--judge", "manual", "--samples", "100", "--json")["metric"] == "manual"


def test_neither_a_command_nor_a_folder_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(["bench", "realsum"])
    assert left.value.code == 2
    assert "Did you mean 'realsumm'?" in capsys.readouterr().err
    with pytest.raises(SystemExit) as left:
        main(["bench", "no/such/folder"])
    assert left.value.code == 1
    assert "no/such/folder" in capsys.readouterr().err


# Folds

FOLDS = {"fold1.id": "cnndm1\ncnndm2", "fold2.id": "cnndm3"}


def judge(name: str, **members: Any) -> ModuleType:
    """A module with a matcher of that name, which finds each pyramid's first SCU."""

    def matcher(pyramid: Pyramid, summary: Summary, *, threshold: float = 0.5) -> Annotation:
        return Annotation(summary, (Match(pyramid.scus[0].id, (), threshold),))

    module = ModuleType(f"fake_{name}")
    matcher.__module__ = module.__name__
    vars(module).update({name: matcher}, **members)
    return module


@pytest.fixture
def half(monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch, "half")


def register(monkeypatch: pytest.MonkeyPatch, name: str, **members: Any) -> None:
    monkeypatch.setitem(sys.modules, f"fake_{name}", judge(name, **members))
    monkeypatch.setitem(MATCHERS._builtin, name, f"fake_{name}:{name}")
    monkeypatch.setattr(MATCHERS, "_loaded", {})


@pytest.fixture
def known(folder: Path) -> Path:
    """The folder with ids as REALSumm has them, and folds."""
    (folder / "ids.txt").write_text("cnndm1\ncnndm2\ncnndm3")
    (folder / "folds").mkdir()
    for name, content in FOLDS.items():
        (folder / "folds" / name).write_text(content)
    return folder


def test_a_judge_with_fit_is_fitted_without_the_folds_documents(known: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fitted: list[list[str]] = []
    asked: list[tuple[int, str, float]] = []

    def fit(topics: Sequence[Topic]) -> Any:
        fitted.append([topic.id for topic in topics])
        number = len(fitted)
        assert all(topic.annotations for topic in topics)

        def fresh(pyramid: Pyramid, summary: Summary, *, threshold: float = 0.5) -> Annotation:
            asked.append((number, pyramid.topic, threshold))
            return Annotation(summary)

        return fresh

    register(monkeypatch, "pupil", TRAINED_ON=("realsumm",), fit=fit)
    topics = read(known)
    study = bench_realsumm(
        topics, [Method.parse("given+pupil(threshold=0.7)")], folds=read_folds(known, topics), samples=100
    )
    assert fitted == [["cnndm3"], ["cnndm1", "cnndm2"]]
    assert {(number, topic) for number, topic, _ in asked} == {(1, "cnndm1"), (1, "cnndm2"), (2, "cnndm3")}
    assert {threshold for *_, threshold in asked} == {0.7}
    assert study.folds == 2


def test_of_the_first_documents_each_is_judged_by_who_learnt_from_all_other_folds(
    known: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fitted: list[list[str]] = []

    def fit(topics: Sequence[Topic]) -> Any:
        fitted.append([topic.id for topic in topics])
        return lambda pyramid, summary: Annotation(summary)

    register(monkeypatch, "pupil", TRAINED_ON=("realsumm",), fit=fit)
    found = run(
        capsys, str(known), "--judge", "pupil", "--documents", "2", "--folds", "published", "--samples", "100", "--json"
    )
    assert fitted == [["cnndm3"]]  # not measured itself, and of another fold
    assert found["scu"]["pairs"] == 12


def test_a_judge_that_saw_the_documents_and_has_no_fit_is_refused(known: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch, "parrot", TRAINED_ON=("realsumm",))
    topics = read(known)
    method = Method.parse("given+parrot")
    with pytest.raises(PyramidionError, match=r"learnt from these very documents.*MODEL\.md"):
        bench_realsumm(topics, [method], folds=read_folds(known, topics), samples=100)
    assert dataset(topics) == "realsumm"
    with pytest.warns(InputWarning, match="too high"):
        study = bench_realsumm(topics, [method], samples=100)
    assert study.methods[0].pairs == 15


def test_it_is_refused_before_any_other_judge_has_worked(known: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch, "seen", TRAINED_ON=("realsumm",))
    topics = read(known)
    judged: list[str] = []
    with pytest.raises(PyramidionError, match="cannot be refitted"):
        bench_realsumm(
            topics,
            [Method.parse("given+unigram"), Method.parse("given+seen")],
            folds=read_folds(known, topics),
            progress=judged.append,
        )
    assert judged == []


def test_without_folds_the_command_warns_of_a_judge_that_saw_the_documents(
    known: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    register(monkeypatch, "parrot", TRAINED_ON=("realsumm",))
    with pytest.warns(InputWarning, match="too high"), pytest.raises(SystemExit):
        app(["bench", str(known), "--judge", "parrot", "--samples", "100", "--json"])
    assert json.loads(capsys.readouterr().out)["metric"] == "given+parrot"


@pytest.mark.parametrize("way", ["the published folds", "MODEL.md"])
def test_no_figures_of_documents_that_a_judge_saw_get_on_the_leaderboard(
    known: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path_factory: pytest.TempPathFactory,
    way: str,
) -> None:
    board = tmp_path_factory.mktemp("board") / "board.md"
    register(
        monkeypatch, "parrot", TRAINED_ON=("realsumm",), **({"fit": print} if way == "the published folds" else {})
    )
    with pytest.raises(SystemExit) as left:
        main(["bench", str(known), "--judge", "parrot", "--leaderboard", str(board)])
    assert left.value.code == 1
    assert way in capsys.readouterr().err
    assert not board.exists()


def test_the_leaderboard_has_the_figures_of_the_run(
    known: Path, half: None, capsys: pytest.CaptureFixture[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    board = tmp_path_factory.mktemp("board") / "board.md"
    found = run(capsys, str(known), "--judge", "half", "--samples", "100", "--leaderboard", str(board), "--json")
    kept = json.loads(board.with_suffix(".json").read_text())
    assert kept["floor"] == found["floor"]
    assert kept["results"] == [{name: value for name, value in found.items() if name != "floor"}]
    assert "| `half, 3 documents` |" in board.read_text()


def test_the_version_of_a_prompt_is_in_the_signature_and_many_topics_are_asked_at_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[list[str]] = []

    class Asking:
        signature = (("prompt", "judge-7"),)

        def __call__(self, pyramid: Pyramid, summary: Summary) -> Annotation:
            return Annotation(summary)

        def together(self) -> int:
            return 8

        def prepare(self, some: Sequence[tuple[Pyramid, Sequence[Summary]]]) -> None:
            asked.append([pyramid.topic for pyramid, _ in some])

    monkeypatch.setitem(MATCHERS._builtin, "asking", "nowhere:asking")
    monkeypatch.setattr(MATCHERS, "_loaded", {"asking": Asking()})
    found = run(capsys, str(folder), "--judge", "asking", "--samples", "100", "--json")
    assert "|methods:given+asking|prompt:judge-7|score:coverage|" in found["signature"]
    assert asked == [["d1", "d2"], ["d3"]]


def test_the_mean_over_folds(known: Path, half: None) -> None:
    topics = read(known)
    found = bench_realsumm(topics, [Method.parse("manual")], folds=read_folds(known, topics), samples=100).methods[0]
    assert found.by_fold["system"]["pearson"] == 1  # the second fold, where everybody has 0, is undefined
    assert found.by_fold["summary"]["kendall"] == 1
    shown = str(bench_realsumm(topics, folds=read_folds(known, topics), samples=100))
    assert "summary, mean of 2 folds" in shown


@pytest.mark.parametrize(
    ("name", "content", "problem"),
    [
        ("fold2.id", "cnndm9", "'cnndm3' is in no fold"),
        ("fold2.id", "cnndm3\ncnndm1", "'cnndm1' is in this fold and in fold1.id"),
    ],
)
def test_folds_that_do_not_fit_the_documents(known: Path, name: str, content: str, problem: str) -> None:
    (known / "folds" / name).write_text(content)
    with pytest.raises(FormatError, match=problem):
        read_folds(known, read(known))


def test_no_folds_where_they_are_asked_for(folder: Path) -> None:
    with pytest.raises(FormatError, match="This folder has no published folds"):
        read_folds(folder, read(folder))


@pytest.mark.data
def test_the_floor_on_realsumm(data: Path) -> None:
    """In baselines.md, r / rho: stemmed ROUGE-1 recall .911 / .915 at system, .529 / .502 at summary level.

    Unigram recall of the human SCUs, whose words baselines.md does not define: .908 / .895 and .507 / .475, accuracy
    .743, AUC .809.
    """
    topics = read(data / "realsumm")
    study = bench_realsumm(topics, [Method.parse("given+unigram")], samples=200)
    found = {one.metric: one.correlations for one in (*study.methods, *study.floor)}
    assert found["ROUGE-1"]["summary"]["pearson"].value == pytest.approx(0.529, abs=0.005)
    assert found["ROUGE-1"]["summary"]["spearman"].value == pytest.approx(0.502, abs=0.005)
    assert found["ROUGE-1"]["system"]["pearson"].value == pytest.approx(0.911, abs=0.005)
    assert found["ROUGE-2"]["system"]["pearson"].value == pytest.approx(0.964, abs=0.005)
    assert found["lexical-pyramid"]["summary"]["pearson"].value == pytest.approx(0.543, abs=0.005)
    unigram = found["given+unigram"]
    assert unigram["summary"]["pearson"].value == pytest.approx(0.507, abs=0.002)
    assert unigram["summary"]["spearman"].value == pytest.approx(0.475, abs=0.002)
    assert unigram["system"]["pearson"].value == pytest.approx(0.908, abs=0.005)
    judged = study.methods[0].judgements
    assert judged
    assert judged.auc == pytest.approx(0.809, abs=0.002)
    assert judged.accuracy == pytest.approx(0.743, abs=0.005)
