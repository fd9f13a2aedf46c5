"""Do builders group words as people do?"""

from pyramidion.studies.bench.builders.result import BuildersStudy
from pyramidion.studies.bench.builders.study import bench_builders

__all__ = ["BuildersStudy", "bench_builders"]
