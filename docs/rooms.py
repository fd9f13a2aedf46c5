"""Draw the rooms of the package and which of them each one knows: ``docs/rooms.svg``.

    python docs/rooms.py            (or: make docs)

The rooms stand on the diagonal, from left to right as in ``tests/imports.py``. Each has a row and a column; a dot says
that the room of its row knows the room of its column. That no dot lies right of the diagonal is the rule that
``tests/test_rooms.py`` keeps.
"""

from __future__ import annotations

import sys
from html import escape
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent))

from tests.imports import ROOMS, graph, room  # noqa: E402

PICTURE = DOCS / "rooms.svg"
STEP = 34
"""From one room to the next."""
LEFT, TOP = 20, 20
LETTER = 8
"""No letter is wider, on average."""
STYLE = """
  text { font: 13px system-ui, sans-serif; fill: #1c2b2a; }
  .guide { stroke: #dbe3e1; } .room { fill: #0f655d; } .dot { fill: #0f655d; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e3ecea; } .guide { stroke: #33403e; } .room, .dot { fill: #5cc4b8; }
  }
"""


def known_rooms() -> dict[int, set[int]]:
    """For each place in the order of rooms, the places of those it knows; itself where its modules know each other."""
    place = {name: index for index, names in enumerate(ROOMS) for name in names.split()}
    known: dict[int, set[int]] = {index: set() for index in range(len(ROOMS))}
    for module, needed in graph().items():
        if room(module):
            known[place[room(module)]].update(place[room(one)] for one in needed if room(one))
    return known


def picture() -> str:
    """The picture, the same for the same imports."""
    known = known_rooms()
    size = STEP * len(ROOMS)
    width = LEFT + max(index * STEP + 14 + LETTER * len(names) for index, names in enumerate(ROOMS))
    height = TOP + size
    parts = []
    for index, names in enumerate(ROOMS):
        x, y = LEFT + index * STEP, TOP + index * STEP
        parts.append(f'<path class="guide" d="M{LEFT} {y}H{x}V{TOP + size - STEP}" fill="none"/>')
        about = (
            f"{names} knows {', '.join(ROOMS[one] for one in sorted(known[index]) if one != index) or 'no other room'}"
        )
        parts.append(
            f"<g><title>{escape(about)}</title>"
            f'<rect class="room" x="{x - 7}" y="{y - 7}" width="14" height="14" rx="3"/>'
            f'<text x="{x + 14}" y="{y + 4.5}">{escape(names)}</text></g>'
        )
        for one in sorted(known[index] - {index}):
            about = f"{names} knows {ROOMS[one]}"
            parts.append(
                f'<circle class="dot" cx="{LEFT + one * STEP}" cy="{y}" r="4.5"><title>{escape(about)}</title></circle>'
            )
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
        'aria-label="Which room of the package knows which: every dot lies left of the diagonal">\n'
        f"<style>{STYLE}</style>\n{body}\n</svg>\n"
    )


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
