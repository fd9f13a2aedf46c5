"""What a topic loses on its way through a format: what comes back differs from what went in.

Order does not count, since no format promises it, nor does what comes back in addition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Source, Summary, Topic

T = TypeVar("T")


_ORIGINS = {
    "sentence": "the source sentences of SCUs",
    "segment": "which segments contributors, matches and units are",
    "place": "where in the sources contributors stand",
    "reason": "the reasons of contributors and matches",
    "unsupported": "that quotations were not found",
    "annotator": "who wrote contributors",
    "matcher": "which matcher made annotations",
    "unjudged": "which SCUs nobody judged",
    "partial": "which SCUs are expressed in part",
    "labels": "the SCUs' labels that annotations bring",
}


def origins_lost(
    pyramid: Pyramid | None, annotations: Iterable[Annotation] = (), held: Iterable[str] = ()
) -> Iterator[str]:
    """What a format loses that says nothing of where units come from and who judged them, but for what it holds."""
    scus, annotations = pyramid.scus if pyramid else (), tuple(annotations)
    words = [one for scu in scus for one in scu.contributors] + [one for by in annotations for one in by.unmatched]
    matches = [match for by in annotations for match in by.matches]
    both: list[Contributor | Match] = [*words, *matches]
    used = {
        "sentence": any(scu.sentence for scu in scus),
        "segment": any(one.segment for one in both),
        "place": any(one.place for one in words),
        "reason": any(one.reason for one in both),
        "unsupported": any(not one.supported for one in both),
        "annotator": any(one.annotator for one in words),
        "matcher": any(by.matcher for by in annotations),
        "unjudged": any(by.unjudged for by in annotations),
        "partial": any(by.partial for by in annotations),
        "labels": any(by.labels for by in annotations),
    }
    yield from (what for name, what in _ORIGINS.items() if used[name] and name not in held)


def differences(before: Topic, after: Topic) -> list[str]:
    """What is lost, one line each kind, with the first example of it."""
    return [*_differences(before, after)]


def _differences(before: Topic, after: Topic) -> Iterator[str]:
    if before.id != after.id:
        yield f"its id: it becomes {after.id!r}"
    if before.pyramid and after.pyramid is None:
        yield "the pyramid"
        return
    own, others = (topic.pyramid.references if topic.pyramid else () for topic in (before, after))
    yield from _texts("reference", {*before.references, *own}, {*after.references, *others})
    yield from _texts("peer", before.peers, after.peers)
    yield from _texts("source", before.sources, after.sources)
    ids: dict[str, str] = {}
    if before.pyramid and after.pyramid:
        pairs = list(zip(before.pyramid.scus, after.pyramid.scus, strict=False))
        if len(pairs) < len(before.pyramid.scus):
            yield f"{len(before.pyramid.scus) - len(pairs)} SCU(s)"
        yield from _changed("the id", "SCU", pairs, lambda scu: scu.id)
        yield from _changed("the label", "SCU", pairs, lambda scu: scu.label)
        yield from _changed("the comment", "SCU", pairs, lambda scu: scu.comment)
        yield from _changed("the source sentence", "SCU", pairs, lambda scu: scu.sentence)
        yield from _contributors(pairs)
        ids = {new.id: old.id for old, new in pairs}
    yield from _annotations(before.annotations, after.annotations, ids)


def _texts(kind: str, before: Iterable[Summary | Source], after: Iterable[Summary | Source]) -> Iterator[str]:
    found = {one.id: one for one in after}
    missing = sorted({one.id for one in before} - set(found))
    if missing:
        yield f"the id of {len(missing)} {kind}(s): {', '.join(map(repr, missing))}"
    pairs = [(one, found[one.id]) for one in before if one.id in found]
    yield from _changed("the text", kind, pairs, lambda one: one.text)


def _changed(
    what: str, kind: str, pairs: Sequence[tuple[T, T]], value: Callable[[T], object], amid: str = ""
) -> Iterator[str]:
    """One line on how many of the pairs differ in a value."""
    changed = [(value(old), value(new)) for old, new in pairs if value(old) != value(new)]
    if changed:
        first, then = (_shown(one) for one in _where_they_part(*changed[0]))
        yield f"{what} of {len(changed)} {kind}(s){amid} (the first: {first} becomes {then})"


def _where_they_part(old: object, new: object) -> tuple[object, object]:
    """Of two long texts, what stands where they differ first."""
    if not (isinstance(old, str) and isinstance(new, str)) or max(len(old), len(new)) <= 60:
        return old, new
    at = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    return old[max(0, at - 10) : at + 30], new[max(0, at - 10) : at + 30]


def _shown(value: object) -> str:
    text = repr(value) if value or isinstance(value, (str, float)) else "nothing"
    return text if len(text) <= 80 else f"{text[:77]}..."


def _contributors(scus: Sequence[tuple[SCU, SCU]]) -> Iterator[str]:
    lengths = [(old, new) for old, new in scus if len(old.contributors) != len(new.contributors)]
    yield from _changed("the contributors", "SCU", lengths, lambda scu: len(scu.contributors))
    pairs = [pair for old, new in scus for pair in zip(old.contributors, new.contributors, strict=False)]
    yield from _units("contributor", pairs)
    yield from _changed("the reference", "contributor", pairs, lambda one: one.summary)


def _units(kind: str, pairs: Sequence[tuple[Contributor, Contributor]], amid: str = "") -> Iterator[str]:
    yield from _changed("the words", kind, pairs, lambda one: one.spans, amid)
    yield from _changed("the label", kind, pairs, lambda one: one.label, amid)
    yield from _changed("the comment", kind, pairs, lambda one: one.comment, amid)
    yield from _changed("the segment", kind, pairs, lambda one: one.segment, amid)
    yield from _changed("the place in the sources", kind, pairs, lambda one: one.place, amid)
    yield from _changed("the reason", kind, pairs, lambda one: one.reason, amid)
    yield from _changed("the lack of support", kind, pairs, lambda one: one.supported, amid)
    yield from _changed("the annotator", kind, pairs, lambda one: one.annotator, amid)


def _annotations(before: Sequence[Annotation], after: Sequence[Annotation], ids: dict[str, str]) -> Iterator[str]:
    """Those of the same summary and annotator belong together; where only one went in and one came out, these do."""
    found = {(one.summary.id, one.annotator): one for one in after}
    if len(before) == len(after) == 1:
        pairs = [(before[0], after[0])]
        yield from _changed("the annotator", "annotation", pairs, lambda one: one.annotator)
        yield from _changed("the summary", "annotation", pairs, lambda one: one.summary.id)
    else:
        pairs = [(one, found[key]) for one in before if (key := (one.summary.id, one.annotator)) in found]
        lost = [one for one in before if (one.summary.id, one.annotator) not in found]
        if lost:
            names = ", ".join(f"{one.summary.id!r}" + (f" by {one.annotator!r}" * bool(one.annotator)) for one in lost)
            yield f"summary or annotator of {len(lost)} annotation(s): {names}"
    yield from _changed("the role", "annotated summary", pairs, lambda one: one.summary.role)
    yield from _changed("the text", "annotated summary", pairs, lambda one: one.summary.text)
    for old, new in pairs:
        yield from _annotation(old, new, ids)


def _annotation(old: Annotation, new: Annotation, ids: dict[str, str]) -> Iterator[str]:
    amid = f" in the annotation of {old.summary.id!r}"
    ours = sorted(old.matches, key=_by_place)
    theirs = sorted((replace(one, scu=ids.get(one.scu, one.scu)) for one in new.matches), key=_by_place)
    if len(ours) != len(theirs):
        yield f"{len(ours) - len(theirs)} match(es){amid}"
    else:
        matches = list(zip(ours, theirs, strict=True))
        yield from _changed("the SCU", "match", matches, lambda one: one.scu, amid)
        yield from _changed("the words", "match", matches, lambda one: one.spans, amid)
        yield from _changed("the score", "match", matches, lambda one: one.score, amid)
        yield from _changed("the comment", "match", matches, lambda one: one.comment, amid)
        yield from _changed("the segment", "match", matches, lambda one: one.segment, amid)
        yield from _changed("the reason", "match", matches, lambda one: one.reason, amid)
        yield from _changed("the lack of support", "match", matches, lambda one: one.supported, amid)
    if len(old.unmatched) != len(new.unmatched):
        yield f"{len(old.unmatched) - len(new.unmatched)} unmatched unit(s){amid}"
    else:
        yield from _units("unmatched unit", list(zip(old.unmatched, new.unmatched, strict=True)), amid)
    yield from _by_scu("the comment", old.comments, new.comments, ids, amid, "")
    yield from _by_scu("the probability", old.probabilities, new.probabilities, ids, amid)
    yield from _by_scu("the state 'unjudged'", old.unjudged, new.unjudged, ids, amid)
    partial, kept = ([(scu, "partial") for scu in one.partial] for one in (old, new))
    yield from _by_scu("the state 'partial'", partial, kept, ids, amid)
    claimed, still = ([(scu, "unsupported") for scu in one.unsupported] for one in (old, new))
    yield from _by_scu("the state 'unsupported'", claimed, still, ids, amid)
    yield from _by_scu("the label", old.labels, new.labels, ids, amid, "")
    yield from _changed("the matcher", "annotation", [(old, new)], lambda one: one.matcher, amid)


def _by_scu(
    what: str,
    old: Iterable[tuple[str, object]],
    new: Iterable[tuple[str, object]],
    ids: dict[str, str],
    amid: str,
    missing: object = None,
) -> Iterator[str]:
    kept = {ids.get(scu, scu): value for scu, value in new}
    yield from _changed(what, "SCU", [(value, kept.get(scu, missing)) for scu, value in old], lambda one: one, amid)


def _by_place(match: Match) -> tuple[object, ...]:
    return match.scu, match.spans, match.comment, match.score, match.segment, match.reason, match.supported
