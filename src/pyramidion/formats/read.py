"""One way into every study: topics as they are scored, and how they were read.

:func:`pyramidion.formats.load` gives a file's content as it is, for conversions. What is scored comes through
:func:`read`, which every command uses, so that two commands never score two readings of one file. It does four things
more, and each is told:

* *Markup.* CNN/DailyMail, and so REALSumm, puts every sentence into ``<t> ... </t>``. Such tags are nobody's words:
  they are taken off, one sentence a line (``markup="off"``). ``markup="keep"`` scores them as text. A topic whose
  annotations point into its tagged texts keeps them, for its offsets would be wrong.
* *Provenance.* Whatever changed the texts or the judgements (markup, options of the format) is kept with each topic
  (:attr:`~pyramidion.model.Topic.reading`), and every signature names it (:func:`how_read`).
* *What cannot be scored.* Summaries that could not be read, and outputs that a table does not have, are named in
  warnings; ``strict`` makes them an error.
* *What was not used.* Files that a folder holds and nobody read are counted and named in one warning; ``strict`` makes
  it an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeVar

from pyramidion import formats
from pyramidion.base.choices import check_choices
from pyramidion.base.names import clean
from pyramidion.base.unused import Unused, collect_unused, files_in
from pyramidion.errors import FormatError, ModelError, PyramidionError, Where
from pyramidion.formats.documents import SUFFIXES as DOCUMENTS
from pyramidion.formats.outputs import from_rows
from pyramidion.formats.texts import texts
from pyramidion.model import Pyramid, Role, Source, Summary, Topic
from pyramidion.notes import note

Markup = Literal["off", "keep"]
NameBy = Literal["folder", "file"]

LISTED = 5
"""How many unused files a message names, and how many summaries that cannot be scored have one of their own."""

_MARKED = re.compile(r"<t>(.*?)</t>", re.DOTALL)
_TAG = re.compile(r"</?t>")
_Text = TypeVar("_Text", Summary, Source)


@check_choices
@dataclass(frozen=True, slots=True)
class Reading:
    """How inputs are read: their format, its options, what becomes of markup, and whether unused files are errors."""

    format: str = ""
    options: formats.Options = field(default_factory=dict)
    markup: Markup = "off"
    strict: bool = False

    def topics(self, *paths: str | PathLike[str]) -> list[Topic]:
        """Return the topics of files and folders, ready to be scored."""
        return list(self.stream(*paths))

    def stream(self, *paths: str | PathLike[str]) -> Iterator[Topic]:
        """Yield the same topics one at a time, so that a corpus of any size fits where its format allows that."""
        topics = (topic for path in paths for topic in self._warn_of_unread(self._read(Path(path)), str(path)))
        return self._treat_markup(topics)

    def format_of(self, path: Path) -> str:
        """Return the format that a file or folder is read in."""
        return self._named_format or formats.sniff(path)

    @property
    def _named_format(self) -> str:
        return self.format or ("line-aligned" if "outputs" in self.options else "")

    def _read(self, path: Path) -> Iterator[Topic]:
        topics = formats.iterload(path, self._named_format, **self.options)
        unused: list[Unused] = []
        while True:
            # a generator cannot hold the block open: what its caller reads meanwhile would be collected, too
            with collect_unused() as passed_over:
                topic = next(topics, None)
            unused += passed_over
            if topic is None:
                break
            yield topic
        _tell(unused, path, self.strict)

    def rows(self, table: Any) -> list[Topic]:
        """Return the topics of a table in memory: a data frame, an Arrow table, a data set, or dictionaries."""
        columns = str(self.options.get("columns", ""))
        topics = from_rows(enumerate(_dictionaries(table)), columns, "<table>")
        return list(self._treat_markup(self._warn_of_unread(topics, "the table")))

    def _warn_of_unread(self, topics: Iterable[Topic], source: str) -> Iterator[Topic]:
        """Yield the topics, and name what cannot be scored: the first of many, and the number of the others."""
        count = 0
        for topic in topics:
            for peer in topic.unread:
                message = f"{peer.name!r} of topic {topic.id!r} cannot be scored: {peer.why}"
                if self.strict:
                    raise FormatError(message, do="repair the file, or leave it out")
                count += 1
                if count <= LISTED:
                    note(message)
            yield topic
        if count > LISTED:
            more = f"{count - LISTED} more summaries of {source} cannot be scored; results list them"
            note(more)

    @check_choices
    def annotated(
        self,
        *paths: str | PathLike[str],
        name_by: NameBy | None = None,
        progress: Callable[[], object] = lambda: None,
    ) -> list[Topic]:
        """Return the annotated topics of files, each once, with the annotations of all files.

        Annotations are joined with the pyramid they were made with: their own, that of their topic, or the only one in
        the files. ``name_by`` calls annotators without a name after the folder or the file. ``progress`` is called for
        each file.
        """
        read: list[tuple[Path, Topic]] = []
        for path in map(Path, paths):
            read += ((path, topic) for topic in self.topics(path))
            progress()
        pyramids = {topic.id: topic.pyramid for _, topic in read if topic.pyramid and not topic.annotations}
        topics = formats.join(
            _with_pyramid(path, _with_annotator(path, topic, name_by), pyramids)
            for path, topic in read
            if topic.annotations
        )
        if not topics:
            raise FormatError("The files hold no annotation", do="add files with annotations, or evaluate a corpus")
        return topics

    def to_match(self, pyramid: Path, peers: Sequence[Path]) -> Topic:
        """Return the topic of a pyramid's file with plain texts as its peers, none of them annotated."""
        topics = [topic for topic in self.topics(pyramid) if topic.pyramid]
        if len(topics) != 1:
            raise FormatError(
                f"This file holds {len(topics)} pyramids", str(pyramid), "give one pyramid, or evaluate a corpus"
            )
        for file in peers:  # read as a text, a pyramid would get a score that means nothing
            if file.suffix in (".pyr", ".pan", ".json", ".jsonl"):
                raise FormatError("This is not plain text", str(file), "name text files, or evaluate a corpus")
        (topic,), texts = topics, self.texts("", peers=peers)
        return replace(topic, peers=texts.peers, annotations=(), reading=(*topic.reading, *texts.reading))

    def to_build(self, id: str, paths: Sequence[Path]) -> list[Topic]:
        """Return the topics of corpora, or one topic whose references are plain texts, named or in a folder."""
        if all(_holds_texts(path) for path in paths):
            return [self.texts(id, paths)]
        return self.topics(*paths)

    def texts(self, id: str, references: Sequence[Path] = (), peers: Sequence[Path] = ()) -> Topic:
        """Return a topic of plain texts, one a file, named by their files; of a folder the texts in it."""
        given = Topic(id, self._summaries(references, "reference"), self._summaries(peers, "peer"))
        (topic,) = self._treat_markup([given])
        return topic

    def _summaries(self, paths: Sequence[Path], role: Role) -> tuple[Summary, ...]:
        named: list[Path] = []
        for path in paths:
            with tell_unused(path, self.strict):
                named += _text_files(path)
        return tuple(Summary(name, text, role) for name, text in texts(named).items())

    def _treat_markup(self, topics: Iterable[Topic]) -> Iterator[Topic]:
        """Yield the topics without sentence tags, or with them if this is wanted or offsets point into the texts."""
        tagged, kept = 0, []
        for topic in topics:
            if not _has_markup(topic):
                yield topic
            elif self.markup == "keep" or _has_spans(topic):
                kept += [topic.id] if self.markup == "off" else []
                yield replace(topic, reading=(*topic.reading, ("markup", "keep")))
            else:
                tagged += 1
                yield replace(_without_markup(topic), reading=(*topic.reading, ("markup", "off")))
        if tagged:
            note(
                f"The texts of {tagged} topic(s) have sentences in <t> ... </t>; the tags are taken off, one sentence "
                "a line. With markup kept, they are scored as text."
            )
        if kept:
            note(
                f"The tags <t> ... </t> stay in the texts of {len(kept)} topic(s) (the first: {kept[0]!r}), for their "
                "pyramids or annotations point into them."
            )


