"""What a class handed in: who wrote what, which texts are models, and who cannot be read."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import pytest

import pyramidion as pm
from pyramidion.errors import FormatError, InputWarning
from pyramidion.formats import sniff

DOCUMENTS = Path(__file__).parents[1] / "data" / "documents"
MODEL = str(DOCUMENTS / "essay.rtf")


def test_an_export_of_moodle() -> None:
    assert sniff(DOCUMENTS / "moodle.zip") == "submissions"
    [topic] = pm.read(DOCUMENTS / "moodle.zip", references=MODEL)
    assert [(peer.id, peer.number) for peer in topic.peers] == [("Ann Lee", "1234567"), ("Bo Diaz", "1234568")]
    assert topic.peer("Bo Diaz").text == "Grain became cheaper after the canal opened."


def test_an_export_of_canvas() -> None:
    [topic] = pm.read(DOCUMENTS / "canvas.zip", references=MODEL)
    assert [(peer.id, peer.number) for peer in topic.peers] == [("diazbo", "12346"), ("leeann", "12345")]


def classroom(folder: Path) -> Path:
    for place, name in (("students/Ann.docx", "docx"), ("students/Bo.PDF", "pdf"), ("model answers/m.odt", "odt")):
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(DOCUMENTS / f"essay.{name}", folder / place)
    return folder


def test_folders_tell_models_from_submissions_and_the_guess_is_told(tmp_path: Path) -> None:
    guess = (
        "2 files taken as summaries to score, 1 as models, because the folders are called 'model answers', 'students'"
    )
    with pytest.warns(InputWarning, match=guess):
        [topic] = pm.read(classroom(tmp_path))
    assert [peer.id for peer in topic.peers] == ["Ann", "Bo"]
    assert [reference.id for reference in topic.references] == ["m"]


def test_patterns_overrule_the_guess(tmp_path: Path) -> None:
    [topic] = pm.read(classroom(tmp_path), format="submissions", references="Ann*", peers="*.PDF")
    assert ([one.id for one in topic.references], [one.id for one in topic.peers]) == (["Ann"], ["Bo"])


def test_a_flat_folder_is_told_apart_by_names(tmp_path: Path) -> None:
    shutil.copy(DOCUMENTS / "essay.odt", tmp_path / "Model 1.odt")
    shutil.copy(DOCUMENTS / "essay.docx", tmp_path / "Ann.docx")
    with pytest.warns(InputWarning, match="the names of the models begin with"):
        [topic] = pm.read(tmp_path)
    assert ([one.id for one in topic.references], [one.id for one in topic.peers]) == (["Model 1"], ["Ann"])


def test_who_cannot_be_read_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    (classroom(tmp_path) / "students" / "Cy.docx").write_bytes(b"PK damaged")
    with (
        pytest.warns(InputWarning, match="taken as"),
        pytest.warns(InputWarning, match="'Cy' of topic .* cannot be scored"),
    ):
        topics = pm.read(tmp_path)
    evaluation = pm.evaluate(topics, "lite+soft")
    assert [one.scores.summary for one in evaluation.results] == ["Ann", "Bo"]
    assert "Not scored: Cy. The file is damaged" in str(evaluation)
    [unread] = evaluation.to_json()["unread"]
    assert unread["summary"] == "Cy"


def test_who_cannot_be_read_keeps_the_number_in_the_file_name(tmp_path: Path) -> None:
    students = classroom(tmp_path) / "students"
    for part in ("a", "b"):
        (students / f"Cy Lee_1234567_assignsubmission_file_{part}.docx").write_bytes(b"PK damaged")
    with pytest.warns(InputWarning):
        [topic] = pm.read(tmp_path)
    assert [(peer.name, peer.number) for peer in topic.unread] == [("Cy Lee", "1234567")]
    [unread] = pm.evaluate([topic], "lite+soft").to_json()["unread"]
    assert (unread["summary"], unread["number"]) == ("Cy Lee", "1234567")


def test_a_model_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    (classroom(tmp_path) / "model answers" / "n.docx").write_bytes(b"PK damaged")
    with pytest.warns(InputWarning), pytest.raises(FormatError, match="damaged"):
        pm.read(tmp_path)


OLD_WORD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600)


def test_a_file_of_word_97_is_a_student_who_cannot_be_read(tmp_path: Path) -> None:
    """Also in a platform's export, with the number in the file's name; a model is an error."""
    with zipfile.ZipFile(tmp_path / "moodle.zip", "w") as archive:
        archive.write(DOCUMENTS / "essay.docx", "Ann Lee_1234567_assignsubmission_file_essay.docx")
        archive.writestr("Cy Lee_1234569_assignsubmission_file_essay.doc", OLD_WORD)
        archive.writestr("Di Lee_1234570_assignsubmission_file_essay.pages", b"x")
    with pytest.warns(InputWarning, match="cannot be scored"):
        [topic] = pm.read(tmp_path / "moodle.zip", references=MODEL)
    assert [peer.id for peer in topic.peers] == ["Ann Lee"]
    assert [(peer.name, peer.number, peer.why) for peer in topic.unread] == [
        ("Cy Lee", "1234569", "Not read: Word 97, save as .docx."),
        ("Di Lee", "1234570", "Not read: Pages, export as .docx."),
    ]
    (classroom(tmp_path / "class") / "model answers" / "n.doc").write_bytes(OLD_WORD)
    with pytest.warns(InputWarning), pytest.raises(FormatError, match=r"n\.doc: Not read: Word 97, save as \.docx"):
        pm.read(tmp_path / "class")


def test_what_is_handed_in_beside_a_document_is_told_and_no_student(tmp_path: Path) -> None:
    (classroom(tmp_path) / "students" / "Ann.doc").write_bytes(OLD_WORD)  # beside Ann.docx
    with (
        pytest.warns(InputWarning, match="taken as"),
        pytest.warns(InputWarning, match=r"not used: students/Ann\.doc \(Ann has another document\)"),
    ):
        [topic] = pm.read(tmp_path)
    assert ([peer.id for peer in topic.peers], topic.unread) == (["Ann", "Bo"], ())


@pytest.mark.parametrize("kind", ["docx", "rtf"])
def test_another_format_under_the_name_of_word_97_is_read(tmp_path: Path, kind: str) -> None:
    students = classroom(tmp_path) / "students"
    shutil.copy(DOCUMENTS / f"essay.{kind}", students / "Cy.doc")
    with pytest.warns(InputWarning, match="3 files taken as"):
        [topic] = pm.read(tmp_path)
    assert topic.peer("Cy").text.strip()
    assert topic.unread == ()


def test_student_numbers_reach_the_gradebook() -> None:
    from pyramidion.reports.gradebook import gradebook

    topics = pm.read(DOCUMENTS / "moodle.zip", references=MODEL)
    header, *rows = gradebook(pm.evaluate(topics, "lite+soft")).decode("utf-8-sig").splitlines()
    assert header.startswith("topic,student,student_id,")
    assert [row.split(",")[1:3] for row in rows] == [["Ann Lee", "1234567"], ["Bo Diaz", "1234568"]]


def test_no_name_in_an_archive_leads_out_of_it(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "evil.zip", "w") as archive:
        archive.writestr("../../evil.txt", "Outside.")
    [topic] = pm.read(tmp_path / "evil.zip", references=MODEL)
    assert topic.peer("evil").text == "Outside."
    assert not (tmp_path.parent / "evil.txt").exists()


def test_a_corpus_folder_takes_documents_of_every_kind(tmp_path: Path) -> None:
    for part, name in (("references", "odt"), ("peers", "docx")):
        (tmp_path / "canal" / part).mkdir(parents=True)
        shutil.copy(DOCUMENTS / f"essay.{name}", tmp_path / "canal" / part)
    [topic] = pm.read(tmp_path)
    assert topic.references[0].text == topic.peers[0].text
