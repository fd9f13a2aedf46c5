"""Held-out judgements: a judge that learns from a dataset is measured on documents that it has not seen.

*Folds* are disjoint sets of a dataset's documents. For each fold, a judge with a function ``fit(topics)`` in its module
is fitted to all other documents and judges the fold's. A judge that learnt nothing from the dataset simply judges. A
judge that learnt from it and cannot be fitted anew has no held-out judgements to measure. A judge's module names its
training data in ``TRAINED_ON``. A judge whose training takes a GPU may ship its answers (``STORED``), which its ``fit``
then reads.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from inspect import unwrap
from types import ModuleType
from typing import Any

from pyramidion.errors import PyramidionError
from pyramidion.matchers import MATCHERS
from pyramidion.methods import GIVEN, LANGUAGE, Method
from pyramidion.model import Annotation, Topic
from pyramidion.notes import note

Fold = tuple[str, ...]
"""The ids of the documents of a fold."""
Judge = Callable[..., Annotation]
"""A matcher with its settings, fitted or not."""

_KNOWN = {"realsumm": re.compile(r"cnndm\d+")}
"""The datasets that judges learn from, with a pattern of the ids of their documents."""


def dataset(topics: Sequence[Topic]) -> str:
    """Return the name of the known dataset that has these documents, or an empty string."""
    return next((name for name, ids in _KNOWN.items() if all(ids.fullmatch(topic.id) for topic in topics)), "")


def _module(method: Method) -> ModuleType | None:
    """Return the module of the matcher."""
    if method.matcher == GIVEN:
        return None
    matcher: Any = MATCHERS[method.matcher]
    # a matcher may be a partial function, or wrapped by a decorator
    return sys.modules.get(unwrap(getattr(matcher, "func", matcher)).__module__)


def has_stored_answers(method: Method) -> bool:
    """Return whether the method's held-out judgements are stored, so that they do not show its speed."""
    return getattr(_module(method), "STORED", False)


def check_unseen(
    methods: Iterable[Method], topics: Sequence[Topic], *, folds: bool = False, publish: bool = False
) -> None:
    """Warn of judges that learnt from these documents; their figures must not be published.

    With folds, such a judge must be fitted again without the fold; a judge that cannot be fitted is an error.
    """
    for method in methods:
        can_be_fitted = hasattr(_module(method), "fit")
        seen_before = dataset(topics) in getattr(_module(method), "TRAINED_ON", ())
        # unseen documents, or a judge that is fitted anew for each fold
        if not seen_before or (folds and can_be_fitted):
            continue
        seen = f"The judge {method.matcher!r} learnt from these very documents"
        remedy = (
            "the published folds measure it on documents that it has not seen"
            if can_be_fitted
            else "its MODEL.md has its held-out figures"
        )
        if folds:
            raise PyramidionError(
                f"{seen} and cannot be refitted here",
                do=f"leave out the folds to measure it on what it has seen; {remedy}",
            )
        if publish:
            raise PyramidionError(f"{seen}, so its figures are too high for the leaderboard", do=remedy)
        note(f"{seen}, so its figures are too high; {remedy}")


def held_out(
    method: Method, topics: Sequence[Topic], folds: Sequence[Fold], known: Sequence[Topic] = ()
) -> Iterator[tuple[Judge, list[Topic]]]:
    """Yield, for each fold, a judge that has seen none of its documents, and the topics of the fold.

    The judge learns from the other ``known`` documents or, if none are given, from the other topics.
    """
    check_unseen([method], topics, folds=True)
    fit: Callable[[Sequence[Topic]], Judge] | None = getattr(_module(method), "fit", None)
    if fit is None:
        yield method.match, list(topics)
        return
    known_settings = Method(GIVEN, method.matcher).settings.keys() - {LANGUAGE}
    settings = {name: value for name, value in method.parameters if name in known_settings}
    for fold in folds:
        fold_topics = [topic for topic in topics if topic.id in fold]
        if not fold_topics:
            continue
        matcher = fit([topic for topic in known or topics if topic.id not in fold])

        # the default binds this fold's matcher: the name stands for the next one's when the loop goes on
        def match(*texts: Any, matcher: Judge = matcher) -> Annotation:
            return matcher(*texts, **settings)

        yield match, fold_topics
