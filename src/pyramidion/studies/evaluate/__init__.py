"""Score every summary of a corpus by a method."""
