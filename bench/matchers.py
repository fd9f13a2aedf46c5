"""How long matching a peer takes: Harnly et al. and Passonneau et al., beside their definitions in plain loops.

    python bench/matchers.py [--plain N] [--corpus FOLDER] [--json]

The two bundled topics with their pyramids, and the student summaries (if they are there) with a pyramid of EDUA-P. The
plain way compares every word sequence with every wording, one pair after another: Counters of words, difflib, one
vector at a time; it is timed on the first N peers of a topic (those that are not empty), on which its annotations must
be ours. ``soft`` and ``wmin`` stand beside it for comparison, once with the analysis of the peer remembered, as all
methods of one run share it. Processor time of a peer in milliseconds, models loaded, pyramids met before.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from difflib import SequenceMatcher
from functools import partial
from pathlib import Path

import numpy as np
from measuring import DATA, Row, command_line, show, timed
from numpy.typing import NDArray

from pyramidion.builders import BUILDERS
from pyramidion.examples import example
from pyramidion.formats import folder
from pyramidion.language.text.porter import stem
from pyramidion.language.vectors import embedder
from pyramidion.matchers.harnly import THRESHOLD, harnly
from pyramidion.matchers.passonneau import passonneau, threshold_of
from pyramidion.matchers.sequences import LONGEST, SCALE, Candidate, annotation, best_set, targets_of, words_of
from pyramidion.matchers.soft import soft
from pyramidion.matchers.wmin import wmin
from pyramidion.model import Annotation, Pyramid, Summary

Compare = Callable[[str, str], float]
Way = Callable[[Summary], Annotation]


def by_unigrams(a: str, b: str) -> float:
    """Dice's coefficient of bags of stems."""
    one, other = (Counter(stem(word) if word.isascii() else word for word in text.split()) for text in (a, b))
    return 2 * (one & other).total() / (one.total() + other.total())


def by_difflib(a: str, b: str) -> float:
    """Ratcliff/Obershelp."""
    return SequenceMatcher(None, a, b, autojunk=False).ratio()


def by_vectors() -> Compare:
    """Cosines of wtmf; the wordings' vectors are kept, those of sequences computed one by one."""
    model, kept = embedder("wtmf"), dict[str, NDArray[np.float64]]()

    def compare(a: str, b: str) -> float:
        for text in (a, b):
            if text not in kept:
                kept[text] = model([text])[0].astype(np.float64)
        return float(np.dot(kept[a], kept[b]))

    return compare


def plain(pyramid: Pyramid, compare: Compare, threshold: float, weigh: bool, summary: Summary) -> Annotation:
    """The definition: every sequence and every SCU, single linkage; then the best set of sequences."""
    words, targets = words_of(summary.text), targets_of(pyramid)
    ends = [*targets.starts[1:].tolist(), len(targets.forms)]
    in_words = compare in (by_unigrams, by_difflib)
    wordings = [" ".join(own) for own in targets.forms] if in_words else list(targets.wordings)
    offered = []
    for first, end in enumerate(words.ends.tolist()):
        for last in range(first + 1, min(end, first + LONGEST) + 1):
            text = " ".join(words.forms[first:last]) if in_words else words.span(first, last).of(words.text)
            found = []
            for scu, (a, b) in enumerate(zip(targets.starts.tolist(), ends, strict=True)):
                similarities = [compare(" ".join(text.split()), wordings[one]) for one in range(a, b)]
                best = max(similarities)
                found.append((round(min(max(best, 0), 1) * SCALE), -scu, a + similarities.index(best)))
            similarity, scu, wording = max(found)
            if similarity >= round(threshold * SCALE) and similarity > 0:
                offered.append(Candidate(first, last, -scu, similarity, wording))
    weights = [targets.scus[one.scu].weight for one in offered] if weigh else []
    return annotation(summary, words, targets, best_set(len(words.forms), offered, weights), "en-minilm")


def corpora(folder_of_topic: Path) -> Iterator[tuple[str, Pyramid, tuple[Summary, ...]]]:
    """Names, pyramids and peers."""
    for topic in example():
        assert topic.pyramid
        yield topic.id, topic.pyramid, topic.peers
    if folder_of_topic.is_dir():
        for topic in folder.load(folder_of_topic):
            yield topic.id, BUILDERS["edua-p"](topic), topic.peers


def milliseconds(work: Way, peers: tuple[Summary, ...]) -> float:
    """Processor time of a peer, the best of three rounds."""
    return 1000 * timed(lambda: [work(peer) for peer in peers], 3)[0] / len(peers)


def measure(name: str, pyramid: Pyramid, peers: tuple[Summary, ...], sample: int) -> Iterator[Row]:
    """A row for each matcher."""
    peers = tuple(peer for peer in peers if peer.text.strip())
    ways: list[tuple[str, Way, Way | None]] = [
        ("harnly", partial(harnly, pyramid), partial(plain, pyramid, by_unigrams, THRESHOLD, False)),
    ]
    for similarity, compare in (("unigram", by_unigrams), ("cosine", by_vectors()), ("ratcliff", by_difflib)):
        ours = partial(passonneau, pyramid, similarity=similarity)
        threshold = threshold_of(similarity, "wtmf")
        ways.append((f"passonneau {similarity}", ours, partial(plain, pyramid, compare, threshold, True)))
    ways += [
        ("passonneau cosine wmin", partial(passonneau, pyramid, allocation="wmin"), None),
        ("soft", partial(soft, pyramid), None),
        ("wmin", partial(wmin, pyramid), None),
    ]
    for matcher, match, theirs in ways:
        for peer in peers:  # models are loaded, and the peer's analysis is known
            match(peer)
        row: Row = {
            "corpus": name,
            "scus": len(pyramid.scus),
            "peers": len(peers),
            "matcher": matcher,
            "ms": round(milliseconds(match, peers), 1),
        }
        if theirs and sample:
            some = peers[:sample]
            took, expected = timed(lambda theirs=theirs, some=some: [theirs(peer) for peer in some])
            taken = 1000 * took / len(some)
            row |= {"plain_ms": round(taken), "ratio": round(taken / milliseconds(match, some))}
            if expected != [match(peer) for peer in some]:
                sys.exit(f"{name}: {matcher} differs from its definition")
        yield row


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--plain", type=int, default=1, help="peers of a topic that the plain way is timed on")
    parser.add_argument("--corpus", type=Path, default=DATA / "cc-students")
    arguments = parser.parse_args()
    rows = [row for one in corpora(arguments.corpus) for row in measure(*one, max(0, arguments.plain))]
    show({"Milliseconds of a peer": rows}, arguments.json)


if __name__ == "__main__":
    main()
