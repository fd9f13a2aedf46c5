"""Where people work: other tools that call this one, each a module of its own behind its extra.

:mod:`~pyramidion.integrations.autojudge` is a judge of TREC AutoJudge, :mod:`~pyramidion.integrations.inspect_ai` a
scorer of Inspect, :mod:`~pyramidion.integrations.huggingface` a module of Hugging Face's ``evaluate``. None of these
tools is imported before it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from pyramidion.errors import MissingPartError

__all__ = ["imported"]


def imported(module: str, tool: str, extra: str) -> Any:
    """Return a module of another tool; an error says how to install it if it is missing."""
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingPartError(f"{tool} is not installed.", do=f"run: pip install 'pyramidion[{extra}]'") from error
