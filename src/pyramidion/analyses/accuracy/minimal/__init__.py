"""Does a judge read, or does it count words? Minimal sets and damaged texts, written for this project."""

from pyramidion.analyses.accuracy.minimal.result import MinimalStudy
from pyramidion.analyses.accuracy.minimal.sets import load
from pyramidion.analyses.accuracy.minimal.study import bench_minimal, judges, passages

__all__ = ["MinimalStudy", "bench_minimal", "judges", "load", "passages"]
