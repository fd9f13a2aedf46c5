"""PENMAN notation: graphs read with the words that they stand for, found by their sentences, and written."""
