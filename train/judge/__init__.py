"""The commands that make ``language/models/reader``: prepare, fit, figures, export."""
