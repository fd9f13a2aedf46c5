"""``--table`` is refused before the work if the command's other options leave the result without that table."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Run


@pytest.mark.parametrize(
    ("command", "table", "wanted"),
    [
        ("correlate", "tests", "--against COLUMN"),
        ("correlate", "accuracy", "--accuracy"),
        ("compare", "scus", "the names of two systems"),
        ("crowd score", "groups", "--compare"),
        ("crowd score", "pairs", "--compare"),
    ],
)
def test_a_table_that_the_result_will_not_have_is_refused_before_the_input_is_read(
    run: Run, command: str, table: str, wanted: str
) -> None:
    outcome = run(*command.split(), "no-such-file.csv", "--table", table)
    assert (outcome.status, outcome.out) == (2, "")
    assert f"The table {table!r} needs {wanted}." in outcome.err
    assert "no-such-file" in run(*command.split(), "no-such-file.csv").err
