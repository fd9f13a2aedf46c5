"""The declarations of a builder or matcher: the models that it uses, and whether it reads English alone.

A setting ``analyser``, ``embedder``, ``writer`` or ``graphs`` names models by itself. A part with others declares them,
by the name of a model that ships or as a file or folder, in an attribute ``models``. A part reads English if its
analyser or its embedder does, or, whatever these are, if its attribute ``english`` says so: true where its rules or
weights are of English, false where other languages do as well although its settings name an English model. A part that
needs distributions of weights names them in ``distributions``, and says in ``otherwise`` what to do without. A matcher
that gives the probability of every SCU, and has a setting ``threshold``, says so in ``judge``: then its probabilities
can be calibrated. A matcher that spends its time outside of Python, so that several threads of it are faster than one,
says so in ``threads``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from pyramidion.language.models.distributions import WRITES, Distribution, installed

Part = TypeVar("Part", bound=Callable[..., Any])


def declare(**attributes: object) -> Callable[[Part], Part]:
    """Set attributes of a function.

    >>> @declare(models=("static",))
    ... def match(pyramid, summary, *, analyser="unicode"): ...
    >>> list(models_of(match, {"analyser": "en-minilm"}))
    ['static', 'en-minilm', 'lemmas']
    """

    def set_attributes(part: Part) -> Part:
        for name, value in attributes.items():
            setattr(part, name, value)
        return part

    return set_attributes


ENGLISH = {"analyser": ("en-minilm", "spacy:en_"), "embedder": ("minilm", "static", "wtmf")}
"""How the names of analysers and embedders begin that were made for English."""


def reads_english(part: Callable[..., Any], settings: Mapping[str, object]) -> bool:
    """Return whether a builder or matcher, with its settings, makes sense of English alone.

    >>> def match(pyramid, summary, *, analyser="en-minilm"): ...
    >>> reads_english(match, {"analyser": "en-minilm"}), reads_english(match, {"analyser": "unicode"})
    (True, False)
    """
    declared: bool | None = getattr(part, "english", None)
    if declared is not None:
        return declared
    return any(str(settings.get(name, "")).startswith(begins) for name, begins in ENGLISH.items())


def is_judge(part: Callable[..., Any]) -> bool:
    """Return whether a matcher gives the probability of every SCU."""
    return bool(getattr(part, "judge", False))


def models_of(part: Callable[..., Any], settings: Mapping[str, object]) -> Iterator[str]:
    """The models that a builder or matcher uses with its settings: names of those that ship, files and folders."""
    yield from getattr(part, "models", ())
    if "analyser" in settings:
        from pyramidion.language.parse.analysers import models_of as of_analyser

        yield from of_analyser(str(settings["analyser"]))
    if "embedder" in settings:
        from pyramidion.language.vectors import models_of as of_embedder

        yield from of_embedder(str(settings["embedder"]))
    if settings.get("writer") == "network":
        yield from installed([WRITES])
    if "graphs" in settings:
        from pyramidion.language.graphs.sources import models_of as of_graphs

        yield from of_graphs(str(settings["graphs"]))


def distributions_of(part: Callable[..., Any], settings: Mapping[str, object]) -> dict[Distribution, str]:
    """Return the distributions of weights that a part needs with its settings, each with what to do without it."""
    needed: dict[Distribution, str] = dict.fromkeys(getattr(part, "distributions", ()), getattr(part, "otherwise", ""))
    if settings.get("writer") == "network":
        needed[WRITES] = "let rules write, as the method 'pyramidion(writer=rules)' does"
    return needed
