"""Losses of topics on their way through a format: what comes back differs from what went in.

Nobody lists what a format cannot hold. The topics are written, read again and compared, so that a loss that no author
thought of is found, too. Three things may change without being a difference: the order of anything but SCUs, their
contributors and the units in no SCU; whether a pyramid's references are listed with the topic, too; and whether a
contributor without a place and words of its own repeats the SCU's label.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from operator import attrgetter
from pathlib import Path
from typing import TypeVar

from pyramidion.base.files import fill_folder
from pyramidion.base.unused import collect_unused
from pyramidion.errors import PyramidionError
from pyramidion.model import SCU, Annotation, Contradiction, Contributor, Match, Source, Span, Summary, Topic
from pyramidion.notes import collect_notes

T = TypeVar("T")
NAMED = 5
"""The most ids that a line names."""


def find_losses(
    topics: Sequence[Topic], write: Callable[[Sequence[Topic]], T], read: Callable[[T], Sequence[Topic]]
) -> list[str]:
    """List what is not the same after writing and reading; the list is empty if ``write`` fails."""
    try:
        with collect_notes(), collect_unused():  # nobody is told of a copy that nobody keeps
            written = write(topics)
            try:
                back = read(written)
            except PyramidionError as error:
                return [f"everything: it would not read back ({error.what})"]
    except PyramidionError:
        return []
    pairs = list(zip(topics, back, strict=False)) if len(topics) == len(back) == 1 else _by_id(topics, back)
    return [
        f"topic {before.id!r}: {difference}"
        for before, after in pairs
        for difference in (differences(before, after) if after else ["everything: nothing of it can be written"])
    ]


def read_folder(files: Mapping[str, bytes], load: Callable[[Path], list[Topic]]) -> list[Topic]:
    """Return the topics of a temporary folder with this content."""
    with tempfile.TemporaryDirectory() as name:
        fill_folder(Path(name), files)
        return load(Path(name))


def _by_id(topics: Sequence[Topic], back: Sequence[Topic]) -> list[tuple[Topic, Topic | None]]:
    by_id = {topic.id: topic for topic in back}
    return [(topic, by_id.get(topic.id)) for topic in topics]


def differences(before: Topic, after: Topic) -> list[str]:
    """List what is not the same, one line for each kind, with its first example."""
    return [*_differences(before, after)]


def _differences(before: Topic, after: Topic) -> Iterator[str]:
    """Yield the differences of ids, texts, pyramids and annotations, in this order."""
    if before.id != after.id:
        yield f"its id: it becomes {after.id!r}"
    old, new = ((*topic.references, *_pyramid_references(topic)) for topic in (before, after))
    yield from _texts("reference", old, new)
    yield from _texts("peer", before.peers, after.peers)
    yield from _texts("source document", before.sources, after.sources)
    ids: dict[str, str] = {}
    if before.pyramid and after.pyramid:
        pairs = list(zip(before.pyramid.scus, after.pyramid.scus, strict=False))
        yield from _more_or_less(len(before.pyramid.scus) - len(after.pyramid.scus), "SCU(s)")
        yield from _fields("SCU(s)", pairs, but=("contributors",))
        yield from _contributors(pairs)
        # SCUs that were numbered anew are compared under the ids that they had
        ids = {new.id: old.id for old, new in pairs if new.id != old.id}
    elif before.pyramid:
        yield "the pyramid"
    elif after.pyramid:
        yield "that it has no pyramid"
    yield from _annotations(before.annotations, after.annotations, ids)


def _pyramid_references(topic: Topic) -> Sequence[Summary]:
    return topic.pyramid.references if topic.pyramid else ()


def _more_or_less(lost: int, what: str) -> Iterator[str]:
    if lost:
        yield f"{lost} {what}" if lost > 0 else f"that there are not {-lost} {what} more"


def _list_ids(ids: Iterable[str]) -> str:
    named = [repr(id) for id in sorted(ids)]
    return ", ".join(named[:NAMED]) + (f" and {len(named) - NAMED} more" if named[NAMED:] else "")


def _texts(kind: str, before: Iterable[Summary | Source], after: Iterable[Summary | Source]) -> Iterator[str]:
    old, new = _by_name(before), _by_name(after)
    missing, added = old.keys() - new.keys(), new.keys() - old.keys()
    if missing:
        yield f"{len(missing)} {kind}(s): {_list_ids(missing)}" + (
            f"; {len(added)} other(s) come back" if added else ""
        )
    elif added:
        yield f"that there is no {kind} {_list_ids(added)}"
    yield from _changes("the text", f"{kind}(s)", [(old[id], new[id]) for id in old if id in new], lambda text: text)


def _by_name(texts: Iterable[Summary | Source]) -> dict[str, str]:
    """Return the texts by id; those of one id, which a topic and its pyramid may have, are joined."""
    by_name: dict[str, dict[str, None]] = {}
    for text in texts:
        by_name.setdefault(text.id, {})[text.text] = None
    return {id: "\n".join(sorted(texts)) for id, texts in by_name.items()}


def _changes(what: str, kind: str, pairs: Iterable[tuple[T, T]], value: Callable[[T], object]) -> Iterator[str]:
    """Yield one line on how many of the pairs differ in a value, if any does."""
    changed = [(value(old), value(new)) for old, new in pairs if value(old) != value(new)]
    if changed:
        first, then = (_excerpt(part) for part in _where_they_part(*changed[0]))
        yield f"{what} of {len(changed)} {kind} (the first: {first} becomes {then})"


def _where_they_part(old: object, new: object) -> tuple[object, object]:
    """Return the parts of two long texts where they differ first."""
    if not (isinstance(old, str) and isinstance(new, str)) or max(len(old), len(new)) <= 60:
        return old, new
    at = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    return old[max(0, at - 10) : at + 30], new[max(0, at - 10) : at + 30]


def _excerpt(value: object) -> str:
    """Return a value for a message, short enough for a line; spans as their offsets."""
    if isinstance(value, tuple) and all(isinstance(span, Span) for span in value):
        return ", ".join(f"{span.start}-{span.end}" for span in value) or "nowhere"
    text = repr(value) if value or isinstance(value, (str, int, float)) else "nothing"
    return text if len(text) <= 80 else f"{text[:77]}..."


def _fields(kind: str, pairs: Sequence[tuple[T, T]], but: Collection[str] = ()) -> Iterator[str]:
    """Yield a line for each field in which some of the pairs differ, so that no field of the model is forgotten."""
    pairs = [(old, new) for old, new in pairs if old != new]
    for name in [field.name for field in fields(pairs[0][0]) if field.compare] if pairs else ():  # type: ignore[arg-type]
        if name not in but:
            yield from _changes(f"the {name}", kind, pairs, attrgetter(name))


def _contributors(scus: Sequence[tuple[SCU, SCU]]) -> Iterator[str]:
    yield from _changes("the number of contributors", "SCU(s)", scus, lambda scu: len(scu.contributors))
    pairs = [
        (_with_own_words(old, old_contributor), _with_own_words(new, new_contributor))
        for old, new in scus
        if old.contributors != new.contributors
        for old_contributor, new_contributor in zip(old.contributors, new.contributors, strict=False)
    ]
    yield from _fields("contributor(s)", pairs)


def _with_own_words(scu: SCU, contributor: Contributor) -> Contributor:
    """Return the contributor, without words that are only the SCU's label."""
    is_label = contributor.label and not contributor.spans and contributor.label == scu.label
    return replace(contributor, label="") if is_label else contributor


