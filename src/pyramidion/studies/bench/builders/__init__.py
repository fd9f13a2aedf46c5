"""Do builders group words as the given pyramids do?"""

from pyramidion.studies.bench.builders.result import BuildersStudy
from pyramidion.studies.bench.builders.study import bench_builders

__all__ = ["BuildersStudy", "bench_builders"]
