"""Set up, demonstrate, check, document and release: ``python -m dev STEP``, what ``make STEP`` does on any system.

    python -m dev demo       install into .venv, score the bundled example, write build/demo.html
    python -m dev check      the quick ones of the checks, while you work
    python -m dev test       install into .venv, and run every check
    python -m dev setup | lint | ray | bare | docs | release
    python -m dev trace evaluate FOLDER      which files a command enters, in order

Only the standard library is needed to begin: every step installs what it needs into ``.venv`` first, unless it is there
and newer than every pyproject.toml. The Makefile calls these steps, so that both do the same.
"""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

from dev.bare import ROOT, WEIGHTS

VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
PYTHON = BIN / ("python.exe" if os.name == "nt" else "python")
READY = VENV / ".ready"
OLDEST = (3, 11)
QUIET = ("--quiet", "--disable-pip-version-check")


def run(*command: str | Path, **environment: str) -> None:
    """Run a command in the root of the checkout, and stop where it fails."""
    code = subprocess.run(list(map(str, command)), cwd=ROOT, env=os.environ | environment, check=False).returncode
    if code:
        sys.exit(code)


def python(*arguments: str | Path, **environment: str) -> None:
    """Run the environment's own Python."""
    run(PYTHON, *arguments, **environment)


def setup() -> None:
    """An own virtual environment with everything that the checks need."""
    projects = [ROOT / folder / "pyproject.toml" for folder in ("", *WEIGHTS)]
    if READY.exists() and READY.stat().st_mtime >= max(path.stat().st_mtime for path in projects):
        return
    if sys.version_info < OLDEST:
        sys.exit(f"Pyramidion needs Python 3.11 or newer; this is {sys.version.split()[0]}.")
    venv.create(VENV, with_pip=True)
    python(
        "-m", "pip", "install", *QUIET, "-e", ".[dev]", *(part for folder in WEIGHTS for part in ("-e", f"./{folder}"))
    )
    READY.touch()


def demo() -> None:
    """The bundled example, from texts to scores and report."""
    setup()
    (ROOT / "build").mkdir(exist_ok=True)
    run(BIN / "pyramidion", "demo", "--report", Path("build") / "demo.html")


def lint() -> None:
    """Format, lint, types."""
    setup()
    python("-m", "ruff", "format", "--check", ".")
    python("-m", "ruff", "check", ".")
    python("-m", "mypy")


def check() -> None:
    """The quick checks: format, lint, types, and the tests that need no network (of weights), browser or server."""
    lint()
    python("-m", "pytest", "-n", "auto", "-q", "--quick", "-r", "fE", OPENBLAS_NUM_THREADS="1")


def ray() -> None:
    """Ray, for the tests of its engine, where there is one for this Python and this system; else they are skipped."""
    setup()
    import tomllib  # an older Python does not have it, and setup says so

    if not subprocess.run([PYTHON, "-c", "import ray"], cwd=ROOT, capture_output=True, check=False).returncode:
        return
    print("installing for the tests: ray", flush=True)
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    command = [PYTHON, "-m", "pip", "install", *QUIET, *extras["ray"]]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        why = (done.stderr.strip() or "pip does not say why").splitlines()[-1]
        print(f"Ray cannot be installed, its tests will be skipped: {why}", flush=True)


def bare() -> None:
    """Try the wheels in empty environments, on every supported Python that can be had here."""
    setup()
    python("-m", "dev.bare")


def test() -> None:
    """Every check: format, lint, types, wheels in an empty environment, tests, doctests, documentation."""
    lint()
    ray()
    python("-m", "dev.bare", "--here")
    # The tests start hundreds of processes; each would compile the package again where no bytecode may be written.
    python("-m", "pytest", "-n", "auto", "--durations=10", OPENBLAS_NUM_THREADS="1", PYTHONDONTWRITEBYTECODE="")


def docs() -> None:
    """Write the generated parts of the documentation and of the README again, and build the site."""
    setup()
    for script in ("rooms.py", "generate.py", "build_site.py"):
        python(Path("docs") / script)


def trace() -> None:
    """List the files that a command of pyramidion enters, in order: ``python -m dev trace evaluate FOLDER``."""
    setup()
    python("-m", "dev.trace", *sys.argv[2:])


def release() -> None:
    """Build wheels and source archives, check them, and try them in empty environments without a network."""
    setup()
    python("-m", "pip", "install", *QUIET, "-e", ".[release]")
    python("-m", "dev.release")


STEPS: dict[str, Callable[[], None]] = {
    step.__name__: step for step in (setup, demo, lint, check, ray, bare, test, docs, trace, release)
}

if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in STEPS or (len(sys.argv) > 2 and sys.argv[1] != "trace"):
        sys.exit(__doc__)
    STEPS[sys.argv[1]]()
