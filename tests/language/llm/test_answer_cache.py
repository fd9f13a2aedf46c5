"""Answers are kept, by any number of processes, and nothing that happens to the file can hurt."""

from __future__ import annotations

import os
import sqlite3
import threading
import zlib
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from pyramidion.errors import InputWarning, PyramidionError
from pyramidion.language.llm.answer_cache import AnswerCache, Bill, CachedAnswer
from tests.processes import PATIENCE, running


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new" / "answers.sqlite"


def test_an_answer_is_there_for_the_next_process(path: Path) -> None:
    assert AnswerCache(path).get("a") is None
    assert AnswerCache(path).put("a", "one ünïcode", "m", "judge-1") == "one ünïcode"
    assert AnswerCache(path).get("a") == "one ünïcode"
    assert AnswerCache(path).count() == 1


def test_the_first_answer_stays_unless_it_is_replaced(path: Path) -> None:
    cache = AnswerCache(path)
    cache.put("a", "first")
    assert cache.put("a", "second") == "first"
    assert cache.put("a", "third", instead=True) == "third"
    assert cache.get("a") == "third"


@pytest.mark.parametrize("damage", [b"no database at all, but long enough to look like one" * 100, None])
def test_a_damaged_file_is_moved_aside_with_a_warning(path: Path, damage: bytes | None) -> None:
    cache = AnswerCache(path)
    for number in range(20):
        cache.put(str(number), "x" * 5000)
    whole = path.read_bytes()
    path.write_bytes(damage or whole[: len(whole) // 2])  # half-written
    with pytest.warns(InputWarning, match="damaged"):
        assert AnswerCache(path).count() == 0
    assert AnswerCache(path).put("b", "again") == "again"
    assert AnswerCache(path).get("b") == "again"
    assert [one.name for one in path.parent.glob("*.damaged-1")] == ["answers.sqlite.damaged-1"]
    path.write_bytes(b"broken once more" * 400)
    with pytest.warns(InputWarning, match="damaged-2"):
        AnswerCache(path).get("b")


BILL = Bill(1000, 100, 0.0035, 1.5, 1.7e9)


def test_what_an_answer_took_is_kept_with_it(path: Path) -> None:
    AnswerCache(path).put("a", "one", bill=BILL)
    AnswerCache(path).put("b", "two", bill=replace(BILL, cost=None))
    AnswerCache(path).put("c", "three")
    assert AnswerCache(path).entry("a") == CachedAnswer("one", BILL)
    assert AnswerCache(path).entry("b") == CachedAnswer("two", replace(BILL, cost=None))
    assert AnswerCache(path).entry("c") == CachedAnswer("three")
    assert Bill(2000, 200, 0.007, 3.0, 1.7e9) == BILL + BILL
    assert (BILL + replace(BILL, cost=None)).cost is None


def test_a_file_of_an_earlier_version_stays_readable(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "CREATE TABLE answers (key TEXT PRIMARY KEY, answer TEXT NOT NULL, "
            "checksum INTEGER NOT NULL, model TEXT NOT NULL, prompt TEXT NOT NULL)"
        )
        connection.execute("INSERT INTO answers VALUES ('a', 'one', ?, 'm', 'judge-1')", (zlib.crc32(b"one"),))
        connection.execute(f"PRAGMA application_id = {0x50595241}")
    before = path.read_bytes()
    assert AnswerCache(path).entry("a") == CachedAnswer("one", None)
    assert path.read_bytes() == before  # reading alters nothing
    AnswerCache(path).put("b", "two", bill=BILL)
    assert (AnswerCache(path).entry("a"), AnswerCache(path).entry("b")) == (
        CachedAnswer("one", None),
        CachedAnswer("two", BILL),
    )


@pytest.mark.parametrize("nonsense", ["tokens_in = -1", "tokens_out = 'many'", "seconds = 9e999", "tokens_in = NULL"])
def test_a_bill_that_cannot_be_is_none(path: Path, nonsense: str) -> None:
    AnswerCache(path).put("a", "one", bill=BILL)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(f"UPDATE answers SET {nonsense}")
    assert AnswerCache(path).entry("a") == CachedAnswer("one", None)


def test_an_empty_file_is_an_empty_cache(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    assert AnswerCache(path).put("a", "one") == "one"


def test_a_damaged_row_is_not_believed(path: Path) -> None:
    cache = AnswerCache(path)
    cache.put("a", "one")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE answers SET answer = 'none'")
    assert cache.get("a") is None
    assert cache.put("a", "one") == "one"
    assert cache.get("a") == "one"


def test_a_database_of_somebody_else_is_left_alone(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE theirs (x)")
    before = path.read_bytes()
    with pytest.raises(
        PyramidionError, match="a database of another program .*, not a cache of a language model's answers"
    ):
        AnswerCache(path).get("a")
    assert path.read_bytes() == before


def test_a_file_that_cannot_be_used_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cache = AnswerCache(tmp_path / "file" / "answers.sqlite")
    with pytest.warns(InputWarning, match="will not be kept"):
        assert cache.put("a", "one") == "one"
    assert cache.get("a") is None  # said once


def test_threads_share_a_cache(path: Path) -> None:
    cache = AnswerCache(path)
    kept: list[str] = []

    def write(number: int) -> None:
        kept.extend(cache.put(str(key), f"{number}") for key in range(20))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert cache.count() == 20
    assert len(kept) == 80


WRITER = """
import sys
from pathlib import Path
from pyramidion.language.llm.answer_cache import AnswerCache
cache = AnswerCache(Path(sys.argv[1]))
print(",".join(cache.put(str(key), sys.argv[2]) for key in range(30)))
"""


def test_two_processes_that_begin_one_cache_at_once_agree(path: Path) -> None:
    environment = os.environ | {"PYTHONWARNINGS": "error"}
    with running(*(["-c", WRITER, path, name] for name in ("one", "two")), env=environment) as children:
        said = [child.communicate(timeout=PATIENCE) for child in children]
        assert [child.returncode for child in children] == [0, 0], said
    assert said[0] == said[1]
    assert AnswerCache(path).count() == 30
