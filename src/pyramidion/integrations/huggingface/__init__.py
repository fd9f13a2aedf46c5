"""A module of Hugging Face's ``evaluate`` (extra ``evaluate``), which loads it by its path: ``evaluate.load(PATH)``."""

from pathlib import Path

__all__ = ["PATH"]

PATH = str(Path(__file__).parent / "pyramid_score")
"""The folder that ``evaluate.load`` takes."""
