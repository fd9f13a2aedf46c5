"""The addresses in the package's metadata: a repository's is known where it is released from, and nowhere else.

``$PYRAMIDION_REPOSITORY`` has it; the release workflow sets it to the repository that it runs in.
"""

from __future__ import annotations

import os
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class Addresses(MetadataHookInterface):
    """``[project.urls]``."""

    def update(self, metadata: dict[str, Any]) -> None:
        """The repository's pages, where it is known."""
        repository = os.environ.get("PYRAMIDION_REPOSITORY", "").rstrip("/")
        pages = {
            "Homepage": "",
            "Issues": "/issues",
            "Changelog": "/blob/main/CHANGELOG.md",
            "Documentation": "/tree/main/docs",
        }
        metadata["urls"] = {name: repository + page for name, page in pages.items()} if repository else {}
