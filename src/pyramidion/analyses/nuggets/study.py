"""Nuggets of TREC RAG and nuggetizer, assigned to answers by a judge and scored as nuggetizer scores them.

An answer's nuggets are an SCU each, of equal weight, and nothing stands for reference summaries: coverage and quality,
which go by weights and lengths, are not computed. The judge sees the question where it reads
(:meth:`~pyramidion.methods.Method.match`). A nugget is

* *supported* where the judge finds it, by its own threshold t;
* *partially supported* where it does not, but the probability is ``partially`` or more, t/2 by default. That is a
  convention: there is no public data with people's judgements of partial support to compare ours with. A matcher that
  gives no probabilities says only yes and no;
* *not supported* else, and where the answer contradicts it;
* *failed* where a language model gave no usable answer.

Lines that bring their assignments keep them. As in nuggetizer, a run that does not answer a query of the nuggets' file
gets an empty answer there, which supports nothing, so that nobody gains by answering only easy queries. An answer to a
query without nuggets is left out: there is nothing to support, and a 0 would say that every run failed. Where no nugget
is vital, vital scores are 0, as nuggetizer's are. The notes of the result say where this happened.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import combinations

from msgspec.structs import replace

from pyramidion.analyses.compare import Comparison, compare
from pyramidion.analyses.compare.result import Test
from pyramidion.analyses.nuggets.arithmetic import SCORES, Score, mean_scores, nugget_scores
from pyramidion.analyses.nuggets.result import AssignedAnswer, NuggetStudy, RunScores
from pyramidion.analyses.scores.table import first_ten, from_columns
from pyramidion.base.choices import check_choices
from pyramidion.base.tables import plural
from pyramidion.base.threads import in_parallel
from pyramidion.errors import ModelError, PyramidionError
from pyramidion.formats.nuggetizer import Assignment, LineRecord, NuggetRecord
from pyramidion.language.llm.chat import prompt
from pyramidion.language.llm.endpoint import Endpoint
from pyramidion.matchers import MATCHERS
from pyramidion.matchers.llm import Judge
from pyramidion.methods import DEFAULT_MATCHER, GIVEN, Method
from pyramidion.model import SCU, Annotation, Contributor, Pyramid, Summary, Topic
from pyramidion.signature import Signature
from pyramidion.stats.bootstrap import mean_interval

_NUGGETS = "nuggets"
"""The only reference, to which all nuggets belong."""


@check_choices
def nuggets(
    lines: Sequence[LineRecord],
    answers: Sequence[LineRecord] = (),
    method: Method | str = f"{GIVEN}+{DEFAULT_MATCHER}",
    *,
    partially: float | None = None,
    score: Score = "strict_vital_score",
    test: Test = "wilcoxon",
    samples: int = 10_000,
    seed: int = 0,
    progress: Callable[[], None] = lambda: None,
) -> NuggetStudy:
    """Assign nuggets to answers, score every run, and compare the runs.

    * ``lines`` are created nuggets, one list a query, and answers that bring nuggets of their own, assigned or not.
    * ``answers`` are further answers; those without nuggets get their query's.
    * ``method`` has the matcher that assigns, ``given+MATCHER``.
    * ``partially`` is the probability from which a nugget is partially supported; half of the judge's threshold if none
      is given.
    * ``score`` ranks the runs and is compared, by ``test``.
    * ``samples`` and ``seed`` are those of the bootstrap.
    * ``progress`` is called for each answer.

    >>> from pyramidion.formats.nuggetizer import LineRecord, NuggetRecord
    >>> created = LineRecord("q1", (NuggetRecord("Rents rise", "vital"), NuggetRecord("Wages fall", "okay")))
    >>> study = nuggets([created], [LineRecord("q1", (), run_id="a", answer_text="Rents rise.")], "given+soft")
    >>> [nugget.assignment for nugget in study.answers[0].line.nuggets]
    ['support', 'not_support']
    >>> study.runs[0].means.strict_vital_score, study.runs[0].means.all_score
    (1.0, 0.5)
    """
    method = Method.parse(method) if isinstance(method, str) else method
    complete, notes = _complete_answers(lines, answers)
    todo = [line for line in complete if not line.is_assigned]
    judge = _Judge(method, partially) if todo else None
    judged = judge.assign(todo, progress) if judge else {}
    assigned = [judged.get(_key(line)) or AssignedAnswer(line, nugget_scores(line.nuggets)) for line in complete]
    failed = sum(nugget.assignment == "failed" for answer in assigned for nugget in answer.line.nuggets)
    if failed:
        notes.append(f"{plural(failed, 'assignment')} failed; nuggetizer counts them as not supported.")
    signature = judge.signature if judge else Signature("assigned")
    runs = _runs(assigned, score, samples, seed)
    comparison = _comparison(assigned, signature, score, test, samples, seed)
    return NuggetStudy(signature, score, runs, tuple(assigned), comparison, tuple(notes))


def _key(line: LineRecord) -> tuple[str, str]:
    return str(line.qid), line.run or ""


def _complete_answers(lines: Sequence[LineRecord], answers: Sequence[LineRecord]) -> tuple[list[LineRecord], list[str]]:
    """Return every answer with its nuggets and question, empty answers for missing ones, and notes about them."""
    created = _lines_by_query(line for line in lines if line.answer is None)
    given = [line for line in (*lines, *answers) if line.answer is not None]
    for (query, run), count in Counter(map(_key, given)).items():
        if count > 1:
            raise PyramidionError(
                f"The run {run!r} answers the query {query!r} {count} times.", do="give each answer its own run_id"
            )
    complete: list[LineRecord] = []
    without: list[str] = []
    for line in given:
        query_line = created.get(str(line.qid), line)
        if line.nuggets or query_line.nuggets:
            complete.append(
                replace(line, nuggets=line.nuggets or query_line.nuggets, query=line.question or query_line.question)
            )
        else:
            without.append(str(line.qid))
    if not complete:
        raise PyramidionError("There is no answer to score.", do="give answers to queries that have nuggets")
    notes = []
    if without:
        queries = first_ten(sorted(set(without)))
        notes.append(f"{plural(len(without), 'answer')} to queries without nuggets left out: {queries}.")
    # further answers that were left out count, too: their runs should have answered the other queries
    runs = dict.fromkeys(str(line.run_id) for line in (*complete, *answers) if line.run_id is not None)
    empty = _empty_answers(created, complete, runs)
    if empty:
        names = first_ten(f"{line.run} on {line.qid}" for line in sorted(empty, key=_key))
        notes.append(f"Answers that are missing count as empty ones: {names}.")
    if idle := sorted(
        {str(line.qid) for line in complete if all(nugget.importance != "vital" for nugget in line.nuggets)}
    ):
        notes.append(f"No nugget is vital, so that vital scores are 0 for every run: {first_ten(idle)}.")
    return sorted([*complete, *empty], key=_key), notes


def _lines_by_query(lines: Iterable[LineRecord]) -> dict[str, LineRecord]:
    created: dict[str, LineRecord] = {}
    for line in lines:
        if created.setdefault(str(line.qid), line).nuggets != line.nuggets:
            raise PyramidionError(f"The query {str(line.qid)!r} has two lists of nuggets.", do="keep one of them")
    return created


def _empty_answers(
    created: dict[str, LineRecord], complete: Sequence[LineRecord], runs: Iterable[str]
) -> list[LineRecord]:
    """Return an empty answer for every run and every query with nuggets that the run does not answer."""
    there = set(map(_key, complete))
    return [
        LineRecord(line.qid, line.nuggets, line.question, run, "", response_length=0)
        for query, line in created.items()
        for run in runs
        if line.nuggets and (query, run) not in there
    ]


class _Judge:
    """A matcher that assigns nuggets, and the lowest probability of a partially supported nugget."""

    def __init__(self, method: Method, partially: float | None) -> None:
        if method.matcher == GIVEN:
            raise PyramidionError("Nobody assigns these nuggets.", do="name a matcher")
        part = MATCHERS[method.matcher]
        self.method = method = method.with_degrees()  # by which partial support goes
        self.is_asked = isinstance(part, Judge)
        threshold = dict(method.parameters).get("threshold", method.settings.get("threshold", 1.0))
        self.partially = float(threshold) / 2 if partially is None else partially
        if not 0 < self.partially <= 1:
            raise ModelError(
                f"The probability of partial support is {self.partially:g}.", do="give a number above 0, up to 1"
            )

    @property
    def signature(self) -> Signature:
        """The judge's method and versions, the prompt, and the threshold of partial support."""
        seen = prompt("answer").version if self.is_asked else "seen"
        asked = (("question", seen),) if self.method.sees_question else ()
        return Signature(
            str(self.method),
            (*self.method.versions, *asked, ("partial", f"{self.partially:g}"), ("scores", "nuggetizer")),
        )

    def assign(
        self, lines: Sequence[LineRecord], progress: Callable[[], None]
    ) -> dict[tuple[str, str], AssignedAnswer]:
        """Assign the nuggets of every answer, and return the answers by query and run."""
        groups: dict[tuple[str, tuple[NuggetRecord, ...]], list[LineRecord]] = {}
        for line in lines:
            # answers that bring nuggets of their own are matched with a pyramid of their own
            groups.setdefault((str(line.qid), line.nuggets), []).append(line)
        topics = [(_topic(query, listed, group), group) for (query, listed), group in groups.items()]
        self.method.check_language(topic for topic, _ in topics)
        together = self.method.together((topic, self.method.pyramid(topic)) for topic, _ in topics)
        answers = [
            answer
            for (_, pyramid), (_, group) in zip(together, topics, strict=True)
            for answer in in_parallel(partial(self._assign, pyramid), group, self.workers, progress)
        ]
        return {_key(answer.line): answer for answer in answers}

    @property
    def workers(self) -> int:
        """Return the number of answers that are judged at a time: several if judging means waiting for a model."""
        url = str(dict(self.method.parameters).get("base_url", ""))
        return Endpoint.named(url).concurrency if self.is_asked else 1

    def _assign(self, pyramid: Pyramid, line: LineRecord) -> AssignedAnswer:
        peer = Summary(line.run or "", line.answer or "", "peer")
        # nobody is asked about an empty answer, which supports nothing
        annotation = self.method.match(pyramid, peer, line.question) if peer.text.strip() else Annotation(peer)
        labels = self._labels(annotation)
        complete = tuple(
            replace(nugget, assignment=labels.get(str(number), "not_support"))
            for number, nugget in enumerate(line.nuggets, start=1)
        )
        return AssignedAnswer(replace(line, nuggets=complete), nugget_scores(complete), annotation)

    def _labels(self, annotation: Annotation) -> dict[str, Assignment]:
        """Return the assignments other than "not supported", by the nuggets' numbers."""
        labels: dict[str, Assignment] = {}
        for scu, probability in annotation.probabilities:
            if probability >= self.partially:
                labels[scu] = "partial_support"
        # a later label takes the place of an earlier one: what is found is supported, whatever else was said of it
        labels |= dict.fromkeys(annotation.partial, "partial_support")
        labels |= dict.fromkeys((scu for scu, _ in annotation.unjudged), "failed")
        labels |= dict.fromkeys((contradiction.scu for contradiction in annotation.contradicted), "not_support")
        return labels | dict.fromkeys(annotation.expressed, "support")


