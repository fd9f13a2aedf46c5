"""A method: a builder and a matcher by name, and the parameters that differ from their defaults.

``given`` stands for what the corpus brings: a pyramid in the builder's place, annotations in the matcher's. A method is
named by a recipe (:mod:`~pyramidion.methods.recipes`) or as ``BUILDER+MATCHER``, with parameters in brackets
(``given+overlap(threshold=0.6)``). It prints as it parses:

>>> print(Method.parse("manual"))
manual
>>> Method.parse("given+given") == Method.parse("manual")
True
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from pyramidion.base.cache import Cache, shared_shelf
from pyramidion.base.choices import choices_of
from pyramidion.base.registry import Registry
from pyramidion.base.threads import count, in_order, single_blas
from pyramidion.builders import BUILDERS, Builder
from pyramidion.errors import ModelError, PyramidionError
from pyramidion.formats import native
from pyramidion.language.models.distributions import Distribution, check
from pyramidion.language.models.weights import models_field
from pyramidion.language.text.identify import identify
from pyramidion.matchers import MATCHERS, NORMALISERS
from pyramidion.matchers.calibration import SAME, Calibration, calibrated, fit_calibration
from pyramidion.methods.names import Value, parse_name, print_name
from pyramidion.methods.recipes import GIVEN, RECIPES
from pyramidion.model import Annotation, Pyramid, Summary, Topic, Unread
from pyramidion.notes import Note, collect_notes, copy_notes, repeat_notes
from pyramidion.parts import distributions_of, is_judge, models_of, reads_english

PEOPLE, UNSTATED = "people", "unstated"
"""What made an annotation that names no matcher: whoever signed it, or nobody knows."""
SLOPE, SHIFT = "slope", "shift"
"""The parameters that calibrate the probabilities of every judge (:mod:`pyramidion.matchers.calibration`)."""
LANGUAGE = "language"
"""The parameter of a method that reads English: ``any`` lets it score texts in other languages."""
_KEPT = ("edua-c", "edua-g", "edua-p", "meaning", "peak", "edu-align", "edu-oracle-rouge", "edu-oracle-be")
"""Builders that take longer to build a pyramid than it takes to read it, and whose result this version decides."""
FEW = 3
"""The most texts that an error names."""


@dataclass(frozen=True, slots=True)
class Method:
    """A builder and a matcher by name, and the parameters that differ from their defaults."""

    builder: str = GIVEN
    matcher: str = GIVEN
    parameters: tuple[tuple[str, Value], ...] = ()

    def __post_init__(self) -> None:
        """Refuse parameters that the parts do not have, and values that they cannot take."""
        known = self.settings
        if dict(self.parameters).get(LANGUAGE, "any") != "any":
            raise PyramidionError(
                f"{LANGUAGE} of {self.name!r} is {dict(self.parameters)[LANGUAGE]!r}",
                do=f"leave it out to refuse texts that the method cannot read, or write {LANGUAGE}=any",
            )
        names = [name for name, _ in self.parameters]
        for name, value in self.parameters:
            if names.count(name) > 1:
                raise PyramidionError(f"{name} of {self.name!r} is given twice", do="give it once")
            if name not in known:
                raise PyramidionError(
                    f"The method {self.name!r} has no parameter {name!r}",
                    do=f"it has {', '.join(known)}" if known else "it has none",
                )
            # By type, not isinstance: True is an int, and no number here. A whole number may stand for a float.
            fits = type(value) is type(known[name]) or (isinstance(known[name], float) and type(value) is int)
            if not fits or value != value:  # NaN, of which every comparison is false
                raise PyramidionError(
                    f"{name} of {self.name!r} cannot be {value!r}", do=f"its default is {known[name]!r}"
                )
            for part in self._parts():
                if name in choices_of(part):
                    choices_of(part)[name].check(name, repr(self.name), value)

    @classmethod
    def parse(cls, text: str) -> Method:
        """Return the method of a recipe's name or of ``BUILDER+MATCHER``, with parameters in brackets."""
        name, parameters = parse_name(text)
        for recipe in RECIPES:
            if recipe.name == name:
                return cls(recipe.builder, recipe.matcher, parameters)
        builder, plus, matcher = name.partition("+")
        if not plus:
            known = ", ".join(recipe.name for recipe in RECIPES)
            raise PyramidionError(
                f"There is no method {name!r}", do=f"choose one of: {known}; or name a BUILDER+MATCHER"
            )
        return cls(builder, matcher, parameters)

    @property
    def name(self) -> str:
        """The recipe's name, or ``BUILDER+MATCHER`` if it has none."""
        for recipe in RECIPES:
            if (recipe.builder, recipe.matcher) == (self.builder, self.matcher):
                return recipe.name
        return f"{self.builder}+{self.matcher}"

    def __str__(self) -> str:
        return print_name(self.name, self.parameters)

    def _parts(self) -> list[Callable[..., Any]]:
        parts: list[Callable[..., Any]] = []
        if self.builder != GIVEN:
            parts.append(_function(BUILDERS, self.builder))
        if self.matcher != GIVEN:
            parts.append(_function(MATCHERS, self.matcher))
        return parts

    @property
    def settings(self) -> dict[str, Value]:
        """Every parameter of the builder and the matcher, and ``language`` where they read one, with its default."""
        parts = self._parts()
        known = {name: default for part in parts for name, default in _settings(part).items()}
        if self._is_judged:
            known |= {SLOPE: SAME.slope, SHIFT: SAME.shift}
        return known | ({LANGUAGE: ""} if any(reads_english(part, _settings(part)) for part in parts) else {})

    @property
    def _is_judged(self) -> bool:
        """The matcher is a judge, whose probabilities can be calibrated."""
        return self.matcher != GIVEN and is_judge(MATCHERS[self.matcher])

    @property
    def calibration(self) -> Calibration:
        """The calibration of the judge's probabilities, by ``slope`` and ``shift``."""
        given: dict[str, Any] = dict(self.parameters)
        return Calibration(given.get(SLOPE, SAME.slope), given.get(SHIFT, SAME.shift))

    @property
    def versions(self) -> tuple[tuple[str, str], ...]:
        """Whatever decides the result and is no parameter, as pairs of a name and a version.

        These are signatures of the parts (such as the version of a prompt), models, and parts of other packages.
        """
        return versions_of((self,))

    def contributed(self) -> Iterator[tuple[str, str]]:
        """Yield the parts that other packages contribute, each with its package and version."""
        yield from BUILDERS.signed(self.builder)
        yield from MATCHERS.signed(self.matcher)
        if self._normaliser:
            yield from NORMALISERS.signed(self._normaliser)
        for part in self._parts():
            if embedder := self._settings_here(part).get("embedder"):
                from pyramidion.language.vectors import EMBEDDERS  # here, because it loads numpy

                yield from EMBEDDERS.signed(str(embedder).partition(":")[0])

    @property
    def models(self) -> tuple[str, ...]:
        """The models that its parts use: names of those that ship, files and folders."""
        return tuple(model for part in self._parts() for model in models_of(part, self._settings_here(part)))

    def makers(self, topics: Iterable[Topic]) -> set[str]:
        """Return what made the annotations that this method scores as they are: matchers, ``people``, ``unstated``."""
        if self.matcher != GIVEN:
            return set()
        annotations = (annotation for topic in topics for annotation in topic.annotations)
        return {annotation.matcher or (PEOPLE if annotation.annotator else UNSTATED) for annotation in annotations}

    def _settings_here(self, part: Callable[..., Any]) -> dict[str, Value]:
        """Return a part's settings with the values that they have in this method."""
        known = _settings(part)
        return known | {name: value for name, value in self.parameters if name in known}

    def in_any_language(self) -> Method:
        """Return the method for texts in any language; the same if it refuses none."""
        if LANGUAGE not in self.settings or LANGUAGE in dict(self.parameters):
            return self
        return replace(self, parameters=(*self.parameters, (LANGUAGE, "any")))

    def check_language(self, topics: Iterable[Topic]) -> None:
        """Refuse what cannot be done before anything is: parts that are not installed, texts that no part can read.

        References are looked at and, if the matcher reads one language, peers. A text passes where it is not clear what
        language it is in (:mod:`pyramidion.language.text.identify`), and every text does with ``language=any``.
        """
        topics = list(topics)
        if any(topic.peers for topic in topics):
            needed: dict[Distribution, str] = {}
            for part in self._parts():  # of what to do without, the first part's counts
                needed = distributions_of(part, self._settings_here(part)) | needed
            check(f"The method {self.name!r}", needed)
        if not self._reads_english(*self._parts()):
            return
        refused = []
        for topic in topics:
            read = {"reference": topic.references or (topic.pyramid.references if topic.pyramid else ())}
            read |= {"peer": topic.peers} if self._matches_english else {}
            for kind, texts in read.items():
                for text in texts:
                    if (language := identify(text.text)) not in ("", "English"):
                        refused.append(f"{kind} {text.id!r} of topic {topic.id!r} looks like {language}")
        if refused:
            more = f", and {len(refused) - FEW} more" if len(refused) > FEW else ""
            instead = "the method 'lite+soft(analyser=unicode)'"
            if self.builder == GIVEN:
                instead = "the method 'given+soft(analyser=unicode)' (to match: the matcher 'soft(analyser=unicode)')"
            raise PyramidionError(
                f"The method '{self}' reads English, but {', '.join(refused[:FEW])}{more}",
                do=f"choose a method that compares words in any language: {instead}, or ROUGE with tokens=unicode; or "
                f"score anyway: '{self.in_any_language()}'",
            )

    def set_aside(self, topics: Iterable[Topic]) -> list[Topic]:
        """Return the topics, where peers that the matcher cannot read are moved to ``unread``, with the reason.

        A topic none of whose peers can be read stays as it is: :meth:`check_language` refuses it.
        """
        return [self._set_aside(topic) for topic in topics] if self._matches_english else list(topics)

    def _set_aside(self, topic: Topic) -> Topic:
        """Return a topic whose peers in other languages are ``unread``; unchanged if all or none are."""
        foreign = {peer.id: identify(peer.text) for peer in topic.peers}
        foreign = {id: language for id, language in foreign.items() if language not in ("", "English")}
        if len(foreign) in (0, len(topic.peers)):
            return topic
        unread = tuple(
            Unread(peer.id, f"The text looks like {foreign[peer.id]}; the method reads English.", peer.number)
            for peer in topic.peers
            if peer.id in foreign
        )
        kept = tuple(peer for peer in topic.peers if peer.id not in foreign)
        annotations = tuple(annotation for annotation in topic.annotations if annotation.summary.id not in foreign)
        return replace(topic, peers=kept, annotations=annotations, unread=(*topic.unread, *unread))

    @property
    def _matches_english(self) -> bool:
        return self.matcher != GIVEN and self._reads_english(MATCHERS[self.matcher])

    def _reads_english(self, *parts: Callable[..., Any]) -> bool:
        """Return whether one of these parts reads only English, unless the method says ``language=any``."""
        if LANGUAGE in dict(self.parameters):
            return False
        return any(reads_english(part, self._settings_here(part)) for part in parts)

    def _call(self, part: Callable[..., Any], *values: Any) -> Any:
        known = _settings(part)
        with single_blas():
            return part(*values, **{name: value for name, value in self.parameters if name in known})

    def pyramid(self, topic: Topic) -> Pyramid:
        """Return the topic's pyramid: built now, built by an earlier run, or the one that the topic brings."""
        if self.builder != GIVEN:
            build = self._cached_pyramid if self.builder in _KEPT and shared_shelf() else self._build
            return build(topic, BUILDERS[self.builder])
        if topic.pyramid is None:
            raise PyramidionError(
                f"Topic {topic.id!r} has no pyramid, and the method {self.name!r} builds none",
                do="add pyramid.json or pyramid.pyr to the topic, or choose a method that builds one",
            )
        return topic.pyramid

    def _build(self, topic: Topic, builder: Builder) -> Pyramid:
        """Build a pyramid and check that the builder has returned one of this topic."""
        at = f"topic {topic.id!r}"
        with BUILDERS.errors_named(self.builder, at):
            pyramid = BUILDERS.checked_result(self.builder, self._call(builder, topic), Pyramid, at)
            if pyramid.topic != topic.id:
                raise ModelError(f"The pyramid is of topic {pyramid.topic!r}", do="build that of the given topic")
        return pyramid

    def _cached_pyramid(self, topic: Topic, builder: Builder) -> Pyramid:
        """Return the pyramid from the cache, or build it; what building noted (such as too little time) is repeated."""
        # All settings are in the key, defaults included, so that a version with another default builds anew.
        of_builder = replace(self, matcher=GIVEN, parameters=tuple(self._settings_here(builder).items()))
        pyramids = Cache("pyramids", repr((str(of_builder), of_builder.versions)), memory=0)
        texts = Topic(topic.id, topic.references, sources=topic.sources)
        key = pyramids.key(native.dumps([texts]), "after its notes")
        if kept := pyramids.get([key]).get(key):
            about, _, text = kept.partition(b"\n")
            how_built, noted = json.loads(about)
            with collect_notes():  # on reading a pyramid; building it gave the same
                (found,) = native.loads(text)
            repeat_notes(map(Note, noted))
            assert found.pyramid is not None
            return replace(found.pyramid, built=how_built)
        with copy_notes() as notes:
            built = self._build(topic, builder)
        about = json.dumps([dict(built.built), [note.text for note in notes]]).encode()
        pyramids.put({key: about + b"\n" + native.dumps([replace(texts, pyramid=built)])})
        return built

    def together(self, topics: Iterable[tuple[Topic, Pyramid]]) -> Iterator[tuple[Topic, Pyramid]]:
        """Yield the same topics, after telling a matcher that is faster with many summaries at once about them.

        Such a matcher has ``prepare(asked)``, for pyramids with their peers, and ``together()``, which returns how many
        pairs of contributor and peer it wants at once.
        """
        matcher: Any = None if self.matcher == GIVEN else MATCHERS[self.matcher]
        if not hasattr(matcher, "prepare"):
            yield from topics
            return
        with MATCHERS.errors_named(self.matcher):
            most = self._call(matcher.together)
        for group in _groups(topics, most):
            with MATCHERS.errors_named(self.matcher, f"topic {group[0][0].id!r}"):
                self._call(matcher.prepare, [(pyramid, topic.peers) for topic, pyramid in group])
            yield from group

    def annotations(self, topic: Topic, pyramid: Pyramid) -> Iterator[Annotation]:
        """Yield an annotation of each peer, in order: the matcher's, or those that the topic brings.

        A matcher that declares ``threads`` gets several peers at once.
        """
        if self.matcher == GIVEN:
            yield from topic.annotations
            return
        workers = count() if getattr(MATCHERS[self.matcher], "threads", False) else 1
        yield from in_order(lambda peer: self.match(pyramid, peer), topic.peers, workers)

    @property
    def sees_question(self) -> bool:
        """The matcher reads the question that a summary answers, because it has a parameter of that name."""
        return self.matcher != GIVEN and "question" in inspect.signature(MATCHERS[self.matcher]).parameters

    def match(self, pyramid: Pyramid, peer: Summary, question: str = "") -> Annotation:
        """Return what the matcher finds in one summary, which answers ``question`` if there is one."""
        if self.matcher == GIVEN:
            raise PyramidionError(f"The method {self.name!r} has no matcher", do="choose a method with a matcher")
        matcher: Any = MATCHERS[self.matcher]
        known = self._settings_here(matcher)
        calibration = self.calibration
        # A threshold is one of calibrated probabilities; the matcher sees the judge's own, so it gets the inverse.
        if calibration != SAME:
            known["threshold"] = calibration.inverse(float(known["threshold"]))
        asked = (question,) if question and self.sees_question else ()
        at = f"topic {pyramid.topic!r}, summary {peer.id!r}"
        with single_blas(), MATCHERS.errors_named(self.matcher, at):
            found = MATCHERS.checked_result(self.matcher, matcher(pyramid, peer, *asked, **known), Annotation, at)
            if found.summary != peer:
                raise ModelError(f"The annotation is of summary {found.summary.id!r}", do="annotate the given summary")
            found.check(pyramid)
            annotation = calibrated(found, calibration)
        of_matcher = [parameter for parameter in self.parameters if parameter[0] in {*known, SLOPE, SHIFT}]
        return replace(annotation, matcher=print_name(self.matcher, of_matcher))

    def with_degrees(self) -> Method:
        """Return the method whose judge gives degrees, unless its name says otherwise.

        ``llm:`` and ``nli:`` give decisions, 1 and 0, because nobody has calibrated their degrees.
        """
        if "calibrated" not in self.settings or "calibrated" in dict(self.parameters):
            return self
        return replace(self, parameters=(*self.parameters, ("calibrated", True)))

    def calibrated(self, labelled: Iterable[Topic]) -> Method:
        """Return the method with its judge's probabilities calibrated by people's annotations of some peers.

        Each pair of an SCU of a topic's pyramid and a peer that people annotated is a label, except for SCUs that they
        left unjudged. The judge is asked about the topic's own pyramid, even if the method builds another. A
        calibration that the method has already is replaced.
        """
        if not self._is_judged:
            raise PyramidionError(
                f"The matcher {self.matcher!r} gives no probabilities to calibrate",
                do="choose a judge: entails, soft, unigram, nli:MODEL or llm:MODEL",
            )
        kept = tuple(parameter for parameter in self.with_degrees().parameters if parameter[0] not in (SLOPE, SHIFT))
        judge = replace(self, parameters=kept)
        degrees: list[float] = []
        said: list[bool] = []
        for topic in labelled:
            for person in topic.annotations if topic.pyramid else ():
                assert topic.pyramid is not None
                found = dict(judge.match(topic.pyramid, person.summary).probabilities)
                asked = found.keys() - dict(person.unjudged).keys()
                degrees += (found[scu] for scu in sorted(asked))
                said += (scu in person.expressed for scu in sorted(asked))
        if not degrees:
            raise PyramidionError(
                "No topic of the labels has both a pyramid and annotations of peers",
                do="give a corpus, or files, in which people annotated some peers",
            )
        if not any(0 < degree < 1 for degree in degrees):
            raise PyramidionError(
                f"The judge {self.matcher!r} answers only yes or no, which cannot be calibrated",
                do="let it give degrees (calibrated=true), or leave out the labels",
            )
        curve = fit_calibration(degrees, said)
        return replace(self, parameters=(*kept, (SLOPE, curve.slope), (SHIFT, curve.shift)))

    def normalised(self, pyramid: Pyramid, annotation: Annotation) -> float | None:
        """Return the normalised score of the matcher or the builder, whichever has its own; None if neither has."""
        if not (name := self._normaliser):
            return None
        at = f"topic {pyramid.topic!r}, summary {annotation.summary.id!r}"
        with NORMALISERS.errors_named(name, at):
            return float(NORMALISERS[name](pyramid, annotation))

    @property
    def _normaliser(self) -> str:
        """The name of the matcher or builder that has its own way to normalise; empty if neither has."""
        return next((part for part in (self.matcher, self.builder) if part in NORMALISERS), "")


