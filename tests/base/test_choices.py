"""A word that a setting does not know is an error in Python, too, and the error lists the words that it knows."""

from __future__ import annotations

import ast
import inspect
import pkgutil
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import msgspec
import pytest
import typer

import pyramidion as pm
from pyramidion.base.choices import Choices, check_choices, choices_of
from pyramidion.base.registry import Registry
from pyramidion.builders import BUILDERS
from pyramidion.cli import app
from pyramidion.integrations.autojudge import NuggetJudge
from pyramidion.language import ANALYSERS
from pyramidion.matchers import MATCHERS
from pyramidion.result import Result
from pyramidion.stats.levels import Draws
from tests.cli.test_options import commands
from tests.imports import modules, tree

UNKNOWN = "no such word"
Level = Literal["low", "high"]


# What is refused, and how


@check_choices
def measured(level: Level = "low", *, exact: bool = False, of: Sequence[Level] = (), by: Level | None = None) -> str:
    return f"{level} {exact} {list(of)} {by}"


def test_what_a_setting_knows_is_taken() -> None:
    assert measured() == "low False [] None"
    assert measured("high", exact=True, of=("low", "high"), by="low") == "high True ['low', 'high'] low"
    assert measured(by=None, of=[]) == measured()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"level": "lo"}, "The setting level of measured cannot be 'lo'; choose one of: low, high"),
        ({"level": 1}, "The setting level of measured cannot be 1; choose one of: 'low', 'high'"),
        ({"level": None}, "The setting level of measured cannot be None; choose one of: 'low', 'high'"),
        ({"level": ["low"]}, "The setting level of measured cannot be ['low']; choose one of: 'low', 'high'"),
        ({"exact": "no"}, "The setting exact of measured cannot be 'no'; choose one of: True, False"),
        ({"exact": 1}, "The setting exact of measured cannot be 1; choose one of: True, False"),
        ({"of": ["low", "mid"]}, "The setting of of measured cannot be 'mid'; give a list of some of these: low, high"),
        ({"of": "low"}, "The setting of of measured cannot be 'low'; give a list of some of these: low, high"),
        ({"by": "mid"}, "The setting by of measured cannot be 'mid'; leave it out, or choose one of: low, high"),
    ],
)
def test_anything_else_is_refused_by_name(given: dict[str, Any], message: str) -> None:
    with pytest.raises(pm.PyramidionError) as caught:
        measured(**given)
    assert str(caught.value) == message
    assert isinstance(caught.value, ValueError)


def test_what_is_given_in_any_number_is_no_setting() -> None:
    @check_choices
    def joined(*texts: str, level: Level = "low") -> str:
        return " ".join((*texts, level))

    assert joined("a", "b", "c", level="high") == "a b c high"
    with pytest.raises(pm.PyramidionError, match="level of .*joined cannot be 'c'"):
        joined("a", "b", level="c")  # type: ignore[arg-type]


def test_a_checked_function_is_the_function_it_was() -> None:
    assert list(inspect.signature(measured).parameters) == ["level", "exact", "of", "by"]
    assert (measured.__name__, measured.__module__) == ("measured", __name__)


# What happened


SETTINGS = [
    *({"mean": "geometric"}, {"weights": "votes"}, {"presence": "probability"}),
    *({"average": "flor"}, {"average": None}, {"average": 1}, {"cap": "no"}, {"cap": 1}),
]


@pytest.mark.parametrize("given", SETTINGS, ids=str)
def test_settings_of_scores(given: dict[str, Any]) -> None:
    (name,) = given
    with pytest.raises(pm.PyramidionError, match=f"The setting {name} of Settings cannot be"):
        pm.Settings(**given)


