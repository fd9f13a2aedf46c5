"""``feedback``: a page for each student, and a gradebook for the teacher."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Literal

import typer

from pyramidion.base.files import encode, is_open_already, write_bytes
from pyramidion.base.own_folder import check_own_folder, write_own_folder
from pyramidion.cli import _shared
from pyramidion.corrections import read_corrections
from pyramidion.errors import FormatError, PyramidionError
from pyramidion.evaluation.evaluate import evaluate
from pyramidion.formats.read import READING, Reading
from pyramidion.methods import DEFAULT_METHOD, GIVEN, Method
from pyramidion.model import Topic, Unread
from pyramidion.notes import note
from pyramidion.reports.feedback import Feedback, to_json
from pyramidion.reports.feedback import feedback as feedback_of
from pyramidion.reports.feedback_pages import file_name, page, pages
from pyramidion.reports.gradebook import LMS, Grading, check_lms, read_bands
from pyramidion.reports.gradebook import gradebook as gradebook_of
from pyramidion.scoring import DEFAULT, Settings

CAPPED = replace(DEFAULT, cap=True)
"""What teachers expect of a percentage."""


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(feedback)


@_shared.with_bundles
def feedback(
    corpus: _shared.CorpusArgument,
    peer: Annotated[
        str,
        typer.Option(
            "--for", metavar="PEER", help="The student, named as the summary (peer). The default is every student."
        ),
    ] = "",
    topic: Annotated[str, typer.Option("--topic", metavar="TOPIC", help="Use only this topic.")] = "",
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="With --for, the page to write; the default is feedback-PEER.html. Without --for, a folder for a page "
            "per student, index.html and all.html. It replaces the folder of an earlier run.",
        ),
    ] = None,
    gradebook: Annotated[
        Path | None,
        typer.Option(
            "--gradebook", metavar="FILE", help="Also write a table with one row per student, as .csv or .xlsx."
        ),
    ] = None,
    points: Annotated[
        float | None,
        typer.Option("--points", metavar="N", help="Add points to the gradebook; 100 % is worth N points."),
    ] = None,
    bands: Annotated[
        Path | None,
        typer.Option(
            "--bands",
            metavar="FILE.csv",
            readable=False,
            help="Add grades to the gradebook, from a table with the columns grade and from (the lowest percentage).",
        ),
    ] = None,
    lms: Annotated[
        LMS | None,
        typer.Option(
            "--lms", help="Write the gradebook with the columns that this platform imports.", show_default=False
        ),
    ] = None,
    method: _shared.MethodOption = DEFAULT_METHOD,
    language: _shared.LanguageOption = None,
    settings: Settings = CAPPED,
    corrections: _shared.CorrectionsOption = None,
    reading: Reading = READING,
    as_json: _shared.AsJson = False,
) -> None:
    """Write feedback pages that a teacher can hand to students.

    A page shows which ideas the summary got right and in which words, which ideas it missed (the most important first),
    and what the score means. A class also gets a list (index.html) and one file to print (all.html). No page shows more
    than 100 %; --no-cap only affects the gradebook's column coverage. With --json and without --output, no page is
    written.

    \b
    Example:
      pyramidion feedback class/ --for anna -o anna.html
      pyramidion feedback class/ -o pages/ --gradebook grades.xlsx --points 20 --bands bands.csv
      pyramidion feedback class/ -o pages/ --corrections corrections.json
      pyramidion feedback moodle.zip --gradebook grades.csv --lms moodle
    """
    if peer and not output and not as_json:
        output = Path(f"feedback-{file_name(peer)}.html")
    _check_output([corpus, *filter(None, [corrections])], peer, output, gradebook, as_json)
    grading = _grading(gradebook, points, bands, lms)
    recipe = _shared.method_of(method, language)
    topics = reading.topics(corpus)
    _shared.say_if_annotated(topics, method)
    if topic:
        topics = [_topic_named(topics, topic, corpus)]
    check_lms(lms, [topic.id for topic in topics])
    wanted = _topic_of(topics, peer, corpus) if peer else None
    corrected = read_corrections(corrections) if corrections else None
    if corrected and topic:
        corrected = corrected.only(topic)
    if wanted and not gradebook and not corrected:
        topics = [_only(wanted, peer)]
    topics = _readable(topics, recipe, _only(wanted, peer) if wanted else None)
    with _shared.progress(_shared.summaries(topics), "scoring") as advance:
        evaluation = evaluate(topics, recipe, settings, corrections=corrected, progress=advance)
    pages_of_all = feedback_of(evaluation)
    chosen = [page for page in pages_of_all if wanted is None or (page.topic, page.student) == (wanted.id, peer)]
    if not chosen and recipe.matcher != GIVEN:
        raise FormatError(
            "There is no summary to give feedback on", str(corpus), "add the students' texts: peers/*.txt"
        )
    if not chosen:
        raise FormatError(
            f"There is no feedback to give: {f'{peer!r}' if peer else 'no summary'} is "
            f"{'not ' if peer else ''}annotated",
            str(corpus),
            "add annotations/, or choose a --method that matches summaries itself",
        )
    table = gradebook_of(evaluation, grading, lms=lms, format=_format(gradebook)) if gradebook else b""
    written = _write(chosen, peer, output, evaluation.unread)
    if gradebook:
        write_bytes(gradebook, table)
        count = len(pages_of_all) + len(evaluation.unread)
        written[str(gradebook)] = "1 row" if count == 1 else f"a row for each of {count} summaries"
    if as_json:
        students = [to_json(page) for page in chosen]
        _shared.print_json({"signature": str(evaluation.signature), "students": students, "written": list(written)})
    else:
        # If a page or gradebook goes to standard output, nothing else may be printed there.
        streamed = any(path and is_open_already(path) and not path.is_dir() for path in (output, gradebook))
        typer.echo("\n".join(f"{path}: {what}" for path, what in written.items()), err=streamed)


def _check_output(inputs: list[Path], peer: str, output: Path | None, gradebook: Path | None, as_json: bool) -> None:
    if not (peer or output or gradebook or as_json):
        raise typer.BadParameter("Name a student (--for PEER), or a folder for the pages of all students (-o FOLDER)")
    if output and not peer and output.suffix.lower() in (".html", ".htm"):
        raise typer.BadParameter(
            f"{output} is a single page; name its student with --for, or name a folder for the pages of all students"
        )
    _shared.check_outputs(gradebook, output if peer else None, inputs=inputs)
    if output and not peer:
        _shared.check_parent(output)
        _shared.check_not_among(output, inputs)
        check_own_folder(output)


def _grading(gradebook: Path | None, points: float | None, bands: Path | None, lms: str | None) -> Grading:
    """Return how to grade; raise before any long work if it cannot be done."""
    if not gradebook and (points is not None or bands or lms):
        raise typer.BadParameter("--points, --bands and --lms are for the gradebook: name its file with --gradebook")
    if gradebook and lms and _format(gradebook) == "xlsx":
        raise typer.BadParameter(f"{lms.capitalize()} imports CSV: name a gradebook that ends in .csv")
    return Grading(points, read_bands(bands) if bands else ())


def _format(gradebook: Path) -> Literal["csv", "xlsx"]:
    return "xlsx" if gradebook.suffix.lower() == ".xlsx" else "csv"


def _write(
    chosen: Sequence[Feedback], peer: str, output: Path | None, unread: Sequence[tuple[str, Unread]]
) -> dict[str, str]:
    """Write the pages and return what was written, by path."""
    if output is None:
        return {}
    if not peer:
        write_own_folder(output, pages(chosen, unread))
        count = len(chosen) + len(unread)
        what = "1 page" if count == 1 else f"a page for each of {count} summaries"
        return {str(output): f"{what}; {output / 'index.html'} lists {'it' if count == 1 else 'them'}"}
    first, *further = chosen
    if further:
        note(
            f"{peer!r} was annotated by {', '.join(repr(feedback.annotator) for feedback in chosen)}; "
            f"the page shows the reading of {first.annotator!r}"
        )
    write_bytes(output, encode(page(first)))
    return {str(output): f"the page for {first.student} on {first.topic}"}


def _topic_named(topics: Sequence[Topic], id: str, corpus: Path) -> Topic:
    for topic in topics:
        if topic.id == id:
            return topic
    raise _unknown_name("topic", id, [topic.id for topic in topics], corpus)


def _topic_of(topics: Sequence[Topic], peer: str, corpus: Path) -> Topic:
    """Return the only topic that has this peer."""
    having = [topic for topic in topics if any(summary.id == peer for summary in topic.peers)]
    if not having:
        raise _unknown_name(
            "summary", peer, sorted({summary.id for topic in topics for summary in topic.peers}), corpus
        )
    if len(having) > 1:
        raise PyramidionError(
            f"{len(having)} topics have a summary {peer!r}",
            str(corpus),
            f"choose one with --topic: {_list([topic.id for topic in having])}",
        )
    return having[0]


def _unknown_name(kind: str, name: str, known: Sequence[str], corpus: Path) -> PyramidionError:
    """Return the error for an unknown name, with similar names."""
    # reversed, so that of names that differ in case alone the first is offered
    folded = {known_name.casefold(): known_name for known_name in reversed(known)}
    near = [folded[match] for match in get_close_matches(name.casefold(), sorted(folded), n=5, cutoff=0.5)]
    do = f"did you mean {_list(near, ' or ')}?" if near else f"choose one of {_list(known)}" if known else "add one"
    return PyramidionError(f"There is no {kind} {name!r}", str(corpus), do)


def _list(names: Sequence[str], last: str = ", ") -> str:
    shown = [repr(name) for name in names[:8]]
    if len(names) > 8:
        return f"{', '.join(shown)} and {len(names) - 8} more"
    return last.join(filter(None, (", ".join(shown[:-1]), shown[-1])))


def _readable(topics: Sequence[Topic], recipe: Method, wanted: Topic | None) -> list[Topic]:
    """Set aside, with a warning, each text in a language that the method cannot read; raise if it is in ``wanted``."""
    if wanted:
        recipe.check_language([wanted])
    readable = recipe.set_aside(topics)
    for topic, read in zip(topics, readable, strict=True):
        for peer in read.unread[len(topic.unread) :]:
            message = f"{peer.name!r} of topic {topic.id!r} cannot be scored: {peer.why}"
            note(message)
    return readable


def _only(topic: Topic, peer: str) -> Topic:
    """Return the topic without its other peers, so that no time is spent on them."""
    annotations = tuple(
        annotation
        for annotation in topic.annotations
        if annotation.summary.id == peer and annotation.summary.role == "peer"
    )
    return replace(topic, peers=(topic.peer(peer),), annotations=annotations)
