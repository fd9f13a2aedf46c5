"""``--help`` lists every command once, by what people want, and loads none of them."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup

from pyramidion import cli
from pyramidion.cli._panels import PANELS, shorten_line
from tests.cli.conftest import Run

MODULES = sorted({module for rows in PANELS.values() for module, _ in rows.values()})


def added(module: str) -> TyperGroup:
    """What a module adds."""
    app = typer.Typer(callback=lambda: None, rich_markup_mode=None)
    import_module(f"pyramidion.cli.{module}").add_to(app)
    return typer.main.get_group(app)


def test_every_module_of_commands_is_in_the_table() -> None:
    folder = Path(cli.__file__).parent
    assert sorted(path.stem for path in folder.iterdir() if path.stem[0].isalpha()) == MODULES


@pytest.mark.parametrize("module", MODULES)
def test_the_table_has_the_commands_of_a_module_in_the_words_of_their_help(module: str) -> None:
    table = {name: line for rows in PANELS.values() for name, (where, line) in rows.items() if where == module}
    commands = added(module).commands
    assert sorted(table) == sorted(commands)
    for name, command in commands.items():
        assert not command.hidden
        assert not command.deprecated
        for width in (20, 40, 64, 82, 999):
            assert shorten_line(table[name], width) == command.get_short_help_str(width)


def test_no_command_is_in_two_panels() -> None:
    named = [name for rows in PANELS.values() for name in rows]
    assert len(named) == len(set(named)) == len(typer.main.get_command(cli.app).commands)  # type: ignore[attr-defined]


def test_the_help_has_the_panels_in_their_order(run: Run) -> None:
    text = run("--help").out
    assert re.findall(r"(?m)^([A-Z].*):$", text) == ["Options", *PANELS]
    listed = re.findall(r"(?m)^  ([a-z]+) {2,}[A-Z]", text.partition("Evaluate summaries:")[2])
    assert listed == [name for names in PANELS.values() for name in names]


def test_a_command_that_is_not_there_is_refused_with_one_like_it(run: Run) -> None:
    outcome = run("evalute")
    assert outcome.status == 2
    assert "No such command 'evalute'. Did you mean 'evaluate'," in outcome.err


def test_lists_of_commands_show_whole_sentences_in_80_columns_and_every_command_has_an_example() -> None:
    groups = [typer.main.get_command(cli.app)]
    for group in groups:
        context = group.make_context("pyramidion", [], resilient_parsing=True, terminal_width=80)
        assert "..." not in group.get_help(context).partition("-h, --help")[2]
        for name, command in group.commands.items():  # type: ignore[attr-defined]
            assert "pyramidion" in command.help.partition("Example:\n")[2], name
            groups += [command] if hasattr(command, "commands") else []