READING = Reading()
"""How inputs are read where nobody says otherwise."""


@check_choices
def read(
    *inputs: str | PathLike[str] | Any,
    format: str = "",
    markup: Markup = "off",
    strict: bool = False,
    **options: str | int | float,
) -> list[Topic]:
    """The topics of files, folders and tables, as every command reads them.

    * ``inputs`` are files and folders (docs/inputs.md), or tables in memory: a data frame of pandas or polars, an
      Arrow table, a Hugging Face dataset, or rows as dictionaries.
    * ``format`` names the files' format; it is recognised by content if it is not given.
    * ``markup`` says what becomes of sentence tags ``<t> ... </t>``: ``off`` takes them off, ``keep`` keeps them.
    * ``strict`` refuses a folder that holds files which are not used; otherwise a warning names them.
    * ``options`` are those of the format, such as ``columns`` of a table.

    >>> import pyramidion as pm
    >>> rows = [{"id": 7, "highlights": "It rained.", "prediction": "It rained a lot.", "model": "t5"}]
    >>> [(topic.id, topic.peers[0].id, topic.references[0].text) for topic in pm.read(rows)]
    [('7', 't5', 'It rained.')]
    """
    reading = Reading(format, options, markup, strict)
    topics: list[Topic] = []
    for given in inputs:
        topics += reading.topics(given) if isinstance(given, str | PathLike) else reading.rows(given)
    return topics


