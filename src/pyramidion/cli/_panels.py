"""The table of commands: the sections of ``pyramidion --help``, by what people want, and where each command is.

To print the list of commands no command is loaded: its line is here, too, in the words in which its own help begins
(a test compares them). The module of a command is imported when the command is asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup

PANELS = {
    "Evaluate summaries": {
        "evaluate": ("scoring", "Score the summaries of a corpus, and average each system."),
        "feedback": ("feedback", "Write feedback pages that a teacher can hand to students."),
        "demo": ("demo", "Evaluate the bundled example, from texts to scores."),
        "score": ("scoring", "Score annotated summaries."),
        "nuggets": ("nuggets", "Score answers of RAG runs by the nuggets that they contain."),
        "metrics": ("metrics", "Score summaries with ROUGE, BE or the lexical pyramid."),
        "runs": ("runs", "List, compare, export or delete runs of 'evaluate --out'."),
    },
    "Check how far scores can be trusted": {
        "agree": ("agree", "Measure how far annotators of the same summaries agree."),
        "stability": ("stability", "Find out how many references are enough."),
    },
    "Make pyramids step by step": {
        "studio": ("studio", "Make pyramids and annotate summaries in the browser."),
        "build": ("pyramids", "Build a pyramid for each topic from its reference summaries."),
        "match": ("pyramids", "Find a pyramid's content units (SCUs) in summaries."),
        "ask": ("ask", "Ask a language model a method's questions in advance."),
    },
    "Ask a crowd": {
        "crowd": ("crowd", "Run a crowd evaluation, from the plan to the scores."),
    },
    "Compare systems and metrics": {
        "compare": ("compare", "Find out which systems are better, and how certain that is."),
        "correlate": ("correlate", "Correlate metrics with human scores and with each other."),
        "combine": ("combine", "Combine two scores, and compare the result with human scores."),
        "tune": ("tune", "Find the parameters that agree best with human scores."),
        "ablate": ("ablate", "Find out which relations of meaning graphs help the scores."),
    },
    "Convert and check files": {
        "convert": ("files", "Convert between formats."),
        "validate": ("files", "Check files and print what is wrong and where."),
        "formats": ("files", "List the formats that can be read and written."),
    },
    "Analyse language": {
        "parse": ("language", "Parse texts, and print the analysis as CoNLL-U."),
        "clauses": ("language", "Cut sentences into clauses, in every way that PyrEval does."),
        "statements": ("language", "Print the facts that texts state, each as its own sentence."),
        "edus": ("language", "Cut texts into elementary discourse units."),
        "graphs": ("graphs", "Print the meaning graph of every sentence."),
    },
    "Methods, models and benchmarks": {
        "methods": ("about", "List the methods, and the parts that you can combine."),
        "models": ("language", "List the models that ship with the package, and check them."),
        "bench": ("bench", "Measure methods on public data with human labels."),
        "doctor": ("about", "Check what is installed and what is missing."),
    },
}
"""For each command its module, which has a function ``add_to``, and its line in the list."""

_TABLE = {name: row for rows in PANELS.values() for name, row in rows.items()}


class Commands(Mapping[str, Any]):
    """The commands by name; each is loaded, with those of its module, when it is first looked up."""

    def __init__(self) -> None:
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._loaded:
            module = typer.Typer(rich_markup_mode=None, callback=lambda: None)
            import_module(f"pyramidion.cli.{_TABLE[name][0]}").add_to(module)
            self._loaded |= typer.main.get_group(module).commands
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(_TABLE)

    def __len__(self) -> int:
        return len(_TABLE)


class Panels(TyperGroup):
    """A group of all :class:`Commands`, whose help has a section for each of :data:`PANELS`."""

    def __init__(self, **attributes: Any) -> None:
        """Take the commands of the table, whatever commands are given."""
        super().__init__(**{**attributes, "commands": Commands()})

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the sections, their columns aligned."""
        width = max(map(len, _TABLE))
        for title, rows in PANELS.items():
            with formatter.section(title):
                formatter.write_dl(
                    [
                        (name.ljust(width), shorten_line(line, formatter.width - width - 6))
                        for name, (_, line) in rows.items()
                    ]
                )


def shorten_line(line: str, width: int) -> str:
    """A command's line, cut to a width as typer cuts it."""
    return typer.core.TyperCommand(None, help=line).get_short_help_str(width)
