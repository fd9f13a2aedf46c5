"""A corpus through a method."""
