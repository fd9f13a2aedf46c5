"""Nothing public is undocumented, and what the documentation shows is what the program prints."""

from __future__ import annotations

import importlib.util
import inspect
import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from pyramidion.builders import BUILDERS
from pyramidion.formats import FORMATS
from pyramidion.formats.score_tables import KINDS
from pyramidion.language import ANALYSERS
from pyramidion.language.models.installed import models
from pyramidion.language.vectors import EMBEDDERS
from pyramidion.matchers import MATCHERS
from pyramidion.methods import RECIPES

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"


def load_generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_docs", DOCS / "generate.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["generate_docs"] = module
    spec.loader.exec_module(module)
    return module


GENERATOR = load_generator()


def functions() -> dict[str, Any]:
    return {name: thing for name, thing in GENERATOR.public_names().items() if GENERATOR.kind_of(thing) == "Functions"}


def test_every_public_name_has_a_docstring() -> None:
    names = GENERATOR.public_names()
    assert [name for name, thing in names.items() if not (inspect.getdoc(thing) or "").partition(f"{name}(")[0]] == []


@pytest.mark.parametrize("name", functions())
def test_every_public_function_names_its_arguments_and_shows_an_example(name: str) -> None:
    about = inspect.getdoc(functions()[name]) or ""
    parameters = inspect.signature(functions()[name]).parameters
    assert [parameter for parameter in parameters if f"``{parameter}``" not in about] == []
    assert ">>> " in about


def test_every_command_has_an_example_and_every_option_help() -> None:
    for name, command in GENERATOR.commands().items():
        assert "Example:" in command.help, name
        assert f"pyramidion {name}" in command.help, name
        assert "--json" in {option for parameter in command.params for option in parameter.opts}, name
        for parameter in command.params:
            assert getattr(parameter, "help", None), f"{name} {parameter.name}"


@pytest.mark.usefixtures("shared_cache")
@pytest.mark.timeout(1800)  # it runs every command that the documentation shows
def test_generated_pages_and_shown_outputs_are_up_to_date() -> None:
    stale = [path.name for path, text in GENERATOR.pages().items() if path.read_text(encoding="utf-8") != text]
    assert stale == [], "run `make docs`"


def test_every_format_is_described() -> None:
    page = (DOCS / "formats.md").read_text()
    assert [name for name in FORMATS if f"\n## `{name}`" not in page] == []
    assert [kind for kind in KINDS if f"`{kind}`" not in page] == []


def test_every_option_of_a_format_is_described() -> None:
    page = (DOCS / "formats.md").read_text()
    for name in FORMATS:
        for function in ("load", "dump"):
            found = getattr(FORMATS[name], function, None)
            parameters = inspect.signature(found).parameters.values() if found else ()
            for parameter in parameters:
                if parameter.kind is parameter.KEYWORD_ONLY:
                    described = page.partition(f"\n## `{name}`")[2].partition("\n## ")[0]
                    assert f"option {parameter.name}=" in described or f" {parameter.name}=" in described, name


def test_every_method_is_described() -> None:
    page = (DOCS / "methods.md").read_text()
    names = [*(recipe.name for recipe in RECIPES), *BUILDERS, *MATCHERS]
    assert [name for name in names if f"\n## `{name}`" not in page] == []


def test_every_embedder_analyser_and_shipped_model_is_described() -> None:
    page = (DOCS / "language.md").read_text()
    names = [*EMBEDDERS, *ANALYSERS, *(model.name for model in models())]
    assert [name for name in names if f"`{name}" not in page] == []


def test_papers_point_at_modules_and_tests_that_exist() -> None:
    rows = [line for line in (DOCS / "papers.md").read_text().splitlines() if line.startswith("| ") and "`" in line]
    assert len(rows) > 10
    for row in rows:
        module, test = re.findall(r"`([^`]+)`", row)[-2:]
        assert (ROOT / "src" / "pyramidion" / module).is_file(), row
        path, _, function = test.partition("::")
        assert f"def {function}(" in (ROOT / path).read_text() if function else (ROOT / path).is_file(), row


def test_links_between_pages_lead_somewhere() -> None:
    for page in (*DOCS.glob("*.md"), *ROOT.glob("*.md")):
        prose = re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", prose):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
