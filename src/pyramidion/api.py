"""The verbs of :mod:`pyramidion` that join several rooms: build, match, write, report, feedback, tables of scores."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pyramidion import formats
from pyramidion.methods import DEFAULT_MATCHER, DEFAULT_METHOD, GIVEN, Method
from pyramidion.model import Annotation, Pyramid, Summary, Topic

if TYPE_CHECKING:
    from pyramidion.analyses.scores.table import ScoreTable
    from pyramidion.evaluation.evaluation import Evaluation
    from pyramidion.reports.feedback import Feedback
    from pyramidion.scoring import Quantity


def build(references: Topic | Sequence[str], method: Method | str = DEFAULT_METHOD) -> Pyramid:
    """Build the pyramid of reference summaries.

    ``references`` is a topic, or the references' texts, which then get the ids 1, 2, ... ``method`` says who builds
    it: the name of a method, or a :class:`Method`.

    >>> import pyramidion as pm
    >>> pyramid = pm.build(["The dam broke. Nobody was hurt.", "The dam broke."], "lite+soft")
    >>> [(scu.label, scu.weight) for scu in pyramid.scus]
    [('The dam broke.', 1), ('The dam broke.', 1), ('Nobody was hurt.', 1)]
    """
    chosen = Method.parse(method) if isinstance(method, str) else method
    topic = references if isinstance(references, Topic) else Topic("topic", _summaries(references))
    chosen.check_language([Topic(topic.id, topic.references)])
    return chosen.pyramid(topic)


def match(pyramid: Pyramid, summary: Summary | str, matcher: str = DEFAULT_MATCHER) -> Annotation:
    """Find what a summary says of a pyramid, and what it contradicts.

    ``pyramid`` is what the summary is compared with. ``summary`` is a summary or its text. ``matcher`` says who
    compares; ``pyramidion methods`` lists the names, and parameters may follow in brackets.

    >>> import pyramidion as pm
    >>> pyramid = pm.build(["The dam broke. Nobody was hurt."], "lite+soft")
    >>> annotation = pm.match(pyramid, "Nobody was hurt.", "soft")
    >>> [pyramid.scu(match.scu).label for match in annotation.matches]
    ['Nobody was hurt.']
    """
    method = Method.parse(f"{GIVEN}+{matcher}")
    peer = summary if isinstance(summary, Summary) else Summary("summary", summary, "peer")
    method.check_language([Topic(pyramid.topic, pyramid.references, (peer,))])
    return method.match(pyramid, peer)


def write(topics: Topic | Sequence[Topic], path: str | PathLike[str], format: str = "", **options: Any) -> None:
    """Write topics into a file or folder; what the format cannot hold is warned of.

    ``topics`` is one topic or several. ``path`` is the file or folder, whose ending says the format unless ``format``
    does. ``options`` are those of the format (docs/formats.md).

    >>> import tempfile
    >>> import pyramidion as pm
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pm.write(pm.example(), f"{folder}/corpus.jsonl")
    ...     [topic.id for topic in pm.read(f"{folder}/corpus.jsonl")]
    ['lake-revival', 'tidal-lagoon']
    """
    formats.dump([topics] if isinstance(topics, Topic) else topics, path, format, **options)


def report(evaluation: Evaluation, path: str | PathLike[str] | None = None) -> str:
    r"""Make one HTML page of an evaluation: scores, pyramids, every text with its marked words, and what is missing.

    ``evaluation`` is what :func:`evaluate` returned. ``path`` is a file to write the page to as well; its folder must
    be there.

    >>> import pyramidion as pm
    >>> pm.report(pm.evaluate(pm.example(), "manual")).partition("<html")[0]
    '<!doctype html>\n'
    """
    from pyramidion.base.files import write_bytes
    from pyramidion.reports.html import report_html

    page = report_html(evaluation)
    if path is not None:
        write_bytes(Path(path), page.encode())
    return page


def feedback(evaluation: Evaluation) -> tuple[Feedback, ...]:
    """Make each writer's feedback of an evaluation: what is found, contradicted and missing, in plain words.

    ``evaluation`` is what :func:`evaluate` returned.

    >>> import pyramidion as pm
    >>> pages = pm.feedback(pm.evaluate(pm.example()[:1], "manual"))
    >>> pages[0].student, pages[0].topic
    ('copy', 'lake-revival')
    """
    from pyramidion.reports.feedback import feedback as make

    return make(evaluation)


def score_table(source: str | PathLike[str] | Evaluation, score: str = "") -> ScoreTable:
    """Read or make a table of scores by topic and system, to be compared or correlated.

    ``source`` is a file (CSV with columns ``topic`` and ``system``, or a table of PyrEval or LitePyramids), or what
    :func:`evaluate` returned. ``score`` is the column to take; all columns of a file and coverage of an evaluation if
    none is named.

    >>> import pyramidion as pm
    >>> table = pm.score_table(pm.evaluate(pm.example(), "manual"), "quality")
    >>> table.topics, len(table.systems)
    (('lake-revival', 'tidal-lagoon'), 6)
    """
    from pyramidion.analyses.scores.table import from_evaluation, from_rows
    from pyramidion.formats.score_tables import load_scores

    if not isinstance(source, str | PathLike):
        return from_evaluation(source, cast("Quantity", score or "coverage"))  # which checks it
    table = from_rows(load_scores(Path(source), placeholders=True), str(source))
    return table.column(score) if score else table


def human_scores(topics: Sequence[Topic], path: str | PathLike[str] | None = None, column: str = "") -> ScoreTable:
    """People's scores of the peers of topics.

    ``topics`` have the peers. ``path`` is a table of scores, whose rows are matched with the peers by name, and
    ``column`` its column; without a table, the scores are the coverage that the topics' annotations give.

    >>> import pyramidion as pm
    >>> scores = pm.human_scores(pm.example())
    >>> round(scores.by_peer()["lake-revival", "paraphrase-1"], 2)
    0.86
    """
    from pyramidion.analyses.scores.corpus import annotated
    from pyramidion.analyses.scores.human import read_human

    return annotated(topics) if path is None else read_human(Path(path), topics, column)


def _summaries(texts: Sequence[str]) -> tuple[Summary, ...]:
    return tuple(Summary(str(number), text) for number, text in enumerate(texts, start=1))