def _annotations(before: Sequence[Annotation], after: Sequence[Annotation], ids: dict[str, str]) -> Iterator[str]:
    """Pair annotations of the same summary and annotator, or the only one before with the only one after."""
    if len(before) == len(after) == 1:
        pairs = [(before[0], after[0])]
        yield from _changes("the annotator", "annotation(s)", pairs, lambda annotation: annotation.annotator)
    else:
        old = {_annotation_key(annotation): annotation for annotation in before}
        new = {_annotation_key(annotation): annotation for annotation in after}
        pairs = [(annotation, new[key]) for key, annotation in old.items() if key in new]
        if old.keys() - new.keys():
            yield f"{len(old.keys() - new.keys())} annotation(s): {_by_whom(old.keys() - new.keys())}"
        elif new.keys() - old.keys():
            yield f"that there is no annotation of {_by_whom(new.keys() - old.keys())}"
    pairs = [(old, new) for old, new in pairs if ids or old != new]
    yield from _fields("annotated text(s)", [(old.summary, new.summary) for old, new in pairs])
    yield from _matches(pairs, ids)
    yield from _changes(
        "the number of units in no SCU", "annotation(s)", pairs, lambda annotation: len(annotation.unmatched)
    )
    units = [unit for old, new in pairs for unit in zip(old.unmatched, new.unmatched, strict=False)]
    yield from _fields("unit(s) in no SCU", units)
    for name in (field.name for field in fields(Annotation)):
        if name not in ("summary", "matches", "unmatched", "annotator"):
            values = [
                _differing_statements(_by_scu(getattr(old, name), {}), _by_scu(getattr(new, name), ids))
                for old, new in pairs
            ]
            yield from _changes(f"the {_IN_WORDS.get(name, name)}", "annotation(s)", values, lambda value: value)


