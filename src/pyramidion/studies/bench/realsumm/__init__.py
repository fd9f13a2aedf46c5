"""Do methods judge systems, and single summaries, as people did?"""

from pyramidion.studies.bench.realsumm.data import human_scores, read, read_folds
from pyramidion.studies.bench.realsumm.result import RealsummStudy
from pyramidion.studies.bench.realsumm.study import bench_realsumm

__all__ = ["RealsummStudy", "bench_realsumm", "human_scores", "read", "read_folds"]
