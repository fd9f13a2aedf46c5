"""What topics lose on their way through a format: what comes back differs from what went in.

Nobody lists what a format cannot hold. The topics are written, read again and compared, so that a loss that no author
thought of is found, too. These are no differences: order, except that of SCUs, their contributors and the units in no
SCU; whether a pyramid's references are listed with the topic, too; and an SCU's label given as the words of a
contributor that has no place and no words of its own.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from operator import attrgetter
from pathlib import Path
from typing import TypeVar

from pyramidion.base.files import fill_folder
from pyramidion.base.unused import collecting
from pyramidion.errors import PyramidionError
from pyramidion.model import SCU, Annotation, Contradiction, Contributor, Match, Source, Span, Summary, Topic
from pyramidion.notes import collect_notes

T = TypeVar("T")
NAMED = 5
"""The most ids that a line names."""


def lost(
    topics: Sequence[Topic], write: Callable[[Sequence[Topic]], T], read: Callable[[T], Sequence[Topic]]
) -> list[str]:
    """List what is not the same after writing and reading; the list is empty if ``write`` fails."""
    try:
        with collect_notes(), collecting():  # nobody is told of a copy that nobody keeps
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
    """The topics of a folder with this content, which is gone again when they are read."""
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
    if before.id != after.id:
        yield f"its id: it becomes {after.id!r}"
    own, others = (topic.pyramid.references if topic.pyramid else () for topic in (before, after))
    yield from _texts("reference", (*before.references, *own), (*after.references, *others))
    yield from _texts("peer", before.peers, after.peers)
    yield from _texts("source document", before.sources, after.sources)
    ids: dict[str, str] = {}
    if before.pyramid and after.pyramid:
        pairs = list(zip(before.pyramid.scus, after.pyramid.scus, strict=False))
        yield from _more_or_less(len(before.pyramid.scus) - len(after.pyramid.scus), "SCU(s)")
        yield from _fields("SCU(s)", pairs, but=("contributors",))
        yield from _contributors(pairs)
        ids = {new.id: old.id for old, new in pairs if new.id != old.id}
    elif before.pyramid:
        yield "the pyramid"
    elif after.pyramid:
        yield "that it has no pyramid"
    yield from _annotations(before.annotations, after.annotations, ids)


def _more_or_less(lost: int, what: str) -> Iterator[str]:
    if lost:
        yield f"{lost} {what}" if lost > 0 else f"that there are not {-lost} {what} more"


def _named(ids: Iterable[str]) -> str:
    named = [repr(id) for id in sorted(ids)]
    return ", ".join(named[:NAMED]) + (f" and {len(named) - NAMED} more" if named[NAMED:] else "")


def _texts(kind: str, before: Iterable[Summary | Source], after: Iterable[Summary | Source]) -> Iterator[str]:
    old, new = _by_name(before), _by_name(after)
    missing, others = old.keys() - new.keys(), new.keys() - old.keys()
    if missing:
        yield f"{len(missing)} {kind}(s): {_named(missing)}" + (f"; {len(others)} other(s) come back" if others else "")
    elif others:
        yield f"that there is no {kind} {_named(others)}"
    yield from _changed("the text", f"{kind}(s)", [(old[id], new[id]) for id in old if id in new], lambda text: text)


def _by_name(texts: Iterable[Summary | Source]) -> dict[str, str]:
    """The texts by id: a topic and its pyramid may have two of one id."""
    by_name: dict[str, dict[str, None]] = {}
    for text in texts:
        by_name.setdefault(text.id, {})[text.text] = None
    return {id: "\n".join(sorted(texts)) for id, texts in by_name.items()}


def _changed(what: str, kind: str, pairs: Iterable[tuple[T, T]], value: Callable[[T], object]) -> Iterator[str]:
    """One line on how many of the pairs differ in a value."""
    changed = [(value(old), value(new)) for old, new in pairs if value(old) != value(new)]
    if changed:
        first, then = (_shown(part) for part in _where_they_part(*changed[0]))
        yield f"{what} of {len(changed)} {kind} (the first: {first} becomes {then})"


def _where_they_part(old: object, new: object) -> tuple[object, object]:
    """Return the parts of two long texts where they differ first."""
    if not (isinstance(old, str) and isinstance(new, str)) or max(len(old), len(new)) <= 60:
        return old, new
    at = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    return old[max(0, at - 10) : at + 30], new[max(0, at - 10) : at + 30]


def _shown(value: object) -> str:
    if isinstance(value, tuple) and all(isinstance(span, Span) for span in value):
        return ", ".join(f"{span.start}-{span.end}" for span in value) or "nowhere"
    text = repr(value) if value or isinstance(value, (str, int, float)) else "nothing"
    return text if len(text) <= 80 else f"{text[:77]}..."


def _fields(kind: str, pairs: Sequence[tuple[T, T]], but: Collection[str] = ()) -> Iterator[str]:
    """One line for each field in which some of the pairs differ, so that no field of the model is forgotten."""
    pairs = [(old, new) for old, new in pairs if old != new]
    for name in [field.name for field in fields(pairs[0][0]) if field.compare] if pairs else ():  # type: ignore[arg-type]
        if name not in but:
            yield from _changed(f"the {name}", kind, pairs, attrgetter(name))


def _contributors(scus: Sequence[tuple[SCU, SCU]]) -> Iterator[str]:
    yield from _changed("the number of contributors", "SCU(s)", scus, lambda scu: len(scu.contributors))
    pairs = [
        (_with_own_words(old, old_contributor), _with_own_words(new, new_contributor))
        for old, new in scus
        if old.contributors != new.contributors
        for old_contributor, new_contributor in zip(old.contributors, new.contributors, strict=False)
    ]
    yield from _fields("contributor(s)", pairs)


def _with_own_words(scu: SCU, contributor: Contributor) -> Contributor:
    """The contributor without words that are only the SCU's label."""
    is_label = contributor.label and not contributor.spans and contributor.label == scu.label
    return replace(contributor, label="") if is_label else contributor


