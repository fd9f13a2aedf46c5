"""The log: what is acknowledged is there for everybody, and everything can be undone."""

from __future__ import annotations

import gzip
import random
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from sqlalchemy import Engine, insert, select, text

from pyramidion.errors import PyramidionError
from pyramidion.model import SCU, Contributor, Pyramid, Span, Summary, Topic
from pyramidion.studio import schema
from pyramidion.studio.backup import back_up, restore
from pyramidion.studio.database import open_database
from pyramidion.studio.log.annotation_edits import AddMatch, SetUnmatched
from pyramidion.studio.log.documents import Document, Reader
from pyramidion.studio.log.edits import Operation, OperationError, Words
from pyramidion.studio.log.pyramid_edits import (
    AddContributor,
    AddSCU,
    AddTexts,
    DeleteSCU,
    MergeSCUs,
    ReplacePyramid,
    SetLabel,
    SplitSCU,
)
from pyramidion.studio.log.store import SNAPSHOT, ConflictError, GoneError, Store

TEXT = "one two three four five six seven eight nine ten"
TOPIC = Topic("t", (Summary("A", TEXT), Summary("B", TEXT)), (Summary("p", TEXT, "peer"),))
PLACES = [Span(0, 3), Span(4, 7), Span(8, 13), Span(14, 18), Span(19, 23)]


@pytest.fixture
def engine(database: str, tmp_path: Path) -> Iterator[Engine]:
    opened = open_database(tmp_path, database)
    yield opened
    opened.dispose()


@pytest.fixture
def store(engine: Engine) -> Store:
    with engine.begin() as connection:
        connection.execute(insert(schema.projects).values(id="project", name="Project", created=""))
    return Store(engine)


def drawn(draw: random.Random, ids: list[str]) -> Operation:
    """An edit of a pyramid with these SCUs, which may or may not be possible."""
    words = Words(draw.choice("AB"), (draw.choice(PLACES),))
    one, other = (draw.choice(ids or ["0"]) for _ in range(2))
    reader = Reader("p", draw.choice(["ann", "bob"]))
    return draw.choice(
        [
            AddSCU(words, f"label {draw.random():.3f}"),
            AddSCU(words),
            AddContributor(one, words),
            SetLabel(one, f"label {draw.random():.3f}"),
            MergeSCUs(one, other),
            SplitSCU(one, (words,), "split"),
            DeleteSCU(one),
            AddMatch(reader, one, (draw.choice(PLACES),)),
            SetUnmatched(reader, (draw.choice(PLACES),)),
        ]
    )


def edited(store: Store, topic: str, edits: int, seed: int = 0, author: str = "ann") -> list[object]:
    """The documents after so many edits of one author."""
    draw = random.Random(seed)
    states = [store.state(topic).document]
    while len(states) <= edits:
        state = store.state(topic)
        try:
            edit = drawn(draw, [scu.id for scu in state.document.pyramid.scus])
            states.append(store.edit(topic, edit, author, state.version).document)
        except OperationError:
            continue
    return states


def test_every_edit_can_be_undone_and_redone_also_by_another_process(store: Store) -> None:
    topic = store.add("project", TOPIC)
    states = edited(store, topic, SNAPSHOT + 20)
    for expected in reversed(states[:-1]):
        assert store.undo(topic, "ann").document == expected
    with pytest.raises(OperationError, match="nothing to undo"):
        store.undo(topic, "ann")
    other = Store(store.engine)
    for expected in states[1:]:
        assert other.redo(topic, "ann").document == expected
    with pytest.raises(OperationError, match="nothing to redo"):
        other.redo(topic, "ann")
    assert store.state(topic).document == Store(store.engine).state(topic).document == states[-1]


def test_a_new_edit_ends_redoing(store: Store) -> None:
    topic = store.add("project", TOPIC)
    edited(store, topic, 3)
    assert store.undo(topic, "ann").can_redo
    state = store.edit(topic, AddSCU(Words("A", (Span(0, 3),)), "x"), "ann", store.version(topic))
    assert (state.can_undo, state.can_redo) == (True, False)


def test_two_people_undo_their_own_edits(store: Store) -> None:
    topic = store.add("project", TOPIC)
    first = store.edit(topic, AddSCU(Words("A", (Span(0, 3),)), "of ann"), "ann", 0)
    store.edit(topic, AddSCU(Words("A", (Span(4, 7),)), "of bob"), "bob", first.version)
    assert [scu.label for scu in store.undo(topic, "ann").document.pyramid.scus] == ["of bob"]
    assert [scu.label for scu in store.undo(topic, "bob").document.pyramid.scus] == []
    assert [scu.label for scu in store.redo(topic, "ann").document.pyramid.scus] == ["of ann"]


def test_what_others_have_built_on_is_not_undone_silently(store: Store) -> None:
    topic = store.add("project", TOPIC)
    state = store.edit(topic, AddSCU(Words("A", (Span(0, 3),)), "of ann"), "ann", 0)
    (scu,) = state.document.pyramid.scus
    kept = store.edit(topic, SetLabel(scu.id, "of bob"), "bob", state.version)
    with pytest.raises(ConflictError, match="undo those first"):
        store.undo(topic, "ann")
    assert store.state(topic).document == kept.document


