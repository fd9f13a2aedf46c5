"""The corpus folder: what is read from where, and that nothing is lost or overwritten."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given

from pyramidion.errors import FormatError, InputWarning, ModelError, PyramidionError
from pyramidion.examples import example
from pyramidion.formats import ducview, folder, native
from pyramidion.model import Annotation, Summary, Topic
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
    with pytest.warns(InputWarning, match=r"the annotation of 'p' was made on another text than peers/p.txt"):
        (topic,) = folder.load(tmp_path)
    assert topic.peers == (peer,)


def test_references_that_the_pyramid_was_not_made_of(tmp_path: Path) -> None:
    folder.dump(example()[:1], tmp_path / "c")
    write(tmp_path / "c", {"lake-revival/references/F.txt": "A sixth."})
    with pytest.warns(InputWarning, match="made of other references"):
        (topic,) = folder.load(tmp_path / "c")
    assert topic.pyramid is not None
    assert (len(topic.references), topic.pyramid.size) == (6, 5)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"x.txt": ""}, "no topic in this folder; a topic is a folder with references/"),
        ({"t/pyramid.json": '{"topic": "t"}'}, "pyramid.json: no pyramid in this file"),
        ({"t/pyramid.json": "{}", "t/pyramid.pyr": ""}, "two pyramids"),
        ({"t/annotations/p.json": '{"topic": "t"}\n{"topic": "u"}'}, "p.json: 2 topics in one file"),
        ({"t/annotations/p.json": '{"topic": "t"'}, r"p.json:1:\d+: the JSON ends too early"),
    ],
)
def test_what_is_wrong_is_said_with_its_file(tmp_path: Path, files: dict[str, str], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        folder.load(write(tmp_path, files))


def test_an_annotation_of_an_scu_that_the_pyramid_lacks(tmp_path: Path) -> None:
    folder.dump(example()[:1], tmp_path / "c")
    path = tmp_path / "c" / "lake-revival" / "annotations" / "copy.json"
    path.write_text(path.read_text().replace('"scu": "1"', '"scu": "77"'))
    with pytest.raises(ModelError, match=r"copy.json: the annotation of 'copy' matches SCU '77'"):
        folder.load(tmp_path / "c")


def test_an_existing_folder_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("precious")
    with pytest.raises(PyramidionError, match="cannot be written: it is there already and not an empty folder"):
        folder.dump(example(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize("id", ["../x", "a/b", ".hidden", "x\n", "a" * 300])
def test_ids_that_cannot_be_file_names(tmp_path: Path, id: str) -> None:
    with pytest.raises(FormatError, match="cannot be a file's name"):
        folder.dump([Topic("t", (Summary(id, "x"),))], tmp_path / "out")
    assert not (tmp_path / "out").exists()
