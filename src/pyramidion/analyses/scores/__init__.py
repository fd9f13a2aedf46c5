"""Scores from tables and evaluations, by topic and system."""
