"""Metrics and judges against people's labels on public data."""
