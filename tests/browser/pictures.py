"""The pictures of the documentation: tests take them of what they look at, so that they show what there is.

``PYRAMIDION_PICTURES=yes pytest tests/browser`` writes them again; otherwise they are only taken.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

DOCS = Path(__file__).parent.parent.parent / "docs"

LARGEST = 200_000
"""In bytes."""


def picture(page: Page, name: str) -> None:
    """Take a picture of what is in sight, and write it to ``docs/`` if asked to."""
    taken = page.screenshot()
    assert len(taken) < LARGEST, f"{name} has {len(taken)} bytes"
    assert (DOCS / name).is_file() or "PYRAMIDION_PICTURES" in os.environ, f"docs/{name} is missing"
    if "PYRAMIDION_PICTURES" in os.environ:
        (DOCS / name).write_bytes(taken)
