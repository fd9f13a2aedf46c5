"""The list of commands in ``pyramidion --help``, by what people want."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup

PANELS = {
    "Evaluate summaries": ("evaluate", "feedback", "demo", "score", "nuggets", "metrics", "runs"),
    "Check how far scores can be trusted": ("agree", "stability"),
    "Make pyramids step by step": ("studio", "build", "match", "ask"),
    "Ask a crowd": ("crowd",),
    "Compare systems and metrics": ("compare", "correlate", "combine", "tune", "ablate"),
    "Convert and check files": ("convert", "validate", "formats"),
    "Analyse language": ("parse", "clauses", "statements", "edus", "graphs"),
    "Methods, models and benchmarks": ("methods", "models", "bench", "doctor"),
}
OTHERS = "Others"
"""Where a command stands that no panel names."""


class Panels(TyperGroup):
    """A group whose help has a section for each of :data:`PANELS`."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the sections, their columns aligned."""
        named = {name for names in PANELS.values() for name in names}
        others = tuple(name for name in self.list_commands(ctx) if name not in named)
        width = max(map(len, self.commands), default=0)
        for title, names in {**PANELS, OTHERS: others}.items():
            commands = [(name, self.commands[name]) for name in names if name in self.commands]
            rows = [
                (name.ljust(width), command.get_short_help_str(formatter.width - width - 6))
                for name, command in commands
                if not command.hidden
            ]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)
