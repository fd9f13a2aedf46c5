"""``WEIGHTS.md``: a version of weights is one digest, and nothing large changes without a new version and a row."""

from __future__ import annotations

import re
import subprocess
import tomllib
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import pytest

from pyramidion.language.models.distributions import ENTAILS, READER, WRITES

ROOT = Path(__file__).parents[1]
TABLE = "WEIGHTS.md"
MODELS = "src/pyramidion/language/models"
DISTRIBUTIONS = ("entails", "words", "writes")
LARGE = 1_000_000
WALKED_PAST = {"build", "dist", "__pycache__"}


class Row(NamedTuple):
    """A file of a version."""

    weights: str
    version: str
    file: str
    digest: str


def rows(table: str) -> list[Row]:
    """The rows of today's kind of table; those of before have no version."""
    found = re.findall(
        r"^\| `([^`]+)` \| (\d+\.\d+\.\d+) \| `([^`]+)` \| [\d.]+ \| `([0-9a-f]{64})` \| .+ \|$", table, re.M
    )
    return [Row(*cells) for cells in found]


@cache
def written() -> str:
    return (ROOT / TABLE).read_text(encoding="utf-8")


def git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, check=True).stdout


def is_checkout() -> bool:
    """Whether the tests run where the history is, and git is there to ask."""
    if not (ROOT / ".git").exists():
        return False
    try:
        return bool(git("rev-parse", "HEAD"))
    except (OSError, subprocess.CalledProcessError):
        return False


needs_history = pytest.mark.skipif(not is_checkout(), reason="this is no git checkout, or git is not installed")


def files() -> list[str]:
    """What is tracked; where nobody can tell, what is there."""
    if is_checkout():
        return [name for name in git("ls-files", "-z").decode().split("\0") if name and (ROOT / name).is_file()]
    inside = (path for path in ROOT.rglob("*") if path.is_file())
    named = (path.relative_to(ROOT) for path in inside)
    return [name.as_posix() for name in named if not any(part in WALKED_PAST or part[0] == "." for part in name.parts)]


def weights() -> Iterator[Row]:
    """Every file that a list of digests names, with the version that its distribution or its card states."""
    for folder in DISTRIBUTIONS:
        project = ROOT / folder / "pyproject.toml"
        if project.exists():  # the source archive of pyramidion has none of them
            about = tomllib.loads(project.read_text())["project"]
            package = f"{folder}/src/{about['name'].replace('-', '_')}"
            for digest, file in digests(f"{package}/SHA256SUMS"):
                yield Row(about["name"], about["version"], f"{package}/{file}", digest)
    for digest, file in digests(f"{MODELS}/SHA256SUMS"):
        model = file.partition("/")[0]
        (version,) = re.findall(r"^\| Version \| (\S+) \|$", (ROOT / MODELS / model / "MODEL.md").read_text(), re.M)
        yield Row(model, version, f"{MODELS}/{file}", digest)


def digests(manifest: str) -> list[list[str]]:
    return [line.split() for line in (ROOT / manifest).read_text().splitlines()]


def digest(file: str) -> str:
    return sha256((ROOT / file).read_bytes()).hexdigest()


def test_the_weights_of_a_version_have_the_digests_that_are_written_down() -> None:
    known = {row[:3]: row.digest for row in rows(written())}
    wrong = [row for row in weights() if known.get(row[:3]) != row.digest]
    assert wrong == [], f"changed weights need a new version and a row in {TABLE}"


def test_the_lists_of_digests_are_those_of_the_files() -> None:
    assert [row.file for row in weights() if digest(row.file) != row.digest] == []


def test_every_large_file_stands_in_the_table() -> None:
    known = {(row.file, row.digest) for row in rows(written())}
    large = [file for file in files() if (ROOT / file).stat().st_size > LARGE]
    assert len(large) >= 3
    assert [file for file in large if (file, digest(file)) not in known] == []


def test_a_version_of_a_file_has_one_row() -> None:
    versions = [row[:3] for row in rows(written())]
    assert len(versions) == len(set(versions))


@needs_history
def test_no_row_was_ever_edited_or_removed() -> None:
    """Whoever writes another digest beside a version has to say so in another row."""
    today = {*rows(written())}
    for commit in git("log", "--format=%H", "--", TABLE).decode().split():
        before = subprocess.run(["git", "show", f"{commit}:{TABLE}"], cwd=ROOT, capture_output=True, check=False)
        assert {*rows(before.stdout.decode())} <= today, f"a row of commit {commit} is not there any more"


@needs_history
def test_nothing_large_entered_a_commit_that_the_table_does_not_know() -> None:
    """Weights that are tried, and lose, stay outside: a clone pays for every one that was ever committed."""
    first = git("log", "--diff-filter=A", "--format=%H", "--", TABLE).decode().split()
    if not first:
        pytest.skip("the table is not committed yet")
    changes = git("log", "--format=", "--raw", "--no-abbrev", "--no-renames", "--diff-filter=AM", f"{first[-1]}..HEAD")
    blobs = {line.split()[3]: line.partition("\t")[2] for line in changes.decode("utf-8", "replace").splitlines()}
    asked = subprocess.run(
        ["git", "cat-file", "--batch-check"], cwd=ROOT, input="\n".join(blobs).encode(), capture_output=True, check=True
    )
    sizes = [line.split() for line in asked.stdout.decode().splitlines()]
    large = [blob for blob, kind, size in (line for line in sizes if len(line) == 3) if int(size) > LARGE]
    known = {row.digest for row in rows(written())}
    assert [blobs[blob] for blob in large if sha256(git("cat-file", "blob", blob)).hexdigest() not in known] == []


@pytest.mark.parametrize("distribution", [*READER, WRITES], ids=lambda distribution: distribution.name)
def test_pip_is_asked_for_the_interface_that_is_read(distribution) -> None:
    dependencies = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    assert distribution.requirement in dependencies
    versions = [row.version for row in rows(written()) if row.weights == distribution.name]
    assert max(int(version.partition(".")[0]) for version in versions) == distribution.interface


def test_the_network_asks_for_its_words() -> None:
    project = ROOT / "entails" / "pyproject.toml"
    if not project.exists():
        pytest.skip("the source archive of pyramidion has no weights of other distributions")
    (words,) = (distribution for distribution in READER if distribution != ENTAILS)
    assert words.requirement in tomllib.loads(project.read_text())["project"]["dependencies"]
