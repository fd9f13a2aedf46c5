"""Weights that are distributions of their own: which a part of the program needs, and whether what is installed fits.

Such a package says where its files are (``FOLDER``), and as a number what they hold: what goes into its network and
what comes out (``INTERFACE``; 1 where it says nothing). The first number of its version is its interface, so that pip
brings a version that fits. Where another is installed all the same, or none, one error names all that is wrong with
all that is needed, before anything is read. ``WEIGHTS.md`` lists every version.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

from pyramidion.errors import MissingPartError
from pyramidion.version import __version__


@dataclass(frozen=True, slots=True)
class Distribution:
    """A distribution of weights, and the interface that this program reads."""

    name: str
    interface: int

    @property
    def package(self) -> str:
        """The name that is imported."""
        return self.name.replace("-", "_")

    @property
    def requirement(self) -> str:
        """The requirement that pip is given.

        >>> Distribution("pyramidion-entails", 2).requirement
        'pyramidion-entails>=2,<3'
        """
        return f"{self.name}>={self.interface},<{self.interface + 1}"

    @property
    def reinstall(self) -> str:
        """The advice to a user for whom a file of it is damaged."""
        return f"install it again: pip install --force-reinstall --no-deps '{self.requirement}'"

    @property
    def problem(self) -> str:
        """Say why it cannot be used; nothing if it can."""
        try:
            package = import_module(self.package)
        except ImportError:
            return MISSING
        stated: int = getattr(package, "INTERFACE", 1)
        if stated == self.interface:
            return ""
        return f"{self._version} has interface {stated}, but pyramidion {__version__} reads interface {self.interface}"

    @property
    def _version(self) -> str:
        try:
            return version(self.name)
        except PackageNotFoundError:
            return "of an unknown version"

    @property
    def folder(self) -> Path:
        """The folder of its files; :func:`check` must have passed, since the package is imported."""
        folder: Path = import_module(self.package).FOLDER
        return folder


ENTAILS = Distribution("pyramidion-entails", 2)
WORDS = Distribution("pyramidion-words", 1)
WRITES = Distribution("pyramidion-writes", 1)
MISSING = "is not installed"
READER = (ENTAILS, WORDS)
"""The distributions that the judge needs: its network, and the vectors of words that the network begins with."""


def installed(distributions: Iterable[Distribution]) -> tuple[str, ...]:
    """Return the folders of those that are there, for signatures; nothing is imported."""
    specs = (find_spec(distribution.package) for distribution in distributions)
    return tuple(str(Path(spec.origin).parent) for spec in specs if spec and spec.origin)


def check(needs: str, distributions: Mapping[Distribution, str]) -> None:
    """Raise one error that names every distribution that is not there or does not fit, and the command that mends it.

    ``needs`` is the beginning of the error. Each distribution comes with what to do without it, if there is a way; the
    error has that of the first one.
    """
    wrong = {distribution: problem for distribution in distributions if (problem := distribution.problem)}
    if not wrong:
        return
    missing = [distribution.name for distribution, problem in wrong.items() if problem == MISSING]
    absent = f"{_join_names(missing)}, which {'is' if len(missing) == 1 else 'are'} not installed" if missing else ""
    sentences = [f"{needs} needs {absent or 'other weights'}"]
    sentences += [f"{distribution.name} {problem}" for distribution, problem in wrong.items() if problem != MISSING]
    command = " ".join(f"'{distribution.requirement}'" for distribution in wrong)
    otherwise = distributions[next(iter(wrong))]
    raise MissingPartError(
        "; ".join(sentences), do=f"run: pip install {command}" + (f"; or {otherwise}" if otherwise else "")
    )


def _join_names(names: Sequence[str]) -> str:
    """Return names as a sentence lists them.

    >>> _join_names(["a", "b", "c"]), _join_names(["a"])
    ('a, b and c', 'a')
    """
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
