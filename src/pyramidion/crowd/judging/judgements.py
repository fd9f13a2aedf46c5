"""The judgements of a crowd, from a study with its answers or from result files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pyramidion.crowd.answers.store import Store
from pyramidion.crowd.judging.votes import Votes
from pyramidion.crowd.study import FILE, Study, load, path_of
from pyramidion.errors import PyramidionError


@dataclass(frozen=True)
class Judgements:
    """All votes, and the study that asked for them."""

    votes: Votes
    study: Study | None = None
    """The study; None for result files alone, which have no references, attention checks or empty summaries."""
    simulated: bool = False
    """A rehearsal made the answers up."""


def read_judgements(paths: Sequence[Path]) -> Judgements:
    """Read the judgements in a study's folder, or in result files and folders of them."""
    folders = [path for path in paths if path.is_dir() and (path / FILE).exists()]
    if not folders:
        from pyramidion.crowd.answers.collect import read_all

        return Judgements(Votes.of(read_all(paths)))
    if len(paths) > 1:
        raise PyramidionError(
            "A study is named beside something else",
            str(folders[0]),
            "name one study, or result files; 'pyramidion crowd collect' adds results to a study",
        )
    store = Store(folders[0])
    return Judgements(Votes.of(store.submissions("judging")), load(folders[0]), store.kind() == "simulated")


def files_of(paths: Iterable[Path]) -> list[Path]:
    """Return the files that are read; a study's folder may also hold reports, so only its file and answers are."""
    files: list[Path] = []
    for path in paths:
        files += [path_of(path), Store(path).path] if path_of(path).is_file() else [path]
    return files
