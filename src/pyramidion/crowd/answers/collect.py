"""Read result files of a crowd evaluation, from any source, as submissions.

Read are Mechanical Turk's results of both tasks, which LitePyramids and REALSumm share (``mturk``), Prolific's exports
(``prolific``), what our own pages send (``page``), LitePyramids' statements (``litepyramids``) and QAPyramid's
judgements (``qapyramid``). A file is recognised by its content. The rules for what is wrong:

* Malformed files, missing columns and impossible answers are errors, and the file brings nothing.
* With a study, so are answers to what it does not ask (:mod:`~pyramidion.crowd.answers.fitting`), unless they are
  passed over.
* Partial answers are kept: what is missing is a missing vote. Late submissions are kept, too, unless a last date is
  given; without a time, nothing is late.
* A submission that comes twice counts once (:mod:`~pyramidion.crowd.answers.store`); where a worker does a task again,
  the first vote that was given stands (:mod:`~pyramidion.crowd.judging.votes`).
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar, cast

from pyramidion.base.files import REPLACEMENT, decode, head_of, readable
from pyramidion.base.names import clean
from pyramidion.base.sheets import Sheet, open_sheet
from pyramidion.base.unused import files_in, unused
from pyramidion.crowd.answers import litepyramids, mturk, page_answers, prolific, qapyramid
from pyramidion.crowd.answers.fitting import Fit, StrayError, same
from pyramidion.crowd.answers.page_answers import submission_from_page
from pyramidion.crowd.answers.store import STORE, Status, Store, content_of, with_statuses
from pyramidion.crowd.answers.submission import Submission, with_summary_name
from pyramidion.crowd.answers.times import iso
from pyramidion.crowd.study import FILE, Study
from pyramidion.errors import FormatError, PyramidionError, Where
from pyramidion.formats.mturk_rows import Shared
from pyramidion.notes import note

T = TypeVar("T")

__all__ = [
    "FORMATS",
    "Collected",
    "last_moment",
    "read",
    "read_all",
    "result_files",
    "submission_from_page",
    "unique_submissions",
]

FORMATS = ("mturk", "prolific", "page", "litepyramids", "qapyramid")

_TABLES = (".csv", ".tsv")
SUFFIXES = (*_TABLES, ".json", ".jsonl")

_MAX_BYTES = 2**30
"""The largest file; a hundred thousand rows with their texts have about 300 MB."""

_REPLACED = REPLACEMENT.encode()
_HEAD = 2**13
"""The number of bytes by which a file in a folder is recognised."""

_ISO = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
_BATCH = re.compile(r"_batch_.*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Collected:
    """The submissions and statuses of a file."""

    submissions: list[Submission]
    source: str
    format: str
    problems: tuple[str, ...] = ()
    """Notes for people, one per line."""
    statuses: tuple[Status, ...] = ()
    """The statuses that a platform gives submissions, in this file or in others."""
    unknown: int = 0
    """The number of submissions that were skipped because their task is not in the study."""
    late: int = 0
    """The number of submissions that were skipped because they came after the last date."""

    @property
    def rows(self) -> int:
        """The number of submissions or statuses in the file."""
        return max(len(self.submissions) + self.unknown + self.late, len(self.statuses))

    @property
    def rejected(self) -> int:
        """The number of submissions that do not count."""
        return sum(submission.status == "rejected" for submission in self.submissions)


def last_moment(until: str) -> str:
    """Return the last moment that is not late, in UTC, for a date or a date and time.

    >>> last_moment("2024-05-01")
    '2024-05-01T23:59:59Z'
    """
    moment = iso(f"{until.strip()}T23:59:59" if len(until.strip()) == 10 else until)
    if not _ISO.fullmatch(moment):
        raise PyramidionError(f"{until!r} is not a date", do="write it as 2024-05-31, or 2024-05-31T18:00")
    return moment


def read(
    path: Path,
    study: Study | None = None,
    *,
    format: str = "",
    skip_unknown: bool = False,
    until: str = "",
    shared: Shared | None = None,
) -> Collected:
    """Read the submissions in a file.

    With a study, every answer must be to one of its tasks; ``skip_unknown`` skips answers to anything else, and a
    problem counts them. ``until`` skips what was submitted later. ``shared`` holds the texts and questions that files
    which are read together have in common.
    """
    source, data = clean(str(path)), _read_bytes(path)
    last, fit, shared = last_moment(until) if until else "", Fit(study) if study else None, shared or Shared()
    # Plain UTF-8 tables, the usual case, are parsed as bytes, which spares decoding hundreds of megabytes.
    if not _needs_decoding(data):
        try:
            return _read_content(data, source, format, fit, _Sift(skip_unknown, last), shared)
        except UnicodeDecodeError:
            pass
    text = decode(data, source)
    return _read_content(text, source, format, fit, _Sift(skip_unknown, last), shared)


def _needs_decoding(data: bytes) -> bool:
    """Return whether the file must be decoded first: it is empty, JSON, UTF-16, or holds replacement characters."""
    start = data.removeprefix(codecs.BOM_UTF8)[:100].lstrip()
    damaged = _REPLACED[:1] in data and _REPLACED in data  # one byte is found much faster than three
    return not start or start[:1] in b"{[" or b"\0" in data or damaged


def _read_bytes(path: Path) -> bytes:
    with readable(path):
        if path.is_dir():
            raise IsADirectoryError
        with path.open("rb") as file:
            # A pipe does not know its size. Room for a gigabyte is made only where it may be needed.
            data = file.read(min(path.stat().st_size or _MAX_BYTES, _MAX_BYTES) + 1)
    if len(data) > _MAX_BYTES:
        raise FormatError(f"The file has more than {_MAX_BYTES // 2**20} MiB", str(path), "split it")
    return data


def _read_content(
    content: str | bytes, source: str, format: str, fit: Fit | None, sift: _Sift, shared: Shared
) -> Collected:
    """Read submissions from a file's text, or from the bytes of a UTF-8 table, in the format named or recognised."""
    text = content if isinstance(content, str) else ""
    sheet = None if text.lstrip()[:1] in ("{", "[") else open_sheet(content, source)
    format = format or (_format_of_table(sheet) if sheet else _format_of_json(text))
    if format not in FORMATS:
        what = f"There is no result format {format!r}" if format else "This is not a known result file"
        raise FormatError(what, source, f"the formats are {', '.join(FORMATS)}; see docs/crowd-collecting.md")
    if format == "page":
        if fit is None:
            raise PyramidionError(
                "Answers of our own pages only name their task", source, "collect them into their study, and name that"
            )
        records = page_answers.records(text, source)
        sift.keep_fitting(
            records,
            lambda record: page_answers.submission_for(record[1], fit),
            lambda number: Where(source, records[number][0]),
        )
        return sift.result(source, format)
    if format == "qapyramid":
        sift.keep_fitting(qapyramid.read_presence(text, source, shared), fit, lambda _: Where(source))
        return sift.result(source, format)
    sheet = sheet or open_sheet(content, source)
    statuses: Sequence[Status] = ()
    submissions: list[Submission] = []
    if format == "litepyramids":
        submissions = litepyramids.read_statements(sheet)
    elif format == "prolific":
        statuses = prolific.read_export(sheet)
    else:
        submissions, statuses = mturk.read_results(sheet, shared)
    sift.keep_fitting(submissions, fit, (lambda _: Where(source)) if format == "litepyramids" else sheet.where)
    if sift.unknown or sift.late:
        # a skipped submission must not leave a status behind that matches nothing
        kept = {submission.id for submission in sift.kept}
        statuses = [status for status in statuses if status.id in kept]
    return sift.result(source, format, tuple(statuses))


