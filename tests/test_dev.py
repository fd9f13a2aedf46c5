"""What `make STEP` does, `python -m dev STEP` does; what is released is whole."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from fnmatch import fnmatch
from pathlib import Path

import pytest
from dev import __main__ as dev
from dev import bare, release

ROOT = Path(__file__).parents[1]


def test_make_and_python_know_the_same_steps() -> None:
    makefile = (ROOT / "Makefile").read_text()
    called = {
        step for line in re.findall(r"^([\w ]+):.*\n\t@\$\(PYTHON\) -m dev", makefile, re.M) for step in line.split()
    }
    assert called == set(dev.STEPS) - {"trace"}  # which takes arguments


def test_trace_lists_the_files_that_a_command_enters_in_order(tmp_path: Path) -> None:
    for name, text in {"model-1": "The dam broke.", "model-2": "A dam broke.", "peer": "The dam broke."}.items():
        (tmp_path / f"{name}.txt").write_text(text)
    command = [sys.executable, "-m", "dev.trace", "validate", tmp_path]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    files = re.findall(r"^ +\d+  (\S+)$", printed, re.M)
    assert files[0] == "cli/__init__.py"
    assert files.index("formats/read.py") < files.index("model.py")
    assert all((ROOT / "src" / "pyramidion" / file).is_file() for file in files)


def test_a_step_that_is_unknown_is_told_and_the_steps_are_listed() -> None:
    done = subprocess.run([sys.executable, "-m", "dev", "tset"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert all(step in done.stderr for step in dev.STEPS)


def test_a_failing_command_stops_the_step(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        dev.run(sys.executable, "-c", "raise SystemExit(7)")
    assert stopped.value.code == 7


def test_ray_that_cannot_be_installed_is_told_and_stops_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    why = "ERROR: No matching distribution found for ray>=2.40"
    said = f"ERROR: Could not find a version that satisfies the requirement ray>=2.40\n{why}\n"
    monkeypatch.setattr(dev, "setup", lambda: None)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: subprocess.CompletedProcess([], 1, "", said))
    dev.ray()
    assert capsys.readouterr().out.splitlines()[-1] == f"Ray cannot be installed, its tests will be skipped: {why}"


def test_every_supported_python_is_tried_and_declared() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = {kind.rpartition(" ")[2] for kind in project["classifiers"] if re.search(r"Python :: 3\.\d+$", kind)}
    assert declared == set(bare.VERSIONS)
    assert project["requires-python"] == f">={min(bare.VERSIONS)}"
    (matrix,) = re.findall(r"python: \[(.+)\]", (ROOT / ".github" / "workflows" / "test.yml").read_text())
    assert re.findall(r"[\d.]+", matrix) == [*bare.VERSIONS]


def test_no_distribution_is_forgotten() -> None:
    """What is set up, tried bare and released is every project of the repository."""
    projects = {path.parent.name for path in ROOT.glob("*/pyproject.toml")}
    assert projects == set(bare.WEIGHTS)
    dependencies = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    needed = {
        line.removeprefix("pyramidion-").partition(">")[0] for line in dependencies if line.startswith("pyramidion-")
    }
    assert projects == needed


@pytest.mark.parametrize("changed", ["", *bare.WEIGHTS])
def test_a_project_that_changed_is_installed_again(
    changed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed: list[tuple[str, ...]] = []
    monkeypatch.setattr(dev, "ROOT", tmp_path)
    monkeypatch.setattr(dev, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(dev, "READY", tmp_path / ".ready")
    monkeypatch.setattr(dev, "python", lambda *arguments: installed.append(arguments))
    monkeypatch.setattr("venv.create", lambda *_, **__: None)
    for folder in ("", *bare.WEIGHTS):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "pyproject.toml").touch()
        os.utime(tmp_path / folder / "pyproject.toml", (1000, 1000))
    dev.READY.touch()
    dev.setup()
    assert installed == []
    os.utime(dev.READY, (2000, 2000))
    os.utime(tmp_path / changed / "pyproject.toml", (3000, 3000))
    dev.setup()
    assert [part for part in installed[0] if part.startswith(".")] == [".[dev]", "./entails", "./words", "./writes"]


def test_where_nothing_can_be_fetched_the_wheels_are_not_tried_and_the_reason_is_printed(tmp_path: Path) -> None:
    environment = os.environ | {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(tmp_path), "PIP_CONFIG_FILE": os.devnull}
    done = subprocess.run(
        [sys.executable, "-m", "dev.bare", "--here"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert re.fullmatch(
        r"The wheels are not tried .* because pip can fetch nothing here: ERROR: .*jinja2>=3\.1\n", done.stdout
    ), done.stdout + done.stderr


def test_a_library_leaves_the_versions_of_others_open() -> None:
    """An exact version would clash with what else is installed."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for lines in (project["dependencies"], *project["optional-dependencies"].values()):
        assert [line for line in lines if "==" in line] == []


def test_the_release_says_what_is_cited_and_changed() -> None:
    version = re.search(r'__version__ = "(.+)"', (ROOT / "src" / "pyramidion" / "version.py").read_text())
    assert version
    assert f"\nversion: {version[1]}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"\n## {version[1]} " in (ROOT / "CHANGELOG.md").read_text()


def wheel(folder: Path, metadata: str, *files: str) -> Path:
    path = folder / "some-1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("some-1.dist-info/METADATA", f"Metadata-Version: 2.4\nName: some\nVersion: 1\n{metadata}\n")
        for file in files:
            archive.writestr(f"some-1.dist-info/licenses/{file}", "")
    return path


@pytest.mark.parametrize(
    ("metadata", "files"),
    [
        ("License-Expression: MIT", ()),
        ("License-File: LICENSE", ("LICENSE",)),
        ("License-Expression: MIT\nLicense-File: LICENSE", ()),
    ],
    ids=["no file declared", "no expression", "the file is missing"],
)
def test_a_wheel_without_its_licence_is_refused(metadata: str, files: tuple[str, ...], tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="lacks its licence"):
        release.licensed(wheel(tmp_path, metadata, *files))


def test_a_wheel_with_its_licence_passes(tmp_path: Path) -> None:
    release.licensed(wheel(tmp_path, "License-Expression: MIT\nLicense-File: LICENSE", "LICENSE"))


def test_no_folder_with_tests_or_doctests_is_passed_over(pytestconfig: pytest.Config) -> None:
    """By default pytest passes over every folder that is called build, or dist."""
    patterns = pytestconfig.getini("norecursedirs")
    files = [file for top in ("tests", "src") for file in (ROOT / top).rglob("*.py")]
    names = {name for file in files for name in file.relative_to(ROOT).parent.parts}
    assert "builders" in names
    assert [name for name in names for pattern in patterns if fnmatch(name, pattern)] == []
