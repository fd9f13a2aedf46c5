"""Measure, and keep what was measured: ``python docs/record.py NAME TITLE [--reads FOLDER ...] -- COMMAND ...``.

Runs a command (``pyramidion bench ... --json``, ``python bench/NAME.py --json``, ``python -m train.NAME``) and keeps
what it prints, JSON or text, in ``docs/figures/NAME.json``, with the command, the date, and the digests of what it was
made of: the weights of the models that its signatures name (where it has none, those after ``--models``, or all), the
data in its words and after ``--reads``, the defaults of its methods, and the result itself. Pages take their figures
from these files (``docs/marks.py``), and ``make docs`` makes ``docs/figures.md`` of them: nobody types a figure. Run
from the root of the repository, so that the command can be typed again as it stands.

``--again NAME ...`` repeats some. ``--check`` says what is out of date, and runs nothing: a change of source text is no
reason, another version, other weights, data or defaults are.
"""

from __future__ import annotations

import inspect
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from functools import cache
from hashlib import file_digest, sha256
from itertools import pairwise
from pathlib import Path
from typing import Any

from pyramidion.builders import BUILDERS
from pyramidion.errors import PyramidionError
from pyramidion.matchers import MATCHERS
from pyramidion.methods import Method
from pyramidion.signature import Signature
from pyramidion.version import __version__

sys.path.insert(0, str(Path(__file__).parent))

from marks import printed

ROOT = Path(__file__).parents[1]
FIGURES = Path(__file__).parent / "figures"
HEAD = """# All measured figures

<!-- Written by `make docs` from docs/figures/*.json. Do not edit. -->

Each table is what a command printed, with the day on which it did; large ones stand in the record. To repeat one, type
its command in a checkout (some need public data in the folder `../shared/data`); `python docs/record.py --again NAME`
keeps the new result, and `make docs` writes this page. A test fails where the version, weights, data or settings that
made a result have changed. Times are those of a shared machine with two cores: read the ratios.
[The leaderboard](leaderboard.md) and [speed](speed.md) have figures with more words about them.
"""
HELD_OUT = "folds.npz"
"""Answers to REALSumm of networks that had not seen it, which only ``--folds`` reads."""

WIDE = 20
"""Columns that a table has at most, unless it has more rows."""
MOST_CELLS = 120
"""Cells of a table that the page prints: nobody reads a larger one there, and pages have marks for what they say."""
NO_DATA = (".py", ".pyc", ".md")
"""Files in a folder of data that decide no figure."""


def record(
    name: str, title: str, command: list[str], reads: Iterable[str] = (), models: Iterable[str] | None = None
) -> None:
    """Run the command and keep its result."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(command, env=os.environ | {"PATH": path}, stdout=subprocess.PIPE, text=True, check=True)
    try:
        result = json.loads(done.stdout)
    except ValueError:
        result = {"text": done.stdout}
    kept = {
        "title": title,
        "command": shlex.join(command),
        "date": datetime.now(UTC).date().isoformat(),
        "version": __version__,
        "settings": settings(result, command),
        "weights": weights(result, command, models),
        "data": {folder: content(ROOT / folder) for folder in sorted({*data_of(command), *reads})},
        "result": result,
    }
    FIGURES.mkdir(exist_ok=True)
    text = json.dumps(kept | {"digest": digest(kept)}, indent=1, ensure_ascii=False)
    (FIGURES / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def digest(kept: dict[str, Any]) -> str:
    """Return the digest of a record, without the one that it has."""
    parts = {name: value for name, value in kept.items() if name != "digest"}
    return sha256(json.dumps(parts, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def signatures(result: Any) -> list[Signature]:
    """Return every signature in a result."""
    if isinstance(result, list):
        return [found for value in result for found in signatures(value)]
    if not isinstance(result, dict):
        return []
    if list(result) == ["text"]:
        return [Signature.parse(line) for line in result["text"].splitlines() if line.startswith("method:")]
    own = [Signature.parse(result["signature"])] if isinstance(result.get("signature"), str) else []
    return own + [found for value in result.values() for found in signatures(value)]


_COMMA = re.compile(r",(?![^(]*\))")
"""A comma that is not in the brackets of a method's parameters."""


