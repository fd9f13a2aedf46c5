"""Do methods score peers as people did? Correlations with human scores of a corpus, and those of the floor.

For every method and every metric of the floor (ROUGE-1 and ROUGE-2 recall, stemmed; the lexical pyramid; length in
words) over the peers that people scored: Pearson's r with a bootstrap interval over peers, and Spearman's rho
(:mod:`pyramidion.stats.correlation`). Peers of several topics are pooled.

If the table has columns for our scores, under DUCView's names (``totalWeight``, ``qualityScore``, ``coverageScore``,
``comprehensiveScore``) or under our own, each score is correlated with its own column. Otherwise, raw is correlated
with the table's column (:data:`pyramidion.analyses.scores.human.DEFAULT_COLUMNS`). Metrics with one score are
correlated with every column.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from pyramidion.analyses.accuracy.corpus.result import (
    COLUMNS,
    SCORES,
    CorpusStudy,
    HumanCorrelation,
    PyramidSizes,
    Score,
)
from pyramidion.analyses.accuracy.peer_scores import PeerScores, floor, lengths, method_scores
from pyramidion.analyses.scores.human import HumanTable
from pyramidion.analyses.scores.table import ScoreTable
from pyramidion.base.choices import check_choices
from pyramidion.evaluation.evaluate import evaluate
from pyramidion.formats.read import how_read
from pyramidion.methods import Method, versions_of
from pyramidion.model import Topic
from pyramidion.signature import Signature
from pyramidion.stats.correlation import correlation_interval, spearman

SAMPLES = 10_000
SEED = 0


@check_choices
def bench_corpus(
    topics: Sequence[Topic],
    human: HumanTable,
    methods: Iterable[Method] = (),
    *,
    column: str = "",
    scores: Sequence[Score] = (),
    paper: bool = False,
    progress: Callable[[str], None] = lambda topic: None,
) -> CorpusStudy:
    """Evaluate every method on the corpus and correlate it, and the floor, with the human scores.

    ``column`` and ``scores`` choose one human column and some of our scores; ``paper`` puts the figures of Gao et al.
    2019 below ours. ``progress`` is told of each summary when it is scored.
    """
    methods = tuple(methods)
    pairs = _pairs(human, column, scores)
    peers, pyramids = [], []
    for method in methods:
        evaluation = evaluate(topics, method, progress=progress)
        peers.append(method_scores(evaluation, str(method), SCORES))
        built = {scored.scores.topic: scored.pyramid for scored in evaluation.results}
        weights = Counter(scu.weight for pyramid in built.values() for scu in pyramid.scus)
        pyramids.append(PyramidSizes(str(method), dict(sorted(weights.items(), reverse=True))))
    peers += (*floor(topics, ("rouge-1", "rouge-2")), lengths(topics))
    signature = Signature(
        "bench-corpus",
        (
            ("methods", ",".join(map(str, methods)) or "none"),
            *versions_of(methods),
            ("rouge", "stem"),
            ("lexical-pyramid", "en"),
            ("interval", "symmetric-angle-95"),
            ("samples", str(SAMPLES)),
            ("seed", str(SEED)),
            *how_read(topics),
        ),
    )
    rows = tuple(_correlation(peer, peer.score_name(score), theirs) for score, theirs in pairs for peer in peers)
    scored = len(pairs[0][1].by_peer())
    unscored = sum(len(topic.peers) for topic in topics) - scored
    return CorpusStudy(signature, rows, tuple(pyramids), scored, unscored, paper)


def _pairs(human: HumanTable, column: str, scores: Sequence[Score]) -> list[tuple[Score, ScoreTable]]:
    """Return pairs of one of our scores and its human column."""
    if column:
        theirs = human.column(column)
        same_name = [score for score in SCORES if theirs.score.casefold() in _fold_case(COLUMNS[score])]
        return [(score, theirs) for score in (scores or same_name or ("raw",))]
    own_columns = {score: own_column for score in SCORES if (own_column := _own_column(human, score))}
    if not scores:
        return list(own_columns.items()) or [("raw", human.column())]
    return [(score, own_columns.get(score) or human.column()) for score in scores]


def _own_column(human: HumanTable, score: Score) -> ScoreTable | None:
    there = set(_fold_case([*human.columns, *human.texts]))
    return next((human.column(name) for name in COLUMNS[score] if name.casefold() in there), None)


def _fold_case(names: Iterable[str]) -> list[str]:
    return [name.casefold() for name in names]


def _correlation(peers: PeerScores, score: str, human: ScoreTable) -> HumanCorrelation:
    scores = peers.scores[score]
    pairs = [(value, scores[peer]) for peer, value in human.by_peer().items() if peer in scores]
    x, y = [people for people, _ in pairs], [ours for _, ours in pairs]
    pearson = correlation_interval(x, y, samples=SAMPLES, seed=SEED)
    return HumanCorrelation(peers.name, score, human.score, pearson, spearman(x, y))
