"""``--help`` lists every command once, by what people want."""

from __future__ import annotations

import re

import typer

from pyramidion.cli import app
from pyramidion.cli._panels import OTHERS, PANELS, Panels
from tests.cli.conftest import Run


def test_every_command_is_in_one_panel() -> None:
    named = [name for names in PANELS.values() for name in names]
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    assert sorted(named) == sorted(commands)


def test_the_help_has_the_panels_in_their_order(run: Run) -> None:
    text = run("--help").out
    assert re.findall(r"(?m)^([A-Z].*):$", text) == ["Options", *PANELS]
    listed = re.findall(r"(?m)^  ([a-z]+) {2,}[A-Z]", text.partition("Evaluate summaries:")[2])
    assert listed == [name for names in PANELS.values() for name in names]
    assert OTHERS not in text


def test_a_command_without_a_panel_is_listed_too(run: Run) -> None:
    other = typer.Typer(cls=Panels, rich_markup_mode=None)
    other.command("evaluate")(lambda: None)
    other.command("brew", help="Make tea.")(lambda: None)
    group = typer.main.get_command(other)
    text = group.get_help(group.make_context("x", [], resilient_parsing=True))
    assert re.search(r"Others:\n  brew +Make tea\.", text)


def test_lists_of_commands_show_whole_sentences_in_80_columns_and_every_command_has_an_example() -> None:
    groups = [typer.main.get_command(app)]
    for group in groups:
        context = group.make_context("pyramidion", [], resilient_parsing=True, terminal_width=80)
        assert "..." not in group.get_help(context).partition("-h, --help")[2]
        for name, command in group.commands.items():  # type: ignore[attr-defined]
            assert "pyramidion" in command.help.partition("Example:\n")[2], name
            groups += [command] if hasattr(command, "commands") else []
