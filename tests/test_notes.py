"""Notes: they come to whoever asked, and to nobody else, from threads and processes, too."""

from __future__ import annotations

import ast
import pickle
import sqlite3
import subprocess
import sys
import warnings
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from threading import Barrier, Event, Thread

import pytest

import pyramidion as pm
from pyramidion.base.threads import in_order, in_parallel
from pyramidion.base.unused import unused
from pyramidion.errors import InputWarning
from pyramidion.evaluation.engines.processes import Processes
from pyramidion.evaluation.engines.serial import Serial
from pyramidion.evaluation.work import Scoring
from pyramidion.evaluation.worklist import items
from pyramidion.formats.read import tell_unused
from pyramidion.methods import Method
from pyramidion.notes import Note, collect_notes, copy_notes, note, repeat_notes, send_notes
from tests.evaluation.poison import SAY, WARN, install, topics
from tests.imports import SOURCE, modules, tree

PATIENCE = 60


@pytest.fixture
def poison(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A method with a matcher of another package that has something to say of some summaries."""
    monkeypatch.syspath_prepend(str(install(tmp_path / "packages")))
    return "given+poisoned"


def test_a_note_goes_to_the_nearest_collector_once() -> None:
    with collect_notes() as outer:
        note("first")
        with collect_notes() as inner:
            note("second")
            note("second")
        note("first")
    assert (outer, inner) == ([Note("first")], [Note("second")])


def test_notes_that_are_copied_are_told_outside_at_once() -> None:
    told: list[Note] = []
    with send_notes(told.append), copy_notes() as notes:
        note("one")
        assert told == [Note("one")]
        repeat_notes([Note("two"), Note("two")])
    assert told == notes == [Note("one"), Note("two")]


def test_a_note_can_be_sent_and_compared() -> None:
    assert pickle.loads(pickle.dumps(Note("text", FutureWarning))) == Note("text", FutureWarning) != Note("text")


# The edge of the Python API


def repeating() -> pm.Pyramid:
    """A pyramid with two contributors of one reference, made in a line of this module."""
    said = (pm.Contributor("a", (pm.Span(0, 1),)), pm.Contributor("a", (pm.Span(2, 3),)))
    return pm.Pyramid("t", (pm.Summary("a", "b c"),), (pm.SCU("1", "", said),))


def writing(folder: Path) -> None:
    pm.write(pm.example()[1], folder / "lagoon.pyr")


def reading(folder: Path) -> None:
    (folder / "peers").mkdir()
    (folder / "peers" / "a.txt").write_text("It rained.")
    (folder / "peers" / "a.png").touch()
    pm.read(folder)


def leaving(folder: Path) -> None:
    """By way of Python's own ``contextlib``."""
    with tell_unused(folder):
        unused(folder / "a.png", "a picture")


@pytest.mark.parametrize("do", [lambda folder: repeating(), writing, reading, leaving])
def test_where_nobody_collects_a_note_is_a_warning_at_the_line_outside_of_the_package(
    do: Callable[[Path], object], tmp_path: Path
) -> None:
    with pytest.warns(InputWarning) as told:
        do(tmp_path)
    assert {one.filename for one in told} == {__file__}


def test_an_evaluation_warns_and_has_its_notes() -> None:
    (topic, *_) = topics(1, 2)
    marked = pm.Annotation(topic.peers[0], (pm.Match("1", (pm.Span(0, 9),)),))
    corpus = [pm.Topic(topic.id, topic.references, topic.peers, (), topic.pyramid, (marked,))]
    expected = "Topic 't00000': there is no annotation of s1; left out"
    with pytest.warns(InputWarning) as told:
        evaluation = pm.evaluate(corpus, "manual")
    assert [str(one.message) for one in told] == [expected]
    assert evaluation.notes == (Note(expected),)
    assert evaluation.to_json()["notes"] == [expected]


def test_python_shows_a_note_once_for_each_line_that_called_the_package(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        "from pyramidion.model import *\n"
        "said = (Contributor('a', (Span(0, 1),)), Contributor('a', (Span(2, 3),)))\n"
        "for _ in range(3):\n"
        "    Pyramid('t', (Summary('a', 'b c'),), (SCU('1', '', said),))\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True)
    assert done.stderr.count("InputWarning: Pyramid 't': 1 SCU(s) have two contributors") == 1
    assert f"{script}:4: InputWarning" in done.stderr


# Threads


@pytest.mark.parametrize("run", [in_parallel, lambda *given: list(in_order(*given))], ids=["in_parallel", "in_order"])
def test_a_note_of_a_worker_thread_comes_to_its_asker_in_the_order_of_things(
    run: Callable[..., list[int]],
) -> None:
    later = Event()

    def work(number: int) -> int:
        if number == 0:
            assert later.wait(PATIENCE)
        note(f"of {number}")
        if number == 2:
            later.set()
        return number

    with collect_notes() as notes:
        assert run(work, range(3), 2) == [0, 1, 2]
    assert [one.text for one in notes] == ["of 0", "of 1", "of 2"]


def test_a_note_of_a_worker_thread_that_fails_is_told_before_its_error() -> None:
    def work(number: int) -> float:
        note(f"of {number}")
        return 1 / number

    with collect_notes() as notes, pytest.raises(ZeroDivisionError):
        in_parallel(work, range(2), 2)
    assert Note("of 0") in notes


def test_where_nobody_collects_a_note_of_a_worker_thread_is_a_warning_of_the_line_that_asked() -> None:
    with pytest.warns(InputWarning, match="of [01]") as told:
        in_parallel(lambda number: note(f"of {number}"), range(2), 2)
    assert {one.filename for one in told} == {__file__}


def test_two_who_ask_at_once_have_each_their_own_notes_and_nothing_is_left_changed() -> None:
    """The threads of both are inside of their collectors at the same time, and leave them in the other order."""
    before = warnings.filters[:], warnings.showwarning
    together = Barrier(4)
    first_is_out = Event()
    notes: dict[str, list[Note]] = {}

    def work(name: str) -> None:
        together.wait(PATIENCE)
        note(f"of {name}")
        together.wait(PATIENCE)

    def ask(name: str) -> None:
        with collect_notes() as notes[name]:
            in_parallel(work, [f"{name}1", f"{name}2"], 2)
            if name == "b":
                assert first_is_out.wait(PATIENCE)
        first_is_out.set()

    askers = [Thread(target=ask, args=(name,)) for name in "ab"]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join(PATIENCE)
    assert {name: [one.text for one in own] for name, own in notes.items()} == {
        "a": ["of a1", "of a2"],
        "b": ["of b1", "of b2"],
    }
    assert (warnings.filters[:], warnings.showwarning) == before


# Processes


@pytest.mark.parametrize("how", [SAY, WARN], ids=["a note", "a plug-in's warning"])
def test_what_is_noted_in_a_worker_process_comes_to_whoever_asked(how: str, poison: str) -> None:
    given = topics(2, 2, {(0, 1): how, (1, 0): how})
    outcomes = list(Processes(2).run(Scoring(Method.parse(poison)), items(given)))
    assert {outcome.key[0]: outcome.notes for outcome in outcomes} == {
        "t00000": (Note("Something is odd about s1"),),
        "t00001": (Note("Something is odd about s0"),),
    }
    with pytest.warns(InputWarning, match="odd about s1"), pytest.warns(InputWarning, match="odd about s0"):
        evaluation = pm.evaluate(given, poison, jobs=2)
    assert set(evaluation.notes) == {note for outcome in outcomes for note in outcome.notes}


@pytest.mark.parametrize("jobs", [0, 1])
def test_a_run_keeps_its_notes_and_says_them_again(jobs: int, poison: str, tmp_path: Path) -> None:
    """Whether they come from this process or from another; when it goes on, is read, or is scored anew."""
    given = topics(2, 2, {(0, 1): SAY, (1, 0): SAY})
    expected = (Note("Something is odd about s1"), Note("Something is odd about s0"))
    engine = Processes(jobs) if jobs else Serial()
    with collect_notes() as notes:
        result = pm.run(given, tmp_path / "run", poison, engine=engine)
    assert tuple(notes) == result.notes == expected
    assert result.to_json()["notes"] == list(map(str, expected))
    for again in (
        lambda: pm.run(given, tmp_path / "run", poison, engine=engine, resume=True),
        lambda: pm.read_run(tmp_path / "run"),
        lambda: pm.rescore(tmp_path / "run", tmp_path / "floor", pm.Settings(average="floor")),
    ):
        with collect_notes() as notes:
            assert again().notes == expected
        assert tuple(notes) == expected
    assert result.evaluation().notes == expected


def test_a_run_of_a_version_that_kept_no_notes_is_read_and_goes_on(poison: str, tmp_path: Path) -> None:
    given = topics(1, 2)
    pm.run(given, tmp_path / "run", poison, engine=Serial())
    with closing(sqlite3.connect(tmp_path / "run" / "results.sqlite")) as store:
        store.execute("drop table notes")
    assert pm.read_run(tmp_path / "run").notes == ()
    assert pm.run(given, tmp_path / "run", poison, engine=Serial(), resume=True).notes == ()


# The code


ELSEWHERE = {
    "pyramidion/cli/__init__.py": {"showwarning": "the command's own process: libraries and plug-ins warn in a line"},
}
"""What a module other than ``notes.py`` may take from Python's warnings, and why."""


def test_python_s_warnings_are_used_nowhere_else() -> None:
    """They are one channel for all threads of a process: whoever has something to say calls ``note``."""
    used = [
        (str(path.relative_to(SOURCE)), node.attr if isinstance(node, ast.Attribute) else "import")
        for path in modules().values()
        for node in ast.walk(tree(path))
        if (isinstance(node, ast.ImportFrom) and node.module == "warnings")
        or (isinstance(node, ast.Attribute) and ast.unparse(node.value) == "warnings")
    ]
    wrong = [
        f"{path}: warnings.{name}"
        for path, name in used
        if path != "pyramidion/notes.py" and name not in ELSEWHERE.get(path, {})
    ]
    assert not wrong
    assert {(path, name) for path, names in ELSEWHERE.items() for name in names} <= set(used)
