"""Runs: what they found, which there are, and how two of them differ."""

from pyramidion.studies.runs.result import RunComparison, RunList, RunResult
from pyramidion.studies.runs.study import compare_runs, evaluation_of, list_runs, show_run

__all__ = ["RunComparison", "RunList", "RunResult", "compare_runs", "evaluation_of", "list_runs", "show_run"]
