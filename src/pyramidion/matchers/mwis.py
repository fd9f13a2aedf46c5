"""The exact sibling of WMIN: the same nodes and edges, and the independent set of greatest weight, proved.

Where WMIN's greedy choice can stop short of "the maximum sum of SCU weights" that §4.6 of Gao et al. 2019 asks for,
this matcher reaches it. Among sets of the same weight it takes the one of the greatest total of average similarities.

*Not done*: choosing segments' SCUs and segmentations all at once for the greatest weight. It would give a segment the
heaviest SCU above the threshold in place of the most similar one; the paper's nodes fix the SCUs by similarity first,
and so do ours.
"""

from __future__ import annotations

from pyramidion.base.choices import check_choices
from pyramidion.matchers._nodes import Similarity, annotation, compare, conflicts, nodes
from pyramidion.matchers.independent_set import exact
from pyramidion.matchers.thresholds import threshold_of
from pyramidion.model import Annotation, Pyramid, Summary


@check_choices
def mwis(
    pyramid: Pyramid,
    summary: Summary,
    *,
    threshold: float = 0.0,
    similarity: Similarity = "mean",
    embedder: str = "wtmf",
    analyser: str = "en-minilm",
) -> Annotation:
    """Match the summary, each SCU once; a match's score is its similarity. Matches name their segments.

    ``threshold`` 0 stands for the embedder's calibrated one. ``similarity`` is ``mean``, the paper's, or ``centroid``.
    """
    comparison = compare(pyramid, summary, similarity, embedder, analyser)
    offered = nodes(comparison, threshold_of(embedder, threshold))
    # Averages are at most 1 and a sentence has one node at most: together they stay below the weight of one SCU.
    scale = len(comparison.sentences) + 1
    worth = [node.weight * scale + node.average for node in offered]
    chosen = exact(worth, conflicts(offered))
    return annotation(pyramid, summary, comparison, [offered[number] for number in chosen])
