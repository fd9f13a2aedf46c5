"""A matcher of another package that goes by words, and at some summaries dies, hangs or fails, as their text says."""

from __future__ import annotations

import os
import signal
import time
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path

from pyramidion.errors import InputWarning, MissingPartError
from pyramidion.evaluation.work import Outcome, Tick, silent
from pyramidion.evaluation.worklist import Item
from pyramidion.matchers.unigram import unigram
from pyramidion.model import SCU, Annotation, Contributor, Pyramid, Span, Summary, Topic
from pyramidion.notes import note

TEXT = "The mayor resigned in May. Taxes rose by a tenth."
DIE, HANG, FAIL, PART = "(die)", "(hang)", "(fail)", "(part)"
ONCE, GATE, NOTE = "(once:", "(gate:", "(note:"
SAY, WARN = "(say)", "(warn)"


def poisoned(pyramid: Pyramid, summary: Summary) -> Annotation:
    """What the words say, unless the text is poison.

    ``(once:FILE)`` kills until there is a FILE, which it makes; ``(gate:FILE)`` waits for it.
    ``(note:FOLDER)`` leaves a file there that has the number of the process that started this one, and in the file the
    GPUs that it may see. ``(say)`` is noted, ``(warn)`` warned of as others' packages do.
    """
    if DIE in summary.text:
        os.kill(os.getpid(), signal.SIGKILL)
    if HANG in summary.text:
        time.sleep(3600)
    if FAIL in summary.text:
        raise ZeroDivisionError(f"no way to read {summary.id}")
    if PART in summary.text:
        raise MissingPartError("the model is not here", do="get it")
    if ONCE in summary.text and not (marker := _path(summary.text, ONCE)).exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    while GATE in summary.text and not _path(summary.text, GATE).exists():
        time.sleep(0.02)
    if NOTE in summary.text:
        (_path(summary.text, NOTE) / str(os.getppid())).write_text(os.environ.get("CUDA_VISIBLE_DEVICES", "any"))
    if SAY in summary.text:
        note(f"Something is odd about {summary.id}")
    if WARN in summary.text:
        warnings.warn(f"Something is odd about {summary.id}", InputWarning, stacklevel=1)
    return unigram(pyramid, summary)


def _path(text: str, kind: str) -> Path:
    return Path(text.partition(kind)[2].partition(")")[0])


def install(folder: Path) -> Path:
    """A folder that, on the path, makes the matcher ``poisoned`` known as a package's entry point does."""
    about = folder / "poisoned-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: poisoned\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[pyramidion.matchers]\npoisoned = tests.evaluation.poison:poisoned\n")
    return folder


def topic(number: int, texts: dict[str, str]) -> Topic:
    """A topic of one reference, its pyramid of two SCUs, and these peers."""
    reference = Summary("A", TEXT)
    scus = tuple(
        SCU(str(place), span.of(TEXT), (Contributor("A", (span,)),))
        for place, span in enumerate((Span(0, 26), Span(27, 49)), start=1)
    )
    peers = tuple(Summary(name, text, "peer") for name, text in texts.items())
    id = f"t{number:05}"
    return Topic(id, (reference,), peers, pyramid=Pyramid(id, (reference,), scus))


def topics(number: int, peers: int, poison: dict[tuple[int, int], str] | None = None) -> list[Topic]:
    """So many topics with so many peers each, some of which are poisoned."""
    said = ("The mayor resigned in May.", "Taxes rose by a tenth, people say.", "It rained all day.", "")
    return [
        topic(
            place,
            {
                f"s{peer}": f"{said[(place + peer) % len(said)]} {(poison or {}).get((place, peer), '')}".strip()
                for peer in range(peers)
            },
        )
        for place in range(number)
    ]


class ThreadsOfProducts:
    """Work that tells, as a note, how many threads matrix products have in its worker."""

    def each(self, items: Iterable[Item], tick: Tick = silent) -> Iterator[Outcome]:
        import numpy  # noqa: F401  # whose OpenBLAS is asked
        from threadpoolctl import threadpool_info

        for item in items:
            threads = {one["num_threads"] for one in threadpool_info() if one["internal_api"] == "openblas"}
            note(str(sorted(threads)))
            yield Outcome(item.key, None)
