"""Do methods score peers as people did?"""

from pyramidion.analyses.accuracy.corpus.result import CorpusStudy
from pyramidion.analyses.accuracy.corpus.study import bench_corpus

__all__ = ["CorpusStudy", "bench_corpus"]
