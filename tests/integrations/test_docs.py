"""The pytest example of docs/inputs.md is a test that passes, and that can fail."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parents[2] / "docs" / "inputs.md"


def test_the_example_passes_and_names_what_is_missed() -> None:
    (example,) = [one for one in re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL) if "def missed" in one]
    names: dict[str, Any] = {}
    exec(example, names)
    names["test_the_summary_says_what_happened"]()
    assert "Nobody was hurt." in names["missed"]("The dam broke on Monday.")
