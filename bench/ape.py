"""Meaning graphs: exact matching beside Smatch's hill climbing, and a whole manual pyramid against a peer.

    python bench/ape.py [FOLDER] [--pairs N] [--json]

The folder (default: ``../shared/data/realsumm`` beside the repository) is REALSumm. Graphs are depgraphs.

Pairs: graphs of 10 to 40 variables, one of a reference's sentence and one of a summary's, half of the same document and
half of another. Each pair is matched by both in turn, from triples on: ours by ``mmt``, preparation included; theirs by
``smatch.get_best_match`` with its own number of restarts, four. Ours proves its count; theirs climbs. Larger graphs,
of two and three sentences, stand below. smatch (1.0.4) is no part of the project: ``pip install smatch``.

Pyramid: SCUs of four mentions each, the clauses of four systems' summaries, against 250 words of a fifth; "first" with
all parsing, "next" for another peer: its parsing, and matching. Seconds are those of the processor.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from importlib import import_module
from itertools import chain
from pathlib import Path
from statistics import fmean, median

from measuring import DATA, Row, command_line, show, timed

from pyramidion.analyses.accuracy.realsumm import read
from pyramidion.language.graphs.meaning import INSTANCE, MeaningGraph, Triple
from pyramidion.language.graphs.sources import graphs
from pyramidion.language.parse.segmented import segmented
from pyramidion.matchers.ape import ape
from pyramidion.matchers.triples import Alignment, mmt
from pyramidion.model import SCU, Contributor, Pyramid, Span, Summary, Topic

FOLDER = DATA / "realsumm"
SIZES = range(10, 41)
SCUS = (25, 50, 100, 200)
MENTIONS = 4
WORDS = 250


def together(some: Sequence[MeaningGraph]) -> MeaningGraph:
    """Several sentences as one graph."""

    def renamed(place: int, graph: MeaningGraph) -> Iterator[Triple]:
        for one in graph.triples:
            edge = one.relation != INSTANCE and one.target in graph.concepts
            yield Triple(one.relation, f"{one.source}.{place}", f"{one.target}.{place}" if edge else one.target)

    return MeaningGraph(tuple(chain.from_iterable(map(renamed, range(len(some)), some))), some[0].sentence)


def drawn(topics: Sequence[Topic], count: int, sentences: int = 1) -> list[tuple[MeaningGraph, MeaningGraph]]:
    """Graphs of references and of summaries, half of them of one document."""
    rng = random.Random(2017)

    def of(summaries: Sequence[Summary]) -> list[MeaningGraph]:
        found = [graph for one in summaries for graph in graphs(one.text)]
        return found if sentences > 1 else [graph for graph in found if len(graph.variables) in SIZES]

    references = [of(topic.references) for topic in topics]
    peers = [of(topic.peers[:5]) for topic in topics]
    pairs: list[tuple[MeaningGraph, MeaningGraph]] = []
    while len(pairs) < count:
        here = rng.randrange(len(topics))
        there = here if len(pairs) % 2 else rng.randrange(len(topics))
        if len(references[here]) >= sentences and len(peers[there]) >= sentences:
            pair = (rng.sample(references[here], sentences), rng.sample(peers[there], sentences))
            one, other = map(together, pair)
            if len(one.variables) in SIZES and len(other.variables) in SIZES:
                pairs.append((one, other))
    return pairs


def smatch_triples(graph: MeaningGraph, prefix: str) -> tuple[list[tuple[str, str, str]], ...]:
    """Instances, attributes and relations, as the smatch package has them."""
    names = {variable: f"{prefix}{number}" for number, variable in enumerate(graph.variables)}
    instances, attributes, relations = [], [], []
    for one in graph.triples:
        if one.relation == INSTANCE:
            instances.append((INSTANCE, names[one.source], one.target))
        elif one.target in names:
            relations.append((one.relation, names[one.source], names[one.target]))
        else:
            attributes.append((one.relation, names[one.source], one.target))
    return instances, attributes, relations


def matched(topics: Sequence[Topic], count: int, sentences: int) -> Row:
    try:
        smatch = import_module("smatch")
    except ImportError:
        sys.exit("smatch, which this compares with, is not installed: pip install smatch")
    ours, theirs, counts, climbed = [], [], list[Alignment](), []
    pairs = drawn(topics, count, sentences)
    mmt(*pairs[0])
    for one, other in pairs:
        seconds, found = timed(partial(mmt, one, other))
        ours.append(seconds)
        counts.append(found)
        lists = *smatch_triples(one, "a"), *smatch_triples(other, "b")
        smatch.match_triple_dict.clear()
        seconds, best = timed(partial(smatch.get_best_match, *lists, "a", "b"))
        theirs.append(seconds)
        climbed.append(best[1])
    return {
        "sentences": sentences,
        "pairs": count,
        "variables": fmean(len(graph.variables) for pair in pairs for graph in pair),
        "triples": fmean(len(graph.triples) for pair in pairs for graph in pair),
        "ours ms": 1000 * fmean(ours),
        "median": 1000 * median(ours),
        "smatch ms": 1000 * fmean(theirs),
        "its median": 1000 * median(theirs),
        "times": sum(theirs) / sum(ours),
        "proved": sum(found.proved for found in counts),
        "ours more": sum(found.count > other for found, other in zip(counts, climbed, strict=True)),
        "ours less": sum(found.count < other for found, other in zip(counts, climbed, strict=True)),
    }


def made(topics: Sequence[Topic], place: int, scus: int) -> tuple[Pyramid, list[Summary]]:
    """A pyramid whose n-th SCU is the n-th clause of four systems' summaries; two peers, new ones for each size."""
    systems = sorted({peer.id for topic in topics for peer in topic.peers})
    references, contributors = [], []
    for system in systems[:MENTIONS]:
        text, clauses = "", list[tuple[Span, ...]]()
        for topic in topics:
            own = next(peer.text for peer in topic.peers if peer.id == system).strip()
            clauses += (
                tuple(Span(span.start + len(text), span.end + len(text)) for span in clause.spans)
                for sentence in segmented(own).sentences
                for clause in sentence[:2][-1]
            )
            text += own + "\n"
            if len(clauses) >= scus:
                break
        references.append(Summary(system, text))
        contributors.append([Contributor(system, spans) for spans in clauses[:scus]])
    units = tuple(SCU(str(n), "", mentions) for n, mentions in enumerate(zip(*contributors, strict=True)))
    peers = []
    for system in systems[MENTIONS + 2 * place :][:2]:
        words = " ".join(peer.text for topic in topics for peer in topic.peers if peer.id == system).split()
        peers.append(Summary(system, " ".join(words[:WORDS]), "peer"))
    return Pyramid("bench", tuple(references), units), peers


def scored(topics: Sequence[Topic], place: int, scus: int) -> Row:
    pyramid, (peer, other) = made(topics, place, scus)
    first, found = timed(lambda: ape(pyramid, peer))
    following, _ = timed(lambda: ape(pyramid, other))
    again, _ = timed(lambda: ape(pyramid, other, tau=0.7))
    return {
        "SCUs": len(pyramid.scus),
        "mentions": MENTIONS,
        "words": len(peer.text.split()),
        "covered": len(found.matches),
        "first, s": first,
        "next, s": following,
        "matching alone, s": again,
    }


def rounded(row: Row) -> Row:
    return {name: round(cell, 2) if isinstance(cell, float) else cell for name, cell in row.items()}


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER)
    parser.add_argument("--pairs", type=int, default=1000)
    given = parser.parse_args()
    topics = read(given.folder)
    tables = {
        "Exact matching and Smatch's hill climbing, a pair": [
            rounded(matched(topics[:40], given.pairs // size**2, size)) for size in (1, 2, 3)
        ],
        "A manual pyramid and a peer": [rounded(scored(topics, *one)) for one in enumerate(SCUS)],
    }
    show(tables, given.json)


if __name__ == "__main__":
    main()
