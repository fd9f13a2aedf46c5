"""The weights of Pyramidion's judge ``entails``: this package only says where they are."""

from pathlib import Path

__all__ = ["FOLDER"]

FOLDER = Path(__file__).parent
"""Holds ``model.onnx``, ``words.npz``, ``tokenizer.json``, their ``SHA256SUMS`` and the card, ``MODEL.md``."""
