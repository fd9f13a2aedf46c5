"""Every kind of SQLite file is told from every other, by an id of its own or by its tables."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from pyramidion.base.shelf import NAME, Shelf
from pyramidion.base.stores import CACHE, CROWD_ANSWERS, KINDS, MODEL_ANSWERS, RUN, STUDIO, StoreKind
from pyramidion.crowd.answers.store import Store as CrowdStore
from pyramidion.crowd.answers.submission import Asked, Submission
from pyramidion.errors import PyramidionError
from pyramidion.evaluation.store import FILE as RESULTS
from pyramidion.evaluation.store import Store as RunStore
from pyramidion.language.llm.answer_cache import AnswerCache

ANSWER = Submission("1", "judging", "t", "s", "anna", asked=Asked(("a",)), answers="p")
OLD_IDS = {CROWD_ANSWERS: 0x50595241, MODEL_ANSWERS: 0x50595241, RUN: 0x50595255, CACHE: 0, STUDIO: 0}
"""What the files of version 0.2.0 have in their heads."""


def use_crowd(folder: Path) -> None:
    store = CrowdStore(folder / "answers.sqlite")
    store.add([ANSWER], "test")
    assert [one.worker for one in store.submissions()] == ["anna"]


def use_run(folder: Path) -> None:
    with RunStore(folder, writing=True) as store:
        assert store.counts().topics == 0


def use_model_answers(folder: Path) -> None:
    cache = AnswerCache(folder / "answers.sqlite")
    cache.put("key", "an answer")
    assert cache.get("key") == "an answer"


def use_cache(folder: Path) -> None:
    shelf = Shelf(folder)
    shelf.write({b"key": b"row"})
    assert shelf.read([b"key"]) == {b"key": b"row"}
    shelf.close()


def use_studio(folder: Path) -> None:
    from pyramidion.studio.database import open_database

    open_database(folder).dispose()


USES: dict[StoreKind, tuple[str, Callable[[Path], None]]] = {
    CROWD_ANSWERS: ("answers.sqlite", use_crowd),
    RUN: (RESULTS, use_run),
    MODEL_ANSWERS: ("answers.sqlite", use_model_answers),
    CACHE: (NAME, use_cache),
    STUDIO: ("studio.sqlite", use_studio),
}


def made(kind: StoreKind, folder: Path) -> Path:
    """A file of a kind, with something in it."""
    if kind is STUDIO:
        pytest.importorskip("sqlalchemy")
    file, use = USES[kind]
    folder.mkdir()
    use(folder)
    return folder / file


def set_id(path: Path, id: int) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"pragma application_id = {id}")
        connection.execute("pragma wal_checkpoint(truncate)")


def test_every_kind_has_an_id_of_its_own_and_writes_it(tmp_path: Path) -> None:
    assert set(USES) == set(KINDS)
    ids = {}
    for kind in KINDS:
        with closing(sqlite3.connect(made(kind, tmp_path / str(kind.application)))) as connection:
            ids[kind] = connection.execute("pragma application_id").fetchone()[0]
    assert ids == {kind: kind.application for kind in KINDS}
    assert len(set(ids.values())) == len(KINDS)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.what)
@pytest.mark.parametrize("old", [False, True])
def test_every_store_refuses_the_files_of_all_others_in_words(tmp_path: Path, kind: StoreKind, old: bool) -> None:
    """Also those of version 0.2.0, whose ids do not tell."""
    path = made(kind, tmp_path / "theirs")
    if old:
        set_id(path, OLD_IDS[kind])
    for wanted in KINDS:
        if wanted is kind:
            continue
        if wanted is STUDIO:
            pytest.importorskip("sqlalchemy")
        file, use = USES[wanted]
        mine = tmp_path / str(wanted.application)
        mine.mkdir()
        (mine / file).write_bytes(path.read_bytes())
        with pytest.raises(PyramidionError, match=f"This file is {kind.what}, not {wanted.what}; .") as error:
            use(mine)
        assert file in str(error.value.where)
        assert (mine / file).read_bytes() == path.read_bytes()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.what)
def test_files_of_earlier_versions_go_on(tmp_path: Path, kind: StoreKind) -> None:
    path = made(kind, tmp_path / "old")
    set_id(path, OLD_IDS[kind])
    if kind is CROWD_ANSWERS:
        assert [one.worker for one in CrowdStore(path).submissions()] == ["anna"]
    elif kind is MODEL_ANSWERS:
        assert AnswerCache(path).get("key") == "an answer"
    elif kind is CACHE:
        assert Shelf(path.parent).read([b"key"]) == {b"key": b"row"}
    else:
        USES[kind][1](path.parent)


def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    for kind, (file, use) in USES.items():
        if kind is STUDIO:
            pytest.importorskip("sqlalchemy")
        folder = tmp_path / str(kind.application)
        folder.mkdir()
        with closing(sqlite3.connect(folder / file)) as connection, connection:
            connection.execute("create table theirs (x)")
            connection.execute("pragma application_id = 77")
        before = (folder / file).read_bytes()
        with pytest.raises(PyramidionError, match=r"a database of another program \(application id 77\), not "):
            use(folder)
        assert (folder / file).read_bytes() == before
