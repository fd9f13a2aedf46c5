"""Where a tool is not installed, the error says how to install it."""

from __future__ import annotations

import pytest

from pyramidion.errors import MissingPartError
from pyramidion.integrations import imported


def test_the_error_has_the_line_to_run() -> None:
    with pytest.raises(MissingPartError, match=r"Some tool is not installed; run: pip install 'pyramidion\[some\]'"):
        imported("no_such_module_anywhere", "Some tool", "some")
