"""The weights of the network that writes statements: this package only says where they are."""

from pathlib import Path

__all__ = ["FOLDER"]

FOLDER = Path(__file__).parent
"""Holds ``model.onnx``, ``pieces.json``, their ``SHA256SUMS`` and the card, ``MODEL.md``."""
