"""The word table of the network of ``pyramidion-entails``: this package only says where it is."""

from pathlib import Path

__all__ = ["FOLDER", "INTERFACE"]

FOLDER = Path(__file__).parent
"""Holds ``words.npz``, its ``SHA256SUMS`` and the card, ``MODEL.md``."""

INTERFACE = 1
"""What the file holds: ``table``, 30,527 word pieces x 768 in 8 bits, and ``scale``, a factor for each piece.

The pieces are those of MPNet's tokenizer, in its order. The first number of the version is this one.
"""
