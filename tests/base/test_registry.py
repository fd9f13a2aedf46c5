"""What other packages contribute is found through real entry points of a real (tiny) installed distribution."""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

import pyramidion as pm
from pyramidion.analyses.checkup import checkup
from pyramidion.base.registry import Registry
from pyramidion.builders import BUILDERS
from pyramidion.errors import InputWarning, MissingPartError, PyramidionError
from pyramidion.evaluation.evaluate import evaluate
from pyramidion.examples import example
from pyramidion.formats import FORMATS
from pyramidion.formats.read import how_read
from pyramidion.language.parse.segmented import remembering
from pyramidion.language.vectors import EMBEDDERS, embedder
from pyramidion.matchers import MATCHERS, NORMALISERS
from pyramidion.matchers.unigram import unigram
from pyramidion.methods import Method
from pyramidion.model import Summary
from pyramidion.signature import Signature
from tests.distributions import install

CONTRIBUTING = Path(__file__).parents[2] / "CONTRIBUTING.md"


def code_block(after: str) -> str:
    """The first Python block of CONTRIBUTING.md after a heading."""
    found = re.search(rf"^## {after}.*?```python\n(.*?)```", CONTRIBUTING.read_text(), re.DOTALL | re.MULTILINE)
    assert found, f"no code under {after!r}"
    return found[1]


@pytest.fixture
def contributed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """CONTRIBUTING.md's own examples, installed as the distribution ``pyramidion-overlap``."""
    install(
        tmp_path,
        "pyramidion-overlap",
        "1.0",
        {
            "matchers": {"overlap": "pyramidion_overlap:match", "broken": "no_such_module:match"},
            "builders": {"sentences": "pyramidion_sentences:build"},
            "formats": {"lines": "pyramidion_lines"},
        },
        {
            "pyramidion_overlap": code_block("A matcher"),
            "pyramidion_sentences": code_block("A builder"),
            "pyramidion_lines": code_block("A format"),
        },
    )
    with on_the_path(monkeypatch, tmp_path):
        yield tmp_path


@contextmanager
def on_the_path(monkeypatch: pytest.MonkeyPatch, *folders: Path) -> Iterator[None]:
    """Let the distributions in these folders be installed, and nothing of others be loaded."""
    for folder in folders:
        monkeypatch.syspath_prepend(str(folder))
    for registry in (BUILDERS, MATCHERS, FORMATS, NORMALISERS, EMBEDDERS):
        monkeypatch.setattr(registry, "_loaded", {})
    before = set(sys.modules)
    remembering.cache_clear()
    try:
        yield
    finally:
        remembering.cache_clear()
        for name in set(sys.modules) - before:
            if name.startswith("pyramidion_"):
                sys.modules.pop(name)


def test_a_contributed_matcher_scores_the_example(contributed: Path) -> None:
    assert MATCHERS.origin("overlap") == "pyramidion-overlap"
    evaluation = evaluate(example(), "given+overlap(threshold=0.7)")
    expected = "method:given+overlap(threshold=0.7)|matcher overlap:pyramidion-overlap 1.0|average:"
    assert str(evaluation.signature).startswith(expected)
    assert Signature.parse(str(evaluation.signature)) == evaluation.signature
    means = {system.system: system.means["coverage"] for system in evaluation.systems}
    assert means["copy"] > means["off-topic"] == means["empty"] == 0


def test_a_contributed_builder_and_matcher_need_no_pyramid(contributed: Path) -> None:
    bare = [type(topic)(topic.id, topic.references, topic.peers) for topic in example()]
    evaluation = evaluate(bare, "sentences+overlap")
    means = {system.system: system.means["coverage"] for system in evaluation.systems}
    assert means["copy"] > means["off-topic"]


def test_a_contributed_format_is_sniffed_and_read(contributed: Path) -> None:
    from pyramidion.formats import load

    (contributed / "cats.lines").write_text("Cats sleep.\nCats doze.\n")
    (topic,) = load(contributed / "cats.lines")
    assert topic.references == (Summary("1", "Cats sleep."), Summary("2", "Cats doze."))
    assert how_read([topic]) == (("format lines", "pyramidion-overlap 1.0"),)


def test_built_in_parts_add_nothing_to_a_signature() -> None:
    for method in ("pyramidion", "pyreval", "manual", "lite+soft(analyser=unicode)"):
        assert not [name for name, _ in Method.parse(method).versions if " " in name]


def named(matcher: str) -> dict[str, dict[str, str]]:
    return {"matchers": {matcher: "pyramidion_mine:match"}}


