"""Pictures of the analyses: one file an analysis."""