def versions_of(methods: Iterable[Method]) -> tuple[tuple[str, str], ...]:
    """Return what decides the results of several methods and is no parameter, each field once."""
    methods = tuple(methods)
    signatures = (pair for method in methods for part in method._parts() for pair in getattr(part, "signature", ()))
    contributed = dict.fromkeys(pair for method in methods for pair in method.contributed())
    return (
        *dict.fromkeys(signatures),
        *models_field(model for method in methods for model in method.models),
        *contributed,
    )


def _function(parts: Registry[Any], name: str) -> Callable[..., Any]:
    """Return a builder or matcher by its name; raise an error if it cannot be called with settings."""
    part = parts[name]
    made_by = f"{parts.kind} {name!r} of {parts.release(name) or 'pyramidion'}"
    try:
        settings: Mapping[str, object] = _settings(part)
    except (TypeError, ValueError) as error:  # no function, or one of C that does not tell its parameters
        raise PyramidionError(
            f"The {made_by} is no function with parameters ({type(part).__name__})",
            do=f"let its entry point name a function, or choose another {parts.kind}",
        ) from error
    if missing := [key for key, value in settings.items() if value is inspect.Parameter.empty]:
        raise PyramidionError(
            f"The setting {missing[0]!r} of the {made_by} has no default", do=f"give it one: {missing[0]}=..."
        )
    return part  # type: ignore[no-any-return]


