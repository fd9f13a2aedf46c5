"""What axe-core finds wrong with the accessibility of a page (``axe.md`` says what axe-core is)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

_SOURCE = Path(__file__).with_name("axe.min.js")

_RUN = """
async () => {
  const rules = { "label-content-name-mismatch": { enabled: true } };
  const found = await axe.run(document, { resultTypes: ["violations"], rules });
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target}`));
}
"""


def violations(page: Page) -> list[str]:
    """Each rule that the page as it is shown now breaks, with where; every rule of axe-core is asked."""
    page.evaluate(_SOURCE.read_text("utf-8"))
    return [str(found) for found in page.evaluate(_RUN)]
