"""From what was written to the statements that are judged: split, measured, freed of duplicates, reviewed, sampled."""
