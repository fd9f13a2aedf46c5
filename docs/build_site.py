"""Build the site: ``python docs/build_site.py [FOLDER]`` (or: ``make docs``), into ``build/site`` unless told.

The pages are copied to ``build/pages`` first. They link to files of the repository, which are no part of the site: such
a link leads to the repository where ``$PYRAMIDION_REPOSITORY`` has its address, and becomes the file's path in plain
code where it has not. Then MkDocs builds them, without a network, and fails on a link that leads nowhere.
``mkdocs.yml`` says why it is MkDocs, and what comes after it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
OUTSIDE = re.compile(r"\[([^\]]+)\]\(\.\./([^)]+)\)")
SECOND = re.compile(r"(\(#[\w-]+)-(\d\))")
"""GitHub numbers a second heading of one name with a hyphen, MkDocs with an underscore."""

FROM_THE_NETWORK, SHIM = "https://unpkg.com/iframe-worker/shim", "iframe-worker.js"
"""What lets the search work from disk; Material would fetch it."""


def page(markdown: str, repository: str = "") -> str:
    """A page as the site has it.

    >>> print(page("See [the card](../entails/MODEL.md) and [`Match`](#match-1)."))
    See the card (`entails/MODEL.md`) and [`Match`](#match_1).
    >>> print(page("See [the card](../entails/MODEL.md).", "https://example.org/p"))
    See [the card](https://example.org/p/blob/main/entails/MODEL.md).
    """

    def link(found: re.Match[str]) -> str:
        text, path = found.groups()
        return f"[{text}]({repository}/blob/main/{path})" if repository else f"{text} (`{path}`)"

    return SECOND.sub(r"\1_\2", OUTSIDE.sub(link, markdown))


def prepare(folder: Path) -> None:
    """Copy the pages, with the links of the site."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(DOCS, folder, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    for path in folder.glob("*.md"):
        repository = os.environ.get("PYRAMIDION_REPOSITORY", "").rstrip("/")
        path.write_text(page(path.read_text(encoding="utf-8"), repository), encoding="utf-8")


def build(site: Path, pages: Path = ROOT / "build" / "pages") -> subprocess.CompletedProcess[str]:
    """Build the site into a folder; what MkDocs says is in the result."""
    prepare(pages)
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    chosen = pages.with_name(f"{pages.name}.yml")
    chosen.write_text(settings.replace("docs_dir: build/pages", f"docs_dir: {pages.as_posix()}"), encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "-f", str(chosen), "-d", str(site)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    for path in site.glob("*.html"):
        path.write_text(path.read_text(encoding="utf-8").replace(FROM_THE_NETWORK, SHIM), encoding="utf-8")
    return done


def main() -> None:
    """Build it, and say what is wrong with it."""
    site = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT / "build" / "site"
    done = build(site)
    print(done.stdout + done.stderr or f"{site / 'index.html'}: open it in a browser")
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
