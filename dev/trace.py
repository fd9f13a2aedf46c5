"""List the files that a command runs, in the order in which it first enters them: ``python -m dev trace COMMAND ...``.

    python -m dev trace evaluate class/ --method given+unigram --jobs 1

One line a file: how many of its functions ran, and its path under ``src/pyramidion``. The command runs twice, and only
the second run is listed: the first loads the modules, whose loading would else be in the list. Only this process is
seen, so give ``--jobs 1`` where a command has it.
"""

from __future__ import annotations

import sys
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from types import FrameType

import pyramidion
from pyramidion.cli import main

PACKAGE = Path(pyramidion.__file__).parent


def run(arguments: list[str]) -> None:
    """Run a command without its output; one that fails ends here with what it said."""
    said = StringIO()
    try:
        with redirect_stdout(StringIO()), redirect_stderr(said):
            main(arguments)
    except SystemExit as end:
        if end.code:
            sys.exit(said.getvalue())


def trace(arguments: list[str]) -> dict[str, set[str]]:
    """Return the functions that a command enters by file, files in the order of the first entry."""
    entered: dict[str, set[str]] = {}

    def enter(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_name != "<module>" and code.co_filename.startswith(str(PACKAGE)):
            path = Path(code.co_filename).relative_to(PACKAGE).as_posix()
            entered.setdefault(path, set()).add(code.co_qualname)

    run(arguments)
    sys.setprofile(enter)
    try:
        run(arguments)
    finally:
        sys.setprofile(None)
    return entered


if __name__ == "__main__":
    functions = trace(sys.argv[1:])
    print(f"{sum(map(len, functions.values()))} functions of {len(functions)} files:")
    for path, names in functions.items():
        print(f"{len(names):5}  {path}")
