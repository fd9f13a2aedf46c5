"""Data moves through the rooms in one direction: a module knows the rooms to its left and none to its right."""

from __future__ import annotations

import re
import runpy
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from tests.imports import ROOMS, SOURCE, graph, modules, room

PLACE = {name: place for place, names in enumerate(ROOMS) for name in names.split()}


def test_every_room_has_its_place() -> None:
    assert {room(name) for name in modules()} - {""} == set(PLACE)


def test_no_module_knows_a_room_to_its_right() -> None:
    wrong = [
        f"{name} imports {needed}"
        for name, known in graph().items()
        for needed in sorted(known)
        if room(name) and (not room(needed) or PLACE[room(needed)] > PLACE[room(name)])
    ]
    assert not wrong


def test_no_modules_import_each_other() -> None:
    """Of a package's ``__init__`` only that its modules do not need it."""
    try:
        list(TopologicalSorter(graph()).static_order())
    except CycleError as error:
        raise AssertionError(" -> ".join(error.args[1])) from None


def test_private_modules_stay_in_their_folder() -> None:
    wrong = [
        f"{name} imports {needed}"
        for name, known in graph().items()
        for needed in sorted(known)
        if any(part.startswith("_") and not part.startswith("__") for part in needed.split("."))
        and not f"{name}.".startswith(needed[: needed.index("._") + 1])
    ]
    assert not wrong


def test_the_picture_of_the_rooms_is_up_to_date() -> None:
    docs = Path(__file__).parents[1] / "docs"
    drawn = runpy.run_path(str(docs / "rooms.py"))["picture"]()
    assert (docs / "rooms.svg").read_text(encoding="utf-8") == drawn, "run `python docs/rooms.py`"


def test_the_page_of_the_architecture_names_every_room_in_order_and_only_files_that_exist() -> None:
    docs = Path(__file__).parents[1] / "docs"
    page = (docs / "architecture.md").read_text(encoding="utf-8")
    tree = page.partition("```text")[2].partition("```")[0]
    rooms = {name: tree.find(f"{name}/" if (SOURCE / "pyramidion" / name).is_dir() else f"{name}.py") for name in PLACE}
    assert [name for name, place in rooms.items() if place < 0] == []
    files = re.findall(r"`((?:[a-z_]+/)+[a-z_]*(?:\.py)?)`", page.partition("## ")[2])
    assert [file for file in files if not (SOURCE / "pyramidion" / file).exists()] == []
