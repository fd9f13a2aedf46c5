"""Metrics that compare a summary with references without a pyramid."""

from pyramidion.metrics.rouge import Rouge, RougeScore

__all__ = ["Rouge", "RougeScore"]
