"""Try what a stranger gets: the wheels in an empty environment, without a network: ``python -m dev bare``.

Wheels of ``pyramidion`` and of its weights are built; then, on every Python that is supported and can be had here, an
empty environment gets the wheel of ``pyramidion`` and whatever it asks for: weights from here, all else from the
index. There the default method, its steps, ``lite``, ``nuggets``, the example and the Python API have to answer, and
the same on every Python. ``--here`` takes the running Python alone, as ``make test`` does; without an index, nothing is
tried, and the reason is printed.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WEIGHTS = ("entails", "words", "writes")
"""The folders of the distributions that ``pyramidion`` needs."""
WHEELS = ROOT / "build" / "wheels"
VERSIONS = ("3.11", "3.12", "3.13")
FIRST = "The council of Marwick closed the old bridge on Monday. Engineers had found cracks in three pillars."
SECOND = "The old bridge in Marwick was closed on Monday. Three pillars of the bridge had cracks."
NUGGETS = {
    "qid": "1",
    "query": "Why was the bridge closed?",
    "nuggets": [{"text": "Engineers found cracks", "importance": "vital"}],
}
FILES = {
    "corpus/bridge/references/A.txt": FIRST,
    "corpus/bridge/references/B.txt": SECOND,
    "corpus/bridge/peers/copy.txt": FIRST,
    "corpus/bridge/peers/other.txt": "Dogs like to bark.",
    "nuggets.jsonl": json.dumps(NUGGETS),
    "run.jsonl": json.dumps({"run_id": "run", "topic_id": "1", "answer": [{"text": FIRST}]}),
}
COMMANDS = (
    ("evaluate", "corpus", "--json"),
    ("evaluate", "corpus", "--method", "lite", "--json"),
    ("build", "corpus/bridge/references", "--topic", "bridge", "-o", "bridge.json"),
    ("match", "bridge.json", "corpus/bridge/peers", "--json"),
    ("nuggets", "nuggets.jsonl", "run.jsonl", "--json"),
    ("demo", "--method", "manual", "--json"),
)
IN_PYTHON = """
import pyramidion as pm

(topic,) = pm.read("corpus")
best, worst = pm.evaluate([topic]).systems
assert best.system == "copy" and best.means["coverage"] > 0.9 > 0.2 > worst.means["coverage"], (best, worst)
assert pm.match(pm.build(topic), topic.peers[0]).matches
print(pm.lite(topic.peers[0].text, topic.references[1].text).score)
"""


def call(*command: str | Path, folder: Path = ROOT, **environment: str) -> str:
    """Return what a command prints; where it fails, stop with what it said."""
    done = subprocess.run(
        list(map(str, command)),
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def wheel(project: str) -> Path:
    """Return the wheel of a project; that of weights is built again only if something in its folder is newer."""
    folder, into = ROOT / project, WHEELS / (project or "pyramidion")
    built = sorted(into.glob("*.whl"))
    if project and built:
        newest = max(path.stat().st_mtime for path in folder.rglob("*") if path.suffix != ".pyc")
        if built[0].stat().st_mtime > newest:
            return built[0]
    shutil.rmtree(into, ignore_errors=True)
    call(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", into, folder=folder)
    (found,) = into.glob("*.whl")
    return found


def interpreter(version: str) -> Path | None:
    """Return a Python of this version: on the path, of pyenv, of Windows's launcher, or of uv."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [[f"python{version}"], ["py", f"-{version}"], ["uv", "run", "--python", version]]
    candidates[1:1] = [[str(path)] for path in sorted(pyenv.glob(f"{version}.*/bin/python"))]
    for command in candidates:
        asked = [*command, *(["python"] if command[0] == "uv" else []), "-c", "import sys; print(sys.executable)"]
        try:
            done = subprocess.run(asked, capture_output=True, text=True, check=False)
        except OSError:
            continue
        if not done.returncode:
            return Path(done.stdout.strip())
    return None


def interpreters() -> dict[str, Path]:
    """Return the supported Pythons that are here, by version, and say which are not."""
    found = {}
    for version in VERSIONS:
        if python := interpreter(version):
            found[version] = python
        else:
            print(f"Python {version}: not here (pyenv install {version}, or uv python install {version}): not tried")
    return found


@lru_cache(maxsize=1)
def offline() -> tuple[str, ...]:
    """Return what cuts the network off for a command; nothing where the system does not let us."""
    for command in (("unshare", "-n"), ("unshare", "-rn")):
        try:
            if not subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
                return command
        except OSError:
            break
    print("network: unshare is not here or not allowed, so the network stays on while the wheels are tried")
    return ()


def environment(python: Path, wheels: list[Path], folder: Path) -> Path:
    """Install the first of the wheels, with what it asks for, into an empty environment; return its scripts' folder."""
    call(python, "-m", "venv", folder)
    scripts = folder / ("Scripts" if os.name == "nt" else "bin")
    links = [part for path in wheels[1:] for part in ("--find-links", path.parent)]
    call(scripts / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *links, wheels[0])
    return scripts


def first_steps(scripts: Path, folder: Path) -> list[str]:
    """Return what the commands and the Python API print, in an empty folder, without a network and without a cache."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text + "\n", encoding="utf-8")
    commands = [[scripts / "pyramidion", *arguments] for arguments in COMMANDS]
    commands.append([scripts / "python", "-c", IN_PYTHON])
    return [call(*offline(), *command, folder=folder, PYRAMIDION_CACHE="off", PYTHONPATH="") for command in commands]


def why_no_index() -> str:
    """Return why pip cannot fetch a package here; nothing if it can."""
    with tempfile.TemporaryDirectory() as folder:
        command = ["-m", "pip", "download", "--quiet", "--no-deps", "--retries", "1", "-d", folder, "jinja2>=3.1"]
        done = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)
    return (done.stderr.strip() or "pip does not say why").splitlines()[-1] if done.returncode else ""


def main() -> None:
    """Try the wheels on the running Python, or on all that can be had."""
    if why := why_no_index():
        print(
            f"The wheels are not tried in an empty environment, because pip can fetch nothing here: {why}", flush=True
        )
        return
    pythons = {"this": Path(sys.executable)} if "--here" in sys.argv else interpreters()
    wheels = [wheel(project) for project in ("", *WEIGHTS)]
    results = {}
    for version, python in pythons.items():
        with tempfile.TemporaryDirectory() as folder:
            scripts = environment(python, wheels, Path(folder) / "environment")
            results[version] = first_steps(scripts, Path(folder) / "work")
            about = call(scripts / "python", "-c", "import platform; print(platform.python_version())").strip()
        how = "without a network" if offline() else "with the network on"
        print(f"Python {about}: pip install pyramidion, and {len(results[version])} first steps, {how}", flush=True)
    if any(result != next(iter(results.values())) for result in results.values()):
        sys.exit(f"what the commands print differs between Pythons {', '.join(results)}")


if __name__ == "__main__":
    main()
