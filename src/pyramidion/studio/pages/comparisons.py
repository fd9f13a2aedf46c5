"""The page that compares systems, two results, or annotators."""

from __future__ import annotations

from dataclasses import replace

from markupsafe import Markup
from starlette.responses import Response

from pyramidion.analyses.scores.table import ScoreTable, from_evaluation
from pyramidion.errors import PyramidionError
from pyramidion.evaluation.from_run import evaluation_of
from pyramidion.evaluation.run_folders import compare_runs
from pyramidion.notes import Note, collect_notes
from pyramidion.scoring import QUANTITIES, Quantity
from pyramidion.studio import comparing, evaluations, keeping
from pyramidion.studio.doors import Visit
from pyramidion.studio.keeping import Kept
from pyramidion.studio.log.store import GoneError
from pyramidion.studio.pages.results import topics
from pyramidion.studio.rendering import page

ANNOTATORS = "annotators"
"""In place of a result: compare who annotated."""


def compare(visit: Visit) -> Response:
    """Compare the systems of a result, two results, or the annotators."""
    engine = visit.workspace.engine
    known = {kept.id: kept for kept in keeping.kept_of(engine, visit.project.id, "evaluation")}
    first, second = visit.value("first"), visit.value("second")
    first = first or next(iter(known), ANNOTATORS)
    chosen = visit.request.query_params.getlist("system")
    compared = [] if first == ANNOTATORS else [known[id] for id in (first, second) if id in known]
    problem, tables, picture = "", Markup(), ""
    warned: list[Note] = []
    systems: tuple[str, ...] = ()
    try:
        asked = comparing.Asked.of(visit.value("score"), visit.value("test"), [name[:1000] for name in chosen])
        with collect_notes() as warned:
            scores = _scores(visit, compared, first, asked)
            systems = scores.systems
            asked = replace(asked, systems=tuple(name for name in asked.systems if name in systems))
            found = comparing.comparison(scores, asked)
        tables = Markup(found._repr_html_()) + _moved_summaries(visit, compared, asked.score)  # which escape every cell
        picture = comparing.picture_url(found)
    except PyramidionError as error:
        problem = str(error)
    return page(
        visit,
        "compare.html",
        evaluations=list(known.values()),
        first=first,
        second=second,
        score=visit.value("score") or "coverage",
        test=visit.value("test") or comparing.TESTS[0],
        scores=QUANTITIES,
        tests=comparing.TESTS,
        systems=systems,
        chosen=chosen,
        by_summary=len(compared) > 1 or first == ANNOTATORS,
        tables=tables,
        picture=picture,
        warned=warned,
        problem=problem,
    )


def _scores(visit: Visit, results: list[Kept], first: str, asked: comparing.Asked) -> ScoreTable:
    """Return the scores to compare: of the annotators, of one result's systems, or of two results."""
    if first == ANNOTATORS:
        return comparing.of_annotators(topics(visit), asked.score)
    if not results:
        raise GoneError("There is no such result.")
    titled = []
    for kept in results:
        with evaluations.open_run(visit.workspace.engine, kept) as run:
            titled.append((kept.title, evaluation_of(run)))
    if len(titled) == 1:
        return from_evaluation(titled[0][1], asked.score)
    if titled[0][0] == titled[1][0]:  # results are told apart by their titles
        titled = [(f"{title} ({number})", evaluation) for number, (title, evaluation) in enumerate(titled, 1)]
    return comparing.of_results(titled, asked.score)


def _moved_summaries(visit: Visit, results: list[Kept], score: Quantity) -> Markup:
    """Return a table of the summaries that moved between two results, and why; nothing if there is only one."""
    if len(results) < 2:
        return Markup()
    engine = visit.workspace.engine
    with evaluations.open_run(engine, results[0]) as before, evaluations.open_run(engine, results[1]) as after:
        return Markup(compare_runs(before, after, score)._repr_html_())