def settings(result: Any, command: list[str]) -> dict[str, dict[str, Any]]:
    """Return the defaults of every builder and matcher of the methods that a command or its signatures name."""
    named = {name for option, name in pairwise(command) if option == "--method"}
    for signature in signatures(result):
        lists = [value for name, value in signature.parameters if name in ("methods", "matchers", "judges")]
        named |= {signature.method, *(name for several in lists for name in _COMMA.split(several))}
    parts = set()
    for name in filter(None, named):
        try:
            method = Method.parse(name)
        except PyramidionError:
            continue  # the name of a study (bench-corpus)
        parts |= {f"builder {method.builder}", f"matcher {method.matcher}"} - {"builder given", "matcher given"}
    return {part: defaults(part) for part in sorted(parts)}


def defaults(part: str) -> dict[str, Any]:
    """Return the defaults of a builder or matcher; none of one that is gone.

    >>> defaults("matcher unigram")
    {'threshold': 0.67, 'stem': True, 'analyser': 'unicode'}
    """
    kind, _, name = part.partition(" ")
    registry = BUILDERS if kind == "builder" else MATCHERS
    if name not in registry:
        return {}
    parameters = inspect.signature(registry[name]).parameters.values()
    return {own.name: own.default for own in parameters if own.kind is own.KEYWORD_ONLY}


def released(root: Path = ROOT) -> Iterator[tuple[str, str, str]]:
    """Return the model, the file name and the digest of all weights of the repository."""
    manifests = [root / "src/pyramidion/language/models/SHA256SUMS", *sorted(root.glob("*/src/*/SHA256SUMS"))]
    for manifest in manifests:
        for line in manifest.read_text("ascii").splitlines():
            code, _, name = line.partition("  ")
            path = manifest.parent / name
            yield path.parent.name, path.name, code


def weights(result: Any, command: list[str], models: Iterable[str] | None = None) -> dict[str, dict[str, str]]:
    """Return the digests of the files of the models that made a result.

    They are those that its signatures name; where it has none, ``models``, or all.
    """
    known = signatures(result)
    named = {model for own in known for model in dict(own.parameters).get("models", "").split(",")}
    names = {model.rpartition("-")[0] for model in named} if known else None if models is None else {*models}
    found: dict[str, dict[str, str]] = {}
    for model, file, code in released():
        if (names is None or model in names) and (file != HELD_OUT or "--folds" in command):
            found.setdefault(model, {})[file] = code
    return found


def data_of(command: list[str]) -> list[str]:
    """Return the files and folders that a command names; programs and pages are not data."""
    return [word for word in command if "/" in word and Path(word).suffix not in NO_DATA and _is_path(word)]


def _is_path(word: str) -> bool:
    return word.startswith(("../", "./")) or (ROOT / word).exists()


@cache
def content(path: Path) -> str:
    """Return the digest of a file, or of the names and contents of a folder's files but for programs and prose."""
    files = sorted(file for file in path.rglob("*") if file.is_file() and file.suffix not in NO_DATA)
    files = [path] if path.is_file() else files
    lines = []
    for file in files:
        with file.open("rb") as stream:
            lines.append(f"{file_digest(stream, 'sha256').hexdigest()}  {file.relative_to(path).as_posix()}\n")
    return sha256("".join(lines).encode()).hexdigest()


def changes(kept: dict[str, Any]) -> list[str]:
    """Return what made a record and has changed since; nothing is run."""
    if not {"version", "settings", "weights", "data", "digest"} <= kept.keys():
        return ["it does not say what made it"]
    found = []
    if kept["digest"] != digest(kept):
        found.append("the record was edited")
    if kept["version"] != __version__:
        found.append(f"it is of version {kept['version']}")
    there = {(file, code) for _, file, code in released()}
    for model, files in kept["weights"].items():
        found += [f"other weights: {model}/{file}" for file, code in files.items() if (file, code) not in there]
    for part, values in kept["settings"].items():
        now = defaults(part)
        changed = sorted(name for name in {*values, *now} if values.get(name) != now.get(name))
        found += [f"other settings of the {part}: {', '.join(changed)}"] if changed else []
    for folder, code in kept["data"].items():
        if (ROOT / folder).exists() and content(ROOT / folder) != code:
            found.append(f"other data: {folder}")
    return found


def missing(kept: dict[str, Any]) -> list[str]:
    """Return the data of a record that are not on this machine, which cannot be checked."""
    return [folder for folder in kept.get("data", ()) if not (ROOT / folder).exists()]


