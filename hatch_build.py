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
        """PyPI's page, and where the repository is known, its pages."""
        urls = {"Homepage": "https://pypi.org/project/pyramidion/"}
        if repository := os.environ.get("PYRAMIDION_REPOSITORY", "").rstrip("/"):
            urls |= {
                "Source": repository,
                "Issues": f"{repository}/issues",
                "Changelog": f"{repository}/blob/main/CHANGELOG.md",
                "Documentation": f"{repository}/tree/main/docs",
            }
        metadata["urls"] = urls