def test_edits_of_other_parts_are_merged_and_those_of_the_same_part_refused(store: Store) -> None:
    topic = store.add("project", TOPIC)
    state = store.edit(topic, AddSCU(Words("A", (Span(0, 3),)), "first"), "ann", 0)
    (scu,) = state.document.pyramid.scus
    store.edit(topic, SetLabel(scu.id, "by bob"), "bob", state.version)
    merged = store.edit(topic, AddContributor(scu.id, Words("B", (Span(0, 3),))), "ann", state.version)
    assert [(one.label, one.weight) for one in merged.document.pyramid.scus] == [("by bob", 2)]
    with pytest.raises(ConflictError, match="bob has meanwhile"):
        store.edit(topic, SetLabel(scu.id, "by ann"), "ann", state.version)
    store.undo(topic, "bob")
    with pytest.raises(ConflictError, match="meanwhile"):
        store.edit(topic, SetLabel(scu.id, "by ann"), "ann", merged.version)


def test_two_processes_take_turns(store: Store) -> None:
    topic = store.add("project", TOPIC)
    other = Store(store.engine)
    for number in range(6):
        one = (store, other)[number % 2]
        one.edit(topic, AddSCU(Words("A", (PLACES[number % 5],)), f"SCU {number}"), "ann", one.version(topic))
    labels = [scu.label for scu in store.state(topic).document.pyramid.scus]
    assert labels == [f"SCU {number}" for number in range(6)]
    assert len({scu.id for scu in other.state(topic).document.pyramid.scus}) == 6


