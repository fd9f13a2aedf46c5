"""Pages in a real browser: Debian's Chromium, driven by Playwright; skipped with a reason where either is missing."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

OPTIONS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

LAID_OUT = "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
"""Ends when a page whose window has a new size is laid out: a width that is asked at once may be the old one."""
CONTRAST = """
() => {
  const parse = (text) => (text.match(/[\\d.]+/g) || []).map(Number);
  const channel = (v) => { v /= 255; return v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4; };
  const light = ([r, g, b]) => .2126 * channel(r) + .7152 * channel(g) + .0722 * channel(b);
  const paper = (node) => {
    for (let one = node; one; one = one.parentElement) {
      const colour = parse(getComputedStyle(one).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const node of document.querySelectorAll("body *")) {
    const own = [...node.childNodes].some((child) => child.nodeType === 3 && child.textContent.trim());
    if (!own || node.closest(".unseen, .skip, [disabled], script, noscript, option") || !node.getClientRects().length) continue;
    const [a, b] = [light(parse(getComputedStyle(node).color)), light(paper(node))];
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) poor.push(`${node.tagName}.${node.className}: ${ratio.toFixed(2)}`);
  }
  return [...new Set(poor)];
}
"""
"""The words on a page whose contrast with their ground is below 4.5."""


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """One browser for this folder: Playwright's event loop must not outlive it, or other tests could start none."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="no browser tests: playwright is not installed")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no browser tests: chromium is not installed (make browser, or apt-get install chromium)")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=OPTIONS)
        yield browser
        browser.close()


Opener = Callable[..., "Page"]


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[Opener]:
    """Opens a page from disk; at the end, it must have said nothing on the console and asked for no other file."""
    complaints: list[str] = []
    asked: list[str] = []
    contexts = []

    def open_page(html: str, fragment: str = "", **options: Any) -> Page:
        path = tmp_path / "page.html"
        path.write_text(html, encoding="utf-8")
        options = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce"} | options
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(60_000)
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("request", lambda request: asked.append(request.url.partition("#")[0]))
        page.goto(path.as_uri() + fragment)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert complaints == []
    assert set(asked) <= {(tmp_path / "page.html").as_uri()}
