"""Do builders group words as the given pyramids do?"""

from pyramidion.analyses.accuracy.builders.result import BuildersStudy
from pyramidion.analyses.accuracy.builders.study import bench_builders

__all__ = ["BuildersStudy", "bench_builders"]
