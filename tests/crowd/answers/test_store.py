"""The store: adding only, all or nothing, from two processes at once, and never beside made-up answers."""

from __future__ import annotations

import random
import sqlite3
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyramidion.crowd.answers.store import Imported, Status, Store
from pyramidion.crowd.answers.submission import Asked, Submission
from pyramidion.errors import PyramidionError
from tests.crowd.making import judged
from tests.processes import PATIENCE, running

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
SUBMISSION = st.builds(
    lambda id, task, answers, **more: Submission(
        id, "judging", task=task, asked=Asked(tuple(map(str, range(len(answers))))), answers=answers, **more
    ),
    TEXT,
    TEXT,
    st.text("pn?-", max_size=4),
    topic=TEXT,
    summary=TEXT,
    worker=TEXT,
    checks=st.lists(st.tuples(TEXT, st.sampled_from("pn?-")), max_size=2).map(tuple),
    seconds=st.none() | st.floats(0, 1e6),
    submitted=TEXT,
    text=TEXT,
    extra=st.lists(st.tuples(TEXT, TEXT), max_size=2).map(tuple),
)


def answer(worker: str, answers: str = "pn", **more: Any) -> Submission:
    return judged(worker, answers, **more)


def query(store: Store, statement: str) -> list[Any]:
    """What a statement selects from a store's file, if there is one."""
    if not store.path.exists():
        return []
    with closing(sqlite3.connect(store.path)) as connection:
        return connection.execute(statement).fetchall()


def imports(store: Store) -> list[tuple[str, str, int, int, int]]:
    """Every import: source, time, and how many submissions were new, known and conflicting."""
    return query(store, "select source, time, new, known, conflicting from imports order by number")


def conflicts(store: Store) -> list[tuple[str, str, str]]:
    """Id, task and source of the submissions that conflict with one that stands."""
    return query(store, "select id, task, source from conflicts join imports on import = number order by id, task")


def test_nothing_is_made_before_something_is_added(tmp_path: Path) -> None:
    store = Store(tmp_path)
    assert (store.submissions(), store.kind(), imports(store), conflicts(store)) == ([], "empty", [], [])
    assert store.done("judging") == []
    assert store.add([answer("a")], "r.csv", dry_run=True) == Imported(new=1)
    assert not list(tmp_path.iterdir())


def test_what_is_added_again_is_known(tmp_path: Path) -> None:
    store = Store(tmp_path)
    both = [answer("a"), replace(answer("b"), phase="writing", asked=Asked(()), answers="", written=("x", "y"))]
    assert store.add(both, "r.csv") == Imported(new=2)
    assert store.add([*both, answer("c")], "s.csv") == Imported(new=1, known=2)
    assert store.submissions() == [answer("a"), answer("c"), both[1]]
    assert store.submissions("judging") == [answer("a"), answer("c")]
    assert [(source, new, known) for source, _, new, known, _ in imports(store)] == [("r.csv", 2, 0), ("s.csv", 1, 2)]


def test_the_first_answers_of_a_worker_to_a_task_stand_whatever_their_id(tmp_path: Path) -> None:
    store = Store(tmp_path)
    first = answer("a", "pn")
    assert store.add_first(first, "crowd serve") == "new"
    assert store.add_first(replace(first, id="other", seconds=9.0), "crowd serve") == "known"
    for id in (first.id, "other"):
        assert store.add_first(replace(first, id=id, answers="nn"), "crowd serve") == "conflicting"
    assert store.add_first(replace(first, task="another"), "crowd serve") == "new"
    assert store.add_first(replace(first, worker="b"), "crowd serve") == "new"  # a link that two were given
    stood = [(one.task, one.worker, one.answers) for one in store.submissions()]
    assert sorted(stood) == [(first.task, "a", "pn"), (first.task, "b", "pn"), ("another", "a", "pn")]
    assert [new for _, _, new, _, _ in imports(store)] == [1, 1, 1]  # what is refused leaves no trace


def test_of_many_at_once_one_is_the_first(tmp_path: Path) -> None:
    sent = [replace(answer("a", f"{one}{other}"), id=one + other) for one in "pn?" for other in "pn?"]
    with ThreadPoolExecutor(9) as pool:
        became = Counter(pool.map(lambda one: Store(tmp_path).add_first(one, "crowd serve"), sent))
    assert became == {"new": 1, "conflicting": 8}
    assert len(Store(tmp_path).submissions()) == 1