def _format_of_table(sheet: Sheet) -> str:
    """Return the format of a table, by its columns; empty if they do not tell."""
    header = sheet.header
    if mturk.is_results(header):
        return "mturk"
    if prolific.is_export(header):
        return "prolific"
    if not {"questionId", "questionText"}.isdisjoint(header):
        return "litepyramids"
    if not {"qIdList", "summId"}.isdisjoint(header):
        raise FormatError(
            "This is what a task is made from, not what workers answered",
            sheet.source,
            "download the batch's results: their columns begin with Input. and Answer.",
        )
    return ""


def _format_of_json(text: str) -> str:
    return "page" if text.lstrip()[:1] == "[" or '"pyramidion"' in text else "qapyramid"


class _Sift:
    """Keeps the submissions of a file that fit the study and are in time, and counts those that are skipped."""

    def __init__(self, skip_unknown: bool, until: str) -> None:
        self.skip_unknown, self.until = skip_unknown, until
        self.kept: list[Submission] = []
        self.unknown = self.late = self.untimed = 0
        self.first = ""

    def keep_fitting(
        self, records: Sequence[T], fit: Callable[[T], Submission] | None, where: Callable[[int], Where]
    ) -> None:
        """Keep submissions that fit and are in time; ``where`` is the place of the n-th, for an error."""
        if fit is None and not self.until:  # nothing to check, so the records are submissions already
            self.kept = cast(list[Submission], records)
            return
        for number, record in enumerate(records):
            try:
                submission = fit(record) if fit else cast(Submission, record)
            except FormatError as error:
                passed_over = self.skip_unknown and isinstance(error, StrayError)
                if not (passed_over and self.first):  # to find a place, the file is read again
                    place = where(number)
                    error.at(Where(place.source, place.line, element=error.where.element))
                if not passed_over:
                    raise
                self.unknown += 1
                self.first = self.first or str(error).partition(";")[0]
                continue
            timed = bool(_ISO.fullmatch(submission.submitted))
            if self.until and timed and submission.submitted > self.until:
                self.late += 1
                continue
            self.untimed += not timed
            self.kept.append(submission)

    def result(self, source: str, format: str, statuses: tuple[Status, ...] = ()) -> Collected:
        """Return the kept submissions, with notes for people."""
        if not (self.kept or self.unknown or self.late or statuses):
            raise FormatError("There is no answer in the file", source, "download the results again")
        problems = []
        if self.unknown:
            problems.append(f"{self.unknown} passed over that the study does not ask; the first: {self.first}")
        if self.late:
            problems.append(f"{self.late} passed over that came after {self.until}")
        if self.until and self.untimed:
            problems.append(f"{self.untimed} without a readable time, taken as in time")
        return Collected(self.kept, source, format, tuple(problems), statuses, self.unknown, self.late)


