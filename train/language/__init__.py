"""The commands that make ``language/models/en-minilm``: prepare, fit, export, evaluate."""
