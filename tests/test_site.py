"""The site is built without a warning and without a network, and every page is in its index."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("material")
    folder = tmp_path_factory.mktemp("site")
    builder: dict[str, Any] = runpy.run_path(str(ROOT / "docs" / "build_site.py"))
    done = builder["build"](folder / "site", folder / "pages")
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    return folder / "site"


def test_every_page_is_there_and_loads_nothing_from_the_network(site: Path) -> None:
    pages = {path.stem for path in (ROOT / "docs").glob("*.md")}
    assert pages <= {path.stem for path in site.glob("*.html")}
    for path in site.glob("*.html"):
        assert re.findall(r"<(?:script|link|img|iframe)[^>]+(?:src|href)=.?(?:https?:)?//", path.read_text()) == []


def test_the_search_index_and_its_worker_are_files_beside_the_pages(site: Path) -> None:
    assert "Krippendorff" in (site / "search" / "search_index.js").read_text(encoding="utf-8")
    assert "iframe-worker.js" in (site / "index.html").read_text(encoding="utf-8")
    assert (site / "iframe-worker.js").exists()


def test_the_front_page_of_the_repository_is_short() -> None:
    shown = re.sub(r"<!--.*?-->\n*", "", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.DOTALL)
    assert len(shown.splitlines()) <= 150