def test_studies(tmp_path) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "scores.csv"
    rows = (f"t{t},s{s},{s * t},{s * t + (s == 2)}" for t in (1, 2) for s in (1, 2, 3))
    file.write_text("\n".join(["topic,system,human,metric", *rows]))
    table = pm.score_table(file)
    wrong: list[tuple[Callable[..., Any], dict[str, Any], str]] = [
        (pm.correlate, {"level": "Summary"}, "system, summary, global"),
        (pm.correlate, {"means": "pairwise"}, "own, common"),
        (pm.correlate, {"statistic": "pearsonr"}, "pearson, spearman, kendall, krippendorff"),
        (pm.correlate, {"correction": "bonferroni"}, "holm, bh, none"),
        (pm.compare, {"test": "ttest"}, "wilcoxon, bootstrap, randomisation, permutation, mcnemar, tukey"),
        (pm.compare, {"correction": "Holm"}, "holm, bh, none"),
    ]
    for study, given, words in wrong:
        with pytest.raises(pm.PyramidionError, match=f"cannot be .*: {words}$"):
            study(table, **given)
    with pytest.raises(pm.PyramidionError, match="whose of stability cannot be 'people'.*: peers, references$"):
        pm.stability(pm.example(), whose="people")  # type: ignore[arg-type]
    with pytest.raises(pm.PyramidionError, match="format of StabilityStudy.draw cannot be 'x.pdf'.*: svg, png, pdf$"):
        pm.stability(pm.example()).draw("x.pdf")  # type: ignore[arg-type]
    with pytest.raises(pm.PyramidionError, match="resample of Draws cannot be 'document'.*: documents, systems, both$"):
        Draws("document")  # type: ignore[arg-type]


def test_a_setting_that_the_judge_of_autojudge_does_not_have_is_no_more_ignored() -> None:
    for settings, message in (
        ({"filter": "typo"}, "has no setting 'filter'.*choose from: matcher, on_missing_evals"),
        (
            {"on_missing_evals": "typo"},
            "on_missing_evals of .* cannot be 'typo'.*: default, warn, error, fix_aggregate",
        ),
    ):
        with pytest.raises(pm.PyramidionError, match=message):
            NuggetJudge().judge([], [], **settings)


# Every setting


class Setting(NamedTuple):
    """A parameter that takes one of several words, and what it is a parameter of."""

    name: str
    call: Callable[..., Any]
    parameter: str
    choices: Choices
    given: tuple[list[object], dict[str, object]]
    """Arguments with a word that it does not know; whatever else is asked for is None."""


@cache
def typing_names(module: ModuleType) -> dict[str, Any]:
    """The names of a module, and those of the library that it has for type checkers alone."""
    names = dict(vars(module))
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            for line in node.body:
                if isinstance(line, ast.ImportFrom) and str(line.module).startswith("pyramidion"):
                    with suppress(ImportError):  # a name of another module for type checkers alone
                        exec(compile(ast.Module([line], []), module.__name__, "exec"), names)
    return names


def annotated(function: Any, names: dict[str, Any]) -> dict[str, Choices]:
    """The parameters that the annotations, read with these names, limit to a list."""

    def known() -> None: ...

    known.__annotations__ = {}
    for name, annotation in function.__annotations__.items():
        with suppress(NameError, TypeError):
            known.__annotations__ |= get_type_hints(SimpleNamespace(__annotations__={name: annotation}), names)
    return dict(choices_of(known))


def wrongly(function: Any, parameter: str, choices: dict[str, Choices]) -> tuple[list[object], dict[str, object]]:
    positional: list[object] = []
    named: dict[str, object] = {}
    for name, known in inspect.signature(function).parameters.items():
        if known.kind in (known.VAR_POSITIONAL, known.VAR_KEYWORD):
            continue
        value: object = None
        if name == parameter:
            value = [UNKNOWN] if choices[name].several else UNKNOWN
        elif known.default is not known.empty:
            continue
        elif name in choices:
            value = choices[name].values[0]
        if known.kind is known.POSITIONAL_ONLY:
            positional.append(value)
        else:
            named[name] = value
    return positional, named


def has_words(choices: Choices) -> bool:
    return any(isinstance(value, str) and value for value in choices.values)


def has_default(field: Field[Any]) -> bool:
    return field.default is not MISSING or field.default_factory is not MISSING


PROMISED = [inspect.unwrap(getattr(pm, name)) for name in pm.__all__ if callable(getattr(pm, name))]


