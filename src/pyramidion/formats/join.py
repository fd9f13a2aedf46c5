"""Join topics that came in several files, and check that each occurs once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pyramidion.errors import ModelError
from pyramidion.model import Annotation, Pyramid, Role, Topic
from pyramidion.notes import note


def join(topics: Iterable[Topic]) -> list[Topic]:
    """Join topics of the same id and pyramid, as when each peer came in its own file.

    Topics of one id but different pyramids stay apart. An annotation that comes again unchanged is left out with a
    warning; another one of the same summary by the same annotator is an error.
    """
    groups: dict[str, dict[Pyramid | None, list[Topic]]] = {}
    for topic in topics:
        groups.setdefault(topic.id, {}).setdefault(topic.pyramid, []).append(topic)
    return [
        _join_group(group) if len(group) > 1 else group[0]
        for by_pyramid in groups.values()
        for group in by_pyramid.values()
    ]


def _join_group(group: list[Topic]) -> Topic:
    """Return topics of one id and pyramid as one; the first of several peers of one id is taken."""
    # backwards, so that the first peer of an id is written last and stays
    peers = {peer.id: peer for topic in reversed(group) for peer in reversed(topic.peers)}
    annotations: dict[tuple[str, str], Annotation] = {}
    again: list[str] = []
    for annotation in (annotation for topic in group for annotation in topic.annotations):
        key = annotation.summary.id, annotation.annotator
        if annotations.setdefault(key, annotation) != annotation:
            by = f" by {annotation.annotator!r}" if annotation.annotator else ""
            raise ModelError(
                f"Topic {group[0].id!r}: summary {annotation.summary.id!r} is annotated twice{by}, and differently",
                do="keep one, or name the annotators",
            )
        # equal to an earlier one: the same file was given twice, or two files hold it
        if annotations[key] is not annotation:
            again.append(annotation.summary.id)
    if again:
        note(
            f"Topic {group[0].id!r}: the same annotation of {', '.join(map(repr, again))} occurs again; it counts once"
        )
    ordered = dict.fromkeys(peer.id for topic in group for peer in topic.peers)
    return replace(
        group[0],
        peers=tuple(peers[id] for id in ordered),
        annotations=tuple(annotations.values()),
        reading=tuple(sorted({pair for topic in group for pair in topic.reading})),
    )


def first_annotations(topic: Topic, *roles: Role) -> list[Annotation]:
    """Return the first annotation of each summary in one of these roles."""
    annotations: dict[tuple[Role, str], Annotation] = {}
    for annotation in topic.annotations:
        if annotation.summary.role in roles:
            annotations.setdefault((annotation.summary.role, annotation.summary.id), annotation)
    return list(annotations.values())


def check_ids(topics: Iterable[Topic]) -> None:
    """Raise an error if two topics of a corpus have one id."""
    seen: dict[str, Topic] = {}
    for topic in topics:
        if topic.id not in seen:
            seen[topic.id] = topic
            continue
        first = seen[topic.id]
        second = f" (the second with {topic.annotations[0].summary.id!r})" if topic.annotations else ""
        if first.pyramid and topic.pyramid and first.pyramid != topic.pyramid:
            raise ModelError(
                f"Topic {topic.id!r} comes with two different pyramids{second}",
                do="put them into separate topics, or score the files one by one",
            )
        raise ModelError(f"Topic {topic.id!r} occurs twice{second}", do="give each topic its own id")
