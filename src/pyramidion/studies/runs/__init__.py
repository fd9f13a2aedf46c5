"""Runs: begin and resume them, what they found, which there are, and how two of them differ."""

from pyramidion.studies.runs.drive import rescore, run
from pyramidion.studies.runs.evaluation import evaluation_of
from pyramidion.studies.runs.result import RunComparison, RunList, RunResult
from pyramidion.studies.runs.study import compare_runs, list_runs, read_run, show_run

__all__ = [
    "RunComparison",
    "RunList",
    "RunResult",
    "compare_runs",
    "evaluation_of",
    "list_runs",
    "read_run",
    "rescore",
    "run",
    "show_run",
]
