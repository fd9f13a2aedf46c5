r"""Which relations of meaning graphs help to score summaries? Steinberger et al. 2017, the end of §5.

For every relation type r that occurs in the graphs, the summaries are scored again as if no graph had it, and

.. math:: \text{difference}(r) = \text{correlation of the scores without } r - \text{correlation of the scores with all}

so that a *negative* difference says that r helps. The paper found 57 types, 51 of which helped; the relations op1, op2,
... of names are one type, ``op`` (footnote 8). The interval is that of a paired bootstrap over topics
(:mod:`pyramidion.stats.levels`). There are many relations: of forty intervals at 95 %, two miss 0 by chance.

A relation that is not in the pyramid's graphs can be neither matched nor missed. So a topic is matched again only for
the relations of its own pyramid: those in references that have contributors, and in contributors with a text of their
own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pyramidion.analyses.ablate.result import Ablation, Effect, Relation
from pyramidion.analyses.scores.corpus import Score, annotated, values_of
from pyramidion.analyses.scores.table import ScoreTable, matrix
from pyramidion.analyses.tune.cells import keep_scored
from pyramidion.base.choices import check_choices
from pyramidion.errors import PyramidionError
from pyramidion.evaluation.evaluation import Key
from pyramidion.formats.read import how_read
from pyramidion.language.graphs.meaning import MeaningGraph
from pyramidion.methods import GIVEN, Method
from pyramidion.model import Pyramid, Topic
from pyramidion.signature import Signature
from pyramidion.stats.combination import STATISTICS, Estimates
from pyramidion.stats.correlation import Statistic
from pyramidion.stats.levels import Level, correlations_by_draw, difference, estimate, times_drawn

DEFAULT_METHOD = "given+ape"
FEWEST = 4

Graphs = Callable[[str], Iterable[MeaningGraph]]
Array = NDArray[np.float64]
Draws = dict[Statistic, Array]

_OPERAND = re.compile(r"op[0-9]+")


def relation_type(relation: str) -> str:
    """Return a relation's type: op1, op2, ... are ``op`` (footnote 8).

    >>> relation_type("op12"), relation_type("ARG0")
    ('op', 'ARG0')
    """
    return "op" if _OPERAND.fullmatch(relation) else relation


def relations(
    topics: Sequence[Topic], method: Method | str = DEFAULT_METHOD, graphs: Graphs | None = None
) -> list[Relation]:
    """Return the relation types of the topics' graphs, by name; ``graphs`` makes the graphs, instead of the method."""
    score = _score(method)
    assert isinstance(score.of, Method)
    make = graphs or _graphs(score.of)
    spellings: dict[str, set[str]] = {}
    within: dict[str, Counter[str]] = {}
    peers: Counter[str] = Counter()
    for topic in topics:
        within[topic.id] = Counter()
        for text, counts in _texts(topic, score.of.pyramid(topic), within[topic.id], peers):
            for graph in make(text):
                for triple in graph.triples:
                    spellings.setdefault(relation_type(triple.relation), set()).add(triple.relation)
                    counts[relation_type(triple.relation)] += 1
    return [
        Relation(
            name,
            tuple(sorted(spellings[name])),
            sum(counts[name] for counts in within.values()),
            peers[name],
            tuple(topic for topic, counts in within.items() if counts[name]),
        )
        for name in sorted(spellings)
    ]


def _texts(
    topic: Topic, pyramid: Pyramid, in_pyramid: Counter[str], peers: Counter[str]
) -> Iterator[tuple[str, Counter[str]]]:
    """Yield every text that a graph is made of, with the counter of its relations."""
    contributors = [(scu, contributor) for scu in pyramid.scus for contributor in scu.contributors]
    # a reference that no contributor quotes takes part in no match
    quoted = {contributor.summary for _, contributor in contributors if contributor.spans}
    for reference in pyramid.references:
        if reference.id in quoted:
            yield reference.text, in_pyramid
    for scu, contributor in contributors:
        if not contributor.spans:
            yield contributor.label or scu.label, in_pyramid
    for peer in topic.peers:
        yield peer.text, peers


def _graphs(method: Method) -> Graphs:
    from pyramidion.language.graphs.sources import graphs

    settings = {**method.settings, **dict(method.parameters)}
    by, analyser = str(settings.get("graphs", "depgraph")), str(settings.get("analyser", "en-minilm"))
    return lambda text: graphs(text, by, analyser)


def _score(method: Method | str) -> Score:
    score = Score.parse(method) if isinstance(method, str) else Score(method, "coverage")
    if not isinstance(score.of, Method) or "without" not in score.of.settings:
        raise PyramidionError(
            f"{score} does not match relations, so none can be left out",
            do="choose a method that matches graphs: given+ape",
        )
    if "without" in dict(score.of.parameters):
        raise PyramidionError(f"{score} already leaves out relations", do="name the method without 'without'")
    return score