def read_all(paths: Iterable[Path], study: Study | None = None) -> list[Submission]:
    """Read the submissions of all files, of all result files in folders, and of stores.

    Each submission counts once, by the rules of the store. Without a study, summaries of one name whose texts differ
    from file to file are told apart by the files' names.
    """
    shared = Shared()
    by_file: list[tuple[Path, list[Submission]]] = []
    statuses: list[Status] = []
    for path in result_files(paths):
        if path.suffix == Path(STORE).suffix:
            by_file.append((path, Store(path).submissions()))
            continue
        collected = read(path, study, shared=shared)
        for problem in collected.problems:
            note(f"{path}: {problem}")
        by_file.append((path, collected.submissions))
        statuses += collected.statuses
    submissions = unique_submissions(by_file if study else _name_apart(by_file))
    if not study:
        _warn_of_mixed(submissions)
    return with_statuses(submissions, statuses) if statuses else submissions


def _warn_of_mixed(submissions: Sequence[Submission]) -> None:
    """Warn if one id stands for two statements, or one name for two texts: their votes are counted together."""
    # Submissions of one task share their question, so that each question is looked at once.
    askings = {(submission.topic, id(submission.asked)): submission for submission in submissions}.values()
    readings = [
        ("statement", submission.topic, *pair)
        for submission in askings
        for pair in zip(submission.asked.ids, submission.asked.words, strict=False)
    ]
    readings += {
        ("summary", submission.topic, submission.summary, submission.text)
        for submission in submissions
        if submission.text
    }
    first: dict[tuple[str, str, str], str] = {}
    mixed = [
        f"{kind} {id!r} of topic {topic!r}"
        for kind, topic, id, words in readings
        if words != (known := first.setdefault((kind, topic, id), words)) and not same(words, known)
    ]
    if mixed:
        note(
            f"{mixed[0]} reads otherwise in another row{f' (and {len(mixed) - 1} more)' if mixed[1:] else ''}; "
            "votes on both are counted as on one: check that no batches are mixed up"
        )


