"""An option means one thing: commands that have it declare it in the same words, from the shared table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import typer

from pyramidion.cli import app

DIFFERENT = {
    "--accuracy": (
        2,
        "correlate asks whether metrics find significant differences, rehearse how often workers are right",
    ),
    "--against": (2, "correlate names a column, curves a file"),
    "--alpha": (2, "a level of significance, and a combination's weight (Gao et al. and Louis and Nenkova call it so)"),
    "--analyser": (2, "commands that print an analysis, and one that only uses it and has a default of its own"),
    "--by": (2, "who makes a graph, and the statistic to choose by"),
    "--column": (3, "correlate takes several of many, curves one of another table"),
    "--correction": (2, "the number of tests is that of columns, or of pairs of systems"),
    "--dry-run": (2, "asks nobody, or stores nothing"),
    "--folds": (3, "a number of folds of peers or topics, or the folds that a dataset publishes"),
    "--from": (2, "crowd collect reads answers, all others corpora"),
    "--human": (3, "required where nothing else says what people think; else the corpus's annotations take its place"),
    "--judge": (2, "one that stands for the truth in a rehearsal, and several to measure"),
    "--level": (2, "the default comes first: all summaries where scores are combined, systems where they are compared"),
    "--matcher": (2, "one to match with, and several to measure"),
    "--method": (7, "one that scores, one that asks, one to tune or ablate, and several to compare or measure"),
    "--metric": (4, "one in the method's place, several beside it, and scores to combine"),
    "--missing": (2, "what becomes of cells that look empty, and the value that marks them"),
    "--out": (3, "the folder of an example, of a study, and of a run"),
    "--output": (6, "a pyramid, a student's page, a platform's pages, a study, assignments, a run's results"),
    "--phase": (2, "where there are tasks of both, judging; a rehearsal does what comes next"),
    "--platform": (2, "a study has one; its pages may be for another"),
    "--plot": (20, "emits adds it with what the command draws"),
    "--references": (4, "which files of a folder, the files themselves, or how many"),
    "--report": (3, "pages on an evaluation, an example and a study of a crowd"),
    "--sample": (2, "topics in a sample, and statements of a topic"),
    "--samples": (3, "draws of an interval; in crowd score perhaps none; sub-pyramids in stability"),
    "--score": (9, "each command offers the scores that it can show or compare"),
    "--seed": (2, "a study of a crowd keeps its own, which is 0 unless it is set"),
    "--statements": (3, "where they come from, and how many to try"),
    "--statistic": (2, "of several that are computed the one to test, and the one of a design"),
    "--strict": (3, "of a folder's files, of what a format holds, of a file's warnings"),
    "--table": (20, "emits adds it with the names of the command's tables"),
    "--test": (2, "compare has tests over SCUs, too, which runs of nuggets do not have"),
    "--threshold": (5, "of scores, of correlations, of likeness and of agreement"),
    "--topic": (3, "the name of a new one, the only one, the one to draw"),
    "--topics": (4, "a file of ids, a file to write, or how many"),
    "--workers": (3, "votes on an item, people in a rehearsal, numbers to try"),
}
"""Options of one name and several meanings: how many declarations there are at most, and why."""


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    inner = getattr(command, "commands", None)
    if inner is None:
        yield " ".join(path), command
        return
    for name, each in inner.items():
        yield from commands(each, (*path, name))


def declarations() -> dict[str, dict[tuple[Any, ...], list[str]]]:
    """For each option its declarations, and the commands that have each."""
    declared: dict[str, dict[tuple[Any, ...], list[str]]] = defaultdict(lambda: defaultdict(list))
    for name, command in commands(typer.main.get_command(app)):
        for option in command.params:
            if option.param_type_name == "option":
                kind = option.type_descriptor.annotation
                said = (option.help, str(kind), option.metavar, option.min, option.max, option.multiple)
                for word in (*option.opts, *option.secondary_opts):
                    if word.startswith("--"):
                        declared[word][said].append(name)
    return declared


def test_commands_that_share_an_option_declare_it_once() -> None:
    """Share an alias of ``cli/_shared.py`` or of the folder; if it means something else, say so in ``DIFFERENT``."""
    several = {
        name: list(each.values())
        for name, each in declarations().items()
        if len(each) > DIFFERENT.get(name, (1, ""))[0]
    }
    assert several == {}


def test_no_option_is_excused_in_vain() -> None:
    declared = declarations()
    assert [name for name in DIFFERENT if len(declared[name]) < 2] == []
