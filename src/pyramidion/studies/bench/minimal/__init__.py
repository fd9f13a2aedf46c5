"""Does a judge read, or does it count words? Minimal sets and damaged texts, written for this project."""
