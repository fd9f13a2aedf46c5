"""Score every summary of a corpus by ROUGE and other baselines."""
