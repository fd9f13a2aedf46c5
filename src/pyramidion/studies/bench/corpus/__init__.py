"""Do methods score peers as people did?"""

from pyramidion.studies.bench.corpus.result import CorpusStudy
from pyramidion.studies.bench.corpus.study import bench_corpus

__all__ = ["CorpusStudy", "bench_corpus"]