_IN_WORDS = {"contradicted": "contradicted SCUs"}


def _annotation_key(annotation: Annotation) -> tuple[str, str]:
    return annotation.summary.id, annotation.annotator


def _by_whom(annotations: Iterable[tuple[str, str]]) -> str:
    return _list_ids(f"{summary} by {annotator}" if annotator else summary for summary, annotator in annotations)


def _by_scu(value: object, ids: dict[str, str]) -> object:
    """Return what an annotation says of SCUs as a dictionary, by the ids that the SCUs had before.

    The value is a tuple of pairs of id and value, of ids, or of contradictions; anything else is returned as it is.
    """
    if not isinstance(value, tuple):
        return value
    return {ids.get(scu, scu): what for scu, what in map(_of_scu, value)}


def _of_scu(statement: object) -> tuple[str, object]:
    """Return an SCU's id, and what is said of it."""
    if isinstance(statement, tuple):
        return statement
    if isinstance(statement, Contradiction):
        names = (field.name for field in fields(statement) if field.name != "scu")
        return statement.scu, tuple(getattr(statement, name) for name in names)
    return str(statement), True


def _differing_statements(old: object, new: object) -> tuple[object, object]:
    """Return only the statements about SCUs that differ before and after."""
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return old, new
    return (
        {scu: value for scu, value in old.items() if scu not in new or new[scu] != value},
        {scu: value for scu, value in new.items() if scu not in old or old[scu] != value},
    )


_IN_ORDER = attrgetter(*(field.name for field in fields(Match)))


def _with_old_id(match: Match, ids: dict[str, str]) -> Match:
    """Return the match under the id that its SCU had before."""
    return match if ids.get(match.scu, match.scu) == match.scu else replace(match, scu=ids[match.scu])


def _matches(pairs: Sequence[tuple[Annotation, Annotation]], ids: dict[str, str]) -> Iterator[str]:
    """Yield the differences of matches, paired in a sorted order; where their number differs, only that."""
    yield from _changes("the number of matches", "annotation(s)", pairs, lambda annotation: len(annotation.matches))
    matches = [
        match
        for old, new in pairs
        if len(old.matches) == len(new.matches)
        for match in zip(
            sorted(old.matches, key=_IN_ORDER),
            sorted((_with_old_id(match, ids) for match in new.matches), key=_IN_ORDER),
            strict=True,
        )
    ]
    yield from _fields("match(es)", matches)