def test_a_stale_process_loses_no_entry(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """The other process has written between reading and writing: the number is taken, and the edit is tried again."""
    topic = store.add("project", TOPIC)
    store.state(topic)
    write, intruded = store._write, []

    def late(*arguments: object) -> None:
        if not intruded:
            intruded.append(Store(store.engine).edit(topic, AddSCU(Words("A", (Span(0, 3),)), "first"), "bob", 0))
        write(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "_write", late)
    state = store.edit(topic, AddSCU(Words("A", (Span(4, 7),)), "second"), "ann", 0)
    assert [scu.label for scu in state.document.pyramid.scus] == ["first", "second"]
    assert [entry.author for entry in store.log(topic)] == ["bob", "ann"]


def test_whatever_two_people_do_and_undo_in_two_processes_both_see_what_the_log_says(store: Store) -> None:
    topic = store.add("project", TOPIC)
    draw, stores = random.Random(4), (store, Store(store.engine))
    for step in range(120):
        one, author, way = draw.choice(stores), draw.choice(["ann", "bob"]), draw.random()
        state = one.state(topic, author)
        edit = drawn(draw, [scu.id for scu in state.document.pyramid.scus])
        with suppress(OperationError):
            if way < 0.3:
                (one.undo if way < 0.2 else one.redo)(topic, author)
            else:
                one.edit(topic, edit, author, max(0, state.version - draw.choice([0, 0, 1, 3])))
        if step % 20 == 19:
            documents = [each.state(topic).document for each in (*stores, Store(store.engine))]
            assert documents[0] == documents[1] == documents[2]


def test_any_text_is_kept_as_it_is(store: Store) -> None:
    text = "東京\u0000 \U0001f600 \u202e e\u0301 \ufffe"
    topic = store.add("project", Topic(text, (Summary(text, text),), (Summary("p", text, "peer"),)))
    store.edit(topic, AddSCU(Words(text, (Span(0, 2),)), text), "ann", 0)
    again = Store(store.engine).state(topic).document
    assert (again.topic.id, again.topic.references[0].text, again.pyramid.scus[0].label) == (text, text, text.strip())


def test_ids_are_never_used_twice(store: Store) -> None:
    topic = store.add("project", TOPIC)
    store.edit(topic, AddSCU(Words("A", (Span(0, 3),)), "gone"), "ann", 0)
    store.undo(topic, "ann")
    store.edit(topic, AddSCU(Words("A", (Span(4, 7),)), "new"), "bob", store.version(topic))
    assert [scu.label for scu in store.redo(topic, "ann").document.pyramid.scus] == ["gone", "new"]


def built(*labels: str) -> ReplacePyramid:
    """A pyramid as a builder gives it: its SCUs are numbered from 1."""
    words = [Contributor("A", (place,)) for place in PLACES]
    return ReplacePyramid(tuple(SCU(str(n), label, (words[n - 1],)) for n, label in enumerate(labels, start=1)))


def ids(document: Document) -> dict[str, str]:
    return {scu.label: scu.id for scu in document.pyramid.scus}


def test_a_pyramid_that_replaces_another_takes_no_id_of_it(store: Store) -> None:
    """A mark of an old idea must not hang on a new one that has its number."""
    topic = store.add("project", TOPIC)
    first = store.edit(topic, built("old", "older"), "ann", 0)
    reader = Reader("p", "bob")
    marked = store.edit(topic, AddMatch(reader, ids(first.document)["old"], (PLACES[0],)), "bob", first.version)
    second = store.edit(topic, built("new", "newer"), "ann", marked.version)
    assert not set(ids(first.document).values()) & set(ids(second.document).values())
    annotation = second.document.annotation(reader)
    assert (annotation.matches, len(annotation.unmatched)) == ((), 1)
    third = store.edit(topic, AddSCU(Words("A", (PLACES[3],)), "by hand"), "bob", second.version)
    seen = {*ids(first.document).values(), *ids(second.document).values()}
    assert ids(third.document)["by hand"] not in seen
    assert Store(store.engine).state(topic).document == third.document
    store.undo(topic, "bob")
    assert store.undo(topic, "ann").document == marked.document


@pytest.mark.parametrize(
    "meanwhile",
    [
        AddSCU(Words("A", (PLACES[1],)), "by hand"),
        SetLabel("1", "by hand"),
        DeleteSCU("1"),
        AddMatch(Reader("p", "bob"), "1", (PLACES[0],)),
        AddTexts(references=(Summary("C", TEXT),)),
        built("of bob"),
    ],
    ids=lambda operation: type(operation).__name__,
)
def test_a_pyramid_that_was_built_for_an_older_topic_is_refused(store: Store, meanwhile: Operation) -> None:
    topic = store.add("project", TOPIC)
    begun = store.edit(topic, built("first"), "ann", 0)
    state = store.edit(topic, meanwhile, "bob", begun.version)
    with pytest.raises(ConflictError, match="bob has meanwhile"):
        store.edit(topic, built("late"), "ann", begun.version)
    assert store.state(topic).document == state.document
    assert "late" in ids(store.edit(topic, built("late"), "ann", state.version).document)


def test_further_peers_do_not_stop_a_pyramid_and_two_people_add_scus_at_once(store: Store) -> None:
    topic = store.add("project", TOPIC)
    store.edit(topic, AddTexts(peers=(Summary("q", TEXT, "peer"),)), "bob", 0)
    begun = store.edit(topic, built("late"), "ann", 0)
    for author in ("ann", "bob"):
        store.edit(topic, AddSCU(Words("A", (PLACES[1],)), author), author, begun.version)
    assert sorted(ids(store.state(topic).document)) == ["ann", "bob", "late"]


def test_large_numbers_in_a_file_are_no_reason_to_use_an_id_twice(store: Store) -> None:
    given = Pyramid("t", TOPIC.references, tuple(SCU(id, id, (Contributor("A"),)) for id in ("999999999", "9" * 30)))
    topic = store.add("project", Topic("t", TOPIC.references, pyramid=given))
    for number in range(3):
        state = store.edit(topic, AddSCU(Words("A", (PLACES[number],)), f"new {number}"), "ann", number)
    assert len(set(ids(state.document).values())) == 5


def test_an_unknown_topic_is_gone(store: Store) -> None:
    with pytest.raises(GoneError):
        store.state("nothing")


def test_a_workspace_of_a_newer_version_is_refused_and_an_older_one_brought_up_to_date(engine: Engine) -> None:
    steps = (*schema.STEPS, "create table more (id text primary key)")
    schema.migrate(engine, steps)
    schema.migrate(engine, steps)
    with engine.connect() as connection:
        assert connection.execute(text("select count(*) from more")).scalar() == 0
        assert connection.execute(select(schema.version_table)).scalar() == len(steps)
    with pytest.raises(PyramidionError, match="newer"):
        schema.migrate(engine)


@pytest.mark.parametrize("version", range(1, len(schema.STEPS) + 2))
def test_a_backup_of_an_older_version_is_restored_and_one_of_a_newer_refused(version: int, tmp_path: Path) -> None:
    old = open_database(tmp_path / "old")
    with old.begin() as connection:
        connection.execute(insert(schema.projects).values(id="project", name="Project", created=""))
    topic = Store(old).add("project", TOPIC)
    back_up(old, tmp_path / "all.gz")
    _, *rows = gzip.decompress((tmp_path / "all.gz").read_bytes()).splitlines()
    lines = [b'{"pyramidion-studio": %d}' % version, *rows]
    (tmp_path / "all.gz").write_bytes(gzip.compress(b"\n".join(lines) + b"\n"))
    new = open_database(tmp_path / "new")
    if version > len(schema.STEPS):
        with pytest.raises(PyramidionError, match="newer Pyramidion"):
            restore(new, tmp_path / "all.gz")
    else:
        assert restore(new, tmp_path / "all.gz") == len(rows)
        assert Store(new).state(topic).document == Store(old).state(topic).document
    old.dispose()
    new.dispose()


def test_a_step_that_fails_is_not_half_taken(engine: Engine) -> None:
    with pytest.raises(Exception, match="(?i)syntax"):
        schema.migrate(engine, (*schema.STEPS, "create table more (id text primary key); nonsense"))
    with engine.connect() as connection:
        assert connection.execute(select(schema.version_table)).scalar() == len(schema.STEPS)