def records(folder: Path = FIGURES) -> dict[str, dict[str, Any]]:
    """Return every record by its name."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}


def check(names: Iterable[str]) -> list[str]:
    """Return a line for each record that is out of date: what changed, and the command that repeats it."""
    known = records()
    return [
        f"{name}: {'; '.join(found)}. Type: python docs/record.py --again {name}"
        for name in names
        if (found := changes(known[name]))
    ]


def page(folder: Path = FIGURES) -> str:
    """Return the page of all records: their commands, and the tables that are small enough to read."""
    parts = [HEAD]
    for path in sorted(folder.glob("*.json")):
        kept = json.loads(path.read_text(encoding="utf-8"))
        parts.append(f"## {kept['title']}\n\n```sh\n{kept['command']}\n```\n\n{kept['date']}, kept as `{path.stem}`.\n")
        parts += [f"```text\n{printed(kept['result'])}\n```\n"] if "text" in kept["result"] else []
        for title, rows in tables(kept["result"]):
            is_large = len(rows) * max(map(len, rows)) > MOST_CELLS
            there = f"**{title}**: {len(rows)} rows, in [the record](figures/{path.name}).\n"
            parts.append(there if is_large else table(title, rows))
    return "\n".join(parts)


def tables(result: Any) -> list[tuple[str, list[dict[str, str]]]]:
    """The lists of rows of a result, by their names.

    >>> tables({"signature": "x", "fits": [{"who": "a", "r": {"low": 0.123456, "runs": [1, 2, 3]}, "of": [0.1, 0.25]}]})
    [('fits', [{'who': 'a', 'low': '0.1235', 'of': '0.1 to 0.25'}])]
    """
    return [
        (name, [cells(row) for row in rows])
        for name, rows in result.items()
        if isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows)
    ]


def cells(row: dict[str, Any]) -> dict[str, str]:
    """A row with what a cell can hold; what lies deeper comes up, and longer lists are left to the file.

    >>> cells({"who": "a", "system": {"r": 0.9}, "summary": {"r": 0.5, "n": 3}})
    {'who': 'a', 'system r': '0.9', 'summary r': '0.5', 'n': '3'}
    """
    found = [(path, text) for path, text in _leaves(row) if path[-1] != "signature"]
    names = Counter(path[-1] for path, _ in found)
    return {path[-1] if names[path[-1]] == 1 else " ".join(path): text for path, text in found}


def _leaves(row: dict[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    for name, value in row.items():
        if isinstance(value, dict):
            yield from _leaves(value, (*above, name))
        elif not isinstance(value, list):
            yield (*above, name), cell(value)
        elif len(value) == 2 and all(isinstance(end, float | int) for end in value):
            yield (*above, name), " to ".join(map(cell, value))


def cell(value: Any) -> str:
    """One value, to four digits."""
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


def table(title: str, rows: list[dict[str, str]]) -> str:
    """Return rows as Markdown; upright where they have many columns."""
    columns = list(dict.fromkeys(name for row in rows for name, text in row.items() if text))
    lines = [columns, *([row.get(name, "") for name in columns] for row in rows)]
    if len(columns) > max(WIDE, len(rows)):
        lines = [list(line) for line in zip(*lines, strict=True)]
    lines.insert(1, ["---"] * len(lines[0]))
    return f"**{title}**\n\n" + "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def main(arguments: list[str]) -> None:
    """Record anew, or again, or check."""
    if arguments == ["--check"]:
        stale = check(records())
        sys.exit("\n".join(stale) if stale else 0)
    # A cache of its own: a figure is not made of what an older version left.
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PYRAMIDION_CACHE"] = folder
        if arguments[:1] == ["--again"]:
            for name in arguments[1:]:
                kept = records()[name]
                record(name, kept["title"], shlex.split(kept["command"]), kept.get("data", ()), kept.get("weights"))
        elif "--" in arguments[2:]:
            end = arguments.index("--")
            options: dict[str, list[str]] = {"--reads": []}
            for word in arguments[2:end]:
                if word.startswith("--"):
                    here = options.setdefault(word, [])
                else:
                    here.append(word)
            name, title = arguments[:2]
            record(name, title, arguments[end + 1 :], options["--reads"], options.get("--models"))
        else:
            sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