def signed_by_makers(method: str, makers: Collection[str]) -> tuple[str, tuple[tuple[str, str], ...]]:
    """Return how a signature names a method, and the field for what made the annotations that it scores as they are.

    Where programs made some, the field has all makers, and ``manual`` is called ``given+given``.

    >>> signed_by_makers("manual", {"people"})
    ('manual', ())
    >>> signed_by_makers("manual", {"people", "wmin"})
    ('given+given', (('annotations', 'people,wmin'),))
    """
    if not set(makers) - {PEOPLE, UNSTATED}:
        return method, ()
    named = f"{GIVEN}+{GIVEN}" if method == Method().name else method
    return named, (("annotations", ",".join(sorted(makers))),)


@cache
def _settings(part: Callable[..., Any]) -> dict[str, Value]:
    """Return a builder's or matcher's settings: its keyword-only parameters and their defaults."""
    parameters = inspect.signature(part).parameters.values()
    return {parameter.name: parameter.default for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY}


def _groups(topics: Iterable[tuple[Topic, Pyramid]], most: int) -> Iterator[list[tuple[Topic, Pyramid]]]:
    """Yield topics in groups, each as soon as it has ``most`` pairs of contributor and peer."""
    group: list[tuple[Topic, Pyramid]] = []
    pairs = 0
    for topic, pyramid in topics:
        group.append((topic, pyramid))
        pairs += sum(len(scu.contributors) for scu in pyramid.scus) * len(topic.peers)
        if pairs >= most:
            yield group
            group, pairs = [], 0
    if group:
        yield group