def of_function(name: str, call: Any, function: Any, module: ModuleType) -> Iterator[Setting]:
    """A setting has a default; what statistics and studies ask for is one, too."""
    choices = annotated(function, typing_names(module))
    everything = module.__name__.split(".")[1] in ("stats", "studies")
    for parameter, known in choices.items():
        is_setting = (
            everything or inspect.signature(function).parameters[parameter].default is not inspect.Parameter.empty
        )
        if is_setting and (has_words(known) or function in PROMISED):
            yield Setting(f"{name}({parameter})", call, parameter, known, wrongly(call, parameter, choices))


def of_class(name: str, cls: type, module: ModuleType) -> Iterator[Setting]:
    """Of classes that are settings, since every field has a default, all fields; of promised ones those with words."""
    own = {field.name: field for field in fields(cls) if field.init}  # type: ignore[arg-type]
    are_settings = all(map(has_default, own.values()))
    choices = annotated(cls.__init__, typing_names(module))  # type: ignore[misc]
    for parameter, known in choices.items():
        if has_default(own[parameter]) and (are_settings or (cls in PROMISED and has_words(known))):
            yield Setting(f"{name}({parameter})", cls, parameter, known, wrongly(cls, parameter, choices))


def settings_in(module: ModuleType) -> Iterator[Setting]:
    for name, thing in list(vars(module).items()):
        whole = f"{module.__name__}.{name}"
        if name.startswith("_") or getattr(thing, "__module__", "") != module.__name__:
            continue
        if not inspect.isclass(thing):
            function = inspect.unwrap(thing) if callable(thing) else None
            if inspect.isfunction(function):
                yield from of_function(whole, thing, function, module)
            continue
        if issubclass(thing, msgspec.Struct) or getattr(thing, "_is_protocol", False):
            continue  # read from files, where msgspec checks; without a body
        if is_dataclass(thing):
            yield from of_class(whole, thing, module)
        for method in list(vars(thing)):
            function = inspect.unwrap(getattr(thing, method)) if callable(getattr(thing, method)) else None
            if not inspect.isfunction(function) or function.__qualname__ != f"{thing.__qualname__}.{method}":
                continue
            if not method.startswith("_") or method == "__call__" or (method == "__init__" and not is_dataclass(thing)):
                yield from of_function(f"{whole}.{method}", getattr(thing, method), function, module)


def library() -> Iterator[ModuleType]:
    """Every module but those of the command line, where the parser of options checks them."""
    for found in pkgutil.walk_packages(pm.__path__, "pyramidion."):
        if found.name.split(".")[1] != "cli" and not found.name.endswith("__main__"):
            with suppress(ImportError):  # an integration whose tool is not installed
                yield import_module(found.name)


@cache
def every_setting() -> list[Setting]:
    return [setting for module in library() for setting in settings_in(module)]


def test_the_settings_are_found() -> None:
    names = {setting.name.rpartition(".")[2] for setting in every_setting()}
    assert {"Settings(mean)", "correlate(level)", "stability(whose)", "compare(test)", "draw(format)"} <= names
    assert {
        "__call__(unsupported)",
        "wmin(similarity)",
        "dump(files)",
        "judge(on_missing_evals)",
        "run(resume)",
    } <= names


def refuses(setting: Setting) -> bool:
    """Whether a word that it does not know is an error that names the setting and lists all words."""
    positional, named = setting.given
    try:
        setting.call(*positional, **named)
    except pm.PyramidionError as error:
        says = f"The setting {setting.parameter} of " in error.what and repr(UNKNOWN) in error.what
        return says and all(str(word) in error.do for word in setting.choices.values if word not in (None, ""))
    except Exception:
        return False
    return False


def test_every_setting_refuses_what_it_does_not_know() -> None:
    """Put ``@check_choices`` on a new function that takes one of several words."""
    assert [setting.name for setting in every_setting() if not refuses(setting)] == []


