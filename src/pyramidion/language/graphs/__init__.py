"""Sentences to meaning graphs: from a dependency parse, PENMAN files or an AMR parser."""
