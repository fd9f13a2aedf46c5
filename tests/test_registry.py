"""What other packages contribute is found through real entry points of a real (tiny) installed distribution."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from pyramidion.build import BUILDERS
from pyramidion.errors import MissingPartError, PyramidionError
from pyramidion.examples import example
from pyramidion.formats import FORMATS
from pyramidion.match import MATCHERS
from pyramidion.methods import Method
from pyramidion.model import Summary
from pyramidion.registry import Registry
from pyramidion.studies.checkup import checkup
from pyramidion.studies.evaluate import evaluate

CONTRIBUTING = Path(__file__).parents[1] / "CONTRIBUTING.md"


def code_block(after: str) -> str:
    """The first Python block of CONTRIBUTING.md after a heading."""
    found = re.search(rf"^## {after}.*?```python\n(.*?)```", CONTRIBUTING.read_text(), re.DOTALL | re.MULTILINE)
    assert found, f"no code under {after!r}"
    return found[1]


@pytest.fixture
def contributed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """CONTRIBUTING.md's own examples, installed as the distribution ``pyramidion-overlap``."""
    (tmp_path / "pyramidion_overlap.py").write_text(code_block("A matcher"))
    (tmp_path / "pyramidion_sentences.py").write_text(code_block("A builder"))
    (tmp_path / "pyramidion_lines.py").write_text(code_block("A format"))
    info = tmp_path / "pyramidion_overlap-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: pyramidion-overlap\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[pyramidion.matchers]\noverlap = pyramidion_overlap:match\nbroken = no_such_module:match\n"
        "[pyramidion.builders]\nsentences = pyramidion_sentences:build\n"
        "[pyramidion.formats]\nlines = pyramidion_lines\njson = pyramidion_lines\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    for registry in (BUILDERS, MATCHERS, FORMATS):
        monkeypatch.setattr(registry, "_loaded", {})
    yield tmp_path
    for name in ("pyramidion_overlap", "pyramidion_sentences", "pyramidion_lines"):
        sys.modules.pop(name, None)


def test_a_contributed_matcher_scores_the_example(contributed: Path) -> None:
    assert MATCHERS.origin("overlap") == "pyramidion-overlap"
    evaluation = evaluate(example(), "given+overlap(threshold=0.7)")
    assert str(evaluation.signature).startswith("method:given+overlap(threshold=0.7)|")
    means = {system.system: system.means["coverage"] for system in evaluation.systems}
    assert means["copy"] > means["off-topic"] == means["empty"] == 0


def test_a_contributed_builder_and_matcher_need_no_pyramid(contributed: Path) -> None:
    bare = [type(topic)(topic.id, topic.references, topic.peers) for topic in example()]
    evaluation = evaluate(bare, "sentences+overlap")
    means = {system.system: system.means["coverage"] for system in evaluation.systems}
    assert means["copy"] > means["off-topic"]


def test_a_contributed_format_is_sniffed_and_read_but_cannot_replace_a_built_in_one(contributed: Path) -> None:
    from pyramidion.formats import load

    (contributed / "cats.lines").write_text("Cats sleep.\nCats doze.\n")
    (topic,) = load(contributed / "cats.lines")
    assert topic.references == (Summary("1", "Cats sleep."), Summary("2", "Cats doze."))
    assert FORMATS.origin("json") == "pyramidion"
    assert FORMATS["json"].TITLE.startswith("Pyramidion")


def test_a_broken_contribution_is_named_and_the_rest_works(contributed: Path) -> None:
    with pytest.raises(MissingPartError, match="The matcher 'broken' of pyramidion-overlap cannot be imported"):
        MATCHERS["broken"]
    broken = [finding for finding in checkup().findings if not finding.fine]
    assert [finding.what for finding in broken] == ["matcher broken"]


def test_unknown_names_list_the_known() -> None:
    with pytest.raises(PyramidionError, match="There is no fish 'cod'; choose one of: carp, eel"):
        Registry("fish", "no.such.group", {"carp": "x", "eel": "y"})["cod"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "magic",
            "There is no method 'magic'; choose one of: pyramidion, pyreval, pyreval-c, peak, lite, edu-align, edu-oracle-rouge, edu-oracle-be, manual; or name a BUILDER\\+MATCHER",
        ),
        ("manual(x", "is not a method"),
        ("manual(x)", "'x' in 'manual\\(x\\)' is not a parameter"),
        ("manual(x=1)", "The method 'manual' has no parameter 'x'; it has none"),
        ("given+nothing", "There is no matcher 'nothing'"),
    ],
)
def test_methods_that_do_not_exist(text: str, message: str) -> None:
    with pytest.raises(PyramidionError, match=message):
        Method.parse(text)


def test_parameters_are_checked_against_the_matcher(contributed: Path) -> None:
    assert str(Method.parse("given+overlap( threshold = 1 )")) == "given+overlap(threshold=1)"
    with pytest.raises(PyramidionError, match="threshold of 'given\\+overlap' cannot be 'high'; its default is 0.6"):
        Method.parse("given+overlap(threshold=high)")
    assert Method.parse(str(Method.parse("given+overlap(threshold=0.25)"))) == Method.parse(
        "given+overlap(threshold=0.25)"
    )


def test_a_part_that_may_be_missing_says_how_to_get_it() -> None:
    models = ("llm", "nli")  # parts that a model must be named for
    parts = {
        name: registry[name] for registry in (BUILDERS, MATCHERS) for name in registry if not name.startswith(models)
    }
    wanting = {name: part for name, part in parts.items() if hasattr(part, "installed")}
    assert {"meaning", "entails"} <= wanting.keys()
    assert all("pip install" in getattr(part, "install", "") for part in wanting.values()), wanting