def _annotations(before: Sequence[Annotation], after: Sequence[Annotation], ids: dict[str, str]) -> Iterator[str]:
    """Pair annotations of the same summary and annotator, or the only one before with the only one after."""
    if len(before) == len(after) == 1:
        pairs = [(before[0], after[0])]
        yield from _changed("the annotator", "annotation(s)", pairs, lambda annotation: annotation.annotator)
    else:
        old, new = ({_whose(annotation): annotation for annotation in some} for some in (before, after))
        pairs = [(annotation, new[whose]) for whose, annotation in old.items() if whose in new]
        if old.keys() - new.keys():
            yield f"{len(old.keys() - new.keys())} annotation(s): {_by_whom(old.keys() - new.keys())}"
        elif new.keys() - old.keys():
            yield f"that there is no annotation of {_by_whom(new.keys() - old.keys())}"
    pairs = [(old, new) for old, new in pairs if ids or old != new]
    yield from _fields("annotated text(s)", [(old.summary, new.summary) for old, new in pairs])
    yield from _matches(pairs, ids)
    yield from _changed("the number of units in no SCU", "annotation(s)", pairs, lambda one: len(one.unmatched))
    units = [unit for old, new in pairs for unit in zip(old.unmatched, new.unmatched, strict=False)]
    yield from _fields("unit(s) in no SCU", units)
    for name in (field.name for field in fields(Annotation)):
        if name not in ("summary", "matches", "unmatched", "annotator"):
            said = [_parting(_by_scu(getattr(old, name), {}), _by_scu(getattr(new, name), ids)) for old, new in pairs]
            yield from _changed(f"the {_IN_WORDS.get(name, name)}", "annotation(s)", said, lambda value: value)


_IN_WORDS = {"contradicted": "contradicted SCUs"}


def _whose(annotation: Annotation) -> tuple[str, str]:
    return annotation.summary.id, annotation.annotator


def _by_whom(annotations: Iterable[tuple[str, str]]) -> str:
    return _named(f"{summary} by {annotator}" if annotator else summary for summary, annotator in annotations)


def _by_scu(value: object, ids: dict[str, str]) -> object:
    """What an annotation says of SCUs, in no order and by the ids that they had.

    These are pairs of id and value, ids, or contradictions.
    """
    if not isinstance(value, tuple):
        return value
    return {ids.get(scu, scu): what for scu, what in map(_of_scu, value)}


def _of_scu(said: object) -> tuple[str, object]:
    """An SCU's id, and what is said of it."""
    if isinstance(said, tuple):
        return said
    if isinstance(said, Contradiction):
        return said.scu, tuple(getattr(said, field.name) for field in fields(said) if field.name != "scu")
    return str(said), True


def _parting(old: object, new: object) -> tuple[object, object]:
    """Return only the statements about SCUs that differ before and after."""
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return old, new
    return (
        {scu: said for scu, said in old.items() if scu not in new or new[scu] != said},
        {scu: said for scu, said in new.items() if scu not in old or old[scu] != said},
    )


_IN_ORDER = attrgetter(*(field.name for field in fields(Match)))


def _renamed(match: Match, ids: dict[str, str]) -> Match:
    """The match by the id that its SCU had."""
    return match if ids.get(match.scu, match.scu) == match.scu else replace(match, scu=ids[match.scu])


def _matches(pairs: Sequence[tuple[Annotation, Annotation]], ids: dict[str, str]) -> Iterator[str]:
    yield from _changed("the number of matches", "annotation(s)", pairs, lambda annotation: len(annotation.matches))
    matches = [
        match
        for old, new in pairs
        if len(old.matches) == len(new.matches)
        for match in zip(
            sorted(old.matches, key=_IN_ORDER),
            sorted((_renamed(match, ids) for match in new.matches), key=_IN_ORDER),
            strict=True,
        )
    ]
    yield from _fields("match(es)", matches)
