"""The weights of Pyramidion's judge ``entails``: this package only says where they are."""

from pathlib import Path

__all__ = ["FOLDER", "INTERFACE"]

FOLDER = Path(__file__).parent
"""Holds ``model.onnx``, ``tokenizer.json``, ``folds.npz``, their ``SHA256SUMS`` and the card, ``MODEL.md``."""

INTERFACE = 2
"""What goes into the network, and what comes out: the first number of the version is this one.

In go ``words`` (pieces x 768, the rows of ``pyramidion-words``), ``places`` and ``whose`` (pieces) and ``mix`` (units x
pieces); out come ``logits``, units x 4: said, contradicted, not said; clear. Whatever stated no number is 1: three
logits or four, and the words beside them.
"""
