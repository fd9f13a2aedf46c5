"""Caches: nothing in them changes a result, they have an end, and whoever wants none has none."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import pyramidion as pm
from pyramidion.base import cache, shelf
from pyramidion.base.cache import Cache, Hits, hits, shared_shelf
from pyramidion.base.shelf import NAME, Shelf
from pyramidion.builders import BUILDERS
from pyramidion.errors import InputWarning, PyramidionError
from pyramidion.examples import example
from pyramidion.language.entailment import network as judge
from pyramidion.language.parse import kept
from pyramidion.language.text.words import split_words
from pyramidion.methods import Method
from pyramidion.model import SCU, Contributor, Pyramid, Span, Topic
from pyramidion.notes import collect_notes, note

TEXT = "Mrs. Tarrow's hens didn't lay 1,200 eggs because foxes had come.\n\nNobody was surprised; few were hurt."


@pytest.fixture
def on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which the caches of this process keep things."""
    monkeypatch.setenv("PYRAMIDION_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_what_was_used_longest_ago_leaves_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [1_000_000.0]
    monkeypatch.setattr(shelf.time, "time", lambda: clock[0])
    limit = 40 * 4096
    rows = Shelf(tmp_path, limit)
    keys = [bytes([number]) * 32 for number in range(45)]
    for key in keys[:20]:
        clock[0] += 1
        rows.write({key: key * 100})
    clock[0] += 2 * shelf.RECENT
    assert rows.read(keys[:1]) == {keys[0]: keys[0] * 100}
    for key in keys[20:]:
        clock[0] += 1
        rows.write({key: key * 100})
    assert rows.size() <= limit
    found = rows.read(keys)
    assert keys[0] in found
    assert keys[1] not in found
    assert keys[-1] in found
    assert all(found[key] == key * 100 for key in found)


@pytest.mark.parametrize("library", ["pyramidion", "numpy", "onnxruntime", "scipy", "highspy"])
def test_what_another_version_of_a_library_computed_is_not_found(
    library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = Shelf(tmp_path)
    before = Cache("parses", "model", shelf=lambda: rows)
    before.put({before.key("text"): b"old"})
    assert list(Cache("parses", "model", shelf=lambda: rows).get([before.key("text")]).values()) == [b"old"]
    assert library in cache.versions()
    newer = {**cache.versions(), library: "999"}
    monkeypatch.setattr(cache, "versions", lambda: newer)
    after = Cache("parses", "model", shelf=lambda: rows)
    assert after.get([after.key("text")]) == {}


def test_one_row_that_is_larger_than_the_shelf_is_not_kept(tmp_path: Path) -> None:
    rows = Shelf(tmp_path, 8 * 4096)
    rows.write({b"large": b"x" * 100_000})
    assert rows.read([b"large"]) == {}


def test_where_an_input_is_cut_matters_and_so_does_what_decides_the_value() -> None:
    one, other = Cache("k", "weights"), Cache("k", "other weights")
    assert one.key("ab", "c") != one.key("a", "bc")
    assert one.key("ab") == one.key(b"ab")
    assert one.key("ab") != other.key("ab")
    assert one.key("ab") != Cache("another kind", "weights").key("ab")


def test_hits_are_counted_by_kind(on: Path) -> None:
    before = hits().get("numbers", Hits())
    first, second = Cache("numbers", ""), Cache("numbers", "", memory=0)
    keys = [first.key(str(number)) for number in range(3)]
    first.put({keys[0]: b"0", keys[1]: b"1"})
    assert first.get([*keys, keys[0]]) == {keys[0]: b"0", keys[1]: b"1"}
    assert second.get(keys[1:]) == {keys[1]: b"1"}
    assert hits()["numbers"] - before == Hits(found=3, asked=5)


@pytest.mark.parametrize("setting", ["", "off", " off "])
def test_there_is_a_switch(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYRAMIDION_CACHE", setting)
    assert shared_shelf() is None


@pytest.mark.parametrize("size", ["0", "much", "-1", "1e3"])
def test_a_size_that_is_none(size: str, on: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYRAMIDION_CACHE_MB", size)
    with pytest.raises(PyramidionError, match="PYRAMIDION_CACHE_MB is .*; set it to a number of megabytes"):
        shared_shelf()


def test_another_state_of_the_source_files_computes_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    before = Cache("k", "").key("a")
    monkeypatch.setattr(cache, "source", lambda: "edited")
    assert Cache("k", "").key("a") != before


def test_a_parse_is_the_same_from_disk_and_has_no_word_of_the_text_there(
    on: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = split_words(TEXT)
    made = kept.parsed(TEXT, words)
    monkeypatch.setattr(kept, "minilm", None)  # nobody needs the model again
    assert kept.parsed(TEXT, words) == made
    stored = b"".join(path.read_bytes() for path in on.iterdir())
    assert not any(word.encode() in stored for word in ("Tarrow", "eggs", "surprise", "hurt"))


def test_a_judgement_is_the_same_from_disk_without_the_network(on: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyramidion_entails", reason="pip install ./entails: the weights are not installed")
    judge._answers.cache_clear()
    long = "word " * (judge.MOST_UNIT + 9)
    asked = [("Foxes came.", ["A fox came.", long, ""]), ("Foxes came.", ["A fox came."]), ("", ["A fox came."])]
    with pytest.warns(InputWarning, match="reads only its first"):
        made = judge.each(asked)
    judge._answers.cache_clear()  # the next process
    monkeypatch.setattr(judge, "entailment_network", None)
    with pytest.warns(InputWarning, match="reads only its first"):
        again = judge.each(asked)
    assert [rows.tobytes() for rows in again] == [rows.tobytes() for rows in made]


def test_a_pyramid_is_built_once_for_its_references_and_parameters(on: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[str] = []

    def lite(topic: Topic, *, size: int = 1) -> Pyramid:
        built.append(f"{topic.id} {size}")
        return Method.parse("lite+soft").pyramid(topic)

    monkeypatch.setitem(BUILDERS._loaded, "edua-g", lite)
    lake, lagoon = example()
    method = Method.parse("edua-g+soft")
    first = method.pyramid(lake)
    assert method.pyramid(lake) == first
    assert built == [f"{lake.id} 1"]
    method.pyramid(lagoon)
    Method.parse("edua-g+soft(size=2)").pyramid(lake)
    method.pyramid(Topic(lake.id, lake.references[:2]))
    assert len(built) == 4
    Method.parse("edua-g+wmin").pyramid(lake)  # who matches is nothing to it
    assert len(built) == 4


def test_a_pyramid_that_is_kept_says_each_time_what_was_noted_of_it(on: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two contributors of one reference, and too little time: also from the disk, also in another thread."""
    built = []

    def hasty(topic: Topic) -> Pyramid:
        built.append(topic.id)
        note("There was too little time")
        reference = topic.references[0]
        contributors = tuple(Contributor(reference.id, (Span(place, place + 4),)) for place in (0, 9))
        return Pyramid(topic.id, topic.references, (SCU("1", "label", contributors),))

    monkeypatch.setitem(BUILDERS._loaded, "edua-g", hasty)
    lake = example()[0]

    def pyramid(method: str) -> tuple[Pyramid, list[str]]:
        with collect_notes() as notes:
            return Method.parse(method).pyramid(lake), list(map(str, notes))

    made, told = pyramid("edua-g+soft")
    assert [text.partition(";")[0] for text in told] == [
        "There was too little time",
        "Pyramid 'lake-revival': 1 SCU(s) have two contributors from one reference (the first: '1')",
    ]
    for method in ("edua-g+soft", "edua-g+wmin"):
        assert pyramid(method) == (made, told)
    with pytest.warns(InputWarning, match="too little time"), pytest.warns(InputWarning, match="two contributors"):
        pm.build(lake, "edua-g+soft")
    assert built == ["lake-revival"]


def test_the_command_keeps_what_it_computes_in_the_users_folder_unless_told_not_to(tmp_path: Path) -> None:
    def run(**variables: str) -> str:
        environment = {name: value for name, value in os.environ.items() if name != "PYRAMIDION_CACHE"}
        return subprocess.run(
            [sys.executable, "-c", "from pyramidion.cli import main; main(['parse', '-'])"],
            env=environment | {"XDG_CACHE_HOME": str(tmp_path)} | variables,
            input="Foxes came.",
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    without = run(PYRAMIDION_CACHE="off")
    assert list(tmp_path.iterdir()) == []
    assert run() == run() == without
    assert (tmp_path / "pyramidion" / NAME).exists()
