"""The steps of the Makefile in plain Python, for every system: ``python -m dev test`` (see ``dev/__main__.py``)."""