def test_a_package_that_takes_a_built_in_name_is_refused_aloud(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, "pyramidion-mine", "1.0", named("unigram"), {"pyramidion_mine": code_block("A matcher")})
    told = "The matcher 'unigram' of pyramidion-mine has a built-in name and is not used; rename it in pyramidion-mine"
    with on_the_path(monkeypatch, tmp_path):
        with pytest.warns(InputWarning, match=told):
            evaluation = evaluate(example(), "given+unigram")
        assert not [name for name, _ in evaluation.signature.parameters if " " in name]  # it is ours
        with pytest.warns(InputWarning, match=told):
            assert MATCHERS["unigram"] is unigram
        with pytest.warns(InputWarning, match=told):
            assert "pyramidion-mine" not in MATCHERS.listed()
        with pytest.warns(InputWarning, match=told):
            wrong = [finding for finding in checkup().findings if not finding.fine]
        assert [(finding.what, finding.do) for finding in wrong] == [
            ("matcher unigram", "rename it in pyramidion-mine, or remove that: pip uninstall pyramidion-mine")
        ]


@pytest.mark.parametrize("name", ["given", "llm:mine", "nli:"])
def test_names_that_mean_something_else_are_refused_too(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyramidion_mine.py").write_text(code_block("A matcher"))
    install(tmp_path / "x", "pyramidion-mine", "1.0", named(name), {})
    with on_the_path(monkeypatch, tmp_path, tmp_path / "x"), pytest.warns(InputWarning, match="has a built-in name"):
        list(MATCHERS)


def test_two_packages_of_one_name_are_both_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = {"pyramidion_mine": code_block("A matcher")}
    for owner in ("pyramidion-mine", "pyramidion-yours"):
        install(tmp_path / owner, owner, "1.0", named("overlap"), module)
    told = "2 installed packages have a matcher 'overlap': pyramidion-(mine, pyramidion-yours|yours, pyramidion-mine)"
    with on_the_path(monkeypatch, tmp_path / "pyramidion-mine", tmp_path / "pyramidion-yours"):
        with pytest.raises(PyramidionError, match=f"{told}; rename it in all but one, or remove all but one"):
            Method.parse("given+overlap")
        with pytest.warns(InputWarning, match=told):
            assert "overlap" not in list(MATCHERS)


PARTS = {"builders": {"mine": "pyramidion_mine:build"}, "matchers": {"mine": "pyramidion_mine:match"}}


def failing(code: str) -> str:
    """A module whose matcher and builder do this."""
    return f"from pyramidion import *\ndef match(pyramid, summary): {code}\ndef build(topic): {code}\n"


@pytest.mark.parametrize(
    ("code", "what", "cause"),
    [
        (
            "1 / 0",
            " failed at {at}: ZeroDivisionError: division by zero (pyramidion_mine.py:{line})",
            ZeroDivisionError,
        ),
        ("raise SystemExit(0)", " failed at {at}: SystemExit: 0 (pyramidion_mine.py:{line})", SystemExit),
        ("raise StopIteration", " failed at {at}: StopIteration:  (pyramidion_mine.py:{line})", StopIteration),
        (
            "raise ValueError('one\\ntwo')",
            " failed at {at}: ValueError: one two (pyramidion_mine.py:{line})",
            ValueError,
        ),
        ("Span(3, 1)", " failed at {at}: ModelError: ", ValueError),
        ("return 0.5", " returned float at {at}, not {type}; let it return a pyramidion.{type}", None),
        ("return None", " returned NoneType at {at}, not {type}; let it return a pyramidion.{type}", None),
    ],
)
@pytest.mark.parametrize("kind", ["matcher", "builder"])
def test_whatever_a_part_does_wrong_is_told_in_a_line(
    kind: str, code: str, what: str, cause: type[BaseException] | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "pyramidion-mine", "1.0", PARTS, {"pyramidion_mine": failing(code)})
    topic = replace(example()[0], peers=example()[0].peers[:1], annotations=())
    assert topic.pyramid
    at = f"topic '{topic.id}'" + (f", summary '{topic.peers[0].id}'" if kind == "matcher" else "")
    line, noun = (2, "Annotation") if kind == "matcher" else (3, "Pyramid")
    expected = f"The {kind} 'mine' of pyramidion-mine 1.0" + what.format(at=at, line=line, type=noun)
    with on_the_path(monkeypatch, tmp_path):
        calls: list[Callable[[], object]] = (
            [
                lambda: pm.evaluate([topic], "given+mine"),
                lambda: pm.evaluate([topic], "given+mine", jobs=2),
                lambda: pm.match(topic.pyramid, topic.peers[0], "mine"),
                lambda: next(pm.stream([topic], "given+mine")),
            ]
            if kind == "matcher"
            else [lambda: pm.evaluate([topic], "mine+soft"), lambda: pm.build(topic, "mine+soft")]
        )
        for number, call in enumerate(calls):
            with pytest.raises(PyramidionError) as failed:
                call()
            assert " ".join(expected.split()) in str(failed.value)
            assert "\n" not in str(failed.value)
            if number == 1 and kind == "matcher":  # an exception that came from another process has no cause
                continue
            assert isinstance(failed.value.__cause__, cause or type(None))


def test_a_run_lists_what_a_part_could_not_do_and_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "return Annotation(summary) if summary.id != 'copy' else 0.5"
    install(tmp_path / "packages", "pyramidion-mine", "1.0", PARTS, {"pyramidion_mine": failing(code)})
    with on_the_path(monkeypatch, tmp_path / "packages"):
        result = pm.run(example()[:1], tmp_path / "run", "given+mine")
    (failure,) = result.failures
    assert (failure.summary, result.counts.summaries) == ("copy", 5)
    assert failure.error.startswith("The matcher 'mine' of pyramidion-mine 1.0 returned float at topic ")


@pytest.mark.parametrize(
    ("module", "message"),
    [
        ("match = build = 0.5", "The matcher 'mine' of pyramidion-mine 1.0 is no function with parameters (float)"),
        ("nothing = 1", "The matcher 'mine' of pyramidion-mine 1.0 failed: AttributeError: module 'pyramidion_mine'"),
        ("1 / 0", "The matcher 'mine' of pyramidion-mine 1.0 failed: ZeroDivisionError: division by zero"),
        ("import no_such_module", "The matcher 'mine' of pyramidion-mine 1.0 cannot be imported (No module named"),
        (
            "def match(pyramid, summary, *, level): ...",
            "The setting 'level' of the matcher 'mine' of pyramidion-mine 1.0 has no default; give it one: level=",
        ),
    ],
)
def test_a_part_that_is_none_is_told_in_a_line(
    module: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "pyramidion-mine", "1.0", PARTS, {"pyramidion_mine": module})
    with on_the_path(monkeypatch, tmp_path), pytest.raises(PyramidionError) as failed:
        pm.evaluate(example(), "given+mine")
    assert str(failed.value).startswith(message)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("return Annotation(Summary('x', summary.text))", "The annotation is of summary 'x'; annotate the given"),
        ("return Annotation(summary, (Match('nothing', ()),))", "which pyramid 'lake-revival' does not have"),
    ],
)
def test_an_annotation_of_something_else_is_told(
    code: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "pyramidion-mine", "1.0", PARTS, {"pyramidion_mine": failing(code)})
    with on_the_path(monkeypatch, tmp_path), pytest.raises(PyramidionError, match=message) as failed:
        pm.evaluate(example(), "given+mine")
    assert str(failed.value).startswith("The matcher 'mine' of pyramidion-mine 1.0 failed at topic 'lake-revival'")


