r"""WMIN: PyrEval's matcher (Gao et al. 2019 §4.6; Passonneau et al. 2018).

*Problem.* Each sentence of a peer has several segmentations; a segment may express an SCU. Choose segmentations and
SCUs so that a sentence is segmented in one way and an SCU is expressed once.

*Nodes.* A segmentation of a sentence together with its SCUs of highest average cosine: with

.. math:: sim(s, u) = \frac{1}{|u|} \sum_{c \in u} \cos(s, c)

over the contributors c of SCU u, the assignment of SCUs to segments, one to one, that maximises the sum of sim among
pairs that match. A node weighs as much as its SCUs; nodes without any are left out.

*Edges.* Between nodes of one sentence, and between nodes that share an SCU.

*Choice.* Sakai et al.'s (2003) greedy independent set (:func:`~pyramidion.matchers.independent_set.greedy`).

*Ours.* The paper does not say when a pair matches. With unit vectors, sim(s, u) = s . m for the mean m of the
contributors' vectors, and |m| falls from 1 as contributors are more in number and less alike: no segment can have a
greater sim than |m|. So a pair matches if sim(s, u) >= ``threshold`` |m|, that is, if the cosine of s and m is at
least the ``threshold`` (:mod:`pyramidion.matchers.thresholds`). With ``similarity="centroid"`` that cosine takes sim's
place in the assignment, too, which else favours SCUs of one contributor; the pairs that match are the same.

Among nodes that are equal to the greedy choice, the one of higher average similarity comes first. Sentences without a
node are counted in their finest segmentation, as units that match nothing.
"""

from __future__ import annotations

from pyramidion.base.choices import check_choices
from pyramidion.matchers._nodes import Similarity, annotation, compare, conflicts, nodes
from pyramidion.matchers.independent_set import greedy
from pyramidion.matchers.thresholds import threshold_of
from pyramidion.model import Annotation, Pyramid, Summary


@check_choices
def wmin(
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
    chosen = greedy([node.weight for node in offered], conflicts(offered))
    return annotation(pyramid, summary, comparison, [offered[number] for number in chosen])
