"""``feedback``: the files it writes, and what it says when it cannot."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from html import unescape
from importlib.util import find_spec
from pathlib import Path

import pytest

from pyramidion.cli import main
from pyramidion.corrections import Corrections, Judge, Rename, TopicCorrections, digest, dumps
from pyramidion.examples import example
from pyramidion.formats import dump, native
from pyramidion.model import Summary
from pyramidion.signature import Signature
from tests.cli.conftest import Run


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("example") / "corpus"
    dump(example(), path)
    return path


def test_a_page_for_one_student(run: Run, corpus: Path, tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    outcome = run("feedback", "--method", "manual", corpus, "--for", "padded", "--topic", "lake-revival", "-o", path)
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out == f"{path}: the page for padded on lake-revival\n"
    first = path.read_bytes()
    assert b"<h1>Feedback on your summary</h1>" in first
    assert b"method:manual|average:exact" in first
    assert run("feedback", "--method", "manual", corpus / "lake-revival", "--for", "padded", "-o", path).status == 0
    assert path.read_bytes() == first
    assert [file.name for file in tmp_path.iterdir()] == ["page.html"]


def test_without_a_name_the_page_is_called_after_the_student(
    run: Run, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("feedback", "--method", "manual", corpus / "lake-revival", "--for", "copy").status == 0
    assert [file.name for file in tmp_path.iterdir()] == ["feedback-copy.html"]


def test_a_page_on_standard_output_is_only_the_page(corpus: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    with pytest.raises(SystemExit):
        main(["feedback", "--method", "manual", str(corpus / "lake-revival"), "--for", "copy", "-o", "/dev/stdout"])
    printed = capfdbinary.readouterr()
    assert printed.out.startswith(b"<!doctype html>")
    assert printed.out.endswith(b"</html>")
    assert printed.err == b"/dev/stdout: the page for copy on lake-revival\n"


def test_a_folder_of_pages_and_a_gradebook(run: Run, corpus: Path, tmp_path: Path) -> None:
    folder, grades = tmp_path / "pages", tmp_path / "grades.csv"
    outcome = run("feedback", "--method", "manual", corpus, "-o", folder, "--gradebook", grades)
    assert outcome.out == (
        f"{folder}: a page for each of 12 summaries; {folder / 'index.html'} lists them\n"
        f"{grades}: a row for each of 12 summaries\n"
    )
    assert len(list(folder.rglob("*.html"))) == 12 + len(("index.html", "all.html"))
    with grades.open(encoding="utf-8-sig", newline="") as file:
        assert len(list(csv.DictReader(file))) == 12
    again = run("feedback", "--method", "manual", corpus, "-o", folder)
    assert again.status == 0, again.err


def test_the_gradebook_has_everybody_whomever_the_page_is_for(run: Run, corpus: Path, tmp_path: Path) -> None:
    outcome = run(
        "feedback",
        "--method",
        "manual",
        corpus / "lake-revival",
        "--for",
        "copy",
        "-o",
        tmp_path / "c.html",
        "--gradebook",
        tmp_path / "g.csv",
        "--average",
        "floor",
        "--cap",
    )
    assert outcome.status == 0
    assert len((tmp_path / "g.csv").read_text(encoding="utf-8-sig").splitlines()) == 7
    assert "average:floor|cap:yes" in (tmp_path / "c.html").read_text()


def test_the_json_says_what_the_page_says(run: Run, corpus: Path, tmp_path: Path) -> None:
    found = run("feedback", "--method", "manual", corpus / "lake-revival", "--for", "padded", "--json").json
    assert str(Signature.parse(found["signature"])) == found["signature"]
    (one,) = found["students"]
    evaluated = run("evaluate", "--method", "manual", corpus / "lake-revival", "--json", "--explain").json["scores"]
    scored = next(row for row in evaluated if row["summary"] == "padded")
    assert {name: one[name] for name in ("raw", "quality", "coverage", "comprehensive")} == {
        name: scored[name] for name in ("raw", "quality", "coverage", "comprehensive")
    }
    assert [idea["idea"] for idea in one["found"]] == [scu["label"] for scu in scored["explanation"]["expressed"]]
    assert [idea["idea"] for idea in one["missed"]] == [scu["label"] for scu in scored["explanation"]["missed"]]
    assert (one["automatic"], one["model_summaries"], found["written"]) == (False, 5, [])
    written = run("feedback", "--method", "manual", corpus, "-o", tmp_path / "p", "--json").json
    assert (len(written["students"]), written["written"]) == (12, [str(tmp_path / "p")])


def test_by_default_points_are_expected_and_can_be_counted(run: Run, corpus: Path, tmp_path: Path) -> None:
    asked = ("feedback", corpus / "lake-revival", "--for", "copy", "-o", tmp_path / "copy.html", "--json")
    (expected,) = run(*asked).json["students"]
    text = (tmp_path / "copy.html").read_text()
    assert expected["automatic"]
    assert f"You have about {round(expected['raw'])} points (an idea" in text
    assert expected["raw"] != expected["counted"] == sum(idea["points"] for idea in expected["found"])
    every = (*expected["found"], *expected["missed"])
    assert expected["raw"] == pytest.approx(sum(idea["points"] * idea["score"] for idea in every))
    (counted,) = run(*asked, "--presence", "counted").json["students"]
    assert counted["raw"] == counted["counted"] == expected["counted"]
    assert f"You have {expected['counted']} points. A typical" in (tmp_path / "copy.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--for", "Paraphrase"], "There is no summary 'Paraphrase'; did you mean 'paraphrase-2' or 'paraphrase-1'?"),
        (
            ["--for", "zzz"],
            "There is no summary 'zzz'; choose one of 'copy', 'empty', 'off-topic', 'padded', 'paraphrase-1'",
        ),
        (["--for", "copy"], "2 topics have a summary 'copy'; choose one with --topic: 'lake-revival', 'tidal-lagoon'"),
        (["--topic", "lake"], "There is no topic 'lake'; did you mean 'lake-revival'?"),
        (["--for", "copy", "--method", "magic"], "There is no method 'magic'"),
    ],
)
def test_names_that_are_not_there(run: Run, corpus: Path, arguments: list[str], message: str) -> None:
    outcome = run("feedback", "--method", "manual", corpus, *arguments, "--json")
    assert (outcome.status, outcome.out) == (1, "")
    assert message in outcome.err


def test_somebody_has_to_be_named_or_a_folder(run: Run, corpus: Path, tmp_path: Path) -> None:
    nobody = run("feedback", "--method", "manual", corpus)
    assert nobody.status == 2
    assert "Name a student (--for PEER)" in " ".join(nobody.err.split())
    page = run("feedback", "--method", "manual", corpus, "-o", tmp_path / "all.html")
    assert page.status == 2
    assert "name its student with --for" in " ".join(page.err.split())
    assert list(tmp_path.iterdir()) == []


def test_a_class_without_students(run: Run, tmp_path: Path) -> None:
    (tmp_path / "class" / "references").mkdir(parents=True)
    (tmp_path / "class" / "references" / "A.txt").write_text("The lake died.")
    outcome = run("feedback", tmp_path / "class", "-o", tmp_path / "pages")
    assert (outcome.status, "There is no summary to give feedback on; add the students' texts" in outcome.err) == (
        1,
        True,
    )


def test_a_student_nobody_read(run: Run, tmp_path: Path) -> None:
    topic = example()[0]
    late = Summary("late", "Something.", "peer")
    native.dump([replace(topic, peers=(*topic.peers, late))], tmp_path / "t.json")
    outcome = run("feedback", "--method", "manual", tmp_path / "t.json", "--for", "late", "-o", tmp_path / "late.html")
    assert outcome.status == 1
    assert "There is no feedback to give: 'late' is not annotated; add annotations/" in outcome.err
    assert not (tmp_path / "late.html").exists()


def test_of_two_readings_the_page_shows_one_and_says_which(run: Run, tmp_path: Path) -> None:
    topic = example()[0]
    by_two = tuple(replace(one, annotator=name) for one in topic.annotations for name in ("114", "115"))
    native.dump([replace(topic, annotations=by_two)], tmp_path / "t.json")
    outcome = run("feedback", "--method", "manual", tmp_path / "t.json", "--for", "copy", "-o", tmp_path / "copy.html")
    assert "warning: 'copy' was annotated by '114', '115'; the page shows the reading of '114'" in outcome.err
    assert "read by 114" in (tmp_path / "copy.html").read_text()
    assert run("feedback", "--method", "manual", tmp_path / "t.json", "-o", tmp_path / "all").status == 0
    assert (tmp_path / "all" / "115.copy.html").is_file()


def test_names_from_a_file_stay_in_the_folder(run: Run, tmp_path: Path) -> None:
    topic = example()[0]
    text = (
        native.dumps([topic])
        .decode()
        .replace('"id": "copy"', '"id": "../../copy"')
        .replace('"summary": "copy"', '"summary": "../../copy"')
    )
    (tmp_path / "t.json").write_text(text)
    assert run("feedback", "--method", "manual", tmp_path / "t.json", "-o", tmp_path / "deep" / "pages").status == 1
    assert run("feedback", "--method", "manual", tmp_path / "t.json", "-o", tmp_path / "pages").status == 0
    assert sorted(file.name for file in tmp_path.iterdir()) == ["pages", "t.json"]
    assert (tmp_path / "pages" / "copy.html").is_file()


def test_a_gradebook_with_points_grades_and_a_platforms_columns(run: Run, corpus: Path, tmp_path: Path) -> None:
    (tmp_path / "bands.csv").write_text("grade,from\npass,40\nfail,0\n")
    asked = ("feedback", "--method", "manual", corpus / "lake-revival", "--points", "20")
    assert run(*asked, "--gradebook", tmp_path / "g.csv", "--bands", tmp_path / "bands.csv").status == 0
    with (tmp_path / "g.csv").open(encoding="utf-8-sig", newline="") as file:
        copy, *_ = csv.DictReader(file)
    assert (copy["percent"], copy["points"], copy["grade"]) == ("88.71", "17.74", "pass")
    assert "|cap:yes|" in copy["signature"]
    assert run(*asked, "--gradebook", tmp_path / "g.xlsx").status == 0
    assert (tmp_path / "g.xlsx").read_bytes().startswith(b"PK")
    assert run(*asked, "--gradebook", tmp_path / "c.csv", "--lms", "canvas").status == 0
    assert "Points Possible,,,,,20" in (tmp_path / "c.csv").read_text("utf-8-sig")


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (["--points", "20", "--json"], 2, "name its file with --gradebook"),
        (["--gradebook", "g.xlsx", "--lms", "moodle"], 2, "Moodle imports CSV"),
        (["--gradebook", "g.csv", "--points", "0"], 1, "The points are 0; give a number above 0"),
        (["--gradebook", "g.csv", "--lms", "moodle", "-o", "pages"], 1, "Moodle imports one assignment at a time"),
        (["--gradebook", "g.csv", "--bands", "none.csv"], 1, "none.csv"),
    ],
)
def test_a_gradebook_that_cannot_be_made(
    run: Run,
    corpus: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    status: int,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    outcome = run("feedback", "--method", "manual", corpus, *arguments)
    assert outcome.status == status
    assert message in " ".join(outcome.err.split())
    assert list(tmp_path.iterdir()) == []


def test_nobody_is_told_more_than_all_whatever_coverage_is(run: Run, corpus: Path) -> None:
    asked = ("feedback", "--method", "lite+soft", corpus / "tidal-lagoon", "--for", "copy", "--json")
    (capped,) = run(*asked).json["students"]
    (free,) = run(*asked, "--no-cap").json["students"]
    assert (capped["percent"], capped["coverage"]) == (100, 1)
    assert free["percent"] == 100 < 100 * free["coverage"]


def test_one_text_in_another_language_does_not_hold_up_the_class(run: Run, tmp_path: Path) -> None:
    for path, text in (
        ("references/A.txt", "Farms around the lake let phosphorus run into the water, and all of its fish died."),
        ("peers/anna.txt", "The fish of the lake died because of the phosphorus."),
        ("peers/inés.txt", "El lago murió porque las granjas de alrededor dejaban correr fósforo hacia el agua."),
    ):
        (tmp_path / "lake" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "lake" / path).write_text(text, "utf-8")
    asked = ("feedback", tmp_path / "lake", "--method", "lite+soft", "--gradebook", tmp_path / "g.csv")
    outcome = run(*asked, "-o", tmp_path / "pages")
    assert outcome.status == 0, outcome.err
    assert "'inés' of topic 'lake' cannot be scored: The text looks like Spanish" in " ".join(outcome.err.split())
    with (tmp_path / "g.csv").open(encoding="utf-8-sig", newline="") as file:
        anna, ines = csv.DictReader(file)
    assert float(anna["percent"]) > 0
    assert (ines["student"], ines["percent"]) == ("inés", "")
    assert ines["missed_1"] == "not scored: The text looks like Spanish; the method reads English."
    alone = run(*asked, "--for", "inés")
    assert (alone.status, "reads English, but peer 'inés'" in alone.err) == (1, True)
    forced = run(*asked, "--language", "any", "--for", "inés", "--json").json
    assert [one["student"] for one in forced["students"]] == ["inés"]


WORD_97 = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + b"W\0o\0r\0d\0" * 200
"""How a file of Word 97 begins: the head of a compound file."""


def empty_pdf() -> bytes:
    """A page without a word, as a scanner makes it."""
    from pypdf import PdfWriter

    writer = PdfWriter()
    writer.add_blank_page(90, 90)
    stream = io.BytesIO()
    writer.write(stream)
    return stream.getvalue()


@pytest.mark.parametrize(("models", "students"), [("references", "peers"), ("model answers", "students")])
def test_who_hands_in_what_cannot_be_read_is_in_list_and_gradebook_with_the_reason(
    run: Run, tmp_path: Path, models: str, students: str
) -> None:
    """In a corpus folder and in a class's; the others are scored."""
    lake = tmp_path / "lake"
    for folder in (models, students):
        (lake / folder).mkdir(parents=True)
    (lake / models / "A.txt").write_text("Farms let phosphorus run into the lake, and all of its fish died.")
    (lake / students / "anna.txt").write_text("The fish of the lake died because of the phosphorus.")
    (lake / students / "ben.doc").write_bytes(WORD_97)
    (lake / students / "cleo.docx").write_bytes(b"PK\3\4 and no more")
    (lake / students / "dan.docx").write_bytes(WORD_97)
    (lake / students / "finn.pages").write_bytes(b"PK")
    expected = {
        "ben": "not read: Word 97, save as .docx.",
        "cleo": "not scored: The file is damaged, or its ending is wrong (File is not a zip file); save it again.",
        "dan": "not scored: The file is encrypted, or it was saved by Word 97; save it as .docx without a password.",
        "finn": "not read: Pages, export as .docx.",
    }
    if find_spec("pypdf"):
        (lake / students / "eva.pdf").write_bytes(empty_pdf())
        expected["eva"] = "not scored: The PDF holds pictures and no text: it was scanned; give the text itself."
    outcome = run(
        "feedback", lake, "--method", "lite+soft", "-o", tmp_path / "pages", "--gradebook", tmp_path / "g.csv"
    )
    assert outcome.status == 0, outcome.err
    assert f"a row for each of {len(expected) + 1} summaries" in outcome.out
    with (tmp_path / "g.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    assert float(rows.pop("anna")["percent"]) > 0
    assert {student: row["missed_1"] for student, row in rows.items()} == expected
    assert {row["percent"] + row["raw"] for row in rows.values()} == {""}
    index = unescape((tmp_path / "pages" / "index.html").read_text("utf-8"))
    for student, why in expected.items():
        sentence = why.removeprefix("not scored: ")
        assert sentence[0].upper() + sentence[1:] in index, student
        assert f'href="{student}-unread.html"' in index
    evaluated = run("evaluate", lake, "--method", "lite+soft", "--json").json
    assert [one["summary"] for one in evaluated["unread"]] == sorted(expected)
    assert "ben" in run("evaluate", lake, "--method", "lite+soft").out


def test_corrections_saved_in_a_report_count_on_pages_and_in_the_gradebook(
    run: Run, corpus: Path, tmp_path: Path
) -> None:
    lake, lagoon = example()
    assert lake.pyramid is not None
    assert lagoon.pyramid is not None
    (padded,) = (peer for peer in lake.peers if peer.id == "padded")
    mussels = next(scu for scu in lake.pyramid.scus if "mussels" in scu.label)
    reeds = next(scu for scu in lake.pyramid.scus if scu.label.startswith("Reed beds"))
    text = digest(padded.text)
    changed = (
        Judge("padded", text, mussels.id, "found"),
        Judge("padded", text, reeds.id, "missing"),
        Rename(reeds.id, "Reeds cleaned the water"),
    )
    made = (TopicCorrections.of(lake.pyramid, changed), TopicCorrections.of(lagoon.pyramid, ()))
    (tmp_path / "c.json").write_bytes(dumps(Corrections(topics=made)))
    asked = ("feedback", "--method", "manual", corpus, "--topic", "lake-revival", "--corrections", tmp_path / "c.json")
    outcome = run(*asked, "-o", tmp_path / "pages", "--gradebook", tmp_path / "g.csv")
    assert outcome.status == 0, outcome.err
    with (tmp_path / "g.csv").open(encoding="utf-8-sig", newline="") as file:
        (row,) = (row for row in csv.DictReader(file) if row["student"] == "padded")
    # it has 13 points of 37.2 at best, loses 5 for the reeds and gains 4 for the mussels
    assert (row["percent"], row["missed_1"]) == ("32.26", "Reeds cleaned the water (5 of 5)")
    assert "corrections:3-" in row["signature"]
    html = (tmp_path / "pages" / "padded.html").read_text()
    assert "32.26 %" in html
    assert "Freshwater mussels were used as part of the remedy" in html.partition("What you could still add")[0]
    (alone,) = run(*asked, "--for", "padded", "--json").json["students"]
    assert alone["percent"] == 32.26
    evaluated = run("evaluate", *asked[1:4], "--corrections", tmp_path / "c.json", "--json").json["scores"]
    assert [one["percent"] for one in evaluated if (one["topic"], one["summary"]) == ("lake-revival", "padded")] == [
        32.26
    ]
