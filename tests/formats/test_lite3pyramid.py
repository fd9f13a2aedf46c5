"""The line-aligned folder of Lite2-3Pyramid: read, checked line by line, and written whole or not at all."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.errors import FormatError, InputWarning, LossError, PyramidionError
from pyramidion.formats import dump, lite3pyramid, load
from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Source, Span, Summary, Topic
from tests.fuzz import mutated, only_our_errors
from tests.strategies import topics

FILES = {
    "ids.txt": "d1\nd2",
    "references.txt": "Rents rise; wages, too.\nA dam broke.",
    "documents.txt": "A long text.\nAnother one.",
    "SCUs.txt": "Rents rise.\tWages rise.\nA dam broke.",
    "STUs.txt": "rents rise\nA dam\tbroke",
    "summaries/bart.summary": "Rents rise.\n",
    "summaries/t5.v2.summary": "Wages.\nDam breaks.",
    "labels/bart.label": "1\t0\n0",
}


def folder(path: Path, **changes: str) -> Path:
    """The sample folder, with other files; ``__`` in a name stands for a slash, ``_`` for a dot."""
    renamed = {name.replace("__", "/").replace("_", "."): text for name, text in changes.items()}
    for name, text in (FILES | renamed).items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_bytes(text.encode())
    return path


def test_one_topic_per_line(tmp_path: Path) -> None:
    first, second = lite3pyramid.load(folder(tmp_path))
    reference = Summary("reference", "Rents rise; wages, too.")
    assert (first.id, second.id) == ("d1", "d2")
    assert first.references == (reference,)
    assert first.sources == (Source("document", "A long text."),)
    assert first.peers == (Summary("bart", "Rents rise.", "peer"), Summary("t5.v2", "Wages.", "peer"))
    assert first.pyramid == Pyramid(
        "d1",
        (reference,),
        (
            SCU("1", "Rents rise.", (Contributor("reference", label="Rents rise."),)),
            SCU("2", "Wages rise.", (Contributor("reference", label="Wages rise."),)),
        ),
    )
    assert first.annotations == (Annotation(first.peers[0], (Match("1"),)),)
    assert second.annotations == (Annotation(Summary("bart", "", "peer")),)


def test_a_summary_may_be_empty_even_the_last_with_or_without_a_line_end(tmp_path: Path) -> None:
    for text in ("Rents rise.\n", "Rents rise.\n\n", "Rents rise.\r\n\r\n"):
        _, second = lite3pyramid.load(folder(tmp_path, summaries__bart_summary=text))
        assert second.peers[0].text == ""
    for text in ("\n", "\n\n"):
        first, _ = lite3pyramid.load(folder(tmp_path, summaries__bart_summary=text))
        assert first.peers[0].text == ""


def test_only_newlines_end_a_line(tmp_path: Path) -> None:
    first, _ = lite3pyramid.load(folder(tmp_path, references_txt="One\u2028still one\x0cand so on.\nTwo."))
    assert first.references[0].text == "One\u2028still one\x0cand so on."


def test_stus_are_read_without_the_labels_that_judge_scus(tmp_path: Path) -> None:
    _, second = lite3pyramid.load(folder(tmp_path), units="STUs")
    assert second.pyramid is not None
    assert [scu.label for scu in second.pyramid.scus] == ["A dam", "broke"]
    assert second.annotations == ()
    (tmp_path / "STUs.txt").unlink()
    with pytest.raises(FormatError, match=r"STUs\.txt: There is no such file"):
        lite3pyramid.load(tmp_path, units="STUs")


def test_parts_may_be_missing(tmp_path: Path) -> None:
    for name in ("documents.txt", "STUs.txt", "labels/bart.label", "SCUs.txt", "summaries/bart.summary"):
        folder(tmp_path)
        (tmp_path / name).unlink()
        if name == "SCUs.txt":
            with pytest.warns(InputWarning, match=r"Labels without SCUs\.txt cannot be used and were left out"):
                first, _ = lite3pyramid.load(tmp_path)
            assert first.pyramid is None
        elif name != "summaries/bart.summary":
            first, _ = lite3pyramid.load(tmp_path)
            assert bool(first.sources) == (name != "documents.txt")
    shutil.rmtree(tmp_path / "labels")
    assert len(lite3pyramid.load(tmp_path)[0].peers) == 1


def test_a_document_without_units_or_source(tmp_path: Path) -> None:
    made = folder(
        tmp_path, SCUs_txt="Rents rise.\tWages rise.\n\n", labels__bart_label="1\t0\n\n", documents_txt="\nA text."
    )
    first, second = lite3pyramid.load(made)
    assert first.sources == ()
    assert second.pyramid is not None
    assert second.pyramid.scus == ()


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("ids.txt", " \n", "ids.txt: The file is empty"),
        ("ids.txt", "d1\n\nd2", "ids.txt:2: The id is empty"),
        ("ids.txt", "d1\nd1\n", "ids.txt:2: The id 'd1' occurs twice, first in line 1"),
        ("references.txt", "Rents rise.", "references.txt:1: The file has 1 lines, but ids.txt has 2"),
        ("documents.txt", "a\nb\nc\nd", "documents.txt:3: The file has 4 lines, but ids.txt has 2"),
        ("summaries/bart.summary", "a\nb\nc", "bart.summary:3: The file has 3 lines, but ids.txt has 2"),
        ("SCUs.txt", "Rents rise.\t\nA dam broke.", "SCUs.txt:1: cell 2: the unit is empty"),
        ("labels/bart.label", "1\t0\n2", "bart.label:2: cell 1: the label is '2', not 0 or 1"),
        ("labels/bart.label", "1\n0", "bart.label:1: There are 1 labels for the 2 units of 'd1'"),
        ("labels/bart.label", "1\t0\t1\n0", "bart.label:1: There are 3 labels for the 2 units of 'd1'"),
        ("labels/gpt.label", "1\t0\n0", "gpt.label: The system 'gpt' has labels but no summaries"),
        ("summaries/bart.summary", "a\0\nb", "bart.summary: This is a binary file"),
    ],
)
def test_errors_say_where(tmp_path: Path, name: str, text: str, message: str) -> None:
    folder(tmp_path)
    (tmp_path / name).write_text(text)
    with pytest.raises(FormatError, match=message):
        lite3pyramid.load(tmp_path)


def test_paths_that_are_no_such_folder(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="This is not a folder"):
        lite3pyramid.load(tmp_path / "nothing")
    with pytest.raises(FormatError, match=r"ids\.txt: There is no such file"):
        lite3pyramid.load(tmp_path)
    (folder(tmp_path) / "references.txt").unlink()
    with pytest.raises(FormatError, match=r"references\.txt: There is no such file"):
        lite3pyramid.load(tmp_path)
    assert not lite3pyramid.sniff(tmp_path, b"")


def test_sniffing_takes_ids_and_references(tmp_path: Path) -> None:
    assert lite3pyramid.sniff(folder(tmp_path), b"")
    assert not lite3pyramid.sniff(tmp_path / "ids.txt", b"d1\nd2")


def test_the_same_folder_comes_back(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    read = lite3pyramid.load(folder(tmp_path / "in"))
    assert lite3pyramid.losses(read, tmp_path / "out") == []
    dump(read, tmp_path / "out", "lite3pyramid", strict=True)
    assert sorted(str(file.relative_to(tmp_path / "out")) for file in (tmp_path / "out").rglob("*.*")) == sorted(
        name for name in FILES if name != "STUs.txt"
    )
    assert (tmp_path / "out" / "labels" / "bart.label").read_text() == "1\t0\n0\n"
    assert load(tmp_path / "out", "lite3pyramid") == read


def test_only_a_new_or_empty_folder_is_written(tmp_path: Path) -> None:
    read = lite3pyramid.load(folder(tmp_path))
    with pytest.raises(PyramidionError, match="it already exists and is not an empty folder; choose another path"):
        lite3pyramid.dump(read, tmp_path)
    with pytest.raises(PyramidionError, match="it already exists and is not an empty folder"):
        lite3pyramid.dump(read, tmp_path / "ids.txt")
    (tmp_path / "out").mkdir()
    lite3pyramid.dump(read, tmp_path / "out")
    assert lite3pyramid.load(tmp_path / "out") == read


def test_a_failure_leaves_nothing_behind(tmp_path: Path) -> None:
    (topic, _) = lite3pyramid.load(folder(tmp_path / "in"))
    bad = replace(topic, sources=(Source("document", "\ud800"),))
    with pytest.raises(FormatError, match="a lone surrogate"):
        lite3pyramid.dump([bad], tmp_path / "out")
    with pytest.raises(PyramidionError, match="cannot be written: no such folder"):
        lite3pyramid.dump([topic], tmp_path / "no" / "such" / "place")
    with pytest.raises(PyramidionError, match="cannot be written: File name too long"):
        lite3pyramid.dump([replace(topic, peers=(Summary("x" * 300, "", "peer"),), annotations=())], tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["in"]


@pytest.mark.parametrize("id", ["", "../up", "a\\b", ".hidden", "nul\0"])
def test_a_peer_whose_id_is_no_file_name_is_refused(tmp_path: Path, id: str) -> None:
    with pytest.raises(FormatError, match="cannot be a file name"):
        lite3pyramid.dump([Topic("t", peers=(Summary(id, "x", "peer"),))], tmp_path / "out")


def test_topics_need_distinct_ids_and_scus_labels(tmp_path: Path) -> None:
    pyramid = Pyramid("t", (Summary("A", ""),), (SCU("1", " ", (Contributor("A"),)),))
    with pytest.raises(FormatError, match="Topic 't': SCU '1' has no label"):
        lite3pyramid.dump([Topic("t", pyramid=pyramid)], tmp_path / "out")
    for ids in ((), ("a\nb", "a b"), (" ",)):
        with pytest.raises(FormatError, match="distinct ids that are not empty"):
            lite3pyramid.dump([Topic(id) for id in ids], tmp_path / "out")


def test_what_a_folder_cannot_hold_is_listed(tmp_path: Path) -> None:
    references = (Summary("A", "a\tcat"), Summary("B", "cats"))
    contributors = (Contributor("A", (Span(0, 1),), comment="sure"), Contributor("B", label="cats"))
    pyramid = Pyramid("t", references, (SCU("7", "Cats", contributors),))
    peers = (Summary("p", "x", "peer"), Summary("q", "y", "peer"))
    annotations = (
        Annotation(peers[0], (Match("7", (Span(0, 1),)), Match("7", score=0.5)), annotator="ann"),
        Annotation(peers[0], annotator="bob"),
        Annotation(peers[1], unmatched=(Contributor("q"),), comments=(("7", "hm"),)),
    )
    full = Topic("t", references, peers, (Source("1", "x"), Source("2", "y")), pyramid, annotations)
    other = Topic(
        "u", pyramid=Pyramid("u", (Summary("reference", ""),), (SCU("1", "Dogs", (Contributor("reference"),)),))
    )
    bare = replace(other, peers=peers[:1], annotations=(Annotation(peers[0]),))
    assert lite3pyramid.losses([full, bare], tmp_path / "out") == [
        "topic 't': 2 reference(s): 'A', 'B'; 1 other(s) come back",
        "topic 't': 2 source document(s): '1', '2'; 1 other(s) come back",
        "topic 't': the id of 1 SCU(s) (the first: '7' becomes '1')",
        "topic 't': the number of contributors of 1 SCU(s) (the first: 2 becomes 1)",
        "topic 't': the summary of 1 contributor(s) (the first: 'A' becomes 'reference')",
        "topic 't': the spans of 1 contributor(s) (the first: 0-1 becomes nowhere)",
        "topic 't': the comment of 1 contributor(s) (the first: 'sure' becomes '')",
        "topic 't': 3 annotation(s): 'p by ann', 'p by bob', 'q'",
        "topic 'u': that there is no peer 'q'",
    ]
    with pytest.raises(LossError, match="would lose"):
        dump([full, bare], tmp_path / "out", "lite3pyramid", strict=True)
    lite3pyramid.dump([full, bare], tmp_path / "out")
    first, second = lite3pyramid.load(tmp_path / "out")
    assert first.references[0].text == "a cat"
    assert [(annotation.summary.id, annotation.expressed) for annotation in first.annotations] == [("p", ("1",))]
    assert second.peers[1].text == ""


@given(st.lists(topics(), min_size=1, max_size=3, unique_by=lambda topic: topic.id))
def test_what_is_written_can_be_read_and_written_again(corpus: list[Topic]) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        first, second = Path(temporary) / "first", Path(temporary) / "second"
        try:
            lite3pyramid.dump(corpus, first)
        except PyramidionError:
            assert not first.exists()
            return
        read = lite3pyramid.load(first)
        lite3pyramid.dump(read, second)
        assert lite3pyramid.load(second) == read


@given(st.data(), st.sampled_from(sorted(FILES)), st.sampled_from(["SCUs", "STUs"]))
def test_damaged_and_random_files(data: st.DataObject, name: str, units: str) -> None:
    content = data.draw(mutated(FILES[name].encode()) | st.binary(max_size=100))
    with tempfile.TemporaryDirectory() as temporary:
        made = folder(Path(temporary))
        (made / name).write_bytes(content)
        only_our_errors(lambda: lite3pyramid.load(made, units=units))


@pytest.mark.data
def test_realsumm(data: Path, tmp_path: Path) -> None:
    """100 documents, 25 systems, 1056 SCUs; 45.7 % of the 26,400 judgements are "present"."""
    read = lite3pyramid.load(data / "realsumm")
    assert len(read) == 100
    assert {len(topic.peers) for topic in read} == {len(topic.annotations) for topic in read} == {25}
    sizes = [len(topic.pyramid.scus) for topic in read if topic.pyramid]
    assert sum(sizes) == 1056
    assert sum(size * 25 for size in sizes) == 26_400
    present = sum(len(annotation.matches) for topic in read for annotation in topic.annotations)
    assert round(100 * present / 26_400, 1) == 45.7
    dump(read, tmp_path / "out", "lite3pyramid", strict=True)
    assert lite3pyramid.load(tmp_path / "out") == read
