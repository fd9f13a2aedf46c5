"""Pages say who marked: what a language model wrote and marked is never called people's (examples/PROVENANCE.md)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for pattern in ("*.md", "docs/*.md", "src/pyramidion/examples/*.md", "tests/data/topics/*.md", "train/topics/*.md")
    for path in sorted(ROOT.glob(pattern))
    if path.name not in ("CHANGELOG.md", "WEIGHTS.md")
}
OURS = re.compile(
    r"bundled (example|topic)|(open|sealed|marked|invented) topic|our example|the example's|tests/data/topics"
    r"|train/topics|bench (annotations|builders)|bench/marks|lake-revival|tidal-lagoon",
    re.IGNORECASE,
)
"""How pages name the topics that a language model wrote and marked."""
PEOPLE = re.compile(r"\b(people|people's|human|humans|hand-made)\b|\bby hand\b|\ba person\b", re.IGNORECASE)


def paragraphs(page: str) -> list[str]:
    """The paragraphs and the single rows of tables, without blocks of code and links."""
    prose = re.sub(
        r"```.*?```|`[^`]*`(?=\]\()|<!--.*?-->|\]\([^)]*\)", lambda found: kept(found[0]), page, flags=re.DOTALL
    )
    rows = re.sub(r"^(\|.*)$", r"\n\1\n", prose, flags=re.MULTILINE)
    return [" ".join(block.split()) for block in re.split(r"\n\s*\n|\n(?=\* )", rows) if block.strip()]


def kept(text: str) -> str:
    """The name that a link gives, and nothing of a block of code."""
    return text if text.startswith(("`", "]")) and not text.startswith("```") else ""


def wrong(page: str) -> list[str]:
    """Paragraphs about our own topics that speak of people and do not say that a language model marked."""
    return [
        text
        for text in paragraphs(page)
        if OURS.search(text) and PEOPLE.search(text) and "language model" not in text and "REALSumm" not in text
    ]


@pytest.mark.parametrize("page", PAGES)
def test_no_page_says_that_people_marked_what_a_language_model_marked(page: str) -> None:
    assert wrong(PAGES[page]) == []


def test_the_rule_finds_what_pages_said_before() -> None:
    assert wrong("On the bundled example the four paraphrases,\nwhich people have marked, get .86.\n")
    assert wrong("| peers of the open topics, marked by hand | .86 |\n")
    assert not wrong("The bundled example has marks.\n\nStudents were marked by people.\n")
    assert not wrong("```\nbundled example: 600 people\n```\n")


def test_the_bundled_topics_say_who_marked_them() -> None:
    assert "language model" in PAGES["src/pyramidion/examples/PROVENANCE.md"]
    assert "language model" in PAGES["tests/data/topics/README.md"]