@check_choices
def ablate(
    topics: Sequence[Topic],
    human: ScoreTable | None = None,
    method: Method | str = DEFAULT_METHOD,
    *,
    level: Level = "global",
    by: Statistic = "pearson",
    samples: int = 2_000,
    known: Sequence[Relation] | None = None,
    graphs: Graphs | None = None,
    progress: Callable[[], object] = lambda: None,
) -> Ablation:
    """Score the peers that people scored with all relations of their meaning graphs, then without each.

    * ``topics`` have the peers that people scored.
    * ``human`` are people's scores (:func:`~pyramidion.api.human_scores`); without them, the coverage that the topics'
      annotations give.
    * ``method`` matches meaning graphs: ``given+ape``.
    * ``level`` of the correlation is ``global``, ``summary`` or ``system``; ``by`` is the statistic.
    * ``samples`` are the draws for intervals.
    * ``known`` are the relations, if they were counted before.
    * ``graphs`` makes the meaning graphs, if the method's own are not wanted.
    * ``progress`` is called once for all relations together and once for each.

    >>> import pyramidion as pm
    >>> from pyramidion.analyses.ablate import Relation
    >>> relation = Relation("mod", ("mod",), 1, 1, ("lake-revival",))
    >>> ablation = pm.ablate(pm.example()[:1], method="given+ape", known=[relation], samples=100)
    >>> [effect.relation.name for effect in ablation.effects]
    ['mod']
    """
    score = _score(method)
    assert isinstance(score.of, Method)
    people = human or annotated(topics)
    human_scores = people.by_peer()
    kept = keep_scored(topics, human_scores)
    _check(human_scores, [(topic.id, peer.id) for topic in kept for peer in topic.peers])
    # pyramids are built once: only matching is repeated without a relation
    built = [replace(topic, pyramid=score.of.pyramid(topic), annotations=()) for topic in kept]
    matcher = Method(GIVEN, score.of.matcher)
    # the pyramids are built, so only the settings of the matcher are left
    matcher = replace(matcher, parameters=tuple(pair for pair in score.of.parameters if pair[0] in matcher.settings))
    benchmark = _Benchmark.of(built, human_scores, level, samples)
    whole = values_of(built, replace(score, of=matcher))
    base = benchmark.draw_correlations(whole)
    progress()
    effects = []
    for relation in relations(topics, method, graphs) if known is None else known:
        if relation.in_pyramids:  # one that no pyramid has can be neither matched nor missed
            less = replace(matcher, parameters=(*matcher.parameters, ("without", " ".join(relation.spellings))))
            # other topics keep their scores: their pyramids do not have the relation
            anew = [topic for topic in built if topic.id in relation.topics]
            values = values_of(anew, replace(score, of=less)) if anew else {}
            changed = sum(value != whole[key] for key, value in values.items())
            without_relation = benchmark.draw_correlations({**whole, **values}) if changed else base
            effects.append(Effect(relation, changed, benchmark.differences(without_relation, base)))
            progress()
    effects.sort(key=lambda effect: _order(effect, by))
    return Ablation(
        _signature(score, people.score, benchmark.level, samples, how_read(topics)),
        score,
        people.score,
        benchmark.level,
        by,
        len(benchmark.peers),
        len({topic for topic, _ in benchmark.peers}),
        {name: estimate(base[name], benchmark.level) for name in STATISTICS},
        tuple(effects),
    )


@dataclass(frozen=True, slots=True)
class _Benchmark:
    """Human scores, and the draws of topics in which they are compared with other scores."""

    peers: list[Key]
    human: Array
    times: Array
    level: Level

    @classmethod
    def of(cls, topics: Sequence[Topic], scores: Mapping[Key, float], level: Level, samples: int) -> _Benchmark:
        peers = sorted((topic.id, peer.id) for topic in topics for peer in topic.peers)
        human = np.array(matrix(scores, peers))
        if len(human) == 1:  # the three levels are one then, and peers are drawn, each a document of its own
            human, level = human.T, "global"
        return cls(peers, human, times_drawn(len(human), samples), level)

    def draw_correlations(self, values: dict[Key, float]) -> Draws:
        """Correlate scores with people in every draw, by every statistic."""
        metric = np.array(matrix(values, self.peers)).reshape(self.human.shape)
        return {name: correlations_by_draw(self.human, metric, self.times, self.level, name) for name in STATISTICS}

    def differences(self, first: Draws, second: Draws) -> Estimates:
        return {name: difference(first[name], second[name], self.level) for name in STATISTICS}


def _signature(score: Score, human: str, level: Level, samples: int, read: Sequence[tuple[str, str]]) -> Signature:
    assert isinstance(score.of, Method)
    drawn = (("human", human), ("level", level), ("samples", str(samples)), ("seed", "0"))
    return Signature("ablate", (("score", str(score)), *score.of.versions, *drawn, *read))


def _order(effect: Effect, by: Statistic) -> tuple[bool, float, str]:
    """Sort the relations that help most first, and undefined differences last."""
    value = effect.differences[by].value
    return value is None, value or 0.0, effect.relation.name


def _check(scores: Mapping[Key, float], peers: Sequence[Key]) -> None:
    if len(peers) < FEWEST:
        raise PyramidionError(
            f"{len(peers)} peer(s) have a human score", do=f"give human scores of {FEWEST} peers or more"
        )
    if len({scores[peer] for peer in peers}) == 1:  # nothing correlates with a constant
        raise PyramidionError(
            f"Every peer has the human score {scores[peers[0]]:g}", do="choose human scores that vary"
        )