def test_a_function_that_is_not_checked_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("pyramidion.stats.new")
    code = """
        from __future__ import annotations
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from pyramidion.stats.levels import Level
        def mean(values: list[float], level: Level = "system") -> float:
            return sum(values or [0])
    """
    source = inspect.cleandoc(code)
    exec(compile(source, "new.py", "exec"), vars(module))
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(inspect, "getsource", lambda _: source)
    (setting,) = settings_in(module)
    assert (setting.name, setting.choices.values) == (
        "pyramidion.stats.new.mean(level)",
        ("system", "summary", "global"),
    )
    assert not refuses(setting)


# What is no Literal, and should be one


def declared_words() -> Iterator[tuple[str, ...]]:
    """The words of every Literal of the library."""
    for path in modules().values():
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Subscript) and ast.unparse(node.value) == "Literal":
                parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
                yield tuple(
                    part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)
                )


def words_compared(function: ast.FunctionDef, parameter: str) -> Iterator[str]:
    """The words that a function compares a parameter with."""
    for node in ast.walk(function):
        if isinstance(node, ast.Compare) and ast.unparse(node.left) == parameter:
            for constant in (inner for right in node.comparators for inner in ast.walk(right)):
                if isinstance(constant, ast.Constant) and re.fullmatch(r"[a-z][\w-]*", str(constant.value)):
                    yield str(constant.value)
        if isinstance(node, ast.Match) and ast.unparse(node.subject) == parameter:
            yield from (ast.unparse(case.pattern) for case in node.cases)


def defaults(function: ast.FunctionDef) -> Iterator[tuple[ast.arg, ast.expr]]:
    """The parameters that have a default, with it."""
    both = function.args.posonlyargs + function.args.args
    yield from zip(reversed(both), reversed(function.args.defaults), strict=False)
    named = zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
    yield from ((parameter, default) for parameter, default in named if default is not None)


def test_no_setting_that_takes_a_word_is_any_text() -> None:
    """A default that is a declared word, and a comparison with a word, say that the words are known: declare them."""
    registered = {  # whoever looks a name up checks it
        name for module in library() for one in vars(module).values() if isinstance(one, Registry) for name in one
    }
    words = {word for each in declared_words() for word in each if word} - registered - {*ANALYSERS}
    found = [
        f"{name}.{node.name}({parameter.arg})"
        for name, path in modules().items()
        if ".cli" not in name
        for node in ast.walk(tree(path))
        if isinstance(node, ast.FunctionDef) and (not node.name.startswith("_") or node.name == "__call__")
        for parameter, default in defaults(node)
        if parameter.annotation and ast.unparse(parameter.annotation) in ("str", "str | None")
        if (isinstance(default, ast.Constant) and default.value in words)
        # names of tables are checked by Result.table
        or (list(words_compared(node, parameter.arg)) and not hasattr(Result, node.name))
    ]
    assert found == []


def of_parts() -> Iterator[tuple[str, str, Choices]]:
    for method, registry in (("{}+soft", BUILDERS), ("given+{}", MATCHERS)):
        for name in registry:
            part = f"{name}some-model" if name.endswith(":") else name
            for setting, choices in choices_of(registry[part]).items():
                if has_words(choices):
                    yield method.format(f"{part}"), setting, choices


def test_a_method_refuses_words_before_anything_is_built() -> None:
    for method, setting, choices in of_parts():
        with pytest.raises(pm.PyramidionError, match=f"The setting {setting} of .* cannot be 'nothing'") as caught:
            pm.Method.parse(f"{method}({setting}=nothing)")
        assert caught.value.do.endswith(", ".join(map(str, choices.values)))


def test_the_command_line_offers_no_word_that_the_library_does_not_know() -> None:
    declared = [set(words) for words in declared_words()]
    for name, command in commands(typer.main.get_command(app)):
        for option in command.params:
            hint = option.type_descriptor.annotation if option.param_type_name == "option" else None
            words = {word for part in (hint, *get_args(hint)) if get_origin(part) is Literal for word in get_args(part)}
            like = [known for known in declared if len(known & words) > 1]
            assert not like or any(words <= known for known in like), (name, option.name)
