"""Held-out judgements: a judge that learns from a dataset's documents is measured on those it has not seen.

A dataset in the Lite2-3Pyramid layout may publish *folds*, disjoint sets of its documents: ``folds/NAME.id``, an id a
line. For each fold, a judge with a function ``fit(topics)`` in its module is fitted to all other documents and judges
the fold's. A judge that learnt from the dataset and cannot be fitted anew has no held-out judgements to measure; a
judge that learnt nothing here simply judges. What a judge learnt from, its module says in ``TRAINED_ON``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from inspect import unwrap
from pathlib import Path
from types import ModuleType
from typing import Any

from pyramidion.errors import FormatError, PyramidionError
from pyramidion.io.files import decode, read_bytes
from pyramidion.match import MATCHERS
from pyramidion.methods import GIVEN, LANGUAGE, Method
from pyramidion.model import Annotation, Topic

__all__ = ["Fold", "Judge", "can_be_fitted", "check_not_seen", "dataset", "has_seen", "held_out", "read_folds"]

Fold = tuple[str, ...]
"""The ids of its documents."""
Judge = Callable[..., Annotation]
"""A matcher with its settings, fitted or not."""

_KNOWN = {"realsumm": re.compile(r"cnndm\d+")}
"""Datasets that judges learn from, by what the ids of their documents look like."""


def dataset(topics: Sequence[Topic]) -> str:
    """Which known dataset the documents are of, whatever the folder is called, or nothing."""
    return next((name for name, ids in _KNOWN.items() if all(ids.fullmatch(topic.id) for topic in topics)), "")


def read_folds(directory: str | Path, topics: Sequence[Topic]) -> tuple[Fold, ...]:
    """The published folds, as far as they are of these documents, each of which must be in exactly one."""
    folder = Path(directory) / "folds"
    files = sorted(folder.glob("*.id")) if folder.is_dir() else []
    if not files:
        raise FormatError("no folds are published here", str(folder), "add folds/NAME.id, an id a line")
    wanted = {topic.id for topic in topics}
    home: dict[str, Path] = {}
    folds = []
    for file in files:
        fold = [id for id in decode(read_bytes(file), str(file), may_be_empty=True).split() if id in wanted]
        for id in fold:
            if id in home:
                raise FormatError(f"{id!r} is in this fold and in {home[id].name}", str(file), "leave it in one")
            home[id] = file
        folds.append(tuple(fold))
    missing = [topic.id for topic in topics if topic.id not in home]
    if missing:
        raise FormatError(f"{missing[0]!r} is in no fold", str(folder), "write it into one of the files")
    return tuple(filter(None, folds))


def _module(method: Method) -> ModuleType | None:
    """Where the matcher is written."""
    if method.matcher == GIVEN:
        return None
    matcher: Any = MATCHERS[method.matcher]
    return sys.modules.get(unwrap(getattr(matcher, "func", matcher)).__module__)


def has_seen(method: Method, name: str) -> bool:
    """Whether the method's judge learnt from the dataset of that name."""
    return name in getattr(_module(method), "TRAINED_ON", ())


def can_be_fitted(method: Method) -> bool:
    """Whether the method's judge can learn anew from other documents."""
    return hasattr(_module(method), "fit")


def check_not_seen(method: Method, topics: Sequence[Topic]) -> None:
    """Raise if the method's judge learnt from these documents and cannot learn anew."""
    if has_seen(method, dataset(topics)) and not can_be_fitted(method):
        raise PyramidionError(
            f"{method.matcher!r} learnt from these very documents and cannot be fitted anew here",
            do="leave out --folds to measure it on what it has seen; its MODEL.md has its held-out figures",
        )


def held_out(
    method: Method, topics: Sequence[Topic], folds: Sequence[Fold], known: Sequence[Topic] = ()
) -> Iterator[tuple[Judge, list[Topic]]]:
    """For each fold, a judge that has seen none of its documents, and those of the documents that are topics.

    It learns from all that are ``known``, or, if none are given, from the topics.
    """
    check_not_seen(method, topics)
    fit: Callable[[Sequence[Topic]], Judge] | None = getattr(_module(method), "fit", None)
    if fit is None:
        yield method.match, list(topics)
        return
    known_settings = Method(GIVEN, method.matcher).settings.keys() - {LANGUAGE}
    settings = {name: value for name, value in method.parameters if name in known_settings}
    for fold in folds:
        own = [topic for topic in topics if topic.id in fold]
        if not own:
            continue
        matcher = fit([topic for topic in known or topics if topic.id not in fold])

        def match(*given: Any, matcher: Judge = matcher) -> Annotation:
            return matcher(*given, **settings)

        yield match, own
