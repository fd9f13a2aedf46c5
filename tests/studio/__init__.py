"""The studio."""