def _topic(query: str, listed: Sequence[NuggetRecord], lines: Sequence[LineRecord]) -> Topic:
    """Return a query as a topic: its nuggets are SCUs of one reference, numbered from 1, and its answers are peers."""
    reference = Summary(_NUGGETS, "\n".join(nugget.text for nugget in listed))
    scus = tuple(
        SCU(str(number), nugget.text, (Contributor(_NUGGETS, label=nugget.text),))
        for number, nugget in enumerate(listed, start=1)
    )
    peers = tuple(Summary(line.run or "", line.answer or "", "peer") for line in lines)
    return Topic(query, (reference,), peers, pyramid=Pyramid(query, (reference,), scus))


def _runs(answers: Sequence[AssignedAnswer], score: Score, samples: int, seed: int) -> tuple[RunScores, ...]:
    """Average the scores of each run over its answers; the best run comes first."""
    by_run: dict[str, list[AssignedAnswer]] = {}
    for answer in answers:
        by_run.setdefault(answer.line.run or "", []).append(answer)
    runs = [
        RunScores(
            run,
            len(run_answers),
            mean_scores(answer.scores for answer in run_answers),
            tuple(
                (
                    name,
                    mean_interval([getattr(answer.scores, name) for answer in run_answers], samples=samples, seed=seed),
                )
                for name in SCORES
            ),
        )
        for run, run_answers in by_run.items()
    ]
    return tuple(sorted(runs, key=lambda run: (-getattr(run.means, score), run.run)))


def _comparison(
    answers: Sequence[AssignedAnswer], signature: Signature, score: Score, test: Test, samples: int, seed: int
) -> Comparison | None:
    """Compare all pairs of runs, if two of them answer two queries in common."""
    queries: dict[str, set[str]] = {}
    for answer in answers:
        queries.setdefault(answer.line.run or "", set()).add(str(answer.line.qid))
    # a test over queries takes two that both runs answer
    if not any(len(first & second) > 1 for first, second in combinations(queries.values(), 2)):
        return None
    values = {_key(answer.line): getattr(answer.scores, score) for answer in answers}
    table = from_columns({score: values}, signature)
    return compare(table, test, samples=samples, seed=seed)
