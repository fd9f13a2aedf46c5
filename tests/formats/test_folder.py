"""The corpus folder: what is read from where, and that nothing is lost or overwritten."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.errors import FormatError, InputWarning, LossError, ModelError, PyramidionError
from pyramidion.examples import example
from pyramidion.formats import ducview, dump, folder, load, native, sniff
from pyramidion.model import Annotation, Summary, Topic
from tests.fuzz import mutated, only_our_errors
from tests.strategies import topics


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def test_texts_alone_make_topics_in_the_order_of_their_names(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "b/references/A.txt": "Cats.",
            "a/peers/sys.txt": "",
            "a/sources/1.txt": "Long.",
            "notes/readme.md": "no topic",
        },
    )
    first, second = folder.load(tmp_path)
    assert (first.id, first.peers, first.sources[0].text) == ("a", (Summary("sys", "", "peer"),), "Long.")
    assert (second.id, second.references) == ("b", (Summary("A", "Cats."),))


def test_a_folder_that_is_one_topic(tmp_path: Path) -> None:
    (topic,) = folder.load(write(tmp_path / "cats", {"references/A.txt": "Cats."}))
    assert topic.id == "cats"


@pytest.mark.parametrize("files", ["json", "ducview"])
def test_the_example_survives_both_ways_of_writing(tmp_path: Path, files: str) -> None:
    folder.dump(example(), tmp_path / "out", files=files)
    assert [_sorted(topic) for topic in folder.load(tmp_path / "out")] == [_sorted(topic) for topic in example()]


def _sorted(topic: Topic) -> tuple[object, ...]:
    """Everything of a topic that has no order, in one."""
    annotations = [(a.summary, sorted(a.matches, key=str), a.unmatched, a.annotator) for a in topic.annotations]
    pyramid = topic.pyramid
    assert pyramid is not None
    texts = {(reference.id, reference.text) for reference in topic.references}
    return topic.id, texts, topic.peers, topic.sources, pyramid.scus, annotations


@given(topic=topics())
def test_any_topic_survives(topic: Topic, tmp_path_factory: pytest.TempPathFactory) -> None:
    out = tmp_path_factory.mktemp("out") / "corpus"
    folder.dump([topic], out)
    (back,) = folder.load(out)
    by_name = tuple(sorted(topic.peers, key=lambda peer: peer.id))
    assert (back.pyramid, back.peers, back.sources) == (topic.pyramid, by_name, topic.sources)
    assert set(back.annotations) == set(topic.annotations)


def test_a_folder_of_pan_files_as_duc_distributed_them(tmp_path: Path) -> None:
    topic = example()[0]
    for annotation in topic.annotations[:3]:
        one = Topic(topic.id, topic.references, (annotation.summary,), (), topic.pyramid, (annotation,))
        (tmp_path / f"{annotation.summary.id}.pan").write_bytes(ducview.dumps([one]))
    (joined,) = folder.load(tmp_path)
    assert [one.summary.id for one in joined.annotations] == ["copy", "empty", "off-topic"]
    assert [peer.id for peer in joined.peers] == ["copy", "empty", "off-topic"]


def test_files_of_two_pyramids_do_not_become_one_topic(tmp_path: Path) -> None:
    for topic in example():
        annotation = topic.annotations[0]
        one = Topic(topic.id, topic.references, (annotation.summary,), (), topic.pyramid, (annotation,))
        (tmp_path / f"{topic.id}.pan").write_bytes(ducview.dumps([one]))
    with pytest.raises(ModelError, match="comes with two different pyramids"):
        folder.load(tmp_path)


def test_the_annotated_text_wins_over_the_file_with_a_warning(tmp_path: Path) -> None:
    peer = Summary("p", "Cats sleep.", "peer")
    annotation = native.dumps([Topic("t", peers=(peer,), annotations=(Annotation(peer),))]).decode()
    write(tmp_path, {"t/peers/p.txt": "Dogs bark.", "t/annotations/p.json": annotation})
    with pytest.warns(InputWarning, match=r"The annotation of 'p' was made on another text than peers/p.txt"):
        (topic,) = folder.load(tmp_path)
    assert topic.peers == (peer,)


def test_references_that_the_pyramid_was_not_made_of(tmp_path: Path) -> None:
    folder.dump(example()[:1], tmp_path / "c")
    write(tmp_path / "c", {"lake-revival/references/F.txt": "A sixth."})
    with pytest.warns(InputWarning, match="made from other references"):
        (topic,) = folder.load(tmp_path / "c")
    assert topic.pyramid is not None
    assert (len(topic.references), topic.pyramid.size) == (6, 5)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"x.txt": ""}, "There is no topic in this folder; add a folder for each topic, with references/"),
        ({"t/pyramid.json": '{"topic": "t"}'}, "pyramid.json: There is no pyramid in this file"),
        ({"t/pyramid.json": "{}", "t/pyramid.pyr": ""}, "two pyramids"),
        ({"t/annotations/p.json": '{"topic": "t"}\n{"topic": "u"}'}, "p.json: The file holds 2 topics"),
        ({"t/annotations/p.json": '{"topic": "t"'}, r"p.json:1:\d+: The JSON ends too early"),
    ],
)
def test_what_is_wrong_is_said_with_its_file(tmp_path: Path, files: dict[str, str], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        folder.load(write(tmp_path, files))


def test_an_annotation_of_an_scu_that_the_pyramid_lacks(tmp_path: Path) -> None:
    folder.dump(example()[:1], tmp_path / "c")
    path = tmp_path / "c" / "lake-revival" / "annotations" / "copy.json"
    path.write_text(path.read_text().replace('"scu": "1"', '"scu": "77"'))
    with pytest.raises(ModelError, match=r"copy.json: The annotation of 'copy' matches SCU '77'"):
        folder.load(tmp_path / "c")


def test_an_existing_folder_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(PyramidionError, match="cannot be written: it already exists and is not an empty folder"):
        folder.dump(example(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize("id", ["../x", "a/b", ".hidden", "x\n", "a" * 300])
def test_ids_that_cannot_be_file_names(tmp_path: Path, id: str) -> None:
    with pytest.raises(FormatError, match="cannot be a file's name"):
        folder.dump([Topic("t", (Summary(id, "x"),))], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_files_as_nist_named_them_need_no_ending(tmp_path: Path) -> None:
    topic = example()[0]
    annotation = topic.annotations[0]
    one = Topic(topic.id, topic.references, (annotation.summary,), (), topic.pyramid, (annotation,))
    for name in ("114.D0631.M.250.A.16", "115.D0631.M.250.A.16", "114.D0631.M.250.A.17"):
        (tmp_path / name).write_bytes(ducview.dumps([one]))
    (tmp_path / "D0631.M.250.A.B").write_text("A reference's text.")
    assert sniff(tmp_path) == "folder"
    (joined,) = folder.load(tmp_path)
    assert joined.id == "D0631"
    assert [(one.summary.id, one.annotator) for one in joined.annotations] == [
        ("16", "114"),
        ("17", "114"),
        ("16", "115"),
    ]


def test_what_the_files_do_not_give_back_is_listed(tmp_path: Path) -> None:
    topic = Topic("t", (Summary("A", "Cats.\r\nDogs."),), (Summary("p", "\ufeffCats.", "peer"),))
    lost = folder.losses([topic, Topic("u")], tmp_path / "out")
    assert lost == [
        "topic 't': the text of 1 reference(s) (the first: 'Cats.\\r\\nDogs.' becomes 'Cats.\\nDogs.')",
        "topic 't': the text of 1 peer(s) (the first: '\\ufeffCats.' becomes 'Cats.')",
        "topic 'u': everything: nothing of it can be written",
    ]
    with pytest.raises(LossError, match="would lose topic 't'"):
        dump([topic], tmp_path / "out", strict=True)
    assert not (tmp_path / "out").exists()


def test_ducview_files_lose_what_ducview_loses(tmp_path: Path) -> None:
    topic = example()[0]
    named = replace(topic, annotations=tuple(replace(one, annotator="x") for one in topic.annotations[:1]))
    assert folder.losses([named], tmp_path / "out") == []
    assert folder.losses([named], tmp_path / "out", files="ducview") == [
        "topic 'lake-revival': that there is no peer 'x.copy'",
        "topic 'lake-revival': the annotator of 1 annotation(s) (the first: 'x' becomes '')",
        "topic 'lake-revival': the id of 1 annotated text(s) (the first: 'copy' becomes 'x.copy')",
    ]
    assert folder.losses([topic], tmp_path / "out", files="ducview") == []
    with pytest.raises(LossError):
        dump([named], tmp_path / "out", strict=True, files="ducview")


def test_a_topic_comes_once(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="Topic 't' occurs twice"):
        folder.dump([Topic("t", (Summary("A", "x"),))] * 2, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_annotations_whose_files_would_have_one_name(tmp_path: Path) -> None:
    peers = (Summary("b.c", "x", "peer"), Summary("c", "x", "peer"))
    made = (Annotation(peers[0], annotator="a"), Annotation(peers[1], annotator="a.b"))
    with pytest.raises(FormatError, match=r"Two annotations would be the file 't/annotations/a.b.c.json'"):
        folder.dump([Topic("t", (), peers, annotations=made)], tmp_path / "out")


FILES = folder._topic_files(example()[0], "json") | {
    name: data for name, data in folder._topic_files(example()[0], "ducview").items() if name.endswith("copy.pan")
}


@given(st.data())
def test_damaged_folders(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    out = tmp_path_factory.mktemp("fuzz")
    for name in data.draw(st.lists(st.sampled_from(sorted(FILES)), min_size=1, max_size=6, unique=True)):
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        kind = data.draw(st.sampled_from(["whole", "damaged", "folder", "loop", "pipe", "nowhere"]))
        if kind in ("whole", "damaged"):
            path.write_bytes(FILES[name] if kind == "whole" else data.draw(mutated(FILES[name])))
        elif kind == "folder":
            path.mkdir()
        elif kind == "pipe":
            os.mkfifo(path)
        else:
            path.symlink_to(path.name if kind == "loop" else "nowhere")
    only_our_errors(lambda: load(out))
    only_our_errors(lambda: load(out / "lake-revival"))
