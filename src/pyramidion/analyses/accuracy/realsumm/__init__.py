"""Do methods judge systems, and single summaries, as people did?"""

from pyramidion.analyses.accuracy.realsumm.data import human_scores, read, read_folds
from pyramidion.analyses.accuracy.realsumm.result import RealsummStudy
from pyramidion.analyses.accuracy.realsumm.study import bench_realsumm

__all__ = ["RealsummStudy", "bench_realsumm", "human_scores", "read", "read_folds"]