def test_other_answers_of_one_id_conflict_and_the_first_stand(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add([answer("a", "pn")], "r.csv")
    other = replace(answer("a", "pn"), answers="nn")
    assert store.add([other], "s.csv") == Imported(conflicting=1, conflicts=(other.id,))
    assert store.add([other], "s.csv") == Imported(known=1)
    assert store.submissions() == [answer("a", "pn")]
    assert conflicts(store) == [(other.id, "", "s.csv")]
    assert store.add([replace(other, task="another")], "t.csv").new == 1


def test_what_a_platform_says_later_is_kept_beside(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add([answer("a", status="submitted")], "r.csv")
    id = answer("a").id
    assert store.add(
        [answer("a", status="approved", submitted="later")], "s.csv", statuses=[Status(id, "approved")]
    ) == (Imported(known=1))
    assert store.submissions() == [answer("a", status="approved")]
    assert store.add([], "p.csv", statuses=[Status("unknown", "rejected")]) == Imported(unmatched=1)


@settings(max_examples=12)
@given(st.permutations([("submitted", ""), ("approved", "2024-05-02"), ("rejected", "2024-05-01"), ("approved", "")]))
def test_the_latest_decision_counts_in_whatever_order_it_came(
    tmp_path_factory: pytest.TempPathFactory, order: list[tuple[str, str]]
) -> None:
    store = Store(tmp_path_factory.mktemp("s"))
    store.add([answer("a")], "r.csv")
    for status, decided in order:
        store.add([], "x", statuses=[Status(answer("a").id, status, decided, 12.0)])
    assert [(one.status, one.seconds) for one in store.submissions()] == [("approved", 12.0)]
    assert store.done("judging") == [("", "a", "approved")]
    assert store.done("writing") == []


def test_of_two_decisions_at_one_time_the_stricter_counts(tmp_path: Path) -> None:
    store = Store(tmp_path)
    said = [Status(answer("a").id, status) for status in ("rejected", "approved")]
    store.add([answer("a")], "r.csv", statuses=said)
    assert [one.status for one in store.submissions()] == ["rejected"]


@settings(max_examples=30)
@given(st.lists(SUBMISSION, max_size=5), st.randoms(use_true_random=False))
def test_what_comes_back_is_what_was_added_in_an_order_of_its_own(
    tmp_path_factory: pytest.TempPathFactory, submissions: list[Submission], order: random.Random
) -> None:
    store, again = Store(tmp_path_factory.mktemp("s")), Store(tmp_path_factory.mktemp("s"))
    unique = list({(one.id, one.task): one for one in submissions}.values())
    store.add(unique, "r.csv")
    order.shuffle(unique)
    for one in unique:
        again.add([one], "one by one")
    assert again.submissions() == store.submissions()
    assert sorted(map(repr, store.submissions())) == sorted(map(repr, unique))


def test_an_import_is_all_or_nothing(tmp_path: Path) -> None:
    def broken() -> Iterator[Submission]:
        yield answer("a")
        raise RuntimeError

    store = Store(tmp_path)
    with pytest.raises(RuntimeError):
        store.add(broken(), "r.csv")
    with pytest.raises(PyramidionError, match="lone surrogate"):
        store.add([answer("a"), answer("b", text="\ud800")], "r.csv")
    assert store.submissions() == []
    assert imports(store) == []


def test_made_up_answers_never_stand_beside_real_ones(tmp_path: Path) -> None:
    real, made_up = Store(tmp_path / "real.sqlite"), Store(tmp_path / "made_up.sqlite")
    real.add([answer("a")], "r.csv")
    made_up.add([answer("a")], "rehearse", simulated=True)
    assert (real.kind(), made_up.kind()) == ("real", "simulated")
    for store, simulated in ((real, True), (made_up, False)):
        with pytest.raises(PyramidionError, match="cannot be added"):
            store.add([answer("b")], "x", simulated=simulated)
        assert len(store.submissions()) == 1


def test_a_store_is_found_by_its_folder_its_study_or_itself(tmp_path: Path) -> None:
    assert Store(tmp_path).path == Store(tmp_path / "study.json").path == Store(tmp_path / "answers.sqlite").path


MANY = """
import sys
from pathlib import Path
from pyramidion.crowd.answers.store import Store
from tests.crowd.answers.test_store import answer

path, name = Path(sys.argv[1]), sys.argv[2]
print("ready", flush=True)
sys.stdin.readline()
for number in range(40):
    Store(path).add([answer(f"{'both' if number % 2 else name}-{number}")], name)
"""
"""Adds forty submissions one by one, half of them also added by the other process."""


def test_two_processes_add_at_once(tmp_path: Path) -> None:
    with running(["-c", MANY, tmp_path, "one"], ["-c", MANY, tmp_path, "two"]) as children:
        assert [child.stdout.readline() for child in children if child.stdout] == ["ready\n", "ready\n"]
        for child in children:
            assert child.stdin
            child.stdin.write("go\n")
            child.stdin.flush()
        said = [child.communicate(timeout=PATIENCE) for child in children]
        assert [child.returncode for child in children] == [0, 0], said
    store = Store(tmp_path)
    assert len(store.submissions()) == 60
    assert sum(new for _, _, new, _, _ in imports(store)) == 60
    assert len(imports(store)) == 80


KILLED = """
import os, sys
from pathlib import Path
from pyramidion.crowd.answers.store import Store
from tests.crowd.answers.test_store import answer

def endless():
    for number in range(4000):
        yield answer(f"lost-{number}", text="x" * 1000 + str(number))
    os._exit(9)

Store(Path(sys.argv[1])).add(endless(), "killed")
"""


def test_a_killed_import_leaves_what_was_there(tmp_path: Path) -> None:
    store = Store(tmp_path)
    store.add([answer("a")], "r.csv")
    with running(["-c", KILLED, tmp_path]) as (child,):
        said = child.communicate(timeout=PATIENCE)
        assert child.returncode == 9, said
    assert store.submissions() == [answer("a")]
    assert store.add([answer("b")], "s.csv").new == 1


def test_a_busy_store_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store(tmp_path)
    store.add([answer("a")], "r.csv")
    monkeypatch.setattr("pyramidion.crowd.answers.store.WAIT", 0.1)
    other = sqlite3.connect(store.path, isolation_level=None)
    other.execute("begin exclusive")
    with pytest.raises(PyramidionError, match="Another process"):
        store.add([answer("b")], "s.csv")
    other.close()


@pytest.mark.parametrize("kept", [0, 10, 100, 4096, 5000, 12_000])
def test_a_cut_off_store_is_refused_or_empty_never_wrong(tmp_path: Path, kept: int) -> None:
    store = Store(tmp_path)
    store.add([answer(f"w{n}", text="x" * 400 + str(n)) for n in range(50)], "r.csv")
    store.path.write_bytes(store.path.read_bytes()[:kept])
    if not kept:
        assert store.submissions() == []
        return
    with pytest.raises(PyramidionError) as error:
        store.submissions()
    assert "answers.sqlite" in str(error.value)
    assert "collect again" in error.value.do


def test_damage_in_the_middle_is_refused_or_harmless(tmp_path: Path) -> None:
    store = Store(tmp_path)
    whole = [answer(f"w{n:02}", text="x" * 400 + str(n)) for n in range(50)]
    store.add(whole, "r.csv")
    data = store.path.read_bytes()
    for place in range(200, len(data), 1500):
        store.path.write_bytes(data[:place] + b"\xff" * 40 + data[place + 40 :])
        try:
            store.submissions()
        except PyramidionError as error:
            assert "store" in str(error)


def test_files_that_are_no_store_are_refused(tmp_path: Path) -> None:
    (tmp_path / "text.sqlite").write_text("not a database, but long enough to look at " * 9)
    other = sqlite3.connect(tmp_path / "other.sqlite")
    other.execute("create table t (x)")
    other.close()
    newer = Store(tmp_path / "newer.sqlite")
    newer.add([answer("a")], "r.csv")
    with sqlite3.connect(newer.path) as connection:
        connection.execute("pragma user_version = 99")
    connection.close()
    for name, says in (
        ("text", "damaged"),
        ("other", "a database of another program .*, not the answers of a crowd study"),
        ("newer", "version 99"),
        ("no/such", "cannot be"),
    ):
        with pytest.raises(PyramidionError, match=says):
            Store(tmp_path / f"{name}.sqlite").add([answer("a")], "r.csv")
