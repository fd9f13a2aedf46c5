"""A study as a value and as a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyramidion.crowd import study as studies
from pyramidion.crowd.design import Design
from pyramidion.crowd.plan import judging_tasks, plan
from pyramidion.crowd.study import Statement, Study, Task
from pyramidion.errors import FormatError, ModelError, PyramidionError
from pyramidion.model import Summary, Topic
from tests.strategies import TEXTS

TOPIC = Topic("t", (Summary("A", "A lake died."),), (Summary("x", "The lake died.", "peer"),))


@given(st.lists(TEXTS.filter(str.strip), min_size=1, max_size=4), TEXTS.filter(str.strip))
def test_a_study_survives_its_file(statements: list[str], text: str) -> None:
    topic = Topic("t", (Summary("A", text),), (Summary("x", text, "peer"),))
    study = plan([topic], Design(per_task=2, fee=0.1), name="näme")
    study = judging_tasks(study, [Statement(str(n), "t", "A", one) for n, one in enumerate(statements)])
    data = studies.dumps(study)
    assert studies.loads(data) == study
    assert studies.dumps(studies.loads(data)) == data


def test_a_folder_is_made_and_found(tmp_path: Path) -> None:
    study = plan([TOPIC])
    studies.dump(study, tmp_path / "new")
    assert studies.load(tmp_path / "new") == studies.load(tmp_path / "new" / "study.json") == study


def test_texts_of_tasks_are_found_by_phase() -> None:
    study = judging_tasks(plan([TOPIC]), [Statement("1", "t", "A", "A lake died")])
    writing, judging = study.tasks
    assert study.text_of(writing).text == "A lake died."
    assert study.text_of(judging).text == "The lake died."
    assert study.systems == ("x",)
    assert [one.id for one in study.sampled("t")] == ["1"]


def asking(task: Task) -> Study:
    return Study(
        "s", Design(), (TOPIC,), (Statement("1", "t", "A", "a"), Statement("2", "t", "A", "b", "", False)), (task,)
    )


@pytest.mark.parametrize(
    ("study", "message"),
    [
        (lambda: Study("s", Design(), (TOPIC, TOPIC)), "Two topics have the id 't'"),
        (lambda: Study("s", Design(), (TOPIC,), tasks=(Task("1", "writing", "t", "B", 1),)), "does not have"),
        (lambda: Study("s", Design(), (TOPIC,), tasks=(Task("1", "writing", "u", "A", 1),)), "no topic 'u'"),
        (
            lambda: Study("s", Design(), (TOPIC,), tasks=(Task("1", "judging", "t", "x", 1, ("9",)),)),
            "unknown statement '9'",
        ),
        (
            lambda: Study("s", Design(), (TOPIC,), (Statement("1", "t", "A", "a"), Statement("1", "t", "A", "b"))),
            "Two statements of topic 't' have the id '1'",
        ),
        (lambda: Study("s", Design(), (TOPIC,), (Statement("1", "u", "A", "a"),)), "no topic 'u'"),
        (lambda: asking(Task("1", "judging", "t", "x", 0, ("1",))), "is for 0 workers"),
        (lambda: asking(Task("1", "judging", "t", "x", 1, ("1", "1"))), "asks for a statement twice"),
        (lambda: asking(Task("1", "judging", "t", "x", 1, ("2",))), "'2', which is not sampled"),
    ],
)
def test_what_contradicts_itself_is_refused(study: object, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        study()  # type: ignore[operator]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ((b'"study": 1', b'"study": 2'), "The study has version 2"),
        ((b'"writers": 2', b'"writers": 0'), "The design sets writers to 0"),
        ((b'"phase": "writing"', b'"phase": "reading"'), "reading"),
        ((b'"summary": "A"', b'"summary": "Z"'), "is about 'Z'"),
        ((b'"name"', b'"nome"'), "nome|name"),
        ((b"{", b"["), "Expected 'object'"),
        ((b'"study": 1', b'"study": 2, "more": 3'), "The study has version 2; this Pyramidion reads version 1"),
        ((b'"workers": 5', b'"wokers": 3'), r"\$.design: The field 'wokers' is unknown"),
        ((b'"round": 1', b'"rund": 1'), r"\$.tasks: The field 'rund' is unknown"),
    ],
)
def test_a_damaged_file_is_one_clear_error(change: tuple[bytes, bytes], message: str) -> None:
    data = studies.dumps(plan([TOPIC]))
    assert change[0] in data
    with pytest.raises(PyramidionError, match=message) as caught:
        studies.loads(data.replace(change[0], change[1], 1), "x/study.json")
    assert str(caught.value).startswith("x/study.json")


def test_no_study_there(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match="There is no such file or folder"):
        studies.load(tmp_path / "none")


def test_replacing_keeps_the_index_right() -> None:
    study = plan([TOPIC])
    wider = replace(study, topics=(TOPIC, replace(TOPIC, id="u")))
    assert wider.topic("u").id == "u"
    with pytest.raises(ModelError, match="no topic 'u'"):
        study.topic("u")


def test_ids_with_slashes_are_not_taken_for_others() -> None:
    topics = (replace(TOPIC, id="a"), replace(TOPIC, id="a/b"))
    Study("s", Design(), topics, (Statement("b/c", "a", "A", "one"), Statement("c", "a/b", "A", "two")))


def test_a_dot_does_not_make_a_folder_a_file(tmp_path: Path) -> None:
    study = plan([TOPIC])
    studies.dump(study, tmp_path / "my.study")
    assert (tmp_path / "my.study" / "study.json").is_file()
    assert studies.load(tmp_path / "my.study") == study
    with pytest.raises(FormatError, match=r"other.study/study.json: There is no such file"):
        studies.load(tmp_path / "other.study")
    (tmp_path / "folder.json").mkdir()
    studies.dump(study, tmp_path / "folder.json")
    assert studies.load(tmp_path / "folder.json" / "study.json") == study
    with pytest.raises(PyramidionError, match="cannot be written: no such folder"):
        studies.dump(study, tmp_path / "no" / "where")


def test_a_study_may_be_larger_than_other_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = plan([TOPIC])
    studies.dump(study, tmp_path)
    monkeypatch.setattr("pyramidion.base.files.MAX_BYTES", 100)
    assert studies.load(tmp_path) == study


def test_a_lone_surrogate_is_an_error() -> None:
    with pytest.raises(FormatError, match="lone surrogate"):
        studies.dumps(plan([TOPIC], name="\ud800"))
