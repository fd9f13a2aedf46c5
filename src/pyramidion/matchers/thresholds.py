"""From which cosine on a segment expresses an SCU, for each embedder: calibrated, not folklore.

On REALSumm (26,400 human judgements of an SCU in a summary) the logistic regression of presence on the cosine of the
SCU and the summary's best segment gives even odds at these cosines; ``python train/thresholds.py`` prints them, and
``docs/matching.md`` what they are worth:

==========  =========  ========  ====
embedder    even odds  accuracy  AUC
==========  =========  ========  ====
``minilm``  .602       .662      .721
``static``  .552       .667      .730
``wtmf``    .522       .671      .723
==========  =========  ========  ====

A threshold is a cosine with the mean of an SCU's contributors; see :mod:`pyramidion.matchers.wmin`.
"""

from __future__ import annotations

from pyramidion.errors import PyramidionError

THRESHOLDS = {"minilm": 0.60, "static": 0.55, "wtmf": 0.52}
"""The even odds, to two decimals."""


def threshold_of(embedder: str, threshold: float = 0.0) -> float:
    """Return the threshold that was given, or the embedder's calibrated one if that is 0.

    >>> threshold_of("minilm"), threshold_of("minilm", 0.7)
    (0.6, 0.7)
    """
    if not 0 <= threshold <= 1:
        raise PyramidionError(
            f"The threshold of a match is {threshold}",
            do="give a cosine from 0 to 1; 0 selects the calibrated threshold",
        )
    if threshold:
        return threshold
    if embedder not in THRESHOLDS:
        raise PyramidionError(
            f"No threshold has been calibrated for the embedder {embedder!r}",
            do="give a threshold: threshold=0.5, or the value that train/thresholds.py finds",
        )
    return THRESHOLDS[embedder]
