"""How large a report is, and how long a browser takes to open it: `python bench/pages.py [--json]`.

Two pages: a benchmark of 100 topics with 25 systems each, and a class of 1,000. *open* is the time from the start of
the navigation to a page that is drawn and can be used, the middle of three; *frame* is the longest time between two
frames while all rows of the table are scrolled past. Chromium and Playwright must be there (`make browser`).
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from pyramidion.evaluation.evaluate import evaluate
from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Span, Summary, Topic
from pyramidion.reports.html import report_html

WORDS = ("river", "council", "bridge", "farmer", "engine", "winter", "market", "signal", "border", "school", "doctor")
SCROLL = """
async () => {
  document.getElementById("more-rows").click();
  document.getElementById("scores").scrollIntoView();
  for (let i = 0; i < 3; i += 1) await new Promise(requestAnimationFrame); // what is shown first is laid out
  let last = performance.now(), longest = 0;
  for (let i = 0; i < 120; i += 1) {
    scrollBy(0, 400);
    await new Promise(requestAnimationFrame);
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }
  return longest;
}
"""


def topic(number: int, peers: int, ideas: int = 40, seed: int = 0) -> Topic:
    """A topic with four references of about 200 words, and what a judge might say of its peers."""
    draw = random.Random(seed * 1000 + number)
    sentences = [" ".join(draw.choices(WORDS, k=9)).capitalize() + f" {unit}." for unit in range(ideas)]
    references, contributors = [], [list[Contributor]() for _ in sentences]
    for name in "ABCD":
        text = ""
        for unit in sorted(draw.sample(range(ideas), 20)):
            contributors[unit].append(Contributor(name, (Span(len(text), len(text) + len(sentences[unit])),)))
            text += sentences[unit] + " "
        references.append(Summary(name, text))
    scus = tuple(SCU(f"s{unit}", sentences[unit], tuple(own)) for unit, own in enumerate(contributors) if own)
    pyramid = Pyramid(f"topic {number:03}", tuple(references), scus)
    annotations = []
    for peer in range(peers):
        text, matches = "", []
        probabilities = {scu.id: round(draw.random() ** 4, 4) for scu in scus}
        for scu in draw.sample(scus, 12):
            matches.append(Match(scu.id, (Span(len(text), len(text) + len(scu.label)),)))
            text += scu.label + " "
            probabilities[scu.id] = round(1 - draw.random() / 3, 4)
        summary = Summary(f"peer {peer:04}", text, "peer")
        annotations.append(Annotation(summary, tuple(matches), probabilities=tuple(probabilities.items())))
    return Topic(
        pyramid.topic, pyramid.references, tuple(one.summary for one in annotations), (), pyramid, tuple(annotations)
    )


def measured(html: str) -> dict[str, float]:
    """Size, time to open and longest frame of a page."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder, "report.html")
        path.write_text(html, encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        opened, frames = [], []
        for _ in range(3):
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.goto(path.as_uri())
            page.wait_for_selector("html[data-ready]")
            opened.append(page.evaluate("performance.getEntriesByName('ready')[0].startTime"))
            frames.append(page.evaluate(SCROLL))
            page.close()
        browser.close()
    return {
        "megabytes": round(len(html.encode()) / 1e6, 2),
        "open_ms": round(statistics.median(opened)),
        "frame_ms": round(statistics.median(frames)),
    }


def main() -> None:
    """Measure both pages and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    as_json = parser.parse_args().json
    pages = {
        "100 topics x 25 peers": [topic(number, 25) for number in range(100)],
        "a class of 1,000": [topic(0, 1000)],
    }
    figures = {name: measured(report_html(evaluate(topics, "manual"))) for name, topics in pages.items()}
    if as_json:
        print(json.dumps(figures, indent=1))
        return
    print(f"{'':24}{'MB':>8}{'open ms':>10}{'frame ms':>10}")
    for name, own in figures.items():
        print(f"{name:24}{own['megabytes']:>8.2f}{own['open_ms']:>10}{own['frame_ms']:>10}")


if __name__ == "__main__":
    main()