def as_topics(given: Any, reading: Reading = READING) -> Iterable[Topic]:
    """Return topics as they are, one at a time if they come so; a table, or rows, is read into topics."""
    if isinstance(given, Iterable) and not hasattr(given, "columns"):
        rest = iter(given)
        first = next(rest, None)
        if first is None or isinstance(first, Topic):
            return chain(() if first is None else (first,), rest)
        given = chain((first,), rest)  # rows: put back the one that was taken to look at
    return reading.rows(given)


def _dictionaries(table: Any) -> Iterable[Mapping[str, Any]]:
    """Return the rows of a table as dictionaries, by whatever method it has for that."""
    for way in ("to_dicts", "to_pylist"):  # polars, Arrow
        if hasattr(table, way):
            rows: Iterable[Mapping[str, Any]] = getattr(table, way)()
            return rows
    if hasattr(table, "to_dict") and hasattr(table, "columns"):  # pandas
        records: Iterable[Mapping[str, Any]] = table.to_dict(orient="records")
        return records
    if hasattr(table, "__arrow_c_stream__"):  # whatever else speaks Arrow
        import pyarrow

        return _dictionaries(pyarrow.table(table))
    if isinstance(table, Iterable):
        return (_check_row(row) for row in table)
    raise PyramidionError(
        f"The table has the type {type(table).__name__}.", do="give a data frame, or rows as dictionaries"
    )


def _check_row(row: Any) -> Mapping[str, Any]:
    """Return a row if it is a dictionary; anything else is an error."""
    if not isinstance(row, Mapping):
        raise PyramidionError(
            f"A row has the type {type(row).__name__}.", do="give each row as a dictionary with column names as keys"
        )
    return row


def how_read(topics: Iterable[Topic]) -> tuple[tuple[str, str], ...]:
    """Return everything that reading did to the topics and that can change a number, for a signature."""
    return tuple(sorted({pair for topic in topics for pair in topic.reading}))


# Markup


def plain(text: str) -> str:
    r"""Return a text with sentences in ``<t> ... </t>``, one a line without the tags; any other text as it is.

    Words that stand outside the tags stay, too, on a line of their own.

    >>> plain("<t> It rained . </t> <t> We stayed . </t> So did they .")
    'It rained .\nWe stayed .\nSo did they .'
    """
    if not _MARKED.search(text):
        return text
    # sentences stand at odd places, and what is between them at even ones
    lines = (" ".join(_TAG.sub(" ", piece).split()) for piece in _MARKED.split(text))
    return "\n".join(line for place, line in enumerate(lines) if line or place % 2)


def _texts_of(topic: Topic) -> Iterator[Summary | Source]:
    yield from topic.references
    yield from topic.pyramid.references if topic.pyramid else ()
    yield from topic.peers
    yield from topic.sources


def _has_markup(topic: Topic) -> bool:
    return any("<t>" in part.text and _MARKED.search(part.text) for part in _texts_of(topic))


def _has_spans(topic: Topic) -> bool:
    """Return whether offsets point into the texts."""
    scus = topic.pyramid.scus if topic.pyramid else ()
    contributors = (contributor.spans for scu in scus for contributor in scu.contributors)
    matches = (match.spans for annotation in topic.annotations for match in annotation.matches)
    contradicted = (denial.spans for annotation in topic.annotations for denial in annotation.contradicted)
    unmatched = (unit.spans for annotation in topic.annotations for unit in annotation.unmatched)
    return any(chain(contributors, matches, contradicted, unmatched))


