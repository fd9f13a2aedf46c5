"""``import pyramidion as pm``: what is promised is there, callable, documented, and stays so."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from importlib import import_module

import cloudpickle
import pytest

import pyramidion as pm

VERBS = ("build", "explain", "match", "report", "score")
"""Functions that once had the name of a room."""


def test_everything_promised_is_there() -> None:
    assert [name for name in pm.__all__ if getattr(pm, name, None) is None] == []
    assert set(pm.__all__) <= set(dir(pm))


def test_no_room_takes_a_verb_s_name() -> None:
    for module in pkgutil.walk_packages(pm.__path__, "pyramidion."):
        import_module(module.name)
    assert [name for name in VERBS if not callable(getattr(pm, name))] == []


def test_a_room_is_there_without_an_import_of_its_own() -> None:
    code = "import pyramidion as pm; print(pm.formats.sniff.__module__, pm.errors.Where.__name__, pm.score.__name__)"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.split() == ["pyramidion.formats", "Where", "scores"]


def test_a_room_and_a_module_in_it_are_imported_by_their_names() -> None:
    import pyramidion.matchers.soft as soft

    assert callable(soft.soft)
    assert callable(pm.match)


def test_a_name_that_was_never_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'teh'"):
        pm.teh  # noqa: B018


def test_from_texts_to_a_match() -> None:
    pyramid = pm.build(["The mayor resigned in May. Taxes rose."], "lite+soft")
    annotation = pm.match(pyramid, "In May the mayor resigned.", "soft")
    assert [pyramid.scu(match.scu).label for match in annotation.matches] == ["The mayor resigned in May."]
    assert pm.score(pyramid, annotation).scus == 1


def test_a_report_is_written_and_returned(tmp_path) -> None:  # type: ignore[no-untyped-def]
    page = pm.report(pm.evaluate(pm.example(), "manual"), tmp_path / "report.html")
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == page


def test_a_function_that_uses_the_package_can_be_sent_to_another_process() -> None:
    """Ray, joblib, Dask and Spark pickle functions with the modules that they use, by cloudpickle."""

    def coverages() -> list[float | None]:
        topic = pm.example()[0]
        assert topic.pyramid
        return [pm.score(topic.pyramid, annotation).coverage for annotation in topic.annotations]

    sent = cloudpickle.dumps((coverages, pm))
    receive = "import pickle, sys; f, pm = pickle.load(sys.stdin.buffer); print(f() == f() and f(), pm.__name__)"
    done = subprocess.run([sys.executable, "-c", receive], input=sent, capture_output=True, timeout=240, check=True)
    assert done.stdout.decode().strip() == f"{coverages()} pyramidion"
