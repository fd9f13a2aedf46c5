"""Measurements against public data with human labels."""
