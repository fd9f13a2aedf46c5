"""A person's corrections of an evaluation: verdicts on summaries, and the ideas (SCUs) of a pyramid.

A report makes a file of corrections, and ``evaluate`` applies it before it scores::

    {"pyramidion_corrections": 1, "signature": "method:...",
     "topics": [{"topic": "lake", "references": ["A", "B"],
                 "ideas": [{"id": "s1", "label": "Fish died", "importance": 2}, ...],
                 "corrections": [
                   {"do": "judge", "summary": "anna", "text": "9f86d081884c", "idea": "s1", "verdict": "missing"},
                   {"do": "rename", "idea": "s1", "label": "Most fish died"},
                   {"do": "merge", "idea": "s2", "into": "s1"},
                   {"do": "drop", "idea": "s3"}]}]}

Corrections are applied in their order. ``ideas`` are those of the pyramid that they were made for, and ``text`` is the
:func:`digest` of the summary's text: they are refused for any other pyramid or text, because they might mean something
else there.

* A verdict *found* makes an idea matched, by the words that contradicted it, if any did; where there are none, the
  summary has one more unit, whose place nobody knows. *missing* and *contradicted* take its matches away, whose words
  are then units in no SCU. Where a judge gave probabilities, that of the idea becomes 1 if it is found, and else 0.
* An idea that is *merged* into another gives it its contributors, its matches and its contradictions. Found counts
  before contradicted, and the higher probability counts.
* The matches of an idea that is *dropped* are units in no SCU.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct

from pyramidion.base.files import decode, read_bytes
from pyramidion.base.json import check_json, decode_json, encode_json
from pyramidion.errors import FormatError, PyramidionError, Where
from pyramidion.model import SCU, Annotation, Contradiction, Contributor, Match, Pyramid

VERSION = 1

Verdict = Literal["found", "missing", "contradicted"]
Id = Annotated[str, Meta(min_length=1)]

_AGAIN = "correct the report of this evaluation, and save the corrections there"


class Judge(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag_field="do", tag="judge"):
    """A verdict: what a summary says of an idea."""

    summary: Id
    text: str
    """The digest of the summary's text."""
    idea: Id
    verdict: Verdict
    annotator: str = ""
    """Whose annotation it is, where several people annotated the summary."""


class Rename(Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="rename"):
    """Another label for an idea."""

    idea: Id
    label: Annotated[str, Meta(min_length=1)]


class Merge(Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="merge"):
    """An idea that is the same as another, which stays."""

    idea: Id
    into: Id