def _plain_texts(summaries: Iterable[_Text]) -> tuple[_Text, ...]:
    return tuple(replace(summary, text=plain(summary.text)) for summary in summaries)


def _without_markup(topic: Topic) -> Topic:
    """Return the topic with the sentence tags taken off all its texts."""
    pyramid = topic.pyramid and Pyramid(
        topic.id, _plain_texts(topic.pyramid.references), topic.pyramid.scus, repeats_told=True
    )
    return replace(
        topic,
        references=_plain_texts(topic.references),
        peers=_plain_texts(topic.peers),
        sources=_plain_texts(topic.sources),
        pyramid=pyramid,
        annotations=tuple(
            replace(annotation, summary=_plain_texts([annotation.summary])[0]) for annotation in topic.annotations
        ),
    )


# Annotations


def _with_pyramid(file: Path, topic: Topic, pyramids: Mapping[str, Pyramid]) -> Topic:
    """Return the topic with the pyramid that it carries, or that of its id, or the only one; else an error."""
    pyramid = pyramids.get(topic.id) or (next(iter(pyramids.values())) if len(pyramids) == 1 else None)
    if topic.pyramid:
        if pyramid and pyramid.scus != topic.pyramid.scus:
            message = f"{file}: scored against the pyramid it carries, not the one given"
            note(message)
        return topic
    if pyramid is None:
        raise PyramidionError(
            f"The annotations of topic {topic.id!r} come without a pyramid",
            str(file),
            "give the pyramid's file first, then its annotations",
        )
    if pyramid.topic != topic.id:
        note(f"{file}: Annotations of topic {topic.id!r}, scored against the pyramid of topic {pyramid.topic!r}")
    try:
        return replace(topic, pyramid=replace(pyramid, topic=topic.id))
    except ModelError as error:
        raise error.at(Where(str(file))) from None


def _with_annotator(file: Path, topic: Topic, name_by: NameBy | None) -> Topic:
    """Return the topic with annotators without a name called after the file or its folder."""
    if name_by is None:
        return topic
    place = file.absolute()  # as it was named: a link's own folder counts
    name = clean(place.stem if name_by == "file" else place.parent.name)
    annotations = topic.annotations
    named = (annotation if annotation.annotator else replace(annotation, annotator=name) for annotation in annotations)
    return replace(topic, annotations=tuple(named))


# Files


def _holds_texts(path: Path) -> bool:
    """Return whether this is a text, or a folder with texts in it and no corpus."""
    if path.is_dir():
        return any(_holds_texts(entry) for entry in path.iterdir() if entry.is_file())
    return path.suffix.lower() in DOCUMENTS


@contextmanager
def tell_unused(path: Path, strict: bool = False) -> Iterator[None]:
    """Tell at the end of the block, in which something is read, what in it was not used."""
    with collect_unused() as passed_over:
        yield
    _tell(passed_over, path, strict)


def _tell(passed_over: Sequence[Unused], path: Path, strict: bool) -> None:
    if not passed_over:
        return
    message = in_words(passed_over, path)
    if strict:
        raise FormatError(message, str(path), "remove the files that are not used, or turn off strict reading")
    note(f"{path}: {message}")


def _text_files(path: Path) -> list[Path]:
    """Return a text's file, or those in a folder."""
    if not path.is_dir():
        return [path]
    inside = files_in(path, *DOCUMENTS)
    if not inside:
        raise FormatError(
            "There is no text in this folder", str(path), f"put files into it that end in {', '.join(DOCUMENTS)}"
        )
    return inside


def in_words(passed_over: Sequence[Unused], folder: Path) -> str:
    """Return in words how many files were not used, and which, with the reason of each.

    >>> in_words([Unused("class/peers/Ben.docx", "no .txt")], Path("class"))
    '1 file was not used: peers/Ben.docx (no .txt)'
    """
    shown = [f"{_below(entry.path, folder)} ({entry.why})" for entry in passed_over[:LISTED]]
    more = f" and {len(passed_over) - LISTED} more" if len(passed_over) > LISTED else ""
    count = "1 file was" if len(passed_over) == 1 else f"{len(passed_over)} files were"
    return f"{count} not used: {', '.join(shown)}{more}"


def _below(path: str, folder: Path) -> str:
    try:
        return Path(path).relative_to(folder).as_posix()
    except ValueError:
        return path
