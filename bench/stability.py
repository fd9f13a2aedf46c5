"""How long all sub-pyramids take: scores, errors and rankings against every subset of the references.

    python bench/stability.py [--references 12] [--summaries 30] [--scus 100] [--loop 40] [--json]

Random pyramids and peers, seeded. Ours is what ``pyramidion stability`` does after reading: every subset, every peer,
all statistics. The plain way restricts the pyramid to a subset and scores every peer anew; it is timed on a sample of
subsets, spread evenly over all, and its scores must be ours. Processor time, the best of three rounds.
"""

from __future__ import annotations

import sys

import numpy as np
from measuring import command_line, show, timed
from numpy.typing import NDArray

from pyramidion.analyses.stability.study import MOST, sub_pyramid_scores, subsets
from pyramidion.analyses.stability.study import stability as study
from pyramidion.model import SCU, Annotation, Contributor, Match, Pyramid, Summary, Topic
from pyramidion.scoring import scores


def make(references: int, peers: int, scus: int, seed: int = 0) -> tuple[Pyramid, tuple[Annotation, ...]]:
    """SCUs of Zipfian weights, peers that express heavy ones more often, with units of their own."""
    random = np.random.default_rng(seed)
    texts = tuple(Summary(f"r{number:02}", f"text {number}") for number in range(references))
    weights = np.minimum(random.zipf(1.6, scus), references)
    units = tuple(
        SCU(str(number), "", tuple(Contributor(texts[who].id) for who in random.permutation(references)[:weight]))
        for number, weight in enumerate(weights)
    )
    made = []
    for number in range(peers):
        told = random.random(scus) < random.uniform(0.2, 1) * weights / references
        name = f"p{number:02}"
        matches = tuple(Match(units[scu].id) for scu in np.flatnonzero(told))
        unmatched = (Contributor(name),) * int(random.integers(0, 8))
        made.append(Annotation(Summary(name, "", "peer"), matches, unmatched))
    return Pyramid("t", texts, units), tuple(made)


def one_by_one(pyramid: Pyramid, made: tuple[Annotation, ...], chosen: NDArray[np.bool_]) -> list[list[float]]:
    """The same scores by the definition."""
    found = []
    for bits in chosen:
        smaller = pyramid.restricted_to([pyramid.references[one].id for one in np.flatnonzero(bits)])
        found.append([scores(smaller, one.against(smaller)).coverage for one in made])
    return found


def main() -> None:
    parser = command_line(__doc__)
    parser.add_argument("--references", type=int, default=12)
    parser.add_argument("--summaries", type=int, default=30)
    parser.add_argument("--scus", type=int, default=100)
    parser.add_argument("--loop", type=int, default=40, help="subsets that the plain way is timed on")
    arguments = parser.parse_args()
    pyramid, made = make(arguments.references, arguments.summaries, arguments.scus)
    topic = Topic("t", pyramid.references, tuple(one.summary for one in made), pyramid=pyramid, annotations=made)
    chosen = np.concatenate([subsets(pyramid, size, MOST) for size in range(1, pyramid.size + 1)])

    scoring, every = timed(lambda: sub_pyramid_scores(pyramid, made, chosen), 3)
    whole, _ = timed(lambda: study([topic], samples=MOST), 3)
    sample = np.linspace(0, len(chosen) - 1, min(arguments.loop, len(chosen))).astype(int)
    measured, plain = timed(lambda: one_by_one(pyramid, made, chosen[sample]), 3)
    loop = measured / len(sample) * len(chosen)
    if not np.allclose(every[sample], plain, rtol=0, atol=1e-12):
        sys.exit("the scores differ from those of the plain way")
    found = {
        "references": pyramid.size,
        "summaries": len(made),
        "scus": len(pyramid.scus),
        "subsets": len(chosen),
        "scoring_seconds": round(scoring, 3),
        "study_seconds": round(whole, 3),
        "plain_scoring_seconds": round(loop, 1),
        "plain_measured_on": len(sample),
        "ratio_scoring": round(loop / scoring),
        "ratio_study": round(loop / whole),
    }
    show({"All sub-pyramids, beside restricting and scoring one by one": [found]}, arguments.json)


if __name__ == "__main__":
    main()
