"""The weights of the network that writes statements: this package only says where they are."""

from pathlib import Path

__all__ = ["FOLDER", "INTERFACE"]

FOLDER = Path(__file__).parent
"""Holds ``model.onnx``, ``pieces.json``, their ``SHA256SUMS`` and the card, ``MODEL.md``."""

INTERFACE = 1
"""What goes into the network, and what comes out: the first number of the version is this one.

In go ``pieces`` and ``places`` (rows x new pieces), ``hidden`` (what a piece does not see), ``last`` (where each row
ends) and, for each of thirty layers, ``text.N`` and ``past.N`` (keys and values of three heads, 64 wide); out come the
most probable next piece of each row and the layers' new ``past``.
"""