class Drop(Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", tag="drop"):
    """An idea that does not count."""

    idea: Id


Correction = Judge | Rename | Merge | Drop


class Idea(Struct, frozen=True, forbid_unknown_fields=True):
    """An idea of the pyramid that was corrected; its importance is the number of references that express it."""

    id: Id
    label: str
    importance: Annotated[int, Meta(ge=1)]


class TopicCorrections(Struct, frozen=True, forbid_unknown_fields=True):
    """The corrections of one topic, and the pyramid they were made for."""

    topic: str
    references: tuple[str, ...]
    ideas: tuple[Idea, ...]
    corrections: tuple[Correction, ...]

    @classmethod
    def of(cls, pyramid: Pyramid, corrections: Iterable[Correction]) -> TopicCorrections:
        """The corrections of a pyramid.

        >>> import pyramidion as pm
        >>> pyramid = pm.example()[0].pyramid
        >>> fewer = TopicCorrections.of(pyramid, [Drop(pyramid.scus[0].id)]).pyramids(pyramid)[-1]
        >>> len(pyramid.scus) - len(fewer.scus)
        1
        """
        ideas = tuple(Idea(scu.id, scu.label, scu.weight) for scu in pyramid.scus)
        return cls(pyramid.topic, tuple(reference.id for reference in pyramid.references), ideas, tuple(corrections))

    def difference(self, pyramid: Pyramid) -> str:
        """Return the first difference between a pyramid and the one that was corrected; an empty text if there is none.

        The order of references and ideas is no difference.
        """
        references = sorted(reference.id for reference in pyramid.references)
        if sorted(self.references) != references:
            return f"they are for the references {_name_list(self.references)}, and here are {_name_list(references)}"
        here = {scu.id: Idea(scu.id, scu.label, scu.weight) for scu in pyramid.scus}
        for idea in self.ideas:
            found = here.pop(idea.id, None)
            if found is None:
                return f"they know an idea {idea.id!r} ({idea.label!r}), which is not there"
            if found.label != idea.label:
                return f"they call the idea {idea.id!r} {idea.label!r}, and here it is {found.label!r}"
            if found.importance != idea.importance:
                return (
                    f"to them, the idea {idea.id!r} ({idea.label!r}) has the importance {idea.importance}, and here "
                    f"it has {found.importance}"
                )
        for unknown in here.values():
            return f"they do not know the idea {unknown.id!r} ({unknown.label!r})"
        return ""

    def pyramids(self, pyramid: Pyramid) -> list[Pyramid]:
        """The pyramid before all corrections, and after each."""
        if difference := self.difference(pyramid):
            raise PyramidionError(
                f"The corrections of topic {self.topic!r} were made for another pyramid: {difference}", do=_AGAIN
            )
        pyramids = [pyramid]
        for correction in self.corrections:
            pyramids.append(_pyramid(pyramids[-1], correction))
        return pyramids

    def annotations(self, annotations: Iterable[Annotation], pyramids: Sequence[Pyramid]) -> Iterator[Annotation]:
        """Each annotation after all corrections; ``pyramids`` are those of :meth:`pyramids`."""
        for annotation in annotations:
            for correction, smaller in zip(self.corrections, pyramids[1:], strict=True):
                annotation = self._apply(annotation, correction, smaller)
            yield annotation

    def _apply(self, annotation: Annotation, correction: Correction, smaller: Pyramid) -> Annotation:
        """Return the annotation after one correction; ``smaller`` is the pyramid after it."""
        match correction:
            case Judge() if (correction.summary, correction.annotator) == (annotation.summary.id, annotation.annotator):
                _check_text(annotation, correction, self.topic)
                return _with_verdict(annotation, correction)
            case Merge():
                return _with_merged_idea(annotation, correction)
            case Drop():
                return annotation.against(smaller)
        return annotation


class Corrections(Struct, frozen=True, forbid_unknown_fields=True):
    """The corrections of an evaluation, by topic."""

    pyramidion_corrections: int = VERSION
    """The version of the format."""
    signature: str = ""
    """The signature of the scores that somebody corrected."""
    topics: tuple[TopicCorrections, ...] = ()

    def of(self, topic: str) -> TopicCorrections | None:
        """The corrections of a topic, if there are any."""
        return next((corrected for corrected in self.topics if corrected.topic == topic), None)

    def only(self, topic: str) -> Corrections:
        """Those of one topic."""
        return Corrections(self.pyramidion_corrections, self.signature, tuple(filter(None, [self.of(topic)])))

    def check_topics(self, topics: Iterable[str]) -> None:
        """Raise if a topic that was corrected is not among these."""
        known = set(topics)
        for corrected in self.topics:
            if corrected.topic not in known:
                raise PyramidionError(
                    f"There are corrections of topic {corrected.topic!r}, which is not among the topics", do=_AGAIN
                )

    def check_summaries(self, summaries: Iterable[tuple[str, str, str]]) -> None:
        """Raise if a summary that was corrected is not among these: topic, id and annotator of each."""
        known = set(summaries)
        for corrected in self.topics:
            for correction in corrected.corrections:
                if (
                    isinstance(correction, Judge)
                    and (corrected.topic, correction.summary, correction.annotator) not in known
                ):
                    raise PyramidionError(
                        f"Topic {corrected.topic!r} has no summary {correction.summary!r}"
                        + (f" that {correction.annotator!r} annotated" if correction.annotator else "")
                        + ", but there are corrections of it",
                        do="add the summary, or take its corrections out of the file",
                    )

    def __str__(self) -> str:
        """Their number and their digest, for signatures."""
        count = sum(len(corrected.corrections) for corrected in self.topics)
        return f"{count}-{digest(encode_json(self.topics).decode())[:8]}"


def read_corrections(path: str | PathLike[str]) -> Corrections:
    """Read a file of corrections that a report saved."""
    return loads(read_bytes(Path(path)), str(path))


def loads(data: bytes | str, source: str = "") -> Corrections:
    """Corrections of a file's bytes; ``source`` names the file in errors."""
    text = decode(data, source)
    check_json(text, Where(source))
    # a file of another kind is named as such, before its structure is found wrong
    if "pyramidion_corrections" not in text[:200]:
        raise FormatError("This is no file of corrections", source, "save one in a report (Save corrections)")
    corrections = decode_json(text, Corrections, source)
    if corrections.pyramidion_corrections != VERSION:
        what = (
            f"The corrections have the version {corrections.pyramidion_corrections}, and this program reads {VERSION}"
        )
        raise FormatError(what, source, "install a newer version of pyramidion")
    names = [corrected.topic for corrected in corrections.topics]
    for name in names:
        if names.count(name) > 1:
            raise FormatError(f"Topic {name!r} stands there twice", source, "put its corrections together")
    return corrections


def dumps(corrections: Corrections) -> bytes:
    """The file."""
    return encode_json(corrections)


def digest(text: str) -> str:
    """Return the first digits of a text's SHA-256, which tell it from other texts.

    >>> digest("test")
    '9f86d081884c'
    """
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def unit_of(denial: Contradiction, unmatched: Sequence[Contributor]) -> int | None:
    """Return the number of the unit in no SCU that has a contradiction's segment or spans; None if there is none."""
    for number, unit in enumerate(unmatched):
        if (unit.segment and unit.segment == denial.segment) or (unit.spans and unit.spans == denial.spans):
            return number
    return None


def _name_list(names: Iterable[str]) -> str:
    return ", ".join(map(repr, sorted(names))) or "none"


def _check_text(annotation: Annotation, correction: Judge, topic: str) -> None:
    if digest(annotation.summary.text) != correction.text:
        raise PyramidionError(
            f"The text of summary {annotation.summary.id!r} of topic {topic!r} is not the one that was corrected",
            do=_AGAIN,
        )


def _pyramid(pyramid: Pyramid, correction: Correction) -> Pyramid:
    """The pyramid after one correction."""
    known = {scu.id: scu for scu in pyramid.scus}
    for id in (correction.idea, *((correction.into,) if isinstance(correction, Merge) else ())):
        if id not in known:
            raise PyramidionError(
                f"A correction of topic {pyramid.topic!r} is about the idea {id!r}, which an earlier one took away",
                do="take it out of the file",
            )
    scu = known[correction.idea]
    match correction:
        case Judge():
            return pyramid
        case Rename():
            changed: dict[str, SCU | None] = {scu.id: replace(scu, label=correction.label, unclear="")}
        case Drop():
            changed = {scu.id: None}
        case Merge():
            if correction.into == correction.idea:
                raise PyramidionError(
                    f"A correction of topic {pyramid.topic!r} merges the idea {scu.id!r} into itself",
                    do="name another idea",
                )
            target = known[correction.into]
            changed = {scu.id: None, target.id: replace(target, contributors=target.contributors + scu.contributors)}
    scus = (changed.get(original.id, original) for original in pyramid.scus)
    return replace(pyramid, scus=tuple(left for left in scus if left is not None), repeats_told=True)


def _with_verdict(annotation: Annotation, correction: Judge) -> Annotation:
    """Return the annotation with a person's verdict on an idea in place of the one that it had."""
    idea, is_found = correction.idea, correction.verdict == "found"
    idea_matches = [match for match in annotation.matches if match.scu == idea]
    denial = next((contradiction for contradiction in annotation.contradicted if contradiction.scu == idea), None)
    matches, unmatched = annotation.matches, annotation.unmatched
    contradicted = tuple(contradiction for contradiction in annotation.contradicted if contradiction.scu != idea)
    if is_found and denial:
        # the words that contradicted the idea express it now, and stop being an unmatched unit
        denying = unit_of(denial, unmatched)
        matches += (Match(idea, denial.spans, segment=denial.segment),)
        unmatched = tuple(unit for number, unit in enumerate(unmatched) if number != denying)
    elif is_found and not idea_matches:  # found, and nobody knows where
        matches += (Match(idea),)
    elif not is_found:
        matches = tuple(match for match in matches if match.scu != idea)
        unmatched += tuple(
            Contributor(annotation.summary.id, match.spans, segment=match.segment, supported=match.supported)
            for match in idea_matches
        )
    if correction.verdict == "contradicted":
        spans = tuple(dict.fromkeys(span for match in idea_matches for span in match.spans))
        contradicted += (replace(denial, probability=1.0) if denial else Contradiction(idea, spans),)
    return replace(
        annotation,
        matches=matches,
        unmatched=unmatched,
        contradicted=contradicted,
        probabilities=_with(annotation.probabilities, idea, float(is_found)) if annotation.probabilities else (),
        unjudged=tuple(pair for pair in annotation.unjudged if pair[0] != idea),
        partial=tuple(scu for scu in annotation.partial if scu != idea),
        unsupported=tuple(scu for scu in annotation.unsupported if scu != idea),
    )


def _with_merged_idea(annotation: Annotation, correction: Merge) -> Annotation:
    """Return the annotation with all that it says of an idea moved to the idea that it is merged into."""
    idea, into = correction.idea, correction.into
    merged_ids = (idea, into)
    matches = tuple(replace(match, scu=into) if match.scu == idea else match for match in annotation.matches)
    is_found = any(match.scu == into for match in matches)
    # the contradiction of the idea that stays is kept before that of the merged one
    denials = sorted(
        (contradiction for contradiction in annotation.contradicted if contradiction.scu in merged_ids),
        key=lambda contradiction: contradiction.scu != into,
    )
    contradicted = tuple(
        contradiction for contradiction in annotation.contradicted if contradiction.scu not in merged_ids
    )
    if denials and not is_found:
        contradicted += (replace(denials[0], scu=into),)
    is_decided = is_found or bool(denials)
    believed = [probability for scu, probability in annotation.probabilities if scu in merged_ids]
    unjudged = dict(annotation.unjudged)
    is_unjudged = all(scu in unjudged for scu in merged_ids)
    is_partial = not is_decided and any(scu in annotation.partial for scu in merged_ids)
    kept = tuple(pair for pair in annotation.probabilities if pair[0] != idea)
    return replace(
        annotation,
        matches=matches,
        contradicted=contradicted,
        probabilities=_with(kept, into, max(believed)) if believed else kept,
        unjudged=tuple(
            pair for pair in annotation.unjudged if pair[0] not in merged_ids or (is_unjudged and pair[0] == into)
        ),
        partial=(*(scu for scu in annotation.partial if scu not in merged_ids), *((into,) if is_partial else ())),
        unsupported=tuple(dict.fromkeys(into if scu == idea else scu for scu in annotation.unsupported)),
        comments=tuple(pair for pair in annotation.comments if pair[0] != idea),
        labels=tuple(pair for pair in annotation.labels if pair[0] != idea),
    )


def _with(pairs: tuple[tuple[str, float], ...], id: str, value: float) -> tuple[tuple[str, float], ...]:
    """The pairs with that value for an id, in its place if it has one."""
    if all(scu != id for scu, _ in pairs):
        return (*pairs, (id, value))
    return tuple((scu, value if scu == id else before) for scu, before in pairs)
