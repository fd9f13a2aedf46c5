"""Build all distributions, check them, and try them as a stranger would: ``python -m dev release``.

1. Wheel and source archive of ``pyramidion`` and of its weights (``pyramidion-entails``, ``pyramidion-words``,
   ``pyramidion-writes``), into ``dist``.
2. ``twine check --strict``; an archive has at most 95 MB, since PyPI takes 100; the wheels hold their licences.
3. On every Python that is supported and can be had here: an empty environment with the wheel of ``pyramidion`` and what
   it asks for, every licence of what came along, the first steps of ``python -m dev bare``, and the bundled example,
   without a network (``unshare -n``, where the system lets us). All must give the same.

``--quick`` takes the marks of people for the example (``--method manual``), in place of a minute of reading.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
import zipfile
from email import message_from_bytes
from pathlib import Path

from dev.bare import ROOT, WEIGHTS, call, environment, first_steps, interpreters, offline

DIST = ROOT / "dist"
MOST_BYTES = 95_000_000
"""Of an archive: PyPI takes 100 MB, and a network that is trained again may be a little larger."""
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


def build() -> list[Path]:
    """All distributions, built anew; the wheels, that of the program first."""
    shutil.rmtree(DIST, ignore_errors=True)
    for project in ("", *WEIGHTS):
        call(sys.executable, "-m", "hatchling", "build", "-d", DIST, folder=ROOT / project)
    return sorted(DIST.glob("*.whl"), key=lambda path: not path.name.startswith("pyramidion-"))


def check(wheels: list[Path]) -> None:
    """Metadata, sizes, and the licences inside."""
    print(call(sys.executable, "-m", "twine", "check", "--strict", *sorted(DIST.iterdir())).strip())
    for archive in sorted(DIST.iterdir()):
        print(f"{archive.name}: {archive.stat().st_size / 1e6:.1f} MB")
        if archive.stat().st_size > MOST_BYTES:
            sys.exit(f"{archive.name} is larger than {MOST_BYTES / 1e6:.0f} MB; PyPI refuses 100")
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


def example_scores(python: Path, wheels: list[Path], example: list[str]) -> object:
    """What the first steps print and the scores of the bundled example, in an empty environment of this Python."""
    with tempfile.TemporaryDirectory() as folder:
        scripts = environment(python, wheels, Path(folder) / "environment")
        licences: dict[str, str] = json.loads(call(scripts / "python", "-c", LICENCES))
        for name, licence in licences.items():
            if not any(kind in licence.lower() for kind in PERMISSIVE):
                sys.exit(f"{name} comes with a licence that is not permissive, or with none: {licence!r}")
        steps = first_steps(scripts, Path(folder) / "work")
        scores = call(*offline(), scripts / "pyramidion", *example, "--json", folder=Path(folder))
        version = call(scripts / "python", "-c", "import platform; print(platform.python_version())").strip()
        how = "without a network" if offline() else "with the network on"
        print(f"Python {version}: {len(licences)} packages under permissive licences; the example ran {how}")
        return [*steps, json.loads(scores)]


def main() -> None:
    """All of it."""
    example = ["demo", "--method", "manual"] if "--quick" in sys.argv else ["demo"]
    wheels = build()
    check(wheels)
    results = {version: example_scores(python, wheels, example) for version, python in interpreters().items()}
    if not results:
        sys.exit("no supported Python was found, so nothing was tried")
    first, *others = results.values()
    if any(other != first for other in others):
        sys.exit(f"what the commands and the example print differs between Pythons {', '.join(results)}")
    print(f"{' '.join(example)}: the same scores on Python {', '.join(results)}")


if __name__ == "__main__":
    main()
