"""Build all distributions, check them, and try them as a stranger would: ``python -m dev release``.

1. Wheel and source archive of ``pyramidion``, ``pyramidion-entails`` and ``pyramidion-writes``, into ``dist``.
2. ``twine check --strict``; a wheel has at most 100 MB, PyPI's limit; the wheels hold their licences.
3. On every Python that is supported and can be had here: an empty environment, the wheels, every licence of what came
   along, and the bundled example without a network (``unshare -n``, where the system lets us). All must give the same.

``--quick`` takes the marks of people for the example (``--method manual``), in place of a minute of reading.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from email import message_from_bytes
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
VERSIONS = ("3.11", "3.12", "3.13")
MOST_BYTES = 100_000_000
PERMISSIVE = ("apache", "bsd", "cc-by-sa-4.0", "isc", "mit", "psf", "python software foundation", "wordnet", "zlib")
"""What a licence's name may hold; ours, with those of its weights, among them."""
LICENCES = """
import json
from importlib.metadata import distributions
found = {}
for one in distributions():
    about = one.metadata
    said = [about.get("License-Expression") or "", *(about.get_all("Classifier") or []), about.get("License") or ""]
    found[about["Name"]] = " ".join(part for part in said if "icense" in part or part in (said[0], said[-1]))[:400]
print(json.dumps(found))
"""


def call(*command: str | Path, folder: Path = ROOT) -> str:
    """What a command prints; where it fails, we stop with what it said."""
    done = subprocess.run(list(map(str, command)), cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{command[0]} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def build() -> list[Path]:
    """All distributions, built anew; the wheels."""
    shutil.rmtree(DIST, ignore_errors=True)
    for project in (ROOT, ROOT / "entails", ROOT / "writes"):
        call(sys.executable, "-m", "hatchling", "build", "-d", DIST, folder=project)
    return sorted(DIST.glob("*.whl"))


def check(wheels: list[Path]) -> None:
    """Metadata, sizes, and the licences inside."""
    print(call(sys.executable, "-m", "twine", "check", "--strict", *sorted(DIST.iterdir())).strip())
    for archive in sorted(DIST.iterdir()):
        print(f"{archive.name}: {archive.stat().st_size / 1e6:.1f} MB")
        if archive.stat().st_size > MOST_BYTES:
            sys.exit(f"{archive.name} is larger than {MOST_BYTES / 1e6:.0f} MB, which PyPI refuses")
    for wheel in wheels:
        licensed(wheel)


def licensed(wheel: Path) -> None:
    """Say under which licence a wheel is; stop where it does not hold its text."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        about = message_from_bytes(archive.read(next(name for name in names if name.endswith("/METADATA"))))
    declared = about.get_all("License-File") or []
    missing = [file for file in declared if not any(name.endswith(f"/licenses/{file}") for name in names)]
    if missing or not declared or not about["License-Expression"]:
        sys.exit(f"{wheel.name} lacks its licence: {', '.join(missing) or 'none is declared'}")
    print(f"{wheel.name}: {about['License-Expression']}, {len(declared)} licence files")


def interpreter(version: str) -> Path | None:
    """A Python of this version: on the path, of pyenv, of Windows's launcher, or of uv."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates: list[list[str]] = [[f"python{version}"], ["py", f"-{version}"], ["uv", "run", "--python", version]]
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


def offline() -> list[str]:
    """What cuts the network off for a command; nothing where the system does not let us."""
    for command in (["unshare", "-n"], ["unshare", "-rn"]):
        try:
            if not subprocess.run([*command, "true"], capture_output=True, check=False).returncode:
                return command
        except OSError:
            break
    print("network: unshare is not here or not allowed, so the example runs with the network on")
    return []


def tried(python: Path, wheels: list[Path], example: list[str]) -> object:
    """The scores of the bundled example in an empty environment of this Python."""
    with tempfile.TemporaryDirectory() as folder:
        call(python, "-m", "venv", folder)
        scripts = Path(folder) / ("Scripts" if os.name == "nt" else "bin")
        call(scripts / "python", "-m", "pip", "install", "--quiet", *wheels)
        licences: dict[str, str] = json.loads(call(scripts / "python", "-c", LICENCES))
        for name, licence in licences.items():
            if not any(kind in licence.lower() for kind in PERMISSIVE):
                sys.exit(f"{name} comes with a licence that is not permissive, or with none: {licence!r}")
        cut_off = offline()
        scores = call(*cut_off, scripts / "pyramidion", *example, "--json", folder=Path(folder))
        version = call(scripts / "python", "-c", "import platform; print(platform.python_version())").strip()
        how = "without a network" if cut_off else "with the network on"
        print(f"Python {version}: {len(licences)} packages under permissive licences; the example ran {how}")
        return json.loads(scores)


def main() -> None:
    """All of it."""
    example = ["demo", "--method", "manual"] if "--quick" in sys.argv else ["demo"]
    wheels = build()
    check(wheels)
    results = {}
    for version in VERSIONS:
        if python := interpreter(version):
            results[version] = tried(python, wheels, example)
        else:
            print(f"Python {version}: not here (pyenv install {version}, or uv python install {version}): not tried")
    if not results:
        sys.exit("no supported Python was found, so nothing was tried")
    first, *others = results.values()
    if any(other != first for other in others):
        sys.exit(f"the scores of the example differ between Pythons {', '.join(results)}")
    print(f"{' '.join(example)}: the same scores on Python {', '.join(results)}")


if __name__ == "__main__":
    main()
