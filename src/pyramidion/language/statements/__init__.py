"""Statements as people would write them, by a network that writes (``pyramidion-writes``)."""