def result_files(paths: Iterable[Path]) -> list[Path]:
    """Return the named files, the result files of named folders in order of their names, and the stores of studies."""
    files: list[Path] = []
    for path in paths:
        if not path.is_dir():
            files.append(path)
        elif (path / STORE).exists():
            files.append(path / STORE)
        else:
            results = [file for file in files_in(path, *SUFFIXES) if file.name != FILE and _is_result(file)]
            if not results:
                raise FormatError("No result file in this folder", str(path), "name another, or the files themselves")
            files += results
    return files


def _is_result(path: Path) -> bool:
    """Return whether a file in a folder holds results; warn of a table that does not."""
    if path.suffix.lower() not in _TABLES:
        return True
    with readable(path), path.open("rb") as file:
        start = head_of(file.read(_HEAD)).partition(b"\n")[0].decode("utf-8", "replace").lstrip("\ufeff")
    # a first line such as sep=; comes before the header, so such a file is judged when it is read
    if (
        "Answer." not in start
        and not start.lower().startswith("sep=")
        and not _format_of_table(open_sheet(start + "\n", str(path)))
    ):
        note(f"{path}: This is not a known result file; it was skipped")
        unused(path, "a table that is not a known result file")
        return False
    return True


def unique_submissions(sources: Sequence[tuple[object, Sequence[Submission]]]) -> list[Submission]:
    """Keep each submission of several sources once; if answers differ under one id and task, the first is kept."""
    standing = {
        (submission.id, submission.task): submission for _, submissions in sources for submission in submissions
    }
    if len(standing) == sum(len(submissions) for _, submissions in sources):  # nothing comes twice: the usual case
        return list(standing.values())
    standing = {}
    conflicting = []
    for source, submissions in sources:
        for submission in submissions:
            stands = standing.setdefault((submission.id, submission.task), submission)
            if stands is not submission and content_of(stands) != content_of(submission):
                conflicting.append(f"{source}: {submission.id!r}")
    if conflicting:
        note(
            f"{len(conflicting)} submissions have the id of another but other answers; the first stands; "
            f"{conflicting[0]} is the first that does not"
        )
    return list(standing.values())


def _names(twice: Iterable[tuple[int, str]], paths: Sequence[Path], taken: Iterable[str]) -> dict[tuple[int, str], str]:
    """Name each file's summaries after the file, without the parts that Mechanical Turk adds if names stay unique."""
    # the first of these patterns that gives every summary a name of its own
    for name in ("{stem}", "{stem}/{summary}", "{folder}/{stem}/{summary}", "{number}/{stem}/{summary}"):
        names = {
            (n, summary): name.format(
                stem=_BATCH.sub("", clean(paths[n].stem)),
                summary=summary,
                folder=clean(paths[n].parent.name),
                number=n + 1,
            )
            for n, summary in sorted(twice)
        }
        if len({*names.values(), *taken}) == len(names) + len({*taken}):
            break
    return names


def _name_apart(by_file: list[tuple[Path, list[Submission]]]) -> list[tuple[Path, list[Submission]]]:
    """Rename summaries that have the same name but different texts in different files, each after its file."""
    files = Counter(name for _, submissions in by_file for name in {submission.summary for submission in submissions})
    several = {name for name, count in files.items() if count > 1}
    texts: dict[tuple[str, str], tuple[int, str]] = {}
    twice: set[tuple[int, str]] = set()
    for number, (_, submissions) in enumerate(by_file if several else ()):
        for key, text in {
            (submission.topic, submission.summary): submission.text
            for submission in submissions
            if submission.summary in several
        }.items():
            first, known = texts.setdefault(key, (number, text))
            if known != text and known and text and first != number:
                twice |= {(first, key[1]), (number, key[1])}
    if not twice:
        return by_file
    taken = {
        submission.summary
        for number, (_, submissions) in enumerate(by_file)
        for submission in submissions
        if (number, submission.summary) not in twice
    }
    names = _names(twice, [path for path, _ in by_file], taken)
    shown = ", ".join(sorted({summary for _, summary in twice}))
    note(
        f"Summaries of one name have other texts in other files ({shown}); they are called after their files: "
        f"{', '.join(sorted(names.values()))}"
    )
    touched = {n for n, _ in twice}
    return [
        (
            path,
            [
                with_summary_name(submission, names.get((n, submission.summary), submission.summary))
                for submission in submissions
            ],
        )
        if n in touched
        else (path, submissions)
        for n, (path, submissions) in enumerate(by_file)
    ]