def test_an_embedder_of_another_package_is_signed_and_named_when_it_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = """
        class Lengths:
            name, dimension, fingerprint = "lengths", 2, "1"
            def __call__(self, texts):
                if any("2" in text for text in texts):
                    raise ZeroDivisionError("two")
                return [[len(text), 1.0] for text in texts]
        def load(): return Lengths()
    """
    points = {"embedders": {"lengths": "pyramidion_mine:load"}}
    install(tmp_path, "pyramidion-mine", "1.0", points, {"pyramidion_mine": textwrap.dedent(module)})
    with on_the_path(monkeypatch, tmp_path):
        method = Method.parse("given+wmin(embedder=lengths)")
        assert dict(method.versions)["embedder lengths"] == "pyramidion-mine 1.0"
        found = embedder("lengths")
        assert found(["a"]).shape == (1, 2)
        assert found.fingerprint == "1 of pyramidion-mine 1.0"  # so no cache is shared with another version
        with pytest.raises(PyramidionError, match="The embedder 'lengths' of pyramidion-mine 1.0 failed: ZeroDivis"):
            found(["2"])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("def sniff(path, head): 1 / 0", "failed at .*cats.lines: ZeroDivisionError"),
        ("def load(path): 1 / 0", "failed at .*cats.lines: ZeroDivisionError"),
        ("def load(path): return 0.5", "failed at .*cats.lines: TypeError: 'float' object is not iterable"),
        ("def load(path): return [0.5]", "returned float at .*cats.lines, not Topic"),
        ("def iterload(path): yield 1 / 0", "failed at .*cats.lines: ZeroDivisionError"),
    ],
)
def test_a_format_of_another_package_is_named_when_it_fails(
    wrong: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = {"formats": {"lines": "pyramidion_mine"}}
    install(tmp_path, "pyramidion-mine", "1.0", points, {"pyramidion_mine": f"{code_block('A format')}\n{wrong}\n"})
    (tmp_path / "cats.lines").write_text("Cats sleep.\n")
    with (
        on_the_path(monkeypatch, tmp_path),
        pytest.raises(PyramidionError, match=f"The format 'lines' of pyramidion-mine 1.0 {message}"),
    ):
        pm.read(tmp_path / "cats.lines")


def test_a_broken_contribution_is_named_and_the_rest_works(contributed: Path) -> None:
    with pytest.raises(MissingPartError, match="The matcher 'broken' of pyramidion-overlap 1.0 cannot be imported"):
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


def test_a_part_with_weights_of_its_own_says_what_to_do_without_them() -> None:
    models = ("llm", "nli")  # parts that a model must be named for
    parts = {
        name: registry[name] for registry in (BUILDERS, MATCHERS) for name in registry if not name.startswith(models)
    }
    wanting = {name: part for name, part in parts.items() if hasattr(part, "distributions")}
    assert {"meaning", "entails", "either"} == wanting.keys()
    assert all(getattr(part, "otherwise", "") for part in wanting.values()), wanting
