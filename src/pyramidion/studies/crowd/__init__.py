"""What the crowd's answers say: scores, workers, and how few would do."""
