"""What readers of folders pass over is named with the reason, and what cannot be read to its end is never opened."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from pyramidion.base.unused import Unused, collect_unused, unused
from pyramidion.crowd.answers.collect import result_files
from pyramidion.errors import FormatError, InputWarning
from pyramidion.examples import example
from pyramidion.formats import folder, lite3pyramid, load


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def passed_over(path: Path) -> dict[str, str]:
    """What the reading of a folder did not use: names in the folder, with the reasons."""
    with collect_unused() as found:
        load(path)
    return {str(Path(each.path).relative_to(path)): each.why for each in found}


def test_a_document_beside_the_texts_is_named(tmp_path: Path) -> None:
    write(tmp_path, {"t/peers/Anna.txt": "Cats.", "t/peers/Ben.png": "Cats.", "t/references/A.txt": "Cats."})
    assert passed_over(tmp_path) == {
        "t/peers/Ben.png": "its name does not end in .txt or .docx or .odt or .pdf or .rtf or .html or .htm or .md"
    }


def test_everything_in_a_corpus_that_is_not_read(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "t/references/A.txt": "Cats.",
            "t/notes.md": "",
            "t/drafts/A.txt": "Cats",
            "t/peers/old/Anna.txt": "Cats.",
            "t/annotations/list.csv": "",
            "t/annotations/none.json": '{"topic": "t"}',
            "readme.md": "",
            "plan/list.md": "",
        },
    )
    (tmp_path / "t/sources").mkdir()
    (tmp_path / "later").mkdir()
    assert passed_over(tmp_path) == {
        "later": "an empty folder",
        "plan": "a folder that is no topic",
        "readme.md": "a file beside the topics, and no annotation",
        "t/annotations/list.csv": "a file that is no annotation (.json or .pan)",
        "t/annotations/none.json": "it holds no annotation",
        "t/drafts": "a folder that is no part of a topic",
        "t/notes.md": "a file that is no part of a topic",
        "t/peers/old": "a folder, not a file",
        "t/sources": "an empty folder",
    }


def test_hidden_entries_are_neither_read_nor_named(tmp_path: Path) -> None:
    write(
        tmp_path, {"t/peers/Anna.txt": "Cats.", "t/peers/._Anna.txt": "junk", ".DS_Store": "", ".half/peers/B.txt": ""}
    )
    assert passed_over(tmp_path) == {}
    (topic,) = load(tmp_path)
    assert [peer.id for peer in topic.peers] == ["Anna"]


def test_pipes_sockets_and_broken_links_are_named_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"t/references/A.txt": "Cats."})
    (tmp_path / "t/peers").mkdir()
    os.mkfifo(tmp_path / "t/peers/pipe.txt")
    os.mkfifo(tmp_path / "t/pyramid.json")
    (tmp_path / "t/peers/gone.txt").symlink_to("nowhere")
    monkeypatch.chdir(tmp_path / "t/peers")  # a socket's path may have only some hundred characters
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket.txt")
        assert passed_over(tmp_path) == {
            "t/peers/gone.txt": "a link to nothing, not a file",
            "t/peers/pipe.txt": "a named pipe, not a file",
            "t/peers/socket.txt": "a socket, not a file",
            "t/pyramid.json": "a named pipe, not a file",
        }


LITE3 = {
    "ids.txt": "d1\n",
    "references.txt": "Cats.\n",
    "SCUs.txt": "Cats\n",
    "STUs.txt": "Cats\n",
    "summaries/sys.summary": "Cats.\n",
    "labels/sys.label": "1\n",
}


def test_the_folder_of_lite3pyramid(tmp_path: Path) -> None:
    write(tmp_path, {**LITE3, "folds/1.id": "", "votes/1.csv": "", "summaries/notes.md": ""})
    os.mkfifo(tmp_path / "documents.txt")
    os.mkfifo(tmp_path / "summaries/pipe.summary")
    assert passed_over(tmp_path) == {
        "STUs.txt": "other units than those that are read (SCUs)",
        "documents.txt": "a named pipe, not a file",
        "summaries/notes.md": "its name does not end in .summary",
        "summaries/pipe.summary": "a named pipe, not a file",
        "votes": "a folder that is no part of this format",
    }


def test_labels_that_judge_nothing_are_named(tmp_path: Path) -> None:
    write(tmp_path, LITE3)
    with collect_unused() as found:
        lite3pyramid.load(tmp_path, units="STUs")
    assert [Path(each.path).name for each in found] == ["SCUs.txt", "labels"]
    (tmp_path / "SCUs.txt").unlink()
    with pytest.warns(InputWarning, match="Labels without"):
        assert passed_over(tmp_path)["labels"] == "labels without SCUs.txt say nothing"


def test_a_pipe_in_place_of_a_file_that_must_be_there_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, LITE3)
    (tmp_path / "ids.txt").unlink()
    os.mkfifo(tmp_path / "ids.txt")
    with pytest.raises(FormatError, match="a named pipe, not a file"):
        lite3pyramid.load(tmp_path)


def test_a_folder_of_the_crowds_results(tmp_path: Path) -> None:
    write(tmp_path, {"votes.csv": "Answer.S1Answer\n", "Plan.xlsx": ""})
    os.mkfifo(tmp_path / "pipe.csv")
    with collect_unused() as found:
        assert [file.name for file in result_files([tmp_path])] == ["votes.csv"]
    assert [(Path(each.path).name, each.why) for each in found] == [
        ("Plan.xlsx", "its name does not end in .csv or .tsv or .json or .jsonl"),
        ("pipe.csv", "a named pipe, not a file"),
    ]


def test_an_inner_block_collects_for_itself_and_outside_nothing_is_kept(tmp_path: Path) -> None:
    unused(tmp_path / "before", "nobody asked")
    with collect_unused() as outer:
        unused(tmp_path / "a", "first")
        with collect_unused() as inner:
            unused(tmp_path / "b", "second")
    assert outer == [Unused(str(tmp_path / "a"), "first")]
    assert inner == [Unused(str(tmp_path / "b"), "second")]


def test_a_folder_without_anything_else_has_nothing_unused(tmp_path: Path) -> None:
    folder.dump(example(), tmp_path / "new")
    assert passed_over(tmp_path / "new") == {}
